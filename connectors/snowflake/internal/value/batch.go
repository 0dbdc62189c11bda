package value

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// ErrDamaged is the error for malformed Arrow bytes.
var ErrDamaged = errcode.New(errcode.DataLoss, "snowflake: a part of the result is damaged")

// Decode converts a record from Snowflake's encoding to records with the announced schema, except for columns whose
// numbers or times are wider. It splits the record where the unit of a timestamp column changes. Malformed bytes make
// the Arrow library panic, and the error is then [ErrDamaged].
func Decode(mem memory.Allocator, rec arrow.Record, columns []Column,
	schema *arrow.Schema) (records []arrow.Record, err error) {
	defer func() {
		if recover() != nil {
			records, err = nil, ErrDamaged
		}
	}()
	if int(rec.NumCols()) != len(columns) {
		return nil, errcode.New(errcode.DataLoss, "snowflake: a batch of %d columns in a result of %d", rec.NumCols(),
			len(columns))
	}
	arrays := make([]arrow.Array, rec.NumCols())
	stamps := make([]*moments, rec.NumCols())
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i := range columns {
		c := &columns[i]
		if scale := scaleOf(rec, i); c.isTimestamp() {
			stamps[i], err = c.momentsOf(rec.Column(i), scale)
		} else {
			arrays[i], err = c.decode(mem, rec.Column(i), scale, schema.Field(i).Type)
		}
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "snowflake: column %d (%q): %w", i+1, c.Name, err)
		}
	}
	for start, rows := 0, int(rec.NumRows()); start < rows; {
		p := part{start: start, end: rows, units: make([]arrow.TimeUnit, len(stamps))}
		for i, m := range stamps {
			if m == nil {
				continue
			}
			fit, unit := m.run(start)
			if fit == 0 {
				for _, done := range records {
					done.Release()
				}
				return nil, errcode.Unread("snowflake: column %d (%q): a time before 1678 or after 2261 with nanoseconds; cast the column to a scale of 6 or to VARCHAR", i+1, columns[i].Name)
			}
			p.units[i], p.end = unit, min(p.end, start+fit)
		}
		records = append(records, record(mem, schema, arrays, stamps, p))
		start = p.end
	}
	return records, nil
}

// scaleOf returns the scale of a column of times from the record's metadata, or 9 if it has none.
func scaleOf(rec arrow.Record, column int) int32 {
	text, _ := rec.Schema().Field(column).Metadata.GetValue("scale")
	if n, err := strconv.ParseUint(text, 10, 8); err == nil && n <= 9 {
		return int32(n)
	}
	return 9
}

// part is a range of the rows of a batch, and the unit of each timestamp column in it.
type part struct {
	start, end int
	units      []arrow.TimeUnit
}

// record returns a record of the rows of p.
func record(mem memory.Allocator, announced *arrow.Schema, arrays []arrow.Array, stamps []*moments,
	p part) arrow.Record {
	cols := make([]arrow.Array, len(arrays))
	schema := announced
	var fields []arrow.Field
	for i := range cols {
		if m := stamps[i]; m != nil {
			t := &arrow.TimestampType{Unit: p.units[i], TimeZone: announced.Field(i).Type.(*arrow.TimestampType).TimeZone}
			cols[i] = m.array(mem, t, p.start, p.end)
		} else {
			cols[i] = array.NewSlice(arrays[i], int64(p.start), int64(p.end))
		}
		defer cols[i].Release()
		if !arrow.TypeEqual(cols[i].DataType(), announced.Field(i).Type) {
			if fields == nil {
				fields = append(fields, announced.Fields()...)
			}
			fields[i].Type = cols[i].DataType()
		}
	}
	if fields != nil {
		schema = arrow.NewSchema(fields, nil)
	}
	return array.NewRecord(schema, cols, int64(p.end-p.start))
}
