package guard

import (
	"bytes"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"time"

	"github.com/databricks/databricks-sql-go/rows"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/thrift"
	"github.com/badger-eval/badger/internal/errcode"
)

// Statement is a statement that was run by the driver.
type Statement struct {
	d       *Driver
	session session
	own     bool // the session is closed with the statement
	w       *witness
	rows    sqldriver.Rows              // nil if the statement returns no rows
	parts   rows.ArrowIPCStreamIterator // parts of the result; set by [Statement.Read]
}

// Command is a statement to run.
type Command struct {
	SQL    string
	Params []sqldriver.NamedValue
	Reads  bool // it returns rows
	Alone  bool // run it in a separate session, as it changes the meaning of later statements
}

// promptly is how long a caller that cancels waits for the statement to end in the warehouse. After that, the statement
// is ended in the background.
const promptly = time.Second

// Run runs a statement to its end. If its session no longer exists, it runs once more in a new one.
func (d *Driver) Run(ctx context.Context, cmd Command) (*Statement, error) {
	take := d.take
	if cmd.Alone {
		take = d.open
	}
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		session, err := take(ctx)
		if err != nil {
			return nil, err
		}
		op, err := d.start(ctx, session, cmd)
		var said *ServerError
		if errors.As(err, &said) && said.refused && said.NoSession() && attempt == 0 {
			take = d.open
			continue
		}
		return op, err
	}
}

// start runs a statement with the driver. The driver keeps waiting for responses after the context has ended; start
// returns within the time promptly.
func (d *Driver) start(ctx context.Context, s session, cmd Command) (*Statement, error) {
	ctx, w := d.guard.witnessed(ctx)
	op := &Statement{d: d, session: s, own: cmd.Alone, w: w}
	ended, left := make(chan error), make(chan struct{})
	defer close(left)
	go func() {
		err := op.execute(ctx, cmd)
		if err != nil {
			op.Close(ctx)
		}
		select {
		case ended <- err:
		case <-left:
			op.Close(ctx)
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

func (op *Statement) execute(ctx context.Context, cmd Command) (err error) {
	defer func() {
		if p := recover(); p != nil { // the driver panics if a response lacks a field
			err = errcode.New(errcode.Unavailable, "databricks: %s: the driver cannot read what the service answers", running)
		}
	}()
	if cmd.Reads {
		op.rows, err = op.session.QueryContext(ctx, cmd.SQL, cmd.Params)
	} else if _, err = op.session.ExecContext(ctx, cmd.SQL, cmd.Params); err == nil {
		op.w.forget() // the driver has closed the statement
	}
	if err != nil {
		return op.w.failure(running, err)
	}
	return nil
}

// Close closes the statement at the service, which the driver does not do for failed statements, and returns the
// session.
func (op *Statement) Close(ctx context.Context) {
	if op.session == nil {
		return
	}
	if op.parts != nil {
		op.parts.Close()
	}
	if op.rows != nil {
		_ = op.rows.Close()
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), workspace.Afterwards)
	defer done()
	lost := op.w.end(ctx)
	switch {
	case lost:
		op.d.forget(false)
		_ = op.session.Close()
	case op.own:
		_ = op.session.Close()
	default:
		op.d.give(op.session)
	}
	op.session = nil
}

// Read starts reading the result and returns its metadata (TGetResultSetMetadataResp).
func (op *Statement) Read(ctx context.Context) (description thrift.Struct, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = workspace.Broken("the driver cannot read it")
		}
	}()
	op.rows.Columns() // requests the metadata, which the witness stores
	if description, err = op.w.description(); err != nil {
		return nil, err
	}
	result, ok := op.rows.(rows.Rows)
	if !ok {
		return nil, errcode.New(errcode.Internal, "databricks: the driver returns no Arrow data")
	}
	if op.parts, err = result.GetArrowIPCStreams(ctx); err != nil {
		return nil, op.w.failure(reading, err)
	}
	return description, nil
}

// Next returns the next part of the result: an Arrow stream, and the number of its rows that belong to the result. The
// stream is nil at the end of a complete result.
func (op *Statement) Next() (stream io.Reader, n int64, err error) {
	if !op.parts.HasNext() {
		return nil, 0, op.w.complete()
	}
	body, err := op.parts.Next()
	if errors.Is(err, io.EOF) {
		return nil, 0, op.w.complete()
	}
	if err != nil {
		return nil, 0, op.w.failure(reading, err)
	}
	a, err := op.w.part()
	if err != nil {
		return nil, 0, err
	}
	if !a.batch || !a.packed {
		return workspace.Unpacked(body, a.packed), a.rows, nil
	}
	schema, err := op.parts.SchemaBytes()
	if err != nil {
		return nil, 0, op.w.failure(reading, err)
	}
	if _, err := io.CopyN(io.Discard, body, int64(len(schema))); err != nil {
		return nil, 0, workspace.Broken("a batch has no schema")
	}
	return io.MultiReader(bytes.NewReader(schema), workspace.Unpacked(body, true)), a.rows, nil
}
