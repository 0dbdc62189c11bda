package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// idle are words that mean nothing where they stand, or that the tree says in another word.
var idle = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`as outer inner all asc select from where and or not in is null join on cross left right full semi anti apply lateral using
		top limit offset fetch first next row rows only percent minus except union intersect distinct group order by having with recursive case when then else end
		cast convert between like ilike exists any some symmetric table set values isnull notnull unbounded preceding following current range over partition
		extract substring substr trim position date time timestamp interval array struct materialized nulls last desc filter within respect
		if ifnull cast try_cast safe_cast try_convert escape div mod xor at zone qualify window`) {
		m[w] = true
	}
	return m
}()

// kept tells whether all words of the text are in the tree that was made of it: what the reader
// passed over without a note proves nothing.
func kept(s *sqlparts.Script, q *sqlparts.Query) bool {
	if adjacent(s) {
		return false
	}
	have := map[string]int{}
	for _, w := range sqlparts.Lexemes(sqlparts.Format(q), sqlparts.Generic) {
		have[w.Value]++
	}
	for _, w := range sqlparts.Lexemes(s.SQL, s.Dialect) {
		if w.Value == "" || idle[w.Value] {
			continue
		}
		words := []string{w.Value}
		if s.Dialect == sqlparts.BigQuery && w.Text[0] == '`' { // several names in one pair of quotes
			words = strings.Split(w.Value, ".")
		}
		for _, word := range words {
			if have[word]--; have[word] < 0 {
				return false
			}
		}
	}
	return true
}

// adjacent tells whether two strings follow each other and were not read as one, so that the second
// may be a name or a part of the first.
func adjacent(s *sqlparts.Script) bool {
	if s.Dialect == sqlparts.MySQL || s.Dialect == sqlparts.Databricks {
		return false
	}
	before := false
	for _, t := range sqlparts.Tokens(s.SQL, s.Dialect) {
		text := t.Kind == sqlparts.TokenString
		if before && text {
			return true
		}
		before = text || before && t.Kind == sqlparts.TokenComment
	}
	return false
}

// sameText tells whether two texts are the same words.
func sameText(a, b *sqlparts.Script) bool {
	return slices.EqualFunc(sqlparts.Lexemes(a.SQL, a.Dialect), sqlparts.Lexemes(b.SQL, b.Dialect), func(x, y sqlparts.Lexeme) bool { return x.Text == y.Text })
}

// SameStatements tells whether two scripts are alike besides their final queries: the same kinds of
// statements on the same objects, and no word of either that was passed over, unless their texts
// are the same.
func SameStatements(a, b *sqlparts.Script) bool {
	if sameText(a, b) {
		return true
	}
	alike := slices.EqualFunc(a.Statements, b.Statements, func(x, y *sqlparts.Statement) bool {
		return x.Kind == y.Kind && x.Effects == y.Effects && slices.EqualFunc(x.Target, y.Target, func(s, t sqlparts.Ident) bool { return strings.EqualFold(s.Text, t.Text) })
	})
	if !alike {
		return false
	}
	for _, s := range []*sqlparts.Script{a, b} {
		if len(s.Notes) > 0 || len(s.Statements) == 1 && s.Statements[0].Kind == sqlparts.KindQuery && !kept(s, s.Final()) {
			return false
		}
	}
	return true
}
