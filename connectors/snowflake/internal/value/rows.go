package value

import (
	sqldriver "database/sql/driver"
	"math/big"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// FromRows returns a record of the driver's row values, a slice for each column, in the encoding of batches, which
// [Decode] reads.
func FromRows(mem memory.Allocator, columns []Column, cells [][]sqldriver.Value) (arrow.Record, error) {
	fields, cols := make([]arrow.Field, len(cells)), make([]arrow.Array, len(cells))
	n := 0
	for i := range columns {
		c := &columns[i]
		var err error
		if cols[i], err = c.build(mem, cells[i]); err != nil {
			return nil, errcode.New(errcode.Of(err), "snowflake: column %d (%q): %w", i+1, c.Name, err)
		}
		defer cols[i].Release()
		fields[i], n = arrow.Field{Name: c.Name, Type: cols[i].DataType(), Nullable: true}, cols[i].Len()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(n)), nil
}

// build returns an array of a column's values.
func (c *Column) build(mem memory.Allocator, values []sqldriver.Value) (arrow.Array, error) {
	if c.Kind == "FIXED" {
		return c.buildFixed(mem, values)
	}
	if c.isTimestamp() {
		return c.buildMoments(mem, values)
	}
	b := array.NewBuilder(mem, c.Field().Type)
	defer b.Release()
	for i, v := range values {
		if v == nil {
			b.AppendNull()
			continue
		}
		if !appendValue(b, v) {
			return nil, errcode.Unread("row %d: a value of type %s has the unsupported Go type %T; cast the column to VARCHAR",
				i+1, c.Kind, v)
		}
	}
	return b.NewArray(), nil
}

// appendValue appends a value of the driver, and reports whether its type fits the builder.
func appendValue(b array.Builder, v sqldriver.Value) bool {
	switch v := v.(type) {
	case []byte:
		return put(b, v)
	case time.Time:
		return put(b, arrow.Date32FromTime(v)) || put(b, arrow.Time64(v.Sub(time.Time{})))
	case float64:
		return put(b, v)
	case bool:
		return put(b, v)
	case string:
		return put(b, v) || v != array.NullValueStr && b.AppendValueFromString(v) == nil // text of booleans and doubles
	}
	return false
}

// put appends a value if its type fits the builder, and reports whether it does.
func put[V any](b array.Builder, v V) bool {
	to, ok := b.(interface{ Append(v V) })
	if ok {
		to.Append(v)
	}
	return ok
}

// buildFixed returns numbers as decimals, which [Column.decodeFixed] converts to integers if they are.
func (c *Column) buildFixed(mem memory.Allocator, values []sqldriver.Value) (arrow.Array, error) {
	b := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: c.digits(), Scale: c.Scale})
	defer b.Release()
	for i, v := range values {
		text := ""
		switch v := v.(type) {
		case nil:
			b.AppendNull()
			continue
		case string:
			text = v
		case int64:
			text = strconv.FormatInt(v, 10)
		case big.Int:
			text = v.String()
		case *big.Int:
			text = v.String()
		case big.Float:
			text = v.Text('f', int(c.Scale))
		case *big.Float:
			text = v.Text('f', int(c.Scale))
		}
		n, ok := driverbase.Unscaled(text, int(c.Scale))
		// beyond what gosnowflake 1.19.1 keeps of a number with a scale
		if !ok || n.BitLen() > 127 || c.Scale > 0 && len(new(big.Int).Abs(n).Text(10)) > 37 {
			return nil, errcode.Unread("row %d: a number cannot be read exactly; cast the column to VARCHAR", i+1)
		}
		b.Append(decimal128.FromBigInt(n))
	}
	return b.NewArray(), nil
}

var epochFields = []arrow.Field{
	{Name: "epoch", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "fraction", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "timezone", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
}

// buildMoments returns timestamps as structs of seconds and nanoseconds. In a JSON result gosnowflake 1.19.1 returns
// wrong fractions before 1970; those are an error.
func (c *Column) buildMoments(mem memory.Allocator, values []sqldriver.Value) (arrow.Array, error) {
	fields := epochFields[:2]
	if c.Kind == "TIMESTAMP_TZ" {
		fields = epochFields
	}
	b := array.NewStructBuilder(mem, arrow.StructOf(fields...))
	defer b.Release()
	for i, v := range values {
		if v == nil {
			b.AppendNull()
			continue
		}
		t, ok := v.(time.Time)
		if !ok {
			return nil, errcode.Unread("row %d: a timestamp has the unsupported Go type %T", i+1, v)
		}
		if c.JSON && t.Unix() <= 0 && t.Nanosecond() > 0 {
			return nil, errcode.Unread(
				"row %d: a time before 1970 with fractional seconds cannot be read from a JSON result; cast the column to VARCHAR",
				i+1)
		}
		b.Append(true)
		b.FieldBuilder(0).(*array.Int64Builder).Append(t.Unix())
		b.FieldBuilder(1).(*array.Int32Builder).Append(int32(t.Nanosecond())) //nolint:gosec // below 1e9
		if len(fields) > 2 {
			b.FieldBuilder(2).(*array.Int32Builder).Append(0)
		}
	}
	return b.NewArray(), nil
}
