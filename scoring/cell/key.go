package cell

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/badger-eval/badger/scoring"
)

// NullKey is the key of NULL and of NaN, which the BADGER paper does not distinguish.
const NullKey uint64 = 0

// k0 and k1 are constants of [Mix]. Neither may be a fixed argument of it, since the product would then be zero.
const (
	k0 = 0xa0761d6478bd642f
	k1 = 0xe7037ed1a0b428db
	k2 = 0x8ebc6af09c88c6e3
	k3 = 0x589965cc75374cc3
)

// Tags distinguish keys of different kinds. Scales and nanoseconds are added to them.
const (
	tagNumber uint64 = k2
	tagBig    uint64 = 0x1d8e4e27c47d124f
	tagFloat  uint64 = 0xeb44accab455d165
	tagTime   uint64 = 0x2127599bf4325c37
	tagClock  uint64 = 0x880355f21e6d1965
	tagClass  uint64 = 0x9e3779b97f4a7c15
)

// Mix returns a hash of two keys; their order matters. It is never NullKey. Its distribution is good enough for sums of
// mixed keys to identify multisets.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^k0, b^k1)
	return nonNull(hi ^ lo)
}

// nonNull returns k, or another key if k is NullKey.
func nonNull(k uint64) uint64 {
	if k == NullKey {
		return k2
	}
	return k
}

// numberKey returns the key of the number unscaled / 10^scale. It is the same for 1, 1.0 and 1.00.
func numberKey(unscaled int64, scale int32) uint64 {
	for scale > 0 && unscaled%10 == 0 {
		if unscaled == 0 {
			scale = 0
			break
		}
		unscaled /= 10
		scale--
	}
	return Mix(uint64(unscaled), tagNumber+uint64(scale)) //nolint:gosec // bits, not magnitudes
}

var ten = big.NewInt(10)

func bigKey(unscaled *big.Int, scale int32) uint64 {
	for u, r := new(big.Int), new(big.Int); scale > 0; scale-- {
		if u.QuoRem(unscaled, ten, r); r.Sign() != 0 {
			break
		}
		unscaled, u = u, new(big.Int)
	}
	if unscaled.IsInt64() {
		return numberKey(unscaled.Int64(), scale)
	}
	return Mix(xxhash.Sum64(unscaled.Append(nil, 16)), tagBig+uint64(scale)) //nolint:gosec // scale is small and not negative
}

// floatKey returns the key of the shortest decimal that parses to f. If byBits is set, the key of a fraction is
// computed from its bits, which is faster, and valid only if it is compared with keys of doubles computed in the same
// way.
func floatKey(f float64, byBits bool) uint64 {
	whole := f == math.Trunc(f)
	if whole && math.Abs(f) < 1<<53 {
		return numberKey(int64(f), 0)
	}
	if f != f {
		return NullKey
	}
	if byBits && !whole || math.IsInf(f, 0) { // a whole double may meet an integer
		return Mix(math.Float64bits(f), tagFloat)
	}
	// r/p is rounded correctly while both are whole and below 2^53, so the result is f if and only if f is the
	// double nearest to r/p.
	if abs := math.Abs(f); abs < 1e9 && abs > 1e-5 {
		p := 10.0
		for scale := int32(1); scale <= 6; scale++ {
			if r := math.Round(f * p); math.Abs(r) < 1<<53 && r/p == f {
				return numberKey(int64(r), scale)
			}
			p *= 10
		}
	}
	v, ok := scoring.ParseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64))
	if !ok {
		return Mix(math.Float64bits(f), tagFloat)
	}
	return valueKey(v)
}

func valueKey(v scoring.Value) uint64 {
	switch v.Type {
	case scoring.Null:
		return NullKey
	case scoring.Bool, scoring.Int64:
		return numberKey(v.Int(), 0)
	case scoring.Float64:
		return floatKey(v.Float(), false)
	case scoring.Decimal:
		u, wide, scale := v.Decimal()
		if wide != nil {
			return bigKey(wide, scale)
		}
		return numberKey(u, scale)
	case scoring.Date:
		return timeKey(v.Int()*86400, 0)
	case scoring.Time:
		return Mix(uint64(v.Int()), tagClock) //nolint:gosec // bits
	case scoring.Timestamp, scoring.TimestampTZ:
		return timeKey(v.Int(), v.Nanos())
	case scoring.Bytes:
		return bytesKey(v.Text())
	case scoring.JSON:
		return jsonKey(v.Text())
	}
	return TextKey(v.Text())
}

func timeKey(seconds int64, nanos int32) uint64 {
	return Mix(uint64(seconds), tagTime+uint64(nanos)) //nolint:gosec // bits
}

func bytesKey(s string) uint64 { return nonNull(xxhash.Sum64String(s)) }

// TextKey returns the key of a string, ignoring letter case, outer blanks, the length of inner runs of blanks, Unicode
// composition (NFC), invisible characters, the typography of quotes and dashes, and double quotes around the whole
// string.
func TextKey(s string) uint64 {
	s = unquoted(s)
	clean := true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' || c <= ' ' && (c != ' ' || i == 0 || i == len(s)-1 || s[i+1] <= ' ') {
			clean = false
			break
		}
	}
	if clean {
		return nonNull(xxhash.Sum64String(s))
	}
	var buf [128]byte
	return nonNull(xxhash.Sum64(fold(buf[:0], s)))
}

// verbatimKey returns the key of a string with regard to letter case and typography, but ignoring outer and repeated
// blanks, Unicode composition, and double quotes around the whole string.
func verbatimKey(s string) uint64 {
	s = unquoted(s)
	plain := true // ASCII with single blanks between words
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			plain = false
			break
		}
	}
	if plain {
		return nonNull(xxhash.Sum64String(s))
	}
	return nonNull(xxhash.Sum64String(strings.Join(strings.FieldsFunc(norm.NFC.String(s), unicode.IsSpace), " ")))
}

func unquoted(s string) string {
	if n := len(s); n > 2 && s[0] == '"' && s[n-1] == '"' && strings.IndexByte(s[1:], '"') == n-2 {
		return s[1 : n-1]
	}
	return s
}

// composed returns s in Unicode NFC.
func composed(s string) string { return norm.NFC.String(s) }

// fold appends s to dst in the form in which strings are compared: in lower case, with single blanks, composed, and
// with typed characters.
func fold(dst []byte, s string) []byte {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if !ascii {
		// Composed again, since a letter may have a composed form in lower case only.
		s = composed(strings.ToLower(composed(invisible.Replace(s))))
		return append(dst, strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")...)
	}
	start, blank := len(dst), false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			blank = len(dst) > start
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		if blank {
			dst = append(dst, ' ')
			blank = false
		}
		dst = append(dst, c)
	}
	return dst
}
