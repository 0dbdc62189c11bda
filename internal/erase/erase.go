// Package erase overwrites lines of a file in place.
//
// A program that has the file open, and appends to it, is not disturbed: no line moves, and the file keeps its length.
package erase

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
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
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), 1<<16) // lines that are appended meanwhile stay
	for at := int64(0); ; {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break // an incomplete line is being written
		}
		if err != nil {
			return n, err
		}
		text := line[:len(line)-1]
		if len(bytes.TrimSpace(text)) > 0 && expired(text) {
			n++
			if !dry {
				if _, err := f.WriteAt(bytes.Repeat([]byte{' '}, len(text)), at); err != nil {
					return n, err
				}
			}
		}
		at += int64(len(line))
	}
	if n == 0 || dry {
		return n, nil
	}
	return n, f.Sync()
}

// Foreign returns the number, from 1, of the first complete line of the file at path that is not one of the caller's
// records, or 0 if there is none. Blank lines, and the rest of a line that an interrupted [Lines] left, are not
// foreign.
func Foreign(path string, isRecord func(line []byte) bool) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	in := bufio.NewReaderSize(f, 1<<16)
	for n := int64(1); ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if text := line[:len(line)-1]; len(bytes.TrimSpace(text)) > 0 && text[0] != ' ' && !isRecord(text) {
			return n, nil
		}
	}
}

// readLine reads up to and including a line feed.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > longest {
			return line, errors.New("a line is longer than 64 MiB")
		}
	}
}
