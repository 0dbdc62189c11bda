package cell

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// truePrefix is the start of the formats that read one word as true and the others as false.
const truePrefix = "words, true being "

// TrueWhere is the format that reads a word as true and every other as false.
func TrueWhere(word string) string { return truePrefix + word }

// readTruth is a word as such a format reads it.
func readTruth(s, format string) (scoring.Value, bool) {
	word, ok := strings.CutPrefix(format, truePrefix)
	return scoring.BoolValue(TextKey(s) == TextKey(word)), ok
}

// FewTexts returns the distinct strings of a column that are not blank, ignoring letter case. ok is false if there
// are none or more than most.
func FewTexts(c *scoring.Column, most int) (texts []string, ok bool) {
	c.Halt().Check()
	var keys []uint64
	few := every(c, func(s string) bool {
		if k := TextKey(s); !slices.Contains(keys, k) {
			keys, texts = append(keys, k), append(texts, s)
		}
		return len(texts) <= most
	})
	slices.Sort(texts)
	return texts, few
}
