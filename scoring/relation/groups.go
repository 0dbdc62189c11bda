package relation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/cell"
)

var groupKinds = []Kind{
	{
		Name: "total_row", Display: "A total row on one side only", Group: GroupsAndJoins,
		Class: Difference, find: totalRowAdded,
		Meaning: "Every row of one side is on the other, which has one row more: the total of the others, whatever it is called.", Example: "('a', 1), ('b', 2); ('a', 1), ('b', 2), ('Total', 3)",
	},
	{
		Name: "zero_against_question", Display: "Empty groups shown against the question", Group: GroupsAndJoins,
		Class: Difference, find: func(e *evidence) *found { return zerosAdded(e, true) },
		Meaning: "As zero_filled, but the question asks for those alone that have one at least.",
		Example: "(k, count) = ('a', 3), where the question asks which k have one; ('a', 3), ('b', 0)",
	},
	{
		Name: "zero_filled", Display: "Empty groups shown as zero", Group: GroupsAndJoins,
		Class: Defensible, find: func(e *evidence) *found { return zerosAdded(e, false) },
		Meaning: "The answer has every gold row; its other rows are groups that gold does not have, with nothing but 0 or NULL in its counts and sums: an outer join in place of an inner one. The question does not ask for those alone that have one.",
		Example: "(k, count) = ('a', 3); ('a', 3), ('b', 0)",
	},
	{
		Name: "zero_dropped", Display: "Empty groups dropped", Group: GroupsAndJoins,
		Class: Difference, find: func(e *evidence) *found { return zeroFilled(e, goldSide) },
		Meaning: "Every row of the answer is in gold; the gold rows that it lacks are groups with nothing but 0 or NULL in its counts and sums: an inner join in place of an outer one.",
		Example: "(k, count) = ('a', 3), ('b', 0); ('a', 3)",
	},
	{
		Name: "groups_merged", Display: "Groups with the same name merged", Group: GroupsAndJoins,
		Class: Defensible, find: func(e *evidence) *found { return mergedGroups(e, predSide) },
		Meaning: "Gold shows several groups with the same name, distinguished by a key that it does not show; the answer has one row for each name. All names are the same, and where a name is one group all else agrees.",
		Example: "('a', 3), ('b', 5), ('b', 1), ('c', 2); ('a', 3), ('b', 6), ('c', 2)",
	},
	{
		Name: "groups_split", Display: "Groups with the same name kept apart", Group: GroupsAndJoins,
		Class: Defensible, find: func(e *evidence) *found { return mergedGroups(e, goldSide) },
		Meaning: "The answer shows several groups with the same name, distinguished by a key that it does not show; gold has one row for each name. All names are the same, and where a name is one group all else agrees.",
		Example: "('a', 3), ('b', 6), ('c', 2); ('a', 3), ('b', 5), ('b', 1), ('c', 2)",
	},
}

// totalRow returns the only additional row of side more if, in an aligned numeric column, it holds the sum of that
// side's other rows; else -1. It also returns -1 if there are fewer than two other rows or the sum is 0.
func (e *evidence) totalRow(more side) int {
	m := e.rows()
	if m == nil || m.equal < 2 {
		return -1
	}
	rows, none := m.onlyPred, m.onlyGold
	if more == goldSide {
		rows, none = none, rows
	}
	if len(rows) != 1 || len(none) > 0 {
		return -1
	}
	at, t := int(rows[0]), e.table(more)
	if len(t.Columns) < 2 {
		return -1 // of bare numbers, one may well be the sum of the others
	}
	for k := range e.a.Columns { // in others, rows that compare equal may differ, and any of them may be the one more
		c := &t.Columns[e.columnOfPair(more, k)]
		if !c.Type.Numeric() || c.IsNull(at) || isZero(c, at) {
			continue
		}
		var sum accumulator
		for r := range c.Len() {
			if r != at && !c.IsNull(r) {
				sum.add(c, r)
			}
		}
		if sum.total(c).is(c, at) {
			return at
		}
	}
	return -1
}

// columnOfPair returns the column of a side in an aligned pair.
func (e *evidence) columnOfPair(s side, pair int) int {
	if s == goldSide {
		return e.a.Columns[pair].Gold
	}
	return e.a.Columns[pair].Pred
}

func totalRowAdded(e *evidence) *found {
	if row := e.totalRow(predSide); row >= 0 {
		return &found{text: "Every row of gold is there, and a row with the total of the others.",
			proof: Proof{OnlyPred: 1, Rows: []int{row}}}
	}
	if row := e.totalRow(goldSide); row >= 0 {
		return &found{text: "Every row of the answer is in gold, which has a row with the total of the others.",
			proof: Proof{OnlyGold: 1, Rows: []int{row}}}
	}
	return nil
}

// zerosAdded returns a finding if the answer has gold's rows and additional groups with 0 or NULL in their measures;
// else nil. against selects whether the question excludes such groups. If it only may exclude them, the result is nil.
func zerosAdded(e *evidence, against bool) *found {
	r := zeroFilled(e, predSide)
	if r == nil {
		return nil
	}
	var counted []string
	for k, i := range r.proof.GoldColumns {
		counted = append(counted, e.gold.Columns[i].Name, e.pred.Columns[r.proof.PredColumns[k]].Name)
	}
	if atLeastOne := e.asks().AtLeastOne(counted...); atLeastOne != against || !atLeastOne && e.asks().Restricts() {
		return nil
	}
	if against {
		r.text = strings.TrimSuffix(r.text, ".") + "; the question asks for those alone that have one at least."
	}
	return r
}

// zeroFilled returns a finding if the additional rows of side more are groups that the other side lacks, with 0 or NULL
// in their measures; else nil. Measures are counts or sums that have another value in some row of the other side; the
// remaining columns are the group.
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
			if !column.IsNull(int(i)) && !isZero(column, int(i)) {
				nothing = false
				break
			}
		}
		if nothing && e.pairAdds(k) && (e.gold.Columns[c.Gold].Type.Numeric() || e.pred.Columns[c.Pred].Type.Numeric()) &&
			varies(there, here[rows[0]]) {
			measures = append(measures, k)
		} else {
			group = append(group, k)
		}
	}
	if len(measures) == 0 || len(group) == 0 {
		return nil
	}
	// The additional groups are new, and each has a value that identifies it.
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
	cause := ""
	if q := e.queries(); q.both() && q.gold.outer != q.pred.outer {
		switch {
		case more == goldSide && q.gold.outer:
			cause = ": groups without a match were dropped (inner join instead of outer)"
		case more != goldSide && q.pred.outer:
			cause = ": groups without a match were kept (outer join instead of inner)"
		}
	}
	r := e.aboutPairs(measures,
		fmt.Sprintf("Every row of gold is there; %s more %s nothing (0 or NULL) in %s%s.", printable.Count(len(rows), "row"),
			printable.Verb(len(rows), "has", "have"), what, cause))
	if more == goldSide {
		r.text = fmt.Sprintf("Every row of the answer is in gold; the %s that it lacks %s nothing (0 or NULL) in %s%s.",
			printable.Count(len(rows), "row"), printable.Verb(len(rows), "has", "have"), what, cause)
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(rows)
	return r
}

// mergedGroups returns a finding if side merges has one row for each name and the other side several for some names,
// and the rest agrees; else nil. Most names must have one row, so that the agreement is not chance.
func mergedGroups(e *evidence, merges side) *found {
	m := e.rows()
	if m == nil || m.equal < 2 {
		return nil
	}
	var names, measures []int
	for k := range e.a.Columns {
		if c := &e.a.Columns[k]; e.gold.Columns[c.Gold].Type.Numeric() && e.pred.Columns[c.Pred].Type.Numeric() {
			measures = append(measures, k)
		} else {
			names = append(names, k)
		}
	}
	if len(names) == 0 || len(measures) == 0 {
		return nil
	}
	n := e.over(names)
	one, several, distinct := n.pred, n.gold, n.distinctPred
	oneDiffers, severalDiffers := m.onlyPred, m.onlyGold
	if merges == goldSide {
		one, several, distinct = n.gold, n.pred, n.distinctGold
		oneDiffers, severalDiffers = severalDiffers, oneDiffers
	}
	if !n.sameSet() || distinct != len(one) || len(several) <= len(one) {
		return nil
	}
	b := newMultiset(len(one))
	for _, k := range several {
		b.at(k).gold++
	}
	repeated := 0
	for _, k := range one {
		if b.at(k).gold > 1 {
			repeated++
		}
	}
	single := func(keys []uint64) func(int32) bool {
		return func(row int32) bool { return b.at(keys[row]).gold == 1 }
	}
	if slices.ContainsFunc(oneDiffers, single(one)) || slices.ContainsFunc(severalDiffers, single(several)) ||
		len(one)-repeated < max(2, repeated) ||
		len(oneDiffers) != repeated { // a row that is unchanged on the other side was not merged from others
		return nil
	}
	for _, k := range measures {
		if !e.madeOf(k, merges, one, several, oneDiffers) {
			return nil
		}
	}
	what := named(e.gold, e.goldColumns(names))
	r := e.aboutPairs(names, fmt.Sprintf("Gold has several rows for %s of %s; the answer has one for each, and all others agree: groups of one name were merged.", printable.Count(repeated, "value"), what))
	if merges == goldSide {
		r.text = fmt.Sprintf("The answer has several rows for %s of %s; gold has one for each, and all others agree: groups of one name were kept apart.", printable.Count(repeated, "value"), what)
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(severalDiffers)
	return r
}

// madeOf reports whether, in each of the given rows of side merges, the measure is the sum of the other side's rows of
// the same name or is between their least and largest value.
func (e *evidence) madeOf(pair int, merges side, one, several []uint64, rows []int32) bool {
	c := &e.a.Columns[pair]
	whole, part := &e.pred.Columns[c.Pred], &e.gold.Columns[c.Gold]
	if merges == goldSide {
		whole, part = part, whole
	}
	type parts struct{ sum, least, most float64 }
	of := map[uint64]*parts{}
	for _, r := range rows {
		of[one[r]] = &parts{least: math.Inf(1), most: math.Inf(-1)}
	}
	for r, name := range several {
		if p := of[name]; p != nil {
			f, ok := floatOf(part.Value(r))
			if !ok && !part.IsNull(r) {
				return false // an infinity
			}
			if ok {
				p.sum, p.least, p.most = p.sum+f, min(p.least, f), max(p.most, f)
			}
		}
	}
	return !slices.ContainsFunc(rows, func(r int32) bool {
		p := of[one[r]]
		f, ok := floatOf(whole.Value(int(r)))
		return !ok || (f < p.least || f > p.most) && math.Abs(f-p.sum) > noise*math.Abs(p.sum)
	})
}

// varies reports whether any key differs from from.
func varies(keys []uint64, from uint64) bool {
	for _, k := range keys {
		if k != from {
			return true
		}
	}
	return false
}
