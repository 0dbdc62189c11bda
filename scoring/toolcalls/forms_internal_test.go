package toolcalls

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestPythonDict(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                   `{}`,
		`{'q': 1, "r": 'a "b"'}`:               `{"q":1,"r":"a \"b\""}`,
		`{'a': [1, 2.50, -3e4,], 'b': (1, 2)}`: `{"a":[1,2.50,-3e4],"b":[1,2]}`,
		`{'a': {'b': True}, 'c': None}`:        `{"a":{"b":true},"c":null}`,
		`{'s': 'line\nnext \x41 é \\ \''}`:     `{"s":"line\nnext A é \\ '"}`,
		` {'a': False} `:                       `{"a":false}`,
		`{'a': 1} x`:                           ``,
		`{'a': }`:                              ``,
		`{'a' 1}`:                              ``,
		`{1: 2}`:                               ``,
		`{'a': nan}`:                           ``,
		`{'a': datetime.date(2024, 1, 1)}`:     ``,
		`{'a': 'x`:                             ``,
		`{'a': '\q'}`:                          ``,
		`{'a': 1`:                              ``,
		`[1]`:                                  ``,
		`SELECT 1`:                             ``,
		``:                                     ``,
	} {
		if got := string(pythonDict(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Exactly one form recognizes a call, so the order in which forms are registered does not matter.
func TestFormsDoNotOverlap(t *testing.T) {
	for _, raw := range callsOfForms(t) {
		o := objectOf([]byte(raw), nil)
		var names []string
		for i := range forms {
			if forms[i].is(o) {
				names = append(names, forms[i].name)
			}
		}
		if role(o) != "" {
			names = append(names, "messages")
		}
		if len(names) != 1 {
			t.Errorf("%s: recognized by %q", raw, names)
		}
	}
}

// callsOfForms returns the elements of the lists in testdata/forms.txt that a form recognizes.
func callsOfForms(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		var list []json.RawMessage
		if !strings.HasPrefix(line, "[") || json.Unmarshal([]byte(line), &list) != nil {
			continue
		}
		for _, raw := range list {
			o := objectOf(raw, nil)
			if o == nil {
				continue
			}
			if f := formOf(o); f != nil && f != &messages {
				out = append(out, string(raw))
			}
		}
	}
	return out
}
