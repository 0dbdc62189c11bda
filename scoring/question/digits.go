package question

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

var (
	smallNumbers = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	digitsPhrase = lazyregexp.New(
		` (\w+) (?:decimals?|digits?|fractional digits?|significant digits?)(?: (?:places?|points?|digits?))? `)
	decimalsOf  = lazyregexp.New(` (?:decimals?|precision|scale|digits)(?: (?:places?|of|to|is))+ (\w+) `)
	wholeNumber = lazyregexp.New(` (?:(?:as|in|to|nearest|full|rounded) (?:a |an |the |nearest |to )*(?:whole|full|entire)? ?(?:integers?|whole numbers?|wholes?|units?|whole percent|full percent|percent point|whole euros?|whole dollars?|whole hours?|whole days?|whole minutes?|whole years?|whole|full \w+|whole \w+)|no decimals?|without decimals?|without (?:the )?(?:fraction|fractions|cents)|whole percents?|nearest (?:percent|percentage point|dollar|euro|pound|hour|day|minute|year|second|kilogram|kg|km|metre|meter)) `)
	toTheCent   = lazyregexp.New(
		` (?:to|nearest|exact to) (?:the )?(?:nearest )?(?:cent|cents|penny|pence|hundredth|hundredths) `)
	toTheTenth = lazyregexp.New(` (?:to|nearest) (?:the )?(?:nearest )?(?:tenth|tenths) `)
	roundingTo = lazyregexp.New(
		` (?:decimal|decimals|round|rounded|rounding|digits|decimal places|nearest|unrounded|precision) `)
	atLeastDigits = lazyregexp.New(` (?:at least|minimum of|minimum|no fewer than|not fewer than|or more) (?:\w+ )?(?:decimals?|digits?)| (?:decimals?|digits?|decimal places?) (?:or more|at least|minimum) `)
	exactFigures  = lazyregexp.New(` (?:unrounded|not rounded|without rounding|do not round|don t round|no rounding|full precision|(?:exact|precise) (?:\w+ ){0,3}(?:amount|value|figure|number|sum|total|price|balance|ratio|percentage|share|result|reading|measurement|level|concentration|weight|mass|height|length|width|depth|distance|duration|time|temperature|rate|score|cost|average|mean|median|size|area|volume|dose|quantity|pressure|speed|fare|fee|salary|wage|rent|yield|density|content|mark|grade)s?|(?:exactly|precisely) (?:how (?:much|high|long|large|big|heavy|far|fast|tall|deep|old|wide|warm|hot|cold)|what)|(?:as )?(?:precisely|exactly) as|exact figures?|to the (?:last|very) (?:digit|decimal)|every digit|all (?:decimals|digits)|exact to) `)
)

// roundingWords are parts of words. Each text that states a rounding contains one of them.
var roundingWords = []string{"decimal", "digit", "round", "nearest", "precis", "integer", "whole", "full", "cent",
	"tenth", "hundredth", "penny", "pence", "exact", "fraction", "scale"}

// mayRound reports whether the question or its evidence may state a rounding, by a fast check.
func (q *Question) mayRound() bool {
	for _, text := range []string{q.text, q.evidence} {
		text = strings.ToLower(text)
		if slices.ContainsFunc(roundingWords, func(w string) bool { return strings.Contains(text, w) }) {
			return true
		}
	}
	return false
}

func (q *Question) all() string { return Plain(q.text + " " + q.evidence) }

// Digits returns the number of decimals that the question or its evidence asks for: "to four decimal places", "2
// decimals", "as a whole percent", "to the cent". ok is false if neither states it.
func (q *Question) Digits() (n int, ok bool) {
	if !q.mayRound() {
		return 0, false
	}
	plain := q.all()
	for _, r := range []*lazyregexp.Regexp{digitsPhrase, decimalsOf} {
		if m := r.FindStringSubmatch(plain); m != nil {
			if n := slices.Index(smallNumbers, m[1]); n >= 0 {
				return n, true
			}
			if n, err := strconv.Atoi(m[1]); err == nil {
				return n, true
			}
			if m[1] == "single" {
				return 1, true
			}
		}
	}
	switch {
	case wholeNumber.MatchString(plain):
		return 0, true
	case toTheCent.MatchString(plain):
		return 2, true
	case toTheTenth.MatchString(plain):
		return 1, true
	}
	return 0, false
}

// Rounds reports whether the question or its evidence states how to round numbers, or not to round them.
func (q *Question) Rounds() bool {
	if !q.mayRound() {
		return false
	}
	if _, ok := q.Digits(); ok {
		return true
	}
	plain := q.all()
	return roundingTo.MatchString(plain) && !strings.Contains(plain, " round trip ") || exactFigures.MatchString(plain)
}

// AtLeast reports whether the question or its evidence accepts more decimals than it states, as "at least two
// decimals".
func (q *Question) AtLeast() bool { return q.mayRound() && atLeastDigits.MatchString(q.all()) }

// Exact reports whether the question or its evidence asks for numbers that are not rounded.
func (q *Question) Exact() bool { return q.mayRound() && exactFigures.MatchString(q.all()) }
