package relation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/scoring/sqlparts/sqlpartstest"
)

// What is said of two queries does not depend on how the condition of one of them is written.
func TestRelationsOfWaysToWriteACondition(t *testing.T) {
	few, many := tableOf(t, "n: [1]"), tableOf(t, "n: [1], [5]")
	said := func(gold, pred string) string {
		var out []string
		for _, swapped := range []bool{false, true} {
			in := relation.Input{Gold: few, Pred: many, GoldSQL: gold, PredSQL: pred, Dialect: "sqlite"}
			if swapped {
				in = relation.Input{Gold: many, Pred: few, GoldSQL: pred, PredSQL: gold, Dialect: "sqlite"}
			}
			a := align.Align(in.Gold, in.Pred, align.Options{})
			in.Alignment = &a
			for _, r := range slices.Concat(relation.Find(in), relation.Queries(in)) {
				if r.Name != "same_query" { // of queries whose results differ, the relation of two texts
					out = append(out, r.Name)
				}
			}
			out = append(out, "|")
		}
		return strings.Join(out, " ")
	}
	for i := range 1000 {
		if !sample.Takes(i, 1000, 12) {
			continue
		}
		seed := uint64(i) //nolint:gosec // no negative number
		one, other := sqlpartstest.Conditions(seed, 3), sqlpartstest.Conditions(seed+100000, 1)[0]
		for _, with := range []string{"SELECT n FROM t", "SELECT n FROM t WHERE " + other, "SELECT n FROM t WHERE d = 1 AND (" + one[0] + ")"} {
			first := ""
			for i, way := range one {
				got := said("SELECT n FROM t WHERE "+way, with)
				if i == 0 {
					first = got
				} else if got != first {
					t.Errorf("seed %d: with %s\n%s: %s\n%s: %s", seed, with, one[0], first, way, got)
				}
			}
		}
	}
}

// The bounds of a column are one condition to people, and each is one that may be left in or out.
func TestBounds(t *testing.T) {
	for _, tc := range []struct{ why, gold, pred, want string }{
		{"both are missing", "x BETWEEN 5 AND 9", "1 = 1", "filter_missing"},
		{"written apart", "x > 5 AND 9 > x", "1 = 1", "filter_missing"},
		{"one is missing", "x BETWEEN 5 AND 9", "x >= 5", "filter_missing"},
		{"the bound itself", "x BETWEEN 5 AND 9", "x >= 5 AND x < 9", "boundary"},
		{"outside", "x NOT BETWEEN 5 AND 9", "1 = 1", "filter_missing"},
	} {
		gold, pred := tableOf(t, "n: [1]"), tableOf(t, "n: [1], [5]")
		a := align.Align(gold, pred, align.Options{})
		in := relation.Input{Gold: gold, Pred: pred, Alignment: &a, Dialect: "sqlite", GoldSQL: "SELECT n FROM t WHERE 1 = 1 AND " + tc.gold, PredSQL: "SELECT n FROM t WHERE 1 = 1 AND " + tc.pred}
		if found := relation.Find(in); !names(found, tc.want) {
			t.Errorf("%s: found %+v", tc.why, found)
		}
	}
	for _, tc := range []struct{ why, gold string }{
		{"bounds of two columns", "x > 5 AND y < 9"}, {"two of one side", "x > 5 AND x >= 7"}, {"an inequality and a truth", "x <> 5 AND x"},
	} {
		gold, pred := tableOf(t, "n: [1]"), tableOf(t, "n: [1], [5]")
		a := align.Align(gold, pred, align.Options{})
		in := relation.Input{Gold: gold, Pred: pred, Alignment: &a, Dialect: "sqlite", GoldSQL: "SELECT n FROM t WHERE " + tc.gold, PredSQL: "SELECT n FROM t"}
		if found := relation.Find(in); names(found, "filter_missing") {
			t.Errorf("%s: found %+v", tc.why, found)
		}
	}
}
