package relation

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// sayNothing are the words of headers that any column of truth values may have.
var sayNothing = wordSet("value result flag status answer outcome state indicator bool boolean check output response match yn yes true truth condition test")

// flagUnnamed finds a column of truth values under a header that nothing relates to gold's: it may
// as well be the opposite flag, as has_leaks is of watertight.
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

// bothFlags reports whether both columns of a pair hold truth values that have no other meaning. At least one of
// them must hold truth values or words for them, since 0 and 1 may be numbers.
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

// blankHeader reports whether a header names nothing that can be true or false.
func blankHeader(name string) bool {
	for _, w := range naming.Words(name) {
		if !sayNothing[w] && w != "is" && w != "has" {
			return false
		}
	}
	return true
}

// askedFor reports whether the question names the answer's flag, and not gold's.
func (e *evidence) askedFor(c *scoring.ColumnPair) bool {
	q := e.asks()
	return q.Mentions(e.pred.Columns[c.Pred].Name) && !q.Mentions(e.gold.Columns[c.Gold].Name)
}
