package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlproof"
)

// queries holds the two parsed queries. One is nil if it is missing or not a query.
type queries struct {
	gold, pred *query
	halt       *halt.Signal
}

// query holds the facts of a query that the relations use: its final SELECT, and properties of all SELECTs, including
// subqueries and common table expressions.
type query struct {
	query *sqlparts.Query
	whole bool             // the parser read all of the text
	final *sqlparts.Select // the SELECT that returns the rows; nil if they come from a set operation or VALUES
	parts sqlparts.Components

	selects    []*sqlparts.Select
	conditions []condition
	asked      map[string]bool // names of columns and their qualifiers in conditions, in lower case
	tested     map[string]bool // names in tested expressions, such as CASE WHEN and FILTER, in lower case
	calls      []call
	order      []orderKey // sort keys of the outermost ORDER BY
	limit      int64
	limited    bool // limit is set: the query has a limit with a known number
	cut        bool // it has a limit, whose number may be unknown
	tables     []string
	divides    int // number of divisions
	intersects bool
	excepts    bool
	unites     bool
	outer      bool               // it has a LEFT, RIGHT or FULL join
	optional   []*sqlparts.Source // the sources joined by LEFT JOIN
	reversed   bool               // it has a RIGHT or FULL join
	ors        int                // number of chains of OR, and of IN lists with several values
	windows    bool
}

// condition is an atomic condition of WHERE, HAVING, QUALIFY or ON after plainConditions.
type condition struct {
	sqlparts.Predicate
	text    string // normalized text of the condition
	literal string // the value if it is a single literal, a string or a number; else ""
	str     bool   // the literal is a string
}

type call struct {
	name     string // lower case
	distinct bool
	args     string // normal form
	over     bool
}

type orderKey struct {
	text       string // normalized expression, with aliases and positions replaced by select items
	desc       bool
	aggregated bool
}

// queries returns the two queries. They are parsed once.
func (e *evidence) queries() *queries {
	if e.q == nil {
		e.q = &queries{gold: readQuery(e.script(e.GoldSQL)), pred: readQuery(e.script(e.PredSQL)), halt: e.Halt}
	}
	return e.q
}

// given reports whether both queries are known, even if only in part.
func (q *queries) given() bool { return q.gold != nil && q.pred != nil }

// both reports whether both queries are known in whole, so that a part that is not found in one is not in it.
func (q *queries) both() bool { return q.given() && q.gold.whole && q.pred.whole }

// script returns the parsed SQL text.
func (e *evidence) script(sql string) *sqlparts.Script {
	return e.Texts.Parse(sql, sqlparts.DialectOf(e.Dialect))
}

// proof returns why both queries are equivalent under the schema; nil if that is not proven.
func (e *evidence) proof() *sqlproof.Proof {
	gold, pred := e.bound()
	return sqlproof.Same(gold, pred, e.Halt)
}

// bound returns both queries with their names resolved against the schema.
func (e *evidence) bound() (gold, pred *sqlparts.Bound) {
	return e.Texts.Bind(e.Schema, e.GoldSQL, e.PredSQL, sqlparts.DialectOf(e.Dialect))
}

func readQuery(script *sqlparts.Script) *query {
	final := script.Final()
	if final == nil {
		return nil
	}
	final = plainConditions(final)
	q := &query{query: final, whole: len(script.Notes) == 0, parts: sqlparts.Extract(final)}
	q.final, _ = bodyOf(final).(*sqlparts.Select)
	q.tables = q.parts.Tables
	q.limit, q.limited = final.RowLimit()
	for _, p := range sqlparts.Predicates(final) {
		q.addCondition(p)
	}
	sqlparts.Walk(final, func(n sqlparts.Node) bool {
		q.note(n)
		return true
	})
	for _, o := range final.Order() {
		x := q.resolved(o.Expr)
		q.order = append(q.order, orderKey{text: sqlparts.Normalized(x), desc: o.Desc, aggregated: aggregated(x)})
	}
	for b := sqlparts.Body(final); ; {
		inner, ok := b.(*sqlparts.Query)
		if !ok {
			break
		}
		q.cut = q.cut || inner.Limit != nil && inner.Limit.Count != nil
		b = inner.Body
	}
	return q
}

// plainConditions returns the query with BETWEEN as two comparisons and IN of one value as an equality. It does not
// change q.
func plainConditions(q *sqlparts.Query) *sqlparts.Query {
	plain := true
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Between:
			plain = false
		case *sqlparts.In:
			plain = plain && len(n.List) != 1
		}
		return plain
	})
	if plain {
		return q
	}
	q = sqlparts.Clone(q)
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Select:
			n.Where, n.Having, n.Qualify = plainCondition(n.Where), plainCondition(n.Having), plainCondition(n.Qualify)
		case *sqlparts.Source:
			n.On = plainCondition(n.On)
		}
		return true
	})
	return q
}

func plainCondition(e sqlparts.Expr) sqlparts.Expr {
	either := func(negated bool, yes, no sqlparts.Op) sqlparts.Op {
		if negated {
			return no
		}
		return yes
	}
	switch e := e.(type) {
	case *sqlparts.Logic:
		for i, a := range e.Args {
			e.Args[i] = plainCondition(a)
		}
	case *sqlparts.Unary:
		if e.Op == "not" {
			e.X = plainCondition(e.X)
		}
	case *sqlparts.Between:
		if !e.Symmetric {
			return &sqlparts.Logic{Span: e.Span, Or: e.Not, Args: []sqlparts.Expr{
				&sqlparts.Binary{Span: e.Span, Op: either(e.Not, ">=", "<"), L: e.X, R: e.Low},
				&sqlparts.Binary{Span: e.Span, Op: either(e.Not, "<=", ">"), L: e.X, R: e.High},
			}}
		}
	case *sqlparts.In:
		if len(e.List) == 1 && e.Query == nil {
			return &sqlparts.Binary{Span: e.Span, Op: either(e.Not, "=", "<>"), L: e.X, R: e.List[0]}
		}
	}
	return e
}

// bodyOf returns the body of a query inside any parentheses.
func bodyOf(q *sqlparts.Query) sqlparts.Body {
	for {
		inner, ok := q.Body.(*sqlparts.Query)
		if !ok {
			return q.Body
		}
		q = inner
	}
}

func (q *query) note(n sqlparts.Node) {
	switch n := n.(type) {
	case *sqlparts.Select:
		q.selects = append(q.selects, n)
	case *sqlparts.Source:
		switch n.Join {
		case sqlparts.LeftJoin:
			q.outer, q.optional = true, append(q.optional, n)
		case sqlparts.RightJoin, sqlparts.FullJoin:
			q.outer, q.reversed = true, true
		}
	case *sqlparts.SetOp:
		for _, o := range n.Ops {
			switch o.Kind {
			case sqlparts.Intersect:
				q.intersects = true
			case sqlparts.Except:
				q.excepts = true
			case sqlparts.Union:
				q.unites = true
			}
		}
	case *sqlparts.Call:
		c := call{name: strings.ToLower(n.Name.Last().Text), distinct: n.Distinct, over: n.Over != nil}
		var args []string
		for _, a := range n.Args {
			args = append(args, sqlparts.Normalized(a))
		}
		c.args = strings.Join(args, ", ")
		if strings.Contains(c.name, "div") || strings.HasPrefix(c.name, "ratio") {
			q.divides++
		}
		q.windows = q.windows || c.over
		q.calls = append(q.calls, c)
		q.test(n.Filter)
		if testing[c.name] && len(n.Args) > 0 {
			q.test(n.Args[0])
		}
	case *sqlparts.Case:
		q.test(n.X)
		for _, b := range n.Whens {
			q.test(b.Cond)
		}
	case *sqlparts.Binary:
		switch n.Op {
		case "/", "//", "div":
			q.divides++
		case "=", "<>", "<", "<=", ">", ">=":
			q.test(n)
		}
	case *sqlparts.Logic:
		if n.Or {
			q.ors++
		}
	case *sqlparts.In:
		if len(n.List) > 1 && !n.Not {
			q.ors++
		}
		q.test(n.X)
	case *sqlparts.Between:
		q.test(n.X)
	case *sqlparts.Like:
		q.test(n.X)
	case *sqlparts.Is:
		q.test(n.X)
	}
}

// testing are functions whose first argument is a condition or a value that they compare.
var testing = wordSet("if iif iff countif count_if decode nullif bool_or bool_and every logical_or logical_and")

// test adds the names in x to q.tested.
func (q *query) test(x sqlparts.Expr) {
	if q.tested == nil {
		q.tested = map[string]bool{}
	}
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		if col, ok := n.(*sqlparts.Column); ok {
			for _, id := range col.Name {
				q.tested[strings.ToLower(id.Text)] = true
			}
		}
		return true
	})
}

func (q *query) addCondition(p sqlparts.Predicate) {
	c := condition{Predicate: p, text: p.String()}
	if p.Operator == "not" {
		c.text = "not " + p.Column
	}
	if values := p.Values(); len(values) == 1 {
		if l := literalOf(values[0]); l != nil {
			c.literal, c.str = l.Text, l.Kind == sqlparts.String
		}
	}
	q.conditions = append(q.conditions, c)
	if q.asked == nil {
		q.asked = map[string]bool{}
	}
	sqlparts.Walk(p.Expr, func(n sqlparts.Node) bool {
		if col, ok := n.(*sqlparts.Column); ok {
			for _, id := range col.Name {
				q.asked[strings.ToLower(id.Text)] = true
			}
		}
		return true
	})
}

// literalOf returns the literal that x is, if it is a string or a number; else nil.
func literalOf(x sqlparts.Expr) *sqlparts.Literal {
	if l := sqlparts.Constant(x); l != nil && (l.Kind == sqlparts.String || l.Kind == sqlparts.Number) {
		return l
	}
	return nil
}

// late reports whether the condition is in HAVING or QUALIFY.
func (c *condition) late() bool {
	return c.Clause == sqlparts.HavingClause || c.Clause == sqlparts.QualifyClause
}

// resolved returns the select item that a sort key refers to by alias or position, or the key itself.
func (q *query) resolved(x sqlparts.Expr) sqlparts.Expr {
	if q.final == nil {
		return x
	}
	switch x := x.(type) {
	case *sqlparts.Column:
		if len(x.Name) != 1 {
			return x
		}
		for _, it := range q.final.Items {
			if it.Alias.Text != "" && strings.EqualFold(it.Alias.Text, x.Name[0].Text) {
				return it.Expr
			}
		}
	case *sqlparts.Literal:
		if items := q.items(); x.Kind == sqlparts.Number && len(x.Text) == 1 && x.Text[0] >= '1' &&
			int(x.Text[0]-'0') <= len(items) {
			return items[x.Text[0]-'1'].Expr
		}
	}
	return x
}

// items returns the select list of the final SELECT; nil if it contains a star or is unknown.
func (q *query) items() []*sqlparts.Item {
	if q == nil || q.final == nil {
		return nil
	}
	for _, it := range q.final.Items {
		if _, star := it.Expr.(*sqlparts.Star); star {
			return nil
		}
	}
	return q.final.Items
}

// item returns the expression of a column of the result; nil if q is nil or its select list does not have the given
// number of columns.
func (q *query) item(column, columns int) sqlparts.Expr {
	if items := q.items(); len(items) == columns {
		return items[column].Expr
	}
	return nil
}

func aggregated(x sqlparts.Expr) bool { return aggregateOf(x) != "" }

// aggregateOf returns the name of the first aggregate function in an expression outside subqueries and windows, in
// lower case; "" if there is none.
func aggregateOf(x sqlparts.Expr) string {
	name := ""
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query:
			return false
		case *sqlparts.Call:
			if f := strings.ToLower(n.Name.Last().Text); name == "" && n.Over == nil && sqlparts.IsAggregate(f) {
				name = f
			}
		}
		return name == ""
	})
	return name
}

// grouped reports whether the final SELECT groups its rows.
func (q *query) grouped() bool {
	return q.final != nil && q.final.Group != nil && (q.final.Group.All || len(q.final.Group.Items) > 0)
}

// aggregatesAll reports whether the final SELECT aggregates without grouping, so that it returns one row.
func (q *query) aggregatesAll() bool {
	if q.final == nil || q.grouped() || len(q.final.Items) == 0 {
		return false
	}
	return slices.ContainsFunc(q.final.Items, func(it *sqlparts.Item) bool { return aggregated(it.Expr) })
}

// seeksExtremum reports whether the query may keep all rows that tie at an extremum: it has MAX, MIN or a limit in a
// subquery, a rank or MAX or MIN over a window, WITH TIES, or a comparison with ALL.
func (q *query) seeksExtremum() bool {
	for _, c := range q.calls {
		if c.over && (c.name == "rank" || c.name == "dense_rank" || c.name == "max" || c.name == "min") {
			return true
		}
	}
	if q.query.Limit != nil && q.query.Limit.WithTies {
		return true
	}
	for _, s := range q.selects {
		if s == q.final {
			continue
		}
		for _, it := range s.Items {
			switch aggregateOf(it.Expr) {
			case "max", "min":
				return true
			}
		}
	}
	// x = (SELECT … ORDER BY … LIMIT 1), >= ALL (SELECT …)
	found := false
	sqlparts.Walk(q.query, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Subquery:
			found = found || n.Query != nil && n.Query.Limit != nil
		case *sqlparts.Binary:
			found = found || n.Quantifier == "all"
		}
		return !found
	})
	return found
}

// restText returns the normalized text of all of the query except its select list.
func (q *query) restText() string {
	return q.textWithout(sqlparts.ComponentSelect, sqlparts.ComponentKeywords)
}

// rowsText returns the normalized text of all of the query except its select list and ORDER BY.
func (q *query) rowsText() string {
	return q.textWithout(sqlparts.ComponentSelect, sqlparts.ComponentKeywords, sqlparts.ComponentOrderBy)
}

func (q *query) textWithout(parts ...sqlparts.Component) string {
	var all []string
	for _, name := range sqlparts.ComponentList {
		if !slices.Contains(parts, name) {
			all = append(all, strings.Join(q.parts.Set(name), ", "))
		}
	}
	return strings.Join(all, "; ")
}

// readsAs reports whether both queries get their rows in the same way by their texts: the same tables, joins,
// conditions in any order, groups, subqueries and set operations. Their outermost select lists and sort keys may
// differ.
func (q *query) readsAs(o *query) bool {
	return q.rowsText() == o.rowsText() && q.unites == o.unites && q.intersects == o.intersects &&
		q.excepts == o.excepts && slices.Equal(q.readings(), o.readings())
}

// readings returns the text of each SELECT without its conditions, and of the outermost one without its select list,
// then the conditions of all of them; sorted.
func (q *query) readings() []string {
	var out []string
	for _, s := range q.selects {
		var parts []string
		add := func(what string, exprs ...sqlparts.Expr) {
			for _, e := range exprs {
				if e != nil {
					parts = append(parts, what+" "+sqlparts.Normalized(e))
				}
			}
		}
		if s.Distinct {
			parts = append(parts, "distinct")
		}
		add("distinct on", s.DistinctOn...)
		if s != q.final {
			for _, item := range s.Items {
				add("item", item.Expr)
			}
		}
		for _, from := range s.From {
			inner := from.Join == sqlparts.FirstSource || from.Join == sqlparts.CommaJoin || from.Join == sqlparts.InnerJoin ||
				from.Join == sqlparts.CrossJoin
			if !inner || from.Natural || from.Lateral { // an inner join is the same with its condition in WHERE
				parts = append(parts, fmt.Sprintf("join %d %v %v", from.Join, from.Natural, from.Lateral))
			}
			for _, column := range from.Using {
				parts = append(parts, "using "+strings.ToLower(column.Text))
			}
		}
		if s.Group != nil {
			add("group", s.Group.Items...)
		}
		slices.Sort(parts)
		out = append(out, "select "+strings.Join(parts, "; "))
	}
	for i := range q.conditions {
		out = append(out, "condition "+q.conditions[i].text)
	}
	slices.Sort(out)
	return out
}
