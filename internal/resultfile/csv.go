package resultfile

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// readCSV reads CSV. A column gets the narrowest type that all its cells allow: INT64 for canonical integers, other
// numbers as in [scoring.Builder.AppendNumber] (doubles if NaN or inf is among them), BOOL for true and false, DATE,
// TIMESTAMP or TIMESTAMPTZ for ISO 8601. Any other column is STRING, with its text unchanged.
func (r *reader) readCSV(in *bufio.Reader) (*scoring.Table, error) {
	if bom, _ := in.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
		in.Discard(3) //nolint:errcheck // they were peeked
	}
	named, err := namedDelimiter(in)
	if err != nil {
		return nil, err
	}
	delim := cmp.Or(r.Delimiter, named)
	if delim == 0 {
		delim = r.delimiter(in)
	}
	if delim == '"' || delim == '\n' || delim == '\r' || delim >= utf8.RuneSelf {
		return nil, errcode.New(errcode.InvalidArgument, "a quote, a line end or a byte beyond ASCII cannot be the delimiter")
	}
	s := newCSVScanner(r.ctx, in, delim, r.limits.Bytes)
	s.check, s.grow = r.limits.CheckBytes, r.limits.Extra
	columns, err := r.header(s)
	if err != nil {
		return nil, err
	}
	size := csvSize{limits: &r.limits}
	if err := size.check(columns); err != nil {
		return nil, err
	}
	rows, blanks := 0, 0 // blank lines at the end are nothing; in between they are a row of a single column
	width := len(columns)
	tooFew := func(row, cells int) error {
		return inRow(row,
			errcode.New(errcode.InvalidArgument, "%d cells, expected one for each of the %d columns", cells, len(columns)))
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
			} else if err := columns[i].append(c.text, c.quoted, r.Nulls == nil); err != nil {
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
		if err := size.added(columns); err != nil {
			return nil, err
		}
	}
	if err := size.check(columns); err != nil {
		return nil, err
	}
	if width < len(columns) && rows < 2 {
		return nil, tooFew(0, width)
	}
	return size.table(columns, rows)
}

// namedDelimiter reads a first line such as sep=; or "sep=,", which names the delimiter for spreadsheets and is not a
// header, and returns the delimiter. It reads nothing and returns 0 if the first line is not of this form.
func namedDelimiter(in *bufio.Reader) (byte, error) {
	head, _ := in.Peek(16) // a short file has fewer
	line, _, _ := bytes.Cut(head, []byte("\n"))
	length := len(line) + 1
	line = bytes.Trim(bytes.TrimSuffix(line, []byte("\r")), `"`)
	if len(line) < 4 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, nil
	}
	if len(line) != 5 {
		return 0, errcode.New(errcode.InvalidArgument,
			`the first line names a delimiter for a spreadsheet ("sep=…") that is not one character; remove that line`)
	}
	delim := line[4]
	_, err := in.Discard(min(length, len(head)))
	return delim, err
}

// reserve allocates memory, within the limits, for the expected number of rows of a file whose rows have perRow bytes
// on average so far.
func (r *reader) reserve(columns []csvColumn, perRow int64) {
	rows := r.size / max(perRow, 1) * 21 / 20
	if r.limits.Rows > 0 {
		rows = min(rows, r.limits.Rows)
	}
	if r.limits.Bytes > 0 {
		rows = min(rows, r.limits.Bytes/int64(16*len(columns)))
	}
	if r.limits.CheckBytes(8*rows*int64(len(columns))) != nil {
		return // the rows find room one by one, or not
	}
	for i := range columns {
		columns[i].reserve(int(rows))
	}
}

// csvSize tracks the memory of the columns while a CSV file is read.
type csvSize struct {
	limits *arrowtable.Limits
	cells  int   // cells since the last check
	step   int   // cells until the next check
	bytes  int64 // memory at the last check
}

// csvColumnBytes is the memory of a column without its cells, and csvStep the minimum number of cells that are read
// between two checks of the memory.
const (
	csvColumnBytes = 1024
	csvStep        = 32 << 10
)

// added is called after each row. From time to time it checks the memory against the limits.
func (z *csvSize) added(columns []csvColumn) error {
	if z.cells += len(columns); z.cells < z.step {
		return nil
	}
	return z.check(columns)
}

// check measures the memory of the columns. It returns an error if it exceeds the limits.
func (z *csvSize) check(columns []csvColumn) error {
	z.bytes = csvColumnBytes * int64(len(columns))
	for i := range columns {
		z.bytes += columns[i].bytes()
	}
	z.step, z.cells = csvStep+int(z.bytes/256), 0
	return z.limits.CheckBytes(z.bytes)
}

// room returns an error if n more bytes than the columns have exceed the limits.
func (z *csvSize) room(n int64) error { return z.limits.CheckBytes(z.bytes + n) }

// beside reserves n bytes, runs f and releases them. It panics with [scoring.NoRoom] if they exceed the limits.
func (z *csvSize) beside(n int64, f func()) {
	if err := z.limits.Extra(n); err != nil {
		panic(scoring.NoRoom{Err: err})
	}
	f()
	_ = z.limits.Extra(-n) // releases them
}

func (z *csvSize) table(columns []csvColumn, rows int) (*scoring.Table, error) {
	out := make([]scoring.Column, len(columns))
	var texts []int
	printed := map[nullWord]bool{}
	for i := range columns {
		var ok bool
		columns[i].size = z
		if out[i], ok = columns[i].column(); !ok && !(len(columns[i].words) > 0 && columns[i].figures()) {
			texts = append(texts, i)
			continue
		}
		for _, w := range columns[i].words {
			printed[nullWord{text: w.text, quoted: w.quoted}] = true
		}
		if !ok {
			texts = append(texts, i)
			continue
		}
		columns[i] = csvColumn{name: columns[i].name} // its text is no longer needed
	}
	for _, i := range texts {
		out[i] = columns[i].textColumn(printed)
		columns[i] = csvColumn{name: columns[i].name}
	}
	t, err := scoring.NewTable(out...)
	if err != nil {
		return nil, fmt.Errorf("assembling %d rows: %w", rows, err)
	}
	return t, nil
}

func (r *reader) delimiter(in *bufio.Reader) byte {
	switch {
	case strings.HasSuffix(r.name, ".tsv") || strings.HasSuffix(r.name, ".tab"):
		return '\t'
	}
	head, err := in.Peek(1 << 16)
	return sniffDelimiter(head, err == io.EOF)
}

// header reads the first record that is not blank and returns a column for each cell, named unless NoHeader is set.
// Names may repeat or be empty.
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

// isNull reports whether an unquoted cell means NULL: one of Options.Nulls or, if that is nil, an empty cell, \N or
// <NA>.
func (r *reader) isNull(text []byte) bool {
	if r.Nulls == nil {
		return len(text) == 0 ||
			len(text) < 5 && (text[0] == '\\' || text[0] == '<') && (string(text) == `\N` || string(text) == "<NA>")
	}
	return slices.Contains(r.Nulls, string(text))
}

func notUTF8(cells []cell) error {
	const remedy = "expected UTF-8 text; the file is in another encoding, such as Windows-1252 or Latin-1: save it as UTF-8, or convert it by iconv -f WINDOWS-1252 -t UTF-8"
	for i, c := range cells {
		if !utf8.Valid(c.text) {
			return errcode.New(errcode.InvalidArgument, "column %d: %s", i+1, remedy)
		}
	}
	return errcode.New(errcode.InvalidArgument, remedy)
}

func inRow(rowsBefore int, err error) error {
	if code := errcode.Of(err); code == errcode.ResourceExhausted || code == errcode.Cancelled ||
		code == errcode.DeadlineExceeded {
		return err
	}
	return errcode.New(errcode.Of(err), "row %d: %w", rowsBefore+1, err)
}

func inColumn(columns []csvColumn, i int, err error) error {
	return errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, columns[i].name, err)
}
