package counterexample

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Limits of recursion. A query that exceeds them fails on that database.
const (
	maxSteps     = 120
	maxJoinSteps = 16
	maxStepRows  = 100 // maximum rows of one step of a query that joins other tables
)

// recursive translates a recursive common table expression: terms that do not read it, combined by UNION with one
// term that reads it once. The columns have the kinds of the first term. For UNION ALL an additional column counts
// the steps.
func (c *transpiler) recursive(t *sqlparts.CTE, parent *scope) string {
	b, ok := t.Query.Body.(*sqlparts.SetOp)
	if !ok || len(t.Query.With) > 0 || len(t.Query.OrderBy) > 0 || t.Query.Limit != nil {
		refuse("a recursive query of this form")
	}
	first := 0 // number of terms that do not read it
	for first < len(b.Terms) && !recurses(c.bound, b.Terms[first], t) {
		first++
	}
	if first != len(b.Terms)-1 || first == 0 || slices.ContainsFunc(b.Ops, func(op sqlparts.SetOperator) bool {
		return op.Kind != sqlparts.Union || op.All != b.Ops[0].All || op.ByName
	}) {
		refuse("a recursive query of this form")
	}
	step, ok := b.Terms[first].Body.(*sqlparts.Select)
	reads := 0
	sqlparts.Walk(b.Terms[first], func(n sqlparts.Node) bool {
		if s, ok := n.(*sqlparts.Source); ok && c.bound.Reads(s).CTE == t {
			reads++
		}
		return true
	})
	if !ok || reads != 1 || step.Group != nil || step.Distinct || step.Having != nil || step.Qualify != nil ||
		len(b.Terms[first].OrderBy) > 0 || b.Terms[first].Limit != nil ||
		!slices.ContainsFunc(step.From, func(s *sqlparts.Source) bool {
			return c.bound.Reads(s).CTE == t && s.Join != sqlparts.LeftJoin && s.Join != sqlparts.RightJoin &&
				s.Join != sqlparts.FullJoin
		}) {
		refuse("a recursive query of this form")
	}
	walkSelect(step, func(call *sqlparts.Call) {
		if isAggregate(call) || call.Over != nil {
			refuse("a recursive query with an aggregate")
		}
	})
	distinct := !b.Ops[0].All
	if distinct && slices.ContainsFunc(step.Items, func(it *sqlparts.Item) bool {
		_, column := it.Expr.(*sqlparts.Column)
		_, literal := it.Expr.(*sqlparts.Literal)
		return !column && !literal
	}) {
		refuse("a recursive UNION of computed values, which may have no end")
	}
	anchor := b.Terms[0]
	if first > 1 {
		anchor = &sqlparts.Query{Body: &sqlparts.SetOp{Terms: b.Terms[:first], Ops: b.Ops[:first-1]}}
	}
	sql, columns := c.query(anchor, parent)
	columns = renamed(columns, t.Columns)
	for i := range columns {
		columns[i].made = true // computed by the recursion
	}
	w := &cte{sql: c.name("w"), columns: slices.Clone(columns)}
	c.with[t] = w
	if !distinct {
		w.steps = len(columns) + 1
	}
	next, made := c.query(b.Terms[first], parent)
	w.steps = 0
	if len(made) != len(columns) {
		if !c.learn {
			refuse("a set operation of queries with different numbers of columns")
		}
		return w.sql + " AS (" + sql + ")"
	}
	items := make([]string, len(columns))
	for i := range columns {
		was, is := columns[i].kind, made[i].kind
		c.learnKind(columns[i].expr, is)
		c.learnKind(made[i].expr, was)
		switch {
		case c.learn || was == is || is == Null:
		case was == Real && is == Int:
		default:
			refuse("a recursive query whose columns change their kind")
		}
		if made[i].column != nil && columns[i].column != nil {
			c.values.join(columns[i].column, made[i].column)
		}
		items[i] = "CAST(c" + strconv.Itoa(i+1) + " AS " + was.Type() + ") AS c" + strconv.Itoa(i+1)
		if was == Nested || was == List {
			if !c.learn {
				refuse("arrays or structures in a recursive query")
			}
		}
	}
	if c.learn {
		return w.sql + " AS (" + sql + ")"
	}
	most, many := maxSteps, ""
	if len(step.From) > 1 {
		most, many = maxJoinSteps, " OR count(*) OVER () > "+strconv.Itoa(maxStepRows)
	}
	list := strings.Join(items, ", ")
	if distinct {
		for _, o := range columns {
			c.keyed(o.expr)
		}
		return w.sql + " AS (SELECT " + list + " FROM (" + sql + ") AS " + c.name("r") + " UNION SELECT " + list + " FROM (" +
			next + ") AS " + c.name("r") + ")"
	}
	n := "c" + strconv.Itoa(len(columns)+1)
	return w.sql + " AS (SELECT " + list + ", 0 AS " + n + " FROM (" + sql + ") AS " + c.name("r") +
		" UNION ALL SELECT " + list + ", CASE WHEN " + n + " >= " + strconv.Itoa(most) + many +
		" THEN error('too many steps') ELSE " + n + " + 1 END AS " + n + " FROM (" + next + ") AS " + c.name("r") + ")"
}
