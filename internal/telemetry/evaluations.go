package telemetry

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
	"github.com/badger-eval/badger/scoring"
)

// Conventions is the version of OpenTelemetry's semantic conventions whose names evaluations have. Later versions moved
// the conventions for generative AI to another repository (semantic-conventions-genai), with the same names so far.
const Conventions = "1.41.0"

// The event and its attributes by these conventions, https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/.
const (
	evaluationEvent = "gen_ai.evaluation.result"
	evaluationName  = "gen_ai.evaluation.name"
	evaluationValue = "gen_ai.evaluation.score.value"
	evaluationLabel = "gen_ai.evaluation.score.label"
	evaluationWhy   = "gen_ai.evaluation.explanation"
	errorType       = "error.type"
	agentName       = "gen_ai.agent.name"
	agentVersion    = "gen_ai.agent.version"
)

const (
	evaluationsInRequest = 500
	mostAttempts         = 6
	longestWait          = 30 * time.Second // between two attempts
)

// Evaluations sends scores as events to a collector of OpenTelemetry. The protocol's messages are used without
// OpenTelemetry's SDK for logs, which drops records silently.
type Evaluations struct {
	to      *collector
	content bool
	version string
	now     func() time.Time
	wait    func(context.Context, time.Duration) error

	pending    []*logs.LogRecord
	sent, lost int
	why        error // why the first records were lost
}

// OpenEvaluations prepares sending scores, or returns nil if c does not ask for it. version is badger's.
func OpenEvaluations(c TracesConfig, version string) (*Evaluations, error) {
	if !c.Evaluations {
		if c.Content {
			return nil, errcode.New(errcode.InvalidArgument,
				"traces.content: expected traces.evaluations: true, whose events have it")
		}
		return nil, nil //nolint:nilnil // not asked for
	}
	to, err := c.collector()
	if err != nil {
		return nil, err
	}
	path, ok := strings.CutSuffix(to.url.Path, "/v1/traces")
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument,
			"traces.evaluations: traces.endpoint ends with %.60q; expected /v1/traces, next to which /v1/logs takes events",
			to.url.Path)
	}
	to.url = &url.URL{Scheme: to.url.Scheme, Host: to.url.Host, Path: path + "/v1/logs", RawQuery: to.url.RawQuery}
	return &Evaluations{to: to, content: c.Content, version: version, now: time.Now, wait: outbound.Wait}, nil
}

// Add sends a score of a run, together with the next ones.
func (e *Evaluations) Add(ctx context.Context, run string, r *scoring.Row) {
	e.pending = append(e.pending, e.record(run, r))
	if len(e.pending) == evaluationsInRequest {
		e.flush(ctx)
	}
}

// Close sends the remaining scores. It returns the number of those that the collector accepted, and an error with the
// number of those that it did not.
func (e *Evaluations) Close(ctx context.Context) (sent int, err error) {
	e.flush(ctx)
	if e.lost > 0 {
		return e.sent, errcode.New(errcode.Unavailable, "traces.evaluations: %d of %d scores were not accepted: %w", e.lost,
			e.lost+e.sent, e.why)
	}
	return e.sent, nil
}

// record returns the event of a score.
func (e *Evaluations) record(run string, r *scoring.Row) *logs.LogRecord {
	s := &r.Score
	out := &logs.LogRecord{EventName: evaluationEvent, TimeUnixNano: uint64(e.now().UnixNano()), //nolint:gosec // after 1970
		SeverityNumber: logs.SeverityNumber_SEVERITY_NUMBER_INFO}
	text := func(key, value string) {
		if value != "" {
			out.Attributes = append(out.Attributes, attributeOf(key, &common.AnyValue{
				Value: &common.AnyValue_StringValue{StringValue: strings.ToValidUTF8(value, "\uFFFD")}}))
		}
	}
	text(evaluationName, s.Metric)
	if s.Status == scoring.StatusOK {
		out.Attributes = append(out.Attributes,
			attributeOf(evaluationValue, &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: s.Value}}))
	}
	switch {
	case s.Label != "":
		text(evaluationLabel, s.Label)
	case s.Passed != nil && *s.Passed:
		text(evaluationLabel, "pass")
	case s.Passed != nil:
		text(evaluationLabel, "fail")
	}
	if s.Status == scoring.StatusFailed {
		text(errorType, s.Code.String())
	}
	if e.content {
		text(evaluationWhy, s.Reason)
	}
	text(agentName, r.Agent)
	text(agentVersion, r.Version)
	text("badger.status", string(s.Status))
	out.Attributes = append(out.Attributes, attributeOf("badger.metric_version",
		&common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: int64(s.Version)}}))
	text("badger.reference", r.GoldHash)
	text("badger.run", run)
	text("badger.case", r.CaseID)
	text("badger.batch", r.Batch)
	out.TraceId = traceOf(r.CaseID)
	return out
}

// traceOf returns the trace that a case ID names, as those of imported traces do; nil if it does not.
func traceOf(caseID string) []byte {
	id, err := hex.DecodeString(caseID)
	if err != nil || len(id) != 16 || bytes.Equal(id, make([]byte, 16)) {
		return nil
	}
	return id
}

func attributeOf(key string, value *common.AnyValue) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: value}
}

// flush sends what is pending, in one request that is repeated while the collector may accept it later.
func (e *Evaluations) flush(ctx context.Context) {
	n := len(e.pending)
	if n == 0 {
		return
	}
	texts := func(key, value string) *common.KeyValue {
		return attributeOf(key, &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}})
	}
	const schema = "https://opentelemetry.io/schemas/" + Conventions
	// LogsData is on the wire what ExportLogsServiceRequest is, without the code of a gRPC service.
	body, err := proto.Marshal(&logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{texts("service.name", "badger"),
			texts("service.version", e.version)}},
		SchemaUrl: schema,
		ScopeLogs: []*logs.ScopeLogs{{
			Scope:      &common.InstrumentationScope{Name: "github.com/badger-eval/badger", Version: e.version},
			LogRecords: e.pending, SchemaUrl: schema,
		}},
	}}})
	e.pending = e.pending[:0]
	rejected := n
	if err == nil {
		rejected, err = e.post(ctx, body, n)
	}
	e.sent += n - rejected
	if e.lost += rejected; rejected > 0 && e.why == nil {
		e.why = err
	}
}

// post returns the number of the n records that were not accepted, and why.
func (e *Evaluations) post(ctx context.Context, body []byte, n int) (rejected int, err error) {
	wait, attempts := time.Second, mostAttempts
	if e.why != nil { // a request before this one was given up
		attempts = 1
	}
	for attempt := 1; ; attempt++ {
		after, retry := time.Duration(0), false
		rejected, after, retry, err = e.once(ctx, body, n)
		if err == nil || !retry || attempt == attempts {
			return rejected, err
		}
		if failed := e.wait(ctx, min(max(wait, after), longestWait)); failed != nil {
			return rejected, err
		}
		wait *= 2
	}
}

// once sends a request. retry reports whether the collector may accept it later, after a time of at least after.
func (e *Evaluations) once(ctx context.Context, body []byte, n int) (rejected int, after time.Duration, retry bool,
	err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to.url.String(), bytes.NewReader(body))
	if err != nil {
		return n, 0, false, err
	}
	for name, value := range e.to.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	reply, err := e.to.client.Do(r)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) { // without the address
			err = u.Err
		}
		return n, 0, ctx.Err() == nil, err
	}
	defer reply.Body.Close() //nolint:errcheck // only read from
	answer, _ := io.ReadAll(io.LimitReader(reply.Body, 1<<20))
	switch reply.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		if refused := refusedIn(answer); refused > 0 {
			return min(n, refused), 0, false, errors.New("the collector rejected them and accepted others of the same request")
		}
		return 0, 0, false, nil
	}
	return n, outbound.RetryAfter(reply.Header), outbound.Busy(reply.StatusCode), fmt.Errorf("the collector answered with HTTP status %d", reply.StatusCode)
}

// refusedIn returns rejected_log_records of partial_success in an ExportLogsServiceResponse, whose fields both have the
// number 1; 0 if it is malformed.
func refusedIn(answer []byte) int {
	var rejected uint64
	eachField(answer, func(number protowire.Number, value []byte, _ uint64) {
		if number == 1 {
			eachField(value, func(number protowire.Number, _ []byte, n uint64) {
				if number == 1 {
					rejected = n
				}
			})
		}
	})
	if rejected > 1<<30 {
		return 0
	}
	return int(rejected)
}

// eachField calls f with the fields of a message: bytes, or a number.
func eachField(message []byte, f func(number protowire.Number, value []byte, n uint64)) {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return
		}
		message = message[size:]
		var value []byte
		var n uint64
		switch kind {
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(message)
		default:
			size = protowire.ConsumeFieldValue(number, kind, message)
		}
		if size < 0 {
			return
		}
		f(number, value, n)
		message = message[size:]
	}
}
