package scoring_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func column(name string, t scoring.Type, values ...scoring.Value) scoring.Column {
	b := scoring.NewBuilder(name, t, 0)
	for _, v := range values {
		b.Append(v)
	}
	return b.Column()
}

func TestNewTable(t *testing.T) {
	one, two := scoring.IntValue(1), scoring.IntValue(2)
	table, err := scoring.NewTable(column("a", scoring.Null, one, two), column("a", scoring.Null, two, one))
	if err != nil || table.Rows() != 2 {
		t.Errorf("%v, %v", table, err)
	}
	_, err = scoring.NewTable(column("a", scoring.Null, one), column("b", scoring.Null, one, two))
	if errcode.Of(err) != errcode.InvalidArgument || err.Error() != `column 2 ("b") has 2 rows, the ones before it 1` {
		t.Errorf("ragged columns: %v", err)
	}
	if none, err := scoring.NewTable(); err != nil || none.Rows() != 0 {
		t.Errorf("no columns: %v, %v", none, err)
	}
	if n := scoring.EmptyTable(5).Rows(); n != 5 {
		t.Errorf("%d rows without columns, want 5", n)
	}
}

// A builder keeps every value, whatever comes after it.
func TestBuilderWidens(t *testing.T) {
	wide, _ := new(big.Int).SetString("170141183460469231731687303715884105727", 10)
	var (
		null  = scoring.NullValue
		i     = scoring.IntValue
		f     = scoring.FloatValue
		d     = scoring.DecimalValue
		big38 = scoring.BigDecimalValue(wide, 0)
		text  = scoring.StringValue("x")
	)
	for _, tc := range []struct {
		why    string
		start  scoring.Type
		values []scoring.Value
		typ    scoring.Type
		want   string
	}{
		{"integers", scoring.Null, []scoring.Value{i(1), null, i(math.MinInt64)}, scoring.Int64, "1|NULL|-9223372036854775808"},
		{"a decimal among integers", scoring.Null, []scoring.Value{i(1), null, d(25, 1), i(3)}, scoring.Decimal, "1.0|NULL|2.5|3.0"},
		{"integers among decimals", scoring.Null, []scoring.Value{d(25, 1), i(math.MaxInt64)}, scoring.Decimal, "2.5|9223372036854775807.0"},
		{"a larger scale lifts the values before it", scoring.Null, []scoring.Value{d(25, 1), null, d(1, 4)}, scoring.Decimal, "2.5000|NULL|0.0001"},
		{"beyond 64 bits", scoring.Null, []scoring.Value{d(math.MaxInt64, 0), d(-5, 0), d(1, 3)}, scoring.Decimal, "9223372036854775807.000|-5.000|0.001"},
		{"the value that lifts is itself wide", scoring.Null, []scoring.Value{d(7, 0), null, big38, d(5, 1)}, scoring.Decimal, "7.0|NULL|170141183460469231731687303715884105727.0|0.5"},
		{"a negative scale", scoring.Null, []scoring.Value{d(7, -2), d(1, 1)}, scoring.Decimal, "700.0|0.1"},
		{"a double and an integer keep their types", scoring.Null, []scoring.Value{f(1.5), i(2)}, scoring.Any, "1.5|2"},
		{"text among integers", scoring.Null, []scoring.Value{i(1), null, text}, scoring.Any, "1|NULL|x"},
		{"text among wide decimals", scoring.Null, []scoring.Value{big38, null, text}, scoring.Any, "170141183460469231731687303715884105727|NULL|x"},
		{"an instant among timestamps", scoring.Null, []scoring.Value{scoring.TimestampValue(scoring.Timestamp, 0, 5), scoring.TimestampValue(scoring.TimestampTZ, 0, 0)}, scoring.Any, "1970-01-01 00:00:00.000000005|1970-01-01 00:00:00Z"},
		{"nanoseconds from the second value on", scoring.Null, []scoring.Value{scoring.TimestampValue(scoring.Timestamp, 1, 0), null, scoring.TimestampValue(scoring.Timestamp, 2, 3), null}, scoring.Timestamp, "1970-01-01 00:00:01|NULL|1970-01-01 00:00:02.000000003|NULL"},
		{"a declared type that the values do not have", scoring.Date, []scoring.Value{text}, scoring.Any, "x"},
		{"a scale beyond all types", scoring.Decimal, []scoring.Value{d(1, 0), d(1, 101)}, scoring.Any, "1|0." + strings.Repeat("0", 100) + "1"},
		{"the largest scale", scoring.Decimal, []scoring.Value{d(0, 0), d(1, 100)}, scoring.Decimal, "0." + strings.Repeat("0", 100) + "|0." + strings.Repeat("0", 99) + "1"},
	} {
		c := column("c", tc.start, tc.values...)
		var got []string
		for k := range c.Len() {
			got = append(got, c.Value(k).String())
			if want := tc.values[k]; c.IsNull(k) != want.IsNull() || !want.IsNull() && want.Type.Numeric() && want.Type != scoring.Float64 && rat(t, c.Value(k)).Cmp(rat(t, want)) != 0 {
				t.Errorf("%s: value %d is %s, was %s", tc.why, k, c.Value(k), want)
			}
		}
		if j := strings.Join(got, "|"); c.Type != tc.typ || j != tc.want {
			t.Errorf("%s: %v %s, want %v %s", tc.why, c.Type, j, tc.typ, tc.want)
		}
	}
}

func TestBuilderAppenders(t *testing.T) {
	b := scoring.NewBuilder("c", scoring.Null, 4)
	b.AppendInt(1)
	b.AppendInt(2)
	b.AppendFloat(0.5)
	if err := b.AppendText(scoring.String, []byte("x")); err != nil {
		t.Fatal(err)
	}
	b.AppendNull()
	b.AppendInt(3)
	if c := b.Column(); b.Len() != 6 || c.Type != scoring.Any || c.Value(1) != scoring.IntValue(2) || c.Value(2) != scoring.FloatValue(0.5) || c.Value(3) != scoring.StringValue("x") || !c.IsNull(4) || c.Value(5) != scoring.IntValue(3) {
		t.Errorf("%v %+v", b.Len(), c)
	}
	b = scoring.NewBuilder("c", scoring.Float64, 2)
	b.AppendFloat(math.Inf(1))
	b.AppendFloat(math.NaN())
	if err := b.AppendNumber([]byte("9007199254740993"), true); err != nil {
		t.Fatal(err)
	}
	if c := b.Column(); c.Type != scoring.Any || !math.IsInf(c.Value(0).Float(), 1) || !math.IsNaN(c.Value(1).Float()) || c.Value(2).String() != "9007199254740993" {
		t.Errorf("an integer that no double holds beside infinity: %v %v %v %v", c.Type, c.Value(0), c.Value(1), c.Value(2))
	}
	if err := b.AppendNumber([]byte("1e99999"), false); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a number of too many digits: %v", err)
	}
}

// Numbers without a type, in any order and of any size, keep every digit, and are doubles wherever
// those do.
func TestAppendNumberLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	number := func() string {
		s := ""
		if r.IntN(2) == 0 {
			s = "-"
		}
		digits := []int{1, 2, 5, 15, 16, 17, 18, 19, 25}[r.IntN(9)]
		s += string(byte('1' + r.IntN(9)))
		for range digits - 1 {
			s += string(byte('0' + r.IntN(10)))
		}
		if r.IntN(2) == 0 {
			s += "."
			for range 1 + r.IntN(8) {
				s += string(byte('0' + r.IntN(10)))
			}
		}
		if r.IntN(12) == 0 {
			s += []string{"e3", "E-7", "e+20", "e-330", "e300"}[r.IntN(5)]
		}
		return s
	}
	types := map[scoring.Type]int{}
	for range 4000 {
		b := scoring.NewBuilder("c", scoring.Null, 0)
		var texts []string
		short := true // all have at most 15 digits: then doubles do
		for range 1 + r.IntN(5) {
			s := number()
			if r.IntN(6) == 0 {
				s = ""
				b.AppendNull()
			} else if err := b.AppendNumber([]byte(s), !strings.ContainsAny(s, ".eE")); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			texts = append(texts, s)
			if strings.ContainsAny(s, "eE") || len(strings.Trim(s, "-")) > 15 {
				short = false
			}
		}
		c := b.Column()
		types[c.Type]++
		for i, s := range texts {
			if s == "" {
				if !c.IsNull(i) {
					t.Fatalf("%q: value %d is no longer NULL", texts, i)
				}
				continue
			}
			want, _ := new(big.Rat).SetString(s)
			if got := c.Value(i); rat(t, got).Cmp(want) != 0 {
				t.Fatalf("%q: value %d is %v %s in a column of type %v", texts, i, got.Type, got, c.Type)
			}
		}
		if short && c.Type == scoring.Decimal {
			t.Fatalf("%q: a column of type %v where doubles keep all digits", texts, c.Type)
		}
	}
	for _, typ := range []scoring.Type{scoring.Int64, scoring.Float64, scoring.Decimal, scoring.Any} {
		if types[typ] < 20 {
			t.Errorf("only %d columns of type %v: the test no longer covers them", types[typ], typ)
		}
	}
}

func TestMemoryBytesFollowsTheData(t *testing.T) {
	table := func(n int, v scoring.Value) *scoring.Table {
		values := make([]scoring.Value, n)
		for i := range values {
			values[i] = v
		}
		out, _ := scoring.NewTable(column("c", v.Type, values...))
		return out
	}
	wide, _ := scoring.ParseDecimal(strings.Repeat("9", 600))
	for _, tc := range []struct {
		why   string
		v     scoring.Value
		bytes int64 // of one value, at least
	}{
		{"an integer", scoring.IntValue(1), 8},
		{"a double", scoring.FloatValue(1), 8},
		{"text", scoring.StringValue(strings.Repeat("x", 100)), 104},
		{"a timestamp with nanoseconds", scoring.TimestampValue(scoring.Timestamp, 1, 1), 12},
		{"a decimal of 600 digits", wide, 249},
	} {
		if got := table(1000, tc.v).MemoryBytes(); got < 1000*tc.bytes || got > 1000*(tc.bytes+80) {
			t.Errorf("%s: %d bytes for 1000 values, want about %d each", tc.why, got, tc.bytes)
		}
	}
}

func TestTypes(t *testing.T) {
	for typ := scoring.Null; typ <= scoring.Any; typ++ {
		numeric := typ == scoring.Int64 || typ == scoring.Float64 || typ == scoring.Decimal
		temporal := typ == scoring.Date || typ == scoring.Time || typ == scoring.Timestamp || typ == scoring.TimestampTZ
		if typ.Numeric() != numeric || typ.Temporal() != temporal {
			t.Errorf("%v: numeric %v, temporal %v", typ, typ.Numeric(), typ.Temporal())
		}
	}
}
