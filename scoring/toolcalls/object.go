package toolcalls

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object of a trace, with its place for errors.
type object struct {
	at      string
	members map[string]json.RawMessage
}

// objectOf parses an object. It returns nil for other JSON.
func objectOf(raw json.RawMessage, at string) *object {
	o := object{at: at}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &o.members) != nil {
		return nil
	}
	return &o
}

// has reports whether a member is present and not null.
func (o *object) has(name string) bool {
	raw, ok := o.members[name]
	return ok && string(raw) != "null"
}

// any returns the first of the members that is present and not null, or nil.
func (o *object) any(names ...string) json.RawMessage {
	for _, name := range names {
		if o.has(name) {
			return o.members[name]
		}
	}
	return nil
}

// text returns a member that is a string, or "".
func (o *object) text(name string) string { return textOf(o.members[name]) }

// object returns a member that is an object, or nil.
func (o *object) object(name string) *object { return objectOf(o.members[name], o.at+"."+name) }

// list returns a member that is a list; ok is false for other members.
func (o *object) list(name string) (list []json.RawMessage, ok bool) {
	raw := o.members[name]
	return list, len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil
}

// only reports whether o has no members other than these.
func (o *object) only(names ...string) bool {
	n := 0
	for _, name := range names {
		if _, ok := o.members[name]; ok {
			n++
		}
	}
	return n == len(o.members)
}

// textOf returns the value of a JSON string, or "" for other JSON.
func textOf(raw json.RawMessage) (text string) {
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &text) // valid JSON
	}
	return text
}

// decoded returns the JSON that a string contains. It returns nil for an empty string, and other values, such as text
// that is not JSON, unchanged.
func decoded(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	text := bytes.TrimSpace([]byte(textOf(raw)))
	switch {
	case len(text) == 0:
		return nil
	case json.Valid(text):
		return text
	}
	return raw
}

// logged returns the arguments that a tracing product stored: like decoded, but a string may also contain a dict as
// Python prints it, because LangChain passes the input of a tool to tracers as that text.
func logged(raw json.RawMessage) json.RawMessage {
	out := decoded(raw)
	if len(out) > 0 && out[0] == '"' {
		if dict := pythonDict(textOf(out)); dict != nil {
			return dict
		}
	}
	return out
}

// kind returns the kind of a JSON value, as error messages name it.
func kind(raw json.RawMessage) string {
	switch {
	case len(raw) == 0:
		return "value"
	case raw[0] == '{':
		return "object"
	case raw[0] == '[':
		return "list"
	case raw[0] == '"':
		return "string"
	case raw[0] == 't', raw[0] == 'f':
		return "boolean"
	case raw[0] == 'n':
		return "null"
	}
	return "number"
}

// start sets the time at which the span of a call started, if one of the members of o is a time.
func (f *found) start(o *object, names ...string) {
	if f != nil {
		f.at, f.timed = instant(o.any(names...))
	}
}

// instant parses a time: RFC 3339, with or without a zone, a number, or a list of seconds and nanoseconds. Numbers are
// only compared with numbers of the same trace, so their unit does not matter.
func instant(raw json.RawMessage) (at int64, ok bool) {
	text := strings.TrimSpace(textOf(raw))
	if text == "" {
		text = string(raw)
	}
	var pair []int64
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &pair) == nil && len(pair) == 2 {
		return pair[0]*1_000_000_000 + pair[1], true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(f) < 1e12 { // seconds with a fraction
		return int64(f * 1e6), true
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
		"2006-01-02 15:04:05.999999999Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixNano(), true
		}
	}
	return 0, false
}
