package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// byLuck returns a finding if the results agree but the answer's query reads no data, or the queries, not proven
// equivalent, ask for different things and the result is one that many queries return: empty, NULL, 0, a small number,
// or one first row.
func byLuck(e *evidence) *found {
	q := e.queries()
	if e.queriesOnly || !q.given() {
		return nil
	}
	if len(q.gold.tables) > 0 && len(q.pred.tables) == 0 && readsNothing(q.pred) {
		return &found{text: "The answer's query reads no table: its values are written into it."}
	}
	what, why := e.vacuous(), ""
	if what != "" {
		why = q.asksOther()
	}
	if why == "" && e.gold.Rows() == 1 {
		what, why = "one row", q.otherFirst()
	}
	if why == "" {
		return nil
	}
	if e.proof() != nil {
		return nil
	}
	return &found{
		text: fmt.Sprintf("Both results are %s, which other queries give as well, and these ask for different things: %s.",
			what, why)}
}

// readsNothing reports whether a query that reads no table reads no other data either: its sources are only VALUES,
// nested queries, and functions that generate rows from their arguments.
func readsNothing(q *query) bool {
	return !slices.ContainsFunc(q.selects, func(s *sqlparts.Select) bool { return slices.ContainsFunc(s.From, reads) })
}

// reads reports whether a source other than a table may contain data that is not in the query's text.
func reads(s *sqlparts.Source) bool {
	switch {
	case len(s.Nested) > 0:
		return slices.ContainsFunc(s.Nested, reads)
	case s.Call != nil:
		return !makesRows[strings.ToLower(s.Call.Name.Last().Text)]
	}
	return s.FromString || s.Raw != nil // the rows of a nested query are examined there
}

// makesRows are functions whose rows are generated from their arguments alone.
var makesRows = map[string]bool{"unnest": true, "generate_series": true, "generate_array": true,
	"generate_date_array": true, "range": true, "explode": true, "flatten": true, "json_each": true, "string_split": true,
	"split_to_table": true}

// vacuous describes gold's result if it is empty or one row of NULLs, of zeros, false and empty strings, or of one
// integer from 1 to 9; else it returns "".
func (e *evidence) vacuous() string {
	switch {
	case e.gold.Rows() == 0:
		return "empty"
	case e.gold.Rows() > 1:
		return ""
	}
	zero, null := true, true
	for i := range e.gold.Columns {
		c := &e.gold.Columns[i]
		if c.IsNull(0) {
			continue
		}
		null = false
		switch {
		case c.Type == scoring.Bool:
			zero = zero && !c.Value(0).Bool()
		case c.Type.Numeric():
			zero = zero && isZero(c, 0)
		case c.Type == scoring.String:
			zero = zero && c.Text(0) == ""
		default:
			zero = false
		}
	}
	switch {
	case null:
		return "NULL"
	case zero:
		return "0 or empty"
	case len(e.gold.Columns) == 1 && e.gold.Columns[0].Type == scoring.Int64 && e.gold.Columns[0].Ints()[0] > 0 &&
		e.gold.Columns[0].Ints()[0] < 10:
		return "one small number"
	}
	return ""
}

// asksOther describes a difference that shows that the queries ask for different things; "" if it finds none.
func (q *queries) asksOther() string {
	for _, pair := range q.counterLiterals() {
		if letters(pair[0].literal) != letters(pair[1].literal) {
			return fmt.Sprintf("they compare %s with different values", part(pair[0].Column))
		}
	}
	if len(without(q.gold.tables, q.pred.tables)) > 0 && len(without(q.pred.tables, q.gold.tables)) > 0 {
		return "each reads a table that the other does not"
	}
	if why := q.otherAggregate(); why != "" {
		return why
	}
	for _, c := range q.pred.lone(q.gold) {
		if constant(c) {
			return "the answer's query has a condition on no column"
		}
	}
	if p := q.operators(func(g, p string) bool { return g != p }); p != nil {
		return fmt.Sprintf("they compare %s with the same value by different operators", part(p[0].Column))
	}
	if p := q.otherBound(); p != nil {
		return fmt.Sprintf("they compare %s with different bounds", part(p[0].Column))
	}
	if of, other := q.gold.filtersBy(q.pred),
		q.pred.filtersBy(q.gold); len(of) > 0 && len(other) > 0 && !kindred(of, other) {
		return fmt.Sprintf("gold filters by %s, the answer by %s", parts(of), parts(other))
	}
	if c := q.gold.loneLiteral(q.pred); c != nil {
		return "gold alone has the condition " + part(c.text)
	}
	if c := q.pred.loneLiteral(q.gold); c != nil {
		return "the answer alone has the condition " + part(c.text)
	}
	return ""
}

var bounds = wordSet("< <= > >=")

// otherBound returns a pair of conditions, one of each query only, that compare the same column with different
// bounds by the same operator.
func (q *queries) otherBound() *[2]condition {
	pred := q.pred.lone(q.gold)
	for _, g := range q.gold.lone(q.pred) {
		q.halt.Check()
		for _, p := range pred {
			if a, b := letters(g.literal), letters(p.literal); bounds[g.Operator] && g.Operator == p.Operator &&
				sameColumn(g.Column, p.Column) && a != "" && b != "" && !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) {
				return &[2]condition{g, p}
			}
		}
	}
	return nil
}

// filtersBy returns the columns in the query's filters that the other query does not name. It omits HAVING, IS NOT,
// join keys, and the aliases of computed columns.
func (q *query) filtersBy(other *query) (out []string) {
	named := map[string]bool{}
	sqlparts.Walk(other.query, func(n sqlparts.Node) bool {
		if c, ok := n.(*sqlparts.Column); ok {
			named[strings.ToLower(c.Name.Last().Text)] = true
		}
		return true
	})
	computed := map[string]bool{}
	for _, s := range q.selects {
		for _, it := range s.Items {
			if _, plain := it.Expr.(*sqlparts.Column); !plain && it.Alias.Text != "" {
				computed[strings.ToLower(it.Alias.Text)] = true
			}
		}
	}
	for _, c := range q.filters() {
		if c.late() || c.Operator == "is not" || c.Clause == sqlparts.OnClause && c.literal == "" {
			continue
		}
		for _, name := range columnNames(c.Expr) {
			if !named[name] && !computed[name] && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// kindred reports whether a column of a and one of b may be the same thing: ignoring words for a key or a name, the
// words of one are all in the other.
func kindred(a, b []string) bool {
	said := func(name string) []string {
		return slices.DeleteFunc(naming.Words(name), func(w string) bool { return identifying[w] })
	}
	return slices.ContainsFunc(a, func(x string) bool {
		g := said(x)
		return slices.ContainsFunc(b, func(y string) bool {
			p := said(y)
			return len(without(g, p)) == 0 || len(without(p, g)) == 0
		})
	})
}

// identifying are words of column names that mark a key or a name, such as id and title.
var identifying = wordSet("id ids key code no nr num number name uuid guid pk fk sk title label")

// loneLiteral returns the first condition of the query with a literal that is nowhere in the other query, on a column
// that the other query does not test; nil if there is none.
func (q *query) loneLiteral(other *query) *condition {
	literals := other.literals()
	for i := range q.conditions {
		if c := &q.conditions[i]; c.literal != "" && letters(c.literal) != "" && !literals[c.literal] && !other.holds(*c) &&
			!other.tests(*c) {
			return c
		}
	}
	return nil
}

// literals returns the text of each literal of a query.
func (q *query) literals() map[string]bool {
	all := map[string]bool{}
	sqlparts.Walk(q.query, func(n sqlparts.Node) bool {
		if l, ok := n.(*sqlparts.Literal); ok {
			all[l.Text] = true
		}
		return true
	})
	return all
}

// otherFirst describes two queries that both keep the first rows of an order, each by columns that the other neither
// sorts nor filters by; else it returns "". It ignores orders by COUNT.
func (q *queries) otherFirst() string {
	if !q.firsts() {
		return ""
	}
	g, p := q.gold.resolved(q.gold.query.Order()[0].Expr), q.pred.resolved(q.pred.query.Order()[0].Expr)
	of, other := columnNames(g), columnNames(p)
	if len(of) == 0 || len(other) == 0 || aggregateOf(g) == "count" || aggregateOf(p) == "count" || q.pred.looksAt(of) ||
		q.gold.looksAt(other) {
		return ""
	}
	return fmt.Sprintf("gold keeps the first row by %s, the answer by %s", part(q.gold.order[0].text),
		part(q.pred.order[0].text))
}

// looksAt reports whether a query sorts or filters by one of the given columns.
func (q *query) looksAt(columns []string) bool {
	return slices.ContainsFunc(columns, func(c string) bool {
		return q.asked[c] ||
			slices.ContainsFunc(q.query.Order(),
				func(o *sqlparts.OrderItem) bool { return slices.Contains(columnNames(q.resolved(o.Expr)), c) })
	})
}

// constant reports whether a condition contains no column, function call or nested query.
func constant(c condition) bool {
	found := false
	sqlparts.Walk(c.Expr, func(n sqlparts.Node) bool {
		switch n.(type) {
		case *sqlparts.Column, *sqlparts.Query, *sqlparts.Call:
			found = true
		}
		return !found
	})
	return !found
}

// adding are aggregates that can be rewritten as one another, such as COUNT as a SUM of ones.
var adding = wordSet("count sum total count_if countif sumif")

// otherAggregate describes two queries with one column each that show different aggregates, or the same one of
// different columns; else it returns "".
func (q *queries) otherAggregate() string {
	g, p := q.gold.item(0, 1), q.pred.item(0, 1)
	if g == nil || p == nil {
		return ""
	}
	f, h := aggregateOf(g), aggregateOf(p)
	if f == "" || h == "" || adding[f] && adding[h] && f != h {
		return ""
	}
	if f != h {
		return fmt.Sprintf("gold aggregates by %s, the answer by %s", strings.ToUpper(f), strings.ToUpper(h))
	}
	of, other := columnNames(g), columnNames(p)
	if f == "count" {
		gd, _ := q.gold.counts()
		if pd, _ := q.pred.counts(); gd == 0 || pd == 0 || len(of) == 0 || len(other) == 0 || kindred(of, other) {
			return ""
		}
		return fmt.Sprintf("gold counts different values of %s, the answer of %s", parts(of), parts(other))
	}
	if len(of) > 0 && len(other) > 0 && len(without(of, other)) == len(of) {
		return fmt.Sprintf("gold takes the %s of %s, the answer of %s", strings.ToUpper(f), parts(of), parts(other))
	}
	return ""
}

// columnNames returns the names of the columns in an expression, unqualified and in lower case.
func columnNames(x sqlparts.Expr) (names []string) {
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		if c, ok := n.(*sqlparts.Column); ok {
			names = append(names, strings.ToLower(c.Name.Last().Text))
		}
		return true
	})
	return names
}
