package caseview

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"

	"github.com/badger-eval/badger/internal/printable"
)

// Piece is a part of text from data, for display. A character that is invisible, or that changes how others are
// displayed, is a separate piece with a symbol.
type Piece struct {
	Text   string `json:"text"`             // the text or symbol to display
	Symbol string `json:"symbol,omitempty"` // name of the replaced character; empty for plain text
}

// maxMarks is the maximum number of combining marks on one letter that are displayed: more than any script needs.
const maxMarks = 4

// Pieces splits s into plain pieces and those that need a symbol: control and bidirectional characters, invalid UTF-8,
// spaces at both ends, repeated spaces, and other blanks than the space. Line feeds become symbols, too, so that the
// result fits on one line.
func Pieces(s string) []Piece { return inPieces(s, true) }

// Line is like Pieces for one line of formatted text, such as a query, but keeps spaces and tabs.
func Line(s string) []Piece { return inPieces(s, false) }

// isPlain reports whether s is a single plain piece of printable ASCII with single spaces between words. It may be
// false for other plain strings.
func isPlain(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ' ' && last == ' ' {
			return false
		}
		last = s[i]
	}
	return last != ' '
}

func inPieces(s string, blanks bool) []Piece {
	if s == "" {
		return nil
	}
	if isPlain(s) {
		return []Piece{{Text: s}}
	}
	end := len(strings.TrimRight(s, " "))
	var out []Piece
	start, last, marks := 0, rune(0), 0
	symbol := func(i, n int, show, words string) {
		if start < i {
			out = append(out, Piece{Text: s[start:i]})
		}
		out = append(out, Piece{Text: show, Symbol: words})
		start = i + n
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			symbol(i, 1, fmt.Sprintf(`\x%02x`, s[i]), "an invalid UTF-8 byte")
		case blanks && r == ' ' && (i == 0 || i >= end || last == ' '):
			symbol(i, 1, "·", "space")
		case r != ' ' && unicode.Is(unicode.Zs, r):
			symbol(i, n, "⍽", named(r))
		case r == '\t' && !blanks:
		case r == '\t':
			symbol(i, 1, "⇥", "tab")
		case r == '\n':
			symbol(i, 1, "↵", "line feed")
		case r < ' ':
			symbol(i, 1, fmt.Sprintf("U+%04X", r), controls[r])
		case marks > maxMarks+1 && start == i && len(out) > 0: // one symbol for all of them
			out[len(out)-1].Text += fmt.Sprintf(" %04X", r)
			out[len(out)-1].Symbol = "combining marks"
			start = i + n
		case !printable.Visible(r, last) || marks > maxMarks:
			symbol(i, n, fmt.Sprintf("U+%04X", r), named(r))
		}
		last = r
		i += n
	}
	if start < len(s) {
		out = append(out, Piece{Text: s[start:]})
	}
	return out
}

// named returns the Unicode name of a character, in lower case.
func named(r rune) string { return strings.ToLower(runenames.Name(r)) }

var controls = [...]string{
	"null character", "start of heading", "start of text", "end of text", "end of transmission", "enquiry", "acknowledge",
	"bell", "backspace", "tab", "line feed", "line tabulation",
	"form feed", "carriage return", "shift out", "shift in", "data link escape", "device control 1", "device control 2",
	"device control 3", "device control 4", "negative acknowledge",
	"synchronous idle", "end of transmission block", "cancel", "end of medium", "substitute", "escape", "file separator",
	"group separator", "record separator", "unit separator",
}

// errorText returns a database's message on one line: each run of white space is one space, and lines that only point
// at a place in the line above are left out.
func errorText(message string) string {
	var out []string
	for line := range strings.Lines(message) {
		if strings.Trim(line, " \t\r\n^~-") != "" {
			out = append(out, strings.Fields(line)...)
		}
	}
	return strings.Join(out, " ")
}
