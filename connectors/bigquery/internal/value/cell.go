package value

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

var errCell = errors.New("the value is not of the column's type")

// AppendCell appends a value of the REST API: a string, a boolean, nil, {"f": [{"v": …}]} for a STRUCT, or [{"v": …}]
// for an ARRAY. The error does not contain the value.
func AppendCell(b array.Builder, f *bq.TableFieldSchema, repeated bool, v any) error {
	if repeated {
		list, ok := b.(*array.ListBuilder)
		values, isList := v.([]any)
		if !ok || !isList && v != nil {
			return errCell
		}
		list.Append(true) // BigQuery's results have no NULL arrays
		for _, item := range values {
			cell, ok := item.(map[string]any)
			if !ok {
				return errCell
			}
			if err := AppendCell(list.ValueBuilder(), f, false, cell["v"]); err != nil {
				return err
			}
		}
		return nil
	}
	switch v := v.(type) {
	case nil:
		b.AppendNull()
		return nil
	case string:
		return appendText(b, f.Type, v)
	case bool:
		return appendText(b, f.Type, strconv.FormatBool(v))
	case map[string]any:
		record, ok := b.(*array.StructBuilder)
		cells, isRecord := v["f"].([]any)
		if !ok || !isRecord || len(cells) != len(f.Fields) || record.NumField() != len(cells) {
			return errCell
		}
		record.Append(true)
		for i, item := range cells {
			cell, ok := item.(map[string]any)
			if !ok {
				return errCell
			}
			if err := AppendCell(record.FieldBuilder(i), f.Fields[i], f.Fields[i].Mode == "REPEATED", cell["v"]); err != nil {
				return err
			}
		}
		return nil
	}
	return errCell
}

// appendText appends a scalar from the REST API's text.
func appendText(b array.Builder, typ, s string) error {
	switch b := b.(type) {
	case *array.StringBuilder:
		ok := true
		switch typ {
		case "INTERVAL":
			s, ok = intervalText(s)
		case "NUMERIC", "BIGNUMERIC":
			s, ok = plainDecimal(s)
		}
		if !ok {
			return errCell
		}
		b.Append(s)
	case *array.TimestampBuilder:
		micros, ok := timestamp(s)
		if !ok {
			return errCell
		}
		b.Append(arrow.Timestamp(micros))
	case *array.StructBuilder:
		return appendRange(b, s)
	default: // base64 bytes, integers, doubles, booleans, dates and times of day
		if s == array.NullValueStr || b.AppendValueFromString(s) != nil {
			return errCell
		}
	}
	return nil
}

// appendRange appends a range [START, END). A bound may be empty, UNBOUNDED or NULL.
func appendRange(b *array.StructBuilder, s string) error {
	inner, ok := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, ")")
	start, end, two := strings.Cut(inner, ",")
	if !ok || !closed || !two || b.NumField() != 2 {
		return errCell
	}
	b.Append(true)
	for i, bound := range []string{strings.TrimSpace(start), strings.TrimSpace(end)} {
		if bound == "" || strings.EqualFold(bound, "UNBOUNDED") || strings.EqualFold(bound, "NULL") {
			b.FieldBuilder(i).AppendNull()
		} else if err := appendText(b.FieldBuilder(i), "", bound); err != nil {
			return err
		}
	}
	return nil
}

// decimalText matches a decimal, with an optional exponent.
var decimalText = lazyregexp.New(`^-?\d{1,200}(\.\d{0,200})?([eE][+-]?\d{1,3})?$`)

// unscaled returns a decimal as a multiple of 10^-scale; false if it has more decimals, or needs more than bits bits.
func unscaled(s string, scale, bits int) (*big.Int, bool) {
	if !decimalText.MatchString(s) {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	size := r.Num()
	if size.Sign() < 0 {
		size = new(big.Int).Not(size)
	}
	return r.Num(), r.IsInt() && size.BitLen() <= bits // otherwise the type cannot hold the value
}

// plainDecimal returns a decimal without an exponent and without trailing zeros; false if it is malformed.
func plainDecimal(s string) (string, bool) {
	if strings.ContainsAny(s, "eE") {
		n, ok := unscaled(s, 38, 255)
		if !ok {
			return "", false
		}
		s = driverbase.DecimalText(n, 38)
	} else if len(s) > 81 || !decimalText.MatchString(s) {
		return "", false
	}
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		s = "0"
	}
	return s, true
}

// timestampLayouts are the layouts in which the REST API and its emulators write DATETIME and TIMESTAMP.
var timestampLayouts = []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 MST",
	"2006-01-02 15:04:05.999999999-07"}

// timestamp parses a time as microseconds since 1970: an integer of microseconds, decimal seconds with an optional
// exponent, or a date with a time.
func timestamp(s string) (int64, bool) {
	if strings.ContainsAny(s, "T:") {
		for _, layout := range timestampLayouts {
			if t, err := time.Parse(layout, s); err == nil {
				return t.UnixMicro(), t.Nanosecond()%1000 == 0
			}
		}
		return 0, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	n, ok := unscaled(s, 6, 63) // seconds; exact, since they are decimal
	if !ok || !n.IsInt64() {
		return 0, false
	}
	return n.Int64(), true
}

var canonicalInterval = lazyregexp.New(
	`^(-?)(\d{1,5})-(\d{1,6}) (-?\d{1,7}) (-?)(\d{1,8}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?$`)

// intervalText converts BigQuery's Y-M D H:M:S[.F], whose parts are signed, to the text of other warehouses' intervals:
// 1 year 2 months 3 days 04:05:06.7. It returns false for fractions finer than microseconds.
func intervalText(s string) (string, bool) {
	m := canonicalInterval.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(m[i], 10, 64) // digits only, and few
		return n
	}
	fraction := (m[9] + "000000000")[:9]
	m[9] = fraction[:6]
	months, micros := 12*number(2)+number(3), ((60*number(6)+number(7))*60+number(8))*1_000_000+number(9)
	if m[1] != "" {
		months = -months
	}
	if m[5] != "" {
		micros = -micros
	}
	return string(driverbase.AppendInterval(nil, months, number(4), micros)), fraction[6:] == "000"
}
