package relation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring/naming"
)

// plain is a text as words of lower case between single blanks, with a blank at each end, so that
// words are found whole.
func plain(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	blank := true
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
			blank = false
		case !blank:
			b.WriteByte(' ')
			blank = true
		}
	}
	if !blank {
		b.WriteByte(' ')
	}
	return b.String()
}

// says tells whether a text, made by plain, contains another one, word for word.
func says(text, what string) bool {
	w := plain(what)
	return len(w) > 2 && strings.Contains(text, w)
}

// questionWords are the stems of the words of the question.
func (e *evidence) questionWords() map[string]bool {
	if e.words == nil {
		e.words = map[string]bool{}
		for _, w := range strings.Fields(plain(e.Question)) {
			e.words[naming.Stem(w)] = true
		}
	}
	return e.words
}

// asksFor tells whether the question has all the words of a name, and there are some.
func (e *evidence) asksFor(name string) bool {
	words, any := e.questionWords(), false
	for _, w := range naming.Words(name) {
		if !words[naming.Stem(w)] {
			return false
		}
		any = true
	}
	return any
}

// superlatives come before a measure that the question sorts by rather than asks for.
var superlatives = map[string]bool{
	"most": true, "least": true, "highest": true, "lowest": true, "largest": true, "smallest": true, "greatest": true, "fewest": true, "biggest": true, "maximum": true, "minimum": true,
	"max": true, "min": true, "top": true, "more": true, "fewer": true, "less": true, "exceeding": true, "best": true, "worst": true, "longest": true, "shortest": true, "oldest": true, "youngest": true,
	"descending": true, "ascending": true, "by": true, "sorted": true, "ordered": true, "order": true,
}

// asksForAggregate tells whether the question asks to be told an aggregate, rather than to sort or
// filter by it: "how many", "the number of" and the like, unless a superlative or an order stands
// close before it.
func (e *evidence) asksForAggregate(function string) bool {
	var phrases []string
	switch function {
	case "count":
		phrases = []string{"how many", "number of", "count", "counts", "numbers of", "amount of", "total", "how often", "frequency", "number"}
	case "sum":
		phrases = []string{"total", "sum", "how much", "totals", "overall", "altogether", "amount"}
	case "avg":
		phrases = []string{"average", "averages", "mean", "averaged"}
	case "max":
		phrases = []string{"maximum", "max", "what is the highest", "what is the largest", "and the highest", "and the maximum", "and the largest"}
	case "min":
		phrases = []string{"minimum", "min", "what is the lowest", "what is the smallest", "and the lowest", "and the minimum", "and the smallest"}
	default:
		return true // not known what it asks for
	}
	q := plain(e.Question)
	for _, p := range phrases {
		p = " " + p + " "
		for from := 0; ; {
			at := strings.Index(q[from:], p)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			before := strings.Fields(q[:at+1])
			ordering := false
			if strings.HasPrefix(p, " how ") {
				return true
			}
			for _, w := range before[max(0, len(before)-3):] {
				ordering = ordering || superlatives[w]
			}
			if !ordering {
				return true
			}
		}
	}
	return false
}

// asksForTwo tells whether the question goes on to ask for something else of what it asked for
// first: "and what are those sizes", "along with their number".
func (e *evidence) asksForTwo() bool {
	q := plain(e.Question)
	return slices.ContainsFunc([]string{
		" and what ", " and how ", " and which ", " as well as ", " along with ", " together with ", " and their ", " and its ", " and those ", " and the number ", " and the total ", " and the corresponding ",
		" including the ", " also show ", " also list ", " and show ", " and list ", " and give ",
	}, func(w string) bool { return strings.Contains(q, w) })
}
