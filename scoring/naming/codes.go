package naming

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed codes.txt
var codesText string

// codeList is a public list of codes. It maps each code and each name of a thing, in the form of codeKey, to a number
// of the thing.
type codeList struct {
	name string
	of   map[string]int
}

var codeLists = sync.OnceValue(func() []codeList {
	var lists []codeList
	for n, line := range strings.Split(codesText, "\n") {
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			lists = append(lists, codeList{name, map[string]int{}})
			continue
		}
		codes, names, ok := strings.Cut(line, "|")
		if !ok {
			continue // a remark
		}
		of := lists[len(lists)-1].of
		for _, w := range append(strings.Fields(codes), strings.Split(names, "|")...) {
			of[codeKey(w)] = n
		}
	}
	return lists
})

// codeKey returns a code or name without case and punctuation, and with "and" for &, as the key of a codeList. It
// returns "", which is not in any list, for a code with signs other than dots, such as "a | b", and for signs that
// names do not have.
func codeKey(s string) string {
	s = strings.ReplaceAll(s, "&", " and ")
	key := Bare(s)
	if utf8.RuneCountInString(key) <= maxCode && strings.ContainsFunc(strings.TrimSpace(s), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) || strings.ContainsAny(s, "|+*<>=#@^~!?$€£") {
		return ""
	}
	return key
}

// maxCode is the maximum number of letters and digits of a code.
const maxCode = 3

// Codes maps the values of a to those of b by a public list of codes: to[i] is the index in b of the value for the same
// thing as a[i], or -1. ok is false unless a list contains all values of both, such as countries, states, months,
// currencies or languages.
func Codes(a, b []string) (to []int, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return nil, false
	}
lists:
	for _, l := range codeLists() {
		at := make(map[int]int, len(b))
		for j, w := range b {
			of, known := l.of[codeKey(w)]
			if !known {
				continue lists
			}
			at[of] = j
		}
		to = make([]int, len(a))
		for i, w := range a {
			of, known := l.of[codeKey(w)]
			if !known {
				continue lists
			}
			to[i] = -1
			if j, found := at[of]; found {
				to[i] = j
			}
		}
		return to, true
	}
	return nil, false
}

// SameCode compares two values by the public lists of codes. known reports whether a list contains both, and same
// whether they represent the same thing in such a list.
func SameCode(a, b string) (same, known bool) {
	a, b = codeKey(a), codeKey(b)
	for _, l := range codeLists() {
		x, okX := l.of[a]
		y, okY := l.of[b]
		if okX && okY {
			known = true
			same = same || x == y
		}
	}
	return same, known
}

var (
	monthNames   = strings.Fields("january february march april may june july august september october november december")
	weekdayNames = strings.Fields("monday tuesday wednesday thursday friday saturday sunday")
)

// MonthNumber returns the number of the month with an English name, or its first three letters or more; "" for other
// words. name must be in lower case.
func MonthNumber(name string) string { return numberOf(name, monthNames) }

// weekday returns the number of the weekday with an English name, or its first three letters or more, from 1 for
// Monday; "" for other words.
func weekday(name string) string { return numberOf(name, weekdayNames) }

func numberOf(name string, names []string) string {
	for i, m := range names {
		if len(name) >= 3 && strings.HasPrefix(m, name) {
			return strconv.Itoa(i + 1)
		}
	}
	return ""
}
