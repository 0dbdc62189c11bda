package align

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a pair of columns that may correspond.
type candidate struct {
	gold, pred int
	by         string
	fit        *fit // nil if not computed
	weight     float64
}

// maxAssign is the maximum number of columns of a side for which the best assignment is computed; for more, it is
// greedy.
const maxAssign = 128

// assign returns the candidates with the largest total weight such that each column is in at most one of them. For more
// than maxAssign columns, it takes the heaviest in turn.
func assign(cs []candidate, golds, preds int) []candidate {
	if len(cs) == 0 {
		return nil
	}
	gi, pi := positions(cs, golds, func(c candidate) int { return c.gold }),
		positions(cs, preds, func(c candidate) int { return c.pred })
	if len(gi.list) > maxAssign || len(pi.list) > maxAssign {
		return assignGreedily(cs)
	}
	n := max(len(gi.list), len(pi.list))
	cost := make([][]float64, n)
	at := make([][]int, n)
	for i := range cost {
		cost[i], at[i] = make([]float64, n), make([]int, n)
		for j := range at[i] {
			at[i][j] = -1
		}
	}
	for k, c := range cs {
		i, j := gi.index[c.gold], pi.index[c.pred]
		cost[i][j], at[i][j] = -c.weight, k
	}
	var out []candidate
	for i, j := range cheapest(cost) {
		if k := at[i][j]; k >= 0 {
			out = append(out, cs[k])
		}
	}
	return out
}

type positioning struct {
	index []int
	list  []int
}

func positions(cs []candidate, n int, of func(candidate) int) positioning {
	p := positioning{index: make([]int, n)}
	for i := range p.index {
		p.index[i] = -1
	}
	for _, c := range cs {
		if v := of(c); p.index[v] < 0 {
			p.index[v] = len(p.list)
			p.list = append(p.list, v)
		}
	}
	return p
}

func assignGreedily(cs []candidate) []candidate {
	type place struct {
		weight float64
		at     int
	}
	order := make([]place, len(cs)) // candidates are larger
	golds, preds := 0, 0
	for k := range cs {
		order[k] = place{cs[k].weight, k}
		golds, preds = max(golds, cs[k].gold+1), max(preds, cs[k].pred+1)
	}
	slices.SortFunc(order,
		func(a, b place) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.at, b.at)) })
	goldTaken, predTaken := make([]bool, golds), make([]bool, preds)
	var out []candidate
	for _, o := range order {
		if c := &cs[o.at]; !goldTaken[c.gold] && !predTaken[c.pred] {
			goldTaken[c.gold], predTaken[c.pred] = true, true
			out = append(out, *c)
		}
	}
	return out
}

// cheapest solves the assignment problem for a square cost matrix and returns the column of every row. It is the
// Hungarian algorithm with potentials, O(n³) (Kuhn 1955, Munkres 1957).
func cheapest(cost [][]float64) []int {
	n := len(cost)
	u, v := make([]float64, n+1), make([]float64, n+1)
	row, way := make([]int, n+1), make([]int, n+1) // row[j]: the row matched with column j, 1-based
	for i := 1; i <= n; i++ {
		row[0] = i
		j0 := 0
		least := make([]float64, n+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		used := make([]bool, n+1)
		for row[j0] != 0 {
			used[j0] = true
			i0, delta, j1 := row[j0], math.Inf(1), 0
			for j := 1; j <= n; j++ {
				if used[j] {
					continue
				}
				if c := cost[i0-1][j-1] - u[i0] - v[j]; c < least[j] {
					least[j], way[j] = c, j0
				}
				if least[j] < delta {
					delta, j1 = least[j], j
				}
			}
			for j := 0; j <= n; j++ {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			row[j0] = row[way[j0]]
			j0 = way[j0]
		}
	}
	out := make([]int, n)
	for j := 1; j <= n; j++ {
		out[row[j]-1] = j - 1
	}
	return out
}
