//go:build !no_duckdb && !no_postgres

package store_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Rows are read as they were written, the oldest first; a row that is written again is replaced.
func TestSentinels(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if list, err := db.Sentinels(t.Context()); err != nil || len(list) != 0 {
			t.Fatalf("without tables: %v %v", list, err)
		}
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		at, yes, no := time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC), true, false
		of := scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "mon"}}
		rows := []store.Sentinel{
			{Asking: "a2", Metric: "rose", AnswerID: of, Repetition: 1, Judge: judgebackend.Identity{Backend: "openai", Model: "m"},
				Prompt: "rose-1", Question: "51e0", Served: []store.Served{{Model: "m-0501", Fingerprint: `f"p`}, {Model: "m-0601"}},
				Status: scoring.StatusOK, Passed: &yes, Label: &no, Replies: []string{"9c1d", "77aa"}, At: at.Add(time.Hour)},
			{Asking: "a1", Metric: "rose", AnswerID: scoring.AnswerID{CaseID: "c1"}, Repetition: 2,
				Status: scoring.StatusFailed, Code: "resource_exhausted", At: at},
		}
		again := rows[1]
		again.Code = "unavailable"
		for _, list := range [][]store.Sentinel{rows, {again}} {
			if err := db.WriteSentinels(t.Context(), list...); err != nil {
				t.Fatal(err)
			}
		}
		list, err := db.Sentinels(t.Context())
		if err != nil || len(list) != 2 {
			t.Fatalf("%v %v", list, err)
		}
		for i, want := range []store.Sentinel{again, rows[0]} {
			list[i].At = list[i].At.UTC()
			if !reflect.DeepEqual(list[i], want) {
				t.Errorf("%d: %+v, want %+v", i, list[i], want)
			}
		}
		if err := db.WriteSentinels(t.Context(), store.Sentinel{Asking: "a", Metric: "rose", At: at}); err == nil {
			t.Error("a row without a repetition was written")
		}
	})
}
