package relation

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// sayNothing are words in names of columns that do not show what is true or false.
var sayNothing = wordSet("value result flag status answer outcome state indicator bool boolean check output response match yn yes true truth condition test")

// flagUnnamed returns a finding if a pair of truth-value columns agrees but neither names nor question relate them, so
// that the answer's may be the opposite flag, as has_leaks is of watertight; else nil.
func flagUnnamed(e *evidence) *found {
	if e.gold.Rows() == 0 {
		return nil
	}
	pairs := e.pairsThat(func(c *scoring.ColumnPair) bool {
		g, p := naming.Read(e.gold.Columns[c.Gold].Name), naming.Read(e.pred.Columns[c.Pred].Name)
		return !e.named(c) && !g.Akin(p) && e.bothFlags(c) && !blankHeader(e.gold.Columns[c.Gold].Name) &&
			!blankHeader(e.pred.Columns[c.Pred].Name) && !e.askedFor(c)
	})
	if len(pairs) == 0 {
		return nil
	}
	c := &e.a.Columns[pairs[0]]
	return e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree, but nothing says that %s is true where %s is: it may be the opposite.",
			columnName(e.pred, c.Pred), columnName(e.gold, c.Gold)))
}

// bothFlags reports whether both columns of a pair hold truth values, and not only NULLs. 0 and 1 on both sides need a
// name that marks a flag.
func (e *evidence) bothFlags(c *scoring.ColumnPair) bool {
	g, p := &e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred]
	if g.Type == scoring.Int64 && p.Type == scoring.Int64 && !naming.Read(g.Name).Owns() && !naming.Read(p.Name).Owns() {
		return false
	}
	plain := func(format string) bool { return format == "" || format == cell.FormatBool }
	if !plain(c.GoldFormat) || !plain(c.PredFormat) || allNull(g) || allNull(p) {
		return false
	}
	return flagOf(g) != nil && flagOf(p) != nil
}

// blankHeader reports whether a column name has no word that shows what is true or false.
func blankHeader(name string) bool {
	for _, w := range naming.Words(name) {
		if !sayNothing[w] && w != "is" && w != "has" {
			return false
		}
	}
	return true
}

// askedFor reports whether the question mentions the name of the answer's column in a pair and not that of gold's
// column.
func (e *evidence) askedFor(c *scoring.ColumnPair) bool {
	q := e.asks()
	return q.Mentions(e.pred.Columns[c.Pred].Name) && !q.Mentions(e.gold.Columns[c.Gold].Name)
}
