package cell

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

// keysOfValue returns the keys of a value in every position that it can have: a column of its type, one of any
// type, among NULLs, and one whose fractions are keyed by bits if the other side allows this.
func keysOfValue(v scoring.Value, bits bool) []uint64 {
	var out []uint64
	for _, t := range []scoring.Type{v.Type, scoring.Any} {
		if v.IsNull() && t != scoring.Any {
			t = scoring.String
		}
		for _, before := range []int{0, 1} {
			b := scoring.NewBuilder("c", t, 0)
			for range before {
				b.AppendNull()
			}
			b.Append(v)
			c := b.Column()
			for _, floatBits := range []bool{false, bits && t != scoring.Any} {
				keys := make([]uint64, 1)
				Keys(&c, View{Kind: NaturalKind(&c), FloatBits: floatBits}, before, keys)
				out = append(out, keys[0])
			}
		}
	}
	return out
}

func wide(text string, scale int32) scoring.Value {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic(text)
	}
	return scoring.BigDecimalValue(n, scale)
}

// Values of a line are equal, those of different lines are not.
func TestKeysAreEqualExactlyWhenValuesAre(t *testing.T) {
	var (
		i, f, d, s = scoring.IntValue, scoring.FloatValue, scoring.DecimalValue, scoring.StringValue
		text       = func(typ scoring.Type, v string) scoring.Value { return scoring.TextValue(typ, v) }
		at         = func(sec int64, nanos int32) scoring.Value {
			return scoring.TimestampValue(scoring.Timestamp, sec, nanos)
		}
	)
	classes := []struct {
		why    string
		values []scoring.Value
	}{
		{"NULL, and NaN, which the paper does not tell from it", []scoring.Value{scoring.NullValue, f(math.NaN()), f(math.Float64frombits(0x7ff8000000000123))}},
		{"one", []scoring.Value{i(1), f(1), d(1, 0), d(10, 1), d(100, 2), wide("10000000000000000000000000000000000000", 37), scoring.BoolValue(true)}},
		{"zero has no sign and no digits", []scoring.Value{i(0), f(0), f(math.Copysign(0, -1)), d(0, 0), d(0, 9), scoring.BoolValue(false)}},
		{"minus one", []scoring.Value{i(-1), f(-1), d(-1000, 3)}},
		{"ten is not one", []scoring.Value{i(10), d(10, 0), d(1000, 2), d(1, -1)}},
		{"a tenth", []scoring.Value{f(0.1), d(1, 1), d(10, 2)}},
		{"a hundredth", []scoring.Value{f(0.01), d(1, 2)}},
		{"0.3", []scoring.Value{f(0.3), d(3, 1)}},
		{"0.1 + 0.2 as doubles", []scoring.Value{f(0.30000000000000004), d(30000000000000004, 17)}},
		{"2^63-1", []scoring.Value{i(math.MaxInt64), d(math.MaxInt64, 0), wide("92233720368547758070", 1)}},
		{"2^63-2", []scoring.Value{i(math.MaxInt64 - 1)}},
		{"2^63", []scoring.Value{wide("9223372036854775808", 0), wide("922337203685477580800", 2)}},
		{"-2^63", []scoring.Value{i(math.MinInt64), wide("-92233720368547758080", 1)}},
		{"2^53", []scoring.Value{i(1 << 53), f(1 << 53), d(1<<53, 0)}},
		{"2^53+1, which no double is", []scoring.Value{i(1<<53 + 1)}},
		{"2^53+2", []scoring.Value{i(1<<53 + 2), f(1<<53 + 2)}},
		{"1e22", []scoring.Value{f(1e22), wide("10000000000000000000000", 0)}},
		{"1e300", []scoring.Value{f(1e300), wide("1"+strings.Repeat("0", 300), 0)}},
		{"1e-300", []scoring.Value{f(1e-300), wide("1"+strings.Repeat("0", 30), 330)}},
		{"38 digits", []scoring.Value{wide("12345678901234567890123456789012345678", 10)}},
		{"the last of 38 digits", []scoring.Value{wide("12345678901234567890123456789012345679", 10)}},
		{"38 digits at another place", []scoring.Value{wide("12345678901234567890123456789012345678", 11)}},
		{"the negative of 38 digits", []scoring.Value{wide("-12345678901234567890123456789012345678", 10)}},
		{"infinity", []scoring.Value{f(math.Inf(1))}},
		{"minus infinity", []scoring.Value{f(math.Inf(-1))}},
		{"the smallest double", []scoring.Value{f(math.SmallestNonzeroFloat64), wide("5"+strings.Repeat("0", 20), 344)}},
		{"a day, its midnight and the instant of it", []scoring.Value{scoring.DateValue(19782), at(19782*86400, 0), scoring.TimestampValue(scoring.TimestampTZ, 19782*86400, 0)}},
		{"a nanosecond later", []scoring.Value{at(19782*86400, 1)}},
		{"a second later", []scoring.Value{at(19782*86400+1, 0)}},
		{"the first day of 1970 is not the number 0", []scoring.Value{scoring.DateValue(0), at(0, 0)}},
		{"the day before", []scoring.Value{scoring.DateValue(-1), at(-86400, 0)}},
		{"midnight as a time of day", []scoring.Value{scoring.TimeValue(0)}},
		{"a nanosecond past it", []scoring.Value{scoring.TimeValue(1)}},
		{"text without regard to case and outer or repeated blanks", []scoring.Value{s("New York"), s(" new york"), s("NEW\t YORK\n"), s("new  york"), s("new\u00a0york"), s(`"New York"`)}},
		{"a blank more", []scoring.Value{s("newyork")}},
		{"composed and decomposed letters", []scoring.Value{s("Ångström"), s("A\u030angstro\u0308m"), s("ångström"), s("\u212bNGSTRÖM")}},
		{"a letter that is composed in lower case only", []scoring.Value{s("J\u030ce"), s("\u01f0e"), s("j\u030cE")}},
		{"accents count", []scoring.Value{s("angstrom")}},
		{"the sign for kelvin is a K", []scoring.Value{s("\u212a"), s("k"), s("K")}},
		{"no text", []scoring.Value{s(""), s("  "), s("\t\n"), s("\u00a0")}},
		{"a NUL byte is a byte", []scoring.Value{s("a\x00b")}},
		{"the word null is text", []scoring.Value{s("NULL"), s("null")}},
		{"digits as text are text", []scoring.Value{s("12")}},
		{"other digits as text", []scoring.Value{s("12.0")}},
		{"quotes inside stay", []scoring.Value{s(`"a" b "c"`)}},
		{"an emoji", []scoring.Value{s("😀")}},
		{"bytes, to the last bit", []scoring.Value{text(scoring.Bytes, "AB")}},
		{"other bytes", []scoring.Value{text(scoring.Bytes, "ab\x00")}},
		{"JSON without regard to white space", []scoring.Value{text(scoring.JSON, `{"A":[1,"x y"]}`), text(scoring.JSON, "{ \"A\" :\n[1,\t\"x y\" ] }")}},
		{"white space inside a JSON string counts", []scoring.Value{text(scoring.JSON, `{"A":[1,"xy"]}`)}},
		{"case counts in JSON", []scoring.Value{text(scoring.JSON, `{"a":[1,"x y"]}`)}},
		{"escaped quotes do not end a string", []scoring.Value{text(scoring.JSON, `{"A":"\" {"}`), text(scoring.JSON, `{ "A" : "\" {" }`)}},
		{"a JSON string is its text", []scoring.Value{text(scoring.JSON, `"Caf\u00e9"`), s("café"), s(`"CAFÉ"`)}},
		{"what is not JSON is text", []scoring.Value{text(scoring.JSON, `{oops`), s("{OOPS")}},
	}
	owner := map[uint64]string{}
	for _, c := range classes {
		bits := true // fractions are keyed by bits only where all are doubles
		for _, v := range c.values {
			bits = bits && v.Type != scoring.Decimal
		}
		want := keysOfValue(c.values[0], false)[0]
		for _, v := range c.values {
			for _, key := range keysOfValue(v, bits && len(c.values) > 1) {
				if key != want {
					t.Errorf("%s: %v %q has another key than %v %q", c.why, v.Type, v, c.values[0].Type, c.values[0])
				}
			}
		}
		if who, taken := owner[want]; taken {
			t.Errorf("%q and %q have one key", who, c.why)
		}
		owner[want] = c.why
	}
	if want := keysOfValue(scoring.NullValue, false)[0]; want != NullKey {
		t.Errorf("the key of NULL is %d", want)
	}
}

// A double has the key of the shortest decimal that reads back as it, and a decimal of up to 15
// digits that of its double.
func TestFloatKeysAreDecimalKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	check := func(f float64, text string) {
		t.Helper()
		v, ok := scoring.ParseDecimal(text)
		if !ok {
			t.Fatalf("%q is no decimal", text)
		}
		if floatKey(f, false) != valueKey(v) {
			t.Fatalf("%v (%x) and the decimal %s have different keys", f, math.Float64bits(f), text)
		}
	}
	for range sample.Count(200_000, 5) {
		f := math.Float64frombits(rng.Uint64())
		switch rng.IntN(4) {
		case 0:
			f = rng.NormFloat64() * 1000
		case 1:
			f = math.Round(rng.NormFloat64()*1e6) / 1e4
		case 2:
			f = float64(rng.Int64N(1<<60)) / float64(rng.IntN(1000)+1)
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		check(f, strconv.FormatFloat(f, 'e', -1, 64))
	}
	for range sample.Count(200_000, 5) {
		digits := 1 + rng.IntN(15)
		n := rng.Int64N(int64(math.Pow10(digits)))
		if rng.IntN(2) == 0 {
			n = -n
		}
		scale := int32(rng.IntN(digits + 12)) //nolint:gosec // small
		text := scoring.DecimalValue(n, scale).String()
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		check(f, text)
	}
}

// Doubles that are neighbours have different keys, by bits and by digits.
func TestNeighbouringDoublesDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 100_000 {
		f := math.Float64frombits(rng.Uint64())
		if rng.IntN(2) == 0 {
			f = math.Round(rng.NormFloat64()*1e5) / 100
		}
		g := math.Nextafter(f, math.Inf(1))
		if math.IsNaN(f) || math.IsInf(f, 0) || f == g {
			continue
		}
		for _, bits := range []bool{false, true} {
			if floatKey(f, bits) == floatKey(g, bits) {
				t.Fatalf("%v and %v have one key", f, g)
			}
		}
	}
}

func TestFloatBits(t *testing.T) {
	table := func(types ...scoring.Type) *scoring.Table {
		var cs []scoring.Column
		for _, typ := range types {
			b := scoring.NewBuilder("c", typ, 0)
			cs = append(cs, b.Column())
		}
		out, err := scoring.NewTable(cs...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	floats := table(scoring.Float64, scoring.Int64, scoring.String)
	if !FloatBits(floats, floats) {
		t.Error("doubles, integers and text have no fraction that is not a double")
	}
	for _, typ := range []scoring.Type{scoring.Decimal, scoring.Any} {
		if FloatBits(floats, table(scoring.Int64, typ)) {
			t.Errorf("a column of type %v may hold another fraction", typ)
		}
	}
}

// A column's sum tells its multiset of values, whatever their order and however many processors
// added them up.
func TestSumOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{0, 1, 5, chunk, chunk + 1, parallelRows + 77} {
		values := make([]scoring.Value, n)
		for i := range values {
			values[i] = scoring.IntValue(int64(rng.IntN(n)))
			if i%9 == 8 {
				values[i] = scoring.NullValue
			}
		}
		build := func() *scoring.Column {
			b := scoring.NewBuilder("c", scoring.Int64, n)
			for _, v := range values {
				b.Append(v)
			}
			c := b.Column()
			return &c
		}
		v := View{Kind: scoring.KindNumber}
		sum := SumOf(build(), v)
		var one Sum
		for _, k := range AllKeys(build(), v) {
			one.Add(k)
		}
		if one != sum {
			t.Errorf("%d rows: added one by one the sum is another", n)
		}
		rng.Shuffle(n, func(i, j int) { values[i], values[j] = values[j], values[i] })
		if SumOf(build(), v) != sum {
			t.Errorf("%d rows: another order, another sum", n)
		}
		if n == 0 {
			continue
		}
		k := rng.IntN(n)
		was := values[k]
		values[k] = scoring.IntValue(int64(n) + 5)
		if SumOf(build(), v) == sum {
			t.Errorf("%d rows: another value, the same sum", n)
		}
		if values[k] = was; n > 1 {
			values[k] = values[(k+1)%n]
			if changed := fmt.Sprint(values[k]) != fmt.Sprint(was); (SumOf(build(), v) != sum) != changed {
				t.Errorf("%d rows: a value twice in place of another: sum changed %v, want %v", n, !changed, changed)
			}
		}
	}
}
