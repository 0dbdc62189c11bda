package mcp

import (
	"context"
	"time"
)

// pace delays replies, so that their time depends little on the comparison: a reply leaves after 2 ms, 4 ms, 8 ms and
// so on, the first that has not passed. Of comparisons that take up to an hour it tells at most log2(21)
// bits, and nothing of those that take less than 2 ms (predictive mitigation: Askarov, Zhang and Myers, CCS 2010).
type pace struct{ begun time.Time }

// firstPace is the shortest time of a reply that follows a comparison.
const firstPace = 2 * time.Millisecond

func startPace() pace { return pace{time.Now()} }

// wait waits until the reply may leave, or ctx ends.
func (p pace) wait(ctx context.Context) {
	at := firstPace
	for spent := time.Since(p.begun); at < spent; {
		at *= 2
	}
	t := time.NewTimer(time.Until(p.begun.Add(at)))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
