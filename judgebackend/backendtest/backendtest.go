// Package backendtest tests that judge backends and stores satisfy their interfaces' contracts, and has a fake
// endpoint with fault injection. The tests of every backend should call [Run].
package backendtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// Secret is the key that a harness gives its backend. It must not appear in errors.
const Secret = "sk-canary-5f0c3a9e1b"

// Canary is in every prompt of the suite. It must not appear in errors.
const Canary = "canary-prompt-77aa41"

// Harness describes one backend and its fake endpoint for Run.
type Harness struct {
	// Open returns a backend whose endpoint replies as behave defines. prompt contains at least the last message.
	Open func(t *testing.T, behave func(prompt string) Answer) judgebackend.Backend

	NoUsage    bool             // the backend does not report tokens
	Cannot     map[Fault]string // faults that the endpoint cannot have, each with the reason
	AlwaysCode errcode.Code     // if not OK, the code of every call: the backend never replies
	Fixed      string           // if not empty, the backend's only reply, to [Question]
}

// Question returns the request of tests that send only one. A recording must contain a reply to it.
func Question() judgebackend.Request { return question("first") }

func question(word string) judgebackend.Request {
	return judgebackend.Request{
		Purpose: "conformance", PromptVersion: "v1",
		Messages: []judgebackend.Message{
			{Role: judgebackend.System, Content: "You are tested."},
			{Role: judgebackend.User, Content: "Say <" + word + ">. " + Canary},
		},
		Temperature: 0.1, MaxTokens: 100,
	}
}

var asked = regexp.MustCompile(`Say <([a-z0-9-]+)>`)

// echo returns the reply to a question of the suite.
func echo(prompt string) Answer {
	m := asked.FindAllStringSubmatch(prompt, -1)
	if m == nil {
		return Answer{Fault: ServerError}
	}
	return Answer{Reply: "said " + m[len(m)-1][1]}
}

func failing(f Fault) func(string) Answer {
	return func(prompt string) Answer {
		a := echo(prompt)
		a.Fault = f
		return a
	}
}

// consequences maps each fault to the error that a backend must return.
var consequences = map[Fault]struct {
	code   errcode.Code
	kind   judgebackend.Kind
	finish judgebackend.FinishReason
}{
	RateLimited:           {errcode.ResourceExhausted, judgebackend.KindRateLimited, ""},
	RateLimitedRetryAfter: {errcode.ResourceExhausted, judgebackend.KindRateLimited, ""},
	ServerError:           {errcode.Unavailable, judgebackend.KindServer, ""},
	Overloaded:            {errcode.Unavailable, judgebackend.KindServer, ""},
	Cut:                   {errcode.Unavailable, judgebackend.KindNetwork, ""},
	MalformedJSON:         {errcode.DataLoss, judgebackend.KindMalformed, ""},
	Unauthorized:          {errcode.Unauthenticated, judgebackend.KindUnauthorized, ""},
	Billing:               {errcode.FailedPrecondition, judgebackend.KindBilling, ""},
	NoModel:               {errcode.NotFound, judgebackend.KindNotFound, ""},
	Refusal:               {errcode.FailedPrecondition, judgebackend.KindRefused, judgebackend.FinishRefusal},
	Length:                {errcode.DataLoss, judgebackend.KindLength, judgebackend.FinishLength},
	Oversized:             {errcode.DataLoss, judgebackend.KindOversized, judgebackend.FinishOversized},
}

// Run tests a backend: replies, usage, deadlines, cancellation, the code of every failure, errors without prompts and
// keys, and concurrent use.
func Run(t *testing.T, h Harness) {
	t.Run("answers", func(t *testing.T) { testAnswers(t, h) })
	t.Run("refuses malformed requests", func(t *testing.T) { testMalformed(t, h) })
	t.Run("cancelled before", func(t *testing.T) { testCancelled(t, h) })
	t.Run("parallel", func(t *testing.T) { testParallel(t, h) })
	for _, f := range []Fault{Hang, SlowTrickle} {
		t.Run("deadline/"+string(f), func(t *testing.T) {
			if skipped(t, h, f) {
				return
			}
			b := h.Open(t, failing(f))
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := b.Complete(ctx, Question())
			wantError(t, err, errcode.DeadlineExceeded, judgebackend.KindTimeout)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a deadline must be recognisable with errors.Is, got %v", err)
			}
		})
	}
	t.Run("cancelled during", func(t *testing.T) {
		if skipped(t, h, Hang) {
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := h.Open(t, func(string) Answer { cancel(); return Answer{Fault: Hang} })
		_, err := b.Complete(ctx, Question())
		wantError(t, err, errcode.Cancelled, judgebackend.KindCancelled)
	})
	for f, want := range consequences {
		t.Run("fault/"+string(f), func(t *testing.T) {
			if skipped(t, h, f) {
				return
			}
			resp, err := h.Open(t, failing(f)).Complete(t.Context(), Question())
			wantError(t, err, want.code, want.kind)
			if resp.FinishReason != want.finish {
				t.Errorf("finish reason %q, want %q: an answer that was paid for comes with its reason, no answer with none",
					resp.FinishReason, want.finish)
			}
			var e *judgebackend.Error
			if errors.As(err, &e) && f == RateLimitedRetryAfter && e.RetryAfter != 7*time.Second {
				t.Errorf("Retry-After %v, want 7s", e.RetryAfter)
			}
		})
	}
}

// skipped reports whether the test of a fault must be skipped. A fault in Cannot without a reason is a test error.
func skipped(t *testing.T, h Harness, f Fault) bool {
	t.Helper()
	why, cannot := h.Cannot[f]
	if cannot && why == "" {
		t.Error("a fault that cannot happen needs a reason")
	}
	return cannot || h.AlwaysCode != errcode.OK || h.Fixed != ""
}

func testAnswers(t *testing.T, h Harness) {
	resp, err := h.Open(t, echo).Complete(t.Context(), Question())
	if h.AlwaysCode != errcode.OK {
		if got := errcode.Of(err); got != h.AlwaysCode {
			t.Errorf("code %v, want %v", got, h.AlwaysCode)
		}
		wantSilence(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := "said first"
	if h.Fixed != "" {
		want = h.Fixed
	}
	if resp.Reply != want || resp.FinishReason != judgebackend.FinishStop || resp.Model == "" || resp.Latency < 0 {
		t.Errorf("reply %q, finish %q, model %q, latency %v; want %q, stop, a name, not negative", resp.Reply,
			resp.FinishReason, resp.Model, resp.Latency, want)
	}
	switch {
	case h.NoUsage && (resp.TokensIn != judgebackend.TokensUnknown || resp.TokensOut != judgebackend.TokensUnknown):
		t.Errorf("got tokens %d and %d from a backend that does not report usage, want TokensUnknown", resp.TokensIn,
			resp.TokensOut)
	case !h.NoUsage && (resp.TokensIn != 11 || resp.TokensOut != 7):
		t.Errorf("tokens %d and %d, want 11 and 7", resp.TokensIn, resp.TokensOut)
	}
	id, ok := h.Open(t, echo).(judgebackend.Identified)
	if !ok || id.Identity().Backend == "" {
		t.Error("a backend must say who it is")
	}
}

func testMalformed(t *testing.T, h Harness) {
	for _, tc := range []struct {
		why    string
		change func(*judgebackend.Request)
	}{
		{"no purpose", func(r *judgebackend.Request) { r.Purpose = "" }},
		{"a purpose that would put content into logs", func(r *judgebackend.Request) { r.Purpose = "is it " + Canary + "?" }},
		{"no messages", func(r *judgebackend.Request) { r.Messages = nil }},
		{"the assistant last", func(r *judgebackend.Request) { r.Messages[1].Role = judgebackend.Assistant }},
		{"an unknown role", func(r *judgebackend.Request) { r.Messages[0].Role = Canary }},
		{"a negative temperature", func(r *judgebackend.Request) { r.Temperature = -1 }},
		{"a schema that is not JSON", func(r *judgebackend.Request) { r.Schema = json.RawMessage(`{"type": "` + Canary) }},
		{"a schema of a list", func(r *judgebackend.Request) { r.Schema = json.RawMessage(`{"type":"array"}`) }},
	} {
		asked := false
		b := h.Open(t, func(p string) Answer { asked = true; return echo(p) })
		r := Question()
		tc.change(&r)
		_, err := b.Complete(t.Context(), r)
		if errcode.Of(err) != errcode.InvalidArgument || asked {
			t.Errorf("%s: code %v, asked %v; want invalid_argument before anybody is asked", tc.why, errcode.Of(err), asked)
		}
		wantSilence(t, err)
	}
}

func testCancelled(t *testing.T, h Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	asked := false
	_, err := h.Open(t, func(p string) Answer { asked = true; return echo(p) }).Complete(ctx, Question())
	wantError(t, err, errcode.Cancelled, judgebackend.KindCancelled)
	if asked {
		t.Error("called the judge for a caller that has given up")
	}
}

func testParallel(t *testing.T, h Harness) {
	if h.AlwaysCode != errcode.OK {
		return
	}
	b := h.Open(t, echo)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			r, want := question(fmt.Sprintf("word-%d", i)), fmt.Sprintf("said word-%d", i)
			if h.Fixed != "" {
				r, want = Question(), h.Fixed
			}
			resp, err := b.Complete(t.Context(), r)
			if err != nil || resp.Reply != want {
				t.Errorf("reply %q and error %v, want %q", resp.Reply, err, want)
			}
		})
	}
	wg.Wait()
}

func wantError(t *testing.T, err error, code errcode.Code, kind judgebackend.Kind) {
	t.Helper()
	if got, gotKind := errcode.Of(err), judgebackend.KindOf(err); got != code || gotKind != kind {
		t.Errorf("code %v, kind %q; want %v, %q (error: %v)", got, gotKind, code, kind, err)
	}
	wantSilence(t, err)
}

// wantSilence checks that no error in the chain shows the key or the prompt, however it is printed.
func wantSilence(t *testing.T, err error) {
	t.Helper()
	for _, e := range chain(err) {
		encoded, _ := json.Marshal(e)
		all := fmt.Sprintf("%v\n%+v\n%#v\n%q\n%s", e, e, e, e, encoded)
		if strings.Contains(all, Secret) || strings.Contains(all, Canary) {
			t.Errorf("an error shows the key or the prompt: %T", e)
		}
	}
}

func chain(err error) []error {
	var out []error
	for ; err != nil; err = errors.Unwrap(err) {
		out = append(out, err)
	}
	return out
}
