package counterexample

import (
	"cmp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// inferPasses is the number of passes over both queries to infer the tables, since a fact about a column in one query
// may resolve an ambiguity in the other.
const inferPasses = 5

// infer returns a schema that is inferred from the two queries. A column has the kind of the values that it is
// compared and computed with. It is assumed to be the key of its table if its name shows it, and to refer to a key
// that it is joined with. If two columns are joined and neither is a key by its name, one of them is unique in each
// database. Without these assumptions, most pairs would be refuted by databases that do not occur.
//
// A name without a table may be a column of several tables. If no other occurrence resolves it, it is assigned to
// the first of them, or to the last.
func infer(of *search, last bool) *Schema {
	d, s := of.dialect, &Schema{Inferred: true, tables: map[*sqlparts.BoundTable]*Table{}}
	v := of.learn(s, last)
	for _, t := range s.Tables {
		for _, col := range t.Columns {
			name := strings.ToLower(col.Name)
			if hidden(name) && name != elementName {
				continue
			}
			key := keyName(t.Name, name) && !t.element
			if col.Kind == Null {
				for _, m := range v.group(col) {
					if m.Kind != Null {
						col.Kind, col.Shape = m.Kind, m.Shape
					}
				}
			}
			if col.Kind == Null {
				col.Kind = Text
				if name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(col.Name, "Id") ||
					strings.HasSuffix(col.Name, "ID") {
					col.Kind = Int
				}
			}
			if d == sqlparts.SQLite {
				col.affinity = numericAffinity
				if col.Kind == Text {
					col.affinity = textAffinity
				}
			}
			if key {
				col.NotNull = true
				t.Unique = append(t.Unique, []*Column{col})
			}
		}
	}
	for _, t := range s.Tables {
		for _, col := range t.Columns {
			if col.key() || t.element {
				continue
			}
			for _, m := range v.group(col) {
				if m.table != t && m.key() && m.Kind == col.Kind {
					t.Foreign = append(t.Foreign, Foreign{Columns: []*Column{col}, To: m.table, Target: []*Column{m}})
					break
				}
			}
		}
	}
	for _, t := range s.Tables {
		for _, col := range t.Columns {
			col.used = false
			for _, m := range v.group(col) {
				if m.table.Name < t.Name && !m.key() && !col.key() && !m.table.element && !t.element {
					s.either = append(s.either, [2]*Column{m, col})
				}
			}
		}
	}
	return s
}

// learn translates both queries several times to learn facts that the schema does not state. It adds unknown tables
// and columns to the schema into, and returns the facts about values.
func (s *search) learn(into *Schema, last bool) *values {
	v := newValues()
	for pass := range inferPasses {
		for i, q := range s.trees {
			c := &transpiler{ctx: s.ctx, dialect: s.dialect, schema: into, values: v, declarations: s.declared[i], learn: true,
				settle: pass >= 2, lastOfAll: last}
			_, _ = c.translate(s.scripts[i], q)
		}
	}
	return v
}

// learnFields adds the fields of semi-structured columns to the schema, with kinds learned from both queries, since
// no schema declares them.
func (s *search) learnFields(last bool) {
	v := s.learn(s.schema, last)
	for _, t := range s.schema.Tables {
		for _, col := range t.Columns {
			if col.Kind == Null {
				for _, m := range v.group(col) {
					if m.Kind != Null {
						col.Kind, col.Shape = m.Kind, m.Shape
					}
				}
			}
			if col.Kind == Null {
				col.Kind = Text
			}
			col.used = false
		}
		t.read = false
	}
}

// keyName reports whether a column is named id, or as its table in the singular or plural followed by id, such as
// customer_id in customers.
func keyName(table, column string) bool {
	if column == "id" {
		return true
	}
	rest, ok := strings.CutSuffix(column, "id")
	rest, table = strings.TrimRight(rest, "_"), strings.ToLower(table)
	return ok && rest != "" &&
		(rest == table || rest+"s" == table || rest+"es" == table || strings.TrimSuffix(rest, "y")+"ies" == table)
}

// group returns the columns that share values with c, including c, sorted by name.
func (v *values) group(c *Column) []*Column {
	d := v.domain(c)
	var out []*Column
	for m := range v.of {
		if v.domain(m) == d {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *Column) int {
		return strings.Compare(a.table.Name+"."+a.Name, b.table.Name+"."+b.Name)
	})
	return out
}

// learnKind sets the kind of a column, if it is not known yet, to the kind k of the value that it is compared or
// computed with. For an expression of unknown kind it sets that of the columns in it.
func (c *transpiler) learnKind(x expr, k Kind) {
	if !c.learn || x.kind != Null || k == Null || k == Nested || k == List {
		return
	}
	columns := x.near
	if x.column != nil {
		columns = []*Column{x.column}
	}
	for _, col := range columns {
		if col.Kind != Null {
			continue
		}
		if col.Kind = k; k == Date && c.dialect == sqlparts.SQLite {
			col.Kind, col.Shape = Text, dateText
		}
	}
}

// open returns the tables of a source whose columns are not all known: a name may be a column of any of them.
func (src *source) open() []*Table {
	if src.table != nil {
		return []*Table{src.table}
	}
	if src.element != nil {
		if t := src.element.table; t.Column(elementName) == nil || t.structured("") {
			return []*Table{t}
		}
		return nil // the element is neither a structure nor an array
	}
	for _, o := range src.columns {
		if o.rest != nil {
			return o.rest
		}
	}
	return nil
}

// learnElements records arrays whose elements a select reads as plain values, not as structures.
func (c *transpiler) learnElements(s *scope, b *sqlparts.Select) {
	for _, src := range s.sources {
		if src.element == nil {
			continue
		}
		sqlparts.Walk(b, func(n sqlparts.Node) bool {
			if from, ok := n.(*sqlparts.Source); ok && from.Call != nil { // the array may have the same name as its elements
				return false
			}
			if col, ok := n.(*sqlparts.Column); ok && len(col.Name) == 1 {
				if ms, _ := c.bound.Means(col); len(ms) > 0 && ms[0].Kind == sqlparts.RowOfSource && ms[0].Source == src.of {
					c.within(*src.element)
				}
			}
			return true
		})
	}
}

// learnColumn adds a column that a query reads to the inferred tables of a source and returns it. It returns nil if
// no table of the source may have it.
func (c *transpiler) learnColumn(src *source, name string) *output {
	var first *Column
	for _, t := range src.open() {
		if hidden(name) || t.Column(name) == nil && !c.schema.Inferred && (!t.element || t.fixed) {
			return nil
		}
		col := t.Column(name)
		if col == nil {
			if len(t.Columns) >= maxColumns {
				return nil
			}
			col = &Column{Name: name, table: t}
			t.Columns = append(t.Columns, col)
			t.dotted = t.dotted || strings.Contains(name, ".")
		}
		if first == nil {
			first = col
		} else {
			c.values.join(first, col)
		}
	}
	if first == nil {
		return nil
	}
	alias := src.alias
	if src.element != nil {
		alias = src.element.alias
	}
	o := columnOutput(cmp.Or(alias, "r"), first)
	o.nest = &nest{table: first.table, path: name, alias: cmp.Or(alias, "r")}
	src.columns = append(src.columns, o)
	return &src.columns[len(src.columns)-1]
}

// maxColumns is the maximum number of columns that are inferred for one table.
const maxColumns = 200
