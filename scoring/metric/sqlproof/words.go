package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

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
		if len(s.Notes) > 0 || len(s.Statements) == 1 && s.Statements[0].Kind == sqlparts.KindQuery && !s.Kept() {
			return false
		}
	}
	return true
}
