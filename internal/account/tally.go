package account

import "sync"

// Holder reserves memory for a call: n further bytes, until the call ends. If the memory is not available, the error is
// ResourceExhausted.
type Holder interface {
	Hold(n int64) error
}

// Tally reserves the memory of one call in steps, so that it is cheap to count every row. A nil Tally counts
// nothing.
type Tally struct {
	of Holder

	mu         sync.Mutex
	used, held int64
}

// tallyStep is the number of bytes of one reservation.
const tallyStep = 4 << 10

// NewTally returns a Tally that reserves memory in of. The first room bytes count as reserved already.
func NewTally(of Holder, room int64) *Tally { return &Tally{of: of, held: room} }

// Add adds n bytes, which are reserved until the call ends.
func (t *Tally) Add(n int64) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if over := t.used + n - t.held; over > 0 {
		step := (over + tallyStep - 1) / tallyStep * tallyStep
		if err := t.of.Hold(step); err != nil {
			return err
		}
		t.held += step
	}
	t.used += n
	return nil
}
