package naming

import (
	"slices"
	"strings"
)

// Belies reports whether a name contains something that contradicts the question, which is parsed as a name: a period
// outside all those of its kind in the question, such as 2023 or the third quarter, or the opposite of a word in it,
// such as retired if it asks for active ones. It ignores kinds and opposites that gold's name, known, also mentions.
func (n *Name) Belies(question, known *Name) bool {
	return n.Meaningful() && (n.otherPeriod(question, known) || n.otherState(question, known))
}

// periodUnits are the units of numbers for which Belies compares a name with a question.
var periodUnits = []string{"year", "half", "quarter", "month", "percentile"}

// relative are words by which a question may refer to periods that it does not name.
var relative = wordSet("previous prior before after since until till last next following preceding past compared versus vs growth grow grew change changed increase increased decrease decreased yoy qoq mom later earlier ago onward onwards beyond upto trailing rolling fiscal season")

func (n *Name) otherPeriod(question, known *Name) bool {
	if slices.ContainsFunc(question.tokens, func(w string) bool { return relative[w] }) {
		return false
	}
	return slices.ContainsFunc(n.numbers, func(x number) bool {
		if !slices.Contains(periodUnits, x.unit) ||
			slices.ContainsFunc(known.numbers, func(y number) bool { return y.unit == x.unit || sameNumber(x, y) }) {
			return false
		}
		var of []string // the words of the question for the kind
		for _, y := range question.numbers {
			if sameNumber(x, y) {
				return false
			}
			if y.unit == x.unit {
				of = append(of, padded(y.value))
			}
		}
		if len(of) > 1 && x.unit != "year" && x.unit != "percentile" {
			return false // from November to February
		}
		return len(of) > 0 && (padded(x.value) < slices.Min(of) || padded(x.value) > slices.Max(of))
	})
}

// padded returns a number with leading zeros, so that strings compare like numbers.
func padded(v string) string { return strings.Repeat("0", max(0, 8-len(v))) + v }

// ordering are the axes whose opposites Belies ignores, since a question may name one end and mean things at the other:
// the start date of the newest contract.
var ordering = wordSet("ends earliest min cheap size length weight strength nearness temper best top high before period past now oldnew short podium median half")

// nearby is the maximum distance in words, without fillers, between a thing and its state in a question.
const nearby = 3

// otherState reports whether the name has the opposite of a word that the question uses near a word of the name, and
// the question has no word with the name's own meaning: retired_trucks if it asks how many trucks are active.
func (n *Name) otherState(question, known *Name) bool {
	for i := range n.words {
		for _, s := range n.senses(i) {
			axis := &words().axes[s.axis]
			if !s.weak && !axis.Mild && !ordering[axis.Name] && !known.on(s.axis) && !question.at(s.axis, s.pole) &&
				!question.uses(&n.words[i]) && n.nearAxisWord(question, s.axis, i) {
				return true
			}
		}
	}
	return false
}

// on reports whether a word of the name has a sense on an axis that is not weak.
func (n *Name) on(axis int) bool { return len(n.standing(axis)) > 0 }

// standing returns the positions of the words of the name with a sense on an axis that is not weak.
func (n *Name) standing(axis int) (at []int) {
	for i := range n.words {
		if slices.ContainsFunc(n.senses(i), func(s sense) bool { return s.axis == axis && !s.weak }) {
			at = append(at, i)
		}
	}
	return at
}

// nearAxisWord reports whether the question has a word on an axis at most nearby words from a word of the name other
// than word i.
func (n *Name) nearAxisWord(question *Name, axis, i int) bool {
	return slices.ContainsFunc(question.standing(axis), func(j int) bool {
		for k := max(0, j-nearby); k < min(len(question.words), j+nearby+1); k++ {
			if k != j &&
				slices.ContainsFunc(n.words,
					func(w word) bool { return w.text != n.words[i].text && !w.slight && w.root == question.words[k].root }) {
				return true
			}
		}
		return false
	})
}

// uses reports whether the name has the word w, and both are negated or both are not.
func (n *Name) uses(w *word) bool {
	return slices.ContainsFunc(n.words, func(x word) bool { return x.text == w.text && x.negated == w.negated })
}
