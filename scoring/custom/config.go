package custom

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/strictyaml"
	"github.com/badger-eval/badger/scoring"
)

// setting is the declaration of one setting of a judge, whose value a deployment or a case can override.
type setting struct {
	Type    string   `yaml:"type"` // bool, int, float, string or list; if omitted, the type of the default
	Default any      `yaml:"default"`
	Doc     string   `yaml:"doc"`
	Min     *float64 `yaml:"min"`
	Max     *float64 `yaml:"max"`
	OneOf   []any    `yaml:"one_of"`
}

var settingTypes = []string{"bool", "int", "float", "string", "list"}

// parseConfig parses the settings in a header. Each is NAME: DEFAULT, or NAME: {type, default, doc, min, max,
// one_of}.
func parseConfig(nodes map[string]yaml.Node) (map[string]*setting, error) {
	out := map[string]*setting{}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		node := nodes[name]
		bad := func(format string, args ...any) (map[string]*setting, error) {
			return nil, errcode.New(errcode.InvalidArgument, "config."+name+": "+format, args...)
		}
		if !judgeName.MatchString(name) {
			return nil, errcode.New(errcode.InvalidArgument,
				"config: invalid name %.40q; expected lowercase letters, digits and _", name)
		}
		s := &setting{}
		var err error
		if node.Kind == yaml.MappingNode {
			if err := strictNode(&node, s); err != nil {
				return bad("expected type, default, doc, min, max and one_of")
			}
		} else if err = node.Decode(&s.Default); err != nil {
			return bad("cannot be read")
		}
		if s.Default == nil {
			return bad("a setting has a default")
		}
		if s.Type == "" {
			s.Type = typeOf(s.Default)
		}
		if !slices.Contains(settingTypes, s.Type) {
			return bad("type: expected one of %s", strings.Join(settingTypes, ", "))
		}
		if s.Default, err = s.check(s.Default); err != nil {
			return bad("default: %s", err)
		}
		out[name] = s
	}
	return out, nil
}

// strictNode decodes a YAML node. An unknown key is an error.
func strictNode(n *yaml.Node, into any) error {
	text, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	return strictyaml.Decode(text, into)
}

func typeOf(v any) string {
	switch v.(type) {
	case bool:
		return "bool"
	case int, int64, uint64:
		return "int"
	case float64:
		return "float"
	case string:
		return "string"
	case []any:
		return "list"
	}
	return ""
}

// check returns the value converted to the setting's type: bool, int64, float64, string or a list of these. A value
// of another type or outside the allowed values is an error.
func (s *setting) check(v any) (any, error) {
	v, ok := normalValue(v)
	if s.Type == "float" {
		if n, whole := v.(int64); whole {
			v = float64(n)
		}
	}
	if !ok || typeOf(v) != s.Type {
		return nil, errcode.New(errcode.InvalidArgument, "expected %s", map[string]string{
			"bool": "true or false", "int": "a whole number", "float": "a number", "string": "a string",
			"list": "a list of strings and numbers",
		}[s.Type])
	}
	var n float64
	switch v := v.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	}
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return nil, errcode.New(errcode.InvalidArgument, "expected a finite number")
	case s.Min != nil && n < *s.Min:
		return nil, errcode.New(errcode.InvalidArgument, "expected at least %g", *s.Min)
	case s.Max != nil && n > *s.Max:
		return nil, errcode.New(errcode.InvalidArgument, "expected at most %g", *s.Max)
	}
	if len(s.OneOf) > 0 &&
		!slices.ContainsFunc(s.OneOf, func(o any) bool { o, _ = normalValue(o); return s.Type != "list" && o == v }) {
		return nil, errcode.New(errcode.InvalidArgument, "expected one of the values under one_of")
	}
	return v, nil
}

// normalValue converts a value decoded from YAML or JSON so that whole numbers are int64, also in lists. ok is false
// for unsupported types.
func normalValue(v any) (any, bool) {
	switch v := v.(type) {
	case bool, string, float64, int64:
		return v, true
	case int:
		return int64(v), true
	case json.Number:
		if n, err := v.Int64(); err == nil && !strings.ContainsAny(string(v), ".eE") {
			return n, true
		}
		f, err := v.Float64()
		return f, err == nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			e, ok := normalValue(v[i])
			if _, nested := e.([]any); !ok || nested {
				return nil, false
			}
			out[i] = e
		}
		return out, true
	}
	return nil, false
}

// options returns the settings as the options of a metric.
func (j *Judge) options() scoring.OptionSet {
	var set scoring.OptionSet
	if len(j.config) == 0 {
		return set
	}
	words := map[string]string{"bool": "boolean", "int": "integer", "float": "number", "list": "list"}
	for _, name := range slices.Sorted(maps.Keys(j.config)) {
		s := j.config[name]
		o := scoring.Option{Name: name, Type: cmp.Or(words[s.Type], s.Type), Default: s.Default, Min: s.Min, Max: s.Max,
			Doc: s.Doc}
		for _, choice := range s.OneOf {
			o.Choices = append(o.Choices, fmt.Sprint(choice))
		}
		set.List = append(set.List, o)
	}
	set.Check = func(raw json.RawMessage) error {
		_, err := j.override(raw)
		return err
	}
	return set
}

// override parses and checks a JSON object of options of a deployment or a case, and returns the settings in it by
// name.
func (j *Judge) override(raw json.RawMessage) (map[string]any, error) {
	set := map[string]json.RawMessage{}
	if err := scoring.DecodeOptions(raw, &set); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "options: expected a JSON object")
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		s, ok := j.config[name]
		if !ok {
			return nil, errcode.New(errcode.InvalidArgument, "options: the judge has no setting %.40q%s", name,
				scoring.Suggest(name, slices.Sorted(maps.Keys(j.config))))
		}
		d := json.NewDecoder(bytes.NewReader(set[name]))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "options.%s: no JSON", name)
		}
		v, err := s.check(v)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "options.%s: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

// settings returns the values of the judge's settings for one case: the defaults, overridden by the deployment and
// the case.
func (j *Judge) settings(in *scoring.Input) (map[string]any, error) {
	set := map[string]json.RawMessage{}
	if err := in.Options(&set); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(set)
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "options: expected a JSON object")
	}
	over, err := j.override(raw)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(j.config))
	for name, s := range j.config {
		out[name] = s.Default
		if v, ok := over[name]; ok {
			out[name] = v
		}
	}
	return out, nil
}

// ownSettings returns the settings whose strings are trusted: all but the strings that the case itself sets. The
// author of the judge and the deployment did not write those, unless the author lists them in one_of.
func (j *Judge) ownSettings(in *scoring.Input, settings map[string]any) map[string]any {
	raw, ok := in.Case.Options[j.Name]
	if !ok {
		return settings
	}
	set := map[string]json.RawMessage{}
	if scoring.DecodeOptions(raw, &set) != nil {
		return nil
	}
	own := maps.Clone(settings)
	maps.DeleteFunc(own, func(name string, _ any) bool {
		_, ofCase := set[name]
		s := j.config[name]
		return ofCase && len(s.OneOf) == 0 && (s.Type == "string" || s.Type == "list")
	})
	return own
}

func configRecord(settings map[string]any) *record {
	r := &record{name: "config", fields: make(starlark.StringDict, len(settings))}
	for name, v := range settings {
		r.fields[name] = starlarkOf(v)
	}
	return r
}

func starlarkOf(v any) starlark.Value {
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v)
	case int64:
		return starlark.MakeInt64(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	case []any:
		out := make([]starlark.Value, len(v))
		for i := range v {
			out[i] = starlarkOf(v[i])
		}
		return starlark.NewList(out)
	}
	return starlark.None
}
