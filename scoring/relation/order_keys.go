package relation

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// sortedOtherwise returns the answer's first sort key if neither query has a limit, the first keys share no column or
// have opposite directions, and gold's result lacks gold's key; else "". Such an answer has understood the question
// differently, even if the question asks for no order. If gold's key is shown, the rows can be sorted again.
func (e *evidence) sortedOtherwise() string {
	if strings.TrimSpace(e.GoldSQL) == "" || strings.TrimSpace(e.PredSQL) == "" || e.asks().AnyOrder() {
		return ""
	}
	q := e.queries()
	if !q.given() || len(q.gold.order) == 0 || len(q.pred.order) == 0 || q.gold.query.Limit != nil ||
		q.pred.query.Limit != nil || e.presentational() {
		return ""
	}
	g, p := q.gold.order[0], q.pred.order[0]
	of, other := columnNames(q.gold.resolved(q.gold.query.Order()[0].Expr)),
		columnNames(q.pred.resolved(q.pred.query.Order()[0].Expr))
	switch {
	case unqualified(g.text) == unqualified(p.text):
		if g.desc == p.desc {
			return ""
		}
	case len(without(of, other)) < len(of), (len(of) == 0 || len(other) == 0) && g.aggregated == p.aggregated:
		return "" // perhaps one key in two ways: SUM(x), x; COUNT(*), COUNT(id)
	}
	return part(p.text) + map[bool]string{true: " descending", false: " ascending"}[p.desc]
}

// presentational reports whether gold's first sort key is one that lists are sorted by even if no order is asked for: a
// column of its result, or, ascending, a name, a key or a grouping expression.
func (e *evidence) presentational() bool {
	q := e.queries().gold
	x := q.resolved(q.query.Order()[0].Expr)
	if columns, _ := e.columnsIn(q, x); len(columns) > 0 || e.columnOf(q, x) >= 0 {
		return true
	}
	if q.order[0].desc {
		return false
	}
	names := columnNames(x)
	c := &scoring.Column{Name: strings.Join(names, " ")}
	return len(names) == 0 || len(names) == 1 && (keyish(c) || nameish(c)) ||
		q.grouped() && slices.Contains(q.parts.GroupBy, q.order[0].text)
}
