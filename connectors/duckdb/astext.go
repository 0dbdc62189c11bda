package duckdb

import (
	"context"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/duckdb/internal/vector"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// textRows are rows with the columns that the engine has no type for, such as decimals of 256 bits, as
// text, which the engine casts to what the table's columns are.
type textRows struct {
	rows    array.RecordReader
	plan    *driverbase.Plan
	schema  *arrow.Schema
	columns []int
}

// asText returns rows in a form that can be written. The reader must be released, the rows remain the caller's.
func asText(ctx context.Context, plan *driverbase.Plan, rows array.RecordReader) *driverbase.Reader {
	t := &textRows{rows: rows, plan: plan, schema: rows.Schema()}
	fields := slices.Clone(rows.Schema().Fields())
	for i, f := range fields {
		if _, err := vector.StoredAs(f); err != nil {
			fields[i] = arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}
			t.columns = append(t.columns, i)
		}
	}
	if len(t.columns) > 0 {
		t.schema = arrow.NewSchema(fields, nil)
	}
	return driverbase.NewReader(ctx, t.schema, t)
}

// Next reads the next record.
func (t *textRows) Next(context.Context) (arrow.Record, error) {
	if !t.rows.Next() {
		return nil, t.rows.Err()
	}
	rec := t.rows.Record()
	t.findNulls(rec)
	columns := slices.Clone(rec.Columns())
	for _, i := range t.columns {
		var err error
		if columns[i], err = t.text(i, columns[i]); err != nil {
			return nil, err
		}
	}
	t.plan.Rows += rec.NumRows()
	return array.NewRecord(t.schema, columns, rec.NumRows()), nil
}

// Close has nothing to close.
func (*textRows) Close(context.Context) {}

// findNulls marks the columns of the key that hold NULL. Without one the engine looks only at the part of
// the table that can hold the key, and else at all of it.
func (t *textRows) findNulls(rec arrow.Record) {
	for i, arr := range rec.Columns() {
		for k := 0; t.plan.Keyed[i] && !t.plan.Nulls[i] && k < arr.Len(); k++ {
			t.plan.Nulls[i] = driverbase.IsNull(arr, k)
		}
	}
}

var textForm = &driverbase.Notation{Infinity: "Infinity", Instant: "2006-01-02 15:04:05.999999+00:00",
	Clock: "2006-01-02 15:04:05.999999999", Finest: time.Nanosecond}

func (t *textRows) text(column int, arr arrow.Array) (arrow.Array, error) {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	defer b.Release()
	var cell []byte
	for i := range arr.Len() {
		if driverbase.IsNull(arr, i) {
			b.AppendNull()
			continue
		}
		var err error
		if cell, err = textForm.Append(cell[:0], arr, i); err != nil {
			t.plan.Rows += int64(i)
			return nil, t.plan.CellError(column, err)
		}
		b.Append(string(cell))
	}
	return b.NewArray(), nil
}
