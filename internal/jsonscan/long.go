package jsonscan

import "slices"

// longBlock is the size of the blocks of a long text.
const longBlock = 1 << 20

// long is a text that is read in parts. A single growing buffer would be copied repeatedly.
type long struct {
	n    int      // its length
	full [][]byte // blocks
	last []byte
}

func (l *long) reset() {
	if cap(l.last) > longBlock {
		l.last = nil
	}
	l.n, l.full, l.last = 0, nil, l.last[:0]
}

// add adds a part. A text of more than limit bytes is not kept.
func (l *long) add(part []byte, limit int) {
	if l.n += len(part); l.n > limit {
		l.full, l.last = nil, nil
		return
	}
	if len(l.last)+len(part) > longBlock {
		l.full, l.last = append(l.full, l.last), make([]byte, 0, longBlock)
	}
	l.last = append(l.last, part...)
}

// join returns the text, or nil if it has more than limit bytes.
func (l *long) join(limit int) []byte {
	switch {
	case l.n > limit:
		return nil
	case len(l.full) == 0:
		return l.last
	}
	text := slices.Concat(append(l.full, l.last)...)
	l.full, l.last = nil, nil
	return text
}
