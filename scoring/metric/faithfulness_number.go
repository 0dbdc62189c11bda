package metric

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring/cell"
)

// statedNumber is a number in prose with its possible values and their precision.
type statedNumber struct {
	readings []statedReading
	exact    []exactReading // the same readings exactly, for those with more digits than a double represents
	percent  bool
	about    bool // the response marks it as approximate
	sign     numberSign
}

// numberSign is the sign that a number is stated with.
type numberSign int

const (
	unsigned numberSign = iota // positive, or negative after words for a decrease
	negative
	positive
	eitherSign // in parentheses, which some use for negative numbers
)

// statedReading is one possible value of a number: 1,234 may have a thousands separator or a decimal comma.
type statedReading struct {
	value float64 // absolute value
	unit  float64 // the place value of its last significant digit, such as 0.01
	word  float64 // the factor of a following word, such as 1e6 for million; it is contained in value
}

// numberInProse matches the digits of a number with the separators between them, and the characters around it.
var numberInProse = regexp.MustCompile(
	`^([^0-9]*?)([0-9](?:[0-9.,'’_\x{00a0}\x{202f} ]*[0-9])?|\.[0-9]+)(?:[eE]([-+]?[0-9]{1,3}))?([^0-9]*)$`)

// magnitudes maps the words that multiply a preceding number, in lower case, to their factor.
var magnitudes = map[string]float64{
	"k": 1e3, "thousand": 1e3, "thousands": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6,
	"millions": 1e6,
	"b":        1e9, "bn": 1e9, "billion": 1e9, "billions": 1e9, "tn": 1e12, "trillion": 1e12, "trillions": 1e12,
}

// mostRounding is the maximum rounding, as a share of its value, of an approximate whole number that ends in zeros:
// about 1,200 may be 1,234, but about 1,000,000 is not 500,000.
const mostRounding = 0.05

// parseStated parses a figure such as "$1.2 million", "12.5 %", "(3)" or "about 1,200 orders". ok is false if the
// string does not contain exactly one number.
func parseStated(s string) (n statedNumber, ok bool) {
	m := numberInProse.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return n, false
	}
	digits, exponent, after := m[2], m[3], strings.ToLower(m[4])
	factor := 1.0
	if words := strings.FieldsFunc(after, func(r rune) bool { return !(r >= 'a' && r <= 'z') }); len(words) > 0 {
		if f, known := magnitudes[words[0]]; known {
			factor = f
		}
		n.percent = words[0] == "percent" || words[0] == "percentage" || words[0] == "pp" || words[0] == "pct"
	}
	n.percent = n.percent || strings.HasPrefix(strings.TrimSpace(after), "%")
	n.about = rough.MatchString(m[1])
	n.sign = signOf(m[1], after)
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > 300 || e < -300 {
			return n, false
		}
		factor *= math.Pow10(e)
	}
	for _, comma := range []bool{false, true} {
		v, _, ok := cell.ParseNumber(digits, comma)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(v.String(), 64)
		if err != nil || math.IsInf(value, 0) {
			continue
		}
		r := statedReading{value * factor, lastDigit(v.String(), value, n.about) * factor, factor}
		if len(n.readings) > 0 && n.readings[0] == r {
			continue
		}
		n.readings = append(n.readings, r)
		if e, ok := parseExact(v.String()); ok && factor == 1 && !n.about {
			n.exact = append(n.exact, e)
		}
	}
	return n, len(n.readings) > 0
}

// rough matches words that mark a number as inexact.
var rough = regexp.MustCompile(`(?i)(~|≈|±|\b(about|around|approx|approximately|roughly|nearly|almost|over|under|above|below|some|circa|ca|(more|less|fewer) than|up to|close to))\b?[^0-9a-z]*$`)

// falls matches words for a decrease or a loss, after which a number without a sign may be negative.
var falls = regexp.MustCompile(`(?i)\b(fell|falls?|fallen|falling|drop(s|ped|ping)?|decreas\w*|declin\w*|loss(es)?|los(e|es|t|ing)|down|lower|less|negative|minus|below|deficit|shrank|shrunk|shr?ink\w*|reduc\w*|short|behind|owe[sd]?|debt)\b`)

// signOf returns the sign of a number, from the text around its digits.
func signOf(before, after string) numberSign {
	before = strings.TrimRight(before, " $€£¥\u00a0\u202f")
	switch {
	case strings.HasSuffix(before, "(") && strings.HasPrefix(strings.TrimLeft(after, " %"), ")"):
		return eitherSign
	case strings.HasSuffix(before, "+"):
		return positive
	case strings.HasSuffix(strings.ToLower(before), "minus"), strings.HasSuffix(strings.ToLower(before), "negative"):
		return negative
	}
	for _, dash := range []string{"-", "−", "–"} {
		if rest, ok := strings.CutSuffix(before, dash); ok {
			if r, _ := utf8.DecodeLastRuneInString(rest); !unicode.IsLetter(r) { // a hyphen joins words
				return negative
			}
		}
	}
	return unsigned
}

// lastDigit returns the place value of the last significant digit of a plain decimal: 0.01 for 3.14. The zeros at the
// end of a whole number are significant, so that it is 1 for 1200, unless the number is approximate: then it is 60
// for 1200, the smaller of 100 and mostRounding of the value.
func lastDigit(plain string, value float64, about bool) float64 {
	if point := strings.IndexByte(plain, '.'); point >= 0 {
		return math.Pow10(point + 1 - len(plain))
	}
	zeros := len(plain) - len(strings.TrimRight(plain, "0"))
	if zeros == 0 || value == 0 || !about {
		return 1
	}
	return max(1, min(math.Pow10(zeros), mostRounding*value))
}

// scales are the factors by which the unit of a result's number may differ from that of the prose: thousands and
// millions, in both directions.
var scales = []float64{1e-6, 1e-3, 1e3, 1e6}

// mostScaled is the maximum rounding of a number, as a share of its value, for which other scales are tried. With a
// larger one, 3 would match any cell from 2500 to 3999.
const mostScaled = 0.1

// matches reports whether cell value v, rounded or truncated to the stated digits, is the stated number with its
// sign: in the same unit (plain), or in thousands, millions or another scale (scaled). If fall is set, a number
// without a sign may be negative. It computes in doubles, since the digits that were stated are few.
func (n statedNumber) matches(v float64, fall bool) (plain, scaled bool) {
	if math.IsNaN(v) {
		return false, false
	}
	if !n.mayBe(cmp.Compare(v, 0), fall) {
		return false, false
	}
	v = math.Abs(v)
	for _, r := range n.readings {
		if r.states(v, 1, n.about) || n.percent && r.states(v, 0.01, n.about) {
			return true, true
		}
		scaled = scaled || r.states(v, 1/r.word, n.about) // millions in a column of millions
		for _, s := range scales {
			scaled = scaled || v == r.value*s || r.unit <= mostScaled*r.value && r.states(v, s, n.about)
		}
	}
	return false, scaled
}

// states reports whether v, rounded or truncated to the digits of the reading times scale, is that number. An
// approximate reading may differ by less than one unit of its last significant digit.
func (r statedReading) states(v, scale float64, about bool) bool {
	const slack = 1e-9 // in units, for the rounding errors of doubles
	value, unit := r.value*scale, r.unit*scale
	switch off := (v - value) / unit; {
	case v == value:
		return true
	case about:
		return math.Abs(off) < 1-slack
	case value == 0: // zero results from rounding only, not from truncation
		return off <= 0.5+slack
	default:
		return off >= -0.5-slack && off < 1-slack
	}
}

// doubleDigits is the number of significant digits that a double represents exactly.
const doubleDigits = 15

// exactReading is a reading with more digits than a double represents.
type exactReading struct {
	plain string
	value *big.Rat
	unit  *big.Rat // the place value of its last digit
}

// parseExact parses a plain decimal without a sign. ok is false if it has at most doubleDigits significant digits,
// which a double represents.
func parseExact(plain string) (e exactReading, ok bool) {
	whole, fraction, _ := strings.Cut(plain, ".")
	if len(strings.TrimLeft(whole+fraction, "0")) <= doubleDigits {
		return e, false
	}
	e = exactReading{plain: plain,
		unit: new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil))}
	e.value, ok = new(big.Rat).SetString(plain)
	return e, ok
}

// matchesExactly is matches for a cell in decimal text, with exact arithmetic instead of doubles.
func (n statedNumber) matchesExactly(plain string, fall bool) (is, scaled bool) {
	v, ok := new(big.Rat).SetString(plain)
	if !ok || !n.mayBe(v.Sign(), fall) {
		return false, false
	}
	v.Abs(v)
	for _, e := range n.exact {
		if e.states(v, one) || n.percent && e.states(v, hundredth) {
			return true, true
		}
		scaled = scaled || slices.ContainsFunc(exactScales, func(scale *big.Rat) bool { return e.states(v, scale) })
	}
	return false, scaled
}

var (
	one, minusHalf, hundredth = big.NewRat(1, 1), big.NewRat(-1, 2), big.NewRat(1, 100)
	exactScales               = []*big.Rat{big.NewRat(1, 1_000_000), big.NewRat(1, 1000), big.NewRat(1000, 1),
		big.NewRat(1_000_000, 1)}
)

// states reports whether v, rounded or truncated to the digits of the reading times scale, is that number.
func (e exactReading) states(v, scale *big.Rat) bool {
	off := new(big.Rat).Sub(v, new(big.Rat).Mul(e.value, scale))
	off.Quo(off, new(big.Rat).Mul(e.unit, scale))
	return off.Cmp(minusHalf) >= 0 && off.Cmp(one) < 0
}

// mayBe reports whether the stated number may refer to a cell with this sign (−1, 0 or 1). If fall is set, a number
// without a sign may be negative.
func (n statedNumber) mayBe(sign int, fall bool) bool {
	switch {
	case sign < 0:
		return n.sign != positive && (n.sign != unsigned || fall)
	case sign > 0:
		return n.sign != negative
	}
	return true
}

// isZero reports whether zero is the only possible value of the number.
func (n statedNumber) isZero() bool {
	return !slices.ContainsFunc(n.readings, func(r statedReading) bool { return r.value != 0 })
}

// standsIn reports whether a string contains the number, digit for digit, as a date contains a year.
func (n statedNumber) standsIn(text string) bool {
	for _, token := range numbersInText.FindAllString(text, -1) {
		for _, comma := range []bool{false, true} {
			v, _, ok := cell.ParseNumber(token, comma)
			if !ok {
				continue
			}
			if len(n.exact) > 0 {
				if slices.ContainsFunc(n.exact, func(e exactReading) bool { return e.plain == v.String() }) {
					return true
				}
				continue
			}
			value, err := strconv.ParseFloat(v.String(), 64)
			if err == nil &&
				slices.ContainsFunc(n.readings, func(r statedReading) bool { return r.value == value || r.value == value*r.word }) {
				return true
			}
		}
	}
	return false
}

// numbersInText matches numbers in prose.
var numbersInText = regexp.MustCompile(`[0-9]+(?:[.,'’][0-9]+)*`)
