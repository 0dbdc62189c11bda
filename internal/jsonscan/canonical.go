package jsonscan

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// AppendCompact appends valid JSON without the white space between its tokens.
func AppendCompact(dst, raw []byte) []byte {
	quoted := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case quoted && c == '\\':
			dst = append(dst, c, raw[i+1])
			i++
			continue
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// Member is a member of an object: its name, and its value in canonical form.
type Member struct{ Name, Value []byte }

// AppendCanonical reads one JSON value and appends its canonical form: no white space, members sorted by name (those
// with the same name in their order), no needless escapes, and numbers without redundant zeros and exponents. If maps
// is set, an array that contains only objects {"key": …, "value": …} becomes an object with these members.
func AppendCanonical(dst []byte, s *Scanner, maps bool) ([]byte, error) {
	switch s.Peek() {
	case '{':
		members, err := Members(s, maps)
		if err != nil {
			return dst, err
		}
		return AppendObject(dst, members), nil
	case '[':
		return appendArray(dst, s, maps)
	case '"':
		text, err := s.String()
		if err == nil {
			err = s.Lone()
		}
		if err != nil {
			return dst, err
		}
		return AppendString(dst, string(text)), nil
	case 't', 'f', 'n':
		raw, err := s.Skip()
		return append(dst, raw...), err
	}
	raw, _, err := s.Number()
	if err != nil {
		return dst, err
	}
	return appendNumber(dst, raw), nil
}

// appendNumber appends a number without redundant zeros. It has no exponent unless it needs more than about a hundred
// digits without one.
func appendNumber(dst []byte, number []byte) []byte {
	sign, digits, exponent := "", make([]byte, 0, len(number)), 0
	rest := number
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	for i, point := 0, false; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '.':
			point = true
		case c == 'e' || c == 'E':
			n, err := strconv.Atoi(string(rest[i+1:]))
			if err != nil { // an exponent that no machine counts to
				return append(dst, number...)
			}
			exponent += n
			i = len(rest)
		default:
			if digits = append(digits, c); point {
				exponent--
			}
		}
	}
	digits = bytes.TrimLeft(digits, "0")
	n := len(digits)
	digits = bytes.TrimRight(digits, "0")
	exponent += n - len(digits)
	before := len(digits) + exponent // digits before the point
	switch {
	case len(digits) == 0:
		return append(dst, '0')
	case exponent >= 0 && before <= 100:
		dst = append(append(dst, sign...), digits...)
		return append(dst, strings.Repeat("0", exponent)...)
	case exponent < 0 && before > 0:
		dst = append(append(dst, sign...), digits[:before]...)
		return append(append(dst, '.'), digits[before:]...)
	case exponent < 0 && -before <= 100:
		dst = append(append(append(dst, sign...), "0."...), strings.Repeat("0", -before)...)
		return append(dst, digits...)
	}
	dst = append(append(dst, sign...), digits...)
	return strconv.AppendInt(append(dst, 'e'), int64(exponent), 10)
}

// Members reads an object and returns its members in canonical form, sorted by name. Members with the same name keep
// their order.
func Members(s *Scanner, maps bool) (members []Member, err error) {
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
		m := Member{Name: slices.Clone(name)}
		if m.Value, err = AppendCanonical(nil, s, maps); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
}

func byName(members []Member) {
	slices.SortStableFunc(members, func(a, b Member) int { return bytes.Compare(a.Name, b.Name) })
}

// AppendObject appends the object of members, sorted by name; those with the same name keep their order.
func AppendObject(dst []byte, members []Member) []byte {
	byName(members)

	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, string(m.Name)), ':')
		dst = append(dst, m.Value...)
	}
	return append(dst, '}')
}

// appendArray reads an array and appends its canonical form. If maps is set, an array of only {"key": …, "value": …},
// as columnar formats write a map, becomes an object.
func appendArray(dst []byte, s *Scanner, maps bool) ([]byte, error) {
	if err := s.Array(); err != nil {
		return dst, err
	}
	var elements [][]byte
	var entries []Member
	for first := true; ; first = false {
		more, err := s.More(first)
		if err != nil {
			return dst, err
		}
		if !more {
			break
		}
		if s.Peek() == '{' {
			members, err := Members(s, maps)
			if err != nil {
				return dst, err
			}
			if len(members) == 2 && string(members[0].Name) == "key" && string(members[1].Name) == "value" {
				entries = append(entries, Member{members[0].Value, members[1].Value})
			}
			elements = append(elements, AppendObject(nil, members))
			continue
		}
		e, err := AppendCanonical(nil, s, maps)
		if err != nil {
			return dst, err
		}
		elements = append(elements, e)
	}
	if n := len(entries); maps && n > 0 && n == len(elements) {
		return appendMap(dst, entries), nil
	}
	dst = append(dst, '[')
	dst = append(dst, bytes.Join(elements, []byte{','})...)
	return append(dst, ']'), nil
}

// appendMap appends the entries of a map as an object. A key that is not a string gets its JSON as the name.
func appendMap(dst []byte, entries []Member) []byte {
	for i := range entries {
		if name, found := bytes.CutPrefix(entries[i].Name, []byte{'"'}); found {
			entries[i].Name = bytes.TrimSuffix(name, []byte{'"'})
		}
	}
	return AppendObject(dst, entries)
}
