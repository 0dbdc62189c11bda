package jsonscan

import (
	"bufio"
	"errors"
	"io"
	"iter"
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

// Lines returns the lines of in. The Text of a line of more than limit bytes is nil.
func Lines(in io.Reader, limit int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		r := bufio.NewReaderSize(in, 1<<16)
		var parts long // a line that does not fit the reader's buffer
		l := Line{Number: 1}
		for {
			part, err := r.ReadSlice('\n')
			ended := err == nil
			if ended {
				part = part[:len(part)-1]
			}
			if l.Length += len(part); ended && parts.n == 0 && len(part) <= limit {
				l.Text = part
			} else {
				parts.add(part, limit)
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
			if parts.n > 0 {
				l.Own = len(parts.full) > 0
				l.Text = parts.join(limit)
			}
			if !yield(l, nil) || l.Torn {
				return
			}
			parts.reset()
			l = Line{Number: l.Number + 1, Offset: l.Offset + int64(l.Length) + 1}
		}
	}
}
