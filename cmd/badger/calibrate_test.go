//go:build !no_duckdb

package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/judgebackend/backendtest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/sql/store"
)

// calibrated is what calibrate --json prints.
type calibrated struct {
	N       int                        `json:"n"`
	Metrics map[string]calibratedRow   `json:"metrics"`
	By      map[string][]calibratedSet `json:"by"`
}

type calibratedRow struct {
	N int `json:"n"`
	agreement.Confusion
	Kappa    float64  `json:"kappa"`
	Accuracy float64  `json:"accuracy"`
	Calls    *float64 `json:"judge_calls_per_case"`
}

type calibratedSet struct {
	Name    string                   `json:"name"`
	Metrics map[string]calibratedRow `json:"metrics"`
}

func calibrate(t *testing.T, args ...string) (out calibrated) {
	t.Helper()
	code, stdout, stderr := badger(t, append([]string{"calibrate", "--json"}, args...)...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func referenceFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the reference data %s are not beside the project", name)
	}
	return path
}

// The published agreement of every judge method comes out of the command, whether scored from its
// replies or taken as recorded.
func TestCalibrateReproducesPublishedAgreement(t *testing.T) {
	f, err := os.Open(referenceFile(t, "rosevec/agreement-bird.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := calibrate(t, "--cases", referenceFile(t, "rosevec/cases.jsonl"), "--assessments", referenceFile(t, "rosevec/assessments.jsonl"),
		"--metrics", "rose,rose_prover_only,flex,llm_sql_solver", "--by", "dataset", "--resamples", "100")
	if out.N != 397 {
		t.Errorf("%d cases, want 397", out.N)
	}
	var bird map[string]calibratedRow
	for _, part := range out.By["dataset"] {
		if part.Name == "rose-vec-bird" {
			bird = part.Metrics
		}
	}
	compared := 0
	for _, row := range rows[1:] {
		if row[1] == "" {
			continue // recorded with the cases
		}
		compared++
		key := row[0] + "@" + row[1]
		got, ok := bird[key]
		if !ok {
			t.Errorf("%s is not there", key)
			continue
		}
		want := make([]int, 5)
		for i := range want {
			if want[i], err = strconv.Atoi(row[2+i]); err != nil {
				t.Fatal(err)
			}
		}
		if c := (agreement.Confusion{TP: want[1], FP: want[2], TN: want[3], FN: want[4]}); got.N != want[0] || got.Confusion != c {
			t.Errorf("%s: %+v, want %+v", key, got.Confusion, c)
		}
	}
	if compared != 18 {
		t.Errorf("%d methods compared, want 18", compared)
	}
	if rose := out.Metrics["rose@o3"]; rose.Calls == nil || *rose.Calls <= 1 || *rose.Calls >= 2 {
		t.Errorf("ROSE makes one call or two a case, not %v", rose.Calls)
	}
	if flex := out.Metrics["flex@o3"]; flex.Calls != nil {
		t.Errorf("verdicts without replies have %v calls, want unknown", *flex.Calls)
	}
}

// The FLEX paper, table 3: 87.04 and 93.5 for FLEX with GPT-4o.
func TestCalibrateReproducesFLEX(t *testing.T) {
	out := calibrate(t, "--cases", referenceFile(t, "flex200/cases.jsonl"), "--assessments", referenceFile(t, "flex200/assessments.jsonl"), "--metrics", "flex")
	got := out.Metrics["flex@gpt-4o"]
	if got.N != 200 || strconv.FormatFloat(100*got.Kappa, 'f', 2, 64) != "87.04" || strconv.FormatFloat(100*got.Accuracy, 'f', 1, 64) != "93.5" || *got.Calls != 1 {
		t.Errorf("%+v, want kappa 87.04 and accuracy 93.5 with one call a case", got)
	}
}

// Labels in a warehouse: the majority of those who were sure is the label, and what each said tells
// how far people agree.
func TestCalibrateFromAWarehouse(t *testing.T) {
	url := "duckdb:" + filepath.Join(t.TempDir(), "w.duckdb")
	w, err := openWarehouse(t.Context(), url, readWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	result := func(text string) scoring.Result {
		return scoring.ParseResultText([]byte(`{"columns": ["n"], "rows": [[` + text + `]]}`))
	}
	var cases []*scoring.Case
	var labels []store.Label
	for _, c := range []struct{ id, pred, kim, lee string }{
		{"c1", "1", "pass", "pass"}, {"c2", "2", "fail", "unsure"}, {"c3", "1", "fail", "fail"}, {"c4", "1", "pass", "fail"}, {"c5", "1", "", ""},
	} {
		cases = append(cases, &scoring.Case{
			ID: c.id, Golds: []scoring.Query{{Result: result("1")}}, Pred: scoring.Query{Result: result(c.pred), Ran: true},
			Agent: scoring.Agent{Name: "a", Version: "1", BatchID: "b"},
		})
		for who, verdict := range map[string]string{"kim": c.kim, "lee": c.lee} {
			if verdict != "" {
				labels = append(labels, store.Label{AnswerID: scoring.AnswerID{CaseID: c.id, By: scoring.By{Agent: "a", Batch: "b"}}, Annotator: who, Verdict: verdict, At: time.Unix(0, 0)})
			}
		}
	}
	if err := w.WriteCases(t.Context(), "1", cases); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteLabels(t.Context(), labels...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out := calibrate(t, "--source", url, "--metrics", "ex_bird")
	if got := out.Metrics["ex_bird"]; out.N != 3 || got.Confusion != (agreement.Confusion{TP: 1, FP: 1, TN: 1}) {
		t.Errorf("%d cases, %+v; want c1 to c3, with one false pass: people are divided about c4, and nobody labelled c5", out.N, got.Confusion)
	}
	code, stdout, stderr := badger(t, "calibrate", "--source", url, "--metrics", "ex_bird")
	if code != exitDone || !strings.Contains(stdout, "2 of 3 unanimous") || !strings.Contains(stderr, "3 cases labelled, 2 not") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if code, _, _ := badger(t, "calibrate", "--source", url, "--agent", "nobody"); code != exitFail {
		t.Errorf("without labelled cases: exit %d", code)
	}
}

// A judge that is asked over the wire is calibrated like a recorded one, under the name of its
// model.
func TestCalibrateALiveJudge(t *testing.T) {
	e := backendtest.NewEndpoint(t, correct)
	var b strings.Builder
	for i, label := range []bool{true, false, true} {
		fmt.Fprintf(&b, `{"case_id": "c%d", "question": "How many boats has harbour %[1]d?", "gold": {"sql": "SELECT %[1]d"}, "agent": {"sql": "SELECT 0 + %[1]d"}, "human": {"label": %v}}`+"\n", i, label)
	}
	cases := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(cases, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out := calibrate(t, "--cases", cases, "--metrics", "flex", "--judge", "openai:gpt-4o", "--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY")
	got, ok := out.Metrics["flex@gpt-4o"]
	if !ok || got.Confusion != (agreement.Confusion{TP: 2, FP: 1}) || got.Calls == nil || *got.Calls != 1 || len(e.Calls()) != 3 {
		t.Errorf("%+v after %d calls; want a judge that accepts all three, with a call each", out.Metrics, len(e.Calls()))
	}
}
