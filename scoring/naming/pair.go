package naming

import (
	"cmp"
	"slices"
	"strings"
)

// Pair returns pairs of positions in a and b of names with the same meaning, such as labels of rows and headers of
// columns. It pairs, in this order: equal names; a name with one that has all of its words; the most similar names; a
// name with its short form (M for Male, W0 for Week 0, Jan for January); names of which a word is a short form of a
// word of the other. If that gives no pair, it pairs years as [Relative] does. It does not pair names that contradict
// each other, or names with two possible counterparts.
func Pair(a, b []*Name) (pairs [][2]int) {
	takenA, takenB := make([]bool, len(a)), make([]bool, len(b))
	add := func(found [][2]int) {
		for _, p := range found {
			takenA[p[0]], takenB[p[1]] = true, true
		}
		pairs = append(pairs, found...)
	}
	apart := func(i, j int) bool { return takenA[i] || takenB[j] || a[i].contrast(b[j]) != nothing }
	for _, alike := range []func(x, y *Name) bool{(*Name).Same, contained} {
		add(onlyOnes(len(a), len(b), func(i, j int) float64 { return truth(!apart(i, j) && alike(a[i], b[j])) }))
	}
	add(onlyOnes(len(a), len(b), func(i, j int) float64 {
		if apart(i, j) {
			return 0
		}
		if s := a[i].Affinity(b[j]); s >= 0.5 {
			return s
		}
		return 0
	}))
	for _, alike := range []func(x, y *Name) bool{(*Name).Shortens, touching} {
		add(onlyOnes(len(a), len(b), func(i, j int) float64 { return truth(!apart(i, j) && alike(a[i], b[j])) }))
	}
	if len(pairs) == 0 {
		return Relative(a, b)
	}
	return pairs
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// onlyOnes returns the pairs whose weight is positive and larger than that of any other pair with the same i or the
// same j.
func onlyOnes(a, b int, weigh func(i, j int) float64) (pairs [][2]int) {
	weights := make([]float64, a*b)
	for i := range a {
		for j := range b {
			weights[i*b+j] = weigh(i, j)
		}
	}
	for i := range a {
		for j := range b {
			w, beaten := weights[i*b+j], false
			for k := range b {
				beaten = beaten || k != j && weights[i*b+k] >= w
			}
			for k := range a {
				beaten = beaten || k != i && weights[k*b+j] >= w
			}
			if w > 0 && !beaten {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// contained reports whether the words and numbers of one name are all in the other.
func contained(a, b *Name) bool { return a.has(b) || b.has(a) }

func (n *Name) has(o *Name) bool {
	x, y := n.tokens, o.tokens
	return len(y) > 0 && !slices.ContainsFunc(y, func(w string) bool { return !slices.Contains(x, w) })
}

// Shortens reports whether both names have the same number of words and, for each position, one word is a prefix of the
// other. Numbers must be equal, or that of a month's name.
func (n *Name) Shortens(o *Name) bool {
	a, b := n.tokens, o.tokens
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if !shortens(a[i], b[i]) {
			return false
		}
	}
	return true
}

// touching reports whether a word of one name is a prefix of a word of the other.
func touching(a, b *Name) bool {
	return slices.ContainsFunc(a.tokens, func(v string) bool {
		return slices.ContainsFunc(b.tokens, func(w string) bool { return shortens(v, w) })
	})
}

func shortens(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if isNumber(a) {
		return a == b || MonthNumber(b) == a
	}
	return strings.HasPrefix(b, a)
}

// Initials reports whether short consists of the first letters of at least two words of long, with or without fillers
// such as of and and: HR, R&D, UAE. Dots, spaces, dashes, slashes and & in short are ignored.
func Initials(short, long string) bool {
	words := strings.Fields(strings.ToLower(strings.NewReplacer("-", " ", "/", " ", "&", " and ").Replace(long)))
	if len(words) < 2 {
		return false
	}
	var all, content strings.Builder
	for _, w := range words {
		first := string([]rune(w)[:1])
		all.WriteString(first)
		if !fillers[w] {
			content.WriteString(first)
		}
	}
	s := Bare(strings.ReplaceAll(strings.ToLower(short), "&", ""))
	return len(s) > 1 && (s == content.String() || s == all.String()) && len(s) == len(strings.Map(keepLetters, short))
}

func keepLetters(r rune) rune {
	if strings.ContainsRune(".& -/", r) {
		return -1
	}
	return r
}

// Relative pairs names with one number each, such as years, with names such as "last year" and "this year", in
// ascending order, and returns their positions. It returns nil unless one list has only numbers and the other only
// relative periods, with the same length.
func Relative(a, b []*Name) (pairs [][2]int) {
	if len(a) != len(b) || len(a) < 2 {
		return nil
	}
	x, y := years(a), periods(b)
	if x == nil || y == nil {
		x, y = periods(a), years(b)
	}
	if x == nil || y == nil {
		return nil
	}
	for k := range x {
		pairs = append(pairs, [2]int{x[k], y[k]})
	}
	return pairs
}

// years returns the positions of names sorted by their numbers; nil unless each has exactly one, all different and with
// the same number of digits.
func years(names []*Name) []int {
	for _, n := range names {
		if len(n.numbers) != 1 || len(n.numbers[0].value) != len(names[0].numbers[0].value) {
			return nil
		}
	}
	return sorted(names, func(n *Name) string { return n.numbers[0].value })
}

// periods returns the positions of names that mean previous, current and next, in this order; nil if a name does not,
// or if two mean the same.
func periods(names []*Name) []int {
	axis := slices.IndexFunc(words().axes, func(x Axis) bool { return x.Name == "period" })
	pole := func(n *Name) string {
		for p, at := range []string{"0", "1", "2"} {
			if n.at(axis, p) {
				return at
			}
		}
		return ""
	}
	if slices.ContainsFunc(names, func(n *Name) bool { return pole(n) == "" }) {
		return nil
	}
	return sorted(names, pole)
}

// sorted returns the positions of names sorted by key; nil if two keys are equal.
func sorted(names []*Name, key func(*Name) string) []int {
	at := make([]int, len(names))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int { return cmp.Compare(key(names[i]), key(names[j])) })
	for k := 1; k < len(at); k++ {
		if key(names[at[k]]) == key(names[at[k-1]]) {
			return nil
		}
	}
	return at
}
