package sqlparts

import "strings"

// query writes a query.
func (p *printer) query(q *Query) {
	if q == nil {
		return
	}
	if len(q.With) > 0 {
		p.str("with ")
		if q.Recursive {
			p.str("recursive ")
		}
		for i, c := range q.With {
			if i > 0 {
				p.str(", ")
			}
			p.cte(c)
		}
		p.str(" ")
	}
	switch b := q.Body.(type) {
	case nil:
	case *Query:
		p.str("(")
		p.query(b)
		p.str(")")
	default:
		p.node(b)
	}
	p.orderBy(q.OrderBy)
	if l := q.Limit; l != nil {
		p.limit(l)
	}
}

func (p *printer) cte(c *CTE) {
	p.name(c.Name)
	if len(c.Columns) > 0 {
		p.str(" (")
		p.names(c.Columns)
		p.str(")")
	}
	p.str(" as (")
	if c.Write != nil {
		p.str(string(c.Write.Kind) + " ")
		p.dotted(c.Write.Target)
	}
	p.query(c.Query)
	p.str(")")
}

func (p *printer) limit(l *Limit) {
	if l.WithTies {
		if l.Offset != nil {
			p.str(" offset ")
			p.expr(l.Offset, precAssign)
		}
		p.str(" fetch first ")
		p.expr(l.Count, precAssign)
		if l.Percent {
			p.str(" percent")
		}
		p.str(" rows with ties")
		return
	}
	if l.Count != nil {
		p.str(" limit ")
		p.expr(l.Count, precAssign)
		if l.Percent {
			p.str(" percent")
		}
	}
	if l.Offset != nil {
		p.str(" offset ")
		p.expr(l.Offset, precAssign)
	}
}

var setWords = [...]string{Union: "union", Intersect: "intersect", Except: "except"}

func (p *printer) setOp(s *SetOp) { p.setTerms(s, len(s.Terms)) }

// setTerms writes the first n terms of a chain. If INTERSECT and other operators are in one chain, as in SQLite, it
// puts parentheses around the terms before the last operators of one kind, since INTERSECT binds tighter in other
// dialects.
func (p *printer) setTerms(s *SetOp, n int) {
	first := n - 1
	for first > 0 && (s.Ops[first-1].Kind == Intersect) == (s.Ops[n-2].Kind == Intersect) {
		first--
	}
	if first > 0 {
		p.str("(")
		p.setTerms(s, first+1)
		p.str(")")
	}
	for i, q := range s.Terms[:n] {
		if first > 0 && i <= first {
			continue
		}
		if i > 0 {
			o := s.Ops[i-1]
			p.str(" " + setWords[o.Kind])
			if o.All {
				p.str(" all")
			}
			if o.ByName {
				p.str(" by name")
			}
			p.str(" ")
		}
		if sel, ok := q.Body.(*Select); ok && len(q.With) == 0 && len(q.OrderBy) == 0 && q.Limit == nil {
			p.sel(sel)
			continue
		}
		if v, ok := q.Body.(*Values); ok && len(q.With) == 0 && len(q.OrderBy) == 0 && q.Limit == nil {
			p.values(v)
			continue
		}
		p.str("(")
		p.query(q)
		p.str(")")
	}
}

func (p *printer) values(v *Values) {
	p.str("values ")
	for i, row := range v.Rows {
		if i > 0 {
			p.str(", ")
		}
		p.str("(")
		p.exprs(row)
		p.str(")")
	}
}

func (p *printer) sel(s *Select) {
	p.str("select")
	if s.Distinct {
		p.str(" distinct")
		if len(s.DistinctOn) > 0 {
			p.str(" on (")
			p.exprs(s.DistinctOn)
			p.str(")")
		}
	}
	if s.As != "" {
		p.str(" as " + s.As)
	}
	for i, it := range s.Items {
		if i > 0 {
			p.str(",")
		}
		p.str(" ")
		p.item(it)
	}
	if len(s.Into) > 0 {
		p.str(" into ")
		p.dotted(s.Into)
	}
	for i, src := range s.From {
		if i == 0 {
			p.str(" from ")
		}
		p.source(src, i == 0)
	}
	p.clause(" where ", s.Where)
	if g := s.Group; g != nil {
		p.str(" group by ")
		if g.All {
			p.str("all")
		}
		if g.Distinct {
			p.str("distinct ")
		}
		p.exprs(g.Items)
	}
	p.clause(" having ", s.Having)
	p.clause(" qualify ", s.Qualify)
	for i, d := range s.Windows {
		if i == 0 {
			p.str(" window ")
		} else {
			p.str(", ")
		}
		p.name(d.Name)
		p.str(" as ")
		p.window(d.Window)
	}
	for _, e := range s.Connect {
		p.clause(" connect by ", e)
	}
	for i, e := range s.Extra {
		if i == 0 {
			p.str(" sort by ")
		} else {
			p.str(", ")
		}
		p.expr(e, precAssign)
	}
}

func (p *printer) clause(word string, e Expr) {
	if e != nil {
		p.str(word)
		p.expr(e, precAssign)
	}
}

var joinWords = [...]string{InnerJoin: "join", LeftJoin: "left join", RightJoin: "right join", FullJoin: "full join",
	CrossJoin: "cross join", SemiJoin: "semi join", AntiJoin: "anti join"}

// source writes a table expression, with its join's keywords or comma before it unless it is the first.
func (p *printer) source(s *Source, first bool) {
	switch {
	case first || s.Join == FirstSource:
	case s.Join == CommaJoin:
		p.str(", ")
	default:
		p.str(" ")
		if s.Natural {
			p.str("natural ")
		}
		if s.Asof {
			p.str("asof ")
		}
		if s.Positional {
			p.str("positional ")
		}
		p.str(joinWords[s.Join] + " ")
	}
	if s.Lateral {
		p.str("lateral ")
	}
	if s.Only {
		p.str("only ")
	}
	switch {
	case s.FromString:
		p.string(s.Table.Last().Text)
	case s.Table != nil:
		p.dotted(s.Table)
	case s.Query != nil:
		p.str("(")
		p.query(s.Query)
		p.str(")")
	case s.Call != nil:
		p.call(s.Call)
	case s.Nested != nil:
		p.str("(")
		for i, n := range s.Nested {
			p.source(n, i == 0)
		}
		p.str(")")
	case s.Raw != nil:
		p.str(s.Raw.Text)
	}
	if s.Version != nil {
		if r, ok := s.Version.(*Raw); ok {
			p.str(" " + r.Text)
		} else {
			p.str(" for system_time as of ")
			p.expr(s.Version, precAtom)
		}
	}
	p.aliasOf(s.Alias, s.Columns)
	if s.Offset.Text != "" {
		p.str(" with offset as ")
		p.name(s.Offset)
	}
	if r, ok := s.Sample.(*Raw); ok {
		p.str(" " + r.Text)
	}
	for _, pv := range s.Pivots {
		p.pivot(pv)
	}
	if s.Recognize != nil {
		p.recognize(s.Recognize)
	}
	if s.Match != nil {
		p.str(" match_condition (")
		p.expr(s.Match, precAssign)
		p.str(")")
	}
	p.clause(" on ", s.On)
	if len(s.Using) > 0 {
		p.str(" using (")
		p.names(s.Using)
		p.str(")")
	}
}

func (p *printer) aliasOf(alias Ident, columns []Ident) {
	if alias.Text != "" || len(columns) > 0 {
		p.str(" as")
	}
	if alias.Text != "" {
		p.str(" ")
		p.name(alias)
	}
	if len(columns) > 0 {
		p.str(" (")
		p.names(columns)
		p.str(")")
	}
}

func (p *printer) items(list []*Item) {
	for i, it := range list {
		if i > 0 {
			p.str(", ")
		}
		p.item(it)
	}
}

func (p *printer) pivot(v *Pivot) {
	if v.Unpivot {
		p.str(" unpivot ")
		if v.IncludeNulls {
			p.str("include nulls ")
		}
	} else {
		p.str(" pivot ")
	}
	p.str("(")
	p.items(v.Values)
	if len(v.For) > 0 {
		p.str(" for ")
		if len(v.For) > 1 {
			p.str("(")
			p.exprs(v.For)
			p.str(")")
		} else {
			p.expr(v.For[0], precAtom)
		}
	}
	if len(v.In) > 0 {
		p.pivotIn(v)
	}
	if len(v.Group) > 0 {
		p.str(" group by ")
		p.exprs(v.Group)
	}
	p.str(")")
	p.aliasOf(v.Alias, v.Columns)
}

// pivotIn writes the list after IN.
func (p *printer) pivotIn(v *Pivot) {
	p.str(" in (")
	if len(v.In) == 1 {
		switch x := v.In[0].Expr.(type) {
		case *Subquery:
			p.query(x.Query)
		case *Star:
			p.str("any")
		default:
			p.items(v.In)
		}
	} else {
		p.items(v.In)
	}
	p.str(")")
}

func (p *printer) recognize(r *Recognize) {
	p.str(" match_recognize (")
	var parts []string
	add := func(word string, write func()) {
		at := len(p.buf)
		p.str(word)
		write()
		parts = append(parts, string(p.buf[at:]))
		p.buf = p.buf[:at]
	}
	if len(r.Partition) > 0 {
		add("partition by ", func() { p.exprs(r.Partition) })
	}
	if len(r.OrderBy) > 0 {
		add("", func() { p.orderBy(r.OrderBy) })
	}
	if len(r.Measures) > 0 {
		add("measures ", func() { p.items(r.Measures) })
	}
	if r.Pattern != "" {
		add(r.Pattern, func() {})
	}
	if len(r.Define) > 0 {
		add("define ", func() {
			for i, it := range r.Define {
				if i > 0 {
					p.str(", ")
				}
				p.name(it.Alias)
				p.str(" as ")
				p.expr(it.Expr, precAssign)
			}
		})
	}
	p.str(strings.Join(parts, " "))
	p.str(")")
	p.aliasOf(r.Alias, nil)
}
