package judgebackend_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// sharedStore is a store of several processes, each of which has a stack of its own.
type sharedStore struct {
	judgebackend.MemoryStore
	mu     sync.Mutex
	asking map[string]bool
	away   error
}

func (s *sharedStore) Claim(_ context.Context, hash string) (func(), bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil || s.asking[hash] {
		return nil, false, s.away
	}
	s.asking[hash] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asking, hash)
	}, true, nil
}

// Three processes with one store ask the same at the same time: one asks the judge, and all have
// its answer.
func TestOneProcessAsks(t *testing.T) {
	store := &sharedStore{asking: map[string]bool{}}
	b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
		time.Sleep(20 * time.Millisecond)
		return said("yes"), nil
	}}
	var wg sync.WaitGroup
	for range 3 {
		s := stack(t, b, judgebackend.StackOptions{Store: store})
		for _, word := range []string{"a", "b"} {
			wg.Go(func() {
				if resp, err := s.Complete(t.Context(), ask(word)); err != nil || resp.Reply != "yes" {
					t.Errorf("%s: %v, %v", word, resp, err)
				}
			})
		}
	}
	wg.Wait()
	if n := b.calls.Load(); n != 2 {
		t.Errorf("%d calls, want one for each question", n)
	}
	if len(store.asking) != 0 {
		t.Errorf("%d claims were not given back", len(store.asking))
	}
}

// Nobody is asked while the store cannot say who may.
func TestClaimsAway(t *testing.T) {
	store := &sharedStore{asking: map[string]bool{}, away: errors.New("the warehouse is asleep")}
	b := always(said("yes"), nil)
	_, err := stack(t, b, judgebackend.StackOptions{Store: store}).Complete(t.Context(), ask("a"))
	if errcode.Of(err) != errcode.Unavailable || judgebackend.KindOf(err) != judgebackend.KindStore || b.calls.Load() != 0 {
		t.Errorf("%v after %d calls, want unavailable and none", err, b.calls.Load())
	}
}

// A recorded reply of the wrong shape, and its repair, are asked for again when the stack is told
// to, once; what comes then is what the ledger gives from now on.
func TestMalformedAnswersAreAskedForAgain(t *testing.T) {
	store := &judgebackend.MemoryStore{}
	reply := "no JSON"
	b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
		return said(reply), nil
	}}
	try := func(again bool) error {
		var into struct{ Verdict, Why string }
		s := stack(t, b, judgebackend.StackOptions{Store: store, AskAgain: again, Clock: &ticking{}})
		r := ask("a")
		r.Schema = json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string"},"why":{"type":"string"}},"required":["verdict","why"],"additionalProperties":false}`)
		_, err := judgebackend.CompleteJSON(t.Context(), s, r, &into)
		return err
	}
	for _, tc := range []struct {
		why   string
		again bool
		reply string
		good  bool
		calls int64 // so far
	}{
		{"the first time", false, "no JSON", false, 2},
		{"the ledger gives it back", false, `{"verdict":"pass","why":"fine"}`, false, 2},
		{"told to ask again, and it is no better", true, "no JSON", false, 4},
		{"told to ask again", true, `{"verdict":"pass","why":"fine"}`, true, 5},
		{"the ledger has the good one", false, "no JSON", true, 5},
		{"a good one is not asked for again", true, "no JSON", true, 5},
	} {
		reply = tc.reply
		err := try(tc.again)
		if (err == nil) != tc.good || b.calls.Load() != tc.calls {
			t.Errorf("%s: %v after %d calls, want good %v after %d", tc.why, err, b.calls.Load(), tc.good, tc.calls)
		}
	}
}

// ticking is the system's clock: answers are a moment apart.
type ticking struct{}

func (ticking) Now() time.Time {
	time.Sleep(time.Microsecond)
	return time.Now()
}

func (ticking) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// A payer's day has a limit, which the ledger keeps across processes; others have their own, and
// tomorrow is another day.
func TestQuota(t *testing.T) {
	store := &judgebackend.MemoryStore{}
	clock := &backendtest.Clock{}
	b := always(judgebackend.Response{Reply: "yes", TokensIn: 4000, TokensOut: 100}, nil)
	open := func() *judgebackend.Stack {
		q, err := judgebackend.NewQuota(judgebackend.BudgetLimits{Tokens: 10_000}, store, clock)
		if err != nil {
			t.Fatal(err)
		}
		return stack(t, b, judgebackend.StackOptions{Store: store, Quota: q, Clock: clock})
	}
	n := 0
	call := func(s *judgebackend.Stack, payer string) judgebackend.Kind {
		n++
		_, err := s.Complete(judgebackend.WithPayer(t.Context(), payer), ask(string(rune('a'+n))))
		return judgebackend.KindOf(err)
	}
	s := open()
	for i, tc := range []struct {
		payer   string
		restart bool
		later   time.Duration
		want    judgebackend.Kind
	}{
		{"ana", false, 0, ""}, {"ana", true, 0, judgebackend.KindBudget},
		{"ben", false, 0, ""}, {"ben", true, 0, judgebackend.KindBudget},
		{"ana", false, 25 * time.Hour, ""},
	} {
		if clock.Advance(tc.later); tc.restart {
			s = open()
		}
		if i == 1 || i == 3 { // another process spends all but ten tokens
			_ = store.Put(t.Context(), judgebackend.Assessment{RequestHash: "x" + tc.payer, Payer: tc.payer, TokensIn: 5890, CreatedAt: clock.Now()})
		}
		if got := call(s, tc.payer); got != tc.want {
			t.Errorf("call %d, of %s: %q, want %q", i, tc.payer, got, tc.want)
		}
	}
}

// A budget counts what was paid before it was made.
func TestBudgetPaidBefore(t *testing.T) {
	budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	budget.PaidBefore(judgebackend.Spending{TokensIn: 7990, TokensOut: 2000})
	budget.PaidBefore(judgebackend.Spending{TokensIn: 10}) // an older sum takes nothing back
	s := stack(t, always(said("yes"), nil), judgebackend.StackOptions{Budget: budget})
	if _, err := s.Complete(t.Context(), ask("a")); judgebackend.KindOf(err) != judgebackend.KindBudget {
		t.Errorf("%v, want the budget to be spent", err)
	}
	if spent := budget.Spent(); spent.TokensIn != 0 || spent.Refused != 1 {
		t.Errorf("%+v, want nothing spent through this budget", spent)
	}
}
