package align

import "github.com/badger-eval/badger/scoring/naming"

// words returns the words of a column's name, with synonyms replaced by a common one.
func words(name string) []string { return naming.Canonical(nil, name) }

// sameName reports whether two column names are the same, ignoring case, quotes and punctuation. Empty names are not.
func sameName(a, b string) bool {
	if a == b {
		return a != ""
	}
	ca := naming.Bare(a)
	return ca != "" && ca == naming.Bare(b)
}
