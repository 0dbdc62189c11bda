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
	cards := make([]int, width)
	for k := range cards {
		cards[k] = []int{1, 2, 3, 10, 100, 5000}[rng.IntN(6)]
	}
	return columnsOf(rng, width, goldRows, predRows, dense, cards)
}

func columnsOf(rng *rand.Rand, width, goldRows, predRows int, dense bool, cards []int) []pair {
	cols := make([]pair, width)
	for k := range cols {
		card, step := cards[k%len(cards)], 1.0
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

// copyRows makes most predicted rows copies of gold rows, some with a cell or two from elsewhere.
func copyRows(rng *rand.Rand, cols []pair) {
	golds, preds := len(cols[0].g), len(cols[0].p)
	for j := range preds {
		from := rng.IntN(golds)
		for k := range cols {
			if c := &cols[k]; c.ranges == nil && rng.IntN(2*len(cols)) > 0 {
				c.p[j] = c.g[from]
			}
		}
	}
}

// The index-driven matching must return what the plain double loop of the paper returns, row for row.
func TestGreedyEqualsThePlainLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ranged := 0
	for n := range 300 {
		width := 1 + rng.IntN(14)
		goldRows, predRows := 1+rng.IntN(150), 1+rng.IntN(150)
		switch {
		case n%30 == 0:
			goldRows, predRows = 1+rng.IntN(3000), 1+rng.IntN(3000)
			width = 1 + rng.IntN(6)
		case n%30 == 15: // sums of many bits
			width = 16 + rng.IntN(100)
		case n%10 == 0: // many gold rows for few predicted ones, and the other way round
			goldRows, predRows = 1+rng.IntN(1000), 1+rng.IntN(1000)
		}
		cols := randomColumns(rng, width, goldRows, predRows, rng.IntN(2) == 0)
		for k := range cols {
			if cols[k].ranges != nil {
				ranged++
			}
		}
		if rng.IntN(3) == 0 { // nearly equal
			copyRows(rng, cols)
		}
		want := greedyNaive(cols, goldRows, predRows)
		most := limits{renumber: 10 + rng.IntN(300), bitmaps: 1 << 20, setRows: 1 << 20, setSteps: 16}
		switch n % 4 {
		case 1:
			most.setSteps = 0 // sets of columns are always looked into
		case 2:
			most.bitmaps = rng.IntN(100)
		case 3:
			most.setSteps, most.setRows = 0, 10*predRows
		}
		got := greedyIndexed(cols, goldRows, predRows, most)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("run %d, %d columns, %d and %d rows: gold row %d takes row %d, want %d", n, width, goldRows, predRows, i, got[i], want[i])
			}
		}
	}
	if ranged < 100 {
		t.Errorf("only %d columns went through ranges: the test no longer covers them", ranged)
	}
}
func TestChainsAscendAndForgetUsedRows(t *testing.T) {
	keys := []uint64{7, NullKey, 7, 9, 7, NullKey}
	c, used := newChains(keys), make([]bool, len(keys))
	if root := c.root(8); root != -1 {
		t.Errorf("a key that is not there leads to row %d", root)
	}
	if rows := c.rows(c.root(7)); !slices.Equal(rows, []int32{0, 2, 4}) {
		t.Errorf("rows of key 7: %v", rows)
	}
	for _, want := range []int32{0, 2, 4, -1, -1} {
		got := c.first(c.root(7), used)
		if got != want {
			t.Fatalf("first of key 7 is row %d, want %d", got, want)
		}
		if got >= 0 {
			used[got] = true
		}
	}
	if got := c.first(c.root(NullKey), used); got != 1 {
		t.Errorf("first NULL is row %d, want 1", got)
	}
}

// Unrelated results are the worst there is: no row has an equal, and every value is shared by many rows.
func BenchmarkGreedy(b *testing.B) {
	for _, bc := range []struct {
		name  string
		width int
		rows  int
		cards []int // of the columns in turn
		dense bool
	}{
		{"mixed/3x10k", 3, 10_000, nil, false}, {"mixed/10x10k", 10, 10_000, nil, false}, {"mixed/10x100k", 10, 100_000, nil, false}, {"mixed/20x10k", 20, 10_000, nil, false},
		{"binary/26x10k", 26, 10_000, []int{2}, false}, {"tens/10x100k", 10, 100_000, []int{10}, false}, {"hundreds/10x100k", 10, 100_000, []int{100}, false},
		{"few/500x1k", 500, 1_000, []int{5}, false}, {"tolerance/6x20k", 6, 20_000, []int{5000}, true},
	} {
		b.Run(bc.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			cols := randomColumns(rng, bc.width, bc.rows, bc.rows, bc.dense)
			if bc.cards != nil {
				cols = columnsOf(rng, bc.width, bc.rows, bc.rows, bc.dense, bc.cards)
			}
			b.ReportAllocs()
			for b.Loop() {
				greedy(cols, bc.rows, bc.rows)
			}
		})
	}
}
