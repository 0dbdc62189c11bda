package cell

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

func TestParseNumber(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		comma     bool
		want      string // "" if it is not a number
		marks     marks
	}{
		{"plain", "1234.50", false, "1234.50", 0},
		{"negative", "-7", false, "-7", 0},
		{"with a plus", "+7", false, "7", 0},
		{"with an exponent", "1.5E+03", false, "1500", 0},
		{"with outer blanks", "  12 ", false, "12", 0},
		{"a minus as typesetters set it", "−3.5", false, "-3.5", 0},
		{"less than one", ".5", false, "0.5", 0},
		{"exact beyond doubles", "12,345,678,901,234,567,890.12", false, "12345678901234567890.12", markGrouped},

		{"dollars", "$1,234.50", false, "1234.50", markCurrency | markGrouped},
		{"a blank after the sign", "$ 5", false, "5", markCurrency},
		{"dollars below zero", "-$5.00", false, "-5.00", markCurrency},
		{"or the sign inside", "$-5.00", false, "-5.00", markCurrency},
		{"not twice", "-$-5.00", false, "", 0},
		{"euros behind", "5,50 €", true, "5.50", markCurrency},
		{"euros before", "€1.234,50", true, "1234.50", markCurrency | markGrouped},
		{"pounds", "£12", false, "12", markCurrency},
		{"a code", "USD 12.00", false, "12.00", markCurrency},
		{"a code behind", "12.00 CHF", false, "12.00", markCurrency},
		{"a currency without an amount", "$", false, "", 0},
		{"an unknown word", "12 apples", false, "", 0},
		{"a unit before", "approx 12", false, "", 0},

		{"accounting", "(1,234.50)", false, "-1234.50", markGrouped},
		{"accounting with a currency", "($3)", false, "-3", markCurrency},
		{"accounting and percent", "(12.5%)", false, "-12.5", markPercent},
		{"a sign inside says it twice", "(-3)", false, "", 0},
		{"empty parentheses", "()", false, "", 0},
		{"one parenthesis", "(3", false, "", 0},

		{"percent", "12.5%", false, "12.5", markPercent},
		{"percent with a blank", "12.5 %", false, "12.5", markPercent},
		{"negative percent", "-3%", false, "-3", markPercent},
		{"percent with a decimal comma", "12,5 %", true, "12.5", markPercent},
		{"percent alone", "%", false, "", 0},

		{"groups", "1,234,567", false, "1234567", markGrouped},
		{"groups of points", "1.234.567,8", true, "1234567.8", markGrouped},
		{"French groups", "1 234 567,89", true, "1234567.89", markGrouped},
		{"French groups with no-break blanks", "1\u202f234\u00a0", true, "1234", markGrouped},
		{"no-break blanks of both kinds in one number", "1\u202f234\u00a0567", true, "", 0},
		{"Swiss groups", "1'234'567.89", false, "1234567.89", markGrouped},
		{"Swiss groups, typeset", "1’234.5", false, "1234.5", markGrouped},
		{"groups as in programs", "1_000_000", false, "1000000", markGrouped},
		{"Indian groups", "12,34,567.50", false, "1234567.50", markGrouped},
		{"Indian groups of one digit", "₹1,23,456", false, "123456", markCurrency | markGrouped},
		{"Indian groups have commas", "12 34 567", false, "", 0},
		{"Indian groups begin with at most two", "123,45,678", false, "", 0},
		{"a group too short", "1,23", false, "", 0},
		{"a group too long", "1,2345", false, "", 0},
		{"the last group too short", "1,234,56", false, "", 0},
		{"the first group too long", "1234,567", false, "", 0},
		{"an empty group", "1,,234", false, "", 0},
		{"a group mark first", ",123", false, "", 0},
		{"a group mark last", "1,", false, "", 0},
		{"marks of two kinds", "1,234'567", false, "", 0},
		{"groups behind the point", "1.234,567", false, "", 0},
		{"a decimal comma is no group of three", "0,123", false, "", 0},
		{"a decimal comma", "0,123", true, "0.123", 0},
		{"French groups and a comma are not all groups", "1 234,567", false, "", 0},
		{"but a number with a decimal comma", "1 234,567", true, "1234.567", markGrouped},
		{"two decimal points", "1.2.3", false, "", 0},
		{"two decimal commas", "1,2,3", true, "", 0},
		{"groups and an exponent", "1,234e5", false, "", 0},

		{"a telephone number", "555-1234", false, "", 0},
		{"with a country", "+44 123 456", false, "", 0},
		{"in parentheses", "(555) 123-4567", false, "", 0},
		{"in fours", "1234 5678", false, "", 0},
		{"a version", "1.10.2", false, "", 0},
		{"a version, letters", "v1.2", false, "", 0},
		{"an address of a machine", "192.168.0.1", false, "", 0},
		{"an address of a machine read with commas", "192.168.0.1", true, "", 0},
		{"a date", "2024-01-05", false, "", 0},
		{"a date with slashes", "01/05/2024", false, "", 0},
		{"a date with points", "05.01.2024", false, "", 0},
		{"a date with points read with commas", "05.01.2024", true, "", 0},
		{"a time", "12:30", false, "", 0},
		{"a range", "1-5", false, "", 0},
		{"a fraction", "1/2", false, "", 0},
		{"a product code", "A12", false, "", 0},
		{"hexadecimal", "0x1F", false, "", 0},
		{"not a number", "NaN", false, "", 0},
		{"infinity", "inf", false, "", 0},
		{"nothing", "", false, "", 0},
		{"blank", "  ", false, "", 0},
		{"words", "n/a", false, "", 0},
		{"a dash for nothing", "-", false, "", 0},
		{"an exponent alone", "e5", false, "", 0},
		{"an exponent that is cut", "5e", false, "", 0},
	} {
		v, m, ok := ParseNumber(tc.text, tc.comma)
		if !ok {
			if tc.want != "" {
				t.Errorf("%s: %q is not read, want %s", tc.why, tc.text, tc.want)
			}
			continue
		}
		if v.String() != tc.want || m != tc.marks {
			t.Errorf("%s: %q (decimal comma: %v) is %s with marks %b, want %q with %b", tc.why, tc.text, tc.comma, v, m, tc.want, tc.marks)
		}
	}
}

// However a number is written, it is read as that number.
func TestParseNumberReadsWhatIsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 20_000 {
		n, scale := rng.Int64N(int64(math.Pow10(1+rng.IntN(15)))), int32(rng.IntN(4)) //nolint:gosec // small
		v := scoring.DecimalValue(n, scale)
		comma := rng.IntN(2) == 0
		whole, fraction, _ := strings.Cut(v.String(), ".")
		mark, point := []string{"", ",", "'", " ", "_", "\u00a0", "\u202f"}[rng.IntN(7)], "."
		if comma {
			point = ","
			if mark == "," {
				mark = "."
			}
		}
		grouped := ""
		for i := range len(whole) {
			if i > 0 && (len(whole)-i)%3 == 0 {
				grouped += mark
			}
			grouped += whole[i : i+1]
		}
		text := grouped
		if fraction != "" {
			text += point + fraction
		}
		before, after := []string{"", "$", "€ ", "USD "}[rng.IntN(4)], ""
		if before == "" {
			after = []string{"", "%", " kr", " %"}[rng.IntN(4)]
		}
		text = before + text + after
		if rng.IntN(3) == 0 {
			v = scoring.DecimalValue(-n, scale)
			text = []string{"-" + text, "(" + text + ")", "−" + text}[rng.IntN(3)]
		}
		got, _, ok := ParseNumber(text, comma)
		if !ok || valueKey(got) != valueKey(v) {
			t.Fatalf("%q (decimal comma: %v) is %s, %v; want %s", text, comma, got, ok, v)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"$1,234.50", "(3)", "12,5 %", "1'234", "12,34,567", "€ -5", "1e5", "−1", "kr", "1\u202f234"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, comma := range []bool{false, true} {
			v, _, ok := ParseNumber(s, comma)
			if !ok {
				continue
			}
			if v.Type != scoring.Decimal || !strings.ContainsAny(s, "0123456789") {
				t.Fatalf("%q is read as %v %s", s, v.Type, v)
			}
			if digits(v.String()) != digits(s) && !strings.ContainsAny(s, "eE") {
				t.Fatalf("%q is read as %s: digits are lost", s, v)
			}
		}
		for _, format := range slices.Concat([]string{FormatISO}, datedLabels, dateLayouts) {
			if v, ok := parseDate(s, format); ok && !v.Type.Temporal() {
				t.Fatalf("%q is read as %v", s, v.Type)
			}
		}
	})
}

func digits(s string) string {
	return strings.TrimLeft(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s), "0")
}

func textColumn(texts ...string) *scoring.Column {
	b := scoring.NewBuilder("c", scoring.String, len(texts))
	for _, s := range texts {
		if s == "NULL" {
			b.AppendNull()
		} else if err := b.AppendText(scoring.String, []byte(s)); err != nil {
			panic(err)
		}
	}
	c := b.Column()
	return &c
}

func TestNumberFormat(t *testing.T) {
	for _, tc := range []struct {
		why   string
		texts []string
		want  string // "" if the column is not one of numbers
	}{
		{"plain numbers", []string{"1", "2.5", "NULL", ""}, FormatNumber},
		{"one currency is enough", []string{"1", "$2.50"}, FormatCurrency},
		{"a currency and a percentage are two units", []string{"$1", "2%"}, ""},
		{"two currencies are two units", []string{"$1", "€2"}, ""},
		{"a sign and its code are one", []string{"$1", "USD 2"}, FormatCurrency},
		{"numbers do not begin with zeros", []string{"007", "8"}, ""},
		{"nor are two texts one number", []string{"1.10", "1.1"}, ""},
		{"nor do numbers have the digits of versions", []string{"1.10", "1.2"}, ""},
		{"doubles as programs print them", []string{"1.0", "2.25", "30.0"}, FormatNumber},
		{"codes with an e", []string{"12e3", "5"}, ""},
		{"doubles with an exponent", []string{"1.5e-07", "2"}, FormatNumber},
		{"footnotes", []string{"(1)", "(2)"}, ""},
		{"accounting", []string{"(1.50)", "2.00"}, FormatNumber},
		{"short forms", []string{"1.2M", "850K"}, FormatShort},
		{"quantities of one dimension", []string{"1.5 km", "300 m"}, FormatQuantity},
		{"quantities of two", []string{"1.5 km", "2 kg"}, ""},
		{"percent", []string{"1%", "2"}, FormatPercent},
		{"a point in groups only", []string{"1,234", "5"}, FormatNumber},
		{"decimal commas", []string{"1,5", "2"}, FormatComma},
		{"German groups that no point could be", []string{"1.234,50", "2,00"}, FormatComma},
		{"fractions of three digits", []string{"0,125", "0,250"}, FormatComma},
		{"months", []string{"January", "Feb", "Smarch"}, ""},
		{"months, all of them", []string{"January", "feb.", "DEC"}, FormatMonth},
		{"points in groups with no comma anywhere", []string{"192.168.100.101", "10.200.300.400"}, ""},
		{"a word among them", []string{"1", "soon"}, ""},
		{"words for NULL among them", []string{"1", "n/a", "NaN", `\N`, "-"}, FormatNumber},
		{"nothing but words for NULL", []string{"n/a", "None"}, ""},
		{"nothing", []string{"", "NULL", " "}, ""},
		{"no rows", nil, ""},
	} {
		got, ok := NumberFormat(textColumn(tc.texts...))
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %q (%v), want %q", tc.why, got, ok, tc.want)
		}
	}
	b := scoring.NewBuilder("c", scoring.Null, 0)
	b.Append(scoring.IntValue(5))
	b.Append(scoring.StringValue("$6"))
	mixed := b.Column()
	if got, ok := NumberFormat(&mixed); got != FormatCurrency || !ok {
		t.Errorf("numbers and text for numbers in one column: %q, %v", got, ok)
	}
	b = scoring.NewBuilder("c", scoring.Int64, 0)
	b.AppendInt(5)
	ints := b.Column()
	if _, ok := NumberFormat(&ints); ok {
		t.Error("integers are not text for numbers")
	}
}

func TestDateFormats(t *testing.T) {
	day := func(y, m, d int) string { return scoring.DateValue(scoring.DaysOf(y, m, d)).String() + " 00:00:00" }
	for _, tc := range []struct {
		why   string
		texts []string
		reads []string // what the first value may be; none where the column is not one of dates
	}{
		{"ISO", []string{"2024-01-05", "NULL"}, []string{day(2024, 1, 5)}},
		{"ISO with a time", []string{"2024-01-05 12:30:00", "2024-01-06"}, []string{"2024-01-05 12:30:00"}},
		{"day, month in letters, year", []string{"05 Jan 2024", "6 FEB 2024"}, []string{day(2024, 1, 5)}},
		{"as databases write it", []string{"05-JAN-24"}, []string{day(2024, 1, 5)}},
		{"American, long", []string{"January 5, 2024"}, []string{day(2024, 1, 5)}},
		{"month and day could change places", []string{"01/05/2024", "2/3/2024"}, []string{day(2024, 1, 5), day(2024, 5, 1)}},
		{"a day beyond 12 says which is which", []string{"01/05/2024", "02/13/2024"}, []string{day(2024, 1, 5)}},
		{"a day beyond 12 in the other place", []string{"01/05/2024", "13/02/2024"}, []string{day(2024, 5, 1)}},
		{"days beyond 12 in both places", []string{"01/13/2024", "13/02/2024"}, nil},
		{"German", []string{"5.1.2024"}, []string{day(2024, 1, 5)}},
		{"Japanese", []string{"2024/01/05"}, []string{day(2024, 1, 5)}},
		{"eight digits", []string{"20240105"}, []string{day(2024, 1, 5)}},
		{"a month", []string{"Jan 2024", "Feb 2024"}, []string{day(2024, 1, 1)}},
		{"a month in digits", []string{"2024-03"}, []string{day(2024, 3, 1)}},
		{"a weekday", []string{"Fri, 5 Jan 2024"}, []string{day(2024, 1, 5)}},
		{"a clock of twelve hours", []string{"Jan 5, 2024 3:04 PM"}, []string{"2024-01-05 15:04:00"}},
		{"of a mail", []string{"Fri, 05 Jan 2024 15:04:05 GMT"}, []string{"2024-01-05 15:04:05"}},
		{"of a mail with an offset", []string{"Fri, 05 Jan 2024 15:04:05 +0200"}, []string{"2024-01-05 13:04:05"}},
		{"of a mail from a zone that only some machines know", []string{"Fri, 05 Jan 2024 15:04:05 EST"}, nil},
		{"quarters", []string{"2024-Q1", "2023Q4", "Q2 2024"}, []string{day(2024, 1, 1)}},
		{"a quarter, the other way round", []string{"q3-2024"}, []string{day(2024, 7, 1)}},
		{"no fifth quarter", []string{"2024-Q5"}, nil},
		{"no quarter of a fraction", []string{"20.24Q1"}, nil},
		{"no quarter of two digits", []string{"24-Q1"}, nil},
		{"a day that is not in the calendar", []string{"2023-02-29"}, nil},
		{"words", []string{"soon"}, nil},
		{"a number", []string{"12"}, nil},
		{"nothing", []string{"", "NULL"}, nil},
	} {
		c := textColumn(tc.texts...)
		var reads []string
		for _, f := range DateFormats(c) {
			v := Read(c, View{Kind: scoring.KindTime, Format: f}, 0)
			if !v.Type.Temporal() {
				t.Errorf("%s: format %q reads %q as %v", tc.why, f, tc.texts[0], v.Type)
			}
			if s := strings.TrimSuffix(v.String(), "Z"); !slices.Contains(reads, s) {
				reads = append(reads, s)
			}
		}
		if !slices.Equal(reads, tc.reads) {
			t.Errorf("%s: %q may be %q, want %q", tc.why, tc.texts[0], reads, tc.reads)
		}
	}
	for _, tc := range []struct {
		why  string
		ints []int64
		want string
		read string
	}{
		{"days", []int64{20240105, 19991231}, formatCompact, "2024-01-05"},
		{"months", []int64{202403, 199912}, formatYearMon, "2024-03-01"},
		{"a day that is not in the calendar", []int64{20240105, 20230229}, "", ""},
		{"month 13", []int64{20241301}, "", ""},
		{"a year of another age", []int64{10240105}, "", ""},
		{"other numbers", []int64{1, 2}, "", ""},
		{"none", nil, "", ""},
	} {
		b := scoring.NewBuilder("c", scoring.Int64, 0)
		b.AppendNull()
		for _, n := range tc.ints {
			b.AppendInt(n)
		}
		c := b.Column()
		formats := DateFormats(&c)
		if got := strings.Join(formats, ","); got != tc.want {
			t.Errorf("%s: formats %q, want %q", tc.why, got, tc.want)
			continue
		}
		if tc.want == "" {
			continue
		}
		v := View{Kind: scoring.KindTime, Format: tc.want}
		if got := Read(&c, v, 1); got.String() != tc.read || !Read(&c, v, 0).IsNull() {
			t.Errorf("%s: read as %s, want %s", tc.why, got, tc.read)
		}
	}
}

// Every layout reads back what it writes, in whatever zone the machine is.
func TestDateLayoutsReadWhatTheyWrite(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	at := time.Date(2024, 2, 13, 15, 4, 0, 0, time.UTC)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("EST", -5*3600), time.FixedZone("GMT", 3600)} {
		time.Local = zone
		for _, layout := range dateLayouts {
			want, err := time.ParseInLocation(layout, at.Format(layout), time.UTC)
			if err != nil {
				t.Fatalf("%q does not read itself: %v", layout, err)
			}
			if v, ok := parseDate(" "+at.Format(layout)+" ", layout); !ok || v.Int() != want.Unix() {
				t.Errorf("%q in zone %v: %v, want %v", layout, zone, v, want)
			}
			if want.Year() != 2024 || want.Month() != 2 {
				t.Errorf("%q loses the month", layout)
			}
		}
	}
}

func TestBoolFormat(t *testing.T) {
	for _, tc := range []struct {
		why   string
		texts []string
		want  bool
	}{
		{"yes and no", []string{"Yes", "no", " NO ", "NULL"}, true},
		{"letters", []string{"Y", "n"}, true},
		{"true and false", []string{"TRUE", "f"}, true},
		{"on and off", []string{"on", "off"}, true},
		{"0 and 1", []string{"0", "1"}, true},
		{"another word", []string{"yes", "maybe"}, false},
		{"nothing", []string{"", "NULL"}, false},
	} {
		c := textColumn(tc.texts...)
		if got := boolFormat(c); got != tc.want {
			t.Errorf("%s: %v", tc.why, got)
		}
	}
	c := textColumn("Yes", "off", "", "perhaps", "NULL")
	want := []scoring.Value{scoring.BoolValue(true), scoring.BoolValue(false), scoring.NullValue, scoring.StringValue("perhaps"), scoring.NullValue}
	for i, w := range want {
		if got := Read(c, View{Kind: scoring.KindBool, Format: FormatBool}, i); got != w {
			t.Errorf("%q is read as %v %s, want %v", c.Text(i), got.Type, got, w.Type)
		}
	}
}

// Text is read by its format, blank text is NULL there, and what cannot be read stays text and
// meets equal text.
func TestKeysUnderAFormat(t *testing.T) {
	keys := func(c *scoring.Column, v View) []uint64 { return AllKeys(c, v) }
	number := func(n int64, scale int32) uint64 { return valueKey(scoring.DecimalValue(n, scale)) }
	for _, tc := range []struct {
		why  string
		c    *scoring.Column
		v    View
		want []uint64
	}{
		{"numbers", textColumn("$1,234.50", " ", "soon", "NULL"), View{Kind: scoring.KindNumber, Format: FormatCurrency}, []uint64{number(12345, 1), NullKey, TextKey("soon"), NullKey}},
		{"decimal commas", textColumn("1.234,5"), View{Kind: scoring.KindNumber, Format: FormatComma}, []uint64{number(12345, 1)}},
		{"months", textColumn("March", "smarch", "Mar."), View{Kind: scoring.KindNumber, Format: FormatMonth}, []uint64{number(3, 0), TextKey("smarch"), number(3, 0)}},
		{"dates", textColumn("05 Jan 2024", "soon"), View{Kind: scoring.KindTime, Format: "2 Jan 2006"}, []uint64{valueKey(scoring.DateValue(scoring.DaysOf(2024, 1, 5))), TextKey("soon")}},
		{"words for truth", textColumn("yes", "0"), View{Kind: scoring.KindBool, Format: FormatBool}, []uint64{number(1, 0), number(0, 0)}},
		{"a format of integers on text", textColumn("20240105"), View{Kind: scoring.KindTime, Format: formatCompact}, []uint64{TextKey("20240105")}},
	} {
		if got := keys(tc.c, tc.v); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %x, want %x", tc.why, got, tc.want)
		}
	}
	// Columns of other types that are compared as text.
	for _, v := range []scoring.Value{scoring.IntValue(12), scoring.FloatValue(1.5), scoring.BoolValue(true), scoring.DateValue(0), scoring.DecimalValue(150, 2)} {
		b := scoring.NewBuilder("c", v.Type, 0)
		b.Append(v)
		b.AppendNull()
		c := b.Column()
		if got := keys(&c, View{Kind: scoring.KindText}); got[0] != TextKey(v.String()) || got[1] != NullKey {
			t.Errorf("%v as text: %x", v.Type, got)
		}
	}
	null := scoring.NewBuilder("c", scoring.Null, 0)
	null.AppendNull()
	c := null.Column()
	if got := keys(&c, View{Kind: scoring.KindText}); got[0] != NullKey {
		t.Errorf("NULL as text: %x", got)
	}
}

func TestNaturalKind(t *testing.T) {
	want := map[scoring.Type]scoring.Kind{
		scoring.Int64: scoring.KindNumber, scoring.Float64: scoring.KindNumber, scoring.Decimal: scoring.KindNumber, scoring.Bool: scoring.KindBool,
		scoring.Date: scoring.KindTime, scoring.Time: scoring.KindTime, scoring.Timestamp: scoring.KindTime, scoring.TimestampTZ: scoring.KindTime,
	}
	for typ := scoring.Null; typ <= scoring.Any; typ++ {
		b := scoring.NewBuilder("c", typ, 0)
		c := b.Column()
		k, ok := want[typ]
		if !ok {
			k = scoring.KindText
		}
		if got := NaturalKind(&c); got != k {
			t.Errorf("%v is compared as %v, want %v", typ, got, k)
		}
	}
	if got := fmt.Sprint(scoring.Comparison{}.Exact(), scoring.Comparison{Within: 1}.Exact(), scoring.Comparison{Tolerance: 1}.Exact()); got != "true false false" {
		t.Errorf("exact: %s", got)
	}
}
