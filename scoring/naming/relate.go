package naming

import (
	"slices"
	"strings"
)

// Same reports whether two names are the same, ignoring case, punctuation, synonyms and plurals.
func (n *Name) Same(o *Name) bool {
	if !n.Meaningful() || !o.Meaningful() {
		return false
	}
	return n.bare == o.bare ||
		len(n.plain) > 0 && slices.Equal(n.plain, o.plain) && n.negation() == o.negation() && n.actor() == o.actor()
}

// negation returns the number of negated words of a name.
func (n *Name) negation() (count int) {
	for i := range n.words {
		if n.words[i].negated {
			count++
		}
	}
	return count
}

// actor reports whether a name ends in "by", as sold_by, which names a person and not the thing.
func (n *Name) actor() bool {
	return len(n.tokens) > 1 && n.tokens[len(n.tokens)-1] == "by"
}

// Covers reports whether a name has all the words of o, which must have at least one.
func (n *Name) Covers(o *Name) bool {
	return len(o.plain) > 0 && !slices.ContainsFunc(o.plain, func(w string) bool { return !slices.Contains(n.plain, w) })
}

// Contradicts reports whether two names exclude each other: they are at different poles of an axis, as profit and loss;
// one negates the other, as uninsured and insured; or they have different years, quarters or other numbers. Names that
// differ on two axes, as home_win and away_loss, may mean the same, and so may names with both poles, as
// win_loss_ratio.
func (n *Name) Contradicts(o *Name) bool { return n.contrast(o) == strict }

// Reversed reports whether a number has the opposite sign under the other name, as for profit and loss.
func (n *Name) Reversed(o *Name) bool {
	_, signs := n.otherPoles(o)
	return signs && n.contrast(o) != nothing
}

// Denies reports whether true under n means false under o: the names contradict each other, but not by their numbers.
func (n *Name) Denies(o *Name) bool {
	return n.contrast(o) == strict && n.otherNumbers(o) == nothing
}

// Opposes reports whether two names are opposites, including those on mild axes, which matter only if columns are
// exchanged. Names that differ in a number are not opposites.
func (n *Name) Opposes(o *Name) bool {
	return n.contrast(o) != nothing && n.otherNumbers(o) == nothing
}

// Differs reports whether two names are opposites of any kind or have different numbers, as columns do that hold the
// same quantity for two cases.
func (n *Name) Differs(o *Name) bool { return n.contrast(o) != nothing }

// Related reports whether two names have a word or a number in common, including synonyms and other forms of a word.
func (n *Name) Related(o *Name) bool {
	for i := range n.words {
		for j := range o.words {
			if n.alike(i, o, j) == 1 {
				return true
			}
		}
	}
	return slices.ContainsFunc(n.numbers, func(a number) bool {
		return slices.ContainsFunc(o.numbers, func(b number) bool { return sameNumber(a, b) })
	})
}

// Akin reports whether two names have words with related roots, neither of them negated: certified and has_certificate.
// It ignores meanings, unlike Related.
func (n *Name) Akin(o *Name) bool {
	return n.no == "" && o.no == "" && slices.ContainsFunc(n.words, func(v word) bool {
		return !v.slight && !v.negated &&
			slices.ContainsFunc(o.words, func(w word) bool { return !w.negated && akin(v.root, w.root) })
	})
}

// The degrees to which two names contradict each other.
const (
	nothing = iota
	mild    // only if columns are exchanged
	strict  // in any case
)

func (n *Name) contrast(o *Name) int {
	if !n.Meaningful() || !o.Meaningful() || n.bare == o.bare {
		return nothing
	}
	byNumber := n.otherNumbers(o)
	byPole, _ := n.otherPoles(o)
	switch {
	case byNumber == strict:
		return strict
	case byPole != nothing:
		return byPole
	case byNumber != nothing:
		return byNumber
	case n.denies(o) != o.denies(n), n.otherRoles(o), n.otherPrefixes(o):
		return strict
	case o.owns && o.mentions(n.no), n.owns && n.mentions(o.no):
		return strict
	}
	return nothing
}

// otherPoles returns how much two names contradict each other by different poles of an axis. signs reports whether
// numbers then have opposite signs.
func (n *Name) otherPoles(o *Name) (contrast int, signs bool) {
	type pair struct{ i, j int }
	var apart, together []pair
	onlyMild := true
	for i := range n.words {
		for _, s := range n.senses(i) {
			for j := range o.words {
				for _, t := range o.senses(j) {
					switch {
					case s.axis != t.axis || s.weak && t.weak:
					case s.pole == t.pole:
						together = append(together, pair{i, j})
					case !n.at(s.axis, t.pole) && !o.at(s.axis, s.pole):
						apart = append(apart, pair{i, j})
						onlyMild = onlyMild && words().axes[s.axis].Mild
						signs = signs || words().axes[s.axis].Signs
					}
				}
			}
		}
	}
	left, right := -1, -1 // the contrasting words; several words of a name against a single word are one contrast
	oneLeft, oneRight := true, true
	for _, p := range apart {
		if v, w := &n.words[p.i],
			&o.words[p.j]; v.text == w.text && v.phrase == w.phrase && v.negated == w.negated || slices.Contains(together, p) {
			continue
		}
		oneLeft, oneRight = oneLeft && (left < 0 || left == p.i), oneRight && (right < 0 || right == p.j)
		left, right = p.i, p.j
	}
	switch {
	case left < 0 || !oneLeft && !oneRight:
		return nothing, false
	case onlyMild:
		return mild, signs
	}
	return strict, signs
}

// senses returns the senses of word i. A negation exchanges the poles of an axis with two poles and removes the other
// senses.
func (n *Name) senses(i int) []sense {
	w := &n.words[i]
	if !w.negated {
		return w.senses
	}
	var out []sense
	for _, s := range w.senses {
		if len(words().axes[s.axis].Poles) == 2 {
			s.pole = 1 - s.pole
			out = append(out, s)
		}
	}
	return out
}

// at reports whether a word of the name is at a pole of an axis.
func (n *Name) at(axis, pole int) bool {
	for i := range n.words {
		if slices.ContainsFunc(n.senses(i), func(s sense) bool { return s.axis == axis && s.pole == pole }) {
			return true
		}
	}
	return false
}

// denies reports whether a word of n negates a word that o has and n does not have without negation. Words with a
// meaning on an axis are ignored.
func (n *Name) denies(o *Name) bool {
	for i := range n.words {
		w := &n.words[i]
		what := w.denies
		if w.negated {
			what = w.root
		}
		if what == "" || w.negated && w.denies != "" || len(n.senses(i)) > 0 {
			continue
		}
		asserts := func(x word) bool { return !x.negated && x.denies == "" && akin(x.root, what) }
		if slices.ContainsFunc(o.words, asserts) && !slices.ContainsFunc(n.words, asserts) {
			return true
		}
	}
	return false
}

// mentions reports whether a name has a word with the root, or a related one, and does not negate it. It is false for
// "".
func (n *Name) mentions(root string) bool {
	return root != "" && n.no == "" &&
		slices.ContainsFunc(n.words, func(w word) bool { return !w.negated && akin(w.root, root) })
}

// akin reports whether two roots are equal or one, of five letters or more, is a prefix of the other with at most four
// letters more: insur and insuranc.
func akin(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= 5 && len(b)-len(a) <= 4 && strings.HasPrefix(b, a)
}

// otherNumbers returns how much two names contradict each other by their numbers: strict if numbers of the same unit
// differ, mild if each has one number and these differ.
func (n *Name) otherNumbers(o *Name) int {
	found := nothing
	for _, a := range n.numbers {
		for _, b := range o.numbers {
			if sameNumber(a, b) {
				continue
			}
			has := func(of *Name, x number) bool {
				return slices.ContainsFunc(of.numbers, func(y number) bool { return sameNumber(x, y) })
			}
			if has(n, b) || has(o, a) {
				continue
			}
			switch {
			case a.unit == b.unit && a.unit != "":
				found = strict
			case len(n.numbers) == 1 && len(o.numbers) == 1: // a number may only distinguish columns with the same name
				found = max(found, mild)
			}
		}
	}
	return found
}

// sameNumber reports whether two numbers may be equal: a number without a unit may have any unit, and 24 may be the
// year 2024.
func sameNumber(a, b number) bool {
	if a.unit != "" && b.unit != "" && a.unit != b.unit {
		return false
	}
	if a.value == b.value {
		return true
	}
	short, long := a, b
	if len(short.value) > len(long.value) {
		short, long = long, short
	}
	return long.unit == "year" && len(short.value) <= 2 && len(long.value) == 4 &&
		strings.TrimLeft(long.value[2:], "0") == short.value
}

// Affinity returns the similarity in meaning of two names, -1 to 1: 1 for the same words, -1 for names that contradict
// each other, else the share of the words of the shorter name that the longer one has, reduced by the longer one's
// additional words. It is 0 if a name is not meaningful.
func (n *Name) Affinity(o *Name) float64 {
	switch {
	case !n.Meaningful() || !o.Meaningful():
		return 0
	case n.Same(o):
		return 1
	case n.contrast(o) != nothing:
		return -1
	}
	a, b := n, o
	if a.size() > b.size() {
		a, b = b, a
	}
	if a.size() == 0 {
		return 0
	}
	lone := len(a.words) == 1
	common := 0.0
	for i := range a.words {
		if a.words[i].little() && !lone {
			continue
		}
		best := 0.0
		for j := range b.words {
			best = max(best, a.alike(i, b, j))
		}
		common += best
	}
	for _, x := range a.numbers {
		if slices.ContainsFunc(b.numbers, func(y number) bool { return sameNumber(x, y) }) {
			common++
		}
	}
	return similarity(common, a.size(), b.size())
}

// size returns the number of words and numbers of a name; a phrase counts as one word, and prepositions do not count if
// there are other words.
func (n *Name) size() int {
	size := len(n.words) + len(n.numbers)
	for i := range n.words {
		if n.words[i].little() {
			size--
		}
	}
	return max(size, min(1, len(n.words)))
}

// little reports whether a word does not count for Affinity: it continues a phrase, or is a preposition.
func (w *word) little() bool { return w.covered && w.phrase == "" || w.slight }

// alike returns the similarity of word i of n and word j of o: 1 for the same word, forms of it, synonyms, the same
// pole or the same role, 0.9 for words on a line of the thesaurus, 0.5 if one, of three letters or more, is a prefix of
// the other, else 0.
func (n *Name) alike(i int, o *Name, j int) float64 {
	a, b := &n.words[i], &o.words[j]
	if a.negated == b.negated && (a.root == b.root || canonical(a.text) == canonical(b.text)) {
		return 1
	}
	for _, s := range n.senses(i) {
		for _, t := range o.senses(j) {
			if s.axis == t.axis && s.pole == t.pole && !(s.weak && t.weak) {
				return 1
			}
		}
	}
	if n.sameRole(i, o, j) {
		return 1
	}
	if a.negated == b.negated && oneThing(a.root, b.root) {
		return 0.9
	}
	short, long := a.text, b.text
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 3 && strings.HasPrefix(long, short) && a.negated == b.negated {
		return 0.5
	}
	return 0
}
