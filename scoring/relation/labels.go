package relation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// counterparts pairs labels with headers that say the same, as positions in both: the ones called
// alike first, then those of which one has all the words of the other, then those of which one
// shortens the other, as M does Male, W0 Week 0 and Jan January, and last those of which a word
// does so. A number may be the month of a name. What could be paired in two ways is not.
func counterparts(labels, headers []string) (pairs [][2]int) {
	l, h := make([][]string, len(labels)), make([][]string, len(headers))
	for i := range labels {
		l[i] = labelWords(labels[i])
	}
	for j := range headers {
		h[j] = labelWords(headers[j])
	}
	taken := map[[2]int]bool{}
	for _, alike := range []func(a, b []string) bool{slices.Equal[[]string], contained, shortened, touching} {
		for i := range l {
			if taken[[2]int{0, i}] {
				continue
			}
			at := only(len(h), func(j int) bool { return !taken[[2]int{1, j}] && alike(l[i], h[j]) })
			if at < 0 || only(len(l), func(k int) bool { return !taken[[2]int{0, k}] && alike(l[k], h[at]) }) < 0 {
				continue
			}
			pairs = append(pairs, [2]int{i, at})
		}
		for _, p := range pairs {
			taken[[2]int{0, p[0]}], taken[[2]int{1, p[1]}] = true, true
		}
	}
	return pairs
}

// only is the one position of which something holds, -1 where there is none or more than one.
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

// labelWords are the words of a label in lower case, numbers by themselves: W0 is two.
func labelWords(s string) []string {
	var b strings.Builder
	digit := false
	for _, r := range s {
		if d := unicode.IsDigit(r); d != digit && b.Len() > 0 {
			b.WriteByte(' ')
			digit = d
		} else if b.Len() == 0 {
			digit = d
		}
		b.WriteRune(r)
	}
	return naming.Words(b.String())
}

// contained tells whether one list of words has all words of the other, which has some.
func contained(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
}

// shortened tells whether two labels have as many words and each is a beginning of its counterpart;
// numbers are not shortened.
func shortened(a, b []string) bool {
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

// touching tells whether a word of one label shortens a word of the other.
func touching(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool {
		return slices.ContainsFunc(b, func(w string) bool { return shortens(v, w) })
	})
}

func shortens(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if unicode.IsDigit(rune(a[0])) {
		return a == b || monthOf(b) == a
	}
	return strings.HasPrefix(b, a)
}

// monthOf is the number of the month of an English name of three letters or more, empty where it is
// none.
func monthOf(name string) string {
	for i, m := range []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"} {
		if len(name) >= 3 && strings.HasPrefix(m, name) {
			return strconv.Itoa(i + 1)
		}
	}
	return ""
}

// abbreviated finds a column of text whose values each shorten one of a column of the other side,
// or the reverse. No value stands on both sides, all are words, and the written ones have three
// letters at least.
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
		to := map[string]string{}
		for _, k := range counterparts(goldTexts, predTexts) {
			if g, p := goldTexts[k[0]], predTexts[k[1]]; wordsOnly(g) && wordsOnly(p) && max(len(letters(g)), len(letters(p))) >= 3 && shortened(labelWords(g), labelWords(p)) {
				to[g] = p
			}
		}
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
		if want == got {
			return &found{
				text:  fmt.Sprintf("All rows agree, but %s and %s write their values out or shorten them.", columnName(e.gold, r.gold), columnName(e.pred, r.pred)),
				proof: Proof{GoldColumns: []int{r.gold}, PredColumns: []int{r.pred}},
			}
		}
	}
	return nil
}

// wordsOnly tells whether a text begins with a letter and has no signs, which no abbreviation
// drops.
func wordsOnly(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune(" .-_", r)) {
			return false
		}
	}
	return s != ""
}

// distinctTexts are the different texts of a column by their keys, nil where it holds something
// else or more than maxLabels of them.
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
