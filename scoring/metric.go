package scoring

import (
	"context"
	"encoding/json"

	"github.com/badger-eval/badger/judgebackend"
)

// Field is a part of a case, or a set of them: what a metric needs, or reads where it is there. The arguments of its SQL function follow from it.
type Field uint

// The fields.
const (
	FieldQuestion       Field = 1 << iota // the question
	FieldEvidence                         // hints that came with the question
	FieldSchema                           // DDL of the tables
	FieldGoldSQL                          // the accepted query
	FieldPredSQL                          // the agent's query
	FieldGoldResult                       // the accepted result
	FieldPredResult                       // the agent's result; needed, a failed query scores 0
	FieldExecution                        // whether the agent's query ran, and its error
	FieldInterpretation                   // the question in the agent's words
	FieldResponse                         // the agent's answer in prose
	FieldTools                            // expected and made tool calls
	FieldLatency                          // both latencies
	FieldBehaviour                        // the behaviour the question calls for, and whether the agent gave a result at all; never missing
	FieldJudge                            // a judge model
	FieldCase                             // the case as a whole, for what rests on other metrics; never missing
)

// Metric is one way of scoring: data plus one function. Metrics are made once and not changed.
type Metric struct {
	Name    string // as typed in SQL
	Version int    // raised whenever any output may move
	Group   string // family in listings: execution, sql, judge, agent
	Needs   Field  // what must be there: where it is missing the score is not_applicable, with the reason
	Reads   Field  // what is used besides, where it is there

	Summary string   // what it says, in one sentence
	Range   string   // such as "0 to 1"
	Labels  []string // the closed list of categories, for a metric whose result is Score.Label
	Formula string   // how it is computed
	Source  string   // paper and section, or the program it follows
	Example string   // a worked example

	// Threshold is the value from which a score passes; nil where the metric gives no verdict. LowerIsBetter turns it round.
	Threshold     *float64
	LowerIsBetter bool

	// Options are the metric's options. They are checked before a run, so that a misspelt one is an error then.
	Options OptionSet

	// Asks tells whether the metric may ask a judge under these options (JSON), where its needs do not say that it does. Nil: it does not.
	Asks func(json.RawMessage) bool

	// FailedQuery is the score of an agent's query that failed to run, where the needs include FieldPredResult. Nil means 0.
	FailedQuery func(in *Input) Score

	// Score computes the score. It is called only with all needs met, may be called from many goroutines at once with different
	// inputs, and gives the same score for the same input. An error is a failed score.
	Score func(ctx context.Context, in *Input) (Score, error)
}

// At is a threshold.
func At(v float64) *float64 { return &v }

// Input is what a metric gets: one case with one of its accepted answers.
type Input struct {
	Case *Case
	Gold *Query // nil where the case has none
	Pred *Query

	options []json.RawMessage // deployment's, then the case's
	memo    map[any]any
	run     *run // of the engine, for metrics that rest on others

	judge       judgebackend.Backend
	replies     Replies
	usage       Usage    // of the metric that is running
	assessments []string // likewise
}

// Memo returns the value that make made for the key earlier on this case and answer, or makes it. Metrics share costly
// steps this way, such as the alignment of the two results. Keys are values of unexported types.
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
