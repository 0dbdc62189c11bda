package metric

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/badger-eval/badger/scoring"
)

// reading selects how cells are converted before they are compared.
type reading uint8

const (
	// asTyped compares as Python's ==: numbers by their exact value whatever their types (1 = 1.0 = TRUE), all other
	// values by type and value.
	asTyped reading = iota
	// asPrinted is asTyped for results that were exported as text: a string in the form in which Python prints a number
	// is that number.
	asPrinted
	// asSpelled ignores differences of spelling: a string that is a number is that number, dates and times equal their
	// ISO text, and a double is its shortest decimal, so that 0.1, "0.10" and DECIMAL 0.1 are equal.
	asSpelled
)

// cellKey identifies a value: two cells are equal if and only if their keys are ==. All NaN are equal.
type cellKey struct {
	class class
	aux   int32  // nanoseconds, or the scale of a decimal
	num   uint64 // integer, bits of a double, unscaled decimal, days, nanoseconds since midnight, seconds
	text  string
}

type class uint8

const (
	classNull    class = iota
	classInt           // a number that is a 64-bit integer, of any type
	classFloat         // another number that is exactly a double
	classDecimal       // any other number, without trailing zeros
	classText
	classBytes
	classDate
	classTime
	classTimestamp
	classTimestampTZ
)

func intKey(n int64) cellKey { return cellKey{class: classInt, num: uint64(n)} }

func floatKey(f float64) cellKey {
	if f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 {
		return intKey(int64(f))
	}
	if math.IsNaN(f) {
		f = math.NaN() // the same bits for all NaN
	}
	return cellKey{class: classFloat, num: math.Float64bits(f)}
}

func keyOf(v scoring.Value, r reading) cellKey {
	switch v.Type {
	case scoring.Null:
		return cellKey{}
	case scoring.Bool, scoring.Int64:
		return intKey(v.Int())
	case scoring.Float64:
		return floatKey(v.Float())
	case scoring.Decimal:
		unscaled, wide, scale := v.Decimal()
		return decimalKey(unscaled, wide, scale, r)
	case scoring.Bytes:
		return cellKey{class: classBytes, text: v.Text()}
	}
	if r == asSpelled && v.Type.Temporal() {
		return cellKey{class: classText, text: v.String()}
	}
	switch v.Type {
	case scoring.JSON: // white space, escapes, the order of members and the spelling of numbers are no part of the value
		return textKey(string(scoring.CanonicalJSON([]byte(v.Text()))), r)
	case scoring.Date:
		return cellKey{class: classDate, num: uint64(v.Int())}
	case scoring.Time:
		return cellKey{class: classTime, num: uint64(v.Int())}
	case scoring.Timestamp:
		return cellKey{class: classTimestamp, num: uint64(v.Int()), aux: v.Nanos()}
	case scoring.TimestampTZ:
		return cellKey{class: classTimestampTZ, num: uint64(v.Int()), aux: v.Nanos()}
	}
	return textKey(v.Text(), r)
}

// textKey returns the key of a STRING or JSON value.
func textKey(s string, r reading) cellKey {
	switch {
	case r == asPrinted && printedNumber(s):
		if v, ok := scoring.ParseDecimal(s); ok {
			if strings.ContainsAny(s, ".e") {
				f, _ := strconv.ParseFloat(s, 64)
				return floatKey(f)
			}
			unscaled, wide, scale := v.Decimal()
			return decimalKey(unscaled, wide, scale, r)
		}
	case r == asSpelled && mayBeNumber(s):
		if v, ok := scoring.ParseDecimal(strings.Trim(s, " \t\r\n")); ok {
			unscaled, wide, scale := v.Decimal()
			return decimalKey(unscaled, wide, scale, r)
		}
	}
	return cellKey{class: classText, text: s}
}

// mayBeNumber is a cheap test that returns false for most strings that are not numbers: those in which a character
// other than blanks and signs precedes the first digit or point.
func mayBeNumber(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.':
			return true
		case c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '-' && c != '+':
			return false
		}
	}
	return false
}

// printedNumber reports whether s is exactly as Python prints an int or a finite float: "507", "507.0", "1e-05",
// not "0507" or "507.00".
func printedNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return false
	}
	if strings.ContainsAny(digits, ".e") {
		f, err := strconv.ParseFloat(s, 64)
		return err == nil && len(s) <= 25 && string(appendPythonFloat(nil, f)) == s
	}
	if digits[0] == '0' && s != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// appendPythonFloat appends a double as Python's repr formats it.
func appendPythonFloat(b []byte, f float64) []byte {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	case abs != 0 && (abs < 1e-4 || abs >= 1e16):
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	case f == math.Trunc(f):
		return append(strconv.AppendFloat(b, f, 'f', -1, 64), '.', '0')
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// decimalKey returns the key of unscaled / 10^scale: of class integer if it is one, of class double if a double has
// exactly this value (asSpelled: this shortest decimal), else of class decimal.
func decimalKey(unscaled int64, wide *big.Int, scale int32, r reading) cellKey {
	if wide != nil {
		return wideKey(wide, scale, r)
	}
	for ; scale > 0 && unscaled%10 == 0; scale-- {
		unscaled /= 10
		if unscaled == 0 {
			return intKey(0)
		}
	}
	if scale == 0 {
		return intKey(unscaled)
	}
	if scale < 0 {
		return wideKey(big.NewInt(unscaled), scale, r)
	}
	exact := cellKey{class: classDecimal, num: uint64(unscaled), aux: scale}
	if r == asSpelled {
		if unscaled > -1e15 && unscaled < 1e15 && scale <= 22 {
			// both are exact as doubles, so the quotient is the nearest double, and 15 digits identify it
			return floatKey(float64(unscaled) / pow10[scale])
		}
		return spelledFloat(unscaled, scale, exact)
	}
	if int(scale) < len(pow5) && unscaled%pow5[scale] == 0 {
		if m := unscaled / pow5[scale]; bits.Len64(uint64(max(m, -m))) <= 53 {
			return floatKey(math.Ldexp(float64(m), -int(scale)))
		}
	}
	return exact
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19, 1e20, 1e21, 1e22}

var pow5 = func() (p [28]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 5 * p[i-1]
	}
	return p
}()

// wideKey is decimalKey for an unscaled value of more than 64 bits.
func wideKey(unscaled *big.Int, scale int32, r reading) cellKey {
	ten, rest := big.NewInt(10), new(big.Int)
	if scale < 0 {
		unscaled, scale = new(big.Int).Mul(unscaled, rest.Exp(ten, big.NewInt(int64(-scale)), nil)), 0
	}
	for scale > 0 {
		q, m := new(big.Int).QuoRem(unscaled, ten, rest)
		if m.Sign() != 0 {
			break
		}
		unscaled, scale = q, scale-1
	}
	if scale > 0 && unscaled.IsInt64() {
		return decimalKey(unscaled.Int64(), nil, scale, r)
	}
	exact := cellKey{class: classDecimal, text: unscaled.String(), aux: scale}
	switch {
	case scale == 0 && unscaled.IsInt64():
		return intKey(unscaled.Int64())
	case scale == 0:
		if f, accuracy := new(big.Float).SetInt(unscaled).Float64(); accuracy == big.Exact {
			return floatKey(f)
		}
	case r == asSpelled: // a double has no shortest decimal of more than 17 digits
	default: // not a double: the denominator of a double is a power of two
		m, rem := new(big.Int).QuoRem(unscaled, rest.Exp(big.NewInt(5), big.NewInt(int64(scale)), nil), new(big.Int))
		if rem.Sign() == 0 && m.BitLen() <= 53 && scale <= 1074 {
			return floatKey(math.Ldexp(float64(m.Int64()), -int(scale)))
		}
	}
	return exact
}

// spelledFloat returns the key of the double whose shortest decimal is unscaled / 10^scale, or exact if there is
// none. The last digit of unscaled is not 0.
func spelledFloat(unscaled int64, scale int32, exact cellKey) cellKey {
	d := scoring.DecimalValue(unscaled, scale)
	f, err := strconv.ParseFloat(d.String(), 64)
	if err != nil {
		return exact
	}
	if back, ok := scoring.ParseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64)); !ok || back != d {
		return exact
	}
	return floatKey(f)
}

// hash returns a 64-bit hash of the key.
func (k cellKey) hash() uint64 {
	switch k.class {
	case classNull:
		return nullHash
	case classInt:
		return mix(k.num ^ intSalt)
	case classFloat:
		return mix(k.num ^ floatSalt)
	case classText:
		return mix(xxhash.Sum64String(k.text) ^ textSalt)
	}
	h := k.num
	if k.text != "" {
		h ^= xxhash.Sum64String(k.text)
	}
	return mix(h ^ uint64(k.class)<<56 ^ uint64(uint32(k.aux))<<24)
}

const (
	nullHash  = 0x9e3779b97f4a7c15
	intSalt   = 0x2545f4914f6cdd1d
	floatSalt = 0x5851f42d4c957f2d
	textSalt  = 0xda942042e4dd58b5
)

// mix returns x with its bits mixed, by the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// cellHashes sets dst[i] to the hash of cell i of a column. dst has the length of the column.
func cellHashes(dst []uint64, c *scoring.Column, r reading) {
	nulls := c.HasNulls()
	switch {
	case (c.Type == scoring.Int64 || c.Type == scoring.Bool) && !nulls:
		for i, n := range c.Ints() {
			dst[i] = mix(uint64(n) ^ intSalt)
		}
	case c.Type == scoring.Float64 && !nulls:
		for i, f := range c.Floats() {
			dst[i] = floatKey(f).hash()
		}
	case c.Type == scoring.String && !nulls:
		for i := range dst {
			dst[i] = textKey(c.Text(i), r).hash()
		}
	default:
		for i := range dst {
			dst[i] = keyOf(c.Value(i), r).hash()
		}
	}
}

// sameCell reports whether cell i of a and cell j of b are equal under the reading r.
func sameCell(a *scoring.Column, i int, b *scoring.Column, j int, r reading) bool {
	if a.Type == b.Type && !a.IsNull(i) && !b.IsNull(j) {
		switch {
		case a.Type == scoring.Int64:
			return a.Ints()[i] == b.Ints()[j]
		case a.Type == scoring.Float64:
			x, y := a.Floats()[i], b.Floats()[j]
			return x == y || x != x && y != y
		case a.Type == scoring.String && a.Text(i) == b.Text(j):
			return true
		}
	}
	return keyOf(a.Value(i), r) == keyOf(b.Value(j), r)
}

// hasNaN reports whether a table holds a NaN.
func hasNaN(t *scoring.Table) bool {
	for i := range t.Columns {
		c := &t.Columns[i]
		switch c.Type {
		case scoring.Float64:
			for _, f := range c.Floats() {
				if f != f {
					return true
				}
			}
		case scoring.Any:
			for j := range c.Len() {
				if v := c.Value(j); v.Type == scoring.Float64 && math.IsNaN(v.Float()) {
					return true
				}
			}
		}
	}
	return false
}

// onlyText reports whether all values of a table are STRING or NULL.
func onlyText(t *scoring.Table) bool {
	for i := range t.Columns {
		c := &t.Columns[i]
		switch c.Type {
		case scoring.String, scoring.Null:
		case scoring.Any:
			for j := range c.Len() {
				if v := c.Value(j); v.Type != scoring.String && v.Type != scoring.Null {
					return false
				}
			}
		default:
			if c.Len() > 0 {
				return false
			}
		}
	}
	return true
}
