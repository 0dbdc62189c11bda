package counterexample

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// value converts a condition that is used as a value to 1, 0 or NULL in SQLite and MySQL, which have no Booleans. It
// returns any other expression unchanged.
func (c *transpiler) value(x expr) expr {
	if x.kind == Bool && (c.dialect == sqlparts.SQLite || c.dialect == sqlparts.MySQL) {
		return c.as(x, Int)
	}
	return x
}

// condition returns the translation of an expression as a condition in SQL.
func (c *transpiler) condition(s *scope, e sqlparts.Expr) string {
	return c.truth(c.expr(s, e))
}

// truth returns SQL for the truth value of a translated expression.
func (c *transpiler) truth(x expr) string {
	switch {
	case x.kind == Bool:
		return x.sql
	case x.kind == Null:
		if c.dialect != sqlparts.SQLite && c.dialect != sqlparts.MySQL {
			c.learnKind(x, Bool)
		}
		return "CAST(NULL AS BOOLEAN)"
	case c.learn:
		return "TRUE"
	case c.dialect != sqlparts.SQLite && c.dialect != sqlparts.MySQL:
		refuse("a condition that is no boolean")
	}
	return "(" + c.numeric(x).sql + " <> 0)"
}

// as converts x to kind k, which [transpiler.common] returned.
func (c *transpiler) as(x expr, k Kind) expr {
	if x.kind == k || k == Null {
		return x
	}
	x.sql = "CAST(" + x.sql + " AS " + k.Type() + ")"
	x.kind, x.literal = k, nil
	return x
}

// common returns the kind of a column that has values of the kinds a and b.
func (c *transpiler) common(a, b Kind) Kind {
	noBool := c.dialect == sqlparts.SQLite || c.dialect == sqlparts.MySQL
	switch {
	case a == Null:
		return b
	case b == Null || a == b:
		return a
	case noBool && a.number() && b.number(), a != Bool && b != Bool && a.number() && b.number():
		return max(a, b, Int)
	case a == Date && b == Timestamp || a == Timestamp && b == Date:
		return Timestamp
	}
	refuse("a column of values of different kinds")
	return Null
}

// mixes reports whether values of the kinds a and b in one column are integers and fractions, which SQLite divides
// differently.
func (c *transpiler) mixes(a, b Kind) bool {
	return c.dialect == sqlparts.SQLite && a.number() && b.number() && (a == Real) != (b == Real)
}

// numericText is a regular expression of the strings that SQLite converts to numbers.
const numericText = `\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*`

// numeric converts a value to a number as the dialect does in arithmetic.
func (c *transpiler) numeric(x expr) expr {
	switch x.kind {
	case Int, Real:
		return x
	case Null:
		if c.learn {
			c.learnKind(x, Int)
		}
		x.sql = "CAST(NULL AS BIGINT)"
		x.kind = Int
		return x
	case Bool:
		if c.dialect == sqlparts.SQLite || c.dialect == sqlparts.MySQL {
			return c.as(x, Int)
		}
		refuse("arithmetic with booleans")
	case Text:
		if c.learn {
			c.learnKind(x, Int)
			return expr{sql: "0", kind: Int}
		}
		if c.dialect == sqlparts.SQLite {
			return c.prefixNumber(x)
		}
		refuse("arithmetic with texts")
	}
	refuse("arithmetic with dates")
	return x
}

// prefixNumber converts a string to a number as SQLite does: its longest prefix that is a number, or 0.
func (c *transpiler) prefixNumber(x expr) expr {
	for _, col := range x.near {
		c.values.numbers(col)
	}
	t := "CAST(" + x.sql + " AS VARCHAR)"
	x.sql = "(CASE WHEN " + x.sql + " IS NULL THEN NULL ELSE coalesce(TRY_CAST(trim(regexp_extract(" + t + ", '^" +
		strings.TrimSuffix(numericText, `\s*`) + "')) AS DOUBLE), 0.0::DOUBLE) END)"
	x.kind, x.affinity, x.literal, x.column, x.unsure = Real, noAffinity, nil, nil, true
	return x
}

// text converts a value to a string as the dialect does.
func (c *transpiler) text(x expr) expr {
	switch x.kind {
	case Text:
		return x
	case Null:
		x.sql = "CAST(NULL AS VARCHAR)"
		x.kind = Text
		return x
	case Int:
		return c.as(x, Text)
	case Bool:
		if c.dialect == sqlparts.SQLite {
			return c.as(c.as(x, Int), Text)
		}
	case Date:
		if c.dialect != sqlparts.SQLite {
			return c.as(x, Text)
		}
	}
	switch {
	case c.learn:
		return expr{sql: "''", kind: Text, near: x.near, made: true}
	case x.kind == Real && x.literal != nil && c.dialect == sqlparts.SQLite:
		if f, err := strconv.ParseFloat(x.literal.Text, 64); err == nil && math.Abs(f) < 1e15 {
			x.sql, x.kind = quoteText(realText(f)), Text
			return x
		}
	case x.kind == Real && c.dialect != sqlparts.SQLite && c.dialect != sqlparts.Generic:
		return c.textOfNumber(x)
	case x.kind == Bool && c.writesBooleans():
		return expr{sql: "CAST(" + x.sql + " AS VARCHAR)", kind: Text, near: x.near, made: true}
	case x.kind == Timestamp && c.dialect != sqlparts.SQLite && c.dialect != sqlparts.Generic:
		// Depending on the type or a setting, some dialects append fractional seconds or the zone.
		c.open = true
		sql := "strftime(" + x.sql + ", '%Y-%m-%d %H:%M:%S')"
		if c.variant == 1 {
			sql = "(" + sql + " || '.000')"
		}
		return expr{sql: sql, kind: Text, near: x.near, made: true}
	}
	refuse("a text made of a number with a fraction, a boolean or a time")
	return x
}

// writesBooleans reports whether the dialect converts Booleans to the strings true and false.
func (c *transpiler) writesBooleans() bool {
	switch c.dialect {
	case sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.Postgres, sqlparts.DuckDB, sqlparts.Databricks:
		return true
	}
	return false
}

// textOfNumber converts a number that may have a fraction to a string. The number of decimal digits depends on the
// type: one variant uses as few as possible, the other two. Evaluation fails for a number of more than two decimal
// digits, from 1e12, and if inexact, for one that is not a multiple of 0.25.
func (c *transpiler) textOfNumber(x expr) expr {
	c.open = true
	digits := "100"
	if x.inexact {
		digits = "4"
	}
	double := "CAST(" + x.sql + " AS DOUBLE)"
	sure := "abs(" + double + ") < 1e12 AND abs(" + double + " * " + digits + " - round(" + double + " * " + digits +
		")) < 1e-9 * abs(" + double + ") + 1e-12"
	text := `regexp_replace(CAST(` + double + ` AS VARCHAR), '\.0$', '')`
	if c.variant == 1 {
		text = "printf('%.2f', " + double + ")"
	}
	return expr{
		sql: "(CASE WHEN " + x.sql + " IS NULL THEN NULL WHEN " + sure + " THEN " + text +
			" ELSE error('the text of a number') END)",
		kind: Text, near: x.near, made: true, number: &x,
	}
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// grouped returns a column in a select with grouping: unchanged if it is a key or inside an aggregate. Otherwise its
// value is that of some row of the group, if the dialect allows this; the variants choose different rows.
func (c *transpiler) grouped(s *scope, x expr) expr {
	if s.group == nil || s.inside {
		return x
	}
	for _, k := range s.group.keys {
		if k.sql == x.sql {
			return x
		}
	}
	// The column is neither grouped nor aggregated, so its value is that of some row of the group.
	if !c.choosesRows(s, x) {
		if c.learn {
			return x
		}
		refuse("a column that is neither grouped nor aggregated, which %s does not have", c.dialect)
	}
	order := x.sql + c.choice()
	if s.group.pick != "" {
		order = s.group.pick + ", " + order
	}
	x.sql = "first(" + x.sql + " ORDER BY " + order + ")"
	return x
}

// expr returns the translation of an expression.
func (c *transpiler) expr(s *scope, e sqlparts.Expr) expr {
	defer c.deeper()()
	if s.group != nil && !s.inside && len(s.group.keys) > 0 {
		if _, ok := e.(*sqlparts.Column); !ok && (s.group.queries || !hasQuery(e)) {
			// A whole expression may be a key of the grouping.
			s.inside = true
			names, tables := c.names, c.tables
			x := c.value(c.expr(s, e))
			text := renumbered(x.sql, names)
			c.names, c.tables = names, tables
			s.inside = false
			if k, ok := s.group.key(text); ok {
				x.sql = k.sql
				return x
			}
		}
	}
	x := c.bare(s, e)
	c.write(x.sql)
	if x.length > maxLength {
		refuse("a text put together of more than %d", maxLength)
	}
	if len(x.near) > 1 { // remove duplicate columns of repeated expressions
		near := make([]*Column, 0, len(x.near))
		for _, col := range x.near {
			if !slices.Contains(near, col) {
				near = append(near, col)
			}
		}
		x.near = near
	}
	return x
}

func hasQuery(n sqlparts.Node) bool {
	found := false
	sqlparts.Walk(n, func(n sqlparts.Node) bool {
		if _, ok := n.(*sqlparts.Query); ok {
			found = true
		}
		return !found
	})
	return found
}

func (c *transpiler) bare(s *scope, e sqlparts.Expr) expr {
	switch e := e.(type) {
	case *sqlparts.Column:
		return c.columnRef(s, e)
	case *sqlparts.Literal:
		return c.literal(e)
	case *sqlparts.Logic:
		word := " AND "
		if e.Or {
			word = " OR "
		}
		parts := make([]string, len(e.Args))
		for i, a := range e.Args {
			parts[i] = c.condition(s, a)
		}
		return expr{sql: "(" + strings.Join(parts, word) + ")", kind: Bool}
	case *sqlparts.Unary:
		switch e.Op {
		case "not":
			return expr{sql: "(NOT " + c.condition(s, e.X) + ")", kind: Bool}
		case "-", "+":
			x := c.expr(s, e.X)
			if e.Op == "+" && c.dialect == sqlparts.SQLite { // unary + converts nothing, and its result has no affinity
				x.column, x.affinity = nil, noAffinity
				return x
			}
			x = c.numeric(x)
			lit := x.literal
			x.column, x.affinity = nil, noAffinity
			if e.Op == "-" {
				x.sql = "(- " + x.sql + ")"
				if lit != nil {
					x.literal = &sqlparts.Literal{Kind: sqlparts.Number, Text: "-" + strings.TrimPrefix(lit.Text, "-")}
				}
			}
			return x
		}
		refuse("the operator %s", e.Op)
	case *sqlparts.Binary:
		return c.binary(s, e)
	case *sqlparts.In:
		return c.in(s, e)
	case *sqlparts.Between:
		if e.Symmetric {
			refuse("BETWEEN SYMMETRIC")
		}
		x := c.expr(s, e.X)
		low, high := c.expr(s, e.Low), c.expr(s, e.High)
		return negated(e.Not, "("+c.compare(">=", x, low).sql+" AND "+c.compare("<=", x, high).sql+")")
	case *sqlparts.Like:
		return c.like(s, e)
	case *sqlparts.Is:
		return c.is(s, e)
	case *sqlparts.Exists:
		sql, _ := c.query(e.Query, s)
		return expr{sql: "EXISTS (" + sql + ")", kind: Bool}
	case *sqlparts.Case:
		return c.caseOf(s, e)
	case *sqlparts.Cast:
		if c.castOperator(e) {
			c.without("the operator ::", sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL, sqlparts.BigQuery)
		}
		return c.cast(s, e)
	case *sqlparts.Subquery:
		return c.scalar(s, e.Query)
	case *sqlparts.Call:
		return c.call(s, e)
	case *sqlparts.Special:
		return c.special(s, e)
	case *sqlparts.List:
		if e.Kind == sqlparts.Tuple && len(e.Items) == 1 {
			return c.expr(s, e.Items[0].Expr)
		}
		if e.Kind == sqlparts.Array {
			args := make([]expr, len(e.Items))
			for i, it := range e.Items {
				args[i] = c.expr(s, it.Expr)
			}
			return c.list(args)
		}
		refuse("a row, array or structure as a value")
	case *sqlparts.Interval:
		refuse("INTERVAL")
	case *sqlparts.Param:
		// In the generic dialect names may start with $.
		for at := s; at != nil && c.dialect == sqlparts.Generic && strings.HasPrefix(e.Text, "$"); at = at.parent {
			for _, src := range at.sources {
				if o := src.find(e.Text); o != nil {
					return c.read(at, o.expr)
				}
			}
		}
		refuse("a parameter")
	case *sqlparts.Path:
		return c.path(s, e)
	case *sqlparts.Index:
		return c.index(s, e)
	case *sqlparts.Field:
		return c.field(c.expr(s, e.X), e.Name.Text)
	case *sqlparts.Lambda, *sqlparts.Named, *sqlparts.Alias:
		refuse("an argument by name or a lambda")
	case *sqlparts.Raw:
		refuse("text that badger cannot read")
	case *sqlparts.Star:
		refuse("a star as a value")
	}
	refuse("an expression of an unknown form")
	return expr{}
}

func negated(not bool, sql string) expr {
	if not {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, kind: Bool}
}

// dotted reports whether a name after a point may be a field of a structure in the dialect.
func (c *transpiler) dotted() bool {
	switch c.dialect {
	case sqlparts.BigQuery, sqlparts.Databricks, sqlparts.DuckDB:
		return true
	}
	return false
}

func (c *transpiler) literal(e *sqlparts.Literal) expr {
	switch e.Kind {
	case sqlparts.Null:
		return expr{sql: "NULL", kind: Null}
	case sqlparts.Bool:
		return expr{sql: strings.ToUpper(e.Text), kind: Bool}
	case sqlparts.String:
		if strings.ContainsRune(e.Text, 0) {
			refuse("a text with a NUL byte")
		}
		for i := range len(e.Text) {
			c.wide = c.wide || e.Text[i] >= 0x80
		}
		c.wild = c.wild || strings.Count(e.Text, "%") > maxWildcards || strings.Contains(e.Text, `\`)
		c.values.text(e.Text)
		return expr{sql: quoteText(e.Text), kind: Text, literal: e}
	case sqlparts.Number:
		if n, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
			c.values.number(float64(n))
			return expr{sql: strconv.FormatInt(n, 10) + "::BIGINT", kind: Int, literal: e}
		}
		f, err := strconv.ParseFloat(e.Text, 64)
		if err != nil || math.IsInf(f, 0) || !plainNumber.MatchString(e.Text) {
			refuse("a number of this form")
		}
		c.values.number(f)
		return expr{sql: strconv.FormatFloat(f, 'e', -1, 64) + "::DOUBLE", kind: Real, literal: e}
	}
	refuse("a literal of bytes")
	return expr{}
}

var plainNumber = lazyregexp.New(`^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func (c *transpiler) binary(s *scope, e *sqlparts.Binary) expr {
	if e.Quantifier != "" {
		return c.quantified(s, e)
	}
	op := string(e.Op)
	switch op {
	case "=", "<>", "<", "<=", ">", ">=":
		if l, ok := e.L.(*sqlparts.List); ok && l.Kind == sqlparts.Tuple && len(l.Items) > 1 {
			return c.compareRows(s, e)
		}
		return c.compare(op, c.expr(s, e.L), c.expr(s, e.R))
	case "is distinct from", "<=>", "is not distinct from":
		x := c.compare("IS NOT DISTINCT FROM", c.expr(s, e.L), c.expr(s, e.R))
		return negated(op == "is distinct from", x.sql)
	case "||":
		if c.dialect == sqlparts.MySQL {
			refuse("|| as OR")
		}
		l, r := c.text(c.expr(s, e.L)), c.text(c.expr(s, e.R))
		return expr{sql: "(" + l.sql + " || " + r.sql + ")", kind: Text, near: both(l, r),
			length: max(1, l.length) + max(1, r.length), made: true}
	case "+", "-", "*", "/", "%", "div", "//":
	default:
		refuse("the operator %s", strings.ToUpper(op))
	}
	if x, ok := c.shifted(s, e); ok {
		return x
	}
	l, r := c.expr(s, e.L), c.expr(s, e.R)
	if c.learn {
		c.learnKind(l, Int)
		c.learnKind(r, Int)
	}
	if c.dialect != sqlparts.SQLite && (l.kind == Date || l.kind == Timestamp || r.kind == Date || r.kind == Timestamp) {
		refuse("arithmetic with dates")
	}
	l, r = c.numeric(l), c.numeric(r)
	x := c.arithmetic(op, l, r)
	x.inexact = x.inexact || x.kind == Real && exact(c.dialect) && fraction(e)
	return x
}

func both(x, y expr) []*Column {
	return append(append([]*Column{}, x.near...), y.near...)
}

func (c *transpiler) arithmetic(op string, l, r expr) expr {
	out := expr{kind: max(l.kind, r.kind), near: both(l, r), counted: l.counted || r.counted,
		inexact: l.inexact || r.inexact}
	fraction := l.kind == Real && !l.unsure || r.kind == Real && !r.unsure
	out.unsure = (l.unsure || r.unsure) && !fraction
	if op == "+" || op == "-" {
		for _, p := range [][2]expr{{l, r}, {r, l}} {
			if p[1].literal != nil {
				for _, col := range p[0].near {
					c.values.offset(col, p[1].literal.Text)
				}
			}
		}
	}
	switch op {
	case "+", "-", "*":
		out.sql = "(" + l.sql + " " + op + " " + r.sql + ")"
		return out
	case "%":
		if l.kind != Int || r.kind != Int {
			refuse("a remainder of numbers with a fraction")
		}
		out.sql = "(" + l.sql + " % " + c.divisor(r) + ")"
		return out
	case "div", "//":
		if l.kind != Int || r.kind != Int {
			refuse("a whole quotient of numbers with a fraction")
		}
		out.sql = "(" + l.sql + " // " + c.divisor(r) + ")"
		return out
	}
	if r.literal != nil {
		if f, err := strconv.ParseFloat(r.literal.Text, 64); err == nil && f >= 1 {
			out.scale = f * max(1, l.scale)
		}
	}
	if out.unsure {
		refuse("a quotient of numbers of which it is not known whether they are whole")
	}
	c.divides = true
	whole := l.kind == Int && r.kind == Int
	if whole && c.schema.Inferred && (!l.counted || !r.counted) && len(out.near) > 0 {
		c.open = true // the columns may hold fractions
		if c.variant == 0 {
			whole = false
		}
	}
	if whole {
		switch c.dialect {
		case sqlparts.SQLite, sqlparts.Postgres, sqlparts.Redshift, sqlparts.TSQL:
			out.sql = "(" + l.sql + " // " + c.divisor(r) + ")"
			return out
		case sqlparts.Generic:
			c.open = true
			if c.variant == 0 {
				out.sql, out.kind = "CAST("+l.sql+" // "+c.divisor(r)+" AS DOUBLE)", Real
				return out
			}
		}
	}
	out.kind, out.inexact = Real, true
	out.sql = "(CAST(" + l.sql + " AS DOUBLE) / CAST(" + c.divisor(r) + " AS DOUBLE))"
	return out
}

// divisor returns SQL for a divisor. If it is 0, the quotient is NULL in SQLite and MySQL, and an error in other
// dialects.
func (c *transpiler) divisor(x expr) string {
	if x.literal != nil && strings.Trim(x.literal.Text, "-0.") != "" {
		return x.sql
	}
	if c.dialect == sqlparts.SQLite || c.dialect == sqlparts.MySQL {
		return "nullif(" + x.sql + ", 0)"
	}
	return "(CASE WHEN " + x.sql + " = 0 THEN error('division by zero') ELSE " + x.sql + " END)"
}

// compare returns the translation of a comparison, with the conversions of the dialect.
func (c *transpiler) compare(op string, l, r expr) expr {
	out := expr{kind: Bool}
	c.relate(op, l, r)
	if c.learn {
		for _, p := range [][2]expr{{l, r}, {r, l}} {
			if col := p[0].column; col != nil && p[0].kind == Null && col.Kind == Null && p[1].literal != nil &&
				(isoDate.MatchString(p[1].literal.Text) || isoTimestamp.MatchString(p[1].literal.Text)) {
				col.dateLike = true
			}
			c.learnKind(p[0], p[1].kind)
		}
	}
	order := op != "=" && op != "<>" && op != "IS NOT DISTINCT FROM"
	plain := func() expr {
		out.sql = "(" + l.sql + " " + op + " " + r.sql + ")"
		return out
	}
	switch {
	case l.kind == Null || r.kind == Null:
		return plain()
	case l.kind == Text && r.kind == Text:
		for _, p := range [][2]expr{{l, r}, {r, l}} {
			if p[0].clock && !p[1].clock && (p[1].literal == nil || !clockTime.MatchString(p[1].literal.Text)) {
				refuse("a time of day compared with what is none")
			}
		}
		if test := c.dateAndNumber(op, l, r); test != "" {
			out.sql = test
			return out
		}
		if order {
			c.inOrder = true
			for _, x := range []expr{l, r} {
				if x.literal != nil {
					c.values.ordered = append(c.values.ordered, x.literal.Text)
				}
			}
		}
		out.sql = c.compareTexts(op, l, r)
		return out
	case l.kind == Bool && r.kind == Bool:
		return plain()
	case l.kind.number() && r.kind.number():
		if l.kind == Bool || r.kind == Bool {
			l, r = c.numeric(l), c.numeric(r)
		}
		out.sql = c.compareNumbers(op, l, r)
		return out
	case c.learn:
		out.sql = "TRUE"
		return out
	}
	moment := func(x expr) bool { return x.kind == Date || x.kind == Timestamp }
	if c.schema.Inferred && len(l.near)+len(r.near) > 0 && !moment(l) && !moment(r) {
		refuse("a comparison of a text with a number, in a column whose type is not known")
	}
	if c.dialect == sqlparts.SQLite {
		return c.compareAffine(op, l, r)
	}
	if c.retype {
		for _, p := range [][2]expr{{l, r}, {r, l}} {
			if col := p[0].column; col != nil && col.Kind == Int && p[1].kind == Text &&
				(p[1].literal != nil || p[1].column != nil) {
				number := false
				if p[1].literal != nil {
					_, err := strconv.ParseFloat(p[1].literal.Text, 64)
					number = err == nil
				}
				if !number {
					for _, m := range c.values.group(col) {
						m.Kind = Text
					}
				}
			}
		}
		out.sql = "TRUE"
		return out
	}
	switch {
	case l.kind == Text && l.literal != nil:
		l = c.literalAs(l, r.kind)
	case r.kind == Text && r.literal != nil:
		r = c.literalAs(r, l.kind)
	case moment(l) && moment(r):
	case moment(l) && r.kind == Text && c.readsDates():
		r = c.instant(r, l.kind)
	case moment(r) && l.kind == Text && c.readsDates():
		l = c.instant(l, r.kind)
	default:
		refuse("a comparison of values of different kinds")
	}
	return plain()
}

// readsDates reports whether the dialect converts a string to a date when it is compared with one.
func (c *transpiler) readsDates() bool {
	return c.dialect == sqlparts.Snowflake || c.dialect == sqlparts.Databricks || c.dialect == sqlparts.MySQL ||
		c.dialect == sqlparts.Redshift
}

// dateAndNumber returns SQL for an ordering comparison in SQLite of a column of dates with numeric affinity and a
// string that looks like a number, such as a year. The affinity converts this string to a number, while dates remain
// strings, which sort after all numbers. It returns "" for other comparisons.
func (c *transpiler) dateAndNumber(op string, l, r expr) string {
	if c.dialect != sqlparts.SQLite || c.learn {
		return ""
	}
	if r.affinity == numericAffinity {
		op, l, r = mirrored(op), r, l
	}
	greater := map[string]string{"<": "FALSE", "<=": "FALSE", ">": "TRUE", ">=": "TRUE"}[op]
	if greater == "" || l.affinity != numericAffinity || r.affinity == numericAffinity ||
		r.literal != nil && !looksLikeNumber.MatchString(r.literal.Text) {
		return "" // for = and <>, conversion makes no difference, since no date is a number
	}
	return "(CASE WHEN " + l.sql + " IS NULL OR " + r.sql + " IS NULL THEN NULL WHEN regexp_full_match(CAST(" + r.sql +
		" AS VARCHAR), '" + numericText + "') THEN " + greater +
		" ELSE " + l.sql + " " + op + " " + r.sql + " END)"
}

var looksLikeNumber = lazyregexp.New("^" + numericText + "$")

// literalAs converts a string literal to the kind that it is compared with.
func (c *transpiler) literalAs(x expr, k Kind) expr {
	text := x.literal.Text
	ok := false
	switch k {
	case Int, Real:
		_, err := strconv.ParseFloat(text, 64)
		ok = err == nil && plainNumber.MatchString(strings.TrimPrefix(text, "-"))
		k = Real
	case Date:
		ok = isoDate.MatchString(text)
		if isoTimestamp.MatchString(text) {
			k, ok = Timestamp, true
		}
	case Timestamp:
		ok = isoDate.MatchString(text) || isoTimestamp.MatchString(text)
	case Bool:
		ok = slices.Contains([]string{"true", "false", "t", "f"}, strings.ToLower(text))
	}
	if !ok {
		refuse("a comparison of a text with another kind")
	}
	x.sql, x.kind = "CAST("+x.sql+" AS "+k.Type()+")", k
	return x
}

var (
	isoDate      = lazyregexp.New(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)
	isoTimestamp = lazyregexp.New(
		`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$`)
)

// compareAffine returns a comparison of a number with a string as in SQLite: the affinity of a column converts the
// other side. Without an affinity, a number is less than every string.
func (c *transpiler) compareAffine(op string, l, r expr) expr {
	if l.kind == Text { // put the number on the left
		return c.compareAffine(mirrored(op), r, l)
	}
	l = c.numeric(l)
	less := map[string]string{"=": "FALSE", "<>": "TRUE", "<": "TRUE", "<=": "TRUE", ">": "FALSE", ">=": "FALSE",
		"IS NOT DISTINCT FROM": "FALSE"}[op]
	out := expr{kind: Bool}
	switch {
	case l.affinity == numericAffinity:
		if op == "IS NOT DISTINCT FROM" {
			refuse("a comparison of a text with a number")
		}
		t := "CAST(" + r.sql + " AS VARCHAR)"
		number := "TRY_CAST(CASE WHEN regexp_full_match(" + t + ", '" + numericText + "') THEN trim(" + t + ") END AS DOUBLE)"
		out.sql = "(CASE WHEN " + l.sql + " IS NULL OR " + r.sql + " IS NULL THEN NULL WHEN " + number + " IS NULL THEN " +
			less + " ELSE " + l.sql + " " + op + " " + number + " END)"
		for _, col := range r.near {
			c.values.numbers(col)
		}
	case r.affinity == textAffinity:
		out.sql = "(" + c.text(l).sql + " " + op + " " + r.sql + ")"
	default:
		if op == "IS NOT DISTINCT FROM" {
			refuse("a comparison of a text with a number")
		}
		out.sql = "(CASE WHEN " + l.sql + " IS NULL OR " + r.sql + " IS NULL THEN NULL ELSE " + less + " END)"
	}
	return out
}

// mirrored returns the comparison operator with exchanged operands.
func mirrored(op string) string {
	if m := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]; m != "" {
		return m
	}
	return op
}

// relate records facts of a comparison for the generation of values: columns that share values, and literals that are
// bounds.
func (c *transpiler) relate(op string, l, r expr) {
	if op == "=" || op == "IS NOT DISTINCT FROM" {
		if l.column != nil && r.column != nil {
			c.values.join(l.column, r.column)
		}
	}
	for _, p := range [][2]expr{{l, r}, {r, l}} {
		if p[0].counted && p[1].literal != nil {
			c.values.grouped = true
			if n, err := strconv.ParseFloat(p[1].literal.Text, 64); err == nil && p[0].summed {
				for _, col := range p[0].near {
					c.values.sum(col, n)
				}
			}
		}
		if p[1].literal == nil {
			for _, col := range p[0].near {
				for _, other := range p[1].near {
					if op == "=" && p[0].column != nil && col != other {
						c.values.join(col, other)
					}
				}
			}
			continue
		}
		for _, col := range p[0].near {
			c.values.hint(col, *p[1].literal)
		}
		if len(p[0].near) == 1 && !p[0].counted {
			to := op
			if p[0].sql == r.sql {
				to = mirrored(op)
			}
			c.values.test(p[0].near[0], to, p[1].literal.Text)
		}
		if p[0].counted {
			if n, err := strconv.Atoi(p[1].literal.Text); err == nil {
				c.values.size(n)
			}
		}
	}
}

func (c *transpiler) compareRows(s *scope, e *sqlparts.Binary) expr {
	l, okL := e.L.(*sqlparts.List)
	r, okR := e.R.(*sqlparts.List)
	if e.Op != "=" || !okL || !okR || len(l.Items) != len(r.Items) {
		refuse("a comparison of rows")
	}
	var parts []string
	for i := range l.Items {
		parts = append(parts, c.compare("=", c.expr(s, l.Items[i].Expr), c.expr(s, r.Items[i].Expr)).sql)
	}
	return expr{sql: "(" + strings.Join(parts, " AND ") + ")", kind: Bool}
}

// quantified translates x = ANY (query), x > ALL (query) and so on.
func (c *transpiler) quantified(s *scope, e *sqlparts.Binary) expr {
	c.without(strings.ToUpper(e.Quantifier)+" of a query", sqlparts.SQLite, sqlparts.BigQuery, sqlparts.Databricks)
	sub, ok := e.R.(*sqlparts.Subquery)
	if !ok {
		refuse("%s of a list", strings.ToUpper(e.Quantifier))
	}
	x := c.value(c.expr(s, e.L))
	sql, columns := c.query(sub.Query, s)
	if len(columns) != 1 {
		refuse("a comparison of rows")
	}
	c.alike(x, columns[0].expr)
	return expr{sql: "(" + x.sql + " " + string(e.Op) + " " + strings.ToUpper(e.Quantifier) + " (" + sql + "))",
		kind: Bool}
}

// alike records that two operands share values, and refuses operands of different kinds, which a dialect would
// convert.
func (c *transpiler) alike(l, r expr) {
	c.keyed(l)
	c.keyed(r)
	c.relate("=", l, r)
	if c.learn {
		c.learnKind(l, r.kind)
		c.learnKind(r, l.kind)
		return
	}
	if l.kind == Null || r.kind == Null || l.kind == r.kind ||
		l.kind.number() && r.kind.number() && l.kind != Bool && r.kind != Bool {
		return
	}
	refuse("a comparison of values of different kinds")
}

func (c *transpiler) in(s *scope, e *sqlparts.In) expr {
	if e.Of != nil {
		of := e.Of
		if call, ok := of.(*sqlparts.Call); ok && strings.EqualFold(call.Name.Last().Text, "unnest") && len(call.Args) == 1 {
			of = call.Args[0]
		}
		if col, ok := of.(*sqlparts.Column); ok {
			if ms, _ := c.bound.Means(col); len(ms) > 0 && ms[0].Kind == sqlparts.Variable {
				of = c.variables[strings.ToLower(col.Name[0].Text)]
			}
		}
		if l, ok := of.(*sqlparts.List); ok && l.Kind == sqlparts.Array && len(l.Items) > 0 {
			in := &sqlparts.In{X: e.X, Not: e.Not}
			for _, it := range l.Items {
				in.List = append(in.List, it.Expr)
			}
			return c.in(s, in)
		}
		return negated(e.Not, c.contained(c.value(c.expr(s, e.X)), c.expr(s, of), false).sql)
	}
	if l, ok := e.X.(*sqlparts.List); ok && l.Kind == sqlparts.Tuple && len(l.Items) > 1 {
		return c.rowIn(s, e, l)
	}
	x := c.value(c.expr(s, e.X))
	if e.Query != nil {
		sql, columns := c.query(e.Query, s)
		if len(columns) != 1 {
			refuse("IN with a query of several columns")
		}
		y := columns[0].expr
		y.sql = "c1"
		same := x.kind == y.kind || x.kind == Null || y.kind == Null || x.kind.number() && y.kind.number()
		if !same && !c.learn {
			// The conversion is inside the subquery, since EXISTS would not preserve the effect of NULL in NOT IN.
			if c.dialect != sqlparts.SQLite || x.affinity != numericAffinity && y.affinity != numericAffinity {
				refuse("IN with values of different kinds")
			}
			alias := c.name("r")
			y.sql = alias + ".c1"
			c.relate("=", x, y)
			test := c.compare("=", x, y).sql
			return negated(e.Not,
				"(SELECT CASE WHEN count(*) = 0 THEN FALSE ELSE bool_or("+test+") END FROM (SELECT * FROM ("+sql+") AS "+
					c.name("r")+") AS "+alias+")")
		}
		c.relate("=", x, y)
		c.keyed(x)
		c.keyed(y)
		if c.learn {
			c.learnKind(x, y.kind)
			c.learnKind(y, x.kind)
		}
		return negated(e.Not, "("+x.sql+" IN ("+sql+"))")
	}
	if len(e.List) == 0 {
		return negated(e.Not, "FALSE")
	}
	parts := make([]string, len(e.List))
	for i, a := range e.List {
		y := c.expr(s, a)
		if c.dialect == sqlparts.SQLite {
			y.affinity = noAffinity // IN applies only the affinity of the left side
		}
		parts[i] = c.compare("=", x, y).sql
	}
	return negated(e.Not, "("+strings.Join(parts, " OR ")+")")
}

func (c *transpiler) rowIn(s *scope, e *sqlparts.In, l *sqlparts.List) expr {
	if e.Query == nil {
		refuse("IN of rows with a list")
	}
	sql, columns := c.query(e.Query, s)
	if len(columns) != len(l.Items) {
		refuse("IN with a query of another number of columns")
	}
	items := make([]string, len(l.Items))
	for i, it := range l.Items {
		x := c.value(c.expr(s, it.Expr))
		c.alike(x, columns[i].expr)
		items[i] = x.sql
	}
	return negated(e.Not, "(("+strings.Join(items, ", ")+") IN ("+sql+"))")
}

// maxWildcards is the maximum number of % in a pattern for the engine's LIKE, whose time is exponential in it. Other
// patterns are translated to regular expressions.
const maxWildcards = 3

func (c *transpiler) like(s *scope, e *sqlparts.Like) expr {
	if e.Quantifier != "" {
		refuse("LIKE ANY")
	}
	op := "LIKE"
	switch e.Op {
	case "like":
		switch c.dialect {
		case sqlparts.SQLite:
			op = "ILIKE"
			c.folds = true
		case sqlparts.MySQL, sqlparts.TSQL, sqlparts.Generic:
			c.open = true
			op = [2]string{"LIKE", "ILIKE"}[c.variant]
		}
	case "ilike":
		c.without("ILIKE", sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL, sqlparts.BigQuery)
		op = "ILIKE"
		c.folds = true
	case "glob":
		c.without("GLOB", sqlparts.Postgres, sqlparts.Redshift, sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.Databricks,
			sqlparts.MySQL, sqlparts.TSQL)
		op = "GLOB"
	default:
		refuse("%s", strings.ToUpper(string(e.Op)))
	}
	if c.learn {
		c.learnKind(c.expr(s, e.X), Text)
	}
	wild := c.wild
	x, pattern := c.text(c.expr(s, e.X)), c.text(c.expr(s, e.Pattern))
	sql := x.sql + " " + op + " " + pattern.sql
	if pattern.literal == nil {
		c.patterns = true
	} else {
		c.wild = wild
		text := pattern.literal.Text
		switch {
		case op == "GLOB":
			if strings.ContainsAny(text, `[\`) || strings.Count(text, "*") > maxWildcards {
				refuse("GLOB with a pattern of this form")
			}
		case strings.Contains(text, `\`) && c.dialect != sqlparts.SQLite && c.dialect != sqlparts.DuckDB:
			refuse("a backslash in a pattern")
		case strings.Contains(text, "[") && c.dialect == sqlparts.TSQL:
			refuse("a set of letters in a pattern")
		case strings.Count(text, "%") > maxWildcards && e.Escape != nil:
			refuse("ESCAPE in a pattern with more than %d wildcards", maxWildcards)
		case strings.Count(text, "%") > maxWildcards: // regular expressions take linear time
			flags := "(?s)"
			if op == "ILIKE" {
				flags = "(?is)"
			}
			sql = "regexp_full_match(" + x.sql + ", " +
				quoteText(flags+strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(text))) + ")"
		}
		for _, col := range x.near {
			c.values.pattern(col, text)
		}
	}
	if e.Escape != nil {
		y := c.expr(s, e.Escape)
		if y.literal == nil || len(y.literal.Text) != 1 {
			refuse("ESCAPE with what is no letter")
		}
		sql += " ESCAPE " + y.sql
	}
	return negated(e.Not, "("+sql+")")
}

func (c *transpiler) is(s *scope, e *sqlparts.Is) expr {
	before := len(c.seen)
	x := c.expr(s, e.X)
	c.ask(before)
	if x.kind == Nested && !c.learn {
		refuse("a structure or an array that is tested for NULL")
	}
	switch w := e.What.(type) {
	case *sqlparts.Literal:
		switch w.Kind {
		case sqlparts.Null:
			return negated(e.Not, "("+x.sql+" IS NULL)")
		case sqlparts.Bool:
			return negated(e.Not, "("+c.truth(x)+" IS "+strings.ToUpper(w.Text)+")")
		}
	case *sqlparts.Column:
		if len(w.Name) == 1 && strings.EqualFold(w.Name[0].Text, "unknown") && !w.Name[0].Quoted {
			return negated(e.Not, "("+c.truth(x)+" IS NULL)")
		}
	}
	if c.dialect != sqlparts.SQLite {
		refuse("IS with a value")
	}
	return negated(e.Not, c.compare("IS NOT DISTINCT FROM", x, c.expr(s, e.What)).sql)
}

// ask records that a query tests for NULL the columns that were read since the index since of c.seen.
func (c *transpiler) ask(since int) {
	for _, col := range c.seen[since:] {
		if c.asked != nil {
			c.asked[col] = true
		}
	}
}

func (c *transpiler) caseOf(s *scope, e *sqlparts.Case) expr {
	var sql strings.Builder
	sql.WriteString("(CASE")
	results := make([]expr, 0, len(e.Whens)+1)
	var conds []string
	for _, w := range e.Whens {
		cond := ""
		if e.X != nil {
			cond = c.compare("=", c.expr(s, e.X), c.expr(s, w.Cond)).sql
		} else {
			cond = c.condition(s, w.Cond)
		}
		conds = append(conds, cond)
		results = append(results, c.value(c.expr(s, w.Then)))
	}
	if e.Else != nil {
		results = append(results, c.value(c.expr(s, e.Else)))
	}
	results, all := c.alignKinds(results)
	for i, cond := range conds {
		sql.WriteString(" WHEN " + cond + " THEN " + results[i].sql)
	}
	if e.Else != nil {
		sql.WriteString(" ELSE " + results[len(results)-1].sql)
	}
	sql.WriteString(" END)")
	all.sql = sql.String()
	return all
}

// alignKinds converts values to a common kind. all has their common properties.
func (c *transpiler) alignKinds(list []expr) ([]expr, expr) {
	var all expr
	if at := slices.IndexFunc(list, func(x expr) bool { return x.kind != Null }); c.learn && at >= 0 {
		for _, x := range list {
			c.learnKind(x, list[at].kind)
		}
	}
	for _, x := range list {
		if x.kind == Nested && !c.learn {
			refuse("a choice of arrays or structures")
		}
		if x.kind == List {
			if all.of != nil && all.of.kind != x.of.kind && !c.learn {
				refuse("a choice of arrays of different values")
			}
			all.of = x.of
		}
		if c.learn && all.kind != Null && x.kind != Null && all.kind != x.kind {
			c.learnKind(x, all.kind)
			continue
		}
		all.unsure = all.unsure || x.unsure || c.mixes(all.kind, x.kind)
		all.inexact = all.inexact || x.inexact
		all.length = max(all.length, x.length)
		all.made = all.made || x.made
		all.kind = c.common(all.kind, x.kind)
		all.near = append(all.near, x.near...)
	}
	for i := range list {
		list[i] = c.as(list[i], all.kind)
	}
	return list, all
}

// scalar translates a subquery as a value. If it may return several rows, SQLite takes the first, which it does not
// determine, so the two variants take different ones. In other dialects several rows are an error.
func (c *transpiler) scalar(s *scope, q *sqlparts.Query) expr {
	sql, columns := c.query(q, s)
	if len(columns) != 1 {
		refuse("a query of several columns as a value")
	}
	x := columns[0].expr
	counted := false
	if b, ok := q.Body.(*sqlparts.Select); ok && b.Group == nil {
		for _, it := range b.Items {
			walkSelect(it.Expr, func(call *sqlparts.Call) { counted = counted || isAggregate(call) })
		}
	}
	one := counted
	if q.Limit != nil && q.Limit.Offset == nil {
		one = one || ordinal(q.Limit.Count) == 1
	}
	if !one && c.dialect == sqlparts.SQLite {
		// An aggregate is used, since the engine is slow for a correlated subquery with a limit.
		c.open = true
		pick := [2]string{"CASE WHEN count(c1) = count(*) THEN min(c1) END", "max(c1)"}[c.variant]
		sql = "SELECT " + pick + " FROM (" + sql + ") AS " + c.name("r")
	}
	x.sql, x.literal = "("+sql+")", nil
	if x.column != nil {
		x.near = append([]*Column{x.column}, x.near...)
	}
	return x
}

func (c *transpiler) cast(s *scope, e *sqlparts.Cast) expr {
	if e.Format != nil {
		refuse("CAST with a format")
	}
	x := c.expr(s, e.X)
	if c.dialect == sqlparts.SQLite {
		base, _, _ := strings.Cut(e.Type, "(")
		return c.castAffine(x, func(words ...string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(base, w) })
		})
	}
	return c.castTo(x, e)
}

// castAffine translates SQLite's CAST, which converts by affinity.
func (c *transpiler) castAffine(x expr, has func(...string) bool) expr {
	lit := x.literal
	x.column = nil
	switch {
	case has("int"):
		if x.kind == Text {
			if c.learn {
				c.learnKind(x, Int)
			}
			for _, col := range x.near {
				c.values.numbers(col)
			}
			t := "CAST(" + x.sql + " AS VARCHAR)"
			x.sql = "(CASE WHEN " + x.sql + " IS NULL THEN NULL ELSE coalesce(TRY_CAST(trim(regexp_extract(" + t +
				`, '^\s*[+-]?[0-9]+')) AS BIGINT), 0) END)`
		} else {
			x = c.numeric(x)
			x.sql = "CAST(trunc(" + x.sql + ") AS BIGINT)"
		}
		x.kind, x.affinity, x.unsure = Int, numericAffinity, false
	case has("char", "clob", "text"):
		x = c.text(x)
		x.affinity = textAffinity
	case has("real", "floa", "double"):
		x = c.numeric(x)
		x.sql, x.kind, x.affinity, x.unsure = "CAST("+x.sql+" AS DOUBLE)", Real, numericAffinity, false
	case has("blob"):
		refuse("CAST AS BLOB")
	case has("date", "time"):
		refuse("CAST AS DATE, which SQLite reads as a number")
	default: // NUMERIC keeps whole numbers whole
		x = c.numeric(x)
		if x.kind != Int {
			refuse("CAST AS NUMERIC of what is no whole number")
		}
		x.affinity = numericAffinity
	}
	x.literal = nil
	if lit != nil && x.kind == Real && lit.Kind == sqlparts.Number {
		x.literal = lit
	}
	return x
}
