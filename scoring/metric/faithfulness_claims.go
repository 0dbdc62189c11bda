package metric

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastShared is the share of a claim's words that the response or the question must hold for the
// response to make the claim. A judge fills in pronouns and periods and rewords a little.
const leastShared = 1.0 / 3

// saidText holds the words and numbers of a string.
type saidText struct {
	text    string
	stems   map[string]bool
	digits  map[string]bool // of its numbers
	inWords bool            // it holds numbers in words
}

// claimsMade reports for each claim whether the response makes it, by its words and figures: all figures are in the
// response, enough words are in it or in the question, and at least one is in the response itself. A claim without
// usable words and figures is assumed to be made.
func claimsMade(response, question string, claims []claim) []bool {
	said := saidText{text: response, stems: stems(response), digits: map[string]bool{},
		inWords: numberWords.MatchString(response)}
	for _, token := range numbersInText.FindAllString(response, -1) {
		said.digits[significant(token)] = true
	}
	asked := stems(question)
	made := make([]bool, len(claims))
	for i, c := range claims {
		made[i] = said.makes(c, asked)
	}
	return made
}

func (t *saidText) makes(c claim, asked map[string]bool) bool {
	inResponse, shared, all := 0, 0, 0
	for stem := range stems(c.Claim) {
		all++
		if t.stems[stem] {
			inResponse++
		}
		if t.stems[stem] || asked[stem] {
			shared++
		}
	}
	for _, f := range c.Figures {
		switch d := significant(f.Stated); {
		case d == "": // in words
		case t.digits[d], strings.Contains(t.text, f.Stated):
			inResponse++
		case len(d) > 2 || !t.inWords:
			return false
		}
	}
	switch {
	case all == 0:
		return true
	case inResponse == 0: // a response of one word may be a number in any language
		return len(t.stems) < 2 && len(t.digits) == 0
	}
	return float64(shared) >= leastShared*float64(all)
}

// numberWords matches small numbers that are spelled out.
var numberWords = regexp.MustCompile(`(?i)\b(zero|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozen|hundred)\b`)

// significant is the digits of a number without separators and without zeros at either end, so that
// 3 million is as 3,000,000.
func significant(number string) string {
	d := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, number)
	if t := strings.Trim(d, "0"); t != "" || d == "" {
		return t
	}
	return "0"
}

// stemLength is how many letters of a word are compared, so that orders and ordered are as order.
const stemLength = 4

// stems returns the prefixes of the words of a string, for words that have at least that many letters. A character
// of a script without spaces between words is a word.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(text) {
		switch r, _ := utf8.DecodeRuneInString(w); {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			for _, r := range w {
				out[string(r)] = true
			}
		case unicode.IsLetter(r) && utf8.RuneCountInString(w) >= stemLength:
			out[string([]rune(w)[:stemLength])] = true
		}
	}
	return out
}

// words returns the words and numbers of a string, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
