package cell

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Formats of text that stands for numbers, as alignments name them. A column of numbers written as text is named by what
// is peculiar about it; all of them are read by the same rules but for the decimal comma.
const (
	FormatNumber   = "number text"
	FormatCurrency = "currency text"
	FormatPercent  = "percent text"
	FormatComma    = "decimal comma text" // 1.234,50
	FormatBool     = "boolean words"
	FormatMonth    = "month name text" // January or Jan, read as 1
	FormatISO      = "ISO date text"
	FormatCompact  = "YYYYMMDD number"
	FormatYearMon  = "YYYYMM number" // read as the first day
	FormatQuarter  = "quarter text"  // 2024-Q1, read as its first day
)

// marks is what was seen around the digits of one number.
type marks uint8

const (
	markCurrency marks = 1 << iota
	markPercent
	markGrouped // 1,234
)

var currencyWords = []string{"US$", "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "INR", "CNY", "SEK", "NOK", "DKK", "PLN", "BRL", "MXN", "$", "€", "£", "¥", "₹", "R$", "kr", "zł", "₩", "₽", "₺", "₫", "₪", "₱", "฿", "₦", "₴"}

// ParseNumber reads a number the way people and spreadsheets write it: $1,234.50, -€3, (3) for -3, 12.5% as 12.5, 1 234, 1'234 and, by lakh and crore,
// 12,34,567. With comma the decimal point is a comma and groups are set off by points.
func ParseNumber(s string, comma bool) (v scoring.Value, m marks, ok bool) {
	if len(s) > 0 && len(s) < 20 { // plain numbers are most of what comes
		if v, ok := scoring.ParseDecimal(s); ok && !comma {
			return v, 0, true
		}
	}
	s = strings.TrimSpace(s)
	neg, accounting, plus := false, false, false
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		neg, accounting = true, true
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	if t, found := strings.CutSuffix(s, "%"); found {
		m |= markPercent
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
	for _, w := range currencyWords {
		if t, found := strings.CutPrefix(s, w); found {
			m |= markCurrency
			s = strings.TrimSpace(t)
			break
		}
		if t, found := strings.CutSuffix(s, w); found {
			m |= markCurrency
			s = strings.TrimSpace(t)
			break
		}
	}
	cut()
	if accounting && signed || s == "" || s[0] < '0' && s[0] != '.' && s[0] != ',' || s[0] > '9' {
		return v, 0, false
	}
	plain, grouped, ok := ungroup(s, comma)
	if !ok {
		return v, 0, false
	}
	if grouped {
		if plus {
			return v, 0, false // +44 123 456 is a telephone number
		}
		m |= markGrouped
	}
	if neg {
		plain = append([]byte{'-'}, plain...)
	}
	v, ok = scoring.ParseDecimal(plain)
	return v, m, ok
}

// ungroup drops the marks between groups of digits, which must all be the same, and makes the decimal mark a point.
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

// groups tells whether digits are grouped as numbers are: by three, or by two and at last three between commas.
func groups(sizes []int, mark rune) bool {
	first, inner, last := sizes[0], sizes[1:len(sizes)-1], sizes[len(sizes)-1]
	all := func(n int) bool { return !slices.ContainsFunc(inner, func(size int) bool { return size != n }) }
	return last == 3 && (first >= 1 && first <= 3 && all(3) || mark == ',' && first >= 1 && first <= 2 && all(2))
}

var boolWords = map[string]bool{
	"true": true, "t": true, "yes": true, "y": true, "1": true, "on": true,
	"false": false, "f": false, "no": false, "n": false, "0": false, "off": false,
}

func parseBool(s string) (value, ok bool) {
	if len(s) > 8 {
		return false, false
	}
	value, ok = boolWords[strings.ToLower(strings.TrimSpace(s))]
	return value, ok
}

// dateLayouts are the ways of writing dates that columns of text are tried against. "2" and "1" also read two digits.
var dateLayouts = []string{
	"2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "January 2 2006",
	"1/2/2006", "2/1/2006", "1/2/06", "2/1/06", "2006/1/2", "2.1.2006", "2.1.06", "1-2-2006", "2-1-2006", "20060102",
	"Jan 2006", "January 2006", "2006-01", "2006/01", "01/2006", "1-2006", "Jan-2006", "Jan-06", "2006 Jan", "2006 January",
	"Mon, 2 Jan 2006", "Monday, January 2, 2006", "Monday, 2 January 2006", "Mon Jan 2 2006", "Mon, Jan 2, 2006",
	"1/2/2006 15:04:05", "2/1/2006 15:04:05", "1/2/2006 15:04", "2/1/2006 15:04", "1/2/2006 3:04:05 PM", "1/2/2006 3:04 PM",
	"2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "Jan 2, 2006 15:04:05", "Jan 2, 2006 3:04:05 PM", "Jan 2, 2006 3:04 PM", "January 2, 2006 3:04 PM",
	"2006/1/2 15:04:05", "2.1.2006 15:04:05", "2.1.2006 15:04", "20060102 15:04:05", "20060102T150405",
	"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC1123Z, time.ANSIC, // names of other zones mean different things in different places
}

// parseDate reads text in one of the date formats: [FormatISO], [FormatQuarter] or a layout.
func parseDate(s, format string) (scoring.Value, bool) {
	s = strings.TrimSpace(s)
	switch format {
	case FormatISO:
		return scoring.ParseTimestamp(s)
	case FormatQuarter:
		return parseQuarter(s)
	}
	t, err := time.ParseInLocation(format, s, time.UTC)
	if err != nil {
		return scoring.Value{}, false
	}
	return scoring.TimestampValue(scoring.Timestamp, t.Unix(), int32(t.Nanosecond())), true //nolint:gosec // below 1e9
}

// parseQuarter reads 2024-Q1, 2024Q1, 2024 Q1, Q1 2024 and Q1-2024.
func parseQuarter(s string) (scoring.Value, bool) {
	i := strings.IndexAny(s, "Qq")
	if i < 0 || len(s) > 8 || i+1 >= len(s) || s[i+1] < '1' || s[i+1] > '4' {
		return scoring.Value{}, false
	}
	year := strings.Trim(s[:i]+s[i+2:], " -")
	y, err := strconv.Atoi(year)
	if err != nil || len(year) != 4 || y < 1000 {
		return scoring.Value{}, false
	}
	return scoring.TimestampValue(scoring.Timestamp, scoring.DaysOf(y, int(s[i+1]-'1')*3+1, 1)*86400, 0), true
}

// every tells whether the predicate holds for every cell of a text column that is not NULL, and that there is one. Blank cells count as NULL.
func every(c *scoring.Column, holds func(s string) bool) bool {
	seen := false
	for i := range c.Len() {
		if c.IsNull(i) {
			continue
		}
		s := cellText(c, i)
		if strings.TrimSpace(s) == "" {
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

// textual tells whether a column holds text that may stand for something else.
func textual(c *scoring.Column) bool { return c.Type == scoring.String || c.Type == scoring.Any }

// NumberFormat finds how a column of text is read as numbers; ok is false where it cannot be.
func NumberFormat(c *scoring.Column) (format string, ok bool) {
	if !textual(c) {
		return "", false
	}
	if every(c, func(s string) bool { _, ok := parseMonth(s); return ok }) {
		return FormatMonth, true
	}
	for _, comma := range []bool{false, true} {
		var seen marks
		fractions := false
		ok := every(c, func(s string) bool {
			_, m, ok := ParseNumber(s, comma)
			seen |= m
			fractions = fractions || strings.Contains(s, ",")
			return ok
		})
		switch {
		case !ok:
		case comma && fractions:
			return FormatComma, true
		case comma:
		case seen&markCurrency != 0:
			return FormatCurrency, true
		case seen&markPercent != 0:
			return FormatPercent, true
		default:
			return FormatNumber, true
		}
	}
	return "", false
}

// DateFormats finds the ways in which a column can be read as dates: none, one, or several where day and month could change places.
func DateFormats(c *scoring.Column) []string {
	if c.Type == scoring.Int64 {
		switch {
		case allInts(c, func(n int64) bool { return plausible(n/10000, n/100%100, n%100) }):
			return []string{FormatCompact}
		case allInts(c, func(n int64) bool { return plausible(n/100, n%100, 1) }):
			return []string{FormatYearMon}
		}
		return nil
	}
	if !textual(c) {
		return nil
	}
	var formats []string
	for _, f := range append([]string{FormatISO, FormatQuarter}, dateLayouts...) {
		if every(c, func(s string) bool { _, ok := parseDate(s, f); return ok }) {
			formats = append(formats, f)
		}
	}
	return formats
}

// plausible tells whether three numbers may be the year, month and day of something in a report.
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

// parseMonth reads the English name of a month, whole or in three letters.
func parseMonth(s string) (month int64, ok bool) {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return int64(m), true
		}
	}
	return 0, false
}

// BoolFormat tells whether a column of text consists of words for true and false.
func BoolFormat(c *scoring.Column) bool {
	return textual(c) && every(c, func(s string) bool { _, ok := parseBool(s); return ok })
}
