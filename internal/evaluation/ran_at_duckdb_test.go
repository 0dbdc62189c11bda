//go:build !no_duckdb

package evaluation_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// datedCases are two batches: b of Monday and a of Wednesday, whose last answer has no valid time.
func datedCases() string {
	const result = `{"columns":[{"name":"n","type":"integer"}],"rows":[[1]]}`
	var out strings.Builder
	for _, c := range [][3]string{{"q1", "b", "2026-03-02T07:00:00Z"}, {"q2", "b", "2026-03-02 09:30:00.25+01:00"}, {"q1", "a", "2026-03-04"}, {"q2", "a", "soon"}} {
		fmt.Fprintf(&out, `{"case_id":%q,"question":"how many?","gold":{"sql":"SELECT 1","result":%s},"agent":{"name":"nova","version":"7","batch_id":%q,"ran_at":%q,"sql":"SELECT 1","result":%s}}`+"\n", c[0], result, c[1], c[2], result)
	}
	return out.String()
}

var wednesday = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)

// The time of the last answer dates a batch, wherever the scores are kept.
func TestBatchesOfCaseFilesHaveDates(t *testing.T) {
	t.Parallel()
	w, dir := database(t), t.TempDir()
	path, scores := filepath.Join(dir, "c.jsonl"), filepath.Join(dir, "scores.jsonl")
	if err := os.WriteFile(path, []byte(datedCases()), 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func(resumed bool) {
		e := evaluation.Run{
			ID: "r", Mode: "both", Engine: engine, Metrics: []string{"ex_bird"}, Source: batch.FileSource{Path: path}, Warehouse: w,
			Resumed: resumed, Now: func() time.Time { return monday.AddDate(1, 0, 0) }, Notes: io.Discard, Progress: func(batch.Progress) {},
		}
		if err := e.Begin(t.Context(), scores); err != nil {
			t.Fatal(err)
		}
		defer e.ScoreFile.Close()
		if _, err := e.Evaluate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	set := analysis.NewSet(metric.All())
	for _, resumed := range []bool{false, true} {
		evaluate(resumed)
		file, err := storedscores.InFiles(set, "--scores", []string{scores}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, src := range map[string]analysis.Source{"database": storedscores.In(w).With(nil), "score file": file} {
			batches, err := src.Batches(t.Context())
			if err != nil || len(batches) != 2 {
				t.Fatalf("%s: %v, %v", name, batches, err)
			}
			analysis.Sort(batches)
			for i, want := range []struct {
				batch string
				at    time.Time
			}{{"b", time.Date(2026, 3, 2, 8, 30, 0, 250e6, time.UTC)}, {"a", wednesday}} {
				if b := batches[i]; b.Batch != want.batch || !b.At.Equal(want.at) || b.Evaluated {
					t.Errorf("%s, resumed %v: batch %d is %+v, want %s of %v", name, resumed, i, b, want.batch, want.at)
				}
			}
			if _, base := analysis.BaselineOf(batches, nil, 1); base == nil || base.Days == nil || *base.Days != 1 {
				t.Errorf("%s: the baseline of a is %+v, want b, a day and 15 hours before", name, base)
			}
		}
	}
	for r, err := range w.Scores(t.Context(), "r") { // a time that is not one fails its case, and names the line
		failed := r.CaseID == "q2" && r.Batch == "a"
		if err != nil || (r.Score.Status == scoring.StatusFailed) != failed || failed && !strings.Contains(r.Score.Reason, "c.jsonl:4") {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// What agent_runs says of a batch is used instead of what its runs say.
func TestAgentRunsDateTheirBatches(t *testing.T) {
	t.Parallel()
	by := scoring.By{Agent: "nova", Version: "7", Batch: "a"}
	w := database(t, store.Run{RunID: scoring.RunID{ID: "r", By: by}, Started: monday, Answered: monday, Status: "done"})
	row := scoring.Row{AnswerID: scoring.AnswerID{CaseID: "q", By: by}, Score: scoring.Score{Metric: "ex_bird", Status: scoring.StatusOK}}
	if err := w.WriteScores(t.Context(), "r", "", monday, []scoring.Row{row}); err != nil {
		t.Fatal(err)
	}
	c := &scoring.Case{ID: "q", Agent: scoring.Agent{Name: "nova", Version: "7", BatchID: "a", RanAt: wednesday.Add(time.Microsecond)}}
	for _, want := range []time.Time{monday, c.Agent.RanAt} {
		list, err := w.ScoredBatches(t.Context())
		if err != nil || len(list) != 1 || !list[0].Answered.Equal(want) {
			t.Errorf("%+v, %v, want %v", list, err, want)
		}
		if err := w.WriteCases(t.Context(), "1", []*scoring.Case{c}); err != nil {
			t.Fatal(err)
		}
	}
	for a, err := range w.Cases(t.Context(), store.Filter{}) { // written and read again, it is the same
		if err != nil || a.Case == nil || !a.Case.Agent.RanAt.Equal(c.Agent.RanAt) {
			t.Errorf("%+v, %v", a.Case, err)
		}
	}
}
