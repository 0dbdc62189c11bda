package arrowtable

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Value returns value i of an array. Its text shares the array's memory.
func Value(arr arrow.Array, i int) (v scoring.Value, err error) {
	defer func() {
		if recover() != nil {
			err = errcode.New(errcode.DataLoss, "malformed Arrow data of type %v", arr.DataType())
		}
	}()
	return reader{}.value(arr, i, plain)
}

// reader reads values of arrays. It calls beside, if not nil, before it uses n bytes in addition to the array.
type reader struct{ beside func(n int64) error }

func (r reader) value(arr arrow.Array, i int, k kind) (scoring.Value, error) {
	if ext, ok := arr.(array.ExtensionArray); ok {
		return r.value(ext.Storage(), i, kinds[ext.ExtensionType().ExtensionName()])
	}
	if arr.IsNull(i) {
		return scoring.Value{}, nil
	}
	switch k {
	case uuid:
		if a, ok := arr.(*array.FixedSizeBinary); ok && len(a.Value(i)) == 16 {
			return scoring.StringValue(uuidText(a.Value(i))), nil
		}
	case interval:
		if a, ok := arr.(*array.FixedSizeBinary); ok && len(a.Value(i)) == 12 {
			b := a.Value(i)
			word := func(at int) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
			return scoring.StringValue(intervalText(word(0), word(4), word(8)/1000, word(8)%1000*1e6)), nil
		}
	case bool8:
		if a, ok := arr.(*array.Int8); ok {
			return scoring.BoolValue(a.Value(i) != 0), nil
		}
	case jsonText, decimalText:
		v, err := r.value(arr, i, plain)
		if v.Type == scoring.Bytes && k == jsonText { // Parquet's JSON comes as bytes
			v, err = text(v.Text())
		}
		if err != nil || v.Type != scoring.String {
			return v, err
		}
		if k == jsonText {
			return scoring.TextValue(scoring.JSON, v.Text()), nil
		}
		return decimal(v.Text())
	}
	switch a := arr.(type) {
	case *array.Null:
		return scoring.Value{}, nil
	case *array.Boolean:
		return scoring.BoolValue(a.Value(i)), nil
	case *array.Int8:
		return scoring.IntValue(int64(a.Value(i))), nil
	case *array.Int16:
		return scoring.IntValue(int64(a.Value(i))), nil
	case *array.Int32:
		return scoring.IntValue(int64(a.Value(i))), nil
	case *array.Int64:
		return scoring.IntValue(a.Value(i)), nil
	case *array.Uint8:
		return scoring.IntValue(int64(a.Value(i))), nil
	case *array.Uint16:
		return scoring.IntValue(int64(a.Value(i))), nil
	case *array.Uint32:
		return scoring.IntValue(int64(a.Value(i))), nil
	case *array.Uint64:
		if u := a.Value(i); u > math.MaxInt64 {
			return scoring.BigDecimalValue(new(big.Int).SetUint64(u), 0), nil
		}
		return scoring.IntValue(int64(a.Value(i))), nil //nolint:gosec // checked above
	case *array.Float16:
		return scoring.FloatValue(shortest16(a.Value(i).Float32())), nil
	case *array.Float32:
		return scoring.FloatValue(widen(a.Value(i))), nil
	case *array.Float64:
		return scoring.FloatValue(a.Value(i)), nil
	case *array.Decimal128:
		n := a.Value(i)
		scale, err := scaleOf(a.DataType().(*arrow.Decimal128Type).Scale)
		return scoring.BigDecimalValue(bigOf(n.LowBits(), uint64(n.HighBits())), scale), err //nolint:gosec // bits
	case *array.Decimal256:
		w := a.Value(i).Array()
		scale, err := scaleOf(a.DataType().(*arrow.Decimal256Type).Scale)
		return scoring.BigDecimalValue(bigOf(w[:]...), scale), err
	case *array.String:
		return text(a.Value(i))
	case *array.LargeString:
		return text(a.Value(i))
	case *array.StringView:
		return text(a.Value(i))
	case *array.Binary:
		return scoring.TextValue(scoring.Bytes, a.ValueString(i)), nil
	case *array.LargeBinary:
		return scoring.TextValue(scoring.Bytes, a.ValueString(i)), nil
	case *array.BinaryView:
		return scoring.TextValue(scoring.Bytes, a.ValueString(i)), nil
	case *array.FixedSizeBinary:
		return scoring.TextValue(scoring.Bytes, string(a.Value(i))), nil
	case *array.Date32:
		return scoring.DateValue(int64(a.Value(i))), nil
	case *array.Date64:
		days, _ := floorDiv(int64(a.Value(i)), 86400_000)
		return scoring.DateValue(days), nil
	}
	return r.otherValue(arr, i)
}

// decimal parses a number in text form. A number of more than scoring.MaxDecimalDigits digits is an error.
func decimal(text string) (scoring.Value, error) {
	v, err := scoring.ParseAs(scoring.Decimal, text)
	if err == nil {
		return v, nil
	}
	if _, number := strconv.ParseFloat(text, 64); number == nil || errors.Is(number, strconv.ErrRange) {
		return v, errcode.Unread("a number of more than %d digits cannot be read; cast the column to text",
			scoring.MaxDecimalDigits)
	}
	return v, err
}

func (r reader) otherValue(arr arrow.Array, i int) (scoring.Value, error) {
	switch a := arr.(type) {
	case *array.Time32:
		_, nanos := perSecond(a.DataType().(*arrow.Time32Type).Unit)
		return scoring.TimeValue(int64(a.Value(i)) * nanos), nil
	case *array.Time64:
		_, nanos := perSecond(a.DataType().(*arrow.Time64Type).Unit)
		return scoring.TimeValue(int64(a.Value(i)) * nanos), nil
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		sec, nanos := momentOf(int64(a.Value(i)), t.Unit)
		return scoring.TimestampValue(typeOf(t, plain), sec, nanos), nil
	case *array.Duration:
		units, nanos := perSecond(a.DataType().(*arrow.DurationType).Unit)
		sec, sub := floorDiv(int64(a.Value(i)), units)
		return scoring.StringValue(intervalText(0, 0, sec, sub*nanos)), nil
	case *array.MonthInterval:
		return scoring.StringValue(intervalText(int64(a.Value(i)), 0, 0, 0)), nil
	case *array.DayTimeInterval:
		v := a.Value(i)
		sec, ms := floorDiv(int64(v.Milliseconds), 1000)
		return scoring.StringValue(intervalText(0, int64(v.Days), sec, ms*1e6)), nil
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		sec, ns := floorDiv(v.Nanoseconds, 1e9)
		return scoring.StringValue(intervalText(int64(v.Months), int64(v.Days), sec, ns)), nil
	case *array.Dictionary:
		return r.value(a.Dictionary(), a.GetValueIndex(i), plain)
	case *array.RunEndEncoded:
		return r.value(a.Values(), a.GetPhysicalIndex(i), plain)
	case *array.SparseUnion:
		return r.value(a.Field(a.ChildID(i)), i, kindOf(a.UnionType().Fields()[a.ChildID(i)]))
	case *array.DenseUnion:
		return r.value(a.Field(a.ChildID(i)), int(a.ValueOffset(i)), kindOf(a.UnionType().Fields()[a.ChildID(i)]))
	case array.ListLike, *array.Struct:
		w := jsonWriter{reader: r}
		if err := w.value(arr, i, plain, 0); err != nil {
			return scoring.Value{}, err
		}
		return scoring.TextValue(scoring.JSON, string(w.b)), nil
	}
	return scoring.Value{}, errcode.Unread("unsupported Arrow type %v", arr.DataType())
}

func text(s string) (scoring.Value, error) {
	if !utf8.ValidString(s) {
		return scoring.Value{}, errcode.New(errcode.InvalidArgument, "expected UTF-8 text")
	}
	return scoring.StringValue(s), nil
}

func uuidText(b []byte) string {
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// widen returns the double nearest to the shortest decimal that reads back as f, so that the float32 0.1 becomes 0.1.
func widen(f float32) float64 {
	d := float64(f)
	if d == math.Trunc(d) && math.Abs(d) < 1<<24 || math.IsNaN(d) || math.IsInf(d, 0) {
		return d
	}
	if a := math.Abs(d); a >= 1e-3 && a < 1e6 {
		// The first of 1, 2, 3, … decimals that reads back as f is the shortest; integers over
		// powers of ten are exact doubles' quotients and so correctly rounded.
		for p := 10.0; p <= 1e10; p *= 10 {
			if n := math.RoundToEven(d * p); float32(n/p) == f {
				return n / p
			}
		}
	}
	d, _ = strconv.ParseFloat(strconv.FormatFloat(d, 'g', -1, 32), 64)
	return d
}

// shortest16 returns, for a value f of a 16-bit float, the decimal with the fewest digits that is nearer to f than half
// the distance between such floats. Integers are unchanged.
func shortest16(f float32) float64 {
	d := float64(f)
	if d == math.Trunc(d) || math.IsNaN(d) {
		return d
	}
	_, exp := math.Frexp(d)
	half := math.Ldexp(1, max(exp-11, -24)-1)
	for digits := range 6 {
		s, _ := strconv.ParseFloat(strconv.FormatFloat(d, 'e', digits, 64), 64)
		if math.Abs(s-d) < half {
			return s
		}
	}
	return d
}

// isJSON reports whether s is valid JSON.
func isJSON(s string) bool { return json.Valid([]byte(s)) }
