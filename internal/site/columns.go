package site

import (
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
)

// columnState returns the state of a gold column, in the terms of the states of cells.
func columnState(c caseview.MappedColumn) caseview.State {
	switch {
	case c.Agent == nil:
		return caseview.OnlyGold
	case c.Of > c.Equal:
		return caseview.Differs
	case c.Fact != "":
		return caseview.Mapped
	}
	return caseview.Equal
}

// padding returns n spaces as wide as a digit, which follow a number so that the decimal points of a column align.
func padding(n int) string { return strings.Repeat("\u2007", max(0, n)) }

// textLines splits s into lines, each in display pieces that make invisible characters visible.
func textLines(s string) (out [][]caseview.Piece) {
	for l := range strings.SplitSeq(s, "\n") {
		out = append(out, caseview.Line(strings.TrimSuffix(l, "\r")))
	}
	return out
}

// columnName returns the display pieces of a column's name, shortened to 80 characters.
func columnName(s string) []caseview.Piece { return caseview.Pieces(cutText(s, 80)) }

// pairedColumns returns the number of gold columns that are mapped to a column of the answer.
func pairedColumns(m *caseview.Mapping) (n int) {
	for i := range m.Columns {
		if m.Columns[i].Agent != nil {
			n++
		}
	}
	return n
}
