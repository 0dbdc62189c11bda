//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/store"
)

// TestTies checks that pages count broken answers that may differ in ties only, and name the metric of their verdict.
func TestTies(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	from, to := runOfDay(1), runOfDay(2)
	write(t, w, 1, from, "hybrid_ex", tenOf())
	relations := tenOf()
	relations[0].is, relations[1].is = "tie_unproven", "value_differs"
	writeAll(t, w, 2, to, map[string][]answered{
		"hybrid_ex": tenOf("wrong", "wrong"), "relation": relations,
	})
	s := siteOver(t, w)
	const want = "2 broke, 1 of them perhaps only by ties, and 0 were fixed since d1."
	if got := shows(t, s, runAddress(to.RunID)).Find(".lead.big").Text(); !strings.Contains(got, want) {
		t.Errorf("the lead is %q, want %q in it", got, want)
	}
	state := store.State{RunID: to.RunID, Baseline: from.RunID, Mode: store.Broke}
	words := map[string]string{}
	for _, row := range shows(t, s, casesAddress(state)).Find("details.change summary").EachIter() {
		words[row.Find(".id").Text()] = row.Find(".was .v").Last().Text()
	}
	if words["q0"] != "wrong by hybrid_ex" || words["q1"] != "wrong" {
		t.Errorf("the verdicts are %v", words)
	}
}
