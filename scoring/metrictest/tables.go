package metrictest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// kinds are the columns of ordinary results, each with the values that its cells may have.
var kinds = []struct {
	name   string
	kind   scoring.Type
	values []scoring.Value
}{
	{"id", scoring.Int64,
		[]scoring.Value{scoring.IntValue(1), scoring.IntValue(2), scoring.IntValue(3), scoring.IntValue(40)}},
	{"amount", scoring.Float64,
		[]scoring.Value{scoring.FloatValue(1), scoring.FloatValue(2.5), scoring.FloatValue(0.1), scoring.FloatValue(1e6)}},
	{"price", scoring.Decimal,
		[]scoring.Value{scoring.DecimalValue(199, 2), scoring.DecimalValue(250, 2), scoring.DecimalValue(1000, 2)}},
	{"city", scoring.String,
		[]scoring.Value{scoring.StringValue("Oslo"), scoring.StringValue("Rome"), scoring.StringValue("Lima")}},
	{"code", scoring.String,
		[]scoring.Value{scoring.StringValue("A-1"), scoring.StringValue("B-2"), scoring.StringValue("C-3")}},
	{"open", scoring.Bool, []scoring.Value{scoring.BoolValue(true), scoring.BoolValue(false)}},
	{"day", scoring.Date, []scoring.Value{scoring.DateValue(19000), scoring.DateValue(19001), scoring.DateValue(19500)}},
	{"at", scoring.Timestamp,
		[]scoring.Value{scoring.TimestampValue(scoring.Timestamp, 1.6e9, 0),
			scoring.TimestampValue(scoring.Timestamp, 1.6e9+1, 5000)}},
}

// ordinary returns a random gold result such as warehouses return, and an answer to it, which is often the same or
// slightly changed.
func ordinary(rng *rand.Rand) (gold, pred *scoring.Table) {
	columns := make([]scoring.Column, 0, 4)
	rows := 1 + rng.IntN(6)
	for _, k := range rng.Perm(len(kinds))[:1+rng.IntN(4)] {
		b := scoring.NewBuilder(kinds[k].name, kinds[k].kind, rows)
		for range rows {
			if rng.IntN(12) == 0 {
				b.AppendNull()
			} else {
				b.Append(kinds[k].values[rng.IntN(len(kinds[k].values))])
			}
		}
		columns = append(columns, b.Column())
	}
	gold = tableOf(columns)
	pred = gold
	for range rng.IntN(3) {
		switch rng.IntN(5) {
		case 0:
			pred = pickRows(pred, rng.Perm(pred.Rows()))
		case 1:
			pred = pickRows(pred, rng.Perm(pred.Rows())[:rng.IntN(pred.Rows()+1)])
		case 2:
			pred = changes[Repeats](rng, pred)
		case 3: // permute the values of one column
			columns := slices.Clone(pred.Columns)
			j := rng.IntN(len(columns))
			columns[j] = pickRows(pred, rng.Perm(pred.Rows())).Columns[j]
			pred = tableOf(columns)
		case 4:
			if n := len(pred.Columns); n > 1 {
				pred = tableOf(slices.Delete(slices.Clone(pred.Columns), n-1, n))
			}
		}
	}
	return gold, pred
}

// hostile returns unusual results that no query should return, for which metrics must not panic.
func hostile() map[string]*scoring.Table {
	decimal := func(s string) scoring.Value {
		v, ok := scoring.ParseDecimal(s)
		if !ok {
			panic("no decimal: " + s)
		}
		return v
	}
	column := func(name string, kind scoring.Type, values ...scoring.Value) scoring.Column {
		b := scoring.NewBuilder(name, kind, len(values))
		for _, v := range values {
			b.Append(v)
		}
		return b.Column()
	}
	floats := []scoring.Value{scoring.FloatValue(math.NaN()), scoring.FloatValue(math.Inf(1)),
		scoring.FloatValue(math.Inf(-1)), scoring.FloatValue(math.MaxFloat64), scoring.FloatValue(5e-324),
		scoring.FloatValue(math.Copysign(0, -1))}
	ints := []scoring.Value{scoring.IntValue(math.MaxInt64), scoring.IntValue(math.MinInt64), scoring.IntValue(0),
		scoring.NullValue, scoring.IntValue(1<<53 + 1), scoring.IntValue(-1)}
	decimals := []scoring.Value{decimal("1e1000"), decimal("-1e-1000"), decimal("0." + strings.Repeat("1", 990)),
		decimal("99999999999999999999999999999999999999"), decimal("0"), scoring.NullValue}
	texts := []scoring.Value{
		scoring.StringValue("\x00"), scoring.StringValue(""), scoring.StringValue("\xff\xfe"),
		scoring.StringValue(strings.Repeat("long ", 5000)),
		scoring.StringValue("'; DROP TABLE scores; --"), scoring.StringValue("1e999999999"),
	}
	mixed := []scoring.Value{
		scoring.IntValue(1), scoring.StringValue("1"), scoring.FloatValue(math.NaN()), scoring.BoolValue(true),
		scoring.TextValue(scoring.Bytes, "\x00\xff"), scoring.TextValue(scoring.JSON, `{"a":[1,`),
	}
	times := []scoring.Value{
		scoring.TimeValue(86400e9), scoring.DateValue(-800000), scoring.DateValue(3e6),
		scoring.TimestampValue(scoring.Timestamp, -1, 999999999),
		scoring.TimestampValue(scoring.TimestampTZ, 253402300800, 1), scoring.TimeValue(1),
	}
	nulls := make([]scoring.Value, 6)
	wide := make([]scoring.Column, 300)
	for j := range wide {
		wide[j] = column("", scoring.Int64, scoring.IntValue(int64(j%2)), scoring.IntValue(int64(j%3)))
	}
	return map[string]*scoring.Table{
		"no columns, no rows":    scoring.EmptyTable(0),
		"no columns, three rows": scoring.EmptyTable(3),
		"no rows":                tableOf([]scoring.Column{column("a", scoring.Int64), column("b", scoring.String)}),
		"untyped, no rows":       tableOf([]scoring.Column{column("a", scoring.Null)}),
		"nothing but NULL": tableOf(
			[]scoring.Column{column("a", scoring.Null, nulls...), column("b", scoring.Float64, nulls...)}),
		"names repeated": tableOf(
			[]scoring.Column{column("a", scoring.Int64, ints...), column("a", scoring.Float64, floats...),
				column("A ", scoring.String, texts...)}),
		"names empty": tableOf(
			[]scoring.Column{column("", scoring.Int64, ints...), column("", scoring.Int64, ints...)}),
		"floats at the edges":   tableOf([]scoring.Column{column("a", scoring.Float64, floats...)}),
		"integers at the edges": tableOf([]scoring.Column{column("a", scoring.Int64, ints...)}),
		"decimals at the edges": tableOf([]scoring.Column{column("a", scoring.Decimal, decimals...)}),
		"texts at the edges":    tableOf([]scoring.Column{column("a\x00\xff", scoring.String, texts...)}),
		"mixed types": tableOf(
			[]scoring.Column{column("a", scoring.Any, mixed...), column("b", scoring.Any, times...)}),
		"decimals among texts": tableOf(
			[]scoring.Column{column("a", scoring.Any, append(slices.Clone(decimals), texts...)...)}),
		"times at the edges": tableOf([]scoring.Column{column("a", scoring.Any, times...)}),
		"one cell":           tableOf([]scoring.Column{column("a", scoring.Int64, scoring.IntValue(1))}),
		"very wide":          tableOf(wide),
		"the same row often": tableOf(
			[]scoring.Column{column("a", scoring.Int64, slices.Repeat(ints[:1], 200)...),
				column("b", scoring.String, slices.Repeat(texts[:1], 200)...)}),
	}
}
