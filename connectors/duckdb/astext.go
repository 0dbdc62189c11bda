package duckdb

import (
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// textReader reads rows with the columns that the engine has no type for, such as decimals of 256
// bits, as text, which the engine casts to what the table's columns are.
type textReader struct {
	array.RecordReader
	plan    *driverbase.Plan
	schema  *arrow.Schema
	columns []int
	rec     arrow.Record
	before  int64 // rows of earlier records
	err     error
}

// asText is a reader of rows that can be written, which must be closed.
func asText(plan *driverbase.Plan, rows array.RecordReader) *textReader {
	t := &textReader{RecordReader: rows, plan: plan}
	fields := slices.Clone(rows.Schema().Fields())
	for i, f := range fields {
		if _, err := storedAs(f); err != nil {
			fields[i] = arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}
			t.columns = append(t.columns, i)
		}
	}
	t.schema = arrow.NewSchema(fields, nil)
	if len(t.columns) == 0 {
		t.schema = rows.Schema()
	}
	return t
}

func (t *textReader) close() {
	if t.rec != nil {
		t.rec.Release()
		t.rec = nil
	}
}

// Schema has text in place of the engine's missing types.
func (t *textReader) Schema() *arrow.Schema { return t.schema }

// Record is the record that Next went to.
func (t *textReader) Record() arrow.Record { return t.rec }

// Err is why there are no more records.
func (t *textReader) Err() error {
	if t.err != nil {
		return t.err
	}
	return t.RecordReader.Err()
}

// Next goes to the next record.
func (t *textReader) Next() bool {
	if t.rec != nil {
		t.before += t.rec.NumRows()
	}
	t.close()
	if t.err != nil || !t.RecordReader.Next() {
		return false
	}
	rec := t.RecordReader.Record()
	t.findNulls(rec)
	if len(t.columns) == 0 {
		rec.Retain()
		t.rec = rec
		return true
	}
	columns := slices.Clone(rec.Columns())
	for _, i := range t.columns {
		if columns[i], t.err = t.text(i, columns[i]); t.err != nil {
			return false
		}
	}
	t.rec = array.NewRecord(t.schema, columns, rec.NumRows())
	return true
}

// findNulls marks the columns of the key that hold NULL. Without one the engine looks only at the part of
// the table that can hold the key, and else at all of it.
func (t *textReader) findNulls(rec arrow.Record) {
	for i, arr := range rec.Columns() {
		for k := 0; t.plan.Keyed[i] && !t.plan.Nulls[i] && k < arr.Len(); k++ {
			t.plan.Nulls[i] = driverbase.IsNull(arr, k)
		}
	}
}

var textForm = &driverbase.Notation{Infinity: "Infinity", Instant: "2006-01-02 15:04:05.999999+00:00", Clock: "2006-01-02 15:04:05.999999999", Finest: time.Nanosecond}

func (t *textReader) text(column int, arr arrow.Array) (arrow.Array, error) {
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
			t.plan.Rows = t.before + int64(i)
			return nil, t.plan.CellError(column, err)
		}
		b.Append(string(cell))
	}
	return b.NewArray(), nil
}
