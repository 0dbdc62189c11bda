package cell

import (
	"math"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring"
)

// durationUnits maps words for units of time to nanoseconds.
var durationUnits = func() map[string]int64 {
	units := map[string]int64{}
	for words, nanos := range map[string]int64{
		"w wk wks week weeks": 7 * 86400e9, "d day days": 86400e9, "h hr hrs hour hours std": 3600e9,
		"m min mins minute minutes": 60e9, "s sec secs second seconds": 1e9,
		"ms msec msecs millisecond milliseconds": 1e6, "us µs μs usec microsecond microseconds": 1e3,
		"ns nanosecond nanoseconds": 1,
	} {
		for _, w := range strings.Fields(words) {
			units[w] = nanos
		}
	}
	return units
}()

// A duration is a parsed duration and how it was written.
type duration struct {
	nanos  int64
	fields int  // number of fields separated by colons: 2 in 1:30, which may be hours and minutes or minutes and seconds
	units  int  // number of words for units
	point  bool // the last field has a fraction, so that two fields are minutes and seconds
	metres bool // its only unit is m, which may be metres
}

// parseDuration parses a duration: 01:30:00, 1:23.456 (minutes and seconds), 1h 30m, 90 minutes, PT1H30M, 1 day
// 02:00:00, and BigQuery's "0-0 1 2:0:0". Two fields are minutes and seconds if they have a fraction or minutes is
// true, else hours and minutes. Months and years have no fixed length and are not accepted.
func parseDuration(s string, minutes bool) (d duration, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) > 64 {
		return d, false
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "@"))
	sign := int64(1)
	if t, neg := strings.CutPrefix(s, "-"); neg {
		sign, s = -1, strings.TrimSpace(t)
	}
	if strings.HasPrefix(s, "P") {
		d.nanos, ok = parseISODuration(s[1:])
		d.units, d.nanos = 1, sign*d.nanos
		return d, ok
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "0-0 "), "+")
	smallest := int64(math.MaxInt64) // units come from large to small, each once
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ':' })
		if i < 0 {
			i = len(s)
		}
		number := s[:i]
		s = strings.TrimLeft(s[i:], " ")
		if strings.Contains(number, ":") {
			if s != "" || d.fields > 0 || smallest < 86400e9 {
				return d, false
			}
			clock, fields, ok := parseFields(number, minutes)
			d.nanos, d.fields, d.point = sign*(d.nanos+clock), fields, strings.Contains(number, ".")
			return d, ok
		}
		j := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
		if j < 0 {
			j = len(s)
		}
		word := strings.ToLower(s[:j])
		unit, known := durationUnits[word]
		if word == "" && strings.Contains(s, ":") && d.units == 0 { // 1 02:00:00: days come first
			unit, known = 86400e9, true
		} else {
			d.units++
		}
		n, exact := nanosOf(number, unit)
		if !known || !exact || unit >= smallest {
			return d, false
		}
		d.metres = word == "m" && d.units == 1
		smallest = unit
		d.nanos += n
		s = strings.TrimLeft(s[j:], ", .")
		s = strings.TrimPrefix(strings.TrimPrefix(s, "and "), "und ")
	}
	d.nanos *= sign
	return d, d.units > 0
}

// parseFields parses H:MM:SS, or two fields: minutes and seconds if minutes is set or the last has a fraction, else
// hours and minutes. Only the first field may have more than two digits.
func parseFields(s string, minutes bool) (nanos int64, fields int, ok bool) {
	parts := strings.Split(s, ":")
	last := parts[len(parts)-1]
	units := []int64{3600e9, 60e9, 1e9}
	if len(parts) == 2 {
		units = units[:2]
		if minutes || strings.Contains(last, ".") {
			units = []int64{60e9, 1e9}
		}
	}
	if len(parts) != len(units) {
		return 0, 0, false
	}
	for i, part := range parts {
		whole, _, fraction := strings.Cut(part, ".")
		n, exact := nanosOf(part, units[i])
		if !exact || fraction && i < len(parts)-1 || i > 0 && (len(whole) > 2 || n >= 60*units[i]) ||
			i > 0 && len(parts) == 2 && len(whole) != 2 {
			return 0, 0, false
		}
		nanos += n
	}
	return nanos, len(parts), true
}

// parseISODuration parses an ISO 8601 duration after its P; ok is false if it has months or years.
func parseISODuration(s string) (nanos int64, ok bool) {
	units, clock := "WD", false
	last := -1
	for s != "" {
		if s[0] == 'T' && !clock {
			units, clock, s, last = "HMS", true, s[1:], -1
			continue
		}
		i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i <= 0 {
			return 0, false
		}
		at := strings.IndexByte(units, s[i])
		if at <= last {
			return 0, false
		}
		n, exact := nanosOf(s[:i], durationUnits[strings.ToLower(s[i:i+1])])
		if !exact {
			return 0, false
		}
		nanos, s, last, ok = nanos+n, s[i+1:], at, true
	}
	return nanos, ok
}

// nanosOf returns a decimal number of units in nanoseconds; ok is false if number has a sign or is not a number, or the
// result is not an integer.
func nanosOf(number string, unit int64) (nanos int64, ok bool) {
	v, ok := scoring.ParseDecimal(number)
	if !ok || unit == 0 || number[0] == '-' || number[0] == '+' {
		return 0, false
	}
	p := product(v, scoring.IntValue(unit))
	u, wide, scale := p.Decimal()
	if wide != nil {
		return 0, false
	}
	for ; scale > 0; scale-- {
		if u%10 != 0 {
			return 0, false
		}
		u /= 10
	}
	return u, true
}

// durationForms are the formats that read durations as numbers of a unit of time.
var durationForms = map[string]struct {
	unit    int64
	minutes bool // two fields are minutes and seconds
}{
	DurationIn("s", false): {1e9, false}, DurationIn("s", true): {1e9, true}, DurationIn("ms", false): {1e6, false},
	DurationIn("ms", true):   {1e6, true},
	DurationIn("min", false): {60e9, false}, DurationIn("min", true): {60e9, true},
	DurationIn("h", false): {3600e9, false}, DurationIn("h", true): {3600e9, true},
	DurationIn("d", false): {86400e9, false}, DurationIn("d", true): {86400e9, true},
}

// DurationIn returns the format that reads durations as numbers of a unit: ms, s, min, h or d. If minutes is set, two
// fields are minutes and seconds.
func DurationIn(unit string, minutes bool) string {
	if minutes {
		return "duration text, minutes first, in " + unit
	}
	return "duration text in " + unit
}

// readDuration returns a duration or a time of day as a number of units of the given nanoseconds; ok is false if the
// cell is neither.
func readDuration(v scoring.Value, unit int64, minutes bool) (scoring.Value, bool) {
	nanos := int64(0)
	switch v.Type {
	case scoring.Time:
		nanos = v.Int()
	case scoring.String:
		d, ok := parseDuration(v.Text(), minutes)
		if !ok {
			return v, false
		}
		nanos = d.nanos
	default:
		return v, false
	}
	switch unit {
	case 1e9:
		return scoring.DecimalValue(nanos, 9), true
	case 1e6:
		return scoring.DecimalValue(nanos, 6), true
	}
	if nanos%unit == 0 {
		return scoring.IntValue(nanos / unit), true
	}
	return scoring.FloatValue(float64(nanos) / float64(unit)), true
}

// maxSecondDigits is the maximum number of decimals of a second that count as shown by durations, since engines that
// average intervals are not exact beyond.
const maxSecondDigits = 3

// DurationStep returns the last place that durations with hours, minutes and seconds show, in the unit of the view. ok
// is false for other columns and formats, and for seconds and milliseconds, whose decimals the numbers show.
func DurationStep(c *scoring.Column, v View) (step float64, ok bool) {
	form, ok := durationForms[v.Format]
	if !ok || form.unit <= 1e9 || c.Type != scoring.String {
		return 0, false
	}
	digits := 0
	ok = every(c, func(s string) bool {
		_, fraction, _ := strings.Cut(s, ".")
		digits = max(digits, len(strings.TrimRight(fraction, "0")))
		d, ok := parseDuration(s, form.minutes)
		return ok && d.fields == 3
	})
	return 1e9 / float64(form.unit) * Pow10(-min(digits, maxSecondDigits)), ok
}

// DurationText describes how a column can be read as durations.
type DurationText struct {
	TwoFields bool // a cell has two fields: hours and minutes, or minutes and seconds …
	Minutes   bool // … minutes and seconds, since a cell has a fraction or three fields
	Clock     bool // the column is of type Time
}

// ReadDurations returns how a column can be read as durations. ok is false if it cannot, and if all cells have only the
// unit m, since these are meters.
func ReadDurations(c *scoring.Column) (t DurationText, ok bool) {
	c.Halt().Check()
	if c.Type == scoring.Time {
		return DurationText{Clock: true}, true
	}
	if c.Type != scoring.String {
		return t, false
	}
	two, three, point, metres := false, false, false, true
	ok = every(c, func(s string) bool {
		d, ok := parseDuration(s, false)
		two, three = two || d.fields == 2, three || d.fields == 3
		point, metres = point || d.fields == 2 && d.point, metres && d.metres
		return ok
	})
	t = DurationText{TwoFields: two, Minutes: two && (three || point)}
	return t, ok && !metres && !merges(c, View{Kind: scoring.KindNumber, Format: DurationIn("s", t.Minutes)})
}
