package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// ReadSchema reads DDL: CREATE TABLE with columns, keys, checks and references, ALTER TABLE … ADD of
// keys, CREATE UNIQUE INDEX. What else stands there it passes over. A table that is defined twice
// keeps its first definition.
func ReadSchema(ddl string, d sqlparts.Dialect) *Schema {
	r := &ddlReader{text: ddl, dialect: d, schema: &Schema{}}
	for _, t := range sqlparts.Tokens(ddl, d) {
		if t.Kind != sqlparts.TokenComment {
			r.toks = append(r.toks, t)
		}
	}
	for r.at < len(r.toks) {
		switch {
		case r.words("create"):
			r.create()
		case r.words("alter", "table"):
			r.alter()
		default:
			r.at++
		}
	}
	r.link()
	return r.schema
}

type ddlReader struct {
	text    string
	dialect sqlparts.Dialect
	toks    []sqlparts.Token
	at      int
	schema  *Schema
	foreign []foreignNames
	types   []string // types and domains that the DDL makes
}

// foreignNames is a foreign key before all tables are known.
type foreignNames struct {
	from    *Table
	columns []string
	to      string
	target  []string
}

func (r *ddlReader) is(i int, word string) bool {
	if i >= len(r.toks) {
		return false
	}
	t := &r.toks[i]
	return t.Kind == sqlparts.TokenWord && t.Value == word || t.Kind == sqlparts.TokenSign && t.Value == word
}

// words passes the words if they come next.
func (r *ddlReader) words(words ...string) bool {
	for i, w := range words {
		if !r.is(r.at+i, w) {
			return false
		}
	}
	r.at += len(words)
	return true
}

// name reads a name, qualified or not, and returns its last part as it is written.
func (r *ddlReader) name() (string, bool) {
	name, ok := "", false
	for r.at < len(r.toks) {
		t := &r.toks[r.at]
		if t.Kind != sqlparts.TokenWord && t.Kind != sqlparts.TokenName && t.Kind != sqlparts.TokenString {
			break
		}
		start, end := t.Range()
		name, ok = r.text[start:end], true
		if t.Kind != sqlparts.TokenWord {
			name = t.Value
			if inner := r.text[min(start+1, end):max(end-1, min(start+1, end))]; strings.EqualFold(inner, t.Value) {
				name = inner
			}
		}
		if r.at++; !r.words(".") {
			break
		}
	}
	return name, ok
}

func (r *ddlReader) create() {
	unique := false
	for r.at < len(r.toks) {
		switch {
		case r.words("table"):
			r.words("if", "not", "exists")
			if name, ok := r.name(); ok && r.words("(") {
				r.table(name)
			}
			return
		case r.words("type"), r.words("domain"):
			if name, ok := r.name(); ok {
				r.types = append(r.types, strings.ToLower(name))
			}
			return
		case r.is(r.at, "trigger"), r.is(r.at, "rule"):
			r.schema.bad = "CREATE " + strings.ToUpper(r.toks[r.at].Value)
			return
		case r.words("unique"):
			unique = true
		case r.words("index"):
			for r.at < len(r.toks) && !r.is(r.at, ";") {
				if !r.words("on") {
					r.at++
					continue
				}
				name, _ := r.name()
				if t := r.schema.Table(name); t != nil && unique {
					r.unique(t, r.listBehind(), false)
					for ; r.at < len(r.toks) && !r.is(r.at, ";"); r.at++ {
						switch {
						case r.is(r.at, "where"): // it holds for some rows only
							t.refuse("a partial unique index")
						case r.is(r.at, "nulls"):
							t.refuse("UNIQUE NULLS NOT DISTINCT")
						}
					}
				}
				return
			}
			return
		case r.words("view"):
			r.words("if", "not", "exists")
			if name, ok := r.name(); ok {
				r.schema.views = append(r.schema.views, name)
			}
			return
		case r.is(r.at, ";"), r.is(r.at, "function"), r.is(r.at, "schema"), r.is(r.at, "database"):
			return
		default:
			r.at++
		}
	}
}

func (r *ddlReader) alter() {
	r.words("if", "exists")
	r.words("only")
	name, _ := r.name()
	t := r.schema.Table(name)
	for t != nil && r.at < len(r.toks) && !r.is(r.at, ";") {
		switch {
		case r.words("add"):
			if !r.constraint(t) {
				r.words("column")
				r.words("if", "not", "exists")
				r.column(t)
			}
			r.rest(t)
		case r.words("alter"):
			r.words("column")
			name, _ := r.name()
			switch c := t.Column(name); {
			case c != nil && r.words("set", "not", "null"), c != nil && r.words("add", "generated", "always", "as", "identity"),
				c != nil && r.words("add", "generated", "by", "default", "as", "identity"):
				c.NotNull = true
			case r.words("set", "default"), r.words("set", "statistics"), r.words("drop", "default"):
			default:
				t.refuse("ALTER COLUMN " + name)
			}
			r.rest(t)
		case r.words("owner", "to"), r.words("enable", "keys"), r.words("disable", "keys"), r.words("cluster", "on"), r.words("replica", "identity"):
			r.rest(t)
		default:
			t.refuse("ALTER TABLE " + strings.ToUpper(r.toks[r.at].Value))
			r.rest(t)
		}
	}
}

// rest passes what is left of a part of ALTER TABLE.
func (r *ddlReader) rest(t *Table) {
	for depth := 0; r.at < len(r.toks) && !r.is(r.at, ";"); r.at++ {
		switch {
		case r.is(r.at, "("):
			depth++
		case r.is(r.at, ")"):
			depth--
		case r.is(r.at, ",") && depth == 0:
			r.at++
			return
		case r.is(r.at, "match") && r.is(r.at+1, "full"):
			t.refuse("MATCH FULL")
		}
	}
}

func (r *ddlReader) table(name string) {
	t := &Table{Name: name}
	open := r.at
	for r.at < len(r.toks) && !r.words(")") {
		if !r.constraint(t) {
			r.column(t)
		}
		from := r.at
		r.skip()
		for i := from; i < r.at; i++ {
			switch {
			case r.is(i, "match") && r.is(i+1, "full"):
				t.refuse("MATCH FULL")
			case r.is(i, "nulls") && r.is(i+1, "not"):
				t.refuse("UNIQUE NULLS NOT DISTINCT")
			}
		}
	}
	if r.is(r.at, "inherits") || r.is(r.at, "partition") && r.is(r.at+1, "of") {
		t.refuse(strings.ToUpper(r.toks[r.at].Value))
	}
	other := r.schema.Table(name)
	switch {
	case len(t.Columns) == 0:
	case other == nil:
		t.text = r.between(open, r.at)
		r.schema.Tables = append(r.schema.Tables, t)
	case other.text != r.between(open, r.at):
		other.refuse("two tables of this name")
	}
}

// between is the text of the tokens from one up to another.
func (r *ddlReader) between(from, to int) string {
	if from >= min(to, len(r.toks)) {
		return ""
	}
	start, _ := r.toks[from].Range()
	_, end := r.toks[min(to, len(r.toks))-1].Range()
	return r.text[start:end]
}

// skip passes the rest of an element and the comma behind it, or stops before the bracket that
// closes the list.
func (r *ddlReader) skip() {
	for depth := 0; r.at < len(r.toks); r.at++ {
		switch {
		case r.is(r.at, "("):
			depth++
		case r.is(r.at, ")"):
			if depth == 0 {
				return
			}
			depth--
		case r.is(r.at, ",") && depth == 0:
			r.at++
			return
		}
	}
}

// constraint reads a constraint of a table and reports whether one came.
func (r *ddlReader) constraint(t *Table) bool {
	if r.words("constraint") {
		r.name()
	}
	switch {
	case r.words("primary", "key"):
		r.unique(t, r.listBehind(), true)
	case r.words("unique"):
		if r.is(r.at, "nulls") && r.is(r.at+1, "not") {
			t.refuse("UNIQUE NULLS NOT DISTINCT")
		}
		r.unique(t, r.listBehind(), false)
	case r.words("foreign", "key"):
		columns := r.listBehind()
		if r.words("references") {
			r.references(t, columns)
		}
	case r.is(r.at, "check") && r.is(r.at+1, "("):
		r.at++
		r.check(t)
	case r.is(r.at, "exclude"):
		t.refuse("EXCLUDE")
	case r.is(r.at, "fulltext"), (r.is(r.at, "key") || r.is(r.at, "index")) && (r.is(r.at+1, "(") || r.is(r.at+2, "(")) && !r.columnBehind():
		r.at++
	default:
		return false
	}
	return true
}

// columnBehind tells whether KEY or INDEX is a column's name: a type with a length follows it.
func (r *ddlReader) columnBehind() bool {
	return r.at+3 < len(r.toks) && r.is(r.at+2, "(") && r.toks[r.at+3].Kind == sqlparts.TokenNumber
}

// check reads (condition).
func (r *ddlReader) check(t *Table) {
	open := r.at
	r.at++
	r.skipTo(")")
	start, _ := r.toks[open].Range()
	end := len(r.text)
	if r.at < len(r.toks) {
		_, end = r.toks[r.at].Range()
		r.at++
	}
	q := sqlparts.Parse("SELECT 1 FROM t WHERE "+r.text[start:end], r.dialect).Final()
	if q != nil {
		if s, ok := q.Body.(*sqlparts.Select); ok && s.Where != nil {
			t.Checks = append(t.Checks, s.Where)
			return
		}
	}
	t.refuse("a check that badger cannot read")
}

// skipTo stops before the mark outside of brackets.
func (r *ddlReader) skipTo(mark string) {
	for depth := 0; r.at < len(r.toks); r.at++ {
		switch {
		case depth == 0 && r.is(r.at, mark):
			return
		case r.is(r.at, "("):
			depth++
		case r.is(r.at, ")"):
			depth--
		}
	}
}

func (r *ddlReader) references(t *Table, columns []string) {
	to, ok := r.name()
	if ok {
		r.foreign = append(r.foreign, foreignNames{t, columns, to, r.list()})
	}
}

// column reads a column with its constraints, up to the comma or bracket behind it.
func (r *ddlReader) column(t *Table) {
	start := r.at
	name, ok := r.name()
	if ok && t.Column(name) != nil {
		t.refuse("two columns of the name " + name)
	}
	if !ok || t.Column(name) != nil {
		if r.at == start && !r.is(r.at, ")") && !r.is(r.at, ",") {
			r.at++
		}
		return
	}
	c := &Column{Name: name, table: t}
	t.Columns = append(t.Columns, c)
	var declared []string
	inType := true
	for r.at < len(r.toks) && !r.is(r.at, ",") && !r.is(r.at, ")") {
		switch {
		case r.is(r.at, "("):
			from := r.at
			r.at++
			r.skipTo(")")
			r.at++
			if inType {
				a, _ := r.toks[from].Range()
				_, b := r.toks[min(r.at, len(r.toks))-1].Range()
				declared = append(declared, r.text[a:b])
			}
		case r.words("not", "null"):
			c.NotNull, inType = true, false
		case r.words("primary", "key"):
			r.unique(t, []string{name}, true)
			inType = false
		case r.words("unique"):
			if r.words("nulls", "not", "distinct") {
				t.refuse("UNIQUE NULLS NOT DISTINCT")
			}
			r.unique(t, []string{name}, false)
			inType = false
		case r.words("references"):
			r.references(t, []string{name})
			inType = false
		case r.is(r.at, "check") && r.is(r.at+1, "("):
			r.at++
			r.check(t)
			inType = false
		case r.words("default"):
			r.value()
			inType = false
		case r.words("on"): // ON DELETE SET DEFAULT, ON UPDATE CURRENT_TIMESTAMP, ON CONFLICT FAIL
			r.at++
			if !r.words("set") {
				r.words("no")
			}
			r.at++
			inType = false
		case r.words("match", "full"):
			t.refuse("MATCH FULL")
		case r.is(r.at, "collate"), r.is(r.at, "comment"), r.is(r.at, "constraint"):
			if r.is(r.at, "collate") && r.dialect == sqlparts.SQLite && !r.is(r.at+1, "binary") {
				c.bad = "a column with a collation"
			}
			r.at += 2
			inType = false
		case r.words("generated"):
			for r.words("always") || r.words("by", "default") || r.words("on", "null") {
			}
			if inType = false; r.words("as", "identity") {
				c.NotNull = true
			} else {
				t.refuse("the generated column " + name)
			}
		case r.is(r.at, "as") && r.is(r.at+1, "("):
			t.refuse("the generated column " + name)
			r.at++
		case r.words("identity"), r.words("auto_increment"):
			c.NotNull, inType = true, false
		case r.is(r.at, "null"), r.is(r.at, "autoincrement"), r.is(r.at, "encode"):
			r.at++
			inType = false
		default:
			if tok := &r.toks[r.at]; inType && tok.Kind != sqlparts.TokenString {
				declared = append(declared, strings.ToLower(tok.Value))
			} else if !inType && !slices.Contains(idle, tok.Value) {
				t.refuse("the column " + name + " with " + strings.ToUpper(tok.Value))
			}
			r.at++
		}
	}
	c.Declared = strings.ToLower(strings.ReplaceAll(strings.Join(declared, " "), " (", "("))
	bad := c.bad
	c.typed(r.dialect)
	if base, _, _ := strings.Cut(c.Declared, "("); slices.Contains(r.types, strings.TrimSpace(base)) {
		c.bad = "values of type " + base
	} else if strings.Contains(base, "serial") && r.dialect != sqlparts.SQLite {
		c.NotNull = true
	}
	if bad != "" {
		c.bad = bad
	}
}

// value passes the expression of DEFAULT: what comes before the next constraint.
func (r *ddlReader) value() {
	for first := true; r.at < len(r.toks); first = false {
		t := &r.toks[r.at]
		switch {
		case r.is(r.at, ","), r.is(r.at, ")"), r.is(r.at, ";"):
			return
		case r.words("("):
			r.skipTo(")")
		case !first && t.Kind == sqlparts.TokenWord && slices.Contains(afterValue, t.Value):
			return
		}
		r.at++
	}
}

// idle are the words behind a column's type that say nothing of its values.
var idle = []string{
	"deferrable", "not", "initially", "deferred", "immediate", "enforced", "asc", "desc", "clustered", "nonclustered", "key",
	"match", "simple", "rely", "norely", "validate", "novalidate", "enable", "disable", "visible", "unique", "for", "replication",
	"null", "rowguidcol", "using", "index", "tablespace", "with",
}

// afterValue are the words that end the expression of DEFAULT.
var afterValue = []string{
	"not", "null", "primary", "unique", "references", "check", "collate", "comment", "constraint", "generated", "on", "as",
	"auto_increment", "autoincrement", "identity", "encode", "match",
}

// unique notes a key. One of an expression, or of columns that the table does not have, is refused.
func (r *ddlReader) unique(t *Table, names []string, primary bool) {
	var key []*Column
	for _, n := range names {
		if c := t.Column(n); c != nil {
			key = append(key, c)
		}
	}
	if len(key) == 0 || len(key) != len(names) {
		t.refuse("a key that is not of columns alone")
		return
	}
	if primary {
		for _, c := range key {
			c.NotNull = true
		}
		t.Unique = append([][]*Column{key}, t.Unique...)
		return
	}
	t.Unique = append(t.Unique, key)
}

// listBehind reads the list behind words such as CLUSTERED.
func (r *ddlReader) listBehind() []string {
	for r.at < len(r.toks) && !r.is(r.at, "(") && !r.is(r.at, ",") && !r.is(r.at, ")") {
		r.at++
	}
	return r.list()
}

// list reads (a, b DESC) and returns the names.
func (r *ddlReader) list() []string {
	if !r.words("(") {
		return nil
	}
	var out []string
	for r.at < len(r.toks) && !r.words(")") {
		at := r.at
		name, _ := r.name()
		if !r.is(r.at, ",") && !r.is(r.at, ")") && !r.is(r.at, "asc") && !r.is(r.at, "desc") && !r.is(r.at, "nulls") {
			name = "" // an expression
		}
		out = append(out, name)
		if r.skip(); r.at == at {
			r.at++
		}
	}
	return out
}

// link finds the tables and columns that foreign keys name. A key that names none is left out.
func (r *ddlReader) link() {
	for _, f := range r.foreign {
		to := r.schema.Table(f.to)
		if to == nil || !slices.Contains(r.schema.Tables, f.from) {
			continue
		}
		k := Foreign{To: to}
		if len(f.target) == 0 && len(to.Unique) > 0 {
			k.Target = to.Unique[0]
		}
		for _, n := range f.target {
			if c := to.Column(n); c != nil {
				k.Target = append(k.Target, c)
			}
		}
		for _, n := range f.columns {
			if c := f.from.Column(n); c != nil {
				k.Columns = append(k.Columns, c)
			}
		}
		if len(k.Columns) > 0 && len(k.Columns) == len(k.Target) && len(k.Columns) == len(f.columns) {
			f.from.Foreign = append(f.from.Foreign, k)
		}
	}
}
