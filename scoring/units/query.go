package units

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Item describes the numbers in a column, derived from its expression in a select list.
type Item struct {
	Stated
	Counts    bool // it is a count, a rank or a length, so that its values are integers
	Rounds    bool // it is rounded, to this number of decimals:
	Digits    int
	Divides   bool // it contains a division, or an average of 1s and 0s
	Hundreds  bool // it contains a multiplication by 100
	Averages  bool
	Stored    bool // it is a column of a table, unchanged
	Subtracts bool // it is a subtraction
}

// OfQuery returns an item for each column of a script's final query. It returns nil if the select list is unknown,
// contains a star, or does not have the given number of columns.
func OfQuery(script *sqlparts.Script, columns int, context *Question) []Item {
	final := script.Final()
	if final == nil {
		return nil
	}
	body := final.Body
	for {
		inner, ok := body.(*sqlparts.Query)
		if !ok {
			break
		}
		body = inner.Body
	}
	sel, ok := body.(*sqlparts.Select)
	if !ok || len(sel.Items) != columns {
		return nil
	}
	plain := fromTables(final)
	items := make([]Item, columns)
	for i, it := range sel.Items {
		if _, star := it.Expr.(*sqlparts.Star); star {
			return nil
		}
		items[i].read(it.Expr, context)
		_, column := it.Expr.(*sqlparts.Column)
		items[i].Stored = column && plain
	}
	return items
}

// fromTables reports whether a query has a single SELECT, apart from subqueries in expressions, and neither WITH nor
// GROUP BY, so that a column that it shows is as stored.
func fromTables(q *sqlparts.Query) bool {
	selects := 0
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Select:
			selects++
			if n.Group != nil {
				selects = 2
			}
		case *sqlparts.Subquery:
			return false // in a condition, or a value by itself
		case *sqlparts.In:
			return n.Query == nil
		}
		return true
	})
	return selects == 1 && len(q.With) == 0
}

func (it *Item) read(x sqlparts.Expr, context *Question) {
	it.Stated = ofExpr(x, context, 0)
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query:
			return false
		case *sqlparts.Binary:
			switch n.Op {
			case "/", "//", "div":
				if number(n.R) == nil {
					it.Divides = true
				}
			case "*":
				for _, side := range []sqlparts.Expr{n.L, n.R} {
					if f := number(side); f != nil && f.Cmp(big.NewRat(100, 1)) == 0 {
						it.Hundreds = true
					}
				}
			}
		case *sqlparts.Call:
			switch strings.ToLower(n.Name.Last().Text) {
			case "avg", "mean":
				it.Averages = true
				if len(n.Args) == 1 {
					it.Divides = it.Divides || indicates(n.Args[0])
				}
			case "safe_divide", "div0", "div0null", "try_divide", "ratio_to_report", "cume_dist", "percent_rank":
				it.Divides = true
			}
		}
		return true
	})
	if b, ok := x.(*sqlparts.Binary); ok && b.Op == "-" {
		it.Subtracts = true
	}
	it.top(x)
}

// top sets Rounds, Digits and Counts from the outermost function or cast of x.
func (it *Item) top(x sqlparts.Expr) {
	switch x := x.(type) {
	case *sqlparts.Cast:
		switch {
		case strings.Contains(x.Type, "int") || x.Type == "long":
			it.Rounds = true
		case strings.HasPrefix(x.Type, "decimal(") || strings.HasPrefix(x.Type, "numeric(") ||
			strings.HasPrefix(x.Type, "number("):
			_, scale, ok := strings.Cut(strings.TrimSuffix(x.Type, ")"), ",")
			if n, err := strconv.Atoi(strings.TrimSpace(scale)); ok && err == nil {
				it.Rounds, it.Digits = true, n
			}
		}
		if !it.Rounds {
			it.top(x.X)
		}
	case *sqlparts.Call:
		switch f := strings.ToLower(x.Name.Last().Text); f {
		case "round", "round_half_even":
			it.Rounds = true
			if len(x.Args) > 1 {
				if n := number(x.Args[1]); n != nil && n.IsInt() {
					it.Digits = int(n.Num().Int64())
				}
			}
		case "count", "count_if", "countif", "approx_count_distinct", "uniq", "uniqexact", "approx_distinct", "hll",
			"row_number", "rank", "dense_rank", "length", "len":
			it.Counts = true
		case "coalesce", "ifnull", "nvl", "isnull":
			if len(x.Args) > 0 {
				it.top(x.Args[0])
			}
		}
	}
}

// indicates reports whether an expression is a condition or a CASE of numbers up to 1, or 100, so that its average is a
// share.
func indicates(x sqlparts.Expr) bool {
	switch x := x.(type) {
	case *sqlparts.Case:
		for _, w := range x.Whens {
			if f := number(w.Then); f == nil || f.Cmp(one) > 0 && f.Cmp(big.NewRat(100, 1)) != 0 {
				return false
			}
		}
		return true
	case *sqlparts.Cast:
		return indicates(x.X)
	case *sqlparts.Binary:
		switch x.Op {
		case "=", "<", ">", "<=", ">=", "<>", "!=":
			return true
		case "*":
			return indicates(x.L) || indicates(x.R)
		}
	case *sqlparts.Logic, *sqlparts.In, *sqlparts.Between:
		return true
	}
	return false
}

// number returns the value of a numeric literal; nil for other expressions.
func number(x sqlparts.Expr) *big.Rat {
	if l := sqlparts.Constant(x); l != nil && l.Kind == sqlparts.Number {
		if r, ok := new(big.Rat).SetString(strings.ReplaceAll(l.Text, "_", "")); ok {
			return r
		}
	}
	return nil
}

// ofExpr returns the unit of an expression: that of the column that it shows or aggregates, converted by constant
// factors, or the part of a date in which it counts a difference.
func ofExpr(x sqlparts.Expr, context *Question, depth int) Stated {
	if depth > 16 {
		return Stated{}
	}
	in := func(x sqlparts.Expr) Stated { return ofExpr(x, context, depth+1) }
	switch x := x.(type) {
	case *sqlparts.Column:
		s := InName(x.Name.Last().Text, context)
		return Stated{Unit: s.Unit, Scale: s.Scale, Per: s.Per, PerThing: s.PerThing}
	case *sqlparts.Cast:
		return in(x.X)
	case *sqlparts.Unary:
		if x.Op == "-" || x.Op == "+" {
			return in(x.X)
		}
	case *sqlparts.Binary:
		return ofBinary(x, in)
	case *sqlparts.Call:
		switch f := strings.ToLower(x.Name.Last().Text); f {
		case "sum", "avg", "min", "max", "total", "median", "mean", "any_value", "first_value", "last_value", "round",
			"trunc", "truncate", "floor", "ceil", "ceiling", "abs", "coalesce", "ifnull", "nvl", "isnull", "lag", "lead":
			if len(x.Args) > 0 {
				return in(x.Args[0])
			}
		case "datediff", "date_diff", "timestampdiff", "timestamp_diff", "datetime_diff", "datediff_big", "age_in":
			for _, a := range x.Args {
				if u := datePart(a); u != nil {
					return Stated{Unit: u}
				}
			}
		}
	}
	return Stated{}
}

// ofBinary returns the unit of a product or quotient with a number, of a sum or difference of the same units, or of a
// difference of Julian days.
func ofBinary(x *sqlparts.Binary, in func(sqlparts.Expr) Stated) Stated {
	l, r := number(x.L), number(x.R)
	switch x.Op {
	case "*":
		switch {
		case r != nil:
			return in(x.L).multiplied(r)
		case l != nil:
			return in(x.R).multiplied(l)
		}
	case "/":
		if r != nil && r.Sign() != 0 {
			return in(x.L).multiplied(new(big.Rat).Inv(r))
		}
	case "+", "-":
		if a, b := in(x.L), in(x.R); a.Unit != nil && a == b {
			return a
		}
		if day := listed().singulars["day"]; x.Op == "-" && julian(x.L) && julian(x.R) {
			return Stated{Unit: day}
		}
	}
	return Stated{}
}

func julian(x sqlparts.Expr) bool {
	c, ok := x.(*sqlparts.Call)
	return ok && strings.EqualFold(c.Name.Last().Text, "julianday")
}

// multiplied returns the unit of numbers multiplied by a constant, if there is one: milliseconds divided by 1000 are
// seconds, and a distance times 2 has no known unit.
func (s Stated) multiplied(by *big.Rat) Stated {
	if by.Sign() == 0 || s.Per != nil || s.Unit == nil && s.Scale == nil {
		return Stated{}
	}
	want := new(big.Rat).Quo(s.of(), by)
	if s.Unit == nil {
		return Stated{Scale: unitOf(Count, "", want)}
	}
	if s.Unit.Measure != Money {
		return Stated{Unit: unitOf(s.Unit.Measure, s.Unit.Base, want)}
	}
	whole := &Unit{Measure: Money, Symbol: s.Unit.Symbol, Base: s.Unit.Base, factor: one}
	switch {
	case want.Cmp(one) == 0:
		return Stated{Unit: whole}
	case want.Cmp(hundredth) == 0:
		return Stated{Unit: &Unit{Measure: Money, Symbol: s.Unit.Symbol + " cent", Base: s.Unit.Base, factor: hundredth}}
	}
	if scale := unitOf(Count, "", want); scale != nil {
		return Stated{Unit: whole, Scale: scale}
	}
	return Stated{}
}

// unitOf returns the unit with a measure, a base and a factor; nil if there is none.
func unitOf(m Measure, base string, factor *big.Rat) *Unit {
	for _, u := range listed().all {
		if u.Measure == m && u.Base == base && u.factor.Cmp(factor) == 0 {
			return u
		}
	}
	return nil
}

// datePart returns the unit of a part of a date, such as day, 'hour', MINUTE or dd; nil for other expressions.
func datePart(x sqlparts.Expr) *Unit {
	word := ""
	switch x := x.(type) {
	case *sqlparts.Column:
		if len(x.Name) == 1 {
			word = x.Name[0].Text
		}
	case *sqlparts.Literal:
		if x.Kind == sqlparts.String {
			word = x.Text
		}
	}
	word = strings.ToLower(word)
	if abbreviated, ok := map[string]string{"dd": "day", "d": "day", "hh": "hour", "mi": "minute", "n": "minute",
		"ss": "second", "wk": "week", "ww": "week", "mm": "month", "yy": "year", "yyyy": "year", "qq": "quarter"}[word]; ok {
		word = abbreviated
	}
	for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
		if u, ok := listed().singulars[w]; ok && u.Measure == Duration {
			return u
		}
		for _, sp := range listed().vocabulary[w] {
			if sp.unit.Measure == Duration && !sp.doubt {
				return sp.unit
			}
		}
	}
	return nil
}
