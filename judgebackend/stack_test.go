package judgebackend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// scripted is a backend that says what it is told to and counts.
type scripted struct {
	calls  atomic.Int64
	answer func(ctx context.Context, n int64, r judgebackend.Request) (judgebackend.Response, error)
}

func (s *scripted) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "openai", Model: "gpt-4o-2024-08-06", Host: "judge.example:443"}
}

func (s *scripted) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	return s.answer(ctx, s.calls.Add(1), r)
}

func said(reply string) judgebackend.Response {
	return judgebackend.Response{Reply: reply, TokensIn: 100, TokensOut: 10}
}

func always(resp judgebackend.Response, err error) *scripted {
	return &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) { return resp, err }}
}

func fails(k judgebackend.Kind) error { return &judgebackend.Error{Kind: k} }

func stack(t testing.TB, b judgebackend.Backend, o judgebackend.StackOptions) *judgebackend.Stack {
	t.Helper()
	s, err := judgebackend.NewStack(b, &o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask is a question that differs by word.
func ask(word string) judgebackend.Request {
	r := backendtest.Question()
	r.Messages[1].Content = word
	return r
}

func TestLedger(t *testing.T) {
	store := &judgebackend.MemoryStore{}
	b := always(said("yes"), nil)
	s := stack(t, b, judgebackend.StackOptions{Store: store, Clock: &backendtest.Clock{}})
	first, err := s.Complete(t.Context(), ask("a"))
	if err != nil || first.Cached {
		t.Fatalf("cached %v, %v", first.Cached, err)
	}
	second, err := stack(t, b, judgebackend.StackOptions{Store: store}).Complete(t.Context(), ask("a"))
	if err != nil || !second.Cached || b.calls.Load() != 1 {
		t.Errorf("another stack on the same ledger: cached %v, %d calls, %v", second.Cached, b.calls.Load(), err)
	}
	second.Cached = false
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the ledger's answer differs from the first (-first +second):\n%s", diff)
	}
	if first.RequestHash != ask("a").Hash(b.Identity()) || len(first.AssessmentID) != 64 || first.CreatedAt.IsZero() {
		t.Errorf("hash %s, assessment %s, created %v", first.RequestHash, first.AssessmentID, first.CreatedAt)
	}
	other := ask("a")
	other.Sample = 1
	if resp, err := s.Complete(t.Context(), other); err != nil || resp.Cached {
		t.Errorf("another sample is another question: cached %v, %v", resp.Cached, err)
	}
}

// Unusable answers were paid for as well: they are not bought again, unless something has changed.
func TestLedgerKeepsUnusableAnswers(t *testing.T) {
	longer := ask("a")
	longer.MaxTokens = 1000
	for _, tc := range []struct {
		why      string
		resp     judgebackend.Response
		err      error
		kind     judgebackend.Kind
		second   judgebackend.Request
		askAgain bool
		calls    int64
	}{
		{"a refusal stays", judgebackend.Response{Reply: "no", FinishReason: judgebackend.FinishRefusal}, nil, judgebackend.KindRefused, ask("a"), false, 1},
		{"unless the run asks again", judgebackend.Response{Reply: "no", FinishReason: judgebackend.FinishRefusal}, nil, judgebackend.KindRefused, ask("a"), true, 2},
		{"a refusal before any token", judgebackend.Response{}, fails(judgebackend.KindRefused), judgebackend.KindRefused, ask("a"), false, 1},
		{"a cut reply stays", judgebackend.Response{Reply: "hal", FinishReason: judgebackend.FinishLength}, nil, judgebackend.KindLength, ask("a"), false, 1},
		{"until more is allowed", judgebackend.Response{Reply: "hal", FinishReason: judgebackend.FinishLength}, nil, judgebackend.KindLength, longer, false, 2},
		{"10 MB stay", judgebackend.Response{}, fails(judgebackend.KindOversized), judgebackend.KindOversized, ask("a"), false, 1},
		{"a bad request costs nothing and is forgotten", judgebackend.Response{}, fails(judgebackend.KindInvalid), judgebackend.KindInvalid, ask("a"), false, 2},
	} {
		b := always(tc.resp, tc.err)
		store := &judgebackend.MemoryStore{}
		_, first := stack(t, b, judgebackend.StackOptions{Store: store}).Complete(t.Context(), ask("a"))
		resp, second := stack(t, b, judgebackend.StackOptions{Store: store, AskAgain: tc.askAgain}).Complete(t.Context(), tc.second)
		if judgebackend.KindOf(first) != tc.kind || judgebackend.KindOf(second) != tc.kind || resp.Reply != tc.resp.Reply || b.calls.Load() != tc.calls {
			t.Errorf("%s: %v, then %v with %q, after %d calls; want kind %q, %d calls", tc.why, first, second, resp.Reply, b.calls.Load(), tc.kind, tc.calls)
		}
	}
}

type brokenStore struct{ getErr, putErr error }

func (s brokenStore) Get(context.Context, string) (judgebackend.Assessment, bool, error) {
	return judgebackend.Assessment{}, false, s.getErr
}
func (s brokenStore) Put(context.Context, judgebackend.Assessment) error { return s.putErr }

func TestBrokenLedger(t *testing.T) {
	b := always(said("yes"), nil)
	_, err := stack(t, b, judgebackend.StackOptions{Store: brokenStore{getErr: io.ErrUnexpectedEOF}}).Complete(t.Context(), ask("a"))
	if judgebackend.KindOf(err) != judgebackend.KindStore || b.calls.Load() != 0 {
		t.Errorf("a ledger that cannot be read must not lead to paying again: %v after %d calls", err, b.calls.Load())
	}
	var log bytes.Buffer
	resp, err := stack(t, b, judgebackend.StackOptions{Store: brokenStore{putErr: io.ErrShortWrite}, Log: slog.New(slog.NewTextHandler(&log, nil))}).Complete(t.Context(), ask("a"))
	if err != nil || resp.Reply != "yes" || log.Len() == 0 {
		t.Errorf("an answer that cannot be kept is still the caller's, with a line in the log: %q, %v, %q", resp.Reply, err, log.String())
	}
}

func TestSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &scripted{answer: func(ctx context.Context, _ int64, _ judgebackend.Request) (judgebackend.Response, error) {
			select {
			case <-time.After(time.Second):
				return said("yes"), nil
			case <-ctx.Done():
				return judgebackend.Response{}, ctx.Err()
			}
		}}
		s := stack(t, b, judgebackend.StackOptions{})
		ctx, giveUp := context.WithCancel(t.Context())
		errs := make([]error, 10)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				mine := t.Context()
				if i == 0 {
					mine = ctx
				} else {
					time.Sleep(time.Millisecond) // the one that gives up is the first
				}
				_, errs[i] = s.Complete(mine, ask("a"))
			})
		}
		time.Sleep(100 * time.Millisecond)
		giveUp()
		wg.Wait()
		if errcode.Of(errs[0]) != errcode.Cancelled {
			t.Errorf("the caller that gave up: %v", errs[0])
		}
		for i, err := range errs[1:] {
			if err != nil {
				t.Errorf("caller %d must not suffer: %v", i+1, err)
			}
		}
		if st := s.Stats(); b.calls.Load() != 1 || st.Requests != 10 || st.Hits != 9 || st.Calls != 1 {
			t.Errorf("%d calls, stats %+v; want 1 call for all", b.calls.Load(), st)
		}

		// When nobody waits any more, the call ends, and the next caller gets one of its own.
		ctx, giveUp = context.WithCancel(t.Context())
		go func() { time.Sleep(time.Millisecond); giveUp() }()
		if _, err := s.Complete(ctx, ask("b")); errcode.Of(err) != errcode.Cancelled {
			t.Errorf("%v", err)
		}
		if _, err := s.Complete(t.Context(), ask("b")); err != nil {
			t.Errorf("the next caller: %v", err)
		}
		synctest.Wait()
	})
}

func TestPanicIsAnError(t *testing.T) {
	b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
		panic(backendtest.Canary)
	}}
	s := stack(t, b, judgebackend.StackOptions{})
	for range 2 {
		if _, err := s.Complete(t.Context(), ask("a")); errcode.Of(err) != errcode.Internal {
			t.Errorf("%v", err)
		}
	}
}

func TestRecord(t *testing.T) {
	var rows []judgebackend.Assessment
	record := func(_ context.Context, a judgebackend.Assessment) error { rows = append(rows, a); return nil }
	clock := &backendtest.Clock{}
	b := &scripted{answer: func(_ context.Context, n int64, _ judgebackend.Request) (judgebackend.Response, error) {
		clock.Advance(310 * time.Millisecond)
		switch n {
		case 1:
			return judgebackend.Response{}, fails(judgebackend.KindServer)
		case 2:
			return said("yes"), nil
		}
		return judgebackend.Response{Reply: "no", TokensIn: judgebackend.TokensUnknown, TokensOut: 2, FinishReason: judgebackend.FinishRefusal, Model: "exact"}, nil
	}}
	s := stack(t, b, judgebackend.StackOptions{Record: record, Clock: clock, Random: func() float64 { return 0 }})
	_, _ = s.Complete(t.Context(), ask("a"))
	_, _ = s.Complete(t.Context(), ask("b"))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want := []judgebackend.Assessment{
		{Kind: "conformance", Backend: "openai", Model: "gpt-4o-2024-08-06", PromptVersion: "v1", RequestHash: ask("a").Hash(b.Identity()), Reply: "yes",
			TokensIn: 100, TokensOut: 10, LatencyMS: 310, CreatedAt: start.Add(620 * time.Millisecond), FinishReason: "stop", MaxTokens: 100},
		{Kind: "conformance", Backend: "openai", Model: "gpt-4o-2024-08-06", PromptVersion: "v1", RequestHash: ask("b").Hash(b.Identity()), Reply: "no",
			TokensIn: -1, TokensOut: 2, LatencyMS: 310, CreatedAt: start.Add(930 * time.Millisecond), FinishReason: "refusal", MaxTokens: 100, ServedModel: "exact"},
	}
	for i := range want {
		want[i].ID = want[i].ContentHash()
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("answers are recorded, failures without one are not (-want +got):\n%s", diff)
	}
	line, err := json.Marshal(rows[1])
	if err != nil || !bytes.Contains(line, []byte(`"tokens_in":null`)) || bytes.Contains(line, []byte("request\":")) {
		t.Errorf("unknown is null, and requests are not kept: %s", line)
	}
}

// A NUL byte that a model wrote, which not every store keeps, is replaced before anybody sees it: the answer that
// is used, the one that is recorded and the one that the ledger gives later are one.
func TestAnswersWithNULBytes(t *testing.T) {
	var row judgebackend.Assessment
	store := &judgebackend.MemoryStore{}
	sent := said("a\x00b")
	sent.LogProbs = []judgebackend.TokenLogProb{{Token: "a\x00b", LogProb: -1, Top: []judgebackend.TokenLogProb{{Token: "\x00", LogProb: -2}}}}
	s := stack(t, always(sent, nil), judgebackend.StackOptions{Store: store, Record: func(_ context.Context, a judgebackend.Assessment) error { row = a; return nil }})
	first, err := s.Complete(t.Context(), ask("a"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Complete(t.Context(), ask("a"))
	if err != nil || !again.Cached {
		t.Fatalf("cached %v, %v", again.Cached, err)
	}
	const want = "a\ufffdb"
	if first.Reply != want || again.Reply != want || row.Reply != want || row.ID != row.ContentHash() || again.AssessmentID != row.ID {
		t.Errorf("%q, %q, recorded %q; want %q of each, and one id", first.Reply, again.Reply, row.Reply, want)
	}
	if got := row.LogProbs[0]; got.Token != want || got.Top[0].Token != "\ufffd" {
		t.Errorf("tokens %+v", got)
	}
}

func TestKeepRequests(t *testing.T) {
	var row judgebackend.Assessment
	s := stack(t, always(said("yes"), nil), judgebackend.StackOptions{
		KeepRequests: true, Record: func(_ context.Context, a judgebackend.Assessment) error { row = a; return nil },
	})
	if _, err := s.Complete(t.Context(), ask("a")); err != nil || row.Request == nil || row.Request.Messages[1].Content != "a" {
		t.Errorf("%v, %+v", err, row.Request)
	}
}

func TestRetry(t *testing.T) {
	retryAfter := func(d time.Duration) error {
		return &judgebackend.Error{Kind: judgebackend.KindRateLimited, RetryAfter: d}
	}
	for _, tc := range []struct {
		why   string
		errs  []error // of the first calls; the next one answers
		calls int64
		slept []time.Duration // with half of full jitter
		kind  judgebackend.Kind
	}{
		{"no failure, no wait", nil, 1, nil, ""},
		{"the wait doubles", []error{fails("server"), fails("network"), fails("malformed"), fails("timeout")}, 5,
			[]time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}, ""},
		{"five calls and no more", []error{fails("server"), fails("server"), fails("server"), fails("server"), fails("server")}, 5,
			[]time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}, judgebackend.KindServer},
		{"as long as the endpoint says, and a little more", []error{retryAfter(7 * time.Second)}, 2, []time.Duration{7250 * time.Millisecond}, ""},
		{"not longer than two minutes", []error{retryAfter(121 * time.Second)}, 1, nil, judgebackend.KindRateLimited},
		{"what will not change is not tried again", []error{fails("invalid")}, 1, nil, judgebackend.KindInvalid},
		{"nor a refusal", []error{fails("refused")}, 1, nil, judgebackend.KindRefused},
		{"nor what was never sent", []error{fails("egress")}, 1, nil, judgebackend.KindEgress},
	} {
		clock := &backendtest.Clock{}
		b := &scripted{answer: func(_ context.Context, n int64, _ judgebackend.Request) (judgebackend.Response, error) {
			if int(n) <= len(tc.errs) {
				return judgebackend.Response{}, tc.errs[n-1]
			}
			return said("yes"), nil
		}}
		s := stack(t, b, judgebackend.StackOptions{Clock: clock, Random: func() float64 { return 0.5 }})
		_, err := s.Complete(t.Context(), ask("a"))
		if judgebackend.KindOf(err) != tc.kind || b.calls.Load() != tc.calls {
			t.Errorf("%s: %v after %d calls, want kind %q after %d", tc.why, err, b.calls.Load(), tc.kind, tc.calls)
		}
		if diff := cmp.Diff(tc.slept, clock.Slept()); diff != "" {
			t.Errorf("%s: waits (-want +got):\n%s", tc.why, diff)
		}
	}
}

// An attempt that takes too long is given up and made again; a caller out of time is not.
func TestAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &scripted{answer: func(ctx context.Context, n int64, _ judgebackend.Request) (judgebackend.Response, error) {
			if n > 1 {
				return said("yes"), nil
			}
			<-ctx.Done()
			return judgebackend.Response{}, ctx.Err()
		}}
		s := stack(t, b, judgebackend.StackOptions{AttemptTimeout: time.Second})
		if resp, err := s.Complete(t.Context(), ask("a")); err != nil || resp.Reply != "yes" || b.calls.Load() != 2 {
			t.Errorf("%q, %v after %d calls", resp.Reply, err, b.calls.Load())
		}
		b.calls.Store(0)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := s.Complete(ctx, ask("b"))
		if errcode.Of(err) != errcode.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded) || b.calls.Load() != 1 {
			t.Errorf("%v after %d calls", err, b.calls.Load())
		}
		synctest.Wait()
	})
}

// If nobody wants to be told that a circuit opens, the log is, once.
func TestCircuitLogs(t *testing.T) {
	var log bytes.Buffer
	b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
		return judgebackend.Response{}, fails(judgebackend.KindBilling)
	}}
	s := stack(t, b, judgebackend.StackOptions{Clock: &backendtest.Clock{}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 3 {
		_, _ = s.Complete(t.Context(), ask(fmt.Sprint(i)))
	}
	if bytes.Count(log.Bytes(), []byte("\n")) != 1 {
		t.Errorf("log %q, want one line", log.String())
	}
}

func TestCircuit(t *testing.T) {
	for _, kind := range []judgebackend.Kind{judgebackend.KindUnauthorized, judgebackend.KindBilling, judgebackend.KindNotFound} {
		clock := &backendtest.Clock{}
		var told []error
		var log bytes.Buffer
		healthy := false
		b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
			if healthy {
				return said("yes"), nil
			}
			return judgebackend.Response{}, fails(kind)
		}}
		s := stack(t, b, judgebackend.StackOptions{
			Clock: clock, OnOpen: func(err error) { told = append(told, err) }, Log: slog.New(slog.NewTextHandler(&log, nil)), Store: &judgebackend.MemoryStore{},
			RequestsPerMinute: 60,
		})
		for i := range 100 {
			_, err := s.Complete(t.Context(), ask(fmt.Sprint(i)))
			want := judgebackend.KindCircuitOpen
			if i == 0 {
				want = kind
			}
			if judgebackend.KindOf(err) != want || errcode.Of(err) != errcode.Of(fails(kind)) {
				t.Fatalf("%s, call %d: %v, want kind %q with the code of the cause", kind, i, err, want)
			}
		}
		if b.calls.Load() != 1 || len(told) != 1 || log.Len() != 0 {
			t.Errorf("%s: %d calls, told %d times, log %q; want one call, told once", kind, b.calls.Load(), len(told), log.String())
		}
		if slept := clock.Slept(); len(slept) != 0 {
			t.Errorf("%s: calls that cannot succeed waited for the rate limit: %v", kind, slept)
		}
		clock.Advance(time.Minute)
		_, err := s.Complete(t.Context(), ask("probe"))
		_, after := s.Complete(t.Context(), ask("after"))
		if judgebackend.KindOf(err) != kind || judgebackend.KindOf(after) != judgebackend.KindCircuitOpen || b.calls.Load() != 2 || len(told) != 1 {
			t.Errorf("%s: %v, %v, %d calls, told %d times; want one probe that fails quietly", kind, err, after, b.calls.Load(), len(told))
		}
		clock.Advance(time.Minute)
		healthy = true
		for i := range 2 {
			if _, err := s.Complete(t.Context(), ask(fmt.Sprint("healthy", i))); err != nil {
				t.Errorf("%s: %v, want the circuit closed after a good probe", kind, err)
			}
		}
		healthy = false
		_, _ = s.Complete(t.Context(), ask("again"))
		if _, err := s.Complete(t.Context(), ask("healthy0")); err != nil {
			t.Errorf("%s: the ledger answers while the circuit is open, got %v", kind, err)
		}
		if len(told) != 2 {
			t.Errorf("%s: told %d times, want once for each opening", kind, len(told))
		}
	}
}

// One call finds out whether an open circuit can close; the others do not go out with it.
func TestOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &scripted{answer: func(_ context.Context, n int64, _ judgebackend.Request) (judgebackend.Response, error) {
			if n == 1 {
				return judgebackend.Response{}, fails(judgebackend.KindUnauthorized)
			}
			time.Sleep(time.Second)
			return said("yes"), nil
		}}
		s := stack(t, b, judgebackend.StackOptions{})
		_, _ = s.Complete(t.Context(), ask("a"))
		time.Sleep(time.Minute)
		var refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				if _, err := s.Complete(t.Context(), ask(fmt.Sprint(i))); judgebackend.KindOf(err) == judgebackend.KindCircuitOpen {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if refused.Load() != 9 || b.calls.Load() != 2 {
			t.Errorf("%d refused, %d calls in all; want 9 refused and one probe", refused.Load(), b.calls.Load())
		}
	})
}

// contextStore keeps only what is put under a live context, as a database would.
type contextStore struct{ judgebackend.MemoryStore }

func (s *contextStore) Put(ctx context.Context, a judgebackend.Assessment) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.MemoryStore.Put(ctx, a)
}

// An answer that comes after the last caller has given up is paid for: it is kept and recorded.
func TestLateAnswerIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
			time.Sleep(time.Second) // too far gone to be stopped
			return said("yes"), nil
		}}
		store := &contextStore{}
		recorded := 0
		s := stack(t, b, judgebackend.StackOptions{Store: store, Record: func(ctx context.Context, _ judgebackend.Assessment) error {
			recorded++
			return ctx.Err()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := s.Complete(ctx, ask("a")); errcode.Of(err) != errcode.DeadlineExceeded {
			t.Errorf("%v", err)
		}
		time.Sleep(2 * time.Second)
		if store.Len() != 1 || recorded != 1 {
			t.Errorf("%d kept, %d recorded, want 1 and 1", store.Len(), recorded)
		}
	})
}

func TestAuditLine(t *testing.T) {
	var out bytes.Buffer
	s := stack(t, always(said("yes"), nil), judgebackend.StackOptions{Audit: slog.New(slog.NewJSONHandler(&out, nil)), Clock: &backendtest.Clock{}, Store: &judgebackend.MemoryStore{}})
	r := withSchema()
	for range 2 {
		if _, err := s.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("want one line, since the second answer left nobody's machine: %v in %s", err, out.String())
	}
	delete(line, "time")
	want := map[string]any{
		"level": "INFO", "msg": "judge call", "backend": "openai", "model": "gpt-4o-2024-08-06", "host": "judge.example:443",
		"purpose": "conformance", "prompt_version": "v1", "request_hash": r.Hash(judgebackend.Identity{Backend: "openai", Model: "gpt-4o-2024-08-06"}),
		"bytes_out": float64(len(r.Messages[0].Content) + len(r.Messages[1].Content) + len(r.Schema)), "bytes_in": 3.0,
		"tokens_in": 100.0, "tokens_out": 10.0, "latency_ms": 0.0, "outcome": "ok",
	}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStackOptions(t *testing.T) {
	if _, err := judgebackend.NewStack(nil, nil); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("no backend: %v", err)
	}
	if _, err := judgebackend.NewStack(always(said(""), nil), &judgebackend.StackOptions{Concurrency: -1}); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a negative limit: %v", err)
	}
}
