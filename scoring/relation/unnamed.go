package relation

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// permutedUnnamed finds two columns of one kind that stand the other way round in the answer, under
// names that nothing relates to gold's: the answer may as well have exchanged their headers.
func permutedUnnamed(e *evidence) *found {
	if e.gold.Rows() == 0 {
		return nil
	}
	unnamed := e.pairsThat(func(c *scoring.ColumnPair) bool { return !e.named(c) })
	for _, k := range unnamed {
		for _, l := range unnamed {
			a, b := &e.a.Columns[k], &e.a.Columns[l]
			if a.Gold < b.Gold && a.Pred > b.Pred && e.exchangeable(a, b) {
				return e.aboutPairs([]int{k, l}, fmt.Sprintf("The same rows, but %s and %s stand the other way round, and no name says which of them is which.", columnName(e.pred, b.Pred), columnName(e.pred, a.Pred)))
			}
		}
	}
	return nil
}

// exchangeable tells whether the values of two columns could stand under each other's name: they are
// of one kind, and not the same row by row.
func (e *evidence) exchangeable(a, b *scoring.ColumnPair) bool {
	x, y := &e.gold.Columns[a.Gold], &e.gold.Columns[b.Gold]
	return cell.NaturalKind(x) == cell.NaturalKind(y) && !slices.Equal(e.naturalKeys(goldSide, a.Gold), e.naturalKeys(goldSide, b.Gold))
}

// named tells whether names or queries relate two columns, or one of them has no name that could
// contradict the other's.
func (e *evidence) named(c *scoring.ColumnPair) bool {
	g, p := naming.Read(e.gold.Columns[c.Gold].Name), naming.Read(e.pred.Columns[c.Pred].Name)
	return !g.Says() || !p.Says() || g.Affinity(p) > 0 || e.related(c)
}
