package main

import (
	"context"
	"encoding/json"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// asked is what judges were asked for a version's scores, whether somebody answered now or the ledger did. Tokens of answers whose
// backend did not count them are missing, and the calls say so.
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

func (u *asked) plus(o asked) {
	u.Calls, u.Uncounted, u.In, u.Out = u.Calls+o.Calls, u.Uncounted+o.Uncounted, u.In+o.In, u.Out+o.Out
}

// cost is what a run paid for, all versions together.
type cost struct {
	Calls     int64  `json:"calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Money     string `json:"money,omitempty"` // in the currency of the prices; left out where no price is known
}

func (c *cost) plus(o cost) {
	c.Calls, c.TokensIn, c.TokensOut = c.Calls+o.Calls, c.TokensIn+o.TokensIn, c.TokensOut+o.TokensOut
	a, errA := judgebackend.ParseMoney(c.Money)
	b, errB := judgebackend.ParseMoney(o.Money)
	if errA == nil || errB == nil {
		c.Money = (a + b).String()
	}
}

// paid is what the judge's answers cost so far.
func (j *judging) paid() cost {
	if j == nil {
		return cost{}
	}
	s := j.budget.Spent()
	c := cost{Calls: j.stack.Stats().Calls, TokensIn: s.TokensIn, TokensOut: s.TokensOut}
	if s.Money > 0 {
		c.Money = s.Money.String()
	}
	return c
}

// spent is what a row of eval_runs says.
type spent struct {
	asked asked
	paid  cost
}

// recallSpending reads what the run had spent before it was resumed.
func (e *evaluation) recallSpending(ctx context.Context) error {
	t, err := e.warehouse.Query(ctx, "SELECT agent_name, agent_version, batch_id, tokens, cost FROM badger.eval_runs WHERE eval_run_id = ?", e.run)
	if err != nil {
		return err
	}
	e.earlier = map[connectors.Run]spent{}
	for i := range t.Rows() {
		text := func(c int) string {
			if v := t.Columns[c].Value(i); !v.IsNull() {
				return v.String()
			}
			return ""
		}
		var s spent // a row that another version of badger wrote may say nothing
		_ = json.Unmarshal([]byte(text(3)), &s.asked)
		_ = json.Unmarshal([]byte(text(4)), &s.paid)
		e.earlier[connectors.Run{ID: e.run, Agent: text(0), AgentVersion: text(1), BatchID: text(2)}] = s
	}
	return nil
}
