package judgebackend

import (
	"context"
	"sync"
	"time"
)

// Quota bounds what judges may cost each payer (see [WithPayer]) on one day of UTC. The ledger
// knows what was spent today, by other processes and before a restart: it is asked with a payer's
// first call of the day and once a minute after that.
type Quota struct {
	limits BudgetLimits
	ledger Payments
	clock  Clock

	mu  sync.Mutex
	day time.Time
	by  map[string]*allowance
}

// allowance is one payer's of one day.
type allowance struct {
	budget *Budget
	mu     sync.Mutex
	read   time.Time // when the ledger was asked
}

// quotaRefresh is how long what other processes spend may go unnoticed.
const quotaRefresh = time.Minute

// NewQuota makes a quota. ledger may be nil, what this process spends then is all that counts; a
// nil clock is SystemClock.
func NewQuota(limits BudgetLimits, ledger Payments, clock Clock) (*Quota, error) {
	_, err := NewBudget(limits) // checks the price table
	return &Quota{limits: limits, ledger: ledger, clock: orElse(clock, SystemClock), by: map[string]*allowance{}}, err
}

// price checks that a budget of money can be kept.
func (q *Quota) price(id Identity) (tokenPrice, error) {
	b, err := NewBudget(q.limits)
	if err != nil {
		return tokenPrice{}, err
	}
	return b.price(id)
}

// of is the budget of who pays.
func (q *Quota) of(ctx context.Context) (*Budget, error) {
	payer, now := payerOf(ctx), q.clock.Now()
	day := now.UTC().Truncate(24 * time.Hour)
	q.mu.Lock()
	if !day.Equal(q.day) {
		q.day, q.by = day, map[string]*allowance{}
	}
	a := q.by[payer]
	if a == nil {
		b, err := NewBudget(q.limits)
		if err != nil {
			q.mu.Unlock()
			return nil, err
		}
		b.whose = "the caller's budget of today: "
		a = &allowance{budget: b}
		q.by[payer] = a
	}
	q.mu.Unlock()
	if q.ledger == nil {
		return a.budget, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.read.IsZero() && now.Sub(a.read) < quotaRefresh {
		return a.budget, nil
	}
	paid, err := q.ledger.PaidBy(ctx, payer, day)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{Kind: KindStore}
	}
	a.read = now
	a.budget.Paid(paid)
	return a.budget, nil
}

// Paid records the total payments in a ledger. If the budget has recorded more itself, that is used.
func (b *Budget) Paid(all []Payment) {
	var total Spending
	for _, p := range all {
		total.TokensIn, total.TokensOut = add(total.TokensIn, p.TokensIn), add(total.TokensOut, p.TokensOut)
		if price, err := b.price(p.Identity); err == nil {
			total.Money = add(total.Money, price.cost(p.TokensIn, p.TokensOut))
		}
	}
	b.PaidBefore(total)
}

// PaidBefore is Paid with a sum.
func (b *Budget) PaidBefore(total Spending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens, money := add(total.TokensIn, total.TokensOut), total.Money
	own := add(b.spent.TokensIn, b.spent.TokensOut)
	b.before.tokens = max(b.before.tokens, tokens-own)
	b.before.money = max(b.before.money, money-b.spent.Money)
}

// perPayer charges each call to the quota of who pays.
type perPayer struct {
	next  Backend
	id    Identity
	quota *Quota
}

func (w *perPayer) Complete(ctx context.Context, r Request) (Response, error) {
	budget, err := w.quota.of(ctx)
	if err != nil {
		return Response{}, err
	}
	price, err := budget.price(w.id)
	if err != nil {
		return Response{}, err
	}
	return (&budgeted{next: w.next, budget: budget, price: price}).Complete(ctx, r)
}
