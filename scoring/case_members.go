package scoring

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// checkMembers returns an error where a member of a case is there twice, or where a text holds bytes
// that are not UTF-8 or a lone surrogate. encoding/json would keep the last member and replace the
// rest by U+FFFD, so that different texts become equal. Data must be JSON. Results are passed over:
// what is wrong with one is the error of its query.
func checkMembers(data []byte) error {
	var s jsonscan.Scanner
	s.Reset(data)
	return checkValue(&s, "")
}

// objects are the objects of a case whose members encoding/json finds in any letter case.
var objects = []string{"", "agent", "gold", "expected", "human"}

// checkValue checks the value at a path, such as agent.tool_calls; the elements of a list have the
// path of the list.
func checkValue(s *jsonscan.Scanner, path string) error {
	switch s.Peek() {
	case '{':
		return checkObject(s, path)
	case '[':
		if err := s.Array(); err != nil {
			return atPath(path, err)
		}
		for first := true; ; first = false {
			more, err := s.More(first)
			if err != nil || !more {
				return atPath(path, err)
			}
			if err := checkValue(s, path); err != nil {
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

func checkObject(s *jsonscan.Scanner, path string) error {
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
			return errcode.New(errcode.InvalidArgument, "%.80q is there twice", at)
		}
		seen[name] = true
		if at == "agent.result" || at == "gold.result" {
			s.Pass()
		} else if err := checkValue(s, at); err != nil {
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
