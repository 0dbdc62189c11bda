package cell

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// jsonKey returns the key of a JSON text. It ignores white space between tokens, the order of an object's members
// and the spelling of numbers. Letter case counts, and so does the order of an array.
func jsonKey(s string) uint64 {
	var sc jsonscan.Scanner
	sc.Reset([]byte(s))
	if sc.Peek() == '"' { // the content of a JSON string
		if text, err := sc.String(); err == nil && sc.Lone() == nil && sc.End() == nil {
			return TextKey(string(text))
		}
		sc.Reset([]byte(s))
	}
	canonical, err := appendCanonical(nil, &sc)
	if err != nil || sc.End() != nil {
		return TextKey(s)
	}
	return nonNull(xxhash.Sum64(canonical))
}

type jsonMember struct{ name, value []byte }

// appendCanonical reads one JSON value and appends its canonical form.
func appendCanonical(dst []byte, s *jsonscan.Scanner) ([]byte, error) {
	switch s.Peek() {
	case '{':
		members, err := canonicalMembers(s)
		if err != nil {
			return dst, err
		}
		return appendObject(dst, members), nil
	case '[':
		return appendArray(dst, s)
	case '"':
		text, err := s.String()
		if err == nil {
			err = s.Lone()
		}
		if err != nil {
			return dst, err
		}
		return jsonscan.AppendString(dst, string(text)), nil
	case 't', 'f', 'n':
		raw, err := s.Skip()
		return append(dst, raw...), err
	}
	raw, _, err := s.Number()
	if err != nil {
		return dst, err
	}
	return append(dst, canonicalNumber(string(raw))...), nil
}

// canonicalNumber returns a number without redundant zeros and exponents. It returns any other string unchanged.
func canonicalNumber(s string) string {
	v, ok := scoring.ParseDecimal(s)
	if !ok {
		return s
	}
	if s = v.String(); strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// canonicalMembers reads an object and returns its members sorted by name. Members with the same name keep their
// order.
func canonicalMembers(s *jsonscan.Scanner) (members []jsonMember, err error) {
	if err := s.Object(); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		name, ok, err := s.Key(first)
		if err != nil || !ok {
			byName(members)
			return members, err
		}
		if err := s.Lone(); err != nil {
			return nil, err
		}
		m := jsonMember{name: slices.Clone(name)}
		if m.value, err = appendCanonical(nil, s); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
}

func byName(members []jsonMember) {
	slices.SortStableFunc(members, func(a, b jsonMember) int { return bytes.Compare(a.name, b.name) })
}

func appendObject(dst []byte, members []jsonMember) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonscan.AppendString(dst, string(m.name)), ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// appendArray reads an array. One of nothing but {"key": …, "value": …} is a map, as columnar
// formats write it, whose entries have no order.
func appendArray(dst []byte, s *jsonscan.Scanner) ([]byte, error) {
	if err := s.Array(); err != nil {
		return dst, err
	}
	var elements [][]byte
	var entries []jsonMember
	for first := true; ; first = false {
		more, err := s.More(first)
		if err != nil {
			return dst, err
		}
		if !more {
			break
		}
		if s.Peek() == '{' {
			members, err := canonicalMembers(s)
			if err != nil {
				return dst, err
			}
			if len(members) == 2 && string(members[0].name) == "key" && string(members[1].name) == "value" {
				entries = append(entries, jsonMember{members[0].value, members[1].value})
			}
			elements = append(elements, appendObject(nil, members))
			continue
		}
		e, err := appendCanonical(nil, s)
		if err != nil {
			return dst, err
		}
		elements = append(elements, e)
	}
	if n := len(entries); n > 0 && n == len(elements) {
		return appendMap(dst, entries), nil
	}
	dst = append(dst, '[')
	dst = append(dst, bytes.Join(elements, []byte{','})...)
	return append(dst, ']'), nil
}

// appendMap appends the entries of a map as an object where their keys are texts.
func appendMap(dst []byte, entries []jsonMember) []byte {
	for i := range entries {
		if name, found := bytes.CutPrefix(entries[i].name, []byte{'"'}); found {
			entries[i].name = bytes.TrimSuffix(name, []byte{'"'})
		}
	}
	byName(entries)
	return appendObject(dst, entries)
}

// JSONFormat reports whether a string column consists of JSON objects and arrays.
func JSONFormat(c *scoring.Column) bool {
	c.Halt().Check()
	return textual(c) && every(c, func(s string) bool {
		if s = strings.TrimSpace(s); s[0] != '{' && s[0] != '[' {
			return false
		}
		var sc jsonscan.Scanner
		sc.Reset([]byte(s))
		_, err := sc.Skip()
		return err == nil && sc.End() == nil
	})
}

// ListFormat reports whether a column consists of JSON arrays of numbers and texts.
func ListFormat(c *scoring.Column) bool {
	c.Halt().Check()
	if c.Type != scoring.JSON {
		return false
	}
	seen := false
	for i := range c.Len() {
		if c.IsNull(i) {
			continue
		}
		if _, ok := elements(c.Text(i)); !ok {
			return false
		}
		seen = true
	}
	return seen
}

// elements returns the elements of a JSON array of numbers and strings.
func elements(s string) (list []string, ok bool) {
	var sc jsonscan.Scanner
	sc.Reset([]byte(s))
	if sc.Array() != nil {
		return nil, false
	}
	for first := true; ; first = false {
		more, err := sc.More(first)
		if err != nil {
			return nil, false
		}
		if !more {
			return list, sc.End() == nil
		}
		switch c := sc.Peek(); {
		case c == '"':
			text, err := sc.String()
			if err != nil {
				return nil, false
			}
			list = append(list, string(text))
		case c == '-' || c >= '0' && c <= '9':
			text, _, err := sc.Number()
			if err != nil {
				return nil, false
			}
			list = append(list, string(text))
		default:
			return nil, false
		}
	}
}

func listOfJSON(s string) string {
	list, _ := elements(s)
	return joined(list)
}

// listOfText is a list that is written as text, a, b or {a,b}, in the form of [joined].
func listOfText(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s); n > 1 && (s[0] == '{' && s[n-1] == '}' || s[0] == '[' && s[n-1] == ']') {
		s = s[1 : n-1]
	}
	return joined(strings.Split(s, ","))
}

func joined(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		s = strings.TrimSpace(s)
		if n := len(s); n > 1 && s[0] == s[n-1] && (s[0] == '"' || s[0] == '\'') {
			s = s[1 : n-1]
		}
		out[i] = canonicalNumber(s)
	}
	return strings.Join(out, ",")
}
