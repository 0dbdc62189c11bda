package relation

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
)

// maxRead is the maximum number of distinct values of a column that are compared in a converted form to match the sides
// of a pivot.
const maxRead = 1000

// sameSetRead returns the column of the other side, not taken yet, with the same set of values, unchanged or converted,
// such as 2024-01 to 2024-01-01, and the keys of both columns after the conversion. at is -1 if there is none.
func (e *evidence) sameSetRead(s side, column int, taken []bool) (at int, mine, other []uint64) {
	if at := e.sameSet(s, column, taken); at >= 0 {
		return at, e.naturalKeys(s, column), e.naturalKeys(!s, at)
	}
	c := &e.table(s).Columns[column]
	values, ok := e.distinctValues(s, column)
	if !ok {
		return -1, nil, nil
	}
	for _, i := range e.columns(!s) {
		o := &e.table(!s).Columns[i]
		if taken[i] || c.Type.Numeric() && o.Type.Numeric() {
			continue
		}
		others, ok := e.distinctValues(!s, i)
		if !ok || others.Rows() != values.Rows() {
			continue
		}
		a := align.Align(values, others, align.Options{Asked: e.Question + " " + e.Evidence})
		if len(a.Columns) != 1 || !a.Columns[0].Exact() || a.Columns[0].Scale != 0 ||
			cell.Compare(values, others, &a, cell.Options{}).Score < 1 {
			continue
		}
		mv, ov := cell.Views(&a.Columns[0].Comparison, false)
		return i, cell.AllKeys(c, mv), cell.AllKeys(o, ov)
	}
	return -1, nil, nil
}

// distinctValues returns a table of one column with the distinct values of the given one. ok is false if there are more
// than maxRead.
func (e *evidence) distinctValues(s side, column int) (t *scoring.Table, ok bool) {
	c := &e.table(s).Columns[column]
	seen := map[uint64]bool{}
	b := scoring.NewBuilder(c.Name, c.Type, 0)
	for i, k := range e.naturalKeys(s, column) {
		if seen[k] {
			continue
		}
		if seen[k] = true; len(seen) > maxRead {
			return nil, false
		}
		b.Append(c.Value(i))
	}
	t, err := scoring.NewTable(b.Column())
	return t, err == nil
}
