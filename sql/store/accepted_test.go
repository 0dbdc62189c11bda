//go:build !no_duckdb && !no_postgres

package store_test

import (
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Rows are appended, and the latest of a batch is used. Names may be empty.
func TestAccepted(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if list, err := db.Accepted(t.Context()); err != nil || len(list) != 0 {
			t.Fatalf("without tables: %v %v", list, err)
		}
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC)
		atlas := scoring.By{Agent: "atlas", Version: "2.0", Batch: "mon"}
		rows := []store.Acceptance{
			{ID: "a1", By: atlas, Who: "kim", When: at, Note: "it's \"checked\""},
			{ID: "a2", By: scoring.By{}, Who: "lee", When: at.Add(time.Hour)},
			{ID: "a3", By: atlas, Withdrawn: true, Who: "lee", When: at.Add(2 * time.Hour)},
			{ID: "a4", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "tue"}, Who: "kim", When: at.Add(-time.Hour)},
		}
		for i := range rows {
			if err := db.Accept(t.Context(), &rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		list, err := db.Accepted(t.Context())
		if err != nil || len(list) != 3 {
			t.Fatalf("%v %v", list, err)
		}
		for i, want := range []store.Acceptance{rows[2], rows[1], rows[3]} {
			got := list[i]
			got.When = got.When.UTC()
			if got != want {
				t.Errorf("%d: %+v, want %+v", i, got, want)
			}
		}
		if err := db.Accept(t.Context(), &store.Acceptance{By: atlas}); err == nil {
			t.Error("a row without an ID and a time was written")
		}
	})
}
