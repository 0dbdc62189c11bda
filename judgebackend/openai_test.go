package judgebackend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// server answers each call with what handle gives for the decoded body, and keeps the bodies.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	reqs   []*http.Request
}

func newServer(t *testing.T, handle func(body map[string]any) (status int, reply string)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(b, &body); err != nil {
			t.Errorf("the body is not JSON: %v", err)
		}
		s.mu.Lock()
		s.bodies, s.reqs = append(s.bodies, body), append(s.reqs, r)
		s.mu.Unlock()
		status, reply := handle(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) host() string { return strings.TrimPrefix(s.URL, "http://") }

func (s *server) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

const completion = `{"id":"1","object":"chat.completion","created":1,"model":"m-exact","choices":[{"index":0,"finish_reason":"stop",
	"message":{"role":"assistant","content":"{\"verdict\":\"pass\"}"}}],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}`

func withSchema() judgebackend.Request {
	r := backendtest.Question()
	r.Schema = verdictSchema
	return r
}

func TestOpenAIRequest(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) { return 200, completion })
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL + "/v1/", AllowHosts: []string{s.host()}})
	r := withSchema()
	r.Schema = json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string"}},"required":["verdict"],"additionalProperties":false}`)
	r.Purpose, r.TopLogProbs = "flex/step.1", 5
	if _, err := b.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"model": "m",
		"messages": []any{
			map[string]any{"role": "system", "content": "You are tested."},
			map[string]any{"role": "user", "content": r.Messages[1].Content},
		},
		"temperature": 0.1, "max_tokens": 100.0, "logprobs": true, "top_logprobs": 5.0,
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": "flex_step_1", "strict": true, "schema": map[string]any{
				"type": "object", "properties": map[string]any{"verdict": map[string]any{"type": "string"}},
				"required": []any{"verdict"}, "additionalProperties": false,
			},
		}},
	}
	if diff := cmp.Diff(want, s.bodies[0]); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if got := s.reqs[0].URL.Path; got != "/v1/chat/completions" {
		t.Errorf("path %q", got)
	}
	if got := s.reqs[0].Header.Get("Authorization"); got != "" {
		t.Errorf("no key is configured, yet Authorization is %q", got)
	}
}

func TestAzureForm(t *testing.T) {
	s := newServer(t, func(map[string]any) (int, string) { return 200, completion })
	b := open(t, "openai:my deployment", &judgebackend.OpenOptions{
		BaseURL: s.URL, AllowHosts: []string{s.host()}, AzureAPIVersion: "2024-10-21", KeyEnv: "THE_KEY", Getenv: env,
	})
	if _, err := b.Complete(t.Context(), backendtest.Question()); err != nil {
		t.Fatal(err)
	}
	if got, want := s.reqs[0].RequestURI, "/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21"; got != want {
		t.Errorf("address %q, want %q", got, want)
	}
	if h := s.reqs[0].Header; h.Get("Api-Key") != backendtest.Secret || h.Get("Authorization") != "" {
		t.Errorf("want the key in api-key and nowhere else")
	}
	if s.bodies[0]["max_completion_tokens"] != 100.0 {
		t.Errorf("Azure takes max_completion_tokens, got %v", s.bodies[0])
	}
}

// An endpoint that knows none of the newer features is asked without them, and each is tried once.
func TestOpenAIFallsBackAndRemembers(t *testing.T) {
	refuse := func(param, message string) (int, string) {
		b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": param}})
		return 400, string(b)
	}
	s := newServer(t, func(body map[string]any) (int, string) {
		format, _ := body["response_format"].(map[string]any)
		switch {
		case format["type"] == "json_schema":
			return refuse("", "response_format of type json_schema is not supported")
		case format["type"] == "json_object":
			return refuse("", "'json_object' mode is not supported by this model")
		case body["temperature"] != nil:
			return refuse("temperature", "Unsupported value: 'temperature' does not support 0.1 with this model.")
		case body["logprobs"] != nil:
			return refuse("", "You are not allowed to request logprobs")
		case body["max_tokens"] != nil:
			return refuse("max_tokens", "Unsupported parameter: use 'max_completion_tokens' instead.")
		}
		return 200, completion
	})
	var log bytes.Buffer
	b := open(t, "openai:m", &judgebackend.OpenOptions{
		BaseURL: s.URL, AllowHosts: []string{s.host()}, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	r := withSchema()
	r.TopLogProbs = 3
	for range 3 {
		var got verdict
		if _, err := judgebackend.CompleteJSON(t.Context(), b, r, &got); err != nil || got.Verdict != "pass" {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if got := s.calls(); got != 5+3 {
		t.Errorf("%d calls, want 5 refusals, once, and 3 answers", got)
	}
	last := s.bodies[len(s.bodies)-1]
	if last["max_completion_tokens"] != 100.0 || last["response_format"] != nil || last["temperature"] != nil {
		t.Errorf("the last request still has what was refused: %v", last)
	}
	messages, _ := last["messages"].([]any)
	user, _ := messages[len(messages)-1].(map[string]any)
	if text, _ := user["content"].(string); !strings.Contains(text, `"enum": ["pass", "fail"]`) {
		t.Error("the schema must be told in words where it cannot be sent")
	}
	if n := strings.Count(log.String(), "does not offer"); n != 5 || strings.Contains(log.String(), backendtest.Canary) {
		t.Errorf("%d lines in the log, want 5 without content:\n%s", n, log.String())
	}
}

// Some bound must be sent: an endpoint that refuses either form gets both, once each.
func TestOpenAIBoundIsNeverDropped(t *testing.T) {
	s := newServer(t, func(body map[string]any) (int, string) {
		param := "max_tokens"
		if body[param] == nil {
			param = "max_completion_tokens"
		}
		return 400, `{"error":{"param":"` + param + `","message":"unsupported"}}`
	})
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	if _, err := b.Complete(t.Context(), backendtest.Question()); errcode.Of(err) != errcode.InvalidArgument || s.calls() != 2 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
}

// A value that is refused is not a feature that is refused, and one refusal does not lead to
// endless trying.
func TestOpenAIDoesNotFallBackForNothing(t *testing.T) {
	for _, tc := range []struct{ why, message string }{
		{"too large a value", "max_tokens is too large: 100. This model supports fewer"},
		{"a prompt that speaks of features is no refusal of one", strings.Repeat("x", 300) + " response_format temperature"},
		{"something else", "messages: wrong"},
	} {
		s := newServer(t, func(map[string]any) (int, string) {
			b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": tc.message, "type": "invalid_request_error"}})
			return 400, string(b)
		})
		b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
		_, err := b.Complete(t.Context(), withSchema())
		if errcode.Of(err) != errcode.InvalidArgument || s.calls() != 1 {
			t.Errorf("%s: %v after %d calls", tc.why, err, s.calls())
		}
	}
}

// Whatever comes with a 200 ends in a reply or a coded error.
func TestOpenAIOddAnswers(t *testing.T) {
	for _, tc := range []struct {
		why, reply string
		want       judgebackend.Kind
	}{
		{"nothing", ``, judgebackend.KindMalformed},
		{"null", `null`, judgebackend.KindMalformed},
		{"a list", `[]`, judgebackend.KindMalformed},
		{"a text", `"hello"`, judgebackend.KindMalformed},
		{"an empty object", `{}`, judgebackend.KindMalformed},
		{"no choices", `{"choices":[]}`, judgebackend.KindMalformed},
		{"half of an object", `{"choices":[{"message"`, judgebackend.KindNetwork},
		{"a gateway's error under a 200", `{"error":{"message":"Rate limit exceeded","code":429}}`, judgebackend.KindRateLimited},
		{"an expired session under a 200 (Snowflake)", `{"code":"390112","message":"Session expired"}`, judgebackend.KindUnauthorized},
		{"usage below zero", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-5,"completion_tokens":1}}`, ""},
		{"usage as text", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"many","completion_tokens":1}}`, ""},
		{"usage without end", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e400,"completion_tokens":1}}`, ""},
		{"usage beyond what a call can take", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1000000000}}`, ""},
		{"no usage", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, ""},
	} {
		s := newServer(t, func(map[string]any) (int, string) { return 200, tc.reply })
		b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
		resp, err := b.Complete(t.Context(), backendtest.Question())
		if got := judgebackend.KindOf(err); got != tc.want {
			t.Errorf("%s: %v, want kind %q", tc.why, err, tc.want)
		}
		if err == nil && (resp.Reply != "hi" || resp.TokensIn != judgebackend.TokensUnknown || resp.Model != "m") {
			t.Errorf("%s: %q, %d tokens, model %q; want hi, unknown, m", tc.why, resp.Reply, resp.TokensIn, resp.Model)
		}
	}
}

// An answer without end is not read to its end.
func TestEndlessAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, err := io.WriteString(w, `{"choices":[`); err == nil && r.Context().Err() == nil; {
			_, err = io.WriteString(w, strings.Repeat(" ", 1<<16))
		}
	}))
	defer s.Close()
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}, MaxReplyBytes: 1 << 20})
	resp, err := b.Complete(t.Context(), backendtest.Question())
	if judgebackend.KindOf(err) != judgebackend.KindOversized || resp.Reply != "" || resp.TokensOut != judgebackend.TokensUnknown {
		t.Errorf("%v, %d bytes, %d tokens; want kind oversized, nothing kept, cost unknown", err, len(resp.Reply), resp.TokensOut)
	}
}

func TestOpenAILogProbs(t *testing.T) {
	reply := strings.Replace(completion, `"finish_reason":"stop",`, `"finish_reason":"stop","logprobs":{"content":[
		{"token":"4","logprob":-0.25,"bytes":null,"top_logprobs":[{"token":"4","logprob":-0.25,"bytes":null},{"token":"5","logprob":-1.5,"bytes":null}]},
		{"token":" \\xe2\\x82","logprob":-0.5,"bytes":[32,226,130],"top_logprobs":[{"token":"x","logprob":-1,"bytes":[120]}]},{"token":"\\xac","logprob":-0.25,"bytes":[172],"top_logprobs":[]}]},`, 1)
	s := newServer(t, func(map[string]any) (int, string) { return 200, reply })
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
	resp, err := b.Complete(t.Context(), backendtest.Question())
	if err != nil {
		t.Fatal(err)
	}
	want := []judgebackend.TokenLogProb{{Token: "4", LogProb: -0.25, Top: []judgebackend.TokenLogProb{{Token: "4", LogProb: -0.25}, {Token: "5", LogProb: -1.5}}}, {Token: " €", LogProb: -0.75}}
	if diff := cmp.Diff(want, resp.LogProbs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClassification(t *testing.T) {
	for _, tc := range []struct {
		why    string
		status int
		body   string
		want   judgebackend.Kind
	}{
		{"OpenAI, empty account", 429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota"}}`, judgebackend.KindBilling},
		{"OpenAI, too long", 400, `{"error":{"code":"context_length_exceeded","message":"maximum context length is 8192 tokens"}}`, judgebackend.KindTooLong},
		{"Azure, content filter", 400, `{"error":{"code":"content_filter","message":"The response was filtered"}}`, judgebackend.KindRefused},
		{"Anthropic, empty account", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API"}}`, judgebackend.KindBilling},
		{"Anthropic, permission", 403, `{"type":"error","error":{"type":"permission_error","message":"no access"}}`, judgebackend.KindUnauthorized},
		{"Anthropic, a word about budgets is not about money", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"thinking.budget_tokens: wrong"}}`, judgebackend.KindInvalid},
		{"Cortex, throttled with a 400", 400, `{"message":"Request was throttled by remote service"}`, judgebackend.KindRateLimited},
		{"payment required", 402, `{}`, judgebackend.KindBilling},
		{"a firewall that dislikes SQL says nothing of credentials", 403, `<html>Request blocked</html>`, judgebackend.KindDenied},
		{"a prompt about billing, repeated further on, is not about billing", 400, `{"error":{"message":"` + strings.Repeat("bad input: ", 30) + ` credit balance is too low"}}`, judgebackend.KindInvalid},
		{"vLLM's form", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens","type":"BadRequestError","code":400}`, judgebackend.KindTooLong},
		{"Ollama's form", 404, `{"error":"model 'x' not found"}`, judgebackend.KindNotFound},
		{"gateway timeout", 504, ``, judgebackend.KindTimeout},
		{"a redirect", 301, ``, judgebackend.KindInvalid},
	} {
		s := newServer(t, func(map[string]any) (int, string) { return tc.status, tc.body })
		b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
		if _, err := b.Complete(t.Context(), backendtest.Question()); judgebackend.KindOf(err) != tc.want {
			t.Errorf("%s: %v, want kind %q", tc.why, err, tc.want)
		}
	}
}

// Nothing but the options counts: variables that the SDKs would read point to another server here.
func TestEnvironmentIsNotRead(t *testing.T) {
	other := newServer(t, func(map[string]any) (int, string) { t.Error("the environment's server was asked"); return 500, "" })
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, other.URL)
	}
	t.Setenv("NO_PROXY", "")
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"} {
		t.Setenv(name, "secret-of-the-environment")
	}
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: secret-of-the-environment")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: secret-of-the-environment")
	for spec, reply := range map[string]string{"openai:m": completion, "anthropic:m": message} {
		s := newServer(t, func(map[string]any) (int, string) { return 200, reply })
		b := open(t, spec, &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}})
		if _, err := b.Complete(t.Context(), backendtest.Question()); err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		for name, values := range s.reqs[0].Header {
			if strings.Contains(strings.Join(values, " "), "secret-of-the-environment") {
				t.Errorf("%s: header %s comes from the environment", spec, name)
			}
		}
	}
}

// The fingerprint of the configuration that served a reply is recorded, of a whole reply and of a stream.
func TestOpenAI_RecordsTheFingerprint(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{
		"whole": `{"model":"m-exact","system_fingerprint":"fp_1","choices":[{"finish_reason":"stop","message":{"content":"{}"}}]}`,
		"stream": "data: {\"model\":\"m-exact\",\"system_fingerprint\":\"fp_1\",\"choices\":[{\"delta\":{\"content\":\"{}\"}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
	} {
		s := newServer(t, func(map[string]any) (int, string) { return http.StatusOK, reply })
		b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL + "/v1/", AllowHosts: []string{s.host()}})
		var kept judgebackend.Assessment
		stack, err := judgebackend.NewStack(b, &judgebackend.StackOptions{
			Record: func(_ context.Context, a judgebackend.Assessment) error { kept = a; return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := stack.Complete(t.Context(), judgebackend.Request{Purpose: "p",
			Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "q"}}})
		if err != nil || resp.Fingerprint != "fp_1" || kept.Fingerprint != "fp_1" || kept.ServedModel != "m-exact" {
			t.Errorf("%s: %v, fingerprint %q, recorded %q of model %q", name, err, resp.Fingerprint, kept.Fingerprint, kept.ServedModel)
		}
		detail, err := kept.Detail()
		if err != nil {
			t.Fatal(err)
		}
		var read judgebackend.Assessment
		if read.ReadDetail(detail); read.Fingerprint != "fp_1" {
			t.Errorf("%s: the row's detail is %s", name, detail)
		}
	}
}
