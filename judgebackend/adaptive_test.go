package judgebackend

import (
	"context"
	"testing"
)

func saturated(t *testing.T, limit, calls int) (*adaptive, []int) {
	t.Helper()
	w := newAdaptive(nil, SystemClock, limit)
	epochs := make([]int, calls)
	for i := range epochs {
		epoch, err := w.acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		epochs[i] = epoch
	}
	return w, epochs
}

// One burst of 429 is one congestion: the limit is halved once, not once for each call that was in
// the burst.
func TestOneBurstHalvesOnce(t *testing.T) {
	w, epochs := saturated(t, 64, 64)
	for _, epoch := range epochs {
		w.release(epoch, &Error{Kind: KindRateLimited})
	}
	if w.limit != 32 || w.inFlight != 0 {
		t.Errorf("limit %v, %d in flight; want 32, 0", w.limit, w.inFlight)
	}
	epoch, _ := w.acquire(context.Background())
	w.release(epoch, &Error{Kind: KindServer, Status: 529})
	if w.limit != 16 {
		t.Errorf("limit %v after the next congestion, want 16", w.limit)
	}
	for range 16 { // about a limit's worth of successes
		epoch, _ := w.acquire(context.Background())
		w.release(epoch, nil)
	}
	if w.limit < 16.9 || w.limit > 17 {
		t.Errorf("limit %v after 16 successes, want about one more", w.limit)
	}
	for range 20 {
		epoch, _ := w.acquire(context.Background())
		w.release(epoch, &Error{Kind: KindRateLimited})
	}
	if w.limit != 1 {
		t.Errorf("limit %v, want 1 at least", w.limit)
	}
}

// A caller that gives up in the moment it is given a slot passes it on.
func TestSlotOfALeaverIsPassedOn(t *testing.T) {
	w, epochs := saturated(t, 1, 1)
	leaver, next := make(chan struct{}), make(chan struct{})
	w.queue = []chan struct{}{leaver, next}
	w.release(epochs[0], nil)
	<-leaver // it has the slot
	w.leave(leaver)
	<-next
	if w.inFlight != 1 || len(w.queue) != 0 {
		t.Errorf("%d in flight, %d waiting; want the slot with the next in line", w.inFlight, len(w.queue))
	}
}
