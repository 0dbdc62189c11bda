package counterexample

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// folding reports whether a dialect may consider strings equal that differ in case, in accents or in trailing
// blanks. A collation decides this, and the collation of a column is unknown.
func folding(d sqlparts.Dialect) bool {
	return d == sqlparts.MySQL || d == sqlparts.TSQL || d == sqlparts.Generic
}

// folded returns a form of s that is the same for all strings that some collation treats as equal.
func folded(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(strings.TrimRight(s, " "))) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// collides reports whether the database contains two strings that are equal under one collation and different under
// another. Results on such a database depend on the collation and are not compared.
func (d *Database) collides() bool {
	seen := map[string]string{}
	for i := range d.Tables {
		for _, row := range d.Tables[i].Rows {
			for _, v := range row {
				if v.Kind != Text {
					continue
				}
				f := folded(v.Text)
				if other, ok := seen[f]; ok && other != v.Text {
					return true
				}
				seen[f] = v.Text
			}
		}
	}
	return false
}

// compareTexts returns SQL for a comparison of two strings: exact, or in the second variant without regard to case
// and trailing blanks if the dialect's collation may ignore them.
func (c *transpiler) compareTexts(op string, l, r expr) string {
	if !folding(c.dialect) || c.learn {
		return "(" + l.sql + " " + op + " " + r.sql + ")"
	}
	c.open = true
	c.made = c.made || l.made || r.made
	if c.variant == 0 {
		return "(" + l.sql + " " + op + " " + r.sql + ")"
	}
	return "(" + foldedSQL(l) + " " + op + " " + foldedSQL(r) + ")"
}

func foldedSQL(x expr) string { return "lower(rtrim(" + x.sql + ", ' '))" }

// keyed refuses a computed string, in a dialect whose collation may ignore case, at a place where equal values are
// merged: the collation decides which are equal. Strings stored in the small database differ in every collation. It
// also refuses arrays and structures there.
func (c *transpiler) keyed(x expr) {
	if (x.kind == Nested || x.kind == List) && !c.learn {
		refuse("arrays or structures of which equal ones become one")
	}
	if x.kind == Text && x.made && folding(c.dialect) && !c.learn {
		refuse("computed texts of which equal ones become one, which depends on the collation")
	}
}
