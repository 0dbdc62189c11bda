package bigquery

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// writable are the types that rows are written to.
var writable = map[string]bool{
	"STRING": true, "JSON": true, "INTEGER": true, "INT64": true, "FLOAT": true, "FLOAT64": true, "BOOLEAN": true, "BOOL": true, "TIMESTAMP": true, "DATETIME": true, "DATE": true,
	"TIME": true, "BYTES": true, "NUMERIC": true, "BIGNUMERIC": true,
}

// parameterTypes are the names of types that parameters take.
var parameterTypes = map[string]string{
	"STRING": "STRING", "JSON": "JSON", "INTEGER": "INT64", "INT64": "INT64", "FLOAT": "FLOAT64", "FLOAT64": "FLOAT64", "BOOLEAN": "BOOL", "BOOL": "BOOL", "TIMESTAMP": "TIMESTAMP",
	"DATETIME": "DATETIME", "DATE": "DATE", "TIME": "TIME", "BYTES": "BYTES", "NUMERIC": "NUMERIC", "BIGNUMERIC": "BIGNUMERIC",
}

// value is a cell on its way to BigQuery: n for INT64, BOOL and the microseconds of a TIMESTAMP, x
// for FLOAT64, s for BYTES and the text of all else.
type value struct {
	n int64
	x float64
	s string
}

// text is how parameters and load jobs write a value.
func (v *value) text(typ string) string {
	switch typ {
	case "INTEGER", "INT64":
		return strconv.FormatInt(v.n, 10)
	case "BOOLEAN", "BOOL":
		return strconv.FormatBool(v.n != 0)
	case "FLOAT", "FLOAT64":
		return floatText(v.x)
	case "TIMESTAMP":
		return time.UnixMicro(v.n).UTC().Format(timestampText)
	case "BYTES":
		return base64.StdEncoding.EncodeToString([]byte(v.s))
	}
	return v.s
}

// toValue reads cell i of a column.
type toValue func(i int) (value, bool)

// cells prepares the columns of a record.
func (m *merge) cells(rec arrow.Record) ([]toValue, error) {
	out := make([]toValue, len(m.columns))
	for i, f := range m.columns {
		if out[i] = valuesOf(f.Type, rec.Column(i)); out[i] == nil {
			return nil, m.plan.Error(errcode.InvalidArgument, "column %q: values of Arrow type %v do not go into one of type %s", f.Name, rec.Column(i).DataType(), f.Type)
		}
	}
	return out, nil
}

// cell is the value of a cell, nil for NULL.
func (m *merge) cell(cells []toValue, rec arrow.Record, col, row int) (*value, error) {
	if driverbase.IsNull(rec.Column(col), row) {
		m.plan.Nulls[col] = true
		return nil, nil
	}
	v, ok := cells[col](row)
	if !ok {
		return nil, m.plan.CellError(col, errcode.New(errcode.InvalidArgument, "the value does not fit type %s", m.columns[col].Type))
	}
	return &v, nil
}

// valuesOf reads an array's values as a type's; nil where the types do not go together.
func valuesOf(typ string, arr arrow.Array) toValue {
	if d, ok := arr.(*array.Dictionary); ok {
		words := valuesOf(typ, d.Dictionary())
		if words == nil {
			return nil
		}
		return func(i int) (value, bool) { return words(d.GetValueIndex(i)) }
	}
	if arr.DataType().ID() == arrow.NULL {
		return func(int) (value, bool) { return value{}, false } // none of them is a value
	}
	switch typ {
	case "INTEGER", "INT64":
		return integers(arr)
	case "BOOLEAN", "BOOL":
		if b, ok := arr.(*array.Boolean); ok {
			return func(i int) (value, bool) {
				if b.Value(i) {
					return value{n: 1}, true
				}
				return value{}, true
			}
		}
	case "FLOAT", "FLOAT64":
		return floats(arr)
	case "TIMESTAMP", "DATETIME":
		return timestamps(typ, arr)
	case "BYTES":
		return bytesOf(arr)
	case "STRING", "JSON":
		return texts(arr)
	case "NUMERIC":
		return decimals(arr, 9)
	case "BIGNUMERIC":
		return decimals(arr, 38)
	case "DATE", "TIME":
		return days(typ, arr)
	}
	return nil
}

func integers(arr arrow.Array) toValue {
	switch a := arr.(type) {
	case *array.Int8:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, true }
	case *array.Int16:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, true }
	case *array.Int32:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, true }
	case *array.Int64:
		return func(i int) (value, bool) { return value{n: a.Value(i)}, true }
	case *array.Uint8:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, true }
	case *array.Uint16:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, true }
	case *array.Uint32:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, true }
	case *array.Uint64:
		return func(i int) (value, bool) { return value{n: int64(a.Value(i))}, a.Value(i) <= math.MaxInt64 } //nolint:gosec // told
	}
	return nil
}

func floats(arr arrow.Array) toValue {
	switch a := arr.(type) {
	case *array.Float64:
		return func(i int) (value, bool) { return value{x: a.Value(i)}, true }
	case *array.Float32:
		return func(i int) (value, bool) { // as people write it
			x, err := strconv.ParseFloat(strconv.FormatFloat(float64(a.Value(i)), 'g', -1, 32), 64)
			return value{x: x}, err == nil
		}
	}
	if n := integers(arr); n != nil {
		return func(i int) (value, bool) {
			v, ok := n(i)
			return value{x: float64(v.n)}, ok && v.n <= 1<<53 && v.n >= -1<<53
		}
	}
	return nil
}

func texts(arr arrow.Array) toValue {
	var at func(i int) string
	switch a := arr.(type) {
	case *array.String:
		at = a.Value
	case *array.LargeString:
		at = a.Value
	case *array.StringView:
		at = a.Value
	default:
		return nil
	}
	return func(i int) (value, bool) { s := at(i); return value{s: s}, utf8.ValidString(s) }
}

func bytesOf(arr arrow.Array) toValue {
	switch a := arr.(type) {
	case *array.Binary:
		return func(i int) (value, bool) { return value{s: string(a.Value(i))}, true }
	case *array.LargeBinary:
		return func(i int) (value, bool) { return value{s: string(a.Value(i))}, true }
	case *array.FixedSizeBinary:
		return func(i int) (value, bool) { return value{s: string(a.Value(i))}, true }
	}
	return nil
}

// timestamps are instants for a TIMESTAMP and wall clocks for a DATETIME; finer ones than
// microseconds do not fit.
func timestamps(typ string, arr arrow.Array) toValue {
	a, ok := arr.(*array.Timestamp)
	if !ok {
		return nil
	}
	t := a.DataType().(*arrow.TimestampType)
	if (typ == "TIMESTAMP") != (t.TimeZone != "") {
		return nil
	}
	return func(i int) (value, bool) {
		n, fits := int64(a.Value(i)), true
		switch t.Unit {
		case arrow.Second:
			n, fits = n*1e6, n <= math.MaxInt64/1_000_000 && n >= math.MinInt64/1_000_000
		case arrow.Millisecond:
			n, fits = n*1e3, n <= math.MaxInt64/1000 && n >= math.MinInt64/1000
		case arrow.Nanosecond:
			n, fits = n/1e3, n%1e3 == 0
		}
		when := time.UnixMicro(n).UTC()
		fits = fits && when.Year() >= 1 && when.Year() <= 9999
		if typ == "DATETIME" {
			return value{s: when.Format("2006-01-02 15:04:05.999999")}, fits
		}
		return value{n: n}, fits
	}
}

func days(typ string, arr arrow.Array) toValue {
	text := func(t time.Time, layout string, ok bool) (value, bool) {
		return value{s: t.UTC().Format(layout)}, ok && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999
	}
	switch a := arr.(type) {
	case *array.Date32:
		if typ == "DATE" {
			return func(i int) (value, bool) { return text(a.Value(i).ToTime(), time.DateOnly, true) }
		}
	case *array.Date64:
		if typ == "DATE" {
			return func(i int) (value, bool) { return text(a.Value(i).ToTime(), time.DateOnly, a.Value(i)%86_400_000 == 0) }
		}
	case *array.Time32:
		if typ == "TIME" {
			unit := a.DataType().(*arrow.Time32Type).Unit
			return func(i int) (value, bool) { return text(a.Value(i).ToTime(unit), "15:04:05.999999", a.Value(i) >= 0) }
		}
	case *array.Time64:
		if typ == "TIME" {
			unit := a.DataType().(*arrow.Time64Type).Unit
			return func(i int) (value, bool) {
				t := a.Value(i).ToTime(unit)
				return text(t, "15:04:05.999999", t.Nanosecond()%1000 == 0 && t.Unix() >= 0 && t.Unix() < 86_400)
			}
		}
	}
	return nil
}

// decimals are written with all their digits; those of more places than the type has do not fit.
func decimals(arr arrow.Array, places int32) toValue {
	write := func(n *big.Int, scale int32) (value, bool) {
		s := driverbase.DecimalText(n, scale)
		_, fraction, _ := strings.Cut(s, ".")
		return value{s: s}, len(strings.TrimRight(fraction, "0")) <= int(places)
	}
	switch a := arr.(type) {
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) (value, bool) { return write(a.Value(i).BigInt(), scale) }
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return func(i int) (value, bool) { return write(a.Value(i).BigInt(), scale) }
	}
	if integers(arr) != nil {
		return func(i int) (value, bool) { return value{s: arr.ValueStr(i)}, true }
	}
	return nil
}
