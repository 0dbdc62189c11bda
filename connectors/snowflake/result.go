package snowflake

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"
	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/snowflake/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
)

// result is the result of a statement: Arrow batches, most of them not yet downloaded, or rows if Snowflake responds
// with JSON, as it does for SHOW, DESCRIBE and counts of changed rows.
type result struct {
	id      string // of the query
	columns []value.Column
	batches []*sf.ArrowBatch
	rows    sqldriver.Rows // nil if the result has batches
	end     bool           // all rows are read; gosnowflake 1.19.1 would start again
}

// describedRows is the interface of the driver's rows.
type describedRows interface {
	sqldriver.Rows
	sqldriver.RowsColumnTypeDatabaseTypeName
	sqldriver.RowsColumnTypePrecisionScale
	sqldriver.RowsColumnTypeNullable
	sf.SnowflakeRows
}

// result returns the driver's rows as a result, with its columns. asBatches reports that the statement requested Arrow
// batches.
func (s *session) result(ctx context.Context, rows sqldriver.Rows, asBatches bool) (*result, error) {
	d, ok := rows.(describedRows)
	if !ok {
		return nil, errcode.New(errcode.Internal, "snowflake: this version of the driver returns rows in a form that badger cannot read; report this")
	}
	res := &result{id: d.GetQueryID()}
	for i, name := range d.Columns() {
		col := value.Column{Name: name, Kind: strings.ToUpper(d.ColumnTypeDatabaseTypeName(i)), Nullable: true}
		if precision, scale, ok := d.ColumnTypePrecisionScale(i); ok && col.Kind == "FIXED" {
			col.Precision, col.Scale = int32(precision), int32(scale) //nolint:gosec // at most 38
		}
		if nullable, ok := d.ColumnTypeNullable(i); ok {
			col.Nullable = nullable
		}
		res.columns = append(res.columns, col)
	}
	batches, err := d.GetArrowBatches()
	var se *sf.SnowflakeError
	switch {
	case errors.As(err, &se) && se.Number == sf.ErrNonArrowResponseInArrowBatches:
		res.rows = rows
		for i := range res.columns {
			res.columns[i].JSON = true
		}
	case err != nil:
		return nil, s.db.errorOf(ctx, err)
	case asBatches:
		res.batches = slices.Clone(batches) // it may be the driver's own slice
	default: // the driver then has no batches, and returns no error
		res.rows = rows
	}
	return res, nil
}

// rowsAtOnce is the number of rows of a JSON result in one record.
const rowsAtOnce = 4096

// unreadable reports whether err is that of gosnowflake 1.19.1 for a batch that it cannot convert, such as times of day
// with a scale of 4 or less. Such a result can be read as rows.
func unreadable(err error) bool { return strings.Contains(err.Error(), "cast_time64") }

// next reads the driver's next row into values.
func (res *result) next(values []sqldriver.Value) (err error) {
	defer driverbase.Recovered(&err)
	return res.rows.Next(values)
}

// nextRows reads up to rowsAtOnce rows and returns them as a record in the encoding of Arrow batches; ok is false at
// the end.
func (res *result) nextRows(mem memory.Allocator) (records []arrow.Record, ok bool, err error) {
	values := make([]sqldriver.Value, len(res.columns))
	cells := make([][]sqldriver.Value, len(res.columns))
	n := 0
	for ; n < rowsAtOnce && !res.end; n++ {
		if err := res.next(values); errors.Is(err, io.EOF) {
			res.end = true
			break
		} else if err != nil {
			return nil, false, err
		}
		for i, v := range values {
			cells[i] = append(cells[i], v)
		}
	}
	if n == 0 {
		return nil, false, nil
	}
	rec, err := value.FromRows(mem, res.columns, cells)
	if err != nil {
		return nil, false, err
	}
	return []arrow.Record{rec}, true, nil
}
