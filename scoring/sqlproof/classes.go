package sqlproof

import (
	"maps"
	"slices"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// classes replaces columns that inner joins require to be equal by one expression for all of them. Equal values are
// identical if both columns have the same type; without a schema, columns with the same name are assumed to have the
// same type. It leaves out types in which different values may be equal, as in collations that ignore case.
func (n *normalizer) classes(q *block) {
	for _, t := range q.terms {
		n.classes(t)
	}
	for _, s := range q.sources() {
		if s.block != nil {
			n.classes(s.block)
		}
	}
	q.all(func(e **expr) {
		(*e).each(func(x *expr) bool {
			if x.sub != nil {
				n.classes(x.sub)
			}
			return true
		})
	})
	class := map[string]*[]*expr{}
	var where []*expr
	for _, c := range q.where {
		n.schema.Halt.Check()
		if c.op != "=" || !n.oneType(c.args[0], c.args[1]) || !slices.Contains(q.core, c.args[0].src) ||
			!slices.Contains(q.core, c.args[1].src) {
			where = append(where, c)
			continue
		}
		a, b := class[c.args[0].id()], class[c.args[1].id()]
		if a == nil {
			a = &[]*expr{c.args[0]}
			class[c.args[0].id()] = a
		}
		if b == nil {
			b = &[]*expr{c.args[1]}
			class[c.args[1].id()] = b
		}
		if a != b {
			*a = append(*a, *b...)
			for _, e := range *b {
				class[e.id()] = a
			}
		}
	}
	if len(class) == 0 {
		return
	}
	q.where = where
	change := func(e *expr) *expr {
		if e.op == opColumn {
			if m := class[e.id()]; m != nil {
				return node("same", *m...)
			}
		}
		return e
	}
	q.replace(change)
	done := map[*[]*expr]bool{}
	for _, id := range slices.Sorted(maps.Keys(class)) {
		if m := class[id]; !done[m] && len(*m) > 1 {
			done[m] = true
			q.where = append(q.where, node("equal", *m...))
		}
	}
}

// oneType reports whether two different columns of base tables have the same type and equal values of this type are
// identical.
func (n *normalizer) oneType(a, b *expr) bool {
	if a.op != opColumn || b.op != opColumn || a.src == b.src && a.text == b.text || n.nullable[a.src] ||
		n.nullable[b.src] || a.src.table == "" || b.src.table == "" {
		return false
	}
	folds := n.Dialect == sqlparts.MySQL || n.Dialect == sqlparts.TSQL || n.Dialect == sqlparts.Redshift
	ac, known := n.column(a)
	bc, known2 := n.column(b)
	if known && known2 {
		at, bt := n.schema.Type(ac), n.schema.Type(bc)
		if at == "" || n.typeName(at) != n.typeName(bt) || n.special(a) || n.special(b) ||
			!n.oneForm(at, folds || n.Dialect == sqlparts.Generic) {
			return false
		}
		n.relies[ac.Table+"."+ac.Name+" and "+bc.Table+"."+bc.Name+" are "+at] = true
		return true
	}
	if folds || n.schema.Stated || a.text != b.text {
		return false
	}
	n.relies["columns "+a.text+" have one type"] = true
	return true
}

// oneForm reports whether equal values of a type are identical. They are not for decimals, 1.0 and 1.00, and for
// strings that are padded or, if folds is set, compared without regard to case.
func (n *normalizer) oneForm(typ string, folds bool) bool {
	switch familyOf(typ, n.Dialect) {
	case narrowInt, wideInt, temporal:
		return true
	case decimalNumber: // also whole numbers of Snowflake, and all numbers of SQLite
		return n.Dialect == sqlparts.Snowflake || n.Dialect == sqlparts.BigQuery || n.Dialect == sqlparts.SQLite
	case textual:
		switch typ {
		case "char", "character", "bpchar", "nchar":
			return n.Dialect == sqlparts.SQLite || n.Dialect == sqlparts.DuckDB || n.Dialect == sqlparts.Snowflake
		}
		return !folds
	case otherType:
		return typ == "uuid" || typ == "bool" || typ == "boolean"
	default:
		return false
	}
}
