package relation

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

var headerKinds = []Kind{
	{
		Name: "crossed", Class: Difference, find: crossed,
		Meaning: "All rows agree only where columns are taken for others that are called otherwise, though both sides have columns of these names: the values stand under the wrong headers.", Example: "(min, max) = (1, 9); (min, max) = (9, 1)",
	},
	{
		Name: "other_unit", Class: Difference, find: otherUnit,
		Meaning: "A column of the answer has the numbers of one of gold's, and by its name, its cells, gold's query or the question it is in another unit.", Example: "(price_usd) = (100), (250); (price_eur) = (100), (250)",
	},
}

// crossed finds values under the wrong headers: columns that both sides call alike agree only where
// they are exchanged.
func crossed(e *evidence) *found {
	if e.queriesOnly || e.gold.Rows() == 0 || e.gold.Rows() != e.pred.Rows() {
		return nil
	}
	var gold, pred []int // columns of the same headers
	for _, i := range e.columns(goldSide) {
		name := e.gold.Columns[i].Name
		if at := headed(e.pred, name); at >= 0 && headed(e.gold, name) == i {
			gold, pred = append(gold, i), append(pred, at)
		}
	}
	to := e.exchanged(gold, pred)
	if to == nil {
		return nil
	}
	g, p, bound := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows()), make([]uint64, e.pred.Rows())
	var from, moved []int
	for k, i := range gold {
		mixInto(g, e.naturalKeys(goldSide, i))
		mixInto(p, e.naturalKeys(predSide, to[k]))
		mixInto(bound, e.naturalKeys(predSide, pred[k]))
		if to[k] != pred[k] {
			from, moved = append(from, i), append(moved, to[k])
		}
	}
	if !match(g, p).sameBag() || match(g, bound).sameBag() {
		return nil
	}
	return &found{
		text:  fmt.Sprintf("The answer has the values of %s under other headers, though it has columns of these names.", named(e.gold, from)),
		proof: Proof{GoldColumns: from, PredColumns: moved},
	}
}

// exchanged is the answer's column that holds the values of each gold column, where some are others
// than the ones called alike, all of them of one header or another; nil where it is not so.
func (e *evidence) exchanged(gold, pred []int) []int {
	to := make([]int, len(gold))
	for k, i := range gold {
		to[k] = -1
		for _, c := range e.a.Columns { // rows may have settled what values alone do not
			if c.Gold == i && c.Overlap == 1 && slices.Contains(pred, c.Pred) {
				to[k] = c.Pred
			}
		}
	}
	for k, i := range gold {
		if to[k] >= 0 {
			continue
		}
		mine := sumOfKeys(e.naturalKeys(goldSide, i))
		to[k] = pred[k] // where nothing holds its values, it differs; so do the rows
		if at := slices.IndexFunc(pred, func(j int) bool { return !slices.Contains(to, j) && sumOfKeys(e.naturalKeys(predSide, j)) == mine }); at >= 0 && sumOfKeys(e.naturalKeys(predSide, pred[k])) != mine {
			to[k] = pred[at]
		}
	}
	if slices.Equal(to, pred) {
		return nil
	}
	return to
}

func sumOfKeys(keys []uint64) (s cell.Sum) {
	for _, k := range keys {
		s.Add(k)
	}
	return s
}

// headed is the only column of a table that is called so, -1 where there is none or more than one.
func headed(t *scoring.Table, name string) int {
	return only(len(t.Columns), func(i int) bool { return sameHeader(t.Columns[i].Name, name) })
}

// byChance finds gold columns of few and short numbers whose equal in the answer nothing but the
// numbers points to, while the answer has another column of numbers.
func byChance(e *evidence) *found {
	others := e.extra()
	if e.gold.Rows() == 1 { // every column of one row is one value throughout
		others = e.a.Extra
	}
	if e.gold.Rows() == 0 || !slices.ContainsFunc(others, func(j int) bool { return e.pred.Columns[j].Type.Numeric() }) {
		return nil
	}
	pairs := e.pairsThat(func(c *scoring.ColumnPair) bool {
		g := &e.gold.Columns[c.Gold]
		if !g.Type.Numeric() || !e.pred.Columns[c.Pred].Type.Numeric() || e.related(c) {
			return false
		}
		values := numbersOf(g)
		return digitsOf(values) < minDigits && (len(values) < minDigits || slices.Min(values) == slices.Max(values))
	})
	if len(pairs) == 0 || len(pairs) < len(e.a.Columns) { // columns that agree otherwise hold the rows together
		return nil
	}
	return e.aboutPairs(pairs, fmt.Sprintf("The values of %s are in the answer, but under another name, beside other numbers, and too few to tell by.", named(e.gold, e.goldColumns(pairs))))
}

// related tells whether names or queries say that two aligned columns are the same: a word in
// common, or the same expression or aggregate in both queries.
func (e *evidence) related(c *scoring.ColumnPair) bool {
	g, p := naming.Words(e.gold.Columns[c.Gold].Name), naming.Words(e.pred.Columns[c.Pred].Name)
	stems := func(words []string) map[string]bool {
		set := map[string]bool{}
		for _, w := range words {
			if of := synonyms[naming.Stem(w)]; of != "" {
				w = of
			}
			set[naming.Stem(w)] = true
		}
		return set
	}
	have := stems(p)
	for w := range stems(g) {
		if have[w] {
			return true
		}
	}
	x, y := e.queries().gold.item(c.Gold, len(e.gold.Columns)), e.queries().pred.item(c.Pred, len(e.pred.Columns))
	if x == nil || y == nil {
		return false
	}
	return bareColumn(sqlparts.Normalized(x)) == bareColumn(sqlparts.Normalized(y)) || aggregateOf(x) != "" && aggregateOf(x) == aggregateOf(y)
}

// synonyms are words that names use for one another.
var synonyms = map[string]string{
	"cnt": "count", "num": "count", "number": "count", "n": "count", "amt": "amount", "avg": "average", "mean": "average", "total": "sum", "pct": "percent", "percentage": "percent",
	"max": "maximum", "highest": "maximum", "min": "minimum", "lowest": "minimum",
}

func numbersOf(c *scoring.Column) []float64 {
	out := make([]float64, 0, c.Len())
	for i := range c.Len() {
		if f, ok := floatOf(c.Value(i)); ok {
			out = append(out, f)
		}
	}
	return out
}
