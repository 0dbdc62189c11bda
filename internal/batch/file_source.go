package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// DefaultMaxLine is how long a line of a case file may be, in bytes.
const DefaultMaxLine = 256 << 20

// FileSource is a case file in JSON Lines: one case a line, blank lines between them allowed. It is read line by line as cases are
// taken, so it may be of any size. A line that holds no case is an item that says so, and the lines after it are read.
type FileSource struct {
	Path    string
	In      io.Reader // read instead of the file at Path, which is then only its name; such a source can be read once
	MaxLine int       // bytes a line may have; default [DefaultMaxLine]
}

// Dir is the directory that relative file: references in the cases start from.
func (s FileSource) Dir() string {
	if s.In != nil {
		return "."
	}
	return filepath.Dir(s.Path)
}

// Cases yields the lines of the file. Places are the file's name and the number of the line, such as cases.jsonl:17.
func (s FileSource) Cases(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		in := s.In
		if in == nil {
			f, err := os.Open(s.Path)
			if err != nil {
				yield(Item{}, fileError("the case file", err))
				return
			}
			defer f.Close() //nolint:errcheck // only read
			in = f
		}
		name := filepath.Base(s.Path) + ":"
		known := interned{}
		for line, err := range lines(in, s.maxLine()) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Item{}, fileError("the case file", err))
				return
			}
			text := bytes.TrimSpace(line.text)
			if line.number == 1 {
				text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
				if len(text) > 0 && text[0] == '[' {
					yield(Item{}, errcode.New(errcode.InvalidArgument, "%s: expected one JSON object a line (JSON Lines), found an array", filepath.Base(s.Path)))
					return
				}
			}
			if len(text) == 0 && line.length <= s.maxLine() {
				continue
			}
			if !yield(s.item(line, text, placeOf(name, line.number), known), nil) {
				return
			}
		}
	}
}

func placeOf(name string, n int) string { return name + strconv.Itoa(n) }

func (s FileSource) maxLine() int {
	if s.MaxLine > 0 {
		return s.MaxLine
	}
	return DefaultMaxLine
}

func (s FileSource) item(line line, text []byte, place string, known interned) Item {
	item := Item{Place: place}
	if line.length > s.maxLine() {
		item.CaseID = place
		item.Load = func(context.Context) (*scoring.Case, error) {
			return nil, errcode.New(errcode.ResourceExhausted, "%s: the line has %d bytes, at most %d are read", place, line.length, s.maxLine())
		}
		return item
	}
	var id struct {
		CaseID string `json:"case_id"`
		Agent  struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"agent"`
	}
	_ = json.Unmarshal(text, &id) // what is wrong with the line is said when it is loaded
	item.Answer = Answer{id.CaseID, known.of(id.Agent.Name), known.of(id.Agent.Version)}
	if item.CaseID == "" {
		item.CaseID = place
	}
	own := bytes.Clone(text)
	item.Bytes = 3 * int64(len(own)) // the text, and what is made of it
	item.Load = func(context.Context) (*scoring.Case, error) {
		c, err := scoring.DecodeCase(own)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", place, err)
		}
		return c, nil
	}
	return item
}

// Count counts the lines that are not blank. A source that can be read only once is not counted.
func (s FileSource) Count(ctx context.Context) (int64, error) {
	if s.In != nil {
		return 0, nil
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return 0, fileError("the case file", err)
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, nil //nolint:nilerr // reading it will tell
	}
	var n int64
	blank := true
	buf := make([]byte, 1<<18)
	for {
		k, err := f.Read(buf)
		for rest := buf[:k]; len(rest) > 0; {
			line, after, ended := bytes.Cut(rest, []byte{'\n'})
			if blank && len(bytes.TrimSpace(line)) > 0 {
				blank = false
				n++
			}
			blank = blank || ended
			rest = after
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			return 0, fileError("the case file", err)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
}

// line is one line of a file. text is valid until the next one is read, and nil where the line is longer than allowed.
type line struct {
	number int // from 1
	offset int64
	length int // bytes, without the line feed
	text   []byte
	torn   bool // the last line, without a line feed
}

// lines reads a file line by line. Of a line longer than limit only the length is kept.
func lines(in io.Reader, limit int) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		r := bufio.NewReaderSize(in, 1<<16)
		var long []byte // a line that does not fit the reader's buffer
		l := line{number: 1}
		for {
			part, err := r.ReadSlice('\n')
			ended := err == nil
			if ended {
				part = part[:len(part)-1]
			}
			l.length += len(part)
			switch {
			case l.length > limit:
				long = nil
			case ended && len(long) == 0:
				l.text = part
			default:
				long = append(long, part...)
				l.text = long
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(line{}, err)
				return
			}
			if l.torn = !ended; l.torn && l.length == 0 {
				return
			}
			if l.length > limit {
				l.text = nil
			}
			if !yield(l, nil) || l.torn {
				return
			}
			if cap(long) > 1<<20 {
				long = nil // one long line must not keep its memory
			}
			long = long[:0]
			l = line{number: l.number + 1, offset: l.offset + int64(l.length) + 1}
		}
	}
}

// interned keeps one copy of texts that repeat, such as the name of an agent.
type interned map[string]string

func (t interned) of(s string) string {
	if have, ok := t[s]; ok {
		return have
	}
	if len(t) < 1024 {
		t[s] = s
	}
	return s
}

// fileError gives an error of the file system its code. The message names the file as the caller did.
func fileError(what string, err error) error {
	code := errcode.Of(err)
	switch {
	case code != errcode.Unknown:
	case errors.Is(err, fs.ErrNotExist):
		code = errcode.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = errcode.PermissionDenied
	case full(err):
		code = errcode.ResourceExhausted
	default:
		code = errcode.Unavailable
	}
	return errcode.New(code, "%s: %w", what, err)
}
