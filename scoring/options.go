package scoring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Option declares one option of a metric. Validation, documentation and the catalogue of metrics use it.
type Option struct {
	Name string `json:"name"`
	// boolean, integer, number, string, "list of strings" and so on; [DeclareOptions] sets it
	Type    string   `json:"type"`
	Default any      `json:"default"`           // nil if the option has several defaults or none
	Unset   string   `json:"unset,omitempty"`   // describes the behavior if the option is not set
	Choices []string `json:"choices,omitempty"` // the strings that are allowed, also as elements of a list; nil: any

	// Bounds of a number, also as an element of a list or object.
	Min   *float64 `json:"minimum,omitempty"`
	Max   *float64 `json:"maximum,omitempty"`
	Above *float64 `json:"exclusive_minimum,omitempty"`
	Below *float64 `json:"exclusive_maximum,omitempty"`

	Doc string `json:"doc"` // describes the option in one sentence
}

// Range describes the allowed values; it is empty if every value of the type is allowed.
func (o *Option) Range() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	var parts []string
	for _, bound := range []struct {
		words string
		at    *float64
	}{{"at least ", o.Min}, {"more than ", o.Above}, {"at most ", o.Max}, {"less than ", o.Below}} {
		if bound.at != nil {
			parts = append(parts, bound.words+number(*bound.at))
		}
	}
	if len(o.Choices) > 0 {
		parts = append(parts, alternatives(o.Choices))
	}
	return strings.Join(parts, " and ")
}

// String returns the option in one line: its name, type, range, default and description.
func (o *Option) String() string {
	facts, preset := o.Type, o.Unset
	if r := o.Range(); r != "" {
		facts += ", " + r
	}
	if o.Default != nil {
		preset = fmt.Sprint(o.Default)
	}
	return fmt.Sprintf("%s (%s; default: %s): %s", o.Name, facts, preset, o.Doc)
}

// OptionSet is a list of the options of a metric, and a check of a JSON object of options. The zero value has no
// options.
type OptionSet struct {
	List  []Option
	Check func(json.RawMessage) error // an unknown name, a wrong type and a value out of range are errors
}

// None reports whether the metric takes no options.
func (s *OptionSet) None() bool { return s.Check == nil }

// DeclaredOptions are the options of a metric that decodes them into a struct of type T.
type DeclaredOptions[T any] struct {
	OptionSet
	Defaults T

	check func(*T) error
}

// DeclareOptions declares the options of a metric. The fields of defaults must have the names of the options in list,
// in the same order, as their JSON names; the types and defaults of the list are set from it. check validates
// constraints that the list cannot express, such as dependencies between options; it may be nil. It panics if list
// and struct do not match. defaults must not contain non-empty lists or maps, since all cases would share them.
func DeclareOptions[T any](defaults T, check func(*T) error, list ...Option) *DeclaredOptions[T] {
	d := &DeclaredOptions[T]{OptionSet{List: list}, defaults, check}
	v := reflect.ValueOf(defaults)
	if v.NumField() != len(list) {
		panic(fmt.Sprintf("%T has %d fields, but %d options are declared", defaults, v.NumField(), len(list)))
	}
	for i := range list {
		o := &list[i]
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if o.Name == "" || o.Name != name || o.Doc == "" {
			panic(fmt.Sprintf("%T: option %q and field %q must have the same name, and a sentence that describes the option",
				defaults, o.Name, name))
		}
		field := v.Field(i)
		if k := field.Kind(); (k == reflect.Slice || k == reflect.Map) && field.Len() > 0 {
			panic(fmt.Sprintf("%T: the default of %q would be shared between cases", defaults, name))
		}
		if o.Type == "" {
			o.Type = typeInWords(field.Type())
		}
		if o.Type == "" {
			panic(fmt.Sprintf("%T: option %q must declare its JSON type", defaults, name))
		}
		switch field.Kind() { //nolint:exhaustive // the other kinds have no zero value with a meaning
		case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
			o.Default = field.Interface()
		default:
			if !field.IsZero() {
				o.Default = field.Interface()
			}
		}
		if o.Default == nil && o.Unset == "" {
			o.Unset = "none"
		}
		if problem := o.fault(field); problem != "" && !field.IsZero() {
			panic(fmt.Sprintf("%T: the default of %s%s", defaults, name, problem))
		}
	}
	d.Check = func(raw json.RawMessage) error {
		o := d.Defaults
		if err := d.decode(raw, &o); err != nil {
			return err
		}
		return d.whole(&o)
	}
	return d
}

// Read returns the options for a case: the defaults, overridden by those of the deployment, and these by those of the
// case.
func (d *DeclaredOptions[T]) Read(in *Input) (T, error) {
	o := d.Defaults
	if err := in.Options(&o); err != nil {
		return o, err
	}
	return o, d.whole(&o)
}

// ReadOf returns the options that a case has for the named metric, for which d was declared. Another metric uses it
// to ask the same question as that metric.
func (d *DeclaredOptions[T]) ReadOf(in *Input, metric string) (T, error) {
	o := d.Defaults
	for _, raw := range []json.RawMessage{in.run.engine.opts.Config.Options[metric], in.Case.Options[metric]} {
		if err := d.decode(raw, &o); err != nil {
			return o, errcode.New(errcode.Of(err), "options of %s: %w", metric, err)
		}
	}
	return o, d.whole(&o)
}

// whole returns the error of checking all options together. It returns nil without a check function.
func (d *DeclaredOptions[T]) whole(o *T) error {
	if d.check == nil {
		return nil
	}
	return d.check(o)
}

// decode decodes a JSON object of options into the struct, and checks each option against its declaration.
func (d *DeclaredOptions[T]) decode(raw json.RawMessage, into *T) error {
	if len(raw) == 0 {
		return nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return errcode.New(errcode.InvalidArgument, "options: expected a JSON object")
	}
	names := make([]string, len(d.List))
	for i := range d.List {
		names[i] = d.List[i].Name
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return errcode.New(errcode.InvalidArgument, "unknown option %.60q; %s", name,
				cmp.Or(strings.TrimPrefix(Suggest(name, names), "; "), "there are "+strings.Join(names, ", ")))
		}
	}
	if err := DecodeOptions(raw, into); err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	for i := range d.List {
		value, ok := given[d.List[i].Name]
		if !ok || string(value) == "null" {
			continue
		}
		if problem := d.List[i].fault(v.Field(i)); problem != "" {
			return errcode.New(errcode.InvalidArgument, "option %s%s", d.List[i].Name, problem)
		}
	}
	return nil
}

// fault returns a description of what is invalid in a value, such as " is 2, want at most 1", or "". For an element
// of a list it starts with the index: "[0] is 2, want at most 1".
func (o *Option) fault(v reflect.Value) string {
	switch v.Kind() { //nolint:exhaustive // other kinds have no bounds
	case reflect.Pointer:
		if !v.IsNil() {
			return o.fault(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if problem := o.fault(v.Index(i)); problem != "" {
				return fmt.Sprintf("[%d]%s", i, problem)
			}
		}
	case reflect.Map:
		for _, k := range slices.SortedFunc(slices.Values(v.MapKeys()),
			func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			if problem := o.fault(v.MapIndex(k)); problem != "" {
				return fmt.Sprintf(".%.60s%s", k.String(), problem)
			}
		}
	case reflect.String:
		if len(o.Choices) > 0 && !slices.Contains(o.Choices, v.String()) {
			return fmt.Sprintf(" is %.40q, expected %s", v.String(), o.Range())
		}
	case reflect.Int, reflect.Int64:
		return o.beyond(float64(v.Int()))
	case reflect.Float64:
		return o.beyond(v.Float())
	}
	return ""
}

func (o *Option) beyond(v float64) string {
	if o.Min != nil && !(v >= *o.Min) || o.Max != nil && !(v <= *o.Max) || o.Above != nil && !(v > *o.Above) ||
		o.Below != nil && !(v < *o.Below) {
		return fmt.Sprintf(" is %v, expected %s", v, o.Range())
	}
	return ""
}

// typeInWords returns the name of the JSON type that the Go type t is decoded from, or "" for types that decode
// themselves.
func typeInWords(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the types that options have
	case reflect.Pointer:
		return typeInWords(t.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "list of " + typeInWords(t.Elem()) + "s"
	case reflect.Map:
		return "object of " + typeInWords(t.Elem()) + "s"
	}
	return ""
}

// alternatives returns the words as "a, b or c".
func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Options decodes the options of the deployment, and then those of the case, into o, a pointer to a struct that holds
// the defaults.
func (in *Input) Options(o any) error {
	for _, raw := range in.options {
		if err := DecodeOptions(raw, o); err != nil {
			return err
		}
	}
	return nil
}

// DecodeOptions decodes a JSON object of options into a pointer to a struct. An unknown name is an error. Empty input
// and null change nothing.
func DecodeOptions(raw json.RawMessage, o any) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(o)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return errcode.New(errcode.InvalidArgument, "option %s is a JSON %s, expected %s", wrong.Field, wrong.Value,
			cmp.Or(typeInWords(wrong.Type), "another type"))
	}
	if err != nil {
		return errcode.New(errcode.InvalidArgument, "options: %w", err)
	}
	return nil
}
