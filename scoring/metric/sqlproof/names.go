package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// column resolves a name.
func (b *builder) column(c *sqlparts.Column, sc *scope) *expr {
	b.schema.Halt.Check()
	if len(c.Name) == 1 {
		return b.unqualified(c.Name[0], sc)
	}
	for at := sc; at != nil; at = at.outer {
		for k := len(c.Name) - 1; k >= 1; k-- {
			e := b.match(c.Name[:k], at)
			if e == nil {
				continue
			}
			x, _ := b.columnOf(e, b.fold(c.Name[k], false))
			if x == nil {
				x = &expr{op: opLit, text: "no column"}
				b.fail("a column that its table does not have")
			}
			b.learn(x)
			return b.fields(x, c.Name[k+1:])
		}
	}
	return b.fields(b.unqualified(c.Name[0], sc), c.Name[1:])
}

func (b *builder) fields(x *expr, names sqlparts.Name) *expr {
	for _, n := range names {
		x = &expr{op: "field", text: b.fieldName(n), args: []*expr{x}}
	}
	return x
}

// fieldName is the name of a field. Those of BigQuery's structs ignore case and those of its JSON do
// not: of which one a field is, is not known here.
func (b *builder) fieldName(n sqlparts.Ident) string {
	if b.Dialect == sqlparts.BigQuery || b.Dialect == sqlparts.Generic {
		return n.Text
	}
	return b.fold(n, false)
}

// entryOf is the element of FROM that a qualifier names.
func (b *builder) entryOf(qualifier sqlparts.Name, sc *scope) *entry {
	for at := sc; at != nil; at = at.outer {
		if e := b.match(qualifier, at); e != nil {
			return e
		}
	}
	return nil
}

func (b *builder) match(qualifier sqlparts.Name, sc *scope) *entry {
	var found *entry
	for _, e := range sc.entries {
		if len(qualifier) == 1 {
			if e.alias == b.fold(qualifier[0], false) && e.alias != "" {
				if found != nil {
					b.fail("two sources of one name")
				}
				found = e
			}
			continue
		}
		if q := b.path(qualifier); len(e.path) >= len(q) && slices.Equal(e.path[len(e.path)-len(q):], q) {
			found = e
		}
	}
	return found
}

// columnOf is a column of an entry, nil where it has none of the name; known is false where that
// cannot be told.
func (b *builder) columnOf(e *entry, name string) (x *expr, known bool) {
	if e.items == nil {
		if t := b.table(e.src); t != nil {
			if !t.Has(strings.ToLower(strings.TrimPrefix(name, `"`))) {
				return nil, true
			}
			return &expr{op: opColumn, text: name, src: e.src}, true
		}
		return &expr{op: opColumn, text: name, src: e.src}, b.learned[[2]string{e.src.table, name}] && e.src.table != ""
	}
	if e.byName == nil {
		e.byName = map[string]*expr{}
		for i, n := range e.names {
			if _, again := e.byName[n]; !again {
				e.byName[n] = e.items[i]
			}
			if isStar(e.items[i]) {
				e.stars = append(e.stars, e.items[i])
			}
		}
	}
	if x := e.byName[name]; x != nil {
		if b.copied += x.size(); b.copied > maxCopied {
			b.fail("too many columns in place of names")
			return &expr{op: opUnknown, text: name}, true
		}
		return x.clone(), true
	}
	switch {
	case len(e.stars) == 0:
		return nil, true
	case len(e.stars) > 1 || e.stars[0].src == nil:
		return &expr{op: opUnknown, text: name, srcs: starSources(e)}, false
	}
	return b.under(e.stars[0], name)
}

func starSources(e *entry) []*source {
	var out []*source
	for _, x := range e.stars {
		if x.src != nil {
			out = append(out, x.src)
		}
	}
	return out
}

// under is the column of a star.
func (b *builder) under(star *expr, name string) (*expr, bool) {
	s := star.src
	if s.block != nil {
		return &expr{op: opUnder, text: star.text + "." + name, src: s}, false
	}
	return &expr{op: opColumn, text: name, src: s}, b.learned[[2]string{s.table, name}] && s.table != ""
}

// learn notes that a table has a column, as a query says.
func (b *builder) learn(x *expr) {
	if x.op == opColumn && x.src.table != "" {
		b.learned[[2]string{x.src.table, x.text}] = true
	}
}

// unqualified resolves a name without qualifier: to a parameter, a column of the innermost query
// that has one, or an alias of the select list.
func (b *builder) unqualified(id sqlparts.Ident, sc *scope) *expr {
	name := b.fold(id, false)
	if !id.Quoted && b.reserved(name) {
		return &expr{op: opUnknown, text: name}
	}
	for at := sc; at != nil; at = at.outer {
		for i := len(at.params) - 1; i >= 0; i-- {
			if at.params[i] == name {
				return &expr{op: "param", text: name}
			}
		}
		alias := at.aliases[name]
		if m := at.merged[name]; m != nil {
			return b.orAlias(m.clone(), alias, at.clause)
		}
		var sure, maybe []*expr
		all := len(at.entries) > 0
		row := false // the name is that of a source, whose rows it may mean
		for _, e := range at.entries {
			if e.alias == name && !e.value {
				if row = true; e.items == nil && b.table(e.src) != nil && !b.table(e.src).Has(name) { // whose columns are known
					sure = append(sure, &expr{op: opRow, src: e.src})
					continue
				}
			}
			if e.value && e.alias == name && e.items == nil {
				sure = append(sure, &expr{op: opRow, src: e.src})
				continue
			}
			switch x, known := b.columnOf(e, name); {
			case x != nil && known:
				sure = append(sure, x)
			case x != nil:
				maybe = append(maybe, x)
			default:
				all = all && known
			}
		}
		switch {
		case row && len(sure) == 0:
			b.fail("the row of a source as a value")
			return &expr{op: opUnknown, text: name}
		case len(sure) == 1:
			return b.orAlias(sure[0], alias, at.clause)
		case len(sure) > 1:
			b.fail("an ambiguous name")
			return sure[0]
		case len(maybe) == 0 && alias != nil:
			return alias.clone()
		case len(maybe) == 0 && all && id.Quoted && at.outer == nil && (b.Dialect == sqlparts.SQLite):
			return &expr{op: opString, text: id.Text} // SQLite reads "x" as text where no column has the name
		case len(maybe) == 0:
			continue
		}
		// What is not known: a column of one of these, or an alias.
		x := maybe[0]
		if len(maybe) > 1 {
			x = &expr{op: opUnknown, text: name}
			for _, m := range maybe {
				if m.src != nil {
					x.srcs = append(x.srcs, m.src)
				} else {
					x.srcs = append(x.srcs, m.srcs...)
				}
			}
		}
		if alias != nil {
			if at.clause == "where" || at.clause == "select" {
				return &expr{op: opEither, args: []*expr{x, alias.clone()}}
			}
			return alias.clone() // a column would not be grouped
		}
		if id.Quoted && b.Dialect == sqlparts.SQLite {
			return &expr{op: opEither, text: name, args: []*expr{x}} // or text
		}
		if outer := b.further(name, at.outer); outer != nil {
			return &expr{op: opEither, text: name, args: []*expr{x, outer}}
		}
		if len(maybe) == 1 && noSources(at.outer) {
			b.learn(x)
		}
		return x
	}
	if id.Quoted || !constants[name] {
		b.fail("a name that is no column")
	}
	return &expr{op: opUnknown, text: name}
}

// further is what a name certainly means in a query around, which it means if none further in has a
// column of that name; nil where there is no such meaning.
func (b *builder) further(name string, sc *scope) *expr {
	for ; sc != nil; sc = sc.outer {
		for _, e := range sc.entries {
			if e.alias == name && !e.value {
				b.fail("the row of a source as a value")
			}
			if x, known := b.columnOf(e, name); x != nil && known {
				return x
			}
		}
	}
	return nil
}

// constants are names that mean a value without a call.
var constants = map[string]bool{
	"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true, "current_user": true, "session_user": true,
	"user": true, "current_role": true, "current_catalog": true, "current_schema": true, "current_datetime": true, "true": true, "false": true,
}

// reserved tells whether a word without quotes means a value and never a column.
func (r rules) reserved(name string) bool {
	return name == "user" && (r.Dialect == sqlparts.Postgres || r.Dialect == sqlparts.Redshift || r.Dialect == sqlparts.TSQL)
}

// noSources tells whether no query around has sources a name might come from.
func noSources(sc *scope) bool {
	for ; sc != nil; sc = sc.outer {
		if len(sc.entries) > 0 {
			return false
		}
	}
	return true
}

// orAlias is a column that an alias of the select list has the name of. Dialects and clauses differ
// in which comes first.
func (b *builder) orAlias(column, alias *expr, clause string) *expr {
	if alias == nil || alias.id() == column.id() {
		return column
	}
	if b.Dialect == sqlparts.BigQuery || b.Dialect == sqlparts.Generic || clause == "order" && b.Dialect != sqlparts.TSQL {
		return &expr{op: opEither, args: []*expr{column, alias.clone()}}
	}
	return column
}
