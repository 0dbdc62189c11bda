package databricks

import (
	"context"
	"errors"
	"time"

	"github.com/badger-eval/badger/connectors/databricks/internal/thrift"
	"github.com/badger-eval/badger/internal/errcode"
)

// operation is a statement that the service runs, or has run.
type operation struct {
	c      *Conn
	handle thrift.Struct
	own    thrift.Struct // a session of its own, or nil
	done   bool          // closed at the service

	first thrift.Struct // how it was doing when it was started
	meta  thrift.Struct // of the result, if it came with the first answer
	page  thrift.Struct // its first rows, if they did
}

// The pauses between two questions whether a statement has ended.
const (
	firstPoll   = 20 * time.Millisecond
	longestPoll = 2 * time.Second
)

// afterwards is how long may be spent on ending what was cancelled.
const afterwards = 15 * time.Second

// run runs a statement to its end. Where its answer was lost, it is run again if repeat says that
// this does no harm.
func (c *Conn) run(ctx context.Context, sql string, params []thrift.Struct, repeat bool) (*operation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		op, err := c.runOnce(ctx, sql, params)
		if err == nil || !repeat || attempt >= c.config.Retries || ctx.Err() != nil {
			return op, err
		}
		var said *serverError
		if !unanswered(err) && !(errors.As(err, &said) && (said.handle || again(said))) {
			return nil, err
		}
		if err := c.pause(ctx, attempt, 0); err != nil {
			return nil, err
		}
	}
}

// runOnce starts a statement in the shared session, or in one of its own where it would change what
// later ones mean, and waits for its end.
func (c *Conn) runOnce(ctx context.Context, sql string, params []thrift.Struct) (*operation, error) {
	for attempt := 0; ; attempt++ {
		own := changesSession(sql)
		var session thrift.Struct
		var err error
		if own {
			session, err = c.openSession(ctx)
		} else {
			session, err = c.session(ctx)
		}
		if err != nil {
			return nil, err
		}
		op, err := c.start(ctx, session, sql, params)
		if own {
			if op == nil {
				c.closeSession(context.WithoutCancel(ctx), session)
			} else {
				op.own = session
			}
		}
		var said *serverError
		if errors.As(err, &said) && noSession(said) && attempt == 0 { // it was not run
			c.forget(session)
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := op.wait(ctx); err != nil {
			op.cancel(ctx, err)
			return nil, err
		}
		return op, nil
	}
}

// start hands a statement over. Where the context ends meanwhile, the statement is cancelled as
// soon as it is known by a handle.
func (c *Conn) start(ctx context.Context, session thrift.Struct, sql string, params []thrift.Struct) (*operation, error) {
	args := thrift.Struct{
		1: session, 2: sql, 4: true,
		1281: thrift.Struct{1: c.config.PageRows, 2: int64(pageBytes)},
		1282: true, 1283: c.config.CloudFetch, 1284: true,
		// Decimals, timestamps and nested values as Arrow has them, which leaves JSON to this
		// module; intervals as text.
		1286: thrift.Struct{1: true, 2: true, 3: true, 4: false},
	}
	if len(params) > 0 {
		args[1288] = params
	}
	type started struct {
		op  *operation
		err error
	}
	answers := make(chan started, 1)
	background := context.WithoutCancel(ctx)
	go func() {
		resp, err := c.call(background, "running a statement", "ExecuteStatement", args, false)
		if err != nil {
			answers <- started{nil, err}
			return
		}
		op := &operation{c: c, handle: resp.Struct(2)}
		direct := resp.Struct(1281)
		op.meta, op.page, op.done = direct.Struct(2), direct.Struct(3), direct.Struct(4) != nil
		if op.handle == nil {
			answers <- started{nil, errcode.New(errcode.Unavailable, "databricks: running a statement: the service gave no handle")}
			return
		}
		if direct.Struct(1) != nil {
			op.first = direct.Struct(1)
		}
		answers <- started{op, nil}
	}()
	select {
	case a := <-answers:
		return a.op, a.err
	case <-ctx.Done():
		go func() {
			if a := <-answers; a.op != nil {
				a.op.cancel(background, ctx.Err())
			}
		}()
		return nil, ctx.Err()
	}
}

// wait asks until the statement has ended.
func (op *operation) wait(ctx context.Context) error {
	status := op.first
	for poll := firstPoll; ; poll = min(poll*3/2, longestPoll) {
		if status != nil {
			ended, err := ended(status)
			if ended || err != nil {
				return err
			}
			t := time.NewTimer(poll)
			select {
			case <-ctx.Done():
				t.Stop()
				return ctx.Err()
			case <-t.C:
			}
		}
		var err error
		if status, err = op.c.call(ctx, "asking how a statement is doing", "GetOperationStatus", thrift.Struct{1: op.handle}, true); err != nil {
			return err
		}
	}
}

// ended tells whether a statement has ended, and why where it failed.
func ended(status thrift.Struct) (bool, error) {
	if err := statusOf(status, "running a statement"); err != nil {
		return true, err
	}
	message := status.Text(1281)
	if message == "" {
		message = status.Text(5)
	}
	switch status.Int(2) {
	case stateInitialized, stateRunning, statePending:
		return false, nil
	case stateFinished:
		return true, nil
	case stateCanceled:
		return true, errcode.New(errcode.Unavailable, "databricks: the statement was cancelled at the service, by somebody or by its limits")
	case stateTimedOut:
		return true, errcode.New(errcode.DeadlineExceeded, "databricks: the statement took longer than STATEMENT_TIMEOUT allows")
	case stateClosed:
		return true, errcode.New(errcode.Unavailable, "databricks: the statement was closed at the service")
	}
	return true, &serverError{what: "running a statement", state: status.Text(3), message: message}
}

// cancel ends a statement whose result nobody wants. A statement that failed needs no cancelling.
func (op *operation) cancel(ctx context.Context, why error) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer done()
	if !op.done && (errors.Is(why, context.Canceled) || errors.Is(why, context.DeadlineExceeded)) {
		_, _ = op.c.call(ctx, "cancelling a statement", "CancelOperation", thrift.Struct{1: op.handle}, true)
	}
	op.close(ctx)
}

// close lets the service forget the statement and its result, and ends its own session.
func (op *operation) close(ctx context.Context) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer done()
	if !op.done {
		op.done = true
		_, _ = op.c.call(ctx, "closing a statement", "CloseOperation", thrift.Struct{1: op.handle}, true)
	}
	if op.own != nil {
		op.c.closeSession(ctx, op.own)
		op.own = nil
	}
}

// metadata says of what columns the result is, and how its rows are sent.
func (op *operation) metadata(ctx context.Context) (thrift.Struct, error) {
	if op.meta == nil {
		meta, err := op.c.call(ctx, "asking for a result's columns", "GetResultSetMetadata", thrift.Struct{1: op.handle}, true)
		if err != nil {
			return nil, err
		}
		op.meta = meta
	}
	return op.meta, statusOf(op.meta, "asking for a result's columns")
}

// pageBytes is about how much the service is asked to put into one page.
const pageBytes = 16 << 20

// fetch asks for the rows from row number start on. The number is sent along so that asking again,
// when an answer was lost, brings the same rows.
func (op *operation) fetch(ctx context.Context, start int64, seek bool) (thrift.Struct, error) {
	args := thrift.Struct{1: op.handle, 2: int32(fetchNext), 3: op.c.config.PageRows, 1281: int64(pageBytes), 1283: true}
	for attempt := 0; ; attempt++ {
		if seek || attempt > 0 {
			args[1282] = start
		}
		page, err := op.c.call(ctx, "reading a result", "FetchResults", args, false)
		if err == nil {
			return page, nil
		}
		if !unanswered(err) || attempt >= op.c.config.Retries || ctx.Err() != nil {
			return nil, err
		}
		if err := op.c.pause(ctx, attempt, 0); err != nil {
			return nil, err
		}
	}
}
