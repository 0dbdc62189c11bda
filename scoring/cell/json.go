package cell

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// jsonKey returns the key of a JSON text. It ignores white space between tokens, the order of an object's members and
// the notation of numbers, but not letter case or the order of an array. A JSON string has the key of its content, and
// so has text that is not valid JSON.
func jsonKey(s string) uint64 {
	var sc jsonscan.Scanner
	sc.Reset([]byte(s))
	if sc.Peek() == '"' { // the content of a JSON string
		if text, err := sc.String(); err == nil && sc.Lone() == nil && sc.End() == nil {
			return TextKey(string(text))
		}
		sc.Reset([]byte(s))
	}
	canonical, err := jsonscan.AppendCanonical(nil, &sc, true)
	if err != nil || sc.End() != nil {
		return TextKey(s)
	}
	return nonNull(xxhash.Sum64(canonical))
}

// canonicalNumber returns a number without an exponent and redundant zeros. It returns any other string unchanged.
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

// ListFormat reports whether a column of type JSON consists of arrays of numbers and strings.
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

// elements returns the elements of a JSON array of numbers and strings; ok is false for other values.
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

// listOfText returns the canonical form of a list written as a string, a, b or {a,b}, see joined.
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
