package cell

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/units"
)

// Formats in which strings are read as values of another type. Alignments contain these names. All columns of numbers
// are read by the same rules, except for the decimal comma; their format names what is special about the strings.
const (
	FormatNumber   = "number text"
	FormatCurrency = "currency text"
	FormatPercent  = "percent text"
	FormatComma    = "decimal comma text"    // 1.234,50
	FormatShort    = "short number text"     // 1.2M, 850K
	FormatQuantity = "quantity text"         // 1.5 km, read in the base unit
	FormatMeasure  = "measure text"          // 1.5 km, read as 1.5
	FormatCredit   = "credit and debit text" // 12.50 Cr, and 3.00 Dr for -3
	FormatDebit    = "debit and credit text" // 12.50 Dr, and 3.00 Cr for -3
	FormatBool     = "boolean words"
	FormatMonth    = "month name text" // January or Jan, read as 1
	formatOrdinal  = "ordinal text"    // 1st, #1 or first
	FormatISO      = "ISO date text"
	formatCompact  = "YYYYMMDD number"
	formatYearMon  = "YYYYMM number" // read as the first day
	formatQuarter  = "quarter text"  // 2024-Q1, read as its first day; other periods likewise, see [ReadPeriods]
	FormatClock    = "time text"     // 13:30
	formatClock12  = "12-hour time text"
	FormatJSON     = "JSON text"
	FormatList     = "list text"     // a, b
	FormatInterval = "interval text" // 1 day 12:00:00, which is 36:00:00
)

// marks is a set of signs that a number is written with.
type marks uint8

const (
	markCurrency marks = 1 << iota
	markPercent
	markGrouped // 1,234
	markShort   // 1.2M
)

// UnitPercent is the unit of a percentage. The other units of numbers are currencies, written as the codes that their
// sign may mean.
const UnitPercent = "%"

// SharedUnit returns the unit that two numbers may both have; ok is false if their units contradict each other. An
// empty unit contradicts none.
func SharedUnit(a, b string) (unit string, ok bool) {
	switch {
	case a == "" || a == b:
		return b, true
	case b == "":
		return a, true
	}
	return units.SharedCurrency(a, b)
}

// spelling describes how a number is written.
type spelling struct {
	marks
	unit     string // [UnitPercent], the codes of a currency, or ""
	digits   int    // number of decimals
	figures  int    // number of significant digits
	power    int    // power of ten of a short form: 6 in 1.2M
	brackets bool   // (3) for -3
	zeros    bool   // the number has redundant leading zeros: 007
	exponent bool   // 1.5e+06
	bare     bool   // the exponent follows digits without point or sign, as in a code: 12e3
	odd      bool   // with a plus, underscores or a trailing minus, as in codes
	trailing bool   // 3- for -3
}

// ParseNumber parses a number as people and spreadsheets write it: $1,234.50, -€3, (3) for -3, 12.5% as 12.5, 1.2M, 1
// 234, 1'234 and, in lakh and crore, 12,34,567. If comma is set, the decimal point is a comma and groups are separated
// by points. m is the set of signs that it has.
func ParseNumber(s string, comma bool) (v scoring.Value, m marks, ok bool) {
	v, how, ok := parseNumber(s, comma)
	return v, how.marks, ok
}

func parseNumber(s string, comma bool) (v scoring.Value, how spelling, ok bool) {
	if len(s) > 0 && len(s) < 20 { // most cells are plain numbers
		if v, ok := scoring.ParseDecimal(s); ok && !comma {
			how.look(strings.TrimLeft(s, "+-"))
			how.odd = s[0] == '+'
			return v, how, true
		}
	}
	s = strings.TrimSpace(s)
	neg, plus := false, false
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		neg, how.brackets = true, true
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	if t, found := strings.CutSuffix(s, "%"); found {
		how.marks |= markPercent
		how.unit = UnitPercent
		s = strings.TrimSpace(t)
	}
	signed := false
	cut := func() {
		for _, sign := range []string{"-", "−", "+"} {
			if t, found := strings.CutPrefix(s, sign); found && !signed {
				signed, plus = true, sign == "+"
				neg = neg || !plus
				s = strings.TrimSpace(t)
			}
		}
	}
	cut()
	if t, codes, found := cutCurrency(s); found {
		how.marks |= markCurrency
		s = t
		if how.unit != "" {
			return v, spelling{}, false // a percentage of a currency
		}
		how.unit = codes
	}
	cut()
	if t, found := strings.CutSuffix(s, "-"); found && !signed && !how.brackets { // 3400- in accounts
		signed, neg, how.trailing = true, true, true
		s = strings.TrimSpace(t)
	}
	if t, power := cutPower(s); power > 0 && how.unit != UnitPercent {
		how.marks |= markShort
		s, how.power = t, power
		if how.unit == "" {
			if t, codes, found := cutCurrency(s); found { // USD 1.2 million
				how.marks |= markCurrency
				s, how.unit = t, codes
			}
		}
	}
	if how.brackets && signed || s == "" || s[0] < '0' && s[0] != '.' && s[0] != ',' || s[0] > '9' {
		return v, spelling{}, false
	}
	how.odd = plus || how.trailing || strings.Contains(s, "_")
	plain, grouped, ok := ungroup(s, comma)
	if !ok {
		return v, spelling{}, false
	}
	if grouped {
		if plus {
			return v, spelling{}, false // +44 123 456 is a telephone number
		}
		how.marks |= markGrouped
	}
	how.look(string(plain))
	if how.power > 0 {
		if how.exponent {
			return v, spelling{}, false
		}
		plain = append(plain, 'e')
		plain = strconv.AppendInt(plain, int64(how.power), 10)
	}
	if neg {
		plain = append([]byte{'-'}, plain...)
	}
	v, ok = scoring.ParseDecimal(plain)
	return v, how, ok
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// cutCurrency removes the sign or code of a currency before or after an amount, and returns the codes that it may mean.
// found is false if there is none.
func cutCurrency(s string) (rest, codes string, found bool) {
	if s == "" || isDigit(s[0]) && isDigit(s[len(s)-1]) {
		return s, "", false
	}
	for _, c := range units.CurrencySigns() {
		t, found := strings.CutPrefix(s, c.Sign)
		if !found {
			t, found = strings.CutSuffix(s, c.Sign)
		}
		if found {
			return strings.TrimSpace(t), c.Codes, true
		}
	}
	return s, "", false
}

// cutPower removes the letter or word of a short form, such as K, M, bn or lakh, and returns its power of ten, or 0 if
// there is none. A lower-case m is not one, since it may mean meters.
func cutPower(s string) (rest string, power int) {
	for _, w := range []struct {
		suffix string
		power  int
	}{
		{"thousand", 3}, {"Thousand", 3}, {"million", 6}, {"Million", 6}, {"billion", 9}, {"Billion", 9}, {"trillion", 12},
		{"Trillion", 12}, {"bn", 9}, {"mn", 6}, {"mln", 6}, {"bln", 9}, {"tn", 12},
		{"Mio.", 6}, {"Mio", 6}, {"mio", 6}, {"Mrd.", 9}, {"Mrd", 9}, {"Tsd.", 3}, {"Tsd", 3}, {"lakhs", 5}, {"lakh", 5},
		{"Lakh", 5}, {"lacs", 5}, {"lac", 5}, {"crores", 7}, {"crore", 7}, {"Crore", 7}, {"Cr", 7}, {"cr", 7}, {"K", 3},
		{"k", 3}, {"M", 6}, {"B", 9}, {"T", 12},
	} {
		if t, found := strings.CutSuffix(s, w.suffix); found {
			if t = strings.TrimSpace(t); t != "" && (t[len(t)-1] >= '0' && t[len(t)-1] <= '9') {
				return t, w.power
			}
		}
	}
	return s, 0
}

// look sets how a number without a sign and groups is written.
func (how *spelling) look(s string) {
	how.zeros = len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9'
	mantissa, exponent, found := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, found = s[:i], s[i+1:], true
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	how.digits = len(fraction)
	how.figures = len(strings.TrimLeft(whole+fraction, "0"))
	how.exponent = found
	how.bare = found && !point && exponent != "" && exponent[0] != '+' && exponent[0] != '-'
}

// ungroup removes the separators between groups of digits and replaces the decimal mark by a point. ok is false if the
// separators differ or groups have wrong sizes.
func ungroup(s string, comma bool) (plain []byte, grouped, ok bool) {
	point, group := '.', ','
	if comma {
		point, group = ',', '.'
	}
	plain = make([]byte, 0, len(s))
	var mark rune
	var room [8]int
	sizes, digits := room[:0], 0 // of the groups that are complete, and of the one that is not
	closed := func() bool { return mark == 0 || groups(append(sizes, digits), mark) && s[0] != '0' }
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			plain = append(plain, byte(r))
			digits++
		case r == point:
			rest := s[i+1:]
			return append(append(plain, '.'), rest...), mark != 0, closed() && !strings.ContainsAny(rest, ",.'_ ")
		case r == 'e' || r == 'E':
			return append(plain, s[i:]...), false, mark == 0 && digits > 0
		case r == group || strings.ContainsRune("'_ \u00a0\u202f’", r):
			if mark != 0 && mark != r {
				return nil, false, false
			}
			mark = r
			sizes, digits = append(sizes, digits), 0
		default:
			return nil, false, false
		}
	}
	return plain, mark != 0, closed()
}

// groups reports whether the sizes of groups of digits are valid: three digits each, or with commas two each and three
// at the end.
func groups(sizes []int, mark rune) bool {
	first, inner, last := sizes[0], sizes[1:len(sizes)-1], sizes[len(sizes)-1]
	all := func(n int) bool { return !slices.ContainsFunc(inner, func(size int) bool { return size != n }) }
	return last == 3 && (first >= 1 && first <= 3 && all(3) || mark == ',' && first >= 1 && first <= 2 && all(2))
}

// parseOrdinal parses 1st, 22nd, 3rd, 11th, #4 and the words first to twelfth.
func parseOrdinal(s string) (n int64, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if i := slices.Index(ordinalWords, s); i >= 0 {
		return int64(i + 1), true
	}
	digits, hash := strings.CutPrefix(s, "#")
	suffix := ""
	if !hash {
		if len(s) < 3 {
			return 0, false
		}
		digits, suffix = s[:len(s)-2], s[len(s)-2:]
	}
	if !isDigits(digits) || len(digits) > 9 || digits[0] == '0' {
		return 0, false
	}
	n, _ = strconv.ParseInt(digits, 10, 64)
	want := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			want = "st"
		case 2:
			want = "nd"
		case 3:
			want = "rd"
		}
	}
	return n, hash || suffix == want
}

var ordinalWords = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")

// boolWords maps words for true and false to the vocabularies that contain them, as a set of bits, so that T and N, as
// grades, are not truth values.
var boolWords = func() map[string]boolWord {
	words := map[string]boolWord{}
	for i, v := range [][2]string{
		{"true t", "false f"}, {"yes y", "no n"}, {"1", "0"}, {"on", "off"}, {"ja j", "nein n"}, {"oui o", "non n"},
		{"sí si s", "no n"}, {"sim s", "não nao n"}, {"sì si s", "no n"}, {"ja", "nee"},
		{"ja", "nej"}, {"tak", "nie"}, {"да", "нет"}, {"vrai", "faux"}, {"wahr", "falsch"}, {"verdadero", "falso"},
		{"verdadeiro", "falso"}, {"vero", "falso"}, {"はい", "いいえ"}, {"是", "否"}, {"✓", "✗"}, {"✔", "✘"}, {"✓", "✕"}, {"☑", "☐"},
		{"✅", "❌"},
	} {
		for side, list := range v {
			for _, w := range strings.Fields(list) {
				words[w] = boolWord{vocabularies: words[w].vocabularies | 1<<i, value: side == 0}
			}
		}
	}
	return words
}()

type boolWord struct {
	vocabularies uint32
	value        bool
}

// parseBool returns the truth value of a word and the vocabularies that contain it; vocabularies is 0 for other words.
func parseBool(s string) (value bool, vocabularies uint32) {
	if len(s) > 16 {
		return false, 0
	}
	w := boolWords[strings.ToLower(strings.TrimSpace(s))]
	return w.value, w.vocabularies
}

// dateLayouts are the layouts of dates that string columns are tried with. "2" and "1" also match two digits.
var dateLayouts = []string{
	"2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006",
	"January 2 2006",
	"1/2/2006", "2/1/2006", "1/2/06", "2/1/06", "2006/1/2", "2.1.2006", "2.1.06", "1-2-2006", "2-1-2006", "20060102",
	"Mon, 2 Jan 2006", "Monday, January 2, 2006", "Monday, 2 January 2006", "Mon Jan 2 2006", "Mon, Jan 2, 2006",
	"1/2/2006 15:04:05", "2/1/2006 15:04:05", "1/2/2006 15:04", "2/1/2006 15:04", "1/2/2006 3:04:05 PM",
	"1/2/2006 3:04 PM",
	"2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "Jan 2, 2006 15:04:05", "Jan 2, 2006 3:04:05 PM", "Jan 2, 2006 3:04 PM",
	"January 2, 2006 3:04 PM",
	"2006/1/2 15:04:05", "2.1.2006 15:04:05", "2.1.2006 15:04", "20060102 15:04:05", "20060102T150405",
	// names of other zones mean different things in different places
	"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC1123Z, time.ANSIC,
}

// parseDate parses a string in a date format: [FormatISO], an epoch, a time of day, the label of a period, or a layout.
func parseDate(s, format string) (scoring.Value, bool) {
	s = strings.TrimSpace(s)
	switch format {
	case FormatISO:
		if v, ok := scoring.ParseTimestamp(s); ok {
			return v, true
		}
		if strings.EqualFold(strings.TrimPrefix(s, "-"), "infinity") {
			v, err := scoring.ParseAs(scoring.Timestamp, s)
			return v, err == nil
		}
		return scoring.Value{}, false
	case epochs[0].format, epochs[1].format, epochs[2].format, epochs[3].format:
		if v, ok := scoring.ParseDecimal(s); ok {
			return epochTime(v, format)
		}
		return scoring.Value{}, false
	case FormatClock, formatClock12:
		return parseClock(s, format == formatClock12)
	}
	if f, ok := periodForms[format]; ok {
		return parsePeriodDate(s, f)
	}
	t, err := time.ParseInLocation(format, s, time.UTC)
	if err != nil {
		return scoring.Value{}, false
	}
	return scoring.TimestampValue(scoring.Timestamp, t.Unix(), int32(t.Nanosecond())), true //nolint:gosec // below 1e9
}

// every reports whether a column has cells other than NULL, and holds is true for the text of each of them. Blank cells
// and words for NULL count as NULL.
func every(c *scoring.Column, holds func(s string) bool) bool {
	seen := false
	for i := range c.Len() {
		if c.IsNull(i) {
			continue
		}
		s := cellText(c, i)
		if absent(s) {
			continue
		}
		if !holds(s) {
			return false
		}
		seen = true
	}
	return seen
}

func cellText(c *scoring.Column, i int) string {
	if c.Type == scoring.String {
		return c.Text(i)
	}
	return c.Value(i).String()
}

// textual reports whether a column holds strings, or values of any type.
func textual(c *scoring.Column) bool { return c.Type == scoring.String || c.Type == scoring.Any }

// NumberText describes how a string column can be read as numbers.
type NumberText struct {
	Format string
	Unit   string // the unit that the cells state, see [SharedUnit]; of quantities, their dimension
	Digits int    // the maximum number of decimals in a cell
	// Strict: the strings could also be codes. They are read as numbers only when compared with a column of
	// numbers, not with other strings.
	Strict  bool
	Padded  bool // plain numbers, one with a trailing zero that printing a number would not produce: 1.10
	OneUnit bool // of quantities: all have the same known unit
	short   short
	unit    *units.Unit // of quantities, if OneUnit
}

// Stated returns the unit that the cells state; it is empty if they state none, or several.
func (t *NumberText) Stated() units.Stated {
	switch {
	case t.unit != nil:
		return units.Stated{Unit: t.unit}
	case t.Format == FormatQuantity || t.Unit == "":
		return units.Stated{}
	case t.Unit == UnitPercent:
		return units.PercentSign()
	}
	return units.Currency(t.Unit)
}

// short holds common properties of the short forms, such as 1.2M, of a column.
type short struct {
	power   int // their power of ten; 0 if it differs
	figures int // the minimum number of significant digits
}

// NumberFormat returns the format in which a string column can be read as numbers; ok is false if there is none.
func NumberFormat(c *scoring.Column) (format string, ok bool) {
	t, ok := ReadNumbers(c)
	return t.Format, ok
}

// ReadNumbers returns how to read a string column as numbers. ok is false if it cannot be read, or if reading would
// lose information: leading zeros, an exponent that may be part of a code, different units, or different strings that
// become equal.
func ReadNumbers(c *scoring.Column) (t NumberText, ok bool) {
	c.Halt().Check()
	if !textual(c) {
		return t, false
	}
	if every(c, func(s string) bool { _, ok := parseMonth(s); return ok }) {
		return NumberText{Format: FormatMonth}, true
	}
	if every(c, func(s string) bool { _, ok := parseOrdinal(s); return ok }) &&
		!merges(c, View{Kind: scoring.KindNumber, Format: formatOrdinal}) {
		return NumberText{Format: formatOrdinal}, true
	}
	for _, comma := range []bool{false, true} {
		if t, ok := readNumbers(c, comma); ok && !merges(c, View{Kind: scoring.KindNumber, Format: t.Format}) {
			return t, true
		}
	}
	if t, ok := readLedger(c); ok {
		return t, true
	}
	return readQuantities(c)
}

func readNumbers(c *scoring.Column, comma bool) (t NumberText, ok bool) {
	var seen marks
	fractions, brackets, plain, fixed := false, 0, 0, map[int]bool{}
	padded := false // a zero after the point that printing a number would not produce
	ok = every(c, func(s string) bool {
		_, how, ok := parseNumber(s, comma)
		if !ok || how.zeros || how.bare {
			return false
		}
		if t.Unit, ok = SharedUnit(t.Unit, how.unit); !ok {
			return false
		}
		seen |= how.marks
		fractions = fractions || strings.Contains(s, ",")
		t.Digits = max(t.Digits, how.digits)
		t.Strict = t.Strict || how.exponent || how.odd
		if how.brackets {
			brackets++
		} else {
			plain++
		}
		if how.digits > 0 {
			fixed[how.digits] = true
			padded = padded || how.digits > 1 && strings.HasSuffix(strings.TrimSpace(s), "0")
		}
		if how.power > 0 {
			if t.short.figures == 0 {
				t.short = short{how.power, how.figures}
			}
			if t.short.power != how.power {
				t.short.power = 0
			}
			t.short.figures = min(t.short.figures, how.figures)
		}
		return true
	})
	switch {
	case !ok || comma && !fractions:
		return t, false
	case seen == 0 && padded && len(fixed) > 1:
		return t, false // 1.10 next to 1.2 is a version
	case seen == 0 && t.Digits == 0 && brackets > 0: // (1) may be a footnote, (555) part of a telephone number
		if t.Strict = true; plain == 0 {
			return t, false
		}
	}
	t.Padded = seen == 0 && padded
	switch {
	case comma:
		t.Format = FormatComma
	case seen&markShort != 0:
		t.Format = FormatShort
	case seen&markCurrency != 0:
		t.Format = FormatCurrency
	case seen&markPercent != 0:
		t.Format = FormatPercent
	default:
		t.Format = FormatNumber
	}
	return t, true
}

// merges reports whether two strings of a column, different in more than blanks, become equal under a view. It ignores
// NULL and 0. For very many distinct values, it examines a sample that does not depend on their order.
func merges(c *scoring.Column, v View) bool {
	if !textual(c) {
		return false
	}
	const sample, small = 4096, 32
	type text struct{ key, verbatim uint64 }
	var few [small]text // of a column of few rows, instead of a map
	var seen map[uint64]uint64
	if c.Len() > small {
		seen = make(map[uint64]uint64, min(c.Len(), sample))
	}
	n, limit := 0, uint64(math.MaxUint64)
	for i := range c.Len() {
		if c.IsNull(i) || c.Type == scoring.Any && c.Value(i).Type != scoring.String {
			continue
		}
		s := cellText(c, i)
		var k uint64
		if v.Format == "" {
			k = TextKey(s)
		} else {
			k = valueKey(Read(c, v, i))
		}
		if k == NullKey || k == zeroKey || Mix(k, 1) > limit {
			continue
		}
		verbatim := verbatimKey(s)
		if seen == nil {
			for _, t := range few[:n] {
				if t.key == k && t.verbatim != verbatim {
					return true
				}
			}
			few[n] = text{k, verbatim}
			n++
			continue
		}
		if other, found := seen[k]; found && other != verbatim {
			return true
		}
		seen[k] = verbatim
		for len(seen) > 2*sample {
			limit /= 2
			maps.DeleteFunc(seen, func(k, _ uint64) bool { return Mix(k, 1) > limit })
		}
	}
	return false
}

// zeroKey is the key of 0, which is written with different signs and numbers of digits.
var zeroKey = numberKey(0, 0)

// MergesTexts reports whether a column holds different strings that are equal in a comparison of strings, such as ab
// and AB. Letter case is then significant in that column.
func MergesTexts(c *scoring.Column) bool { return merges(c, View{Kind: scoring.KindText}) }

// DateFormats returns the formats in which a column can be read as dates: none, one, or several if day and month are
// ambiguous.
func DateFormats(c *scoring.Column) []string {
	c.Halt().Check()
	if c.Type == scoring.Int64 {
		switch {
		case allInts(c, func(n int64) bool { return plausible(n/10000, n/100%100, n%100) }):
			return []string{formatCompact}
		case allInts(c, func(n int64) bool { return plausible(n/100, n%100, 1) }):
			return []string{formatYearMon}
		}
	}
	if c.Type.Numeric() {
		return epochFormats(c)
	}
	if !textual(c) {
		return nil
	}
	formats := epochFormats(c)
	for _, f := range slices.Concat([]string{FormatISO, formatClock12, FormatClock}, datedLabels, dateLayouts) {
		if every(c, func(s string) bool { _, ok := parseDate(s, f); return ok }) {
			formats = append(formats, f)
		}
	}
	return formats
}

// plausible reports whether the numbers are a valid date from 1800 to 2200.
func plausible(year, month, day int64) bool {
	if year < 1800 || year > 2200 || month < 1 || month > 12 || day < 1 {
		return false
	}
	t := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	return t.Day() == int(day) // 31 April is 1 May
}

func allInts(c *scoring.Column, holds func(n int64) bool) bool {
	seen := false
	for i, n := range c.Ints() {
		if c.IsNull(i) {
			continue
		}
		if !holds(n) {
			return false
		}
		seen = true
	}
	return seen
}

// parseMonth returns the number of the month with a name, full or abbreviated.
func parseMonth(s string) (month int64, ok bool) {
	n := monthNames[strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), "."))]
	return int64(n), n != 0
}

// ReadBools reports whether a string column consists of words for true and false of the same vocabulary. strict is true
// if it holds a single repeated letter, so that it may be compared only with truth values and numbers.
func ReadBools(c *scoring.Column) (strict, ok bool) {
	c.Halt().Check()
	if !textual(c) {
		return false, false
	}
	vocabularies, values := ^uint32(0), map[bool]bool{}
	words := false
	ok = every(c, func(s string) bool {
		value, of := parseBool(s)
		vocabularies, values[value] = vocabularies&of, true
		words = words || len(strings.TrimSpace(s)) > 1
		return vocabularies != 0
	})
	return !words && len(values) == 1, ok
}

// boolFormat reports whether a string column consists of words for true and false of the same vocabulary.
func boolFormat(c *scoring.Column) bool {
	_, ok := ReadBools(c)
	return ok
}
