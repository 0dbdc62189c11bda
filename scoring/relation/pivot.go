package relation

import (
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// maxPivotRows is the maximum number of rows of the long result of a pivot. Pivots are reports, not extracts.
const maxPivotRows = 200_000

// maxLabels is the maximum number of distinct labels, and of columns of the wide result.
const maxLabels = 64

// pivoted returns a finding if, for each of several columns of the wide side, the long side has rows with a label, the
// value and the same other columns; else nil. Labels that are also headers must have the values under them; if none is,
// at least minPivotValues distinct values must match. A value that is NULL or 0 may lack a row.
func pivoted(e *evidence, long side) *found {
	f, _ := e.pivots(long)
	return f
}

// crossedPivot returns a finding if the sides match as a pivot, but values are under headers that contradict their
// labels; else nil.
func crossedPivot(e *evidence) *found {
	for _, long := range []side{goldSide, predSide} {
		f, labels := e.pivots(long)
		if f != nil {
			return nil
		}
		if labels >= 0 {
			return &found{
				text:  fmt.Sprintf("Rows of the one side are columns of the other, but values stand under headers that say something else than their labels in %s.", columnName(e.table(long), labels)),
				proof: Proof{},
			}
		}
	}
	return nil
}

// pivots returns what pivoted returns. crossed is the column of labels if the sides match as a pivot only with values
// under headers that contradict their labels; else -1.
func (e *evidence) pivots(long side) (f *found, crossed int) {
	crossed = -1
	if e.queriesOnly {
		return nil, crossed
	}
	l, w := e.table(long), e.table(!long)
	if len(l.Columns) < 2 || len(l.Columns) > 8 || len(w.Columns) < 2 || len(w.Columns) > maxLabels || l.Rows() < 2 ||
		l.Rows() > maxPivotRows || w.Rows() == 0 || l.Rows() <= w.Rows() || l.Rows() > w.Rows()*len(w.Columns) {
		return nil, crossed
	}
	for _, label := range e.columns(long) {
		if c := &l.Columns[label]; c.Type != scoring.String && c.Type != scoring.Int64 && c.Type != scoring.Bool &&
			c.Type != scoring.Date || c.HasNulls() {
			continue
		}
		labels := map[uint64]int{}
		for _, k := range e.naturalKeys(long, label) {
			if labels[k]++; len(labels) > maxLabels {
				break
			}
		}
		if len(labels) < 2 || len(labels) > maxLabels {
			continue
		}
		for _, value := range e.columns(long) {
			if value == label || !l.Columns[value].Type.Numeric() {
				continue
			}
			n, denied := e.turned(long, label, value)
			if n > 0 {
				return e.pivot(long, label, value, n), -1
			}
			if denied {
				crossed = label
			}
		}
	}
	return nil, crossed
}

// turned returns the number of wide columns whose values equal those of a label's rows; 0 if a part of gold has no such
// counterpart. denied is true, and n 0, if they match only with values under headers that contradict their labels.
func (e *evidence) turned(long side, label, value int) (n int, denied bool) {
	l, w := e.table(long), e.table(!long)
	ids, wideIDs := make([]uint64, l.Rows()), make([]uint64, w.Rows())
	isID := make([]bool, len(w.Columns))
	for _, i := range e.columns(long) {
		if i == label || i == value {
			continue
		}
		at, mine, other := e.sameSetRead(long, i, isID)
		if at < 0 {
			return 0, false
		}
		isID[at] = true
		mixInto(ids, mine)
		mixInto(wideIDs, other)
	}
	rows := map[uint64]*cell.Sum{}
	var texts []string // of the labels, …
	var sums []*cell.Sum
	labels := e.naturalKeys(long, label)
	for r, k := range labels {
		if rows[k] == nil {
			rows[k] = &cell.Sum{}
			texts, sums = append(texts, l.Columns[label].Value(r).String()), append(sums, rows[k])
		}
	}
	parts := map[cell.Sum]int{} // what each label has, and how many labels have that
	digits := e.sharedDigits(long, value, isID)
	values := map[uint64]bool{}
	for r := range ids {
		if v := roundedKey(&l.Columns[value], r, digits); v != cell.NullKey {
			rows[labels[r]].Add(cell.Mix(ids[r], v))
			values[v] = true
		}
	}
	for _, s := range rows {
		parts[*s]++
	}
	found, columns := 0, 0
	var headers []string
	var headed []cell.Sum
	for i := range w.Columns {
		if isID[i] {
			continue
		}
		columns++
		if slices.ContainsFunc(e.naturalKeys(!long, i), func(k uint64) bool { return rows[k] != nil }) {
			return 0, false // the labels are values of the wide side: nothing is turned
		}
		if !w.Columns[i].Type.Numeric() {
			continue
		}
		var s cell.Sum
		for r := range wideIDs {
			if v := roundedKey(&w.Columns[i], r, digits); v != cell.NullKey {
				s.Add(cell.Mix(wideIDs[r], v))
			}
		}
		headers, headed = append(headers, w.Columns[i].Name), append(headed, s)
		if parts[s] > 0 {
			parts[s]--
			found++
		}
	}
	of := columns // gold is wide: all of its columns
	if long == goldSide {
		of = len(rows)
	}
	if found < of || found < 2 {
		return 0, false
	}
	labelled, under := e.labelNames(long, label, texts), make([]*naming.Name, len(headers))
	for k, h := range headers {
		under[k] = naming.Read(h)
	}
	known := naming.Pair(labelled, under)
	for _, k := range known {
		if *sums[k[0]] != headed[k[1]] {
			return 0, true // a label has the values of another
		}
	}
	for k, of := range labelled {
		has := false // a header of its values that does not deny it
		any := false
		for h := range headed {
			if headed[h] == *sums[k] {
				any, has = true, has || !of.Contradicts(under[h])
			}
		}
		if any && !has {
			return 0, true
		}
	}
	if len(known) == 0 && (len(values) < minPivotValues || opposites(labelled) && opposites(under)) {
		return 0, false
	}
	return found, false
}

// opposites reports whether some of the names is the opposite of another.
func opposites(names []*naming.Name) bool {
	for i, n := range names {
		if slices.ContainsFunc(names[:i], n.Opposes) {
			return true
		}
	}
	return false
}

// minPivotValues is the minimum number of distinct values if no label is the name of a wide column.
const minPivotValues = 4

// sameSet returns the first column of the other side, by name, that is not taken and has the same set of values; -1 if
// there is none.
func (e *evidence) sameSet(s side, column int, taken []bool) int {
	mine := e.naturalKeys(s, column)
	for _, i := range e.columns(!s) {
		if !taken[i] && match(mine, e.naturalKeys(!s, i)).sameSet() {
			return i
		}
	}
	return -1
}

// sharedDigits returns the number of decimal digits, at most 6, of the side that has fewer.
func (e *evidence) sharedDigits(long side, value int, isID []bool) int {
	mine := fractionDigits(&e.table(long).Columns[value])
	most := 0
	w := e.table(!long)
	for i := range w.Columns {
		if !isID[i] && w.Columns[i].Type.Numeric() {
			most = max(most, fractionDigits(&w.Columns[i]))
		}
	}
	return min(mine, most)
}

func fractionDigits(c *scoring.Column) int {
	const limit = 6
	switch c.Type {
	case scoring.Decimal:
		return min(limit, int(c.Scale))
	case scoring.Float64:
		most := 0
		for _, f := range c.Floats() {
			for most < limit {
				if x := f * cell.Pow10(most); math.Abs(x-math.Round(x)) <= 1e-9*math.Abs(x) {
					break
				}
				most++
			}
		}
		return most
	}
	return 0
}

// roundedKey returns the key of a number rounded to digits decimals. It is cell.NullKey for 0 and NULL.
func roundedKey(c *scoring.Column, row, digits int) uint64 {
	if c.IsNull(row) || isZero(c, row) {
		return cell.NullKey
	}
	if c.Type == scoring.Int64 && digits == 0 {
		return cell.Mix(uint64(c.Ints()[row]), 1) //nolint:gosec // bits
	}
	f, ok := floatOf(c.Value(row))
	if !ok { // an infinity is itself, and NaN no missing value
		return cell.Mix(math.Float64bits(c.Value(row).Float()), 2)
	}
	return cell.Mix(uint64(int64(math.Round(f*cell.Pow10(digits)))), 1) //nolint:gosec // bits
}

func (e *evidence) pivot(long side, label, value, columns int) *found {
	if long == predSide {
		return &found{
			text: fmt.Sprintf("The answer shows %d columns of gold as rows: %s says which, %s holds the values.", columns,
				columnName(e.pred, label), columnName(e.pred, value)),
			proof: Proof{PredColumns: []int{label, value}},
		}
	}
	return &found{
		text: fmt.Sprintf(
			"The answer shows rows of gold as columns: one for each of the %d values of %s, with the values of %s.", columns,
			columnName(e.gold, label), columnName(e.gold, value)),
		proof: Proof{GoldColumns: []int{label, value}},
	}
}
