package naming

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed thesaurus.txt
var thesaurusText string

// things are the lines of the thesaurus that a word, by its root, is on.
var things = sync.OnceValue(func() map[string][]int {
	of := map[string][]int{}
	for n, line := range strings.Split(thesaurusText, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, w := range strings.Fields(line) {
			of[root(w)] = append(of[root(w)], n)
		}
	}
	return of
})

// oneThing reports whether two words, given by their roots, are used for one thing.
func oneThing(a, b string) bool {
	of := things()
	for _, x := range of[a] {
		for _, y := range of[b] {
			if x == y {
				return true
			}
		}
	}
	return false
}
