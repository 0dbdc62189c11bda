package install

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/strictyaml"
	"github.com/badger-eval/badger/scoring"
)

// visit calls f for each value in v that is not a section itself, with its key, and stops at the first error. For a
// list it is called with the list and with each element, whose key is LIST[INDEX].
func visit(key string, v reflect.Value, f func(key string, v reflect.Value) error) error {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Tag.Get("yaml")
			if name == "" || name == "-" {
				continue
			}
			if err := visit(joined(key, name), v.Field(i), f); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		for _, name := range v.MapKeys() {
			if err := visit(joined(key, name.String()), v.MapIndex(name), f); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := visit(key+"["+strconv.Itoa(i)+"]", v.Index(i), f); err != nil {
				return err
			}
		}
	}
	return f(key, v)
}

func joined(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

// checkSecrets returns an error if a value is a URL that contains a secret, since generated files are stored with code.
// The error does not contain the value.
func (v *Values) checkSecrets() error {
	return visit("", reflect.ValueOf(v).Elem(), func(key string, v reflect.Value) error {
		if v.Kind() != reflect.String {
			return nil
		}
		text := v.String()
		if strings.HasPrefix(text, "-") { // a command-line flag
			_, text, _ = strings.Cut(text, "=")
		}
		if driver.HoldsSecret(text) {
			return errcode.New(errcode.InvalidArgument, "values: %s holds a password, a token or another secret, expected a URL that names a file or an environment variable with it", key)
		}
		return nil
	})
}

// Set sets a value by its key, such as roles.owner or deploy.replicas.min. A string is used unchanged; a number,
// true or false, a list and a mapping are parsed as YAML.
func (v *Values) Set(key, value string) error {
	at, rest := reflect.ValueOf(v).Elem(), key
	for rest != "" {
		if at.Kind() == reflect.Map { // keys and values are the user's own strings
			if at.IsNil() {
				at.Set(reflect.MakeMap(at.Type()))
			}
			at.SetMapIndex(reflect.ValueOf(rest), reflect.ValueOf(value))
			return nil
		}
		name, after, nested := strings.Cut(rest, ".")
		next := fieldOf(at, name)
		if !next.IsValid() || nested && after == "" {
			return v.unknown(key)
		}
		at, rest = next, after
	}
	if key == "" {
		return v.unknown(key)
	}
	if at.Kind() == reflect.String {
		at.SetString(value)
		return nil
	}
	if err := strictyaml.Decode([]byte(value), at.Addr().Interface()); err != nil {
		return errcode.New(errcode.InvalidArgument, "%s: expected %s, such as %s=%s", key, kinds[at.Kind()].want, key,
			kinds[at.Kind()].example)
	}
	return nil
}

func (v *Values) unknown(key string) error {
	var keys []string
	_ = visit("", reflect.ValueOf(&Values{}).Elem(), func(key string, _ reflect.Value) error { // f returns no errors
		keys = append(keys, key)
		return nil
	})
	return errcode.New(errcode.InvalidArgument, "unknown value %.60q%s", key, scoring.Suggest(key, keys))
}

// fieldOf returns the field of a section with a key; the zero Value if v is not a section or lacks the key.
func fieldOf(v reflect.Value, name string) reflect.Value {
	if v.Kind() == reflect.Struct && name != "-" && name != "" {
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("yaml") == name {
				return v.Field(i)
			}
		}
	}
	return reflect.Value{}
}

var kinds = map[reflect.Kind]struct{ want, example string }{
	reflect.Int: {"a whole number", "2"}, reflect.Float64: {"a number", "0.5"}, reflect.Bool: {"true or false", "true"},
	reflect.Slice: {"a list", "'[a, b]'"}, reflect.Map: {"a mapping of names to texts", "'{a: b}'"},
	reflect.Struct: {"a mapping of its keys", "'{a: b}'"},
}
