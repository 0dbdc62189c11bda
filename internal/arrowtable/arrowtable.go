// Package arrowtable converts between Arrow records and [scoring.Table], exactly.
//
// Arrow is the format of results in warehouses, files and wires; package scoring does not depend on it. Warehouse
// drivers use several Go versions of Arrow; this package uses github.com/apache/arrow/go/v17.
//
// What Arrow types become:
//
//	null                           NULL
//	bool                           BOOL
//	int8 … int64, uint8 … uint64   INT64; DECIMAL in a column with a value beyond 64 signed bits
//	float16, float32, float64      FLOAT64; the narrow ones as the double nearest to their shortest decimal, so 0.1 stays 0.1
//	decimal128, decimal256         DECIMAL
//	utf8, large, view              STRING
//	binary, large, view, fixed     BYTES
//	date32, date64                 DATE
//	time32, time64                 TIME
//	timestamp, any unit            TIMESTAMP; TIMESTAMPTZ with a zone, the instant in UTC
//	duration, interval             STRING, as in "1 year 2 months 3 days 04:05:06.7"
//	list, struct, map              JSON, numbers with every digit
//	union                          each value's own type, so usually ANY
//	dictionary, run-end encoded    what they encode
//
// The extension types arrow.json and arrow.uuid are JSON and STRING, whether registered or only
// named in a field's metadata.
package arrowtable

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Read reads all records of r into a table. It does not release r.
func Read(r array.RecordReader, limits Limits) (*scoring.Table, error) {
	a := NewAccumulator(r.Schema(), limits)
	for r.Next() {
		if err := a.Append(r.Record()); err != nil {
			return nil, err
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return a.Table()
}

// FromRecord converts one record.
func FromRecord(rec arrow.Record) (*scoring.Table, error) {
	a := NewAccumulator(rec.Schema(), Limits{})
	if err := a.Append(rec); err != nil {
		return nil, err
	}
	return a.Table()
}

// Accumulator appends records of one schema to a table.
type Accumulator struct {
	schema  *arrow.Schema
	columns []*column
	rows    int64
	limits  Limits
}

// NewAccumulator makes an accumulator of records with that schema.
func NewAccumulator(schema *arrow.Schema, limits Limits) *Accumulator {
	a := &Accumulator{schema: schema, limits: limits, columns: make([]*column, schema.NumFields())}
	for i := range a.columns {
		f := schema.Field(i)
		a.columns[i] = &column{Builder: scoring.NewBuilder(f.Name, columnType(f), 0), kind: kindOf(f)}
	}
	return a
}

// Reserve makes room for the given number of rows, before the first.
func (a *Accumulator) Reserve(rows int64) {
	for i, c := range a.columns {
		f := a.schema.Field(i)
		c.Builder = scoring.NewBuilder(f.Name, columnType(f), int(rows))
	}
}

// Rows is the number of rows so far.
func (a *Accumulator) Rows() int64 { return a.rows }

// Append copies a record's values. The error names column and row. Types may differ from the
// schema's in width, as some warehouses choose the narrowest integer for each batch.
func (a *Accumulator) Append(rec arrow.Record) (err error) {
	if int(rec.NumCols()) != len(a.columns) {
		return errcode.New(errcode.DataLoss, "a batch of %d columns among batches of %d", rec.NumCols(), len(a.columns))
	}
	if err := a.limits.CheckRows(a.rows + rec.NumRows()); err != nil {
		return err
	}
	for i, c := range a.columns {
		c.grow, c.added, c.told = nil, 0, 0
		if a.limits != (Limits{}) {
			before := a.bytes()
			if err := a.limits.CheckBytes(before); err != nil {
				return err
			}
			c.grow = func(added int64) error { return a.limits.CheckBytes(before + added) }
		}
		if err := appendColumn(c, rec.Column(i), rec.NumRows()); err != nil {
			return errcode.New(errcode.Of(err), "column %d (%q), %w", i+1, a.schema.Field(i).Name, err)
		}
	}
	a.rows += rec.NumRows()
	return a.limits.CheckBytes(a.bytes())
}

// appendColumn converts panics caused by malformed Arrow data, such as offsets beyond the buffer, to errors.
func appendColumn(c *column, arr arrow.Array, rows int64) (err error) {
	before := c.Len()
	if int64(arr.Len()) != rows {
		return errcode.New(errcode.DataLoss, "row %d: %d values in a batch of %d rows", before+1, arr.Len(), rows)
	}
	defer func() {
		if recover() != nil {
			err = errcode.New(errcode.DataLoss, "row %d: malformed Arrow data of type %v", c.Len()+1, arr.DataType())
		}
	}()
	if err := c.append(arr); err != nil {
		return errcode.New(errcode.Of(err), "row %d: %w", c.Len()+1, err)
	}
	if c.Len()-before != arr.Len() {
		return errcode.New(errcode.DataLoss, "row %d: malformed Arrow data of type %v", c.Len()+1, arr.DataType())
	}
	return nil
}

func (a *Accumulator) bytes() int64 {
	t := scoring.Table{Columns: make([]scoring.Column, len(a.columns))}
	for i, c := range a.columns {
		t.Columns[i] = c.Column()
	}
	return t.MemoryBytes()
}

// Table ends the accumulating and returns the table.
func (a *Accumulator) Table() (*scoring.Table, error) {
	if len(a.columns) == 0 {
		return scoring.EmptyTable(int(a.rows)), nil
	}
	columns := make([]scoring.Column, len(a.columns))
	for i, c := range a.columns {
		columns[i] = c.Column()
	}
	t, err := scoring.NewTable(columns...)
	if err != nil {
		return nil, fmt.Errorf("assembling the columns: %w", err)
	}
	return t, nil
}
