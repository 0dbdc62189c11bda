package duckdb

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/internal/errcode"
)

// If an internal assertion of the engine fails while a statement runs, as in lower on a string of invalid UTF-8,
// the engine rejects every later statement on that database, in the whole process and from any caller. It accepts
// statements again after the database was closed and opened. A database in memory would then be another one,
// without its tables, and remains unusable.

// giveBack is how long a rejected database waits for calls to return their sessions.
const giveBack = 10 * time.Second

// refuses tells by a message that the engine refuses all statements, or may from now on.
func refuses(class string) bool { return class == "INTERNAL" || class == "FATAL" }

// refused tells an error by which the engine refuses a statement for what another one did.
func refused(err error) bool {
	var e *errcode.Error
	return errors.As(err, &e) && e.Err != nil && strings.Contains(e.Err.Error(), "database has been invalidated")
}

// acquire takes a session in which statements run.
func (c *Conn) acquire(ctx context.Context) (*session, error) {
	s, err := c.take()
	if !c.doubted.Load() {
		return s, err
	}
	if err == nil {
		if err = s.exec(ctx, "SELECT 1"); err == nil { // not every failed assertion ends a database
			c.doubted.Store(false)
			return s, nil
		}
		c.release(s)
	}
	if c.path == "" || ctx.Err() != nil {
		return nil, err
	}
	for until := time.Now().Add(giveBack); ; {
		if opened, err := c.reopen(ctx); opened || err != nil {
			if err != nil {
				return nil, err
			}
			return c.take()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(interruptEvery):
		}
		if time.Now().After(until) {
			return nil, err
		}
	}
}

// reopen closes the database and opens it as it was, unless a call still has a session of it. Other
// connections of this process to the file share the engine's instance and have it closed likewise: one that
// comes before them gives it up, and finds another instance later.
func (c *Conn) reopen(ctx context.Context) (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || !c.doubted.Load():
		return true, nil
	case c.used > 0:
		return false, nil
	}
	for _, s := range c.idle {
		s.disconnect()
	}
	c.idle = nil
	mapping.Close(&c.db)
	if err := c.open(); err != nil {
		return false, err
	}
	s, err := c.connect()
	if err == nil {
		defer s.disconnect()
		if err = s.begun(ctx); err == nil {
			c.doubted.Store(false)
			return true, nil
		}
	}
	mapping.Close(&c.db)
	return false, errcode.Because(err, errcode.Unavailable, "duckdb: database %s: the engine invalidated it after an internal error, and another connection of this process holds it", c.name())
}

// begun does in a new instance what was done in the one before.
func (s *session) begun(ctx context.Context) error {
	if err := s.exec(ctx, "SELECT 1"); err != nil {
		return err
	}
	for _, sql := range s.db.setup {
		// opened twice, it is locked already
		if err := s.exec(ctx, sql); err != nil && errcode.Of(err) != errcode.InvalidArgument {
			return err
		}
	}
	for name, overloads := range s.db.functions {
		if err := s.register(name, overloads); err != nil && errcode.Of(err) != errcode.AlreadyExists {
			return err
		}
	}
	return nil
}
