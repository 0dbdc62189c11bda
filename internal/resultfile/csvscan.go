package resultfile

import (
	"bytes"
	"context"
	"io"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// cell is one cell of a CSV record. Its text is valid until the next record.
type cell struct {
	text   []byte
	quoted bool
}

// csvScanner splits CSV into records: lines that end in LF or CRLF, with cells between delimiters. A quoted cell may
// contain delimiters, line ends and doubled quotes. A quote inside an unquoted cell has no special meaning.
type csvScanner struct {
	in    io.Reader
	ctx   context.Context //nolint:containedctx // lives for one call
	delim byte
	max   int64                   // maximum bytes of text; 0 or less: unlimited
	check func(total int64) error // checks the number of bytes read so far; may be nil
	grow  func(n int64) error     // reserves n bytes for a longer buffer; may be nil

	buf      []byte
	pos, end int
	total    int64
	eof      bool
	cells    []cell
	raw      []byte // text of the current record
	scratch  []byte // text of quoted cells, without doubling of quotes
	special  [256]bool
}

func newCSVScanner(ctx context.Context, in io.Reader, delim byte, maxBytes int64) *csvScanner {
	s := &csvScanner{in: in, ctx: ctx, delim: delim, max: maxBytes, buf: make([]byte, 1<<18)}
	s.special[delim], s.special['\n'] = true, true
	return s
}

// next reads the next record into s.cells. It returns io.EOF after the last.
func (s *csvScanner) next() error {
	for {
		if s.pos < s.end {
			n, err := s.record(s.buf[s.pos:s.end])
			if err != nil {
				return err
			}
			if n > 0 {
				s.raw = s.buf[s.pos : s.pos+n]
				s.pos += n
				return nil
			}
		} else if s.eof {
			return io.EOF
		}
		if s.eof {
			return errcode.New(errcode.DataLoss, "ends inside a quoted cell: the file is truncated, or a quote is missing")
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// fill reads more text, and enlarges the buffer if one record fills it. It reads as much again as the record has so
// far, so that a record that comes in small pieces, as from a compressed file, is scanned a few times only.
func (s *csvScanner) fill() error {
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if s.grow != nil { // what is added, and the copy
			if err := s.grow(2 * int64(len(s.buf))); err != nil {
				return err
			}
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for enough := min(2*s.end, len(s.buf)); ; {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadAtLeast(s.in, s.buf[s.end:], 1)
		s.end += n
		if s.total += int64(n); s.max > 0 && s.total > s.max {
			return errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes of text", s.max)
		}
		if s.check != nil {
			if err := s.check(s.total); err != nil {
				return err
			}
		}
		if err == io.EOF {
			s.eof = true
			return nil
		}
		if err != nil {
			return ioError(err)
		}
		if s.end >= enough {
			return nil
		}
	}
}

// consumed returns the number of bytes of the records so far.
func (s *csvScanner) consumed() int64 { return s.total - int64(s.end-s.pos) }

// record splits the record at the beginning of b into s.cells. It returns the record's length with the line end, or 0
// if the record does not end in b.
func (s *csvScanner) record(b []byte) (int, error) {
	s.cells, s.scratch = s.cells[:0], s.scratch[:0]
	for i := 0; ; {
		if len(s.cells) == scoring.MaxColumns {
			return 0, errcode.New(errcode.ResourceExhausted, "more than %d columns", scoring.MaxColumns)
		}
		var j int
		if i < len(b) && b[i] == '"' {
			if j = s.quoted(b, i); j == 0 {
				return 0, nil
			}
			if j < len(b) && b[j] == '\r' && (j+1 < len(b) && b[j+1] == '\n' || j+1 == len(b) && s.eof) {
				j++
			}
			if j < len(b) && !s.special[b[j]] {
				if j+1 == len(b) && !s.eof {
					return 0, nil
				}
				return 0, errcode.New(errcode.InvalidArgument, "column %d: expected a delimiter after the closing quote",
					len(s.cells))
			}
		} else {
			for j = i; j < len(b) && !s.special[b[j]]; j++ { //nolint:revive // finds the cell's end
			}
			text := b[i:j]
			if j == len(b) && !s.eof {
				return 0, nil
			}
			if n := len(text); n > 0 && text[n-1] == '\r' && (j == len(b) || b[j] == '\n') {
				text = text[:n-1]
			}
			s.cells = append(s.cells, cell{text: text})
		}
		switch {
		case j >= len(b):
			if !s.eof {
				return 0, nil
			}
			return len(b), nil
		case b[j] == '\n':
			return j + 1, nil
		}
		i = j + 1
	}
}

// quoted appends the quoted cell that starts at b[i] to s.cells. It returns the index after its closing quote, or 0 if
// the cell does not end in b.
func (s *csvScanner) quoted(b []byte, i int) int {
	start, escaped := i+1, false
	j := start
	for {
		k := bytes.IndexByte(b[j:], '"')
		if k < 0 {
			return 0
		}
		j += k + 1
		if j == len(b) && !s.eof {
			return 0 // the next byte may be another quote
		}
		if j == len(b) || b[j] != '"' {
			break
		}
		escaped = true
		j++
	}
	text := b[start : j-1]
	if escaped {
		from := len(s.scratch)
		for k := 0; k < len(text); k++ {
			s.scratch = append(s.scratch, text[k])
			if text[k] == '"' {
				k++
			}
		}
		text = s.scratch[from:len(s.scratch):len(s.scratch)]
	}
	s.cells = append(s.cells, cell{text: text, quoted: true})
	return j
}

// blank reports whether the record is an empty line.
func (s *csvScanner) blank() bool {
	return len(s.cells) == 1 && len(s.cells[0].text) == 0 && !s.cells[0].quoted
}

// delimiters are the delimiters that are tried, the most usual first.
const delimiters = ",\t;|"

// sniffDelimiter returns the delimiter of a CSV file by its beginning, head: one that splits the first records into the
// same number of cells, more than one, and the most cells if there are several. If there is none, it is one that occurs
// in the header, or a comma. whole is set if head is the whole file.
func sniffDelimiter(head []byte, whole bool) byte {
	best, bestCells := byte(','), 1
	inHeader := byte(0)
	for _, d := range []byte(delimiters) {
		s := newCSVScanner(context.Background(), nil, d, 0)
		s.eof = whole
		width, rows := 0, 0
		for b := head; len(b) > 0 && rows < 50; {
			n, err := s.record(b)
			if err != nil || n == 0 {
				if rows == 0 {
					width = -1
				}
				break
			}
			b = b[n:]
			if s.blank() {
				continue
			}
			if rows == 0 {
				width = len(s.cells)
				if width > 1 && inHeader == 0 {
					inHeader = d
				}
			} else if len(s.cells) != width {
				width = -1
				break
			}
			rows++
		}
		if width > bestCells {
			best, bestCells = d, width
		}
	}
	if bestCells == 1 && inHeader != 0 {
		return inHeader // nothing fits all rows: the error about the ragged row will be about this one
	}
	return best
}
