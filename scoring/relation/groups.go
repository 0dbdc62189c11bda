package relation

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/cell"
)

var groupKinds = []Kind{
	{
		Name: "zero_filled", Class: Defensible, find: func(e *evidence) *found { return zeroFilled(e, predSide) },
		Meaning: "Every gold row is there; the answer's other rows are groups that gold does not have, with nothing but 0 or NULL in the measures: an outer join in place of an inner one.",
		Example: "('a', 3); ('a', 3), ('b', 0)",
	},
	{
		Name: "zero_dropped", Class: Difference, find: func(e *evidence) *found { return zeroFilled(e, goldSide) },
		Meaning: "Every row of the answer is in gold; the gold rows that it lacks are groups with nothing but 0 or NULL in the measures: an inner join in place of an outer one.",
		Example: "('a', 3), ('b', 0); ('a', 3)",
	},
}

// zeroFilled tells whether all rows that one side has more are groups of their own with nothing in their measures. A measure is a column of numbers in which all those rows are 0 or NULL
// and some other row is not; what is left of the columns is the group.
func zeroFilled(e *evidence, more side) *found {
	m := e.rows()
	if m == nil {
		return nil
	}
	rows, none := m.onlyPred, m.onlyGold
	if more == goldSide {
		rows, none = none, rows
	}
	if len(rows) == 0 || len(none) > 0 || m.equal == 0 {
		return nil
	}
	var measures, group []int
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		keys := e.keys(k)
		column, here, there := &e.pred.Columns[c.Pred], keys.p, keys.g
		if more == goldSide {
			column, here, there = &e.gold.Columns[c.Gold], keys.g, keys.p
		}
		nothing := true
		for _, i := range rows {
			if here[i] != cell.NullKey && !isZero(column, int(i)) {
				nothing = false
				break
			}
		}
		if nothing && (e.gold.Columns[c.Gold].Type.Numeric() || e.pred.Columns[c.Pred].Type.Numeric()) && varies(there, here[rows[0]]) {
			measures = append(measures, k)
		} else {
			group = append(group, k)
		}
	}
	if len(measures) == 0 || len(group) == 0 {
		return nil
	}
	// The groups are others, each with something to tell it by.
	g := e.over(group)
	fresh := g.newPred
	if more == goldSide {
		fresh = g.newGold
	}
	if len(fresh) != len(rows) {
		return nil
	}
	for i, r := range rows {
		if fresh[i] != r {
			return nil
		}
		named := false
		for _, k := range group {
			keys := e.keys(k)
			here := keys.p
			if more == goldSide {
				here = keys.g
			}
			named = named || here[r] != cell.NullKey
		}
		if !named {
			return nil
		}
	}
	what := named(e.gold, e.goldColumns(measures))
	r := e.aboutPairs(measures, fmt.Sprintf("Every row of gold is there; %s more %s nothing (0 or NULL) in %s: groups without a match were kept (outer join instead of inner).", plural(len(rows), "row"), verb(len(rows), "has", "have"), what))
	if more == goldSide {
		r.text = fmt.Sprintf("Every row of the answer is in gold; the %s that it lacks %s nothing (0 or NULL) in %s: groups without a match were dropped (inner join instead of outer).", plural(len(rows), "row"), verb(len(rows), "has", "have"), what)
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(rows)
	return r
}

// varies tells whether any key is another one.
func varies(keys []uint64, from uint64) bool {
	for _, k := range keys {
		if k != from {
			return true
		}
	}
	return false
}
