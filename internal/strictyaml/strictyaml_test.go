package strictyaml_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/strictyaml"
)

type limits struct {
	Calls int      `yaml:"calls"`
	Rate  float64  `yaml:"rate"`
	Ports []int    `yaml:"ports"`
	Of    *section `yaml:"of"`
}

type section struct {
	Bytes int64 `yaml:"bytes"`
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
	want := limits{Calls: 2, Rate: 1.5, Ports: []int{1, 2000}, Of: &section{3}}
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
		var wrong *yaml.TypeError
		err := strictyaml.Decode([]byte(text), &file{})
		if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Errors[0], line+": cannot unmarshal !!float") {
			t.Errorf("%q: %v", text, err)
		}
	}
	var n int
	if err := strictyaml.Decode([]byte("2.5"), &n); err == nil {
		t.Error("a document that is a fraction was accepted")
	}
}
