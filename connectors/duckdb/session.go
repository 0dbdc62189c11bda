package duckdb

import (
	"context"
	"sync"
	"time"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/internal/errcode"
)

// session is one connection of the engine, used by one call at a time.
type session struct {
	db   *Conn
	conn mapping.Connection
	id   uint64

	reusable bool // no statement that may change the session's state was run
	little   bool // it buffers only one chunk of a result
	ended    int  // number of statements of the current text that have ended

	mu     sync.Mutex
	ctx    context.Context //nolint:containedctx // that of the running statement
	failed error           // error of a Go function that the statement called
}

// sessions are those of all databases. Functions find the context of the calling statement by them.
var sessions sync.Map // sessionKey -> *session

// sessionKey identifies an instance of the engine and a connection in it.
type sessionKey struct {
	instance string
	id       uint64
}

// take returns an idle session or a new one.
func (c *Conn) take() (s *session, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errcode.New(errcode.FailedPrecondition, "duckdb: the database is closed")
	}
	if n := len(c.idle); n > 0 {
		s = c.idle[n-1]
		c.idle = c.idle[:n-1]
		s.reusable = true
	} else if s, err = c.connect(); err != nil {
		return nil, err
	}
	c.used++
	return s, nil
}

// connect returns a new session.
func (c *Conn) connect() (*session, error) {
	s := &session{db: c, reusable: true}
	if mapping.Connect(c.db, &s.conn) == mapping.StateError {
		return nil, errcode.New(errcode.Unavailable, "duckdb: database %s: no connection", c.name())
	}
	var client mapping.ClientContext
	mapping.ConnectionGetClientContext(s.conn, &client)
	s.id = uint64(mapping.ClientContextGetConnectionId(client))
	mapping.DestroyClientContext(&client)
	sessions.Store(sessionKey{c.instance, s.id}, s)
	return s, nil
}

// holdLittle limits the session's buffer of a result to one chunk. By default the engine buffers 10 MiB, not counting
// the bytes of long strings: 20,000 strings of 20 KB are all buffered.
func (s *session) holdLittle() {
	if s.little {
		return
	}
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	s.little = mapping.Query(s.conn, "SET streaming_buffer_size = '1KB'", &result) == mapping.StateSuccess
}

// maxIdle is the maximum number of idle sessions.
const maxIdle = 8

func (c *Conn) release(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used--
	if c.closed || !s.reusable || len(c.idle) >= maxIdle {
		s.disconnect()
		return
	}
	s.begin(context.Background())
	c.idle = append(c.idle, s)
}

func (s *session) disconnect() {
	sessions.Delete(sessionKey{s.db.instance, s.id})
	mapping.Disconnect(&s.conn)
}

// interruptEvery is the interval at which an interrupt is repeated, as the engine loses one that arrives between two of
// its phases.
const interruptEvery = 5 * time.Millisecond

// run runs f, which calls the engine, and interrupts it when ctx ends. It returns ctx's error if that has ended, else
// the error of a Go function that the statement called, else f's.
func (s *session) run(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.interruptible(ctx, f)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	return err
}

// begin sets the context of a new statement. Functions get it until the next begin, also on the engine's own threads,
// which continue computing between two chunks.
func (s *session) begin(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx, s.failed = ctx, nil
}

func (s *session) interruptible(ctx context.Context, f func() error) error {
	if ctx.Done() == nil {
		return f()
	}
	finished, stopped := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		for {
			mapping.Interrupt(s.conn)
			select {
			case <-finished:
				return
			case <-time.After(interruptEvery):
			}
		}
	})
	err := f()
	if !stop() {
		close(finished)
		<-stopped // a late interruption would hit the next statement
	}
	return err
}

// context returns the context of the running statement.
func (s *session) context() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// fail stores the error of a Go function, as the engine would keep only its text.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}
