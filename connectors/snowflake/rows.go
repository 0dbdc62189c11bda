package snowflake

import (
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// rowsAtOnce is how many rows of a JSON result become one record.
const rowsAtOnce = 4096

// unreadable tells that gosnowflake 1.19.1 cannot make a batch of what it got: of times of day with a
// scale of 4 or less it cannot. Read as rows they are fine.
func unreadable(err error) bool { return strings.Contains(err.Error(), "cast_time64") }

// nextRows reads rows that the driver has as values, exactly, into the encoding that Arrow batches
// have.
func (res *result) nextRows(mem memory.Allocator) (parts []part, ok bool, err error) {
	values := make([]sqldriver.Value, len(res.columns))
	cells := make([][]sqldriver.Value, len(res.columns))
	n := 0
	for ; n < rowsAtOnce && !res.end; n++ {
		if err := res.rows.Next(values); errors.Is(err, io.EOF) {
			res.end = true
			break
		} else if err != nil {
			return nil, false, err
		}
		for i, v := range values {
			cells[i] = append(cells[i], v)
		}
	}
	if n == 0 {
		return nil, false, nil
	}
	p := part{rows: n}
	for i := range res.columns {
		c := &res.columns[i]
		arr, err := c.build(mem, cells[i])
		if err != nil {
			p.release()
			return nil, false, errcode.New(errcode.Of(err), "snowflake: column %d (%q): %w", i+1, c.name, err)
		}
		p.cols, p.scales = append(p.cols, arr), append(p.scales, 9)
	}
	return []part{p}, true, nil
}

// build makes an array of a column's values.
func (c *column) build(mem memory.Allocator, values []sqldriver.Value) (arrow.Array, error) {
	if c.kind == "FIXED" {
		return c.buildFixed(mem, values)
	}
	if c.isTimestamp() {
		return c.buildMoments(mem, values)
	}
	b := array.NewBuilder(mem, c.field().Type)
	defer b.Release()
	for i, v := range values {
		if v == nil {
			b.AppendNull()
			continue
		}
		if !appendValue(b, v) {
			return nil, errcode.New(errcode.Unimplemented, "row %d: a value of type %s came as %T, which is not read; cast the column to VARCHAR", i+1, c.kind, v)
		}
	}
	return b.NewArray(), nil
}

func appendValue(b array.Builder, v sqldriver.Value) bool {
	switch b := b.(type) {
	case *array.StringBuilder:
		switch v := v.(type) {
		case string:
			b.Append(v)
		case float64:
			b.Append(strconv.FormatFloat(v, 'g', -1, 64))
		default:
			return false
		}
	case *array.BooleanBuilder:
		switch v := v.(type) {
		case bool:
			b.Append(v)
		case string:
			b.Append(v == "1" || strings.EqualFold(v, "true"))
		default:
			return false
		}
	case *array.Float64Builder:
		switch v := v.(type) {
		case float64:
			b.Append(v)
		case string:
			f, err := strconv.ParseFloat(v, 64)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				return false
			}
			b.Append(f)
		default:
			return false
		}
	case *array.BinaryBuilder:
		bytes, ok := v.([]byte)
		if !ok {
			return false
		}
		b.Append(bytes)
	case *array.Date32Builder:
		t, ok := v.(time.Time)
		if !ok {
			return false
		}
		b.Append(arrow.Date32FromTime(t))
	case *array.Time64Builder:
		t, ok := v.(time.Time)
		if !ok {
			return false
		}
		b.Append(arrow.Time64(t.Sub(time.Time{})))
	default:
		return false
	}
	return true
}

// buildFixed makes 64-bit integers, or decimals where there is a scale or a number beyond 64 bits.
func (c *column) buildFixed(mem memory.Allocator, values []sqldriver.Value) (arrow.Array, error) {
	numbers := make([]*big.Int, len(values))
	wide := c.scale != 0
	for i, v := range values {
		if v == nil {
			continue
		}
		text := ""
		switch v := v.(type) {
		case string:
			text = v
		case int64:
			text = strconv.FormatInt(v, 10)
		case big.Int:
			text = v.String()
		case *big.Int:
			text = v.String()
		case big.Float:
			text = v.Text('f', int(c.scale))
		case *big.Float:
			text = v.Text('f', int(c.scale))
		}
		n, ok := unscaled(text, c.scale)
		if !ok || c.scale > 0 && len(new(big.Int).Abs(n).String()) > 37 { // more than gosnowflake 1.19.1 keeps of a number with a scale
			return nil, errcode.New(errcode.Unimplemented, "row %d: a number that is not read exactly; cast the column to VARCHAR", i+1)
		}
		numbers[i] = n
		wide = wide || !n.IsInt64()
	}
	if !wide {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		for _, n := range numbers {
			if n == nil {
				b.AppendNull()
			} else {
				b.Append(n.Int64())
			}
		}
		return b.NewArray(), nil
	}
	b := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: c.digits(), Scale: c.scale})
	defer b.Release()
	for _, n := range numbers {
		if n == nil {
			b.AppendNull()
		} else {
			b.Append(decimal128.FromBigInt(n))
		}
	}
	return b.NewArray(), nil
}

// unscaled reads a decimal of at most scale places as a multiple of 10^-scale.
func unscaled(text string, scale int32) (*big.Int, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > int(scale) || strings.ContainsAny(fraction, "+-") {
		return nil, false
	}
	n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", int(scale)-len(fraction)), 10)
	return n, ok && n.BitLen() <= 127
}

var epochFields = []arrow.Field{
	{Name: "epoch", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "fraction", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "timezone", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
}

// buildMoments makes timestamps of seconds and nanoseconds. Of a JSON result's times before 1970
// gosnowflake 1.19.1 gets fractions wrong, and of those in the first second the sign.
func (c *column) buildMoments(mem memory.Allocator, values []sqldriver.Value) (arrow.Array, error) {
	fields := epochFields[:2]
	if c.kind == "TIMESTAMP_TZ" {
		fields = epochFields
	}
	b := array.NewStructBuilder(mem, arrow.StructOf(fields...))
	defer b.Release()
	for i, v := range values {
		if v == nil {
			b.AppendNull()
			continue
		}
		t, ok := v.(time.Time)
		if !ok {
			return nil, errcode.New(errcode.Unimplemented, "row %d: a timestamp came as %T, which is not read", i+1, v)
		}
		if c.json && t.Unix() <= 0 && t.Nanosecond() > 0 {
			return nil, errcode.New(errcode.Unimplemented, "row %d: a time before 1970 with a fraction, in a result in JSON; cast the column to VARCHAR", i+1)
		}
		b.Append(true)
		b.FieldBuilder(0).(*array.Int64Builder).Append(t.Unix())
		b.FieldBuilder(1).(*array.Int32Builder).Append(int32(t.Nanosecond())) //nolint:gosec // below 1e9
		if len(fields) > 2 {
			b.FieldBuilder(2).(*array.Int32Builder).Append(0)
		}
	}
	return b.NewArray(), nil
}
