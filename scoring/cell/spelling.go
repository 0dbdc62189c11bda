package cell

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
)

// Formats of strings that may have another spelling.
const (
	// Juergen for Jürgen, "R. Vance, Jr." for "R. Vance Jr.", &amp; for &, -> for >
	FormatPlain     = "plain spelling"
	FormatLastFirst = "last name first text" // Lee, Ann
)

// invisible removes invisible characters and replaces typographic characters by typed ones. Strings are compared after
// this.
var invisible = strings.NewReplacer(
	"\ufeff", "", "\u200b", "", "\u2060", "", "\u00ad", "", "\u200e", "", "\u200f", "",
	"‘", "'", "’", "'", "ʼ", "'", "′", "'", "“", `"`, "”", `"`, "″", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "−", "-", "…", "...",
)

// passportLetters replaces letters by the transliterations of machine-readable passports (ICAO Doc 9303, part 3,
// section 6).
var passportLetters = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "ẞ", "SS", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "å", "aa", "Å", "Aa", "ø",
	"oe", "Ø", "Oe", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "þ", "th", "Þ", "Th", "ð", "d", "Ð", "D", "ł", "l", "Ł",
	"L",
)

// beforeSuffix matches a comma before a suffix to the name of a person or company, such as Jr. or Inc.
var beforeSuffix = lazyregexp.New(
	`(?i),(\s+(?:jr|sr|ii|iii|iv|phd|ph\.d|md|m\.d|esq|inc|ltd|llc|llp|plc|corp|co|gmbh|ag|s\.a|sa|n\.v|b\.v|pty)\b\.?)`)

// arrows replaces the signs between the steps of a sequence by >.
var arrows = strings.NewReplacer(" -> ", " > ", " => ", " > ", " → ", " > ", " ⇒ ", " > ", " ➔ ", " > ", " >> ", " > ",
	" » ", " > ", " › ", " > ")

// plainly returns s in plain spelling: without HTML entities and commas before suffixes, with > for arrows, and with
// transliterated letters.
func plainly(s string) string {
	entities, commas, marks, letters := false, false, false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '&':
			entities = true
		case c == ',':
			commas = true
		case c == '>':
			marks = true
		case c >= utf8.RuneSelf:
			marks, letters = true, true
		}
	}
	if entities {
		s = html.UnescapeString(s)
	}
	if commas {
		s = beforeSuffix.ReplaceAllString(s, "$1")
	}
	if marks {
		s = arrows.Replace(s)
	}
	if letters {
		s = passportLetters.Replace(composed(s))
	}
	return s
}

// lastFirst returns a name such as "Doe, Jane" with the first name first; ok is false if s is not such a name.
func lastFirst(s string) (string, bool) {
	last, first, found := strings.Cut(s, ",")
	last, first = strings.TrimSpace(last), strings.TrimSpace(first)
	return first + " " + last, found && last != "" && first != "" && !strings.ContainsAny(first, ",;|") &&
		!strings.ContainsAny(s, "0123456789")
}

// SpelledText describes in which other spellings a string column can be read.
type SpelledText struct {
	Plain     bool // plain spelling changes a cell
	LastFirst bool // every cell is a name with the last part first
	Commas    bool // a cell has a comma
}

// ReadSpelling returns in which other spellings a string column can be read.
func ReadSpelling(c *scoring.Column) (t SpelledText) {
	c.Halt().Check()
	if c.Type != scoring.String {
		return t
	}
	changed := false
	t.LastFirst = true
	for i := range c.Len() {
		if c.IsNull(i) {
			continue
		}
		s := c.Text(i)
		changed = changed || plainly(s) != s
		t.Commas = t.Commas || strings.Contains(s, ",")
		if t.LastFirst {
			_, t.LastFirst = lastFirst(s)
		}
	}
	t.Plain = changed
	t.LastFirst = t.LastFirst && t.Commas
	return t
}

// MergesPlain reports whether two different strings of a column become equal in plain spelling.
func MergesPlain(c *scoring.Column) bool {
	c.Halt().Check()
	return merges(c, View{Kind: scoring.KindText, Format: FormatPlain})
}
