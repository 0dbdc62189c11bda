package cell

import (
	"strings"
	"time"
	"unicode"

	"github.com/badger-eval/badger/scoring"
)

// A Grain is the length of a calendar period.
type Grain uint8

// The grains, from long to short. Weeks are those of ISO 8601: they start on Monday, and the first of a year is the
// one with its first Thursday.
const (
	GrainYear Grain = iota + 1
	GrainHalf
	GrainQuarter
	GrainMonth
	GrainWeek
	GrainWeekday // not in any particular year
)

// grainNames are the names of grains in the names of formats.
var grainNames = [...]string{GrainYear: "year", GrainHalf: "half-year", GrainQuarter: "quarter", GrainMonth: "month",
	GrainWeek: "week", GrainWeekday: "weekday"}

func (g Grain) String() string { return grainNames[g] }

// most returns the largest number of a period in its year.
func (g Grain) most() int {
	return [...]int{GrainYear: 1, GrainHalf: 2, GrainQuarter: 4, GrainMonth: 12, GrainWeek: 53, GrainWeekday: 7}[g]
}

// A period is a calendar period: the n-th of its grain in a year, or in an unknown year.
type period struct {
	grain  Grain
	year   int // 0: unknown
	n      int // from 1; always 1 for a year
	fiscal bool
}

// first returns the first day of a period with a year, in days since 1970.
func (p period) first() int64 {
	switch p.grain {
	case GrainHalf:
		return scoring.DaysOf(p.year, 6*p.n-5, 1)
	case GrainQuarter:
		return scoring.DaysOf(p.year, 3*p.n-2, 1)
	case GrainMonth:
		return scoring.DaysOf(p.year, p.n, 1)
	case GrainWeek:
		fourth := scoring.DaysOf(p.year, 1, 4) // of January, which is in the first week
		return fourth - (fourth+3)%7 + int64(7*(p.n-1))
	}
	return scoring.DaysOf(p.year, 1, 1)
}

// valid reports whether the period exists: 2021 has no 53rd week.
func (p period) valid() bool {
	if p.n < 1 || p.n > p.grain.most() {
		return false
	}
	if p.grain == GrainWeek && p.n == 53 && p.year != 0 {
		return p.first()+3 < scoring.DaysOf(p.year+1, 1, 1) // its Thursday is in the year
	}
	return true
}

// periodFrom returns the period of a grain whose first day is day; ok is false if it is not a first day.
func periodFrom(grain Grain, day int64) (period, bool) {
	t := time.Unix(day*86400, 0).UTC()
	p := period{grain: grain, year: t.Year(), n: 1}
	switch grain {
	case GrainHalf:
		p.n = (int(t.Month())-1)/6 + 1
	case GrainQuarter:
		p.n = (int(t.Month())-1)/3 + 1
	case GrainMonth:
		p.n = int(t.Month())
	case GrainWeek:
		p.year, p.n = t.ISOWeek()
	case GrainWeekday:
		return p, false
	}
	return p, p.first() == day
}

// monthNames and weekdayNames are names of months and weekdays in several languages, with English abbreviations.
var (
	monthNames = periodNames(map[int]string{
		1: "january januar janvier enero gennaio janeiro januari jänner jan",
		2: "february februar février fevrier febrero febbraio fevereiro februari feb",
		3: "march märz maerz mars marzo março maart mar", 4: "april avril abril aprile apr",
		5: "may mai mayo maggio maio mei", 6: "june juni juin junio giugno junho jun",
		7: "july juli juillet julio luglio julho jul", 8: "august août aout agosto augustus aug",
		9:  "september septembre septiembre settembre setembro sept sep",
		10: "october oktober octobre octubre ottobre outubro oct okt", 11: "november novembre noviembre novembro nov",
		12: "december dezember décembre diciembre dicembre dezembro dec dez",
	})
	weekdayNames = periodNames(map[int]string{
		1: "monday mon mo montag lundi lunes", 2: "tuesday tue tues tu dienstag mardi martes",
		3: "wednesday wed we mittwoch mercredi miércoles", 4: "thursday thu thur thurs th donnerstag jeudi jueves",
		5: "friday fri fr freitag vendredi viernes", 6: "saturday sat sa samstag sonnabend samedi sábado",
		7: "sunday sun su sonntag dimanche domingo",
	})
	ordinalNames = periodNames(map[int]string{1: "first", 2: "second", 3: "third", 4: "fourth"})
	grainWords   = map[string]Grain{
		"q": GrainQuarter, "qtr": GrainQuarter, "quarter": GrainQuarter, "quartal": GrainQuarter, "trimestre": GrainQuarter,
		"h": GrainHalf, "hy": GrainHalf, "half": GrainHalf, "halfyear": GrainHalf, "semester": GrainHalf,
		"halbjahr": GrainHalf,
		"w":        GrainWeek, "wk": GrainWeek, "week": GrainWeek, "kw": GrainWeek, "cw": GrainWeek, "m": GrainMonth,
		"month": GrainMonth,
	}
	// Words that are ignored in labels.
	periodFillers = map[string]bool{"of": true, "the": true, "in": true, "year": true, "calendar": true, "cy": true,
		"iso": true}
)

// Month returns the number of a month that a word in lower case names in one of several languages, or 0.
func Month(word string) int { return monthNames[word] }

func periodNames(lists map[int]string) map[string]int {
	names := map[string]int{}
	for n, list := range lists {
		for _, name := range strings.Fields(list) {
			names[name] = n
		}
	}
	return names
}

// A periodWord is a run of letters or of digits in the label of a period.
type periodWord struct {
	text   string
	number int  // the value of digits; -1 for letters
	before rune // the separator from the previous word: a sign, a space, or 0
}

// maxPeriodLabel is the maximum length of a label in bytes.
const maxPeriodLabel = 32

// periodWords splits a label into words and numbers; ok is false if it has other signs or is too long.
func periodWords(s string) (list []periodWord, ok bool) {
	if len(s) > maxPeriodLabel {
		return nil, false
	}
	var before rune
	start, digits := -1, false
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := periodWord{text: strings.ToLower(s[start:end]), number: -1, before: before}
		if digits {
			w.number = 0
			for _, d := range w.text {
				w.number = min(10*w.number+int(d-'0'), 1e8)
			}
		}
		list, before, start = append(list, w), 0, -1
	}
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			if !digits {
				flush(i)
			}
			if digits = true; start < 0 {
				start = i
			}
		case unicode.IsLetter(r):
			if digits {
				flush(i)
			}
			if digits = false; start < 0 {
				start = i
			}
		case strings.ContainsRune(" -/,.'’_–()", r):
			flush(i)
			if before == 0 || before == ' ' {
				before = r
			}
		default:
			return nil, false
		}
	}
	flush(len(s))
	return list, len(list) > 0 && len(list) <= 6
}

// parsePeriod parses the label of a period: 2024-Q1, 1Q24, "first quarter of 2024", H2 2023, Jan 2024, 2024-01, 202401,
// January, 2024-W05, Week 5, FY2024, Monday. A month and two digits are not a label (Jan 24 is a day) unless a dash or
// an apostrophe separates them.
func parsePeriod(s string) (p period, ok bool) {
	if t := strings.TrimSpace(s); strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+") { // it is a number
		return period{}, false
	}
	list, ok := periodWords(strings.TrimSpace(s))
	if !ok {
		return p, false
	}
	named := false // by a word that needs no number
	var small []periodWord
	for i, w := range list {
		switch {
		case w.number >= 0 && len(w.text) == 4 && p.year == 0 && w.number >= 1800 && w.number <= 2200:
			p.year = w.number
		case w.number >= 0 && len(w.text) == 6 && len(list) == 1 && plausible(int64(w.number/100), int64(w.number%100), 1):
			return period{grain: GrainMonth, year: w.number / 100, n: w.number % 100}, true
		case w.number >= 0 && len(w.text) == 2 && p.year == 0 && i > 0 && list[i-1].text == "fy":
			p.year = fullYear(w.number)
		case w.number >= 0 && len(w.text) <= 2:
			small = append(small, w)
		case w.text == "fy" || w.text == "fiscal":
			p.fiscal = true
		case grainWords[w.text] != 0 && p.grain == 0:
			p.grain = grainWords[w.text]
		case monthNames[w.text] != 0 && p.grain == 0:
			p.grain, p.n, named = GrainMonth, monthNames[w.text], true
		case weekdayNames[w.text] != 0 && p.grain == 0 && len(list) == 1:
			return period{grain: GrainWeekday, n: weekdayNames[w.text]}, true
		case ordinalNames[w.text] != 0 && p.n == 0:
			p.n = ordinalNames[w.text]
		case (w.text == "st" || w.text == "nd" || w.text == "rd" || w.text == "th") && i > 0 && list[i-1].number >= 0 &&
			w.before == 0:
		case periodFillers[w.text]:
		default:
			return period{}, false
		}
	}
	// the number in the year, before two digits of the year
	if p.n == 0 && len(small) > 0 && (p.grain != 0 || p.year != 0) {
		p.n, small = small[0].number, small[1:]
		if p.grain == 0 { // 2024-01
			if len(list) != 2 || list[1].before != '-' && list[1].before != '/' || p.fiscal {
				return period{}, false
			}
			p.grain = GrainMonth
		}
	}
	if len(small) == 1 && p.year == 0 && p.grain != 0 && len(small[0].text) == 2 {
		if last := list[len(list)-1]; last != small[0] || named && !strings.ContainsRune("-'’", last.before) {
			return period{}, false
		}
		p.year, small = fullYear(small[0].number), nil
	}
	if p.grain == 0 && p.n == 0 && p.year != 0 {
		p.grain, p.n = GrainYear, 1
	}
	// 12M are millions, metres or months
	if len(list) == 2 && p.year == 0 && (list[1].text == "m" || list[1].text == "w") {
		return period{}, false
	}
	return p, p.grain != 0 && len(small) == 0 && p.valid()
}

// fullYear returns the year for two digits, from 1969 to 2068, as in POSIX.
func fullYear(n int) int {
	if n >= 69 {
		return 1900 + n
	}
	return 2000 + n
}

// A periodForm is a format that reads cells as periods.
type periodForm struct {
	grain  Grain
	number bool // read as the number in its year; else as its first day
	last   bool // cells are the last days of periods, not the first
	fiscal bool // read as the label of a fiscal period, whose first day is unknown
	sunday bool // numbers of weekdays start with 0 for Sunday
}

// format returns the name of the format in alignments; periodForms maps it back.
func (f periodForm) format() string {
	switch {
	case f.fiscal:
		return "label of a fiscal " + f.grain.String()
	case f.sunday:
		return "number of the weekday, 0 for Sunday"
	case f.last && f.number:
		return "number of the " + f.grain.String() + " of which it is the last day"
	case f.number:
		return "number of the " + f.grain.String()
	case f.last:
		return "last day of the " + f.grain.String()
	}
	return f.grain.String() + " text"
}

var periodForms = func() map[string]periodForm {
	forms := map[string]periodForm{}
	for g := GrainYear; g <= GrainWeekday; g++ {
		for _, f := range []periodForm{{grain: g}, {grain: g, number: true}, {grain: g, last: true},
			{grain: g, number: true, last: true}, {grain: g, fiscal: true}, {grain: g, number: true, sunday: true}} {
			forms[f.format()] = f
		}
	}
	return forms
}()

// datedLabels are the formats of strings that name a period with its year, and are read as its first day.
var datedLabels = []string{periodForm{grain: GrainHalf}.format(), periodForm{grain: GrainQuarter}.format(),
	periodForm{grain: GrainMonth}.format(), periodForm{grain: GrainWeek}.format()}

// parsePeriodDate returns the first day of the period that a label with a year names.
func parsePeriodDate(s string, f periodForm) (scoring.Value, bool) {
	p, ok := parsePeriod(s)
	if !ok || p.grain != f.grain || p.year == 0 || p.fiscal {
		return scoring.Value{}, false
	}
	return scoring.TimestampValue(scoring.Timestamp, p.first()*86400, 0), true
}

// read returns a cell in the form; ok is false if the cell is not such a period.
func (f periodForm) read(v scoring.Value) (scoring.Value, bool) {
	p, ok := periodOf(v, f.grain, f.last)
	switch {
	case !ok:
		return v, false
	case f.sunday && p.n == 0:
		return scoring.IntValue(7), true
	case f.fiscal:
		return scoring.StringValue(
			scoring.IntValue(int64(p.year)).String() + " " + scoring.IntValue(int64(p.n)).String()), p.year != 0
	case p.n == 0: // only Sunday may be 0
		return v, false
	case f.number && f.grain == GrainYear:
		return scoring.IntValue(int64(p.year)), true
	case f.number:
		return scoring.IntValue(int64(p.n)), true
	}
	return scoring.TimestampValue(scoring.Timestamp, p.first()*86400, 0), p.year != 0
}

// periodOf returns the period of a grain that a cell names, numbers, or has as its first or, if last is set, last day.
// Weekday 0 keeps the number 0.
func periodOf(v scoring.Value, grain Grain, last bool) (p period, ok bool) {
	switch v.Type {
	case scoring.String:
		if p, ok = parsePeriod(v.Text()); ok {
			return p, p.grain == grain && !last
		}
		if d, ok := scoring.ParseTimestamp(strings.TrimSpace(v.Text())); ok {
			return periodOf(d, grain, last)
		}
	case scoring.Date:
		return periodOfDay(v.Int(), grain, last)
	case scoring.Timestamp, scoring.TimestampTZ:
		day, clock := v.Int()/86400, v.Int()%86400
		if clock != 0 || v.Nanos() != 0 {
			if !last || clock != 86399 { // the last second of a day is its end
				return p, false
			}
		}
		return periodOfDay(day, grain, last)
	case scoring.Int64, scoring.Float64, scoring.Decimal:
		n, ok := wholeOf(v)
		switch {
		case !ok || last:
			return p, false
		case grain == GrainYear:
			return period{grain: grain, year: int(n), n: 1}, n >= 1800 && n <= 2200
		case grain == GrainMonth && plausible(n/100, n%100, 1):
			return period{grain: grain, year: int(n / 100), n: int(n % 100)}, true
		case grain == GrainWeek && n/100 >= 1800 && n/100 <= 2200:
			p = period{grain: grain, year: int(n / 100), n: int(n % 100)}
			return p, p.valid()
		}
		p = period{grain: grain, n: int(min(max(n, -1), 99))}
		return p, p.valid() || grain == GrainWeekday && n == 0
	}
	return p, false
}

func periodOfDay(day int64, grain Grain, last bool) (period, bool) {
	if !last {
		return periodFrom(grain, day)
	}
	next, ok := periodFrom(grain, day+1)
	if !ok {
		return next, false
	}
	if grain == GrainWeek {
		return periodFrom(grain, day-6)
	}
	if next.n--; next.n == 0 {
		next.year, next.n = next.year-1, grain.most()
	}
	return next, true
}

// wholeOf returns a number as an integer; ok is false if it is not whole or exceeds 1e9.
func wholeOf(v scoring.Value) (n int64, ok bool) {
	f := magnitude(v)
	if f != f || f < -1e9 || f > 1e9 || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// PeriodText describes a way in which a column can be read as calendar periods.
type PeriodText struct {
	Grain  Grain
	Dated  bool // every cell states its year
	Year   int  // the year of all cells; 0: unknown, or several
	Label  bool // strings that name the grain: 2024-Q1, January
	Day    bool // dates, the first days of their periods …
	Last   bool // … or the last days
	Bare   bool // numbers without a label
	Fiscal bool
	sunday bool // numbers of weekdays, some of them 0
}

// AsDay returns the format that reads the cells as first days of their periods.
func (t *PeriodText) AsDay() string { return periodForm{grain: t.Grain, last: t.Last}.format() }

// AsNumber returns the format that reads the cells as numbers of periods in their years; for years, as the years.
func (t *PeriodText) AsNumber() string {
	return periodForm{grain: t.Grain, number: true, last: t.Last, sunday: t.sunday}.format()
}

// AsLabel returns the format that reads the cells as labels of fiscal periods.
func (t *PeriodText) AsLabel() string { return periodForm{grain: t.Grain, fiscal: true}.format() }

// ReadPeriods returns the ways in which a column can be read as periods: none, one, or several if a number or a day
// fits several grains.
func ReadPeriods(c *scoring.Column) (all []PeriodText) {
	c.Halt().Check()
	for g := GrainYear; g <= GrainWeekday; g++ {
		for _, last := range []bool{false, true} {
			if t, ok := readPeriods(c, g, last); ok {
				all = append(all, t)
			}
		}
	}
	return all
}

func readPeriods(c *scoring.Column, g Grain, last bool) (t PeriodText, ok bool) {
	if !textual(c) && !c.Type.Numeric() &&
		(c.Type != scoring.Date && c.Type != scoring.Timestamp && c.Type != scoring.TimestampTZ) {
		return t, false
	}
	t = PeriodText{Grain: g, Last: last, Dated: true, Year: -1}
	seen, sunday := false, false
	for i := range c.Len() {
		v := c.Value(i)
		if v.IsNull() || v.Type == scoring.String && absent(v.Text()) {
			continue
		}
		p, ok := periodOf(v, g, last)
		if !ok {
			return t, false
		}
		seen, sunday = true, sunday || p.n == 0
		t.Dated, t.Fiscal = t.Dated && p.year != 0, t.Fiscal || p.fiscal
		if t.Year == -1 {
			t.Year = p.year
		} else if t.Year != p.year {
			t.Year = 0
		}
		switch v.Type {
		case scoring.String:
			if _, named := parsePeriod(v.Text()); named {
				t.Label = true
			} else {
				t.Day = true
			}
		case scoring.Int64, scoring.Float64, scoring.Decimal:
			t.Bare = true
		default:
			t.Day = true
		}
	}
	one := map[bool]int{true: 1}
	if !seen || one[t.Label]+one[t.Day]+one[t.Bare] != 1 {
		return t, false
	}
	t.sunday = g == GrainWeekday && sunday
	as := t.AsNumber()
	if t.Dated {
		as = t.AsLabel()
	}
	return t, !merges(c, View{Kind: scoring.KindNumber, Format: as})
}

// JoinedPeriods returns the keys of the first days of periods, with the year from one column and the number or name in
// the year from another; ok is false if a cell is not such a period.
func JoinedPeriods(years, numbers *scoring.Column, g Grain) (keys []uint64, ok bool) {
	keys = make([]uint64, years.Len())
	for i := range keys {
		y, n := years.Value(i), numbers.Value(i)
		if y.IsNull() && n.IsNull() {
			continue
		}
		year, okYear := periodOf(y, GrainYear, false)
		p, okNumber := periodOf(n, g, false)
		if !okYear || !okNumber || year.fiscal {
			return nil, false
		}
		if p.year = year.year; !p.valid() {
			return nil, false
		}
		keys[i] = timeKey(p.first()*86400, 0)
	}
	return keys, len(keys) > 0
}

// PeriodKeys returns the keys of the first days of the periods of a column.
func PeriodKeys(c *scoring.Column, t *PeriodText) []uint64 {
	c.Halt().Check()
	return AllKeys(c, View{Kind: scoring.KindTime, Format: t.AsDay()})
}
