package counterexample

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// truth is the truth value of a condition: false, unknown or true.
type truth int8

const (
	isFalse truth = iota - 1
	isUnknown
	isTrue
)

// broken reports whether a row violates a check, which it does only if the check is false, not if it is unknown.
func broken(check sqlparts.Expr, t *Table, row []Value) bool {
	v, ok := judge(check, t, row)
	return ok && v == isFalse
}

// understood reports whether judge can evaluate a check, and returns the columns of t that it reads.
func understood(check sqlparts.Expr, t *Table) (columns []*Column, ok bool) {
	sqlparts.Walk(check, func(n sqlparts.Node) bool {
		if c, ok := n.(*sqlparts.Column); ok {
			if col := t.Column(c.Name.Last().Text); col != nil {
				columns = append(columns, col)
			}
		}
		return true
	})
	wide := 0
	for _, c := range t.Columns {
		wide = max(wide, c.at+1)
	}
	_, ok = judge(check, t, make([]Value, wide))
	return columns, ok
}

// judge returns the truth value of a condition for a row of t. It evaluates comparisons of columns with literals and
// each other, AND, OR, NOT, IN, BETWEEN and IS NULL. ok is false for any other condition.
func judge(e sqlparts.Expr, t *Table, row []Value) (truth, bool) {
	switch e := e.(type) {
	case *sqlparts.Logic:
		out := isTrue
		if e.Or {
			out = isFalse
		}
		for _, a := range e.Args {
			v, ok := judge(a, t, row)
			if !ok {
				return 0, false
			}
			if e.Or {
				out = max(out, v)
			} else {
				out = min(out, v)
			}
		}
		return out, true
	case *sqlparts.Unary:
		if e.Op == "not" {
			v, ok := judge(e.X, t, row)
			return -v, ok
		}
	case *sqlparts.Binary:
		if e.Quantifier != "" {
			return judgeList(e, t, row)
		}
		x, okX := operand(e.L, t, row)
		y, okY := operand(e.R, t, row)
		v, ok := relation(string(e.Op), x, y)
		return v, ok && okX && okY && comparable(e.L, e.R, t)
	case *sqlparts.Between:
		x, okX := operand(e.X, t, row)
		low, okLow := operand(e.Low, t, row)
		high, okHigh := operand(e.High, t, row)
		a, _ := relation(">=", x, low)
		b, _ := relation("<=", x, high)
		v := min(a, b)
		if e.Not {
			v = -v
		}
		return v, okX && okLow && okHigh && !e.Symmetric && comparable(e.X, e.Low, t) && comparable(e.X, e.High, t)
	case *sqlparts.In:
		if e.Query != nil || e.Of != nil {
			return 0, false
		}
		x, ok := operand(e.X, t, row)
		out := isFalse
		for _, a := range e.List {
			y, okY := operand(a, t, row)
			v, _ := relation("=", x, y)
			out, ok = max(out, v), ok && okY && comparable(e.X, a, t)
		}
		if e.Not {
			out = -out
		}
		return out, ok
	case *sqlparts.Is:
		if l, ok := e.What.(*sqlparts.Literal); ok && l.Kind == sqlparts.Null {
			x, ok := operand(e.X, t, row)
			if (x.Kind == Null) != e.Not {
				return isTrue, ok
			}
			return isFalse, ok
		}
	}
	return 0, false
}

// judgeList evaluates x = ANY (ARRAY[…]) and x <> ALL (ARRAY[…]), as PostgreSQL writes IN and NOT IN in checks. ok is
// false for any other condition.
func judgeList(e *sqlparts.Binary, t *Table, row []Value) (truth, bool) {
	list, isList := uncast(e.R, t).(*sqlparts.List)
	if !isList || list.Kind != sqlparts.Array ||
		!(e.Quantifier == "any" && e.Op == "=" || e.Quantifier == "all" && e.Op == "<>") {
		return 0, false
	}
	in := &sqlparts.In{X: e.L, Not: e.Op == "<>"}
	for _, item := range list.Items {
		in.List = append(in.List, item.Expr)
	}
	return judge(in, t, row)
}

// uncast returns an expression without casts that change no value: of a number to a type that holds it, or of a string
// to a string type. PostgreSQL writes such casts into every check.
func uncast(e sqlparts.Expr, t *Table) sqlparts.Expr {
	c, ok := e.(*sqlparts.Cast)
	if !ok || c.Try || c.Format != nil {
		return e
	}
	x := uncast(c.X, t)
	texts := func(name string) bool { return name == "text" || name == "varchar" || name == "character varying" }
	switch x := x.(type) {
	case *sqlparts.Literal:
		_, err := strconv.ParseInt(x.Text, 10, 32)
		whole := err == nil && (c.Type == "integer" || c.Type == "bigint")
		if x.Kind == sqlparts.Number && (whole || c.Type == "numeric" || c.Type == "double precision") ||
			x.Kind == sqlparts.String && texts(c.Type) {
			return x
		}
	case *sqlparts.Column:
		if col := t.Column(x.Name.Last().Text); col != nil && col.Kind == Text && texts(c.Type) {
			if base, _, _ := strings.Cut(col.Declared, "("); texts(base) {
				return x
			}
		}
	case *sqlparts.List:
		if element, ok := strings.CutSuffix(c.Type, "[]"); ok && texts(element) {
			return x
		}
	}
	return e
}

func operand(e sqlparts.Expr, t *Table, row []Value) (Value, bool) {
	switch e := uncast(e, t).(type) {
	case *sqlparts.Column:
		if c := t.Column(e.Name.Last().Text); c != nil && c.at < len(row) {
			return row[c.at], true
		}
	case *sqlparts.Literal:
		switch e.Kind {
		case sqlparts.String:
			return textValue(e.Text), true
		case sqlparts.Null:
			return Value{}, true
		case sqlparts.Number:
			if n, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
				return intValue(n), true
			}
			f, err := strconv.ParseFloat(e.Text, 64)
			return Value{Kind: Real, Real: f}, err == nil
		}
	case *sqlparts.Unary:
		if v, ok := operand(e.X, t, row); ok && e.Op == "-" && (v.Kind == Int || v.Kind == Real) {
			v.Int, v.Real = -v.Int, -v.Real
			return v, true
		}
	case *sqlparts.Cast:
		if l, ok := e.X.(*sqlparts.Literal); ok && l.Kind == sqlparts.String && (e.Type == "date" || e.Type == "timestamp") {
			return textValue(l.Text), true
		}
	}
	return Value{}, false
}

// comparable reports whether two operands are compared without a conversion: they have the same kind, both are
// numbers, one is NULL, or one is a date or timestamp and the other an ISO 8601 string.
func comparable(a, b sqlparts.Expr, t *Table) bool {
	x, y := operandKind(a, t), operandKind(b, t)
	switch {
	case x == Null || y == Null, x == y, x.number() && y.number():
		return true
	case x == Text:
		a, b, x, y = b, a, y, x
		fallthrough
	default:
		if y != Text || x != Date && x != Timestamp {
			return false
		}
	}
	layout := "2006-01-02"
	if x == Timestamp {
		layout = "2006-01-02 15:04:05"
	}
	for _, e := range []sqlparts.Expr{a, b} {
		if c, ok := e.(*sqlparts.Cast); ok {
			e = c.X
		}
		if l, ok := e.(*sqlparts.Literal); ok {
			_, err := time.Parse(layout, l.Text)
			return err == nil
		}
	}
	return false
}

// operandKind returns the kind of an operand, which is the same for every row.
func operandKind(e sqlparts.Expr, t *Table) Kind {
	if c, ok := uncast(e, t).(*sqlparts.Column); ok {
		if col := t.Column(c.Name.Last().Text); col != nil {
			return col.Kind
		}
	}
	v, _ := operand(e, t, nil)
	return v.Kind
}

func relation(op string, x, y Value) (truth, bool) {
	if !slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, op) {
		return 0, false
	}
	if x.Kind == Null || y.Kind == Null {
		return isUnknown, true
	}
	c := compare(x, y)
	if x.Text != "" || y.Text != "" {
		c = cmp.Compare(x.Text, y.Text)
	}
	var v bool
	switch op {
	case "=":
		v = c == 0
	case "<>":
		v = c != 0
	case "<":
		v = c < 0
	case "<=":
		v = c <= 0
	case ">":
		v = c > 0
	case ">=":
		v = c >= 0
	}
	if v {
		return isTrue, true
	}
	return isFalse, true
}
