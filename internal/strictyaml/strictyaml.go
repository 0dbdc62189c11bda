// Package strictyaml decodes the YAML that people write for badger: its configuration, values of an installation and
// judge files.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// ErrDocuments is the error if the input has more than one document.
var ErrDocuments = errors.New("expected one YAML document")

// Decode decodes the only document of the input. If the input has no document, the error is io.EOF. An unknown key, or
// a number with a fraction for an integer, which the library would truncate, is a [yaml.TypeError].
func Decode(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return err
	}
	if !errors.Is(d.Decode(&yaml.Node{}), io.EOF) {
		return ErrDocuments
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return err
	}
	var wrong yaml.TypeError
	for _, n := range root.Content {
		fractions(n, reflect.TypeOf(into), &wrong)
	}
	if wrong.Errors != nil {
		return &wrong
	}
	return nil
}

var nodeType = reflect.TypeFor[yaml.Node]()

// fractions appends an error in the library's form to wrong for each number with a fraction in n that t decodes to an
// integer.
func fractions(n *yaml.Node, t reflect.Type, wrong *yaml.TypeError) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nodeType:
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].ShortTag() == "!!merge" {
				fractions(n.Content[i+1], t, wrong)
			} else if of := fieldType(t, n.Content[i].Value); of != nil {
				fractions(n.Content[i+1], of, wrong)
			}
		}
	case t.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			fractions(n.Content[i+1], t.Elem(), wrong)
		}
	case t.Kind() == reflect.Slice:
		for _, item := range n.Content {
			fractions(item, t.Elem(), wrong)
		}
	case reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64 && n.ShortTag() == "!!float":
		var x float64
		if n.Decode(&x) == nil && x != math.Trunc(x) {
			wrong.Errors = append(wrong.Errors,
				fmt.Sprintf("line %d: cannot unmarshal !!float `%.10s` into %s", n.Line, n.Value, t))
		}
	}
}

// fieldType returns the type of the field of struct type t with a YAML key, or nil if there is none.
func fieldType(t reflect.Type, key string) reflect.Type {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" && f.Type.Kind() == reflect.Struct {
			if of := fieldType(f.Type, key); of != nil {
				return of
			}
		} else if name == key || name == "" && strings.EqualFold(f.Name, key) {
			return f.Type
		}
	}
	return nil
}
