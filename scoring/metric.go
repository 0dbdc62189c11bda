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

// Branch is the part of an evaluation that a metric belongs to (BADGER, Table 2). It is a bit set: a metric may
// belong to both parts.
type Branch uint

// The branches.
const (
	BranchSQL     Branch = 1 << iota // text-to-SQL: the query, its result, and how the question was understood
	BranchAgentic                    // what the agent did and replied, other than the query
)

// String returns the name of the branch in Table 2, or "" for none.
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

// FailedQuery declares the score of a metric if the agent's query failed. Such a query ends the text-to-SQL branch
// (BADGER, section 4.1): a metric that judges the query is 0, and one that only describes it is not applicable. A
// metric that does not depend on the query scores as usual. If a case lacks a field that the metric needs other than
// the agent's result, the score reports that instead. If a metric needs the agent's result and declares nothing, its
// score is 0.
type FailedQuery struct {
	Status Status // ok with Value and Label; not_applicable; or empty: the metric scores as usual
	Value  float64
	Label  string
	// Own reports whether the metric's Score function is called although the agent's result is missing. A metric that is
	// not applicable to some questions needs this, since it must check that first.
	Own bool
	Why string // the reason for scoring as usual, or a remark; for the documentation
}

// The usual declarations: the score is 0, or the metric is not applicable.
var (
	FailedIsZero          = FailedQuery{Status: StatusOK}
	FailedIsNotApplicable = FailedQuery{Status: StatusNotApplicable}
)

// FailedIsIgnored returns the declaration of a metric that scores as usual if the query failed, with the reason.
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

// failedScore returns the score of a failed query. ends is false if the metric's Score function computes it.
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

// Metric is one metric: its description and its function. It is immutable.
type Metric struct {
	Name    string // as typed in SQL
	Display string // the name on pages; empty: Name
	Version int    // increased with every change that may change an output
	Group   string // family in listings: verdict, execution, sql, judge, agent
	Branch  Branch // the branches that it belongs to; some commands select metrics by them
	Needs   Field  // fields that it requires: if one is missing, the score is not_applicable, with the reason
	Reads   Field  // fields that it also uses if they are present
	// fields that it uses rarely; like Reads, but their arguments follow the options in the SQL function
	Context Field

	Summary string   // describes the score in one sentence
	Range   string   // such as "0 to 1"
	Labels  []string // the closed list of categories, for a metric whose result is Score.Label
	Formula string   // how it is computed
	Source  string   // paper and section, or the program it follows
	Gaming  string   // how an agent could get a good score undeservedly, and what prevents it
	Example string   // a worked example

	// Cost is the cost class of scoring a row. If it is "", the cost is judged if Needs includes a judge, large if Needs
	// or Reads include a result or the whole case, and small otherwise.
	Cost Cost

	// Threshold is the value from which a score passes; nil if the metric gives no verdict. If LowerIsBetter is set, a
	// score passes up to the threshold.
	Threshold     *float64
	LowerIsBetter bool
	// SilencePasses reports whether an answer without SQL passes, because the metric only objects to what SQL would do.
	// Its score stays not_applicable; figures, comparisons and views count it as passed, see [Metric.Counted].
	SilencePasses bool

	// Options are the metric's options. They are validated before scoring, so that a misspelled name is an error.
	Options OptionSet

	// Asks reports whether the metric uses a judge with these options (a JSON object) although its Needs and Reads do
	// not include one. Nil means never.
	Asks func(json.RawMessage) bool

	FailedQuery FailedQuery // the score if the agent's query failed

	// OnRequest reports whether the metric is computed only if it is named, because it costs many times more than
	// others.
	OnRequest bool

	// Score computes the score. It is called only if all needs are met, except that the agent's result is missing if
	// FailedQuery.Own is set and the query failed. It may be called concurrently with different inputs, and returns the
	// same score for the same input. An error is a failed score. If the case is outside the metric's scope, it returns
	// [NotApplicable]. The scope should depend on the question and gold alone, so that an answer cannot avoid a score.
	Score func(ctx context.Context, in *Input) (Score, error)
}

// ofQuestion is the set of fields that do not depend on the answer.
const ofQuestion = FieldQuestion | FieldEvidence | FieldSchema | FieldGoldSQL | FieldGoldResult | FieldDialect |
	FieldGoldError

// DescribesQuestion reports whether the metric uses only fields that do not depend on the answer, so that it has a
// score even if the answer is missing or cannot be read.
func (m *Metric) DescribesQuestion() bool {
	fields := m.Needs | m.Reads | m.Context
	return fields != 0 && fields&^ofQuestion == 0
}

const rangeNumber = `-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`

var (
	rangeNumbers = regexp.MustCompile(rangeNumber)
	fromTo       = regexp.MustCompile(`^` + rangeNumber + ` to ` + rangeNumber)
)

// inRange returns the numbers in the text of the metric's range.
func (m *Metric) inRange() (named []float64) {
	for _, text := range rangeNumbers.FindAllString(m.Range, -1) {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			named = append(named, v)
		}
	}
	return named
}

// Values returns the only possible values of the metric if its range lists them, such as "0 or 1" or "1 right, 0
// wrong". It returns nil if the range is continuous.
func (m *Metric) Values() []float64 {
	if named := m.inRange(); len(named) > 1 && !fromTo.MatchString(m.Range) {
		return named
	}
	return nil
}

// Bounds returns the minimum and the maximum value according to the metric's range; a bound that the range does not
// state is infinite.
func (m *Metric) Bounds() (low, high float64) {
	named := m.inRange()
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

// Within returns an error if v, such as a threshold, is outside the metric's range.
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

// CostOf returns the metric's Cost, or the class that follows from its fields if none is declared.
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

// At returns a pointer to v, for [Metric].Threshold.
func At(v float64) *float64 { return &v }

// Input is the input of a metric: one case with one of its accepted answers. Metrics get it from an [Engine]; a zero
// Input has no options, and ScoreOf and MetricOf panic on it.
type Input struct {
	Case *Case
	Gold *Query // nil if the case has none
	Pred *Query

	options []json.RawMessage // options of the deployment, then those of the case
	memo    map[any]any
	run     *run // the scoring of the case by the engine; nil for an Input without an engine

	asWritten   bool   // the results were examined by [AsWritten]
	noRoom      error  // why memory for the comparison could not be reserved; else nil
	metric      string // the name of the metric that is being computed
	replies     Replies
	usage       Usage    // of the metric that is being computed
	assessments []string // likewise
}

// Texts returns the parsed SQL texts of the case. Each text is parsed once for all metrics and accepted answers.
func (in *Input) Texts() *sqlparts.Texts {
	if in.run != nil {
		in.run.texts.Halt = in.run.halt
		return &in.run.texts
	}
	type key struct{}
	return Memo(in, key{}, func() *sqlparts.Texts { return new(sqlparts.Texts) })
}

// Halt returns the signal that cancels the scoring of the case, for long computations that take no context. It is nil
// for an Input without an engine.
func (in *Input) Halt() *halt.Signal {
	if in.run == nil {
		return nil
	}
	return in.run.halt
}

// Memo returns the value stored for key on this case and accepted answer, or calls make and stores its result.
// Metrics share costly steps this way, such as the alignment of the two results. Keys are values of unexported types.
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
