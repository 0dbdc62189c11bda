package sqlparts

// Walk calls visit for n and, if visit returns true, for everything inside n, in the order of the text as far as
// the tree preserves it. It skips nil nodes. The depth of the recursion is bounded by the depth of the tree.
func Walk(n Node, visit func(Node) bool) {
	w := walker{visit}
	w.node(n)
}

type walker struct{ visit func(Node) bool }

// node visits a node and everything inside it. n may be nil, but not a nil pointer of a type other than *Query.
func (w walker) node(n Node) {
	switch n := n.(type) {
	case nil:
	case *Query:
		w.query(n)
	case *Select:
		w.sel(n)
	case *SetOp:
		if w.visit(n) {
			for _, q := range n.Terms {
				w.query(q)
			}
		}
	case *Values:
		if w.visit(n) {
			for _, row := range n.Rows {
				w.exprs(row)
			}
		}
	case *Source:
		w.source(n)
	case *Item:
		if w.visit(n) {
			w.node(n.Expr)
		}
	case *OrderItem:
		if w.visit(n) {
			w.node(n.Expr)
		}
	case *Pivot:
		if w.visit(n) {
			w.items(n.Values)
			w.exprs(n.For)
			w.items(n.In)
			w.exprs(n.Group)
		}
	case *Recognize:
		if w.visit(n) {
			w.exprs(n.Partition)
			w.orders(n.OrderBy)
			w.items(n.Measures)
			w.items(n.Define)
		}
	case *GroupBy:
		if w.visit(n) {
			w.exprs(n.Items)
		}
	case *WindowDef:
		if w.visit(n) && n.Window != nil {
			w.node(n.Window)
		}
	case *Window:
		if w.visit(n) {
			w.exprs(n.Partition)
			w.orders(n.OrderBy)
		}
	case *CTE:
		if w.visit(n) {
			w.query(n.Query)
			if n.Write != nil {
				w.node(n.Write)
			}
		}
	case *Statement:
		if w.visit(n) {
			w.query(n.Query)
		}
	case *Limit:
		if w.visit(n) {
			w.node(n.Count)
			w.node(n.Offset)
		}
	case Expr:
		w.expr(n)
	}
}

func (w walker) query(q *Query) {
	if q == nil || !w.visit(q) {
		return
	}
	for _, c := range q.With {
		w.node(c)
	}
	if q.Body != nil {
		w.node(q.Body)
	}
	w.orders(q.OrderBy)
	if q.Limit != nil {
		w.node(q.Limit)
	}
}

func (w walker) sel(s *Select) {
	if !w.visit(s) {
		return
	}
	w.exprs(s.DistinctOn)
	w.items(s.Items)
	for _, src := range s.From {
		w.source(src)
	}
	w.node(s.Where)
	if s.Group != nil {
		w.node(s.Group)
	}
	w.node(s.Having)
	w.node(s.Qualify)
	for _, d := range s.Windows {
		w.node(d)
	}
	w.exprs(s.Connect)
	w.exprs(s.Extra)
}

func (w walker) source(s *Source) {
	if !w.visit(s) {
		return
	}
	w.query(s.Query)
	if s.Call != nil {
		w.node(s.Call)
	}
	for _, n := range s.Nested {
		w.source(n)
	}
	if s.Raw != nil {
		w.node(s.Raw)
	}
	w.node(s.Version)
	w.node(s.Sample)
	for _, p := range s.Pivots {
		w.node(p)
	}
	if s.Recognize != nil {
		w.node(s.Recognize)
	}
	w.node(s.Match)
	w.node(s.On)
}

func (w walker) exprs(list []Expr) {
	for _, e := range list {
		w.node(e)
	}
}

func (w walker) items(list []*Item) {
	for _, it := range list {
		w.node(it)
	}
}

func (w walker) orders(list []*OrderItem) {
	for _, o := range list {
		w.node(o)
	}
}

func (w walker) expr(e Expr) {
	if !w.visit(e) {
		return
	}
	switch e := e.(type) {
	case *Star:
		w.node(e.Qualifier)
		w.items(e.Replace)
		w.items(e.Rename)
		w.node(e.Like)
	case *Logic:
		w.exprs(e.Args)
	case *Unary:
		w.node(e.X)
	case *Binary:
		w.node(e.L)
		w.node(e.R)
	case *In:
		w.node(e.X)
		w.exprs(e.List)
		w.query(e.Query)
		w.node(e.Of)
	case *Between:
		w.node(e.X)
		w.node(e.Low)
		w.node(e.High)
	case *Like:
		w.node(e.X)
		w.node(e.Pattern)
		w.node(e.Escape)
	case *Is:
		w.node(e.X)
		w.node(e.What)
	case *Exists:
		w.query(e.Query)
	case *Case:
		w.node(e.X)
		for _, b := range e.Whens {
			w.node(b.Cond)
			w.node(b.Then)
		}
		w.node(e.Else)
	case *Cast:
		w.node(e.X)
		w.node(e.Format)
	case *Subquery:
		w.query(e.Query)
	case *Call:
		w.exprs(e.Args)
		w.orders(e.OrderBy)
		w.node(e.Limit)
		w.node(e.Having)
		w.orders(e.Within)
		w.node(e.Filter)
		if e.Over != nil {
			w.node(e.Over)
		}
	case *Interval:
		w.node(e.X)
	case *List:
		w.items(e.Items)
	case *Index:
		w.node(e.X)
		w.node(e.I)
		w.node(e.To)
	case *Field:
		w.node(e.X)
	case *Path:
		w.node(e.X)
	case *Named:
		w.node(e.X)
	case *Lambda:
		w.node(e.X)
	case *Alias:
		w.node(e.X)
	case *Special:
		w.exprs(e.Args)
	case *Grouping:
		w.exprs(e.Args)
	}
}
