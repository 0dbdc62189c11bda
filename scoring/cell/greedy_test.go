package cell

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// randomColumns makes columns of few or many values, some NULL, of which some are compared with a tolerance that falls into classes and
// some with one that does not.
func randomColumns(rng *rand.Rand, width, goldRows, predRows int, dense bool) []pair {
	cols := make([]pair, width)
	for k := range cols {
		card := []int{1, 2, 3, 10, 100, 5000}[rng.IntN(6)]
		step := 1.0
		if dense {
			step = 0.004
		}
		column := func(rows int) *scoring.Column {
			b := scoring.NewBuilder("c", scoring.Float64, rows)
			for range rows {
				if rng.IntN(20) == 0 {
					b.AppendNull()
				} else {
					b.AppendFloat(100 + step*float64(rng.IntN(card)))
				}
			}
			c := b.Column()
			return &c
		}
		cols[k] = pair{gold: column(goldRows), pred: column(predRows), cmp: scoring.Comparison{Kind: scoring.KindNumber}}
		if dense && rng.IntN(2) == 0 {
			cols[k].cmp.Tolerance = 0.0001
		}
		cols[k].load(goldRows, predRows, true)
	}
	return cols
}

// The index-driven matching must return what the plain double loop of the paper returns, row for row.
func TestGreedyEqualsThePlainLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ranged := 0
	for n := range 400 {
		width := 1 + rng.IntN(14)
		goldRows, predRows := 1+rng.IntN(150), 1+rng.IntN(150)
		cols := randomColumns(rng, width, goldRows, predRows, n%2 == 1)
		for k := range cols {
			if cols[k].ranges != nil {
				ranged++
			}
		}
		want := greedyNaive(cols, goldRows, predRows)
		m := newMatcher(cols, predRows)
		got := make([]int32, goldRows)
		for i := range got {
			got[i] = -1
			if i < predRows {
				got[i] = m.best(i)
				m.used[got[i]] = true
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("run %d, %d columns, %d and %d rows:\ngot  %v\nwant %v", n, width, goldRows, predRows, got, want)
		}
	}
	if ranged < 100 {
		t.Errorf("only %d columns went through ranges: the test no longer covers them", ranged)
	}
}

func TestChainsAscendAndForgetUsedRows(t *testing.T) {
	keys := []uint64{7, NullKey, 7, 9, 7, NullKey}
	c, used := newChains(keys), make([]bool, len(keys))
	for _, want := range []int32{0, 2, 4, -1, -1} {
		got := c.first(7, used)
		if got != want {
			t.Fatalf("first of key 7 is row %d, want %d", got, want)
		}
		if got >= 0 {
			used[got] = true
		}
	}
	if got := c.first(NullKey, used); got != 1 {
		t.Errorf("first NULL is row %d, want 1", got)
	}
	if got := c.first(8, used); got != -1 {
		t.Errorf("a key that is not there leads to row %d", got)
	}
}

func BenchmarkGreedy(b *testing.B) {
	for _, bc := range []struct {
		name  string
		width int
		rows  int
	}{{"3x10k", 3, 10_000}, {"10x10k", 10, 10_000}, {"10x100k", 10, 100_000}, {"20x10k", 20, 10_000}} {
		b.Run(bc.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			cols := randomColumns(rng, bc.width, bc.rows, bc.rows, false)
			b.ReportAllocs()
			for range b.N {
				greedy(cols, bc.rows, bc.rows)
			}
		})
	}
}
