package telemetry_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	logscollector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/scoring"
)

// collector is a receiver of events on loopback. It answers requests with the statuses one after the other, and then with 200.
type collector struct {
	*httptest.Server
	requests atomic.Int32
	records  []*logs.LogRecord
	last     *logscollector.ExportLogsServiceRequest
	key      string
	reply    *logscollector.ExportLogsServiceResponse
}

func newCollector(t *testing.T, statuses ...int) *collector {
	t.Helper()
	c := &collector{reply: &logscollector.ExportLogsServiceResponse{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(c.requests.Add(1))
		if n <= len(statuses) && statuses[n-1] != http.StatusOK {
			w.WriteHeader(statuses[n-1])
			return
		}
		body, err := io.ReadAll(r.Body)
		req := &logscollector.ExportLogsServiceRequest{}
		if err != nil || proto.Unmarshal(body, req) != nil || r.URL.Path != "/v1/logs" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			http.Error(w, "not events", http.StatusBadRequest)
			return
		}
		c.last, c.key = req, r.Header.Get("X-Key")
		for _, rl := range req.GetResourceLogs() {
			for _, sl := range rl.GetScopeLogs() {
				c.records = append(c.records, sl.GetLogRecords()...)
			}
		}
		answer, _ := proto.Marshal(c.reply)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(c.Close)
	return c
}

func evaluations(t *testing.T, c telemetry.TracesConfig) *telemetry.Evaluations {
	t.Helper()
	c.Evaluations = true
	e, err := telemetry.OpenEvaluations(c, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func attributesOf(r *logs.LogRecord) map[string]any {
	all := map[string]any{}
	for _, kv := range r.GetAttributes() {
		switch kv.GetKey() {
		case "gen_ai.evaluation.score.value":
			all[kv.GetKey()] = kv.GetValue().GetDoubleValue()
		case "badger.metric_version":
			all[kv.GetKey()] = kv.GetValue().GetIntValue()
		default:
			all[kv.GetKey()] = kv.GetValue().GetStringValue()
		}
	}
	return all
}

func row(caseID string, s scoring.Score) *scoring.Row {
	r := &scoring.Row{Score: s, GoldHash: "0f63"}
	r.CaseID, r.Agent, r.Version, r.Batch = caseID, "atlas", "2.0", "mon"
	return r
}

// The names are those of the conventions' version 1.41.0, of which OpenTelemetry publishes constants.
func TestEvaluationNames(t *testing.T) {
	if !strings.HasSuffix(semconv.SchemaURL, "/"+telemetry.Conventions) {
		t.Errorf("the constants are of %s, the names of %s", semconv.SchemaURL, telemetry.Conventions)
	}
	yes, no := true, false
	name, value, label := string(semconv.GenAIEvaluationNameKey), string(semconv.GenAIEvaluationScoreValueKey), string(semconv.GenAIEvaluationScoreLabelKey)
	explanation, kind := string(semconv.GenAIEvaluationExplanationKey), string(semconv.ErrorTypeKey)
	common := map[string]any{
		string(semconv.GenAIAgentNameKey): "atlas", string(semconv.GenAIAgentVersionKey): "2.0", "badger.metric_version": int64(3),
		"badger.reference": "0f63", "badger.run": "r1", "badger.case": "q1", "badger.batch": "mon",
	}
	for _, tc := range []struct {
		why     string
		score   scoring.Score
		content bool
		want    map[string]any
	}{
		{"passed", scoring.Score{Metric: "hybrid_ex", Version: 3, Status: scoring.StatusOK, Value: 0.9, Passed: &yes, Reason: "the cell Kim differs"}, false,
			map[string]any{name: "hybrid_ex", value: 0.9, label: "pass", "badger.status": "ok"}},
		{"failed the threshold", scoring.Score{Metric: "hybrid_ex", Version: 3, Status: scoring.StatusOK, Passed: &no}, false,
			map[string]any{name: "hybrid_ex", value: 0.0, label: "fail", "badger.status": "ok"}},
		{"a label", scoring.Score{Metric: "relation", Version: 3, Status: scoring.StatusOK, Value: 1, Label: "same", Passed: &yes}, false,
			map[string]any{name: "relation", value: 1.0, label: "same", "badger.status": "ok"}},
		{"no verdict", scoring.Score{Metric: "sql_complexity", Version: 3, Status: scoring.StatusOK, Value: 4}, false,
			map[string]any{name: "sql_complexity", value: 4.0, "badger.status": "ok"}},
		{"abstained", scoring.Score{Metric: "verdict", Version: 3, Status: scoring.StatusAbstained, Reason: "too little"}, false,
			map[string]any{name: "verdict", "badger.status": "abstained"}},
		{"could not be scored", scoring.Score{Metric: "verdict", Version: 3, Status: scoring.StatusFailed, Code: errcode.InvalidArgument, Reason: "SELECT"}, false,
			map[string]any{name: "verdict", "badger.status": "failed", kind: "invalid_argument"}},
		{"content", scoring.Score{Metric: "verdict", Version: 3, Status: scoring.StatusAbstained, Reason: "too little"}, true,
			map[string]any{name: "verdict", "badger.status": "abstained", explanation: "too little"}},
	} {
		c := newCollector(t)
		e := evaluations(t, telemetry.TracesConfig{Endpoint: c.URL, Content: tc.content})
		e.Add(t.Context(), "r1", row("q1", tc.score))
		if sent, err := e.Close(t.Context()); sent != 1 || err != nil || len(c.records) != 1 {
			t.Fatalf("%s: %d sent, %d received: %v", tc.why, sent, len(c.records), err)
		}
		got := attributesOf(c.records[0])
		for _, of := range []map[string]any{common, tc.want} {
			for key, want := range of {
				if got[key] != want {
					t.Errorf("%s: %s is %v, expected %v", tc.why, key, got[key], want)
				}
			}
		}
		if len(got) != len(common)+len(tc.want) {
			t.Errorf("%s: %d attributes, expected %d: %v", tc.why, len(got), len(common)+len(tc.want), got)
		}
		if r := c.records[0]; r.GetEventName() != "gen_ai.evaluation.result" || r.GetTimeUnixNano() == 0 || r.GetTraceId() != nil || r.GetBody() != nil {
			t.Errorf("%s: the event is %v", tc.why, r)
		}
		if rl := c.last.GetResourceLogs()[0]; rl.GetSchemaUrl() != semconv.SchemaURL || rl.GetScopeLogs()[0].GetScope().GetVersion() != "1.2.3" {
			t.Errorf("%s: schema %s, scope %v", tc.why, rl.GetSchemaUrl(), rl.GetScopeLogs()[0].GetScope())
		}
	}
}

// A case whose ID is a trace's is an event of that trace.
func TestEvaluationsOfTraces(t *testing.T) {
	c := newCollector(t)
	e := evaluations(t, telemetry.TracesConfig{Endpoint: c.URL + "/v1/traces"})
	for _, id := range []string{"0af7651916cd43dd8448eb211c80319c", strings.Repeat("0", 32), "0af7"} {
		e.Add(t.Context(), "r1", row(id, scoring.Score{Metric: "verdict"}))
	}
	if _, err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.records[0].GetTraceId(); len(got) != 16 || got[0] != 0x0a || got[15] != 0x9c {
		t.Errorf("trace %x", got)
	}
	if c.records[1].GetTraceId() != nil || c.records[2].GetTraceId() != nil {
		t.Errorf("traces %x and %x, expected none", c.records[1].GetTraceId(), c.records[2].GetTraceId())
	}
}

// What can be accepted later is sent again, what cannot is counted, and neither ends the rest.
func TestEvaluationsNotAccepted(t *testing.T) {
	headers := filepath.Join(t.TempDir(), "headers")
	if err := os.WriteFile(headers, []byte("X-Key: sk-of-the-collector\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why            string
		statuses       []int
		rejects        int64 // of the first request that is answered with 200
		sent, requests int
		says           string
	}{
		{"accepted", nil, 0, 1200, 3, ""},
		{"busy once", []int{503}, 0, 1200, 4, ""},
		{"malformed", []int{400}, 0, 700, 3, "500 of 1200 scores were not accepted: the collector answered with HTTP status 400"},
		{"a redirect", []int{307}, 0, 700, 3, "500 of 1200 scores"},
		{"some rejected", nil, 7, 1179, 3, "21 of 1200 scores were not accepted: the collector rejected them"},
	} {
		c := newCollector(t, tc.statuses...)
		if tc.rejects > 0 {
			c.reply.PartialSuccess = &logscollector.ExportLogsPartialSuccess{RejectedLogRecords: tc.rejects, ErrorMessage: "SELECT secret"}
		}
		e := evaluations(t, telemetry.TracesConfig{Endpoint: c.URL + "/v1/traces", HeadersFile: headers})
		for range 1200 {
			e.Add(t.Context(), "r1", row("q1", scoring.Score{Metric: "verdict"}))
		}
		sent, err := e.Close(t.Context())
		if sent != tc.sent || int(c.requests.Load()) != tc.requests {
			t.Errorf("%s: %d sent in %d requests, expected %d in %d", tc.why, sent, c.requests.Load(), tc.sent, tc.requests)
		}
		switch {
		case tc.says == "" && err != nil, tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
			t.Errorf("%s: %v, expected %q", tc.why, err, tc.says)
		case err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sk-of")):
			t.Errorf("%s: the error says too much: %v", tc.why, err)
		}
		if c.key != "sk-of-the-collector" {
			t.Errorf("%s: the header is %q", tc.why, c.key)
		}
	}
}

func TestOpenEvaluations(t *testing.T) {
	if e, err := telemetry.OpenEvaluations(telemetry.TracesConfig{Endpoint: "http://127.0.0.1:1"}, ""); e != nil || err != nil {
		t.Errorf("not asked for: %v, %v", e, err)
	}
	for says, c := range map[string]telemetry.TracesConfig{
		"traces.endpoint: expected a URL":                   {Evaluations: true},
		`traces.endpoint ends with "/otlp"`:                 {Evaluations: true, Endpoint: "http://127.0.0.1:1/otlp"},
		"traces.content: expected traces.evaluations: true": {Content: true, Endpoint: "http://127.0.0.1:1"},
	} {
		if _, err := telemetry.OpenEvaluations(c, ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, expected %q", err, says)
		}
	}
}
