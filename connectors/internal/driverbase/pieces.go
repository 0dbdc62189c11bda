package driverbase

import (
	"encoding/json"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// Pieces writes rows as JSON arrays of arrays of strings and nulls, for warehouses that receive rows as a parameter:
// the row {"id": 1, "s": null} is ["1",null]. Numbers are strings with all their digits, because JSON parsers convert
// numbers to doubles. It counts the rows in the plan's Rows.
type Pieces struct {
	plan     *Plan
	rows     array.RecordReader
	notation *Notation
	at       int  // index of the next row in the reader's current record
	open     bool // the reader has a current record
	before   int64
	done     bool
	cell     []byte
}

// NewPieces returns a writer of the rows of a plan.
func NewPieces(p *Plan, rows array.RecordReader, n *Notation) *Pieces {
	return &Pieces{plan: p, rows: rows, notation: n}
}

// Done reports whether all rows have been written.
func (t *Pieces) Done() bool { return t.done }

// Before returns the number of rows before the latest piece.
func (t *Pieces) Before() int64 { return t.before }

// Next returns the next rows as one piece, which ends with the row that makes it at least size bytes long. It returns
// "" if no rows are left.
func (t *Pieces) Next(size int) (string, error) {
	t.before = t.plan.Rows
	b := []byte{'['}
	for len(b) < size && !t.done {
		if !t.open {
			if t.open = t.rows.Next(); !t.open {
				t.done = true
				if err := t.rows.Err(); err != nil {
					return "", err
				}
				break
			}
			t.at = 0
		}
		if t.at >= int(t.rows.Record().NumRows()) {
			t.open = false
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		var err error
		if b, err = t.row(b); err != nil {
			return "", err
		}
		t.at++
		t.plan.Rows++
	}
	if t.plan.Rows == t.before {
		return "", nil
	}
	return string(append(b, ']')), nil
}

func (t *Pieces) row(b []byte) ([]byte, error) {
	b = append(b, '[')
	for i, col := range t.rows.Record().Columns() {
		if i > 0 {
			b = append(b, ',')
		}
		if IsNull(col, t.at) {
			t.plan.Nulls[i] = true
			b = append(b, "null"...)
			continue
		}
		var err error
		if t.cell, err = t.notation.Append(t.cell[:0], col, t.at); err != nil {
			return nil, t.plan.CellError(i, err)
		}
		b = appendJSON(b, t.cell)
	}
	return append(b, ']'), nil
}

// appendJSON appends text as a JSON string.
func appendJSON(b, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(string(text)) // a string can always be encoded
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
