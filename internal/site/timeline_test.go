//go:build !no_duckdb

package site

import (
	"slices"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// While a run is under way, the batches are read again when it has written scores, and only then.
func TestTimelineOfARunUnderWay(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	s := siteOver(t, w)
	ctx := t.Context()
	at := time.Date(2025, 2, 1, 6, 0, 0, 0, time.UTC)
	run := scoring.RunID{ID: "now", By: scoring.By{Agent: "atlas", Version: "3.0", Batch: "b3"}}
	if err := w.WriteRuns(ctx, store.Run{RunID: run, Started: at, Mode: "both", Judge: "none", Status: "running"}); err != nil {
		t.Fatal(err)
	}
	read := func() (there bool, last *timeline) {
		t.Helper()
		of, err := s.timeline(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(of.moments, func(m moment) bool { return m.Of.By == run.By }), s.times.last
	}
	write := func(id string, at time.Time, value float64) {
		t.Helper()
		row := scoring.Row{AnswerID: scoring.AnswerID{CaseID: id, By: run.By}, Score: scoring.Score{Metric: "hybrid_ex", Version: 1, Status: scoring.StatusOK, Value: value}}
		if err := w.WriteScores(ctx, run.ID, "h", at, []scoring.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	there, first := read()
	if there {
		t.Fatal("the batch is there before it has scores")
	}
	if _, last := read(); last != first {
		t.Error("the batches are read again, though nothing was written")
	}
	write("bank-01", at, 1)
	there, second := read()
	if !there {
		t.Error("the batch is not there after its first score")
	}
	for _, again := range []func(){
		func() { write("bank-02", at, 1) },
		func() { write("bank-01", at.Add(time.Second), 0) },
	} {
		again()
		_, last := read()
		if last == second {
			t.Error("the batches are not read again after another score")
		}
		second = last
	}
	if _, last := read(); last != second {
		t.Error("the batches are read again, though nothing was written since")
	}
}
