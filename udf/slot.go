package udf

import "context"

// place is the worker slot of a running row. A row releases it while it waits, such as for a judge.
type place interface {
	// take waits for a slot and reports whether it got one: false if ctx ended before.
	take(ctx context.Context) bool
	// leave releases the slot, if any.
	leave()
}

type placeKey struct{}

func withPlace(ctx context.Context, p place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// slot is the worker slot of a row that asks no judge: an element of Catalogue.slots.
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

// turn is the worker slot of a row that asks a judge: a unit of jobs.running.
type turn struct{ s *jobs }

// take never waits: a row that released its slot gets one even if that exceeds the number of workers.
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

// Aside calls wait, and releases the worker slot of ctx's row until wait returns. It reports whether the row has a
// slot again; it is false only if ctx ended before.
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
