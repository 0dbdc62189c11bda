package scoring

import "github.com/badger-eval/badger/internal/jsonscan"

// longestSorted is the maximum length in bytes of JSON text that [CanonicalJSON] canonicalizes completely. This takes
// about twenty times the memory of the text.
const longestSorted = 1 << 20

// CanonicalJSON returns JSON text in one canonical form, so that a nested value is the same text from every source:
// without white space, with sorted members, and with uniform escapes and numbers. It returns text that is not JSON
// unchanged. From text longer than a mebibyte it removes only white space.
func CanonicalJSON(text []byte) []byte {
	var s jsonscan.Scanner
	s.Reset(text)
	if len(text) > longestSorted {
		if raw, err := s.Skip(); err == nil && s.End() == nil {
			return jsonscan.AppendCompact(make([]byte, 0, len(raw)), raw)
		}
		return text
	}
	canonical, err := jsonscan.AppendCanonical(make([]byte, 0, len(text)), &s, false)
	if err != nil || s.End() != nil {
		return text
	}
	return canonical
}
