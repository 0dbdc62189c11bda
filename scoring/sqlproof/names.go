package sqlproof

import (
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// column builds the expression that a name means, by [sqlparts.Bound.Means]. An ambiguous name, or an uncertain one
// that may be something else entirely, ends the proof. Another uncertain one becomes an expression that represents all
// its possible meanings and equals only itself.
func (b *builder) column(c *sqlparts.Column, sc *scope) *expr {
	b.schema.Halt.Check()
	if len(c.Name) == 1 && !c.Name[0].Quoted && b.reserved(b.fold(c.Name[0], false)) {
		return &expr{op: opUnknown, text: b.fold(c.Name[0], false)}
	}
	ms, doubt := b.bound.Means(c)
	if x := b.rowName(c, ms, sc); x != nil {
		return x
	}
	switch {
	case len(ms) == 0:
		if len(c.Name) > 1 || c.Name[0].Quoted || !constants[b.fold(c.Name[0], false)] {
			b.fail("a name that is not a column")
		}
		return &expr{op: opUnknown, text: b.fold(c.Name[0], false)}
	case doubt == sqlparts.Ambiguous:
		b.fail("an ambiguous name")
		return &expr{op: opUnknown}
	case doubt == sqlparts.Sure:
		return b.meant(&ms[0], c, sc)
	}
	first := &ms[0]
	if first.Kind == sqlparts.SelectAlias {
		if len(ms) == 1 {
			b.fail("an alias where its dialect sees none")
		}
		for i := range ms[1:] {
			// dialects and clauses differ in which comes first
			if m := &ms[1+i]; m.Outer == first.Outer && (m.Known || !sc.late(first.Item)) {
				return either("", b.meant(m, c, sc), b.meant(first, c, sc))
			}
		}
		return b.meant(first, c, sc) // a column would have to be grouped by
	}
	name := b.fold(c.Name[0], false)
	var args []*expr
	for i := range ms {
		m := &ms[i]
		switch {
		case m.Kind == sqlparts.RowOfSource:
			b.fail("the row of a source as a value")
		case i == 0 && m.Known && (len(ms) != 2 || ms[1].Kind != sqlparts.SelectAlias),
			len(ms) == 1 && m.Fields == 0 && len(m.Among) == 0:
			b.fail("a name that may be none of its source") // in another case, or of a table that lacks it
		}
		if i == 0 || m.Known {
			args = append(args, b.meant(m, c, sc))
		}
		if m.Known && m.Kind != sqlparts.SelectAlias && i > 0 {
			break
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	if args[1].op == opString {
		return either(name, args[0]) // or text
	}
	if ms[1].Kind == sqlparts.SelectAlias {
		name = ""
	}
	return either(name, args...)
}

// rowName returns the expression for SQLite's row id, if the name is rowid, oid or _rowid_ and no column has it; else
// nil.
func (b *builder) rowName(c *sqlparts.Column, ms []sqlparts.Meaning, sc *scope) *expr {
	name := b.fold(c.Name.Last(), false)
	if b.Dialect != sqlparts.SQLite || len(c.Name) != 1 || !hiddenNames[name] ||
		len(ms) > 0 && ms[0].Kind != sqlparts.QuotedText {
		return nil
	}
	x := &expr{op: opUnknown, text: name}
	for ; sc != nil && len(x.srcs) == 0; sc = sc.outer {
		for _, e := range sc.entries {
			if e.items == nil && e.src.table != "" {
				x.srcs = append(x.srcs, e.src)
			}
		}
	}
	if len(x.srcs) == 0 {
		return nil
	}
	return x
}

func either(name string, args ...*expr) *expr { return &expr{op: opEither, text: name, args: args} }

// meant builds the expression for one meaning of a name.
func (b *builder) meant(m *sqlparts.Meaning, c *sqlparts.Column, sc *scope) *expr {
	at := len(c.Name) - 1 - m.Fields
	id := c.Name[max(0, at)]
	var x *expr
	switch m.Kind {
	case sqlparts.BaseColumn, sqlparts.QueryColumn:
		x = b.columnMeant(m, id, sc)
	case sqlparts.MergedColumn:
		for s := sc; s != nil && x == nil; s = s.outer {
			if e := s.merged[m.Merged]; e != nil {
				x = e.clone()
			}
		}
	case sqlparts.SelectAlias:
		x = b.aliased(m, sc)
	case sqlparts.RowOfSource:
		if e := sc.entryOf(m.Source); e != nil && e.value && e.items != nil { // its element has the name among others
			x = b.columnOf(e, b.fold(id, false))
		} else if e != nil && e.items == nil {
			x = &expr{op: opRow, src: e.src}
		} else {
			b.fail("the row of a source as a value")
		}
	case sqlparts.LambdaParam:
		x = &expr{op: "param", text: b.fold(id, false)}
	case sqlparts.QuotedText:
		x = &expr{op: opString, text: id.Text}
	case sqlparts.PartOfDate:
		x = &expr{op: opLit, text: strings.ToLower(id.Text)}
	}
	if x == nil {
		b.fail("a name that is not a column")
		x = &expr{op: opUnknown, text: b.fold(id, false)}
	}
	return b.fields(x, c.Name[len(c.Name)-m.Fields:])
}

// columnMeant builds a column of the meaning's source, or an unknown column of one of several sources.
func (b *builder) columnMeant(m *sqlparts.Meaning, id sqlparts.Ident, sc *scope) *expr {
	name := b.fold(id, false)
	if len(m.Among) > 0 {
		x := &expr{op: opUnknown, text: name}
		for _, s := range m.Among {
			e := sc.entryOf(s)
			if e == nil {
				return nil
			}
			switch o := b.columnOf(e, name); {
			case o == nil:
			case o.src != nil:
				x.srcs = append(x.srcs, o.src)
			default:
				x.srcs = append(x.srcs, o.srcs...)
			}
		}
		return x
	}
	e := sc.entryOf(m.Source)
	if e == nil {
		return nil
	}
	return b.columnOf(e, name)
}

// aliased returns the element of a select list, or the output column, to which an alias refers; nil if it was not
// built.
func (b *builder) aliased(m *sqlparts.Meaning, sc *scope) *expr {
	for at := sc; at != nil; at = at.outer {
		if at.list == nil {
			continue
		}
		if m.Index >= 0 && at.list.out != nil { // after a set operation or a query in parentheses
			for i, x := range at.list.out.items {
				if isStar(x) {
					break
				}
				if i == m.Index {
					return x.clone()
				}
			}
			return nil
		}
		if x := at.list.items[m.Item]; x != nil {
			return x.clone()
		}
	}
	return nil
}

// late reports whether the clause being built follows the grouping of rows in the query whose select list contains it.
func (sc *scope) late(it *sqlparts.Item) bool {
	for ; sc != nil; sc = sc.outer {
		if sc.list != nil && sc.list.items[it] != nil {
			return sc.list.late
		}
	}
	return false
}

// entryOf returns the visible entry of a source, or nil.
func (sc *scope) entryOf(s *sqlparts.Source) *entry {
	for ; sc != nil; sc = sc.outer {
		for _, e := range sc.entries {
			if e.of == s {
				return e
			}
		}
	}
	return nil
}

func (b *builder) fields(x *expr, names sqlparts.Name) *expr {
	for _, n := range names {
		x = &expr{op: "field", text: b.fieldName(n), args: []*expr{x}}
	}
	return x
}

// fieldName returns the name of a field. BigQuery ignores case in fields of structs but not in fields of JSON, and
// the kind of a field is not known here.
func (b *builder) fieldName(n sqlparts.Ident) string {
	if b.Dialect == sqlparts.BigQuery || b.Dialect == sqlparts.Generic {
		return n.Text
	}
	return b.fold(n, false)
}

// columnOf returns the column of an entry with the name, or nil if it has none.
func (b *builder) columnOf(e *entry, name string) *expr {
	if e.items == nil {
		if t := b.table(e.src); t != nil && !t.Has(strings.ToLower(strings.TrimPrefix(name, `"`))) {
			return nil
		}
		return &expr{op: opColumn, text: name, src: e.src}
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
			return &expr{op: opUnknown, text: name}
		}
		return x.clone()
	}
	switch {
	case len(e.stars) == 0:
		return nil
	case len(e.stars) > 1 || e.stars[0].src == nil:
		return &expr{op: opUnknown, text: name, srcs: starSources(e)}
	}
	return under(e.stars[0], name)
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

// under returns the column of that name among those that a star represents.
func under(star *expr, name string) *expr {
	if s := star.src; s.block == nil {
		return &expr{op: opColumn, text: name, src: s}
	}
	return &expr{op: opUnder, text: star.text + "." + name, src: star.src}
}

// constants are names that have a value without being columns, such as CURRENT_DATE.
var constants = map[string]bool{
	"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true,
	"current_user": true, "session_user": true,
	"user": true, "current_role": true, "current_catalog": true, "current_schema": true, "current_datetime": true,
	"true": true, "false": true,
}

// reserved reports whether an unquoted word is always a value in the dialect and never a column.
func (r rules) reserved(name string) bool {
	return name == "user" &&
		(r.Dialect == sqlparts.Postgres || r.Dialect == sqlparts.Redshift || r.Dialect == sqlparts.TSQL)
}

// using returns the condition of a column of USING, and records in sc the expression that its name means.
func (b *builder) using(m *sqlparts.MergedSource, sc *scope) *expr {
	b.schema.Halt.Check()
	if m.Doubt != sqlparts.Sure {
		b.fail("a column of USING whose meaning is uncertain")
		return &expr{op: opLit, text: strconv.Itoa(len(sc.merged))}
	}
	name := &sqlparts.Column{Name: sqlparts.Name{m.Name}}
	l, r := b.meant(&m.Left, name, sc), b.meant(&m.Right, name, sc)
	both := l
	switch m.Join {
	case sqlparts.RightJoin:
		both = r
	case sqlparts.FullJoin:
		both = &expr{op: opCall, text: "coalesce", args: []*expr{l, r}}
	}
	merged := map[*sqlparts.MergedSource]*expr{m: both}
	for k, v := range sc.merged {
		merged[k] = v
	}
	sc.merged = merged
	return compare("=", l.clone(), r.clone())
}
