package judgebackend

import (
	"log/slog"
	"sync"
	"time"
)

// circuit opens on the first failure that every other call would have too: credentials, credit, an unknown model.
// After the cool-down it admits one call to see if the cause is gone (a key was rotated, an account was funded);
// its success closes the circuit. Each opening is reported once.
type circuit struct {
	clock    Clock
	coolDown time.Duration
	onOpen   func(error) // nil for none
	log      *slog.Logger

	mu      sync.Mutex
	cause   error // of the open circuit, nil while it is closed
	since   time.Time
	probing bool
}

// refuses is the error for a call that is not worth starting. It changes nothing.
func (c *circuit) refuses(id Identity) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil || !c.probing && c.clock.Now().Sub(c.since) >= c.coolDown {
		return nil
	}
	return c.open(id)
}

func (c *circuit) open(id Identity) error {
	return &Error{Kind: KindCircuitOpen, Backend: id.Backend, Host: id.Host, Detail: kinds[KindOf(c.cause)].text,
		cause: c.cause}
}

// admit is refuses for an attempt that goes out now; the first after the cool-down is the probe.
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

// observe takes in how an attempt ended.
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
	c.log.Error("judge calls are stopped: no other call could do better", "error", err)
}
