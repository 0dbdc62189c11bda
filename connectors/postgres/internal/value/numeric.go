package value

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// A numeric in binary is four 16-bit fields and its digits in base 10000: the number of digits, the exponent of the
// first, the sign, and the number of decimals shown.
const signNegative = 0x4000

// notNumbers are the sign fields of NaN and the infinities.
var notNumbers = map[uint16]string{0xC000: "NaN", 0xD000: "Infinity", 0xF000: "-Infinity"}

// numeric sets how numerics are read: as Arrow decimals if the column has a precision and scale that fit, otherwise as
// strings, which are exact too.
func (c *Column) numeric(modifier int32, redshift bool) {
	c.Format = 1
	appendText := numericText
	if redshift {
		c.Format, appendText = 0, func(dst, v []byte) ([]byte, bool) { return append(dst, v...), true }
	}
	precision, scale := int32(0), int32(0)
	if modifier >= 4 {
		precision, scale = (modifier-4)>>16&0xffff, (modifier-4)&0x7ff
		if scale > 1023 { // scale is a signed 11-bit number
			scale -= 2048
		}
	}
	var text []byte
	whole := func(v []byte, bits int) (n *big.Int, ok bool) {
		if text, ok = appendText(text[:0], v); !ok {
			return nil, false
		}
		n, ok = driverbase.Unscaled(string(text), int(scale))
		return n, ok && n.BitLen() < bits
	}
	switch {
	case precision < 1 || precision > 76 || scale < 0 || scale > precision:
		c.Field.Metadata = driverbase.Decimal
		c.Add = func(b array.Builder, v []byte) (err error) {
			var ok bool
			if text, ok = appendText(text[:0], v); !ok {
				return errMalformed
			}
			b.(*array.StringBuilder).BinaryBuilder.Append(text)
			return nil
		}
	case precision > 38:
		c.Field.Type = &arrow.Decimal256Type{Precision: precision, Scale: scale}
		c.Add = func(b array.Builder, v []byte) error {
			n, ok := whole(v, 256)
			if !ok {
				return errMalformed
			}
			b.(*array.Decimal256Builder).Append(decimal256.FromBigInt(n))
			return nil
		}
	default:
		c.Field.Type = &arrow.Decimal128Type{Precision: precision, Scale: scale}
		c.Add = func(b array.Builder, v []byte) error {
			if !redshift {
				if n, ok := numeric128(v, int(scale)); ok {
					b.(*array.Decimal128Builder).Append(n)
					return nil
				}
			}
			n, ok := whole(v, 128)
			if !ok {
				return errMalformed
			}
			b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(n))
			return nil
		}
	}
}

// Numeric reports whether the column's type is numeric.
func (c *Column) Numeric() bool { return c.oid == pgtype.NumericOID }

// Special returns the value of a numeric that is NaN or an infinity; is reports whether v is one.
func (c *Column) Special(v []byte) (f float64, is bool) {
	if c.Format == 1 {
		if len(v) < 8 || v[4]&0xC0 != 0xC0 {
			return 0, false
		}
		v = []byte(notNumbers[binary.BigEndian.Uint16(v[4:])])
	}
	if isNumber(v) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// isNumber reports whether the text of a numeric is neither NaN nor an infinity.
func isNumber(text []byte) bool {
	return len(text) == 0 || text[0] != 'N' && text[0] != 'I' && (len(text) == 1 || text[1] != 'I')
}

// digits are the base-10000 digits of a numeric in binary.
type digits []byte

// at returns digit i, or 0 outside the stored digits. A value of 10000 or more is malformed.
func (d digits) at(i int) uint64 {
	if i < 0 || 2*i >= len(d) {
		return 0
	}
	return uint64(binary.BigEndian.Uint16(d[2*i:]))
}

// header parses the fields before the digits. ok is false if v has the wrong length.
func header(v []byte) (d digits, weight int, sign uint16, ok bool) {
	if len(v) < 8 {
		return nil, 0, 0, false
	}
	return digits(v[8:]), int(int16(binary.BigEndian.Uint16(v[2:]))), binary.BigEndian.Uint16(v[4:]), len(v) ==
		8+2*int(binary.BigEndian.Uint16(v))
}

var powers = [...]uint64{1, 10, 100, 1000, 10000}

// numeric128 returns a numeric as a multiple of 10^-scale. ok is false if it has more decimals, is not finite or
// malformed, or may overflow 128 bits during the computation.
func numeric128(v []byte, scale int) (n decimal128.Num, ok bool) {
	d, weight, sign, ok := header(v)
	if !ok || sign != 0 && sign != signNegative {
		return n, false
	}
	// Digit i stands for 10000^(weight-i). The last digit to keep is the one that contains 10^-scale.
	last := weight + (scale+3)/4 // index of that digit
	for i := 0; i <= last; i++ {
		digit, unit := d.at(i), uint64(10000)
		if i == last && scale%4 != 0 { // only its first decimals are kept
			cut := powers[4-scale%4]
			if digit%cut != 0 {
				return n, false
			}
			unit, digit = powers[scale%4], digit/cut
		}
		const near = 542101086242752 // below near * 2^64, about 10^34, four more decimals still fit
		if digit >= 10000 || n.HighBits() >= near {
			return n, false
		}
		n = n.Mul(decimal128.FromU64(unit)).Add(decimal128.FromU64(digit))
	}
	for i := max(last+1, 0); 2*i < len(d); i++ { // digits beyond the scale must be zero
		if d.at(i) != 0 {
			return n, false
		}
	}
	if sign == signNegative {
		n = n.Negate()
	}
	return n, true
}

// numericText appends a numeric with all the decimals that the server shows. It returns false if v is malformed.
func numericText(dst, v []byte) ([]byte, bool) {
	d, weight, sign, ok := header(v)
	if name := notNumbers[sign]; name != "" {
		return append(dst, name...), true
	}
	if !ok || sign != 0 && sign != signNegative {
		return dst, false
	}
	scale := int(binary.BigEndian.Uint16(v[6:]))
	if scale > 16383 {
		return dst, false
	}
	if sign == signNegative {
		dst = append(dst, '-')
	}
	four := func(i int) {
		x := d.at(i)
		ok = ok && x < 10000
		dst = append(dst, byte('0'+x/1000), byte('0'+x/100%10), byte('0'+x/10%10), byte('0'+x%10))
	}
	start := len(dst)
	for i := 0; i <= weight; i++ {
		four(i)
	}
	dst = append(dst[:start], bytes.TrimLeft(dst[start:], "0")...)
	if len(dst) == start {
		dst = append(dst, '0')
	}
	if scale == 0 {
		return dst, ok
	}
	dst = append(dst, '.')
	end := len(dst) + scale
	for i := weight + 1; len(dst) < end; i++ {
		four(i)
	}
	return dst[:end], ok
}
