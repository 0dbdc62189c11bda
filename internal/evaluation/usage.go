package evaluation

import (
	"context"
	"encoding/json"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// asked sums up the judge calls for the scores of a version's answers, including cached replies. Unknown numbers of
// tokens count as 0; Uncounted is the number of such scores.
type asked struct {
	Calls     int64 `json:"calls"`
	Uncounted int64 `json:"uncounted_calls,omitempty"` // scores whose calls have unknown numbers of tokens
	In        int64 `json:"in"`
	Out       int64 `json:"out"`
}

func (u *asked) add(s *scoring.Usage) {
	if s == nil {
		return
	}
	u.Calls += int64(s.Calls)
	if s.TokensIn < 0 || s.TokensOut < 0 {
		u.Uncounted++
	}
	u.In += int64(max(0, s.TokensIn))
	u.Out += int64(max(0, s.TokensOut))
}

// Cost is the cost of the judge calls of a run.
type Cost struct {
	Calls     int64  `json:"calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Money     string `json:"money,omitempty"` // in the currency of the prices; empty if no price is known
}

func (c *Cost) plus(o Cost) {
	c.Calls, c.TokensIn, c.TokensOut = c.Calls+o.Calls, c.TokensIn+o.TokensIn, c.TokensOut+o.TokensOut
	a, errA := judgebackend.ParseMoney(c.Money)
	b, errB := judgebackend.ParseMoney(o.Money)
	if errA == nil || errB == nil {
		c.Money = (a + b).String()
	}
}

// paidEarlier returns the cost of the run before it was resumed: the largest cost in its rows, since each row has the
// cost of the whole run when the row was written.
func (e *Run) paidEarlier() Cost {
	var most Cost
	for _, r := range e.earlier {
		var c Cost // a row of another version of badger may lack it
		if json.Unmarshal([]byte(r.Cost), &c) == nil && c.Calls > most.Calls {
			most = c
		}
	}
	return most
}

// Payer returns the payer's name of a run in the ledger.
func Payer(run string) string { return "run:" + run }

// PayEarlier counts the cost of a resumed run so far against the budget, so that the limit applies to the whole run.
// The ledger has all replies until the run was killed; eval_runs also includes calls without a reply.
func (e *Run) PayEarlier(ctx context.Context) error {
	if e.Judge == nil || !e.Resumed {
		return nil
	}
	return e.Judge.PaidBefore(ctx, Payer(e.ID), e.paidEarlier())
}
