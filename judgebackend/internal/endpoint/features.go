package endpoint

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/lazyregexp"
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
	UseSystemRole          Feature = "system role"
	UseWhole               Feature = "replies without streaming"
	UseStreamUsage         Feature = "stream_options"
)

// spokenOf lists the words by which an error message refers to a feature.
var spokenOf = map[Feature][]string{
	UseJSONSchema: {"json_schema", "response_format", "responseformat", "response format", "structured output", "guided",
		"grammar", "output_config", "output_format", "schema"},
	UseJSONObject: {"json_object", "response_format", "responseformat", "response format", "json mode", "json schema",
		"structured output"},
	UseForcedTool:          {"tool_choice", "tools", "tool use", "function calling"},
	UseTemperature:         {"temperature"},
	UseLogProbs:            {"logprobs", "log probabilities"},
	UseMaxCompletionTokens: {"max_completion_tokens"},
	UseMaxTokens:           {"max_tokens"},
	UseSystemRole: {"system role", "role 'system'", "role \"system\"", "'system' role", "\"system\" role", "'system'",
		"system message", "system prompt", "system instruction", "developer instruction", "messages[0].role",
		"messages.0.role", "messages.[0].role", "roles must alternate", "only user and assistant roles", "unexpected role"},
	UseWhole: {"stream mode", "streaming mode", "stream=true", "stream: true", "stream to true", "stream parameter",
		"'stream'", "stream=false", "\"stream\"", "`stream`", "only support stream", "only supports stream", "non-stream",
		"streaming is"},
	UseStreamUsage: {"stream_options", "include_usage"},
}

// Features records which features an endpoint does not support for a model, so that each one is tried only once per
// process.
type Features struct {
	mu      sync.Mutex
	refused map[Feature]bool
	bound   Feature // parameter that first limits the reply's length; if it is rejected, the other one does
	invalid int     // replies since the last valid one that the endpoint itself found to be no JSON
	most    int     // the largest limit of a reply that the endpoint accepts; 0: unknown
	log     *slog.Logger
	id      judgebackend.Identity
}

// NewFeatures returns the features of an endpoint that has not been called yet: all are assumed to be supported.
func NewFeatures(id judgebackend.Identity, log *slog.Logger) *Features {
	return &Features{refused: map[Feature]bool{}, bound: UseMaxCompletionTokens, log: log, id: id}
}

// BoundedBy returns the parameter that now limits the length of replies.
func (d *Features) BoundedBy() Feature {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused[d.bound] {
		return otherBound[d.bound]
	}
	return d.bound
}

// otherBound holds the two parameters that limit the length of replies, each with the other one.
var otherBound = map[Feature]Feature{UseMaxTokens: UseMaxCompletionTokens, UseMaxCompletionTokens: UseMaxTokens}

// BoundBy sets the parameter that is first used to limit the length of replies.
func (d *Features) BoundBy(f Feature) { d.bound = f }

// Bound returns the limit that a request for at most n tokens has, and whether the endpoint does not accept a higher
// one.
func (d *Features) Bound(n int) (limit int, isCapped bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.most > 0 && d.most <= n {
		return d.most, true
	}
	return n, false
}

// Fit lowers the limit of r's reply to what the model's context has left next to the prompt, if err says that both
// together exceed it. It reports whether the request should be sent again.
func (d *Features) Fit(r *judgebackend.Request, err error) bool {
	var e *judgebackend.Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	limit, _ := d.Bound(r.ReplyTokens())
	room := e.Said.Room()
	if room < leastBound || room >= limit {
		return false
	}
	r.MaxTokens = room
	return true
}

// Done records the reply to r. asked is the limit that the reply was to have before Fit. The error is that of a reply
// that was cut at the endpoint's own limit; it is nil for any other reply.
func (d *Features) Done(r judgebackend.Request, asked int, resp judgebackend.Response) error {
	d.mu.Lock()
	d.invalid = 0
	d.mu.Unlock()
	limit, isCapped := d.Bound(r.ReplyTokens())
	if !isCapped && limit == asked || resp.FinishReason != judgebackend.FinishLength {
		return nil
	}
	return &judgebackend.Error{Kind: judgebackend.KindLength, AtLimit: true,
		Detail: "the endpoint accepts at most " + strconv.Itoa(limit)}
}

// learnBound reports whether a message names a limit of replies that is lower than the known one. The caller holds
// d.mu.
func (d *Features) learnBound(message string) bool {
	m := boundNamed.FindStringSubmatch(message)
	if m == nil || !boundOf.MatchString(message) || strings.Contains(message, "context") {
		return false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < leastBound || d.most > 0 && n >= d.most {
		return false
	}
	d.most = n
	d.log.Warn("judge endpoint accepts a lower limit of replies only",
		"backend", d.id.Backend, "model", d.id.Model, "host", d.id.Host, "max_tokens", n)
	return true
}

const leastBound = 64 // a lower limit is of no use to a judge

var (
	boundOf    = lazyregexp.New(`max_tokens|max_completion_tokens|max_output_tokens|(completion|output) tokens`)
	boundNamed = lazyregexp.New("(?:at most|less than or equal to|<=|maximum (?:value )?(?:is|of)|\\d >|\\[\\d+ ?,)" +
		"[ `']*(\\d{2,7})")
)

// Offers reports whether f has not been rejected so far.
func (d *Features) Offers(f Feature) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.refused[f]
}

// Learn reports whether err rejects one of the used features and the request should be sent again without it. An
// error of the server, or that something is not found, must also say that the feature is unsupported or invalid. So
// must the later part of a long message, which may quote the prompt: there, only names of parameters count.
func (d *Features) Learn(err error, used []Feature) bool {
	var e *judgebackend.Error
	if !errors.As(err, &e) {
		return false
	}
	passing := e.Kind == judgebackend.KindBilling || e.Kind == judgebackend.KindRateLimited
	strict := e.Status >= http.StatusInternalServerError || e.Status == http.StatusNotFound
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
	case http.StatusNotImplemented:
		strict = false
	default:
		if !strict || passing {
			return false
		}
	}
	start := e.Said.Code() + " " + e.Said.Message()
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.Contains(e.Said.Code(), invalidJSON) {
		if d.invalid++; d.invalid%2 == 1 {
			return false // it is repeated as it was
		}
		again := false
		for _, f := range []Feature{UseJSONSchema, UseJSONObject} { // both are checked in the same way
			again = d.doWithout(f) && slices.Contains(used, f) || again
		}
		return again
	}
	if !strict && e.Kind != judgebackend.KindTooLong && d.learnBound(e.Said.Message()) {
		return true
	}
	if strings.Contains(start, "too large") || strings.Contains(start, "at most") || strings.Contains(start, "exceed") {
		return false // the value is refused, not the feature
	}
	_, param, isNamed := strings.Cut(e.Said.Code(), "param=")
	if isNamed {
		start = param
	}
	for _, f := range used {
		named := slices.ContainsFunc(spokenOf[f], func(w string) bool { return strings.Contains(start, w) })
		if strict {
			named = rejects(e.Said.Message(), spokenOf[f])
		} else if !named && !isNamed {
			named = rejects(e.Said.All(),
				slices.DeleteFunc(slices.Clone(spokenOf[f]), func(w string) bool { return generic[w] }))
		}
		if named && d.doWithout(f) {
			return true
		}
	}
	return false
}

// near is the number of bytes around a feature's name in which it is rejected.
const near = 120

// rejects reports whether a message names a feature and, close to it, says that it is not supported or invalid.
func rejects(message string, words []string) bool {
	for _, w := range words {
		for at := 0; ; {
			i := strings.Index(message[at:], w)
			if i < 0 {
				break
			}
			i += at
			at = i + len(w)
			if rejection.MatchString(message[max(0, i-near):min(len(message), at+near)]) {
				return true
			}
		}
	}
	return false
}

var rejection = lazyregexp.New(`(not|n't|cannot) (be |currently |yet |to )*(support|available|enabled|allow|permit|` +
	`implement|recogni|accept|compatible)|unsupported|incompatible|unavailable|unimplemented|disabled|deprecated|` +
	`invalid|un(known|recognized|expected) (name|field|param|argument|key|role)|extra (input|field|param)|forbidden|` +
	`roles must alternate|only support|no endpoints? found`)

// generic are words of spokenOf that prompts contain as well.
var generic = map[string]bool{"schema": true, "json schema": true, "guided": true, "grammar": true,
	"structured output": true, "temperature": true, "tools": true, "'system'": true, "system prompt": true,
	"system message": true}

// doWithout records that f is rejected, and reports whether requests can do without it: always, except that the
// length must be limited by one of two parameters. A concurrent call may have recorded it before.
func (d *Features) doWithout(f Feature) bool {
	if d.refused[f] {
		return true
	}
	if d.refused[otherBound[f]] {
		return false
	}
	d.refused[f] = true
	d.log.Warn("judge endpoint does not offer a feature and is asked without it",
		"backend", d.id.Backend, "model", d.id.Model, "host", d.id.Host, "feature", string(f))
	return true
}
