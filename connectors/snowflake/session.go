package snowflake

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// session is a session of the account, used by one call at a time.
type session struct {
	db    *Conn
	conn  driverConn
	spent bool // its state has changed, so that it must not be reused
}

// driverConn is the interface of the driver's connections.
type driverConn interface {
	sqldriver.QueryerContext
	sqldriver.ExecerContext
	sf.SnowflakeConnection
}

// session runs f with a session. If the session has expired, which Snowflake reports before it runs anything, f runs
// once more with a new one.
func (c *Conn) session(ctx context.Context, f func(*session) error) error {
	for attempt := 0; ; attempt++ {
		err := c.left(ctx, f)
		if err == nil || attempt > 0 || !sessionGone(err) {
			return err
		}
	}
}

// leaving is how long a cancelled call waits for requests to the account: gosnowflake 1.19.1 cancels statements with
// requests that ignore the caller's context and may take a quarter of an hour.
const leaving = 5 * time.Second

// left is like once, but returns at most the time leaving after ctx has ended. The session is only reused when once has
// returned.
func (c *Conn) left(ctx context.Context, f func(*session) error) error {
	if ctx.Done() == nil {
		return c.once(ctx, f)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.once(ctx, f) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(leaving):
		return ctx.Err()
	}
}

func (c *Conn) once(ctx context.Context, f func(*session) error) (err error) {
	defer driverbase.Recovered(&err)
	conn, err := c.pool.Conn(ctx)
	if err != nil {
		return c.poolError(ctx, err)
	}
	defer conn.Close() //nolint:errcheck // returns the session to the pool
	var failed error
	err = conn.Raw(func(raw any) error {
		d, ok := raw.(driverConn)
		if !ok {
			failed = errcode.New(errcode.Internal, "snowflake: this version of the driver has connections of an unknown type")
			return nil
		}
		s := &session{db: c, conn: d}
		failed = f(s)
		if s.spent || sessionGone(failed) {
			return sqldriver.ErrBadConn // removes the session from the pool
		}
		return nil
	})
	if failed == nil && err != nil && !errors.Is(err, sqldriver.ErrBadConn) {
		return c.poolError(ctx, err)
	}
	return failed
}

// poolError returns the error for a session that cannot be opened or has failed.
func (c *Conn) poolError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errcode.Of(err) != errcode.Unknown:
		return err
	case errors.Is(err, sqldriver.ErrBadConn):
		return errcode.New(errcode.Unavailable, "snowflake: account %s: the connection was lost", c.config.endpoint())
	}
	return errcode.New(errcode.FailedPrecondition, "snowflake: the warehouse is closed")
}

// arrowContext returns a context with which the driver returns Arrow batches with Snowflake's own numbers and
// timestamps.
func arrowContext(ctx context.Context) context.Context {
	ctx = sf.WithHigherPrecision(sf.WithArrowBatches(ctx))
	ctx = sf.WithArrowBatchesTimestampOption(ctx, sf.UseOriginalTimestamp)
	// so that the memory stays valid while it is referenced
	return sf.WithArrowAllocator(ctx, memory.NewGoAllocator())
}

// query runs a statement and returns its result.
func (s *session) query(ctx context.Context, sql string, args []any) (*result, error) {
	if err := s.db.check(sql); err != nil {
		return nil, err
	}
	s.spent = s.spent || !leavesNothing(sql)
	bound, err := bind(args)
	if err != nil {
		return nil, err
	}
	id := make(chan string, 1)
	rows, err := s.call(sf.WithQueryIDChan(arrowContext(ctx), id), sql, bound)
	switch {
	case err == nil:
		return s.result(ctx, rows, true)
	case ctx.Err() == nil && unreadable(err):
		select {
		case id := <-id:
			return s.resume(ctx, id, false)
		default:
		}
	}
	return nil, s.db.errorOf(ctx, err)
}

// call runs a statement with the driver.
func (s *session) call(ctx context.Context, sql string, bound []sqldriver.NamedValue) (rows sqldriver.Rows, err error) {
	defer func() {
		s.spent = s.spent || errcode.Of(err) == errcode.Internal // the state after a panic is unknown
	}()
	defer driverbase.Recovered(&err)
	return s.conn.QueryContext(ctx, sql, bound)
}

// exec runs a statement and discards its result.
func (s *session) exec(ctx context.Context, sql string, args ...any) error {
	_, err := s.query(ctx, sql, args)
	return err
}

// bind returns the driver's parameters. Times are preceded by a marker, so that they are bound as instants.
func bind(args []any) ([]sqldriver.NamedValue, error) {
	var out []sqldriver.NamedValue
	add := func(v any) { out = append(out, sqldriver.NamedValue{Ordinal: len(out) + 1, Value: v}) }
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, bool, int64, string:
			add(v)
		case int:
			add(int64(v))
		case float64:
			// gosnowflake 1.19.1 writes doubles with the digits of a 32-bit float.
			if short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64); err == nil && short == v { //nolint:gocritic // the driver's own digits
				add(v)
			} else {
				add(strconv.FormatFloat(v, 'g', -1, 64))
			}
		case time.Time:
			add(sf.DataTypeTimestampLtz)
			add(v)
		default:
			return nil, invalid("parameter %d: unsupported Go type %T", i+1, arg)
		}
	}
	return out, nil
}
