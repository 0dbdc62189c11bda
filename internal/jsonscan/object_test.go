package jsonscan_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Members and elements are those that encoding/json returns.
func TestParseObject(t *testing.T) {
	t.Parallel()
	for _, text := range append([]string{`{"a" : 1 , "b\n" : [1, {"c": "]"}] , "":null}`, `[ 1 , "a,b" , {"x":[]} ]`, ` {"a":1} `, ` [] `}, texts...) {
		if !json.Valid([]byte(text)) {
			continue
		}
		var members map[string]json.RawMessage
		isObject := json.Unmarshal([]byte(text), &members) == nil && members != nil
		o := jsonscan.ParseObject([]byte(text))
		if (o != nil) != isObject || len(o) != len(members) {
			t.Errorf("%s: got %d members", text, len(o))
		}
		for name, value := range members {
			if string(o.Get(name)) != string(value) {
				t.Errorf("%s: %s is %s, want %s", text, name, o.Get(name), value)
			}
		}
		var elements []json.RawMessage
		isList := json.Unmarshal([]byte(text), &elements) == nil && elements != nil
		list := jsonscan.ParseList([]byte(text))
		if (list != nil) != isList || len(list) != len(elements) {
			t.Errorf("%s: got %d elements", text, len(list))
			continue
		}
		for i := range elements {
			if string(list[i]) != string(elements[i]) {
				t.Errorf("%s: element %d is %s, want %s", text, i, list[i], elements[i])
			}
		}
		var s string
		if json.Unmarshal([]byte(text), &s) == nil && text != "null" && string(jsonscan.Unquote([]byte(text))) != s {
			t.Errorf("%s: text %q, want %q", text, jsonscan.Unquote([]byte(text)), s)
		}
	}
	if o := jsonscan.ParseObject([]byte(`{"a":1,"a":2,"b":null}`)); string(o.Get("a")) != "2" || o.Any("b", "c") != nil || string(o.Any("b", "a")) != "2" {
		t.Errorf("got %s", o)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	many := func(last string) string {
		var b strings.Builder
		for i := range 40 {
			b.WriteString(`"k` + strings.Repeat("x", i) + `":0,`)
		}
		return "{" + b.String() + last + "}"
	}
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}`: "",
		many(`"k":1`): "duplicate member",
		many(`"k` + strings.Repeat("x", 39) + `":1`): "duplicate member",
		many(`"z":1`):         "",
		`{"a":1,"\u0061":2}`:  `duplicate member "a"`,
		`{"a":{"b":1,"b":1}}`: `duplicate member "b"`,
		`"\ud800"`:            "lone surrogate",
		`{"\ud800":1}`:        "lone surrogate",
		`"\ud83d\ude00"`:      "",
		"\"\xff\"":            "UTF-8",
		`1 2`:                 "expected the end",
		``:                    "JSON ends",
		strings.Repeat("[", 512) + strings.Repeat("]", 512): "",
		strings.Repeat("[", 513) + strings.Repeat("]", 513): "nested deeper than 512",
	} {
		err := jsonscan.Check([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
	}
}

func TestValuesSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"[{}, ]": "byte 5: not valid JSON: expected a value after ','; JSON allows no comma before a closing bracket",
		"]":      "byte 0: not valid JSON: expected a value",
		"[1]]":   "byte 3: not valid JSON: expected a value",
		"[1 2]":  "byte 3: not valid JSON: expected ',' or ']'",
	} {
		said := ""
		for _, err := range jsonscan.Values(strings.NewReader(text), 16) {
			if err != nil {
				said = err.Error()
			}
		}
		if said != want {
			t.Errorf("%s: %s, want %s", text, said, want)
		}
		if err := jsonscan.Check([]byte("[1,]")); err == nil || !strings.HasSuffix(err.Error(), "expected a value after ','; JSON allows no comma before a closing bracket") {
			t.Errorf("%v", err)
		}
	}
}

// Explanations name members and not types of Go, and quote nothing.
func TestExplain(t *testing.T) {
	type rowKey struct {
		CaseID string `json:"case_id"`
	}
	var of struct {
		rowKey
		Agent struct {
			Turn int `json:"turn"`
		} `json:"agent"`
	}
	for text, want := range map[string]string{
		`{"case_id": 5}`:              "case_id is a JSON number, which is not allowed there",
		`{"agent": {"turn": "s3cr"}}`: "agent.turn is a JSON string, which is not allowed there",
		`[]`:                          "the line is a JSON array, which is not allowed there",
		"s3cr,et":                     "malformed JSON at byte 1; expected an object a line (JSON Lines)",
	} {
		if err := jsonscan.Explain(json.Unmarshal([]byte(text), &of)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := errors.New("other"); !errors.Is(jsonscan.Explain(err), err) {
		t.Error("another error was replaced")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                              "",
		` {"a":"}"} [1,"],",[2]] 3 `:    `{"a":"}"}|1|"],"|[2]|3`,
		`[]`:                            "",
		"[\n{\"a\":1}\n,\n{}\n]\n[4]":   `{"a":1}|{}|4`,
		`{"a":"\"{"}{}`:                 `{"a":"\"{"}|{}`,
		`[1,`:                           "1|error",
		`[1 2]`:                         "1|error",
		`{"a":[1}`:                      "error",
		`{"a":"x`:                       "error",
		`1,2`:                           "1|error",
		`]`:                             "error",
		`[1]]`:                          "1|error",
		`{"long":"0123456789"} {"a":1}`: `<too long>|{"a":1}`,
	} {
		for _, in := range []string{"whole", "bytes"} {
			var got []string
			r := strings.NewReader(text)
			values := jsonscan.Values(r, 16)
			if in == "bytes" {
				values = jsonscan.Values(iotest.OneByteReader(r), 16)
			}
			for v, err := range values {
				switch {
				case err != nil:
					got = append(got, "error")
				case v.Text == nil:
					got = append(got, "<too long>")
				default:
					got = append(got, string(v.Text))
				}
			}
			if strings.Join(got, "|") != want {
				t.Errorf("%s by %s: got %q, want %q", text, in, got, want)
			}
		}
	}
}
