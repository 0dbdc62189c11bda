package judgebackend_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

const message = `{"id":"msg_1","type":"message","role":"assistant","model":"m-exact","content":[{"type":"text","text":"{\"verdict\":\"pass\"}"}],
	"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":3}}`

func TestAnthropicRequest(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) {
		return 200, strings.Replace(message, `"content":[`, `"content":[{"type":"text","text":"Here it is."},{"type":"tool_use","id":"t","name":"conformance","input":{"verdict":"fail"}},`, 1)
	})
	b := open(t, "anthropic:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	r := withSchema()
	r.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}},"required":["n"],"additionalProperties":false}`)
	r.Messages = append(r.Messages, judgebackend.Message{Role: judgebackend.Assistant, Content: "hm"}, judgebackend.Message{Role: judgebackend.User, Content: "again"})
	resp, err := b.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) []any { return []any{map[string]any{"type": "text", "text": s}} }
	want := map[string]any{
		"model": "m", "max_tokens": 100.0, "temperature": 0.1, "system": text("You are tested."),
		"messages": []any{
			map[string]any{"role": "user", "content": text(r.Messages[1].Content)},
			map[string]any{"role": "assistant", "content": text("hm")},
			map[string]any{"role": "user", "content": text("again")},
		},
		"tools": []any{map[string]any{"name": "conformance", "description": "Takes the answer.", "input_schema": map[string]any{
			"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "maximum": 9007199254740992.0}},
			"required": []any{"n"}, "additionalProperties": false,
		}}},
		"tool_choice": map[string]any{"type": "tool", "name": "conformance", "disable_parallel_tool_use": true},
	}
	if diff := cmp.Diff(want, s.bodies[0]); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if resp.Reply != `{"verdict":"fail"}` {
		t.Errorf("reply %q, want the tool's input and no text around it", resp.Reply)
	}
	if resp.TokensIn != 11 || resp.TokensOut != 3 || resp.Model != "m-exact" {
		t.Errorf("tokens %d and %d, model %q; want 11 (tokens read from and written to the cache are input as well), 3, m-exact", resp.TokensIn, resp.TokensOut, resp.Model)
	}
	if got := s.reqs[0].URL.Path; got != "/v1/messages" {
		t.Errorf("path %q", got)
	}
}

func TestAnthropicFallsBackAndRemembers(t *testing.T) {
	s := newServer(t, func(body map[string]any) (int, string) {
		switch {
		case body["temperature"] != nil:
			return 400, `{"type":"error","error":{"type":"invalid_request_error","message":"temperature is not supported for this model"}}`
		case body["tool_choice"] != nil:
			return 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tool_choice: forcing tools is not supported"}}`
		}
		return 200, message
	})
	b := open(t, "anthropic:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	for range 2 {
		var got verdict
		if _, err := judgebackend.CompleteJSON(t.Context(), b, withSchema(), &got); err != nil || got.Verdict != "pass" {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if s.calls() != 4 {
		t.Errorf("%d calls, want 2 refusals, once, and 2 answers", s.calls())
	}
}

func TestAnthropicTemperature(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) { return 200, message })
	b := open(t, "anthropic:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	r := backendtest.Question()
	r.Temperature = 1.5
	if _, err := b.Complete(t.Context(), r); errcode.Of(err) != errcode.InvalidArgument || s.calls() != 0 {
		t.Errorf("%v after %d calls, want invalid_argument before anybody is asked", err, s.calls())
	}
}

// The SDK refuses long replies without streaming; a judge may ask for them, its own time limit
// decides.
func TestAnthropicLongReplies(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) { return 200, message })
	b := open(t, "anthropic:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	r := backendtest.Question()
	r.MaxTokens = 60_000
	if _, err := b.Complete(t.Context(), r); err != nil {
		t.Error(err)
	}
}
