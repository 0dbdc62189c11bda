package relation

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// counterparts pairs labels with headers that say the same, as positions in both: the ones called alike first, then those of which one has all the words of the other, then those of which one
// shortens the other, as M does Male, W0 Week 0 and Jan January; a number may be the month of that name. What could be paired in two ways is not.
func counterparts(labels, headers []string) (pairs [][2]int) {
	l, h := make([][]string, len(labels)), make([][]string, len(headers))
	for i := range labels {
		l[i] = labelWords(labels[i])
	}
	for j := range headers {
		h[j] = labelWords(headers[j])
	}
	taken := map[[2]int]bool{}
	for _, alike := range []func(a, b []string) bool{slices.Equal[[]string], contained, shortened} {
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
	return nameWords(b.String())
}

// contained tells whether one list of words has all words of the other, which has some.
func contained(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
}

// shortened tells whether two labels have as many words and each is a beginning of its counterpart; numbers are not shortened.
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

func shortens(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if unicode.IsDigit(rune(a[0])) {
		return a == b || monthOf(b) == a
	}
	return strings.HasPrefix(b, a)
}

// monthOf is the number of the month of an English name of three letters or more, empty where it is none.
func monthOf(name string) string {
	for i, m := range []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"} {
		if len(name) >= 3 && strings.HasPrefix(m, name) {
			return strconv.Itoa(i + 1)
		}
	}
	return ""
}
