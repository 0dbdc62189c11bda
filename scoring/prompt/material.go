package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
)

// Limits of a result in a prompt (FLEX, appendix A.3).
const (
	edgeRows   = 50     // rows at each end of a table that has more than twice as many
	cellChars  = 50     // characters of a cell
	maxColumns = 60     // columns
	tableChars = 24_000 // characters of a table's rows; if they are wide, fewer rows are shown
)

// Table renders a result as a Markdown table with its shape: at most the first and last 50 rows, cells of at most
// 50 characters. Each omission is marked in place. It returns "" for nil.
func Table(t *scoring.Table) string {
	if t == nil {
		return ""
	}
	rows, columns := t.Rows(), min(len(t.Columns), maxColumns)
	var out strings.Builder
	if columns > 0 {
		head := make([]string, columns)
		for i := range head {
			head[i] = cell(t.Columns[i].Name)
		}
		line(&out, head)
		out.WriteString(strings.Repeat("| --- ", columns) + "|\n")
		rows, _, _ := body(t, columns)
		out.WriteString(rows)
	}
	if more := len(t.Columns) - columns; more > 0 {
		fmt.Fprintf(&out, "(%d more columns are left out)\n", more)
	}
	fmt.Fprintf(&out, "Shape: %d rows, %d columns", rows, len(t.Columns))
	return out.String()
}

// Gaps describes the parts of a result that [Table] omits.
type Gaps struct {
	From, To int  // rows From to To − 1 are omitted
	Columns  int  // columns from this index on are omitted; 0: none
	Cells    bool // ends of long strings are omitted
}

// GapsOf returns the parts of a result that [Table] omits.
func GapsOf(t *scoring.Table) (g Gaps) {
	if t == nil {
		return g
	}
	if len(t.Columns) > maxColumns {
		g.Columns = maxColumns
	}
	columns := min(len(t.Columns), maxColumns)
	_, head, left := body(t, columns)
	if left > 0 {
		g.From, g.To = head, head+left
	}
	for k := range columns {
		for i := range t.Rows() {
			if i >= g.From && i < g.To {
				continue
			}
			if utf8.RuneCountInString(visible(t.Columns[k].Value(i).String())) > cellChars {
				g.Cells = true
				return g
			}
		}
	}
	return g
}

// body renders rows alternately from both ends until all are rendered or a limit is reached. first is the number of
// rows rendered from the start, left the number of omitted rows.
func body(t *scoring.Table, columns int) (text string, first, left int) {
	rows := t.Rows()
	edge := edgeRows
	if rows <= 2*edgeRows {
		edge = rows // all
	}
	var head, tail []string
	chars := 0
	render := func(i int) string {
		var b strings.Builder
		cells := make([]string, columns)
		for k := range cells {
			cells[k] = cell(t.Columns[k].Value(i).String())
		}
		line(&b, cells)
		chars += utf8.RuneCountInString(b.String())
		return b.String()
	}
	for i := 0; i < edge && len(head)+len(tail) < rows; i++ {
		if i > 0 && chars > tableChars {
			break
		}
		head = append(head, render(i))
		if len(head)+len(tail) < rows {
			tail = append(tail, render(rows-1-i))
		}
	}
	var out strings.Builder
	for _, r := range head {
		out.WriteString(r)
	}
	if left = rows - len(head) - len(tail); left > 0 {
		fmt.Fprintf(&out, "... (%d rows are left out)\n", left)
	}
	for i := len(tail) - 1; i >= 0; i-- {
		out.WriteString(tail[i])
	}
	return out.String(), len(head), left
}

func line(out *strings.Builder, cells []string) {
	out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// cell returns a value of at most cellChars characters on one line, with escaped vertical bars.
func cell(s string) string {
	s = visible(s)
	if n := utf8.RuneCountInString(s); n > cellChars {
		s = firstRunes(s, cellChars) + fmt.Sprintf("... %d chars", n)
	}
	return cellEscapes.Replace(s)
}

var cellEscapes = strings.NewReplacer("|", `\|`, "\n", `\n`, "\t", `\t`)

// cut returns a string of at most most characters unchanged. Of a longer one it returns the start and the end, with
// the number of omitted characters between them.
func cut(s string, most int) string {
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	runes := []rune(s)
	head := most * 3 / 4
	tail := most - head
	return fmt.Sprintf("%s\n... (%d of %d characters are left out) ...\n%s", string(runes[:head]), n-most, n,
		string(runes[n-tail:]))
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// visible returns s with invisible characters as <U+200B>: control and format characters (bidirectional marks,
// zero-width characters), variation selectors and fillers, which can hide whole messages, and invalid UTF-8. The
// tokens of chat templates are broken in the same way: see withoutTokens.
func visible(s string) string {
	return withoutTokens(spelledOut(strings.ReplaceAll(s, "\r\n", "\n")))
}

func spelledOut(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&out, "<U+%04X>", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f:
		return r < ' '
	}
	return unicode.IsControl(r) || r == utf8.RuneError ||
		unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}
