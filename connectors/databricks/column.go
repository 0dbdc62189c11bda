package databricks

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/internal/thrift"
)

// column is a column of a result, from the service's description.
type column struct {
	name             string
	sql              string // its type: BIGINT, DECIMAL, TIMESTAMP_NTZ, VARIANT, ARRAY, INTERVAL …
	precision, scale int32  // of a DECIMAL
}

// typeNames are the SQL types by their numbers in the protocol.
var typeNames = map[int64]string{
	0: "BOOLEAN", 1: "TINYINT", 2: "SMALLINT", 3: "INT", 4: "BIGINT", 5: "FLOAT", 6: "DOUBLE", 7: "STRING", 8: "TIMESTAMP",
	9: "BINARY", 10: "ARRAY", 11: "MAP", 12: "STRUCT",
	13: "UNION", 14: "USER_DEFINED", 15: "DECIMAL", 16: "VOID", 17: "DATE", 18: "VARCHAR", 19: "CHAR", 20: "INTERVAL",
	21: "INTERVAL",
}

// aliases maps further names of types to the names in kinds.
var aliases = map[string]string{
	"LONG": "BIGINT", "INTEGER": "INT", "SHORT": "SMALLINT", "BYTE": "TINYINT", "NULL": "VOID", "DEC": "DECIMAL",
	"NUMERIC": "DECIMAL", "TIMESTAMP_LTZ": "TIMESTAMP",
}

// kind describes how values of a SQL type are read and written.
type kind struct {
	arrow arrow.DataType // the Arrow type of values that arrive as text; nil is string
	// casts a string %[1]s to the type %[2]s with precision %[3]d and scale %[4]d; empty if writing is unsupported
	cast string
	json bool // values are JSON text
}

const plainCast = "CAST(%[1]s AS %[2]s)"

// kinds are the SQL types by name. Other types, such as intervals and GEOGRAPHY, are read as strings.
var kinds = map[string]kind{
	"BOOLEAN":  {arrow: arrow.FixedWidthTypes.Boolean, cast: plainCast},
	"TINYINT":  {arrow: arrow.PrimitiveTypes.Int8, cast: plainCast},
	"SMALLINT": {arrow: arrow.PrimitiveTypes.Int16, cast: plainCast},
	"INT":      {arrow: arrow.PrimitiveTypes.Int32, cast: plainCast},
	"BIGINT":   {arrow: arrow.PrimitiveTypes.Int64, cast: plainCast},
	"FLOAT":    {arrow: arrow.PrimitiveTypes.Float32, cast: plainCast},
	"DOUBLE":   {arrow: arrow.PrimitiveTypes.Float64, cast: plainCast},
	"DECIMAL":  {cast: "CAST(%[1]s AS DECIMAL(%[3]d, %[4]d))"},
	"STRING":   {cast: "%[1]s"}, "VARCHAR": {cast: "%[1]s"}, "CHAR": {cast: "%[1]s"},
	"BINARY":        {arrow: arrow.BinaryTypes.Binary, cast: "unhex(%[1]s)"},
	"DATE":          {arrow: arrow.FixedWidthTypes.Date32, cast: plainCast},
	"TIME":          {arrow: arrow.FixedWidthTypes.Time64us, cast: plainCast},
	"TIMESTAMP":     {arrow: arrow.FixedWidthTypes.Timestamp_us, cast: plainCast},
	"TIMESTAMP_NTZ": {arrow: &arrow.TimestampType{Unit: arrow.Microsecond}, cast: plainCast},
	"VARIANT":       {cast: "parse_json(%[1]s)", json: true}, "OBJECT": {json: true}, "ARRAY": {json: true},
	"MAP":    {json: true},
	"STRUCT": {json: true},
	"VOID":   {arrow: arrow.Null},
}

// sqlName is the metadata key of an Arrow field for its SQL type.
const sqlName = "Spark:DataType:SqlName"

// columnsOf returns the columns that a result's metadata describe. The protocol has no numbers for newer types; their
// names are in the Arrow schema wire, if that is not nil.
func columnsOf(meta thrift.Struct, wire *arrow.Schema) []column {
	descs := meta.Struct(2).Structs(1)
	columns := make([]column, len(descs))
	for i, d := range descs {
		c := column{name: d.Text(1)}
		if entries := d.Struct(2).Structs(1); len(entries) > 0 {
			primitive := entries[0].Struct(1)
			c.sql = typeNames[primitive.Int(1)]
			c.precision, c.scale = qualifier(primitive, "precision"), qualifier(primitive, "scale")
		}
		if wire != nil && len(wire.Fields()) == len(descs) {
			if name, ok := wire.Field(i).Metadata.GetValue(sqlName); ok {
				c.setType(name)
			}
		}
		columns[i] = c
	}
	return columns
}

// qualifier returns a type's integer parameter, such as precision; 0 if missing.
func qualifier(primitive thrift.Struct, name string) int32 {
	return int32(primitive.Struct(2).Entry(1, name).Int(1)) //nolint:gosec // the protocol has 32 bits
}

// setType sets the type from its SQL name, such as DECIMAL(20,4) or STRUCT<a: INT>.
func (c *column) setType(text string) {
	text = strings.ToUpper(strings.TrimSpace(text))
	base := text
	if at := strings.IndexAny(text, "(< "); at > 0 {
		base = text[:at]
	}
	c.sql = cmp.Or(aliases[base], base)
	if c.sql == "DECIMAL" {
		var p, s int32
		if n, _ := fmt.Sscanf(strings.ReplaceAll(text[strings.IndexByte(text+"(", '('):], " ", ""), "(%d,%d)", &p,
			&s); n > 0 {
			c.precision, c.scale = p, s
		}
	}
}

// arrowType returns the Arrow type of the column's values if they arrive as text.
func (c *column) arrowType() arrow.DataType {
	t := kinds[c.sql].arrow
	switch {
	case c.sql == "DECIMAL" && c.precision >= 1 && c.precision <= 38 && c.scale >= 0 && c.scale <= c.precision:
		return &arrow.Decimal128Type{Precision: c.precision, Scale: c.scale}
	case t == nil:
		return arrow.BinaryTypes.String
	}
	return t
}

// field returns the result's field for the column, whose values arrive with the Arrow type wire.
func (c *column) field(wire arrow.DataType) arrow.Field {
	f := arrow.Field{Name: c.name, Type: wire, Nullable: true}
	switch t := wire.(type) {
	case *arrow.StringType:
		f.Type = c.arrowType()
		switch {
		case kinds[c.sql].json:
			f.Metadata = driverbase.JSON
		case c.sql == "DECIMAL" && f.Type.ID() == arrow.STRING:
			f.Metadata = driverbase.Decimal
		}
	case *arrow.TimestampType: // the declared type decides whether it has a zone, not wire's time zone
		switch c.sql {
		case "TIMESTAMP":
			f.Type = &arrow.TimestampType{Unit: t.Unit, TimeZone: "UTC"}
		case "TIMESTAMP_NTZ":
			f.Type = &arrow.TimestampType{Unit: t.Unit}
		}
	}
	return f
}

// retyped converts an array to the type of column i of the result, and releases arr if it is converted.
func (s *stream) retyped(i int, arr arrow.Array) (arrow.Array, error) {
	want := s.schema.Field(i).Type
	if arrow.TypeEqual(arr.DataType(), want) {
		return arr, nil
	}
	defer arr.Release()
	if text, ok := arr.(*array.String); ok {
		return s.columns[i].parse(s.mem, text.Len(),
			func(row int) (string, bool) { return text.Value(row), text.IsValid(row) })
	}
	have, ok := arr.DataType().(*arrow.TimestampType)
	if to, isTimestamp := want.(*arrow.TimestampType); ok && isTimestamp && to.Unit == have.Unit {
		data := array.NewData(want, arr.Len(), arr.Data().Buffers(), nil, arr.NullN(), arr.Data().Offset())
		defer data.Release()
		return array.MakeFromData(data), nil
	}
	return nil, workspace.Broken("column %q changes its type within the result", s.columns[i].name)
}
