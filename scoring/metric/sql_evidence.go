package metric

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric/sqltree"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// What a judge of SQL is told of the two texts, and what needs no judge.

// sameQuery tells whether the texts prove that both queries answer alike: each is a single statement that was read whole, and their trees are equal under
// the rules of tree_match. Unlike there, no column is taken for a key because of its name: where no schema is given, nothing is known of keys. Of 103 such pairs in ROSE-VEC and in the cases of
// FLEX, experts accepted 102.
func sameQuery(in *scoring.Input) bool {
	type key struct{}
	return scoring.Memo(in, key{}, func() bool {
		if !readWhole(in) {
			return false
		}
		g, p, schema, whole := trees(in)
		if !schema.Stated {
			schema = &sqltree.Schema{Stated: true} // which says nothing
		}
		return whole && sqltree.Equivalent(g, p, schema, sqltree.Rules{})
	})
}

// sameTree tells whether the queries are one but for the spelling, so that they return the same on any data: the trees are equal as they were built, with names resolved. Some of
// the rules of tree_match do not hold on empty tables and NULLs.
func sameTree(in *scoring.Input) bool {
	if !readWhole(in) {
		return false
	}
	g, p, _, whole := trees(in)
	return whole && g.String() == p.String()
}

// readWhole tells whether both texts are a single query without a part that was not understood.
func readWhole(in *scoring.Input) bool {
	for _, s := range []side{goldSide, predSide} {
		if sc := script(in, s); len(sc.Notes) > 0 || len(sc.Statements) != 1 || sc.Final() == nil {
			return false
		}
	}
	return true
}

// How much a judge is told of one kind of difference.
const (
	differencesShown = 8   // elements that one query has alone
	differenceChars  = 160 // characters of an element
)

// differencesOf lists for a judge what the front end found to differ, a line for each kind: the component sets, where conditions are those
// anywhere in the query, since that a condition stands in a common table expression means nothing. It is empty where a query is missing.
func differencesOf(in *scoring.Input) string {
	gold, pred := script(in, goldSide), script(in, predSide)
	gq, pq := gold.Final(), pred.Final()
	if gq == nil || pq == nil {
		return ""
	}
	var out []string
	compare := func(what string, g, p []string) {
		_, missing, extra := difference(g, p)
		var parts []string
		if len(missing) > 0 {
			parts = append(parts, "only the reference has "+listed(missing))
		}
		if len(extra) > 0 {
			parts = append(parts, "only the query to grade has "+listed(extra))
		}
		if len(parts) > 0 {
			out = append(out, what+": "+strings.Join(parts, "; "))
		}
	}
	sets := componentsOf(in)
	for _, c := range sqlparts.ComponentList {
		switch c {
		case sqlparts.ComponentWhere:
			compare("conditions anywhere in the query", conditionTexts(conditionsOf(gq)), conditionTexts(conditionsOf(pq)))
		case sqlparts.ComponentHaving:
		default:
			compare(componentNouns[c], sets.gold.Set(c), sets.pred.Set(c))
		}
	}
	compare("join conditions anywhere in the query", joinsOf(gq), joinsOf(pq))
	if g, p := rowLimit(gq), rowLimit(pq); g != p {
		out = append(out, "greatest number of rows: "+g+" in the reference, "+p+" in the query to grade")
	}
	if len(out) == 0 {
		out = append(out, "none in the parts of the final SELECT, the conditions, the joins and the tables; what differs lies inside subqueries and common table expressions, in which table a column is taken from, or is a matter of spelling")
	}
	if len(gold.Notes)+len(pred.Notes) > 0 {
		out = append(out, "(a part of the SQL could not be read; this list may be incomplete)")
	}
	return strings.Join(out, "\n")
}

func rowLimit(q *sqlparts.Query) string {
	if n, ok := q.RowLimit(); ok {
		return fmt.Sprint(n)
	}
	return "not limited"
}

// listed writes elements of a set for a judge, the first of them and each as far as it goes.
func listed(elements []string) string {
	shown := make([]string, 0, differencesShown)
	for _, e := range elements[:min(len(elements), differencesShown)] {
		if n := utf8.RuneCountInString(e); n > differenceChars {
			e = string([]rune(e)[:differenceChars]) + fmt.Sprintf("… (%d characters)", n)
		}
		shown = append(shown, strings.ReplaceAll(e, "\n", `\n`)) // one line each, whatever a string holds
	}
	text := strings.Join(shown, " | ")
	if more := len(elements) - len(shown); more > 0 {
		text += fmt.Sprintf(" | and %d more", more)
	}
	return text
}
