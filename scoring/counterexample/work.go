package counterexample

import (
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Limits of the work of queries, in rows that joins may produce. Unlike a time limit, they end a search at the same
// database on every machine.
const (
	maxWork      = 2_000_000  // of a query on one database; databases that exceed it are skipped
	maxTotalWork = 60_000_000 // of a search
)

// work returns an upper bound on the number of rows that query i processes on a database: all rows of its joins, and
// the rows of a correlated subquery for each row of the outer query. A join by equality produces at most the rows
// that share a value.
func (s *search) work(d *Database, i int) float64 { return s.worker(d, i).query(s.trees[i]).work }

func (s *search) worker(d *Database, i int) *worker {
	w := &worker{bound: s.scripts[i], schema: s.schema, tables: map[*Table]*Rows{}, with: map[*sqlparts.CTE]extent{}}
	for i := range d.Tables {
		w.tables[d.Tables[i].Table] = &d.Tables[i]
	}
	return w
}

// worker computes upper bounds on the work of a query from the rows of its tables.
type worker struct {
	bound  *sqlparts.Bound
	schema *Schema
	tables map[*Table]*Rows
	with   map[*sqlparts.CTE]extent
}

// extent is the size of a query's result: the maximum number of its rows (rows), and the maximum work to compute it
// (work).
type extent struct {
	rows, work float64
	unique     string               // name of a column with unique values; empty for none
	shared     func(string) float64 // returns the maximum number of rows with the same value of a column; nil if unknown
}

// share returns the maximum number of rows with the same value of a column.
func (x *extent) share(column string) float64 {
	switch {
	case x.unique != "" && strings.EqualFold(x.unique, column):
		return 1
	case x.shared != nil:
		return min(x.shared(column), x.rows)
	}
	return x.rows
}

func (w *worker) query(q *sqlparts.Query) extent {
	for _, t := range q.With {
		if t.Query == nil {
			continue
		}
		x := extent{}
		if recurses(w.bound, t.Query, t) {
			x = w.recursive(t)
		} else {
			x = w.query(t.Query)
		}
		if len(t.Columns) > 0 {
			x.unique = ""
		}
		w.with[t] = x
	}
	x := w.body(q.Body)
	if q.Limit != nil {
		if n := ordinal(q.Limit.Count); n > 0 {
			x.rows = min(x.rows, float64(n))
		}
	}
	return x
}

// recursive returns the extent of a recursive query, from its maximum number of steps and the rows that each step may
// produce from one row.
func (w *worker) recursive(cte *sqlparts.CTE) extent {
	var out extent
	b, ok := cte.Query.Body.(*sqlparts.SetOp)
	if !ok {
		return out
	}
	for _, t := range b.Terms {
		if !recurses(w.bound, t, cte) {
			x := w.query(t)
			out.rows, out.work = out.rows+x.rows, out.work+x.work
			continue
		}
		w.with[cte] = extent{rows: 1}
		step := w.query(t)
		most, rows := maxSteps, max(1, out.rows)
		sum, joins := rows, false
		if s, ok := t.Body.(*sqlparts.Select); ok && len(s.From) > 1 {
			most, joins = maxJoinSteps, true
		}
		for range most {
			if joins {
				rows = min(rows*max(1, step.rows), maxStepRows)
			}
			sum += rows
		}
		out.work += sum * max(1, step.work/max(1, step.rows))
		out.rows = sum
	}
	return out
}

func (w *worker) body(n sqlparts.Node) extent {
	var out extent
	switch b := n.(type) {
	case *sqlparts.Query:
		return w.query(b)
	case *sqlparts.SetOp:
		for _, t := range b.Terms {
			x := w.query(t)
			out.rows, out.work = out.rows+x.rows, out.work+x.work
		}
	case *sqlparts.Values:
		out.rows = float64(len(b.Rows))
		out.work = out.rows
	case *sqlparts.Select:
		derived := map[*sqlparts.Query]bool{}
		out = w.sources(b.From, derived)
		inner := 0.0
		sqlparts.Walk(b, func(n sqlparts.Node) bool {
			q, ok := n.(*sqlparts.Query)
			if ok && !derived[q] {
				inner += w.query(q).work
			}
			return !ok
		})
		out.work += max(1, out.rows) * (1 + inner)
		out.unique, out.shared = "", passed(b, out.shared)
		aggregates := 0
		for _, it := range b.Items {
			walkSelect(it.Expr, func(call *sqlparts.Call) {
				if isAggregate(call) {
					aggregates++
				}
			})
		}
		switch {
		case b.Group == nil && aggregates > 0:
			out.rows = min(out.rows, 1)
		case b.Group != nil && len(b.Group.Items) == 1:
			out.unique = uniqueItem(b)
		case b.Distinct && len(b.Items) == 1:
			out.unique = itemName(b.Items[0])
		}
	}
	return out
}

// passed returns a function for the maximum number of rows of a select with the same value of a result column, given
// that function for its source. It returns nil if that is unknown.
func passed(b *sqlparts.Select, shared func(string) float64) func(string) float64 {
	if shared == nil || b.Group != nil {
		return nil
	}
	return func(column string) float64 {
		for _, it := range b.Items {
			if col, ok := it.Expr.(*sqlparts.Column); ok && strings.EqualFold(itemName(it), column) {
				return shared(col.Name.Last().Text)
			}
			if _, star := it.Expr.(*sqlparts.Star); star && len(b.Items) == 1 {
				return shared(column)
			}
		}
		return math.Inf(1)
	}
}

// itemName returns the name of a select item; empty for an expression without a name.
func itemName(it *sqlparts.Item) string {
	if it.Alias.Text != "" {
		return it.Alias.Text
	}
	if col, ok := it.Expr.(*sqlparts.Column); ok {
		return col.Name.Last().Text
	}
	return ""
}

// uniqueItem returns the name of the result column with the only key that a select groups by, or "" if it does not
// select the key.
func uniqueItem(b *sqlparts.Select) string {
	key := b.Group.Items[0]
	if at := ordinal(key); at > 0 && at <= len(b.Items) {
		return itemName(b.Items[at-1])
	}
	col, ok := key.(*sqlparts.Column)
	if !ok {
		return ""
	}
	for _, it := range b.Items {
		of, plain := it.Expr.(*sqlparts.Column)
		if strings.EqualFold(it.Alias.Text, col.Name.Last().Text) ||
			plain && it.Alias.Text == "" && strings.EqualFold(of.Name.Last().Text, col.Name.Last().Text) {
			return itemName(it)
		}
	}
	return ""
}

// sources returns the extent of a FROM clause, including its subqueries, which it adds to derived.
func (w *worker) sources(list []*sqlparts.Source, derived map[*sqlparts.Query]bool) extent {
	out := extent{rows: 1}
	for i, src := range list {
		x := extent{}
		switch {
		case src.Nested != nil:
			x = w.sources(src.Nested, derived)
		case src.Query != nil:
			derived[src.Query] = true
			x = w.query(src.Query)
		default:
			x = w.table(src)
		}
		if src.Lateral {
			x.work *= max(1, out.rows)
		}
		out.work += x.work
		if i == 0 {
			out.rows, out.unique, out.shared = max(x.rows, 1), x.unique, x.shared
			continue
		}
		each := max(x.rows, 1) // rows for each row of the sources before it
		for _, column := range w.equalTo(src) {
			each = min(each, max(1, x.share(column)))
		}
		// A right or full join also keeps rows without a match.
		out.rows *= each
		out.unique, out.shared = "", nil
		if src.Join == sqlparts.RightJoin || src.Join == sqlparts.FullJoin {
			out.rows += x.rows
		}
	}
	return out
}

// equalTo returns the names of the columns of a joined source that the join condition equates with a value of other
// sources.
func (w *worker) equalTo(src *sqlparts.Source) []string {
	var out []string
	merged, _ := w.bound.Merged(src)
	for _, m := range merged {
		out = append(out, m.Name.Text)
	}
	// of returns the source of a column, or nil if it is not certain.
	of := func(c *sqlparts.Column) *sqlparts.Source {
		if ms, doubt := w.bound.Means(c); doubt == sqlparts.Sure && ms[0].Fields == 0 {
			return ms[0].Source
		}
		return nil
	}
	var look func(e sqlparts.Expr)
	look = func(e sqlparts.Expr) {
		switch e := e.(type) {
		case *sqlparts.Logic:
			if !e.Or {
				for _, a := range e.Args {
					look(a)
				}
			}
		case *sqlparts.List:
			if e.Kind == sqlparts.Tuple && len(e.Items) == 1 {
				look(e.Items[0].Expr)
			}
		case *sqlparts.Binary:
			if e.Op != "=" || e.Quantifier != "" {
				return
			}
			for _, side := range [][2]sqlparts.Expr{{e.L, e.R}, {e.R, e.L}} {
				col, ok := side[0].(*sqlparts.Column)
				if !ok || of(col) != src {
					continue
				}
				own := false
				sqlparts.Walk(side[1], func(n sqlparts.Node) bool {
					if other, ok := n.(*sqlparts.Column); ok {
						from := of(other)
						own = own || from == nil || from == src
					}
					return !own
				})
				if !own {
					out = append(out, col.Name.Last().Text)
				}
			}
		}
	}
	if src.On != nil {
		look(src.On)
	}
	return out
}

func (w *worker) table(src *sqlparts.Source) extent {
	r := w.bound.Reads(src)
	if r.CTE != nil {
		return w.with[r.CTE]
	}
	if r.Table == nil {
		return extent{}
	}
	t := w.tables[w.schema.tableOf(r.Table)]
	if t == nil {
		return extent{}
	}
	return extent{rows: float64(len(t.Rows)), shared: t.shares}
}

// shares returns the maximum number of rows of a table with the same value of a column. Strings that some collation
// treats as equal count as the same.
func (t *Rows) shares(column string) float64 {
	at := slices.IndexFunc(t.Columns, func(c *Column) bool { return strings.EqualFold(c.Name, column) })
	if at < 0 {
		return math.Inf(1)
	}
	times, most := map[string]int{}, 0
	for _, row := range t.Rows {
		if row[at].Kind == Null {
			continue
		}
		key := folded(row[at].String())
		if f, ok := row[at].float(); ok {
			key = realText(f)
		}
		times[key]++
		most = max(most, times[key])
	}
	return float64(most)
}
