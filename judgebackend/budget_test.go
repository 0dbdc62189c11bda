package judgebackend_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func money(t testing.TB, s string) judgebackend.Money {
	t.Helper()
	m, err := judgebackend.ParseMoney(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMoney(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"0", "0.00"}, {"1", "1.00"}, {"2.5", "2.50"}, {"0.075", "0.075"}, {"12.", "12.00"}, {".5", "0.50"},
		{"0.000000000001", "0.000000000001"}, {"9223372.036854775807", "9223372.036854775807"},
	} {
		if got := money(t, tc.in).String(); got != tc.want {
			t.Errorf("%s is written %s, want %s", tc.in, got, tc.want)
		}
	}
	for _, in := range []string{"", ".", "-1", "1e3", "1,000", "0x1", "$5", "9223372.036854775808", "1.0000000000001", "99999999999999999999999999"} {
		if m, err := judgebackend.ParseMoney(in); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%q gives %v, %v", in, m, err)
		}
	}
}

func TestPrices(t *testing.T) {
	for _, tc := range []struct {
		why, spec string
		table     judgebackend.PriceTable
		want      string // of 1,000,000 tokens in and 100,000 out
	}{
		{"a list price", "openai:gpt-4o", nil, "3.50"},
		{"a dated name has the price of the undated", "openai:gpt-4o-mini-2024-07-18", nil, "0.21"},
		{"the other vendor's way of dating", "anthropic:claude-sonnet-4-5-20250929", nil, "4.50"},
		{"the latest", "anthropic:claude-3-5-haiku-latest", nil, "1.20"},
		{"a configured price replaces the list's", "openai:gpt-4o", judgebackend.PriceTable{"openai:gpt-4o": {In: "1", Out: "1"}}, "1.10"},
		{"a configured price of the model alone replaces the list's of the backend and model", "openai:gpt-4o", judgebackend.PriceTable{"gpt-4o": {In: "1", Out: "1"}}, "1.10"},
		{"also of a dated model", "openai:gpt-4o-2024-08-06", judgebackend.PriceTable{"gpt-4o": {In: "1", Out: "1"}}, "1.10"},
		{"of two configured prices that of the backend counts", "openai:gpt-4o", judgebackend.PriceTable{"gpt-4o": {In: "9", Out: "9"}, "openai:gpt-4o": {In: "1", Out: "1"}}, "1.10"},
		{"a model's price for any backend", "cortex:claude-4-sonnet", judgebackend.PriceTable{"claude-4-sonnet": {In: "0.000001", Out: "0"}}, "0.000001"},
		{"a free one", "openai:llama3", judgebackend.PriceTable{"llama3": {In: "0", Out: "0"}}, "0.00"},
		{"a longer name is another model", "openai:gpt-4o-audio-preview", nil, ""},
		{"a vendor's price is not that of its namesake elsewhere", "cortex:gpt-4o", nil, ""},
	} {
		backend, model, _ := strings.Cut(tc.spec, ":")
		b := named{always(judgebackend.Response{TokensIn: 1_000_000, TokensOut: 100_000}, nil), judgebackend.Identity{Backend: backend, Model: model}}
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Money: money(t, "100"), Prices: tc.table})
		if err != nil {
			t.Fatal(err)
		}
		s, err := judgebackend.NewStack(b, &judgebackend.StackOptions{Budget: budget})
		if tc.want == "" {
			if errcode.Of(err) != errcode.FailedPrecondition {
				t.Errorf("%s: %v, want failed_precondition, since money cannot be counted without a price", tc.why, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		if _, err := s.Complete(t.Context(), ask("a")); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if got := budget.Spent().Money.String(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
		}
	}
	for _, p := range []judgebackend.Price{{In: "x", Out: "1"}, {In: "1", Out: ""}, {In: "0.0000001", Out: "1"}} {
		if _, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Prices: judgebackend.PriceTable{"m": p}}); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

type named struct {
	judgebackend.Backend
	id judgebackend.Identity
}

func (n named) Identity() judgebackend.Identity { return n.id }

// The budget stops before it would be passed, and what is left is said.
func TestBudgetStopsBefore(t *testing.T) {
	b := always(said("yes"), nil) // 110 tokens
	budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s := stack(t, b, judgebackend.StackOptions{Budget: budget})
	var refused error
	for i := range 20 {
		if _, err := s.Complete(t.Context(), ask(fmt.Sprint(i))); err != nil {
			refused = err
		}
	}
	spent := budget.Spent()
	if used := spent.TokensIn + spent.TokensOut; used > 1000 || used < 600 || used != 110*b.calls.Load() {
		t.Errorf("%d tokens used by %d calls, want close to 1000 and not more", used, b.calls.Load())
	}
	if judgebackend.KindOf(refused) != judgebackend.KindBudget || errcode.Of(refused) != errcode.ResourceExhausted || spent.Refused == 0 {
		t.Errorf("%v, %d refused", refused, spent.Refused)
	}
}

// Calls at the same time wait for the reservations of others rather than being refused, and nothing
// is passed whatever the order; answers of unknown cost count as what they could have cost.
func TestBudgetUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inFlight, most atomic.Int64
		b := &scripted{answer: func(_ context.Context, n int64, _ judgebackend.Request) (judgebackend.Response, error) {
			now := inFlight.Add(1)
			defer inFlight.Add(-1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			time.Sleep(time.Duration(1+n%7) * time.Millisecond)
			return said("yes"), nil
		}}
		// 190 tokens can be in a call (the bytes, the reply's bound and what vendors add), 110 are.
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 110*50 + 1000})
		if err != nil {
			t.Fatal(err)
		}
		s := stack(t, b, judgebackend.StackOptions{Budget: budget})
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				if _, err := s.Complete(t.Context(), ask(fmt.Sprint(i))); err != nil {
					t.Errorf("call %d: %v; it would have fitted", i, err)
				}
			})
		}
		wg.Wait()
		if spent := budget.Spent(); spent.TokensIn+spent.TokensOut != 50*110 || spent.Assumed != 0 {
			t.Errorf("%+v", spent)
		}
		if most.Load() < 5 || most.Load() == 50 {
			t.Errorf("%d calls at once, want several and not all", most.Load())
		}
	})
}

// Attempts whose answer was lost may have been billed: they count at their estimate, and the next
// one must fit as well.
func TestBudgetCountsLostAttempts(t *testing.T) {
	for _, tc := range []struct {
		why     string
		kind    judgebackend.Kind
		assumed int
		calls   int64
	}{
		{"a time-out may have been billed", judgebackend.KindTimeout, 3, 3},
		{"so may a cut connection", judgebackend.KindNetwork, 3, 3},
		{"and an answer that cannot be read", judgebackend.KindMalformed, 3, 3},
		{"a rate limit was not", judgebackend.KindRateLimited, 0, 5},
		{"nor a server error", judgebackend.KindServer, 0, 5},
		{"10 MB may have been", judgebackend.KindOversized, 1, 1},
	} {
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 1000}) // room for three estimates
		if err != nil {
			t.Fatal(err)
		}
		b := always(judgebackend.Response{}, fails(tc.kind))
		r := ask("a")
		r.MaxTokens = 200
		_, err = stack(t, b, judgebackend.StackOptions{Budget: budget, Random: func() float64 { return 0 }}).Complete(t.Context(), r)
		spent := budget.Spent()
		if err == nil || spent.Assumed != tc.assumed || b.calls.Load() != tc.calls || spent.TokensIn+spent.TokensOut > 1000 {
			t.Errorf("%s: %v, %d calls, %+v; want %d calls, %d of them assumed", tc.why, err, b.calls.Load(), spent, tc.calls, tc.assumed)
		}
		if tc.calls == 3 && judgebackend.KindOf(err) != judgebackend.KindBudget {
			t.Errorf("%s: %v, want kind budget", tc.why, err)
		}
	}
}

// However calls end and whatever they report, the limits hold and every reservation ends.
func TestBudgetProperty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(50) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			var mu sync.Mutex
			b := &scripted{answer: func(_ context.Context, _ int64, r judgebackend.Request) (judgebackend.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				switch rnd.IntN(6) {
				case 0:
					return judgebackend.Response{}, fails(judgebackend.KindTimeout)
				case 1:
					return judgebackend.Response{}, fails(judgebackend.KindServer)
				case 2:
					return judgebackend.Response{Reply: "x", TokensIn: judgebackend.TokensUnknown, TokensOut: judgebackend.TokensUnknown}, nil
				}
				return judgebackend.Response{TokensIn: judgebackend.TokenCount(rnd.IntN(100)), TokensOut: judgebackend.TokenCount(rnd.IntN(r.MaxTokens))}, nil
			}}
			limit := int64(500 + rnd.IntN(5000))
			budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: limit, Money: money(t, "0.02")})
			if err != nil {
				t.Fatal(err)
			}
			s := stack(t, b, judgebackend.StackOptions{Budget: budget, Concurrency: 8})
			var wg sync.WaitGroup
			for i := range 60 {
				wg.Go(func() { _, _ = s.Complete(t.Context(), ask(fmt.Sprint(i))) })
			}
			wg.Wait()
			spent := budget.Spent()
			if spent.TokensIn+spent.TokensOut > limit || spent.Money > money(t, "0.02") {
				t.Errorf("seed %d: %+v passes %d tokens or 0.02", seed, spent, limit)
			}
		}
	})
}

func TestParseBudget(t *testing.T) {
	for _, tc := range []struct {
		text   string
		tokens int64
		money  string
	}{
		{"200000", 200_000, ""}, {"500k", 500_000, ""}, {"2M", 2_000_000, ""}, {" 3m ", 3_000_000, ""},
		{"5.00USD", 0, "5.00"}, {"5.00 usd", 0, "5.00"}, {"$5", 0, "5"},
	} {
		if tokens, money, err := judgebackend.ParseBudget(tc.text); tokens != tc.tokens || money != tc.money || err != nil {
			t.Errorf("%q: %d tokens, %q, %v", tc.text, tokens, money, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5M", "k", "9223372036854775807k", "0USD", "USD", "$x", "-1USD"} {
		if tokens, money, err := judgebackend.ParseBudget(text); !errcode.IsUsage(err) {
			t.Errorf("%q: %d tokens, %q, %v; want an error of usage", text, tokens, money, err)
		}
	}
}

// A judge that was never reached costs nothing: a refused connection, a name that does not exist.
func TestUnreachedCostsNothing(t *testing.T) {
	for _, host := range []string{port.Unused(t), "no-such-host.invalid:80"} {
		b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: "http://" + host, AllowHosts: []string{host}, AllowPlainHTTP: true})
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 1000})
		if err != nil {
			t.Fatal(err)
		}
		s := stack(t, b, judgebackend.StackOptions{Budget: budget, Clock: &backendtest.Clock{}})
		for range 3 {
			if _, err := s.Complete(t.Context(), backendtest.Question()); judgebackend.KindOf(err) != judgebackend.KindNetwork || !strings.Contains(err.Error(), "not reached") {
				t.Errorf("%s: %v", host, err)
			}
		}
		if spent := budget.Spent(); spent != (judgebackend.Spending{}) {
			t.Errorf("%s: spent %+v", host, spent)
		}
	}
}
