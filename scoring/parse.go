package scoring

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// MaxDecimalDigits is the maximum number of digits of a decimal, so that 1e999999999 cannot exhaust the memory.
const MaxDecimalDigits = 1000

// ParseDecimal parses a decimal number exactly: an optional sign, digits with at most one point, and an optional
// exponent. ok is false for any other text, including NaN and infinities, and for more than [MaxDecimalDigits].
func ParseDecimal[T string | []byte](s T) (v Value, ok bool) {
	i, neg := 0, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	var unscaled uint64
	digits, scale, point, wide := 0, 0, false, false
	start := i
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if point {
			scale++
		}
		if unscaled > (math.MaxInt64-9)/10 {
			wide = true
		} else {
			unscaled = unscaled*10 + uint64(c-'0')
		}
	}
	mantissa := s[start:i]
	exp := 0
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		e, err := strconv.Atoi(string(s[i+1:]))
		if err != nil {
			return Value{}, false
		}
		exp, i = e, len(s)
	}
	if digits == 0 || i != len(s) || digits > MaxDecimalDigits || exp > MaxDecimalDigits || exp < -MaxDecimalDigits {
		return Value{}, false
	}
	scale -= exp
	if !wide {
		n := int64(unscaled) //nolint:gosec // below MaxInt64, checked digit by digit
		if neg {
			n = -n
		}
		if scale < 0 {
			if up, ok := mulPow10(n, int32(-scale)); ok { //nolint:gosec // bounded above
				return DecimalValue(up, 0), true
			}
			return BigDecimalValue(scaled(n, nil, int32(-scale)), 0), true //nolint:gosec // bounded above
		}
		return DecimalValue(n, int32(scale)), true //nolint:gosec // bounded above
	}
	b, _ := new(big.Int).SetString(strings.Replace(string(mantissa), ".", "", 1), 10)
	if neg {
		b.Neg(b)
	}
	if scale < 0 {
		return BigDecimalValue(scaled(0, b, int32(-scale)), 0), true //nolint:gosec // bounded above
	}
	return BigDecimalValue(b, int32(scale)), true //nolint:gosec // bounded above
}

// digits2 returns the value of the two digits at s[i:], or -1 if there are none.
func digits2(s string, i int) int {
	if i+2 > len(s) || s[i] < '0' || s[i] > '9' || s[i+1] < '0' || s[i+1] > '9' {
		return -1
	}
	return int(s[i]-'0')*10 + int(s[i+1]-'0')
}

// ParseDate parses YYYY-MM-DD and returns days since 1970-01-01. Years after 9999 have up to seven digits. Years
// before 0 have a minus sign, and year 0 is 1 BC (astronomical numbering).
func ParseDate(s string) (days int64, ok bool) {
	days, rest, ok := cutDate(s)
	return days, ok && rest == ""
}

func cutDate(s string) (days int64, rest string, ok bool) {
	year, digits, neg := 0, 0, strings.HasPrefix(s, "-")
	if neg {
		s = s[1:]
	}
	for ; digits < len(s) && digits <= 7 && s[digits] >= '0' && s[digits] <= '9'; digits++ {
		year = year*10 + int(s[digits]-'0')
	}
	if digits < 4 || digits > 7 || digits > 4 && s[0] == '0' || len(s) < digits+6 || s[digits] != '-' ||
		s[digits+3] != '-' {
		return 0, "", false
	}
	if neg {
		year = -year
	}
	m, d := digits2(s, digits+1), digits2(s, digits+4)
	if m < 1 || m > 12 || d < 1 || d > daysIn(year, m) {
		return 0, "", false
	}
	return DaysOf(year, m, d), s[digits+6:], true
}

// DaysOf returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar.
func DaysOf(year, month, day int) int64 {
	days, _ := floorDiv(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix(), 86400)
	return days
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// ParseClock parses HH:MM[:SS[.fraction]] and returns nanoseconds since midnight. 24:00:00 is the end of the day.
func ParseClock(s string) (nanos int64, ok bool) {
	nanos, rest, ok := cutClock(s)
	return nanos, ok && rest == ""
}

func cutClock(s string) (nanos int64, rest string, ok bool) {
	h, m := digits2(s, 0), digits2(s, 3)
	if h < 0 || h > 24 || m < 0 || m > 59 || s[2] != ':' {
		return 0, "", false
	}
	nanos, rest = int64(h*3600+m*60)*1e9, s[5:]
	if strings.HasPrefix(rest, ":") {
		sec := digits2(rest, 1)
		if sec < 0 || sec > 59 {
			return 0, "", false
		}
		nanos, rest = nanos+int64(sec)*1e9, rest[3:]
		if len(rest) > 1 && rest[0] == '.' {
			i, unit := 1, int64(1e8)
			for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
				nanos += int64(rest[i]-'0') * unit
				unit /= 10
			}
			if i == 1 {
				return 0, "", false
			}
			rest = rest[i:]
		}
	}
	return nanos, rest, nanos <= 86400e9
}

// ParseTimestamp parses YYYY-MM-DD, a 'T' or blanks, HH:MM[:SS[.fraction]] and an optional zone: Z, UTC, ±HH, ±HHMM
// or ±HH:MM. The value is a [TimestampTZ] with a zone and a [Timestamp] without one. A date without a time is
// midnight.
func ParseTimestamp(s string) (Value, bool) {
	days, rest, ok := cutDate(s)
	if !ok {
		return Value{}, false
	}
	secs := days * 86400
	if rest == "" {
		return TimestampValue(Timestamp, secs, 0), true
	}
	if rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
		return Value{}, false
	}
	nanos, rest, ok := cutClock(strings.TrimLeft(rest[1:], " "))
	if !ok {
		return Value{}, false
	}
	v := TimestampValue(Timestamp, secs+nanos/1e9, int32(nanos%1e9)) //nolint:gosec // below 1e9
	zone := strings.TrimLeft(rest, " ")
	switch {
	case zone == "":
		return v, true
	case zone == "Z" || zone == "z" || strings.EqualFold(zone, "UTC") || strings.EqualFold(zone, "GMT"):
		v.Type = TimestampTZ
		return v, true
	case zone[0] != '+' && zone[0] != '-':
		return Value{}, false
	}
	h, tail := digits2(zone, 1), zone[min(3, len(zone)):]
	m := 0
	if tail != "" {
		tail = strings.TrimPrefix(tail, ":")
		if m = digits2(tail, 0); len(tail) != 2 {
			m = -1
		}
	}
	if h < 0 || h > 18 || m < 0 || m > 59 {
		return Value{}, false
	}
	off := int64(h*3600 + m*60)
	if zone[0] == '-' {
		off = -off
	}
	v.Type = TimestampTZ
	v.num -= off
	return v, true
}

// ParseAs parses text as a value of type t. The error states the expected form and does not contain the text.
func ParseAs(t Type, text string) (Value, error) {
	switch t {
	case Bool:
		switch strings.ToLower(text) {
		case "true", "t", "1":
			return BoolValue(true), nil
		case "false", "f", "0":
			return BoolValue(false), nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected true or false")
	case Int64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return IntValue(n), nil
		}
		if v, ok := ParseDecimal(text); ok && v.aux == 0 { // beyond 64 bits: still exact
			return v, nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected an integer")
	case Float64:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return FloatValue(f), nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected a number, NaN, Infinity or -Infinity")
	case Decimal:
		if v, ok := ParseDecimal(text); ok {
			return v, nil
		}
		if f, ok := notFinite[strings.ToLower(text)]; ok { // PostgreSQL's numeric has them
			return FloatValue(f), nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected a decimal of at most %d digits", MaxDecimalDigits)
	case Date:
		if d, ok := ParseDate(text); ok {
			return DateValue(d), nil
		}
		if v, ok := ParseTimestamp(text); ok && v.num%86400 == 0 && v.aux == 0 && v.Type == Timestamp {
			return DateValue(v.num / 86400), nil
		}
		if f, ok := notFinite[strings.ToLower(text)]; ok && f == f { //nolint:gocritic // not NaN
			return DateValue(int64(math.Copysign(InfiniteDay, f))), nil
		}
		if d, ok := ParseDate(astronomical(text)); ok {
			return DateValue(d), nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected a date YYYY-MM-DD")
	case Time:
		if n, ok := ParseClock(text); ok {
			return TimeValue(n), nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected a time HH:MM:SS[.fraction]")
	case Timestamp, TimestampTZ:
		if v, ok := ParseTimestamp(text); ok {
			v.Type = t // a TIMESTAMPTZ without a zone is UTC; the zone of a TIMESTAMP is spelling
			return v, nil
		}
		if f, ok := notFinite[strings.ToLower(text)]; ok && f == f { //nolint:gocritic // not NaN
			return TimestampValue(t, int64(math.Copysign(InfiniteDay, f))*86400, 0), nil
		}
		if v, ok := ParseTimestamp(astronomical(text)); ok {
			v.Type = t
			return v, nil
		}
		return Value{}, errcode.New(errcode.InvalidArgument, "expected a timestamp YYYY-MM-DD HH:MM:SS[.fraction][zone]")
	}
	return TextValue(t, text), nil
}

// InfiniteDay represents an infinite date, and its midnight an infinite timestamp, in days since 1970-01-01; its
// negative is minus infinity. It sorts after all dates, and no engine has that day: DuckDB's last one is the day
// before.
const InfiniteDay = math.MaxInt32

// notFinite maps the words for NaN and the infinities, in lower case, to their values. Infinite dates use the same
// words.
var notFinite = map[string]float64{"nan": math.NaN(), "infinity": math.Inf(1), "+infinity": math.Inf(1),
	"-infinity": math.Inf(-1)}

// astronomical converts a PostgreSQL date or timestamp that ends with BC to ISO 8601: the year 1 BC is 0000. It
// returns "" for other strings.
func astronomical(text string) string {
	date, bc := strings.CutSuffix(text, " BC")
	year, rest, ok := strings.Cut(date, "-")
	n, err := strconv.Atoi(year)
	switch {
	case !bc || !ok || err != nil || n < 1 || len(year) < 4:
		return ""
	case n == 1:
		return "0000-" + rest
	}
	return fmt.Sprintf("-%04d-%s", n-1, rest)
}
