package sqlparts

import "strings"

// use is a set of the ways in which a statement uses the columns that have the same name.
type use uint8

const (
	useOther     use = 1 << iota // any other use
	usePassed                    // returned by a subquery or CTE under the same name
	useCompared                  // compared for equality with another column, or a key of GROUP BY or PARTITION BY
	useUnordered                 // an array or list whose element order has no effect
)

// usesOf returns the uses of the columns of a query by their lower-case names. all are the uses that stars make of
// every name.
func usesOf(q *Query) (uses map[string]use, all use) {
	uses = map[string]use{}
	last := map[*Select]bool{}
	lastSelects(q.Body, last)
	as := map[Node]use{}
	mark := func(e Expr, u use) {
		if named, ok := e.(*Named); ok {
			e = named.X
		}
		if _, ok := e.(*Column); ok {
			as[e] = u
		}
	}
	Walk(q, func(n Node) bool {
		switch n := n.(type) {
		case *Select:
			for _, it := range n.Items {
				c, ok := it.Expr.(*Column)
				star, isStar := it.Expr.(*Star)
				switch {
				case ok && !last[n] && (it.Alias.Text == "" || strings.EqualFold(it.Alias.Text, c.Name.Last().Text)):
					as[c] = usePassed
				case isStar && last[n]:
					all |= useOther
				case isStar && len(star.Rename) == 0:
					all |= usePassed
				case isStar:
					all |= useOther
				}
			}
		case *GroupBy:
			for _, e := range n.Items {
				mark(e, useCompared)
			}
		case *Window:
			for _, e := range n.Partition {
				mark(e, useCompared)
			}
		case *Binary:
			if _, ok := n.R.(*Column); ok && n.Op == "=" {
				if _, ok := n.L.(*Column); ok {
					mark(n.L, useCompared)
					mark(n.R, useCompared)
				}
			}
		case *Source:
			for _, id := range n.Using {
				uses[strings.ToLower(id.Text)] |= useCompared
			}
			if n.Call != nil && n.Offset.Text == "" {
				for _, e := range n.Call.Args {
					if named, ok := e.(*Named); ok {
						e = named.X
					}
					if c, ok := e.(*Call); ok && len(c.Args) > 0 &&
						(strings.EqualFold(c.Name.Last().Text, "split") || strings.EqualFold(c.Name.Last().Text, "flatten")) {
						e = c.Args[0]
						if named, ok := e.(*Named); ok {
							e = named.X
						}
						if c, ok := e.(*Call); ok && len(c.Args) > 0 && strings.EqualFold(c.Name.Last().Text, "split") {
							e = c.Args[0]
						}
					}
					mark(e, useUnordered)
				}
			}
		case *Call:
			if orderFree[strings.ToLower(n.Name.Last().Text)] {
				for _, e := range n.Args {
					mark(e, useUnordered)
				}
			}
		case *Column:
			u, ok := as[n]
			if !ok {
				u = useOther
			}
			uses[strings.ToLower(n.Name.Last().Text)] |= u
			if len(n.Name) > 1 { // a field of a column
				uses[strings.ToLower(n.Name[0].Text)] |= useOther
			}
		}
		return true
	})
	return uses, all
}

// usedOnly reports whether the call c is a column of a subquery or CTE and the statement uses columns of this name only
// in the ways of only.
func (r *dependenceReader) usedOnly(c *Call, only use) bool {
	name, ok := r.columns[c]
	if !ok {
		return false
	}
	if r.uses == nil {
		r.uses, r.all = usesOf(r.outer)
	}
	return (r.uses[strings.ToLower(name)]|r.all)&^only == 0
}

// lastSelects adds the selects whose columns the whole query returns: the select itself or all arms of a set operation.
func lastSelects(b Body, last map[*Select]bool) {
	switch b := b.(type) {
	case *Select:
		last[b] = true
	case *Query:
		lastSelects(b.Body, last)
	case *SetOp:
		for _, t := range b.Terms {
			lastSelects(t.Body, last)
		}
	}
}
