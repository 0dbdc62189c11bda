package resultfile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/badger-eval/badger/internal/errcode"
)

// Record is a record of CSV text whose cells are not typed.
type Record struct {
	Line  int // of the file, from 1
	Cells []string
}

// maxRecord is the maximum length of a record of CSV text, in bytes.
const maxRecord = 256 << 20

// Records yields the records of CSV text, the header first, without blank lines. Text in UTF-16 has a byte order mark;
// other text is UTF-8, or in an encoding that [KnowsEncoding] accepts. If delim is 0, the delimiter is detected, also
// by the name of the file. After an error, with the line that it is about, the rest is not read.
func Records(ctx context.Context, in io.Reader, name, encoding string, delim byte) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		line := 1
		r := reader{Options: &Options{}, name: strings.ToLower(name)}
		buffered, err := r.decoded(in, encoding)
		if err != nil {
			yield(Record{Line: line}, err)
			return
		}
		head, _ := buffered.Peek(16) // a short file has fewer
		named, err := namedDelimiter(buffered)
		if err != nil {
			yield(Record{Line: line}, err)
			return
		}
		if named != 0 {
			line += min(1, bytes.Count(head, []byte("\n")))
		}
		if delim = cmp.Or(delim, named); delim == 0 {
			delim = r.delimiter(buffered)
		}
		s := newCSVScanner(ctx, buffered, delim, 0)
		s.grow = func(n int64) error {
			if n > 2*maxRecord {
				return errcode.New(errcode.ResourceExhausted, "longer than %d MiB; is a closing quote missing?", maxRecord>>20)
			}
			return nil
		}
		for {
			if err := s.next(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(Record{Line: line}, err)
				return
			}
			r := Record{Line: line}
			line += bytes.Count(s.raw, []byte("\n"))
			if s.blank() {
				continue
			}
			if !utf8.Valid(s.raw) {
				err := errcode.New(errcode.InvalidArgument, "not UTF-8: expected UTF-8 or UTF-16; name another encoding, such as --encoding windows-1252, or save the file as UTF-8")
				yield(r, err)
				return
			}
			for _, c := range s.cells {
				r.Cells = append(r.Cells, string(c.text))
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// notText names the format of a file that starts like this and is not text; "" for others.
func notText(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "a spreadsheet or a ZIP archive: save the sheet as CSV"
	case bytes.HasPrefix(head, []byte("\x1f\x8b")), bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return "compressed: decompress the file first"
	}
	return ""
}

// KnowsEncoding reports whether text in the encoding of this name is read. Names are those of the WHATWG Encoding
// Standard, by which latin1 is windows-1252; "" is UTF-8.
func KnowsEncoding(name string) bool {
	of, err := htmlindex.Get(name)
	return name == "" || err == nil && of != encoding.Replacement
}

// decoded returns the text of in as UTF-8 without a byte order mark.
func (r *reader) decoded(in io.Reader, encoding string) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	head, err := buffered.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, ioError(err)
	}
	wrong := ""
	of, _ := htmlindex.Get(encoding) //nolint:errcheck // UTF-8
	wide := strings.HasPrefix(strings.ToLower(encoding), "utf-16")
	switch {
	case bytes.HasPrefix(head, []byte("\ufeff")):
		_, err := buffered.Discard(3)
		return buffered, err
	case IsPointer(head):
		wrong = Pointer
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
	case wide && of != nil:
		return bufio.NewReaderSize(of.NewDecoder().Reader(&inPairs{in: buffered}), 1<<16), nil
	case len(head) >= 4 && (head[0] == 0 && head[2] == 0 || head[1] == 0 && head[3] == 0) && head[0] != 0xff:
		wrong = "UTF-16 without a byte order mark: save the file as UTF-8, or convert it by iconv -f UTF-16LE -t UTF-8"
	default:
		if wrong = notText(head); wrong == "" && of != nil && of != unicode.UTF8 {
			return bufio.NewReaderSize(of.NewDecoder().Reader(buffered), 1<<16), nil
		}
	}
	if wrong != "" {
		return nil, errcode.New(errcode.InvalidArgument, "%s", wrong)
	}
	return r.asUTF8(buffered)
}
