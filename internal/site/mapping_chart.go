package site

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
)

// ribbon is the mapping of columns as a picture: gold's columns on the left, the answer's on the
// right, and a band for each pair. It is drawn from numbers and texts; colours are classes.
type ribbon struct {
	Width, Height int
	Golds         []ribbonBox
	Agents        []ribbonBox
	Bands         []ribbonBand
	Left          int // columns that are not drawn
	Title         string
}

// ribbonBox is a column.
type ribbonBox struct {
	X, Y, TextX, TextY int
	Name               string // cut
	Whole              string // "": Name is
	Class              string
	Sign               string
}

// ribbonBand connects two columns.
type ribbonBand struct {
	Path         string // of numbers only
	Class        string
	TextX, TextY int
	Text         string
}

// Sizes in the picture's units.
const (
	ribbonWidth  = 720
	ribbonBoxes  = 210 // width of a box
	ribbonHigh   = 24
	ribbonStep   = 32
	ribbonNames  = 26 // characters of a name
	ribbonDrawn  = 40 // columns of a side
	ribbonIndent = 8
)

// newRibbon draws a mapping. Beyond some number of columns the rest is left to the table.
func newRibbon(m *caseview.Mapping) *ribbon {
	r := &ribbon{Width: ribbonWidth}
	right := map[int]int{} // row of the answer's column by position
	put := func(position int) int {
		row := len(right)
		right[position] = row
		return row
	}
	box := func(row int, left bool, name, class, sign string) ribbonBox {
		b := ribbonBox{Y: row*ribbonStep + 1, Name: shortName(name), Class: class, Sign: sign}
		if b.Name != name {
			b.Whole = visibleName(name)
		}
		if b.X = 1; !left {
			b.X = ribbonWidth - ribbonBoxes - 1
		}
		b.TextX, b.TextY = b.X+ribbonIndent, b.Y+ribbonHigh-7
		return b
	}
	for i := range m.Columns {
		c := &m.Columns[i]
		if i >= ribbonDrawn {
			r.Left++
			continue
		}
		state := columnState(*c)
		class, sign := state.String(), ""
		if c.Agent == nil {
			sign = state.Sign()
		}
		r.Golds = append(r.Golds, box(i, true, c.Name, class, sign))
		if c.Agent == nil {
			continue
		}
		row := put(c.Agent.Position)
		r.Agents = append(r.Agents, box(row, false, c.Agent.Name, class, ""))
		r.Bands = append(r.Bands, band(i, row, class, c))
	}
	for i := range m.Extra {
		if len(right) >= ribbonDrawn {
			r.Left += len(m.Extra) - i
			break
		}
		r.Agents = append(r.Agents,
			box(put(m.Extra[i].Position), false, m.Extra[i].Name, "only_agent", caseview.OnlyAgent.Sign()))
	}
	r.Height = max(len(r.Golds), len(right), 1)*ribbonStep + 2
	r.Title = fmt.Sprintf("%s of gold, %s of the answer", printable.Count(len(m.Columns), "column"),
		printable.Count(mappedColumns(m)+len(m.Extra), "column"))
	return r
}

func mappedColumns(m *caseview.Mapping) (n int) {
	for i := range m.Columns {
		if m.Columns[i].Agent != nil {
			n++
		}
	}
	return n
}

// columnState is the state of a gold column, as cells have states.
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

// band connects a row on the left with one on the right.
func band(from, to int, class string, c *caseview.MappedColumn) ribbonBand {
	x0, x1 := ribbonBoxes+1, ribbonWidth-ribbonBoxes-1
	y0, y1 := from*ribbonStep+1+ribbonHigh/2, to*ribbonStep+1+ribbonHigh/2
	middle := (x0 + x1) / 2
	b := ribbonBand{Path: fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x0, y0, middle, y0, middle, y1, x1, y1), Class: class,
		TextX: x0 + 6, TextY: y0 - 4}
	var parts []string
	if c.Key {
		parts = append(parts, "key")
	}
	if c.Share != nil {
		parts = append(parts, report.Percent(*c.Share))
	}
	if c.Fact != "" {
		parts = append(parts, shortName(c.Fact))
	}
	b.Text = columnState(*c).Sign() + " " + strings.Join(parts, ", ")
	return b
}

// padding returns the blanks, as wide as digits, that follow a number so that the decimal points of a column align.
func padding(n int) string { return strings.Repeat("\u2007", max(0, n)) }

// textLines returns the lines of text from data, in pieces.
func textLines(s string) (out [][]caseview.Piece) {
	for l := range strings.SplitSeq(s, "\n") {
		out = append(out, caseview.Line(strings.TrimSuffix(l, "\r")))
	}
	return out
}

// columnName is the name of a column in a table, cut.
func columnName(s string) []caseview.Piece { return caseview.Pieces(cutText(s, 80)) }

// visibleName returns text from data for a picture, with symbols for invisible characters, and cut.
func visibleName(s string) string {
	return visible(cutText(s, 80))
}

// shortName returns text from data, cut to fit into a picture.
func shortName(s string) string {
	short := []rune(visibleName(s))
	if len(short) > ribbonNames {
		return string(short[:ribbonNames]) + "…"
	}
	return string(short)
}
