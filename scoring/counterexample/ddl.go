package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// ReadSchema returns the schema that DDL in a dialect defines, for the search.
func ReadSchema(ddl string, d sqlparts.Dialect) *Schema {
	return schemaOf(sqlparts.ReadSchema(ddl, d), d)
}

// schemaOf returns the tables of a schema with all constraints that the tables may have, even if uncertain, since
// generated databases must satisfy them.
func schemaOf(from *sqlparts.Schema, d sqlparts.Dialect) *Schema {
	s := &Schema{bad: from.Doubt, views: from.Views}
	if len(from.Other) > 0 {
		s.bad = from.Other[0]
	}
	tables := map[*sqlparts.Table]*Table{}
	s.stated = tables
	columns := map[*sqlparts.ColumnDef]*Column{}
	all := func(defs []*sqlparts.ColumnDef) (out []*Column) {
		for _, c := range defs {
			out = append(out, columns[c])
		}
		return out
	}
	for _, def := range from.Tables {
		t := &Table{Name: def.Name.Last().Text, Checks: def.Checks, bad: def.Doubt}
		if len(def.Other) > 0 {
			t.refuse(def.Other[0])
		}
		for _, c := range def.Columns {
			col := &Column{Name: c.Name.Text, Declared: c.Type, NotNull: c.NotNull, table: t}
			if s.nested(t, c.Name.Text, c.Type, d) {
				if strings.Contains(c.Name.Text, ".") {
					t.refuse("a structure with a point in its name")
				}
				columns[c] = col
				col.bad = "structures and arrays in a constraint"
				continue
			}
			t.dotted = t.dotted || strings.Contains(c.Name.Text, ".")
			col.typed(d)
			if base, _, _ := strings.Cut(c.Type, "("); slices.Contains(from.Types, strings.TrimSpace(base)) {
				col.bad = "values of type " + base
			}
			if c.Note != "" {
				col.bad = c.Note
			}
			if c.Alike { // names differ in the engine by more than case
				t.refuse("two columns of the name " + c.Name.Text)
			}
			columns[c] = col
			t.Columns = append(t.Columns, col)
		}
		for _, k := range def.Keys {
			t.Unique = append(t.Unique, all(k.Columns))
		}
		tables[def] = t
		s.Tables = append(s.Tables, t)
	}
	for _, def := range from.Tables {
		for _, f := range def.Foreign {
			t := tables[def]
			t.Foreign = append(t.Foreign, Foreign{Columns: all(f.Columns), To: tables[f.To], Target: all(f.Target)})
		}
	}
	return s
}

// nested adds the parts of a column with a structured type to t: the fields of a structure as columns, and an array
// as a table of its elements. It returns false for a column of any other type, or if the types of the fields are not
// declared.
func (s *Schema) nested(t *Table, path, declared string, d sqlparts.Dialect) bool {
	fields, element, ok := structured(declared, d)
	if !ok {
		return false
	}
	t.semi, t.fixed = true, true
	if element != "" {
		of := s.elements(t, path)
		of.fixed = true
		if !s.nested(of, "", element, d) {
			s.scalar(of, elementName, element, d)
		}
		return true
	}
	for _, f := range fields {
		name := under(path, f[0])
		if !s.nested(t, name, f[1], d) {
			s.scalar(t, name, f[1], d)
		}
	}
	return true
}

// scalar adds a column for a field that is neither a structure nor an array.
func (s *Schema) scalar(t *Table, path, declared string, d sqlparts.Dialect) {
	col := &Column{Name: path, Declared: declared, table: t}
	col.typed(d)
	t.Columns = append(t.Columns, col)
}

// structured parses a declared type: of a structure to its fields' names and types, or of an array to the type of its
// elements. ok is false for any other type.
func structured(declared string, d sqlparts.Dialect) (fields [][2]string, element string, ok bool) {
	declared = strings.TrimSpace(declared)
	inside := func(name, begin, end string) (string, bool) {
		rest, ok := strings.CutPrefix(declared, name)
		rest = strings.TrimSpace(rest)
		if !ok || !strings.HasPrefix(rest, begin) || !strings.HasSuffix(rest, end) {
			return "", false
		}
		return rest[1 : len(rest)-1], true
	}
	switch d {
	case sqlparts.BigQuery, sqlparts.Databricks:
		if of, ok := inside("array", "<", ">"); ok {
			return nil, strings.TrimSpace(of), strings.TrimSpace(of) != ""
		}
		list, ok := inside("struct", "<", ">")
		if !ok {
			return nil, "", false
		}
		fields, ok = fieldsOf(list)
		return fields, "", ok
	case sqlparts.DuckDB:
		if of, ok := strings.CutSuffix(declared, "[]"); ok {
			return nil, of, true
		}
		list, ok := inside("struct", "(", ")")
		if !ok {
			return nil, "", false
		}
		fields, ok = fieldsOf(list)
		return fields, "", ok
	}
	return nil, "", false
}

// fieldsOf returns the names and types of the fields in the declaration of a structure. They are separated by commas
// outside of brackets.
func fieldsOf(list string) (fields [][2]string, ok bool) {
	depth, from := 0, 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) {
			switch list[i] {
			case '<', '(':
				depth++
			case '>', ')':
				depth--
			}
			if list[i] != ',' || depth > 0 {
				continue
			}
		}
		name, kind, found := strings.Cut(strings.TrimSpace(list[from:i]), " ")
		if before, after, colon := strings.Cut(strings.TrimSpace(list[from:i]), ":"); colon &&
			!strings.ContainsAny(before, " <(") {
			name, kind, found = before, after, true
		}
		name = strings.Trim(name, "`\"")
		if !found || name == "" || strings.ContainsAny(name, ".<>()") {
			return nil, false
		}
		kind, _, _ = strings.Cut(kind, " options")
		kind = strings.TrimSuffix(strings.TrimSpace(kind), " not null")
		fields = append(fields, [2]string{name, strings.TrimSpace(kind)})
		from = i + 1
	}
	return fields, len(fields) > 0
}
