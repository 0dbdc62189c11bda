package judgebackend_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/anthropic"
	"github.com/badger-eval/badger/judgebackend/backendtest"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
)

var providers = judgebackend.Providers{openai.Provider, anthropic.Provider, inwarehouse.Cortex, inwarehouse.BigQueryAI, inwarehouse.AIQuery}

func TestNames(t *testing.T) {
	want := "aiquery anthropic bigqueryai cortex none openai replay"
	if got := strings.Join(providers.Names(), " "); got != want {
		t.Errorf("backends %q, want %q", got, want)
	}
}

// env is an environment with one key in it.
func env(name string) string {
	if name == "THE_KEY" {
		return backendtest.Secret
	}
	return ""
}

func open(t *testing.T, spec string, o *judgebackend.OpenOptions) judgebackend.Backend {
	t.Helper()
	b, err := providers.Open(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// openHTTP opens an HTTP backend on an endpoint.
func openHTTP(t *testing.T, spec string, e *backendtest.Endpoint) judgebackend.Backend {
	t.Helper()
	return open(t, spec, &judgebackend.OpenOptions{
		BaseURL: e.URL(), AllowHosts: []string{e.Host()}, KeyEnv: "THE_KEY", Getenv: env,
	})
}

func httpHarness(spec string, change func(*judgebackend.OpenOptions)) backendtest.Harness {
	return backendtest.Harness{Open: func(t *testing.T, behave func(string) backendtest.Answer) judgebackend.Backend {
		e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
			if h := c.Header; !strings.Contains(h.Get("Authorization")+h.Get("X-Api-Key")+h.Get("Api-Key"), backendtest.Secret) {
				t.Error("the key did not arrive")
			}
			return behave(c.Prompt)
		})
		o := &judgebackend.OpenOptions{BaseURL: e.URL(), AllowHosts: []string{e.Host()}, KeyEnv: "THE_KEY", Getenv: env}
		change(o)
		return open(t, spec, o)
	}}
}

func TestOpenAIConforms(t *testing.T) {
	backendtest.Run(t, httpHarness("openai:model-1", func(o *judgebackend.OpenOptions) { o.BaseURL += "/v1" }))
}

// Errors with the endpoint's words show neither the key nor the prompt.
func TestOpenAIConformsWithWords(t *testing.T) {
	backendtest.Run(t, httpHarness("openai:model-1", func(o *judgebackend.OpenOptions) { o.ShowWords = true }))
}

func TestAzureConforms(t *testing.T) {
	backendtest.Run(t, httpHarness("openai:model-1", func(o *judgebackend.OpenOptions) { o.AzureAPIVersion = "2024-10-21" }))
}

func TestAnthropicConforms(t *testing.T) {
	backendtest.Run(t, httpHarness("anthropic:model-1", func(*judgebackend.OpenOptions) {}))
}

// queryer is a warehouse in which one statement runs: it reads the prompt from the arguments and
// wraps the answer as the warehouse's function would.
type queryer struct {
	behave func(prompt string) backendtest.Answer
	wrap   func(backendtest.Answer) (string, error)
}

func (q queryer) QueryText(ctx context.Context, query string, args ...any) (string, error) {
	if n := strings.Count(query, "?"); n != len(args) {
		return "", fmt.Errorf("%d markers, %d arguments", n, len(args))
	}
	if strings.Contains(query, backendtest.Canary) {
		return "", errors.New("the prompt is in the statement: " + query)
	}
	var prompt strings.Builder
	for _, a := range args {
		fmt.Fprintln(&prompt, a)
	}
	a := q.behave(prompt.String())
	switch a.Fault {
	case backendtest.Hang:
		<-ctx.Done()
		return "", fmt.Errorf("query %s: %w", query, ctx.Err())
	case backendtest.Unauthorized:
		return "", errcode.New(errcode.Unauthenticated, "session gone while asking %s", prompt.String())
	case backendtest.MalformedJSON:
		return "<html>" + prompt.String(), nil
	}
	return q.wrap(a)
}

func warehouseHarness(spec string, wrap func(backendtest.Answer) (string, error), cannot map[backendtest.Fault]string) backendtest.Harness {
	const noHTTP = "there is no HTTP response to have it"
	all := map[backendtest.Fault]string{
		backendtest.RateLimitedRetryAfter: noHTTP, backendtest.Overloaded: noHTTP, backendtest.SlowTrickle: noHTTP,
		backendtest.Cut: noHTTP, backendtest.Oversized: "the connection bounds what it reads",
	}
	for f, why := range cannot {
		all[f] = why
	}
	return backendtest.Harness{
		Open: func(t *testing.T, behave func(string) backendtest.Answer) judgebackend.Backend {
			return open(t, spec, &judgebackend.OpenOptions{Queryer: queryer{behave, wrap}, Connection: "p.us.c"})
		},
		Cannot: all,
	}
}

// sayings are how the warehouses' functions report failures.
var sayings = map[backendtest.Fault]string{
	backendtest.RateLimited: "Request was throttled by the remote service. " + backendtest.Canary,
	backendtest.ServerError: "Something went wrong with " + backendtest.Canary,
	backendtest.Billing:     "Budget exceeded for the account. " + backendtest.Canary,
	backendtest.NoModel:     "Unknown model " + backendtest.Canary,
}

func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func TestCortexConforms(t *testing.T) {
	backendtest.Run(t, warehouseHarness("cortex:model-1", func(a backendtest.Answer) (string, error) {
		if s, ok := sayings[a.Fault]; ok {
			return toJSON(map[string]any{"value": nil, "error": s})
		}
		choice := map[string]any{"messages": a.Reply}
		if a.Fault == backendtest.Length {
			choice["finish_reason"] = "length"
		}
		return toJSON(map[string]any{"error": nil, "value": map[string]any{
			"choices": []any{choice}, "created": 1, "model": "model-1",
			"usage": map[string]any{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
		}})
	}, map[backendtest.Fault]string{backendtest.Refusal: "Cortex has no mark for it; guardrails answer with a text"}))
}

func TestBigQueryAIConforms(t *testing.T) {
	backendtest.Run(t, warehouseHarness("bigqueryai:model-1", func(a backendtest.Answer) (string, error) {
		if s, ok := sayings[a.Fault]; ok {
			return toJSON(map[string]any{"result": nil, "full_response": nil, "status": s})
		}
		finish := map[backendtest.Fault]string{backendtest.Length: "MAX_TOKENS", backendtest.Refusal: "SAFETY"}[a.Fault]
		if finish == "" {
			finish = "STOP"
		}
		return toJSON(map[string]any{"result": a.Reply, "status": "", "full_response": map[string]any{
			"candidates":     []any{map[string]any{"content": map[string]any{"parts": []any{map[string]any{"text": a.Reply}}}, "finish_reason": finish}},
			"usage_metadata": map[string]any{"prompt_token_count": 11, "candidates_token_count": 4, "thoughts_token_count": 3},
			"model_version":  "model-1-001",
		}})
	}, nil))
}

func TestAIQueryConforms(t *testing.T) {
	const silent = "ai_query reports neither usage nor how a reply ended"
	h := warehouseHarness("aiquery:model-1", func(a backendtest.Answer) (string, error) {
		if s, ok := sayings[a.Fault]; ok {
			return toJSON(map[string]any{"response": nil, "errorMessage": s})
		}
		return toJSON(map[string]any{"response": a.Reply, "errorMessage": nil})
	}, map[backendtest.Fault]string{backendtest.Length: silent, backendtest.Refusal: silent})
	h.NoUsage = true
	backendtest.Run(t, h)
}

func TestNoneConforms(t *testing.T) {
	backendtest.Run(t, backendtest.Harness{
		Open: func(t *testing.T, _ func(string) backendtest.Answer) judgebackend.Backend {
			return open(t, "none", nil)
		},
		AlwaysCode: errcode.FailedPrecondition,
	})
}

func TestReplayConforms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recorded.jsonl")
	s, err := judgebackend.OpenFileStore(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := judgebackend.Assessment{
		Kind: "conformance", Backend: "openai", Model: "model-1", Reply: "said first", TokensIn: 11, TokensOut: 7,
		RequestHash: backendtest.Question().Hash(judgebackend.Identity{Backend: "openai", Model: "model-1"}),
	}
	a.ID = a.ContentHash()
	if err := s.Put(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, backendtest.Harness{
		Open: func(t *testing.T, _ func(string) backendtest.Answer) judgebackend.Backend {
			return open(t, "replay:"+path, nil)
		},
		Fixed: "said first",
	})
}
