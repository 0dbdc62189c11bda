package judgebackend_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func pointer[T any](v T) *T { return &v }

func everySetting() judgebackend.Settings {
	return judgebackend.Settings{MaxTokens: 9000, Sampling: judgebackend.Sampling{
		ReasoningEffort: "low", TopP: pointer(0.5), Seed: pointer(int64(1<<53 + 1)), Body: json.RawMessage(`{"top_k":5,"provider":{"order":["a"]}}`),
	}}
}

// Requests through a stack have the settings of its model; the request's own hash changes with each of them that
// changes replies, and with no other.
func TestSettingsAreSentAndHashed(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) { return 200, completion })
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	var got verdict
	if _, err := judgebackend.CompleteJSON(t.Context(), stack(t, b, judgebackend.StackOptions{Settings: everySetting()}), withSchema(), &got); err != nil {
		t.Fatal(err)
	}
	body := s.bodies[0]
	for name, want := range map[string]any{"max_tokens": 9000.0, "reasoning_effort": "low", "top_p": 0.5, "seed": float64(1<<53 + 1), "top_k": 5.0, "provider": map[string]any{"order": []any{"a"}}} {
		if diff := cmp.Diff(want, body[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	id := judgebackend.Identity{Backend: "openai", Model: "m"}
	plain := withSchema()
	seen := map[string]string{plain.Hash(id): "nothing"}
	for name, change := range map[string]func(*judgebackend.Request){
		"effort": func(r *judgebackend.Request) { r.ReasoningEffort = "low" }, "top_p": func(r *judgebackend.Request) { r.TopP = pointer(0.5) },
		"seed": func(r *judgebackend.Request) { r.Seed = pointer(int64(0)) }, "another seed": func(r *judgebackend.Request) { r.Seed = pointer(int64(1)) },
		"body": func(r *judgebackend.Request) { r.Body = json.RawMessage(`{"a":1,"b":2}`) },
	} {
		r := withSchema()
		change(&r)
		if other, dup := seen[r.Hash(id)]; dup {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[r.Hash(id)] = name
	}
	sorted, other := withSchema(), withSchema()
	sorted.Body, other.Body = json.RawMessage(`{"a":1,"b":2}`), json.RawMessage(`{ "b": 2, "a": 1 }`)
	if sorted.Hash(id) != other.Hash(id) {
		t.Error("the order of members changes the hash")
	}
	plain.MaxTokens = 7
	if seen[plain.Hash(id)] != "nothing" {
		t.Error("the limit changes the hash")
	}
}

// A ledger from before there were settings answers requests without any.
func TestLedgerWithoutSettingsIsUsed(t *testing.T) {
	store := &judgebackend.MemoryStore{}
	b := always(said("yes"), nil)
	for _, tc := range []struct {
		why   string
		set   judgebackend.Settings
		calls int64
	}{
		{"the first", judgebackend.Settings{}, 1}, {"a limit only", judgebackend.Settings{MaxTokens: 9000}, 1},
		{"a seed", judgebackend.Settings{Sampling: judgebackend.Sampling{Seed: pointer(int64(7))}}, 2}, {"the same seed", judgebackend.Settings{Sampling: judgebackend.Sampling{Seed: pointer(int64(7))}}, 2},
	} {
		if _, err := stack(t, b, judgebackend.StackOptions{Store: store, Settings: tc.set}).Complete(t.Context(), ask("a")); err != nil || b.calls.Load() != tc.calls {
			t.Errorf("%s: %v after %d calls, want %d", tc.why, err, b.calls.Load(), tc.calls)
		}
	}
}

// The limit of a model replaces the usual one, and raises that of a request.
func TestMaxTokensOfModel(t *testing.T) {
	for _, tc := range []struct{ set, request, want int }{{0, 0, 4096}, {1000, 0, 1000}, {9000, 500, 9000}, {500, 9000, 9000}} {
		var limit int
		b := judgebackend.Func(func(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
			limit = r.ReplyTokens()
			return said("yes"), nil
		})
		r := ask("a")
		r.MaxTokens = tc.request
		if _, err := stack(t, b, judgebackend.StackOptions{Settings: judgebackend.Settings{MaxTokens: tc.set}}).Complete(t.Context(), r); err != nil || limit != tc.want {
			t.Errorf("%+v: %d, %v", tc, limit, err)
		}
	}
}

func TestAnthropicSettings(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) { return 200, message })
	b := open(t, "anthropic:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}, Headers: map[string]string{"anthropic-beta": "x-2025"}})
	r := backendtest.Question()
	r.TopP, r.Body = pointer(0.5), json.RawMessage(`{"thinking":{"type":"enabled","budget_tokens":2048}}`)
	if _, err := b.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"type": "enabled", "budget_tokens": 2048.0}, s.bodies[0]["thinking"]); diff != "" || s.bodies[0]["top_p"] != 0.5 {
		t.Errorf("%v", s.bodies[0])
	}
	if got := s.reqs[0].Header.Get("Anthropic-Beta"); got != "x-2025" {
		t.Errorf("header %q", got)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	sampling := func(change func(*judgebackend.Sampling)) judgebackend.Settings {
		var s judgebackend.Settings
		change(&s.Sampling)
		return s
	}
	for _, tc := range []struct {
		spec  string
		set   judgebackend.Settings
		wrong string
	}{
		{"openai:m", everySetting(), ""},
		{"anthropic:m", sampling(func(s *judgebackend.Sampling) { s.TopP = pointer(1.0) }), ""},
		{"anthropic:m", sampling(func(s *judgebackend.Sampling) { s.ReasoningEffort = "low" }), "reasoning_effort: unsupported by anthropic; body sets other members"},
		{"cortex:m", sampling(func(s *judgebackend.Sampling) { s.Seed = pointer(int64(1)) }), "seed: unsupported by cortex"},
		{"cortex:m", judgebackend.Settings{MaxTokens: 100}, ""},
		{"openai:m", judgebackend.Settings{MaxTokens: -1}, "max_tokens: expected a positive number"},
		{"openai:m", sampling(func(s *judgebackend.Sampling) { s.TopP = pointer(0.0) }), "top_p: 0"},
		{"openai:m", sampling(func(s *judgebackend.Sampling) { s.Body = json.RawMessage(`[1]`) }), "body: expected an object"},
		{"openai:m", sampling(func(s *judgebackend.Sampling) { s.Body = json.RawMessage(`{"messages":[]}`) }), "body: badger sets messages itself"},
		{"openai:m", sampling(func(s *judgebackend.Sampling) { s.Body = json.RawMessage(`{"messages.0":1}`) }), "expected names of letters"},
	} {
		err := providers.CheckSettings(tc.spec, tc.set)
		if tc.wrong == "" && err != nil || tc.wrong != "" && (errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.wrong)) {
			t.Errorf("%s %v: %v, want %q", tc.spec, tc.set, err, tc.wrong)
		}
	}
}

// Values of headers come from the configuration, the environment or a file, which is read at every call. They are
// masked in what the endpoint says.
func TestHeaders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "value")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first-value\n")
	e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		return backendtest.Answer{Raw: &backendtest.Raw{Status: 400, Body: `{"error":{"message":"bad ` + c.Header.Get("X-File") + ` and ` + c.Header.Get("X-Env-Token") + `"}}`}}
	})
	o := judgebackend.OpenOptions{BaseURL: e.URL(), AllowHosts: []string{e.Host()}, Getenv: env, ShowWords: true,
		Headers: map[string]string{"X-Plain": "plain", "x-env-token": "env:THE_KEY", "X-File": "file:" + file}}
	b := open(t, "openai:m", &o)
	for _, want := range []string{"first-value", "second-value"} {
		write(want)
		_, err := b.Complete(t.Context(), backendtest.Question())
		if !strings.HasSuffix(err.Error(), "the endpoint says: bad [secret] and [secret]") {
			t.Errorf("%v", err)
		}
		calls := e.Calls()
		h := calls[len(calls)-1].Header
		if h.Get("X-Plain") != "plain" || h.Get("X-Env-Token") != backendtest.Secret || h.Get("X-File") != want {
			t.Errorf("headers %v", h)
		}
	}
	for _, tc := range []struct{ name, value, wrong string }{
		{"Authorization", "env:THE_KEY", "is set by badger"}, {"x-api-key", "env:THE_KEY", "is set by badger"}, {"Content-Type", "text/plain", "is set by badger"},
		{"Host", "elsewhere.example", "is set by badger"}, {"X-My-Token", "abc", "expected env:NAME or file:PATH"}, {"no name", "x", "is not the name of a header"},
		{"X-A", "env:MISSING", "environment variable MISSING holds no key"}, {"X-A", "env:not a name", "the name of a variable"}, {"X-A", "file:" + file + ".none", "cannot be read"}, {"X-A", "two\nlines", "holds characters"},
	} {
		o.Headers = map[string]string{tc.name: tc.value}
		if _, err := providers.Open(t.Context(), "openai:m", &o); err == nil || !strings.Contains(err.Error(), tc.wrong) || strings.Contains(err.Error(), "abc") {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.wrong)
		}
	}
}
