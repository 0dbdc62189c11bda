package cell

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/units"
)

// A quantity is a number with a unit of measure.
type quantity struct {
	number    scoring.Value // in the unit as written
	unit      string
	dimension string        // measure and base unit; the unit itself if it is unknown
	factor    scoring.Value // factor that converts number to the base unit
	of        *units.Unit   // nil: unknown
}

// parseQuantity parses a number with a unit of measure: 1.5 km, 40GB. The unit may be unknown if it is a short word.
func parseQuantity(s string) (q quantity, ok bool) {
	s = strings.TrimSpace(s)
	at := strings.LastIndexAny(s, "0123456789") + 1
	if at == 0 || at == len(s) {
		return q, false
	}
	q.unit = strings.TrimSpace(s[at:])
	n, how, ok := parseNumber(s[:at], false)
	if !ok || how.zeros || how.exponent || how.brackets || how.unit != "" || how.power > 0 {
		return q, false
	}
	q.number, q.dimension, q.factor = n, q.unit, scoring.IntValue(1)
	if q.of = units.InCell(strings.TrimSuffix(q.unit, ".")); q.of == nil {
		odd := func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("/°²³‰", r) }
		return q, len(q.unit) <= 12 && !strings.ContainsFunc(q.unit, odd)
	}
	q.dimension = q.of.Symbol
	if factor, ok := q.of.Decimal(); ok {
		if v, ok := scoring.ParseDecimal(factor); ok {
			q.dimension, q.factor = string(q.of.Measure)+" "+q.of.Base, v
		}
	}
	return q, true
}

// product returns the product of two decimals or integers.
func product(a, b scoring.Value) scoring.Value {
	x, xs := unscaled(a)
	y, ys := unscaled(b)
	return scoring.BigDecimalValue(x.Mul(x, y), xs+ys)
}

// unscaled returns a decimal or integer as an integer and a scale: its value is the integer / 10^scale.
func unscaled(v scoring.Value) (*big.Int, int32) {
	if v.Type != scoring.Decimal {
		return big.NewInt(v.Int()), 0
	}
	u, wide, scale := v.Decimal()
	if wide != nil {
		return new(big.Int).Set(wide), scale
	}
	return big.NewInt(u), scale
}

// readQuantities returns how to read a column of quantities; ok is false if they have different dimensions.
func readQuantities(c *scoring.Column) (t NumberText, ok bool) {
	unit := ""
	var of *units.Unit
	t.OneUnit = true
	ok = every(c, func(s string) bool {
		q, ok := parseQuantity(s)
		if t.Unit == "" {
			t.Unit, unit, of = q.dimension, q.unit, q.of
		}
		t.OneUnit = t.OneUnit && (q.unit == unit || q.of != nil && q.of == of)
		return ok && t.Unit == q.dimension
	})
	if !ok || merges(c, View{Kind: scoring.KindNumber, Format: FormatQuantity}) {
		return NumberText{}, false
	}
	t.Format = FormatQuantity
	if t.OneUnit = t.OneUnit && of != nil; t.OneUnit { // 12A is not 12
		t.unit = of
	}
	return t, true
}

// parseLedger parses an amount followed by Cr or Dr: 12.50 Cr is 12.5, and 3.00 Dr is -3. debit reports whether it is
// Dr. ok is false for other strings.
func parseLedger(s string) (v scoring.Value, debit, ok bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	if len(s) < 3 {
		return v, false, false
	}
	switch side := s[len(s)-2:]; {
	case strings.EqualFold(side, "dr"):
		debit = true
	case !strings.EqualFold(side, "cr"):
		return v, false, false
	}
	n, how, ok := parseNumber(strings.TrimSpace(s[:len(s)-2]), false)
	if !ok || how.zeros || how.exponent || how.brackets || how.power > 0 || magnitude(n) < 0 {
		return v, false, false
	}
	if debit {
		n = product(n, scoring.IntValue(-1))
	}
	return n, debit, true
}

// readLedger returns how to read a column of amounts followed by Cr or Dr. ok is false if all are Cr, which may mean
// crores.
func readLedger(c *scoring.Column) (t NumberText, ok bool) {
	debits := false
	ok = every(c, func(s string) bool {
		_, debit, ok := parseLedger(s)
		debits = debits || debit
		return ok
	})
	return NumberText{Format: FormatCredit}, ok && debits &&
		!merges(c, View{Kind: scoring.KindNumber, Format: FormatCredit})
}

// parseClock parses a time of day: 13:30, 9:05:30, or with AM or PM if twelve is set.
func parseClock(s string, twelve bool) (scoring.Value, bool) {
	if twelve {
		s = strings.ToUpper(strings.NewReplacer(".", "", "\u202f", " ", "\u00a0", " ").Replace(s))
		for _, layout := range []string{"3:04 PM", "3:04PM", "3:04:05 PM", "3:04:05PM", "3 PM", "3PM"} {
			if t, err := time.Parse(layout, s); err == nil {
				return scoring.TimeValue(int64(t.Hour()*3600+t.Minute()*60+t.Second()) * 1e9), true
			}
		}
		return scoring.Value{}, false
	}
	if i := strings.IndexByte(s, ':'); i == 1 {
		s = "0" + s
	}
	nanos, ok := scoring.ParseClock(s)
	return scoring.TimeValue(nanos), ok
}

// epochs are the units in which numbers count time since 1970, and the range of numbers that are accepted for each:
// years 1973 to 2286.
var epochs = []struct {
	format   string
	from, to int64
	digits   int32 // fractional digits of a second
}{
	{"epoch seconds", 1e8, 1e10, 0},
	{"epoch milliseconds", 1e11, 1e13, 3},
	{"epoch microseconds", 1e14, 1e16, 6},
	{"epoch nanoseconds", 1e17, math.MaxInt64, 9},
}

// epochFormats returns the format of a column of numbers, or strings of numbers, that may count time since 1970; nil if
// there is none.
func epochFormats(c *scoring.Column) []string {
	for _, e := range epochs {
		lo, hi, seen := scoring.IntValue(e.from), scoring.IntValue(e.to), false
		for i := range c.Len() {
			v := c.Value(i)
			if v.Type == scoring.String {
				if absent(v.Text()) {
					continue
				}
				v, _ = scoring.ParseDecimal(strings.TrimSpace(v.Text()))
				if v.IsNull() {
					v = scoring.IntValue(0)
				}
			}
			if v.IsNull() {
				continue
			}
			m := magnitude(v)
			if seen = m >= magnitude(lo) && m < magnitude(hi); !seen {
				break
			}
		}
		if seen {
			return []string{e.format}
		}
	}
	return nil
}

// epochTime returns the instant that a number counts in an epoch format. ok is false for another format, or if the
// instant is finer than nanoseconds.
func epochTime(v scoring.Value, format string) (scoring.Value, bool) {
	for _, e := range epochs {
		if e.format != format {
			continue
		}
		if v.Type == scoring.Float64 {
			var ok bool
			if v, ok = scoring.ParseDecimal(strconv.FormatFloat(v.Float(), 'f', -1, 64)); !ok {
				return v, false
			}
		}
		n, scale := unscaled(v)
		nanos := new(big.Int).Mul(n, new(big.Int).Exp(ten, big.NewInt(9), nil))
		rest := new(big.Int)
		nanos.QuoRem(nanos, new(big.Int).Exp(ten, big.NewInt(int64(scale+e.digits)), nil), rest)
		seconds, sub := new(big.Int).DivMod(nanos, big.NewInt(1e9), new(big.Int))
		return scoring.TimestampValue(scoring.Timestamp, seconds.Int64(), int32(sub.Int64())), rest.Sign() == 0 //nolint:gosec // below 1e9
	}
	return v, false
}

// shortForm is the prefix of formats that round numbers as a short form, such as 1.23M, would. The digits and the power
// of ten follow.
const shortForm = "as short number text: "

// InShortForm returns the format that rounds numbers as the short forms of the column do, such as 1234567 to 1.23M. ok
// is false if a short form has fewer than two significant digits.
func (t *NumberText) InShortForm() (format string, ok bool) {
	if t.Format != FormatShort || t.short.figures < 2 {
		return "", false
	}
	return shortForm + strconv.Itoa(t.Digits) + " digits of 10^" + strconv.Itoa(t.short.power), true
}

// shortened returns a number rounded as a format of InShortForm states; ok is false for another format.
func shortened(v scoring.Value, format string) (scoring.Value, bool) {
	how, found := strings.CutPrefix(format, shortForm)
	if !found {
		return v, false
	}
	first, second, _ := strings.Cut(how, " digits of 10^")
	digits, err := strconv.Atoi(first)
	power, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil {
		return v, false
	}
	if v.Type == scoring.Float64 {
		var ok bool
		if v, ok = scoring.ParseDecimal(strconv.FormatFloat(v.Float(), 'f', -1, 64)); !ok {
			return v, false
		}
	}
	if v.Type != scoring.Int64 && v.Type != scoring.Decimal {
		return v, false
	}
	n, scale := unscaled(v)
	if power == 0 { // each number in its own unit
		whole := new(big.Int).Quo(n, new(big.Int).Exp(ten, big.NewInt(int64(scale)), nil))
		switch size := len(whole.Abs(whole).String()); {
		case size > 12:
			power = 12
		case size > 9:
			power = 9
		case size > 6:
			power = 6
		case size > 3:
			power = 3
		}
	}
	cut := int(scale) + power - digits // digits to drop
	if cut <= 0 {
		return v, true
	}
	unit := new(big.Int).Exp(ten, big.NewInt(int64(cut)), nil)
	half := new(big.Int).Rsh(unit, 1)
	if n.Sign() < 0 {
		half.Neg(half)
	}
	n.Quo(n.Add(n, half), unit)
	if power -= digits; power >= 0 {
		return scoring.BigDecimalValue(n.Mul(n, new(big.Int).Exp(ten, big.NewInt(int64(power)), nil)), 0), true
	}
	return scoring.BigDecimalValue(n, int32(-power)), true //nolint:gosec // small
}
