package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// sameText reports whether two scripts have the same tokens, ignoring white space and comments.
func sameText(a, b *sqlparts.Script) bool {
	return slices.EqualFunc(sqlparts.Lexemes(a.SQL, a.Dialect), sqlparts.Lexemes(b.SQL, b.Dialect),
		func(x, y sqlparts.Lexeme) bool { return x.Text == y.Text })
}

// SameStatements reports whether two scripts are the same apart from the queries inside their statements ([Inner]):
// they have the same kinds of statements on the same objects, with the same words outside these queries. Unless the
// lexemes are the same, neither script may contain a word that the parser skipped.
func SameStatements(a, b *sqlparts.Script) bool {
	if sameText(a, b) {
		return true
	}
	alike := slices.EqualFunc(a.Statements, b.Statements, func(x, y *sqlparts.Statement) bool {
		return x.Kind == y.Kind && x.Effects == y.Effects &&
			(x.Kind == sqlparts.KindQuery || slices.Equal(outside(a, x), outside(b, y))) &&
			slices.EqualFunc(x.Target, y.Target, func(s, t sqlparts.Ident) bool { return strings.EqualFold(s.Text, t.Text) })
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

// Inner returns the queries of the statements before the final one, such as those that fill temporary tables. If
// [SameStatements] holds, the queries of both scripts correspond in order.
func Inner(s *sqlparts.Script) (queries []*sqlparts.Query) {
	final := s.Final()
	for _, st := range s.Statements {
		if st.Query != nil && st.Query != final {
			queries = append(queries, st.Query)
		}
	}
	return queries
}

// outside returns the tokens of a statement outside its query, such as the value of a variable, the columns of a table
// or an option.
func outside(s *sqlparts.Script, st *sqlparts.Statement) []word {
	from, to := st.Range()
	start, end := to, to
	if st.Query != nil {
		start, end = st.Query.Range()
	}
	var out []word
	for _, text := range []string{s.SQL[from:start], s.SQL[end:to]} {
		for _, t := range sqlparts.Tokens(text, s.Dialect) {
			if t.Kind != sqlparts.TokenComment && text[t.Start:t.End] != ";" {
				out = append(out, word{t.Kind, t.Value})
			}
		}
	}
	return out
}

// word is the kind and the value of a token.
type word struct {
	kind  sqlparts.TokenKind
	value string
}
