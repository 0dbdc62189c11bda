package snowflake

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Column is a column of a result, in the protocol's JSON.
type Column struct {
	Name      string `json:"name"`
	Type      string `json:"type"` // fixed, real, text, boolean, date, time, timestamp_ntz, …
	Precision int    `json:"precision"`
	Scale     int    `json:"scale"`
	Nullable  bool   `json:"nullable"`
	Length    int    `json:"length"`
	Bytes     int    `json:"byteLength"`
}

// Cell is a value in the protocol's JSON format, nil for NULL: decimals as text, dates as days, times and timestamps as
// seconds with a fraction (a timestamp_tz followed by a blank and its offset in minutes plus 1440), bytes in
// hexadecimal.
type Cell = *string

// Text returns s as a Cell.
func Text(s string) Cell { return &s }

// record encodes rows in Snowflake's Arrow format: numbers as the narrowest integers that hold the batch, timestamps as
// integers of their scale or as structs of an epoch and nanoseconds.
func record(columns []Column, rows [][]Cell) (arrow.Record, error) {
	fields := make([]arrow.Field, len(columns))
	cols := make([]arrow.Array, len(columns))
	for i, c := range columns {
		cells := make([]Cell, len(rows))
		for r := range rows {
			cells[r] = rows[r][i]
		}
		arr, err := c.array(cells)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		defer arr.Release()
		cols[i] = arr
		fields[i] = arrow.Field{Name: c.Name, Type: arr.DataType(), Nullable: true,
			Metadata: arrow.MetadataFrom(map[string]string{
				"logicalType": strings.ToUpper(c.Type), "precision": strconv.Itoa(c.Precision), "scale": strconv.Itoa(c.Scale),
			})}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(len(rows))), nil
}

// Stream returns rows as an Arrow IPC stream.
func Stream(columns []Column, rows [][]Cell) ([]byte, error) {
	rec, err := record(columns, rows)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (c Column) array(cells []Cell) (arrow.Array, error) {
	switch c.Type {
	case "fixed":
		return c.fixed(cells)
	case "timestamp_ntz", "timestamp_ltz", "timestamp_tz":
		return c.timestamps(cells)
	case "time":
		ints := make([]*big.Int, len(cells))
		for i, s := range cells {
			if s != nil {
				ints[i] = scaled(*s, c.Scale)
			}
		}
		return integers(ints, map[bool]int{true: 32, false: 64}[c.Scale <= 4]), nil
	case "decfloat":
		return decfloats(cells)
	case "vector":
		return vectors(cells)
	}
	types := map[string]arrow.DataType{
		"real": arrow.PrimitiveTypes.Float64, "boolean": arrow.FixedWidthTypes.Boolean, "date": arrow.FixedWidthTypes.Date32,
		"binary": arrow.BinaryTypes.Binary,
	}
	t, ok := types[c.Type]
	if !ok {
		t = arrow.BinaryTypes.String // text, variant, object, array, geography
	}
	b := array.NewBuilder(memory.NewGoAllocator(), t)
	defer b.Release()
	for _, s := range cells {
		if s == nil {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.Float64Builder:
			f, err := strconv.ParseFloat(*s, 64)
			if err != nil && f == 0 {
				return nil, err
			}
			b.Append(f)
		case *array.BooleanBuilder:
			b.Append(*s == "1")
		case *array.Date32Builder:
			days, err := strconv.Atoi(*s)
			if err != nil {
				return nil, err
			}
			b.Append(arrow.Date32(days)) //nolint:gosec // test data
		case *array.BinaryBuilder:
			bytes, err := hex.DecodeString(*s)
			if err != nil {
				return nil, err
			}
			b.Append(bytes)
		case *array.StringBuilder:
			b.Append(*s)
		}
	}
	return b.NewArray(), nil
}

func (c Column) fixed(cells []Cell) (arrow.Array, error) {
	ints := make([]*big.Int, len(cells))
	width := 8
	for i, s := range cells {
		if s == nil {
			continue
		}
		n := scaled(*s, c.Scale)
		if n == nil {
			return nil, fmt.Errorf("no number of scale %d", c.Scale)
		}
		ints[i] = n
		for width < 128 &&
			!(n.IsInt64() && n.Int64() >= math.MinInt64>>(64-width) && n.Int64() <= math.MaxInt64>>(64-width)) {
			width *= 2
		}
	}
	if width < 128 {
		return integers(ints, width), nil
	}
	b := array.NewDecimal128Builder(memory.NewGoAllocator(), &arrow.Decimal128Type{Precision: 38, Scale: int32(c.Scale)}) //nolint:gosec // small
	defer b.Release()
	for _, n := range ints {
		if n == nil {
			b.AppendNull()
		} else {
			b.Append(decimal128.FromBigInt(n))
		}
	}
	return b.NewArray(), nil
}

// scaled returns a decimal as a multiple of 10^-scale; nil if it is malformed.
func scaled(s string, scale int) *big.Int {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) > scale {
		if strings.Trim(fraction[scale:], "0") != "" {
			return nil
		}
		fraction = fraction[:scale]
	}
	n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if !ok {
		return nil
	}
	return n
}

func integers(values []*big.Int, width int) arrow.Array {
	types := map[int]arrow.DataType{8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16,
		32: arrow.PrimitiveTypes.Int32, 64: arrow.PrimitiveTypes.Int64}
	b := array.NewBuilder(memory.NewGoAllocator(), types[width])
	defer b.Release()
	for _, n := range values {
		if n == nil {
			b.AppendNull()
			continue
		}
		switch b := b.(type) { //nolint:gosec // the width was chosen by the values
		case *array.Int8Builder:
			b.Append(int8(n.Int64()))
		case *array.Int16Builder:
			b.Append(int16(n.Int64()))
		case *array.Int32Builder:
			b.Append(int32(n.Int64()))
		case *array.Int64Builder:
			b.Append(n.Int64())
		}
	}
	return b.NewArray()
}

func (c Column) timestamps(cells []Cell) (arrow.Array, error) {
	zoned, split := c.Type == "timestamp_tz", c.Scale > 7
	if c.Type == "timestamp_tz" {
		split = c.Scale > 3
	}
	if !zoned && !split {
		ints := make([]*big.Int, len(cells))
		for i, s := range cells {
			if s != nil {
				ints[i] = scaled(*s, c.Scale)
			}
		}
		return integers(ints, 64), nil
	}
	fields := []arrow.Field{{Name: "epoch", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}
	if split {
		fields = append(fields, arrow.Field{Name: "fraction", Type: arrow.PrimitiveTypes.Int32, Nullable: true})
	}
	if zoned {
		fields = append(fields, arrow.Field{Name: "timezone", Type: arrow.PrimitiveTypes.Int32, Nullable: true})
	}
	b := array.NewStructBuilder(memory.NewGoAllocator(), arrow.StructOf(fields...))
	defer b.Release()
	for _, s := range cells {
		if s == nil {
			b.AppendNull()
			continue
		}
		stamp, zone, _ := strings.Cut(*s, " ")
		nanos := scaled(stamp, 9)
		if nanos == nil {
			return nil, fmt.Errorf("no timestamp: %q", *s)
		}
		b.Append(true)
		sec, frac := new(big.Int).DivMod(nanos, big.NewInt(1e9), new(big.Int))
		if split {
			b.FieldBuilder(0).(*array.Int64Builder).Append(sec.Int64())
			b.FieldBuilder(1).(*array.Int32Builder).Append(int32(frac.Int64())) //nolint:gosec // below 1e9
		} else {
			b.FieldBuilder(0).(*array.Int64Builder).Append(scaled(stamp, c.Scale).Int64())
		}
		if zoned {
			minutes, err := strconv.Atoi(zone)
			if err != nil {
				return nil, err
			}
			b.FieldBuilder(len(fields) - 1).(*array.Int32Builder).Append(int32(minutes)) //nolint:gosec // below 2880
		}
	}
	return b.NewArray(), nil
}

// vectors parses vectors, whose cells are three numbers separated by blanks.
func vectors(cells []Cell) (arrow.Array, error) {
	const n = 3
	b := array.NewFixedSizeListBuilder(memory.NewGoAllocator(), n, arrow.PrimitiveTypes.Float32)
	defer b.Release()
	values := b.ValueBuilder().(*array.Float32Builder)
	for _, s := range cells {
		if s == nil {
			b.AppendNull()
			for range n {
				values.AppendNull()
			}
			continue
		}
		b.Append(true)
		for _, text := range strings.Fields(*s) {
			f, err := strconv.ParseFloat(text, 32)
			if err != nil {
				return nil, err
			}
			values.Append(float32(f))
		}
	}
	return b.NewArray(), nil
}

// decfloats parses decimal floating-point numbers, whose cells are SIGNIFICANDeEXPONENT.
func decfloats(cells []Cell) (arrow.Array, error) {
	b := array.NewStructBuilder(memory.NewGoAllocator(), arrow.StructOf(
		arrow.Field{Name: "exponent", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		arrow.Field{Name: "significand", Type: arrow.BinaryTypes.Binary, Nullable: true}))
	defer b.Release()
	for _, s := range cells {
		if s == nil {
			b.AppendNull()
			continue
		}
		digits, exponent, _ := strings.Cut(*s, "e")
		n, ok := new(big.Int).SetString(digits, 10)
		e, err := strconv.Atoi(exponent)
		if !ok || err != nil {
			return nil, fmt.Errorf("no decfloat: %q", *s)
		}
		bytes := n.Bytes()
		if n.Sign() < 0 { // two's complement, with one more byte
			width := uint(len(bytes) + 1)
			bytes = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 8*width)).Bytes()
		} else {
			bytes = append([]byte{0}, bytes...)
		}
		b.Append(true)
		b.FieldBuilder(0).(*array.Int16Builder).Append(int16(e)) //nolint:gosec // test data
		b.FieldBuilder(1).(*array.BinaryBuilder).Append(bytes)
	}
	return b.NewArray(), nil
}

// fromRecord converts a record of the engine to columns and cells.
func fromRecord(rec arrow.Record) ([]Column, [][]Cell, error) {
	columns := make([]Column, rec.NumCols())
	rows := make([][]Cell, rec.NumRows())
	for r := range rows {
		rows[r] = make([]Cell, rec.NumCols())
	}
	for i, col := range rec.Columns() {
		f := rec.Schema().Field(i)
		columns[i] = columnOf(f)
		for r := range rows {
			if col.IsNull(r) {
				continue
			}
			text, err := cellOf(col, r)
			if err != nil {
				return nil, nil, err
			}
			rows[r][i] = &text
		}
	}
	return columns, rows, nil
}

func columnOf(f arrow.Field) Column {
	c := Column{Name: strings.ToUpper(f.Name), Type: "text", Nullable: true}
	switch t := f.Type.(type) {
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		c.Type, c.Precision = "fixed", 38
	case *arrow.Decimal128Type:
		c.Type, c.Precision, c.Scale = "fixed", int(t.Precision), int(t.Scale)
	case *arrow.Float64Type, *arrow.Float32Type:
		c.Type = "real"
	case *arrow.BooleanType:
		c.Type = "boolean"
	case *arrow.Date32Type:
		c.Type = "date"
	case *arrow.Time64Type:
		c.Type, c.Scale = "time", 9
	case *arrow.BinaryType:
		c.Type = "binary"
	case *arrow.TimestampType:
		c.Type, c.Scale = "timestamp_ntz", 9
		if t.TimeZone != "" {
			c.Type = "timestamp_ltz"
		}
	case *arrow.StringType:
		if name, _ := f.Metadata.GetValue("ARROW:extension:name"); name == "arrow.json" {
			c.Type = "variant"
		}
	}
	return c
}

func cellOf(arr arrow.Array, i int) (string, error) {
	switch a := arr.(type) {
	case *array.Boolean:
		if a.Value(i) {
			return "1", nil
		}
		return "0", nil
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale), nil
	case *array.Float64:
		return strconv.FormatFloat(a.Value(i), 'g', -1, 64), nil
	case *array.Date32:
		return strconv.Itoa(int(a.Value(i))), nil
	case *array.Binary:
		return hex.EncodeToString(a.Value(i)), nil
	case *array.Time64:
		ns := int64(a.Value(i))
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Microsecond {
			ns *= 1000
		}
		return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9), nil
	case *array.Timestamp:
		t := a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit)
		if t.Unix() < 0 && t.Nanosecond() > 0 { // -0.5 is one second before 0 plus half a second
			return fmt.Sprintf("-%d.%09d", -t.Unix()-1, 1e9-t.Nanosecond()), nil
		}
		return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()), nil
	}
	return arr.ValueStr(i), nil
}
