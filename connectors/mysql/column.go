package mysql

import (
	sqldriver "database/sql/driver"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal256"

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
		_, scale, _ := types.ColumnTypePrecisionScale(i)
		t, add := typeOf(kind, int32(scale)) //nolint:gosec // at most 38
		if kind == "BIT" {
			add = bitsOf(rows, i).add
		}
		if t == nil {
			return nil, errcode.Unread("mysql: column %d (%q) has a type that badger does not know; cast it to CHAR", i+1, name)
		}
		columns[i] = driverbase.RowColumn{
			Field:  arrow.Field{Name: strings.ToValidUTF8(name, "\uFFFD"), Type: t, Nullable: true},
			Append: add,
		}
		if kind == "JSON" {
			columns[i].Field.Metadata = driverbase.JSON
		}
	}
	return columns, nil
}

// adder adds a value, see [driverbase.RowColumn].
type adder = func(b array.Builder, v sqldriver.Value) (other any, err error)

// typeOf returns the Arrow type of a type of MySQL, as the driver names it, and how its values are added; nil for an
// unknown type. scale is that of a DECIMAL.
func typeOf(kind string, scale int32) (arrow.DataType, adder) {
	switch kind {
	case "NULL":
		return arrow.Null, func(b array.Builder, _ sqldriver.Value) (any, error) { b.AppendNull(); return nil, nil }
	case "UNSIGNED BIGINT":
		return arrow.PrimitiveTypes.Uint64, addUnsigned
	case "BIT":
		return arrow.PrimitiveTypes.Uint64, bits{}.add
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "YEAR",
		"UNSIGNED TINYINT", "UNSIGNED SMALLINT", "UNSIGNED MEDIUMINT", "UNSIGNED INT":
		return arrow.PrimitiveTypes.Int64, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Int64Builder).Append(v.(int64)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "FLOAT":
		return arrow.PrimitiveTypes.Float32, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Float32Builder).Append(v.(float32)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "DOUBLE":
		return arrow.PrimitiveTypes.Float64, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.Float64Builder).Append(v.(float64)) //nolint:forcetypeassert // of these types
			return nil, nil
		}
	case "DECIMAL": // of at most 65 digits
		return &arrow.Decimal256Type{Precision: 76, Scale: scale}, func(b array.Builder, v sqldriver.Value) (any, error) {
			return addDecimal(b, textOf(v), scale)
		}
	case "DATE":
		return arrow.FixedWidthTypes.Date32, addDate
	case "DATETIME":
		return &arrow.TimestampType{Unit: arrow.Microsecond}, addTimestamp
	case "TIMESTAMP":
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, addTimestamp
	case "TIME":
		return arrow.FixedWidthTypes.Time64us, addTime
	case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET", "JSON":
		return arrow.BinaryTypes.String, driverbase.AppendText
	case "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "GEOMETRY", "VECTOR":
		return arrow.BinaryTypes.Binary, func(b array.Builder, v sqldriver.Value) (any, error) {
			b.(*array.BinaryBuilder).AppendString(textOf(v)) //nolint:forcetypeassert // of the type
			return nil, nil
		}
	}
	return nil, nil
}

// textOf returns a value that the driver gives as a string or as bytes.
func textOf(v sqldriver.Value) string {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case string:
		return v
	}
	return ""
}

// addUnsigned adds a number, which the driver gives as text if it is beyond int64.
func addUnsigned(b array.Builder, v sqldriver.Value) (any, error) {
	to := b.(*array.Uint64Builder) //nolint:forcetypeassert // of the type
	if n, ok := v.(int64); ok {
		to.Append(uint64(n)) //nolint:gosec // not negative
		return nil, nil
	}
	n, err := strconv.ParseUint(textOf(v), 10, 64)
	if err != nil {
		return nil, unreadable("a number")
	}
	to.Append(n)
	return nil, nil
}

// bits describes a BIT column. MariaDB sends the bits of a column of a table, and digits of most computed columns.
type bits struct {
	width    int  // number of bits; 0 if unknown
	computed bool // the column may be computed
}

// bitsOf describes a BIT column of a result. The driver reads that from the server and has no methods for it.
func bitsOf(rows sqldriver.Rows, column int) (out bits) {
	v := reflect.Indirect(reflect.ValueOf(rows))
	for _, name := range []string{"rs", "columns"} {
		if v = v.FieldByName(name); !v.IsValid() {
			return out
		}
	}
	const flagBinary = 128
	length, flags := v.Index(column).FieldByName("length"), v.Index(column).FieldByName("flags")
	if length.IsValid() && length.CanUint() && flags.IsValid() && flags.CanUint() && length.Uint() <= 64 {
		return bits{int(length.Uint()), flags.Uint()&flagBinary != 0} //nolint:gosec // at most 64
	}
	return out
}

// add adds a BIT as the number that its bits are. A value that may be bits as well as digits, such as 1, which are the
// bits of 49, is an error; no BIT of five bits or fewer is.
func (c bits) add(b array.Builder, v sqldriver.Value) (any, error) {
	text := textOf(v)
	n, asBits := uint64(0), len(text) <= 8
	for i := range len(text) {
		n = n<<8 | uint64(text[i])
	}
	if c.computed {
		asBits = asBits && len(text) == (c.width+7)/8 && n>>c.width == 0
		digits, err := strconv.ParseUint(text, 10, 64)
		switch asDigits := err == nil && digits>>c.width == 0; {
		case asDigits && asBits:
			return nil, errcode.Unread("mysql: the server sent a computed BIT so that it may be one of two numbers; cast it to UNSIGNED")
		case asDigits:
			n, asBits = digits, true
		}
	}
	if !asBits {
		return nil, unreadable("a BIT")
	}
	b.(*array.Uint64Builder).Append(n) //nolint:forcetypeassert // of the type
	return nil, nil
}

func addDecimal(b array.Builder, text string, scale int32) (any, error) {
	n, ok := driverbase.Unscaled(text, int(scale))
	if !ok {
		return nil, unreadable("a DECIMAL")
	}
	b.(*array.Decimal256Builder).Append(decimal256.FromBigInt(n)) //nolint:forcetypeassert // of the type
	return nil, nil
}

// addDate adds a date. Dates that no calendar has, such as 0000-00-00 and 2024-02-00, are returned as text.
func addDate(b array.Builder, v sqldriver.Value) (any, error) {
	text := textOf(v)
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return text, nil //nolint:nilerr // the text is returned
	}
	b.(*array.Date32Builder).Append(arrow.Date32FromTime(t)) //nolint:forcetypeassert // of the type
	return nil, nil
}

// addTimestamp adds a date and time, see addDate.
func addTimestamp(b array.Builder, v sqldriver.Value) (any, error) {
	text := textOf(v)
	t, err := time.Parse(time.DateTime, text)
	if err != nil {
		return text, nil //nolint:nilerr // the text is returned
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(t.UnixMicro())) //nolint:forcetypeassert // of the type
	return nil, nil
}

// addTime adds a time of day. A TIME may also be a duration: what is negative or has 24 hours and more is returned as
// text.
func addTime(b array.Builder, v sqldriver.Value) (any, error) {
	text := textOf(v)
	t, err := time.Parse(time.TimeOnly, text)
	if err != nil {
		return text, nil //nolint:nilerr // the text is returned
	}
	since := t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
	b.(*array.Time64Builder).Append(arrow.Time64(since.Microseconds())) //nolint:forcetypeassert // of the type
	return nil, nil
}

func unreadable(what string) error {
	return errcode.Unread("mysql: the server sent %s in a form that badger does not know", what)
}
