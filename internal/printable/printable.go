// Package printable prepares text from outside for printing: on one line, without characters that control a terminal,
// and cut, padded or wrapped to a width in columns. It also writes counts with their nouns, and orders names and
// versions with digits as numbers, so that v9 comes before v10, 1.9 before 1.10 and 2024-9 before 2024-10.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Text returns text from data in a form that is safe for a terminal: on one line, and with escapes for control
// characters, changes of the writing direction and invisible characters. A backslash that would look like such an
// escape is doubled.
func Text(s string) string { return spelled(s, true) }

// Lines is like [Text] for a message of several lines: it leaves line feeds, tabs and backslashes unchanged.
func Lines(s string) string { return spelled(s, false) }

func spelled(s string, oneLine bool) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	last, marks := rune(0), 0 // the rune before, and how many without width came together
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		next := s[i+n:]
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !oneLine && (r == '\\' || r == '\n' || r == '\t'):
			b.WriteByte(s[i])
		case r == '\\':
			b.WriteByte('\\')
			if next != "" && strings.IndexByte(`nrtxuU\`, next[0]) >= 0 {
				b.WriteByte('\\')
			}
		case !Visible(r, last) || RuneWidth(r) == 0 && marks >= maxMarks:
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
		if RuneWidth(r) == 0 {
			marks++
		} else {
			marks = 0
		}
		last = r
		i += n
	}
	return b.String()
}

// escaped returns the escape of a rune in Go's syntax.
func escaped(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Steers reports whether a rune is a control character, except tab, line feed and carriage return, or changes the
// direction of writing.
func Steers(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case unicode.IsControl(r):
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r)
}

// maxMarks is the maximum number of combining marks on a letter; more are escaped.
const maxMarks = 4

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// RuneWidth returns the number of terminal columns of a rune.
func RuneWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me), r == zeroWidthJoiner, r == zeroWidthNonJoiner, r >= 0x1160 && r <= 0x11ff:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Width returns the number of terminal columns of s.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += RuneWidth(r)
	}
	return n
}

// Cut shortens s to at most n columns. It ends in ellipsis if something is left out.
func Cut(s string, n int, ellipsis string) string {
	if Width(s) <= n {
		return s
	}
	room := n - Width(ellipsis)
	if room < 0 {
		return strings.Repeat(".", max(n, 0))
	}
	used := 0
	for i, r := range s {
		if used += RuneWidth(r); used > room {
			return strings.TrimRight(s[:i], " ") + ellipsis
		}
	}
	return s
}

// Pad pads s to n columns with blanks, on the left if right is set.
func Pad(s string, n int, right bool) string {
	blanks := strings.Repeat(" ", max(0, n-Width(s)))
	if right {
		return blanks + s
	}
	return s + blanks
}

// Short returns a name from data for a message: as [Text], cut to 60 columns.
func Short(s string) string {
	if len(s) > 1000 { // what does not fit need not be escaped
		s = s[:1000]
	}
	return Cut(Text(s), 60, "...")
}

// Wrap breaks s into lines of at most n columns, at blanks if there are any.
func Wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for Width(word) > n {
			head, used := 0, 0
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			for i, r := range word {
				if used += RuneWidth(r); used > n {
					break
				}
				head = i + utf8.RuneLen(r)
			}
			if head == 0 {
				break
			}
			lines, word = append(lines, word[:head]), word[head:]
		}
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// longestID is the maximum number of characters of a case ID in tables.
const longestID = 48

// ShortID shortens the id of a case for a table. It leaves out the middle, because ids often differ at their ends.
func ShortID(id string) string {
	runes := []rune(id)
	if len(runes) <= longestID {
		return id
	}
	const end = 16
	return string(runes[:longestID-end-1]) + "…" + string(runes[len(runes)-end:])
}

// List returns names from data for a message, separated by commas: the first ten, each as in [Short], and the number of
// the others.
func List(names []string) string {
	const most = 10
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, Short(n))
	}
	if more := len(names) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// Visible reports whether rune r may be printed unchanged after the rune last: it is visible and does not change the
// writing direction. A zero-width joiner is visible only after a non-ASCII letter or mark.
func Visible(r, last rune) bool {
	switch {
	case r == zeroWidthNonJoiner || r == zeroWidthJoiner:
		return unicode.In(last, unicode.L, unicode.M) && last > 0x7f
	case r >= 0xe0100 && r <= 0xe01ef: // selectors that can carry hidden text
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}

// Cell returns text from data for a cell of a table in a terminal: with a blank for each control character, and cut to
// width runes.
func Cell(s string, width int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return s
}

// Shell returns text as one word of a POSIX shell: quoted unless it has only the characters of names, paths and
// plain URLs.
func Shell(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,=", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(Text(text), "'", `'\''`) + "'"
}
