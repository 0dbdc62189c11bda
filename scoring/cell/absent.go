package cell

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// absent reports whether a text among others that are read as something else says that there is no
// value: it is blank, a dash, or a word that programs print for NULL.
func absent(s string) bool {
	s = strings.TrimSpace(s)
	switch s {
	case "", "-", "--", "–", "—":
		return true
	}
	return scoring.IsNullWord(s)
}

// absentIsNull is a value, NULL if it is a text that says that there is none.
func absentIsNull(v scoring.Value) scoring.Value {
	if v.Type == scoring.String && absent(v.Text()) {
		return scoring.NullValue
	}
	return v
}
