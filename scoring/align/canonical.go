package align

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// orderOf returns the positions of the columns of a result, sorted by name, then by the multiset of values, then by how
// these are distributed over the rows. Ties in an alignment are decided by this order, so that it does not depend on
// the positions of columns.
func orderOf(t *scoring.Table) (places []int) {
	places = make([]int, len(t.Columns))
	for i := range places {
		places[i] = i
	}
	byName := func(i, j int) int { return cmp.Compare(t.Columns[i].Name, t.Columns[j].Name) }
	if !slices.IsSortedFunc(places, byName) {
		slices.SortStableFunc(places, byName)
	}
	for from := 0; from < len(places); {
		to := from + 1
		for to < len(places) && byName(places[from], places[to]) == 0 {
			to++
		}
		if to-from > 1 {
			sortByContent(t, places[from:to])
		}
		from = to
	}
	return places
}

// inOrder returns a result with its columns in the order of [orderOf], and the original position of each.
func inOrder(t *scoring.Table) (sorted *scoring.Table, places []int) {
	places = orderOf(t)
	if slices.IsSorted(places) {
		return t, places
	}
	sorted = scoring.EmptyTable(t.Rows())
	sorted.Columns = make([]scoring.Column, len(places))
	for to, from := range places {
		sorted.Columns[to] = t.Columns[from]
	}
	return sorted, places
}

// sortByContent sorts positions of columns with the same name by the multisets of their values, then by how these are
// distributed over the rows.
func sortByContent(t *scoring.Table, places []int) {
	keys := func(i int) []uint64 {
		return cell.AllKeys(&t.Columns[i], cell.View{Kind: cell.NaturalKind(&t.Columns[i])})
	}
	sums, falls := make(map[int]cell.Sum, len(places)), map[int]cell.Sum(nil)
	for _, i := range places {
		sums[i] = cell.SumOf(&t.Columns[i], cell.View{Kind: cell.NaturalKind(&t.Columns[i])})
	}
	fall := func(i int) cell.Sum {
		if falls == nil {
			falls = map[int]cell.Sum{}
			rows := make([]uint64, t.Rows()) // in which the order of columns does not show
			for k := range t.Columns {
				name := cell.TextKey(t.Columns[k].Name)
				for r, key := range keys(k) {
					rows[r] += cell.Mix(key, name)
				}
			}
			for _, k := range places {
				falls[k] = sign(rows, keys(k))
			}
		}
		return falls[i]
	}
	slices.SortStableFunc(places, func(i, j int) int {
		if n := sums[i].Compare(sums[j]); n != 0 {
			return n
		}
		return fall(i).Compare(fall(j))
	})
}

// inverse returns the inverse of a permutation.
func inverse(places []int) []int {
	at := make([]int, len(places))
	for to, from := range places {
		at[from] = to
	}
	return at
}

// inPlaces replaces the positions of sorted columns in an alignment by their original positions in gold and pred.
func inPlaces(a *scoring.Alignment, gold, pred []int) {
	if !slices.IsSorted(gold) || !slices.IsSorted(pred) {
		for k := range a.Columns {
			a.Columns[k].Gold, a.Columns[k].Pred = gold[a.Columns[k].Gold], pred[a.Columns[k].Pred]
		}
		for k := range a.Refused {
			a.Refused[k].Gold, a.Refused[k].Pred = gold[a.Refused[k].Gold], pred[a.Refused[k].Pred]
		}
		slices.SortFunc(a.Refused, func(x, y scoring.ColumnPair) int { return cmp.Compare(x.Gold, y.Gold) })
		index := make([]int, len(a.Index)) // by gold column
		for k, at := range a.Index {
			index[k] = a.Columns[at].Gold
		}
		slices.SortFunc(a.Columns, func(x, y scoring.ColumnPair) int { return cmp.Compare(x.Gold, y.Gold) })
		for k, g := range index {
			a.Index[k] = slices.IndexFunc(a.Columns, func(c scoring.ColumnPair) bool { return c.Gold == g })
		}
		for k := range a.Crossed {
			a.Crossed[k].Gold, a.Crossed[k].Pred = gold[a.Crossed[k].Gold], pred[a.Crossed[k].Pred]
		}
		slices.SortFunc(a.Crossed, func(x, y scoring.ColumnPair) int { return cmp.Compare(x.Gold, y.Gold) })
		for _, list := range []struct{ of, places []int }{{a.Missing, gold}, {a.Extra, pred}, {a.Trivial, pred}} {
			for k, i := range list.of {
				list.of[k] = list.places[i]
			}
			slices.Sort(list.of)
		}
		slices.Sort(a.Index)
	}
}
