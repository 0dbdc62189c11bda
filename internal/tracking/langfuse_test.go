package tracking_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/tracking"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// fakeLangfuse is Langfuse's endpoint for scores, made from its public description of CreateScoreRequest: the members that it has, which of them are
// required, that the value fits dataType, and that a score with a known id is replaced.
type fakeLangfuse struct {
	*httptest.Server
	scores   map[string]map[string]any // by id
	requests int
	statuses []int // of the first requests
}

func newFakeLangfuse(t *testing.T, statuses ...int) *fakeLangfuse {
	t.Helper()
	f := &fakeLangfuse{scores: map[string]map[string]any{}, statuses: statuses}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeLangfuse) serve(w http.ResponseWriter, r *http.Request) {
	f.requests++
	if len(f.statuses) > 0 {
		status := f.statuses[0]
		f.statuses = f.statuses[1:]
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
	}
	if user, password, ok := r.BasicAuth(); !ok || user != "pk-1" || password != "sk-1" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var s map[string]any
	if r.Method != http.MethodPost || r.URL.Path != "/api/public/scores" || json.NewDecoder(r.Body).Decode(&s) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	known := []string{"id", "traceId", "sessionId", "observationId", "datasetRunId", "name", "value", "dataType", "comment", "metadata", "environment", "queueId", "configId"}
	for name := range s {
		if !slices.Contains(known, name) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	_, number := s["value"].(float64)
	_, text := s["value"].(string)
	fits := map[any]bool{"NUMERIC": number, "CATEGORICAL": text, "BOOLEAN": s["value"] == 0.0 || s["value"] == 1.0}[s["dataType"]]
	id, _ := s["id"].(string)
	if s["name"] == nil || s["traceId"] == nil || id == "" || !fits {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.scores[id] = s
	_ = json.NewEncoder(w).Encode(map[string]any{"id": id})
}

// runOf is a run with three answers, of which two have a trace.
func runOf(value float64) *tracking.Run {
	by := scoring.By{Agent: "atlas", Version: "2.0", Batch: "mon"}
	yes := true
	row := func(caseID, metric string, s scoring.Score) scoring.Row {
		s.Metric, s.Version, s.Reason = metric, 3, "the cell Kim differs"
		return scoring.Row{AnswerID: scoring.AnswerID{CaseID: caseID, By: by}, Score: s, GoldHash: "0f63"}
	}
	const trace = "0af7651916cd43dd8448eb211c80319c"
	rows := []scoring.Row{
		row(trace, "hybrid_ex", scoring.Score{Status: scoring.StatusOK, Value: value, Passed: &yes}),
		row(trace, "relation", scoring.Score{Status: scoring.StatusOK, Value: 1, Label: "same"}),
		row(trace, "verdict", scoring.Score{Status: scoring.StatusAbstained}),
		row("q2", "hybrid_ex", scoring.Score{Status: scoring.StatusOK, Value: 0}),
		row("q3", "hybrid_ex", scoring.Score{Status: scoring.StatusOK, Value: 0}),
		row("q3", "verdict", scoring.Score{Status: scoring.StatusOK, Value: 0}),
	}
	scores := iter.Seq2[scoring.Row, error](func(yield func(scoring.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	})
	return &tracking.Run{Rows: []store.Run{{RunID: scoring.RunID{ID: "r1", By: by}}}, Scores: scores,
		Labels: []store.Vote{{AnswerID: scoring.AnswerID{CaseID: trace, By: by}, Annotator: "kim", Says: -1}}}
}

func langfuse(t *testing.T) *tracking.Exporter {
	t.Helper()
	e, err := tracking.Named("langfuse")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Scores are created once, replaced by a second export, and hold no reason unless that is asked for.
func TestLangfuse(t *testing.T) {
	f := newFakeLangfuse(t)
	o := tracking.Options{URL: f.URL + "/", Key: "pk-1:sk-1", Traces: map[string]string{"q2": "trace-of-q2"}}
	r, err := langfuse(t).Export(t.Context(), &o, runOf(0.5))
	if err != nil || r.Sent["scores"] != 3 || r.Sent["labels"] != 1 || r.NoTrace != 1 || r.NoValue != 1 || r.Lost() != 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	if len(f.scores) != 4 {
		t.Fatalf("%d scores", len(f.scores))
	}
	byName := func() map[string]map[string]any {
		out := map[string]map[string]any{}
		for _, s := range f.scores {
			out[s["name"].(string)+" of "+s["traceId"].(string)] = s
		}
		return out
	}
	s := byName()["hybrid_ex of 0af7651916cd43dd8448eb211c80319c"]
	m, _ := s["metadata"].(map[string]any)
	if s["value"] != 0.5 || s["comment"] != nil || m["metric_version"] != 3.0 || m["reference"] != "0f63" || m["passed"] != true || m["badger_run"] != "r1" || m["agent_version"] != "2.0" {
		t.Errorf("the score: %v", s)
	}
	if s := byName()["badger_label of 0af7651916cd43dd8448eb211c80319c"]; s["value"] != "fail" || s["dataType"] != "CATEGORICAL" {
		t.Errorf("the label: %v", s)
	}
	if byName()["hybrid_ex of trace-of-q2"] == nil {
		t.Errorf("the trace of --traces is not used: %v", byName())
	}
	o.Content = true
	if _, err := langfuse(t).Export(t.Context(), &o, runOf(0.75)); err != nil || len(f.scores) != 4 {
		t.Fatalf("a second export: %d scores, %v", len(f.scores), err)
	}
	if s := byName()["hybrid_ex of 0af7651916cd43dd8448eb211c80319c"]; s["value"] != 0.75 || s["comment"] != "the cell Kim differs" {
		t.Errorf("the replaced score: %v", s)
	}
}

// What the server cannot take now is sent again, what it rejects is counted, and a wrong key ends the export.
func TestLangfuseFailures(t *testing.T) {
	for _, tc := range []struct {
		why      string
		key      string
		statuses []int
		sent     int
		lost     int
		code     errcode.Code
		says     string
	}{
		{"busy", "pk-1:sk-1", []int{503, 429}, 2, 0, errcode.OK, ""},
		{"one rejected", "pk-1:sk-1", []int{400}, 1, 1, errcode.OK, "HTTP status 400"},
		{"a redirect", "pk-1:sk-1", []int{302, 302, 302}, 0, 3, errcode.OK, "HTTP status 302"},
		{"a wrong key", "pk-1:sk-secret", nil, 0, 0, errcode.Unauthenticated, "rejects the key"},
	} {
		f := newFakeLangfuse(t, tc.statuses...)
		o := tracking.Options{URL: f.URL, Key: tc.key}
		r, err := langfuse(t).Export(t.Context(), &o, runOf(0.5))
		if r.Sent["scores"] != tc.sent || r.Lost() != tc.lost || errcode.Of(err) != tc.code {
			t.Errorf("%s: %+v, %v", tc.why, r, err)
		}
		var b bytes.Buffer
		_ = json.NewEncoder(&b).Encode(r)
		if err != nil {
			b.WriteString(err.Error())
		}
		if !strings.Contains(b.String(), tc.says) || strings.Contains(b.String(), "sk-") {
			t.Errorf("%s: the report is %s", tc.why, b.String())
		}
	}
	if r, err := langfuse(t).Export(t.Context(), &tracking.Options{URL: "http://127.0.0.1:1"}, runOf(1)); errcode.Of(err) != errcode.Unavailable || r == nil {
		t.Errorf("no server: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for says, o := range map[string]tracking.Options{
		"--tracking: expected a URL":                 {URL: "mlflow.example.com"},
		"without a user or password":                 {URL: "https://me:secret@mlflow.example.com"},
		"--tracking: a key is sent to https://":      {URL: "http://mlflow.example.com", Key: "k"},
		"--ca-file: the file has no certificate in ": {URL: "https://mlflow.example.com", CA: []byte("x")},
	} {
		if _, err := langfuse(t).Export(t.Context(), &o, runOf(1)); !errcode.IsUsage(err) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, expected %q", err, says)
		}
	}
	if _, err := tracking.Named("phoenix"); err == nil || !strings.Contains(err.Error(), "expected langfuse or mlflow") {
		t.Errorf("an unknown program: %v", err)
	}
	if _, err := langfuse(t).ReadLabels(t.Context(), &tracking.Options{}, runOf(1)); err == nil || !strings.Contains(err.Error(), "cannot be read from Langfuse") {
		t.Errorf("labels of Langfuse: %v", err)
	}
}
