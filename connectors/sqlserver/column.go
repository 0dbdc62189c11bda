package sqlserver

import (
	sqldriver "database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// columnsOf returns how the columns of a result are read.
func columnsOf(rows sqldriver.Rows) ([]driverbase.RowColumn, error) {
	types := rows.(interface { //nolint:forcetypeassert // the driver's rows are
		sqldriver.RowsColumnTypeDatabaseTypeName
		sqldriver.RowsColumnTypePrecisionScale
	})
	columns := make([]driverbase.RowColumn, len(rows.Columns()))
	for i, name := range rows.Columns() {
		kind := types.ColumnTypeDatabaseTypeName(i)
		precision, scale, _ := types.ColumnTypePrecisionScale(i)
		t, add := typeOf(kind, int32(precision), int32(scale)) //nolint:gosec // at most 38
		if t == nil {
			return nil, errcode.Unread("sqlserver: column %d (%q) has the type %s, which badger does not read; cast it", i+1,
				name, strings.ToLower(kind))
		}
		columns[i] = driverbase.RowColumn{
			Field:  arrow.Field{Name: strings.ToValidUTF8(name, "\uFFFD"), Type: t, Nullable: true},
			Append: add,
		}
	}
	return columns, nil
}

// adder adds a value, see [driverbase.RowColumn].
type adder = func(b array.Builder, v sqldriver.Value) (other any, err error)

// typeOf returns the Arrow type of a type of SQL Server, as the driver names it, and how its values are added; nil for
// a type that is not read. A value of sql_variant has a type that the driver does not tell.
func typeOf(kind string, precision, scale int32) (arrow.DataType, adder) {
	switch kind {
	case "TINYINT", "SMALLINT", "INT", "BIGINT":
		return arrow.PrimitiveTypes.Int64, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Int64Builder).Append(v.(int64)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "BIT":
		return arrow.FixedWidthTypes.Boolean, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.BooleanBuilder).Append(v.(bool)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "REAL":
		return arrow.PrimitiveTypes.Float32, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Float32Builder).Append(float32(v.(float64))) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "FLOAT":
		return arrow.PrimitiveTypes.Float64, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Float64Builder).Append(v.(float64)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "DECIMAL":
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}, decimalOf(scale)
	case "MONEY":
		return &arrow.Decimal128Type{Precision: 19, Scale: 4}, decimalOf(4)
	case "SMALLMONEY":
		return &arrow.Decimal128Type{Precision: 10, Scale: 4}, decimalOf(4)
	case "DATE":
		return arrow.FixedWidthTypes.Date32, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Date32Builder).Append(arrow.Date32FromTime(v.(time.Time))) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "TIME":
		return arrow.FixedWidthTypes.Time64ns, func(b array.Builder, v sqldriver.Value) (any, error) {
			t := v.(time.Time) //nolint:forcetypeassert // of these types
			since := t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()))
			b.(*array.Time64Builder).Append(arrow.Time64(since)) //nolint:forcetypeassert // as above
			return nil, nil
		}
	case "SMALLDATETIME", "DATETIME", "DATETIME2":
		return &arrow.TimestampType{Unit: arrow.Microsecond}, addTime
	case "DATETIMEOFFSET":
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, addTime
	case "CHAR", "VARCHAR", "NCHAR", "NVARCHAR", "TEXT", "NTEXT", "XML":
		return arrow.BinaryTypes.String, driverbase.AppendText
	case "UNIQUEIDENTIFIER":
		return arrow.BinaryTypes.String, addUUID
	case "BINARY", "VARBINARY", "IMAGE", "GEOMETRY", "GEOGRAPHY", "HIERARCHYID":
		return arrow.BinaryTypes.Binary, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.BinaryBuilder).Append(v.([]byte)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	}
	return nil, nil
}

// decimalOf returns how decimals are added, which the driver gives as their digits.
func decimalOf(scale int32) adder {
	return func(b array.Builder, v sqldriver.Value) (any, error) {
		n, ok := driverbase.Unscaled(string(v.([]byte)), int(scale)) //nolint:forcetypeassert // of these types
		if !ok || n.BitLen() > 127 {
			return nil, errcode.Unread("sqlserver: the server sent a decimal in a form that badger does not know")
		}
		b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(n)) //nolint:forcetypeassert // as above
		return nil, nil
	}
}

// addTime adds a time in microseconds, which reach all years of the type. A time with a seventh decimal is returned, to
// be read in nanoseconds, which reach from 1678 to 2261.
func addTime(b array.Builder, v sqldriver.Value) (any, error) {
	t := v.(time.Time).UTC() //nolint:forcetypeassert // of these types
	if t.Nanosecond()%1000 == 0 {
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(t.UnixMicro())) //nolint:forcetypeassert // as above
		return nil, nil
	}
	if t.Year() < 1678 || t.Year() > 2261 {
		return nil, errcode.Unread("sqlserver: a time outside of the years 1678 to 2261 has seven decimals; cast it to datetime2(6)")
	}
	return t, nil
}

// addUUID adds a uniqueidentifier as the server writes it.
func addUUID(b array.Builder, v sqldriver.Value) (any, error) {
	u := v.([]byte) //nolint:forcetypeassert // of these types
	b.(*array.StringBuilder).Append(fmt.Sprintf("%X-%X-%X-%X-%X", u[:4], u[4:6], u[6:8], u[8:10], u[10:]))
	return nil, nil
}
