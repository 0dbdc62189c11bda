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

// shuffledPair builds the workload of the published comparisons: an integer id, three strings and six doubles a
// row; the other side has its rows shuffled and its columns permuted and renamed.
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
	s := scoreOf(tb, name, gold, pred)
	if s.Status != scoring.StatusOK {
		tb.Fatalf("%s: %s", s.Status, s.Reason)
	}
	return s.Value
}

func scoreOf(tb testing.TB, name string, gold, pred *scoring.Table) scoring.Score {
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
	return s[0]
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
