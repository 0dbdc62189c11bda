package question

import (
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring/naming"
)

type kind uint8

const (
	word   kind = iota
	number      // 3, 10,000, 2.5
	quoted      // text in quotes
	stop        // punctuation
)

// token is a word, a number, a quoted text or a punctuation mark.
type token struct {
	kind kind
	text string // in lower case, without quotes
	stem string // of a word
	role role   // of a word: its roles, see role
	name bool   // it starts with a capital letter and is not first in its sentence

	possessive bool // with 's
}

// Plain returns the words of s in lower case, separated by single spaces, with a space at each end, so that whole words
// can be searched for.
func Plain(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
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

// Contains reports whether text, a result of [Plain], contains the words of what in sequence.
func Contains(text, what string) bool {
	w := Plain(what)
	return len(w) > 2 && strings.Contains(text, w)
}

var closing = map[rune]rune{'"': '"', '“': '”', '‘': '’', '«': '»', '`': '`', '\'': '\''}

// split returns the tokens of text by sentence.
func split(text string) (sentences [][]token) {
	var s []token
	runes := []rune(text)
	end := func() {
		if len(s) > 0 {
			sentences = append(sentences, s)
			s = nil
		}
	}
	mark := func(m string) { s = append(s, token{kind: stop, text: m}) }
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case unicode.IsDigit(r):
			from := i
			for unicode.IsDigit(at(i+1)) || strings.ContainsRune(".,:", at(i+1)) && unicode.IsDigit(at(i+2)) ||
				unicode.IsLetter(at(i+1)) {
				i++
			}
			s = append(s, token{kind: number, text: strings.ToLower(string(runes[from : i+1]))})
		case unicode.IsLetter(r):
			from := i
			for unicode.IsLetter(at(i+1)) || unicode.IsDigit(at(i+1)) {
				i++
			}
			w := strings.ToLower(string(runes[from : i+1]))
			possessive := false
			if (at(i+1) == '\'' || at(i+1) == '’') && unicode.IsLetter(at(i+2)) { // customer's, don't
				switch {
				case at(i+2) == 's' && !unicode.IsLetter(at(i+3)):
					i += 2
					possessive = true
				case at(i+2) == 't' && !unicode.IsLetter(at(i+3)):
					i += 2
					s = append(s, token{text: strings.TrimSuffix(w, "n"), stem: stemOf(strings.TrimSuffix(w, "n"))})
					w = "not"
				}
			}
			s = append(s, token{text: w, stem: stemOf(w), name: len(s) > 0 && unicode.IsUpper(r), possessive: possessive})
		case closing[r] != 0 && (r != '\'' && r != '’' || !unicode.IsLetter(at(i-1))):
			to := i + 1
			for to < len(runes) && (runes[to] != closing[r] || r == '\'' && unicode.IsLetter(at(to+1))) {
				to++
			}
			if to < len(runes) && to > i+1 {
				s = append(s, token{kind: quoted, text: strings.ToLower(string(runes[i+1 : to]))})
				i = to
			}
		case r == '.' && (abbreviates(s) || !unicode.IsSpace(at(i+1))):
		case r == '.' || r == '?' || r == '!' || r == '\n':
			end()
		case r == ';':
			mark(",")
		case strings.ContainsRune(",:()", r):
			mark(string(r))
		case r == '–' || r == '—' || r == '-' && unicode.IsSpace(at(i-1)) && unicode.IsSpace(at(i+1)):
			if !(len(s) > 0 && s[len(s)-1].kind == number) {
				mark(":")
			}
		case r == '&' || r == '/':
			if r == '&' || unicode.IsLetter(at(i+1)) {
				s = append(s, token{text: "and", stem: "and"})
			}
		}
	}
	end()
	return sentences
}

// abbreviates reports whether the last token is an abbreviation, so that a following dot does not end the sentence.
func abbreviates(s []token) bool {
	return len(s) > 0 && shortForms[s[len(s)-1].text]
}

// stemOf returns the stem of a word, like naming.Stem, and id for ids.
func stemOf(w string) string {
	if w == "ids" {
		return "id"
	}
	return naming.Stem(w)
}

var shortForms = set("incl resp approx vs no nos st mr mrs dr inc e i etc avg max min dept jan feb mar apr jun jul aug sep sept oct nov dec")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
