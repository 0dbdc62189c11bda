package sqlparts

import (
	"slices"
	"strings"
)

const saysBare = "is neither grouped by nor aggregated: it is taken from any row of its group, if they differ in it: group by it, or say which, such as the least"

// bare records columns of a grouped query that are neither grouped by nor aggregated. SQLite, and MySQL without
// ONLY_FULL_GROUP_BY, take them from one row of the group; SQLite takes the row of MIN or MAX if the query has one of
// these.
func (r *dependenceReader) bare(s *Select) {
	if r.dialect != SQLite && r.dialect != MySQL || len(s.From) == 0 {
		return
	}
	keys := r.groupOf(s)
	if s.Group != nil && len(keys) == 0 ||
		s.Group == nil && !slices.ContainsFunc(s.Items, func(it *Item) bool { return totals(it.Expr) }) {
		return
	}
	if chosen := extremes(s); r.dialect == SQLite && len(chosen) == 1 {
		keys = slices.Concat(keys, chosen)
	}
	known := r.keysKnown(s, keys)
	for _, it := range s.Items {
		Walk(it.Expr, func(n Node) bool {
			switch n := n.(type) {
			case *Query:
				return false
			case *Call:
				return n.Over == nil && !(len(n.Name) == 1 && IsAggregate(n.Name[0].Text))
			case *Column:
				if !inKeys(s, keys, n) && !r.settled(s, n, known) {
					r.add(OnTies, n, saysBare)
				}
			}
			return true
		})
	}
}

// extremes returns the arguments of MIN and MAX in a select list.
func extremes(s *Select) (args []Expr) {
	for _, it := range s.Items {
		Walk(it.Expr, func(n Node) bool {
			if c, ok := n.(*Call); ok && len(c.Name) == 1 && len(c.Args) == 1 && c.Over == nil {
				if name := strings.ToLower(c.Name[0].Text); name == "min" || name == "max" {
					args = append(args, c.Args[0])
				}
			}
			_, inside := n.(*Query)
			return !inside
		})
	}
	return args
}

// settled reports whether the known columns determine the value of column c, so that it is the same in all rows of a
// group.
func (r *dependenceReader) settled(s *Select, c *Column, known *keyNames) bool {
	if slices.ContainsFunc(known.names, func(n Name) bool { return sameColumn(n, c.Name) }) {
		return true
	}
	if c.Name[0].Quoted && r.dialect == SQLite && len(c.Name) == 1 && !r.mayHave(s, c.Name[0].Text) {
		return true // a string
	}
	fixed := func(src *Source) bool { return r.sourceFixed(src, known) }
	for _, src := range s.From {
		of := len(c.Name) > 1 && strings.EqualFold(sourceName(src), c.Name[len(c.Name)-2].Text)
		if (of || len(c.Name) == 1 && r.stated(src, c.Name[0].Text)) && fixed(src) {
			return true
		}
	}
	return len(c.Name) == 1 && !slices.ContainsFunc(s.From, func(src *Source) bool { return !fixed(src) })
}

// mayHave reports whether a source of a select may have a column of that name: the schema lists it, or does not know
// the source.
func (r *dependenceReader) mayHave(s *Select, column string) bool {
	return slices.ContainsFunc(s.From, func(src *Source) bool {
		t := r.tableOf(src)
		return t == nil || r.stated(src, column)
	})
}

// stated reports whether the schema states that a source has the column.
func (r *dependenceReader) stated(s *Source, column string) bool {
	t := r.tableOf(s)
	return t != nil &&
		slices.ContainsFunc(t.Columns, func(c *ColumnDef) bool { return strings.EqualFold(c.Name.Text, column) })
}

// tableOf returns the schema's table that a source reads; nil if it reads a CTE or anything else, or if the table's
// definition is uncertain.
func (r *dependenceReader) tableOf(s *Source) *Table {
	if len(s.Table) == 0 || r.schema.Doubt != "" || len(s.Columns) > 0 ||
		slices.ContainsFunc(r.scope,
			func(c *CTE) bool { return len(s.Table) == 1 && strings.EqualFold(c.Name.Text, s.Table[0].Text) }) {
		return nil
	}
	for _, t := range r.schema.Tables {
		if may, _ := r.dialect.SameTable(t.Name, s.Table); may && t.Doubt == "" {
			return t
		}
	}
	return nil
}
