package metric

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// benchPair is a result of an integer id, three strings and six floats, and the same in another
// order of rows and, if asked, of columns.
func benchPair(rows int, permuted bool) (gold, pred *scoring.Table) {
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	order := rng.Perm(rows)
	columns := make([]scoring.Column, 10)
	again := make([]scoring.Column, 10)
	for j := range columns {
		values := make([]scoring.Value, rows)
		kind := scoring.Float64
		for i := range values {
			switch {
			case j == 0:
				kind, values[i] = scoring.Int64, scoring.IntValue(int64(i))
			case j < 4:
				kind, values[i] = scoring.String, scoring.StringValue(fmt.Sprintf("customer %d", rng.IntN(rows/4+1)))
			default:
				values[i] = scoring.FloatValue(float64(rng.IntN(1e8)) / 100)
			}
		}
		a, b := scoring.NewBuilder(fmt.Sprint("c", j), kind, rows), scoring.NewBuilder(fmt.Sprint("c", j), kind, rows)
		for i := range values {
			a.Append(values[i])
			b.Append(values[order[i]])
		}
		columns[j], again[j] = a.Column(), b.Column()
	}
	if permuted {
		rng.Shuffle(10, func(i, j int) { again[i], again[j] = again[j], again[i] })
	}
	return mustTable(columns), mustTable(again)
}

func mustTable(columns []scoring.Column) *scoring.Table {
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	return t
}

// benchBinary is a table of 100 rows of zeros and ones, and the same with rows and columns
// scrambled.
func benchBinary(width int) (gold, pred *scoring.Table) {
	rng := rand.New(rand.NewPCG(1, uint64(width)))
	rows := make([][]scoring.Value, 100)
	for i := range rows {
		rows[i] = make([]scoring.Value, width)
		for j := range rows[i] {
			rows[i][j] = scoring.IntValue(int64(rng.IntN(2)))
		}
	}
	return tableOf(width, rows), tableOf(width, scramble(rng, rows, width, true))
}

// benchMetric times one metric as the engine calls it.
func benchMetric(b *testing.B, name string, gold, pred *scoring.Table, options string) {
	all := All()
	engine, err := scoring.NewEngine(all[slices.IndexFunc(all, func(m scoring.Metric) bool { return m.Name == name }):][:1], nil)
	if err != nil {
		b.Fatal(err)
	}
	c := &scoring.Case{ID: "b", Golds: []scoring.Query{{Result: scoring.Result{Table: gold}}}, Pred: scoring.Query{Result: scoring.Result{Table: pred}}}
	if options != "" {
		c.Options = map[string]json.RawMessage{name: json.RawMessage(options)}
	}
	b.ReportAllocs()
	for b.Loop() {
		scores, err := engine.Score(context.Background(), c)
		if err != nil || scores[0].Status != scoring.StatusOK {
			b.Fatal(scores, err)
		}
	}
}

func BenchmarkExecution(b *testing.B) {
	for _, m := range []struct {
		name, options string
		permuted      bool
		most          int
	}{
		{"ex_bird", "", false, 100_000}, {"ex_multiset", "", false, 100_000}, {"ex_permuted", "", true, 1_000_000}, {"soft_f1_bird", "", false, 100_000}, {"row_f1", "", false, 100_000},
		{"match_spider2", `{"ignore_order": true}`, true, 100_000}, {"match_defog", "", false, 100_000},
	} {
		for rows := 1000; rows <= m.most; rows *= 10 {
			gold, pred := benchPair(rows, m.permuted)
			b.Run(fmt.Sprintf("%s/%dx10", m.name, rows), func(b *testing.B) { benchMetric(b, m.name, gold, pred, m.options) })
		}
	}
	for _, width := range []int{6, 7, 8, 26} {
		gold, pred := benchBinary(width)
		b.Run(fmt.Sprintf("ex_permuted/100x%d_binary", width), func(b *testing.B) { benchMetric(b, "ex_permuted", gold, pred, "") })
	}
}
