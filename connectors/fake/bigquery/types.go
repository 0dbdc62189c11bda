package bigquery

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

const extensionKey = "ARROW:extension:name"

func isJSON(f arrow.Field) bool {
	name, _ := f.Metadata.GetValue(extensionKey)
	return name == "arrow.json"
}

// stored returns the engine's type in which a field is stored, and the BigQuery type that is reported for it.
func stored(f arrow.Field) (engine string, column *bq.TableFieldSchema) {
	column = &bq.TableFieldSchema{Name: f.Name, Mode: "NULLABLE"}
	is := func(t, engine string) (string, *bq.TableFieldSchema) {
		column.Type = t
		return engine, column
	}
	if name, _ := f.Metadata.GetValue(extensionKey); name == "badger.decimal" {
		return is("STRING", "VARCHAR")
	}
	switch t := f.Type.(type) {
	case *arrow.BooleanType:
		return is("BOOLEAN", "BOOLEAN")
	case *arrow.Float32Type, *arrow.Float64Type:
		return is("FLOAT", "DOUBLE")
	case *arrow.BinaryType:
		return is("BYTES", "BLOB")
	case *arrow.Date32Type:
		return is("DATE", "DATE")
	case *arrow.Time64Type:
		return is("TIME", "TIME")
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return is("TIMESTAMP", "TIMESTAMPTZ")
		}
		return is("DATETIME", "TIMESTAMP")
	case *arrow.Decimal128Type:
		if t.Scale <= 9 && t.Precision-t.Scale <= 29 {
			return is("NUMERIC", "DECIMAL(38,9)")
		}
		return is("BIGNUMERIC", fmt.Sprintf("DECIMAL(38,%d)", t.Scale))
	case *arrow.Decimal256Type: // the engine's 128-bit integers, such as sums
		return is("INTEGER", "BIGINT")
	case *arrow.StringType:
		if isJSON(f) {
			return is("JSON", "JSON")
		}
	case *arrow.ListType:
		inner, item := stored(t.ElemField())
		item.Name, item.Mode = f.Name, "REPEATED"
		return inner + "[]", item
	case *arrow.StructType:
		var parts []string
		for _, child := range t.Fields() {
			inner, c := stored(child)
			parts = append(parts, quote(child.Name)+" "+inner)
			column.Fields = append(column.Fields, c)
		}
		return is("RECORD", "STRUCT("+strings.Join(parts, ", ")+")")
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.Uint8Type, *arrow.Uint16Type,
		*arrow.Uint32Type, *arrow.NullType:
		return is("INTEGER", "BIGINT")
	case *arrow.Uint64Type:
		return is("NUMERIC", "DECIMAL(38,9)")
	}
	return is("STRING", "VARCHAR")
}

// sent returns a column's field in the Storage Read API's encoding: BIGNUMERIC with 256 bits, and JSON with BigQuery's
// own metadata.
func sent(f arrow.Field, c *bq.TableFieldSchema) arrow.Field {
	switch {
	case c.Mode == "REPEATED":
		item := *c
		item.Mode = ""
		inner := sent(f.Type.(*arrow.ListType).ElemField(), &item)
		f.Type = arrow.ListOfField(inner)
	case c.Type == "RECORD":
		children := f.Type.(*arrow.StructType).Fields()
		for i := range children {
			children[i] = sent(children[i], c.Fields[i])
		}
		f.Type = arrow.StructOf(children...)
	case c.Type == "JSON":
		f.Metadata = arrow.NewMetadata([]string{extensionKey}, []string{"google:sqlType:json"})
	case c.Type == "BIGNUMERIC":
		f.Type = &arrow.Decimal256Type{Precision: 76, Scale: 38}
	}
	return f
}

// sentArray converts a column's data to the type in which it is sent.
func sentArray(arr arrow.Array, to arrow.DataType) arrow.Array {
	if wide, ok := to.(*arrow.Decimal256Type); ok {
		b := array.NewDecimal256Builder(memory.DefaultAllocator, wide)
		defer b.Release()
		in := arr.(*array.Decimal128)
		scale := in.DataType().(*arrow.Decimal128Type).Scale
		for i := range in.Len() {
			if in.IsNull(i) {
				b.AppendNull()
				continue
			}
			n := new(big.Int).Mul(in.Value(i).BigInt(),
				new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(wide.Scale-scale)), nil))
			b.Append(decimal256.FromBigInt(n))
		}
		return b.NewArray()
	}
	d := array.NewData(to, arr.Len(), arr.Data().Buffers(), arr.Data().Children(), arr.NullN(), arr.Data().Offset())
	defer d.Release()
	return array.MakeFromData(d)
}

// cell returns a value in the REST API's format.
func cell(arr arrow.Array, i int, c *bq.TableFieldSchema) any {
	if c.Mode == "REPEATED" {
		out := []any{}
		list, ok := arr.(*array.List)
		if !ok || arr.IsNull(i) {
			return out
		}
		item := *c
		item.Mode = ""
		from, to := list.ValueOffsets(i)
		for k := from; k < to; k++ {
			out = append(out, map[string]any{"v": cell(list.ListValues(), int(k), &item)})
		}
		return out
	}
	if arr.IsNull(i) {
		return nil
	}
	switch a := arr.(type) {
	case *array.Struct:
		out := []any{}
		for k, f := range c.Fields {
			out = append(out, map[string]any{"v": cell(a.Field(k), i, f)})
		}
		return map[string]any{"f": out}
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Float64:
		return strings.NewReplacer("+Inf", "Infinity", "-Inf",
			"-Infinity").Replace(strconv.FormatFloat(a.Value(i), 'g', -1, 64))
	case *array.Binary:
		return base64.StdEncoding.EncodeToString(a.Value(i))
	case *array.Date32:
		return a.Value(i).ToTime().UTC().Format(time.DateOnly)
	case *array.Time64:
		return a.Value(i).ToTime(a.DataType().(*arrow.Time64Type).Unit).UTC().Format("15:04:05.999999")
	case *array.Timestamp:
		if c.Type == "TIMESTAMP" {
			return strconv.FormatInt(int64(a.Value(i)), 10)
		}
		return time.UnixMicro(int64(a.Value(i))).UTC().Format("2006-01-02T15:04:05.999999")
	case *array.Decimal128:
		return decimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal128Type).Scale)
	}
	return arr.ValueStr(i)
}

// decimalText returns n / 10^scale without trailing zeros, like BigQuery.
func decimalText(n *big.Int, scale int32) string {
	s := driverbase.DecimalText(n, scale)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// rowsOf returns the rows of a record in the REST API's format.
func rowsOf(rec arrow.Record, schema *bq.TableSchema) []*bq.TableRow {
	rows := make([]*bq.TableRow, rec.NumRows())
	for i := range rows {
		rows[i] = &bq.TableRow{}
		for k, c := range schema.Fields {
			rows[i].F = append(rows[i].F, &bq.TableCell{V: cell(rec.Column(k), i, c)})
		}
	}
	return rows
}
