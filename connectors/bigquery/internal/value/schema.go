// Package value handles BigQuery's types: their names, the Arrow types of their values, and how values are sent and
// written. It decodes cells of the REST API and batches of the Storage Read API, and uses no connections.
package value

import (
	"cmp"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// picoseconds is the TIMESTAMP precision that Arrow's units cannot hold; such columns are read as strings.
const picoseconds = 12

// kind describes how values of a type are read and written.
type kind struct {
	arrow arrow.DataType
	mark  arrow.Metadata // metadata of the field
	takes []arrow.Type   // Arrow types that can be written to it; empty if none can
}

var (
	integers = []arrow.Type{arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32,
		arrow.UINT64}
	decimals = append([]arrow.Type{arrow.DECIMAL128, arrow.DECIMAL256}, integers...)
	doubles  = append([]arrow.Type{arrow.FLOAT64, arrow.FLOAT32}, integers...)
	texts    = []arrow.Type{arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW}
	binaries = []arrow.Type{arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY}
)

// kinds are the types by SQL name, except STRUCT and RANGE. Decimals are strings with their own digits: as Arrow
// decimals every NUMERIC would have nine decimals and every BIGNUMERIC thirty-eight, and the largest have 77 digits,
// one more than Arrow allows.
var kinds = map[string]kind{
	"STRING":     {arrow: arrow.BinaryTypes.String, takes: texts},
	"JSON":       {arrow: arrow.BinaryTypes.String, mark: driverbase.JSON, takes: texts},
	"NUMERIC":    {arrow: arrow.BinaryTypes.String, mark: driverbase.Decimal, takes: decimals},
	"BIGNUMERIC": {arrow: arrow.BinaryTypes.String, mark: driverbase.Decimal, takes: decimals},
	"INT64":      {arrow: arrow.PrimitiveTypes.Int64, takes: integers},
	"FLOAT64":    {arrow: arrow.PrimitiveTypes.Float64, takes: doubles},
	"BOOL":       {arrow: arrow.FixedWidthTypes.Boolean, takes: []arrow.Type{arrow.BOOL}},
	"BYTES":      {arrow: arrow.BinaryTypes.Binary, takes: binaries},
	"DATE":       {arrow: arrow.FixedWidthTypes.Date32, takes: []arrow.Type{arrow.DATE32, arrow.DATE64}},
	"TIME":       {arrow: arrow.FixedWidthTypes.Time64us, takes: []arrow.Type{arrow.TIME32, arrow.TIME64}},
	"DATETIME":   {arrow: &arrow.TimestampType{Unit: arrow.Microsecond}, takes: []arrow.Type{arrow.TIMESTAMP}},
	"TIMESTAMP":  {arrow: arrow.FixedWidthTypes.Timestamp_us, takes: []arrow.Type{arrow.TIMESTAMP}},
	"INTERVAL":   {arrow: arrow.BinaryTypes.String},
	"GEOGRAPHY":  {arrow: arrow.BinaryTypes.String},
}

// SQLName returns the SQL name of a type, which differs from the REST API's name for some types.
func SQLName(typ string) string {
	return cmp.Or(map[string]string{"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT"}[typ],
		typ)
}

// fieldOf returns the Arrow field of a column.
func fieldOf(f *bq.TableFieldSchema) (arrow.Field, error) {
	out := arrow.Field{Name: f.Name, Nullable: true}
	switch name := SQLName(f.Type); name {
	case "STRUCT":
		children := make([]arrow.Field, len(f.Fields))
		for i, child := range f.Fields {
			var err error
			if children[i], err = fieldOf(child); err != nil {
				return out, err
			}
		}
		out.Type = arrow.StructOf(children...)
	case "RANGE":
		of := ""
		if f.RangeElementType != nil {
			of = f.RangeElementType.Type
		}
		element, ok := kinds[SQLName(of)]
		if !ok {
			return out, errcode.Unread("column %q: a RANGE of %q", f.Name, of)
		}
		out.Type = arrow.StructOf(arrow.Field{Name: "start", Type: element.arrow, Nullable: true},
			arrow.Field{Name: "end", Type: element.arrow, Nullable: true})
	default:
		k, ok := kinds[name]
		if !ok {
			return out, errcode.Unread("column %q: values of type %q cannot be read; cast them to STRING", f.Name, f.Type)
		}
		out.Type, out.Metadata = k.arrow, k.mark
		if isPicos(f) {
			out.Type = arrow.BinaryTypes.String
		}
	}
	if f.Mode == "REPEATED" {
		item := out
		item.Name = "item"
		out.Type, out.Metadata = arrow.ListOfField(item), arrow.Metadata{}
	}
	return out, nil
}

func isPicos(f *bq.TableFieldSchema) bool {
	return f.Type == "TIMESTAMP" && f.TimestampPrecision != nil && *f.TimestampPrecision >= picoseconds
}

// AnyPicoseconds reports whether a column has timestamps with picoseconds, at any depth.
func AnyPicoseconds(fields []*bq.TableFieldSchema) bool {
	for _, f := range fields {
		if isPicos(f) || AnyPicoseconds(f.Fields) {
			return true
		}
	}
	return false
}

// SchemaOf returns the Arrow schema of a result.
func SchemaOf(s *bq.TableSchema) (*arrow.Schema, error) {
	if s == nil {
		return arrow.NewSchema(nil, nil), nil
	}
	fields := make([]arrow.Field, len(s.Fields))
	for i, f := range s.Fields {
		var err error
		if fields[i], err = fieldOf(f); err != nil {
			return nil, err
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

// Drift returns an error if the schemas of two responses for one result differ in names, types or repetition.
func Drift(want, got []*bq.TableFieldSchema, where string) error {
	if len(want) != len(got) {
		return errcode.New(errcode.DataLoss,
			"%s: the table was changed while it was read: %d columns became %d; read it again", where, len(want), len(got))
	}
	for i := range want {
		w, g := want[i], got[i]
		if w.Name != g.Name || w.Type != g.Type || (w.Mode == "REPEATED") != (g.Mode == "REPEATED") {
			return errcode.New(errcode.DataLoss,
				"%s: the table was changed while it was read: column %d was %q of type %s and is %q of type %s; read it again",
				where, i+1, w.Name, w.Type, g.Name, g.Type)
		}
		if err := Drift(w.Fields, g.Fields, where); err != nil {
			return err
		}
	}
	return nil
}

// TypeName returns the name of a column's type, for messages.
func TypeName(f *bq.TableFieldSchema) string {
	if f.Mode == "REPEATED" {
		return fmt.Sprintf("ARRAY<%s>", f.Type)
	}
	return f.Type
}
