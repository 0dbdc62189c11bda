// Package arrow18 converts records of Arrow version 18, which Snowflake's driver uses, to version 17, which this module
// uses. Buffers are shared, not copied: they are on the Go heap and live as long as they are referenced.
package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// TakeOver converts rec to a record of Arrow 17, still in Snowflake's encoding, and releases rec. It keeps the fields'
// names, types and metadata. For a type that Snowflake does not send, the error has the code Unimplemented and names
// the column.
func TakeOver(rec arrow.RecordBatch) (arrow17.Record, error) {
	defer rec.Release() // the driver still lists the record, but its memory is released
	var fields []arrow17.Field
	var cols []arrow17.Array
	for i, col := range rec.Columns() {
		data, err := dataOf(col.Data())
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, rec.ColumnName(i), err)
		}
		defer data.Release()
		cols = append(cols, array.MakeFromData(data))
		defer cols[i].Release()
		fields = append(fields,
			arrow17.Field{Name: rec.ColumnName(i), Type: data.DataType(), Nullable: true,
				Metadata: arrow17.MetadataFrom(rec.Schema().Field(i).Metadata.ToMap())})
	}
	return array.NewRecord(arrow17.NewSchema(fields, nil), cols, rec.NumRows()), nil
}

func dataOf(d arrow.ArrayData) (arrow17.ArrayData, error) {
	t, err := typeOf(d.DataType())
	if err != nil {
		return nil, err
	}
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = memory.NewBufferBytes(b.Bytes())
		}
	}
	var children []arrow17.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for _, c := range d.Children() {
		child, err := dataOf(c)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(t, d.Len(), buffers, children, d.NullN(), d.Offset()), nil
}

// plain maps the types without parameters that Snowflake sends.
var plain = map[arrow.Type]arrow17.DataType{
	arrow.NULL: arrow17.Null, arrow.BOOL: arrow17.FixedWidthTypes.Boolean, arrow.INT8: arrow17.PrimitiveTypes.Int8,
	arrow.INT16: arrow17.PrimitiveTypes.Int16,
	arrow.INT32: arrow17.PrimitiveTypes.Int32, arrow.INT64: arrow17.PrimitiveTypes.Int64,
	arrow.FLOAT32: arrow17.PrimitiveTypes.Float32, arrow.FLOAT64: arrow17.PrimitiveTypes.Float64,
	arrow.STRING: arrow17.BinaryTypes.String, arrow.BINARY: arrow17.BinaryTypes.Binary,
	arrow.DATE32: arrow17.FixedWidthTypes.Date32,
}

// typeOf returns the type with the same memory layout. Types that Snowflake does not send are an error.
func typeOf(t arrow.DataType) (arrow17.DataType, error) {
	if same, ok := plain[t.ID()]; ok {
		return same, nil
	}
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		return &arrow17.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *arrow.Time64Type:
		return &arrow17.Time64Type{Unit: arrow17.TimeUnit(t.Unit)}, nil
	case *arrow.Decimal128Type:
		return &arrow17.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *arrow.FixedSizeListType:
		elem, err := typeOf(t.Elem())
		if err != nil {
			return nil, err
		}
		return arrow17.FixedSizeListOf(t.Len(), elem), nil
	case *arrow.StructType:
		fields := make([]arrow17.Field, t.NumFields())
		for i, f := range t.Fields() {
			child, err := typeOf(f.Type)
			if err != nil {
				return nil, err
			}
			fields[i] = arrow17.Field{Name: f.Name, Type: child, Nullable: f.Nullable}
		}
		return arrow17.StructOf(fields...), nil
	}
	return nil, errcode.Unread("unsupported Arrow type %v; cast the column to VARCHAR", t)
}
