package counterexample

import "context"

// Finder finds counterexamples: in this process ([Local]), or in one whose memory is bounded.
type Finder interface {
	// Find is [Find] with an engine of the finder's.
	Find(ctx context.Context, p *Problem) (*Outcome, error)
}

// Local searches in this process. The engine does not bound the memory of strings, so untrusted queries belong into
// a process with a limit.
type Local struct{ Engine Engine }

// Find is [Find].
func (l Local) Find(ctx context.Context, p *Problem) (*Outcome, error) { return Find(ctx, l.Engine, p) }
