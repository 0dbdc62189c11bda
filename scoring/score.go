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
	StatusAbstained     Status = "abstained"      // the metric could not decide
	StatusNotApplicable Status = "not_applicable" // the case lacks an input that the metric needs, or is outside its scope
	StatusFailed        Status = "failed"         // an error occurred: Code and Reason describe it
)

// Score is the score of one metric for one case.
type Score struct {
	Metric  string
	Version int
	Status  Status
	Code    errcode.Code // kind of failure of a failed score
	Value   float64      // valid if Status is ok; the metric defines its range
	Label   string       // category, for a metric that has labels
	Passed  *bool        // verdict by the metric's threshold; nil if it has no threshold or there is no value
	Reason  string       // one sentence for people: why this value, or why none
	Detail  any          // evidence, marshalled as JSON: alignment, counts, differences
	Gold    int          // number of the best-scoring accepted answer, from 1; 0 if there is only one

	Warnings      []string // remarks on how the input was read, such as text around the SQL that was ignored
	AssessmentIDs []string // ids of the recorded judge replies that the score was computed from
	Usage         *Usage   // tokens and time of judge calls; nil if none were made
}

// OK returns a score with a value and a reason.
func OK(value float64, reason string) Score {
	return Score{Status: StatusOK, Value: value, Reason: reason}
}

// NotApplicable returns a score without a value for a case to which the metric does not apply, with the reason.
func NotApplicable(reason string) Score {
	return Score{Status: StatusNotApplicable, Reason: reason}
}

// Reasons of scores that are not applicable because the agent gave no answer to a question that
// calls for one.
const (
	NoPredSQL    = "no SQL of the agent given"
	NoPredResult = "no result of the agent given"
	NoPred       = "no query and no result of the agent given"
	// the reason for every metric if the question was asked, but no row has an answer
	NoAnswer = "the agent gave no answer"
)

// UnansweredReasons lists the reasons by which [Score.Unanswered] recognizes a missing answer.
func UnansweredReasons() []string { return []string{NoPredSQL, NoPredResult, NoPred, NoAnswer} }

// Reasons of scores that are not applicable because nothing is accepted that the answer can be compared with.
const (
	NoGold     = "neither a gold query nor a gold result given"
	GoldFailed = "the gold query failed when it ran"
)

// NoGoldReasons lists the reasons of scores that are not applicable because a case lacks the gold that the metric
// needs. None of them contains a value.
func NoGoldReasons() []string { return []string{NoGold, noGoldSQL, noGoldResult, GoldFailed} }

// Unanswered reports whether the score is not applicable because the agent gave no answer, and not because the metric
// does not apply to the question. Coverage and gates count such a case as not passed.
func (s *Score) Unanswered() bool {
	return s.Status == StatusNotApplicable && slices.Contains(UnansweredReasons(), s.Reason)
}

// Missing reports whether the score is not applicable because the question has no row with an answer.
func (s *Score) Missing() bool { return s.Status == StatusNotApplicable && s.Reason == NoAnswer }

// Abstain returns a score of a metric that could not decide.
func Abstain(reason string) Score { return Score{Status: StatusAbstained, Reason: reason} }

// Fail returns a failed score with the message and the code of an error.
func Fail(err error) Score {
	return Score{Status: StatusFailed, Code: errcode.Of(err), Reason: err.Error()}
}
