package judgebackend_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// A run of 1,000 requests, 400 different ones among them, 64 at a time: each ends with an answer or
// a coded error, no content is billed twice, and the budget holds. The same run over the same
// ledger buys nothing again. With a third of the money, the rest of the run is refused and the
// budget holds as well.
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
	f := backendtest.NewFaulty(t, func(backendtest.Call) backendtest.Answer {
		return backendtest.Answer{Reply: `{"verdict":"pass","why":"fine"}`, TokensIn: 40, TokensOut: 9}
	})
	e := f.Endpoint
	backend := f.Wrap(openHTTP(t, spec, e))
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	max := money(t, limit)
	for round := range 2 {
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Money: max, Tokens: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		s := stack(t, backend, judgebackend.StackOptions{
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
	faults, share := f.Injected()
	if limit == "1.00" && len(faults) != 14 {
		t.Errorf("only these faults happened: %v", faults)
	}
	if limit == "1.00" && (share < 0.25 || share > 0.35) {
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
