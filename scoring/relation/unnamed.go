package relation

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// permutedUnnamed returns a finding if two columns of the same kind are in exchanged positions under names unrelated to
// gold's, so that the answer may have exchanged their headers; else nil.
func permutedUnnamed(e *evidence) *found {
	if e.gold.Rows() == 0 {
		return nil
	}
	unnamed := e.pairsThat(func(c *scoring.ColumnPair) bool { return !e.named(c) })
	for _, k := range unnamed {
		for _, l := range unnamed {
			a, b := &e.a.Columns[k], &e.a.Columns[l]
			if a.Gold < b.Gold && a.Pred > b.Pred && e.exchangeable(a, b) && !e.inTime(a, b) {
				return e.aboutPairs([]int{k, l},
					fmt.Sprintf("The same rows, but %s and %s stand the other way round, and no name says which of them is which.",
						columnName(e.pred, b.Pred), columnName(e.pred, a.Pred)))
			}
		}
	}
	return nil
}

// exchangeable reports whether two pairs have gold columns of the same kind that are not equal row by row.
func (e *evidence) exchangeable(a, b *scoring.ColumnPair) bool {
	x, y := &e.gold.Columns[a.Gold], &e.gold.Columns[b.Gold]
	return cell.NaturalKind(x) == cell.NaturalKind(y) &&
		!slices.Equal(e.naturalKeys(goldSide, a.Gold), e.naturalKeys(goldSide, b.Gold))
}

// inTime reports whether two pairs of columns match by the years in their names, as 2023 and 2024 match last year and
// this year.
func (e *evidence) inTime(a, b *scoring.ColumnPair) bool {
	names := func(t *scoring.Table, i, j int) []*naming.Name {
		return []*naming.Name{naming.Read(t.Columns[i].Name), naming.Read(t.Columns[j].Name)}
	}
	pairs := naming.Relative(names(e.gold, a.Gold, b.Gold), names(e.pred, a.Pred, b.Pred))
	return len(pairs) == 2 && pairs[0][0] == pairs[0][1] && pairs[1][0] == pairs[1][1]
}

// named reports whether names or queries relate two columns, or the name of one is too short or meaningless to
// contradict the other's.
func (e *evidence) named(c *scoring.ColumnPair) bool {
	gold, pred := e.gold.Columns[c.Gold].Name, e.pred.Columns[c.Pred].Name
	g, p := naming.Read(gold), naming.Read(pred)
	return !g.Meaningful() || !p.Meaningful() ||
		min(utf8.RuneCountInString(naming.Bare(gold)), utf8.RuneCountInString(naming.Bare(pred))) < 2 ||
		g.Affinity(p) > 0 || e.related(c)
}
