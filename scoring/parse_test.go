package scoring_test

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// rat is the exact value of a number.
func rat(t testing.TB, v scoring.Value) *big.Rat {
	t.Helper()
	switch v.Type {
	case scoring.Int64:
		return new(big.Rat).SetInt64(v.Int())
	case scoring.Float64:
		r, ok := new(big.Rat).SetString(v.String()) // a double equals its shortest decimal
		if !ok {
			t.Fatalf("double %v has no exact value", v.Float())
		}
		return r
	case scoring.Decimal:
		u, wide, scale := v.Decimal()
		if wide == nil {
			wide = big.NewInt(u)
		}
		pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
		if scale < 0 {
			return new(big.Rat).SetInt(pow.Mul(pow, wide))
		}
		return new(big.Rat).SetFrac(wide, pow)
	}
	t.Fatalf("%v is no number", v.Type)
	return nil
}

func TestParseDecimal(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		ok        bool
		want      string // as Value.String writes it
	}{
		{"a whole number", "12", true, "12"},
		{"zero", "0", true, "0"},
		{"minus zero is zero", "-0", true, "0"},
		{"a plus sign", "+7", true, "7"},
		{"the scale is kept", "1.50", true, "1.50"},
		{"no digit before the point", ".5", true, "0.5"},
		{"none behind it", "5.", true, "5"},
		{"small negative", "-0.001", true, "-0.001"},
		{"2^63-1", "9223372036854775807", true, "9223372036854775807"},
		{"-2^63", "-9223372036854775808", true, "-9223372036854775808"},
		{"2^63 needs more than 64 bits", "9223372036854775808", true, "9223372036854775808"},
		{"38 digits", "99999999999999999999999999999999999999", true, "99999999999999999999999999999999999999"},
		{"76 digits, 38 behind the point", "-12345678901234567890123456789012345678.90123456789012345678901234567890123456", true, "-12345678901234567890123456789012345678.90123456789012345678901234567890123456"},
		{"an exponent", "1.5e3", true, "1500"},
		{"an exponent that leaves a fraction", "1.2345E+2", true, "123.45"},
		{"a negative exponent", "5e-3", true, "0.005"},
		{"the exponent takes it beyond 64 bits", "1e30", true, "1000000000000000000000000000000"},
		{"leading zeros", "000123", true, "123"},
		{"the most digits", strings.Repeat("9", scoring.MaxDecimalDigits), true, strings.Repeat("9", scoring.MaxDecimalDigits)},
		{"one more", strings.Repeat("9", scoring.MaxDecimalDigits+1), false, ""},
		{"an exponent that would fill the memory", "1e999999999", false, ""},
		{"and one that would not fit an int", "1e99999999999999999999", false, ""},
		{"nothing", "", false, ""},
		{"a sign only", "-", false, ""},
		{"a point only", ".", false, ""},
		{"two points", "1.2.3", false, ""},
		{"two signs", "--1", false, ""},
		{"a sign behind", "1-", false, ""},
		{"blanks are not its business", " 1", false, ""},
		{"nor groups", "1,000", false, ""},
		{"an exponent without digits", "1e", false, ""},
		{"an exponent with a fraction", "1e1.5", false, ""},
		{"an exponent without a number", "e5", false, ""},
		{"not a number", "NaN", false, ""},
		{"infinity", "Infinity", false, ""},
		{"hexadecimal", "0x10", false, ""},
		{"digits of other scripts", "١٢", false, ""},
	} {
		v, ok := scoring.ParseDecimal(tc.text)
		if ok != tc.ok {
			t.Errorf("%s: ParseDecimal(%.40q) is read: %v, want %v", tc.why, tc.text, ok, tc.ok)
			continue
		}
		if w, okBytes := scoring.ParseDecimal([]byte(tc.text)); okBytes != ok || ok && w.String() != v.String() {
			t.Errorf("%s: text and bytes are read differently", tc.why)
		}
		if ok && (v.Type != scoring.Decimal || v.String() != tc.want) {
			t.Errorf("%s: ParseDecimal(%.40q) = %v %s, want %s", tc.why, tc.text, v.Type, v, tc.want)
		}
	}
}

// What is read is exactly what math/big reads.
func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"0", "-0.10", "1e5", "1.5E-7", "9223372036854775807", "-9223372036854775808", "922337203685477580.8e1", ".", "1e", "00.10", "12345678901234567890123456789.5", "1e-1000", "+.5e+2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := scoring.ParseDecimal(s)
		plain := s != "" && strings.Trim(s, "0123456789+-.eE") == "" // big.Rat also reads 1/2, 0x10 and 1_0
		want, isNumber := new(big.Rat), false
		if plain && len(s) < 900 && !hugeExponent(s) {
			want, isNumber = want.SetString(s)
		} else if ok && plain {
			return // long, but read: the exponent is bounded, so it fits the memory
		}
		if ok != isNumber {
			t.Fatalf("%q is read: %v, math/big reads it: %v", s, ok, isNumber)
		}
		if !ok {
			return
		}
		if rat(t, v).Cmp(want) != 0 {
			t.Fatalf("%q became %s", s, v)
		}
		back, ok := scoring.ParseDecimal(v.String())
		if !ok || back.String() != v.String() {
			t.Fatalf("%q became %s, which is read back as %s", s, v, back)
		}
	})
}

func hugeExponent(s string) bool {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return false
	}
	digits := strings.TrimLeft(strings.TrimLeft(s[i+1:], "+-"), "0")
	return len(digits) > 3
}

func TestParseDate(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		ok        bool
		want      int64
	}{
		{"the epoch", "1970-01-01", true, 0},
		{"the day before", "1969-12-31", true, -1},
		{"a leap day", "2024-02-29", true, 19782},
		{"no leap year", "2023-02-29", false, 0},
		{"a century is none", "1900-02-29", false, 0},
		{"a fourth century is one", "2000-02-29", true, 11016},
		{"the first year", "0001-01-01", true, -719162},
		{"year 0, a leap year", "0000-02-29", true, -719469},
		{"the last of four digits", "9999-12-31", true, 2932896},
		{"the day after it", "10000-01-01", true, 2932897},
		{"before year 0", "-0001-12-31", true, -719529},
		{"month 0", "2024-00-10", false, 0},
		{"month 13", "2024-13-10", false, 0},
		{"day 0", "2024-01-00", false, 0},
		{"day 31 of April", "2024-04-31", false, 0},
		{"one digit", "2024-1-01", false, 0},
		{"three digits of a year", "024-01-01", false, 0},
		{"a zero too many", "02024-01-01", false, 0},
		{"eight digits of a year", "20240101-01-01", false, 0},
		{"other marks", "2024/01/01", false, 0},
		{"something behind", "2024-01-01 ", false, 0},
		{"a digit too many", "2024-01-011", false, 0},
		{"nothing", "", false, 0},
		{"cut short", "2024-01-0", false, 0},
		{"only a year", "2024", false, 0},
		{"a minus alone", "-", false, 0},
	} {
		got, ok := scoring.ParseDate(tc.text)
		if ok != tc.ok || ok && got != tc.want {
			t.Errorf("%s: ParseDate(%q) = %d, %v; want %d, %v", tc.why, tc.text, got, ok, tc.want, tc.ok)
		}
		if ok {
			if s := scoring.DateValue(got).String(); s != tc.text {
				t.Errorf("%s: %q is written back as %q", tc.why, tc.text, s)
			}
		}
	}
}

// Every day of the years 1 to 9999, in steps, against the standard library.
func TestDatesAgreeWithTheStandardLibrary(t *testing.T) {
	for days := int64(-719162); days <= 2932896; days += 13 {
		want := time.Unix(days*86400, 0).UTC().Format("2006-01-02")
		got := scoring.DateValue(days).String()
		if back, ok := scoring.ParseDate(want); got != want || !ok || back != days {
			t.Fatalf("day %d is written %q and read back as %d (%v), want %q", days, got, back, ok, want)
		}
	}
}

func TestParseClock(t *testing.T) {
	const hour, minute, second = 3600e9, 60e9, 1e9
	for _, tc := range []struct {
		why, text string
		ok        bool
		want      int64
	}{
		{"midnight", "00:00:00", true, 0},
		{"without seconds", "09:05", true, 9*hour + 5*minute},
		{"the last nanosecond", "23:59:59.999999999", true, 24*hour - 1},
		{"the end of the day", "24:00:00", true, 24 * hour},
		{"beyond it", "24:00:01", false, 0},
		{"a fraction of one digit", "00:00:01.5", true, 1.5 * second},
		{"digits beyond nanoseconds are dropped", "00:00:00.1234567899", true, 123456789},
		{"a point without digits", "00:00:00.", false, 0},
		{"a point with something else behind", "00:00:00.x", false, 0},
		{"hour 25", "25:00:00", false, 0},
		{"minute 60", "00:60:00", false, 0},
		{"second 60", "00:00:60", false, 0},
		{"one digit", "9:05", false, 0},
		{"no colon", "0905", false, 0},
		{"another mark", "09.05", false, 0},
		{"AM and PM belong to formats", "09:05 PM", false, 0},
		{"cut short", "09:0", false, 0},
		{"cut in the seconds", "09:05:3", false, 0},
		{"a colon with nothing", "09:05:", false, 0},
		{"nothing", "", false, 0},
	} {
		got, ok := scoring.ParseClock(tc.text)
		if ok != tc.ok || ok && got != tc.want {
			t.Errorf("%s: ParseClock(%q) = %d, %v; want %d, %v", tc.why, tc.text, got, ok, tc.want, tc.ok)
		}
	}
}

func TestParseTimestamp(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	wall, instant := scoring.Timestamp, scoring.TimestampTZ
	for _, tc := range []struct {
		why, text string
		want      string // as RFC 3339 at UTC; empty if it cannot be read
		typ       scoring.Type
	}{
		{"a blank between", "2024-05-06 07:08:09", "2024-05-06T07:08:09Z", wall},
		{"a T between", "2024-05-06T07:08:09", "2024-05-06T07:08:09Z", wall},
		{"a small t", "2024-05-06t07:08:09", "2024-05-06T07:08:09Z", wall},
		{"a date is its midnight", "2024-05-06", "2024-05-06T00:00:00Z", wall},
		{"nanoseconds", "2024-05-06 07:08:09.000000001", "2024-05-06T07:08:09.000000001Z", wall},
		{"before 1970 the fraction still counts upwards", "1969-12-31 23:59:59.25", "1969-12-31T23:59:59.25Z", wall},
		{"the end of a day is the next midnight", "2024-02-28 24:00:00", "2024-02-29T00:00:00Z", wall},
		{"Z", "2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z", instant},
		{"z", "2024-05-06T07:08:09z", "2024-05-06T07:08:09Z", instant},
		{"as BigQuery writes it", "2024-05-06 07:08:09 UTC", "2024-05-06T07:08:09Z", instant},
		{"GMT", "2024-05-06 07:08:09 GMT", "2024-05-06T07:08:09Z", instant},
		{"an hour's offset, as PostgreSQL and DuckDB write it", "2024-05-06 07:08:09+02", "2024-05-06T05:08:09Z", instant},
		{"hours and minutes", "2024-05-06 07:08:09.5-03:30", "2024-05-06T10:38:09.5Z", instant},
		{"as Snowflake writes it", "2024-05-06 07:08:09.123 -0700", "2024-05-06T14:08:09.123Z", instant},
		{"across the new year", "2024-01-01 00:30:00+01:00", "2023-12-31T23:30:00Z", instant},
		{"no seconds", "2024-05-06 07:08", "2024-05-06T07:08:00Z", wall},
		{"year 1", "0001-01-01 00:00:00", "0001-01-01T00:00:00Z", wall},
		{"year 9999", "9999-12-31 23:59:59.999999999", "9999-12-31T23:59:59.999999999Z", wall},
		{"a zone's name needs a zone database", "2024-05-06 07:08:09 Europe/Paris", "", 0},
		{"an offset beyond what zones have", "2024-05-06 07:08:09+19:00", "", 0},
		{"minutes of an offset", "2024-05-06 07:08:09+01:60", "", 0},
		{"an offset cut short", "2024-05-06 07:08:09+1", "", 0},
		{"an offset of three digits", "2024-05-06 07:08:09+012", "", 0},
		{"no mark between date and time", "2024-05-0607:08:09", "", 0},
		{"nothing behind the T", "2024-05-06T", "", 0},
		{"a point without digits before the zone", "2024-05-06 07:08:09.Z", "", 0},
		{"another order", "06-05-2024 07:08:09", "", 0},
		{"no day of the calendar", "2023-02-29 00:00:00", "", 0},
		{"nothing", "", "", 0},
	} {
		v, ok := scoring.ParseTimestamp(tc.text)
		if ok != (tc.want != "") {
			t.Errorf("%s: ParseTimestamp(%q) is read: %v", tc.why, tc.text, ok)
			continue
		}
		if !ok {
			continue
		}
		if want := at(tc.want); v.Type != tc.typ || v.Int() != want.Unix() || int(v.Nanos()) != want.Nanosecond() {
			t.Errorf("%s: ParseTimestamp(%q) = %v %v, want %v %v", tc.why, tc.text, v.Type, v, tc.typ, tc.want)
		}
		if back, ok := scoring.ParseTimestamp(v.String()); !ok || back != v {
			t.Errorf("%s: %v is read back as %v", tc.why, v, back)
		}
	}
}

var shortHour = regexp.MustCompile(`[ T]\d:`)

// What the standard library reads in the layouts that both know is read as the same instant, and
// what is read is written back.
func FuzzParseTimestamp(f *testing.F) {
	for _, s := range []string{"2024-02-29T23:59:59.123456789+05:30", "1969-12-31 23:59:59.9", "0001-01-01 00:00:00", "2024-01-01", "-0044-03-15", "2024-01-01 24:00", "12345-06-07", "2024-06-07 08:09:10 -0700"} {
		f.Add(s)
	}
	layouts := []struct {
		layout string
		typ    scoring.Type
	}{{"2006-01-02T15:04:05", scoring.Timestamp}, {"2006-01-02 15:04:05", scoring.Timestamp}, {"2006-01-02 15:04", scoring.Timestamp}, {"2006-01-02", scoring.Timestamp},
		{"2006-01-02 15:04:05Z07:00", scoring.TimestampTZ}, {"2006-01-02T15:04:05Z07:00", scoring.TimestampTZ}, {"2006-01-02 15:04:05 -0700", scoring.TimestampTZ}}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := scoring.ParseTimestamp(s)
		for _, l := range layouts {
			want, err := time.Parse(l.layout, s)
			if err != nil || strings.Contains(s, ",") || shortHour.MatchString(s) || strings.HasSuffix(s, "60") {
				// The library also takes a comma before the fraction, hours of one digit and
				// offsets of 60 minutes.
				continue
			}
			if _, off := want.Zone(); off > 18*3600 || off < -18*3600 {
				continue // farther than any zone
			}
			if !ok || v.Type != l.typ || v.Int() != want.Unix() || int(v.Nanos()) != want.Nanosecond() {
				t.Fatalf("%q became %v %v (%v), the standard library reads %v", s, v.Type, v, ok, want)
			}
		}
		if !ok {
			return
		}
		if v.Nanos() < 0 || v.Nanos() >= 1e9 {
			t.Fatalf("%q has %d nanoseconds", s, v.Nanos())
		}
		if back, ok := scoring.ParseTimestamp(v.String()); !ok || back != v {
			t.Fatalf("%q became %v, which is read back as %v (%v)", s, v, back, ok)
		}
	})
}

// Infinite dates and timestamps are one value, whatever their type, and in order.
func TestInfiniteDates(t *testing.T) {
	for text, sign := range map[string]int64{"infinity": 1, "Infinity": 1, "-infinity": -1} {
		if v, err := scoring.ParseAs(scoring.Date, text); err != nil || v.Int() != sign*math.MaxInt32 {
			t.Errorf("date %s: %v, %v", text, v, err)
		}
		for _, typ := range []scoring.Type{scoring.Timestamp, scoring.TimestampTZ} {
			v, err := scoring.ParseAs(typ, text)
			if err != nil || v.Type != typ || v.Int() != sign*math.MaxInt32*86400 || v.Nanos() != 0 {
				t.Errorf("%v %s: %v, %v, want the beginning of the infinite day", typ, text, v, err)
			}
			if back, ok := scoring.ParseTimestamp(v.String()); !ok || back != v {
				t.Errorf("%v %s: written as %s, read again as %v", typ, text, v, back)
			}
		}
	}
}

func TestParseAs(t *testing.T) {
	for _, tc := range []struct {
		why  string
		typ  scoring.Type
		text string
		want string // "" if it is an error
		is   scoring.Type
	}{
		{"a truth value", scoring.Bool, "TRUE", "true", scoring.Bool},
		{"by its first letter", scoring.Bool, "f", "false", scoring.Bool},
		{"as a number", scoring.Bool, "1", "true", scoring.Bool},
		{"no truth value", scoring.Bool, "maybe", "", 0},
		{"an integer", scoring.Int64, "-42", "-42", scoring.Int64},
		{"one beyond 64 bits stays exact", scoring.Int64, "9223372036854775808", "9223372036854775808", scoring.Decimal},
		{"a fraction is none", scoring.Int64, "1.5", "", 0},
		{"a double", scoring.Float64, "2.5e-3", "0.0025", scoring.Float64},
		{"not a number", scoring.Float64, "NaN", "NaN", scoring.Float64},
		{"minus infinity", scoring.Float64, "-Infinity", "-Infinity", scoring.Float64},
		{"beyond a double", scoring.Float64, "1e400", "", 0},
		{"a decimal", scoring.Decimal, "1.10", "1.10", scoring.Decimal},
		{"no decimal", scoring.Decimal, "1,10", "", 0},
		{"a numeric of PostgreSQL that is no number", scoring.Decimal, "NaN", "NaN", scoring.Float64},
		{"an infinite numeric", scoring.Decimal, "-Infinity", "-Infinity", scoring.Float64},
		{"a date before Christ", scoring.Date, "0044-03-15 BC", "-0043-03-15", scoring.Date},
		{"the year before 1", scoring.Date, "0001-12-31 BC", "0000-12-31", scoring.Date},
		{"a long year before Christ", scoring.Date, "4713-01-01 BC", "-4712-01-01", scoring.Date},
		{"there is no year 0 BC", scoring.Date, "0000-01-01 BC", "", 0},
		{"no date before Christ", scoring.Date, "0044-02-30 BC", "", 0},
		{"a timestamp before Christ", scoring.Timestamp, "0044-03-15 12:00:00.5 BC", "-0043-03-15 12:00:00.5", scoring.Timestamp},
		{"an instant before Christ", scoring.TimestampTZ, "0044-03-15 12:00:00+02 BC", "-0043-03-15 10:00:00Z", scoring.TimestampTZ},
		{"NaN is no date", scoring.Date, "NaN", "", 0},
		{"nor a timestamp", scoring.Timestamp, "NaN", "", 0},
		{"a number before Christ", scoring.Timestamp, "12 BC", "", 0},
		{"a date", scoring.Date, "2024-02-29", "2024-02-29", scoring.Date},
		{"a midnight is a date", scoring.Date, "2024-02-29 00:00:00", "2024-02-29", scoring.Date},
		{"another time is none", scoring.Date, "2024-02-29 00:00:01", "", 0},
		{"nor is an instant", scoring.Date, "2024-02-29 00:00:00Z", "", 0},
		{"a time", scoring.Time, "23:59", "23:59:00", scoring.Time},
		{"no time", scoring.Time, "24:01", "", 0},
		{"a timestamp whose zone is only spelling", scoring.Timestamp, "2024-01-01 00:00:00Z", "2024-01-01 00:00:00", scoring.Timestamp},
		{"an instant without a zone is UTC", scoring.TimestampTZ, "2024-01-01 00:00:00", "2024-01-01 00:00:00Z", scoring.TimestampTZ},
		{"no timestamp", scoring.Timestamp, "yesterday", "", 0},
		{"text", scoring.String, " x ", " x ", scoring.String},
		{"JSON", scoring.JSON, "{}", "{}", scoring.JSON},
	} {
		v, err := scoring.ParseAs(tc.typ, tc.text)
		if tc.want == "" {
			if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "expected") || strings.Contains(err.Error(), tc.text) {
				t.Errorf("%s: error %v; it must say what was expected and not the text", tc.why, err)
			}
			continue
		}
		if err != nil || v.Type != tc.is || v.String() != tc.want {
			t.Errorf("%s: ParseAs(%v, %q) = %v %s, %v; want %v %s", tc.why, tc.typ, tc.text, v.Type, v, err, tc.is, tc.want)
		}
	}
}

func TestTypeNamed(t *testing.T) {
	for name, want := range map[string]scoring.Type{
		"BIGINT": scoring.Int64, "bigint": scoring.Int64, "NUMBER(38,2)": scoring.Decimal, "Decimal(10, 2)": scoring.Decimal, "VARCHAR(16777216)": scoring.String,
		"ARRAY<INT64>": scoring.JSON, "INTEGER[]": scoring.JSON, "STRUCT(a INTEGER, b VARCHAR)": scoring.JSON, "TIMESTAMP(9) WITH TIME ZONE": scoring.TimestampTZ,
		"timestamp with time zone": scoring.TimestampTZ, " double precision ": scoring.Float64, "TIMESTAMP_NTZ(9)": scoring.Timestamp, "HUGEINT": scoring.Decimal,
		"TIME(6)": scoring.Time, "VARIANT": scoring.JSON, "BINARY(8388608)": scoring.Bytes, "ANY": scoring.Any, "BOOLEAN": scoring.Bool, "DATE": scoring.Date,
	} {
		if got, ok := scoring.TypeNamed(name); !ok || got != want {
			t.Errorf("%q is %v (%v), want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "FOO", "(38)", "VAR CHAR", "INT64X"} {
		if got, ok := scoring.TypeNamed(name); ok {
			t.Errorf("%q is taken for %v", name, got)
		}
	}
	for typ := scoring.Null; typ <= scoring.Any; typ++ { // what inline results write is what they read
		if got, ok := scoring.TypeNamed(typ.String()); !ok || got != typ {
			t.Errorf("%v is read back as %v", typ, got)
		}
	}
}

func TestValueString(t *testing.T) {
	wide, _ := new(big.Int).SetString("-12345678901234567890123456789012345678", 10)
	for _, tc := range []struct {
		why  string
		v    scoring.Value
		want string
	}{
		{"NULL", scoring.NullValue, "NULL"},
		{"true", scoring.BoolValue(true), "true"},
		{"the smallest integer", scoring.IntValue(math.MinInt64), "-9223372036854775808"},
		{"a double in shortest form", scoring.FloatValue(0.1), "0.1"},
		{"a whole double", scoring.FloatValue(3), "3"},
		{"minus zero", scoring.FloatValue(math.Copysign(0, -1)), "-0"},
		{"a large double without exponent", scoring.FloatValue(1e20), "100000000000000000000"},
		{"a larger one with", scoring.FloatValue(1e21), "1e+21"},
		{"a small one", scoring.FloatValue(1e-7), "0.0000001"},
		{"a smaller one", scoring.FloatValue(1.5e-8), "1.5e-08"},
		{"infinity", scoring.FloatValue(math.Inf(1)), "Infinity"},
		{"not a number", scoring.FloatValue(math.NaN()), "NaN"},
		{"a decimal keeps its zeros", scoring.DecimalValue(1500, 3), "1.500"},
		{"less than one", scoring.DecimalValue(-5, 3), "-0.005"},
		{"all digits behind the point", scoring.DecimalValue(123, 3), "0.123"},
		{"a negative scale", scoring.DecimalValue(12, -3), "12000"},
		{"zero of a negative scale", scoring.DecimalValue(0, -3), "0"},
		{"38 digits", scoring.BigDecimalValue(wide, 2), "-123456789012345678901234567890123456.78"},
		{"a wide one of a negative scale", scoring.BigDecimalValue(wide, -1), "-123456789012345678901234567890123456780"},
		{"text as it is", scoring.StringValue("a\x00 é😀"), "a\x00 é😀"},
		{"bytes in hexadecimal", scoring.TextValue(scoring.Bytes, "\x00\xff"), "00ff"},
		{"a time", scoring.TimeValue(3723*1e9 + 500), "01:02:03.0000005"},
		{"a timestamp", scoring.TimestampValue(scoring.Timestamp, -1, 250_000_000), "1969-12-31 23:59:59.25"},
		{"an instant", scoring.TimestampValue(scoring.TimestampTZ, 0, 1), "1970-01-01 00:00:00.000000001Z"},
		{"JSON as it is", scoring.TextValue(scoring.JSON, `{"a": 1}`), `{"a": 1}`},
	} {
		if got := tc.v.String(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
	if !scoring.NullValue.IsNull() || scoring.StringValue("").IsNull() {
		t.Error("empty text is not NULL, NULL is")
	}
	if scoring.BigDecimalValue(big.NewInt(7), 1) != scoring.DecimalValue(7, 1) {
		t.Error("a decimal that fits 64 bits has one form")
	}
}
