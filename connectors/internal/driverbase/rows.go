package driverbase

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// The maximum number of rows and bytes of a record of [Rows]. A single row may have more bytes.
const (
	batchRows  = 1024
	batchBytes = 1 << 20
)

// RowColumn is a column of [Rows].
type RowColumn struct {
	Field arrow.Field
	// Append adds a value of a driver, not nil, to a builder of the field's type. A value that the type does not have,
	// such as the date 0000-00-00, is returned in another form: string, []byte or, with nanoseconds, a time.Time for all
	// of a column. It keeps that form: the column is then a union.
	Append func(b array.Builder, v sqldriver.Value) (other any, err error)
}

// Rows is a [Stream] of rows of a driver for database/sql, which are values and not the bytes of a protocol.
type Rows struct {
	Rows    sqldriver.Rows
	Columns []RowColumn
	Mem     memory.Allocator
	// Failed converts an error of the driver.
	Failed func(ctx context.Context, err error) error
	// End is called once. all reports that all rows were read.
	End func(all bool)

	schema   *arrow.Schema
	dest     []sqldriver.Value
	builders []rowBuilder
	largest  int64 // bytes of the largest row so far
	all      bool
}

// Reader returns a reader of the rows.
func (r *Rows) Reader(ctx context.Context) *Reader {
	fields := make([]arrow.Field, len(r.Columns))
	r.builders = make([]rowBuilder, len(r.Columns))
	for i, c := range r.Columns {
		fields[i] = c.Field
		r.builders[i].b = array.NewBuilder(r.Mem, c.Field.Type)
	}
	r.schema, r.dest = arrow.NewSchema(fields, nil), make([]sqldriver.Value, len(r.Columns))
	return NewReader(ctx, r.schema, r)
}

// NextBytes returns an upper bound of the memory for the next record, unless it has a row larger than all before.
func (r *Rows) NextBytes() int64 {
	return 2 * (max(batchBytes, r.largest) + int64(len(r.Columns))*batchRows*16)
}

// Next returns the next record, or nil at the end.
func (r *Rows) Next(ctx context.Context) (_ arrow.Record, err error) {
	rows, size := int64(0), int64(0)
	for rows < batchRows && size < batchBytes && !r.all {
		if err := r.Rows.Next(r.dest); errors.Is(err, io.EOF) {
			r.all = true
			break
		} else if err != nil {
			return nil, r.Failed(ctx, err)
		}
		row := int64(0)
		for i, v := range r.dest {
			switch v := v.(type) {
			case []byte:
				row += int64(len(v))
			case string:
				row += int64(len(v))
			}
			if err := r.builders[i].add(r.Mem, &r.Columns[i], v); err != nil {
				return nil, err
			}
		}
		rows, size, r.largest = rows+1, size+row, max(r.largest, row)
	}
	if rows == 0 {
		return nil, nil
	}
	fields, arrays := r.schema.Fields(), make([]arrow.Array, len(r.builders))
	for i := range arrays {
		arrays[i] = r.builders[i].array(r.Mem, &fields[i])
		defer arrays[i].Release()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, rows), nil
}

// Close stops the statement.
func (r *Rows) Close(context.Context) {
	for i := range r.builders {
		r.builders[i].release()
	}
	r.End(r.all)
}

// rowBuilder gathers the values of one column for a record.
type rowBuilder struct {
	b     array.Builder // the values that its type has, and NULLs
	other array.Builder // the other values; nil if there are none
	at    []int         // the rows of the other values, ascending
	rows  int
}

func (b *rowBuilder) add(mem memory.Allocator, c *RowColumn, v sqldriver.Value) error {
	b.rows++
	if v == nil {
		b.b.AppendNull()
		return nil
	}
	other, err := c.Append(b.b, v)
	if err != nil || other == nil {
		return err
	}
	b.at = append(b.at, b.rows-1)
	switch v := other.(type) {
	case string:
		if b.other == nil {
			b.other = array.NewStringBuilder(mem)
		}
		b.other.(*array.StringBuilder).Append(v) //nolint:forcetypeassert // a column has other values of one type
	case []byte:
		if b.other == nil {
			b.other = array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
		}
		b.other.(*array.BinaryBuilder).Append(v) //nolint:forcetypeassert // as above
	case time.Time:
		if b.other == nil {
			zone := c.Field.Type.(*arrow.TimestampType).TimeZone //nolint:forcetypeassert // of times alone
			b.other = array.NewBuilder(mem, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: zone})
		}
		b.other.(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixNano())) //nolint:forcetypeassert // as above
	}
	return nil
}

func (b *rowBuilder) release() {
	b.b.Release()
	if b.other != nil {
		b.other.Release()
	}
}

// array returns the column, and resets the builder. If the column has other values, it is a union, and the field's type
// is set to that.
func (b *rowBuilder) array(mem memory.Allocator, f *arrow.Field) arrow.Array {
	own, other, at, rows := b.b.NewArray(), b.other, b.at, b.rows
	b.other, b.at, b.rows = nil, nil, 0
	if other == nil {
		return own
	}
	ids, offsets := array.NewInt8Builder(mem), array.NewInt32Builder(mem)
	for row, n := 0, [2]int32{}; row < rows; row++ {
		is := 0
		if len(at) > 0 && at[0] == row {
			is, at = 1, at[1:]
		}
		ids.Append(int8(is)) //nolint:gosec // 0 or 1
		offsets.Append(n[is])
		n[is]++
	}
	made := []arrow.Array{own}
	for _, b := range []array.Builder{other, ids, offsets} {
		made = append(made, b.NewArray())
		b.Release()
	}
	union, err := array.NewDenseUnionFromArraysWithFieldCodes(made[2], made[3], made[:2], []string{"own", "other"},
		[]arrow.UnionTypeCode{0, 1})
	if err != nil {
		panic(err) // the arrays are as it needs them
	}
	for _, a := range made {
		a.Release()
	}
	*f = arrow.Field{Name: f.Name, Type: union.DataType(), Nullable: true}
	return union
}

// AppendText adds a driver's string or []byte to a string builder. Bytes that are not UTF-8 are returned, see
// [RowColumn].
func AppendText(b array.Builder, v sqldriver.Value) (other any, err error) {
	to := b.(*array.StringBuilder) //nolint:forcetypeassert // of the field's type
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return []byte(v), nil
		}
		to.Append(v)
	case []byte:
		if !utf8.Valid(v) {
			return append([]byte(nil), v...), nil
		}
		to.BinaryBuilder.Append(v)
	}
	return nil, nil
}
