package assessfile

import (
	"bufio"
	"errors"
	"io"
	"iter"
)

// maxLine is how long a line may be, in bytes.
const maxLine = 64 << 20

// textLine is one line; text is valid until the next one is read.
type textLine struct {
	number  int // from 1
	text    []byte
	tooLong bool
}

// lines reads line by line. Of a line that is too long nothing is kept.
func lines(in io.Reader) iter.Seq2[textLine, error] {
	return func(yield func(textLine, error) bool) {
		r := bufio.NewReaderSize(in, 1<<16)
		var long []byte
		for n := 1; ; n++ {
			l := textLine{number: n}
			long = long[:0]
			for {
				part, err := r.ReadSlice('\n')
				if l.tooLong = l.tooLong || len(long)+len(part) > maxLine; !l.tooLong {
					long = append(long, part...)
				}
				if errors.Is(err, bufio.ErrBufferFull) {
					continue
				}
				if err != nil && !errors.Is(err, io.EOF) {
					yield(textLine{}, err)
					return
				}
				l.text = long
				if err != nil { // the end, perhaps without a line feed
					if len(long) > 0 || l.tooLong {
						yield(l, nil)
					}
					return
				}
				break
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}
