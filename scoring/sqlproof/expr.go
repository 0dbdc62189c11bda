package sqlproof

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

func (b *builder) exprs(list []sqlparts.Expr, sc *scope) []*expr {
	out := make([]*expr, len(list))
	for i, e := range list {
		out[i] = b.expr(e, sc)
	}
	return out
}

func (b *builder) subquery(q *sqlparts.Query, sc *scope) *expr {
	return &expr{op: opQuery, sub: b.query(q, sc)}
}

// expr builds an expression, in the normal form given by rules that need no schema.
func (b *builder) expr(e sqlparts.Expr, sc *scope) *expr {
	switch e := e.(type) {
	case nil:
		return node(opNull)
	case *sqlparts.Column:
		return b.column(e, sc)
	case *sqlparts.Literal:
		if x := b.doubleQuoted(e, sc); x != nil {
			return x
		}
		return b.literal(e)
	case *sqlparts.Param:
		if positional := len(e.Text) > 1 && e.Text[0] == '$' && e.Text[1] >= '0' && e.Text[1] <= '9'; positional &&
			(b.Dialect == sqlparts.Snowflake || b.Dialect == sqlparts.Generic) {
			b.fail("a column by its position")
		}
		if e.Text == "?" {
			b.marks++
			return &expr{op: opLit, text: "?" + strconv.Itoa(b.marks)}
		}
		return &expr{op: opLit, text: e.Text}
	case *sqlparts.Star:
		b.fail("all columns as a value")
		return node("rows")
	case *sqlparts.Logic:
		if e.Or {
			return disjunction(b.exprs(e.Args, sc))
		}
		return conjunction(b.exprs(e.Args, sc))
	case *sqlparts.Unary:
		x := b.expr(e.X, sc)
		switch e.Op {
		case "#":
			b.fail("a column by its position")
		case "not":
			return b.not(x)
		case "+":
			if x.op == opNumber {
				return x
			}
		}
		return node("unary "+string(e.Op), x)
	case *sqlparts.Binary:
		return b.binary(e, sc)
	case *sqlparts.In:
		return b.in(e, sc)
	case *sqlparts.Between:
		x, low, high := b.expr(e.X, sc), b.expr(e.Low, sc), b.expr(e.High, sc)
		if e.Symmetric {
			return maybeNot(node("between symmetric", x, low, high), e.Not)
		}
		between := conjunction([]*expr{b.compare(">=", x, low), b.compare("<=", x.clone(), high)})
		if e.Not {
			return b.not(between)
		}
		return between
	case *sqlparts.Like:
		x := node(string(e.Op)+" "+e.Quantifier, b.expr(e.X, sc), b.expr(e.Pattern, sc))
		if e.Escape != nil {
			x.args = append(x.args, b.expr(e.Escape, sc))
		}
		return maybeNot(x, e.Not)
	case *sqlparts.Is:
		x := b.expr(e.X, sc)
		if l, ok := e.What.(*sqlparts.Literal); ok && l.Kind == sqlparts.Null {
			if e.Not && isRow(x) { // a row IS NOT NULL if no member is NULL, which is not the opposite of IS NULL
				return node("is not null", x)
			}
			return maybeNot(node(opIsNull, x), e.Not)
		}
		return maybeNot(&expr{op: "is", text: sqlparts.Normalized(e.What), args: []*expr{x}}, e.Not)
	case *sqlparts.Exists:
		return &expr{op: opExists, sub: b.query(e.Query, sc)}
	case *sqlparts.Case:
		return b.caseOf(e, sc)
	case *sqlparts.Cast:
		x := &expr{op: "cast", text: b.typeName(e.Type), args: []*expr{b.expr(e.X, sc)}}
		if e.Try {
			x.op = "try_cast"
		}
		if e.Format != nil {
			x.args = append(x.args, b.expr(e.Format, sc))
		}
		return x
	case *sqlparts.Subquery:
		return b.subquery(e.Query, sc)
	case *sqlparts.Call:
		return b.call(e, sc)
	case *sqlparts.Interval:
		return &expr{op: "interval", text: strings.TrimSuffix(e.Unit, "s"), args: []*expr{b.expr(e.X, sc)}}
	case *sqlparts.List:
		x := &expr{op: "list", text: strconv.Itoa(int(e.Kind)) + " " + e.Type}
		for _, it := range e.Items {
			x.args = append(x.args, b.expr(it.Expr, sc))
			if it.Alias.Text != "" {
				x.args[len(x.args)-1] = &expr{op: "named", text: it.Alias.Text, args: []*expr{x.args[len(x.args)-1]}}
			}
		}
		return x
	case *sqlparts.Index:
		x := &expr{op: "index", args: []*expr{b.expr(e.X, sc), b.expr(e.I, sc), b.expr(e.To, sc)}}
		if e.Slice {
			x.op = "slice"
		}
		return x
	case *sqlparts.Field:
		return &expr{op: "field", text: b.fieldName(e.Name), args: []*expr{b.expr(e.X, sc)}}
	case *sqlparts.Path:
		return &expr{op: "path", text: e.Text, args: []*expr{b.expr(e.X, sc)}}
	case *sqlparts.Named:
		return &expr{op: "named", text: e.Name.Text, args: []*expr{b.expr(e.X, sc)}}
	case *sqlparts.Alias:
		return &expr{op: "named", text: e.Name.Text, args: []*expr{b.expr(e.X, sc)}}
	case *sqlparts.Lambda:
		x := &expr{op: "lambda"}
		for _, p := range e.Params {
			x.text += b.fold(p, false) + ","
		}
		x.args = []*expr{b.expr(e.X, sc)}
		return x
	case *sqlparts.Special:
		return b.special(e, sc)
	case *sqlparts.Grouping:
		return groupingSets(e.Kind, b.exprs(e.Args, sc))
	}
	b.fail("an expression that was not read")
	return node("raw")
}

// doubleQuoted resolves SQLite's "x" in a place where a value is expected. It returns a column if a visible one has
// the name. Otherwise "x" is a string, and it returns nil, as for all other constants.
func (b *builder) doubleQuoted(l *sqlparts.Literal, sc *scope) *expr {
	from, _ := l.Range()
	if b.Dialect != sqlparts.SQLite || l.Kind != sqlparts.String || from < 0 || from >= len(b.sql) || b.sql[from] != '"' {
		return nil
	}
	name := strings.ToLower(l.Text)
	for ; sc != nil; sc = sc.outer {
		var known, maybe []*expr
		for _, e := range sc.entries {
			x := b.columnOf(e, name)
			switch hidden := e.items == nil && hiddenNames[name]; {
			case x == nil && hidden:
				maybe = append(maybe, &expr{op: opUnknown, text: name, srcs: []*source{e.src}})
			case x == nil:
			case x.op == opColumn && e.items == nil && b.table(e.src) == nil, x.op == opUnder, x.op == opUnknown:
				maybe = append(maybe, x)
			default:
				known = append(known, x)
			}
		}
		switch {
		case len(known) == 1 && len(maybe) == 0:
			return known[0]
		case len(known)+len(maybe) > 0:
			return either(name, append(known, maybe...)...)
		}
	}
	return nil
}

// hiddenNames are the names of the row id that every table of SQLite has.
var hiddenNames = map[string]bool{"rowid": true, "oid": true, "_rowid_": true}

// literal builds a constant. Numbers keep their spelling, since the type matters: 1.0 and 1 differ in a division.
func (b *builder) literal(l *sqlparts.Literal) *expr {
	switch l.Kind {
	case sqlparts.Number:
		text := strings.ToLower(l.Text)
		if strings.HasPrefix(text, ".") {
			text = "0" + text
		}
		return &expr{op: opNumber, text: text}
	case sqlparts.String:
		if s, e := l.Range(); s >= 0 && e <= len(b.sql) && s < e && strings.Contains(b.sql[s:e], `\`) {
			return &expr{op: opLit, text: b.sql[s:e]} // the meaning of escapes depends on the dialect
		}
		return &expr{op: opString, text: l.Text}
	case sqlparts.Null:
		return node(opNull)
	}
	return &expr{op: opLit, text: l.Text}
}

var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

var negatedOp = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// isRow reports whether an expression is a row of several values.
func isRow(e *expr) bool {
	return e.op == "list" || e.op == opRow || e.op == opCall && (e.text == "row" || e.text == "struct")
}

// compare builds the comparison l op r. In SQLite, it keeps the order of sides with two different collations, since the
// left one's is used.
func (b *builder) compare(op string, l, r *expr) *expr {
	if b.Dialect == sqlparts.SQLite {
		if lc, rc := b.collation(l), b.collation(r); lc != "" && rc != "" && lc != rc {
			return node("left "+op, l, r)
		}
	}
	return compare(op, l, r)
}

// collation returns the source of an expression's collation in SQLite: COLLATE, a column (the default collation
// unless the schema has another one), or none.
func (b *builder) collation(e *expr) string {
	switch e.op {
	case "collate":
		return "collate " + e.text
	case "cast", "unary +":
		return b.collation(e.args[0])
	case opItem:
		q := e.src.block
		for q != nil && len(q.terms) > 0 {
			q = q.terms[0]
		}
		if q != nil && atoi(e.text) < len(q.items) {
			return b.collation(q.items[atoi(e.text)])
		}
	case opColumn:
		if e.src.last != "" && b.schema.Special(sqltree.Column{Table: e.src.last, Name: e.text}) {
			return e.src.last + "." + e.text
		}
	case opUnder, opUnknown, opEither:
	default:
		return ""
	}
	return opColumn
}

// compare builds the comparison l op r. It writes > and >= as < and <= with the sides exchanged.
func compare(op string, l, r *expr) *expr {
	if op == ">" || op == ">=" {
		op, l, r = mirrored[op], r, l
	}
	return node(op, whole(l, r), whole(r, l))
}

// whole removes a fraction of zeros from a number that is compared with a computed number. Elsewhere the type of a
// constant may matter.
func whole(e, other *expr) *expr {
	if e.op != opNumber || !strings.Contains(e.text, ".") {
		return e
	}
	switch {
	case other.op == "+" || other.op == "-" || other.op == "*" || other.op == "/" || other.op == "unary -":
	case other.op == opCall && (other.text == "count" || other.text == "sum" || other.text == "avg"):
	default:
		return e
	}
	digits := strings.TrimRight(strings.TrimRight(e.text, "0"), ".")
	if strings.Trim(digits, "0123456789.") != "" || digits == "" {
		return e
	}
	return &expr{op: opNumber, text: digits}
}

func maybeNot(e *expr, not bool) *expr {
	if not {
		return negation(e)
	}
	return e
}

// not returns the negation of a condition: the opposite comparison if any two values compare, AND and OR by De Morgan's
// rules, else NOT.
func (b *builder) not(e *expr) *expr {
	switch e.op {
	case "=", "<>":
		return node(negatedOp[e.op], e.args...)
	case "<", "<=":
		if b.total() {
			return compare(negatedOp[e.op], e.args[0], e.args[1])
		}
	case opAnd, opOr:
		args := make([]*expr, len(e.args))
		for i, a := range e.args {
			args[i] = b.not(a)
		}
		if e.op == opAnd {
			return disjunction(args)
		}
		return conjunction(args)
	case opNot:
		if condition(e.args[0]) {
			return e.args[0]
		}
	case opIn:
		return notIn(e)
	}
	return negation(e)
}

// notIn returns the negation of x IN (…): for up to maxListed constants of the same kind, x <> each of them; else NOT.
func notIn(e *expr) *expr {
	x, values := listed(e)
	if x == nil || len(values) > maxListed {
		return negation(e)
	}
	all := make([]*expr, len(values))
	for i, v := range values {
		all[i] = node("<>", x.clone(), v)
	}
	return conjunction(all)
}

// nullSafe builds the comparison for which NULL equals NULL.
func nullSafe(l, r *expr) *expr {
	if l.op == opNull {
		l, r = r, l
	}
	if r.op == opNull && (l.op == opColumn || l.op == opItem) {
		return node(opIsNull, l)
	}
	return node("is not distinct from", l, r)
}

// maxListed is the maximum number of constants in a list for which NOT IN is written as comparisons.
const maxListed = 1000

// condition reports whether the value of an expression is certainly a truth value or NULL, not a number.
func condition(e *expr) bool {
	switch e.op {
	case "=", "<>", "<", "<=", opAnd, opOr, opNot, opIn, opIsNull, opExists, "is", "like ", "ilike ":
		return true
	}
	return false
}

func isTrue(e *expr) bool {
	return e.op == opLit && e.text == "true" ||
		e.op == "=" && (e.args[0].op == opNumber || e.args[0].op == opString) && e.args[1].op == e.args[0].op &&
			e.args[0].text == e.args[1].text
}

func conjunction(list []*expr) *expr {
	var flat []*expr
	dropped := false
	for _, e := range list {
		switch {
		case e.op == opAnd:
			flat = append(flat, e.args...)
		case isTrue(e):
			dropped = true
		default:
			flat = append(flat, e)
		}
	}
	switch len(flat) {
	case 0:
		return &expr{op: opLit, text: "true"}
	case 1:
		if !dropped || condition(flat[0]) {
			return flat[0]
		}
		flat = append(flat, &expr{op: opLit, text: "true"}) // 5 AND true is not 5
	}
	return node(opAnd, flat...)
}

// disjunction joins conditions by OR. Comparisons of one expression with several constants of the same kind become one
// IN list.
func disjunction(list []*expr) *expr {
	var flat []*expr
	for _, e := range list {
		if e.op == opOr {
			flat = append(flat, e.args...)
		} else {
			flat = append(flat, e)
		}
	}
	var out []*expr
	at := map[string]*expr{}
	for _, e := range flat {
		x, values := listed(e)
		if x == nil {
			out = append(out, e)
			continue
		}
		name := values[0].op + x.id()
		if in := at[name]; in != nil {
			in.args = append(in.args, values...)
			continue
		}
		in := node(opIn, append([]*expr{x}, values...)...)
		at[name] = in
		out = append(out, in)
	}
	for i, e := range out {
		if e.op == opIn && len(e.args) == 2 && e.args[1].sub == nil {
			out[i] = node("=", e.args[0], e.args[1])
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return node(opOr, out...)
}

// listed returns x and the constants of x = constant or x IN (constants of the same kind); nil for other conditions.
func listed(e *expr) (x *expr, values []*expr) {
	constant := func(e *expr) bool { return e.op == opNumber || e.op == opString }
	switch {
	case e.op == "=" && constant(e.args[1]) && !constant(e.args[0]):
		return e.args[0], e.args[1:2]
	case e.op == "=" && constant(e.args[0]) && !constant(e.args[1]):
		return e.args[1], e.args[:1]
	case e.op == opIn && constant(e.args[1]) &&
		!slices.ContainsFunc(e.args[1:], func(v *expr) bool { return v.op != e.args[1].op }):
		return e.args[0], e.args[1:]
	}
	return nil, nil
}

func (b *builder) binary(e *sqlparts.Binary, sc *scope) *expr {
	l, r := b.expr(e.L, sc), b.expr(e.R, sc)
	o := string(e.Op)
	if e.Quantifier != "" {
		switch {
		case o == "=" && (e.Quantifier == "any" || e.Quantifier == "some") && r.sub != nil:
			return node(opIn, l, r)
		case o == "<>" && e.Quantifier == "all" && r.sub != nil:
			return negation(node(opIn, l, r))
		case o == "=" && (e.Quantifier == "any" || e.Quantifier == "some") && r.op == "list" && r.text == "1 " &&
			len(r.args) > 1:
			return node(opIn, append([]*expr{l}, r.args...)...)
		}
		return node(o+" "+e.Quantifier, l, r)
	}
	if o == "=" && l.op == "list" && r.op == "list" && l.text == "0 " && r.text == l.text && len(l.args) == len(r.args) &&
		len(l.args) > 1 {
		var all []*expr
		for i := range l.args {
			all = append(all, b.compare("=", l.args[i], r.args[i]))
		}
		return conjunction(all)
	}
	if mirrored[o] != "" {
		return b.compare(o, l, r)
	}
	switch o {
	case "is not distinct from", "<=>":
		return nullSafe(l, r)
	case "is distinct from":
		return maybeNot(nullSafe(l, r), true)
	case "collate":
		return &expr{op: "collate", text: sqlparts.Normalized(e.R), args: []*expr{l}}
	}
	return node(o, l, r)
}

func (b *builder) in(e *sqlparts.In, sc *scope) *expr {
	x := b.expr(e.X, sc)
	var out *expr
	switch {
	case e.Query != nil:
		out = node(opIn, x, b.subquery(e.Query, sc))
	case e.Of != nil:
		out = node("in elements", x, b.expr(e.Of, sc))
	default:
		list := b.exprs(e.List, sc)
		if len(list) == 0 {
			b.fail("an empty list")
			return x
		}
		if len(list) == 1 {
			if list[0].sub != nil {
				return maybeNot(node(opIn, x, list[0]), e.Not)
			}
			if e.Not {
				return b.compare("<>", x, list[0])
			}
			return b.compare("=", x, list[0])
		}
		if rows := b.inRows(x, list); rows != nil {
			if e.Not {
				return b.not(rows)
			}
			return rows
		}
		if out = node(opIn, append([]*expr{x}, list...)...); e.Not {
			return notIn(out)
		}
	}
	return maybeNot(out, e.Not)
}

// inRows returns (a, b) IN ((1, 2), (3, 4)) as comparisons joined by AND and OR; nil if the list has another form or
// more than 50 rows.
func (b *builder) inRows(x *expr, list []*expr) *expr {
	plain := func(e *expr) bool {
		return e.op == "list" && e.text == "0 " && len(e.args) == len(x.args) && !e.has(isQuery)
	}
	if len(x.args) < 2 || !plain(x) || len(list) > 50 ||
		slices.ContainsFunc(list, func(e *expr) bool { return !plain(e) }) {
		return nil
	}
	var rows []*expr
	for _, r := range list {
		var all []*expr
		for i := range x.args {
			all = append(all, b.compare("=", x.args[i].clone(), r.args[i]))
		}
		rows = append(rows, conjunction(all))
	}
	return disjunction(rows)
}

// caseOf builds a CASE. It writes CASE x WHEN a as CASE WHEN x = a, and omits ELSE NULL.
func (b *builder) caseOf(e *sqlparts.Case, sc *scope) *expr {
	var args []*expr
	for _, w := range e.Whens {
		cond := b.expr(w.Cond, sc)
		if e.X != nil {
			cond = compare("=", b.expr(e.X, sc), cond)
		}
		args = append(args, cond, b.expr(w.Then, sc))
	}
	if e.Else != nil {
		args = append(args, b.expr(e.Else, sc))
	}
	return caseExpr(args)
}

func caseExpr(args []*expr) *expr {
	if n := len(args); n%2 == 1 && args[n-1].op == opNull {
		args = args[:n-1]
	}
	return node(opCase, args...)
}

// dateParts are the parts of a date for which a function of the same name is equivalent to EXTRACT.
var dateParts = map[string]bool{"year": true, "month": true, "day": true, "hour": true, "minute": true, "quarter": true}

func (b *builder) special(e *sqlparts.Special, sc *scope) *expr {
	if strings.HasPrefix(e.Name, "substr") {
		return &expr{op: opCall, text: "substr", args: b.exprs(e.Args, sc)}
	}
	x := &expr{op: opCall, text: e.Name}
	if e.Name == "extract" && len(e.Args) == 2 {
		if c, ok := e.Args[0].(*sqlparts.Column); ok && len(c.Name) == 1 {
			return datePart(strings.ToLower(c.Name[0].Text), b.expr(e.Args[1], sc))
		}
	}
	for i, a := range e.Args {
		arg := b.expr(a, sc)
		if c, ok := a.(*sqlparts.Column); ok && len(c.Name) == 1 && !c.Name[0].Quoted &&
			sqlparts.IsDatePart(e.Name, c.Name[0].Text) {
			arg = &expr{op: opLit, text: strings.ToLower(c.Name[0].Text)}
		}
		x.args = append(x.args, &expr{op: "word", text: e.Words[i], args: []*expr{arg}})
	}
	var plain []*expr
	for _, a := range x.args {
		plain = append(plain, a.args[0])
	}
	if y := b.plainSpecial(e.Name, e.Words, plain); y != nil {
		return y
	}
	return x
}

func datePart(part string, x *expr) *expr {
	if dateParts[part] {
		return &expr{op: opCall, text: part, args: []*expr{x}}
	}
	return &expr{op: opCall, text: "extract " + part, args: []*expr{x}}
}

// call builds a function call with its OVER, FILTER and other clauses.
func (b *builder) call(e *sqlparts.Call, sc *scope) *expr {
	var path []string
	for _, n := range e.Name {
		path = append(path, strings.ToLower(n.Text))
	}
	name := strings.Join(path, ".")
	if volatile(name) {
		b.fail("a function that gives another value each time")
	}
	if namesColumns[name] {
		b.fail("a function that reads columns which its arguments name by text")
	}
	args := make([]*expr, len(e.Args))
	for i, a := range e.Args {
		if st, ok := a.(*sqlparts.Star); ok && name == "count" && st.Qualifier == nil && st.Like == nil &&
			len(st.Except)+len(st.Replace)+len(st.Rename) == 0 {
			args[i] = node("rows")
			continue
		}
		args[i] = b.expr(a, sc)
	}
	plain := !e.Distinct && len(e.OrderBy) == 0 && e.Limit == nil && e.Having == nil && e.Nulls == "" &&
		len(e.Within) == 0 && e.Filter == nil && e.Over == nil
	if plain {
		switch {
		case (name == "iif" || name == "if" || name == "iff") && len(args) == 3:
			return caseExpr(args)
		case name == "nullif" && len(args) == 2:
			return caseExpr([]*expr{compare("=", args[0], args[1]), node(opNull), args[0].clone()})
		case name == "substring":
			name = "substr"
		case (name == "ifnull" || name == "nvl") && len(args) == 2:
			name = "coalesce"
		case name == "lcase":
			name = "lower"
		case name == "ucase":
			name = "upper"
		case name == "ceiling":
			name = "ceil"
		case name == "power":
			name = "pow"
		case (name == "date_part" || name == "datepart") && len(args) == 2 && (args[0].op == opString || args[0].op == opLit):
			if part := strings.ToLower(args[0].text); dateParts[part] {
				return datePart(part, args[1])
			}
		}
		if x := b.plainCall(name, args); x != nil && (x.op != opCall || x.text != name) {
			return countCase(x)
		} else if x != nil {
			args = x.args
		}
	}
	if b.countsConditions(name) && len(args) == 1 && !e.Distinct {
		name, args = "count", []*expr{caseExpr([]*expr{args[0], {op: opNumber, text: "1"}})}
	}
	distinct := e.Distinct && name != "max" && name != "min"
	if name == "count" && len(args) == 1 && !distinct && (args[0].op == opNumber || args[0].op == opString) {
		args[0] = node("rows")
	}
	if name == "count" && len(args) == 0 && b.Dialect == sqlparts.DuckDB {
		args = []*expr{node("rows")}
	}
	x := countCase(&expr{op: opCall, text: name, args: args})
	if distinct {
		x.args = []*expr{node("distinct", args...)}
	}
	for _, o := range e.OrderBy {
		x.args = append(x.args, b.keyExpr(o, sc))
	}
	if e.Limit != nil {
		x.args = append(x.args, node("limit", b.expr(e.Limit, sc)))
	}
	if e.Having != nil {
		x.args = append(x.args, &expr{op: "having", text: strconv.FormatBool(e.HavMax), args: []*expr{b.expr(e.Having, sc)}})
	}
	if e.Nulls != "" && e.Nulls != "respect" {
		x = node(e.Nulls+" nulls", x)
	}
	if len(e.Within) > 0 {
		x = node("within", x)
		for _, o := range e.Within {
			x.args = append(x.args, b.keyExpr(o, sc))
		}
	}
	if e.Filter != nil {
		x = filtered(x, b.expr(e.Filter, sc))
	}
	if e.Over != nil {
		x = &expr{op: opOver, args: []*expr{x}}
		frame := b.window(e.Over, x, sc, 0)
		ordered := slices.ContainsFunc(x.args, func(a *expr) bool { return a.op == "key" })
		x.text = b.frame(name, frame, ordered)
	}
	return x
}

// filtered converts an aggregate with FILTER to an aggregate of a CASE without ELSE, if the aggregate ignores NULL.
func filtered(x, cond *expr) *expr {
	if x.op == opCall && len(x.args) == 1 && x.args[0].op != "distinct" {
		switch x.text {
		case "count":
			if x.args[0].op == "rows" {
				return countCase(
					&expr{op: opCall, text: "count", args: []*expr{caseExpr([]*expr{cond, {op: opNumber, text: "1"}})}})
			}
			fallthrough
		case "sum", "avg", "min", "max":
			return &expr{op: opCall, text: x.text, args: []*expr{caseExpr([]*expr{cond, x.args[0]})}}
		}
	}
	return node("filter", x, cond)
}

// countCase replaces the constant c in COUNT(CASE WHEN … THEN c END) by 1, since it has no effect on the count. It
// returns x.
func countCase(x *expr) *expr {
	if x.op == opCall && x.text == "count" && len(x.args) == 1 && x.args[0].op == opCase && len(x.args[0].args) == 2 {
		if v := x.args[0].args[1]; v.op == opNumber || v.op == opString {
			x.args[0].args[1] = &expr{op: opNumber, text: "1"}
		}
	}
	return x
}

// window adds the partitions and sort keys of a window to x, a call with OVER, and returns the frame. A named window is
// replaced by its definition.
func (b *builder) window(w *sqlparts.Window, x *expr, sc *scope, depth int) (frame string) {
	if w.Name.Text != "" {
		found := false
		for at := sc; at != nil && !found; at = at.outer {
			for _, d := range at.windows {
				if b.fold(d.Name, false) == b.fold(w.Name, false) && d.Window != nil && depth < 8 {
					frame, found = b.window(d.Window, x, sc, depth+1), true
					break
				}
			}
		}
		if !found {
			b.fail("a window without a definition")
		}
	}
	for _, p := range w.Partition {
		x.args = append(x.args, node("partition", b.expr(p, sc)))
	}
	for _, o := range w.OrderBy {
		x.args = append(x.args, b.keyExpr(o, sc))
	}
	if w.Frame != "" {
		frame = w.Frame
	}
	return frame
}

// keyExpr builds a sort key inside a call.
func (b *builder) keyExpr(o *sqlparts.OrderItem, sc *scope) *expr {
	k := b.sortKey(o, nil, sc)
	text := k.nulls
	if k.desc {
		text = "desc " + text
	}
	return &expr{op: "key", text: text, args: []*expr{k.e}}
}

// aggregates reports whether an expression contains an aggregate, outside nested queries. A window function is not one,
// but its arguments may contain one.
func aggregates(e *expr, d sqlparts.Dialect) bool {
	if e == nil || e.op == opOver {
		return e != nil && slices.ContainsFunc(e.args, func(a *expr) bool {
			return slices.ContainsFunc(a.args, func(x *expr) bool { return aggregates(x, d) })
		})
	}
	if e.op == opCall && sqlparts.IsAggregate(e.text) &&
		!(d == sqlparts.SQLite && (e.text == "max" || e.text == "min") && len(e.args) > 1) {
		return true
	}
	return slices.ContainsFunc(e.args, func(a *expr) bool { return aggregates(a, d) })
}

// scalars are functions whose value depends only on their arguments in one row.
var scalars = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`abs ceil floor round trunc truncate sign sqrt pow exp ln log log2 log10 mod power greatest least coalesce nullif concat concat_ws
		lower upper trim ltrim rtrim btrim length len char_length substr left right replace reverse repeat lpad rpad instr strpos position split_part initcap
		year month day hour minute second quarter week date time datetime timestamp date_trunc datetrunc date_part datepart date_diff datediff date_add dateadd date_sub
		timestampdiff timestampadd timestamp_diff date_format to_char to_date to_number to_timestamp to_varchar strftime strptime julianday format_date parse_date
		extract current_date current_timestamp now getdate cast safe_cast try_cast safe_divide div0 zeroifnull nullifzero isnull printf format hex unhex md5 sha1 sha2 sha256
		regexp_replace regexp_extract regexp_contains regexp_like regexp_substr regexp_matches starts_with ends_with contains startswith endswith
		json_extract json_extract_scalar json_value json_extract_string get get_path parse_json array_length cardinality array_size list_value split typeof unixepoch
		ascii chr char unicode translate space soundex dayname monthname last_day dayofweek dayofyear weekday
		latitude st_distance st_point st_geogpoint radians degrees sin cos tan asin acos atan atan2 pi array_contains list_contains element_at`) {
		m[n] = true
	}
	return m
}()

// rowWise reports whether the value of an expression is known to depend on only one row: it contains only scalar
// functions.
func rowWise(e *expr, d sqlparts.Dialect) bool {
	return e.each(func(x *expr) bool {
		if x.op == opOver || x.op == "filter" || x.op == "within" {
			return false
		}
		if x.op != opCall {
			return true
		}
		if d == sqlparts.SQLite && (x.text == "max" || x.text == "min") && len(x.args) > 1 {
			return true
		}
		return scalar(x.text, d)
	})
}

// scalar reports whether a function is known to return one value for its arguments in one row.
func scalar(name string, d sqlparts.Dialect) bool {
	if name == "regexp_matches" && d != sqlparts.DuckDB { // a set of rows in PostgreSQL
		return false
	}
	return scalars[name] || strings.HasPrefix(name, "extract ")
}

// oneValue reports whether an item of a select list is known to have one value for each row or group, so that dropping
// it keeps the number of rows. An unknown function may return a set of rows.
func oneValue(e *expr, d sqlparts.Dialect) bool { return oneValueIn(e, d, false) }

// oneValueIn is oneValue for a part of an expression; over reports whether it is the function of a window.
func oneValueIn(e *expr, d sqlparts.Dialect, over bool) bool {
	if e == nil {
		return true
	}
	if e.op == opCall && !over && !scalar(e.text, d) && !sqlparts.IsAggregate(e.text) {
		return false
	}
	for i, a := range e.args {
		if !oneValueIn(a, d, e.op == opOver && i == 0 || over && e.op != opCall && i == 0) {
			return false
		}
	}
	return true
}

// allOne reports whether oneValue holds for all items.
func allOne(items []*expr, d sqlparts.Dialect) bool {
	return !slices.ContainsFunc(items, func(e *expr) bool { return !oneValue(e, d) })
}

// groupingSets returns ROLLUP and GROUPING SETS as a list of grouping sets. CUBE and nested forms are unchanged.
func groupingSets(kind string, args []*expr) *expr {
	out := &expr{op: "grouping", text: kind, args: args}
	members := func(e *expr) []*expr {
		if e.op == "list" {
			return e.args
		}
		return []*expr{e}
	}
	if slices.ContainsFunc(args, func(e *expr) bool { return e.op == "grouping" }) {
		return out
	}
	var sets []*expr
	switch kind {
	case "rollup":
		for n := range len(args) + 1 {
			set := node("set")
			for _, a := range args[:n] {
				for _, m := range members(a) {
					set.args = append(set.args, m.clone())
				}
			}
			sets = append(sets, set)
		}
	case "grouping sets":
		for _, a := range args {
			sets = append(sets, node("set", members(a)...))
		}
	default:
		return out
	}
	return &expr{op: "grouping", text: "sets", args: sets}
}
