// Package erase overwrites lines of a file in place.
//
// A program that has the file open, and appends to it, is not disturbed: no line moves, and the file keeps its length.
package erase

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// longest is the maximum length of a line in bytes.
const longest = 64 << 20

// Lines overwrites the complete lines of the file at path for which expired returns true, with blanks up to the line
// feed, and returns their number. Blank lines and an incomplete last line are unchanged. If dry is set, it only counts.
// If it is interrupted, one line may begin with blanks, so that it is malformed; expired should return true for such a
// line.
func Lines(path string, dry bool, expired func(line []byte) bool) (n int64, err error) {
	mode := os.O_RDWR
	if dry {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	for l, err := range written(io.NewSectionReader(f, 0, info.Size())) { // lines that are appended meanwhile stay
		if err != nil {
			return n, err
		}
		if !expired(l.Text) {
			continue
		}
		n++
		if dry {
			continue
		}
		if _, err := f.WriteAt(bytes.Repeat([]byte{' '}, l.Length), l.Offset); err != nil {
			return n, err
		}
	}
	if n == 0 || dry {
		return n, nil
	}
	return n, f.Sync()
}

// Foreign returns the number, from 1, of the first complete line of the file at path that is not one of the caller's
// records, or 0 if there is none. Blank lines, and the rest of a line that an interrupted [Lines] left, are not
// foreign.
func Foreign(path string, isRecord func(line []byte) bool) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	for l, err := range written(f) {
		if err != nil {
			return 0, err
		}
		if l.Text[0] != ' ' && !isRecord(l.Text) {
			return l.Number, nil
		}
	}
	return 0, nil
}

// written returns the lines that are complete and not blank. The last line is incomplete while it is being written.
func written(in io.Reader) iter.Seq2[jsonscan.Line, error] {
	return func(yield func(jsonscan.Line, error) bool) {
		for l, err := range jsonscan.Lines(in, longest) {
			if err == nil && l.Text == nil {
				err = errors.New("a line is longer than 64 MiB")
			}
			if err != nil {
				yield(l, err)
				return
			}
			if !l.Torn && len(bytes.TrimSpace(l.Text)) > 0 && !yield(l, nil) {
				return
			}
		}
	}
}
