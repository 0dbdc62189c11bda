package judgebackend

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// feature is something a request may use and an endpoint may not offer.
type feature string

const (
	useJSONSchema          feature = "json_schema"
	useJSONObject          feature = "json_object"
	useForcedTool          feature = "tool_choice"
	useTemperature         feature = "temperature"
	useLogProbs            feature = "logprobs"
	useMaxCompletionTokens feature = "max_completion_tokens"
	useMaxTokens           feature = "max_tokens"
)

// spokenOf are the words by which an endpoint that refuses a feature names it.
var spokenOf = map[feature][]string{
	useJSONSchema:          {"json_schema", "response_format", "responseformat", "structured output", "guided", "grammar", "schema"},
	useJSONObject:          {"json_object", "response_format", "json mode"},
	useForcedTool:          {"tool_choice", "tools", "tool use", "function calling"},
	useTemperature:         {"temperature"},
	useLogProbs:            {"logprobs", "log probabilities"},
	useMaxCompletionTokens: {"max_completion_tokens"},
	useMaxTokens:           {"max_tokens"},
}

// dialect remembers what one endpoint and model turned out not to offer, so that a refused request
// is made once per process and not once per call.
type dialect struct {
	mu       sync.Mutex
	refused  map[feature]bool
	bound    feature // how the reply's length is bounded: one of two names, the other may be tried once
	switched bool
	log      *slog.Logger
	id       Identity
}

func newDialect(id Identity, log *slog.Logger) *dialect {
	return &dialect{refused: map[feature]bool{}, bound: useMaxCompletionTokens, log: log, id: id}
}

func (d *dialect) boundedBy() feature {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bound
}

func (d *dialect) offers(f feature) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.refused[f]
}

// learn tells whether err is the refusal of one of the features used and the same request without
// it is worth sending.
func (d *dialect) learn(err error, used []feature) bool {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity && e.Status != http.StatusNotImplemented {
		return false
	}
	text := e.said.code + " " + e.said.message
	if strings.Contains(text, "too large") || strings.Contains(text, "at most") || strings.Contains(text, "exceed") {
		return false // the value is refused, not the feature
	}
	if _, param, ok := strings.Cut(e.said.code, "param="); ok {
		text = param
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range used {
		named := slices.ContainsFunc(spokenOf[f], func(w string) bool { return strings.Contains(text, w) })
		if named && d.doWithout(f) {
			return true
		}
	}
	return false
}

// doWithout tells whether there is a way without f: always, except that the length must be bounded
// somehow. Another call may have found f refused in the meantime.
func (d *dialect) doWithout(f feature) bool {
	switch {
	case f == useMaxTokens || f == useMaxCompletionTokens:
		if f != d.bound {
			return true
		}
		if d.switched {
			return false
		}
		d.switched = true
		d.bound = map[feature]feature{useMaxTokens: useMaxCompletionTokens, useMaxCompletionTokens: useMaxTokens}[f]
	case d.refused[f]:
		return true
	default:
		d.refused[f] = true
	}
	d.log.Warn("judge endpoint does not offer a feature and is asked without it",
		"backend", d.id.Backend, "model", d.id.Model, "host", d.id.Host, "feature", string(f))
	return true
}

// tellSchema puts the schema into words, for endpoints that take it in no other way.
func tellSchema(messages []Message, schema json.RawMessage) []Message {
	return appendToLast(messages, "Answer with one JSON object and nothing else: no text around it, no code fence. "+
		"The object must satisfy this JSON Schema:\n"+string(schema))
}

// appendToLast adds a paragraph to the last message of a copy.
func appendToLast(messages []Message, text string) []Message {
	out := slices.Clone(messages)
	last := &out[len(out)-1]
	last.Content = strings.TrimRight(last.Content, "\n") + "\n\n" + text
	return out
}

// schemaName is a purpose in the alphabet that vendors allow for the name of a schema or tool.
func schemaName(purpose string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '/' {
			return '_'
		}
		return r
	}, purpose)
}

// isStrict tells whether schema is within what OpenAI takes as strict: every object closed, every
// property required.
func isStrict(schema json.RawMessage) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && strictNode(v)
}

func strictNode(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !strictNode(e) })
	case map[string]any:
		if props, ok := v["properties"].(map[string]any); ok {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) != len(props) {
				return false
			}
		} else if v["type"] == "object" {
			return false
		}
		for key, e := range v {
			if key != "enum" && key != "const" && key != "default" && key != "examples" && !strictNode(e) {
				return false
			}
		}
	}
	return true
}

// decodeUnusual reads a 2xx answer without a completion in it: some gateways report errors that
// way.
func decodeUnusual(raw string, clock Clock) error {
	var b struct {
		Error json.RawMessage `json:"error"`
		Code  json.RawMessage `json:"code"`
	}
	if json.Unmarshal([]byte(raw), &b) == nil && (len(b.Error) > 0 || len(b.Code) > 0) {
		e := classifyHTTP(http.StatusOK, http.Header{}, []byte(raw), clock.Now())
		if e.Kind == KindInvalid {
			e.Kind = KindServer
		}
		return e
	}
	return &Error{Kind: KindMalformed}
}
