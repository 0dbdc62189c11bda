package scoring

import "github.com/badger-eval/badger/internal/jsonscan"

// longestSorted is the length in bytes of the longest JSON text whose members are sorted and whose numbers are
// rewritten when it is read: both take some twenty times the memory of the text.
const longestSorted = 1 << 20

// CanonicalJSON is a nested value of a result in the one form that its cell has, whatever the way the result took:
// white space, escapes, the order of members and the spelling of numbers are those of a transport or a column type. A
// text that is not JSON is returned unchanged; of one of more than a mebibyte only white space is removed.
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
