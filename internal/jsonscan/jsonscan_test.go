package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/jsonscan"
)

var texts = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `12`, `-1.5e+10`, `1E5`, `"a"`, `"\u00e9\ud83d\ude00\n"`, `"\ud800"`, `"\ud800\u0041"`,
	`{"a":[1,2,{"b":null}],"c":"\\\""}`, ` [ 1 , 2 ] `, "[\t\n\r1]", `99999999999999999999999999999999999999`,
	``, `[`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `01`, `1.`, `.5`, `+1`, `1e`, `tru`, `nul`, `"`, `"\x"`, `"\u12g4"`, "\"\n\"", "\"\xff\"",
	`[1 2]`, `[1]]`, `{} x`, `'a'`, `NaN`, `"\u0000"`, `-`, `"a\`, "\"\\u00e9\xff\"", `{"a":1 "b":2}`, `[[[[]]]]`, `"\"`, `{"":0}`,
}

func scan(b []byte) error {
	var s jsonscan.Scanner
	s.Reset(b)
	if _, err := s.Skip(); err != nil {
		return err
	}
	return s.End()
}

// The standard library is the judge of what JSON is; it alone lets bytes that are not UTF-8 pass.
func check(t *testing.T, b []byte) {
	t.Helper()
	want := json.Valid(b) && utf8.Valid(b) && !tooDeep(b)
	if err := scan(b); (err == nil) != want {
		t.Fatalf("%q: scanner says %v, encoding/json says valid=%v", b, err, want)
	}
}

// tooDeep reports whether JSON nests deeper than is read.
func tooDeep(b []byte) bool {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for depth := 0; ; {
		t, err := d.Token()
		switch {
		case err != nil:
			return false
		case t == json.Delim('[') || t == json.Delim('{'):
			if depth++; depth > jsonscan.MaxDepth {
				return true
			}
		case t == json.Delim(']') || t == json.Delim('}'):
			depth--
		}
	}
}

func TestAcceptsWhatTheStandardLibraryAccepts(t *testing.T) {
	for _, text := range texts {
		check(t, []byte(text))
	}
}

func FuzzSkip(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, b)
		var s jsonscan.Scanner
		s.Reset(b)
		if got, err := s.String(); err == nil {
			raw := b[:s.Offset()]
			var want string
			if err := json.Unmarshal(raw, &want); err != nil || want != string(got) {
				t.Fatalf("%q: string %q, encoding/json reads %q (%v)", b, got, want, err)
			}
			// A replacement character comes from the text itself, or from a lone surrogate.
			if replaced := strings.Count(want, "\ufffd") > strings.Count(string(raw), "\ufffd")+strings.Count(strings.ToLower(string(raw)), `\ufffd`); replaced && s.Lone() == nil {
				t.Fatalf("%q: no error of a lone surrogate", b)
			}
		}
		// A value is passed over wherever it stands.
		for _, around := range [][2]string{{"", ""}, {"[", "]"}, {`{"a":`, "}"}, {"[", ",1]"}} {
			if !json.Valid(b) || tooDeep(b) {
				break
			}
			text := around[0] + string(b) + around[1]
			s.Reset([]byte(text))
			switch {
			case text[0] == '[' && around[0] != "":
				if err := s.Array(); err != nil {
					t.Fatal(err)
				}
			case around[0] != "":
				if err := s.Object(); err != nil {
					t.Fatal(err)
				}
				if _, _, err := s.Key(true); err != nil {
					t.Fatal(err)
				}
			}
			s.Pass()
			if rest := strings.TrimSpace(text[s.Offset():]); rest != around[1] {
				t.Fatalf("%q: behind the value stands %q, want %q", text, rest, around[1])
			}
		}
	})
}

func TestWalk(t *testing.T) {
	var s jsonscan.Scanner
	s.Reset([]byte(` {"name" : "a\tb", "n": -12.50, "i": 7, "ok": true, "no": null, "list":[1,[2],{"x":3}] } `))
	if err := s.Object(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		switch k := string(key); k {
		case "name":
			v, err := s.String()
			got = append(got, k+"="+string(v))
			if err != nil {
				t.Fatal(err)
			}
		case "n", "i":
			v, isInt, err := s.Number()
			if err != nil || isInt != (k == "i") {
				t.Fatalf("%s: isInt %v, %v", k, isInt, err)
			}
			got = append(got, k+"="+string(v))
		default:
			v, err := s.Skip()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, k+"="+string(v))
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	want := "name=a\tb|n=-12.50|i=7|ok=true|no=null|list=[1,[2],{\"x\":3}]"
	if j := strings.Join(got, "|"); j != want {
		t.Errorf("got  %s\nwant %s", j, want)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`[1,,2]`, "byte 3"}, {`{"a" 1}`, "byte 5"}, {`[1`, "ends at byte 2"}, {strings.Repeat("[", 600), "nested deeper"},
	} {
		if err := scan([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.20q: %v, want it to say %q", tc.text, err, tc.want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c", "\x00\x1f\n", "é😀", "\xff\xc3", "<&>\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(jsonscan.AppendString(nil, s), &got); err != nil {
			t.Fatal(err)
		}
		if want := string([]rune(s)); got != want { // every byte that is not UTF-8 becomes one U+FFFD
			t.Fatalf("%q came back as %q", s, got)
		}
		if fromBytes := jsonscan.AppendString([]byte("x"), []byte(s)); string(fromBytes) != "x"+string(jsonscan.AppendString(nil, s)) {
			t.Fatalf("%q is written as %q from bytes", s, fromBytes)
		}
	})
}

func TestNestingIsBounded(t *testing.T) {
	nested := func(depth int, open, end string) string {
		return strings.Repeat(open, depth) + strings.Repeat(end, depth)
	}
	for _, tc := range []struct {
		why, text string
		ok        bool
	}{
		{"as deep as may be", nested(jsonscan.MaxDepth, "[", "]"), true},
		{"one deeper", nested(jsonscan.MaxDepth+1, "[", "]"), false},
		{"objects", strings.Repeat(`{"a":`, jsonscan.MaxDepth) + "0" + strings.Repeat("}", jsonscan.MaxDepth), true},
		{"objects, one deeper", strings.Repeat(`{"a":`, jsonscan.MaxDepth+1) + "0" + strings.Repeat("}", jsonscan.MaxDepth+1), false},
		{"many, side by side", "[" + strings.Repeat("[[]],", 1000) + "[]]", true},
	} {
		if err := scan([]byte(tc.text)); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
	var s jsonscan.Scanner // used again after an error, it begins anew
	for range 3 {
		s.Reset([]byte(nested(jsonscan.MaxDepth, "[", "") + "x"))
		if _, err := s.Skip(); err == nil {
			t.Fatal("no error")
		}
		s.Reset([]byte(nested(jsonscan.MaxDepth, "[", "]")))
		if _, err := s.Skip(); err != nil {
			t.Fatal(err)
		}
	}
}

// Every reader says what it expected of a text that is something else, and reads what it does read
// as the standard library does.
func TestReadersRefuseOtherKinds(t *testing.T) {
	read := map[string]func(s *jsonscan.Scanner) error{
		"an object":     func(s *jsonscan.Scanner) error { return s.Object() },
		"an array":      func(s *jsonscan.Scanner) error { return s.Array() },
		"a string":      func(s *jsonscan.Scanner) error { _, err := s.String(); return err },
		"a number":      func(s *jsonscan.Scanner) error { _, _, err := s.Number(); return err },
		"true or false": func(s *jsonscan.Scanner) error { _, err := s.Bool(); return err },
		"null":          func(s *jsonscan.Scanner) error { return s.Null() },
	}
	texts := map[string]string{"an object": "{}", "an array": "[]", "a string": `"x"`, "a number": "1", "true or false": "true", "null": "null"}
	for want, f := range read {
		for kind, text := range texts {
			var s jsonscan.Scanner
			s.Reset([]byte(" " + text))
			err := f(&s)
			if kind == want && err != nil || kind != want && (err == nil || !strings.Contains(err.Error(), "byte 1: expected "+want)) {
				t.Errorf("%s read as %s: %v", text, want, err)
			}
		}
		var s jsonscan.Scanner
		s.Reset(nil)
		if err := f(&s); err == nil || !strings.Contains(err.Error(), "ends at byte 0 where "+want) {
			t.Errorf("nothing read as %s: %v", want, err)
		}
	}
	for text, want := range map[string]bool{"true": true, "false": false} {
		var s jsonscan.Scanner
		s.Reset([]byte(text))
		if got, err := s.Bool(); got != want || err != nil {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{`"\b\f\/\u00E9\uD83D\uDE00\uDE00x"`, `"\uD83Dx"`, `"\ud83d\n"`, `"\ud83d\ud83d\ude00"`} {
		var s jsonscan.Scanner
		s.Reset([]byte(text))
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.String(); string(got) != want || err != nil {
			t.Errorf("%s is read as %q (%v), want %q", text, got, err, want)
		}
	}
}
