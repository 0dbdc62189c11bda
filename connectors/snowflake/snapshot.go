package snowflake

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/outbound"
)

// ReadSnapshot streams the result or table that a reference names, without running a query again:
//
//	query:ID               the result that Snowflake keeps of a statement for 24 hours, for the user who ran it
//	table:NAME             a table or view as it is now
//	table:NAME@TIMESTAMP   as it was at an instant, such as 2024-02-29T12:00:00Z; without a zone it is UTC
//	table:NAME@ID          as it was after a statement
//	table:NAME@before:ID   as it was before a statement
//
// The table's DATA_RETENTION_TIME_IN_DAYS limits how old a version may be.
func (c *Conn) ReadSnapshot(ctx context.Context, ref driver.Ref) (array.RecordReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch ref.Kind {
	case driver.RefQuery:
		return c.readQuery(ctx, ref.Name)
	case driver.RefTable:
	default:
		return nil, errcode.New(errcode.Unimplemented,
			"snowflake: file references are unsupported; use query:ID or table:NAME")
	}
	name, err := nameOf(ref.Name)
	if err != nil {
		return nil, err
	}
	at, err := timeTravel(ref.At)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "SELECT * FROM "+name+at)
}

var queryID = lazyregexp.New(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

func isQueryID(s string) bool { return queryID.MatchString(s) }

// timeTravel returns the SQL clause for a version of a table; "" if at is empty.
func timeTravel(at string) (string, error) {
	id, before := strings.CutPrefix(at, "before:")
	switch {
	case at == "":
		return "", nil
	case isQueryID(id) && before:
		return " BEFORE(STATEMENT => " + identifiers.Literal(id) + ")", nil
	case isQueryID(id):
		return " AT(STATEMENT => " + identifiers.Literal(id) + ")", nil
	}
	if t, ok := driverbase.Instant(at); ok {
		return " AT(TIMESTAMP => " + identifiers.Literal(t.Format("2006-01-02 15:04:05.000000000+00:00")) +
			"::TIMESTAMP_TZ)", nil
	}
	return "", errcode.New(errcode.Unimplemented, "snowflake: tables have no version numbers; expected table:NAME@TIMESTAMP such as 2024-02-29T12:00:00Z, table:NAME@QUERY-ID or table:NAME@before:QUERY-ID")
}

// readQuery reads the result of an earlier statement. It waits while the statement is still running.
func (c *Conn) readQuery(ctx context.Context, id string) (array.RecordReader, error) {
	if !isQueryID(id) {
		return nil, invalid("query: expected a query's id, such as 01b2c3d4-0000-1111-0000-222233334444")
	}
	res, err := c.resume(ctx, id, true)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, res)
}

// resume returns the result of an earlier statement, as Arrow batches if batches is set, else as rows.
func (c *Conn) resume(ctx context.Context, id string, batches bool) (*result, error) {
	var res *result
	err := c.session(ctx, func(s *session) (err error) {
		res, err = s.resume(ctx, id, batches)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (s *session) resume(ctx context.Context, id string, batches bool) (*result, error) {
	if err := s.wait(ctx, id); err != nil {
		return nil, err
	}
	with := sf.WithHigherPrecision(ctx)
	if batches {
		with = arrowContext(ctx)
	}
	rows, err := s.call(sf.WithFetchResultByID(with, id), "", nil)
	if err != nil && batches && unreadable(err) {
		return s.resume(ctx, id, false)
	}
	if err != nil {
		return nil, s.db.kept(ctx, id, err)
	}
	res, err := s.result(ctx, rows, batches)
	if err == nil {
		res.id = id
	}
	return res, err
}

// gosnowflake 1.19.1's own waiting notices a cancellation up to five seconds late.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// wait waits until a statement has ended.
func (s *session) wait(ctx context.Context, id string) error {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		_, err := s.conn.GetQueryStatus(ctx, id)
		if err == nil {
			return nil
		}
		if number(err) != sf.ErrQueryIsRunning {
			return s.db.kept(ctx, id, err)
		}
		if err := outbound.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// kept is errorOf for results of earlier statements: it adds how long, and to which user, they are available.
func (c *Conn) kept(ctx context.Context, id string, err error) error {
	var se *sf.SnowflakeError
	// the statement's own error, not that of reading its result
	if errors.As(err, &se) && se.Number == sf.ErrQueryStatus && len(se.MessageArgs) == 2 {
		n, _ := strconv.Atoi(fmt.Sprint(se.MessageArgs[0]))
		_, text := said(&sf.SnowflakeError{Number: n, Message: fmt.Sprint(se.MessageArgs[1])})
		return &errcode.Error{Code: errcode.FailedPrecondition,
			Msg: "snowflake: account " + c.config.endpoint() + ": query " + id + " has no result, it failed: " + text, Err: err}
	}
	e := c.errorOf(ctx, err)
	var coded *errcode.Error
	if !errors.As(e, &coded) || coded.Code != errcode.NotFound && coded.Code != errcode.PermissionDenied {
		return e
	}
	msg := coded.Msg
	if !strings.Contains(msg, id) {
		msg += " (query " + id + ")"
	}
	return &errcode.Error{Code: coded.Code, Msg: msg + "; Snowflake keeps a result for 24 hours and for the user who ran the statement, whatever the role: read it in time and as that user, or write it to a table and refer to table:NAME", Err: err}
}
