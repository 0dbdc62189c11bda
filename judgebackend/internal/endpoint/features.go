package endpoint

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/judgebackend"
)

// Feature is something a request may use and an endpoint may not offer.
type Feature string

const (
	UseJSONSchema          Feature = "json_schema"
	UseJSONObject          Feature = "json_object"
	UseForcedTool          Feature = "tool_choice"
	UseTemperature         Feature = "temperature"
	UseLogProbs            Feature = "logprobs"
	UseMaxCompletionTokens Feature = "max_completion_tokens"
	UseMaxTokens           Feature = "max_tokens"
)

// spokenOf are the words by which an endpoint that refuses a feature names it.
var spokenOf = map[Feature][]string{
	UseJSONSchema: {"json_schema", "response_format", "responseformat", "structured output", "guided", "grammar",
		"schema"},
	UseJSONObject:          {"json_object", "response_format", "json mode"},
	UseForcedTool:          {"tool_choice", "tools", "tool use", "function calling"},
	UseTemperature:         {"temperature"},
	UseLogProbs:            {"logprobs", "log probabilities"},
	UseMaxCompletionTokens: {"max_completion_tokens"},
	UseMaxTokens:           {"max_tokens"},
}

// Features remembers what one endpoint and model turned out not to offer, so that a refused request
// is made once per process and not once per call.
type Features struct {
	mu       sync.Mutex
	refused  map[Feature]bool
	bound    Feature // how the reply's length is bounded: one of two names, the other may be tried once
	switched bool
	log      *slog.Logger
	id       judgebackend.Identity
}

// NewFeatures returns the features of an endpoint that has not been called yet.
func NewFeatures(id judgebackend.Identity, log *slog.Logger) *Features {
	return &Features{refused: map[Feature]bool{}, bound: UseMaxCompletionTokens, log: log, id: id}
}

// BoundedBy is the name by which the length of replies is bounded now.
func (d *Features) BoundedBy() Feature {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bound
}

// BoundBy sets the name by which the length of replies is bounded first.
func (d *Features) BoundBy(f Feature) { d.bound = f }

// Offers reports whether f was not refused yet.
func (d *Features) Offers(f Feature) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.refused[f]
}

// Learn reports whether err is the refusal of one of the features used and the same request without
// it is worth sending.
func (d *Features) Learn(err error, used []Feature) bool {
	var e *judgebackend.Error
	if !errors.As(err, &e) ||
		e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity &&
			e.Status != http.StatusNotImplemented {
		return false
	}
	text := e.Said.Code() + " " + e.Said.Message()
	if strings.Contains(text, "too large") || strings.Contains(text, "at most") || strings.Contains(text, "exceed") {
		return false // the value is refused, not the feature
	}
	if _, param, ok := strings.Cut(e.Said.Code(), "param="); ok {
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

// doWithout reports whether there is a way without f: always, except that the length must be bounded
// somehow. Another call may have found f refused in the meantime.
func (d *Features) doWithout(f Feature) bool {
	switch {
	case f == UseMaxTokens || f == UseMaxCompletionTokens:
		if f != d.bound {
			return true
		}
		if d.switched {
			return false
		}
		d.switched = true
		d.bound = map[Feature]Feature{UseMaxTokens: UseMaxCompletionTokens, UseMaxCompletionTokens: UseMaxTokens}[f]
	case d.refused[f]:
		return true
	default:
		d.refused[f] = true
	}
	d.log.Warn("judge endpoint does not offer a feature and is asked without it",
		"backend", d.id.Backend, "model", d.id.Model, "host", d.id.Host, "feature", string(f))
	return true
}

// DecodeUnusual reads a 2xx answer without a completion in it: some gateways report errors that
// way.
func DecodeUnusual(raw string, clock judgebackend.Clock) error {
	var b struct {
		Error json.RawMessage `json:"error"`
		Code  json.RawMessage `json:"code"`
	}
	if json.Unmarshal([]byte(raw), &b) == nil && (len(b.Error) > 0 || len(b.Code) > 0) {
		e := classifyHTTP(http.StatusOK, http.Header{}, []byte(raw), clock.Now())
		if e.Kind == judgebackend.KindInvalid {
			e.Kind = judgebackend.KindServer
		}
		return e
	}
	return &judgebackend.Error{Kind: judgebackend.KindMalformed}
}
