package relation

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// queries are the two queries as far as they are known. A side is nil where its query is not given
// or is none.
type queries struct{ gold, pred *query }

// query is what the relations read off a query: its final SELECT, and facts about all of them,
// subqueries and common table expressions included.
type query struct {
	query *sqlparts.Query
	final *sqlparts.Select // the SELECT that the rows come from; nil where it is a set operation
	parts sqlparts.Components

	selects    []*sqlparts.Select
	conditions []condition
	asked      map[string]bool // names in the conditions, in lower case
	calls      []call
	order      []orderKey // of the query as a whole
	limit      int64
	limited    bool // limit is known
	cut        bool // some limit, known or not
	tables     []string
	divides    int // divisions
	intersects bool
	excepts    bool
	unites     bool
	outer      bool // an outer join
	ors        int  // chains of OR, and IN lists
	windows    bool
}

// condition is an atomic condition of WHERE, HAVING, QUALIFY or ON.
type condition struct {
	text    string // normal form of the whole
	column  string // normal form of the side with columns
	op      string
	value   string // normal form of the other side
	literal string // the value where that is one literal; else ""
	str     bool   // the literal is a string
	having  bool
}

type call struct {
	name     string // lower case
	distinct bool
	args     string // normal form
	over     bool
}

type orderKey struct {
	text       string // normal form, aliases and positions resolved
	desc       bool
	aggregated bool
}

// queries reads the two queries, once.
func (e *evidence) queries() *queries {
	if e.q == nil {
		e.q = &queries{gold: readQuery(e.GoldSQL, e.Dialect), pred: readQuery(e.PredSQL, e.Dialect)}
	}
	return e.q
}

// both tells whether both queries are known.
func (q *queries) both() bool { return q.gold != nil && q.pred != nil }

func readQuery(sql, dialect string) *query {
	if strings.TrimSpace(sql) == "" {
		return nil
	}
	final := sqlparts.Parse(sql, sqlparts.DialectOf(dialect)).Final()
	if final == nil {
		return nil
	}
	q := &query{query: final, parts: sqlparts.Extract(final)}
	q.final, _ = bodyOf(final).(*sqlparts.Select)
	q.tables = q.parts.Tables
	q.limit, q.limited = final.RowLimit()
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

// bodyOf is the body of a query without parentheses.
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
		q.addConditions(n.Where, false, false)
		q.addConditions(n.Having, true, false)
		q.addConditions(n.Qualify, true, false)
	case *sqlparts.Source:
		q.addConditions(n.On, false, false)
		switch n.Join {
		case sqlparts.LeftJoin, sqlparts.RightJoin, sqlparts.FullJoin:
			q.outer = true
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
	case *sqlparts.Binary:
		if n.Op == "/" || n.Op == "//" || n.Op == "div" {
			q.divides++
		}
	case *sqlparts.Logic:
		if n.Or {
			q.ors++
		}
	case *sqlparts.In:
		if len(n.List) > 1 && !n.Not {
			q.ors++
		}
	}
}

// addConditions takes a condition apart at AND, OR and NOT.
func (q *query) addConditions(x sqlparts.Expr, having, negated bool) {
	switch x := x.(type) {
	case nil:
		return
	case *sqlparts.Logic:
		for _, a := range x.Args {
			q.addConditions(a, having, negated)
		}
		return
	case *sqlparts.Unary:
		if x.Op == "not" {
			q.addConditions(x.X, having, !negated)
			return
		}
	}
	c := conditionOf(x, having)
	if negated {
		c.negate(x)
	}
	q.conditions = append(q.conditions, c)
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		if col, ok := n.(*sqlparts.Column); ok {
			if q.asked == nil {
				q.asked = map[string]bool{}
			}
			for _, id := range col.Name {
				q.asked[strings.ToLower(id.Text)] = true
			}
		}
		return true
	})
}

// negations are comparisons and what becomes of them under NOT.
var negations = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// negate makes the condition its opposite.
func (c *condition) negate(x sqlparts.Expr) {
	c.text = sqlparts.Normalized(&sqlparts.Unary{Op: "not", X: x})
	if o := negations[c.op]; o != "" {
		c.op = o
	} else if rest, ok := strings.CutPrefix(c.op, "not "); ok {
		c.op = rest
	} else if c.op != "" {
		c.op = "not " + c.op
	}
}

// mirrored are comparisons with their sides exchanged.
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func conditionOf(x sqlparts.Expr, having bool) condition {
	c := condition{text: sqlparts.Normalized(x), having: having}
	set := func(column, value sqlparts.Expr, op string) {
		c.column, c.op, c.value = sqlparts.Normalized(column), op, sqlparts.Normalized(value)
		if l := literalOf(value); l != nil {
			c.literal, c.str = l.Text, l.Kind == sqlparts.String
		}
	}
	switch x := x.(type) {
	case *sqlparts.Binary:
		op := string(x.Op)
		if mirrored[op] == "" || x.Quantifier != "" {
			break
		}
		l, r := x.L, x.R
		if literalOf(l) != nil && literalOf(r) == nil {
			l, r, op = r, l, mirrored[op]
		}
		set(l, r, op)
	case *sqlparts.Like:
		set(x.X, x.Pattern, not(x.Not)+string(x.Op))
	case *sqlparts.Between:
		c.column, c.op = sqlparts.Normalized(x.X), not(x.Not)+"between"
		c.value = sqlparts.Normalized(x.Low) + " and " + sqlparts.Normalized(x.High)
	case *sqlparts.In:
		c.column, c.op = sqlparts.Normalized(x.X), not(x.Not)+"in"
		if len(x.List) == 1 {
			set(x.X, x.List[0], map[bool]string{false: "=", true: "<>"}[x.Not])
		}
	case *sqlparts.Is:
		c.column, c.op, c.value = sqlparts.Normalized(x.X), "is", not(x.Not)+sqlparts.Normalized(x.What)
	}
	return c
}

func not(negated bool) string {
	if negated {
		return "not "
	}
	return ""
}

// literalOf is the string or number that an expression is. A double-quoted name is a string in
// dialects that let it be one: the reader of the schema would know, and no column is compared with
// its like where the other side is one; it is taken for a string where it is not made like a name.
func literalOf(x sqlparts.Expr) *sqlparts.Literal {
	switch x := x.(type) {
	case *sqlparts.Literal:
		if x.Kind == sqlparts.String || x.Kind == sqlparts.Number {
			return x
		}
	case *sqlparts.Cast:
		return literalOf(x.X)
	case *sqlparts.Unary:
		if l := literalOf(x.X); l != nil && x.Op == "-" && l.Kind == sqlparts.Number {
			return &sqlparts.Literal{Kind: sqlparts.Number, Text: "-" + l.Text}
		}
	case *sqlparts.Column:
		if len(x.Name) == 1 && x.Name[0].Quoted {
			return &sqlparts.Literal{Kind: sqlparts.String, Text: x.Name[0].Text}
		}
	}
	return nil
}

// resolved is what a sort key stands for: the item of that alias or position, or itself.
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
		if items := q.items(); x.Kind == sqlparts.Number && len(x.Text) == 1 && x.Text[0] >= '1' && int(x.Text[0]-'0') <= len(items) {
			return items[x.Text[0]-'1'].Expr
		}
	}
	return x
}

// items are the select list where it says which column is which; nil where a star is among them.
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

// item is the expression of a column of the result, nil where that is not known.
func (q *query) item(column, columns int) sqlparts.Expr {
	if items := q.items(); len(items) == columns {
		return items[column].Expr
	}
	return nil
}

func aggregated(x sqlparts.Expr) bool { return aggregateOf(x) != "" }

// aggregateOf is the name of the first aggregate function in an expression, subqueries left out.
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

// grouped tells whether the final SELECT groups its rows.
func (q *query) grouped() bool {
	return q.final != nil && q.final.Group != nil && (q.final.Group.All || len(q.final.Group.Items) > 0)
}

// aggregates tells whether the final SELECT makes one row of many without grouping.
func (q *query) aggregatesAll() bool {
	if q.final == nil || q.grouped() || len(q.final.Items) == 0 {
		return false
	}
	return slices.ContainsFunc(q.final.Items, func(it *sqlparts.Item) bool { return aggregated(it.Expr) })
}

// seeksExtremum tells whether the query keeps all rows that tie at an extremum: by a subquery with
// MAX or MIN, by ranks, or WITH TIES.
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

// restText is all of the query but its select list.
func (q *query) restText() string {
	var all []string
	for _, name := range sqlparts.ComponentList {
		if name != sqlparts.ComponentSelect && name != sqlparts.ComponentKeywords {
			all = append(all, strings.Join(q.parts.Set(name), ", "))
		}
	}
	return strings.Join(all, "; ")
}
