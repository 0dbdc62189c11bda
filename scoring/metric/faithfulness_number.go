package metric

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// statedNumber is a number in prose with its possible values and their precision. All values are exact.
type statedNumber struct {
	readings []statedReading
	factors  []*big.Rat // what a cell may be of the number: 1, and 1/100 as well for a percentage
	bound    numberBound
	sign     numberSign

	// set by prepare
	limits    []*big.Rat // the sizes of a bound, one for each unit that a cell may be in
	intervals []interval // of the absolute value of a cell that is the number; empty for a bound
	known     int        // how many of the intervals, from the first on, are in a unit that something states
}

// numberSign is the sign that a number is stated with.
type numberSign int

const (
	unsigned numberSign = iota // positive, or the size of a negative number
	negative
	positive
	eitherSign // in parentheses, which some use for negative numbers
)

// numberBound is the relation between a number and the cells that it may be about.
type numberBound int

const (
	noBound  numberBound = iota // equal, rounded or truncated to the digits that the number shows
	about                       // approximately equal
	nearly                      // equal, or less by at most nearlyShare
	atLeast                     // equal or greater
	atMost                      // equal or less
	moreThan                    // greater
	lessThan                    // less
	over                        // greater, or equal: the word has other senses, as in over 12 months
	under                       // less, or equal
)

// statedReading is one possible value of a number: 1,234 may have a thousands separator or a decimal comma.
type statedReading struct {
	value *big.Rat // absolute value
	unit  *big.Rat // the place value of its last significant digit, such as 1/100
	word  *big.Rat // the factor of a following word, such as 1e6 for million; it is contained in value
	zeros int      // how many zeros a whole number ends in
	marks int      // the senses of a comma in which it has this value, see pointMark and commaMark
}

// The senses of the marks in a number: of 1,234.5 and of 1.234,5.
const (
	pointMark = 1 << iota
	commaMark
)

// nearlyShare is the share of a number by which a cell may be less if the number is called nearly reached.
var nearlyShare = big.NewRat(1, 20)

// roughShare is the maximum rounding, as a share of its value, of an approximate whole number that ends in zeros: about
// 1,200 may be 1,234, but about 1,000,000 is not 500,000. Other approximate numbers may differ by one unit of the last
// digit, or by leastRough of the value if that is more.
var roughShare, leastRough = big.NewRat(1, 20), big.NewRat(1, 1000)

var (
	half, one       = big.NewRat(1, 2), big.NewRat(1, 1)
	percentFactors  = []*big.Rat{one, big.NewRat(1, 100)}
	permilleFactors = []*big.Rat{one, big.NewRat(1, 10), big.NewRat(1, 1000)}
	basisFactors    = []*big.Rat{one, big.NewRat(1, 100), big.NewRat(1, 10_000)}
)

// otherScales are factors by which a number is wrong if the cell is equal apart from its scale.
var otherScales = []*big.Rat{
	big.NewRat(1, 1_000_000_000), big.NewRat(1, 1_000_000), big.NewRat(1, 1000), big.NewRat(1000, 1),
	big.NewRat(1_000_000, 1), big.NewRat(1_000_000_000, 1),
}

// mostScaled is the maximum rounding of a number, as a share of its value, that is tolerated in other scales. With a
// larger one, 3 would match any cell from 2500 to 3999; it matches 3000 only.
var mostScaled = big.NewRat(1, 10)

// numberInProse matches the digits of a number with the separators between them, and the characters around it.
var numberInProse = lazyregexp.New(
	`^([^0-9]*?)([0-9](?:[0-9.,'’_ ]*[0-9])?|\.[0-9]+)(?:[eE]([-+]?[0-9]{1,3}))?([^0-9]*)$`)

// parseStated parses a figure such as "$1.2 million", "12.5 %", "(3)" or "about 1,200 orders". ok is false if the
// string does not contain exactly one number.
func parseStated(s string) (n statedNumber, ok bool) { return parseFigure("", s) }

// parseFigure parses a figure of a claim. The claim's words around the figure count as if they were part of it.
func parseFigure(claim, stated string) (n statedNumber, ok bool) {
	stated = strings.TrimSpace(plainDigits(stated))
	m := numberInProse.FindStringSubmatch(stated)
	if m == nil {
		if n, ok = parseGrouped(stated); !ok {
			return n, false
		}
	}
	before, after := "", ""
	if m != nil {
		before, after = m[1], m[4]
	}
	left, right, _ := aroundFigure(plainDigits(claim), stated)
	before, after = left+before, after+right
	unit, lower := unitAfter(after), strings.ToLower(before)
	n.factors = factorsOf(unit.share, lower)
	n.bound = numberBoundOf(lower, strings.ToLower(after), unit.rest)
	n.sign = signOf(before, after)
	if m == nil {
		return n, true
	}
	return n, n.read(m[2], m[3], unit.factors)
}

// read sets the readings of digits with an exponent, or none, that one of the factors multiplies.
func (n *statedNumber) read(digits, exponent string, factors []*big.Rat) bool {
	power := one
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > 300 || e < -300 {
			return false
		}
		power = powerOfTen(e)
	}
	for _, comma := range []bool{false, true} {
		v, _, ok := cell.ParseNumber(digits, comma)
		if !ok {
			continue
		}
		plain := v.String()
		if len(plain) > 320 {
			continue
		}
		if len(n.readings) > 0 && strings.HasSuffix(plain, ".000") { // 25,000 is not 25, though 1,234 may be 1.234
			continue
		}
		value, ok := new(big.Rat).SetString(plain)
		if !ok {
			continue
		}
		for _, word := range factors {
			f := new(big.Rat).Mul(word, power)
			r := statedReading{value: new(big.Rat).Mul(value, f), unit: new(big.Rat).Set(f), word: word}
			if point := strings.IndexByte(plain, '.'); point >= 0 {
				r.unit.Mul(f, powerOfTen(point+1-len(plain)))
			} else if value.Sign() != 0 {
				r.zeros = len(plain) - len(strings.TrimRight(plain, "0"))
			}
			if r.marks = pointMark; comma {
				r.marks = commaMark
			}
			same := func(o statedReading) bool {
				return o.value.Cmp(r.value) == 0 && o.unit.Cmp(r.unit) == 0 && o.word.Cmp(r.word) == 0
			}
			if at := slices.IndexFunc(n.readings, same); at >= 0 {
				n.readings[at].marks |= r.marks
			} else {
				n.readings = append(n.readings, r)
			}
		}
	}
	return len(n.readings) > 0
}

func powerOfTen(e int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil))
	if e < 0 {
		p.Inv(p)
	}
	return p
}

// grouped matches a number that is written in parts of ten thousands, such as 1億2,345万.
var grouped = lazyregexp.New(`^([^0-9]*?)((?:[0-9][0-9,.]*[兆億亿억조万萬만千천])+)([0-9][0-9,]*)?([^0-9]*)$`)

var groupedPart = lazyregexp.New(`([0-9][0-9,.]*)([兆億亿억조万萬만千천])`)

// parseGrouped parses a number in parts of ten thousands; ok is false for any other.
func parseGrouped(stated string) (n statedNumber, ok bool) {
	m := grouped.FindStringSubmatch(stated)
	if m == nil {
		return n, false
	}
	sum, unit := new(big.Rat), one
	for _, part := range append(groupedPart.FindAllStringSubmatch(m[2], -1), []string{"", m[3], ""}) {
		if part[1] == "" {
			continue
		}
		v, valid := new(big.Rat).SetString(strings.ReplaceAll(strings.TrimRight(part[1], ".,"), ",", ""))
		if !valid || len(part[1]) > 40 {
			return n, false
		}
		if unit = one; part[2] != "" {
			unit = characters[[]rune(part[2])[0]]
		}
		sum.Add(sum, v.Mul(v, unit))
	}
	n.readings = []statedReading{{value: sum, unit: unit, word: one, marks: pointMark | commaMark}}
	return n, true
}

// plainDigits returns s with the digits, points and blanks of all scripts in ASCII.
func plainDigits(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case r >= '٠' && r <= '٩':
			return r - '٠' + '0'
		case r >= '۰' && r <= '۹':
			return r - '۰' + '0'
		case r >= '०' && r <= '९':
			return r - '०' + '0'
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == '٫', r == '．':
			return '.'
		case r == '٬', r == '，':
			return ','
		case r == '％', r == '٪':
			return '%'
		case unicode.In(r, unicode.Zs):
			return ' '
		case r == '\u200e', r == '\u200f', r == '\u061c': // marks of direction
			return -1
		}
		return r
	}, s)
}

// aroundFigure returns the text of the claim before and after a figure. ok is false if the claim does not contain the
// figure exactly once as a whole number.
func aroundFigure(claim, stated string) (before, after string, ok bool) {
	if stated == "" {
		return "", "", false
	}
	from := 0
	for {
		i := strings.Index(claim[from:], stated)
		if i < 0 {
			return before, after, ok
		}
		i += from
		from = i + len(stated)
		// The figure is not a part of a longer number, such as 2.5 in 12.5.
		if digitBefore.MatchString(claim[:i]) && isDigit(stated[0]) ||
			digitAfter.MatchString(claim[from:]) && isDigit(stated[len(stated)-1]) {
			continue
		}
		if ok {
			return "", "", false
		}
		before, after, ok = claim[:i], claim[from:], true
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

var (
	digitBefore = lazyregexp.New(`[0-9][.,]?$`)
	digitAfter  = lazyregexp.New(`^[.,]?[0-9]`)
)

// falls matches English words for a decrease or a loss, after which a number without a sign is negative.
var falls = lazyregexp.New(`(?i)\b(fell|falls?|fallen|falling|drop(s|ped|ping)?|decreas\w*|declin\w*|loss(es)?|los(e|es|t|ing)|down|lower|less|negative|minus|below|deficit|shrank|shrunk|shr?ink\w*|reduc\w*|short|behind|owe[sd]?|debt)\b`)

// signOf returns the sign of a number, from the text around its digits.
func signOf(before, after string) numberSign {
	before = strings.TrimRight(before, " $€£¥")
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

// interval is a range of numbers, with doubles that are wider by their rounding errors.
type interval struct {
	lo, hi         *big.Rat
	loOpen, hiOpen bool // whether the end is not contained
	low, high      float64
}

// doubleError bounds the relative rounding errors of doubles, with a large margin.
const doubleError = 1e-9

func newInterval(lo, hi *big.Rat, loOpen, hiOpen bool) interval {
	low, _ := lo.Float64()
	high, _ := hi.Float64()
	return interval{lo, hi, loOpen, hiOpen, low - math.Abs(low)*doubleError, high + math.Abs(high)*doubleError}
}

func (i *interval) holds(v *big.Rat) bool {
	low, high := v.Cmp(i.lo), v.Cmp(i.hi)
	return (low > 0 || low == 0 && !i.loOpen) && (high < 0 || high == 0 && !i.hiOpen)
}

// interval returns the range of the sizes of cells that are the reading times scale.
func (r *statedReading) interval(scale *big.Rat, bound numberBound) interval {
	v, u := product(r.value, scale), product(r.unit, scale)
	plus := func(share, of *big.Rat) *big.Rat { return new(big.Rat).Add(v, product(share, of)) }
	minus := func(share, of *big.Rat) *big.Rat { return new(big.Rat).Sub(v, product(share, of)) }
	switch {
	case bound == about:
		if r.zeros > 0 {
			u = larger(u, smaller(product(u, powerOfTen(r.zeros)), product(roughShare, v)))
		}
		u = larger(u, product(leastRough, v))
		return newInterval(minus(one, u), plus(one, u), true, true)
	case bound == nearly:
		return newInterval(minus(nearlyShare, v), plus(half, u), false, true)
	case v.Sign() == 0: // zero results from rounding only, not from truncation
		return newInterval(v, plus(half, u), false, false)
	}
	return newInterval(minus(half, u), plus(one, u), false, true)
}

func product(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// isBound reports whether the number is a bound on the cell and not its value.
func (n *statedNumber) isBound() bool { return n.bound >= atLeast }

// isUpper reports whether the number is a bound that zero satisfies.
func (n *statedNumber) isUpper() bool {
	return n.bound == atMost || n.bound == lessThan || n.bound == under
}

// prepare sets the limits or intervals: of cells in the stated unit, and of cells in units that are known to be worth
// several, such as 1000 for a column of thousands.
func (n *statedNumber) prepare(worth []*big.Rat) {
	n.limits, n.intervals = nil, nil
	for _, w := range append([]*big.Rat{one}, worth...) {
		for i := range n.readings {
			for _, f := range n.factors {
				scale := new(big.Rat).Quo(f, w)
				if n.isBound() {
					n.limits = append(n.limits, product(n.readings[i].value, scale))
				} else {
					n.intervals = append(n.intervals, n.readings[i].interval(scale, n.bound))
				}
			}
		}
	}
	n.known = len(n.intervals)
	if n.isBound() {
		return
	}
	for i := range n.readings {
		r := &n.readings[i]
		if r.word.Cmp(one) != 0 { // the digits alone, without a word such as million
			n.intervals = append(n.intervals, r.interval(new(big.Rat).Inv(r.word), n.bound))
		}
		for _, scale := range otherScales {
			if r.unit.Cmp(product(mostScaled, r.value)) <= 0 {
				n.intervals = append(n.intervals, r.interval(scale, n.bound))
			} else {
				v := product(r.value, scale)
				n.intervals = append(n.intervals, newInterval(v, v, false, false))
			}
		}
	}
}

// cellMatch is what a cell says of a number, from nothing to the strongest evidence.
type cellMatch int

const (
	matchNone   cellMatch = iota
	matchScale            // equal in another scale, which nothing states: wrong by a thousand
	matchOpen             // equal in size, with a sign or a unit that is not clear
	matchScaled           // equal in another scale, which the query, the column or a text states
	matchPlain
)

// matches returns what a cell says of the number. v is a double close to the cell, and exactly returns the values
// that the cell may be taken as. If fall is set, a number without a sign may be that of a negative cell. n must have
// been prepared.
func (n *statedNumber) matches(v float64, exactly func() []*big.Rat, fall bool) cellMatch {
	switch {
	case math.IsNaN(v):
		return matchNone
	case n.isBound():
		best := matchNone
		for _, exact := range exactly() {
			best = max(best, n.bounds(exact, fall))
		}
		return best
	}
	size, best := math.Abs(v), matchNone
	var values []*big.Rat
	for k := range n.intervals {
		i := &n.intervals[k]
		if (size < i.low || size > i.high) && !math.IsInf(v, 0) {
			continue
		}
		if values == nil {
			values = exactly()
		}
		for _, exact := range values {
			if i.holds(new(big.Rat).Abs(exact)) {
				got := matchPlain
				switch {
				case k >= n.known:
					got = matchScale
				case k >= len(n.readings)*len(n.factors): // after the intervals in the unit that the number shows
					got = matchScaled
				}
				best = max(best, n.signed(got, exact.Sign(), fall))
			}
		}
	}
	return best
}

// signed returns the match of a number and a cell of the same size. A number without a sign does not contradict a
// negative cell, whatever the words around it; if one of them is known for a fall, it is evidence for it.
func (n *statedNumber) signed(m cellMatch, sign int, fall bool) cellMatch {
	switch {
	case sign < 0 && n.sign == positive, sign > 0 && n.sign == negative && !fall:
		return matchNone
	case sign < 0 && n.sign == unsigned && !fall, sign > 0 && n.sign == negative:
		return min(m, matchOpen)
	}
	return m
}

// bounds returns what a cell says of a bound. If it is in bounds in one unit and not in another, such as a fraction
// and a percentage, the unit counts in which the cell is close to the bound.
func (n *statedNumber) bounds(v *big.Rat, fall bool) cellMatch {
	plain, none := 0, 0
	nearest := matchScale // none is close
	for _, limit := range n.limits {
		got := n.within(v, limit, fall)
		switch got {
		case matchPlain:
			plain++
		case matchNone:
			none++
		}
		size := new(big.Rat).Abs(v)
		if size.Cmp(product(limit, big.NewRat(2, 3))) >= 0 && size.Cmp(product(limit, big.NewRat(3, 2))) <= 0 {
			if nearest == matchScale || nearest == got {
				nearest = got
			} else {
				nearest = matchOpen
			}
		}
	}
	switch {
	case plain == len(n.limits):
		return matchPlain
	case none == len(n.limits):
		return matchNone
	case nearest != matchScale:
		return nearest
	}
	return matchOpen
}

// within returns what a cell says of a bound whose size is limit in the unit of the cell.
func (n *statedNumber) within(v, limit *big.Rat, fall bool) cellMatch {
	bySize := n.satisfied(new(big.Rat).Abs(v).Cmp(limit))
	if n.sign == negative {
		limit = new(big.Rat).Neg(limit)
	}
	byValue := n.satisfied(v.Cmp(limit))
	switch {
	case v.Sign() >= 0 || n.sign == positive:
		return byValue
	case n.sign != negative && fall:
		return bySize
	case bySize == byValue:
		return bySize
	}
	return matchOpen
}

// satisfied returns what a cell says of a bound with which it compares so.
func (n *statedNumber) satisfied(compared int) cellMatch {
	is := false
	switch n.bound {
	case atLeast:
		is = compared >= 0
	case atMost:
		is = compared <= 0
	case moreThan, over:
		is = compared > 0
	case lessThan, under:
		is = compared < 0
	}
	switch {
	case is:
		return matchPlain
	case compared == 0 && (n.bound == over || n.bound == under):
		return matchOpen
	}
	return matchNone
}

// doubleDigits is the number of significant digits that a double represents exactly.
const doubleDigits = 15

// exactValues returns the values that a number may be taken as, without a rounding error: a double is the shortest
// decimal that it is printed as, or its first doubleDigits digits, and a large one any number that it may stand for.
func exactValues(v scoring.Value) []*big.Rat {
	var texts []string
	switch v.Type {
	case scoring.Float64:
		texts = []string{strconv.FormatFloat(v.Float(), 'g', -1, 64)}
		if rounded := strconv.FormatFloat(v.Float(), 'g', doubleDigits, 64); rounded != texts[0] {
			texts = append(texts, rounded)
		}
	case scoring.Int64, scoring.Decimal:
		texts = []string{v.String()}
	case scoring.Bool:
		texts = []string{strconv.Itoa(map[bool]int{true: 1}[v.Bool()])}
	}
	var out []*big.Rat
	for _, text := range texts {
		if r, ok := new(big.Rat).SetString(text); ok {
			out = append(out, r)
		}
	}
	if v.Type == scoring.Float64 && math.Abs(v.Float()) >= 1e15 && math.Abs(v.Float()) < 1e300 {
		for _, to := range []float64{math.Inf(-1), math.Inf(1)} { // the borders at which another double is closer
			a, b := new(big.Rat).SetFloat64(v.Float()), new(big.Rat).SetFloat64(math.Nextafter(v.Float(), to))
			out = append(out, product(half, a.Add(a, b)))
		}
	}
	return out
}

// isZero reports whether zero is the only possible value of the number.
func (n *statedNumber) isZero() bool {
	return !slices.ContainsFunc(n.readings, func(r statedReading) bool { return r.value.Sign() != 0 })
}

// isIn reports whether a string contains the number, digit for digit, as a date contains a year.
func (n *statedNumber) isIn(text string) bool {
	for _, token := range numbersInText.FindAllString(text, -1) {
		for _, comma := range []bool{false, true} {
			v, _, ok := cell.ParseNumber(token, comma)
			if !ok {
				continue
			}
			for _, value := range exactValues(v) {
				if slices.ContainsFunc(n.readings, func(r statedReading) bool {
					return r.value.Cmp(value) == 0 || r.value.Cmp(new(big.Rat).Mul(value, r.word)) == 0
				}) {
					return true
				}
			}
		}
	}
	return false
}

// numbersInText matches numbers in prose.
var numbersInText = lazyregexp.New(`[0-9]+(?:[.,'’][0-9]+)*`)
