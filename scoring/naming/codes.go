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

// codeList is a public list of codes: it maps each code and name of a thing, without case and punctuation, to the
// number of the thing.
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

// codeKey returns the key by which a code or a name of a list is looked up: without case and
// punctuation, & being a word. It is empty, which no list has, for a code with more signs than
// points, such as "a | b", and for a name with signs that no name has.
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

// Codes maps the values of a to values of b by public lists of codes: the index in b of the value that each a
// represents, -1 if there is none. ok is true if some list contains all values of both: such as countries, states,
// months, weekdays, currencies or languages.
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

// SameCode looks up two values in public lists of codes. known reports whether a list contains both, and same
// whether they represent the same thing in any list that does.
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

// MonthNumber is the number of the month of an English name of three letters or more, empty if it
// is not a number.
func MonthNumber(name string) string { return numberOf(name, monthNames) }

// weekday is the number of a day of the week, from Monday.
func weekday(name string) string { return numberOf(name, weekdayNames) }

func numberOf(name string, names []string) string {
	for i, m := range names {
		if len(name) >= 3 && strings.HasPrefix(m, name) {
			return strconv.Itoa(i + 1)
		}
	}
	return ""
}
