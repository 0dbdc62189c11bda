package sqlparts

import (
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/halt"
)

// idleInText are words that have no effect, or that Format writes in another form, so that Kept does not search them in
// the tree.
var idleInText = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`as outer inner all asc select from where and or not in is null join on cross left right full semi anti apply lateral using
		top limit offset fetch first next row rows only percent minus except union intersect distinct group order by having with recursive case when then else end
		cast convert between like ilike exists any some symmetric table set values isnull notnull unbounded preceding following current range over partition
		extract substring substr trim position date time timestamp interval array struct materialized nulls last desc filter within respect
		if aggregate extend ifnull cast try_cast safe_cast try_convert escape div mod xor at zone qualify window`) {
		m[w] = true
	}
	return m
}()

// Whole returns the query of a script that consists of one read-only query, if the tree contains all of the text.
// Otherwise q is nil and why gives the reason.
func (s *Script) Whole() (q *Query, why string) {
	switch {
	case len(s.Statements) != 1 || s.Statements[0].Kind != KindQuery || s.Statements[0].Query == nil ||
		s.Statements[0].Effects&^Reads != 0:
		return nil, "is not one query"
	case len(s.Notes) > 0:
		return nil, "has a part that badger cannot read"
	case !s.Kept():
		return nil, "has words that change no part of the query that badger knows"
	case s.inARow(s.Statements[0].Query):
		return nil, "has operators in a row that engines read in different ways: write parentheses"
	}
	return s.Statements[0].Query, ""
}

// Kept reports whether all words of the script are in the tree of its final query, that is, whether the parser skipped
// none, even without a note.
func (s *Script) Kept() bool {
	q := s.Final()
	if q == nil || s.adjacent() {
		return false
	}
	have := map[string]int{}
	looks := halt.Every{Signal: s.stop, N: stepsBetweenLooks}
	for _, w := range Lexemes(Format(q), Generic) {
		looks.Step()
		for _, word := range wordsOf(w.Value) {
			have[word]++
		}
	}
	for _, w := range Lexemes(s.SQL, s.Dialect) {
		looks.Step()
		if idleInText[w.Value] {
			continue
		}
		for _, word := range wordsOf(w.Value) {
			if have[word]--; have[word] < 0 {
				return false
			}
		}
	}
	return true
}

// wordsOf returns the words of a name or string, or the value itself if it has none. So "a.b" and "a"."b" compare
// equal.
func wordsOf(value string) []string {
	if value == "" {
		return nil
	}
	words := strings.FieldsFunc(value,
		func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return []string{value}
	}
	return words
}

// adjacent reports whether two strings follow each other and the dialect does not join them. The second may be an
// alias.
func (s *Script) adjacent() bool {
	if s.Dialect == MySQL || s.Dialect == Databricks {
		return false
	}
	before := false
	for _, t := range Tokens(s.SQL, s.Dialect) {
		text := t.Kind == TokenString
		if before && text {
			return true
		}
		before = text || before && t.Kind == TokenComment
	}
	return false
}
