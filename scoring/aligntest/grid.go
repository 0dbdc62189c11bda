package aligntest

import (
	"fmt"
	"math/rand/v2"

	"github.com/badger-eval/badger/scoring"
)

// grid is a result that can be changed cell by cell.
type grid struct {
	columns []gridColumn
	rows    [][]scoring.Value
}

type gridColumn struct {
	name string
	kind string // what the values are, such as amount or day: it decides how they may be written
}

func (g *grid) table() *scoring.Table {
	if len(g.columns) == 0 {
		return scoring.EmptyTable(len(g.rows))
	}
	columns := make([]scoring.Column, len(g.columns))
	for c := range g.columns {
		b := scoring.NewBuilder(g.columns[c].name, scoring.Null, len(g.rows))
		for _, row := range g.rows {
			b.Append(row[c])
		}
		columns[c] = b.Column()
	}
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err) // rows are cut to the columns
	}
	return t
}

func (g *grid) clone() *grid {
	out := &grid{columns: append([]gridColumn(nil), g.columns...), rows: make([][]scoring.Value, len(g.rows))}
	for i, row := range g.rows {
		out.rows[i] = append([]scoring.Value(nil), row...)
	}
	return out
}

func (g *grid) addColumn(name, kind string, value func(row int) scoring.Value) {
	g.columns = append(g.columns, gridColumn{name, kind})
	for i := range g.rows {
		g.rows[i] = append(g.rows[i], value(i))
	}
}

func (g *grid) permuteColumns(order []int) {
	old := g.clone()
	for to, from := range order {
		g.columns[to] = old.columns[from]
		for i := range g.rows {
			g.rows[i][to] = old.rows[i][from]
		}
	}
}

// kinds are the kinds of columns in reports.
var kinds = []struct {
	name   string
	column string
	value  func(r *rand.Rand, row int) scoring.Value
}{
	{"id", "order_id", func(_ *rand.Rand, row int) scoring.Value { return scoring.IntValue(int64(1000 + 7*row)) }},
	{"name", "customer", func(r *rand.Rand, _ int) scoring.Value {
		return scoring.StringValue(
			[]string{"Anna", "Bo Li", "Chloé", "d'Arc", "Émile", "Fay-Ann", "Gus", "H. Ito"}[r.IntN(8)])
	}},
	{"category", "region", func(r *rand.Rand, _ int) scoring.Value {
		return scoring.StringValue([]string{"North", "South", "East"}[r.IntN(3)])
	}},
	{"day", "order_date", func(r *rand.Rand, _ int) scoring.Value {
		return scoring.DateValue(scoring.DaysOf(2023, 1, 1) + int64(r.IntN(700)))
	}},
	{"moment", "created_at", func(r *rand.Rand, _ int) scoring.Value {
		return scoring.TimestampValue(scoring.Timestamp, 1_700_000_000+int64(r.IntN(1e7)), 0)
	}},
	{"amount", "revenue",
		func(r *rand.Rand, _ int) scoring.Value { return scoring.DecimalValue(r.Int64N(5_000_000)-500_000, 2) }},
	{"cost", "fee",
		func(r *rand.Rand, _ int) scoring.Value { return scoring.FloatValue(float64(r.IntN(1_000_000)) / 100) }},
	{"count", "orders", func(r *rand.Rand, _ int) scoring.Value { return scoring.IntValue(r.Int64N(500)) }},
	{"few", "items", func(r *rand.Rand, _ int) scoring.Value { return scoring.IntValue(r.Int64N(3)) }},
	{"share", "conversion_rate",
		func(r *rand.Rand, _ int) scoring.Value { return scoring.DecimalValue(r.Int64N(10_000), 4) }},
	{"ratio", "growth", func(r *rand.Rand, _ int) scoring.Value { return scoring.FloatValue(r.NormFloat64() * 3) }},
	{"flag", "active", func(r *rand.Rand, _ int) scoring.Value { return scoring.BoolValue(r.IntN(2) == 0) }},
}

// randomGrid returns a result with a few columns as reports have them, with NULLs and up to rows rows.
func randomGrid(r *rand.Rand, rows int) *grid {
	g := &grid{rows: make([][]scoring.Value, 1+r.IntN(rows))}
	for range 1 + r.IntN(6) {
		k := &kinds[r.IntN(len(kinds))]
		name := k.column
		if r.IntN(4) == 0 {
			name = fmt.Sprintf("%s_%d", name, len(g.columns))
		}
		nulls := r.IntN(3) == 0
		g.addColumn(name, k.name, func(row int) scoring.Value {
			if nulls && r.IntN(6) == 0 {
				return scoring.NullValue
			}
			return k.value(r, row)
		})
	}
	return g
}
