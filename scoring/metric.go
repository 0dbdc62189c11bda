package scoring

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Branch is the part of an evaluation that a metric belongs to (BADGER, Table 2); a metric may
// belong to both.
type Branch uint

// The branches.
const (
	BranchSQL     Branch = 1 << iota // text-to-SQL: the query, its result, and how the question was understood
	BranchAgentic                    // what the agent did and replied, other than the query
)

// String is the branch as Table 2 has it.
func (b Branch) String() string {
	switch b {
	case BranchSQL:
		return "text-to-SQL"
	case BranchAgentic:
		return "agentic"
	case BranchSQL | BranchAgentic:
		return "both"
	}
	return ""
}

// FailedQuery is the score of a metric if the agent's query failed. Such a query ends the text-to-SQL branch
// (BADGER, section 4.1): a metric that judges the query is 0, and one that only describes it is not applicable. A
// metric that does not depend on the query scores as usual. If a case lacks another field that the metric needs,
// the metric reports that first. If a metric needs the result and declares nothing, its score is 0.
type FailedQuery struct {
	Status Status // ok, with the value and label; not_applicable; or empty: the metric scores as usual
	Value  float64
	Label  string
	Own    bool   // the metric's own function scores the case, with a detail
	Why    string // why it scores as usual, or a remark
}

// The usual declarations.
var (
	FailedIsZero          = FailedQuery{Status: StatusOK}
	FailedIsNotApplicable = FailedQuery{Status: StatusNotApplicable}
)

// FailedIsIgnored declares a metric that scores as usual, with the reason.
func FailedIsIgnored(why string) FailedQuery { return FailedQuery{Why: why} }

// Declared reports whether any field is set.
func (f *FailedQuery) Declared() bool { return *f != FailedQuery{} }

// String describes the rule in words.
func (f *FailedQuery) String() string {
	var parts []string
	switch {
	case f.Status == StatusOK && f.Label != "":
		parts = append(parts, fmt.Sprintf("%v, %s", f.Value, f.Label))
	case f.Status == StatusOK:
		parts = append(parts, fmt.Sprint(f.Value))
	case f.Status != "":
		parts = append(parts, strings.ReplaceAll(string(f.Status), "_", " "))
	case !f.Own:
		parts = append(parts, "scored as usual")
	}
	if f.Why != "" {
		parts = append(parts, f.Why)
	}
	return strings.Join(parts, "; ")
}

// score is the score of a failed query, unless the metric's own function gives it.
func (m *Metric) failedScore() (s Score, ends bool) {
	const reason = "the agent's query failed when it ran"
	f := &m.FailedQuery
	switch {
	case f.Own || f.Status == "" && m.Needs&FieldPredResult == 0:
		return Score{}, false
	case f.Status == StatusNotApplicable:
		return NotApplicable(reason), true
	}
	s = OK(f.Value, reason)
	s.Label = f.Label
	return s, true
}

// Metric is one way of scoring: data plus one function. Metrics are made once and not changed.
type Metric struct {
	Name    string // as typed in SQL
	Display string // the name that people read on pages; empty: Name
	Version int    // raised whenever any output may move
	Group   string // family in listings: execution, sql, judge, agent
	Branch  Branch // of the evaluation; modes choose by it
	Needs   Field  // what must be there: where it is missing the score is not_applicable, with the reason
	Reads   Field  // used in addition, if present
	// needed in rare cases: read like Reads, but the last arguments of the SQL function, after the options
	Context Field

	Summary string   // describes the score in one sentence
	Range   string   // such as "0 to 1"
	Labels  []string // the closed list of categories, for a metric whose result is Score.Label
	Formula string   // how it is computed
	Source  string   // paper and section, or the program it follows
	Gaming  string   // how a score can be had without being earned, and what guards against it
	Example string   // a worked example

	// Cost is the cost of scoring a row. The default "" means judged if the needs include a judge, large if they
	// include results or the whole case, and small otherwise.
	Cost Cost

	// Threshold is the value from which a score passes; nil if the metric gives no verdict.
	// LowerIsBetter turns it round.
	Threshold     *float64
	LowerIsBetter bool

	// Options are the metric's options. They are checked before a run, so that a misspelt one is an
	// error then.
	Options OptionSet

	// Asks reports whether the metric may ask a judge with these options (JSON) although its needs do not include
	// one. If nil, it does not.
	Asks func(json.RawMessage) bool

	FailedQuery FailedQuery // what becomes of it where the agent's query failed to run

	// OnRequest marks a metric that costs many times more than others, so that it is computed only if it is named.
	OnRequest bool

	// Score computes the score. It is called only with all needs met, may be called from many
	// goroutines at once with different inputs, and gives the same score for the same input. An
	// error is a failed score.
	Score func(ctx context.Context, in *Input) (Score, error)
}

// ofQuestion are the fields that do not depend on an answer.
const ofQuestion = FieldQuestion | FieldEvidence | FieldSchema | FieldGoldSQL | FieldGoldResult | FieldDialect |
	FieldGoldError

// DescribesQuestion reports whether the metric reads nothing of the answer, so that a question has a score even if
// the answer is missing or cannot be read.
func (m *Metric) DescribesQuestion() bool {
	fields := m.Needs | m.Reads | m.Context
	return fields != 0 && fields&^ofQuestion == 0
}

var rangeNumbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// Bounds returns the minimum and the maximum value according to the metric's range; infinite if the range does not
// state one.
func (m *Metric) Bounds() (low, high float64) {
	var named []float64
	for _, text := range rangeNumbers.FindAllString(m.Range, -1) {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			named = append(named, v)
		}
	}
	low, high = math.Inf(-1), math.Inf(1)
	switch {
	case len(named) > 1:
		return slices.Min(named), slices.Max(named)
	case len(named) == 0:
	case strings.HasPrefix(m.Range, "up to"):
		high = named[0]
	default: // at least, from
		low = named[0]
	}
	return low, high
}

// Within refuses a bound that no value of the metric, or every one, would reach.
func (m *Metric) Within(v float64) error {
	if low, high := m.Bounds(); !(v >= low && v <= high) {
		return errcode.New(errcode.InvalidArgument, "%v is outside the range of the metric (%s)", v, m.Range)
	}
	return nil
}

// Cost is the class of the cost of scoring a row. It limits how many rows warehouses send in one call.
type Cost string

// The classes.
const (
	CostSmall  Cost = "small"  // reads short texts: microseconds
	CostLarge  Cost = "large"  // reads results: milliseconds, and arguments of many kilobytes
	CostJudged Cost = "judged" // waits for a judge: seconds
)

// CostOf is the metric's cost: the one that it declares, or the one that follows from its needs.
func (m *Metric) CostOf() Cost {
	switch {
	case m.Cost != "":
		return m.Cost
	case m.Needs&FieldJudge != 0:
		return CostJudged
	case (m.Needs|m.Reads)&(FieldGoldResult|FieldPredResult|FieldCase) != 0:
		return CostLarge
	}
	return CostSmall
}

// At is a threshold.
func At(v float64) *float64 { return &v }

// Input is the input of a metric: one case with one of its accepted answers.
type Input struct {
	Case *Case
	Gold *Query // nil if the case has none
	Pred *Query

	options []json.RawMessage // deployment's, then the case's
	memo    map[any]any
	run     *run // of the engine, for metrics that rest on others

	asWritten   bool   // the results were examined by [AsWritten]
	noRoom      error  // why memory for the comparison could not be reserved; else nil
	metric      string // the name of the one that is running
	replies     Replies
	usage       Usage    // of the metric that is running
	assessments []string // likewise
}

// Texts reads the SQL of the case, each text once for all metrics and accepted answers.
func (in *Input) Texts() *sqlparts.Texts {
	if in.run != nil {
		in.run.texts.Halt = in.run.halt
		return &in.run.texts
	}
	type key struct{}
	return Memo(in, key{}, func() *sqlparts.Texts { return new(sqlparts.Texts) })
}

// Halt is the signal with which the computation ends, for what runs long and takes no context.
func (in *Input) Halt() *halt.Signal {
	if in.run == nil {
		return nil
	}
	return in.run.halt
}

// Memo returns the value that make made for the key earlier on this case and answer, or makes it.
// Metrics share costly steps this way, such as the alignment of the two results. Keys are values of
// unexported types.
func Memo[T any](in *Input, key any, make func() T) T {
	if v, ok := in.memo[key]; ok {
		return v.(T) //nolint:forcetypeassert // keys are private to one use
	}
	v := make()
	if in.memo == nil {
		in.memo = map[any]any{}
	}
	in.memo[key] = v
	return v
}
