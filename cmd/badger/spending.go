package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// asked is what judges were asked for a version's scores, whether somebody answered now or the
// ledger did. Tokens of answers whose backend did not count them are missing, and the calls say so.
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
	c := cost{Calls: j.stats().Calls, TokensIn: s.TokensIn, TokensOut: s.TokensOut}
	if s.Money > 0 {
		c.Money = s.Money.String()
	}
	return c
}

// paidEarlier is what the run had paid for before it was resumed. Each row has the cost of the
// whole run; those of batches that were not reached in every part say less.
func (e *evaluation) paidEarlier() cost {
	var most cost
	for _, r := range e.earlier {
		var c cost // a row that another version of badger wrote may say nothing
		if json.Unmarshal([]byte(r.Cost), &c) == nil && c.Calls > most.Calls {
			most = c
		}
	}
	return most
}

// payer is who pays for a run's questions in the ledger.
func payer(run string) string { return "run:" + run }

// payEarlier tells the budget what the run has paid for before it was resumed, so that a limit
// holds for the run and not for each call of it. The ledger has every answer, up to the moment the
// run was killed; the rows of eval_runs also have what no answer came for.
func (e *evaluation) payEarlier(ctx context.Context) error {
	if e.judge == nil || !e.resumed {
		return nil
	}
	if e.judge.ledger != nil {
		paid, err := e.judge.ledger.PaidBy(ctx, payer(e.run), time.Time{}.AddDate(1969, 0, 0))
		if err != nil {
			return err
		}
		e.judge.budget.Paid(paid)
	}
	was := e.paidEarlier()
	money, _ := judgebackend.ParseMoney(was.Money) // nothing where no price was known
	e.judge.budget.PaidBefore(judgebackend.Spending{TokensIn: was.TokensIn, TokensOut: was.TokensOut, Money: money})
	return nil
}

// quota is what each caller may spend a day; nil for no limit.
func (c *judgeConfig) quota(ledger judgebackend.Payments) (*judgebackend.Quota, error) {
	if c.CallerBudget.Tokens == 0 && c.CallerBudget.Money == "" {
		return nil, nil //nolint:nilnil // no limit
	}
	limits := judgebackend.BudgetLimits{Tokens: c.CallerBudget.Tokens, Prices: c.Budget.Prices}
	if c.CallerBudget.Money != "" {
		money, err := judgebackend.ParseMoney(c.CallerBudget.Money)
		if err != nil {
			return nil, usage("judge.caller_budget.money: %w", err)
		}
		limits.Money = money
	}
	q, err := judgebackend.NewQuota(limits, ledger, nil)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return q, nil
}
