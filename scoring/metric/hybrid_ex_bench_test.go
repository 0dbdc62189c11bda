package metric_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// shuffledPair makes the workload of the peers' figures: an integer id, three texts and six doubles
// a row; the other side has its rows shuffled and its columns permuted and renamed.
func shuffledPair(rows int) (gold, pred *scoring.Table) {
	rng := rand.New(rand.NewPCG(7, uint64(rows)))
	order := rng.Perm(rows)
	goldCols, predCols := make([]scoring.Column, 10), make([]scoring.Column, 10)
	for c := range 10 {
		values := make([]scoring.Value, rows)
		typ := scoring.Float64
		for r := range values {
			switch {
			case c == 0:
				typ, values[r] = scoring.Int64, scoring.IntValue(int64(r))
			case c <= 3:
				typ, values[r] = scoring.String, scoring.StringValue("name "+strconv.Itoa(rng.IntN(max(1, rows/(10*c)))))
			default:
				values[r] = scoring.FloatValue(rng.NormFloat64() * 1000)
			}
		}
		g, p := scoring.NewBuilder("c"+strconv.Itoa(c), typ, rows), scoring.NewBuilder("x"+strconv.Itoa(c*7%10), typ, rows)
		for r := range rows {
			g.Append(values[r])
			p.Append(values[order[r]])
		}
		goldCols[c], predCols[(c+3)%10] = g.Column(), p.Column()
	}
	gold, _ = scoring.NewTable(goldCols...)
	pred, _ = scoring.NewTable(predCols...)
	return gold, pred
}

func score(tb testing.TB, name string, gold, pred *scoring.Table) float64 {
	tb.Helper()
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	c := &scoring.Case{ID: "c", Golds: []scoring.Query{{Result: scoring.Result{Table: gold}}}, Pred: scoring.Query{Result: scoring.Result{Table: pred}}}
	s, err := engine.Score(context.Background(), c, name)
	if err != nil {
		tb.Fatal(err)
	}
	if s[0].Status != scoring.StatusOK {
		tb.Fatalf("%s: %s", s[0].Status, s[0].Reason)
	}
	return s[0].Value
}

func BenchmarkHybridEX(b *testing.B) {
	for _, rows := range []int{10, 1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("shuffled/rows=%d", rows), func(b *testing.B) {
			if testing.Short() && rows > 10_000 {
				b.Skip("large")
			}
			gold, pred := shuffledPair(rows)
			b.ReportAllocs()
			runtime.GC()
			for b.Loop() {
				if v := score(b, "hybrid_ex", gold, pred); v != 1 {
					b.Fatalf("score %v, want 1", v)
				}
			}
			b.ReportMetric(float64(gold.MemoryBytes()+pred.MemoryBytes())/1e6, "input-MB")
		})
	}
	for _, width := range []int{6, 7, 8, 26} {
		b.Run(fmt.Sprintf("binary/columns=%d", width), func(b *testing.B) {
			gold, pred := binaryPair(width, 100)
			b.ReportAllocs()
			for b.Loop() {
				if v := score(b, "hybrid_ex", gold, pred); v != 1 {
					b.Fatalf("score %v, want 1", v)
				}
			}
		})
	}
}

// wrongResults are ways in which the second result of shuffledPair can be wrong. A server meets
// wrong answers more often than right ones, so none may cost much more than the right one.
var wrongResults = []struct {
	name  string
	alter func(rng *rand.Rand, t *scoring.Table) *scoring.Table
}{
	{"right", func(_ *rand.Rand, t *scoring.Table) *scoring.Table { return t }},
	{"unrelated", func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		return altered(t, func(int) bool { return true }, func(v scoring.Value) scoring.Value {
			switch v.Type {
			case scoring.Int64:
				return scoring.IntValue(rng.Int64N(1 << 40))
			case scoring.String:
				return scoring.StringValue("other " + strconv.Itoa(rng.IntN(t.Rows())))
			}
			return scoring.FloatValue(rng.NormFloat64() * 1000)
		})
	}},
	{"unrelated numbers", func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		return altered(t, func(int) bool { return true }, func(v scoring.Value) scoring.Value {
			switch v.Type {
			case scoring.Int64, scoring.String:
				return v
			}
			return scoring.FloatValue(rng.NormFloat64() * 1000)
		})
	}},
	{"permuted apart", func(rng *rand.Rand, t *scoring.Table) *scoring.Table { // the values of every column are right, no row is
		cols := make([]scoring.Column, len(t.Columns))
		for c := range cols {
			b := scoring.NewBuilder(t.Columns[c].Name, t.Columns[c].Type, t.Rows())
			for _, r := range rng.Perm(t.Rows()) {
				b.Append(t.Columns[c].Value(r))
			}
			cols[c] = b.Column()
		}
		out, _ := scoring.NewTable(cols...)
		return out
	}},
	{"3 percent off", func(_ *rand.Rand, t *scoring.Table) *scoring.Table {
		return altered(t, func(int) bool { return true }, func(v scoring.Value) scoring.Value {
			if v.Type != scoring.Float64 {
				return v
			}
			return scoring.FloatValue(v.Float() * 1.03)
		})
	}},
	{"half a percent off", func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		return altered(t, func(int) bool { return true }, func(v scoring.Value) scoring.Value {
			if v.Type != scoring.Float64 {
				return v
			}
			return scoring.FloatValue(v.Float() * (1 + 0.005*rng.NormFloat64()))
		})
	}},
	{"one column replaced", func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		return altered(t, func(c int) bool { return t.Columns[c].Name == "x8" }, func(scoring.Value) scoring.Value { return scoring.FloatValue(rng.NormFloat64()) })
	}},
	{"half the rows", func(_ *rand.Rand, t *scoring.Table) *scoring.Table {
		cols := make([]scoring.Column, len(t.Columns))
		for c := range cols {
			b := scoring.NewBuilder(t.Columns[c].Name, t.Columns[c].Type, t.Rows()/2)
			for r := range t.Rows() / 2 {
				b.Append(t.Columns[c].Value(r))
			}
			cols[c] = b.Column()
		}
		out, _ := scoring.NewTable(cols...)
		return out
	}},
}

// altered is a result with the values of some columns changed; NULL stays NULL.
func altered(t *scoring.Table, which func(c int) bool, f func(scoring.Value) scoring.Value) *scoring.Table {
	cols := make([]scoring.Column, len(t.Columns))
	for c := range cols {
		col := &t.Columns[c]
		b := scoring.NewBuilder(col.Name, col.Type, t.Rows())
		for r := range t.Rows() {
			if v := col.Value(r); v.IsNull() || !which(c) {
				b.Append(v)
			} else {
				b.Append(f(v))
			}
		}
		cols[c] = b.Column()
	}
	out, _ := scoring.NewTable(cols...)
	return out
}

// keyed names the first column of shuffledPair so that rows are joined on it.
func keyed(gold, pred *scoring.Table) {
	gold.Columns[0].Name = "id"
	pred.Columns[3].Name = "id"
}

// fewValues makes results of columns of few distinct values each.
func fewValues(width, rows, card int, seed uint64) *scoring.Table {
	rng := rand.New(rand.NewPCG(11, seed))
	cols := make([]scoring.Column, width)
	for c := range cols {
		b := scoring.NewBuilder("c"+strconv.Itoa(c), scoring.Int64, rows)
		for range rows {
			b.AppendInt(int64(rng.IntN(card)))
		}
		cols[c] = b.Column()
	}
	t, _ := scoring.NewTable(cols...)
	return t
}

// BenchmarkHybridEXWrong sets what wrong answers cost beside the right one of the same size (the
// first of each group).
func BenchmarkHybridEXWrong(b *testing.B) {
	run := func(name string, rows int, gold, pred *scoring.Table) {
		b.Run(name, func(b *testing.B) {
			if testing.Short() && rows > 10_000 {
				b.Skip("large")
			}
			b.ReportAllocs()
			runtime.GC()
			for b.Loop() {
				score(b, "hybrid_ex", gold, pred)
			}
		})
	}
	for _, rows := range []int{10, 100, 1_000, 10_000, 30_000, 100_000, 1_000_000} {
		for _, withKey := range []bool{false, true} {
			gold, pred := shuffledPair(rows)
			if withKey {
				keyed(gold, pred)
			}
			for _, w := range wrongResults {
				run(fmt.Sprintf("rows=%d/key=%v/%s", rows, withKey, w.name), rows, gold, w.alter(rand.New(rand.NewPCG(5, uint64(rows))), pred))
			}
		}
	}
	for _, size := range []struct{ width, rows, card int }{{26, 100, 2}, {10, 1_000, 3}, {26, 1_000, 2}, {5, 10_000, 10}, {26, 10_000, 2}, {10, 100_000, 10}, {10, 100_000, 100}, {200, 1_000, 5}, {200, 10_000, 1_000_000}, {500, 1_000, 5}, {500, 1_000, 1_000_000}, {500, 10_000, 5}} {
		gold := fewValues(size.width, size.rows, size.card, 1)
		name := fmt.Sprintf("columns=%d/rows=%d/values=%d/", size.width, size.rows, size.card)
		run(name+"right", size.rows, gold, altered(gold, func(int) bool { return false }, nil))
		run(name+"unrelated", size.rows, gold, fewValues(size.width, size.rows, size.card, 2))
		run(name+"one column replaced", size.rows, gold, altered(gold, func(c int) bool { return c == 3 }, func(v scoring.Value) scoring.Value { return scoring.IntValue(v.Int() ^ 1) }))
	}
}

// binaryPair makes columns of zeros and ones, permuted on the other side: the blow-up of trying
// permutations.
func binaryPair(width, rows int) (gold, pred *scoring.Table) {
	rng := rand.New(rand.NewPCG(9, uint64(width)))
	goldCols, predCols := make([]scoring.Column, width), make([]scoring.Column, width)
	shuffled := rng.Perm(rows)
	for c := range width {
		values := make([]int64, rows)
		for i := range values { // every column holds as many ones as the others
			values[i] = int64(i % 2)
		}
		rng.Shuffle(rows, func(i, j int) { values[i], values[j] = values[j], values[i] })
		g, p := scoring.NewBuilder("g", scoring.Int64, rows), scoring.NewBuilder("p", scoring.Int64, rows)
		for r := range rows {
			g.AppendInt(values[r])
			p.AppendInt(values[shuffled[r]])
		}
		goldCols[c], predCols[width-1-c] = g.Column(), p.Column()
	}
	gold, _ = scoring.NewTable(goldCols...)
	pred, _ = scoring.NewTable(predCols...)
	return gold, pred
}

// inline is a small result as it comes over a wire: 10 rows of 4 columns.
func inline(rows int) (gold, pred []byte) {
	g, p := []byte(`{"columns":[{"name":"region"},{"name":"orders"},{"name":"revenue"},{"name":"since"}],"rows":[`), []byte(`{"columns":[{"name":"total"},{"name":"name"},{"name":"n"},{"name":"first"}],"rows":[`)
	for r := range rows {
		if r > 0 {
			g, p = append(g, ','), append(p, ',')
		}
		g = fmt.Appendf(g, `["region %d",%d,%d.%02d,"2024-01-%02d"]`, r, 100+r*7, 1000+r*13, r*3%100, r+1)
		q := rows - 1 - r
		p = fmt.Appendf(p, `[%d.%02d,"region %d",%d,"2024-01-%02d"]`, 1000+q*13, q*3%100, q, 100+q*7, q+1)
	}
	return append(g, "]}"...), append(p, "]}"...)
}

func BenchmarkHybridEXInline(b *testing.B) {
	gold, pred := inline(10)
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	m, err := engine.Metric("hybrid_ex")
	if err != nil {
		b.Fatal(err)
	}
	metrics := []*scoring.Metric{m}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c := scoring.Case{ID: "c", Golds: []scoring.Query{{Result: scoring.ParseResultText(gold)}}, Pred: scoring.Query{Result: scoring.ParseResultText(pred)}}
			s, err := engine.ScoreMetrics(context.Background(), &c, metrics)
			if err != nil || s[0].Value != 1 {
				b.Fatalf("%v %v", s, err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scores/s")
}

func hasMetric(name string) bool {
	for _, m := range metric.All() {
		if m.Name == name {
			return true
		}
	}
	return false
}
