package metric

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
)

func TestToolSpecErrorsNameTheField(t *testing.T) {
	for _, tt := range []struct{ why, spec, want string }{
		{"a number is no specification", `3`, "expected.tools: expected a list"},
		{"broken JSON", `[`, "expected.tools: not valid JSON"},
		{"an object without tools", `{}`, "expected.tools.tools: missing"},
		{"a misspelt member of the object", `{"tool": []}`, "expected.tools: expected an object with nothing but"},
		{"a call that is a number", `["a", 3]`, "expected.tools[1]: expected a name"},
		{"a call without a name", `["a", {"arguments": {}}]`, "expected.tools[1].name: missing"},
		{"a name that is no text", `[{"name": 3}]`, "expected.tools[0].name: a JSON number, expected text"},
		{"arguments that are a list", `[{"name": "a", "arguments": [1]}]`, "expected.tools[0].arguments: expected an object"},
		{"after in a sequence", `["a", {"name": "b", "after": ["a"]}]`, "expected.tools[1].after: a list is a sequence"},
		{"optional that is no boolean", `[{"name": "b", "optional": "yes"}]`, "expected.tools[0].optional: a JSON string, expected true or false"},
		{"a misspelt member of a call", `{"tools": [{"name": "a", "optinal": true}]}`, `expected.tools.tools[0]: unknown member "optinal"`},
		{"a misspelt member of a call in a list", `["a", {"name": "b", "args": {"k": 1}}]`, `expected.tools[1]: unknown member "args", expected id, name, arguments`},
		{"a member of a log", `[{"name": "a", "call_id": 7}]`, `expected.tools[0]: unknown member "call_id"`},
		{"text behind the list", `["a"] ["b"]`, "expected.tools: not valid JSON"},
		{"text behind the object", `{"tools": ["a"]} x`, "expected.tools: expected an object with nothing but"},
		{"arguments with text behind them", `[{"name": "a", "arguments": "{\"k\": 1} and more"}]`, "expected.tools[0].arguments: expected an object"},
		{"arguments with a bracket behind them", `[{"name": "a", "arguments": "{\"k\": 1}]"}]`, "expected.tools[0].arguments: expected an object"},
		{"an unknown id", `{"tools": [{"name": "a"}, {"name": "b", "after": ["a", "c"]}]}`, `expected.tools.tools[1].after[1]: no call has the id "c"`},
		{"an id twice", `{"tools": [{"id": "x", "name": "a"}, {"id": "x", "name": "b"}]}`, `expected.tools.tools[1].id: "x" is taken`},
		{"a name that several calls have", `{"tools": ["a", "a", {"name": "b", "after": ["a"]}]}`, `expected.tools.tools[2].after[0]: several calls are named "a"`},
		{"a call after itself", `{"tools": [{"name": "a", "after": ["a"]}]}`, "expected.tools.tools[0].after: a cycle, tools[0] after tools[0]"},
		{"a cycle that not all calls are on", `{"tools": [{"name": "z", "after": ["a"]}, {"name": "a", "after": ["b"]}, {"name": "b", "after": ["a"]}]}`, "expected.tools.tools[1].after: a cycle, tools[1] after tools[2] after tools[1]"},
		{"more calls than are read", "[" + strings.Repeat(`"a",`, maxExpectedTools) + `"a"]`, "expected.tools: 1001 calls, expected at most 1000"},
	} {
		_, err := parseToolSpec(json.RawMessage(tt.spec))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.why, err, tt.want)
		}
		if errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: code %v", tt.why, errcode.Of(err))
		}
	}
}

func TestToolSpecForms(t *testing.T) {
	for _, tt := range []struct{ why, spec, want string }{
		{"none is not an error", `null`, "none"},
		{"nothing expected", `[]`, ""},
		{"a list is a sequence", `["a", {"name": "b"}, "a"]`, "a; b after 0; a after 1"},
		{"an object is unordered by itself", `{"tools": ["a", "b"]}`, "a; b"},
		{"ids win over names", `{"tools": [{"id": "b", "name": "a"}, "b", {"name": "c", "after": ["b"]}]}`, "a; b; c after 0"},
		{"what comes before may be written later", `{"tools": [{"name": "b", "after": ["x"]}, {"id": "x", "name": "a"}]}`, "b after 1; a"},
		{"an optional call hands its place on", `["a", {"name": "o", "optional": true}, {"name": "p", "optional": true}, "b"]`, "a; b after 0"},
	} {
		s, err := parseToolSpec(json.RawMessage(tt.spec))
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		got := "none"
		if s != nil {
			need, _ := s.required()
			var parts []string
			for _, n := range need {
				part := n.name
				for _, j := range n.after {
					part += " after " + string(rune('0'+j))
				}
				parts = append(parts, part)
			}
			got = strings.Join(parts, "; ")
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}

func TestCanonicalNumber(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		equal bool
		why   string
	}{
		{"1", "1.0", true, "a trailing zero changes nothing"},
		{"1", "10e-1", true, "nor does an exponent"},
		{"-0.0", "0", true, "zero has no sign"},
		{"100", "1E2", true, "nor does the exponent's case"},
		{"0.1", "0.10000000000000001", false, "numbers that one double stands for differ"},
		{"9007199254740993", "9007199254740992", false, "so do integers beyond 2^53"},
		{"1", "-1", false, "the sign counts"},
		{"1e99999999999999999999", "1e99999999999999999998", false, "exponents beyond any machine number are only text"},
	} {
		if got := canonicalNumber(tt.a) == canonicalNumber(tt.b); got != tt.equal {
			t.Errorf("%s and %s: %v; %s", tt.a, tt.b, got, tt.why)
		}
	}
}

func FuzzToolSpec(f *testing.F) {
	for _, s := range []string{`[]`, `["a"]`, `{"tools":[{"id":"x","name":"a","after":["x"]}]}`, `[{"name":"a","arguments":"{\"k\":1e400}"}]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		spec, err := parseToolSpec(json.RawMessage(s))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "expected.tools") {
				t.Errorf("error %q names no field", err)
			}
			return
		}
		if spec != nil {
			need, index := spec.required()
			for i, tool := range spec.tools {
				if (index[i] < 0) != tool.optional || !tool.optional && need[index[i]].name != tool.name {
					t.Fatalf("tool %d is at %d of the required", i, index[i])
				}
			}
		}
	})
}
