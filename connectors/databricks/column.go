package databricks

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/databricks/internal/thrift"
)

// column is a column of a result as the service describes it.
type column struct {
	name             string
	sql              string // its type: BIGINT, DECIMAL, TIMESTAMP_NTZ, VARIANT, ARRAY, INTERVAL …
	precision, scale int32  // of a DECIMAL
}

// typeNames are the types by their numbers in the protocol.
var typeNames = map[int64]string{
	0: "BOOLEAN", 1: "TINYINT", 2: "SMALLINT", 3: "INT", 4: "BIGINT", 5: "FLOAT", 6: "DOUBLE", 7: "STRING", 8: "TIMESTAMP", 9: "BINARY", 10: "ARRAY", 11: "MAP", 12: "STRUCT",
	13: "UNION", 14: "USER_DEFINED", 15: "DECIMAL", 16: "VOID", 17: "DATE", 18: "VARCHAR", 19: "CHAR", 20: "INTERVAL", 21: "INTERVAL",
}

// sqlName is where a field of an Arrow schema says its type in SQL.
const sqlName = "Spark:DataType:SqlName"

// columnsOf reads the columns of a result's description. The protocol has no numbers for newer
// types; Arrow's schema names them.
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

// qualifier reads a type's parameter.
func qualifier(primitive thrift.Struct, name string) int32 {
	return int32(primitive.Struct(2).Entry(1, name).Int(1)) //nolint:gosec // the protocol has 32 bits
}

// setType reads a type's name in SQL, such as DECIMAL(20,4) or STRUCT<a: INT>.
func (c *column) setType(text string) {
	text = strings.ToUpper(strings.TrimSpace(text))
	base := text
	if at := strings.IndexAny(text, "(< "); at > 0 {
		base = text[:at]
	}
	switch base {
	case "LONG":
		base = "BIGINT"
	case "INTEGER":
		base = "INT"
	case "SHORT":
		base = "SMALLINT"
	case "BYTE":
		base = "TINYINT"
	case "NULL":
		base = "VOID"
	case "DEC", "NUMERIC":
		base = "DECIMAL"
	case "TIMESTAMP_LTZ":
		base = "TIMESTAMP"
	}
	c.sql = base
	if base == "DECIMAL" {
		var p, s int32
		if n, _ := fmt.Sscanf(strings.ReplaceAll(text[strings.IndexByte(text+"(", '('):], " ", ""), "(%d,%d)", &p, &s); n > 0 {
			c.precision, c.scale = p, s
		}
	}
}

// nested tells types whose values come as JSON text.
func (c *column) nested() bool {
	switch c.sql {
	case "ARRAY", "MAP", "STRUCT", "VARIANT", "OBJECT":
		return true
	}
	return false
}

// arrowType is the type that values of a column get that come as text.
func (c *column) arrowType() arrow.DataType {
	switch c.sql {
	case "BOOLEAN":
		return arrow.FixedWidthTypes.Boolean
	case "TINYINT":
		return arrow.PrimitiveTypes.Int8
	case "SMALLINT":
		return arrow.PrimitiveTypes.Int16
	case "INT":
		return arrow.PrimitiveTypes.Int32
	case "BIGINT":
		return arrow.PrimitiveTypes.Int64
	case "FLOAT":
		return arrow.PrimitiveTypes.Float32
	case "DOUBLE":
		return arrow.PrimitiveTypes.Float64
	case "DECIMAL":
		if c.precision < 1 || c.precision > 38 || c.scale < 0 || c.scale > c.precision {
			return arrow.BinaryTypes.String // marked as a decimal
		}
		return &arrow.Decimal128Type{Precision: c.precision, Scale: c.scale}
	case "DATE":
		return arrow.FixedWidthTypes.Date32
	case "TIMESTAMP":
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case "TIMESTAMP_NTZ":
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case "TIME":
		return arrow.FixedWidthTypes.Time64us
	case "BINARY":
		return arrow.BinaryTypes.Binary
	case "VOID":
		return arrow.Null
	}
	return arrow.BinaryTypes.String // intervals, GEOGRAPHY and what is yet to come, too
}

// extensionKey is where a field names a type that Arrow lacks, and those used here.
const (
	extensionKey     = "ARROW:extension:name"
	extensionJSON    = "arrow.json"
	extensionDecimal = "badger.decimal"
)

// field is the column of a result whose values arrive as wire.
func (c *column) field(wire arrow.DataType) arrow.Field {
	f := arrow.Field{Name: c.name, Type: wire, Nullable: true}
	mark := func(extension string) { f.Metadata = arrow.NewMetadata([]string{extensionKey}, []string{extension}) }
	switch t := wire.(type) {
	case *arrow.StringType:
		f.Type = c.arrowType()
		switch {
		case c.nested():
			mark(extensionJSON)
		case c.sql == "DECIMAL" && f.Type.ID() == arrow.STRING:
			mark(extensionDecimal)
		}
	case *arrow.TimestampType: // an instant or a wall clock: the declared type decides, not whether a zone is named
		switch c.sql {
		case "TIMESTAMP":
			f.Type = &arrow.TimestampType{Unit: t.Unit, TimeZone: "UTC"}
		case "TIMESTAMP_NTZ":
			f.Type = &arrow.TimestampType{Unit: t.Unit}
		}
	}
	return f
}

// retyped is an array as its column's field wants it. The array is released.
func (s *stream) retyped(i int, arr arrow.Array) (arrow.Array, error) {
	want := s.schema.Field(i).Type
	if arrow.TypeEqual(arr.DataType(), want) {
		return arr, nil
	}
	defer arr.Release()
	if text, ok := arr.(*array.String); ok {
		return s.columns[i].parse(s.mem, text.Len(), func(row int) (string, bool) { return text.Value(row), text.IsValid(row) })
	}
	have, ok := arr.DataType().(*arrow.TimestampType)
	if to, isTimestamp := want.(*arrow.TimestampType); ok && isTimestamp && to.Unit == have.Unit {
		data := array.NewData(want, arr.Len(), arr.Data().Buffers(), nil, arr.NullN(), arr.Data().Offset())
		defer data.Release()
		return array.MakeFromData(data), nil
	}
	return nil, broken("column %q changes its type within the result", s.columns[i].name)
}
