package metric

import (
	"context"
	"math/bits"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// searchBudget bounds the cells that a search for a column order may visit, some seconds of work.
// It is out of reach but for tables built to defeat refinement.
const searchBudget = 1 << 30

// pairing is an order of pred's columns under which both tables hold the same rows.
type pairing struct {
	columns []int // gold's column j is pred's column columns[j]; nil if there is no such order
	decided bool  // false: the budget ran out before the search ended
}

// pairInOrder finds the column order under which the rows are the same one by one: columns are then
// the same as vectors.
func pairInOrder(gold, pred *scoring.Table, r reading) pairing {
	goldSum, predSum := vectorSums(gold, r), vectorSums(pred, r)
	columns := make([]int, len(goldSum))
	used := make([]bool, len(predSum))
	for j := range goldSum {
		columns[j] = -1
		for k := range predSum {
			if !used[k] && goldSum[j] == predSum[k] && sameVector(&gold.Columns[j], &pred.Columns[k], r) {
				columns[j], used[k] = k, true // equal vectors are interchangeable: the first will do
				break
			}
		}
		if columns[j] < 0 {
			return pairing{decided: true}
		}
	}
	return pairing{columns: columns, decided: true}
}

// vectorSums hashes every column, order of rows included.
func vectorSums(t *scoring.Table, r reading) []uint64 {
	sums := make([]uint64, len(t.Columns))
	cells := make([]uint64, t.Rows())
	for j := range t.Columns {
		cellHashes(cells, &t.Columns[j], r)
		for _, h := range cells {
			sums[j] = mix(sums[j]*3 + h)
		}
	}
	return sums
}

func sameVector(a, b *scoring.Column, r reading) bool {
	for i := range a.Len() {
		if !sameCell(a, i, b, i, r) {
			return false
		}
	}
	return true
}

// pairAnyOrder finds the column order under which the multisets of rows are the same.
//
// Columns that hold different multisets of values cannot correspond, which settles most tables. The rest is decided
// by color refinement: rows are colored by their values in the columns of each color, columns by their values in
// the rows of each color, until nothing changes. If columns still share a color, one is paired with each candidate
// in turn. Colors are hashes and only guide the search: an order is accepted after a comparison of the rows cell by
// cell.
func pairAnyOrder(ctx context.Context, gold, pred *scoring.Table, r reading) (pairing, error) {
	goldSum, predSum := valueSums(gold, r), valueSums(pred, r)
	if !sameMultiset(goldSum, predSum) {
		return pairing{decided: true}, nil
	}
	if distinct(goldSum) == len(goldSum) { // one candidate each: no search
		return pairing{columns: confirm(gold, pred, inColourOrder(goldSum, predSum), r), decided: true}, nil
	}
	s := search{ctx: ctx, gold: newGrid(gold, goldSum, r), pred: newGrid(pred, predSum, r), budget: searchBudget}
	if len(s.gold.rows) != len(s.pred.rows) || len(s.gold.twins) != len(s.pred.twins) {
		return pairing{decided: true}, nil
	}
	s.leaf = func(classes []int) []int {
		return confirm(gold, pred, s.spread(classes, len(goldSum)), r)
	}
	columns, err := s.solve(s.gold.colours, s.pred.colours)
	return pairing{columns: columns, decided: columns != nil || s.budget >= 0}, err
}

// valueSums hashes every column as the multiset of its values.
func valueSums(t *scoring.Table, r reading) []uint64 {
	sums := make([]uint64, len(t.Columns))
	cells := make([]uint64, t.Rows())
	for j := range t.Columns {
		cellHashes(cells, &t.Columns[j], r)
		for _, h := range cells {
			sums[j] += mix(h)
		}
	}
	return sums
}

func sameMultiset(a, b []uint64) bool {
	return slices.Equal(sorted(a), sorted(b))
}

func sorted(v []uint64) []uint64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v
}

func distinct(v []uint64) int { return len(slices.Compact(sorted(v))) }

// inColourOrder pairs positions of equal colours.
func inColourOrder(gold, pred []uint64) []int {
	byColour := func(c []uint64) []int {
		p := positions(len(c))
		slices.SortStableFunc(p, func(a, b int) int {
			if c[a] < c[b] {
				return -1
			}
			if c[a] > c[b] {
				return 1
			}
			return 0
		})
		return p
	}
	g, p := byColour(gold), byColour(pred)
	columns := make([]int, len(gold))
	for i := range g {
		columns[g[i]] = p[i]
	}
	return columns
}

// grid is a table without repetition: its different rows and its different columns.
type grid struct {
	rows    []uint64   // colour of each different row: how often it occurs
	colours []uint64   // colour of each different column: its values, how often it occurs
	cells   [][]uint64 // hashes by different column, then by different row
	twins   [][]int    // the columns that are the same as vectors, for each different column
}

func newGrid(t *scoring.Table, sums []uint64, r reading) *grid {
	kinds := kindsOf(r, whole(t))
	first := kinds.first
	g := &grid{rows: make([]uint64, len(first))}
	for _, k := range kinds.of {
		g.rows[k]++
	}
	all := make([]uint64, t.Rows())
	vectors := vectorSums(t, r)
columns:
	for j := range t.Columns {
		for k, same := range g.twins {
			if vectors[same[0]] == vectors[j] && sameVector(&t.Columns[same[0]], &t.Columns[j], r) {
				g.twins[k] = append(same, j)
				continue columns
			}
		}
		cellHashes(all, &t.Columns[j], r)
		cells := make([]uint64, len(first))
		for k, i := range first {
			cells[k] = all[i]
		}
		g.cells = append(g.cells, cells)
		g.twins = append(g.twins, []int{j})
	}
	for _, same := range g.twins {
		g.colours = append(g.colours, mix(sums[same[0]]+uint64(len(same))))
	}
	return g
}

// search looks for a correspondence of the different columns of two grids.
type search struct {
	ctx        context.Context //nolint:containedctx // lives for one call
	gold, pred *grid
	leaf       func(classes []int) []int
	budget     int // cells that may still be visited
}

// solve extends the colours to a full correspondence and returns the column order, or nil.
func (s *search) solve(gold, pred []uint64) ([]int, error) {
	gold, pred, ok, err := s.refine(gold, pred)
	if !ok || err != nil {
		return nil, err
	}
	j := smallestClass(gold)
	if j < 0 {
		return s.leaf(inColourOrder(gold, pred)), nil
	}
	for k := range pred {
		if pred[k] != gold[j] {
			continue
		}
		g, p := slices.Clone(gold), slices.Clone(pred)
		g[j], p[k] = mix(g[j]+1), mix(p[k]+1)
		if columns, err := s.solve(g, p); columns != nil || err != nil || s.budget < 0 {
			return columns, err
		}
	}
	return nil, nil
}

// smallestClass returns the first column of the smallest set of columns that share a colour, or -1
// if none do.
func smallestClass(colours []uint64) int {
	size := make(map[uint64]int, len(colours))
	for _, c := range colours {
		size[c]++
	}
	best := -1
	for j, c := range colours {
		if size[c] > 1 && (best < 0 || size[c] < size[colours[best]]) {
			best = j
		}
	}
	return best
}

// refine splits colours until nothing changes. ok is false if the two sides come apart.
func (s *search) refine(gold, pred []uint64) (g, p []uint64, ok bool, err error) {
	for classes := distinct(gold); ; {
		if err := s.ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		s.budget -= 4 * len(gold) * len(s.gold.rows)
		if s.budget < 0 {
			return nil, nil, false, nil
		}
		gold, pred = s.gold.recolour(gold), s.pred.recolour(pred)
		if !sameMultiset(gold, pred) {
			return nil, nil, false, nil
		}
		n := distinct(gold)
		if n == classes || n == len(gold) {
			return gold, pred, true, nil
		}
		classes = n
	}
}

// recolour colours rows by the columns' colours and their values there, then columns by the rows'
// colours and their values there.
func (g *grid) recolour(columns []uint64) []uint64 {
	rows := slices.Clone(g.rows)
	for j, cells := range g.cells {
		for i, h := range cells {
			rows[i] += mix(h ^ columns[j])
		}
	}
	for i := range rows {
		rows[i] = mix(rows[i])
	}
	out := make([]uint64, len(columns))
	for j, cells := range g.cells {
		sum := columns[j]
		for i, h := range cells {
			sum += mix(bits.RotateLeft64(h, 32) ^ rows[i])
		}
		out[j] = mix(sum)
	}
	return out
}

// spread turns a correspondence of different columns into one of all columns.
func (s *search) spread(classes []int, n int) []int {
	columns := make([]int, n)
	for j, k := range classes {
		from, to := s.gold.twins[j], s.pred.twins[k]
		if len(from) != len(to) {
			return nil
		}
		for i := range from {
			columns[from[i]] = to[i]
		}
	}
	return columns
}

// confirm returns the columns if the rows are the same under them, cell by cell.
func confirm(gold, pred *scoring.Table, columns []int, r reading) []int {
	if columns == nil {
		return nil
	}
	if t := tallyRows(gold, pred, columns, r); t.missing > 0 || t.extra > 0 {
		return nil
	}
	return columns
}
