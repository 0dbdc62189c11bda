package postgres

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
)

// A numeric is, in binary, the number of its digits in base 10000, the power of the first of them,
// a sign and how many decimals it shows, 16 bits each, and then the digits.
const (
	signNegative = 0x4000
	signNaN      = 0xC000
	signInfinity = 0xD000
	signMinus    = 0xF000 // infinity
)

// numeric says how numerics are read: those of a column with precision and scale as Arrow's
// decimals, all others as text, which is exact too.
func (c *column) numeric(modifier int32, redshift bool) {
	c.format = 1
	text := numericText
	if redshift {
		c.format, text = 0, func(dst, v []byte) ([]byte, bool) { return append(dst, v...), true }
	}
	precision, scale := int32(0), int32(0)
	if modifier >= 4 {
		precision, scale = (modifier-4)>>16&0xffff, (modifier-4)&0x7ff
		if scale > 1023 { // eleven bits with a sign
			scale -= 2048
		}
	}
	if precision < 1 || precision > 76 || scale < 0 || scale > precision {
		c.field.Metadata = extension(extensionDecimal)
		var scratch []byte
		c.add = func(b array.Builder, v []byte) error {
			var ok bool
			if scratch, ok = text(scratch[:0], v); !ok {
				return errMalformed
			}
			b.(*array.StringBuilder).BinaryBuilder.Append(scratch)
			return nil
		}
		return
	}
	var scratch []byte
	if precision > 38 {
		c.field.Type = &arrow.Decimal256Type{Precision: precision, Scale: scale}
		c.add = func(b array.Builder, v []byte) error {
			var ok bool
			if scratch, ok = text(scratch[:0], v); !ok {
				return errMalformed
			}
			n, ok := unscaled(string(scratch), int(scale))
			if !ok || n.BitLen() > 255 {
				return errMalformed
			}
			b.(*array.Decimal256Builder).Append(decimal256.FromBigInt(n))
			return nil
		}
		return
	}
	c.field.Type = &arrow.Decimal128Type{Precision: precision, Scale: scale}
	c.add = func(b array.Builder, v []byte) error {
		if !redshift {
			if n, ok := numeric128(v, int(scale)); ok {
				b.(*array.Decimal128Builder).Append(n)
				return nil
			}
		}
		var ok bool
		if scratch, ok = text(scratch[:0], v); !ok {
			return errMalformed
		}
		n, ok := unscaled(string(scratch), int(scale))
		if !ok || n.BitLen() > 127 {
			return errMalformed
		}
		b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(n))
		return nil
	}
}

// special is the double for a numeric that is none of the numbers, NaN or an infinity.
func (c *column) special(v []byte) (f float64, is bool) {
	if c.format == 1 {
		if len(v) < 8 {
			return 0, false
		}
		switch binary.BigEndian.Uint16(v[4:]) {
		case signNaN:
			return math.NaN(), true
		case signInfinity:
			return math.Inf(1), true
		case signMinus:
			return math.Inf(-1), true
		}
		return 0, false
	}
	switch string(v) {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

var powers = [...]uint64{1, 10, 100, 1000, 10000}

// numeric128 reads a numeric as an integer of so many decimals, where 128 bits hold it on the way.
func numeric128(v []byte, scale int) (decimal128.Num, bool) {
	if len(v) < 8 {
		return decimal128.Num{}, false
	}
	n, weight := int(binary.BigEndian.Uint16(v)), int(int16(binary.BigEndian.Uint16(v[2:])))
	negative := binary.BigEndian.Uint16(v[4:]) == signNegative
	if len(v) != 8+2*n {
		return decimal128.Num{}, false
	}
	var hi, lo uint64
	times := func(m uint64) bool {
		over, low := bits.Mul64(hi, m)
		carry, l := bits.Mul64(lo, m)
		h, c := bits.Add64(low, carry, 0)
		hi, lo = h, l
		return over == 0 && c == 0
	}
	plus := func(a uint64) {
		var c uint64
		lo, c = bits.Add64(lo, a, 0)
		hi += c
	}
	// Digit i stands for 10000^(weight-i). The last places to keep are those of 10^-scale.
	groups := (scale + 3) / 4 // of decimals, whole or in part
	last := weight + groups   // the digit that holds the last place
	for i := 0; i <= last; i++ {
		d := uint64(0)
		if i < n {
			d = uint64(binary.BigEndian.Uint16(v[8+2*i:]))
		}
		if d > 9999 {
			return decimal128.Num{}, false
		}
		unit := uint64(10000)
		if i == last && scale%4 != 0 && scale > 0 { // only its first places count
			cut := powers[4-scale%4]
			if d%cut != 0 {
				return decimal128.Num{}, false
			}
			unit, d = powers[scale%4], d/cut
		}
		if !times(unit) {
			return decimal128.Num{}, false
		}
		plus(d)
		if hi >= 1<<63 {
			return decimal128.Num{}, false
		}
	}
	for i := max(last+1, 0); i < n; i++ { // beyond the scale there may be nothing
		if binary.BigEndian.Uint16(v[8+2*i:]) != 0 {
			return decimal128.Num{}, false
		}
	}
	out := decimal128.New(int64(hi), lo)
	if negative {
		out = out.Negate()
	}
	return out, true
}

// numericText writes a numeric as the server does, every decimal it shows.
func numericText(dst, v []byte) ([]byte, bool) {
	if len(v) < 8 {
		return dst, false
	}
	n, weight, sign, scale := int(binary.BigEndian.Uint16(v)), int(int16(binary.BigEndian.Uint16(v[2:]))), binary.BigEndian.Uint16(v[4:]), int(binary.BigEndian.Uint16(v[6:]))
	switch sign {
	case signNaN:
		return append(dst, "NaN"...), true
	case signInfinity:
		return append(dst, "Infinity"...), true
	case signMinus:
		return append(dst, "-Infinity"...), true
	}
	if len(v) != 8+2*n || sign != 0 && sign != signNegative || scale > 16383 {
		return dst, false
	}
	digit := func(i int) (d [4]byte, ok bool) {
		x := 0
		if i >= 0 && i < n {
			x = int(binary.BigEndian.Uint16(v[8+2*i:]))
		}
		return [4]byte{byte('0' + x/1000), byte('0' + x/100%10), byte('0' + x/10%10), byte('0' + x%10)}, x <= 9999
	}
	if sign == signNegative {
		dst = append(dst, '-')
	}
	start := len(dst)
	for i := 0; i <= weight; i++ {
		d, ok := digit(i)
		if !ok {
			return dst, false
		}
		dst = append(dst, d[:]...)
	}
	for len(dst) > start && dst[start] == '0' {
		dst = append(dst[:start], dst[start+1:]...)
	}
	if len(dst) == start {
		dst = append(dst, '0')
	}
	if scale == 0 {
		return dst, true
	}
	dst = append(dst, '.')
	for i := weight + 1; scale > 0; i++ {
		d, ok := digit(i)
		if !ok {
			return dst, false
		}
		take := min(scale, 4)
		dst = append(dst, d[:take]...)
		scale -= take
	}
	return dst, true
}

// unscaled reads a decimal text as an integer of so many decimals; ok is false where it has more.
func unscaled(s string, scale int) (*big.Int, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) > scale {
		if strings.Trim(fraction[scale:], "0") != "" {
			return nil, false
		}
		fraction = fraction[:scale]
	}
	return new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
}
