package relation_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/relation"
)

// Two ways to write one condition are one condition: where gold has one of them and k = 1, and the
// answer the other, the queries differ in k = 1 alone.
func TestWaysToWriteACondition(t *testing.T) {
	for _, tc := range []struct {
		why, dialect, gold, pred string
		same                     bool
	}{
		{"sides exchanged", "sqlite", "5 < x", "x > 5", true},
		{"columns exchanged", "sqlite", "b > a", "a < b", true},
		{"negated", "sqlite", "NOT x = 5", "x <> 5", true},
		{"NULL negated", "sqlite", "NOT x IS NULL", "x IS NOT NULL", true},
		{"a pattern negated", "postgres", "NOT x ~ 'a'", "x !~ 'a'", true},
		{"NOT of an OR", "sqlite", "NOT (x = 5 OR y = 6)", "x <> 5 AND y <> 6", true},
		{"a truth negated", "sqlite", "NOT active", "active", false},
		{"another bound", "sqlite", "x > 5", "x > 6", false},
		{"bounds in either order", "postgres", "x BETWEEN SYMMETRIC 5 AND 1", "x BETWEEN 5 AND 1", false},
		{"a subquery is a condition, not a join", "sqlite", "x = (SELECT max(x) FROM t)", "1 = 1", false},
		{"equal columns of one table are a condition", "sqlite", "t.a = t.b", "t.a = t.c", false},
		{"joins are no conditions", "sqlite", "t.a = u.b", "t.a = u.c", true},
		{"names in brackets are no literals", "tsql", "[x] = [y]", "[x] = 'y'", false},
	} {
		gold, pred := tableOf(t, "n: [1]"), tableOf(t, "n: [1], [5]")
		a := align.Align(gold, pred, align.Options{})
		found := relation.Find(relation.Input{
			Gold: gold, Pred: pred, Alignment: &a, Dialect: tc.dialect,
			GoldSQL: "SELECT n FROM t, u WHERE t.k = 1 AND " + tc.gold, PredSQL: "SELECT n FROM t, u WHERE " + tc.pred,
		})
		if names(found, "filter_missing") != tc.same {
			t.Errorf("%s: %s and %s: found %+v", tc.why, tc.gold, tc.pred, found)
		}
	}
}

// Only literals are literals: columns in quotes, and what a subquery finds, are none.
func TestLiteralsOfConditions(t *testing.T) {
	for _, tc := range []struct {
		why, dialect, gold, pred string
		differ                   bool
	}{
		{"strings", "sqlite", "x = 'p'", "x = 'q'", true},
		{"strings in double quotes", "mysql", `x = "p"`, `x = "q"`, true},
		{"lists of one", "sqlite", "x IN ('p')", "x = 'q'", true},
		{"signs", "sqlite", "x = -5", "x = 7", true},
		{"columns in double quotes", "postgres", `x = "p"`, `x = "q"`, false},
		{"columns in backticks", "sqlite", "`x` = `p`", "`x` = `q`", false},
		{"columns in brackets", "tsql", "[x] = [p]", "[x] = [q]", false},
		{"counts of other things", "sqlite", "(SELECT count(*) FROM u) = 5", "(SELECT count(*) FROM v) = 7", false},
	} {
		found := relation.Queries(relation.Input{
			GoldSQL: "SELECT n FROM t WHERE " + tc.gold, PredSQL: "SELECT n FROM t WHERE " + tc.pred, Dialect: tc.dialect,
		})
		if names(found, "literals_differ") != tc.differ {
			t.Errorf("%s: %s and %s: found %+v", tc.why, tc.gold, tc.pred, found)
		}
	}
}

// What is said of the case of literals is so: that it alone differs is said if nothing folds it.
func TestSentencesAboutTheCaseOfLiterals(t *testing.T) {
	for _, tc := range []struct{ gold, pred, want string }{
		{"c = 'oslo'", "c = 'Oslo'", "The queries compare with literals that differ in upper and lower case alone."},
		{"LOWER(c) = 'oslo'", "c = 'oslo'", "The queries compare with the same letters, gold lower(c), the answer c."},
		{"c = 'oslo'", "UPPER(c) = 'OSLO'", "The queries compare with the same letters, gold c, the answer upper(c)."},
		{"c ILIKE 'oslo'", "c LIKE 'Oslo'", "The queries compare c with the same letters, gold by ilike, the answer by like."},
		{"c ILIKE 'oslo'", "LOWER(c) = 'oslo'", ""},
	} {
		text := ""
		for _, r := range relation.Queries(relation.Input{GoldSQL: "SELECT n FROM t WHERE " + tc.gold, PredSQL: "SELECT n FROM t WHERE " + tc.pred, Dialect: "duckdb"}) {
			if r.Name == "literal_case" {
				text = r.Text
			}
		}
		if text != tc.want {
			t.Errorf("%s and %s: %q, want %q", tc.gold, tc.pred, text, tc.want)
		}
	}
}
