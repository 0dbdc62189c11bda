package chartspec

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// Limits of a chart.
const (
	MaxBytes  = 2 << 20 // bytes of its JSON
	MaxDepth  = 64      // objects and lists within each other
	MaxViews  = 64      // layers, traces and views beside each other, after repetition
	MaxPoints = 100_000 // rows of the result, or points of all views
)

// node is a JSON value: nil, bool, string, number, []node or members.
type node any

// number is the text of a JSON number.
type number string

// members are the members of an object.
type members map[string]node

// parse reads JSON text within the limits. A duplicate member is an error.
func parse(raw []byte) (node, error) {
	if len(raw) > MaxBytes {
		return nil, errcode.New(errcode.ResourceExhausted, "the chart has %d bytes, expected at most %d", len(raw), MaxBytes)
	}
	var s jsonscan.Scanner
	s.Reset(raw)
	n, err := parseNode(&s, 0)
	if err == nil {
		err = s.End()
	}
	return n, err
}

func parseNode(s *jsonscan.Scanner, depth int) (node, error) {
	if depth > MaxDepth {
		return nil, errcode.New(errcode.InvalidArgument, "nested deeper than %d", MaxDepth)
	}
	switch c := s.Peek(); c {
	case '{':
		return parseMembers(s, depth)
	case '[':
		if err := s.Array(); err != nil {
			return nil, err
		}
		list := []node{}
		for first := true; ; first = false {
			more, err := s.More(first)
			if err != nil || !more {
				return list, err
			}
			n, err := parseNode(s, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		}
	case '"':
		text, err := s.String()
		return string(text), err
	case 't', 'f':
		return s.Bool()
	case 'n':
		return nil, s.Null()
	}
	text, _, err := s.Number()
	return number(text), err
}

func parseMembers(s *jsonscan.Scanner, depth int) (node, error) {
	if err := s.Object(); err != nil {
		return nil, err
	}
	m := members{}
	for first := true; ; first = false {
		key, more, err := s.Key(first)
		if err != nil || !more {
			return m, err
		}
		name := string(key)
		if _, twice := m[name]; twice {
			return nil, errcode.New(errcode.InvalidArgument, "duplicate member %.80q", name)
		}
		if m[name], err = parseNode(s, depth+1); err != nil {
			return nil, err
		}
	}
}

// text returns a member that is a string, or "".
func (m members) text(name string) string {
	s, _ := m[name].(string)
	return s
}

// object returns a member that is an object, or nil.
func (m members) object(name string) members {
	o, _ := m[name].(members)
	return o
}

// list returns a member that is a list, or nil.
func (m members) list(name string) []node {
	l, _ := m[name].([]node)
	return l
}

// first returns the first member that is present and not null.
func (m members) first(names ...string) node {
	for _, name := range names {
		if m[name] != nil {
			return m[name]
		}
	}
	return nil
}

// names returns the sorted names of the members.
func (m members) names() []string { return slices.Sorted(maps.Keys(m)) }

// lower returns the members by their names in lower case with underscores for dashes and blanks.
func (m members) lower() members {
	out := make(members, len(m))
	for _, name := range m.names() {
		out[strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name))] = m[name]
	}
	return out
}

// valueOf returns the value of a JSON scalar. A number of more digits than a decimal may have, an object and a list
// are strings.
func valueOf(n node) scoring.Value {
	switch v := n.(type) {
	case bool:
		return scoring.BoolValue(v)
	case string:
		return scoring.StringValue(v)
	case number:
		if d, ok := scoring.ParseDecimal(string(v)); ok {
			return d
		}
		return scoring.StringValue(string(v))
	case nil:
		return scoring.NullValue
	}
	return scoring.StringValue("(nested)")
}

// scalar reports whether a node is neither an object nor a list.
func scalar(n node) bool {
	switch n.(type) {
	case []node, members:
		return false
	}
	return true
}

// unwrapped returns the JSON in raw: the content of a JSON string, without a Markdown fence. Of prose it returns the
// only fence that starts with an object or a list.
func unwrapped(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var s jsonscan.Scanner
		s.Reset(raw)
		if text, err := s.String(); err == nil && s.End() == nil {
			raw = bytes.TrimSpace(bytes.Clone(text))
		}
	}
	if body, ok := bytes.CutPrefix(raw, []byte("```")); ok {
		if _, rest, found := bytes.Cut(body, []byte("\n")); found {
			body = rest
		}
		if body, ok = bytes.CutSuffix(bytes.TrimSpace(body), []byte("```")); ok && !bytes.Contains(body, []byte("```")) {
			raw = bytes.TrimSpace(body)
		}
	}
	if len(raw) > 0 && raw[0] != '{' && raw[0] != '[' {
		if inner := onlyFence(raw); inner != nil {
			return inner
		}
	}
	return raw
}

// onlyFence returns the content of the only fence with JSON in a text, or nil.
func onlyFence(text []byte) (found []byte) {
	parts := bytes.Split(text, []byte("```"))
	for i := 1; i+1 < len(parts); i += 2 {
		_, body, _ := bytes.Cut(parts[i], []byte("\n"))
		if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '{' && body[0] != '[' {
			continue
		}
		if found != nil {
			return nil
		}
		found = body
	}
	return found
}
