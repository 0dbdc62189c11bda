package mcp

import (
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
// or columns are too many or too few would let a caller test many guesses with one answer.
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
	{otherData, "the answer has other data than the accepted one"},
	{otherOrder, "the data is right, and the rows are not in the order that the question asks for"},
	{queryFailed, "the query of the answer was not run, or failed"},
	{noAnswer, "the run has no answer of the agent to the case"},
	{notDecided, "there is nothing to compare with, or it cannot be read"},
}

// known reports whether o is one of the outcomes that are counted.
func (o Outcome) known() bool {
	for i := range outcomes {
		if outcomes[i].Outcome == o {
			return true
		}
	}
	return false
}

// More than these columns and rows in addition to those of gold make an answer a list of guesses.
const (
	spareColumns = 3
	spareRows    = 3
)

// outcomeOf returns the outcome of an answer by the score of the primary metric. An answer that only a person or a
// judge could accept fails.
func outcomeOf(c *scoring.Case, s *scoring.Score) Outcome {
	relation, _ := metric.DecidingRelation(*s)
	compared := relation.Name != "" && !strings.HasPrefix(relation.Name, policy.NoResults)
	switch {
	case c.Pred.Error != "":
		return queryFailed
	case c.Pred.Result.Err != nil:
		return notDecided
	case s.Status == scoring.StatusOK && s.Passed != nil && *s.Passed && !guesses(c, relation.Name):
		return accepted
	case s.Status == scoring.StatusOK && s.Passed != nil, s.Status == scoring.StatusAbstained && compared:
		return failure(relation.Name)
	}
	return notDecided
}

// failure returns the outcome of an answer that is not accepted. All relations but one are the same outcome: that the
// rows agree, and only their order does not, cannot be reached with a list of guesses.
func failure(relation string) Outcome {
	if relation == "reordered" {
		return otherOrder
	}
	return otherData
}

// guesses reports whether an accepted answer may list many guesses, one of them gold: it has many more columns
// than gold, or rows that it may have in addition because they tie. Without this rule, a caller could search for a
// number with a row of a thousand numbers at a time.
func guesses(c *scoring.Case, relation string) bool {
	t := c.Pred.Result.Table
	if t == nil {
		return false
	}
	columns, rows, any := 0, 0, false
	for i := range c.Golds {
		if g := c.Golds[i].Result.Table; g != nil {
			columns, rows, any = max(columns, len(g.Columns)), max(rows, g.Rows()), true
		}
	}
	ties := strings.HasPrefix(relation, "tie_")
	return any && (len(t.Columns) > columns+spareColumns || ties && t.Rows() > 2*rows+spareRows)
}
