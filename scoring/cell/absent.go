package cell

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// absent reports whether a string, among others that are read as another type, marks a missing value: it is blank,
// a dash, or a word that programs print for NULL.
func absent(s string) bool {
	s = strings.TrimSpace(s)
	switch s {
	case "", "-", "--", "–", "—":
		return true
	}
	return scoring.IsNullWord(s)
}

// absentIsNull returns NULL if v is a string that marks a missing value, else v.
func absentIsNull(v scoring.Value) scoring.Value {
	if v.Type == scoring.String && absent(v.Text()) {
		return scoring.NullValue
	}
	return v
}
