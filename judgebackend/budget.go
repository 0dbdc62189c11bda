package judgebackend

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
)

// BudgetLimits are the limits of the cost of judge calls. 0 means unlimited.
type BudgetLimits struct {
	Tokens int64 // input and output tokens together
	Money  Money // in the price table's currency
	// prices of models; models without one here have that of [listPrices]
	Prices PriceTable
}

// Spending is the amount that a budget has spent so far.
type Spending struct {
	TokensIn  int64
	TokensOut int64
	Money     Money
	Assumed   int // attempts charged at their maximum cost, because the usage is unknown
	Refused   int // calls that were not made because they did not fit
}

// Budget limits the tokens and money of all stacks that share it. A call reserves its maximum cost and is later
// charged its actual cost, so that concurrent calls cannot exceed the limits. A call that does not fit because of
// reservations waits until they end.
type Budget struct {
	limits BudgetLimits
	prices []map[string]tokenPrice // the limits' own and the list prices; the first table that has a model is used
	whose  string                  // first part of the message of a rejected call

	mu       sync.Mutex
	before   amount // paid before this process, or by other processes
	spent    Spending
	reserved amount
	changed  chan struct{} // closed when a reservation ends
}

type amount struct {
	tokens int64
	money  Money
}

// NewBudget returns a budget, or an error if a limit is negative or a price is invalid.
func NewBudget(limits BudgetLimits) (*Budget, error) {
	if limits.Tokens < 0 || limits.Money < 0 {
		return nil, errcode.New(errcode.InvalidArgument, "judge budget: limits must not be negative")
	}
	b := &Budget{limits: limits, changed: make(chan struct{})}
	for _, table := range []PriceTable{limits.Prices, listPrices()} {
		prices := map[string]tokenPrice{}
		for model, p := range table {
			t, err := p.perToken()
			if err != nil {
				return nil, errcode.New(errcode.InvalidArgument, "judge budget: price of %q: %w", model, err)
			}
			prices[model] = t
		}
		b.prices = append(b.prices, prices)
	}
	return b, nil
}

// Spent returns the amount spent so far through this budget, without that of other processes.
func (b *Budget) Spent() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Price returns the price of a million tokens of a model; ok is false if it is unknown.
func (b *Budget) Price(id Identity) (p Price, ok bool) {
	t, ok := b.lookup(id)
	return Price{(t.in * million).String(), (t.out * million).String()}, ok
}

// Cost returns the cost of the given numbers of tokens at the price of a model; ok is false if the price is
// unknown.
func (b *Budget) Cost(id Identity, in, out int64) (m Money, ok bool) {
	t, ok := b.lookup(id)
	return t.cost(in, out), ok
}

// Listed reports whether the limits name no price for a model, so that its list price is used, if any.
func (b *Budget) Listed(id Identity) bool {
	own := Budget{prices: b.prices[:1]}
	_, is := own.lookup(id)
	return !is
}

func (b *Budget) lookup(id Identity) (t tokenPrice, ok bool) {
	for _, prices := range b.prices {
		for _, model := range []string{id.Model, undated(id.Model)} {
			for _, name := range []string{id.Backend + ":" + model, model} {
				if t, ok := prices[name]; ok {
					return t, true
				}
			}
		}
	}
	return tokenPrice{}, false
}

// price returns the price of a model. If it is unknown the price is zero, or an error if the budget limits money.
func (b *Budget) price(id Identity) (tokenPrice, error) {
	if t, ok := b.lookup(id); ok {
		return t, nil
	}
	if b.limits.Money > 0 {
		return tokenPrice{}, errcode.New(errcode.FailedPrecondition,
			"judge budget: no price is known for %s:%s; add it to the price table, or limit tokens instead", id.Backend,
			id.Model)
	}
	return tokenPrice{}, nil
}

// reserve reserves e. If e fits only without other calls' reservations, it waits; if e exceeds the limits anyway, it
// returns an error.
func (b *Budget) reserve(ctx context.Context, e amount) error {
	for {
		b.mu.Lock()
		spent := amount{add(b.before.tokens, add(b.spent.TokensIn, b.spent.TokensOut)), add(b.before.money, b.spent.Money)}
		if !b.fits(spent, e) {
			b.spent.Refused++
			b.mu.Unlock()
			return &Error{Kind: KindBudget,
				Detail: b.whose + "spent " + itoa(uint64(spent.tokens)) + " tokens, " + spent.money.String() +
					" in money; this call may take " + itoa(uint64(e.tokens)) + " tokens, " + e.money.String()}
		}
		if b.fits(amount{add(spent.tokens, b.reserved.tokens), add(spent.money, b.reserved.money)}, e) {
			b.reserved = amount{add(b.reserved.tokens, e.tokens), add(b.reserved.money, e.money)}
			b.mu.Unlock()
			return nil
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Budget) fits(used, e amount) bool {
	return (b.limits.Tokens == 0 || add(used.tokens, e.tokens) <= b.limits.Tokens) &&
		(b.limits.Money == 0 || add(used.money, e.money) <= b.limits.Money)
}

// settle ends the reservation of e and adds its actual cost to what was spent.
func (b *Budget) settle(e amount, cost Spending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved = amount{b.reserved.tokens - e.tokens, b.reserved.money - e.money}
	b.spent.TokensIn = add(b.spent.TokensIn, cost.TokensIn)
	b.spent.TokensOut = add(b.spent.TokensOut, cost.TokensOut)
	b.spent.Money = add(b.spent.Money, cost.Money)
	b.spent.Assumed += cost.Assumed
	close(b.changed)
	b.changed = make(chan struct{})
}

// budgeted is the wrapper that reserves each call in a budget.
type budgeted struct {
	next   Backend
	budget *Budget
	price  tokenPrice
}

// reservation is the reservation of one call, from its first attempt to its last. It is in the context, because a
// failed attempt that may have been billed uses it up, and the next one must reserve again.
type reservation struct {
	budget  *Budget
	price   tokenPrice
	in, out int64 // the maximum of the call, in tokens
	held    bool
	outer   *reservation // of another budget for the same call, or nil
}

type reservationKey struct{}

func (w *budgeted) Complete(ctx context.Context, r Request) (Response, error) {
	in, out := r.mostTokens()
	res := &reservation{budget: w.budget, price: w.price, in: in, out: out}
	res.outer, _ = ctx.Value(reservationKey{}).(*reservation)
	if err := res.take(ctx); err != nil {
		return Response{}, err
	}
	resp, err := w.next.Complete(context.WithValue(ctx, reservationKey{}, res), r)
	switch {
	case !res.held: // the retry could not reserve for another attempt
	case resp.FinishReason == "" && !lost(err):
		res.release(Spending{})
	case resp.FinishReason == "" || resp.TokensIn < 0 || resp.TokensOut < 0:
		res.lose()
	default:
		in, out := int64(resp.TokensIn), int64(resp.TokensOut)
		res.release(Spending{TokensIn: in, TokensOut: out, Money: w.price.cost(in, out)})
	}
	return resp, err
}

// mostTokens returns the maximum numbers of tokens that a call can use. It counts a token for each byte, and some
// more per message.
func (r Request) mostTokens() (in, out int64) {
	in, out = int64(r.bytesOut()+16*len(r.Messages)+64), int64(r.ReplyTokens())
	if r.Schema != nil {
		in += int64(len(r.Schema)) + 512 // in words, or as a tool's description
	}
	return in, out
}

// AboutTokens estimates the tokens of a call before it is made: one for each four bytes of the request, and the limit
// of the reply.
func (r Request) AboutTokens() (in, out int64) {
	return int64(r.bytesOut()+3) / 4, int64(r.ReplyTokens())
}

// mostUsage is more tokens than any model reads or writes in one call. A larger reported usage is ignored: otherwise
// one bad reply could use up a shared budget.
const mostUsage = 1 << 21

// believed returns the response, with an unknown usage if the reported one exceeds mostUsage. The call is then
// charged its maximum.
func (r Response) believed() Response {
	if r.TokensIn > mostUsage || r.TokensOut > mostUsage {
		r.TokensIn, r.TokensOut = TokensUnknown, TokensUnknown
	}
	return r
}

func (r *reservation) estimate() amount { return amount{add(r.in, r.out), r.price.cost(r.in, r.out)} }

func (r *reservation) take(ctx context.Context) error {
	err := r.budget.reserve(ctx, r.estimate())
	r.held = err == nil
	return err
}

func (r *reservation) release(cost Spending) {
	r.budget.settle(r.estimate(), cost)
	r.held = false
}

// lose charges the reserved maximum, because the attempt may have been billed an unknown amount.
func (r *reservation) lose() {
	r.release(Spending{TokensIn: r.in, TokensOut: r.out, Money: r.price.cost(r.in, r.out), Assumed: 1})
}

// again prepares the reservations of a call for another attempt after err: if the failed attempt may have been
// billed, they are charged and made again.
func again(ctx context.Context, err error) error {
	if !lost(err) {
		return nil
	}
	r, _ := ctx.Value(reservationKey{}).(*reservation)
	for ; r != nil; r = r.outer {
		r.lose()
		if err := r.take(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Left returns the rest of the limits after spending and the reservations of calls in flight; -1 means unlimited.
func (b *Budget) Left() (tokens int64, money Money) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens, money = -1, -1
	if b.limits.Tokens > 0 {
		tokens = max(0, b.limits.Tokens-add(b.before.tokens, add(b.spent.TokensIn, b.spent.TokensOut))-b.reserved.tokens)
	}
	if b.limits.Money > 0 {
		money = max(0, b.limits.Money-add(b.before.money, b.spent.Money)-b.reserved.money)
	}
	return tokens, money
}

// ParseBudget parses a number of tokens, such as 200000, 200k or 2M, or an amount of money, such as 5.00USD or $5. It
// returns one of the two; the other is zero. An invalid value is a usage error.
func ParseBudget(s string) (tokens int64, money string, err error) {
	s = strings.TrimSpace(s)
	if m, ok := strings.CutSuffix(strings.ToUpper(s), "USD"); ok {
		money = strings.TrimSpace(m)
	} else if m, ok := strings.CutPrefix(s, "$"); ok {
		money = strings.TrimSpace(m)
	}
	if money != "" {
		if m, err := ParseMoney(money); err != nil || m == 0 {
			return 0, "", errcode.Usage("expected an amount above 0 such as 5.00USD")
		}
		return 0, money, nil
	}
	digits, unit := s, int64(1)
	for suffix, n := range map[string]int64{"k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6} {
		if d, ok := strings.CutSuffix(s, suffix); ok {
			digits, unit = d, n
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return 0, "", errcode.Usage("expected a number of tokens such as 200000, 500k or 2M, or money such as 5.00USD")
	}
	return n * unit, "", nil
}
