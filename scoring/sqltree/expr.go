package sqltree

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

func (b *builder) exprs(list []sqlparts.Expr, sc *scope) []*Expr {
	out := make([]*Expr, len(list))
	for i, e := range list {
		out[i] = b.expr(e, sc)
	}
	return out
}

// optional builds an expression, or returns nil if e is nil.
func (b *builder) optional(e sqlparts.Expr, sc *scope) *Expr {
	if e == nil {
		return nil
	}
	return b.expr(e, sc)
}

func (b *builder) subquery(q *sqlparts.Query, sc *scope) *Expr {
	return &Expr{Op: opQuery, Query: b.query(q, sc)}
}

func negated(name string, not bool) string {
	if not {
		return "not " + name
	}
	return name
}

// expr builds an expression.
func (b *builder) expr(e sqlparts.Expr, sc *scope) *Expr {
	switch e := e.(type) {
	case nil:
		return null
	case *sqlparts.Column:
		return b.column(e, sc)
	case *sqlparts.Literal:
		return literal(e)
	case *sqlparts.Param:
		return &Expr{Op: opLiteral, Text: e.Text}
	case *sqlparts.Star:
		return b.star(e, sc)
	case *sqlparts.Logic:
		return op(map[bool]string{true: "or", false: "and"}[e.Or], b.exprs(e.Args, sc)...)
	case *sqlparts.Unary:
		x := b.expr(e.X, sc)
		if e.Op == "-" && x.Op == opNumber {
			return number(strings.TrimPrefix("-"+x.Text, "--"))
		}
		if e.Op == "+" {
			return x
		}
		return op(string(e.Op), x)
	case *sqlparts.Binary:
		x := op(string(e.Op), b.expr(e.L, sc), b.expr(e.R, sc))
		if e.Quantifier != "" {
			x.Op += " " + e.Quantifier
		}
		return x
	case *sqlparts.In:
		x := op(negated("in", e.Not), b.expr(e.X, sc))
		switch {
		case e.Query != nil:
			x.Args = append(x.Args, b.subquery(e.Query, sc))
		case e.Of != nil:
			x.Args = append(x.Args, op("elements", b.expr(e.Of, sc)))
		default:
			x.Args = append(x.Args, b.exprs(e.List, sc)...)
		}
		return x
	case *sqlparts.Between:
		x := op(negated("between", e.Not), b.expr(e.X, sc), b.expr(e.Low, sc), b.expr(e.High, sc))
		if e.Symmetric {
			x.Op += " symmetric"
		}
		return x
	case *sqlparts.Like:
		x := op(negated(string(e.Op), e.Not), b.expr(e.X, sc), b.expr(e.Pattern, sc))
		if e.Quantifier != "" {
			x.Op += " " + e.Quantifier
		}
		if e.Escape != nil {
			x.Args = append(x.Args, b.expr(e.Escape, sc))
		}
		return x
	case *sqlparts.Is:
		what := b.word(e.What, sc)
		if e.Not {
			return op("is not", b.expr(e.X, sc), what)
		}
		return op("is", b.expr(e.X, sc), what)
	case *sqlparts.Exists:
		return op("exists", b.subquery(e.Query, sc))
	case *sqlparts.Case:
		return b.caseOf(e, sc)
	case *sqlparts.Cast:
		x := &Expr{Op: opCast, Text: castType(e.Type, b.dialect), Args: []*Expr{b.expr(e.X, sc)}}
		if e.Try {
			x.Op = "try_cast"
		}
		if e.Format != nil {
			x.Args = append(x.Args, b.expr(e.Format, sc))
		}
		return x
	case *sqlparts.Subquery:
		return b.subquery(e.Query, sc)
	case *sqlparts.Call:
		return b.call(e, sc)
	case *sqlparts.Interval:
		return &Expr{Op: "interval", Text: e.Unit, Args: []*Expr{b.expr(e.X, sc)}}
	case *sqlparts.List:
		x := &Expr{Op: [...]string{sqlparts.Tuple: "tuple", sqlparts.Array: "array", sqlparts.Struct: "struct",
			sqlparts.Object: "object"}[e.Kind]}
		for _, it := range e.Items {
			a := b.expr(it.Expr, sc)
			if it.Alias.Text != "" {
				a = &Expr{Op: "named", Text: strings.ToLower(it.Alias.Text), Args: []*Expr{a}}
			}
			x.Args = append(x.Args, a)
		}
		return x
	case *sqlparts.Index:
		x := op("index", b.expr(e.X, sc), b.optional(e.I, sc), b.optional(e.To, sc))
		if e.Slice {
			x.Op = "slice"
		}
		return x
	case *sqlparts.Field:
		return &Expr{Op: "field", Text: strings.ToLower(e.Name.Text), Args: []*Expr{b.expr(e.X, sc)}}
	case *sqlparts.Path:
		return &Expr{Op: "path", Text: e.Text, Args: []*Expr{b.expr(e.X, sc)}}
	case *sqlparts.Named:
		return &Expr{Op: "named", Text: strings.ToLower(e.Name.Text), Args: []*Expr{b.expr(e.X, sc)}}
	case *sqlparts.Lambda:
		return &Expr{Op: "lambda", Text: sqlparts.Normalized(e)}
	case *sqlparts.Alias:
		return &Expr{Op: "named", Text: strings.ToLower(e.Name.Text), Args: []*Expr{b.expr(e.X, sc)}}
	case *sqlparts.Special:
		return b.special(e, sc)
	case *sqlparts.Grouping:
		return op(e.Kind, b.exprs(e.Args, sc)...)
	case *sqlparts.Raw:
		return &Expr{Op: opRaw, Text: e.Text}
	}
	return &Expr{Op: opRaw, Text: sqlparts.Normalized(e)}
}

// word returns the operand of IS: a literal, or a word that is not a column.
func (b *builder) word(e sqlparts.Expr, sc *scope) *Expr {
	if c, ok := e.(*sqlparts.Column); ok && len(c.Name) == 1 {
		if name := strings.ToLower(c.Name[0].Text); name == "unknown" || name == "json" {
			return &Expr{Op: opLiteral, Text: name}
		}
	}
	return b.expr(e, sc)
}

func literal(l *sqlparts.Literal) *Expr {
	switch l.Kind {
	case sqlparts.Number:
		return number(typedNumber(l.Text))
	case sqlparts.String:
		return &Expr{Op: opString, Text: l.Text}
	case sqlparts.Null:
		return null
	}
	return &Expr{Op: opLiteral, Text: l.Text}
}

func (b *builder) star(e *sqlparts.Star, sc *scope) *Expr {
	x := &Expr{Op: opStar}
	if q, ok := e.Qualifier.(*sqlparts.Column); ok {
		if ms, _ := b.bound.Means(q); len(ms) > 0 && ms[0].Kind == sqlparts.RowOfSource {
			for _, s := range sc.sources {
				if s.of == ms[0].Source {
					x.Table = s.id
				}
			}
		}
		if x.Table == "" { // all fields of a column
			return &Expr{Op: "field", Text: "*", Args: []*Expr{b.column(q, sc)}}
		}
	}
	if len(e.Except)+len(e.Replace)+len(e.Rename) > 0 || e.Like != nil {
		plain := *e
		plain.Qualifier = nil
		x.Text = sqlparts.Normalized(&plain)
	}
	return x
}

// caseOf builds a CASE. It writes CASE x WHEN a as CASE WHEN x = a.
func (b *builder) caseOf(e *sqlparts.Case, sc *scope) *Expr {
	x := op(opCase)
	for _, w := range e.Whens {
		cond := b.expr(w.Cond, sc)
		if e.X != nil {
			cond = op("=", b.expr(e.X, sc), cond)
		}
		x.Args = append(x.Args, cond, b.expr(w.Then, sc))
	}
	if e.Else != nil {
		x.Args = append(x.Args, b.expr(e.Else, sc))
	}
	return x
}

// special builds a call whose arguments are separated by words. SUBSTRING(x FROM a FOR n) becomes substr(x, a, n).
func (b *builder) special(e *sqlparts.Special, sc *scope) *Expr {
	if strings.HasPrefix(e.Name, "substr") {
		return &Expr{Op: opCall, Text: "substr", Args: b.exprs(e.Args, sc)}
	}
	x := &Expr{Op: opCall, Text: e.Name}
	for i, a := range e.Args {
		if c, ok := a.(*sqlparts.Column); ok && i == 0 && e.Name == "extract" && len(c.Name) == 1 {
			x.Text += " " + strings.ToLower(c.Name[0].Text)
			continue
		}
		arg := b.expr(a, sc)
		if w := e.Words[i]; w != "" && !(e.Name == "extract" && w == "from") {
			arg = &Expr{Op: "word", Text: w, Args: []*Expr{arg}}
		}
		x.Args = append(x.Args, arg)
	}
	return x
}

// call builds a function call. Clauses after it, such as FILTER and OVER, become nodes around it.
func (b *builder) call(e *sqlparts.Call, sc *scope) *Expr {
	name := dotted(e.Name)
	args := b.exprs(e.Args, sc)
	if len(args) == 1 && args[0].Op == opStar && args[0].Text == "" && args[0].Table == "" {
		args[0] = op(opRows)
	}
	switch {
	case (name == "iif" || name == "if") && len(args) == 3:
		return op(opCase, args...)
	case name == "substring":
		name = "substr"
	}
	x := &Expr{Op: opCall, Text: name, Args: args}
	if e.Distinct {
		x.Args = []*Expr{op(opDistinct, args...)}
	}
	for _, o := range e.OrderBy {
		x.Args = append(x.Args, op("order", b.keyExpr(o, sc)))
	}
	for _, extra := range []struct {
		name string
		e    sqlparts.Expr
	}{{"limit", e.Limit}, {map[bool]string{true: "having max", false: "having min"}[e.HavMax], e.Having}} {
		if extra.e != nil {
			x.Args = append(x.Args, op(extra.name, b.expr(extra.e, sc)))
		}
	}
	if e.Nulls != "" {
		x = &Expr{Op: e.Nulls + " nulls", Args: []*Expr{x}}
	}
	if len(e.Within) > 0 {
		x = op("within", x)
		for _, o := range e.Within {
			x.Args = append(x.Args, b.keyExpr(o, sc))
		}
	}
	if e.Filter != nil {
		x = op("filter", x, b.expr(e.Filter, sc))
	}
	if e.Over != nil {
		x = op("over", x)
		b.window(e.Over, x, sc, 0)
	}
	return x
}

// window adds the partitions, sort keys and frame of a window to x, a call with OVER. A named window is replaced by its
// definition.
func (b *builder) window(w *sqlparts.Window, x *Expr, sc *scope, depth int) {
	if w.Name.Text != "" && depth < 8 {
		for at := sc; at != nil; at = at.outer {
			for _, d := range at.windows {
				if strings.EqualFold(d.Name.Text, w.Name.Text) && d.Window != nil {
					b.window(d.Window, x, sc, depth+1)
				}
			}
		}
	}
	for _, p := range w.Partition {
		x.Args = append(x.Args, op("partition", b.expr(p, sc)))
	}
	for _, o := range w.OrderBy {
		x.Args = append(x.Args, b.keyExpr(o, sc))
	}
	if w.Frame != "" {
		x.Text = w.Frame
	}
}

// keyExpr builds a sort key inside an expression.
func (b *builder) keyExpr(o *sqlparts.OrderItem, sc *scope) *Expr {
	k := b.key(o, sc, nil)
	x := op("key", k.Expr)
	x.Text = strings.TrimSpace(map[bool]string{true: "desc "}[k.Desc] + k.Nulls)
	return x
}

// aggregates reports whether an expression contains an aggregate or window function outside nested queries.
func aggregates(e *Expr) bool {
	if e == nil {
		return false
	}
	if e.Op == "over" || e.Op == opCall && sqlparts.IsAggregate(e.Text) {
		return true
	}
	for _, a := range e.Args {
		if aggregates(a) {
			return true
		}
	}
	return false
}

// fixedLength reports whether a type in the dialect pads strings with blanks up to its length. Snowflake, DuckDB,
// SQLite, MySQL and BigQuery treat CHAR as VARCHAR.
func fixedLength(t string, d sqlparts.Dialect) bool {
	switch d {
	case sqlparts.Snowflake, sqlparts.DuckDB, sqlparts.SQLite, sqlparts.MySQL, sqlparts.BigQuery:
		return false
	}
	base, _, _ := strings.Cut(strings.ToLower(t), "(")
	words := strings.Fields(base)
	if len(words) == 0 || strings.Contains(t, "varying") {
		return false
	}
	switch words[len(words)-1] {
	case "char", "character", "nchar", "bpchar":
		return true
	}
	return false
}

// castType returns the class of a type, followed by the parts of the type that change values: length and precision, the
// range of an integer, the time zone.
func castType(t string, d sqlparts.Dialect) string {
	class := sqlparts.TypeClass(t)
	if fixedLength(t, d) {
		class = "char"
	}
	if i := strings.IndexByte(t, '('); i >= 0 {
		class += " " + strings.ReplaceAll(t[i:], " ", "")
	}
	for _, w := range []string{"tinyint", "smallint", "bigint", "unsigned", "timestamptz", "with time zone",
		"timestamp_tz", "timestamp_ltz"} {
		if strings.Contains(t, w) {
			class += " " + w
		}
	}
	return class
}
