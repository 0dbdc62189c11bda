package sqlproof

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// simplify rewrites each expression of a query that has several equivalent forms to one of them, and reports whether it
// changed any. The forms are equal for every row, including NULL.
func (n *normalizer) simplify(q *block) bool {
	changed := false
	groups := q.grouped && !n.sets(q) // every group has at least one row
	q.all(func(e **expr) {
		n.rewrite(e, func(x *expr) *expr {
			y := n.value(x)
			if y == nil && groups {
				y = countOfSum(x)
			}
			if y == nil {
				return x
			}
			changed = true
			return y
		})
	})
	return changed
}

// rewrite replaces every expression by the result of change, from the leaves up. It skips the argument of a window
// function and nested queries.
func (n *normalizer) rewrite(e **expr, change func(*expr) *expr) {
	if *e == nil {
		return
	}
	for i, a := range (*e).args {
		if (*e).op == opOver && i == 0 {
			for k := range a.args {
				n.rewrite(&a.args[k], change)
			}
			continue
		}
		n.rewrite(&(*e).args[i], change)
	}
	*e = change(*e)
}

// value returns the normal form of an expression, or nil if no rule changes it.
func (n *normalizer) value(e *expr) *expr {
	switch e.op {
	case "+", "-", "*":
		return n.folded(e)
	case "unary -":
		if x := e.args[0]; x.op == "unary -" && n.numeric(x.args[0]) {
			return x.args[0]
		}
	case "/":
		// x / NULLIF(y, k): NULL if y = k
		if d := e.args[1]; d.op == opCase && len(d.args) == 3 && d.args[1].op == opNull && d.args[0].op == "=" &&
			!d.args[2].has(isQuery) {
			return caseExpr([]*expr{d.args[0], node(opNull), node("/", e.args[0], d.args[2])})
		}
	case opCase:
		return nullCase(e)
	case opCall:
		switch {
		case e.text == "coalesce":
			return n.coalesced(e)
		case e.text == "contains" && len(e.args) == 2 && n.Dialect != sqlparts.BigQuery && n.isText(e.args[0]):
			if p, ok := pattern(e.args[1]); ok {
				return node("like ", e.args[0], &expr{op: opString, text: "%" + p + "%"})
			}
		case e.text == "safe_divide" && len(e.args) == 2 && n.Dialect == sqlparts.BigQuery && n.wholeValued(e.args[1]) &&
			!e.args[1].has(isQuery):
			// it fails only for a divisor of 0
			return caseExpr(
				[]*expr{compare("=", e.args[1], wholeConstant(0)), node(opNull), node("/", e.args[0], e.args[1].clone())})
		}
	case "<":
		if x := n.nextWhole(e); x != nil {
			return x
		}
		return n.compared(e)
	case "=", "<=", "<>":
		if x := n.likeOf(e); x != nil {
			return x
		}
		return n.compared(e)
	case opIn:
		return n.wholeRange(e)
	case opNot:
		if x := e.args[0]; x.op == "is not distinct from" && !x.has(isQuery) &&
			(x.args[1].op == opNumber || x.args[1].op == opString) {
			return node(opOr, node("<>", x.args[0], x.args[1]), node(opIsNull, x.args[0].clone()))
		}
	case "like ":
		return n.plainLike(e)
	}
	return nil
}

// maxWhole is the largest whole constant that is used. Up to it, whole numbers and their successors are exact in every
// dialect.
const maxWhole = 1_000_000_000

// wholeNumber returns the value of a whole-number constant, with an optional minus sign. It returns false for other
// expressions and large numbers.
func wholeNumber(e *expr) (int, bool) {
	sign := 1
	if e.op == "unary -" {
		e, sign = e.args[0], -1
	}
	if e.op != opNumber || e.text == "" || strings.Trim(e.text, "0123456789") != "" ||
		len(e.text) > 1 && e.text[0] == '0' {
		return 0, false
	}
	v, err := strconv.Atoi(e.text)
	return sign * v, err == nil && v <= maxWhole
}

func wholeConstant(v int) *expr {
	if v < 0 {
		return node("unary -", &expr{op: opNumber, text: strconv.Itoa(-v)})
	}
	return &expr{op: opNumber, text: strconv.Itoa(v)}
}

// folded returns the value of a sum, difference or product of two small whole constants as a constant; nil for others.
func (n *normalizer) folded(e *expr) *expr {
	if len(e.args) != 2 {
		return nil
	}
	a, ok := wholeNumber(e.args[0])
	b, ok2 := wholeNumber(e.args[1])
	if !ok || !ok2 || max(a, -a) > 30_000 || max(b, -b) > 30_000 { // the product fits in 32 bits
		return nil
	}
	switch e.op {
	case "+":
		a += b
	case "-":
		a -= b
	case "*":
		a *= b
	}
	return wholeConstant(a)
}

// numeric reports whether the values of an expression are certainly numbers.
func (n *normalizer) numeric(e *expr) bool {
	switch f, _ := n.familyOf(e); f {
	case narrowInt, wideInt, decimalNumber, doubleNumber:
		return true
	case unknownFamily:
	default:
		return false
	}
	return e.op == opCall && (e.text == "sum" || e.text == "avg") || n.wholeValued(e)
}

// comparesAsNumber reports whether a comparison of an expression with a number is certainly numeric: the expression is
// a number, or the dialect compares only numbers with numbers. SQLite compares '9' and '10' as strings if the column
// has type text.
func (n *normalizer) comparesAsNumber(e *expr) bool {
	if n.numeric(e) {
		return true
	}
	return e.op == opColumn && (n.Dialect == sqlparts.Postgres || n.Dialect == sqlparts.BigQuery)
}

// wholeValued reports whether all values of an expression are certainly whole numbers or NULL.
func (n *normalizer) wholeValued(e *expr) bool {
	switch e.op {
	case opCall:
		return e.text == "count" || e.text == "strpos" ||
			dateParts[e.text] && len(e.args) == 1 && n.Dialect != sqlparts.SQLite && n.Dialect != sqlparts.Generic
	case opOver:
		return rankNames[e.args[0].text] || e.args[0].text == "count"
	case opItem:
		if b := e.src.block; b != nil && b.set == "" && b.rows == nil && atoi(e.text) < len(b.items) {
			return n.wholeValued(b.items[atoi(e.text)])
		}
	case opQuery:
		return e.sub.set == "" && len(e.sub.items) == 1 && n.wholeValued(e.sub.items[0])
	case opColumn:
		c, ok := n.column(e)
		if !ok || n.Dialect == sqlparts.SQLite { // SQLite stores fractions in columns of any type
			return false
		}
		switch n.schema.Type(c) {
		case "int", "integer", "bigint", "smallint", "tinyint", "mediumint", "int2", "int4", "int8", "int64", "serial",
			"bigserial", "long":
			return true
		}
	}
	return false
}

// rankNames are window functions whose values are whole numbers from 1 on.
var rankNames = map[string]bool{"row_number": true, "rank": true, "dense_rank": true}

// nextWhole returns c + 1 <= x for c < x, and x <= c - 1 for x < c, if c is a whole constant and x has whole values;
// else nil.
func (n *normalizer) nextWhole(e *expr) *expr {
	if c, ok := wholeNumber(e.args[0]); ok && n.wholeValued(e.args[1]) {
		return node("<=", wholeConstant(c+1), e.args[1])
	}
	if c, ok := wholeNumber(e.args[1]); ok && n.wholeValued(e.args[0]) {
		return node("<=", e.args[0], wholeConstant(c-1))
	}
	return nil
}

// wholeRange returns the range that is equivalent to x IN a list of consecutive whole numbers, or nil.
func (n *normalizer) wholeRange(e *expr) *expr {
	x, values := listed(e)
	if x == nil || len(values) < 2 || !n.wholeValued(x) || x.has(isQuery) {
		return nil
	}
	var all []int
	for _, v := range values {
		w, ok := wholeNumber(v)
		if !ok {
			return nil
		}
		all = append(all, w)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 2 || all[len(all)-1]-all[0] != len(all)-1 {
		return nil
	}
	return node(opAnd, node("<=", wholeConstant(all[0]), x), node("<=", x.clone(), wholeConstant(all[len(all)-1])))
}

// compared returns the normal form of a comparison of a date, a part of a date or a count with a constant; nil if no
// rule applies.
func (n *normalizer) compared(e *expr) *expr {
	for k := range 2 {
		x, c := e.args[k], e.args[1-k]
		if y := n.counted(e, k); y != nil {
			return y
		}
		if y := n.dateConstant(x, c); y != nil {
			args := []*expr{y, y}
			args[k] = x
			return node(e.op, args...)
		}
		if e.op == "<" && n.isDate(x) {
			if day, ok := constantDay(c); ok {
				if k == 0 { // x < c
					return node("<=", x, dayConstant(day.AddDate(0, 0, -1)))
				}
				return node("<=", dayConstant(day.AddDate(0, 0, 1)), x)
			}
		}
		if y := n.periodOf(e, x, c, k == 0); y != nil {
			return y
		}
	}
	return nil
}

// counted returns [NOT] EXISTS for a comparison that tests whether a subquery which counts rows returns 0; else nil. k
// is the index of the subquery.
func (n *normalizer) counted(e *expr, k int) *expr {
	q := e.args[k].sub
	c, ok := wholeNumber(e.args[1-k])
	if e.args[k].op != opQuery || !ok || q.set != "" || len(q.items) != 1 || q.grouped || len(q.having) > 0 ||
		len(q.qualify) > 0 || q.limit != nil || q.offset != nil || len(q.core) == 0 || len(q.distinctOn) > 0 ||
		q.shared != 0 {
		return nil
	}
	x := q.items[0]
	if x.op != opCall || x.text != "count" || len(x.args) != 1 || x.args[0].op != "rows" {
		return nil
	}
	not := false
	switch {
	case e.op == "=" && c == 0, e.op == "<=" && k == 0 && c == 0:
		not = true
	case e.op == "<>" && c == 0, e.op == "<=" && k == 1 && c == 1:
	default:
		return nil
	}
	sub := *q
	sub.items, sub.names, sub.order, sub.distinct = nil, nil, nil, false
	n.query(&sub)
	return maybeNot(&expr{op: opExists, sub: &sub}, not)
}

// isDate reports whether an expression is a column of dates without a time. It is false in MySQL, where a column may
// contain 2020-00-00, which is in 2020 and before its first day.
func (n *normalizer) isDate(e *expr) bool {
	switch n.Dialect {
	case sqlparts.SQLite, sqlparts.MySQL, sqlparts.Generic:
		return false
	}
	c, ok := n.column(e)
	return ok && n.schema.Type(c) == "date"
}

// dateConstant returns a string c that is compared with a column x of dates as a date constant; else nil.
func (n *normalizer) dateConstant(x, c *expr) *expr {
	if c.op != opString || !n.isDate(x) {
		return nil
	}
	if day, err := time.Parse(time.DateOnly, c.text); err == nil {
		return dayConstant(day)
	}
	return nil
}

func dayConstant(day time.Time) *expr {
	return &expr{op: "cast", text: "date", args: []*expr{{op: opString, text: day.Format(time.DateOnly)}}}
}

// constantDay returns the day of a date constant of the years 2 to 9998. It returns false for other expressions.
func constantDay(e *expr) (time.Time, bool) {
	if e.op != "cast" || e.text != "date" || len(e.args) != 1 || e.args[0].op != opString {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, e.args[0].text)
	return day, err == nil && day.Year() > 1 && day.Year() < 9999
}

// periodOf converts a comparison of the year of a date, or of the date truncated to its month or year, to a range
// of days. first reports whether the value is the left operand.
func (n *normalizer) periodOf(e, x, c *expr, first bool) *expr {
	if x.op != opCall {
		return nil
	}
	var from, to time.Time
	var d *expr
	switch x.text {
	case "year":
		y, ok := wholeNumber(c)
		if len(x.args) != 1 || !ok || y < 2 || y > 9998 {
			return nil
		}
		d, from = x.args[0], time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
		to = from.AddDate(1, 0, -1)
	case "date_trunc", "datetrunc":
		if len(x.args) != 2 || e.op != "=" {
			return nil
		}
		unit := x.args[0]
		if d = x.args[1]; d.op == opString || d.op == opLit {
			unit, d = d, unit
		}
		day, ok := constantDay(c)
		if parsed, err := time.Parse(time.DateOnly, c.text); c.op == opString && err == nil && parsed.Year() > 1 &&
			parsed.Year() < 9999 {
			day, ok = parsed, true
		}
		from = day
		switch unit.text {
		case "month":
			to = from.AddDate(0, 1, -1)
			ok = ok && day.Day() == 1
		case "year":
			to = from.AddDate(1, 0, -1)
			ok = ok && day.YearDay() == 1
		default:
			return nil
		}
		if !ok || unit.op != opString && unit.op != opLit {
			return nil
		}
	default:
		return nil
	}
	if !n.isDate(d) {
		return nil
	}
	switch {
	case e.op == "=":
		return node(opAnd, node("<=", dayConstant(from), d), node("<=", d.clone(), dayConstant(to)))
	case n.Dialect == sqlparts.DuckDB: // where the year of infinity is NULL
		return nil
	case e.op == "<=" && first:
		return node("<=", d, dayConstant(to))
	case e.op == "<=":
		return node("<=", dayConstant(from), d)
	}
	return nil
}

// nullCase returns COALESCE(x, y) for CASE WHEN x IS NULL THEN y ELSE x END, or nil.
func nullCase(e *expr) *expr {
	if len(e.args) != 3 {
		return nil
	}
	c, then, other := e.args[0], e.args[1], e.args[2]
	if c.op == opNot {
		c, then, other = c.args[0], other, then
	}
	if c.op == opIsNull && c.args[0].id() == other.id() && !other.has(isQuery) {
		return &expr{op: opCall, text: "coalesce", args: []*expr{other, then}}
	}
	return nil
}

// coalesced simplifies COALESCE, or returns nil. It drops NULL arguments, and arguments after one that is never NULL
// unless they may change the type. COALESCE(SUM(CASE WHEN c THEN 1 ELSE 0 END), 0) becomes a count.
func (n *normalizer) coalesced(e *expr) *expr {
	var out []*expr
	changed := false
	for i, a := range e.args {
		switch {
		case a.op == opNull && len(e.args) > 1:
			changed = true
			continue
		case a.op == opCall && a.text == "coalesce":
			out, changed = append(out, a.args...), true
			continue
		}
		out = append(out, a)
		if i+1 < len(e.args) && n.notNull(a) && n.sameType(a, e.args[i+1:]) {
			changed = true
			break
		}
	}
	if len(out) == 2 {
		if c := countOfSum(out[0]); c != nil && out[1].op == opNumber && out[1].text == "0" {
			return c
		}
	}
	if len(out) == 1 && (changed || e.args[0].op != opNull) && n.Dialect != sqlparts.SQLite {
		return out[0]
	}
	if !changed || len(out) == 0 {
		return nil
	}
	return &expr{op: opCall, text: "coalesce", args: out}
}

// sameType reports whether COALESCE of a and others certainly has the type of a.
func (n *normalizer) sameType(a *expr, others []*expr) bool {
	f, typ := n.familyOf(a)
	return !slices.ContainsFunc(others, func(o *expr) bool {
		_, other := n.familyOf(o)
		_, isWhole := wholeNumber(o)
		switch {
		case isWhole:
			return f != narrowInt && f != wideInt
		case o.op == opString:
			return f != textual || typ != "text" && typ != "varchar" && typ != "string"
		}
		return typ == "" || typ != other
	})
}

// countOfSum returns COUNT(CASE WHEN c THEN 1 END) for SUM(CASE WHEN c THEN 1 ELSE 0 END), or nil. The two differ only
// for a query or group without rows, where the sum is NULL.
func countOfSum(e *expr) *expr {
	if e.op != opCall || e.text != "sum" || len(e.args) != 1 || e.args[0].op != opCase || len(e.args[0].args) != 3 {
		return nil
	}
	c := e.args[0].args
	if c[1].op != opNumber || c[1].text != "1" || c[2].op != opNumber || c[2].text != "0" {
		return nil
	}
	return &expr{op: opCall, text: "count", args: []*expr{caseExpr([]*expr{c[0], c[1]})}}
}

// isText reports whether an expression is a column of variable-length strings that compare character by character.
func (n *normalizer) isText(e *expr) bool {
	switch n.Dialect {
	case sqlparts.Postgres, sqlparts.DuckDB, sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.Databricks:
	default:
		return false
	}
	c, ok := n.column(e)
	if !ok || n.schema.Special(c) {
		return false
	}
	typ := n.schema.Type(c)
	return typ == "varchar" || typ == "text" || typ == "string"
}

// pattern returns the text of a nonempty string constant without wildcards and backslashes. It returns false for other
// expressions.
func pattern(e *expr) (string, bool) {
	return e.text, e.op == opString && e.text != "" && !strings.ContainsAny(e.text, `%_\`)
}

// likeOf returns LIKE for a comparison of a string's prefix, or of the position of a substring, with constants; else
// nil.
func (n *normalizer) likeOf(e *expr) *expr {
	for k := range 2 {
		x, c := e.args[k], e.args[1-k]
		if x.op != opCall || len(x.args) < 2 || !n.isText(x.args[0]) {
			continue
		}
		switch {
		case e.op == "=" && x.text == "substr" && len(x.args) == 3:
			p, ok := pattern(c)
			from, ok2 := wholeNumber(x.args[1])
			length, ok3 := wholeNumber(x.args[2])
			if ok && ok2 && ok3 && from == 1 && length == utf8.RuneCountInString(p) {
				return node("like ", x.args[0], &expr{op: opString, text: p + "%"})
			}
		case e.op == "<=" && k == 1 && x.text == "strpos" && len(x.args) == 2:
			p, ok := pattern(x.args[1])
			if one, ok2 := wholeNumber(c); ok && ok2 && one == 1 {
				return node("like ", x.args[0], &expr{op: opString, text: "%" + p + "%"})
			}
		}
	}
	return nil
}

// plainLike returns x = s for x LIKE s without wildcards, if LIKE and = treat case and trailing spaces alike; else nil.
func (n *normalizer) plainLike(e *expr) *expr {
	if len(e.args) != 2 || e.args[1].op != opString || strings.ContainsAny(e.args[1].text, `%_\`) {
		return nil
	}
	x := e.args[0]
	folds := n.Dialect == sqlparts.SQLite || n.Dialect == sqlparts.MySQL || n.Dialect == sqlparts.TSQL ||
		n.Dialect == sqlparts.Redshift || n.Dialect == sqlparts.Generic
	if n.isText(x) || !folds && x.op == opCall && (x.text == "lower" || x.text == "upper") {
		return node("=", x, e.args[1])
	}
	return nil
}

// held returns a simpler condition that is true for the same rows, in a place where NULL and FALSE are equivalent; nil
// if no rule applies.
func (n *normalizer) held(e *expr) *expr {
	switch e.op {
	case "is":
		if e.text == "true" && condition(e.args[0]) {
			return e.args[0]
		}
	case opCase: // CASE WHEN c THEN TRUE ELSE FALSE END
		if len(e.args) <= 3 && isLit(e.args[1], "true") && (len(e.args) == 2 || isLit(e.args[2], "false")) {
			return e.args[0]
		}
	case "is not distinct from":
		if k := e.args[1].op; k == opNumber || k == opString {
			return node("=", e.args...)
		}
	case "=", "<>", "<", "<=":
		if x := n.heldCase(e); x != nil {
			return x
		}
		return n.heldCoalesce(e)
	case opOr:
		return n.heldEither(e)
	}
	return nil
}

func isLit(e *expr, text string) bool { return e.op == opLit && e.text == text }

// heldCase returns c for CASE WHEN c THEN 1 ELSE 0 END = 1, or nil. The numbers may be others.
func (n *normalizer) heldCase(e *expr) *expr {
	for k := range 2 {
		x, c := e.args[k], e.args[1-k]
		if e.op != "=" || x.op != opCase || len(x.args) > 3 || x.args[1].op != opNumber || c.op != opNumber ||
			x.args[1].text != c.text {
			continue
		}
		if len(x.args) == 3 {
			a, ok := wholeNumber(x.args[2])
			b, ok2 := wholeNumber(c)
			if !ok || !ok2 || a == b {
				continue
			}
		}
		return x.args[0]
	}
	return nil
}

// heldCoalesce converts COALESCE(x, a) compared with a constant b to x compared with b, or, if a satisfies the
// comparison, to that OR x IS NULL. It returns nil for other conditions.
func (n *normalizer) heldCoalesce(e *expr) *expr {
	for k := range 2 {
		x := e.args[k]
		b, ok := wholeNumber(e.args[1-k])
		if !ok || x.op != opCall || x.text != "coalesce" || len(x.args) != 2 || !n.comparesAsNumber(x.args[0]) {
			continue
		}
		a, ok := wholeNumber(x.args[1])
		if !ok {
			continue
		}
		l, r := a, b
		if k == 1 {
			l, r = b, a
		}
		return orNull(e, k, map[string]bool{"=": l == r, "<>": l != r, "<": l < r, "<=": l <= r}[e.op])
	}
	for k := range 2 {
		x, b := e.args[k], e.args[1-k]
		if e.op != "=" && e.op != "<>" || b.op != opString || x.op != opCall || x.text != "coalesce" || len(x.args) != 2 ||
			x.args[1].op != opString || n.special(x.args[0]) {
			continue
		}
		if f, _ := n.familyOf(x.args[0]); f != textual ||
			!differ(x.args[1], b) && !(x.args[1].text == "" && differ(&expr{op: opString, text: "-"}, b)) {
			continue
		}
		return orNull(e, k, e.op == "<>")
	}
	return nil
}

// orNull returns the comparison e with the first argument of COALESCE in place of operand k; if null is set, OR this
// argument IS NULL.
func orNull(e *expr, k int, null bool) *expr {
	args := slices.Clone(e.args)
	args[k] = e.args[k].args[0]
	if !null {
		return node(e.op, args...)
	}
	if args[k].has(isQuery) {
		return nil
	}
	return node(opOr, node(e.op, args...), node(opIsNull, args[k].clone()))
}

// heldEither simplifies OR: it drops FALSE and operands that another operand implies, and moves common conditions out
// of it. It returns nil if nothing changes.
func (n *normalizer) heldEither(e *expr) *expr {
	args := slices.DeleteFunc(slices.Clone(e.args), func(a *expr) bool { return isLit(a, "false") })
	if len(args) == 0 {
		return nil
	}
	if len(args) == 2 { // a = b OR a IS NULL AND b IS NULL
		for k := range 2 {
			eq, nulls := args[k], args[1-k]
			if eq.op == "=" && nulls.op == opAnd && len(nulls.args) == 2 && nulls.args[0].op == opIsNull &&
				nulls.args[1].op == opIsNull {
				a, b := nulls.args[0].args[0].id(), nulls.args[1].args[0].id()
				if l, r := eq.args[0].id(), eq.args[1].id(); a == l && b == r || a == r && b == l {
					return node("is not distinct from", eq.args...)
				}
			}
		}
	}
	sets := make([]map[string]*expr, len(args))
	for i, a := range args {
		sets[i] = map[string]*expr{}
		for _, c := range conjuncts(a) {
			sets[i][c.id()] = c
		}
	}
	var kept []*expr
	for i := range args {
		included := false
		for k := range args {
			if k == i || args[k].has(isQuery) || len(sets[k]) == len(sets[i]) && k > i {
				continue
			}
			within := true
			for id := range sets[k] {
				within = within && sets[i][id] != nil
			}
			included = included || within
		}
		if !included {
			kept = append(kept, args[i])
		}
	}
	var common []*expr
	if len(kept) > 1 {
		for _, c := range conjuncts(kept[0]) {
			if id := c.id(); !c.has(isQuery) && !slices.ContainsFunc(kept[1:], func(o *expr) bool {
				return !slices.ContainsFunc(conjuncts(o), func(x *expr) bool { return x.id() == id })
			}) {
				common = append(common, c)
			}
		}
	}
	if len(common) > 0 {
		var rest []*expr
		for _, a := range kept {
			left := slices.DeleteFunc(slices.Clone(conjuncts(a)), func(x *expr) bool {
				return slices.ContainsFunc(common, func(c *expr) bool { return c.id() == x.id() })
			})
			if len(left) == 0 { // this operand is implied by the others
				rest = nil
				break
			}
			rest = append(rest, conjunction(left))
		}
		if len(rest) > 0 {
			common = append(common, disjunction(rest))
		}
		return conjunction(common)
	}
	if len(kept) == len(e.args) {
		return nil
	}
	return disjunction(kept)
}

// bounds drops comparisons with constants that a narrower one implies, and replaces x >= c AND x <= c by x = c. It
// reports whether the list changed.
func (n *normalizer) bounds(list []*expr) ([]*expr, bool) {
	type limit struct {
		at    int
		value float64
		open  bool
	}
	low, high := map[string]limit{}, map[string]limit{}
	drop := map[int]bool{}
	note := func(m map[string]limit, id string, l limit, narrower bool) {
		old, ok := m[id]
		switch {
		case !ok:
			m[id] = l
		case narrower:
			drop[old.at] = true
			m[id] = l
		default:
			drop[l.at] = true
		}
	}
	for i, c := range list {
		if c.op != "<" && c.op != "<=" {
			continue
		}
		for k := range 2 {
			x := c.args[1-k]
			v, ok := wholeNumber(c.args[k])
			day, isDay := constantDay(c.args[k])
			if ok && !n.comparesAsNumber(x) || !ok && !(isDay && n.isDate(x)) || x.has(isQuery) {
				continue
			}
			if isDay {
				v = int(day.Unix() / 86400)
			}
			l := limit{i, float64(v), c.op == "<"}
			m, id := low, x.id()
			if k == 1 {
				m = high
			}
			old := m[id]
			narrower := k == 0 && l.value > old.value || k == 1 && l.value < old.value ||
				l.value == old.value && l.open && !old.open
			note(m, id, l, narrower)
			break
		}
	}
	for id, l := range low {
		if h, ok := high[id]; ok && l.value == h.value && !l.open && !h.open {
			c := list[l.at]
			if n.wholeValued(c.args[1]) || n.numeric(c.args[1]) || n.isDate(c.args[1]) {
				list = slices.Clone(list)
				list[l.at] = node("=", c.args...)
				drop[h.at] = true
			}
		}
	}
	if len(drop) == 0 {
		return list, false
	}
	var out []*expr
	for i, c := range list {
		if !drop[i] {
			out = append(out, c)
		}
	}
	return out, true
}

// months replaces the condition MONTH(d) = m, next to a range of d over one year, by the range of that month. It
// reports whether the list changed.
func (n *normalizer) months(list []*expr) ([]*expr, bool) {
	for i, c := range list {
		for k := range 2 {
			if c.op != "=" || c.args[k].op != opCall || c.args[k].text != "month" || len(c.args[k].args) != 1 {
				continue
			}
			d := c.args[k].args[0]
			m, ok := wholeNumber(c.args[1-k])
			if !ok || m < 1 || m > 12 || !n.isDate(d) {
				continue
			}
			id := d.id()
			low, high := -1, -1
			var from, to time.Time
			for j, o := range list {
				if o.op != "<=" {
					continue
				}
				if day, ok := constantDay(o.args[0]); ok && o.args[1].id() == id && day.YearDay() == 1 {
					low, from = j, day
				}
				if day, ok := constantDay(o.args[1]); ok && o.args[0].id() == id && day.Month() == 12 && day.Day() == 31 {
					high, to = j, day
				}
			}
			if low < 0 || high < 0 || from.Year() != to.Year() {
				continue
			}
			first := time.Date(from.Year(), time.Month(m), 1, 0, 0, 0, 0, time.UTC)
			out := slices.Clone(list)
			out[low] = node("<=", dayConstant(first), d)
			out[high] = node("<=", d.clone(), dayConstant(first.AddDate(0, 1, -1)))
			return slices.Delete(out, i, i+1), true
		}
	}
	return list, false
}

// always reports whether a condition is true for every group or row because a count is at least 0, a count of a group
// at least 1, and ranks start at 1.
func (n *normalizer) always(q *block, e *expr) bool {
	if e.op != "<=" {
		return false
	}
	c, ok := wholeNumber(e.args[0])
	x := e.args[1]
	switch {
	case !ok:
	case x.op == opCall && x.text == "count" && len(x.args) == 1 && x.args[0].op == "rows":
		return c <= 0 || c == 1 && q.grouped && len(q.group) > 0 && !n.sets(q)
	case x.op == opOver && rankNames[x.args[0].text]:
		return c <= 1
	}
	return false
}
