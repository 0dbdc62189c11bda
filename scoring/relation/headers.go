package relation

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// crossed finds values under the wrong headers: a gold column whose equal is called otherwise in the answer, where the answer has a column of its name that is the equal of another gold column.
func crossed(e *evidence) *found {
	if e.gold.Rows() == 0 {
		return nil
	}
	var pairs []int
	for k := range e.a.Columns {
		if e.isCrossed(k) {
			pairs = append(pairs, k)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return e.aboutPairs(pairs, fmt.Sprintf("The answer has the values of %s under other headers, though it has columns of these names.", named(e.gold, e.goldColumns(pairs))))
}

// isCrossed tells whether the gold column of a pair has its name on the answer's side too, once on each, over the values of another gold column. Columns of other types than the ones they
// are called like are told apart by those, unless both names stand on both sides.
func (e *evidence) isCrossed(pair int) bool {
	c := &e.a.Columns[pair]
	name, given := e.gold.Columns[c.Gold].Name, e.pred.Columns[c.Pred].Name
	if sameHeader(name, given) || headed(e.gold, name) != c.Gold {
		return false
	}
	at := headed(e.pred, name)
	if at < 0 {
		return false
	}
	other := slices.IndexFunc(e.a.Columns, func(o scoring.ColumnPair) bool { return o.Pred == at && o.Gold != c.Gold })
	if other < 0 {
		return false
	}
	if slices.Equal(e.naturalKeys(goldSide, c.Gold), e.naturalKeys(goldSide, e.a.Columns[other].Gold)) {
		return false // the same column twice
	}
	return headed(e.gold, given) >= 0 || e.gold.Columns[c.Gold].Type.Numeric() && e.gold.Columns[e.a.Columns[other].Gold].Type.Numeric()
}

// headed is the only column of a table that is called so, -1 where there is none or more than one.
func headed(t *scoring.Table, name string) int {
	return only(len(t.Columns), func(i int) bool { return sameHeader(t.Columns[i].Name, name) })
}

// byChance finds gold columns of few and short numbers whose equal in the answer nothing but the numbers points to, while the answer has another column of numbers.
func byChance(e *evidence) *found {
	if e.gold.Rows() == 0 || !slices.ContainsFunc(e.a.Extra, func(j int) bool { return e.pred.Columns[j].Type.Numeric() }) {
		return nil
	}
	pairs := e.pairsThat(func(c *scoring.ColumnPair) bool {
		g := &e.gold.Columns[c.Gold]
		if !g.Type.Numeric() || !e.pred.Columns[c.Pred].Type.Numeric() || e.related(c) {
			return false
		}
		return digitsOf(numbersOf(g)) < minDigits
	})
	if len(pairs) == 0 || len(pairs) < len(e.a.Columns) { // columns that agree otherwise hold the rows together
		return nil
	}
	return e.aboutPairs(pairs, fmt.Sprintf("The values of %s are in the answer, but under another name, beside other numbers, and too few to tell by.", named(e.gold, e.goldColumns(pairs))))
}

// related tells whether names or queries say that two aligned columns are the same: a word in common, or the same expression or aggregate in both queries.
func (e *evidence) related(c *scoring.ColumnPair) bool {
	g, p := nameWords(e.gold.Columns[c.Gold].Name), nameWords(e.pred.Columns[c.Pred].Name)
	stems := func(words []string) map[string]bool {
		set := map[string]bool{}
		for _, w := range words {
			if of := synonyms[stem(w)]; of != "" {
				w = of
			}
			set[stem(w)] = true
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
