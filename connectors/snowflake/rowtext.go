package snowflake

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// rowTexts writes rows as JSON arrays of texts and nulls. Numbers are texts with all their digits:
// Snowflake casts them, and no JSON reader on the way makes doubles of them.
type rowTexts struct {
	rows  array.RecordReader
	at    int  // the next row of the reader's record
	open  bool // there is a record
	n     int64
	nulls []bool // columns with a NULL so far
	done  bool   // no more rows
	buf   []byte
}

// chunk is a JSON array of the next rows, of about so many bytes.
func (t *rowTexts) chunk(size int) (string, error) {
	t.buf = append(t.buf[:0], '[')
	for len(t.buf) < size {
		if !t.open {
			if t.open = t.rows.Next(); !t.open {
				t.done = true
				break
			}
			t.at = 0
		}
		rec := t.rows.Record()
		if t.at >= int(rec.NumRows()) {
			t.open = false
			continue
		}
		if len(t.buf) > 1 {
			t.buf = append(t.buf, ',')
		}
		t.buf = append(t.buf, '[')
		for i := range int(rec.NumCols()) {
			if i > 0 {
				t.buf = append(t.buf, ',')
			}
			var err error
			col := rec.Column(i)
			if col.IsNull(t.at) {
				t.nulls[i] = true
				t.buf = append(t.buf, "null"...)
			} else if t.buf, err = appendText(t.buf, col, t.at); err != nil {
				return "", errcode.New(errcode.Of(err), "row %d, column %q: %w", t.n+1, rec.ColumnName(i), err)
			}
		}
		t.buf = append(t.buf, ']')
		t.at++
		t.n++
	}
	if t.done {
		if err := t.rows.Err(); err != nil {
			return "", err
		}
	}
	return string(append(t.buf, ']')), nil
}

// appendText appends a value as JSON text.
func appendText(b []byte, arr arrow.Array, i int) ([]byte, error) {
	switch a := arr.(type) {
	case *array.String:
		return appendString(b, a.Value(i)), nil
	case *array.LargeString:
		return appendString(b, a.Value(i)), nil
	case *array.Float64:
		return appendFloat(b, a.Value(i), 64), nil
	case *array.Float32:
		return appendFloat(b, float64(a.Value(i)), 32), nil
	case *array.Boolean:
		return strconv.AppendQuote(b, strconv.FormatBool(a.Value(i))), nil
	case *array.Binary:
		return strconv.AppendQuote(b, hex.EncodeToString(a.Value(i))), nil
	case *array.Date32:
		return strconv.AppendQuote(b, a.Value(i).FormattedString()), nil
	case *array.Int8, *array.Int16, *array.Int32, *array.Int64, *array.Uint8, *array.Uint16, *array.Uint32, *array.Uint64:
		return strconv.AppendQuote(b, arr.ValueStr(i)), nil
	case *array.Decimal128:
		return strconv.AppendQuote(b, decimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal128Type).Scale)), nil
	case *array.Decimal256:
		return strconv.AppendQuote(b, decimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal256Type).Scale)), nil
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return strconv.AppendQuote(b, a.Value(i).ToTime(unit).Format("15:04:05.999999999")), nil
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return strconv.AppendQuote(b, a.Value(i).ToTime(unit).Format("15:04:05.999999999")), nil
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		layout := "2006-01-02 15:04:05.000000000"
		if t.TimeZone != "" {
			layout += "+00:00"
		}
		return strconv.AppendQuote(b, a.Value(i).ToTime(t.Unit).UTC().Format(layout)), nil
	}
	return b, errcode.New(errcode.Unimplemented, "values of Arrow type %v are not written", arr.DataType())
}

// decimalText writes n times 10^-scale.
func decimalText(n *big.Int, scale int32) string {
	if scale <= 0 {
		return n.String() + strings.Repeat("0", int(-scale))
	}
	digits := new(big.Int).Abs(n).String()
	digits = strings.Repeat("0", max(0, int(scale)+1-len(digits))) + digits
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
	}
	return sign + digits[:len(digits)-int(scale)] + "." + digits[len(digits)-int(scale):]
}

// appendFloat writes a number with the digits that it needs, or the names that Snowflake has for
// what is none.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"inf"`...)
	case math.IsInf(f, -1):
		return append(b, `"-inf"`...)
	}
	b = append(b, '"')
	b = strconv.AppendFloat(b, f, 'g', -1, bits)
	return append(b, '"')
}

// appendString writes text as a JSON string.
func appendString(b []byte, s string) []byte {
	plain := true
	for _, c := range []byte(s) {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	text, _ := json.Marshal(s) // a string always can be
	return append(b, text...)
}
