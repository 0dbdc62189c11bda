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

// labelNames returns the parsed name for each label in a column. If all labels are truth values, a true one has the
// meaning of the column's name and a false one its negation.
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

// abbreviated returns a finding if the values of one column are short forms of the other side's and all else agrees,
// unless the answer shortens names that the question asks for; else nil. Public code lists decide if they contain both
// values; otherwise a short form is a prefix, or the initials, of exactly one value.
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

// writtenOut maps strings of a to their short or long form in b, omitting those without exactly one candidate; nil if
// two have the same one.
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

// distinct returns to unchanged, or nil if two keys have the same value.
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

// shortForm reports whether short is a prefix of long, word by word, or its initials. long must have at least three
// letters; for a prefix, neither may have signs other than space, dot, dash and underscore.
func shortForm(short, long string) bool {
	if len(letters(long)) < 3 || len(short) >= len(long) {
		return false
	}
	return naming.Initials(short, long) ||
		wordsOnly(long) && wordsOnly(short) && naming.Read(short).Shortens(naming.Read(long))
}

// wordsOnly reports whether a string begins with a letter and has only letters, digits, spaces, dots, dashes and
// underscores.
func wordsOnly(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune(" .-_", r)) {
			return false
		}
	}
	return s != ""
}

// distinctTexts returns the distinct strings of a column by their keys; nil if the column is not of strings or has more
// than maxLabels of them.
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
