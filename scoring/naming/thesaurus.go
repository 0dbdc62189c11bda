package naming

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed thesaurus.txt
var thesaurusText string

// things returns for the root of each word of the thesaurus the numbers of its lines.
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

// oneThing reports whether two words, given by their roots, are on the same line of the thesaurus.
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
