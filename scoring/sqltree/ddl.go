package sqltree

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// ReadSchema returns [SchemaOf] of DDL.
func ReadSchema(ddl string, d sqlparts.Dialect) *Schema { return SchemaOf(sqlparts.ReadSchema(ddl, d)) }

// SchemaOf returns the facts of a schema about its tables. Keys and foreign keys are included only if they are certain.
// If from has no tables, the result is not stated.
func SchemaOf(from *sqlparts.Schema) *Schema {
	s := &Schema{Stated: len(from.Tables) > 0, from: from}
	for _, def := range from.Tables {
		name := strings.ToLower(def.Name.Last().Text)
		if s.Tables[name] != nil { // names that differ by their schema or by case
			s.Tables[name].doubtful()
			continue
		}
		t := s.table(name)
		t.Name = def.Name
		t.state(def)
		if from.Doubt != "" || def.Doubt != "" {
			t.doubtful()
		}
	}
	return s
}

// state records the columns, types, keys and foreign keys of a definition.
func (t *Table) state(def *sqlparts.Table) {
	lower := func(c *sqlparts.ColumnDef) string { return strings.ToLower(c.Name.Text) }
	for _, c := range def.Columns {
		name := lower(c)
		t.add(name)
		if c.Alike {
			continue
		}
		t.special[name] = c.Note != ""
		t.notNull[name], t.stated[name] = c.NotNull, c.NotNull && c.Sure
		base, _, _ := strings.Cut(c.Type, "(")
		if words := strings.Fields(base); len(words) > 0 {
			t.types[name] = words[0]
		}
	}
	for _, k := range def.Keys {
		if !k.Sure {
			continue
		}
		if len(k.Columns) == 1 && !k.Columns[0].Alike {
			t.unique[lower(k.Columns[0])] = true
		}
		if k.Primary {
			for _, c := range k.Columns {
				t.Primary = append(t.Primary, lower(c))
			}
		}
	}
	for _, f := range def.Foreign {
		if f.Sure && len(f.Columns) == 1 && !f.Columns[0].Alike && !f.Target[0].Alike {
			t.foreign[lower(f.Columns[0])] = Column{strings.ToLower(f.To.Name.Last().Text), lower(f.Target[0])}
		}
	}
}

// doubtful removes all facts about the table except its columns, and marks these as uncertain.
func (t *Table) doubtful() {
	t.Doubtful, t.Primary = true, nil
	clear(t.unique)
	clear(t.notNull)
	clear(t.stated)
	clear(t.foreign)
	clear(t.types)
}
