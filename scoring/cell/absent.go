package cell

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// absent reports whether s, in a column that is read as numbers, dates or truth values, means a missing value: it is
// blank, a dash, or a word for NULL.
func absent(s string) bool {
	s = strings.TrimSpace(s)
	switch s {
	case "", "-", "--", "–", "—":
		return true
	}
	return scoring.IsNullWord(s)
}

// absentIsNull returns NULL if v is a string that means a missing value, else v.
func absentIsNull(v scoring.Value) scoring.Value {
	if v.Type == scoring.String && absent(v.Text()) {
		return scoring.NullValue
	}
	return v
}
