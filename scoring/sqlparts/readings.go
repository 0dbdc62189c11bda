package sqlparts

import (
	"slices"

	"github.com/badger-eval/badger/internal/halt"
)

// otherReadings holds, for each dialect, further ways in which its engines may split SQL into strings, names and
// comments: rules that vendors do not document, rules that differ by version, and, for Generic, those of any
// dialect.
var otherReadings = func() (all [len(syntaxes)][]*syntax) {
	with := func(d Dialect, change func(*syntax)) {
		x := syntaxes[d]
		change(&x)
		all[d] = append(all[d], &x)
	}
	// The documentation defines neither the end of a comment nor whether comments nest.
	with(Snowflake, func(x *syntax) { x.carriage = false })
	with(Snowflake, func(x *syntax) { x.nested = true })
	with(Snowflake, func(x *syntax) { x.carriage, x.nested = false, true })
	with(TSQL, func(x *syntax) { x.carriage = false })
	// Before Spark 3.1 a backslash does not keep a comment from ending.
	with(Databricks, func(x *syntax) { x.lineGoesOn = false })
	// /*!99999 x */ is a comment to servers before that version, and /*M! x */ to all but MariaDB.
	with(MySQL, func(x *syntax) { x.bang = false })
	for d := Generic + 1; int(d) < len(syntaxes); d++ {
		for _, x := range append([]*syntax{&syntaxes[d]}, all[d]...) {
			with(Generic, func(g *syntax) {
				g.lexical = x.lexical
				g.textInDouble = x.stringInDouble
				if x.brackets == bracketName {
					g.brackets = bracketHides
				} else {
					g.brackets = bracketGuess
				}
			})
		}
	}
	return all
}()

// settingReadings holds the ways in which a dialect's engines split SQL only with a setting that is not the default:
// MySQL's sql_mode may be NO_BACKSLASH_ESCAPES, ANSI_QUOTES or both.
var settingReadings = func() (all [len(syntaxes)][]*syntax) {
	for _, x := range append([]*syntax{&syntaxes[MySQL]}, otherReadings[MySQL]...) {
		plain, ansi := *x, *x
		plain.backslash = false
		ansi.stringInDouble = false
		both := plain
		both.stringInDouble = false
		all[MySQL] = append(all[MySQL], &plain, &ansi, &both)
	}
	return all
}()

// readings parses SQL text in every way in which an engine of the dialect may split it into strings, names and
// comments. The first script is that of [Parse]; the others split the text differently. A check that must not miss
// an effect of the text examines all of them.
func readings(sql string, dialect Dialect) []*Script {
	first := Parse(sql, dialect)
	return append([]*Script{first}, first.OtherReadings()...)
}

// OtherReadings returns the scripts of [readings] other than s itself.
func (s *Script) OtherReadings() []*Script {
	d := s.Dialect
	if len(otherReadings[d]) == 0 && len(settingReadings[d]) == 0 {
		return nil
	}
	own := newLexer(s.SQL, d)
	own.lex()
	var out []*Script
	for _, l := range own.others(slices.Concat(otherReadings[d], settingReadings[d]), s.stop) {
		o := parse(s.SQL, d, l.syntax, s.stop)
		o.bySetting = slices.Contains(settingReadings[d], l.syntax)
		out = append(out, o)
	}
	return out
}

// BySetting reports whether the script is one of [Script.OtherReadings] in which an engine splits the text only with a
// setting that is not its default.
func (s *Script) BySetting() bool { return s.bySetting }

// others returns, for the given syntaxes, lexers whose tokens differ from those of l and of each other.
func (l *lexer) others(readings []*syntax, stop *halt.Signal) (out []lexer) {
	seen := [][]token{l.toks}
	for _, x := range readings {
		stop.Check()
		o := lexer{sql: l.sql, syntax: x}
		o.lex()
		if !slices.ContainsFunc(seen, func(t []token) bool { return sameCuts(t, o.toks) }) {
			seen, out = append(seen, o.toks), append(out, o)
		}
	}
	return out
}

// hasOtherReading reports whether an engine of the dialect, with default settings, may split the script into other
// tokens.
func (s *Script) hasOtherReading() bool {
	if len(otherReadings[s.Dialect]) == 0 {
		return false
	}
	own := newLexer(s.SQL, s.Dialect)
	own.lex()
	return slices.ContainsFunc(otherReadings[s.Dialect], func(x *syntax) bool {
		s.stop.Check()
		l := lexer{sql: own.sql, syntax: x}
		l.lex()
		return !sameCuts(own.toks, l.toks)
	})
}

// sameCuts reports whether two lists of tokens have the same positions, and the same tokens are quoted names or
// strings.
func sameCuts(a, b []token) bool {
	return slices.EqualFunc(a, b, func(a, b token) bool {
		return a.start == b.start && a.end == b.end && quotes(a.kind) == quotes(b.kind)
	})
}

// lexer returns a lexer for the part of the script's text from one offset to another, which are between tokens. It uses
// the script's lexical rules.
func (s *Script) lexer(from, to int) lexer {
	l := newLexer(s.SQL[:to], s.Dialect)
	l.pos = from
	if s.syntax != nil {
		l.syntax, l.guess = s.syntax, s.syntax == Generic.syntax()
	}
	return l
}

// Strings returns the values of the strings between two offsets of the script. Strings with only ||, + and parentheses
// between them are joined into one.
func (s *Script) Strings(from, to int) []string {
	l := s.lexer(from, to)
	l.lex()
	p := parser{sql: l.sql, dialect: s.Dialect, syntax: l.syntax}
	var out []string
	joined := false
	for i := range l.toks {
		t := &l.toks[i]
		switch {
		case t.kind == tokString && joined:
			out[len(out)-1] += p.stringOf(t)
		case t.kind == tokString:
			out = append(out, p.stringOf(t))
			joined = true
		case t.code != oConcat && t.code != oPlus && t.code != oLparen && t.code != oRparen && t.kind != tokEOF:
			joined = false
		}
	}
	return out
}

func quotes(k tokenKind) bool { return k == tokQuoted || k == tokDouble || k == tokString }
