package counterexample

import "context"

// Finder searches for counterexamples, in this process ([Local]) or in a process with a memory limit.
type Finder interface {
	// Find is the function [Find] with the finder's engine.
	Find(ctx context.Context, p *Problem) (*Outcome, error)
}

// Local searches in this process. The engine does not limit the memory of strings, so untrusted queries should run in
// a process with a limit.
type Local struct{ Engine Engine }

// Find calls the function [Find] with l.Engine.
func (l Local) Find(ctx context.Context, p *Problem) (*Outcome, error) { return Find(ctx, l.Engine, p) }
