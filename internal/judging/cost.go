package judging

import (
	"context"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/judgebackend"
)

// Paid returns the cost of the judge calls so far.
func (j *Judges) Paid() evaluation.Cost {
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

// Price returns the price of the given numbers of tokens of a model; ok is false if it is unknown.
func (j *Judges) Price(id judgebackend.Identity, in, out int64) (money judgebackend.Money, ok bool) {
	return j.budget.Cost(id, in, out)
}

// PaidBefore counts earlier calls of a payer against the budget: the larger of those in the ledger and the recorded
// cost.
func (j *Judges) PaidBefore(ctx context.Context, payer string, recorded evaluation.Cost) error {
	if j.ledger != nil {
		paid, err := j.ledger.PaidBy(ctx, payer, time.Time{}.AddDate(1969, 0, 0))
		if err != nil {
			return err
		}
		j.budget.Paid(paid)
	}
	money, _ := judgebackend.ParseMoney(recorded.Money) // 0 if no price was known
	j.budget.PaidBefore(judgebackend.Spending{TokensIn: recorded.TokensIn, TokensOut: recorded.TokensOut, Money: money})
	return nil
}

// quota returns the daily budget of each caller, or nil if it is unlimited. Invalid limits are usage errors.
func (c *Config) quota(ledger judgebackend.Payments) (*judgebackend.Quota, error) {
	if c.CallerBudget.Tokens == 0 && c.CallerBudget.Money == "" {
		return nil, nil //nolint:nilnil // no limit
	}
	limits := judgebackend.BudgetLimits{Tokens: c.CallerBudget.Tokens, Prices: c.Budget.Prices}
	if c.CallerBudget.Money != "" {
		money, err := judgebackend.ParseMoney(c.CallerBudget.Money)
		if err != nil {
			return nil, errcode.Usage("judge.caller_budget.money: %w", err)
		}
		limits.Money = money
	}
	q, err := judgebackend.NewQuota(limits, ledger, nil)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return q, nil
}

// Measure registers the metrics of the judges with m.
func (j *Judges) Measure(m *telemetry.Metrics) {
	if j == nil {
		return
	}
	const unit = 1e12 // of judgebackend.Money
	stats := telemetry.JudgeStats{
		Questions:  func() float64 { return float64(j.stats().Requests) },
		LedgerHits: func() float64 { return float64(j.stats().Hits) },
		Calls:      func() float64 { return float64(j.stats().Calls) },
		Retries:    func() float64 { return float64(j.stats().Retries) },
		TokensIn:   func() float64 { return float64(j.budget.Spent().TokensIn) },
		TokensOut:  func() float64 { return float64(j.budget.Spent().TokensOut) },
		Money:      func() float64 { return float64(j.budget.Spent().Money) / unit },
		Refused:    func() float64 { return float64(j.budget.Spent().Refused) },
	}
	tokens, money := j.budget.Left()
	if tokens >= 0 {
		stats.TokensLeft = func() float64 { left, _ := j.budget.Left(); return float64(left) }
	}
	if money >= 0 {
		stats.MoneyLeft = func() float64 { _, left := j.budget.Left(); return float64(left) / unit }
	}
	m.WatchJudge(stats)
}
