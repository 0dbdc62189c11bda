package scoring

import (
	"cmp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// checkMembers returns an error if a case has a duplicate member, or a string with invalid UTF-8 or a lone surrogate.
// encoding/json would keep the last duplicate and replace the invalid text by U+FFFD, so that different strings
// become equal. data must be valid JSON. Results are skipped: their errors belong to their queries.
func checkMembers(data []byte) (m members, err error) {
	m.scan.Reset(data)
	return m, m.value("")
}

// members checks the members of a case, and records aliases and unknown keys.
type members struct {
	scan    jsonscan.Scanner
	aliases bool     // whether a member is named by an alias of its key (see caseAliases)
	unread  []string // unknown keys, with the keys of the enclosing objects
}

// objects are the paths of the objects of a case. encoding/json ignores the letter case of their members.
var objects = []string{"", "agent", "gold", "expected", "human", alternativesKey}

// readLater are the members that are parsed by their own readers, whose errors do not make the case invalid.
var readLater = []string{"agent.result", "gold.result", alternativesKey + ".result", "agent.chart",
	"gold.chart", "agent.contexts",
	alternativesKey + ".chart"}

// value checks the value at a path, such as agent.tool_calls. The elements of a list have the path of the list.
func (m *members) value(path string) error {
	s := &m.scan
	switch s.Peek() {
	case '{':
		return m.object(path)
	case '[':
		if err := s.Array(); err != nil {
			return atPath(path, err)
		}
		for first := true; ; first = false {
			more, err := s.More(first)
			if err != nil || !more {
				return atPath(path, err)
			}
			if err := m.value(path); err != nil {
				return err
			}
		}
	case '"':
		if _, err := s.String(); err != nil {
			return atPath(path, err)
		}
		return atPath(path, s.Lone())
	}
	_, err := s.Skip()
	return atPath(path, err)
}

// maxUnread is the maximum number of unknown keys that are listed for one case.
const maxUnread = 20

func (m *members) object(path string) error {
	s := &m.scan
	if err := s.Object(); err != nil {
		return atPath(path, err)
	}
	seen := map[string]bool{}
	for first := true; ; first = false {
		key, more, err := s.Key(first)
		if err == nil && more {
			err = s.Lone()
		}
		if err != nil || !more {
			return atPath(path, err)
		}
		name := string(key)
		if slices.Contains(objects, path) {
			name = strings.ToLower(name)
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		if seen[name] {
			return errcode.New(errcode.InvalidArgument, "duplicate member %.80q", at)
		}
		seen[name] = true
		if slices.Contains(objects, path) && !knownIn(path, name) {
			if key, alias := aliasIn(path, name); alias {
				m.aliases = true
				at = cmp.Or(key.Name, at)
			} else if !slices.Contains(m.unread, at) && len(m.unread) < maxUnread {
				m.unread = append(m.unread, at)
			}
		}
		if slices.Contains(readLater, at) {
			s.Pass()
		} else if err := m.value(at); err != nil {
			return err
		}
	}
}

func atPath(path string, err error) error {
	if err == nil || path == "" {
		return err
	}
	return errcode.New(errcode.Of(err), "%.80q: %w", path, err)
}
