package metric

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/cell"
)

// statedNumber is a number as people write it in prose: what it may mean, and how exactly.
type statedNumber struct {
	readings []statedReading
	percent  bool
}

// statedReading is one way to read it: 1,234 is a thousand in most places and little more than one
// in others.
type statedReading struct {
	value float64 // its magnitude; prose says "fell by 3" of −3
	unit  float64 // of its last digit that counts
	word  float64 // what a word behind it multiplies by: a million
}

// numberInProse finds the digits of a number with the marks between them, and what stands around.
var numberInProse = regexp.MustCompile(`^([^0-9]*?)([0-9](?:[0-9.,'’_\x{00a0}\x{202f} ]*[0-9])?|\.[0-9]+)(?:[eE]([-+]?[0-9]{1,3}))?([^0-9]*)$`)

// magnitudes are the words behind a number that multiply it, as they are written in lower case.
var magnitudes = map[string]float64{
	"k": 1e3, "thousand": 1e3, "thousands": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6,
	"b": 1e9, "bn": 1e9, "billion": 1e9, "billions": 1e9, "tn": 1e12, "trillion": 1e12, "trillions": 1e12,
}

// mostRounding is how much of a whole number may be rounding where it ends in zeros: 1,200 may be
// 1,234, and 1,000,000 is not half of it.
const mostRounding = 0.05

// parseStated reads a figure such as "$1.2 million", "12.5 %", "(3)" or "about 1,200 orders". ok is
// false where it holds no number or several.
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
		r := statedReading{value * factor, lastDigit(v.String(), value) * factor, factor}
		if len(n.readings) == 0 || n.readings[0] != r {
			n.readings = append(n.readings, r)
		}
	}
	return n, len(n.readings) > 0
}

// lastDigit is the unit of the last digit that counts, of a plain decimal: 0.01 in 3.14, 100 in
// 1200.
func lastDigit(plain string, value float64) float64 {
	if point := strings.IndexByte(plain, '.'); point >= 0 {
		return math.Pow10(point + 1 - len(plain))
	}
	zeros := len(plain) - len(strings.TrimRight(plain, "0"))
	if zeros == 0 || value == 0 {
		return 1
	}
	return max(1, min(math.Pow10(zeros), mostRounding*value))
}

// Scales in which a result may hold what prose states: thousands and millions, either way.
var scales = []float64{1e-6, 1e-3, 1e3, 1e6}

// mostScaled is how rough a number may be, as a share of itself, to be looked for in other scales:
// 3 would be found in anything between two and four thousand.
const mostScaled = 0.1

// matches tells whether a cell is the number as it is stated, rounded or cut off, or is so in
// another scale. Differences are measured in doubles: what is looked for is not equality but a cell
// that somebody may have stated so.
func (n statedNumber) matches(v float64) (plain, scaled bool) {
	if math.IsNaN(v) {
		return false, false
	}
	v = math.Abs(v)
	for _, r := range n.readings {
		if r.states(v, 1) || n.percent && r.states(v, 0.01) {
			return true, true
		}
		scaled = scaled || r.states(v, 1/r.word) // millions in a column of millions
		for _, s := range scales {
			scaled = scaled || v == r.value*s || r.unit <= mostScaled*r.value && r.states(v, s)
		}
	}
	return false, scaled
}

// states tells whether the reading, times a scale, may state v.
func (r statedReading) states(v, scale float64) bool {
	return math.Abs(v-r.value*scale) < r.unit*scale*(1-1e-9) || v == r.value*scale
}
