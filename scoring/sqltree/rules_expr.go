package sqltree

import (
	"slices"
	"strconv"
	"strings"
)

// comparisons holds the operators of a comparison when it is negated and when its sides are exchanged.
var comparisons = map[string]struct{ negated, mirrored string }{
	"=": {"<>", "="}, "<>": {"=", "<>"}, "<": {">=", ">"}, "<=": {">", ">="}, ">": {"<=", "<"}, ">=": {"<", "<="},
}

// expr applies the rules that need only the expression and the schema.
func (n *Normalizer) expr(e *Expr) *Expr {
	n.Schema.Halt.Check()
	// rule 12: '150' and 150.0 are 150 where they are compared
	if _, ok := comparisons[e.Op]; ok || e.Op == "in" || e.Op == "not in" || e.Op == "between" || e.Op == "not between" {
		for i, a := range e.Args {
			e.Args[i] = untyped(a)
		}
	}
	switch e.Op {
	case "not": // rule 23
		if x := negate(e.Args[0]); x != nil {
			return x
		}
	case "between": // rule 22
		return op("and", op(">=", e.Args[0], e.Args[1]), op("<=", e.Args[0].clone(), e.Args[2]))
	case "not between":
		return op("or", op("<", e.Args[0], e.Args[1]), op(">", e.Args[0].clone(), e.Args[2]))
	case "in", "not in": // rule 18
		if len(e.Args) < 2 ||
			slices.ContainsFunc(e.Args[1:], func(a *Expr) bool { return a.Op == opQuery || a.Op == "elements" }) {
			return e
		}
		compare, join := "=", "or"
		if e.Op == "not in" {
			compare, join = "<>", "and"
		}
		list := make([]*Expr, len(e.Args)-1)
		for i, a := range e.Args[1:] {
			list[i] = op(compare, e.Args[0].clone(), a)
		}
		if len(list) == 1 {
			return list[0]
		}
		return op(join, list...)
	case "like", "not like": // rule 16
		if p := e.Args[1]; p.Op == opString && len(e.Args) == 2 {
			prefix, ok := strings.CutSuffix(p.Text, "%")
			if ok && prefix != "" && !strings.ContainsAny(prefix, "%_") {
				length := strconv.Itoa(len([]rune(prefix)))
				compare := map[string]string{"like": "=", "not like": "<>"}[e.Op]
				return op(compare, &Expr{Op: opCall, Text: "substr", Args: []*Expr{e.Args[0], number("1"), number(length)}},
					untyped(&Expr{Op: opString, Text: prefix}))
			}
		}
	case "/": // rule 8
		return n.average(e)
	case opCall:
		return n.countCase(e)
	}
	return e
}

// numeric returns the number that a string contains. It returns false unless the string is a whole number without
// leading zeros: 007 is a code rather than a number, and 1.10 may be a version.
func numeric(s string) (*Expr, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '1' || digits[0] > '9' || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return number(canonicalNumber(s)), true
}

// opposites maps operators to their negations, except comparisons and predicates.
var opposites = map[string]string{
	"is": "is not", "is not": "is", "is distinct from": "is not distinct from", "is not distinct from": "is distinct from",
	"~": "!~", "!~": "~", "~*": "!~*", "!~*": "~*",
}

// predicates are the operators that are negated by a preceding NOT, as in NOT IN.
var predicates = []string{"in", "exists", "like", "ilike", "between", "between symmetric", "rlike", "regexp", "glob",
	"match", "similar to", "member of"}

// opposite returns the negation of an operator; "" if it has none. The negation of a comparison with ANY is one
// with ALL.
func opposite(name string) string {
	for quantifier, other := range map[string]string{" any": " all", " all": " any"} {
		if one, is := strings.CutSuffix(name, quantifier); is {
			if one = opposite(one); one != "" {
				one += other
			}
			return one
		}
	}
	if positive, is := strings.CutPrefix(name, "not "); is {
		return positive
	}
	if slices.Contains(predicates, name) {
		return "not " + name
	}
	if c, is := comparisons[name]; is {
		return c.negated
	}
	return opposites[name]
}

// negate returns the negation of a condition without NOT around it, or nil if such a form does not exist.
func negate(e *Expr) *Expr {
	switch e.Op {
	case "not":
		return e.Args[0]
	case "and", "or":
		x := op(map[string]string{"and": "or", "or": "and"}[e.Op])
		for _, a := range e.Args {
			o := negate(a)
			if o == nil {
				o = op("not", a)
			}
			x.Args = append(x.Args, o)
		}
		return x
	}
	if other := opposite(e.Op); other != "" {
		x := *e
		x.Op = other
		return &x
	}
	return nil
}

// average is rule 8: a sum, cast to a float, divided by the number of rows, becomes AVG if the schema states that the
// column is never NULL.
func (n *Normalizer) average(e *Expr) *Expr {
	cast, count := e.Args[0], e.Args[1]
	if cast.Op != opCast || !strings.HasPrefix(cast.Text, "float") || cast.Args[0].Op != opCall ||
		cast.Args[0].Text != "sum" || !isCount(count) || count.Args[0].Op != opRows {
		return e
	}
	if c, ok := cast.Args[0].Args[0].column(); ok && n.Schema.NotNull(c) {
		return &Expr{Op: opCall, Text: "avg", Args: cast.Args[0].Args}
	}
	return e
}

func isCount(e *Expr) bool { return e.Op == opCall && e.Text == "count" && len(e.Args) == 1 }

// countCase is rule 9: COUNT of a CASE with one condition becomes SUM of ones and zeros.
func (n *Normalizer) countCase(e *Expr) *Expr {
	if !isCount(e) || e.Args[0].Op != opCase {
		return e
	}
	c := e.Args[0]
	if len(c.Args) < 2 || len(c.Args) > 3 || len(c.Args) == 3 && c.Args[2].Op != opNull {
		return e
	}
	then := c.Args[1]
	col, isColumn := then.column()
	if then.Op != opNumber && then.Op != opString && !(isColumn && n.Schema.NotNull(col)) {
		return e
	}
	return &Expr{Op: opCall, Text: "sum", Args: []*Expr{op(opCase, c.Args[0], number("1"), number("0"))}}
}

// substrings is rule 15: SUBSTR(x, 1, 4) = '2013' AND SUBSTR(x, 5, 2) >= '08' becomes x >= '201308', which is correct
// for strings of equal length.
func substrings(q *Query) {
	list := conjuncts(q.Where)
	for i, prefix := range list {
		x, from, length, value, cmp := substringOf(prefix)
		if x == nil || cmp != "=" || from != 1 {
			continue
		}
		var rest, joined []*Expr
		for k, c := range list {
			y, start, _, end, cmp := substringOf(c)
			if k == i {
				continue
			}
			if y == nil || cmp == "=" || cmp == "<>" || start != length+1 || y.String() != x.String() {
				rest = append(rest, c)
				continue
			}
			text, ok := numeric(value + end)
			if !ok {
				text = &Expr{Op: opString, Text: value + end}
			}
			joined = append(joined, op(cmp, x.clone(), text))
		}
		if len(joined) > 0 {
			q.Where = conjunction(append(rest, joined...)...)
			return
		}
	}
}

// substringOf returns the parts of a comparison cmp of SUBSTR(x, from, length) with a constant value; x is nil for any
// other expression.
func substringOf(e *Expr) (x *Expr, from, length int, value, cmp string) {
	c, ok := comparisons[e.Op]
	if !ok || len(e.Args) != 2 {
		return nil, 0, 0, "", ""
	}
	call, constant, cmp := e.Args[0], e.Args[1], e.Op
	if constant.Op == opCall {
		call, constant, cmp = constant, call, c.mirrored
	}
	if call.Op != opCall || call.Text != "substr" || len(call.Args) != 3 ||
		constant.Op != opString && constant.Op != opNumber {
		return nil, 0, 0, "", ""
	}
	from, err := strconv.Atoi(call.Args[1].Text)
	length, err2 := strconv.Atoi(call.Args[2].Text)
	if err != nil || err2 != nil {
		return nil, 0, 0, "", ""
	}
	return call.Args[0], from, length, constant.Text, cmp
}

// ordered sorts the operands of a comparison and of AND and OR. It flattens AND and OR and drops repeated operands and
// those that are always true.
func ordered(e *Expr) *Expr {
	if c, ok := comparisons[e.Op]; ok && len(e.Args) == 2 && e.Args[1].String() < e.Args[0].String() {
		return op(c.mirrored, e.Args[1], e.Args[0])
	}
	if e.Op != "and" && e.Op != "or" {
		return e
	}
	var flat []*Expr
	for _, a := range e.Args {
		switch {
		case a.Op == e.Op:
			flat = append(flat, a.Args...)
		case isTrue(a) && e.Op == "or":
			return a
		case !isTrue(a):
			flat = append(flat, a)
		}
	}
	sortExprs(flat)
	flat = slices.CompactFunc(flat, func(a, b *Expr) bool { return a.String() == b.String() })
	switch len(flat) {
	case 0:
		return truth()
	case 1:
		return flat[0]
	}
	return op(e.Op, flat...)
}

func truth() *Expr { return &Expr{Op: opLiteral, Text: "true"} }

// isTrue reports whether a condition is the literal TRUE or compares a constant with itself, as 1 = 1.
func isTrue(e *Expr) bool {
	if e.Op == opLiteral {
		return e.Text == "true"
	}
	return e.Op == "=" && (e.Args[0].Op == opNumber || e.Args[0].Op == opString) &&
		e.Args[0].String() == e.Args[1].String()
}

// conjuncts returns the operands of AND in a condition, recursively; nil if e is nil.
func conjuncts(e *Expr) []*Expr {
	switch {
	case e == nil:
		return nil
	case e.Op != "and":
		return []*Expr{e}
	}
	var out []*Expr
	for _, a := range e.Args {
		out = append(out, conjuncts(a)...)
	}
	return out
}

// conjunction joins conditions by AND. It ignores nil, and returns nil if the list is empty.
func conjunction(list ...*Expr) *Expr {
	var out []*Expr
	for _, e := range list {
		out = append(out, conjuncts(e)...)
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return op("and", out...)
}
