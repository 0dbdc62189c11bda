package scoring

import (
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
)

// Status is the outcome of one metric for one case.
type Status string

// The statuses. Only an OK score has a value.
const (
	StatusOK            Status = "ok"
	StatusAbstained     Status = "abstained"      // the metric looked and could not decide
	StatusNotApplicable Status = "not_applicable" // the case lacks what the metric needs, by design
	StatusFailed        Status = "failed"         // an error occurred: Code and Reason describe it
)

// Score is the score of one metric for one case.
type Score struct {
	Metric  string
	Version int
	Status  Status
	Code    errcode.Code // kind of failure of a failed score
	Value   float64      // meaningful when Status is ok; its range is the metric's
	Label   string       // category of metrics that have one
	Passed  *bool        // verdict by the metric's threshold; nil if it has no threshold or there is no value
	Reason  string       // one sentence for people: why this value, or why none
	Detail  any          // evidence, marshalled as JSON: alignment, counts, differences
	Gold    int          // number of the best-scoring accepted answer, from 1; 0 if there is only one

	Warnings      []string // what a reader of the score should know
	AssessmentIDs []string // the recorded judge replies it rests on
	Usage         *Usage   // tokens and time of judge calls; nil if none were made
}

// OK makes a score with a value.
func OK(value float64, reason string) Score {
	return Score{Status: StatusOK, Value: value, Reason: reason}
}

// NotApplicable returns a score with the input that the case lacks.
func NotApplicable(reason string) Score {
	return Score{Status: StatusNotApplicable, Reason: reason}
}

// Reasons of scores that are not applicable because the agent gave no answer to a question that
// calls for one.
const (
	NoPredSQL    = "no SQL of the agent given"
	NoPredResult = "no result of the agent given"
	NoPred       = "no query and no result of the agent given"
	// for every metric, if the question was asked and there is no row with an answer
	NoAnswer = "the agent gave no answer"
)

// UnansweredReasons lists the reasons by which [Score.Unanswered] recognizes a missing answer.
func UnansweredReasons() []string { return []string{NoPredSQL, NoPredResult, NoPred, NoAnswer} }

// Unanswered reports whether the score has no value because the agent gave no answer, not because the
// metric does not apply to the question. Coverage and gates count such a case as one that did not
// pass.
func (s *Score) Unanswered() bool {
	return s.Status == StatusNotApplicable && slices.Contains(UnansweredReasons(), s.Reason)
}

// Missing reports whether the question was asked but there is no row with an answer.
func (s *Score) Missing() bool { return s.Status == StatusNotApplicable && s.Reason == NoAnswer }

// Abstain returns a score of a metric that could not decide.
func Abstain(reason string) Score { return Score{Status: StatusAbstained, Reason: reason} }

// Fail makes a failed score from an error.
func Fail(err error) Score {
	return Score{Status: StatusFailed, Code: errcode.Of(err), Reason: err.Error()}
}
