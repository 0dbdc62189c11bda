package relation

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

var aggregateKinds = []Kind{
	{
		Name: "sum_for_parts", Display: "Total in place of its parts", Group: Counting,
		Class: Defensible, WrittenFrom: "splash", find: func(e *evidence) *found { return sumForParts(e, predSide) },
		Meaning: "The answer is the sum, by its name or query, of the numbers that gold lists, below each other or in one row, all of one sign, and the question asks for a number or a total and not for each.", Example: "(3), (4), (5); (total) = (12)",
	},
	{
		Name: "parts_for_sum", Display: "Parts in place of their total", Group: Counting,
		Class: Defensible, find: func(e *evidence) *found { return sumForParts(e, goldSide) },
		Meaning: "Gold is the sum, by its name or query, of the numbers that the answer lists, below each other or in one row, all of one sign.", Example: "(total) = (12); (3), (4), (5)",
	},
	{
		Name: "list_for_count", Display: "Rows in place of their number", Group: Counting,
		Class: Defensible, find: func(e *evidence) *found { return countForList(e, goldSide) },
		Meaning: "Gold is the number, by its name or query, of the rows, or of the different rows, that the answer lists.",
		Example: "(count) = (2); ('a'), ('b')",
	},
	{
		Name: "count_for_list", Display: "Number in place of the rows", Group: Counting,
		Class: Difference, find: func(e *evidence) *found { return countForList(e, predSide) },
		Meaning: "The answer is the number, by its name or query, of the rows, or of the different rows, that gold lists.",
		Example: "('a'), ('b'); (count) = (2)",
	},
	{
		Name: "rolled_up", Display: "Grouped too coarsely", Group: GroupsAndJoins,
		Class: Difference, find: func(e *evidence) *found { return rollUp(e, predSide) },
		Meaning: "The answer groups more coarsely: its measure is the sum, or the number, of gold's rows in each of its groups.", Example: "('a', 'x', 1), ('a', 'y', 2); ('a', 3)",
	},
	{
		Name: "drilled_down", Display: "Grouped too finely", Group: GroupsAndJoins,
		Class: Difference, find: func(e *evidence) *found { return rollUp(e, goldSide) },
		Meaning: "The answer groups more finely: gold's measure is the sum, or the number, of the answer's rows in each of gold's groups.", Example: "('a', 3); ('a', 'x', 1), ('a', 'y', 2)",
	},
	{
		Name: "aggregate_for_list", Display: "Aggregate in place of the rows", Group: Counting,
		Class: Difference, find: aggregateForList,
		Meaning: "The answer is the average, greatest or least of the numbers that gold lists.",
		Example: "(3), (4), (5); (4)",
	},
}

// single returns the column of a result with one row and one column if its cell is a number, else nil.
func single(t *scoring.Table) *scoring.Column {
	if t.Rows() != 1 || len(t.Columns) != 1 || !t.Columns[0].Type.Numeric() || t.Columns[0].IsNull(0) {
		return nil
	}
	return &t.Columns[0]
}

// sumForParts returns a finding if the only cell of side sum is a total by its query or name and equals the sum of a
// column, or of the only row, of the other side; else nil. The summed numbers have the same sign, and an answer that is
// the total needs a question for one number.
func sumForParts(e *evidence, sum side) *found {
	if e.queriesOnly {
		return nil
	}
	one, list := single(e.table(sum)), e.table(!sum)
	if one == nil || list.Rows() == 0 || isZero(one, 0) || !e.adds(sum, 0) || sum == predSide && !e.asks().AsksOne() {
		return nil
	}
	if list.Rows() == 1 {
		return e.sumOfRow(one, sum)
	}
	for _, i := range e.columns(!sum) {
		t, ok := sumOf(&list.Columns[i])
		// Zeros add up to zero, and a lone number among them to itself.
		if !ok || !t.is(one, 0) || nonZero(&list.Columns[i]) < 2 || signs(&list.Columns[i]) > 1 {
			continue
		}
		if sum == predSide {
			return &found{
				text: fmt.Sprintf("The answer is the sum of the %d numbers that gold lists in %s.", list.Rows(),
					columnName(list, i)), proof: Proof{GoldColumns: []int{i}, PredColumns: []int{0}}}
		}
		return &found{
			text: fmt.Sprintf("Gold is the sum of the %d numbers that the answer lists in %s.", list.Rows(),
				columnName(list, i)), proof: Proof{GoldColumns: []int{0}, PredColumns: []int{i}}}
	}
	return nil
}

// sumOfRow returns a finding if the number one is the sum of all cells of the other side's only row, else nil. At least
// two of the cells must be nonzero, and all of those must have the same sign.
func (e *evidence) sumOfRow(one *scoring.Column, sum side) *found {
	list := e.table(!sum)
	exact, near := new(big.Rat), 0.0
	parts, positive, negative := 0, 0, 0
	var columns []int
	for _, i := range e.columns(!sum) {
		t, ok := sumOf(&list.Columns[i])
		if !ok {
			return nil
		}
		if t.exact == nil {
			exact = nil
		} else if exact != nil {
			exact.Add(exact, t.exact)
		}
		near += t.near
		columns = append(columns, i)
		if t.near != 0 {
			parts++
		}
		if t.near > 0 {
			positive++
		} else if t.near < 0 {
			negative++
		}
	}
	if parts < 2 || positive > 0 && negative > 0 || !(total{exact, near}).is(one, 0) {
		return nil
	}
	if sum == predSide {
		return &found{
			text: fmt.Sprintf("The answer is the sum of the %d numbers that gold has in %s.", len(columns),
				named(list, columns)), proof: Proof{GoldColumns: columns, PredColumns: []int{0}}}
	}
	return &found{
		text: fmt.Sprintf("Gold is the sum of the %d numbers that the answer has in %s.", len(columns),
			named(list, columns)),
		proof: Proof{GoldColumns: []int{0}, PredColumns: columns}}
}

func nonZero(c *scoring.Column) int {
	n := 0
	for i := range c.Len() {
		if !c.IsNull(i) && !isZero(c, i) {
			n++
		}
	}
	return n
}

// signs returns the number of different signs (plus, minus) among the nonzero numbers of a column: 0, 1 or 2.
func signs(c *scoring.Column) int {
	var plus, minus int
	for i := range c.Len() {
		if f, ok := floatOf(c.Value(i)); ok && f > 0 {
			plus = 1
		} else if ok && f < 0 {
			minus = 1
		}
	}
	return plus + minus
}

func countForList(e *evidence, counting side) *found {
	if e.queriesOnly {
		return nil
	}
	one, list := single(e.table(counting)), e.table(!counting)
	if one == nil || list.Rows() < 2 || len(list.Columns) == 0 {
		return nil
	}
	q := e.queries().pred
	if counting == goldSide {
		q = e.queries().gold
	}
	if q != nil && !q.has("count") || q == nil && !e.adds(counting, 0) {
		return nil // the number is not a count
	}
	n, ok := wholeOf(one)
	if !ok {
		return nil
	}
	rows := make([]uint64, list.Rows())
	for i := range list.Columns {
		mixInto(rows, e.naturalKeys(!counting, i))
	}
	distinct := match(rows, nil).distinctGold
	what := "rows"
	switch n {
	case int64(list.Rows()):
	case int64(distinct):
		what = "different rows"
	default:
		return nil
	}
	if counting == predSide {
		return &found{text: fmt.Sprintf("The answer is the number of %s that gold lists, %d.", what, n)}
	}
	return &found{text: fmt.Sprintf("Gold is the number of %s that the answer lists, %d.", what, n)}
}

// has reports whether the query calls a function.
func (q *query) has(function string) bool {
	return slices.ContainsFunc(q.calls, func(c call) bool { return c.name == function })
}

// wholeOf returns the first cell of a column as an integer; ok is false if it is not a whole number that fits into an
// int64.
func wholeOf(c *scoring.Column) (int64, bool) {
	switch v := c.Value(0); v.Type {
	case scoring.Int64:
		return v.Int(), true
	case scoring.Float64:
		n := int64(v.Float())
		return n, float64(n) == v.Float()
	case scoring.Decimal:
		u, wide, scale := v.Decimal()
		for ; scale > 0 && u%10 == 0; scale-- {
			u /= 10
		}
		return u, wide == nil && scale == 0
	}
	return 0, false
}

func aggregateForList(e *evidence) *found {
	if e.queriesOnly {
		return nil
	}
	one := single(e.pred)
	if one == nil || e.gold.Rows() < 2 {
		return nil
	}
	for _, i := range e.columns(goldSide) {
		c := &e.gold.Columns[i]
		t, ok := sumOf(c)
		if !ok || allNull(c) {
			continue
		}
		n, least, most := 0, 0, 0
		for r := range c.Len() {
			if c.IsNull(r) {
				continue
			}
			if n++; n == 1 {
				least, most = r, r
			}
			f, ok := floatOf(c.Value(r))
			if !ok { // an infinity
				n = 0
				break
			}
			l, _ := floatOf(c.Value(least))
			m, _ := floatOf(c.Value(most))
			if f < l {
				least = r
			}
			if f > m {
				most = r
			}
		}
		f, ok := floatOf(one.Value(0))
		if !ok {
			return nil
		}
		l, _ := floatOf(c.Value(least))
		m, _ := floatOf(c.Value(most))
		what := ""
		switch {
		case l == m || n < 3: // of two numbers, one is the greater
			continue
		case nearly(f, t.near/float64(n)):
			what = "average"
		case f == m:
			what = "greatest"
		case f == l:
			what = "least"
		default:
			continue
		}
		return &found{
			text:  fmt.Sprintf("The answer is the %s of the numbers that gold lists in %s.", what, columnName(e.gold, i)),
			proof: Proof{GoldColumns: []int{i}, PredColumns: []int{0}, Facts: []string{what}}}
	}
	return nil
}

// maxMeasures is the maximum number of columns of a side that are tried as a measure.
const maxMeasures = 8

// rollUp returns a finding if each row of the coarse side represents a group of rows of the fine side and one of its
// columns holds the sum of a fine column, or the number of rows, in the group; else nil.
func rollUp(e *evidence, coarse side) *found {
	c, f := e.table(coarse), e.table(!coarse)
	if e.queriesOnly || c.Rows() < 2 || f.Rows() <= c.Rows() || len(c.Columns) < 2 {
		return nil
	}
	if m := e.rows(); m != nil && 2*m.equal > c.Rows() {
		return nil // most of its rows are rows of the other side, and no sums
	}
	tried, most := 0, maxMeasures
	if f.Rows() > maxPivotRows {
		most = 2 // each one costs a pass over all rows
	}
	for _, m := range e.columns(coarse) {
		if !c.Columns[m].Type.Numeric() {
			continue
		}
		if tried++; tried > most {
			return nil
		}
		group, complete := e.groupWithout(coarse, m)
		if !complete || len(group) == 0 {
			continue
		}
		rows := e.over(group)
		coarseKeys, fineKeys := rows.pred, rows.gold
		if coarse == goldSide {
			coarseKeys, fineKeys = fineKeys, coarseKeys
		}
		if !rows.sameSet() || rows.shared != len(coarseKeys) {
			continue // a group of the coarse side is a duplicate, or is on one side only
		}
		of := groupsOf(coarseKeys, fineKeys)
		if by, what := rolled(c, f, m, of, e.finePartners(coarse, m)); what != "" {
			r := &found{proof: Proof{GoldColumns: []int{by}, PredColumns: []int{m}, Facts: []string{what}}}
			names := named(e.gold, e.goldColumns(group))
			if coarse == predSide {
				r.text = fmt.Sprintf("The answer groups by %s alone: its %s is the %s of gold's rows in each group.", names,
					columnName(c, m), what)
			} else {
				r.proof.GoldColumns, r.proof.PredColumns = []int{m}, []int{by}
				r.text = fmt.Sprintf("The answer groups more finely than gold, which groups by %s: gold's %s is the %s of the answer's rows in each group.", names, columnName(c, m), what)
			}
			if by < 0 {
				r.proof.GoldColumns, r.proof.PredColumns = nil, []int{m}
				if coarse == goldSide {
					r.proof.GoldColumns, r.proof.PredColumns = []int{m}, nil
				}
			}
			return r
		}
	}
	return nil
}

// groupWithout returns the aligned pairs of all columns of side s except column. complete reports whether each of those
// columns has a counterpart.
func (e *evidence) groupWithout(s side, column int) (pairs []int, complete bool) {
	n := 0
	for k := range e.a.Columns {
		at := e.a.Columns[k].Pred
		if s == goldSide {
			at = e.a.Columns[k].Gold
		}
		if at != column {
			pairs = append(pairs, k)
			n++
		}
	}
	return pairs, n == len(e.table(s).Columns)-1
}

// finePartners returns the columns of the fine side whose sums are compared with a measure of the coarse side: its
// counterpart first, then other numeric columns, up to maxMeasures.
func (e *evidence) finePartners(coarse side, measure int) []int {
	var out []int
	for k := range e.a.Columns {
		p := &e.a.Columns[k]
		mine, other := p.Pred, p.Gold
		if coarse == goldSide {
			mine, other = other, mine
		}
		if mine == measure {
			out = append(out, other)
		}
	}
	t := e.table(!coarse)
	for _, i := range e.columns(!coarse) {
		if t.Columns[i].Type.Numeric() && !slices.Contains(out, i) && len(out) < maxMeasures {
			out = append(out, i)
		}
	}
	return out
}

// groupsOf returns for each fine row the position of the coarse row with the same key.
func groupsOf(coarse, fine []uint64) []int32 {
	b := newMultiset(len(coarse))
	for j, k := range coarse {
		b.at(k).pred = int32(j) //nolint:gosec // rows are bounded far below
	}
	of := make([]int32, len(fine))
	for i, k := range fine {
		of[i] = b.at(k).pred
	}
	return of
}

// rolled returns how the measure of the coarse side is computed from each group of fine rows: "sum" and the summed
// column, "number" and -1 if it is the number of rows, or "" if it is neither.
func rolled(coarse, fine *scoring.Table, measure int, of []int32, columns []int) (column int, how string) {
	m := &coarse.Columns[measure]
	for _, i := range columns {
		c := &fine.Columns[i]
		if !c.Type.Numeric() {
			continue
		}
		sums := make([]accumulator, coarse.Rows())
		ok := true
		for r := range of {
			if !sums[of[r]].add(c, r) {
				ok = false
				break
			}
		}
		for g := range sums {
			if !ok {
				break
			}
			ok = sums[g].total(c).is(m, g)
		}
		if ok && nonZero(m) > 0 {
			return i, "sum"
		}
	}
	counts := make([]int64, coarse.Rows())
	for _, g := range of {
		counts[g]++
	}
	if m.Type != scoring.Int64 || m.HasNulls() || !slices.Equal(counts, m.Ints()) {
		return -1, ""
	}
	return -1, "number"
}
