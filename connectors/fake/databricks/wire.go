package databricks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/pierrec/lz4/v4"

	"github.com/badger-eval/badger/connectors/internal/thrift"
)

// wire is the columns of a result in the encoding of the protocol.
type wire struct {
	schema *arrow.Schema
	types  []string // SQL types
	prefix []byte   // the schema message
}

// wireOf returns the encoding of columns. If nested is set, nested values are sent as Arrow's nested types, otherwise
// as JSON.
func wireOf(from *arrow.Schema, types []string, nested bool) *wire {
	w := &wire{}
	var fields []arrow.Field
	for i, f := range from.Fields() {
		t, sql := f.Type, ""
		switch x := f.Type.(type) {
		case *arrow.BooleanType:
			sql = "BOOLEAN"
		case *arrow.Int8Type:
			sql = "TINYINT"
		case *arrow.Int16Type:
			sql = "SMALLINT"
		case *arrow.Int32Type:
			sql = "INT"
		case *arrow.Int64Type:
			sql = "BIGINT"
		case *arrow.Float32Type:
			sql = "FLOAT"
		case *arrow.Float64Type:
			sql = "DOUBLE"
		case *arrow.Decimal128Type:
			sql = fmt.Sprintf("DECIMAL(%d,%d)", x.Precision, x.Scale)
		case *arrow.Date32Type:
			sql = "DATE"
		case *arrow.BinaryType:
			sql = "BINARY"
		case *arrow.NullType:
			sql = "VOID"
		case *arrow.TimestampType:
			sql, t = "TIMESTAMP_NTZ", &arrow.TimestampType{Unit: x.Unit}
			if x.TimeZone != "" {
				sql, t = "TIMESTAMP", &arrow.TimestampType{Unit: x.Unit, TimeZone: "Etc/UTC"}
			}
		case *arrow.MapType:
			sql, t = "MAP<STRING,STRING>", arrow.BinaryTypes.String
		case *arrow.ListType, *arrow.FixedSizeListType:
			sql, t = "ARRAY<STRING>", arrow.BinaryTypes.String
		case *arrow.StructType:
			sql, t = "STRUCT<a:STRING>", arrow.BinaryTypes.String
		default:
			sql, t = "STRING", arrow.BinaryTypes.String
			if name, _ := f.Metadata.GetValue("ARROW:extension:name"); name == "arrow.json" {
				sql = "VARIANT"
			}
		}
		if nested && arrow.IsNested(f.Type.ID()) {
			t = f.Type
		}
		if i < len(types) && types[i] != "" {
			sql = types[i]
		}
		w.types = append(w.types, sql)
		fields = append(fields,
			arrow.Field{Name: f.Name, Type: t, Nullable: true,
				Metadata: arrow.NewMetadata([]string{"Spark:DataType:SqlName"}, []string{sql})})
	}
	w.schema = arrow.NewSchema(fields, nil)
	w.prefix = stream(w.schema, nil)
	w.prefix = w.prefix[:len(w.prefix)-endOfStream]
	return w
}

const endOfStream = 8

var emptySchema = func() []byte {
	b := stream(arrow.NewSchema(nil, nil), nil)
	return b[:len(b)-endOfStream]
}()

// typeIDs are the protocol's numbers of types.
var typeIDs = map[string]int32{
	"BOOLEAN": 0, "TINYINT": 1, "SMALLINT": 2, "INT": 3, "BIGINT": 4, "FLOAT": 5, "DOUBLE": 6, "STRING": 7, "VARIANT": 7,
	"GEOGRAPHY": 7, "TIMESTAMP": 8, "TIMESTAMP_NTZ": 8, "BINARY": 9,
	"ARRAY": 10, "MAP": 11, "STRUCT": 12, "DECIMAL": 15, "VOID": 16, "DATE": 17, "INTERVAL": 21,
}

func baseOf(sql string) string {
	if at := strings.IndexAny(sql, "(< "); at > 0 {
		return sql[:at]
	}
	return sql
}

// describe returns the description of the columns in the protocol.
func (w *wire) describe() thrift.Struct {
	columns := []thrift.Struct{}
	for i, f := range w.schema.Fields() {
		primitive := thrift.Struct{1: typeIDs[baseOf(w.types[i])]}
		if d, ok := f.Type.(*arrow.Decimal128Type); ok {
			primitive[2] = thrift.Struct{1: map[string]thrift.Struct{"precision": {1: d.Precision}, "scale": {1: d.Scale}}}
		}
		columns = append(columns, thrift.Struct{1: f.Name, 2: thrift.Struct{1: []thrift.Struct{{1: primitive}}}, 3: int32(i + 1)}) //nolint:gosec // few
	}
	return thrift.Struct{2: thrift.Struct{1: columns}, 1283: w.prefix}
}

// record converts a record to the encoding of the protocol.
func (w *wire) record(rec arrow.Record) (arrow.Record, error) {
	cols := make([]arrow.Array, rec.NumCols())
	for i, col := range rec.Columns() {
		arr, err := convert(col, w.schema.Field(i).Type)
		if err != nil {
			return nil, err
		}
		defer arr.Release()
		cols[i] = arr
	}
	return array.NewRecord(w.schema, cols, rec.NumRows()), nil
}

func convert(arr arrow.Array, to arrow.DataType) (arrow.Array, error) {
	if arrow.TypeEqual(arr.DataType(), to) {
		arr.Retain()
		return arr, nil
	}
	if _, ok := to.(*arrow.TimestampType); ok {
		data := array.NewData(to, arr.Len(), arr.Data().Buffers(), nil, arr.NullN(), arr.Data().Offset())
		defer data.Release()
		return array.MakeFromData(data), nil
	}
	b := array.NewStringBuilder(memory.NewGoAllocator())
	defer b.Release()
	for i := range arr.Len() {
		if arr.IsNull(i) {
			b.AppendNull()
			continue
		}
		switch arr.(type) {
		case *array.List, *array.FixedSizeList, *array.Struct, *array.Map:
			text, err := json.Marshal(arr.GetOneForMarshal(i))
			if err != nil {
				return nil, err
			}
			b.Append(string(text))
		default:
			b.Append(arr.ValueStr(i))
		}
	}
	return b.NewArray(), nil
}

// stream returns records as an Arrow stream.
func stream(schema *arrow.Schema, records []arrow.Record) []byte {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	for _, r := range records {
		if err := w.Write(r); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// batch returns records as messages without the schema.
func (w *wire) batch(records []arrow.Record) []byte {
	b := stream(w.schema, records)
	return b[len(w.prefix) : len(b)-endOfStream]
}

func (w *wire) file(records []arrow.Record) []byte { return stream(w.schema, records) }

func packed(b []byte, pack bool) []byte {
	if !pack {
		return b
	}
	var out bytes.Buffer
	z := lz4.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// columns returns records by column, as services without Arrow send them.
func (w *wire) columns(records []arrow.Record) []thrift.Struct {
	out := []thrift.Struct{}
	for i := range w.schema.Fields() {
		base := baseOf(w.types[i])
		values := []any{}
		var nulls []byte
		for _, rec := range records {
			col := rec.Column(i)
			for row := range col.Len() {
				if n := len(values); n%8 == 0 {
					nulls = append(nulls, 0)
				}
				if col.IsNull(row) {
					nulls[len(values)/8] |= 1 << (len(values) % 8)
				}
				values = append(values, columnValue(col, row, base))
			}
		}
		id := map[string]int16{"BOOLEAN": 1, "TINYINT": 2, "SMALLINT": 3, "INT": 4, "BIGINT": 5, "FLOAT": 6, "DOUBLE": 6,
			"BINARY": 8}[base]
		if id == 0 {
			id = 7
		}
		out = append(out, thrift.Struct{id: thrift.Struct{1: values, 2: nulls}})
	}
	return out
}

func columnValue(col arrow.Array, row int, base string) any {
	null := col.IsNull(row)
	switch a := col.(type) {
	case *array.Boolean:
		return !null && a.Value(row)
	case *array.Int8:
		return a.Value(row)
	case *array.Int16:
		return a.Value(row)
	case *array.Int32:
		return a.Value(row)
	case *array.Int64:
		return a.Value(row)
	case *array.Float32:
		v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(a.Value(row)), 'g', -1, 32), 64)
		return v
	case *array.Float64:
		return a.Value(row)
	case *array.Binary:
		return a.Value(row)
	}
	if null {
		return ""
	}
	return cellText(col, row)
}

// cellText returns a value in the text format of the Statement Execution API.
func cellText(col arrow.Array, row int) string {
	switch a := col.(type) {
	case *array.Timestamp:
		layout := "2006-01-02T15:04:05.000000"
		if a.DataType().(*arrow.TimestampType).TimeZone != "" {
			layout += "Z"
		}
		return a.Value(row).ToTime(a.DataType().(*arrow.TimestampType).Unit).UTC().Format(layout)
	case *array.Date32:
		return a.Value(row).ToTime().Format("2006-01-02")
	case *array.Binary:
		return base64.StdEncoding.EncodeToString(a.Value(row))
	case *array.Decimal128:
		return a.Value(row).ToString(a.DataType().(*arrow.Decimal128Type).Scale)
	case *array.Float64:
		return strconv.FormatFloat(a.Value(row), 'g', -1, 64)
	case *array.Float32:
		return strconv.FormatFloat(float64(a.Value(row)), 'g', -1, 32)
	case *array.Boolean:
		return strconv.FormatBool(a.Value(row))
	}
	return col.ValueStr(row)
}
