package naming

import (
	"slices"
	"strings"
)

// opposedPrefixes are prefixes that form opposites of the same word: prepaid and postpaid, overtime and undertime,
// inflow and outflow. Opposites without a common rest are in axes.txt.
var opposedPrefixes = [][2]string{
	{"pre", "post"}, {"ante", "post"}, {"over", "under"}, {"in", "out"}, {"up", "down"}, {"on", "off"},
	{"inter", "intra"}, {"extra", "intra"}, {"hyper", "hypo"}, {"macro", "micro"}, {"maxi", "mini"}, {"multi", "mono"},
	{"multi", "uni"}, {"multi", "single"}, {"poly", "mono"},
	{"homo", "hetero"}, {"endo", "exo"}, {"in", "ex"}, {"im", "ex"}, {"sub", "super"}, {"pro", "anti"}, {"pro", "re"},
	{"ac", "de"}, {"ap", "de"}, {"in", "de"},
	{"em", "im"}, {"fore", "after"}, {"long", "short"}, {"high", "low"}, {"front", "back"}, {"left", "right"},
	{"north", "south"}, {"east", "west"}, {"day", "night"}, {"land", "sea"},
}

// minRest is the minimum number of letters after prefixes that form opposites.
const minRest = 3

// otherPrefixes reports whether a word of n and one of o are the same except for two opposed prefixes, and neither name
// also has the word of the other.
func (n *Name) otherPrefixes(o *Name) bool {
	for i := range n.words {
		for j := range o.words {
			a, b := &n.words[i], &o.words[j]
			if a.negated == b.negated && opposedWords(a.text, b.text) && !n.hasWord(b.text) && !o.hasWord(a.text) {
				return true
			}
		}
	}
	return false
}

func opposedWords(a, b string) bool {
	if len(a) < 2 || len(b) < 2 || a[len(a)-1] != b[len(b)-1] { // the last letter is part of their common suffix
		if a, b = Stem(a), Stem(b); a == "" || b == "" || a[len(a)-1] != b[len(b)-1] {
			return false
		}
	}
	return slices.ContainsFunc(opposedPrefixes, func(p [2]string) bool {
		return restAlike(a, b, p[0], p[1]) || restAlike(a, b, p[1], p[0])
	})
}

func restAlike(a, b, prefixA, prefixB string) bool {
	x, ok := strings.CutPrefix(a, prefixA)
	y, also := strings.CutPrefix(b, prefixB)
	return ok && also && len(x) >= minRest && (x == y || Stem(x) == Stem(y))
}

func (n *Name) hasWord(text string) bool {
	return slices.ContainsFunc(n.words, func(w word) bool { return w.text == text })
}
