package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of the question about retrieved passages. Those in characters are of the text that a judge sees: see [Chars].
const (
	MostStatements      = 50     // a verdict with a quotation on each fits into two replies of the usual length
	MostStatementChars  = 24_000 // of all statements
	MostPassageChars    = 48_000 // of all passages with their titles
	mostPassageTitle    = 200
	PassageMarkersChars = 120 // of a passage in addition to its text
)

// Passage is a retrieved passage, or the parts of it that are shown.
type Passage struct {
	Number int // from 1
	Title  string
	Text   string
}

// Statement is a statement of a response.
type Statement struct {
	Number   int // from 1
	Text     string
	Passages []int // the numbers of the passages that it cites; empty: it may rest on any
}

// Contexts asks whether passages support statements of a response that evidence leaves undecided, with a quotation for
// each verdict (RAGAS, the verification step of faithfulness; ALCE, citation quality).
var Contexts = load("context_faithfulness", "contexts", 1, "contexts")

// Visible returns the form of a text that a judge sees.
func Visible(text string) string { return strings.TrimSpace(visible(text)) }

// Chars returns the number of characters of a text in the form that a judge sees.
func Chars(text string) int { return utf8.RuneCountInString(Visible(text)) }

// statements returns a block with numbered statements, one on each line.
func (p *page) statements(title string, list []Statement) string {
	if len(list) == 0 {
		return title + ": none given.\n"
	}
	return p.block(title, strings.TrimSuffix(numberedStatements(list), "\n"))
}

func numberedStatements(list []Statement) string {
	var out strings.Builder
	for _, s := range list {
		fmt.Fprintf(&out, "%d. ", s.Number)
		for i, n := range s.Passages {
			out.WriteString(map[bool]string{true: "(cites passage ", false: ", "}[i == 0] + fmt.Sprint(n))
		}
		if len(s.Passages) > 0 {
			out.WriteString(") ")
		}
		out.WriteString(cut(onOneLine(s.Text), MostStatementChars) + "\n")
	}
	return out.String()
}

// passage returns a block with a passage and its title.
func (p *page) passage(of Passage) string {
	return p.block(fmt.Sprintf("Passage %d", of.Number), titledPassage(of))
}

func titledPassage(of Passage) string {
	text := cut(Visible(of.Text), MostPassageChars)
	if title := onOneLine(of.Title); title != "" {
		text = "Title: " + cut(title, mostPassageTitle) + "\n" + text
	}
	return text
}

func passages(list []Passage) string {
	var out strings.Builder
	for _, one := range list {
		text := titledPassage(one)
		fmt.Fprintf(&out, "%d %d %s\n", one.Number, len(text), text)
	}
	return out.String()
}

func onOneLine(text string) string { return strings.Join(strings.Fields(Visible(text)), " ") }
