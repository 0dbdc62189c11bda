package aligntest

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// breaking are changes after which the answer is another one.
var breaking = []change{
	{"alter one cell", func(r *rand.Rand, g *grid) bool {
		c, i := r.IntN(len(g.columns)), r.IntN(len(g.rows))
		v := g.rows[i][c]
		for k := range kinds {
			if v.IsNull() && kinds[k].name == g.columns[c].kind {
				v = kinds[k].value(r, i)
			}
		}
		g.rows[i][c] = altered(v)
		return true
	}},
	{"drop a row", func(r *rand.Rand, g *grid) bool {
		i := r.IntN(len(g.rows))
		g.rows = slices.Delete(g.rows, i, i+1)
		return true
	}},
	{"repeat a row", func(r *rand.Rand, g *grid) bool {
		g.rows = append(g.rows, slices.Clone(g.rows[r.IntN(len(g.rows))]))
		return true
	}},
	{"swap two cells of a column", func(r *rand.Rand, g *grid) bool {
		c, i, j := r.IntN(len(g.columns)), r.IntN(len(g.rows)), r.IntN(len(g.rows))
		g.rows[i][c], g.rows[j][c] = g.rows[j][c], g.rows[i][c]
		return true
	}},
	{"negate a column",
		onNumbers([]string{"cost", "count", "few", "share"}, func(v *big.Rat) *big.Rat { return v.Neg(v) })},
	{"double a column", onNumbers(nil, func(v *big.Rat) *big.Rat { return v.Add(v, v) })},
	// small shares could have been rounded
	{"inflate a column by 7 %",
		onNumbers([]string{"amount", "cost", "count"}, func(v *big.Rat) *big.Rat { return v.Mul(v, big.NewRat(107, 100)) })},
	{"shift a column against the others", func(r *rand.Rand, g *grid) bool {
		c := r.IntN(len(g.columns))
		last := g.rows[len(g.rows)-1][c]
		for i := len(g.rows) - 1; i > 0; i-- {
			g.rows[i][c] = g.rows[i-1][c]
		}
		g.rows[0][c] = last
		return true
	}},
	{"null a column", func(r *rand.Rand, g *grid) bool {
		c := r.IntN(len(g.columns))
		for i := range g.rows {
			g.rows[i][c] = scoring.NullValue
		}
		return true
	}},
	{"drop a column", func(r *rand.Rand, g *grid) bool {
		if len(g.columns) < 2 {
			return false
		}
		c := r.IntN(len(g.columns))
		g.columns = slices.Delete(g.columns, c, c+1)
		for i := range g.rows {
			g.rows[i] = slices.Delete(g.rows[i], c, c+1)
		}
		return true
	}},
	{"repeat a column in place of another", func(r *rand.Rand, g *grid) bool {
		from, to := r.IntN(len(g.columns)), r.IntN(len(g.columns))
		g.columns[to].kind = g.columns[from].kind
		for i := range g.rows {
			g.rows[i][to] = g.rows[i][from]
		}
		return true
	}},
	{"cut to the first half", func(_ *rand.Rand, g *grid) bool { g.rows = g.rows[:len(g.rows)/2]; return true }},
}

// altered is another value of the same type, far from the first and in no relation to it such as a
// scale or fewer digits.
func altered(v scoring.Value) scoring.Value {
	switch v.Type {
	case scoring.Int64:
		return scoring.IntValue(v.Int() + 17)
	case scoring.Decimal, scoring.Float64:
		n := exact(v)
		return number(v.Type, n.Add(n.Mul(n, big.NewRat(137, 100)), big.NewRat(1117, 100)))
	case scoring.Bool:
		return scoring.BoolValue(v.Int() == 0)
	case scoring.Date:
		return scoring.DateValue(v.Int() + 1)
	case scoring.Timestamp:
		return scoring.TimestampValue(v.Type, v.Int()+1, v.Nanos())
	case scoring.Null:
		return scoring.StringValue("something")
	}
	return scoring.StringValue(v.String() + "~")
}

// number returns a value of a numeric type.
func number(t scoring.Type, n *big.Rat) scoring.Value {
	switch t {
	case scoring.Float64:
		f, _ := n.Float64()
		return scoring.FloatValue(f)
	case scoring.Int64:
		if n.IsInt() {
			return scoring.IntValue(n.Num().Int64())
		}
	}
	v, _ := scoring.ParseDecimal(n.FloatString(6))
	return v
}

// onNumbers changes all values of a column of numbers, of one of the kinds where any are given.
func onNumbers(kinds []string, f func(*big.Rat) *big.Rat) func(*rand.Rand, *grid) bool {
	return func(r *rand.Rand, g *grid) bool {
		for _, c := range r.Perm(len(g.columns)) {
			if kinds != nil && !slices.Contains(kinds, g.columns[c].kind) ||
				!slices.ContainsFunc(g.rows, func(row []scoring.Value) bool { return row[c].Type.Numeric() }) {
				continue
			}
			for i := range g.rows {
				if v := g.rows[i][c]; !v.IsNull() {
					g.rows[i][c] = number(v.Type, f(exact(v)))
				}
			}
			return true
		}
		return false
	}
}

// same reports whether b delivers the same as a: the same rows, once every column of a is mapped to some column of
// b. Then a change has broken nothing.
func same(a, b *grid) bool {
	if len(a.rows) != len(b.rows) {
		return false
	}
	sorted := func(cells []string) string { return strings.Join(slices.Sorted(slices.Values(cells)), "\n") }
	with := func(rows, cells []string) []string {
		out := make([]string, len(cells))
		for i := range cells {
			out[i] = cells[i]
			if rows != nil {
				out[i] = rows[i] + "|" + cells[i]
			}
		}
		return out
	}
	var extend func(c int, rowsA, rowsB []string) bool
	extend = func(c int, rowsA, rowsB []string) bool {
		if c == len(a.columns) {
			return true
		}
		nextA := with(rowsA, a.cells(c))
		for d := range b.columns {
			if nextB := with(rowsB, b.cells(d)); sorted(nextA) == sorted(nextB) && extend(c+1, nextA, nextB) {
				return true
			}
		}
		return false
	}
	return extend(0, nil, nil)
}

// cells writes the values of a column so that equal ones have the same text.
func (g *grid) cells(c int) []string {
	out := make([]string, len(g.rows))
	for i, row := range g.rows {
		switch v := row[c]; {
		case v.Type == scoring.Bool:
			out[i] = exact(scoring.IntValue(v.Int())).RatString()
		case v.Type.Numeric():
			out[i] = exact(v).RatString()
		default:
			out[i] = fmt.Sprintf("%v %q", v.IsNull(), v)
		}
	}
	return out
}
