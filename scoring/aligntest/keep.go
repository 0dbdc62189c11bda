package aligntest

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// A change is one that keeps or breaks an answer. It reports whether it could be made.
type change struct {
	name  string
	apply func(r *rand.Rand, g *grid) bool
}

// keeping are changes that do not change the meaning of the answer: the same data in another form.
var keeping = []change{
	{"permute columns", func(r *rand.Rand, g *grid) bool { g.permuteColumns(r.Perm(len(g.columns))); return true }},
	{"rename columns", func(r *rand.Rand, g *grid) bool {
		for c := range g.columns {
			if r.IntN(2) == 0 {
				g.columns[c].name = []string{"", "x", "value", "col", "COUNT(*)", "_f0", "result",
					g.columns[(c+1)%len(g.columns)].name}[r.IntN(8)]
			}
		}
		return true
	}},
	{"shuffle rows", func(r *rand.Rand, g *grid) bool {
		r.Shuffle(len(g.rows), func(i, j int) { g.rows[i], g.rows[j] = g.rows[j], g.rows[i] })
		return true
	}},
	{"widen types",
		onColumn([]string{"id", "amount", "cost", "count", "few", "share", "day"},
			func(r *rand.Rand, _ string, v scoring.Value) scoring.Value {
				switch v.Type {
				case scoring.Int64:
					return scoring.DecimalValue(v.Int()*1000, 3)
				case scoring.Decimal:
					u, _, scale := v.Decimal()
					return scoring.DecimalValue(u*100, scale+2)
				case scoring.Float64:
					d, _ := scoring.ParseDecimal(v.String())
					return d
				case scoring.Date:
					return scoring.TimestampValue(scoring.Timestamp, v.Int()*86400, 0)
				}
				return v
			})},
	{"integers as doubles",
		onColumn([]string{"id", "count", "few"}, func(_ *rand.Rand, _ string, v scoring.Value) scoring.Value {
			return scoring.FloatValue(float64(v.Int()))
		})},
	{"decimals as doubles",
		onColumn([]string{"amount", "share"}, func(_ *rand.Rand, _ string, v scoring.Value) scoring.Value {
			f, _ := exact(v).Float64()
			return scoring.FloatValue(f)
		})},
	{"numbers as text",
		onColumn([]string{"id", "amount", "cost", "count", "few", "share", "ratio"},
			func(_ *rand.Rand, _ string, v scoring.Value) scoring.Value {
				return scoring.StringValue(v.String())
			})},
	{"currency text",
		onColumn([]string{"amount", "cost", "count"}, func(r *rand.Rand, style string, v scoring.Value) scoring.Value {
			return scoring.StringValue(currency(style, exact(v)))
		})},
	{"percent text", onColumn([]string{"share"}, func(r *rand.Rand, _ string, v scoring.Value) scoring.Value {
		return scoring.StringValue(new(big.Rat).Mul(exact(v), big.NewRat(100, 1)).FloatString(2) + "%")
	})},
	{"percent for fraction", onColumn([]string{"share"}, func(r *rand.Rand, _ string, v scoring.Value) scoring.Value {
		u, _, scale := v.Decimal()
		return scoring.DecimalValue(u, scale-2)
	})},
	{"dates as text", onColumn([]string{"day"}, func(r *rand.Rand, style string, v scoring.Value) scoring.Value {
		layout := []string{"2006-01-02", "02 Jan 2006", "2 January 2006", "01/02/2006", "2/1/2006", "Jan 2, 2006", "20060102",
			"02-Jan-06", "2006/01/02", "2.1.2006"}[len(style)%10]
		return scoring.StringValue(time.Unix(v.Int()*86400, 0).UTC().Format(layout))
	})},
	{"timestamps as text", onColumn([]string{"moment"}, func(r *rand.Rand, style string, v scoring.Value) scoring.Value {
		layout := []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "01/02/2006 15:04:05", "02.01.2006 15:04:05",
			"Jan 2, 2006 3:04:05 PM"}[len(style)%5]
		return scoring.StringValue(time.Unix(v.Int(), 0).UTC().Format(layout))
	})},
	{"case and blanks of text",
		onColumn([]string{"name", "category"}, func(r *rand.Rand, _ string, v scoring.Value) scoring.Value {
			s := []func(string) string{strings.ToUpper, strings.ToLower, func(s string) string { return "  " + s + " " },
				func(s string) string { return strings.ReplaceAll(s, " ", "\t ") }}[r.IntN(4)](v.Text())
			return scoring.StringValue(s)
		})},
	{"words for truth values", onColumn([]string{"flag"}, func(r *rand.Rand, style string, v scoring.Value) scoring.Value {
		words := [][2]string{{"no", "yes"}, {"N", "Y"}, {"FALSE", "True"}, {"0", "1"}}[len(style)%4]
		return scoring.StringValue(words[v.Int()])
	})},
	{"numbers for truth values",
		onColumn([]string{"flag"},
			func(_ *rand.Rand, _ string, v scoring.Value) scoring.Value { return scoring.IntValue(v.Int()) })},
	{"add a row number", func(_ *rand.Rand, g *grid) bool {
		g.addColumn("row_number", "", func(row int) scoring.Value { return scoring.IntValue(int64(row + 1)) })
		return true
	}},
	{"add a constant", func(r *rand.Rand, g *grid) bool {
		v := []scoring.Value{scoring.StringValue("EUR"), scoring.IntValue(2024), scoring.NullValue,
			scoring.BoolValue(true)}[r.IntN(4)]
		g.addColumn("currency", "", func(int) scoring.Value { return v })
		return true
	}},
	{"add a copy", func(r *rand.Rand, g *grid) bool {
		from := r.IntN(len(g.columns))
		g.addColumn(g.columns[from].name, "", func(row int) scoring.Value { return g.rows[row][from] })
		return true
	}},
}

// firstAddition is where the changes that add a column begin.
var firstAddition = slices.IndexFunc(keeping, func(c change) bool { return strings.HasPrefix(c.name, "add") })

// onColumn changes all values of one column of the given kinds that no other change has modified. The style passed
// to f is the same for the whole column.
func onColumn(kinds []string,
	f func(r *rand.Rand, style string, v scoring.Value) scoring.Value) func(*rand.Rand, *grid) bool {
	return func(r *rand.Rand, g *grid) bool {
		var at []int
		for c := range g.columns {
			for _, k := range kinds {
				if g.columns[c].kind == k {
					at = append(at, c)
				}
			}
		}
		if len(at) == 0 {
			return false
		}
		c, style := at[r.IntN(len(at))], strings.Repeat("x", r.IntN(60))
		for i := range g.rows {
			if v := g.rows[i][c]; !v.IsNull() {
				g.rows[i][c] = f(r, style, v)
			}
		}
		g.columns[c].kind += ", written anew"
		return true
	}
}

// exact is the exact value of a number.
func exact(v scoring.Value) *big.Rat {
	n, ok := new(big.Rat).SetString(v.String())
	if !ok {
		panic(fmt.Sprintf("%v is not a number", v))
	}
	return n
}

// currency writes an amount of money with two digits.
func currency(style string, n *big.Rat) string {
	s := new(big.Rat).Abs(n).FloatString(2)
	whole, cents, _ := strings.Cut(s, ".")
	group, point := ",", "."
	if len(style)%3 == 2 {
		group, point = ".", ","
	}
	grouped := ""
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			grouped += group
		}
		grouped += whole[i : i+1]
	}
	s = grouped + point + cents
	if len(style)%3 == 2 {
		s += " €"
	} else {
		s = "$" + s
	}
	if n.Sign() < 0 {
		return []string{"-" + s, "(" + s + ")"}[len(style)%2]
	}
	return s
}
