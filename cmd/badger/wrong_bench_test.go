//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// The figures of `make wrong`. A server meets wrong answers more often than right ones, so none may
// cost much more than the right one.

// resultKind is what the columns of a result hold.
type resultKind struct {
	name   string
	column func(rng *rand.Rand, c, rows int) scoring.Column
}

func madeColumn(typ scoring.Type, name string, rows int, value func(row int) scoring.Value) scoring.Column {
	b := scoring.NewBuilder(name, typ, rows)
	for r := range rows {
		b.Append(value(r))
	}
	return b.Column()
}

// fewValues are columns of n distinct values each.
func fewValues(typ scoring.Type, n int) func(rng *rand.Rand, c, rows int) scoring.Column {
	return func(rng *rand.Rand, c, rows int) scoring.Column {
		return madeColumn(typ, "c"+strconv.Itoa(c), rows, func(int) scoring.Value {
			switch v := rng.IntN(n); typ {
			case scoring.Float64:
				return scoring.FloatValue(float64(v) * 1.37)
			case scoring.String:
				return scoring.StringValue("value " + strconv.Itoa(v))
			default:
				return scoring.IntValue(int64(v))
			}
		})
	}
}

// manyValues are columns of values most of which occur once or a few times: a whole number, three
// texts, and fractions.
func manyValues(rng *rand.Rand, c, rows int) scoring.Column {
	name := "c" + strconv.Itoa(c)
	switch {
	case c == 0:
		return madeColumn(scoring.Int64, name, rows, func(int) scoring.Value { return scoring.IntValue(rng.Int64N(1 << 40)) })
	case c <= 3:
		return madeColumn(scoring.String, name, rows, func(int) scoring.Value {
			return scoring.StringValue("name " + strconv.Itoa(rng.IntN(max(1, rows/(10*c)))))
		})
	}
	return madeColumn(scoring.Float64, name, rows, func(int) scoring.Value { return scoring.FloatValue(rng.NormFloat64() * 1000) })
}

// mixedValues are columns of few and of many values: whole numbers, fractions, texts and amounts.
func mixedValues(rng *rand.Rand, c, rows int) scoring.Column {
	switch c % 10 {
	case 0, 1, 2:
		return fewValues(scoring.Int64, 10)(rng, c, rows)
	case 3, 4, 5:
		return fewValues(scoring.Float64, 20)(rng, c, rows)
	case 6, 7:
		return fewValues(scoring.String, 30)(rng, c, rows)
	}
	return madeColumn(scoring.Float64, "c"+strconv.Itoa(c), rows, func(int) scoring.Value {
		return scoring.FloatValue(math.Round(rng.NormFloat64()*10_000) / 100)
	})
}

// skewedValues are columns of whole numbers of which the least are the most frequent.
func skewedValues(rng *rand.Rand, c, rows int) scoring.Column {
	return madeColumn(scoring.Int64, "c"+strconv.Itoa(c), rows, func(int) scoring.Value {
		return scoring.IntValue(min(int64(rng.ExpFloat64()*2.8), 40))
	})
}

// table makes a result. A key is a first column id that holds every number once.
func (k *resultKind) table(seed uint64, rows, columns int, key bool) *scoring.Table {
	cols := make([]scoring.Column, columns)
	for c := range cols {
		rng := rand.New(rand.NewPCG(seed, uint64(c)))
		if cols[c] = k.column(rng, c, rows); key && c == 0 {
			perm := rng.Perm(rows)
			cols[c] = madeColumn(scoring.Int64, "id", rows, func(r int) scoring.Value { return scoring.IntValue(int64(perm[r])) })
		}
	}
	t, _ := scoring.NewTable(cols...)
	return t
}

// rearranged is a result with its rows and columns in another order and all columns but a key
// renamed: a right answer.
func rearranged(t *scoring.Table) *scoring.Table {
	rng := rand.New(rand.NewPCG(7, 7))
	order := rng.Perm(t.Rows())
	cols := make([]scoring.Column, len(t.Columns))
	for at, c := range rng.Perm(len(cols)) {
		from := &t.Columns[c]
		name := from.Name
		if name != "id" {
			name = "x" + strconv.Itoa(at)
		}
		cols[at] = madeColumn(from.Type, name, t.Rows(), func(r int) scoring.Value { return from.Value(order[r]) })
	}
	out, _ := scoring.NewTable(cols...)
	return out
}

// altered is a result with the values of some columns changed, but never those of a key.
func altered(t *scoring.Table, which func(c int) bool, f func(row int, v scoring.Value) scoring.Value) *scoring.Table {
	cols := slices.Clone(t.Columns)
	for c := range cols {
		if from := &t.Columns[c]; from.Name != "id" && which(c) {
			cols[c] = madeColumn(from.Type, from.Name, t.Rows(), func(r int) scoring.Value { return f(r, from.Value(r)) })
		}
	}
	out, _ := scoring.NewTable(cols...)
	return out
}

// wrongAnswers are ways in which the answer can be wrong, made of the right one and of one to
// another question.
var wrongAnswers = []struct {
	name string
	of   func(right, other *scoring.Table) *scoring.Table
}{
	{"unrelated", func(_, other *scoring.Table) *scoring.Table { return other }},
	{"all slightly off", func(right, _ *scoring.Table) *scoring.Table {
		return altered(right, func(int) bool { return true }, func(_ int, v scoring.Value) scoring.Value {
			switch v.Type {
			case scoring.Int64:
				return scoring.IntValue(v.Int() + 1)
			case scoring.Float64:
				return scoring.FloatValue(v.Float() * 1.03)
			}
			return v
		})
	}},
	{"one column replaced", func(right, other *scoring.Table) *scoring.Table {
		replaced := slices.IndexFunc(right.Columns, func(c scoring.Column) bool { return c.Name != "id" })
		of := slices.IndexFunc(other.Columns, func(c scoring.Column) bool {
			return c.Name != "id" && c.Type == right.Columns[replaced].Type
		})
		return altered(right, func(c int) bool { return c == replaced }, func(r int, _ scoring.Value) scoring.Value { return other.Columns[of].Value(r) })
	}},
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeParquet writes a result as most tools do, with dictionaries and Snappy.
func writeParquet(b *testing.B, path string, t *scoring.Table) {
	b.Helper()
	rec, err := arrowtable.Record(memory.DefaultAllocator, t)
	if err != nil {
		b.Fatal(err)
	}
	defer rec.Release()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(rec.Schema(), f, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)), pqarrow.DefaultWriterProps())
	if err == nil {
		if err = w.Write(rec); err == nil {
			err = w.Close()
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWrong sets what a wrong answer costs next to the right one of the same size: the processor
// time of badger score for two Parquet files, as a whole process, in turn. "x-right" is the ratio of
// the medians, "x-alone" that of scoring alone, without the start of the process and without reading
// the files. Other work on the machine disturbs processor time less than the time that passes.
func BenchmarkWrong(b *testing.B) {
	many := resultKind{"many values", manyValues}
	narrow := []resultKind{
		many,
		{"10 whole numbers", fewValues(scoring.Int64, 10)},
		{"100 whole numbers", fewValues(scoring.Int64, 100)},
		{"5000 whole numbers", fewValues(scoring.Int64, 5000)},
		{"10 fractions", fewValues(scoring.Float64, 10)},
		{"10 texts", fewValues(scoring.String, 10)},
		{"mixed", mixedValues},
		{"skewed", skewedValues},
	}
	wide := []resultKind{{"5 whole numbers", fewValues(scoring.Int64, 5)}, {"1000000 whole numbers", fewValues(scoring.Int64, 1_000_000)}}
	for _, size := range []struct {
		rows, columns int
		kinds         []resultKind
	}{{10_000, 10, narrow}, {100_000, 10, narrow}, {1_000_000, 10, narrow}, {1_000, 200, wide}, {1_000, 500, wide}} {
		for _, key := range []bool{false, true} {
			for _, kind := range size.kinds {
				b.Run(fmt.Sprintf("rows=%d/columns=%d/key=%v/%s", size.rows, size.columns, key, kind.name), func(b *testing.B) {
					if testing.Short() && size.rows > 10_000 {
						b.Skip("large")
					}
					benchmarkWrong(b, &kind, size.rows, size.columns, key)
				})
			}
		}
	}
}

func benchmarkWrong(b *testing.B, kind *resultKind, rows, columns int, key bool) {
	var gold, right, other *scoring.Table // made when first needed, since most runs ask for a part
	for _, w := range wrongAnswers {
		b.Run(w.name, func(b *testing.B) {
			if gold == nil {
				gold, other = kind.table(1, rows, columns, key), rearranged(kind.table(2, rows, columns, key))
				right = rearranged(gold)
			}
			answers := []*scoring.Table{right, w.of(right, other)}
			dir := b.TempDir()
			goldFile := filepath.Join(dir, "gold.parquet")
			writeParquet(b, goldFile, gold)
			files := make([]string, len(answers))
			for k, t := range answers {
				files[k] = filepath.Join(dir, strconv.Itoa(k)+".parquet")
				writeParquet(b, files[k], t)
			}
			for _, name := range []string{"hybrid_ex", "relation", "verdict"} {
				b.Run(name, func(b *testing.B) {
					whole, alone := make([][]float64, len(answers)), make([][]float64, len(answers))
					for b.Loop() {
						for k := range answers {
							whole[k] = append(whole[k], scoreProcess(b, goldFile, files[k], name))
							alone[k] = append(alone[k], scoreTables(b, gold, answers[k], name))
						}
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(median(whole[0]), "right-ms")
					b.ReportMetric(median(whole[1]), "wrong-ms")
					b.ReportMetric(median(whole[1])/median(whole[0]), "x-right")
					b.ReportMetric(median(alone[1])/median(alone[0]), "x-alone")
				})
			}
		})
	}
}

// scoreProcess is the processor time of badger score, in milliseconds.
func scoreProcess(b *testing.B, gold, pred, name string) float64 {
	cmd := exec.Command("badger", "score", "--gold", gold, "--pred", pred, "--metrics", name, "--json")
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %s", err, &stderr)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000
}

// scoreTables is the processor time of scoring in this process, in milliseconds.
func scoreTables(b *testing.B, gold, pred *scoring.Table, name string) float64 {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	pair := &scoring.Case{ID: "c", Golds: []scoring.Query{{Result: scoring.Result{Table: gold}}}, Pred: scoring.Query{Result: scoring.Result{Table: pred}}}
	runtime.GC()
	from := processorTime(b)
	scores, err := engine.Score(context.Background(), pair, name)
	took := processorTime(b) - from
	if err != nil || scores[0].Status == scoring.StatusFailed { // verdict may abstain: no judge is asked
		b.Fatal(err, scores)
	}
	return took.Seconds() * 1000
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
