package mcp

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
)

// Outcome is all that a caller learns of an answer to a case: a verdict and its reason. [outcomes] lists them.
type Outcome struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

// The outcomes. A reason never tells by how much an answer differs, in which direction, or in which part: whether rows
// are too many or too few would let a caller test many guesses with one answer, and that columns are too many
// would tell the kinds of gold's values.
var (
	accepted    = Outcome{"pass", "accepted"}
	otherData   = Outcome{"fail", "other_data"}
	otherOrder  = Outcome{"fail", "other_order"}
	queryFailed = Outcome{"fail", "query_failed"}
	noAnswer    = Outcome{"fail", "no_answer"}
	notDecided  = Outcome{"undecided", "not_decided"}
)

// limitReached is shown in place of an outcome that the caller may not see today. It tells nothing of the case.
var limitReached = Outcome{"none", "limit_reached"}

// outcomes lists the outcomes that are counted, with their meaning.
var outcomes = []struct {
	Outcome
	Doc string
}{
	{accepted, "the answer is accepted"},
	{otherData, "the answer has other data than the accepted one, or more columns of one of its kinds of values"},
	{otherOrder, "the data is right, and the rows are not in the order that the question asks for"},
	{queryFailed, "the query of the answer was not run, or failed"},
	{noAnswer, "the run has no answer of the agent to the case"},
	{notDecided, "there is nothing to compare with, or it cannot be read"},
}

// outcomeOf returns the outcome of an answer by its score of the metric verdict and by its values. An answer
// that only a person or a judge could accept fails.
func outcomeOf(c *scoring.Case, s *scoring.Score) Outcome {
	relation, _ := metric.DecidingRelation(*s)
	related := relation.Name != "" && !strings.HasPrefix(relation.Name, policy.NoResults)
	rated := s.Status == scoring.StatusOK && s.Passed != nil
	behaviour := c.Expected.Behaviour
	switch {
	case c.Pred.Error != "":
		return queryFailed
	case c.Pred.Result.Err != nil, !rated && !(s.Status == scoring.StatusAbstained && related):
		return notDecided
	case behaviour == "" || behaviour == scoring.BehaviourAnswer:
		return decided(c, rated && *s.Passed, relation.Name)
	case rated && *s.Passed:
		return accepted
	}
	return otherData
}

// decided returns the outcome of an answer that the metric compared with gold: it must pass, and by its values alone.
// All relations that do not are the same outcome, but for reordered.
func decided(c *scoring.Case, passed bool, relation string) Outcome {
	v := compareValues(c)
	switch {
	case passed && !v.gold:
		return notDecided
	case passed && v.same && slices.Contains(byValues, relation):
		return accepted
	case !passed && v.same && relation == "reordered":
		return otherOrder
	}
	return otherData
}
