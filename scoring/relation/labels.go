package relation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// labelNames returns the meaning of each label of a column. A truth value has the meaning of the column's name, or
// its opposite.
func (e *evidence) labelNames(s side, column int, labels []string) []*naming.Name {
	named := make([]*naming.Name, len(labels))
	truth := !slices.ContainsFunc(labels,
		func(l string) bool { return !truths[strings.ToLower(l)] && !falsehoods[strings.ToLower(l)] })
	of := naming.Read(e.table(s).Columns[column].Name)
	for i, l := range labels {
		switch {
		case !truth || !of.Meaningful():
			named[i] = naming.Read(l)
		case truths[strings.ToLower(l)]:
			named[i] = of
		default:
			named[i] = of.Negated()
		}
	}
	return named
}

var truths, falsehoods = wordSet("true t yes y 1"), wordSet("false f no n 0")

// only returns the single position for which holds returns true, or -1 if there is none or more than one.
func only(n int, holds func(int) bool) int {
	at := -1
	for i := range n {
		if holds(i) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// abbreviated finds a column of strings whose values are short forms of those of the other side, or the reverse, if
// no value is on both sides. Public lists of codes decide if they contain both values. Otherwise a short form is a
// prefix, or the initials of all words, of exactly one value.
func abbreviated(e *evidence) *found {
	for _, r := range e.replacements() {
		if !r.oneToOne || e.shareValues(r) {
			continue
		}
		s := e.solidPart()
		g, p := &e.gold.Columns[r.gold], &e.pred.Columns[r.pred]
		gold, pred := distinctTexts(g, e.naturalKeys(goldSide, r.gold)), distinctTexts(p, e.naturalKeys(predSide, r.pred))
		if len(gold) < 2 || len(gold) != len(pred) {
			continue
		}
		goldTexts, predTexts := slices.Sorted(maps.Values(gold)), slices.Sorted(maps.Values(pred))
		to := writtenOut(goldTexts, predTexts)
		if len(to) != len(gold) {
			continue
		}
		var want, got cell.Sum
		goldRest, predRest := s.keysOf(goldSide, e.gold.Rows()), s.keysOf(predSide, e.pred.Rows())
		for i := range goldRest {
			key := cell.NullKey
			if !g.IsNull(i) {
				key = cell.TextKey(to[g.Text(i)])
			}
			want.Add(cell.Mix(goldRest[i], key))
		}
		for j, key := range e.naturalKeys(predSide, r.pred) {
			got.Add(cell.Mix(predRest[j], key))
		}
		if want == got && !(len(strings.Join(predTexts, "")) < len(strings.Join(goldTexts, "")) && e.asks().AsksName()) {
			return &found{
				text: fmt.Sprintf("All rows agree, but %s and %s write their values out or shorten them.",
					columnName(e.gold, r.gold), columnName(e.pred, r.pred)),
				proof: Proof{GoldColumns: []int{r.gold}, PredColumns: []int{r.pred}},
			}
		}
	}
	return nil
}

// writtenOut maps each short form to its long form, or the reverse, if the assignment is unambiguous for every
// string of a.
func writtenOut(a, b []string) map[string]string {
	to := map[string]string{}
	if at, ok := naming.Codes(a, b); ok {
		for i, j := range at {
			if j >= 0 {
				to[a[i]] = b[j]
			}
		}
		return distinct(to)
	}
	for _, x := range a {
		fits := func(y string) bool {
			if same, known := naming.SameCode(x, y); known {
				return same
			}
			return shortForm(x, y) || shortForm(y, x)
		}
		if k := only(len(b), func(k int) bool { return fits(b[k]) }); k >= 0 {
			to[x] = b[k]
		}
	}
	return distinct(to)
}

// distinct is a mapping, nil if two keys share a value.
func distinct(to map[string]string) map[string]string {
	seen := map[string]bool{}
	for _, v := range to {
		if seen[v] {
			return nil
		}
		seen[v] = true
	}
	return to
}

// shortForm reports whether short is a prefix of long, word by word, or consists of its initials. The long form has
// at least three letters, and a prefix drops no punctuation.
func shortForm(short, long string) bool {
	if len(letters(long)) < 3 || len(short) >= len(long) {
		return false
	}
	return naming.Initials(short, long) ||
		wordsOnly(long) && wordsOnly(short) && naming.Read(short).Shortens(naming.Read(long))
}

// wordsOnly reports whether a string begins with a letter and has no signs, which an abbreviation would keep.
func wordsOnly(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune(" .-_", r)) {
			return false
		}
	}
	return s != ""
}

// distinctTexts returns the distinct strings of a column by their keys, or nil if the column holds other values or
// more than maxLabels strings.
func distinctTexts(c *scoring.Column, keys []uint64) map[uint64]string {
	if c.Type != scoring.String {
		return nil
	}
	of := map[uint64]string{}
	for i, k := range keys {
		if k != cell.NullKey {
			of[k] = c.Text(i)
		}
		if len(of) > maxLabels {
			return nil
		}
	}
	return of
}
