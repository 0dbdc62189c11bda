package jsonscan

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"slices"
)

// Line is one line of a file. Text is valid until the next line is read, or longer if Own is set. It is nil if the line
// exceeds the limit.
type Line struct {
	Number int // from 1
	Offset int64
	Length int // bytes, without the line feed
	Text   []byte
	Own    bool // Text's memory is not reused, so it need not be copied
	Torn   bool // the line is the last and has no line feed
}

// lineBlock is the size of the blocks that a long line is read into. A single growing buffer would be copied
// repeatedly.
const lineBlock = 1 << 20

// Lines returns the lines of in. The Text of a line of more than limit bytes is nil.
func Lines(in io.Reader, limit int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		r := bufio.NewReaderSize(in, 1<<16)
		var long []byte   // a line that does not fit the reader's buffer, or its last block
		var full [][]byte // the blocks before
		l := Line{Number: 1}
		for {
			part, err := r.ReadSlice('\n')
			ended := err == nil
			if ended {
				part = part[:len(part)-1]
			}
			l.Length += len(part)
			switch {
			case l.Length > limit:
				long, full, l.Text = nil, nil, nil
			case ended && len(long) == 0:
				l.Text = part
			default:
				if len(long)+len(part) > lineBlock {
					full, long = append(full, long), nil
				}
				if long == nil {
					long = make([]byte, 0, lineBlock)
				}
				long = append(long, part...)
				l.Text = long
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{}, err)
				return
			}
			if l.Torn = !ended; l.Torn && l.Length == 0 {
				return
			}
			if len(full) > 0 {
				l.Text, l.Own = slices.Concat(append(full, long)...), true
				long, full = nil, nil
			}
			if !yield(l, nil) || l.Torn {
				return
			}
			if cap(long) > 1<<20 {
				long = nil // one long line must not keep its memory
			}
			long = long[:0]
			l = Line{Number: l.Number + 1, Offset: l.Offset + int64(l.Length) + 1}
		}
	}
}
