package judgebackend

import (
	"errors"
	"log/slog"
	"sync"
	"time"
)

// circuit opens on the first failure that any other call would have, too: credentials, credit, an unknown model.
// After the cool-down it admits one call as a probe, whose success closes it. onOpen is called when it opens or when
// the kind of failure changes.
type circuit struct {
	clock    Clock
	coolDown time.Duration
	onOpen   func(error) // nil: log it
	log      *slog.Logger

	mu      sync.Mutex
	cause   error // why the circuit is open; nil if it is closed
	since   time.Time
	probing bool
}

// refuses returns an error if the circuit is open and no probe is due. It changes nothing.
func (c *circuit) refuses(id Identity) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil || !c.probing && c.clock.Now().Sub(c.since) >= c.coolDown {
		return nil
	}
	return c.open(id)
}

func (c *circuit) open(id Identity) error {
	e := &Error{Kind: KindCircuitOpen, Backend: id.Backend, Host: id.Host, Detail: kinds[KindOf(c.cause)].text,
		cause: c.cause}
	if cause := (*Error)(nil); errors.As(c.cause, &cause) {
		e.Said, e.shown = cause.Said, cause.shown
	}
	return e
}

// admit returns an error like refuses, for an attempt that is about to be made. It makes the first attempt after the
// cool-down the probe.
func (c *circuit) admit(id Identity) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return nil
	}
	if c.probing || c.clock.Now().Sub(c.since) < c.coolDown {
		return c.open(id)
	}
	c.probing = true
	return nil
}

// observe updates the circuit by the error of an attempt, which may be nil.
func (c *circuit) observe(err error) {
	trips := kinds[KindOf(err)].trips
	c.mu.Lock()
	told := c.cause == nil || KindOf(c.cause) != KindOf(err)
	switch {
	case trips:
		c.cause, c.since, c.probing = err, c.clock.Now(), false
	case err == nil:
		c.cause, c.probing = nil, false
	case c.probing: // neither: the next call may try
		c.probing = false
	}
	c.mu.Unlock()
	if !trips || !told {
		return
	}
	if c.onOpen != nil {
		c.onOpen(err)
		return
	}
	c.log.Error("judge calls are stopped: no other call could do better", "error", err, "endpoint_says", WordsOf(err))
}
