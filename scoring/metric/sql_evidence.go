package metric

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlproof"
)

// The evidence about two SQL queries that a judge gets, and the decisions that need no judge.

// proofOf returns a proof that both queries are equivalent, or nil if there is none. It also returns nil if the given
// results differ by more than equivalent queries may, such as in other than the order of rows or tied rows.
func proofOf(in *scoring.Input) *sqlproof.Proof {
	type key struct{}
	return scoring.Memo(in, key{}, func() *sqlproof.Proof {
		gold, pred := boundOf(in)
		p := sqlproof.Same(gold, pred, in.Halt())
		if p != nil && contradicted(in) {
			return nil
		}
		return p
	})
}

// soundProof is [proofOf] for metrics whose score depends on the proof. If the case is also scored by the metric
// counterexample, and that finds a database on which the queries differ, it returns no proof and a warning, since the
// difference was computed.
func soundProof(ctx context.Context, in *scoring.Input) (p *sqlproof.Proof, warning string) {
	if p = proofOf(in); p == nil || !in.Asked("counterexample") {
		return p, ""
	}
	if found, err := searchCounterexample(ctx, in); err == nil && found.Found {
		return nil, refutedProof(p)
	}
	return p, ""
}

// refutedProof returns the warning about a proof that a counterexample refutes.
func refutedProof(p *sqlproof.Proof) string {
	return fmt.Sprintf("the queries are proven to be the same (by %s), and a database was found on which they differ: the proof does not count. This is a bug of badger; report both queries and the schema", p.By)
}

// oneOrder are the relations that results of equivalent queries may have: they differ in the order of rows or
// columns, in the format of values, or in which of several tied rows a LIMIT kept.
var oneOrder = map[string]bool{"both_empty": true, "same": true, "by_chance": true, "permuted_unnamed": true,
	"flag_unnamed": true, "permuted": true, "reordered": true, "formatted": true, "tie_one": true, "tie_all": true,
	"tie_other": true}

// contradicted reports whether both results are given and their relation is not in oneOrder.
func contradicted(in *scoring.Input) bool {
	found := relationsOf(in)
	return found != nil && !oneOrder[found[0].Name]
}

// Limits of the text about one kind of difference in a judge's prompt.
const (
	differencesShown = 8   // elements that only one query has
	differenceChars  = 160 // characters of an element
)

// differencesOf describes the differences between the components of both queries for a judge, one line for each kind.
// Conditions anywhere in a query count, also in common table expressions. It is empty if a query is missing.
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

// listed returns the first differencesShown elements of a set for a judge, each truncated to differenceChars
// characters, and the number of the others.
func listed(elements []string) string {
	shown := make([]string, 0, differencesShown)
	for _, e := range elements[:min(len(elements), differencesShown)] {
		if n := utf8.RuneCountInString(e); n > differenceChars {
			e = string([]rune(e)[:differenceChars]) + fmt.Sprintf("… (%d characters)", n)
		}
		shown = append(shown, strings.ReplaceAll(e, "\n", `\n`)) // one line for each, also if a string contains line breaks
	}
	text := strings.Join(shown, " | ")
	if more := len(elements) - len(shown); more > 0 {
		text += fmt.Sprintf(" | and %d more", more)
	}
	return text
}
