package scoring

import (
	"encoding/json"
	"reflect"
)

// CaseKey documents a key of a case file.
type CaseKey struct {
	Name string // with the keys of the enclosing objects, such as agent.version
	Type string
	Doc  string
}

// CaseKeys returns the keys of case files in the order of caseJSON. The key of an object precedes the keys in the
// object.
func CaseKeys() []CaseKey { return keysOf(nil, "", reflect.TypeFor[caseJSON]()) }

func keysOf(keys []CaseKey, prefix string, of reflect.Type) []CaseKey {
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous {
			keys = keysOf(keys, prefix, f.Type)
			continue
		}
		name := prefix + f.Tag.Get("json")
		keys = append(keys, CaseKey{name, typeWord(f.Type), f.Tag.Get("doc")})
		switch {
		case f.Type == reflect.TypeFor[golds]():
			keys = keysOf(keys, name+".", f.Type.Elem())
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[tagsJSON]() &&
			f.Type != reflect.TypeFor[tokensJSON]():
			keys = keysOf(keys, name+".", f.Type)
		}
	}
	return keys
}

func typeWord(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[nameJSON]():
		return "text or number"
	case reflect.TypeFor[labelJSON]():
		return "true or false, or a word"
	case reflect.TypeFor[golds]():
		return "object or list"
	case reflect.TypeFor[amountJSON]():
		return "number"
	case reflect.TypeFor[tokensJSON]():
		return "whole number"
	case reflect.TypeFor[json.RawMessage]():
		return "JSON"
	case reflect.TypeFor[tagsJSON]():
		return "list of text"
	case reflect.TypeFor[toolCallsJSON]():
		return "list of {name, arguments}"
	case reflect.TypeFor[[]Turn]():
		return "list of {question, sql, response}"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list of text"
	case reflect.Pointer:
		return typeWord(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "whole number"
	case reflect.Float64:
		return "number"
	default:
		return "object"
	}
}
