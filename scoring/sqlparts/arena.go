package sqlparts

// arena allocates zeroed values in blocks, to reduce the number of allocations. A block is in memory as long as any of
// its values is used.
type arena[T any] struct {
	free []T
	size int
}

// new returns a pointer to a new zero value.
func (s *arena[T]) new() *T {
	if len(s.free) == 0 {
		s.size = min(max(2, s.size*2), 64)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// list collects elements on a stack, and copies them into slices that are parts of larger blocks.
type list[T any] struct {
	stack []T
	free  []T
	size  int
}

func (l *list[T]) mark() int { return len(l.stack) }

func (l *list[T]) push(v T) { l.stack = append(l.stack, v) }

// cut removes the elements that were pushed since the mark and returns them; nil if there are none.
func (l *list[T]) cut(mark int) []T {
	n := len(l.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(l.free) {
		l.size = min(max(8, l.size*2), 128)
		l.free = make([]T, max(n, l.size))
	}
	out := l.free[:n:n]
	l.free = l.free[n:]
	copy(out, l.stack[mark:])
	clear(l.stack[mark:])
	l.stack = l.stack[:mark]
	return out
}

// reset releases the blocks, which belong to a finished tree, and keeps the stack's memory for the next use.
func (l *list[T]) reset() {
	clear(l.stack)
	l.stack, l.free, l.size = l.stack[:0], nil, 0
}
