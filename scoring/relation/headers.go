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
		Name: "crossed", Display: "Values under the wrong column names", Group: Columns,
		Class: Difference, find: crossed,
		Meaning: "All rows agree only if columns are paired against their names: names that both sides have, in whatever words, change places; or the answer's name says the opposite of gold's, another year, or what the question does not ask for; or gold's name stands over other values. In a pivot, a label has the values of another.", Example: "(min, max) = (1, 9); (min, max) = (9, 1)",
	},
	{
		Name: "other_unit", Display: "Another unit", Group: Columns,
		Class: Difference, find: otherUnit,
		Meaning: "A column of the answer has the numbers of one of gold's, and by its name, its cells, gold's query or the question it is in another unit.", Example: "(price_usd) = (100), (250); (price_eur) = (100), (250)",
	},
}

// crossed returns a finding if the values of gold's columns are in the answer under names that contradict theirs and
// all rows agree once these columns are exchanged; else nil.
func crossed(e *evidence) *found {
	if e.queriesOnly || e.gold.Rows() == 0 || e.counts.Score == 1 {
		return nil
	}
	if len(e.a.Crossed) == 0 {
		return crossedPivot(e)
	}
	if e.gold.Rows() != e.pred.Rows() {
		return nil
	}
	pairs := slices.Clone(e.a.Crossed)
	var from, to []int
	for i := range pairs {
		from, to = append(from, pairs[i].Gold), append(to, pairs[i].Pred)
	}
	for _, c := range e.a.Columns {
		if !slices.Contains(from, c.Gold) {
			pairs = append(pairs, c)
		}
	}
	if slices.ContainsFunc(e.missing(), func(i int) bool { return !slices.Contains(from, i) }) {
		return nil
	}
	g, p := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	for i := range pairs {
		c := &pairs[i]
		if c.Overlap < 1 {
			return nil
		}
		gk, pk, _ := cell.JointKeys(&e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred], c.Comparison, e.bits)
		mixInto(g, gk)
		mixInto(p, pk)
	}
	if !match(g, p).sameBag() {
		return nil
	}
	return &found{
		text: fmt.Sprintf("The answer has the values of %s under %s, which says something else.", named(e.gold, from),
			named(e.pred, to)),
		proof: Proof{GoldColumns: from, PredColumns: to},
	}
}

// byChance returns a finding if the results agree but this does not show that the answer is right, see anyColumn and
// byLuck; else nil.
func byChance(e *evidence) *found {
	if r := anyColumn(e); r != nil {
		return r
	}
	return byLuck(e)
}

// anyColumn returns a finding if all gold columns hold few, short numbers that only by value match the answer's
// columns, and the answer has another numeric column; else nil.
func anyColumn(e *evidence) *found {
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
	return e.aboutPairs(pairs,
		fmt.Sprintf(
			"The values of %s are in the answer, but under another name, beside other numbers, and too few to tell by.",
			named(e.gold, e.goldColumns(pairs))))
}

// related reports whether two aligned columns are the same by their names, or have the same expression or aggregate
// function in both queries.
func (e *evidence) related(c *scoring.ColumnPair) bool {
	if naming.Read(e.gold.Columns[c.Gold].Name).Related(naming.Read(e.pred.Columns[c.Pred].Name)) {
		return true
	}
	x, y := e.queries().gold.item(c.Gold, len(e.gold.Columns)), e.queries().pred.item(c.Pred, len(e.pred.Columns))
	if x == nil || y == nil {
		return false
	}
	return bareColumn(sqlparts.Normalized(x)) == bareColumn(sqlparts.Normalized(y)) ||
		aggregateOf(x) != "" && aggregateOf(x) == aggregateOf(y)
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
