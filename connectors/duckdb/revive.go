package duckdb

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/internal/errcode"
)

// If an internal assertion of the engine fails while a statement runs, as in lower on a string of invalid UTF-8, the
// engine rejects every later statement on that database in the whole process. It accepts statements again after the
// database was closed and reopened. An in-memory database would lose its tables, and therefore remains unusable.

// giveBack is the time limit for waiting until all calls have returned their sessions of an invalidated database.
const giveBack = 10 * time.Second

// refuses reports whether a message of this class means that the engine may reject all statements from now on.
func refuses(class string) bool { return class == "INTERNAL" || class == "FATAL" }

// refused reports whether the engine rejected a statement because an earlier one had invalidated the database.
func refused(err error) bool {
	var e *errcode.Error
	return errors.As(err, &e) && e.Err != nil && strings.Contains(e.Err.Error(), "database has been invalidated")
}

// acquire returns a session. After an internal error it first checks that the database works, and reopens it if not.
func (c *Conn) acquire(ctx context.Context) (*session, error) {
	s, err := c.take()
	if !c.doubted.Load() {
		return s, err
	}
	if err == nil {
		if err = s.exec(ctx, "SELECT 1"); err == nil { // not every internal error invalidates a database
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

// reopen closes and reopens the database unless calls still use its sessions; then done is false. Other connections of
// this process to the file share the engine's instance and must close it too: until they do, reopening fails.
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

// begun runs the setup statements and registers the functions in a new instance.
func (s *session) begun(ctx context.Context) error {
	if err := s.exec(ctx, "SELECT 1"); err != nil {
		return err
	}
	for _, sql := range s.db.setup {
		// if the file is already open in this process, its configuration is locked already
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
