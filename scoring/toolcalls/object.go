package toolcalls

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// place is the place of a value in a trace, for errors.
type place struct {
	up    *place
	name  string // of a member, with a point before it if up is not nil; "" for an element of a list
	index int    // of an element
}

func (p *place) member(name string) *place { return &place{up: p, name: "." + name} }

func (p *place) element(i int) *place { return &place{up: p, index: i} }

// String returns the place, such as agent.tool_calls[0].function. Of a deep place it is the end.
func (p *place) String() string {
	var parts []string
	n := 0
	for ; p != nil; p = p.up {
		part := p.name
		if part == "" && p.up != nil {
			part = "[" + strconv.Itoa(p.index) + "]"
		}
		if n += len(part); n > maxPlace {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return strings.TrimPrefix(strings.Join(parts, ""), ".")
}

// maxPlace is the maximum length of a place in an error, in bytes.
const maxPlace = 200

// object is a JSON object of a trace, with its place.
type object struct {
	at      *place
	raw     json.RawMessage // its text, if it was parsed from one
	members jsonscan.Object
}

// objectOf parses an object, whose text must be valid JSON. It returns nil for other JSON.
func objectOf(raw json.RawMessage, at *place) *object {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	members := jsonscan.ParseObject(raw)
	if members == nil {
		return nil
	}
	return &object{at, raw, members}
}

// get returns a member, or nil.
func (o *object) get(name string) json.RawMessage { return o.members.Get(name) }

// named reports whether a member is present. It may be null.
func (o *object) named(name string) bool { return o.members.Get(name) != nil }

// has reports whether a member is present and not null.
func (o *object) has(name string) bool { return o.members.Any(name) != nil }

// any returns the first of the members that is present and not null, or nil.
func (o *object) any(names ...string) json.RawMessage { return o.members.Any(names...) }

// text returns a member that is a string, or "".
func (o *object) text(name string) string { return textOf(o.get(name)) }

// object returns a member that is an object, or nil.
func (o *object) object(name string) *object {
	raw := o.get(name)
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return objectOf(raw, o.at.member(name))
}

// list returns a member that is a list; ok is false for other members.
func (o *object) list(name string) (list []json.RawMessage, ok bool) {
	list = jsonscan.ParseList(o.get(name))
	return list, list != nil
}

// isList reports whether a member is a list.
func (o *object) isList(name string) bool { return isList(o.get(name)) }

func isList(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }

// only reports whether o has no members other than these.
func (o *object) only(names ...string) bool {
	for _, m := range o.members {
		if !slices.Contains(names, string(m.Name)) {
			return false
		}
	}
	return true
}

// textOf returns the value of a JSON string, or "" for other JSON.
func textOf(raw json.RawMessage) string { return string(jsonscan.Unquote(raw)) }

// decoded returns the JSON that a string contains. It returns nil for an empty string, and other values, such as text
// that is not JSON, unchanged.
func decoded(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	text := bytes.TrimSpace(jsonscan.Unquote(raw))
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
		f.part = &part{}
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
