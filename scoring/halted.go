package scoring

import "github.com/badger-eval/badger/internal/halt"

// haltedCells is the number of cells from which the comparison of a table can be cancelled. The comparison of a
// smaller table is fast enough to finish.
const haltedCells = 4096

// haltedColumns is the number of columns from which the comparison of a table can be cancelled however few rows it has,
// since each column is compared with every other.
const haltedColumns = 64

// Until returns the table, or a copy of it whose columns hold s, so that code that reads them can be cancelled. It
// returns t itself if s is nil or the table is small.
func (t *Table) Until(s *halt.Signal) *Table {
	if t == nil || s == nil || t.Rows()*len(t.Columns) < haltedCells && len(t.Columns) < haltedColumns {
		return t
	}
	out := *t
	out.Columns = make([]Column, len(t.Columns))
	for i := range out.Columns {
		out.Columns[i] = t.Columns[i]
		out.Columns[i].halt = s
	}
	return &out
}

// Halt returns the signal that cancels the computation on the table; nil if there is none.
func (t *Table) Halt() *halt.Signal {
	if t == nil || len(t.Columns) == 0 {
		return nil
	}
	return t.Columns[0].halt
}

// Halt returns the signal that cancels the computation on the column; nil if there is none.
func (c *Column) Halt() *halt.Signal {
	if c == nil {
		return nil
	}
	return c.halt
}
