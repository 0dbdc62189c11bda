package snowflake

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// This file is the only one that knows the driver's version of Arrow. Records cross over by their
// buffers: the bytes are the driver's, on the Go heap, and live as long as something refers to
// them. Nothing is copied but the headers.

// takeOver makes a record's columns ones of this module's Arrow, in the encoding that Snowflake
// sent, and lets go of the record. Scales come from the fields' metadata, -1 where there is none.
func takeOver(rec arrow.RecordBatch) (cols []arrow17.Array, scales []int32, err error) {
	defer rec.Release() // the driver's list of its records keeps it, but not its memory
	defer func() {
		if err != nil {
			for _, c := range cols {
				c.Release()
			}
			cols = nil
		}
	}()
	for i, col := range rec.Columns() {
		data, err := dataOf(col.Data())
		if err != nil {
			return cols, nil, errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, rec.ColumnName(i), err)
		}
		cols = append(cols, array.MakeFromData(data))
		data.Release()
		scale := int32(-1)
		f := rec.Schema().Field(i)
		if text, ok := f.Metadata.GetValue("scale"); ok {
			if n, err := strconv.ParseInt(text, 10, 32); err == nil {
				scale = int32(n)
			}
		}
		scales = append(scales, scale)
	}
	return cols, scales, nil
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

// typeOf is the type of the same memory layout. Only what Snowflake sends is known.
func typeOf(t arrow.DataType) (arrow17.DataType, error) {
	switch t := t.(type) {
	case *arrow.NullType:
		return arrow17.Null, nil
	case *arrow.BooleanType:
		return arrow17.FixedWidthTypes.Boolean, nil
	case *arrow.Int8Type:
		return arrow17.PrimitiveTypes.Int8, nil
	case *arrow.Int16Type:
		return arrow17.PrimitiveTypes.Int16, nil
	case *arrow.Int32Type:
		return arrow17.PrimitiveTypes.Int32, nil
	case *arrow.Int64Type:
		return arrow17.PrimitiveTypes.Int64, nil
	case *arrow.Float32Type:
		return arrow17.PrimitiveTypes.Float32, nil
	case *arrow.Float64Type:
		return arrow17.PrimitiveTypes.Float64, nil
	case *arrow.StringType:
		return arrow17.BinaryTypes.String, nil
	case *arrow.BinaryType:
		return arrow17.BinaryTypes.Binary, nil
	case *arrow.FixedSizeBinaryType:
		return &arrow17.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *arrow.Date32Type:
		return arrow17.FixedWidthTypes.Date32, nil
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
	return nil, errcode.New(errcode.Unimplemented, "values of Arrow type %v are not read; cast the column to VARCHAR", t)
}
