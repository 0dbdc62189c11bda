//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// A case whose tags cannot be read keeps its scores; the parts by tags show it as such, with its name,
// and lead to it.
func TestTagsThatCannotBeRead(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	if err := w.Exec(t.Context(), `UPDATE badger.golden_set SET tags = '{"sales": "<b>"}' WHERE case_id = 'bank-07'`); err != nil {
		t.Fatal(err)
	}
	run := sitetest.Run{ID: "torn", Filter: store.Filter{By: scoring.By{Version: "2.0", Batch: "atlas-2.0"}}}
	if err := run.Score(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	s, torn := siteOver(t, w), scoring.RunID{ID: "torn", By: night2.By}
	if page := see(t, s, caseAddress(store.State{RunID: torn, Mode: store.All}, "bank-07")); !strings.Contains(page, "tags cannot be read") || !strings.Contains(page, "0 of 6 rows agree") {
		t.Error("the page of the case does not say that its tags cannot be read, or lost its score")
	}
	found := false
	for name, row := range tableBelow(t, see(t, s, runAddress(torn)), "<h3>Tags</h3>") {
		if !strings.Contains(name, "cannot be read") {
			continue
		}
		found = true
		if !strings.Contains(name, "bank-07") || row[cellCases].text != "1" {
			t.Errorf("%q: %v", name, row)
			continue
		}
		if list := see(t, s, row[cellCases].to); listed(t, list) != "1" || !strings.Contains(list, "bank-07") {
			t.Error("the part does not lead to its case alone")
		}
	}
	if !found {
		t.Error("the parts by tags do not show what cannot be read")
	}
}
