package metric

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// everyOrder tries all orders of the columns: the definition of ex_permuted, at a cost of c! · n².
func everyOrder(gold, pred *scoring.Table, ordered bool) bool {
	n, c := gold.Rows(), len(gold.Columns)
	if n != pred.Rows() || c != len(pred.Columns) {
		return false
	}
	perm, used := make([]int, c), make([]bool, c)
	same := func(i, j int) bool {
		for k := range c {
			if keyOf(gold.Columns[k].Value(i), asSpelled) != keyOf(pred.Columns[perm[k]].Value(j), asSpelled) {
				return false
			}
		}
		return true
	}
	rowsEqual := func() bool {
		taken := make([]bool, n)
	rows:
		for i := range n {
			if ordered {
				if !same(i, i) {
					return false
				}
				continue
			}
			for j := range n {
				if !taken[j] && same(i, j) {
					taken[j] = true
					continue rows
				}
			}
			return false
		}
		return true
	}
	var try func(k int) bool
	try = func(k int) bool {
		if k == c {
			return rowsEqual()
		}
		for j := range c {
			if !used[j] {
				used[j], perm[k] = true, j
				if try(k + 1) {
					return true
				}
				used[j] = false
			}
		}
		return false
	}
	return try(0)
}

// tableOf makes a table of rows of values.
func tableOf(columns int, rows [][]scoring.Value) *scoring.Table {
	t := peerTable{names: make([]string, columns), rows: rows}
	return t.table()
}

// scramble shuffles rows and columns.
func scramble(rng *rand.Rand, rows [][]scoring.Value, columns int, alsoRows bool) [][]scoring.Value {
	perm := rng.Perm(columns)
	out := make([][]scoring.Value, len(rows))
	for i, r := range rows {
		out[i] = make([]scoring.Value, columns)
		for j, k := range perm {
			out[i][j] = r[k]
		}
	}
	if alsoRows {
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// Few values in few cells make tables that are nearly the same under many orders: the hard cases,
// and the answer must be the definition's.
func TestPermutedEqualsTryingEveryOrder(t *testing.T) {
	values := []scoring.Value{
		scoring.IntValue(0), scoring.IntValue(1), scoring.FloatValue(1), scoring.StringValue("1"), scoring.StringValue("a"), scoring.NullValue,
	}
	yes := 0
	const pairs = 40000
	for seed := range uint64(pairs) {
		rng := rand.New(rand.NewPCG(seed, 2))
		c, n, kinds := 1+rng.IntN(5), 1+rng.IntN(6), 2+rng.IntN(len(values)-1)
		rows := make([][]scoring.Value, n)
		for i := range rows {
			rows[i] = make([]scoring.Value, c)
			for j := range rows[i] {
				rows[i][j] = values[rng.IntN(kinds)]
			}
		}
		other := scramble(rng, rows, c, rng.IntN(3) > 0)
		switch rng.IntN(4) { // keep every column's values, so that only the rows tell
		case 0:
			j := rng.IntN(c)
			a, b := rng.IntN(n), rng.IntN(n)
			other[a][j], other[b][j] = other[b][j], other[a][j]
		case 1:
			other[rng.IntN(n)][rng.IntN(c)] = values[rng.IntN(kinds)]
		}
		gold, pred, ordered := tableOf(c, rows), tableOf(c, other), rng.IntN(3) == 0
		want := everyOrder(gold, pred, ordered)
		var got pairing
		if ordered {
			got = pairInOrder(gold, pred, asSpelled)
		} else {
			var err error
			if got, err = pairAnyOrder(context.Background(), gold, pred, asSpelled); err != nil {
				t.Fatal(err)
			}
		}
		if !got.decided || (got.columns != nil) != want {
			t.Fatalf("seed %d: gold %s, pred %s, ordered %t: found %v, trying every order says %t", seed, gold.AppendJSON(nil), pred.AppendJSON(nil), ordered, got, want)
		}
		if want {
			yes++
			if sorted := slices.Sorted(slices.Values(got.columns)); !slices.Equal(sorted, positions(c)) {
				t.Fatalf("seed %d: %v is no order of %d columns", seed, got.columns, c)
			}
		}
	}
	if yes < pairs/4 || yes > pairs*3/4 {
		t.Errorf("%d of %d pairs are the same under some order: too one-sided to mean much", yes, pairs)
	}
}

// Wide tables of few values: trying orders would take longer than the universe has existed.
func TestPermutedDecidesWideTables(t *testing.T) {
	for _, width := range []int{6, 8, 26, 60} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, uint64(width)))
			rows := make([][]scoring.Value, 100)
			for i := range rows {
				rows[i] = make([]scoring.Value, width)
				for j := range rows[i] {
					rows[i][j] = scoring.IntValue(int64(rng.IntN(2)))
				}
			}
			gold := tableOf(width, rows)
			other := scramble(rng, rows, width, true)
			if p, err := pairAnyOrder(context.Background(), gold, tableOf(width, other), asSpelled); err != nil || p.columns == nil {
				t.Fatalf("%d columns: the scrambled table is not found to be the same: %v, %v", width, p, err)
			}
			// Exchange unequal cells of one column between two rows: every column keeps its values,
			// but some row is then another.
			for {
				a, b, j := rng.IntN(100), rng.IntN(100), rng.IntN(width)
				if other[a][j] == other[b][j] {
					continue
				}
				other[a][j], other[b][j] = other[b][j], other[a][j]
				break
			}
			if width < 26 {
				continue // narrow rows may happen to be the same again
			}
			if p, err := pairAnyOrder(context.Background(), gold, tableOf(width, other), asSpelled); err != nil || p.columns != nil || !p.decided {
				t.Fatalf("%d columns: two exchanged cells are not seen: %v, %v", width, p, err)
			}
		}
	}
}

// incidence is a table of a block design: row i holds 1 in the columns that differ from i by a
// member of the difference set, modulo n.
func incidence(n int, differences ...int) [][]scoring.Value {
	rows := make([][]scoring.Value, n)
	for i := range rows {
		rows[i] = make([]scoring.Value, n)
		for j := range rows[i] {
			rows[i][j] = scoring.IntValue(0)
			if slices.Contains(differences, (j-i+n)%n) {
				rows[i][j] = scoring.IntValue(1)
			}
		}
	}
	return rows
}

// In the incidence tables of block designs all rows and all columns look alike, so that refinement
// alone tells nothing.
func TestPermutedDecidesBlockDesigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, tc := range []struct {
		why   string
		a, b  [][]scoring.Value
		equal bool
	}{
		{"the Fano plane, scrambled", incidence(7, 0, 1, 3), scramble(rng, incidence(7, 0, 1, 3), 7, true), true},
		{"the projective plane of order 3", incidence(13, 0, 1, 3, 9), scramble(rng, incidence(13, 0, 1, 3, 9), 13, true), true},
		{"the projective plane of order 4", incidence(21, 3, 6, 7, 12, 14), scramble(rng, incidence(21, 3, 6, 7, 12, 14), 21, true), true},
		{"a biplane on 11 points", incidence(11, 1, 3, 4, 5, 9), scramble(rng, incidence(11, 1, 3, 4, 5, 9), 11, true), true},
		{"rows of three of seven, but no plane: two rows meet in two columns", incidence(7, 0, 1, 3), incidence(7, 0, 1, 2), false},
		{"a plane of order 4 against another circulant of five in a row", incidence(21, 3, 6, 7, 12, 14), incidence(21, 0, 1, 2, 3, 4), false},
		{"two difference sets of the one plane of order 3", incidence(13, 0, 1, 3, 9), incidence(13, 0, 1, 4, 6), true},
		{"the rook's graph against Shrikhande's, alike to refinement: only one has four rows that share four columns", neighbours(rook), neighbours(shrikhande), false},
	} {
		n := len(tc.a)
		p, err := pairAnyOrder(context.Background(), tableOf(n, tc.a), tableOf(n, tc.b), asSpelled)
		if err != nil || !p.decided || (p.columns != nil) != tc.equal {
			t.Errorf("%s: %+v, %v; want the same: %t", tc.why, p, err, tc.equal)
		}
	}
}

// neighbours is the table of a graph on 4 × 4 points, 1 where a row's point is the column's or next
// to it.
func neighbours(adjacent func(dx, dy int) bool) [][]scoring.Value {
	rows := make([][]scoring.Value, 16)
	for i := range rows {
		rows[i] = make([]scoring.Value, 16)
		for j := range rows[i] {
			rows[i][j] = scoring.IntValue(0)
			if i == j || adjacent((j%4-i%4+4)%4, (j/4-i/4+4)%4) {
				rows[i][j] = scoring.IntValue(1)
			}
		}
	}
	return rows
}

func rook(dx, dy int) bool { return (dx == 0) != (dy == 0) }

func shrikhande(dx, dy int) bool {
	return dx == 0 && dy%2 == 1 || dy == 0 && dx%2 == 1 || dx == dy && dx%2 == 1
}

func TestPermutedStopsWhenToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	plane := tableOf(13, incidence(13, 0, 1, 3, 9))
	if _, err := pairAnyOrder(ctx, plane, plane, asSpelled); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was cancelled returned %v", err)
	}
}

// A budget that runs out leaves the question open: the search must not say no.
func TestPermutedBudgetIsNotANo(t *testing.T) {
	plane := tableOf(13, incidence(13, 0, 1, 3, 9))
	sums := valueSums(plane, asSpelled)
	s := search{ctx: context.Background(), gold: newGrid(plane, sums, asSpelled), pred: newGrid(plane, sums, asSpelled), budget: 1000}
	s.leaf = func(classes []int) []int { return confirm(plane, plane, s.spread(classes, 13), asSpelled) }
	columns, err := s.solve(s.gold.colours, s.pred.colours)
	if columns != nil || err != nil || s.budget >= 0 {
		t.Errorf("with a budget of 1000 cells: columns %v, error %v, budget left %d; want none, none, and less than none", columns, err, s.budget)
	}
}
