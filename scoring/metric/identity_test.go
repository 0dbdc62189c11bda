package metric

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func wideDecimal(t *testing.T, digits string) scoring.Value {
	t.Helper()
	v, ok := scoring.ParseDecimal(digits)
	if !ok {
		t.Fatalf("%s is no decimal", digits)
	}
	return v
}

func TestSameValue(t *testing.T) {
	text, date := scoring.StringValue, scoring.DateValue
	const typed, printed, spelled = 1 << asTyped, 1 << asPrinted, 1 << asSpelled
	const always, never = typed | printed | spelled, 0
	for _, tc := range []struct {
		why  string
		a, b scoring.Value
		in   int // the readings under which they are the same
	}{
		{"Python: 1 == 1.0", scoring.IntValue(1), scoring.FloatValue(1), always},
		{"Python: 1 == True", scoring.IntValue(1), scoring.BoolValue(true), always},
		{"Python: 1 == Decimal('1.00')", scoring.IntValue(1), scoring.DecimalValue(100, 2), always},
		{"Python: '1' != 1", text("1"), scoring.IntValue(1), printed | spelled},
		{"NULL is itself", scoring.NullValue, scoring.NullValue, always},
		{"NULL is not 0", scoring.NullValue, scoring.IntValue(0), never},
		{"NULL is not the empty text", scoring.NullValue, text(""), never},
		{"one NaN is like another here", scoring.FloatValue(math.NaN()), scoring.FloatValue(math.Float64frombits(0x7ff8000000000123)), always},
		{"negative zero is zero", scoring.FloatValue(math.Copysign(0, -1)), scoring.IntValue(0), always},
		{"0.1 + 0.2 is not 0.3", scoring.FloatValue(0.30000000000000004), scoring.FloatValue(0.3), never},
		{"Decimal('0.5') == 0.5 exactly", scoring.DecimalValue(5, 1), scoring.FloatValue(0.5), always},
		{"Decimal('0.1') != 0.1, which is a little more; but both are spelled 0.1", scoring.DecimalValue(1, 1), scoring.FloatValue(0.1), spelled},
		{"digits beyond a double count", scoring.IntValue(1<<53 + 1), scoring.FloatValue(1 << 53), never},
		{"64-bit integers are not rounded", scoring.IntValue(math.MaxInt64), scoring.IntValue(math.MaxInt64 - 1), never},
		{"2^63 as double and as decimal", scoring.FloatValue(1 << 63), wideDecimal(t, "9223372036854775808"), always},
		{"-2^63 as double and as integer", scoring.FloatValue(-1 << 63), scoring.IntValue(math.MinInt64), always},
		{"2^64 + 1 is no double", scoring.FloatValue(1 << 63 * 2), wideDecimal(t, "18446744073709551617"), never},
		{"trailing zeros do not count", wideDecimal(t, "123456789012345678901234567890.50"), wideDecimal(t, "123456789012345678901234567890.500"), always},
		{"the last of 31 digits counts", wideDecimal(t, "123456789012345678901234567890.5"), wideDecimal(t, "123456789012345678901234567890.6"), never},
		{"1e30 in digits", wideDecimal(t, "1e30"), wideDecimal(t, "1000000000000000000000000000000"), always},
		{"2^-70 is a double, however many digits it takes", scoring.FloatValue(math.Ldexp(1, -70)),
			wideDecimal(t, new(big.Float).SetFloat64(math.Ldexp(1, -70)).Text('f', 70)), typed | printed},
		{"exported from Python as text: 507 and 507.0", text("507"), text("507.0"), printed | spelled},
		{"a code with a leading zero is no number that Python prints", text("0507"), text("507"), spelled},
		{"nor is one with a needless zero", text("507.00"), text("507.0"), spelled},
		{"floats print with an exponent from 1e16 on", text("1e+16"), text("10000000000000000"), printed | spelled},
		{"and below 1e-4", text("1e-05"), scoring.FloatValue(0.00001), printed | spelled},
		{"0.00001 is not how Python prints it", text("0.00001"), scoring.FloatValue(0.00001), spelled},
		{"17 digits name a double", text("0.20174165457184326"), scoring.FloatValue(0.20174165457184326), printed | spelled},
		{"an 18th digit is another number", text("0.201741654571843261"), scoring.FloatValue(0.20174165457184326), never},
		{"blanks around a number", text(" 42 "), scoring.IntValue(42), spelled},
		{"-0 is a number", text("-0.0"), scoring.IntValue(0), printed | spelled},
		{"text that only begins like a number", text("1 apple"), scoring.IntValue(1), never},
		{"nan is a word", text("nan"), scoring.FloatValue(math.NaN()), never},
		{"inf is a word", text("inf"), scoring.FloatValue(math.Inf(1)), never},
		{"text counts its case", text("a"), text("A"), never},
		{"and its blanks", text("a"), text("a "), never},
		{"bytes are not text", scoring.TextValue(scoring.Bytes, "a"), text("a"), never},
		{"JSON is text, as drivers return it", scoring.TextValue(scoring.JSON, `{"a":1}`), text(`{"a":1}`), always},
		{"a date is not its text", date(0), text("1970-01-01"), spelled},
		{"a date is not its midnight", date(0), scoring.TimestampValue(scoring.Timestamp, 0, 0), never},
		{"a wall clock is no instant", scoring.TimestampValue(scoring.Timestamp, 0, 0), scoring.TimestampValue(scoring.TimestampTZ, 0, 0), never},
		{"nanoseconds count", scoring.TimestampValue(scoring.Timestamp, 0, 1), scoring.TimestampValue(scoring.Timestamp, 0, 0), never},
		{"a date is no number", date(5), scoring.IntValue(5), never},
		{"a time is no number", scoring.TimeValue(5), scoring.IntValue(5), never},
	} {
		for _, r := range []reading{asTyped, asPrinted, asSpelled} {
			a, b := keyOf(tc.a, r), keyOf(tc.b, r)
			want := tc.in&(1<<r) != 0
			if (a == b) != want {
				t.Errorf("%s: under reading %d %v and %v are the same: %t, want %t", tc.why, r, tc.a, tc.b, a == b, want)
			}
			if a == b && a.hash() != b.hash() {
				t.Errorf("%s: equal keys hash differently", tc.why)
			}
		}
	}
}

// Hashes and comparisons have fast ways for plain columns; they must say what the keys say.
func TestColumnsAgreeWithKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	value := func(kind scoring.Type) scoring.Value {
		n := int64(rng.IntN(5) - 2)
		switch kind {
		case scoring.Bool:
			return scoring.BoolValue(n > 0)
		case scoring.Int64:
			return scoring.IntValue(n)
		case scoring.Float64:
			return scoring.FloatValue([]float64{float64(n), 0.1, math.NaN(), math.Inf(1), 1e300}[rng.IntN(5)])
		case scoring.Decimal:
			return scoring.DecimalValue(n*25, int32(rng.IntN(4)))
		case scoring.String, scoring.JSON, scoring.Bytes:
			return scoring.TextValue(kind, []string{"", "a", "1", "1.0", "01"}[rng.IntN(5)])
		case scoring.Date:
			return scoring.DateValue(n)
		case scoring.Time:
			return scoring.TimeValue(n + 2)
		}
		return scoring.TimestampValue(kind, n, int32(rng.IntN(2)))
	}
	kinds := []scoring.Type{scoring.Bool, scoring.Int64, scoring.Float64, scoring.Decimal, scoring.String, scoring.Bytes, scoring.Date, scoring.Time, scoring.Timestamp, scoring.TimestampTZ, scoring.JSON}
	column := func(kind scoring.Type, nulls bool) scoring.Column {
		b := scoring.NewBuilder("", kind, 0)
		for range 40 {
			k := kind
			if kind == scoring.Any {
				k = kinds[rng.IntN(len(kinds))]
			}
			if nulls && rng.IntN(4) == 0 {
				b.AppendNull()
			} else {
				b.Append(value(k))
			}
		}
		return b.Column()
	}
	for _, ka := range append(kinds, scoring.Any) {
		for _, kb := range append(kinds, scoring.Any) {
			for _, nulls := range []bool{false, true} {
				a, b := column(ka, nulls), column(kb, nulls)
				for _, r := range []reading{asTyped, asPrinted, asSpelled} {
					hashes := make([]uint64, a.Len())
					cellHashes(hashes, &a, r)
					for i := range a.Len() {
						k := keyOf(a.Value(i), r)
						if hashes[i] != k.hash() {
							t.Fatalf("%v under reading %d: the hash of %v in a column is not that of its key", ka, r, a.Value(i))
						}
						j := rng.IntN(b.Len())
						if got, want := sameCell(&a, i, &b, j, r), k == keyOf(b.Value(j), r); got != want {
							t.Fatalf("%v, %v under reading %d: sameCell(%v, %v) = %t", ka, kb, r, a.Value(i), b.Value(j), got)
						}
					}
				}
			}
		}
	}
}

// A row index must tell rows of equal hashes apart.
func TestRowIndexSurvivesCollisions(t *testing.T) {
	words := []string{"a", "b", "a", "c", "b", "a"}
	ix := newRowIndex(len(words))
	var first []string
	var got []int32
	for _, w := range words {
		k, fresh := ix.find(7, func(k int32) bool { return first[k] == w })
		if fresh {
			first = append(first, w)
		}
		got = append(got, k)
	}
	for i, want := range []int32{0, 1, 0, 2, 1, 0} {
		if got[i] != want {
			t.Fatalf("kinds of %v are %v", words, got)
		}
	}
}

func TestAppendPythonFloat(t *testing.T) {
	for _, tc := range []struct {
		f    float64
		want string
	}{
		{0, "0.0"}, {math.Copysign(0, -1), "-0.0"}, {1, "1.0"}, {-2.5, "-2.5"}, {0.1, "0.1"}, {1e15, "1000000000000000.0"}, {1e16, "1e+16"}, {123456789012345680, "1.2345678901234568e+17"},
		{0.0001, "0.0001"}, {0.00001, "1e-05"}, {1.5e-7, "1.5e-07"}, {1e100, "1e+100"}, {5e-324, "5e-324"}, {math.Inf(1), "inf"}, {math.Inf(-1), "-inf"}, {math.NaN(), "nan"},
	} {
		if got := string(appendPythonFloat(nil, tc.f)); got != tc.want {
			t.Errorf("repr(%g) = %s, Python prints %s", tc.f, got, tc.want)
		}
	}
}
