package metric

import (
	"context"
	"math/bits"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// searchBudget is the maximum number of cells that a search for a column order may visit, which takes seconds. Only
// tables that are constructed to defeat color refinement reach it.
const searchBudget = 1 << 30

// pairing is an order of pred's columns in which both tables have the same rows.
type pairing struct {
	columns []int // gold's column j is pred's column columns[j]; nil if there is no such order
	decided bool  // false if the budget was exhausted before the search ended
}

// pairInOrder returns the column order in which row i of gold equals row i of pred for all i: paired columns are
// equal as vectors.
func pairInOrder(gold, pred *scoring.Table, r reading) pairing {
	goldSum, predSum := vectorSums(gold, r), vectorSums(pred, r)
	columns := make([]int, len(goldSum))
	used := make([]bool, len(predSum))
	for j := range goldSum {
		columns[j] = -1
		for k := range predSum {
			if !used[k] && goldSum[j] == predSum[k] && sameVector(&gold.Columns[j], &pred.Columns[k], r) {
				columns[j], used[k] = k, true // equal vectors are interchangeable, so the first is taken
				break
			}
		}
		if columns[j] < 0 {
			return pairing{decided: true}
		}
	}
	return pairing{columns: columns, decided: true}
}

// vectorSums returns a hash of each column that depends on the order of its values.
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

// pairAnyOrder returns the column order in which both tables have the same multiset of rows.
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
	if distinct(goldSum) == len(goldSum) { // each column has one candidate, so no search is needed
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

// valueSums returns a hash of the multiset of values of each column.
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

// inColourOrder returns, for each column of gold, the column of pred with the same color. Both sides have the same
// multiset of colors.
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

// grid is a table without duplicate rows and columns.
type grid struct {
	rows    []uint64   // color of each distinct row: from the number of its occurrences
	colours []uint64   // color of each distinct column: from its values and the number of its occurrences
	cells   [][]uint64 // hashes of cells, by distinct column, then by distinct row
	twins   [][]int    // indexes of the equal columns that each distinct column represents
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

// search searches for a pairing of the distinct columns of two grids.
type search struct {
	ctx        context.Context //nolint:containedctx // lives for one call
	gold, pred *grid
	leaf       func(classes []int) []int
	budget     int // number of cells that may still be visited
}

// solve searches for a full pairing of columns with equal colors, and returns the column order, or nil if there is
// none or the budget is exhausted.
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

// smallestClass returns the first column of the smallest set of columns that share a color, or -1 if all colors
// differ.
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

// refine recolors both sides until the number of colors does not increase. ok is false if the colors of the two sides
// differ or the budget is exhausted.
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

// recolour computes new colors of the rows from the colors of the columns and the cells, and returns new colors of
// the columns, computed from those of the rows and the cells.
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

// spread converts a pairing of distinct columns to a pairing of all n columns. It returns nil if paired columns
// represent different numbers of columns.
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

// confirm returns columns if both tables have the same rows in this column order, compared cell by cell; else nil.
func confirm(gold, pred *scoring.Table, columns []int, r reading) []int {
	if columns == nil {
		return nil
	}
	if t := tallyRows(gold, pred, columns, r); t.missing > 0 || t.extra > 0 {
		return nil
	}
	return columns
}
