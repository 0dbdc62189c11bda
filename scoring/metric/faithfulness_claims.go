package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

// leastShared is the minimum share of a claim's words that must be in the response or the question for the response
// to make the claim. It is low because a judge resolves pronouns and rewords.
const leastShared = 1.0 / 3

// saidText holds the prefixes of words (see stems) and the numbers of a string.
type saidText struct {
	text    string
	stems   map[string]bool
	digits  map[string]bool // significant digits of its numbers
	inWords bool            // it contains numbers that are spelled out
}

// claimsMade reports for each claim whether the response makes it: the response contains all its figures, enough of
// its words are in the response or the question, and at least one is in the response. It reports true for a claim
// without words and figures that can be searched for.
func claimsMade(response, question string, claims []claim) []bool {
	response = plainDigits(response)
	said := saidText{text: response, stems: stems(response), digits: map[string]bool{},
		inWords: numberWords.MatchString(response)}
	for _, token := range numbersInText.FindAllString(response, -1) {
		said.digits[significant(token)] = true
	}
	for _, token := range spacedNumbers.FindAllString(response, -1) {
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
		stated := plainDigits(f.Stated)
		switch d := significant(stated); {
		case d == "": // in words
		case t.digits[d], strings.Contains(t.text, stated):
			inResponse++
		case len(d) > 2 || !t.inWords:
			return false
		}
	}
	switch {
	case all == 0:
		return true
	case inResponse == 0: // a response of one word, which may be a number in any language
		return len(t.stems) < 2 && len(t.digits) == 0
	}
	return float64(shared) >= leastShared*float64(all)
}

// spacedNumbers matches numbers with blanks between groups of three digits.
var spacedNumbers = lazyregexp.New(`[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?`)

// numberWords matches small numbers that are spelled out.
var numberWords = lazyregexp.New(`(?i)\b(zero|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozen|hundred)\b`)

// significant returns the digits of a number without separators and without zeros at either end, so that 3 million
// equals 3,000,000. It returns "0" for zeros, and "" without digits.
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

// stemLength is the number of letters of a word that are compared, so that orders and ordered equal order.
const stemLength = 4

// stems returns the first stemLength letters of each word that has at least so many. In scripts without spaces
// between words, such as Chinese, each character counts as a word.
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
