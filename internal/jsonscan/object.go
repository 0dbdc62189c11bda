package jsonscan

import (
	"encoding/json"
	"slices"
)

// Object holds the members of a JSON object in the order of the text. Their values share the memory of the text.
type Object []Member

// ParseObject returns the members of an object, whose text must be valid JSON. It returns nil for other JSON.
func ParseObject(text []byte) Object {
	var few [16]Member
	o, ok := AppendMembers(few[:0], text)
	if !ok {
		return nil
	}
	return append(make(Object, 0, len(o)), o...)
}

// AppendMembers appends the members of an object, whose text must be valid JSON. It reports whether text is an object.
func AppendMembers(o Object, text []byte) (Object, bool) {
	var s Scanner
	s.Reset(text)
	if s.Object() != nil {
		return o, false
	}
	for first := true; ; first = false {
		key, more, err := s.Key(first)
		if err != nil || !more {
			return o, err == nil
		}
		key = s.kept(key)
		s.Peek()
		at := s.pos
		if s.Pass(); s.pos == at {
			return o, false
		}
		o = append(o, Member{key, trimRight(text[at:s.pos])})
	}
}

// Get returns the value of a member, of the last one with that name, or nil if o has none.
func (o Object) Get(name string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].Name) == name {
			return o[i].Value
		}
	}
	return nil
}

// Any returns the value of the first of the names that is a member and not null, or nil.
func (o Object) Any(names ...string) json.RawMessage {
	for _, name := range names {
		if value := o.Get(name); value != nil && string(value) != "null" {
			return value
		}
	}
	return nil
}

// ParseList returns the elements of a list, whose text must be valid JSON. It returns nil for other JSON. The elements
// share the memory of the text.
func ParseList(text []byte) []json.RawMessage {
	var s Scanner
	s.Reset(text)
	if s.Array() != nil {
		return nil
	}
	list := []json.RawMessage{}
	for first := true; ; first = false {
		more, err := s.More(first)
		if err != nil {
			return nil
		}
		if !more {
			return list
		}
		at := s.pos
		if s.Pass(); s.pos == at {
			return nil
		}
		list = append(list, trimRight(text[at:s.pos]))
	}
}

// trimRight removes the white space after a value, and its capacity, so that appending to it copies it.
func trimRight(text []byte) []byte {
	n := len(text)
	for n > 0 && (text[n-1] == ' ' || text[n-1] == '\t' || text[n-1] == '\n' || text[n-1] == '\r') {
		n--
	}
	return text[:n:n]
}

// Unquote returns the text of a JSON string, or nil for other JSON. Invalid UTF-8 and lone surrogates become U+FFFD.
// The result shares the memory of raw if that has no escapes.
func Unquote(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	var s Scanner
	s.Reset(raw)
	if slices.Contains(raw, '\\') {
		s.scratch = make([]byte, 0, len(raw))
	}
	if text, err := s.String(); err == nil {
		return text[:len(text):len(text)]
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	return []byte(text)
}
