package cell

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestSharedUnit(t *testing.T) {
	for _, tc := range []struct {
		a, b, want string
		ok         bool
	}{
		{"", "", "", true}, {"USD", "", "USD", true}, {"", "%", "%", true}, {"USD", "USD", "USD", true}, {"JPY CNY", "CNY", "CNY", true},
		{"USD", "EUR", "", false}, {"USD", "%", "", false}, {"SEK NOK DKK", "JPY CNY", "", false},
	} {
		for _, turned := range []bool{false, true} {
			a, b := tc.a, tc.b
			if turned {
				a, b = b, a
			}
			if got, ok := SharedUnit(a, b); got != tc.want || ok != tc.ok {
				t.Errorf("%q and %q: %q, %v, want %q, %v", a, b, got, ok, tc.want, tc.ok)
			}
		}
	}
}

func TestShortForms(t *testing.T) {
	for _, tc := range []struct {
		why   string
		short []string // a column of short forms
		value string   // a number
		want  string   // as the column would show it; empty: the column shows too little
	}{
		{"rounded to two digits of a million", []string{"1.23M", "7.10M"}, "1234567", "1230000"},
		{"half away from zero", []string{"1.23M"}, "1235000", "1240000"},
		{"and so below zero", []string{"1.23M"}, "-1235000", "-1240000"},
		{"each in its own unit", []string{"1.23M", "4.50K"}, "45678.9", "45680"},
		{"each in its own unit: below a thousand", []string{"1.23M", "4.50K"}, "12.345", "12.35"},
		{"all in thousands", []string{"12K", "850K"}, "1234567", "1235000"},
		{"a number of fewer digits stays", []string{"1.23M"}, "1230000", "1230000"},
		{"one significant digit", []string{"1M"}, "1234567", ""},
	} {
		text, ok := ReadNumbers(textColumn(tc.short...))
		if !ok || text.Format != FormatShort {
			t.Errorf("%s: %+v, %v", tc.why, text, ok)
			continue
		}
		format, ok := text.InShortForm()
		if ok != (tc.want != "") {
			t.Errorf("%s: %q, %v", tc.why, format, ok)
		}
		if !ok {
			continue
		}
		n, _ := scoring.ParseDecimal(tc.value)
		want, _ := scoring.ParseDecimal(tc.want)
		if got, ok := shortened(n, format); !ok || valueKey(got) != valueKey(want) {
			t.Errorf("%s: %s is shown as %s, want %s", tc.why, tc.value, got, tc.want)
		}
	}
}

// An instant is read from the number that counts to it, in every unit, to the last digit that the
// unit has.
func TestEpochs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 2000 {
		seconds, nanos := 1e8+r.Int64N(4e9), int32(r.IntN(1e6))*1000
		for _, e := range epochs {
			unit := int32(9)
			for range e.digits {
				unit--
			}
			count, cut := seconds, nanos
			for range e.digits {
				count = count*10 + int64(cut/1e8)
				cut = cut % 1e8 * 10
			}
			kept := nanos
			for range unit {
				kept /= 10
			}
			for range unit {
				kept *= 10
			}
			want := scoring.TimestampValue(scoring.Timestamp, seconds, kept)
			values := []scoring.Value{scoring.IntValue(count)}
			if e.digits < 9 { // there is room for two more
				values = append(values, scoring.DecimalValue(count*100, 2))
			}
			for _, v := range values {
				if got, ok := epochTime(v, e.format); !ok || got != want {
					t.Fatalf("%s %s: %s (%v), want %s", e.format, v, got, ok, want)
				}
			}
		}
	}
}

func TestClocks(t *testing.T) {
	for _, tc := range []struct {
		text   string
		twelve bool
		want   string // empty: it is not a time
	}{
		{"13:30", false, "13:30:00"}, {"9:05", false, "09:05:00"}, {"09:05:30.5", false, "09:05:30.5"}, {"25:00", false, ""}, {"1:3", false, ""}, {"1:30 PM", false, ""},
		{"1:30 PM", true, "13:30:00"}, {"1:30pm", true, "13:30:00"}, {"12:00 a.m.", true, "00:00:00"}, {"9 AM", true, "09:00:00"}, {"13:30 PM", true, ""}, {"13:30", true, ""},
	} {
		got, ok := parseClock(tc.text, tc.twelve)
		if ok != (tc.want != "") || ok && got.String() != tc.want {
			t.Errorf("%q (12 hours: %v): %s, %v, want %q", tc.text, tc.twelve, got, ok, tc.want)
		}
	}
}

// JSON is keyed by its content: keys are equal exactly for documents of one line.
func TestJSONKeysAreThoseOfTheContent(t *testing.T) {
	lines := [][]string{
		{`{"a":1,"b":[1,2]}`, `{ "b" : [1, 2], "a" : 1.0 }`, `{"b":[1e0,2.00],"a":10e-1}`},
		{`{"a":1,"b":[2,1]}`},
		{`{"a":"1","b":[1,2]}`},
		{`{"a":1,"b":[1,2],"c":null}`},
		{`{"A":1,"b":[1,2]}`},
		{`[{"key":"a","value":1},{"key":"b","value":2}]`, `[{"value":2,"key":"b"},{"key":"a","value":1}]`, `{"b":2,"a":1}`},
		{`[{"key":"a","value":1},{"key":"b","other":2}]`},
		{`[]`, ` [ ] `}, {`{}`}, {`[[]]`}, {`"x"`, `"X "`}, {`["x"]`}, {`["X"]`, `["\u0058"]`},
		{`12345678901234567890`, `12345678901234567890.0`}, {`12345678901234567891`}, {`-0`, `0`, `0.00`}, {`true`}, {`null`},
	}
	owner := map[uint64]string{}
	for _, line := range lines {
		for _, text := range line {
			if jsonKey(text) != jsonKey(line[0]) {
				t.Errorf("%s and %s have different keys", text, line[0])
			}
		}
		if other, taken := owner[jsonKey(line[0])]; taken {
			t.Errorf("%s and %s have one key", line[0], other)
		}
		owner[jsonKey(line[0])] = line[0]
	}
}

// Whether texts are merged does not depend on their order, nor on how many others there are.
func TestMergesTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{0, 10, 1000, 40_000} {
		var texts []string
		for i := range n {
			texts = append(texts, fmt.Sprint("Text ", i))
		}
		for _, merge := range []bool{false, true} {
			all := append(slices.Clone(texts), "ab", "ab ", " ab")
			if merge {
				all = append(all, "AB")
				if n > 10_000 { // of very many texts a sample is examined
					for _, s := range texts[:n/4] {
						all = append(all, s+"X", s+"x")
					}
				}
			}
			for range 3 {
				r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				if got := MergesTexts(textColumn(all...)); got != merge {
					t.Errorf("%d texts: merged: %v, want %v", len(all), got, merge)
				}
			}
		}
	}
}
