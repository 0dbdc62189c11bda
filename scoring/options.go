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

// Option declares one option of a metric. The check of a value, the documentation and the catalogue
// are all made from it.
type Option struct {
	Name string `json:"name"`
	// boolean, integer, number, string, "list of strings" and so on; [DeclareOptions] derives it
	Type    string   `json:"type"`
	Default any      `json:"default"`           // nil if no single value stands for an option that is not given
	Unset   string   `json:"unset,omitempty"`   // describes the behavior if the option is not set
	Choices []string `json:"choices,omitempty"` // the strings that are allowed, also as elements of a list; nil: any

	// Bounds of a number, also as an element of a list or object.
	Min   *float64 `json:"minimum,omitempty"`
	Max   *float64 `json:"maximum,omitempty"`
	Above *float64 `json:"exclusive_minimum,omitempty"`
	Below *float64 `json:"exclusive_maximum,omitempty"`

	Doc string `json:"doc"` // what it does, in a sentence
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

// String is the option in a line: its name, type, range, default, and what it does.
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

// OptionSet holds the options of a metric: the list of them, and a check of one JSON object. The zero value is that
// of a metric without options.
type OptionSet struct {
	List  []Option
	Check func(json.RawMessage) error // an unknown name, a wrong type and a value out of range are errors
}

// None reports whether there are no options.
func (s *OptionSet) None() bool { return s.Check == nil }

// DeclaredOptions are the options of a metric that reads them into a struct.
type DeclaredOptions[T any] struct {
	OptionSet
	Defaults T

	check func(*T) error
}

// DeclareOptions declares the options of a metric. Defaults is a struct whose fields have the names of the options
// as their JSON names; types and defaults of the list come from it. Check validates constraints that the list
// cannot express, such as dependencies between options; it may be nil. A declaration that does not match the struct
// panics at the start of the program. Defaults must not hold non-empty lists or maps, which all cases would share.
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

// Read returns the options of a case: the defaults, changed by the deployment's and then by the
// case's.
func (d *DeclaredOptions[T]) Read(in *Input) (T, error) {
	o := d.Defaults
	if err := in.Options(&o); err != nil {
		return o, err
	}
	return o, d.whole(&o)
}

// ReadOf returns the options that a case has for another metric, the one these options are declared
// for: a metric that puts another's question puts it as that metric would.
func (d *DeclaredOptions[T]) ReadOf(in *Input, metric string) (T, error) {
	o := d.Defaults
	for _, raw := range []json.RawMessage{in.run.engine.opts.Config.Options[metric], in.Case.Options[metric]} {
		if err := d.decode(raw, &o); err != nil {
			return o, errcode.New(errcode.Of(err), "options of %s: %w", metric, err)
		}
	}
	return o, d.whole(&o)
}

// whole is the check of all options together.
func (d *DeclaredOptions[T]) whole(o *T) error {
	if d.check == nil {
		return nil
	}
	return d.check(o)
}

// decode reads one JSON object, and holds each option to its declaration.
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

// fault describes an invalid value, " is 2, want at most 1", or returns "". Elements are named: "[0] is 2, want at
// most 1".
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

// typeInWords names the JSON type that a Go type is read from; it is empty for types that read JSON
// their own way.
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

// alternatives is "a, b or c".
func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Options fills o, a pointer to a struct of defaults, from the options of the deployment and of the
// case, the latter last.
func (in *Input) Options(o any) error {
	for _, raw := range in.options {
		if err := DecodeOptions(raw, o); err != nil {
			return err
		}
	}
	return nil
}

// DecodeOptions reads one JSON object of options into a pointer to a struct. Unknown names are
// errors.
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
