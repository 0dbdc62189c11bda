//go:build !no_duckdb

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	logscollector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// otlpReceiver is a collector on loopback. It counts what it received, and answers with a status.
type otlpReceiver struct {
	*httptest.Server
	mu             sync.Mutex
	spans, metrics map[string]int // by name of the span, and by metric of the event
	raw            []byte
	status         int
}

func newOTLPReceiver(t *testing.T) *otlpReceiver {
	t.Helper()
	c := &otlpReceiver{spans: map[string]int{}, metrics: map[string]int{}, status: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var spans collector.ExportTraceServiceRequest
		var events logscollector.ExportLogsServiceRequest
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case err != nil || c.status != http.StatusOK:
			w.WriteHeader(c.status)
			return
		case r.URL.Path == "/v1/traces" && proto.Unmarshal(body, &spans) == nil:
			for _, rs := range spans.GetResourceSpans() {
				for _, ss := range rs.GetScopeSpans() {
					for _, s := range ss.GetSpans() {
						c.spans[s.GetName()]++
					}
				}
			}
		case r.URL.Path == "/v1/logs" && proto.Unmarshal(body, &events) == nil:
			for _, rl := range events.GetResourceLogs() {
				for _, sl := range rl.GetScopeLogs() {
					for _, e := range sl.GetLogRecords() {
						for _, a := range e.GetAttributes() {
							if a.GetKey() == "gen_ai.evaluation.name" {
								c.metrics[a.GetValue().GetStringValue()]++
							}
						}
					}
				}
			}
		default:
			w.WriteHeader(http.StatusNotFound)
			return
		}
		c.raw = append(c.raw, body...)
	}))
	t.Cleanup(c.Close)
	return c
}

// A run sends an event for each score and a span for each call of the judge if it is asked to, without what people wrote. If the collector does not
// accept the events, the exit code is 1, the scores are stored, and the run can be resumed to send them.
func TestRunSendsEvaluations(t *testing.T) {
	t.Setenv("JUDGE_KEY", testKey)
	judge := backendtest.NewEndpoint(t, correct)
	to := newOTLPReceiver(t)
	dir := t.TempDir()
	cases := writeCases(t, dir, 4, 2)
	config := func(traces string) string {
		path := filepath.Join(dir, "badger.yaml")
		text := "judge: {backend: 'openai:gpt-4o', base_url: '" + judge.URL() + "', key_env: JUDGE_KEY}\nmetrics: {options: {flex: {categories: false}}}\n" + traces
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(db, traces string, more ...string) (int, string) {
		code, _, stderr := badger(t, append([]string{"run", "--metrics", "flex,hybrid_ex", "--to", "duckdb:" + filepath.Join(dir, db), "--config", config(traces), "--quiet"}, more...)...)
		return code, stderr
	}
	if code, stderr := run("a.duckdb", "traces: {endpoint: '"+to.URL+"'}\n", "--cases", cases); code != exitDone || len(to.spans)+len(to.metrics) != 0 {
		t.Fatalf("not asked for: exit %d, %d spans, %d metrics: %s", code, len(to.spans), len(to.metrics), stderr)
	}
	on := "traces: {endpoint: '" + to.URL + "', evaluations: true}\n"
	if code, stderr := run("b.duckdb", on, "--cases", cases, "--run-id", "first"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if to.metrics["flex"] != 4 || to.metrics["hybrid_ex"] != 4 || len(to.metrics) != 2 {
		t.Errorf("events: %v, expected 4 of flex and 4 of hybrid_ex", to.metrics)
	}
	if to.spans["chat gpt-4o"] == 0 || len(to.spans) != 1 {
		t.Errorf("spans: %v, expected those of the judge", to.spans)
	}
	for _, secret := range []string{"boats", "harbour", "SELECT", testKey} {
		if bytes.Contains(to.raw, []byte(secret)) {
			t.Errorf("the collector received %q", secret)
		}
	}

	to.status = http.StatusBadRequest
	code, stderr := run("c.duckdb", on, "--cases", cases, "--run-id", "second")
	if code != exitGate || !strings.Contains(stderr, "8 of 8 scores were not accepted") || !strings.Contains(stderr, "--resume second") {
		t.Errorf("not accepted: exit %d: %s", code, stderr)
	}
	to.status, to.metrics = http.StatusOK, map[string]int{}
	if code, stderr := run("c.duckdb", on, "--cases", cases, "--resume", "second"); code != exitDone || to.metrics["flex"] != 4 {
		t.Errorf("resumed: exit %d, events %v: %s", code, to.metrics, stderr)
	}
	if code, _, stderr := badger(t, "run", "--cases", cases, "--no-to", "--config", config(on)); code != exitUsage || !strings.Contains(stderr, "leave --no-to out") {
		t.Errorf("--no-to: exit %d: %s", code, stderr)
	}
}
