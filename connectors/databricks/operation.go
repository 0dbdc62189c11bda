package databricks

import (
	"bytes"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/databricks/databricks-sql-go/rows"

	"github.com/badger-eval/badger/internal/errcode"
)

// operation is a statement that the driver has run.
type operation struct {
	c       *Conn
	session session
	own     bool // the session ends with the statement
	w       *witness
	rows    sqldriver.Rows // nil where nothing is read
}

// command is what to run.
type command struct {
	sql    string
	params []sqldriver.NamedValue
	reads  bool // rows are asked for
	repeat bool // where its answer was lost, it is run again, which does no harm
}

// promptly is how long a caller that cancels waits for the statement to end in the warehouse. One
// that takes longer is ended behind its back.
const promptly = time.Second

// run runs a statement to its end.
func (c *Conn) run(ctx context.Context, cmd command) (op *operation, err error) {
	err = c.retry.Do(ctx, func() error {
		op, err = c.runOnce(ctx, cmd)
		return err
	}, func(err error) (bool, time.Duration) {
		var said *serverError
		return cmd.repeat && (unanswered(err) || errors.As(err, &said) && (said.handle || again(said))), 0
	})
	return op, err
}

// runOnce runs a statement in a session that waits for one, or in one of its own where it would
// change what later ones mean.
func (c *Conn) runOnce(ctx context.Context, cmd command) (*operation, error) {
	own := changesSession(cmd.sql)
	take := c.sessions.take
	if own {
		take = c.sessions.open
	}
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		session, err := take(ctx)
		if err != nil {
			return nil, err
		}
		op, err := c.start(ctx, session, own, cmd)
		var said *serverError
		if errors.As(err, &said) && said.refused && noSession(said) && attempt == 0 {
			take = c.sessions.open
			continue
		}
		return op, err
	}
}

// start hands a statement to the driver. The driver waits for answers when the context has ended,
// the caller does not.
func (c *Conn) start(ctx context.Context, s session, own bool, cmd command) (*operation, error) {
	ctx, w := c.sessions.guard.witnessed(ctx)
	op := &operation{c: c, session: s, own: own, w: w}
	ended, left := make(chan error), make(chan struct{})
	defer close(left)
	go func() {
		err := op.execute(ctx, cmd)
		if err != nil {
			op.close(ctx)
		}
		select {
		case ended <- err:
		case <-left:
			op.close(ctx)
		}
	}()
	var late <-chan time.Time
	for cancelled := ctx.Done(); ; {
		select {
		case err := <-ended:
			if err != nil {
				return nil, err
			}
			return op, nil
		case <-cancelled:
			cancelled, late = nil, time.After(promptly)
		case <-late:
			return nil, ctx.Err()
		}
	}
}

func (op *operation) execute(ctx context.Context, cmd command) (err error) {
	defer func() {
		if p := recover(); p != nil { // the driver's, over an answer that lacks something
			err = errcode.New(errcode.Unavailable, "databricks: %s: the driver cannot read what the service answers", running)
		}
	}()
	if cmd.reads {
		op.rows, err = op.session.QueryContext(ctx, cmd.sql, cmd.params)
	} else if _, err = op.session.ExecContext(ctx, cmd.sql, cmd.params); err == nil {
		op.w.forget() // the driver has closed it
	}
	if err != nil {
		return op.w.failure(running, err)
	}
	return nil
}

// close lets the service forget the statement and its result, and gives the session back. The
// driver closes no statement that failed.
func (op *operation) close(ctx context.Context) {
	if op.session == nil {
		return
	}
	if op.rows != nil {
		_ = op.rows.Close()
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer done()
	lost := op.w.end(ctx)
	switch {
	case lost:
		op.c.sessions.forget(false)
		_ = op.session.Close()
	case op.own:
		_ = op.session.Close()
	default:
		op.c.sessions.give(op.session)
	}
	op.session = nil
}

// streams are the parts of a statement's result, as the driver gives them.
type streams struct {
	op *operation
	it rows.ArrowIPCStreamIterator
}

// newStream is the result of a statement.
func newStream(ctx context.Context, op *operation) (r *stream, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = broken("the driver cannot read it")
		}
	}()
	op.rows.Columns() // asks for the description, which the witness keeps
	meta, err := op.w.description()
	if err != nil {
		return nil, err
	}
	result, ok := op.rows.(rows.Rows)
	if !ok {
		return nil, errcode.New(errcode.Internal, "databricks: the driver gives no Arrow")
	}
	s := &streams{op: op}
	if s.it, err = result.GetArrowIPCStreams(ctx); err != nil {
		return nil, op.w.failure(reading, err)
	}
	var wire *arrow.Schema
	if schema := meta.Bytes(1283); len(schema) > 0 {
		if wire, err = wireSchema(schema); err != nil {
			return nil, err
		}
	}
	return op.c.stream(s, columnsOf(meta, wire), wire)
}

func (s *streams) close(ctx context.Context) {
	s.it.Close()
	s.op.close(ctx)
}

// next is the next part.
func (s *streams) next(context.Context) (*part, error) {
	if !s.it.HasNext() {
		return nil, s.op.w.complete()
	}
	body, err := s.it.Next()
	if errors.Is(err, io.EOF) {
		return nil, s.op.w.complete()
	}
	if err != nil {
		return nil, s.op.w.failure(reading, err)
	}
	a, err := s.op.w.part()
	if err != nil {
		return nil, err
	}
	if a.batch && a.packed {
		schema, err := s.it.SchemaBytes()
		if err != nil {
			return nil, s.op.w.failure(reading, err)
		}
		if _, err := io.CopyN(io.Discard, body, int64(len(schema))); err != nil {
			return nil, broken("a batch has no schema")
		}
		body = io.MultiReader(bytes.NewReader(schema), unpacked(body, true))
	} else {
		body = unpacked(body, a.packed)
	}
	return &part{stream: body, rows: a.rows}, nil
}
