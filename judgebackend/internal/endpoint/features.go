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

// Feature is an optional part of a request that an endpoint may not support.
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

// spokenOf lists the words by which an error message refers to a feature.
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

// Features records which features an endpoint does not support for a model, so that each one is tried only once per
// process.
type Features struct {
	mu       sync.Mutex
	refused  map[Feature]bool
	bound    Feature // parameter that limits the reply's length; if it is rejected, the other one is tried once
	switched bool
	log      *slog.Logger
	id       judgebackend.Identity
}

// NewFeatures returns the features of an endpoint that has not been called yet: all are assumed to be supported.
func NewFeatures(id judgebackend.Identity, log *slog.Logger) *Features {
	return &Features{refused: map[Feature]bool{}, bound: UseMaxCompletionTokens, log: log, id: id}
}

// BoundedBy returns the parameter that now limits the length of replies.
func (d *Features) BoundedBy() Feature {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bound
}

// BoundBy sets the parameter that is first used to limit the length of replies.
func (d *Features) BoundBy(f Feature) { d.bound = f }

// Offers reports whether f has not been rejected so far.
func (d *Features) Offers(f Feature) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.refused[f]
}

// Learn reports whether err rejects one of the used features and the request should be sent again without it.
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

// doWithout records that f is rejected, and reports whether requests can do without it: always, except that the
// length must be limited by one of two parameters. A concurrent call may have recorded it before.
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

// DecodeUnusual returns the error for a 2xx response without a completion: some gateways report errors this way.
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
