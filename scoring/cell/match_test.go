package cell

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// tableOf makes columns of keys for both sides.
func tableOf(gold, pred [][]uint64) []pair {
	cols := make([]pair, len(gold[0]))
	for k := range cols {
		cols[k] = pair{g: make([]uint64, len(gold)), p: make([]uint64, len(pred)), cmp: scoring.Comparison{Kind: scoring.KindNumber}}
		for i, row := range gold {
			cols[k].g[i] = Mix(row[k], 1)
		}
		for j, row := range pred {
			cols[k].p[j] = Mix(row[k], 1)
		}
	}
	return cols
}

// matchAll matches all rows and returns the pairs, by content, and the number of equal cells.
func matchAll(t *testing.T, gold, pred [][]uint64) (pairs [][]uint64, cells int) {
	t.Helper()
	cols := tableOf(gold, pred)
	m := newMatcher(cols, len(gold), len(pred), true)
	m.match(allRows(len(gold)), allRows(len(pred)))
	taken := make([]bool, len(pred))
	for i, j := range m.pairs {
		if j < 0 {
			continue
		}
		if taken[j] {
			t.Fatalf("predicted row %d is matched twice", j)
		}
		taken[j] = true
		pairs = append(pairs, append(slices.Clone(gold[i]), pred[j]...))
		for k := range gold[i] {
			if gold[i][k] == pred[j][k] {
				cells++
			}
		}
	}
	if len(pairs) != min(len(gold), len(pred)) {
		t.Fatalf("%d of %d rows are matched", len(pairs), min(len(gold), len(pred)))
	}
	slices.SortFunc(pairs, slices.Compare)
	return pairs, cells
}

func shuffledRows(rng *rand.Rand, rows [][]uint64, columns []int) [][]uint64 {
	out := make([][]uint64, len(rows))
	for to, from := range rng.Perm(len(rows)) {
		for _, k := range columns {
			out[to] = append(out[to], rows[from][k])
		}
	}
	return out
}

// Beyond the size of the optimum rows are matched with the most similar of a few candidates,
// whatever their order, and rows that were altered a little find what they were made of.
func TestMatchingOfManySimilarRows(t *testing.T) {
	for _, tc := range []struct {
		why         string
		width, rows int
		card        int
		least       float64 // of the cells that agree with the row each was made of
	}{
		{"yes or no in many columns", 26, 1500, 2, 0.9},
		{"few values", 12, 4000, 4, 0.9},
		{"one column of few values, others of many", 6, 3000, 500, 0.95},
	} {
		rng := rand.New(rand.NewPCG(6, uint64(tc.rows)))
		gold := make([][]uint64, tc.rows)
		for i := range gold {
			for k := range tc.width {
				card := tc.card
				if k == 0 {
					card = 2
				}
				gold[i] = append(gold[i], rng.Uint64N(uint64(card)))
			}
		}
		pred := shuffledRows(rng, gold, everyColumn(tc.width))
		want := 0
		for _, row := range pred {
			row[rng.IntN(tc.width)] = 1000 // one cell that occurs nowhere in gold
			want += tc.width - 1
		}
		pairs, cells := matchAll(t, gold, pred)
		if float64(cells) < tc.least*float64(want) || cells > want {
			t.Errorf("%s: %d cells agree, of %d that can", tc.why, cells, want)
		}
		again, cellsAgain := matchAll(t, shuffledRows(rng, gold, everyColumn(tc.width)), shuffledRows(rng, pred, everyColumn(tc.width)))
		if cellsAgain != cells || !slices.EqualFunc(pairs, again, slices.Equal[[]uint64]) {
			t.Errorf("%s: in another order %d cells agree, not %d", tc.why, cellsAgain, cells)
		}
		order := rng.Perm(tc.width)
		if _, n := matchAll(t, shuffledRows(rng, gold, order), shuffledRows(rng, pred, order)); n != cells {
			t.Errorf("%s: with the columns in another order %d cells agree, not %d", tc.why, n, cells)
		}
	}
}

func everyColumn(n int) []int {
	out := make([]int, n)
	for k := range out {
		out[k] = k
	}
	return out
}

// Results of two kinds of rows are two kinds to match, however many rows there are.
func TestRowsOfOneKindAreMatchedTogether(t *testing.T) {
	const n = 50_000
	gold, pred := make([][]uint64, n), make([][]uint64, n)
	for i := range n {
		gold[i] = []uint64{uint64(i % 2), 7, 5}                       // half (0, 7, 5), half (1, 7, 5)
		pred[i] = []uint64{uint64(i % 4 / 3), 8, 5 + uint64(i%4/2)*4} // half (0, 8, 5), a quarter (0, 8, 9), a quarter (1, 8, 9)
	}
	// A row that begins with 0 has two cells in common with (0, 8, 5) and one with (0, 8, 9), one
	// that begins with 1 has one in common with (0, 8, 5) and one with (1, 8, 9). At best a quarter
	// of the rows has two and three quarters have one.
	if _, cells := matchAll(t, gold, pred); cells != n*5/4 {
		t.Errorf("%d cells agree, want %d", cells, n*5/4)
	}
}

func TestSortNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{0, 1, 2, 100, 300, 5000} {
		fs := make([]float64, n)
		for i := range fs {
			switch rng.IntN(8) {
			case 0:
				fs[i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.SmallestNonzeroFloat64}[rng.IntN(6)]
			case 1:
				fs[i] = float64(rng.IntN(5))
			default:
				fs[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
			}
		}
		want := slices.Sorted(slices.Values(fs))
		if SortNumbers(fs); !slices.Equal(fs, want) {
			t.Errorf("%d numbers are not in order", n)
		}
	}
}

func TestChainsGiveRowsInOrderAndOnce(t *testing.T) {
	c := newChains([]uint64{7, NullKey, 7, 9, 7, NullKey})
	if root := c.root(8); root != -1 {
		t.Errorf("a key that is not there leads to row %d", root)
	}
	if rows := c.rows(c.root(7)); !slices.Equal(rows, []int32{0, 2, 4}) {
		t.Errorf("rows of key 7: %v", rows)
	}
	for _, want := range []int32{0, 2, 4, -1, -1} {
		if got := c.take(7); got != want {
			t.Fatalf("took row %d of key 7, want %d", got, want)
		}
	}
	if got := c.take(NullKey); got != 1 {
		t.Errorf("the first NULL is row %d, want 1", got)
	}
	if got := c.take(8); got != -1 {
		t.Errorf("took row %d of a key that is not there", got)
	}
}
