package align

import "github.com/badger-eval/badger/scoring/naming"

// words are the words of a column's name.
func words(name string) []string { return naming.Canonical(nil, name) }

// sameName reports whether two column names are the same but for case, quotes and punctuation.
func sameName(a, b string) bool {
	if a == b {
		return a != ""
	}
	ca := naming.Bare(a)
	return ca != "" && ca == naming.Bare(b)
}
