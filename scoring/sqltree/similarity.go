package sqltree

import "strings"

// Similarity returns the share of structure that two trees have in common, 0 to 1: the normalized pq-gram
// similarity (Augsten, Böhlen, Gamper 2005) with p = 2 and q = 1. A gram is a node with its parent and one of its
// children. The similarity is double the number of common grams, divided by the number of grams in both, as
// multisets. It approximates the tree edit distance in linear time and ignores the order of children.
func Similarity(a, b *Query) float64 {
	ga, na := gramsOf(a)
	gb, nb := gramsOf(b)
	both := 0
	for g, n := range ga {
		both += min(n, gb[g])
	}
	return 2 * float64(both) / float64(na+nb)
}

func gramsOf(q *Query) (map[string]int, int) {
	g := grams{count: map[string]int{}}
	g.query(q, "*")
	n := 0
	for _, c := range g.count {
		n += c
	}
	return g.count, n
}

type grams struct{ count map[string]int }

// node counts one gram for each of a node's children, or one with "*" if it has none.
func (g *grams) node(parent, label string, children []string) {
	if len(children) == 0 {
		children = []string{"*"}
	}
	for _, c := range children {
		g.count[strings.Join([]string{parent, label, c}, "\x00")]++
	}
}

func (g *grams) query(q *Query, parent string) {
	label := "select"
	if q.Set != "" {
		label = q.Set
	}
	var children []string
	clause := func(name string, list ...*Expr) {
		var below []string
		for _, e := range list {
			if e != nil {
				below = append(below, e.label())
			}
		}
		if len(below) == 0 {
			return
		}
		children = append(children, name)
		g.node(label, name, below)
		for _, e := range list {
			g.expr(e, name)
		}
	}
	for _, t := range q.Terms {
		children = append(children, "term")
		g.query(t, label)
	}
	if q.Distinct {
		children = append(children, "distinct")
	}
	clause("items", q.Items...)
	clause("where", conjuncts(q.Where)...)
	clause("group", q.Group...)
	clause("having", conjuncts(q.Having)...)
	clause("qualify", conjuncts(q.Qualify)...)
	clause("limit", q.Limit)
	clause("offset", q.Offset)
	clause("extra", q.Extra...)
	order := make([]*Expr, len(q.Order))
	for i, k := range q.Order {
		order[i] = &Expr{Op: "key", Text: map[bool]string{true: "desc", false: "asc"}[k.Desc], Args: []*Expr{k.Expr}}
	}
	clause("order", order...)
	for _, s := range q.From {
		children = append(children, "from")
		g.source(s, label)
	}
	g.node(parent, label, children)
}

func (g *grams) source(s *Source, parent string) {
	label := s.Join + " " + s.id
	var below []string
	if s.Query != nil {
		below = append(below, "query")
		g.query(s.Query, label)
	}
	for _, e := range append([]*Expr{s.Call}, append(conjuncts(s.On), s.Mods...)...) {
		if e != nil {
			below = append(below, e.label())
			g.expr(e, label)
		}
	}
	g.node(parent, label, below)
}

func (g *grams) expr(e *Expr, parent string) {
	if e == nil {
		return
	}
	label := e.label()
	var below []string
	for _, a := range e.Args {
		if a != nil {
			below = append(below, a.label())
			g.expr(a, label)
		}
	}
	if e.Query != nil {
		below = append(below, "query")
		g.query(e.Query, label)
	}
	g.node(parent, label, below)
}

func (e *Expr) label() string { return e.Op + ":" + e.Table + " " + e.Text }
