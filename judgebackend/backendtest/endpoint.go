package backendtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Call is one request as [Endpoint] received it.
type Call struct {
	N       int    // number of earlier calls
	Path    string // with the query
	Header  http.Header
	Body    []byte
	Content string // system prompt and messages with their roles: equal for equal questions
	Prompt  string // the last message
	Schema  bool   // the request has a schema, as response format or as a tool
	Limit   int    // the limit of the reply in tokens
}

// Endpoint is a fake of OpenAI's chat completions (including Azure's paths) and Anthropic's Messages API on the
// loopback interface, with fault injection. Its error messages repeat the key and the prompt, as real ones sometimes
// do.
type Endpoint struct {
	server *httptest.Server
	answer func(Call) Answer
	closed chan struct{}

	mu     sync.Mutex
	calls  []Call
	billed map[string]int
}

// NewEndpoint starts an endpoint that is closed when the test ends. answer may be called concurrently.
func NewEndpoint(tb testing.TB, answer func(Call) Answer) *Endpoint {
	tb.Helper()
	e := &Endpoint{answer: answer, closed: make(chan struct{}), billed: map[string]int{}}
	e.server = httptest.NewServer(http.HandlerFunc(e.serve))
	tb.Cleanup(func() {
		close(e.closed) // hanging handlers first, since Close waits for them
		e.server.CloseClientConnections()
		e.server.Close()
	})
	return e
}

// URL returns the base URL for both APIs.
func (e *Endpoint) URL() string { return e.server.URL }

// Host returns the endpoint's host:port, for allow lists.
func (e *Endpoint) Host() string { return strings.TrimPrefix(e.server.URL, "http://") }

// Calls returns the calls so far, in order of arrival.
func (e *Endpoint) Calls() []Call {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Call(nil), e.calls...)
}

// Billed returns the number of complete replies by the Limit and the Content of their calls.
func (e *Endpoint) Billed() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make(map[string]int, len(e.billed))
	for k, v := range e.billed {
		out[k] = v
	}
	return out
}

func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	isAnthropic := strings.HasSuffix(r.URL.Path, "/messages")
	if !isAnthropic && !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	call := readCall(body)
	call.Path, call.Header = r.URL.RequestURI(), r.Header
	e.mu.Lock()
	call.N = len(e.calls)
	e.calls = append(e.calls, call)
	e.mu.Unlock()

	a := e.answer(call)
	if raw := a.Raw; raw != nil {
		if raw.Type != "" {
			w.Header().Set("Content-Type", raw.Type)
		}
		w.WriteHeader(max(raw.Status, http.StatusOK))
		_, _ = io.WriteString(w, raw.Body)
		return
	}
	if status, ok := statuses[a.Fault]; ok {
		if a.Fault == RateLimitedRetryAfter {
			w.Header().Set("Retry-After", "7")
		}
		writeError(w, status, a.Fault, isAnthropic, call)
		return
	}
	reply := openAIReply(a)
	if isAnthropic {
		reply = anthropicReply(a, call)
	}
	w.Header().Set("Content-Type", "application/json")
	switch a.Fault {
	case Hang:
		e.wait(r, time.Hour)
	case SlowTrickle:
		for _, b := range reply[:len(reply)-1] {
			_, _ = w.Write([]byte{b})
			_ = http.NewResponseController(w).Flush()
			if !e.wait(r, 50*time.Millisecond) {
				return
			}
		}
		e.wait(r, time.Hour)
	case Cut:
		w.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		_, _ = w.Write(reply[:len(reply)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case MalformedJSON:
		_, _ = w.Write(append([]byte("<html>bad gateway</html>"), reply...))
	case Oversized:
		_, _ = w.Write(
			bytes.Replace(reply, []byte(`"model"`), append([]byte(`"padding":"`+strings.Repeat("x", 10<<20)+`",`), `"model"`...),
				1))
	default:
		e.mu.Lock()
		e.billed[strconv.Itoa(call.Limit)+" "+call.Content]++
		e.mu.Unlock()
		_, _ = w.Write(reply)
	}
}

// wait waits for d. It reports false if the client disconnects or the endpoint closes before.
func (e *Endpoint) wait(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-e.closed:
	}
	return false
}

func readCall(body []byte) Call {
	var b struct {
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		ResponseFormat struct {
			Type string `json:"type"`
		} `json:"response_format"`
		Tools               []json.RawMessage `json:"tools"`
		MaxTokens           int               `json:"max_tokens"`
		MaxCompletionTokens int               `json:"max_completion_tokens"`
	}
	_ = json.Unmarshal(body, &b)
	c := Call{Body: body, Limit: max(b.MaxTokens, b.MaxCompletionTokens),
		Schema: b.ResponseFormat.Type == "json_schema" || len(b.Tools) > 0}
	var all strings.Builder
	if len(b.System) > 0 {
		fmt.Fprintf(&all, "system: %s\n", textOf(b.System))
	}
	for _, m := range b.Messages {
		c.Prompt = textOf(m.Content)
		fmt.Fprintf(&all, "%s: %s\n", m.Role, c.Prompt)
	}
	c.Content = all.String()
	return c
}

// textOf returns the text of content, which is a string or a list of blocks.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &blocks)
	for _, b := range blocks {
		text += b.Text
	}
	return text
}

var statuses = map[Fault]int{
	RateLimited: 429, RateLimitedRetryAfter: 429, ServerError: 500, Overloaded: 529,
	Unauthorized: 401, Billing: 429, NoModel: 404,
}

func writeError(w http.ResponseWriter, status int, f Fault, isAnthropic bool, c Call) {
	text := "injected failure; your key is " + c.Header.Get("Authorization") + c.Header.Get("X-Api-Key") +
		c.Header.Get("Api-Key") +
		" and you wrote " + c.Content
	kind, code := "server_error", ""
	switch f {
	case RateLimited, RateLimitedRetryAfter:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case Unauthorized:
		kind, code = "authentication_error", "invalid_api_key"
	case NoModel:
		kind, code = "not_found_error", "model_not_found"
	case Overloaded:
		kind = "overloaded_error"
	case Billing:
		kind, code = "insufficient_quota", "insufficient_quota"
		if isAnthropic {
			status, kind = http.StatusBadRequest, "invalid_request_error"
			text = "Your credit balance is too low to access the API. " + text
		}
	}
	var body any = map[string]any{"error": map[string]any{"message": text, "type": kind, "code": code, "param": nil}}
	if isAnthropic {
		body = map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func openAIReply(a Answer) []byte {
	in, out := a.tokens()
	finish, refusal := "stop", any(nil)
	message := map[string]any{"role": "assistant", "content": a.text()}
	switch a.Fault {
	case Length:
		finish = "length"
	case Refusal:
		message["content"], refusal = nil, a.text()
	}
	message["refusal"] = refusal
	return mustJSON(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "model-1-exact",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	})
}

func anthropicReply(a Answer, c Call) []byte {
	in, out := a.tokens()
	stop := "end_turn"
	content := []any{map[string]any{"type": "text", "text": a.text()}}
	if a.Fault == Empty {
		content = []any{}
	}
	if c.Schema && json.Valid([]byte(a.text())) {
		stop = "tool_use"
		content = []any{
			map[string]any{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": json.RawMessage(a.text())}}
	}
	switch a.Fault {
	case Length:
		stop = "max_tokens"
	case Refusal:
		stop = "refusal"
	}
	return mustJSON(map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "model-1-exact", "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": in, "output_tokens": out},
	})
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
