package judgebackend_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// faulty decides the fate of every call by its content and by how often that content came, so that a run does not depend
// on the order of goroutines: 30 % of the calls fail, in every way there is.
//
// An attempt that hangs is timed out as soon as it does, and no other ever is: on a busy machine a real time limit would
// also hit good calls, and their answers would be bought again.
type faulty struct {
	judgebackend.Backend
	mu       sync.Mutex
	seen     map[string]int
	injected map[backendtest.Fault]int
	calls    int
	timeOuts map[string]func() // of the attempts under way, by content
}

func (f *faulty) Identity() judgebackend.Identity {
	return f.Backend.(judgebackend.Identified).Identity()
}

func (f *faulty) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	var content strings.Builder // as the endpoint writes it
	for _, m := range r.Messages {
		fmt.Fprintf(&content, "%s: %s\n", m.Role, m.Content)
	}
	limited := &timeLimited{Context: ctx, over: make(chan struct{})}
	f.mu.Lock()
	f.timeOuts[content.String()] = sync.OnceFunc(func() { close(limited.over) })
	f.mu.Unlock()
	return f.Backend.Complete(limited, r)
}

// timeLimited is a context whose deadline passes when over is closed.
type timeLimited struct {
	context.Context
	over chan struct{}
}

func (c *timeLimited) Done() <-chan struct{} { return c.over }

func (c *timeLimited) Err() error {
	select {
	case <-c.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

var fates = append(append([]backendtest.Fault{backendtest.Oversized}, backendtest.Transient()...), backendtest.Answered()...)

func (f *faulty) answer(c backendtest.Call) backendtest.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	sum := sha256.Sum256(fmt.Append(nil, c.Content, "/", f.seen[c.Content]))
	f.seen[c.Content]++
	a := backendtest.Answer{Reply: `{"verdict":"pass","why":"fine"}`, TokensIn: 40, TokensOut: 9}
	if fate := binary.BigEndian.Uint64(sum[:]); fate%100 < 30 {
		a.Fault = fates[fate/100%uint64(len(fates))]
		f.injected[a.Fault]++
	}
	if a.Fault == backendtest.Hang || a.Fault == backendtest.SlowTrickle {
		time.AfterFunc(20*time.Millisecond, f.timeOuts[c.Content])
	}
	return a
}

// A run of 1,000 requests, 400 different ones among them, 64 at a time: each ends with an answer or a coded error, no
// content is billed twice, and the budget holds. The same run over the same ledger buys nothing again. With a third of
// the money, the rest of the run is refused and the budget holds as well.
func TestRunWithFaults(t *testing.T) {
	for _, tc := range []struct{ spec, limit string }{
		{"openai:gpt-4o-mini", "1.00"}, {"anthropic:claude-haiku-4-5", "1.00"}, {"openai:gpt-4o-mini", "0.006"},
	} {
		t.Run(tc.spec+"/"+tc.limit, func(t *testing.T) {
			t.Parallel()
			runWithFaults(t, tc.spec, tc.limit)
		})
	}
}

func runWithFaults(t *testing.T, spec, limit string) {
	f := &faulty{seen: map[string]int{}, injected: map[backendtest.Fault]int{}, timeOuts: map[string]func(){}}
	e := backendtest.NewEndpoint(t, f.answer)
	f.Backend = openHTTP(t, spec, e)
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	max := money(t, limit)
	for round := range 2 {
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Money: max, Tokens: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		s := stack(t, f, judgebackend.StackOptions{
			Store: openFile(t, path, nil), Budget: budget, Clock: &backendtest.Clock{}, AttemptTimeout: time.Hour,
		})
		before := len(e.Calls())
		outcomes := runAll(t, s)
		billed, twice := 0, 0
		for _, n := range e.Billed() {
			billed += n
			if n > 1 {
				twice++
			}
		}
		spent := budget.Spent()
		if twice > 0 {
			t.Errorf("round %d: %d contents were billed more than once", round, twice)
		}
		if spent.Money > max || spent.TokensIn+spent.TokensOut > 1_000_000 {
			t.Errorf("round %d: %+v passes the budget of %s", round, spent, limit)
		}
		if round == 0 && int64(billed*49) > spent.TokensIn+spent.TokensOut {
			t.Errorf("%d answers of 49 tokens were billed, the budget knows of %d tokens", billed, spent.TokensIn+spent.TokensOut)
		}
		if tight := limit != "1.00"; round == 0 && tight != (outcomes[judgebackend.KindBudget] > 0) {
			t.Errorf("outcomes %v: refusals for the budget are wanted where it is tight, and only there", outcomes)
		}
		t.Logf("round %d: %d calls, %d billed, spent %s, stats %+v, outcomes %v", round, len(e.Calls())-before, billed, spent.Money, s.Stats(), outcomes)
	}
	if limit == "1.00" && len(f.injected) != 14 {
		t.Errorf("only these faults happened: %v", f.injected)
	}
	n := 0
	for _, k := range f.injected {
		n += k
	}
	if share := float64(n) / float64(f.calls); limit == "1.00" && (share < 0.25 || share > 0.35) {
		t.Errorf("%.0f %% of the calls failed, want 30", 100*share)
	}
}

// runAll makes the 1,000 requests and counts how they ended.
func runAll(t *testing.T, s *judgebackend.Stack) map[judgebackend.Kind]int {
	var mu sync.Mutex
	outcomes := map[judgebackend.Kind]int{}
	queue := make(chan int)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := range queue {
				r := withSchema()
				r.Messages[1].Content = fmt.Sprintf("case %d", i%400)
				var got verdict
				_, err := judgebackend.CompleteJSON(t.Context(), s, r, &got)
				var re *judgebackend.ReplyError
				switch code := errcode.Of(err); {
				case err == nil && got.Verdict != "pass":
					t.Errorf("request %d: neither an answer nor an error", i)
				case code == errcode.Unknown || code == errcode.Internal || code == errcode.Cancelled:
					t.Errorf("request %d: %v has no code that tells what happened", i, err)
				case errors.As(err, &re) && re.Reply() == `{"verdict":"pass","why":"fine"}`:
					t.Errorf("request %d: a good reply was refused: %v", i, err)
				}
				mu.Lock()
				outcomes[judgebackend.KindOf(err)]++
				mu.Unlock()
			}
		})
	}
	for i := range 1000 {
		queue <- i
	}
	close(queue)
	wg.Wait()
	return outcomes
}
