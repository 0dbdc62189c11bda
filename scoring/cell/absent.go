package cell

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// nullWords are the words that programs print where there is no value, in lower case.
var nullWords = map[string]bool{
	"null": true, "(null)": true, "<null>": true, `\n`: true, "nan": true, "nat": true, "<na>": true, "n/a": true, "na": true, "#n/a": true, "none": true, "nil": true, "-": true, "--": true, "–": true, "—": true,
}

// absent tells whether a text among others that are read as something else says that there is no
// value: it is blank, or a word that programs print for NULL.
func absent(s string) bool {
	if len(s) > 8 {
		return strings.TrimSpace(s) == ""
	}
	s = strings.TrimSpace(s)
	return s == "" || nullWords[strings.ToLower(s)]
}

// absentIsNull is a value, NULL where it is a text that says that there is none.
func absentIsNull(v scoring.Value) scoring.Value {
	if v.Type == scoring.String && absent(v.Text()) {
		return scoring.NullValue
	}
	return v
}
