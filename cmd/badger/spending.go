package main

import (
	"context"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/judgebackend"
)

// Paid is what the judge's answers cost so far.
func (j *judging) Paid() evaluation.Cost {
	if j == nil {
		return evaluation.Cost{}
	}
	s := j.budget.Spent()
	c := evaluation.Cost{Calls: j.stats().Calls, TokensIn: s.TokensIn, TokensOut: s.TokensOut}
	if s.Money > 0 {
		c.Money = s.Money.String()
	}
	return c
}

// PaidBefore tells the budget what a payer has paid: what the ledger knows, and what was recorded
// elsewhere.
func (j *judging) PaidBefore(ctx context.Context, payer string, recorded evaluation.Cost) error {
	if j.ledger != nil {
		paid, err := j.ledger.PaidBy(ctx, payer, time.Time{}.AddDate(1969, 0, 0))
		if err != nil {
			return err
		}
		j.budget.Paid(paid)
	}
	money, _ := judgebackend.ParseMoney(recorded.Money) // nothing where no price was known
	j.budget.PaidBefore(judgebackend.Spending{TokensIn: recorded.TokensIn, TokensOut: recorded.TokensOut, Money: money})
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
