package databricks

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// ReadSnapshot streams the result or table that a reference names, without running a query again:
//
//	query:STATEMENT_ID     the result of a statement that was run through the Statement Execution API, for one hour after it succeeded
//	table:NAME             a table or view as it is now
//	table:NAME@17          a Delta table's version, as DESCRIBE HISTORY lists them
//	table:NAME@TIMESTAMP   as it was at an instant, such as 2024-02-29T12:00:00Z; without a zone it is UTC
//
// The table's delta.deletedFileRetentionDuration limits how old a version may be.
func (c *Conn) ReadSnapshot(ctx context.Context, ref driver.Ref) (array.RecordReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch ref.Kind {
	case driver.RefQuery:
		s, err := c.statement(ctx, ref.Name)
		if err != nil {
			return nil, c.errorOf(err)
		}
		return driverbase.NewReader(ctx, s.schema, s), nil
	case driver.RefTable:
	default:
		return nil, errcode.New(errcode.Unimplemented,
			"databricks: file references are unsupported; use query:STATEMENT_ID or table:NAME")
	}
	name, _, err := nameOf(ref.Name)
	if err != nil {
		return nil, err
	}
	at, err := timeTravel(ref.At)
	if err != nil {
		return nil, err
	}
	return c.Query(ctx, "SELECT * FROM "+name+at)
}

var versionNumber = lazyregexp.New(`^[0-9]{1,18}$`)

// timeTravel returns the SQL clause for a version of a table; "" if at is empty.
func timeTravel(at string) (string, error) {
	switch {
	case at == "":
		return "", nil
	case versionNumber.MatchString(at):
		return " VERSION AS OF " + at, nil
	}
	if t, ok := driverbase.Instant(at); ok {
		return " TIMESTAMP AS OF " + identifiers.Literal(t.Format("2006-01-02T15:04:05.000000Z")), nil
	}
	return "", invalid("expected table:NAME@VERSION, a number, or table:NAME@TIMESTAMP, such as 2024-02-29T12:00:00Z")
}
