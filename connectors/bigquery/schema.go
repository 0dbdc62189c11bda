package bigquery

import (
	"github.com/apache/arrow/go/v17/arrow"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

const extensionKey = "ARROW:extension:name"

// extensions are the types that Arrow has no own for. Decimals are text with the digits they have:
// as Arrow's decimals every NUMERIC would have nine places and every BIGNUMERIC thirty-eight, and
// the largest ones have 77 digits, which is one more than Arrow allows.
var extensions = map[string]arrow.Metadata{"JSON": extension("arrow.json"), "NUMERIC": extension("badger.decimal"), "BIGNUMERIC": extension("badger.decimal")}

func extension(name string) arrow.Metadata {
	return arrow.NewMetadata([]string{extensionKey}, []string{name})
}

// picoseconds is the precision of a TIMESTAMP that Arrow's microseconds and nanoseconds do not
// hold; it is read as text.
const picoseconds = 12

var (
	wallClock = &arrow.TimestampType{Unit: arrow.Microsecond}
	instant   = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
)

// scalarTypes are Arrow's for BigQuery's types, under both of their names.
var scalarTypes = map[string]arrow.DataType{
	"STRING": arrow.BinaryTypes.String, "GEOGRAPHY": arrow.BinaryTypes.String, "JSON": arrow.BinaryTypes.String, "INTERVAL": arrow.BinaryTypes.String,
	"BYTES": arrow.BinaryTypes.Binary, "INTEGER": arrow.PrimitiveTypes.Int64, "INT64": arrow.PrimitiveTypes.Int64, "FLOAT": arrow.PrimitiveTypes.Float64,
	"FLOAT64": arrow.PrimitiveTypes.Float64, "BOOLEAN": arrow.FixedWidthTypes.Boolean, "BOOL": arrow.FixedWidthTypes.Boolean, "DATE": arrow.FixedWidthTypes.Date32,
	"TIME": arrow.FixedWidthTypes.Time64us, "DATETIME": wallClock, "TIMESTAMP": instant, "NUMERIC": arrow.BinaryTypes.String, "BIGNUMERIC": arrow.BinaryTypes.String,
}

// fieldOf is the Arrow field of a column.
func fieldOf(f *bq.TableFieldSchema) (arrow.Field, error) {
	out := arrow.Field{Name: f.Name, Nullable: true}
	switch f.Type {
	case "RECORD", "STRUCT":
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
		element, ok := scalarTypes[of]
		if !ok {
			return out, errcode.New(errcode.Unimplemented, "column %q: a RANGE of %q", f.Name, of)
		}
		out.Type = arrow.StructOf(arrow.Field{Name: "start", Type: element, Nullable: true}, arrow.Field{Name: "end", Type: element, Nullable: true})
	default:
		t, ok := scalarTypes[f.Type]
		if !ok {
			return out, errcode.New(errcode.Unimplemented, "column %q: values of type %q cannot be read; cast them to STRING", f.Name, f.Type)
		}
		out.Type = t
		out.Metadata = extensions[f.Type]
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

// anyPicos tells whether a schema holds timestamps with picoseconds, at any depth.
func anyPicos(fields []*bq.TableFieldSchema) bool {
	for _, f := range fields {
		if isPicos(f) || anyPicos(f.Fields) {
			return true
		}
	}
	return false
}

// schemaOf is the Arrow schema of a result.
func schemaOf(s *bq.TableSchema) (*arrow.Schema, error) {
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

// drift compares the schemas of two answers about one result.
func drift(want, got []*bq.TableFieldSchema, where string) error {
	if len(want) != len(got) {
		return errcode.New(errcode.DataLoss, "%s: the table was changed while it was read: %d columns became %d; read it again", where, len(want), len(got))
	}
	for i := range want {
		w, g := want[i], got[i]
		if w.Name != g.Name || w.Type != g.Type || (w.Mode == "REPEATED") != (g.Mode == "REPEATED") {
			return errcode.New(errcode.DataLoss, "%s: the table was changed while it was read: column %d was %q of type %s and is %q of type %s; read it again", where, i+1, w.Name, w.Type, g.Name, g.Type)
		}
		if err := drift(w.Fields, g.Fields, where); err != nil {
			return err
		}
	}
	return nil
}
