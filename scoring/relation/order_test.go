package relation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
)

// TestCompareOrder states the rule of order by example: gold's ORDER BY, the question and the rows.
func TestCompareOrder(t *testing.T) {
	const (
		byN      = "SELECT k, n FROM t ORDER BY n DESC"
		asks     = "Who scored how much, best first?"
		descends = "k, n: ['a', 3], ['b', 2], ['c', 2], ['d', 1]"
		ascends  = "k, n: ['d', 1], ['b', 2], ['c', 2], ['a', 3]"
		tied     = "k, n: ['a', 3], ['c', 2], ['b', 2], ['d', 1]"
	)
	for _, tc := range []struct {
		why                              string
		goldSQL, predSQL, question, hint string
		gold, pred                       string
		want                             string // none: no order is part of the answer; kept, broken
	}{
		{"the very same rows", byN, "", asks, "", descends, descends, "kept"},
		{"the reverse", byN, "", asks, "", descends, ascends, "broken"},
		{"the reverse, and both queries are known", byN, "SELECT k, n FROM t ORDER BY n", asks, "", descends, ascends, "broken"},
		{"rows that tie", byN, "", asks, "", descends, tied, "kept"},
		{"nobody asks", byN, "", "How much did each score?", "", descends, ascends, "none"},
		{"the hint asks", byN, "", "How much did each score?", "list in descending order of score", descends, ascends, "broken"},
		{"no question is given", byN, "", "", "", descends, ascends, "broken"},
		{"no question, and gold does not sort", "SELECT k, n FROM t", "", "", "", descends, ascends, "none"},
		{"gold does not sort, whatever the question says", "SELECT k, n FROM t", "", asks, "", descends, ascends, "none"},
		{"a subquery sorts, the query does not", "SELECT k, n FROM (SELECT k, n FROM t ORDER BY n DESC) s", "", asks, "", descends, ascends, "none"},
		{"one row", byN + " LIMIT 1", "", asks, "", "k, n: ['a', 3]", "k, n: ['a', 3]", "none"},
		{"by position", "SELECT k, n FROM t ORDER BY 2 DESC", "", asks, "", descends, tied, "kept"},
		{"by position, the reverse", "SELECT k, n FROM t ORDER BY 2 DESC", "", asks, "", descends, ascends, "broken"},
		{"by an alias", "SELECT k, sum(x) AS n FROM t GROUP BY k ORDER BY n DESC", "", asks, "", descends, tied, "kept"},
		{"by the expression of a column", "SELECT k, sum(x) FROM t GROUP BY k ORDER BY sum(x) DESC", "", asks, "", descends, tied, "kept"},
		{"by a qualified name", "SELECT t.k, t.n FROM t ORDER BY n DESC", "", asks, "", descends, tied, "kept"},
		{"of a star", "SELECT * FROM t ORDER BY n DESC", "", asks, "", descends, tied, "kept"},
		{"of a star, the reverse", "SELECT * FROM t ORDER BY n DESC", "", asks, "", descends, ascends, "broken"},
		{"of a set operation", "SELECT k, n FROM t UNION SELECT k, n FROM u ORDER BY n DESC", "", asks, "", descends, tied, "kept"},
		{"a second key settles the tie", "SELECT k, n FROM t ORDER BY n DESC, k", "", asks, "", descends, tied, "broken"},
		{"a constant is no second key", "SELECT k, n FROM t ORDER BY n DESC, 'x'", "", asks, "", descends, tied, "kept"},
		{"a random second key sorts nothing", "SELECT k, n FROM t ORDER BY n DESC, random()", "", asks, "", descends, tied, "kept"},
		{"a function of what is shown: rows that agree in it tie", "SELECT k, n FROM t ORDER BY abs(n) DESC", "", asks, "", descends, tied, "kept"},
		{"a function of what is shown, the reverse", "SELECT k, n FROM t ORDER BY abs(n) DESC", "", asks, "", descends, ascends, "broken"},
		{"a key that is not shown: gold's own order is all there is", "SELECT k FROM t ORDER BY n DESC", "", asks, "", "k: ['a'], ['b'], ['c']", "k: ['a'], ['c'], ['b']", "broken"},
		{"a key that is not shown, in gold's order", "SELECT k FROM t ORDER BY n DESC", "", asks, "", "k: ['a'], ['b'], ['c']", "k: ['a'], ['b'], ['c']", "kept"},
		{"a key that is not shown, by which both sort", "SELECT k FROM t ORDER BY n DESC", "SELECT k FROM t ORDER BY n DESC", asks, "", "k: ['a'], ['b'], ['c']", "k: ['a'], ['c'], ['b']", "kept"},
		{"both sort by it, the answer by another key besides", "SELECT k FROM t ORDER BY n DESC", "SELECT k FROM t ORDER BY n DESC, k", asks, "", "k: ['a'], ['c'], ['b']", "k: ['a'], ['b'], ['c']", "kept"},
		{"both sort by it, the answer the other way", "SELECT k FROM t ORDER BY n DESC", "SELECT k FROM t ORDER BY n", asks, "", "k: ['a'], ['b'], ['c']", "k: ['c'], ['b'], ['a']", "broken"},
		{"the shown keys leave one row in each group: the key that is not shown settles nothing", "SELECT k, n FROM t ORDER BY n DESC, x", "", asks, "", "k, n: ['a', 3], ['b', 2]", "k, n: ['a', 3], ['b', 2]", "kept"},
		{"equal rows may stand for each other", "SELECT k FROM t ORDER BY n", "", asks, "", "k: ['a'], ['b'], ['a']", "k: ['a'], ['b'], ['a']", "kept"},
		{"equal rows in other places", "SELECT k FROM t ORDER BY n", "", asks, "", "k: ['a'], ['b'], ['a']", "k: ['a'], ['a'], ['b']", "broken"},
		{"NULL at the other end", byN, "", asks, "", "k, n INT64: ['x', null], ['a', 3], ['b', 2]", "k, n INT64: ['a', 3], ['b', 2], ['x', null]", "kept"},
		{"NULL in the middle", byN, "", asks, "", "k, n INT64: ['x', null], ['a', 3], ['b', 2]", "k, n INT64: ['a', 3], ['x', null], ['b', 2]", "broken"},
		{"NULL at the other end, but gold says where", byN + " NULLS FIRST", "", asks, "", "k, n INT64: ['x', null], ['a', 3], ['b', 2]", "k, n INT64: ['a', 3], ['b', 2], ['x', null]", "broken"},
		{"NULL at the other end of each group", "SELECT k, n FROM t ORDER BY k, n", "", asks, "", "k, n INT64: ['a', null], ['a', 1], ['b', null], ['b', 2]", "k, n INT64: ['a', 1], ['a', null], ['b', 2], ['b', null]", "kept"},
		{"gold was stored without its order", byN, "", asks, "", "k, n: ['b', 2], ['a', 3], ['d', 1]", "k, n: ['a', 3], ['b', 2], ['d', 1]", "kept"},
		{"gold was stored without its order, and the queries sort in opposite ways", byN, "SELECT k, n FROM t ORDER BY n", asks, "", "k, n: ['b', 2], ['a', 3], ['d', 1]", "k, n: ['d', 1], ['b', 2], ['a', 3]", "broken"},
		{"numbers as text are sorted as numbers", "SELECT k, n FROM t ORDER BY n DESC", "", asks, "", "k, n STRING: ['a', '100.2'], ['b', '84.5']", "k, n STRING: ['b', '84.5'], ['a', '100.2']", "broken"},
		{"columns in another order", byN, "", asks, "", descends, "x, y: [3, 'a'], [2, 'c'], [2, 'b'], [1, 'd']", "kept"},
		{"columns in another order, and the rows as well", byN, "", asks, "", descends, "x, y: [1, 'd'], [2, 'c'], [2, 'b'], [3, 'a']", "broken"},
		{"rounded", byN, "", asks, "", "k, n: ['a', 3.14], ['b', 2.72], ['c', 1.41]", "k, n: ['a', 3.1], ['b', 2.7], ['c', 1.4]", "kept"},
		{"a row less", byN, "", asks, "", descends, "k, n: ['a', 3], ['c', 2], ['d', 1]", "kept"},
		{"a row less, and the reverse", byN, "", asks, "", descends, "k, n: ['d', 1], ['c', 2], ['a', 3]", "broken"},
		{"gold's query is not given: a column that the question names", "", "", "Names and points, by points in descending order", "", "name, points: ['x', 3], ['b', 2], ['c', 2]", "name, points: ['x', 3], ['c', 2], ['b', 2]", "kept"},
		{"gold's query is not given, the reverse", "", "", "Names and points, by points in descending order", "", "name, points: ['x', 3], ['b', 2], ['c', 2]", "name, points: ['c', 2], ['b', 2], ['x', 3]", "broken"},
		{"gold's query is not given, nor is a column named: the only measure", "", "", "Who leads, best first?", "", "name, n: ['b', 3], ['a', 2], ['c', 2]", "name, n: ['b', 3], ['c', 2], ['a', 2]", "kept"},
		{"gold's query is not given, and nothing shows by what it is sorted", "", "", "Who leads, best first?", "", "name: ['b'], ['a'], ['c']", "name: ['b'], ['c'], ['a']", "broken"},
		{"neither query nor question", "", "", "", "", descends, ascends, "none"},
		{"gold's query is not given, and nobody asks", "", "", "Who scored?", "", descends, ascends, "none"},
	} {
		o, kept := relation.CompareOrder(relation.Input{
			Gold: tableOf(t, tc.gold), Pred: tableOf(t, tc.pred), GoldSQL: tc.goldSQL, PredSQL: tc.predSQL, Question: tc.question, Evidence: tc.hint, Dialect: "postgres",
		})
		got := map[bool]string{true: "kept", false: "broken"}[kept]
		if o == nil {
			got = "none"
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s (%+v)", tc.why, got, tc.want, o)
		}
		if got == "broken" && !strings.HasSuffix(o.Broken(), ".") {
			t.Errorf("%s: %q is no sentence", tc.why, o.Broken())
		}
	}
}

// Questions that ask for an order of rows, and questions that use the same words otherwise.
func TestQuestionsThatAskForOrder(t *testing.T) {
	rows := tableOf(t, "k, n: ['a', 2], ['b', 1]")
	for question, want := range map[string]bool{
		"List the films, best first":                                        true,
		"films sorted by rating":                                            true,
		"Sort them by name.":                                                true,
		"countries ranked by area":                                          true,
		"Rank the teams by points":                                          true,
		"What rank does the captain hold?":                                  false,
		"List the teams and rank them by points":                            true,
		"the top 5 customers":                                               true,
		"top three branches by members":                                     true,
		"in descending order of age":                                        true,
		"from the highest to the lowest salary":                             true,
		"from most recent to oldest":                                        true,
		"names in alphabetical order":                                       true,
		"in chronological order":                                            true,
		"in order of date":                                                  true,
		"ordered by date":                                                   true,
		"order the results by date":                                         true,
		"latest first":                                                      true,
		"most expensive first":                                              true,
		"starting with the oldest":                                          true,
		"from A to Z":                                                       true,
		"Tell the incidents as they occurred.":                              true,
		"the scenes, as the plot unfolded":                                  true,
		"Cows by fat content, fattest cow leading":                          true,
		"sacks, lightest at the front":                                      true,
		"What was done week by week?":                                       true,
		"from the start of the shift to the end":                            true,
		"the path of a parcel from pickup to delivery":                      true,
		"the tallest come before the smallest":                              true,
		"the oldest ahead of the youngest":                                  true,
		"compare them region by region":                                     false,
		"Which cow is the fattest?":                                         false,
		"the leading party of each town":                                    false,
		"How many trains run from Bonn to Berlin?":                          false,
		"Which courses run from May to July?":                               false,
		"tickets sold before the last day":                                  false,
		"visits as they are recorded":                                       false,
		"the head of each department":                                       false,
		"How many orders has each customer?":                                false,
		"What did each customer order in order to qualify?":                 false,
		"Which customers order the most?":                                   false,
		"the top customer":                                                  false,
		"the top 1 customer":                                                false,
		"What sort of films are there?":                                     false,
		"the most common first name":                                        false,
		"Who has the highest salary?":                                       false,
		"the date of the first order":                                       false,
		"Which films have the best reviews, and who was first to see them?": false,
	} {
		o := relation.AskedOrder(relation.Input{Gold: rows, Pred: rows, GoldSQL: "SELECT k, n FROM t ORDER BY n DESC", Question: question})
		if (o != nil) != want {
			t.Errorf("%q: asks for an order: %v, want %v (%+v)", question, o != nil, want, o)
		}
	}
}

// Rows that tie may stand in any order among themselves, and two groups may not change places: held
// over random tables, with NULLs and repeated rows.
func TestOrderOfRandomTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	for range sample.Count(2000, 8) {
		groups := 2 + rng.IntN(4)
		var gold, tied, wrong []string
		starts := []int{0}
		for g := range groups {
			n := 1 + rng.IntN(3)
			var rows []string
			for range n {
				rows = append(rows, fmt.Sprintf("['r%d', %d]", rng.IntN(1000), groups-g))
			}
			gold = append(gold, rows...)
			rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			tied = append(tied, rows...)
			starts = append(starts, len(gold))
		}
		at := 1 + rng.IntN(groups-1) // the last row of the group before and the first of this one change places
		wrong = slices.Clone(tied)
		wrong[starts[at]-1], wrong[starts[at]] = wrong[starts[at]], wrong[starts[at]-1]
		compare := func(pred []string) bool {
			table := func(rows []string) *scoring.Table { return tableOf(t, "k, n: "+strings.Join(rows, ", ")) }
			o, kept := relation.CompareOrder(relation.Input{
				Gold: table(gold), Pred: table(pred), GoldSQL: "SELECT k, n FROM t ORDER BY n DESC", Question: "highest first",
			})
			if o == nil {
				t.Fatal("no order is asked for")
			}
			return kept
		}
		if !compare(tied) {
			t.Fatalf("rows that tie changed places, and the order is broken: gold %v, answer %v", gold, tied)
		}
		if compare(wrong) {
			t.Fatalf("rows that do not tie changed places, and the order is kept: gold %v, answer %v", gold, wrong)
		}
	}
}
