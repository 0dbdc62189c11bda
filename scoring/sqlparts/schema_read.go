package sqlparts

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
)

// ReadSchema parses DDL with the keywords of its dialect: CREATE TABLE with columns, keys, checks and references,
// ALTER TABLE, CREATE INDEX, DROP. It never fails. Anything that it does not understand and that may change a table
// is recorded in the doubts of the schema and its tables. Other text, such as INSERT statements or prose, is
// skipped.
func ReadSchema(ddl string, d Dialect) *Schema { return readSchema(ddl, d, nil) }

func readSchema(ddl string, d Dialect, stop *halt.Signal) *Schema {
	if int(d) >= len(syntaxes) {
		d = Generic
	}
	l := newLexer(ddl, d)
	l.lex()
	r := &schemaReader{parser: parser{sql: l.sql, dialect: d, syntax: l.syntax, toks: l.toks, stop: stop},
		schema: &Schema{Dialect: d}, named: map[string][]*Table{}, indexes: map[string]bool{}}
	if s := (&Script{SQL: ddl, Dialect: d, stop: stop}); s.hasOtherReading() {
		r.schema.Doubt = "its strings and comments may end elsewhere"
	}
	for r.cur().kind != tokEOF {
		stop.Check()
		r.statement()
	}
	r.link()
	for _, tables := range r.named {
		for _, t := range tables {
			if len(tables) > maxAlike ||
				slices.ContainsFunc(tables, func(o *Table) bool { return o != t && d.names(o.Name, t.Name) == perhaps }) {
				t.markUncertain("two tables of this name")
			}
		}
	}
	return r.schema
}

// maxAlike is the number of tables with one last name above which the definitions of all of them count as uncertain.
const maxAlike = 1000

// schemaReader parses DDL token by token.
type schemaReader struct {
	parser
	schema  *Schema
	named   map[string][]*Table // by the last part of their names, in lower case
	foreign []foreignNames
	indexes map[string]bool // names of the created indexes, in lower case
	between []string        // the words skipped since the last parsed statement, in lower case
}

// foreignNames is a foreign key whose table and columns are not resolved yet.
type foreignNames struct {
	from    *Table
	columns []Ident
	to      Name
	target  []Ident
	sure    bool
	name    string
}

// is reports whether the token n places ahead is the given word or operator.
func (r *schemaReader) is(n int, word string) bool {
	t := r.ahead(n)
	return (t.kind == tokWord || t.kind == tokOp) && strings.EqualFold(r.textOf(t), word)
}

// words skips the words if they are the next tokens, and reports whether they are.
func (r *schemaReader) words(words ...string) bool {
	for i, w := range words {
		if !r.is(i, w) {
			return false
		}
	}
	for range words {
		r.next()
	}
	return true
}

// anyOf reports whether the current token is one of the words.
func (r *schemaReader) anyOf(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return r.is(0, w) })
}

// ended reports whether the statement ends here.
func (r *schemaReader) ended() bool { return r.cur().kind == tokEOF || r.is(0, ";") }

// over reports whether the statement ends here, even without a semicolon: at GO, or at CREATE, ALTER or DROP of a
// table, index or view.
func (r *schemaReader) over() bool {
	return r.ended() || r.is(0, "go") ||
		r.anyOf("create", "alter", "drop") &&
			(r.is(1, "table") || r.is(1, "unique") || r.is(1, "index") || r.is(1, "view")) &&
			(r.i == 0 || r.toks[r.i-1].code != oComma)
}

// name parses a name, qualified or not; it returns nil if there is none.
func (r *schemaReader) name() (n Name) {
	for {
		switch k := r.cur().kind; k {
		case tokWord, tokQuoted, tokDouble, tokString:
			n = append(n, r.identOf(r.cur()))
			r.next()
		default:
			return r.dialect.Path(n)
		}
		if !r.words(".") {
			return r.dialect.Path(n)
		}
	}
}

// conditional are the words that make it uncertain, if they precede a statement, whether the statement is run.
var conditional = []string{"if", "else", "while", "loop", "repeat", "exec", "execute", "case", "exception", "procedure",
	"function", "trigger", "event", "task", "as", "returns", "declare"}

// statement parses one statement, or skips a token of other text.
func (r *schemaReader) statement() {
	sure := !slices.ContainsFunc(r.between, func(w string) bool { return slices.Contains(conditional, w) })
	start := r.i
	switch {
	case r.words("create"):
		r.create(sure)
	case r.words("alter", "table"):
		r.alter(sure)
	case r.is(0, "alter") && (r.is(1, "index") || r.is(1, "schema") || r.is(1, "database")):
		r.schema.markUncertain("ALTER " + strings.ToUpper(r.textOf(r.ahead(1))))
		r.pass()
	case r.words("drop"):
		r.drop(sure)
	case r.is(0, "rename") && r.is(1, "table"):
		r.schema.markUncertain("RENAME TABLE")
		r.pass()
	case r.first() && r.anyOf("rollback", "do", "exec", "execute", "call", "undrop"):
		r.schema.markUncertain(strings.ToUpper(r.text()))
		r.pass()
	default:
		if r.is(0, ";") && !r.schemaBody() {
			r.between = r.between[:0]
		} else if t := r.cur(); t.kind == tokWord {
			r.between = append(r.between, strings.ToLower(r.textOf(t)))
		}
		r.next()
		return
	}
	if r.i == start {
		r.next()
	}
	r.between = r.between[:0]
}

// first reports whether the current token starts a statement.
func (r *schemaReader) first() bool { return r.i == 0 || r.toks[r.i-1].code == oSemicolon }

// schemaBody reports whether a semicolon is in the body of a routine, whose statements are not run by the DDL.
func (r *schemaReader) schemaBody() bool {
	return slices.ContainsFunc(r.between,
		func(w string) bool { return w == "procedure" || w == "function" || w == "trigger" })
}

// pass skips the rest of the statement.
func (r *schemaReader) pass() {
	for !r.ended() {
		r.next()
	}
}

func (s *Schema) markUncertain(why string) {
	if s.Doubt == "" {
		s.Doubt = why
	}
}

func (r *schemaReader) create(sure bool) {
	unique, replaces := false, false
	for !r.ended() {
		switch {
		case r.words("or", "replace"):
			replaces = true
		case r.words("table"):
			lenient := r.words("if", "not", "exists")
			n := r.name()
			if len(n) == 0 {
				return
			}
			if r.is(0, "(") {
				r.table(n, sure, replaces, lenient)
				return
			}
			if !lenient {
				r.defined(n, "CREATE TABLE without columns")
			}
			if r.words("partition", "of") || r.words("like") || r.words("clone") || r.words("inherits") {
				r.inherits(r.name())
			}
			return
		case r.words("type"), r.words("domain"):
			if n := r.name(); len(n) > 0 {
				r.schema.Types = append(r.schema.Types, strings.ToLower(n.Last().Text))
			}
			return
		case r.anyOf("procedure", "function", "trigger", "rule", "event", "task", "package"):
			r.routine()
			return
		case r.words("unique"):
			unique = true
		case r.words("index"):
			r.index(unique, sure)
			return
		case r.words("view"):
			r.words("if", "not", "exists")
			if n := r.name(); len(n) > 0 {
				r.schema.Views = append(r.schema.Views, n)
				r.defined(n, "CREATE VIEW")
			}
			r.pass()
			return
		case r.words("schema"):
			for ; !r.over(); r.next() {
			}
			if r.is(0, "create") && r.dialect != TSQL { // the following tables are in that schema
				r.schema.markUncertain("CREATE SCHEMA with tables")
			}
			return
		case r.anyOf("database", "sequence", "role", "user", "extension", "policy", "synonym"):
			r.pass()
			return
		default:
			r.next()
		}
	}
}

// routine skips CREATE FUNCTION and similar statements. If the body is not a string, its end is unknown, and the
// text that follows may be part of it.
func (r *schemaReader) routine() {
	what := strings.ToUpper(r.text())
	if what == "TRIGGER" || what == "RULE" {
		r.schema.Other = append(r.schema.Other, "CREATE "+what)
	}
	quoted, block := false, false
	for ; !r.ended(); r.next() {
		quoted = quoted || r.cur().kind == tokString
		block = block || r.anyOf("begin", "as", "return", "is", "do", "instead") && r.ahead(1).kind != tokString
	}
	if block && !quoted {
		r.schema.markUncertain("CREATE " + what + ", whose body may go on")
	}
}

// targets returns the tables that a name in a statement may mean. sure reports whether the name certainly means the
// only table that is returned.
func (r *schemaReader) targets(n Name) (tables []*Table, sure bool) {
	for _, t := range r.named[strings.ToLower(n.Last().Text)] {
		switch l := r.dialect.names(n, t.Name); {
		case l == same && !sure:
			tables, sure = []*Table{t}, true
		case l == perhaps && !sure:
			tables = append(tables, t)
		}
	}
	return tables, sure
}

// add adds a table to the schema.
func (r *schemaReader) add(t *Table) {
	r.schema.Tables = append(r.schema.Tables, t)
	name := strings.ToLower(t.Name.Last().Text)
	r.named[name] = append(r.named[name], t)
}

func (r *schemaReader) remove(t *Table) {
	is := func(o *Table) bool { return o == t }
	r.schema.Tables = slices.DeleteFunc(r.schema.Tables, is)
	name := strings.ToLower(t.Name.Last().Text)
	r.named[name] = slices.DeleteFunc(r.named[name], is)
}

// index parses CREATE INDEX after the word INDEX.
func (r *schemaReader) index(unique, sure bool) {
	r.words("concurrently")
	lenient := r.words("if", "not", "exists")
	name := ""
	if !r.is(0, "on") {
		if n := r.name(); len(n) > 0 {
			name = strings.ToLower(n.Last().Text)
		}
	}
	if lenient && r.indexes[name] {
		r.pass() // the index exists already
		return
	}
	if name != "" {
		r.indexes[name] = true
	}
	for !r.ended() && !r.words("on") {
		r.next()
	}
	if r.words("only") { // the index does not include the partitions
		sure = false
	}
	tables, certain := r.targets(r.name())
	columns, _ := r.keyList()
	var other string
	for ; !r.over(); r.next() {
		switch {
		case r.is(0, "where"): // a partial index
			sure = false
		case r.is(0, "nulls") && r.is(1, "not"):
			other = "UNIQUE NULLS NOT DISTINCT"
		}
	}
	if !unique {
		return
	}
	for _, t := range tables {
		r.key(t, columns, false, sure && certain, name)
		if other != "" {
			t.noteOther(other)
		}
	}
}

// drop parses DROP after the word DROP.
func (r *schemaReader) drop(sure bool) {
	what := strings.ToLower(r.text())
	switch what {
	case "table":
		r.next()
		r.words("if", "exists")
		for {
			tables, certain := r.targets(r.name())
			for _, t := range tables {
				if sure && certain {
					r.remove(t)
				} else {
					t.markUncertain("DROP TABLE")
				}
			}
			if !r.words(",") {
				break
			}
		}
	case "index", "constraint":
		r.next()
		r.words("concurrently")
		r.words("if", "exists")
		for {
			n := r.name()
			tables := r.schema.Tables
			if r.words("on") {
				tables, _ = r.targets(r.name())
			}
			if len(n) > 0 {
				r.dropKey(tables, strings.ToLower(n.Last().Text), sure)
				delete(r.indexes, strings.ToLower(n.Last().Text))
			}
			if !r.words(",") {
				break
			}
		}
	case "schema", "database", "type", "domain":
		r.schema.markUncertain("DROP " + strings.ToUpper(what))
	}
	r.pass()
}

// dropKey removes the key of that name from the tables. If sure is false, or if it is a foreign key, it only marks it
// as uncertain. If none has the name, it marks all unnamed ones as uncertain, since each may be the one.
func (r *schemaReader) dropKey(tables []*Table, name string, sure bool) {
	found := false
	for _, t := range tables {
		t.Keys = slices.DeleteFunc(t.Keys, func(k *Key) bool {
			if k.name != name {
				return false
			}
			found = true
			if k.Sure = false; k.Primary {
				k.weaken()
			}
			return sure
		})
	}
	for i := range r.foreign {
		if f := &r.foreign[i]; slices.Contains(tables, f.from) && f.name == name {
			f.sure, found = false, true
		}
	}
	if found || r.indexes[name] && sure {
		return
	}
	for _, t := range tables {
		for _, k := range t.Keys {
			if k.name == "" {
				if k.Sure = false; k.Primary {
					k.weaken()
				}
			}
		}
		for i := range r.foreign {
			if r.foreign[i].from == t && r.foreign[i].name == "" {
				r.foreign[i].sure = false
			}
		}
	}
}

// weaken records that the columns of a dropped primary key may hold NULL, unless they are declared NOT NULL themselves.
func (k *Key) weaken() {
	for _, c := range k.Columns {
		c.Sure = c.Sure && c.stated
	}
}

// inherits records that queries of the tables named n also return the rows of another table, so that keys of n are not
// certain among these rows.
func (r *schemaReader) inherits(n Name) {
	tables, _ := r.targets(n)
	for _, t := range tables {
		t.inherited = true
		for _, k := range t.Keys {
			k.Sure = false
		}
	}
}

// defined marks the tables that n may name as uncertain, because a statement gives this name to something else.
func (r *schemaReader) defined(n Name, why string) {
	tables, _ := r.targets(n)
	for _, t := range tables {
		t.markUncertain(why)
	}
}

func (r *schemaReader) alter(sure bool) {
	r.words("if", "exists")
	r.words("only")
	tables, certain := r.targets(r.name())
	sure = sure && certain
	if len(tables) == 0 {
		r.pass()
		return
	}
	start := r.i
	for _, t := range tables {
		r.i = start
		for !r.over() {
			at := r.i
			r.change(t, sure)
			r.rest(t)
			if r.i == at {
				r.next()
			}
		}
	}
}

// change parses one change of ALTER TABLE.
func (r *schemaReader) change(t *Table, sure bool) {
	switch {
	case r.words("add"):
		if r.constraint(t, sure) {
			return
		}
		r.words("column")
		lenient := r.words("if", "not", "exists")
		if r.words("(") { // ADD (a int, b int)
			for !r.ended() && !r.words(")") {
				at := r.i
				if !r.constraint(t, sure) {
					r.column(t, sure, lenient)
				}
				if r.skip(); r.i == at {
					r.next()
				}
			}
			return
		}
		r.column(t, sure, lenient)
		if !sure {
			t.markUncertain("ALTER TABLE ADD")
		}
	case r.words("drop"):
		r.dropPart(t, sure)
	case r.words("rename"):
		r.rename(t, sure)
	case r.words("alter"), r.words("modify"):
		r.words("column")
		r.alterColumn(t, sure)
	case r.words("with"): // T-SQL: WITH CHECK ADD, WITH NOCHECK ADD
		if !r.words("check") && r.words("nocheck") {
			sure = false
		}
		if r.is(0, "add") {
			r.change(t, sure)
		}
	case r.anyOf("owner", "cluster", "replica", "comment", "auto_increment", "engine", "default", "convert", "enable",
		"set", "reset", "validate", "check"):
		if r.is(0, "set") && r.is(1, "schema") {
			t.markUncertain("ALTER TABLE SET SCHEMA")
		}
	case r.is(0, "disable") && r.is(1, "keys"):
	case r.anyOf("nocheck", "disable"): // foreign keys and checks
		for i := range r.foreign {
			if r.foreign[i].from == t {
				r.foreign[i].sure = false
			}
		}
	case r.words("inherit"):
		t.markUncertain("INHERITS")
		r.inherits(r.name())
	default:
		t.markUncertain("ALTER TABLE " + strings.ToUpper(r.text()))
	}
}

// dropPart parses the rest of ALTER TABLE … DROP.
func (r *schemaReader) dropPart(t *Table, sure bool) {
	switch {
	case r.words("primary", "key"):
		for _, k := range t.Keys {
			if k.Primary {
				k.weaken()
				k.Sure = false
			}
		}
		if sure {
			t.Keys = slices.DeleteFunc(t.Keys, func(k *Key) bool { return k.Primary })
		}
		return
	case r.words("constraint"), r.words("index"), r.words("key"), r.words("foreign", "key"), r.words("check"):
		r.words("if", "exists")
		if n := r.name(); len(n) > 0 {
			r.dropKey([]*Table{t}, strings.ToLower(n.Last().Text), sure)
		}
		return
	case r.anyOf("default", "identity", "partition"):
		return
	}
	r.words("column")
	r.words("if", "exists")
	n := r.name()
	c, certain := t.Column(r.dialect, n.Last())
	if c == nil || len(n) == 0 || !sure || !certain {
		t.markUncertain("ALTER TABLE DROP")
		return
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(o *ColumnDef) bool { return o == c })
	t.Keys = slices.DeleteFunc(t.Keys, func(k *Key) bool {
		if !slices.Contains(k.Columns, c) {
			return false
		}
		if len(k.Columns) > 1 { // some engines keep the rest of the key
			t.noteOther("a key of which a column was dropped")
		}
		return true
	})
	if len(t.Checks) > 0 {
		t.noteOther("checks of a table of which a column was dropped")
	}
}

func (r *schemaReader) rename(t *Table, sure bool) {
	if r.words("to") {
		n := r.name()
		if len(n) == 0 || !sure {
			t.markUncertain("ALTER TABLE RENAME")
			return
		}
		if len(n) == 1 {
			n = append(slices.Clone(t.Name[:len(t.Name)-1]), n...)
		}
		r.remove(t)
		t.Name = n
		r.add(t)
		return
	}
	if r.words("constraint") || r.words("index") || r.words("key") {
		old := r.name()
		for _, k := range t.Keys {
			if len(old) > 0 && k.name == strings.ToLower(old.Last().Text) {
				k.Sure, k.name = false, ""
			}
		}
		return
	}
	r.words("column")
	old := r.name()
	to := r.words("to")
	now := r.name()
	c, certain := t.Column(r.dialect, old.Last())
	if !to || len(old) == 0 || len(now) == 0 || c == nil || !certain || !sure {
		t.markUncertain("ALTER TABLE RENAME")
		return
	}
	c.Name = now.Last()
	r.alike(t, c)
	if len(t.Checks) > 0 {
		t.noteOther("checks of a table of which a column was renamed")
	}
}

func (r *schemaReader) alterColumn(t *Table, sure bool) {
	n := r.name()
	c, certain := t.Column(r.dialect, n.Last())
	sure = sure && certain
	switch {
	case c == nil || len(n) == 0:
		t.markUncertain("ALTER COLUMN")
	case r.words("set", "not", "null"), r.words("add", "generated", "always", "as", "identity"),
		r.words("add", "generated", "by", "default", "as", "identity"):
		c.NotNull, c.Sure, c.stated = true, c.Sure || sure, true
	case r.words("drop", "not", "null"):
		if c.Sure, c.stated = false,
			false; sure &&
			!slices.ContainsFunc(t.Keys, func(k *Key) bool { return k.Primary && slices.Contains(k.Columns, c) }) {
			c.NotNull = false
		}
	case r.words("set", "default"), r.words("set", "statistics"), r.words("set", "storage"), r.words("drop", "default"),
		r.words("comment"):
	case r.words("drop", "identity"), r.words("drop", "expression"):
		c.Sure = c.Sure && c.stated
	default: // another type, with or without NOT NULL
		c.Sure, c.stated, c.Type, c.Note = false, false, "", "ALTER COLUMN "+n.Last().Text
	}
}

// rest skips the rest of a change of ALTER TABLE, up to the next change.
func (r *schemaReader) rest(t *Table) {
	for depth := 0; !r.over(); r.next() {
		switch {
		case r.is(0, "("):
			depth++
		case r.is(0, ")"):
			depth--
		case r.is(0, ",") && depth == 0:
			r.next()
			return
		default:
			r.marks(t)
		}
	}
}

// marks parses words after a constraint that change its meaning.
func (r *schemaReader) marks(t *Table) {
	switch {
	case r.is(0, "match") && r.is(1, "full"):
		t.noteOther("MATCH FULL")
	case r.is(0, "nulls") && r.is(1, "not"):
		t.noteOther("UNIQUE NULLS NOT DISTINCT")
	case r.is(0, "not") && r.is(1, "valid"), r.is(0, "novalidate"): // applies to the last constraint
		if n := len(r.foreign); n > 0 && r.foreign[n-1].from == t {
			r.foreign[n-1].sure = false
		}
	}
}

// table parses the elements of CREATE TABLE, from the opening bracket, and adds the table to the schema.
func (r *schemaReader) table(n Name, sure, replaces, lenient bool) {
	t := &Table{Name: n}
	start := r.start()
	foreign := len(r.foreign)
	r.next()
	for r.cur().kind != tokEOF && !r.is(0, ";") && !r.words(")") {
		at := r.i
		switch {
		case r.words("like"): // it also has the columns of another table
			t.markUncertain("LIKE")
		case r.constraint(t, true):
		default:
			r.column(t, true, false)
		}
		from := r.i
		r.skip()
		end := r.i
		for r.i = from; r.i < end; r.next() {
			r.marks(t)
		}
		if r.i = end; r.i == at {
			r.next()
		}
	}
	t.text = r.sql[start:max(start, r.from(start).End)]
	for ; !r.over() && !r.is(0, "insert"); r.next() {
		switch {
		case r.words("inherits", "("):
			t.markUncertain("INHERITS")
			for r.inherits(r.name()); r.words(","); {
				r.inherits(r.name())
			}
		case r.is(0, "partition") && r.is(1, "of"):
			t.markUncertain("PARTITION OF")
		case r.is(0, "without") && r.is(1, "rowid"):
			for _, k := range t.Keys {
				for _, c := range k.Columns {
					c.Sure = c.Sure || k.Primary
				}
			}
		case r.is(0, "as") && (r.is(1, "select") || r.is(1, "with")):
			t.markUncertain("AS SELECT")
		}
	}
	if len(t.Columns) == 0 {
		return
	}
	if !sure {
		t.markUncertain("a definition that may not be run")
	}
	tables, certain := r.targets(n)
	switch {
	case !certain: // no other table certainly has this name
		r.add(t)
	case replaces && sure:
		r.remove(tables[0])
		r.add(t)
	default:
		if tables[0].text != t.text && !lenient || replaces {
			tables[0].markUncertain("two tables of this name")
		}
		r.foreign = r.foreign[:foreign]
	}
}

// skip skips the rest of an element and the comma after it, or stops before the bracket that closes the list.
func (r *schemaReader) skip() {
	for depth := 0; !r.ended(); r.next() {
		switch {
		case r.is(0, "("):
			depth++
		case r.is(0, ")"):
			if depth == 0 {
				return
			}
			depth--
		case r.is(0, ",") && depth == 0:
			r.next()
			return
		}
	}
}

// constraint parses a table constraint and reports whether there is one.
func (r *schemaReader) constraint(t *Table, sure bool) bool {
	name := ""
	at := r.i
	if r.words("constraint") {
		if n := r.name(); len(n) > 0 {
			name = strings.ToLower(n.Last().Text)
		}
	}
	switch {
	case r.words("primary", "key"):
		r.listed(t, true, sure, name)
	case r.is(0, "unique") && !r.is(1, ","):
		r.next()
		if r.is(0, "nulls") && r.is(1, "not") {
			t.noteOther("UNIQUE NULLS NOT DISTINCT")
		}
		r.listed(t, false, sure, name)
	case r.words("foreign", "key"):
		_, columns := r.namedList()
		if r.words("references") {
			r.references(t, columns, sure, name)
		}
	case r.is(0, "check") && r.is(1, "("):
		r.next()
		r.check(t)
	case r.is(0, "exclude") && (r.is(1, "using") || r.is(1, "(")):
		t.noteOther("EXCLUDE")
	case r.is(0, "fulltext"), r.is(0, "spatial"),
		(r.is(0, "key") || r.is(0, "index")) && (r.is(1, "(") || r.is(2, "(")) && !r.columnBehind():
		r.next()
	default:
		r.i = at
		return false
	}
	return true
}

// columnBehind reports whether KEY or INDEX is the name of a column here: a type with a length, such as varchar(20),
// follows it.
func (r *schemaReader) columnBehind() bool { return r.is(2, "(") && r.ahead(3).kind == tokNumber }

// check parses the parenthesized condition of CHECK and adds it to the table.
func (r *schemaReader) check(t *Table) {
	start := r.start()
	r.brackets()
	q := Parse("SELECT 1 FROM t WHERE "+r.sql[start:r.from(start).End], r.dialect).Final()
	if q != nil {
		if s, ok := q.Body.(*Select); ok && s.Where != nil {
			t.Checks = append(t.Checks, s.Where)
			return
		}
	}
	t.noteOther("a check that badger cannot read")
}

// brackets skips the parentheses that start at the current token, including their content.
func (r *schemaReader) brackets() {
	for depth := 0; r.cur().kind != tokEOF; {
		switch {
		case r.is(0, "("):
			depth++
		case r.is(0, ")"):
			depth--
		}
		if r.next(); depth == 0 {
			return
		}
	}
}

func (r *schemaReader) references(t *Table, columns []Ident, sure bool, name string) {
	if to := r.name(); len(to) > 0 {
		target, _ := r.list()
		r.foreign = append(r.foreign, foreignNames{t, columns, to, target, sure, name})
	}
}

// idleWords are words after a column's type that do not restrict its values.
var idleWords = []string{
	"deferrable", "not", "initially", "deferred", "immediate", "enforced", "asc", "desc", "clustered", "nonclustered",
	"key",
	"match", "simple", "rely", "norely", "validate", "novalidate", "enable", "disable", "visible", "unique", "for",
	"replication",
	"null", "rowguidcol", "using", "index", "tablespace", "with",
}

// afterValue are the words that may follow the expression of DEFAULT, and so end it.
var afterValue = []string{
	"not", "null", "primary", "unique", "references", "check", "collate", "comment", "constraint", "generated", "on", "as",
	"auto_increment", "autoincrement", "identity", "encode", "match",
}

// column parses a column with its constraints, up to the following comma or bracket.
func (r *schemaReader) column(t *Table, sure, lenient bool) {
	n := r.name()
	if len(n) == 0 {
		return
	}
	c := &ColumnDef{Name: n.Last()}
	if old, certain := t.Column(r.dialect, c.Name); old != nil && lenient {
		if !certain {
			t.markUncertain("a column that may be there")
		}
		return
	}
	t.Columns = append(t.Columns, c)
	r.alike(t, c)
	var declared []string
	inType, name := true, ""
	keys := len(t.Keys)
	for !r.ended() && !r.is(0, ",") && !r.is(0, ")") {
		switch {
		case r.is(0, "(") || inType && r.is(0, "<"):
			start := r.start()
			if r.is(0, "<") {
				r.angles()
			} else {
				r.brackets()
			}
			if inType {
				declared = append(declared, r.sql[start:r.from(start).End])
			}
		case r.words("not", "null"):
			c.NotNull, c.Sure, c.stated, inType = true, sure, true, false
		case r.words("primary", "key"):
			r.key(t, []Ident{c.Name}, true, sure, name)
			inType = false
		case r.words("unique"):
			if r.words("nulls", "not", "distinct") {
				t.noteOther("UNIQUE NULLS NOT DISTINCT")
			}
			r.key(t, []Ident{c.Name}, false, sure, name)
			inType = false
		case r.words("references"):
			r.references(t, []Ident{c.Name}, sure, name)
			inType = false
		case r.is(0, "check") && r.is(1, "("):
			r.next()
			r.check(t)
			inType = false
		case r.words("default"):
			r.value()
			inType = false
		case r.words("on"): // ON DELETE SET DEFAULT, ON UPDATE CURRENT_TIMESTAMP, ON CONFLICT FAIL
			r.next()
			if !r.words("set") {
				r.words("no")
			}
			r.next()
			inType = false
		case r.words("match", "full"):
			t.noteOther("MATCH FULL")
		case r.is(0, "collate"), r.is(0, "comment"):
			if r.is(0, "collate") && r.dialect == SQLite && !r.is(1, "binary") {
				c.Note = "a column with a collation"
			}
			r.next()
			r.next()
			inType = false
		case r.words("constraint"):
			if n := r.name(); len(n) > 0 {
				name = strings.ToLower(n.Last().Text)
			}
			inType = false
		case r.words("generated"):
			for r.words("always") || r.words("by", "default") || r.words("on", "null") {
			}
			if inType = false; r.words("as", "identity") {
				c.NotNull, c.Sure, c.stated = true, sure, true
			} else {
				t.noteOther("the generated column " + c.Name.Text)
			}
		case r.is(0, "as") && r.is(1, "("):
			t.noteOther("the generated column " + c.Name.Text)
			r.next()
		case r.words("identity"), r.words("auto_increment"):
			c.NotNull, inType = true, false
		case r.is(0, "null"), r.is(0, "autoincrement"), r.is(0, "encode"):
			r.next()
			inType = false
		default:
			text := strings.ToLower(r.text())
			if inType && r.cur().kind != tokString {
				declared = append(declared, strings.ToLower(r.identOf(r.cur()).Text))
			} else if !inType && !slices.Contains(idleWords, text) {
				t.noteOther("the column " + c.Name.Text + " with " + strings.ToUpper(text))
			}
			r.next()
		}
	}
	c.Type = strings.ToLower(strings.ReplaceAll(strings.Join(declared, " "), " (", "("))
	c.Type = strings.ReplaceAll(c.Type, " <", "<")
	if strings.Contains(c.Type, "serial") && r.dialect != SQLite {
		c.NotNull, c.Sure = true, sure
	}
	if len(t.Keys) > keys && t.Keys[0].Primary {
		r.primary(t.Keys[0], sure)
	}
}

// primary records that the columns of a primary key hold no NULL. In SQLite this is certain only for a single INTEGER
// column that is the rowid.
func (r *schemaReader) primary(k *Key, sure bool) {
	for _, c := range k.Columns {
		c.NotNull = true
		c.Sure = c.Sure || sure && (r.dialect != SQLite || len(k.Columns) == 1 && c.Type == "integer" && !r.descends())
	}
}

// descends reports whether the primary key that was just parsed is declared DESC.
func (r *schemaReader) descends() bool {
	for i := r.i - 1; i > 0 && r.toks[i].code != oComma && r.toks[i].code != oLparen; i-- {
		if strings.EqualFold(r.textOf(&r.toks[i]), "desc") {
			return true
		}
	}
	return false
}

// alike marks c and the other columns of the table with the same name, ignoring case, as Alike.
func (r *schemaReader) alike(t *Table, c *ColumnDef) {
	for _, o := range t.Columns {
		if o != c && strings.EqualFold(o.Name.Text, c.Name.Text) {
			if o.Alike, c.Alike = true, true; r.dialect.likeness(o.Name, c.Name, false) != different {
				t.noteOther("two columns of the name " + c.Name.Text)
			}
		}
	}
}

// angles skips the parameters <…> of a type, including nested ones.
func (r *schemaReader) angles() {
	for depth := 0; !r.ended(); {
		for _, sign := range r.text() {
			switch sign {
			case '<':
				depth++
			case '>':
				depth--
			}
		}
		if r.next(); depth <= 0 {
			return
		}
	}
}

// value skips the expression of DEFAULT, up to the next constraint, comma or closing bracket.
func (r *schemaReader) value() {
	for first := true; !r.ended(); first = false {
		switch {
		case r.is(0, ","), r.is(0, ")"):
			return
		case r.is(0, "("):
			r.brackets()
			continue
		case !first && r.cur().kind == tokWord && slices.Contains(afterValue, strings.ToLower(r.text())):
			return
		}
		r.next()
	}
}

// listed parses the column list of a table's key, with a name before it if any, and records the key.
func (r *schemaReader) listed(t *Table, primary, sure bool, name string) {
	index, columns := r.namedList()
	if name == "" {
		name = index
	}
	r.key(t, columns, primary, sure, name)
}

// key records a key of the named columns. If a name is an expression or not a column of the table, it only records that
// the table has other constraints.
func (r *schemaReader) key(t *Table, names []Ident, primary, sure bool, name string) {
	k := &Key{Primary: primary, Sure: sure && !t.inherited, name: name}
	for _, n := range names {
		if c, certain := t.Column(r.dialect, n); c != nil {
			k.Columns = append(k.Columns, c)
			k.Sure = k.Sure && certain
		}
	}
	if len(k.Columns) == 0 || len(k.Columns) != len(names) {
		t.noteOther("a key that is not of columns alone")
		return
	}
	if !primary {
		t.Keys = append(t.Keys, k)
		return
	}
	r.primary(k, k.Sure)
	t.Keys = append([]*Key{k}, t.Keys...)
}

// namedList skips words such as CLUSTERED before a column list and parses the list. name is the last other word before
// it, which may be the name of an index or key.
func (r *schemaReader) namedList() (name string, columns []Ident) {
	for !r.ended() && !r.is(0, "(") && !r.is(0, ",") && !r.is(0, ")") {
		if k := r.cur().kind; (k == tokWord || k == tokQuoted || k == tokDouble) &&
			!r.anyOf("key", "index", "clustered", "nonclustered", "using", "nulls", "not", "distinct") {
			name = strings.ToLower(r.identOf(r.cur()).Text)
		}
		r.next()
	}
	columns, _ = r.list()
	return name, columns
}

// keyList skips to the column list of an index, after words such as USING btree, and parses it.
func (r *schemaReader) keyList() ([]Ident, bool) {
	for !r.ended() && !r.is(0, "(") {
		r.next()
	}
	return r.list()
}

// list parses (a, b DESC) and returns the names. An element that is an expression has an empty name.
func (r *schemaReader) list() (out []Ident, ok bool) {
	if !r.words("(") {
		return nil, false
	}
	for !r.ended() && !r.words(")") {
		at := r.i
		var id Ident
		if n := r.name(); len(n) == 1 {
			id = n[0]
		}
		if !r.is(0, ",") && !r.is(0, ")") && !r.is(0, "asc") && !r.is(0, "desc") && !r.is(0, "nulls") {
			id = Ident{} // an expression
		}
		out = append(out, id)
		if r.skip(); r.i == at {
			r.next()
		}
	}
	return out, true
}

// link resolves the table and column names of foreign keys and adds the keys to their tables. It ignores a foreign key
// with a name that does not resolve.
func (r *schemaReader) link() {
	for _, f := range r.foreign {
		tables, _ := r.targets(f.to)
		if len(tables) != 1 || !slices.Contains(r.schema.Tables, f.from) {
			continue
		}
		to := tables[0]
		k := &ForeignKey{To: to, Sure: f.sure, name: f.name}
		if len(f.target) == 0 && len(to.Keys) > 0 && to.Keys[0].Primary {
			k.Target = to.Keys[0].Columns
		}
		for _, n := range f.target {
			if c, certain := to.Column(r.dialect, n); c != nil {
				k.Target = append(k.Target, c)
				k.Sure = k.Sure && certain
			}
		}
		for _, n := range f.columns {
			if c, certain := f.from.Column(r.dialect, n); c != nil {
				k.Columns = append(k.Columns, c)
				k.Sure = k.Sure && certain
			}
		}
		if len(k.Columns) > 0 && len(k.Columns) == len(k.Target) && len(k.Columns) == len(f.columns) {
			f.from.Foreign = append(f.from.Foreign, k)
		}
	}
}
