package snowflake

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"slices"
	"strings"

	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/internal/errcode"
)

// result is what a statement returned: Arrow batches, most of them not yet downloaded, or rows
// where Snowflake answers in JSON, as it does for SHOW, DESCRIBE and counts of changed rows.
type result struct {
	id      string // of the query
	columns []column
	batches []*sf.ArrowBatch
	rows    sqldriver.Rows // nil where there are batches
	end     bool           // of the rows, after which gosnowflake 1.19.1 would begin anew
}

// describedRows are the driver's rows.
type describedRows interface {
	sqldriver.Rows
	sqldriver.RowsColumnTypeDatabaseTypeName
	sqldriver.RowsColumnTypePrecisionScale
	sqldriver.RowsColumnTypeNullable
	sf.SnowflakeRows
}

// result describes what the driver returned to a statement that asked for Arrow batches, or for
// rows.
func (s *session) result(ctx context.Context, rows sqldriver.Rows, asBatches bool) (*result, error) {
	d, ok := rows.(describedRows)
	if !ok {
		return nil, errcode.New(errcode.Internal, "snowflake: the driver's rows are not what they were")
	}
	res := &result{id: d.GetQueryID()}
	for i, name := range d.Columns() {
		col := column{name: name, kind: strings.ToUpper(d.ColumnTypeDatabaseTypeName(i)), nullable: true}
		if precision, scale, ok := d.ColumnTypePrecisionScale(i); ok && col.kind == "FIXED" {
			col.precision, col.scale = int32(precision), int32(scale) //nolint:gosec // at most 38
		}
		if nullable, ok := d.ColumnTypeNullable(i); ok {
			col.nullable = nullable
		}
		res.columns = append(res.columns, col)
	}
	batches, err := d.GetArrowBatches()
	var se *sf.SnowflakeError
	switch {
	case errors.As(err, &se) && se.Number == sf.ErrNonArrowResponseInArrowBatches:
		res.rows = rows
		for i := range res.columns {
			res.columns[i].json = true
		}
	case err != nil:
		return nil, s.db.errorOf(ctx, err)
	case asBatches:
		res.batches = slices.Clone(batches) // it may be the driver's own list
	default: // the driver has no batches then, and no error
		res.rows = rows
	}
	return res, nil
}
