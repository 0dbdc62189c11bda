package cell

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// truePrefix is the prefix of the formats of [TrueWhere].
const truePrefix = "words, true being "

// TrueWhere returns the format that reads a word as true and any other string as false.
func TrueWhere(word string) string { return truePrefix + word }

// readTruth returns whether s is the word of a format of TrueWhere; ok is false for another format.
func readTruth(s, format string) (scoring.Value, bool) {
	word, ok := strings.CutPrefix(format, truePrefix)
	return scoring.BoolValue(TextKey(s) == TextKey(word)), ok
}

// FewTexts returns the sorted, distinct strings of a column, ignoring letter case, without blank ones and words for
// NULL. ok is false if there are none or more than most.
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
