//go:build unix

package metric_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// wrongResults are ways in which the second result of shuffledPair can be wrong. A server meets
// wrong answers more often than right ones, so none may cost much more than the right one.
var wrongResults = []struct {
	name  string
	alter func(rng *rand.Rand, t *scoring.Table) *scoring.Table
}{
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
func fewValues(typ scoring.Type, width, rows, card int, seed uint64) *scoring.Table {
	rng := rand.New(rand.NewPCG(11, seed))
	cols := make([]scoring.Column, width)
	for c := range cols {
		b := scoring.NewBuilder("c"+strconv.Itoa(c), typ, rows)
		for range rows {
			switch n := rng.IntN(card); typ {
			case scoring.Float64:
				b.Append(scoring.FloatValue(float64(n) * 1.37))
			case scoring.String:
				b.Append(scoring.StringValue("value " + strconv.Itoa(n)))
			default:
				b.AppendInt(int64(n))
			}
		}
		cols[c] = b.Column()
	}
	t, _ := scoring.NewTable(cols...)
	return t
}

// off is a value that is a little off.
func off(v scoring.Value) scoring.Value {
	switch v.Type {
	case scoring.Int64:
		return scoring.IntValue(v.Int() + 1)
	case scoring.Float64:
		return scoring.FloatValue(v.Float() * 1.005)
	}
	return scoring.StringValue(v.Text() + ".")
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWrong sets what a wrong answer costs beside the right one of the same size: "x-right" is
// the ratio of the processor times of the two, which other work on the machine disturbs less than
// the time that passes.
func BenchmarkWrong(b *testing.B) {
	run := func(name string, rows int, make func() (gold, right, wrong *scoring.Table)) {
		for _, metric := range []string{"hybrid_ex", "relation", "verdict"} {
			b.Run(name+"/"+metric, func(b *testing.B) {
				if testing.Short() && rows > 10_000 {
					b.Skip("large")
				}
				gold, right, wrong := make()
				runtime.GC()
				var times [2]time.Duration
				for b.Loop() {
					for k, pred := range []*scoring.Table{right, wrong} {
						from := processorTime(b)
						if s := scoreOf(b, metric, gold, pred); s.Status == scoring.StatusFailed { // verdict may abstain: no judge is asked
							b.Fatal(s.Reason)
						}
						times[k] += processorTime(b) - from
					}
				}
				for k, unit := range []string{"right-ms", "wrong-ms"} {
					b.ReportMetric(times[k].Seconds()*1000/float64(b.N), unit)
				}
				b.ReportMetric(times[1].Seconds()/times[0].Seconds(), "x-right")
			})
		}
	}
	for _, rows := range []int{10, 100, 1_000, 10_000, 30_000, 100_000, 1_000_000} {
		for _, withKey := range []bool{false, true} {
			for _, w := range wrongResults {
				run(fmt.Sprintf("rows=%d/key=%v/%s", rows, withKey, w.name), rows, func() (gold, right, wrong *scoring.Table) {
					gold, right = shuffledPair(rows)
					if withKey {
						keyed(gold, right)
					}
					return gold, right, w.alter(rand.New(rand.NewPCG(5, uint64(rows))), right)
				})
			}
		}
	}
	for _, size := range []struct {
		width, rows, card int
		typ               scoring.Type
	}{
		{26, 100, 2, scoring.Int64}, {10, 1_000, 3, scoring.Int64}, {26, 1_000, 2, scoring.Int64}, {5, 10_000, 10, scoring.Int64}, {26, 10_000, 2, scoring.Int64},
		{10, 100_000, 10, scoring.Int64}, {10, 100_000, 100, scoring.Int64}, {10, 100_000, 1_000, scoring.Int64}, {10, 100_000, 5_000, scoring.Int64}, {30, 100_000, 10, scoring.Int64}, {10, 1_000_000, 10, scoring.Int64},
		{10, 100_000, 10, scoring.Float64}, {10, 100_000, 300, scoring.Float64}, {10, 100_000, 10, scoring.String},
		{200, 1_000, 5, scoring.Int64}, {200, 10_000, 1_000_000, scoring.Int64}, {500, 1_000, 5, scoring.Int64}, {500, 1_000, 1_000_000, scoring.Int64}, {500, 10_000, 5, scoring.Int64},
	} {
		name := fmt.Sprintf("columns=%d/rows=%d/values=%d %v/", size.width, size.rows, size.card, size.typ)
		same := func(t *scoring.Table) *scoring.Table { return altered(t, func(int) bool { return false }, nil) }
		run(name+"unrelated", size.rows, func() (gold, right, wrong *scoring.Table) {
			gold = fewValues(size.typ, size.width, size.rows, size.card, 1)
			return gold, same(gold), fewValues(size.typ, size.width, size.rows, size.card, 2)
		})
		run(name+"all off", size.rows, func() (gold, right, wrong *scoring.Table) {
			gold = fewValues(size.typ, size.width, size.rows, size.card, 1)
			return gold, same(gold), altered(gold, func(int) bool { return true }, off)
		})
		run(name+"one column replaced", size.rows, func() (gold, right, wrong *scoring.Table) {
			gold = fewValues(size.typ, size.width, size.rows, size.card, 1)
			other := &fewValues(size.typ, 1, size.rows, size.card, 3).Columns[0]
			row := 0
			return gold, same(gold), altered(gold, func(c int) bool { return c == 3 }, func(scoring.Value) scoring.Value {
				row++
				return other.Value(row - 1)
			})
		})
	}
}
