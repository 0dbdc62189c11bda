package postgres

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/postgres/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
)

// errStopped is the error sent to the server. It omits the reason, which may be arbitrary text.
var errStopped = errcode.New(errcode.Cancelled, "the rows ended in an error")

// copy sends the rows by COPY into a table and returns their number. An error of the rows aborts the transaction.
func (m *merge) copy(ctx context.Context, rows array.RecordReader, to string, columns []string,
	numbered bool) (int64, error) {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := m.writeLines(ctx, w, rows, numbered)
		if err != nil {
			w.CloseWithError(errStopped) //nolint:errcheck // never fails
		}
		w.Close() //nolint:errcheck // never fails
		written <- err
	}()
	tag, err := m.s.pg.CopyFrom(ctx, r, fmt.Sprintf("COPY %s (%s) FROM STDIN", to, driverbase.List(columns)))
	r.CloseWithError(errStopped) //nolint:errcheck // never fails
	failed := <-written          // from here on the plan does not change
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case failed != nil && failed != errStopped: //nolint:errorlint // the pipe returns it unwrapped
		return 0, failed
	case err != nil:
		return 0, m.db.errorOf(ctx, err)
	case tag.RowsAffected() != m.plan.Rows:
		return 0, errcode.New(errcode.DataLoss, "%d rows were sent and the server took %d", m.plan.Rows, tag.RowsAffected())
	}
	return m.plan.Rows, nil
}

// writeLines writes rows in COPY's text format: a line for each row, tabs between values, \N for NULL. If numbered is
// set, a line starts with the row's index.
func (m *merge) writeLines(ctx context.Context, to io.Writer, rows array.RecordReader, numbered bool) (err error) {
	defer driverbase.Recovered(&err) // it runs in a separate goroutine
	w := bufio.NewWriterSize(to, 64<<10)
	var line []byte
	for cells, err := range m.texts(ctx, rows) {
		if err != nil {
			return err
		}
		line = line[:0]
		if numbered {
			line = append(strconv.AppendInt(line, m.plan.Rows-1, 10), '\t')
		}
		for _, cell := range cells {
			if cell == nil {
				line = append(line, '\\', 'N')
			} else {
				line = appendEscaped(line, cell)
			}
			line = append(line, '\t')
		}
		if _, err := w.Write(append(bytes.TrimSuffix(line, []byte("\t")), '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// texts returns the values of each row in the server's text format, nil for NULL, valid until the next row. It records
// NULLs and the number of rows in the plan. If the rows end with an error, it is returned last.
func (m *merge) texts(ctx context.Context, rows array.RecordReader) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		cells, memory := make([][]byte, len(m.plan.Names)), make([][]byte, len(m.plan.Names))
		for i := range memory {
			memory[i] = []byte{} // the empty string is not NULL
		}
		for ctx.Err() == nil && rows.Next() {
			rec := rows.Record()
			for row := range int(rec.NumRows()) {
				for i, col := range rec.Columns() {
					if cells[i] = nil; driverbase.IsNull(col, row) {
						m.plan.Nulls[i] = true
						continue
					}
					text, err := value.AppendCell(memory[i][:0], col, row)
					if err != nil {
						yield(nil, m.plan.CellError(i, err))
						return
					}
					cells[i], memory[i] = text, text
				}
				m.plan.Rows++
				if !yield(cells, nil) {
					return
				}
			}
		}
		if err := cmp.Or(ctx.Err(), rows.Err()); err != nil {
			yield(nil, err)
		}
	}
}

// appendEscaped appends text with a backslash before characters that are special to COPY.
func appendEscaped(dst, text []byte) []byte {
	start := 0
	for i, b := range text {
		var e byte
		switch b {
		case '\\', '\t':
			e = b
		case '\n':
			e = 'n'
		case '\r':
			e = 'r'
		default:
			continue
		}
		dst = append(append(dst, text[start:i]...), '\\', e)
		start = i + 1
	}
	return append(dst, text[start:]...)
}
