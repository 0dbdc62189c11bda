package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// ScoreFile is a file of scores in JSON Lines. It is a [Ledger] of a single run, and ignores the run's name. Rows are
// appended, so that a killed process leaves at most a truncated last line, which the next process removes. A key that
// is stored again has several lines until [ScoreFile.Arrange]; the last one is used.
type ScoreFile struct {
	path string
	f    storage
	size int64 // length of the complete lines in bytes
	buf  []byte
	// held is set once Held has read lines: what is appended then may replace some of them.
	held, untidy bool
}

// storage lists the methods of an [os.File] that a score file needs.
type storage interface {
	io.ReaderAt
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
	Sync() error
	Stat() (os.FileInfo, error)
}

// CreateScoreFile creates an empty score file, and truncates an existing file.
func CreateScoreFile(path string) (*ScoreFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fileError("the score file", err)
	}
	return &ScoreFile{path: path, f: f}, nil
}

// OpenScoreFile opens a score file to append to it, or creates it. If the first line is not a score, or an incomplete
// last line does not start as one, it leaves the file unchanged and returns DataLoss.
func OpenScoreFile(path string) (*ScoreFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fileError("the score file", err)
	}
	s := &ScoreFile{path: path, f: f}
	if err := s.recover(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

// recover finds the end of the complete lines, and removes a truncated line after it, or completes it if only its
// line feed is missing.
func (s *ScoreFile) recover() error {
	size, err := s.f.Seek(0, io.SeekEnd)
	if err != nil {
		return fileError("the score file", err)
	}
	tail, err := s.tail(size)
	if err != nil {
		return fileError("the score file", err)
	}
	s.size = size - int64(len(tail))
	for l, err := range s.whole() {
		if err == nil {
			_, err = s.head(l)
		}
		if err != nil {
			return err
		}
		break
	}
	if len(tail) == 0 {
		return nil
	}
	if err := new(scoring.Row).UnmarshalKey(tail); err == nil && json.Valid(tail) { // nothing but the line feed is missing
		return s.write(append(tail, '\n'))
	}
	// What a killed process leaves is the beginning of a score, or blocks of zeros; anything else
	// was not written by a run.
	if start := bytes.TrimRight(tail[:min(len(tail), len(lineStart))], "\x00"); !bytes.HasPrefix([]byte(lineStart),
		start) {
		return errcode.New(errcode.DataLoss, "%s: the last line is not a score; expected a file that badger run wrote",
			filepath.Base(s.path))
	}
	if err := s.rewind(); err != nil {
		return fileError("the score file", err)
	}
	return nil
}

// tail returns the bytes after the last line feed.
func (s *ScoreFile) tail(size int64) ([]byte, error) {
	const step = 1 << 16
	for n := int64(step); ; n *= 2 {
		n = min(n, size)
		b := make([]byte, n)
		if _, err := s.f.ReadAt(b, size-n); err != nil {
			return nil, err
		}
		if at := bytes.LastIndexByte(b, '\n'); at >= 0 {
			return b[at+1:], nil
		}
		if n == size {
			return b, nil
		}
	}
}

const lineStart = `{"case_id":`

// rewind truncates the file to its complete lines.
func (s *ScoreFile) rewind() error {
	if err := s.f.Truncate(s.size); err != nil {
		return err
	}
	_, err := s.f.Seek(s.size, io.SeekStart)
	return err
}

// write appends complete lines. If that fails, it removes a part that was written.
func (s *ScoreFile) write(text []byte) error {
	if _, err := s.f.Seek(s.size, io.SeekStart); err != nil && s.regular() {
		return fileError("the score file", err)
	}
	if _, err := s.f.Write(text); err != nil {
		_ = s.rewind() // where this fails too, the torn line is dropped when the file is opened again
		return fileError("the score file", err)
	}
	s.size += int64(len(text))
	return nil
}

// regular reports whether the file is a regular file, not a pipe.
func (s *ScoreFile) regular() bool {
	info, err := s.f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// head reads the key of a line's score.
func (s *ScoreFile) head(l jsonscan.Line) (r scoring.Row, err error) {
	if l.Text == nil && l.Length > 0 {
		return r, s.notAScore(l,
			errcode.New(errcode.DataLoss, "the line has %d bytes, expected at most %d", l.Length, defaultMaxLine))
	}
	if err := r.UnmarshalKey(l.Text); err != nil {
		return r, s.notAScore(l, err)
	}
	return r, nil
}

func (s *ScoreFile) notAScore(l jsonscan.Line, err error) error {
	return errcode.New(errcode.DataLoss, "%s:%d: expected a score: %w", filepath.Base(s.path), l.Number,
		jsonscan.Explain(err))
}

// whole yields the complete lines of the file.
func (s *ScoreFile) whole() iter.Seq2[jsonscan.Line, error] {
	return jsonscan.Lines(io.NewSectionReader(s.f, 0, s.size), defaultMaxLine)
}

// Held yields the scores of the file without details; of several lines with the same key only the last.
func (s *ScoreFile) Held(ctx context.Context, _ string) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		last, err := s.last(ctx)
		if err != nil {
			yield(scoring.Row{}, err)
			return
		}
		s.held = s.size > 0
		s.untidy = s.untidy || len(last) > 0
		known := interned{}
		for l, err := range s.lines(ctx) {
			var r scoring.Row
			if err == nil {
				r, err = s.row(l)
			}
			if err == nil {
				known.row(&r)
				if at, again := last[KeyOf(&r)]; again && at != l.Offset {
					continue
				}
				r.Score.Detail = nil
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// last returns the keys that have several lines, with the offset of the last line.
func (s *ScoreFile) last(ctx context.Context) (map[Key]int64, error) {
	seen, last := newDoneSet(), map[Key]int64{}
	known := interned{}
	for l, err := range s.lines(ctx) {
		if err != nil {
			return nil, err
		}
		h, err := s.head(l)
		if err != nil {
			return nil, err
		}
		known.row(&h)
		if k := KeyOf(&h); seen.has(k) {
			last[k] = l.Offset
		} else {
			seen.put(k)
		}
	}
	return last, nil
}

// lines yields the lines of the file until the context ends.
func (s *ScoreFile) lines(ctx context.Context) iter.Seq2[jsonscan.Line, error] {
	return func(yield func(jsonscan.Line, error) bool) {
		for l, err := range s.whole() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				err = fileError("the score file", err)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

func (s *ScoreFile) row(l jsonscan.Line) (r scoring.Row, err error) {
	if err := json.Unmarshal(l.Text, &r); err != nil {
		return r, s.notAScore(l, err)
	}
	return r, nil
}

// Rows yields all lines of the file as scores, in order.
func (s *ScoreFile) Rows(ctx context.Context) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		for l, err := range s.lines(ctx) {
			var r scoring.Row
			if err == nil {
				r, err = s.row(l)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Append writes the rows at the end of the file. If that fails, such as on a full disk, the file is unchanged.
func (s *ScoreFile) Append(_ context.Context, _ string, rows []scoring.Row) error {
	s.buf = s.buf[:0]
	for i := range rows {
		line, err := rows[i].MarshalJSON()
		if err != nil {
			return errcode.New(errcode.Internal, "the score of %s on case %q cannot be written as JSON: %w",
				rows[i].Score.Metric, rows[i].CaseID, err)
		}
		s.buf = append(append(s.buf, line...), '\n')
	}
	s.untidy = s.untidy || s.held && len(rows) > 0
	err := s.write(s.buf)
	if cap(s.buf) > 8<<20 {
		s.buf = nil
	}
	return err
}

// Untidy reports whether the file may have several lines with the same key, or lines in another order than the source,
// because it had lines before others were appended. [ScoreFile.Arrange] mends that.
func (s *ScoreFile) Untidy() bool { return s.untidy }

// Close syncs and closes the file.
func (s *ScoreFile) Close() error {
	var err error
	if s.regular() {
		err = s.f.Sync()
	}
	if e := s.f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fileError("the score file", err)
	}
	return nil
}
