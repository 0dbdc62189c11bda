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

// textRows are rows in which columns of types that the engine lacks, such as 256-bit decimals, are strings. The engine
// casts them to the types of the table's columns.
type textRows struct {
	rows    array.RecordReader
	plan    *driverbase.Plan
	schema  *arrow.Schema
	columns []int
}

// asText returns rows with the columns of unsupported types as text. The caller releases the reader, and still owns
// rows.
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

// Next returns the next record, with those columns as text, and counts its rows and the NULLs of the key.
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

// Close does nothing: the rows belong to the caller.
func (*textRows) Close(context.Context) {}

// findNulls records in the plan which key columns hold NULL. If none do, a merge can use a faster join.
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
