package jsonscan

import (
	"bytes"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// What RFC 8259 calls insignificant, and the spelling of strings and numbers, has no part in the canonical form.
func TestAppendCanonical(t *testing.T) {
	for _, tc := range []struct{ text, expected string }{
		{`[1, 2]`, `[1,2]`},
		{"\t{ \"b\" : 2 ,\n\"a\":1}", `{"a":1,"b":2}`},
		{`{"a":{"d":1,"c":[{"z":1,"y":2}]}}`, `{"a":{"c":[{"y":2,"z":1}],"d":1}}`},
		{`{"k":1,"k":2,"a":0}`, `{"a":0,"k":1,"k":2}`}, // members of one name keep their order
		{`[2,1]`, `[2,1]`},
		{`"\u00e9\/\u0041"`, `"é/A"`},
		{`"\u0001\n\""`, `"\u0001\n\""`},
		{`1.50`, `1.5`}, {`1.0`, `1`}, {`-0`, `0`}, {`-0.0`, `0`}, {`0e5`, `0`}, {`100`, `100`}, {`1e2`, `100`}, {`1E+2`, `100`},
		{`12e-1`, `1.2`}, {`0.00120`, `0.0012`}, {`1e-3`, `0.001`}, {`-2.5e1`, `-25`}, {`123456789012345678901234567890.10`, `123456789012345678901234567890.1`},
		{`1e99`, `1` + strings.Repeat("0", 99)}, {`1e100`, `1e100`}, {`10e99`, `1e100`}, {`1e400`, `1e400`}, {`0.1e401`, `1e400`},
		{`1e99999999999999999999`, `1e99999999999999999999`},
		{`true`, `true`}, {`null`, `null`}, {`[]`, `[]`}, {`{}`, `{}`}, {`[{"key":"a","value":1}]`, `[{"key":"a","value":1}]`},
	} {
		var s Scanner
		s.Reset([]byte(tc.text))
		got, err := AppendCanonical(nil, &s, false)
		if err != nil || string(got) != tc.expected {
			t.Errorf("%s: %s, %v; expected %s", tc.text, got, err, tc.expected)
		}
	}
	var s Scanner
	s.Reset([]byte(`[{"value":1,"key":"b"},{"key":"a","value":2.0}]`))
	if got, err := AppendCanonical(nil, &s, true); err != nil || string(got) != `{"a":2,"b":1}` {
		t.Errorf("a map: %s, %v", got, err)
	}
	for _, text := range []string{`[1,`, `{"a"}`, `[1 2]`, `"\ud800"`, ``} {
		s.Reset([]byte(text))
		if got, err := AppendCanonical(nil, &s, false); err == nil {
			t.Errorf("%s: %s, expected an error", text, got)
		}
	}
}

// The canonical form of a number is the number, and two spellings of one have one form.
func TestCanonicalNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for range 20_000 {
		digits := strconv.FormatUint(r.Uint64N(1_000_000), 10)
		exponent := r.IntN(220) - 110
		other := digits + strings.Repeat("0", 3) + "e" + strconv.Itoa(exponent-3)
		if len(digits) > 1 {
			other = digits[:1] + "." + digits[1:] + "00E" + strconv.Itoa(exponent+len(digits)-1)
		}
		a := appendNumber(nil, []byte(digits+"e"+strconv.Itoa(exponent)))
		if b := appendNumber(nil, []byte(other)); !bytes.Equal(a, b) {
			t.Fatalf("%se%d is %s, and %s is %s", digits, exponent, a, other, b)
		}
		x, _ := new(big.Rat).SetString(digits + "e" + strconv.Itoa(exponent))
		if y, ok := new(big.Rat).SetString(string(a)); !ok || x.Cmp(y) != 0 || !json.Valid(a) {
			t.Fatalf("%se%d became %s", digits, exponent, a)
		}
	}
}

func FuzzAppendCanonical(f *testing.F) {
	f.Add(`{"b":[1.0,{"a":"\u00e9"}],"a":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		var s Scanner
		s.Reset([]byte(text))
		once, err := AppendCanonical(nil, &s, false)
		if err != nil || s.End() != nil {
			return
		}
		s.Reset(once)
		if twice, err := AppendCanonical(nil, &s, false); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q: %q, and again %q, %v", text, once, twice, err)
		}
	})
}

func TestAppendCompact(t *testing.T) {
	const text = " { \"a b\" : [ 1.0 , \"x \\\" y\" ] }\n"
	if got := string(AppendCompact(nil, []byte(text))); got != `{"a b":[1.0,"x \" y"]}` {
		t.Errorf("got %s", got)
	}
}
