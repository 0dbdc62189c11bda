package strictyaml_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/strictyaml"
)

type limits struct {
	Calls int      `yaml:"calls"`
	Rate  float64  `yaml:"rate"`
	Ports []int    `yaml:"ports" least:"0" most:"65535"`
	Of    *section `yaml:"of"`
}

type section struct {
	Bytes int64         `yaml:"bytes" least:"0"`
	Time  time.Duration `yaml:"time" least:"1s" most:"1h"`
	Share *float64      `yaml:"share" least:"0" most:"1"`
	Small int8          `yaml:"small"`
	Count uint          `yaml:"count"`
}

type file struct {
	Limits  limits             `yaml:"limits"`
	Callers map[string]section `yaml:"callers"`
	Any     any                `yaml:"any"`
	Raw     yaml.Node          `yaml:"raw"`
}

func TestDecode(t *testing.T) {
	var got file
	err := strictyaml.Decode([]byte("limits: {calls: 2, rate: 1.5, ports: [1, 2e3], of: {bytes: 3.0}}\n"+
		"callers: {x: {bytes: 0x10}}\nany: 1.5\nraw: 2.5\n"), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := limits{Calls: 2, Rate: 1.5, Ports: []int{1, 2000}, Of: &section{Bytes: 3}}
	if !reflect.DeepEqual(got.Limits, want) || got.Callers["x"].Bytes != 16 || got.Any != 1.5 || got.Raw.Value != "2.5" {
		t.Errorf("%+v", got)
	}
	if err := strictyaml.Decode(nil, &got); !errors.Is(err, io.EOF) {
		t.Errorf("no document: %v", err)
	}
	if err := strictyaml.Decode([]byte("any: 1\n---\nany: 2\n"), &got); !errors.Is(err, strictyaml.ErrDocuments) {
		t.Errorf("two documents: %v", err)
	}
}

// The library truncates 1.5 to 1 for an integer.
func TestDecodeRejectsFractions(t *testing.T) {
	for text, line := range map[string]string{
		"limits: {calls: 1.5}":                        "line 1",
		"limits:\n  calls: 0.5":                       "line 2",
		"limits: {calls: -1e-1}":                      "line 1",
		"limits: {ports: [1, 1.25]}":                  "line 1",
		"limits:\n  of:\n    bytes: 7.5":              "line 3",
		"callers:\n  x: {bytes: 1}\n  y: {bytes: .5}": "line 3",
		"any: &a {calls: 1.5}\nlimits: *a":            "line 1",
		"any: &a {calls: 1.5}\nlimits: {<<: *a}":      "line 1",
	} {
		var wrong strictyaml.Error
		err := strictyaml.Decode([]byte(text), &file{})
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), line+": ") ||
			!strings.HasSuffix(wrong[0].Text, "expected a whole number, found a fraction") {
			t.Errorf("%q: %v", text, err)
		}
	}
	var n int
	if err := strictyaml.Decode([]byte("2.5"), &n); err == nil {
		t.Error("a document that is a fraction was accepted")
	}
}

func TestDecodeNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text for a section", "limits: 5USD", "line 1: limits: expected a mapping with the keys calls, of, ports, rate, found text"},
		{"a number for a section", "limits: 5", "line 1: limits: expected a mapping with the keys calls, of, ports, rate, found a number"},
		{"text for a number", "limits:\n  rate: fast", "line 2: limits.rate: expected a number, found text"},
		{"a quoted number", "limits:\n  calls: '5'", "line 2: limits.calls: expected a whole number, found text"},
		{"a number that is too large", "limits:\n  calls: 1e30", "line 2: limits.calls: expected a whole number of at most 9223372036854775807, found more"},
		{"a list for a number", "limits:\n  calls: [1]", "line 2: limits.calls: expected a whole number, found a list"},
		{"a mapping for a list", "limits:\n  ports: {a: 1}", "line 2: limits.ports: expected a list, found a mapping"},
		{"an item", "limits:\n  ports:\n  - 1\n  - x", "line 4: limits.ports[1]: expected a whole number, found text"},
		{"text for names", "callers: x", "line 1: callers: expected a mapping from a name to a mapping with the keys bytes, count, share, small, time, found text"},
		{"text below a name", "callers:\n  x: {bytes: much}", "line 2: callers.x.bytes: expected a whole number, found text"},
		{"a misspelt key", "limits:\n  call: 1", `line 2: limits: unknown key "call"; did you mean calls?`},
		{"a misspelt section", "limit: 1", `line 1: unknown key "limit"; did you mean limits?`},
		{"a key of nothing", "zzzzzz: 1", `line 1: unknown key "zzzzzz"; expected one of any, callers, limits, raw`},
		{"a list that is not closed", "limits:\n  ports: [1", "line 1: the list in [ ] is not closed; expected , or ]"},
		{"a colon in a value", "limits:\n  rate: 1: 2", "line 2: a key stands where a value is expected: are the lines around it indented alike, and is a value with a colon in quotes?"},
		{"a key twice", "any: 1\nany: 2", "line 2: any: duplicate key; the first is in line 1"},
		{"two problems", "zzzzzz: 1\nlimits: 2", `line 1: unknown key "zzzzzz"; expected one of any, callers, limits, raw; line 2: limits: expected a mapping with the keys calls, of, ports, rate, found a number`},
		{"a tab", "limits:\n\tcalls: 1", "line 2: the line is indented by a tab; YAML expects spaces"},
		{"no value", "limits: {calls: }", ""},
		{"a tab in a text", "any: \"a\tb\"", ""},
		{"a merged key that is set again", "any: &a {calls: 1}\nlimits: {<<: *a, calls: 2}", ""},
		{"a misspelt key of a merged mapping", "any: &a {call: 1}\nlimits: {<<: *a}", `line 1: limits: unknown key "call"; did you mean calls?`},
	} {
		said := ""
		if err := strictyaml.Decode([]byte(c.text), &file{}); err != nil {
			said = err.Error()
		}
		if said != c.want {
			t.Errorf("%s: %s, want %s", c.name, said, c.want)
		}
	}
}

// An error is printed and logged, and a value may be a secret.
func TestErrorsHaveNoValues(t *testing.T) {
	for _, text := range []string{"limits: s3cret", "limits: {calls: s3cret}", "limits: [s3cret]", "callers: [s3cret]",
		"limits: {ports: s3cret}", "any: [s3cret", "any: 's3cret"} {
		if err := strictyaml.Decode([]byte(text), &file{}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Aliases of aliases are not expanded without bound.
func TestDecodeBoundsAliases(t *testing.T) {
	text := "any: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
	for i := range 12 {
		text += fmt.Sprintf("k%d: &a%d [%s*a%d]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	if err := strictyaml.Decode([]byte(text), &file{}); err == nil {
		t.Error("a document of 10^13 values was decoded")
	}
}

// A number outside of its range is an error that names the bound and not the number, which may be a secret; the bounds
// themselves are within.
func TestDecodeRanges(t *testing.T) {
	for text, want := range map[string]string{
		"bytes: -1":                    "bytes: expected a whole number of at least 0, found less",
		"bytes: -99999999999999999999": "bytes: expected a whole number of at least 0, found less",
		"bytes: 99999999999999999999":  "bytes: expected a whole number of at most 9223372036854775807, found more",
		"bytes: 1.5":                   "bytes: expected a whole number, found a fraction",
		"bytes: '-1'":                  "bytes: expected a whole number, found text",
		"bytes: 0":                     "",
		"time: 999ms":                  "time: expected a duration of at least 1s, found less",
		"time: -1m":                    "time: expected a duration of at least 1s, found less",
		"time: 61m":                    "time: expected a duration of at most 1h, found more",
		"time: 1s":                     "",
		"time: 60m":                    "",
		"share: 1.001":                 "share: expected a number of at most 1, found more",
		"share: -1":                    "share: expected a number of at least 0, found less",
		"share: .nan":                  "share: expected a finite number",
		"share: .inf":                  "share: expected a finite number",
		"share: 1":                     "",
		"share: null":                  "",
		"small: 128":                   "small: expected a whole number of at most 127, found more",
		"small: -129":                  "small: expected a whole number of at least -128, found less",
		"small: -128":                  "",
		"count: -1":                    "count: expected a whole number of at least 0, found less",
	} {
		said := ""
		if err := strictyaml.Decode([]byte("limits:\n  of:\n    "+text), &file{}); err != nil {
			said = err.Error()
		}
		if want != "" {
			want = "line 3: limits.of." + want
		}
		if said != want {
			t.Errorf("%s: %s, want %s", text, said, want)
		}
	}
	if err := strictyaml.Decode([]byte("limits: {ports: [1, 65536]}"), &file{}); err == nil || err.Error() != "line 1: limits.ports[1]: expected a whole number of at most 65535, found more" {
		t.Errorf("an element: %v", err)
	}
	n := 0
	if err := strictyaml.DecodeField([]byte("0"), &n, `least:"1"`); err == nil || err.Error() != "line 1: expected a whole number of at least 1, found less" {
		t.Errorf("a field: %v", err)
	}
}
