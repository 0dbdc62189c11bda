package udf

import "context"

// place is the worker slot of a running row. A row that waits for something other than its own work returns it in
// the meantime.
type place interface {
	// take waits for a place and reports whether it got one; ctx may end before.
	take(ctx context.Context) bool
	// leave releases the slot, if any.
	leave()
}

type placeKey struct{}

func withPlace(ctx context.Context, p place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// slot is the place of a row that asks no judge.
type slot struct {
	c     *Catalogue
	taken bool
}

func (s *slot) take(ctx context.Context) bool {
	select {
	case s.c.slots <- struct{}{}:
		s.taken = true
		return true
	default:
	}
	s.c.waiting.Add(1)
	defer s.c.waiting.Add(-1)
	select {
	case s.c.slots <- struct{}{}:
		s.taken = true
	case <-ctx.Done():
	}
	return s.taken
}

func (s *slot) leave() {
	if s.taken {
		s.taken = false
		<-s.c.slots
	}
}

// turn is the place of a row that asks a judge.
type turn struct{ s *jobs }

// take does not wait: of the rows that left their places only one at a time comes back.
func (t turn) take(context.Context) bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.aside--
	t.s.running++
	return true
}

func (t turn) leave() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.aside++
	if len(t.s.queues) > 0 {
		go t.s.work() // in its place
	} else {
		t.s.running--
	}
}

// Aside calls wait, and lets other rows have the worker of the row that ctx belongs to until wait returns. It reports
// whether the row has a worker again; ctx may end before.
func Aside(ctx context.Context, wait func()) bool {
	at, _ := ctx.Value(placeKey{}).(place)
	if at == nil {
		wait()
		return true
	}
	at.leave()
	wait()
	return at.take(ctx)
}
