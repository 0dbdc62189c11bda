package install

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// visit calls f for each value below v that is no section, with its key. Elements of a list are
// visited too, with the key LIST[INDEX].
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

// checkSecrets refuses URLs that hold a secret, wherever they are in the values: what is made from
// the values is kept with code. The error does not repeat them.
func (v *Values) checkSecrets() error {
	return visit("", reflect.ValueOf(v).Elem(), func(key string, v reflect.Value) error {
		if v.Kind() != reflect.String {
			return nil
		}
		text := v.String()
		if strings.HasPrefix(text, "-") { // a flag
			_, text, _ = strings.Cut(text, "=")
		}
		if driver.HoldsSecret(text) {
			return errcode.New(errcode.InvalidArgument, "values: %s holds a password, a token or another secret, want a URL that names a file or an environment variable with it", key)
		}
		return nil
	})
}
