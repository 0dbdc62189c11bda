package resultfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// readCSV reads CSV. A column takes the narrowest type that all its cells are written in: INT64 for
// canonical integers, else numbers as [scoring.Builder.AppendNumber] keeps them (doubles if NaN or
// inf is among them), BOOL for true and false, DATE, TIMESTAMP and TIMESTAMPTZ for ISO 8601;
// anything else is STRING and stays as it is.
func (r *reader) readCSV(in *bufio.Reader) (*scoring.Table, error) {
	if bom, _ := in.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
		in.Discard(3) //nolint:errcheck // they were peeked
	}
	if head, _ := in.Peek(len("sep=")); bytes.EqualFold(head, []byte("sep=")) {
		return nil, errcode.New(errcode.InvalidArgument, `the first line names a delimiter for a spreadsheet ("sep=…") and is no header; remove that line`)
	}
	delim := r.delimiter(in)
	if delim == '"' || delim == '\n' || delim == '\r' || delim >= utf8.RuneSelf {
		return nil, errcode.New(errcode.InvalidArgument, "a quote, a line end or a byte beyond ASCII cannot be the delimiter")
	}
	s := newCSVScanner(r.ctx, in, delim, r.limits.Bytes)
	s.check, s.grow = r.limits.CheckBytes, r.limits.Beside
	columns, err := r.header(s)
	if err != nil {
		return nil, err
	}
	rows, blanks := 0, 0 // blank lines at the end are nothing; in between they are a row of a single column
	width := len(columns)
	tooFew := func(row, cells int) error {
		return inRow(row, errcode.New(errcode.InvalidArgument, "%d cells, expected one for each of the %d columns", cells, len(columns)))
	}
	for {
		if !r.NoHeader || rows > 0 {
			if err := s.next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, inRow(rows+blanks, err)
			}
		}
		if s.blank() && (rows > 0 || !r.NoHeader) {
			if len(columns) == 1 {
				blanks++
			}
			continue
		}
		for ; blanks > 0; blanks-- {
			columns[0].null()
			rows++
		}
		if rows == 0 && len(s.cells) < width { // a header may name columns that no row fills; a single such row looks cut off
			width = len(s.cells)
		}
		if len(s.cells) > width && width < len(columns) {
			return nil, tooFew(0, width) // the first row is the one that is cut off
		}
		if len(s.cells) != width {
			return nil, tooFew(rows, len(s.cells))
		}
		if !utf8.Valid(s.raw) {
			return nil, inRow(rows, notUTF8(s.cells))
		}
		for i := range columns {
			if i >= width {
				columns[i].null()
				continue
			}
			c := &s.cells[i]
			if !c.quoted && r.isNull(c.text) {
				columns[i].null()
			} else if err := columns[i].append(c.text); err != nil {
				return nil, inRow(rows, inColumn(columns, i, err))
			}
		}
		rows++
		if err := r.limits.CheckRows(int64(rows)); err != nil {
			return nil, err
		}
		if rows == 1000 && r.size > 0 {
			r.reserve(columns, s.consumed()/int64(rows))
		}
		if rows&0xfff == 0 {
			if err := r.limits.CheckBytes(s.total + 8*int64(rows*len(columns))); err != nil {
				return nil, err
			}
		}
	}
	if width < len(columns) && rows < 2 {
		return nil, tooFew(0, width)
	}
	return table(columns, rows)
}

// reserve makes room for the rows to expect of a file whose records have that many bytes so far,
// within the limits.
func (r *reader) reserve(columns []csvColumn, perRow int64) {
	rows := r.size / max(perRow, 1) * 21 / 20
	if r.limits.Rows > 0 {
		rows = min(rows, r.limits.Rows)
	}
	if r.limits.Bytes > 0 {
		rows = min(rows, r.limits.Bytes/int64(16*len(columns)))
	}
	for i := range columns {
		columns[i].reserve(int(rows))
	}
}

func table(columns []csvColumn, rows int) (*scoring.Table, error) {
	out := make([]scoring.Column, len(columns))
	for i := range columns {
		out[i] = columns[i].column()
		columns[i] = csvColumn{name: columns[i].name} // its text is no longer needed
	}
	t, err := scoring.NewTable(out...)
	if err != nil {
		return nil, fmt.Errorf("assembling %d rows: %w", rows, err)
	}
	return t, nil
}

func (r *reader) delimiter(in *bufio.Reader) byte {
	switch {
	case r.Delimiter != 0:
		return r.Delimiter
	case strings.HasSuffix(r.name, ".tsv") || strings.HasSuffix(r.name, ".tab"):
		return '\t'
	}
	head, err := in.Peek(1 << 16)
	return sniffDelimiter(head, err == io.EOF)
}

// header reads the first record. Names may repeat or be empty.
func (r *reader) header(s *csvScanner) ([]csvColumn, error) {
	for {
		err := s.next()
		if errors.Is(err, io.EOF) {
			return nil, errcode.New(errcode.InvalidArgument, "empty: expected at least a header")
		}
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "header: %w", err)
		}
		if !s.blank() {
			break
		}
	}
	columns := make([]csvColumn, len(s.cells))
	if r.NoHeader {
		return columns, nil
	}
	if !utf8.Valid(s.raw) {
		return nil, errcode.New(errcode.InvalidArgument, "header, %w", notUTF8(s.cells))
	}
	for i := range columns {
		if bytes.IndexByte(s.cells[i].text, '\r') >= 0 && !s.cells[i].quoted {
			return nil, errcode.New(errcode.InvalidArgument, "header: lines end in CR alone; expected LF or CRLF")
		}
		columns[i].name = string(s.cells[i].text)
	}
	return columns, nil
}

// isNull tells whether an unquoted cell stands for NULL.
func (r *reader) isNull(text []byte) bool {
	if r.Nulls == nil {
		return len(text) == 0
	}
	return slices.Contains(r.Nulls, string(text))
}

func notUTF8(cells []cell) error {
	for i, c := range cells {
		if !utf8.Valid(c.text) {
			return errcode.New(errcode.InvalidArgument, "column %d: expected UTF-8 text", i+1)
		}
	}
	return errcode.New(errcode.InvalidArgument, "expected UTF-8 text")
}

func inRow(rowsBefore int, err error) error {
	if code := errcode.Of(err); code == errcode.ResourceExhausted || code == errcode.Cancelled || code == errcode.DeadlineExceeded {
		return err
	}
	return errcode.New(errcode.Of(err), "row %d: %w", rowsBefore+1, err)
}

func inColumn(columns []csvColumn, i int, err error) error {
	return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, columns[i].name, err)
}
