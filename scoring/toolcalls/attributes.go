package toolcalls

import (
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Attributes parses the attributes of a span, as an object or as the list of keys and values of OTLP. Nested names are
// joined with points.
func Attributes(raw json.RawMessage) jsonscan.Object { return attributesOf(raw).members }

// attributesOf parses the attributes of a span: an object, whose names may be nested, or the list of keys and values of
// OTLP.
func attributesOf(raw json.RawMessage) *object {
	o := &object{members: jsonscan.Object{}}
	if of := jsonscan.ParseObject(raw); of != nil {
		o.flatten("", of, 0)
		return o
	}
	list := jsonscan.ParseList(raw)
	o.members = make(jsonscan.Object, 0, len(list))
	var buffer [4]jsonscan.Member
	for _, raw := range list {
		a, _ := jsonscan.AppendMembers(buffer[:0], raw)
		if value := otlpValue(a.Get("value"), 0); value != nil {
			o.members = append(o.members, jsonscan.Member{Name: jsonscan.Unquote(a.Get("key")), Value: value})
		}
	}
	return o
}

// maxNames is the maximum number of parts of a nested name of an attribute.
const maxNames = 8

// flatten adds the members of an object under names that begin with prefix.
func (o *object) flatten(prefix string, of jsonscan.Object, depth int) {
	for _, m := range of {
		name := m.Name
		if prefix != "" {
			name = append([]byte(prefix), name...)
		}
		o.members = append(o.members, jsonscan.Member{Name: name, Value: m.Value})
		if m.Value[0] == '{' && depth < maxNames {
			o.flatten(string(name)+".", jsonscan.ParseObject(m.Value), depth+1)
		}
	}
}

// otlpValue converts an AnyValue of OTLP to JSON. It returns nil for an invalid or empty value. In JSON, integers of 64
// bits are strings.
func otlpValue(raw json.RawMessage, depth int) json.RawMessage {
	var buffer [2]jsonscan.Member
	members, ok := jsonscan.AppendMembers(buffer[:0], raw)
	if !ok || depth > maxDepth {
		return nil
	}
	o := object{members: members}
	if v := o.any("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue",
		"bytes_value"); v != nil {
		return v
	}
	if v := o.any("intValue", "int_value"); v != nil {
		if text := textOf(v); text != "" && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
		return v
	}
	if array := objectOf(o.any("arrayValue", "array_value"), nil); array != nil {
		values, _ := array.list("values")
		out := []byte{'['}
		for i, v := range values {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, orNull(otlpValue(v, depth+1))...)
		}
		return append(out, ']')
	}
	if object := objectOf(o.any("kvlistValue", "kvlist_value"), nil); object != nil {
		values, _ := object.list("values")
		out := []byte{'{'}
		for i, v := range values {
			member := objectOf(v, nil)
			if member == nil {
				return nil
			}
			if i > 0 {
				out = append(out, ',')
			}
			out = append(jsonscan.AppendString(out, member.text("key")), ':')
			out = append(out, orNull(otlpValue(member.get("value"), depth+1))...)
		}
		return append(out, '}')
	}
	return nil
}

func orNull(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	return strings.TrimSpace(string(raw))
}
