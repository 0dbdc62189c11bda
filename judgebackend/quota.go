package judgebackend

import (
	"context"
	"sync"
	"time"
)

// Quota limits the cost of judge calls of each payer (see [WithPayer]) per day in UTC. It reads from the ledger what
// was spent today by other processes and before a restart: at a payer's first call of the day, and then at most once
// a minute.
type Quota struct {
	limits BudgetLimits
	ledger Payments
	clock  Clock

	mu  sync.Mutex
	day time.Time
	by  map[string]*allowance
}

// allowance is the budget of one payer for one day.
type allowance struct {
	budget *Budget
	mu     sync.Mutex
	read   time.Time // when the ledger was last read
}

// quotaRefresh is the interval at which the spending of other processes is read.
const quotaRefresh = time.Minute

// NewQuota returns a quota. If ledger is nil, only the spending of this process counts. A nil clock is SystemClock.
func NewQuota(limits BudgetLimits, ledger Payments, clock Clock) (*Quota, error) {
	_, err := NewBudget(limits) // checks the price table
	return &Quota{limits: limits, ledger: ledger, clock: orElse(clock, SystemClock), by: map[string]*allowance{}}, err
}

// price returns the price of a model, or an error if the quota limits money and the price is unknown.
func (q *Quota) price(id Identity) (tokenPrice, error) {
	b, err := NewBudget(q.limits)
	if err != nil {
		return tokenPrice{}, err
	}
	return b.price(id)
}

// of returns today's budget of the payer in ctx.
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

// Paid records the total of payments read from a ledger. What exceeds b's own spending was spent by other processes,
// or before a restart.
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

// PaidBefore is like Paid, for a total.
func (b *Budget) PaidBefore(total Spending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens, money := add(total.TokensIn, total.TokensOut), total.Money
	own := add(b.spent.TokensIn, b.spent.TokensOut)
	b.before.tokens = max(b.before.tokens, tokens-own)
	b.before.money = max(b.before.money, money-b.spent.Money)
}

// perPayer is the wrapper that charges each call to the quota of its payer.
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
