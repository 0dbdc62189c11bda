package scoring

import "github.com/badger-eval/badger/internal/halt"

// haltedCells is the minimum number of cells of a table whose comparison can be cancelled. The
// comparison of a smaller table is fast enough to finish.
const haltedCells = 4096

// haltedColumns is the same limit for columns, which are compared pairwise regardless of the number of rows.
const haltedColumns = 64

// Until returns the table for a computation that a signal can stop: readers of its columns check the signal.
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

// Halt is the signal with which the computation on a table ends; nil if there is none.
func (t *Table) Halt() *halt.Signal {
	if t == nil || len(t.Columns) == 0 {
		return nil
	}
	return t.Columns[0].halt
}

// Halt is the signal with which the computation on a column ends; nil if there is none.
func (c *Column) Halt() *halt.Signal {
	if c == nil {
		return nil
	}
	return c.halt
}
