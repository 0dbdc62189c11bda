package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
)

// Reply is a completion in a response's body.
type Reply struct {
	judgebackend.Response
	LogProbs json.RawMessage // of the choice, as the endpoint wrote them; nil if there are none
}

// object is a JSON object whose members are read only if they have the expected type.
type object map[string]json.RawMessage

// Read parses the body of a 2xx response: a chat completion, a message of Anthropic's API, or what gateways and local
// servers make of them. The reply may be a string or a list of parts, the arguments of a tool call, a parsed object,
// or, if there is nothing else, in the field of the reasoning. The body may be a stream of events. Members that have
// an unexpected type are ignored. The usage is unknown if it is missing, or 0 although there is a reply. The key of
// the request is masked in the words of an error, and so are the values of headers.
func (g *Guard) Read(body []byte, key Key) (Reply, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff")))
	malformed := func() (Reply, error) {
		return Reply{}, &judgebackend.Error{Kind: judgebackend.KindMalformed,
			Said: judgebackend.NewSaid("", Mask(withoutMarkup(body[:min(len(body), 4096)]), g.secrets(key)...))}
	}
	var chunks []object
	if data, ok := events(body); ok {
		var err error
		if body, chunks, err = join(data); err != nil {
			return malformed()
		}
	}
	var o object
	err := json.NewDecoder(bytes.NewReader(body)).Decode(&o)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		body = withoutNaN(body)
		err = json.NewDecoder(bytes.NewReader(body)).Decode(&o)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Reply{}, err // the connection broke
	case err != nil:
		var list []object // some gateways wrap errors and replies in a list
		if json.Unmarshal(body, &list) != nil || len(list) != 1 {
			return malformed()
		}
		o = list[0]
		body, _ = json.Marshal(o)
	case o == nil:
		return malformed()
	}
	for _, c := range append(chunks, o) {
		if err := g.failure(c, key); err != nil {
			return Reply{}, err
		}
	}
	r, ok := o.reply()
	if !ok {
		if len(o["code"]) > 0 {
			return Reply{}, g.unusual(body, http.StatusOK, key)
		}
		return malformed()
	}
	r.Reply, r.Model = maskKey(r.Reply, key.Value()), maskKey(r.Model, key.Value())
	return r, nil
}

// failure returns the error that a 2xx response reports, at the top or in its choice; nil if it reports none.
func (g *Guard) failure(o object, key Key) error {
	first := o.list("choices")
	for _, at := range append([]object{o}, first[:min(1, len(first))]...) {
		raw := at["error"]
		if s := string(raw); len(raw) == 0 || s == "null" || s == `""` || s == "false" || s == "{}" {
			continue
		}
		status := http.StatusOK
		if n, err := strconv.Atoi(at.child("error").loose("code")); err == nil && n >= 400 && n < 600 {
			status = n
		}
		return g.unusual([]byte(`{"error":`+string(raw)+`}`), status, key)
	}
	if len(first) > 0 && first[0].text("finish_reason") == "error" {
		return &judgebackend.Error{Kind: judgebackend.KindServer}
	}
	return nil
}

// unusual returns the error in a 2xx response. status is the one that it names, if any.
func (g *Guard) unusual(body []byte, status int, key Key) error {
	e := classifyHTTP(status, http.Header{}, body, g.clock.Now(), g.secrets(key))
	if e.Kind == judgebackend.KindInvalid && status == http.StatusOK {
		e.Kind = judgebackend.KindServer
	}
	return e
}

// reply returns the completion in o; ok is false if o has none of the known forms.
func (o object) reply() (r Reply, ok bool) {
	r.Model, r.Fingerprint = o.text("model"), fingerprint(o.text("system_fingerprint"))
	usage := o.child("usage")
	var m, choice object
	switch choices := o.list("choices"); {
	case len(choices) > 0:
		choice = choices[max(0, slices.IndexFunc(choices, func(c object) bool { return c.loose("index") == "0" }))]
		if m = choice.child("message"); m == nil {
			m = choice.child("delta")
		}
		if m == nil && len(choice["text"]) > 0 {
			m = object{"content": choice["text"]} // the older completions API
		}
		if m == nil {
			return r, false
		}
	case len(o["content"]) > 0 && (len(o["stop_reason"]) > 0 || len(o["role"]) > 0): // Anthropic's
		m, choice = o, o
	case o.text("stop_reason") != "": // Anthropic's, of a refusal
		m, choice = object{}, o
	case o.child("message") != nil: // Ollama's own
		m, choice = o.child("message"), o
		usage = object{"prompt_tokens": o["prompt_eval_count"], "completion_tokens": o["eval_count"]}
	case len(o.list("output")) > 0: // OpenAI's responses
		var parts []json.RawMessage
		for _, item := range o.list("output") {
			if item.text("type") == "message" {
				parts = append(parts, elements(item["content"])...)
			}
		}
		text, _ := json.Marshal(parts)
		m, choice = object{"content": text}, object{"finish_reason": o.child("incomplete_details")["reason"]}
	default:
		return r, false
	}
	refused := false
	r.Reply, refused = m.answer()
	r.FinishReason = finish(choice)
	if refused {
		r.FinishReason = judgebackend.FinishRefusal
	}
	if l := choice["logprobs"]; len(l) > 0 && string(l) != "null" {
		r.LogProbs = l
	}
	r.TokensIn, r.TokensOut = usage.tokens(r.Reply != "")
	return r, true
}

// fingerprintBytes is the maximum length of a fingerprint; the rest is cut off.
const fingerprintBytes = 128

// fingerprint returns the endpoint's name of its configuration as it can be stored.
func fingerprint(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), fingerprintBytes)], "")
}

// answer returns the reply in a message, and whether it is a refusal.
func (o object) answer() (text string, refused bool) {
	if refusal := o.text("refusal"); refusal != "" {
		return refusal, true
	}
	text, inputs, refusal := contentOf(o["content"])
	switch inputs = given(inputs); {
	case refusal != "":
		return refusal, true
	case len(inputs) > 0: // the answer, whatever text is next to it
		return strings.Join(inputs, "\n"), false
	}
	var calls []string
	for _, c := range o.list("tool_calls") {
		calls = append(calls, c.child("function").loose("arguments"))
	}
	if c := o.child("function_call"); c != nil {
		calls = append(calls, c.loose("arguments"))
	}
	switch calls = given(calls); {
	case len(calls) > 0 && !strings.Contains(text, "{"):
		return strings.Join(calls, "\n"), false
	case strings.TrimSpace(text) != "":
		return text, false
	}
	for _, name := range []string{"parsed", "reasoning_content", "reasoning", "thinking"} {
		if other := o.loose(name); strings.TrimSpace(other) != "" {
			return other, false
		}
	}
	return text, false
}

// given returns the inputs of tools that are not empty. Several that differ are two answers, for Decode to find.
func given(inputs []string) []string {
	return slices.DeleteFunc(inputs, func(c string) bool { return strings.TrimSpace(c) == "" })
}

// contentOf returns the text of a message's content, which is a string, a part, a list of parts, or the answer
// itself; the inputs of the tools in it; and a refusal. The texts of thinking are left out.
func contentOf(raw json.RawMessage) (text string, calls []string, refusal string) {
	if s, ok := asText(raw); ok {
		return s, nil, ""
	}
	parts := elements(raw)
	if len(raw) > 0 && raw[0] == '{' {
		var o object
		if json.Unmarshal(raw, &o) == nil && o.text("type") == "" && o.text("text") == "" {
			return string(raw), nil, ""
		}
		parts = []json.RawMessage{raw}
	}
	var b strings.Builder
	for _, p := range parts {
		if s, ok := asText(p); ok {
			b.WriteString(s)
			continue
		}
		var o object
		if json.Unmarshal(p, &o) != nil {
			continue
		}
		switch kind := o.text("type"); kind {
		case "tool_use", "tool_call", "function_call":
			input := o.loose("input")
			if input == "" {
				input = o.loose("arguments")
			}
			calls = append(calls, input)
		case "refusal":
			refusal += o.text("refusal")
		case "json", "output_json":
			b.WriteString(o.loose("json"))
		case "", "text", "output_text":
			s := o.text("text")
			if inner := o.child("text"); inner != nil {
				s = inner.text("value")
			}
			b.WriteString(s)
		}
	}
	return b.String(), calls, refusal
}

// finish returns the reason why a reply ended.
func finish(choice object) judgebackend.FinishReason {
	reason := ""
	for _, name := range []string{"finish_reason", "stop_reason", "finishReason", "done_reason"} {
		if reason = strings.ToLower(choice.text(name)); reason != "" {
			break
		}
	}
	switch reason {
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "token_limit":
		return judgebackend.FinishLength
	case "content_filter", "content_filtered", "content_policy_violation", "sensitive", "blocked", "refusal",
		"safety", "recitation", "prohibited_content", "blocklist", "spii", "guardrail_intervened":
		return judgebackend.FinishRefusal
	}
	return ""
}

// tokens returns the tokens of a usage in any of the names of the APIs, as numbers or strings. A usage of 0 is unknown
// if there is a reply.
func (o object) tokens(replied bool) (in, out judgebackend.TokenCount) {
	in, out = o.count("prompt_tokens", "input_tokens"), o.count("completion_tokens", "output_tokens")
	if len(o["prompt_tokens"]) == 0 { // Anthropic's input does not include what its cache holds
		for _, name := range []string{"cache_creation_input_tokens", "cache_read_input_tokens"} {
			in = in.Plus(max(0, o.count(name)))
		}
	}
	if in < 0 || out < 0 || replied && (in == 0 || out == 0) {
		return judgebackend.TokensUnknown, judgebackend.TokensUnknown
	}
	return in, out
}

// count returns the first member of the names that is present as a number of tokens.
func (o object) count(names ...string) judgebackend.TokenCount {
	for _, name := range names {
		if len(o[name]) == 0 {
			continue
		}
		n, err := strconv.ParseFloat(o.loose(name), 64)
		if err != nil || !(n >= 0 && n < 1<<62) {
			break
		}
		return judgebackend.TokenCount(n)
	}
	return judgebackend.TokensUnknown
}

// text returns the string member name, or "".
func (o object) text(name string) string {
	s, _ := asText(o[name])
	return s
}

// loose returns the member name as text: the content of a string, the JSON of anything else but null.
func (o object) loose(name string) string {
	if s, ok := asText(o[name]); ok {
		return s
	}
	if s := string(o[name]); s != "null" {
		return s
	}
	return ""
}

// child returns the member name if it is an object, or nil.
func (o object) child(name string) object {
	var c object
	_ = json.Unmarshal(o[name], &c) // nil if it is none
	return c
}

// list returns the objects in the member name.
func (o object) list(name string) (out []object) {
	for _, e := range elements(o[name]) {
		var c object
		if json.Unmarshal(e, &c) == nil && c != nil {
			out = append(out, c)
		}
	}
	return out
}

func elements(raw json.RawMessage) (out []json.RawMessage) {
	_ = json.Unmarshal(raw, &out) // nil unless it is a list
	return out
}

func asText(raw json.RawMessage) (string, bool) {
	var s *string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}
