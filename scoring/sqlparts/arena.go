package sqlparts

// arena hands out zeroed values from blocks, so that a tree costs few allocations. A block lives as
// long as any of its values.
type arena[T any] struct {
	free []T
	size int
}

// new returns the address of a zero value.
func (s *arena[T]) new() *T {
	if len(s.free) == 0 {
		s.size = min(max(2, s.size*2), 64)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// list gathers slices of unknown length on a stack and cuts them off into blocks.
type list[T any] struct {
	stack []T
	free  []T
	size  int
}

func (l *list[T]) mark() int { return len(l.stack) }

func (l *list[T]) push(v T) { l.stack = append(l.stack, v) }

// cut removes what was pushed since the mark and returns it, nil if that is nothing.
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

// reset forgets the blocks, which belong to a finished tree, and keeps the stack.
func (l *list[T]) reset() {
	clear(l.stack)
	l.stack, l.free, l.size = l.stack[:0], nil, 0
}
