package metric

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/units"
)

// writing is how numbers are written in a text.
type writing struct {
	marks    int    // pointMark, commaMark, or 0 if the text leaves it open
	language string // as of languageOf
}

var (
	commaDecimals = lazyregexp.New(`(?:^|[^0-9.,])(?:[0-9]{1,3}(?:\.[0-9]{3})*,(?:[0-9]{1,2}|[0-9]{4,})|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}|0,[0-9]+)(?:$|[^0-9.,]|[.,](?:\s|$))`)
	pointDecimals = lazyregexp.New(`(?:^|[^0-9.,])(?:[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})|[0-9]{1,3}(?:,[0-9]{3}){2,}|0\.[0-9]+)(?:$|[^0-9.,:]|[.,](?:\s|$))`)
)

// writingOf returns how a text writes numbers: by numbers that can be read in one way, or else by its language.
// Spanish is written in both ways.
func writingOf(text string) writing {
	w := writing{language: languageOf(text)}
	text = dotted.ReplaceAllString(plainDigits(text), " ")
	comma, point := commaDecimals.MatchString(text), pointDecimals.MatchString(text)
	switch {
	case comma != point:
		if w.marks = pointMark; comma {
			w.marks = commaMark
		}
	case comma:
	case slices.Contains([]string{"en", "zh", "ja", "ko", "hi", "ar"}, w.language):
		w.marks = pointMark
	case w.language != "" && w.language != "es":
		w.marks = commaMark
	}
	return w
}

// dotted matches times of day and dates with full stops, whose digits are not decimals.
var dotted = lazyregexp.New(`[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{2,4})?|[0-9]{1,2}\.[0-9]{2}\s*(?:Uhr|[ap]\.?m)|kl\.?\s*[0-9]{1,2}\.[0-9]{2}`)

// textFigure is a number, a date or a time of day in a text, with the words around it.
type textFigure struct {
	text     string
	readings []figureReading
	marks    int    // the sense of its marks in its text, or 0 if that leaves it open
	share    string // percent, points, permille, basis, or ""
	currency string // codes of the currencies that it may be in
	measure  *units.Unit
	unit     string // the word after it
	before   string // the word before it
	sign     numberSign
	bracket  bool // in parentheses, as negative amounts are in accounts
	scaled   bool // a word such as thousand multiplies it
	year     bool // it may be a year
	date     *figureDate
	clock    int  // minutes after midnight, or −1
	half     bool // of a day that is not stated: 5:30
	pounds   bool // of money or of mass
}

// figureReading is a possible value of a figure.
type figureReading struct {
	statedReading
	number statedNumber // of this reading alone, prepared
}

// figureDate is a date. Parts that are not stated are 0.
type figureDate struct {
	year, month, day int
	swap             bool // the day and the month may change places: 03/04/2024
}

// figureRelation says what a figure of a passage is to one of a response.
type figureRelation int

const (
	figuresApart  figureRelation = iota // of different kinds
	figuresDiffer                       // of one kind, and different
	figuresOpen                         // the same in one reading only
	figuresSame
)

const monthName = `(\p{L}[\p{L}\p{M}]{2,})`

var (
	powerText = lazyregexp.New(`([0-9])\s*[×x*·]\s*10(?:\^\(?([-+−]?[0-9]{1,3})\)?|([⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))`)

	dateForms = []struct {
		form             *lazyregexp.Regexp
		year, month, day int // groups
		swap             bool
	}{
		{lazyregexp.New(`(?:^|[^0-9])(([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2}))(?:$|[^0-9])`), 2, 3, 4, false},
		{lazyregexp.New(`(?:^|[^0-9./-])(([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}))(?:$|[^0-9])`), 4, 3, 2, true},
		{lazyregexp.New(`(?:^|[^0-9./-])(([0-9]{1,2})[.-]([0-9]{1,2})[.-]([0-9]{4}))(?:$|[^0-9])`), 4, 3, 2, false},
		{lazyregexp.New(`(([0-9]{4})\s?[年년]\s?([0-9]{1,2})\s?[月월](?:\s?([0-9]{1,2})\s?[日일])?)`), 2, 3, 4, false},
		{lazyregexp.New(`(([0-9]{1,2})\s?[月월]\s?([0-9]{1,2})\s?[日일])`), 0, 2, 3, false},
		{lazyregexp.New(`(?:^|[^0-9.,])(([0-9]{1,2})(?:\.|st|nd|rd|th|er|º|ª)?\s*(?:de\s+|of\s+)?` + monthName + `\.?(?:,?\s+(?:de\s+|del\s+|of\s+)?([0-9]{4}))?)(?:$|[^0-9])`), 4, 3, 2, false},
		{lazyregexp.New(`(?:^|[^\p{L}])(` + monthName + `\.?\s+([0-9]{1,2})(?:st|nd|rd|th)?(?:,?\s+([0-9]{4}))?)(?:$|[^0-9.,%]|[.,](?:$|[^0-9]))`), 4, 2, 3, false},
		{lazyregexp.New(`(?:^|[^\p{L}])(` + monthName + `\.?,?\s+(?:de\s+|del\s+|of\s+)?([0-9]{4}))(?:$|[^0-9.,%]|[.,](?:$|[^0-9]))`), 3, 2, 0, false},
	}
	clockForms = []*lazyregexp.Regexp{ // hour, minute, half of the day
		lazyregexp.New(`(?i)(?:^|[^0-9.,:])(([0-9]{1,2})(?:[:.]([0-9]{2}))?\s?([ap])\.?m\b\.?)`),
		lazyregexp.New(`(?i)(?:^|[^0-9.,:])(([0-9]{1,2})(?:[:.]([0-9]{2}))?\s?Uhr)`),
		lazyregexp.New(`(?i)(?:^|[^0-9.,:])(([0-9]{1,2})h([0-9]{2}))(?:$|[^0-9])`),
		lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:kl|à|a las|alle|às|o|в|saat)\.?\s(([0-9]{1,2})\.([0-9]{2}))(?:$|[^0-9.,])`),
		lazyregexp.New(`(?:^|[^0-9.,:])(([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?)(?:$|[^0-9:])`),
		lazyregexp.New(`((?:午前|上午|오전)\s?([0-9]{1,2})[時时点點시](?:\s?([0-9]{1,2})[分분])?)`),
		lazyregexp.New(`((?:午後|下午|오후)\s?([0-9]{1,2})[時时点點시](?:\s?([0-9]{1,2})[分분])?)`),
		lazyregexp.New(`(([0-9]{1,2})[時时点點시]\s?([0-9]{1,2})[分분])`),
	}
)

// monthOf returns the number of a month that a word names, or 0. A short word that may be another, such as may, must be
// written as a name.
func monthOf(word string) int {
	low := strings.ToLower(word)
	n := max(cell.Month(low), otherMonths[low])
	if first, _ := utf8.DecodeRuneInString(word); utf8.RuneCountInString(word) <= 4 &&
		unicode.IsLower(first) && unicode.Is(unicode.Latin, first) {
		return 0
	}
	return n
}

// takeDates returns the dates and times of day in a text, and the text with blanks in their places.
func takeDates(text string) (out []textFigure, rest string) {
	rest = text
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return nil, text
	}
	take := func(from, to int, f textFigure) {
		f.text = strings.TrimSpace(text[from:to])
		out = append(out, f)
		rest = rest[:from] + strings.Repeat(" ", to-from) + rest[to:]
	}
	for _, form := range dateForms {
		for _, at := range form.form.FindAllStringSubmatchIndex(rest, maxFigures) {
			part := func(k int) (n int, ok bool) {
				if k == 0 || at[2*k] < 0 {
					return 0, true
				}
				s := rest[at[2*k]:at[2*k+1]]
				if n, err := strconv.Atoi(s); err == nil {
					return n, n > 0
				}
				n = monthOf(s)
				return n, n > 0
			}
			if strings.TrimSpace(rest[at[2]:at[3]]) == "" {
				continue
			}
			d := figureDate{}
			var ok [3]bool
			d.year, ok[0] = part(form.year)
			d.month, ok[1] = part(form.month)
			d.day, ok[2] = part(form.day)
			if form.swap && d.month > 12 {
				d.month, d.day = d.day, d.month
			}
			if slices.Contains(ok[:], false) || d.month > 12 || d.day > 31 || d.year > 0 && (d.year < 1000 || d.year > 2999) {
				continue
			}
			d.swap = form.swap && d.day <= 12 && d.day != d.month
			take(at[2], at[3], textFigure{date: &d, clock: -1})
		}
	}
	for k, form := range clockForms {
		for _, at := range form.FindAllStringSubmatchIndex(rest, maxFigures) {
			hour, _ := strconv.Atoi(rest[at[4]:at[5]])
			minute := 0
			if len(at) > 6 && at[6] >= 0 {
				minute, _ = strconv.Atoi(rest[at[6]:at[7]])
			}
			f := textFigure{half: k == 4 && hour <= 12}
			later := k == 6
			if k == 0 {
				later = strings.EqualFold(rest[at[8]:at[9]], "p")
				if hour > 12 {
					continue
				}
				hour %= 12
			}
			if later && hour < 12 {
				hour += 12
			}
			if hour > 24 || minute > 59 {
				continue
			}
			f.clock = hour*60 + minute
			take(at[2], at[3], f)
		}
	}
	return out, rest
}

// is returns what another date says of a date: all that it states, less, or something else.
func (d *figureDate) is(o *figureDate) figureRelation {
	same := func(d figureDate) figureRelation {
		relation := figuresSame
		for _, p := range [][2]int{{d.year, o.year}, {d.month, o.month}, {d.day, o.day}} {
			switch {
			case p[0] == 0 || p[0] == p[1]:
			case p[1] == 0:
				relation = min(relation, figuresOpen)
			default:
				relation = figuresDiffer
			}
		}
		return relation
	}
	swapped := *d
	swapped.day, swapped.month = d.month, d.day
	switch a, b := same(*d), same(swapped); {
	case d.swap && o.swap || !d.swap && !o.swap:
		return a
	case a == figuresDiffer && b == figuresDiffer:
		return figuresDiffer
	}
	return figuresOpen
}

// figuresOf returns the numbers, dates and times in a text, except those that are part of a word, such as a code, and
// the text without them.
func figuresOf(text string, w writing) (out []textFigure, rest string) {
	text = powerText.ReplaceAllStringFunc(plainDigits(text), func(found string) string {
		m := powerText.FindStringSubmatch(found)
		return m[1] + "e" + strings.NewReplacer("−", "-", "⁻", "-", "⁺", "+").Replace(m[2]+raised.Replace(m[3]))
	})
	out, text = takeDates(text)
	rest = text
	tokens := spacedTokens
	if w.language == "en" {
		tokens = numberTokens
	}
	found := tokens.FindAllStringIndex(text, maxFigures)
	for i, m := range found {
		if r, _ := utf8.DecodeLastRuneInString(text[:m[0]]); unicode.IsLetter(r) && r < unicode.MaxLatin1 {
			continue
		}
		if partOfCode.MatchString(text[m[1]:]) {
			continue
		}
		from, to := 0, len(text)
		if i > 0 {
			from = found[i-1][1]
		}
		if i+1 < len(found) {
			to = found[i+1][0]
		}
		for m[0]-from > 24 {
			_, size := utf8.DecodeRuneInString(text[from:])
			from += size
		}
		for to-m[1] > 48 {
			_, size := utf8.DecodeLastRuneInString(text[:to])
			to -= size
		}
		f, used, ok := figureAt(text[from:m[0]], text[m[0]:m[1]], text[m[1]:to], w)
		if !ok {
			continue
		}
		if f.sign == negative && i > 0 && from == found[i-1][1] &&
			joining.MatchString(text[from:m[0]]) { // 10-20, 10 % – 20 %
			f.sign = unsigned
		}
		rest = rest[:m[0]] + strings.Repeat(" ", m[1]+used-m[0]) + rest[m[1]+used:]
		out = append(out, f)
	}
	return out, rest
}

var (
	// Blanks group thousands, in English only in numbers from a million on.
	numberTokens = lazyregexp.New(`[0-9]{1,3}(?: [0-9]{3}){2,}\b(?:[.,][0-9]+)?|` + numbersInText.String() + `(?:[eE][-+]?[0-9]{1,3}\b)?`)
	spacedTokens = lazyregexp.New(`[0-9]{1,3}(?: [0-9]{3})+\b(?:[.,][0-9]+)?|` + numbersInText.String() + `(?:[eE][-+]?[0-9]{1,3}\b)?`)
	partOfCode   = lazyregexp.New(`^[A-Za-z]+[0-9]`)
	// joining is what is between the figures of a range or of a result of a game.
	joining = lazyregexp.New(`^\S{0,3}\s?(?:\p{L}{1,12}\s)?[-−–]\s?$`)
)

// figureAt reads a number from its digits and the text on both sides. used is the length of the text after it that
// belongs to it.
func figureAt(before, digits, after string, w writing) (f textFigure, used int, ok bool) {
	head, closed := strings.CutSuffix(strings.TrimRight(before, " "), "(")
	if tail, ok := strings.CutPrefix(after, ")"); ok && closed { // (3.2) million
		before, after = head, tail
	} else {
		closed = false
	}
	n, ok := parseStated(before + digits + after)
	if !ok {
		return f, 0, false
	}
	if closed || strings.HasSuffix(before, "--") {
		n.sign = unsigned
	}
	u := unitAfter(after)
	f = textFigure{clock: -1, share: u.share, sign: n.sign, marks: w.marks}
	if percentBefore.MatchString(strings.ToLower(before)) {
		f.share = "percent"
	}
	low := strings.ToLower(after)
	if m := pointsAfter.FindString(low); m != "" {
		f.share, u.rest = "points", low[len(m):]
	}
	f.scaled = slices.ContainsFunc(n.readings, func(r statedReading) bool { return r.word.Cmp(one) != 0 })
	if f.scaled || f.share != "" {
		if used = len(after) - len(u.rest); used < 0 || used > len(after) || !utf8.ValidString(after[:used]) {
			used = 0
		}
		if m := shareSign.FindString(after); m != "" && f.share != "points" {
			used = len(m)
		}
	}
	rest := u.rest
	if tail := after[max(len(after)-len(rest), 0):]; strings.ToLower(tail) == rest { // MW is not mW
		rest = tail
	}
	f.readUnit(before, rest)
	f.bracket = closed && (f.scaled || f.share != "" || f.currency != "")
	f.readings = f.readingsOf(n, strings.TrimSpace(low), w)
	if len(f.readings) == 0 {
		return f, 0, false
	}
	f.text = f.written(before, digits, after[:used], n.bound)
	v, err := strconv.Atoi(digits)
	f.year = err == nil && v >= 1500 && v <= 2100 && f.share == "" && f.currency == "" && f.measure == nil &&
		!f.scaled && !n.isBound()
	if closed {
		used++
	}
	return f, used, true
}

// readingsOf returns the values of a number that are possible in a text, after which the text in lower case follows.
func (f *textFigure) readingsOf(n statedNumber, after string, w writing) (out []figureReading) {
	for _, r := range n.readings {
		if f.currency != "" && f.scaled && r.word.Cmp(one) == 0 && len(n.readings) > 1 {
			continue // $20m is not in meters
		}
		if strings.HasPrefix(after, "mil ") && w.language != "" && (w.language == "en") == (r.word.Cmp(powerOfTen(3)) == 0) {
			continue // a million in English, else a thousand
		}
		alone := n
		alone.readings, alone.sign, alone.factors = []statedReading{r}, unsigned, []*big.Rat{one}
		alone.prepare(nil)
		out = append(out, figureReading{r, alone})
	}
	return out
}

// written returns a figure for display, with its currency, sign, scale and bound.
func (f *textFigure) written(before, digits, after string, bound numberBound) string {
	text := strings.TrimRight(digits+after, " .")
	if r, size := utf8.DecodeLastRuneInString(strings.TrimRight(before, " ")); unicode.Is(unicode.Sc, r) && size > 0 {
		text = string(r) + text
	}
	switch {
	case f.bracket:
		text = "(" + digits + ")" + strings.TrimRight(after, " .")
	case f.sign == negative:
		text = "-" + text
	}
	if said := boundSaid(before); said != "" && bound != noBound {
		text = said + " " + text
	}
	return text
}

// shareSign matches a word or sign for a percentage that a word may follow without a blank.
var shareSign = lazyregexp.New(`^\s*(?:%|‰|パーセント|퍼센트|프로)`)

// boundSaid returns the words before a number that make it a bound, such as fewer than.
func boundSaid(before string) string {
	low := strings.ToLower(before)
	for _, p := range boundPatterns() {
		if at := p.before.FindStringIndex(low); at != nil && len(low) == len(before) {
			return strings.TrimSpace(strings.TrimLeftFunc(before[at[0]:], func(r rune) bool { return !unicode.IsLetter(r) }))
		}
	}
	return ""
}

// notUnits are words that are also short forms of units.
var notUnits = wordSet("in us as am it to pt ha mi a d c da as es is an at on se")

// readUnit sets the currency or the other unit of a number, and the words around it, from the texts on both sides.
func (f *textFigure) readUnit(before, after string) {
	before = strings.TrimRight(before, " (-−–+")
	after = strings.TrimLeft(after, " ).-")
	for _, s := range units.CurrencySigns() {
		if first, _ := utf8.DecodeRuneInString(s.Sign); !unicode.Is(unicode.Sc, first) &&
			!strings.ContainsAny(s.Sign, "$") && strings.ToUpper(s.Sign) != s.Sign {
			continue // words are looked up below
		}
		head, isBefore := strings.CutSuffix(before, s.Sign)
		if isBefore {
			last, _ := utf8.DecodeLastRuneInString(head)
			first, _ := utf8.DecodeRuneInString(s.Sign)
			isBefore = !unicode.IsLetter(last) || !unicode.IsLetter(first)
		}
		tail, isAfter := strings.CutPrefix(strings.ToUpper(after), s.Sign)
		if isAfter {
			first, _ := utf8.DecodeRuneInString(tail)
			isAfter = !unicode.IsLetter(first)
		}
		if isBefore || isAfter {
			if f.currency = s.Codes; s.Sign == "$" {
				f.currency = dollars
			}
			break
		}
	}
	if list := wordsAndMarks(strings.ToLower(before)); len(list) > 0 {
		f.before = list[len(list)-1]
	}
	list := words(after)
	if len(list) > 0 && after != "" {
		f.unit = list[0]
	}
	low := strings.ToLower(after)
	if f.currency == "" {
		for _, skip := range []string{"de ", "d'", "d’", "di ", "us ", "u.s. ", "us-"} {
			if rest, found := strings.CutPrefix(low, skip); found {
				if skip[0] == 'u' && strings.HasPrefix(rest, "dollar") {
					f.currency = "USD"
				}
				low = rest
			}
		}
		f.currency = cmp.Or(f.currency, currencyOf(low))
		if low != strings.ToLower(after) && len(words(low)) > 0 && f.currency == "" {
			list = words(low)
		}
	}
	if f.currency != "" || f.share != "" || len(list) == 0 {
		return
	}
	word := list[0]
	if strings.HasPrefix(after, "°") {
		word = strings.TrimSpace(after[:min(len(after), len("°C"))])
	} else if at := strings.Index(strings.ToLower(after), word); at >= 0 && at+len(word) <= len(after) {
		parts := strings.FieldsFunc(after[at:], func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?)(", r)
		})
		if len(parts) > 0 {
			word = parts[0]
		}
	}
	if word = strings.TrimSuffix(word, "."); notUnits[strings.ToLower(word)] {
		return
	}
	f.setMeasure(word, list, low)
}

// setMeasure sets the unit of a number from the word after it, the words from there on and the text in lower case.
func (f *textFigure) setMeasure(word string, list []string, low string) {
	if strings.HasPrefix(strings.ToLower(word), "pound") {
		f.pounds = true
		return
	}
	u := units.InCell(word)
	if len(list) > 1 {
		if phrase := units.InCell(list[0] + " " + list[1]); phrase != nil { // degrees Celsius
			u = phrase
		}
	}
	if at := strings.Index(low, strings.ToLower(word)); u != nil && at >= 0 {
		if rest := low[at+len(word):]; perHour.MatchString(rest) { // 50 kilometres per hour
			if u = units.InCell(u.Symbol + "/h"); strings.HasPrefix(word, "mi") {
				u = units.InCell("mph")
			}
		} else if perThing.MatchString(rest) {
			u = nil
		}
	}
	switch {
	case u == nil:
	case u.Measure == units.Money && u.Base != "":
		f.currency = u.Base
	default:
		f.measure = u
	}
}

// perHour and perThing match what follows the unit of a rate.
var (
	perHour  = lazyregexp.New(`^\s*(?:per|an|pro|par|por|a|à|all['’]?|w|в|i|/)\s*(?:l['’])?(?:hour|stunde|heure|hora|ora|uur|timme|godzin|час|h\b)`)
	perThing = lazyregexp.New(`^\s*(?:/|per\s|pro\s|par\s|por\s)`)
)

// currencyOf returns the codes of the currencies that a text in lower case begins with, or "".
func currencyOf(low string) string {
	for _, c := range currencyWords {
		for begin := range strings.SplitSeq(c.begin, "|") {
			if strings.HasPrefix(low, begin) {
				return c.codes
			}
		}
	}
	return ""
}

// kind names what a figure measures.
func (f *textFigure) kind() string {
	switch {
	case f.date != nil || f.year:
		return "date"
	case f.clock >= 0:
		return "clock"
	case f.share != "":
		return "share"
	case f.currency != "":
		return "money"
	case f.measure != nil:
		return string(f.measure.Measure)
	}
	return ""
}

// signs are the words around two figures by which a number without a sign may be that of a negative one.
type signs struct {
	fall, otherFall bool // of the response, of the passage
	certain         bool // words for it would be known
}

// is returns what a figure of a passage says of the figure of a response.
func (f *textFigure) is(g *textFigure, s signs) figureRelation {
	switch {
	case f.date != nil || g.date != nil || f.clock >= 0 || g.clock >= 0:
		return f.isTime(g)
	case f.share == "" && g.share != "" || f.share != "" && g.share == "":
		if f.share+g.share == "percent" && f.currency+g.currency == "" &&
			f.measure == nil && g.measure == nil && f.fraction(g) {
			return figuresOpen // 0.12 is 12 %
		}
		return figuresApart
	}
	f, g = f.beside(g), g.beside(f)
	by, offset, how := f.conversion(g)
	if how == figuresApart && f.counts(g) { // $5 days are not 30 days
		return figuresDiffer
	}
	if how == figuresApart {
		return how
	}
	got := f.sized(g, by, offset)
	switch {
	case how == figuresDiffer: // another currency
		if got == figuresDiffer {
			return figuresApart // an amount that is converted
		}
		return figuresDiffer
	case how == figuresOpen && got == figuresDiffer:
		return figuresApart
	case f.kind() != g.kind() && got == figuresDiffer && !f.counts(g) &&
		(f.year || g.year || f.kind() != "" && g.kind() != ""):
		return figuresApart
	}
	if got == figuresDiffer {
		return got
	}
	if f.named() != g.named() && (f.otherWord() || g.otherWord()) { // 8 cubits are not 8 meters
		how = min(how, figuresOpen)
	}
	return min(got, how, f.signed(g, s))
}

// named reports whether a figure has a known unit.
func (f *textFigure) named() bool { return f.measure != nil || f.currency != "" }

// otherWord reports whether a word follows a figure that is neither a known unit nor a frequent word of a language.
func (f *textFigure) otherWord() bool {
	if f.unit == "" || f.named() || f.year {
		return false
	}
	for _, frequent := range languageWords {
		if frequent[f.unit] {
			return false
		}
	}
	return true
}

var (
	meterUnit = units.InCell("m")
	poundUnit = units.InCell("lb")
	centUnit  = units.InCell("cents")
)

// beside returns a figure in the sense that the unit of another figure gives it: m is for meters next to a length, and
// pounds are money next to money, and else a mass.
func (f *textFigure) beside(g *textFigure) *textFigure {
	length := g.measure != nil && g.measure.Measure == units.Length
	switch {
	case f.pounds && g.currency != "":
		out := *f
		out.currency = "GBP"
		return &out
	case f.pounds && g.measure != nil:
		out := *f
		out.measure = poundUnit
		return &out
	case length && f.measure == nil && f.severalWords():
		out := *f
		out.measure, out.scaled, out.readings = meterUnit, false, nil
		for _, r := range f.readings {
			if r.word.Cmp(one) == 0 {
				out.readings = append(out.readings, r)
			}
		}
		if len(out.readings) > 0 {
			return &out
		}
	}
	return f
}

// severalWords reports whether a word such as m multiplies a figure in one reading only.
func (f *textFigure) severalWords() bool {
	return slices.ContainsFunc(f.readings, func(r figureReading) bool { return r.word.Cmp(f.readings[0].word) != 0 })
}

// counts reports whether the same noun follows both figures.
func (f *textFigure) counts(g *textFigure) bool {
	for _, frequent := range languageWords {
		if frequent[f.unit] {
			return false
		}
	}
	return f.unit != "" && f.unit == g.unit
}

// fraction reports whether one of two figures is a percentage and the other the same as a fraction.
func (f *textFigure) fraction(g *textFigure) bool {
	hundredth := big.NewRat(1, 100)
	if f.share != "" {
		f, g = g, f
	}
	return f.sized(g, []*big.Rat{hundredth}, nil) != figuresDiffer
}

func (f *textFigure) isTime(g *textFigure) figureRelation {
	switch {
	case f.date != nil && g.date != nil:
		return f.date.is(g.date)
	case f.clock >= 0 && g.clock >= 0:
		switch apart := f.clock - g.clock; {
		case apart == 0:
			return figuresSame
		case (apart == 720 || apart == -720) && (f.half || g.half):
			return figuresOpen
		}
		return figuresDiffer
	case f.kind() != g.kind() && (f.kind() != "" || g.kind() != ""):
		plain, other := f, g
		if f.date != nil || f.clock >= 0 {
			plain, other = g, f
		}
		if plain.kind() == "" && other.clock >= 0 &&
			strings.TrimLeft(plain.text, "0") == fmt.Sprintf("%d.%02d", other.clock/60, other.clock%60) { // at 18.45
			return figuresOpen
		}
		if plain.kind() == "" && len(plain.readings) > 0 && plain.readings[0].value.IsInt() {
			n := int(plain.readings[0].value.Num().Int64())
			if other.date != nil && (n == other.date.day || n == other.date.year) ||
				other.clock >= 0 && n%12 == other.clock/60%12 {
				return figuresOpen
			}
		}
		return figuresApart
	case f.year && g.date != nil:
		return (&figureDate{year: int(f.readings[0].value.Num().Int64())}).is(g.date)
	case g.year && f.date != nil:
		return f.date.is(&figureDate{year: int(g.readings[0].value.Num().Int64())})
	}
	return figuresApart
}

// shareSizes are the units of shares in percent.
var shareSizes = map[string]*big.Rat{"percent": big.NewRat(1, 1), "points": big.NewRat(1, 1),
	"permille": big.NewRat(1, 10), "basis": big.NewRat(1, 100)}

// conversion returns the factors, and what is added, that convert g to the unit of f. The relation is figuresSame if
// they are of one kind or a unit is not stated, figuresOpen for percent and percentage points, figuresDiffer for two
// currencies and figuresApart for different measures.
func (f *textFigure) conversion(g *textFigure) (by []*big.Rat, offset *big.Rat, how figureRelation) {
	by, how = []*big.Rat{big.NewRat(1, 1)}, figuresSame
	if f.share != "" {
		by[0] = new(big.Rat).Quo(shareSizes[g.share], shareSizes[f.share])
		points := func(s string) bool { return s == "points" }
		plain := func(s string) bool { return s == "percent" || s == "permille" }
		if points(f.share) && plain(g.share) || points(g.share) && plain(f.share) {
			how = figuresOpen
		}
		return by, nil, how
	}
	switch {
	case f.measure == centUnit && g.currency != "":
		by[0] = big.NewRat(100, 1)
		return by, nil, how
	case g.measure == centUnit && f.currency != "":
		by[0] = big.NewRat(1, 100)
		return by, nil, how
	case f.currency != "" && g.currency != "":
		if _, ok := units.SharedCurrency(f.currency, g.currency); !ok {
			how = figuresDiffer
		}
	case f.currency != "" && g.measure != nil, g.currency != "" && f.measure != nil:
		return by, nil, figuresApart
	case f.measure != nil && g.measure != nil && f.measure != g.measure:
		relation, c := units.Compare(units.Stated{Unit: g.measure}, units.Stated{Unit: f.measure})
		switch {
		case relation == units.Converted && c != nil:
			return c.Factors, c.Offset, how
		case relation != units.Same:
			return by, nil, figuresApart
		}
	}
	return by, nil, how
}

// sized compares the sizes of two figures of one kind. Numbers that are read in two ways are read in the way of their
// text; if that leaves it open, in the way of the other text, and else in the same way on both sides.
func (f *textFigure) sized(g *textFigure, by []*big.Rat, offset *big.Rat) figureRelation {
	best := figuresDiffer
	for i := range f.readings {
		for k := range g.readings {
			a, b := &f.readings[i], &g.readings[k]
			how := f.pair(a, g, b)
			if how <= best {
				continue
			}
			for _, factor := range by {
				v := new(big.Rat).Mul(b.value, factor)
				if offset != nil {
					if g.sign == negative {
						v.Neg(v)
					}
					v.Abs(v.Add(v, offset))
				}
				best = max(best, min(how, compareSizes(&a.number, &b.number, v)))
			}
		}
	}
	return best
}

// pair returns how far the readings of two figures may be compared: figuresDiffer if the marks of one are not read so,
// figuresOpen if it is not clear that they are.
func (f *textFigure) pair(a *figureReading, g *textFigure, b *figureReading) figureRelation {
	how := figuresSame
	marks := func(x, other *textFigure, r *figureReading) (of int) { // how r is read; 0 if it has one reading
		if r.marks == pointMark|commaMark ||
			!slices.ContainsFunc(x.readings, func(o figureReading) bool { return o.marks&r.marks == 0 }) {
			return 0
		}
		switch x.marks | other.marks {
		case pointMark, commaMark:
			if in := x.marks | other.marks; r.marks&in == 0 {
				how = figuresDiffer
				if x.marks == 0 {
					how = figuresOpen
				}
			}
		default:
			if x.marks != 0 && r.marks&x.marks == 0 {
				how = figuresDiffer
			} else if x.marks == 0 && x.scaled {
				how = min(how, figuresOpen)
			}
		}
		return r.marks
	}
	m, n := marks(f, g, a), marks(g, f, b)
	if m != 0 && n != 0 && m&n == 0 && (f.marks == 0 || g.marks == 0) {
		how = min(how, figuresOpen)
	}
	// A word such as m for million or meters is read in one way on both sides.
	meters := func(r *figureReading, other *textFigure) bool {
		return r.word.Cmp(one) == 0 && other.measure != nil && other.measure.Measure == units.Length
	}
	switch s, t := f.severalWords(), g.severalWords(); {
	case s && !t && meters(a, g), t && !s && meters(b, f):
	case s && t && a.word.Cmp(b.word) != 0, s != t:
		how = min(how, figuresOpen)
	}
	return how
}

// compareSizes returns what a value of a passage, with its bound, says of a number of a response.
func compareSizes(n, of *statedNumber, v *big.Rat) figureRelation {
	lower := func(b numberBound) bool { return b == atLeast || b == moreThan || b == over }
	if n.isBound() && of.isBound() {
		limit := n.readings[0].value
		switch cmp := v.Cmp(limit); {
		case cmp == 0 && (n.bound == of.bound || lower(n.bound) == lower(of.bound)):
			return figuresSame
		case lower(n.bound) && lower(of.bound) && cmp > 0, !lower(n.bound) && !lower(of.bound) && cmp < 0:
			return figuresSame
		}
		return figuresOpen
	}
	got := n.matches(floatOf(v), func() []*big.Rat { return []*big.Rat{v} }, true)
	if of.isBound() {
		if of.bounds(n.readings[0].value, false) == matchNone && got < matchOpen {
			return figuresDiffer
		}
		return figuresOpen
	}
	switch {
	case got >= matchScaled:
		return figuresSame
	case got == matchOpen:
		return figuresOpen
	}
	return figuresDiffer
}

func floatOf(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

// signed compares the signs of two figures of one size.
func (f *textFigure) signed(g *textFigure, s signs) figureRelation {
	minus := func(x *textFigure) bool { return x.sign == negative || x.bracket }
	a, b := minus(f), minus(g)
	if a == b || f.readings[0].value.Sign() == 0 {
		return figuresSame
	}
	words, other := s.fall, s.otherFall // of the side without a sign, of the other
	if a {
		words, other = other, words
	}
	temperature := f.kind() == string(units.Temperature) || g.kind() == string(units.Temperature)
	switch {
	case f.sign == positive || g.sign == positive:
		return figuresDiffer
	case words && !other:
		return figuresSame
	case words || other || f.bracket || g.bracket:
		return figuresOpen
	case temperature || s.certain:
		return figuresDiffer
	}
	return figuresOpen
}

// closeTo orders figures of a passage by how likely they are what a figure of a response should be.
func (f *textFigure) closeTo(g *textFigure) (points int) {
	if f.kind() == g.kind() {
		points += 2
	}
	if f.unit != "" && f.unit == g.unit {
		points += 2
	}
	if f.before != "" && f.before == g.before {
		points++
	}
	return points
}
