// Package arrowtable converts between Arrow records and [scoring.Table], exactly.
//
// Results come as Arrow from warehouses, files and network protocols; package scoring does not depend on it. Warehouse
// drivers use several Go versions of Arrow; this package uses github.com/apache/arrow/go/v17.
//
// Arrow types are converted to these types:
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
// Columns of the extension types arrow.json and arrow.uuid become JSON and STRING, whether the type is registered or
// only named in a field's metadata.
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

// FromRecord converts one record to a table.
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
	bytes   int64 // memory of all columns
	limits  Limits
}

// NewAccumulator returns an empty accumulator for records with that schema.
func NewAccumulator(schema *arrow.Schema, limits Limits) *Accumulator {
	a := &Accumulator{schema: schema, limits: limits, columns: make([]*column, schema.NumFields())}
	for i := range a.columns {
		f := schema.Field(i)
		a.columns[i] = &column{kind: kindOf(f)}
		a.build(i, 0)
	}
	return a
}

// build creates the empty column i, with capacity for the given number of rows.
func (a *Accumulator) build(i, rows int) {
	c, f := a.columns[i], a.schema.Field(i)
	c.Builder = scoring.NewBuilder(f.Name, columnType(f), rows)
	if a.limits == (Limits{}) {
		return
	}
	c.grow = func(n int64) error { return a.limits.CheckBytes(a.bytes + n) }
	c.Bound(func(n int64) error { return a.limits.CheckBytes(a.bytes - c.bytes + c.MemoryBytes() + n) })
}

// Reserve allocates memory for the given number of rows. It must be called before the first Append, because it empties
// the columns.
func (a *Accumulator) Reserve(rows int64) {
	for i := range a.columns {
		a.build(i, int(rows))
	}
}

// Rows returns the number of rows appended so far.
func (a *Accumulator) Rows() int64 { return a.rows }

// Append copies a record's values. Errors name the column and the row. A column may have another width than in the
// schema, because some warehouses use the narrowest integer type for each batch.
func (a *Accumulator) Append(rec arrow.Record) (err error) {
	if int(rec.NumCols()) != len(a.columns) {
		return errcode.New(errcode.DataLoss, "a batch of %d columns among batches of %d", rec.NumCols(), len(a.columns))
	}
	if len(a.columns) > scoring.MaxColumns {
		return errcode.New(errcode.ResourceExhausted, "%d columns, expected at most %d", len(a.columns), scoring.MaxColumns)
	}
	if err := a.limits.CheckRows(a.rows + rec.NumRows()); err != nil {
		return err
	}
	for i, c := range a.columns {
		if err := a.appendParts(c, rec.Column(i), rec.NumRows()); err != nil {
			return errcode.New(errcode.Of(err), "column %d (%q), %w", i+1, a.schema.Field(i).Name, err)
		}
	}
	a.rows += rec.NumRows()
	return a.limits.CheckBytes(a.bytes)
}

// partRows is the number of values that are converted between two checks of the column's size. Checks are needed
// because a few encoded bytes may represent millions of values.
const partRows = 1 << 16

// appendParts appends an array of rows values. If the memory is limited, it appends a long array in parts and checks
// the limit before each.
func (a *Accumulator) appendParts(c *column, arr arrow.Array, rows int64) error {
	if a.limits == (Limits{}) || rows <= partRows || int64(arr.Len()) != rows || !inParts(arr.DataType()) {
		return a.appendPart(c, arr, rows)
	}
	for from := int64(0); from < rows; from += partRows {
		part, err := slice(arr, from, min(from+partRows, rows))
		if err != nil {
			return errcode.New(errcode.Of(err), "row %d: %w", c.Len()+1, err)
		}
		err = a.appendPart(c, part, int64(part.Len()))
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// inParts reports whether long arrays of the type are appended in parts. Encoded arrays and extension types are not,
// because what they encode would be decoded again for each part.
func inParts(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.DICTIONARY, arrow.RUN_END_ENCODED, arrow.EXTENSION:
		return false
	}
	return true
}

func slice(arr arrow.Array, from, to int64) (part arrow.Array, err error) {
	defer func() {
		if recover() != nil {
			err = errcode.New(errcode.DataLoss, "malformed Arrow data of type %v", arr.DataType())
		}
	}()
	return array.NewSlice(arr, from, to), nil
}

func (a *Accumulator) appendPart(c *column, arr arrow.Array, rows int64) error {
	if a.limits == (Limits{}) {
		return appendColumn(c, arr, rows)
	}
	c.added, c.told = 0, 0
	if err := a.limits.CheckBytes(a.bytes); err != nil {
		return err
	}
	err := appendColumn(c, arr, rows)
	before := c.bytes
	c.bytes = c.MemoryBytes()
	a.bytes += c.bytes - before
	return err
}

// appendColumn appends an array of rows values to c. It converts panics caused by malformed Arrow data, such as offsets
// beyond the buffer, to errors.
func appendColumn(c *column, arr arrow.Array, rows int64) (err error) {
	before := c.Len()
	if int64(arr.Len()) != rows {
		return errcode.New(errcode.DataLoss, "row %d: %d values in a batch of %d rows", before+1, arr.Len(), rows)
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case scoring.NoRoom:
			err = errcode.New(errcode.Of(v.Err), "row %d: %w", c.Len()+1, v.Err)
		default:
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

// Table returns the table of all appended rows. The accumulator must not be used after it.
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
