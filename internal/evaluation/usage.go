package evaluation

import (
	"context"
	"encoding/json"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// asked sums up the judge calls for a version's scores, including cached replies. Tokens of replies without a count
// by their backend are missing, and the number of calls shows this.
type asked struct {
	Calls     int64 `json:"calls"`
	Uncounted int64 `json:"uncounted_calls,omitempty"` // of them, scores with calls whose tokens are not known
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

// Cost is the cost of a run, for all versions together.
type Cost struct {
	Calls     int64  `json:"calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Money     string `json:"money,omitempty"` // in the currency of the prices; left out where no price is known
}

func (c *Cost) plus(o Cost) {
	c.Calls, c.TokensIn, c.TokensOut = c.Calls+o.Calls, c.TokensIn+o.TokensIn, c.TokensOut+o.TokensOut
	a, errA := judgebackend.ParseMoney(c.Money)
	b, errB := judgebackend.ParseMoney(o.Money)
	if errA == nil || errB == nil {
		c.Money = (a + b).String()
	}
}

// paidEarlier returns the cost of the run before it was resumed. Each row has the cost of the whole run at its
// time; rows of batches that a part did not reach have less.
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

// Payer is who pays for a run's questions in the ledger.
func Payer(run string) string { return "run:" + run }

// PayEarlier charges the budget for the calls of the run before it was resumed, so that a limit applies to the
// whole run. The ledger has every reply up to the moment the run was killed; the rows of eval_runs also include
// calls without a reply.
func (e *Run) PayEarlier(ctx context.Context) error {
	if e.Judge == nil || !e.Resumed {
		return nil
	}
	return e.Judge.PaidBefore(ctx, Payer(e.ID), e.paidEarlier())
}
