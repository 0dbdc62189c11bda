package report

import (
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/printable"
)

// column is a column of a printed table.
type column struct {
	head  string
	right bool // right-aligned, as numbers are
	flex  bool // cells may be cut so that the table fits
	least int  // minimum width of a flexible column
	// middle: cells are cut in the middle, and only so far that different ones stay different.
	middle bool
	heir   bool // it takes the head of the column before it if that column is omitted
	drop   int  // columns with the highest drop are omitted first if the table does not fit; 0: never
}

// grid is a table of styled cells that is fitted to the width of the terminal.
type grid struct {
	cols  []column
	rows  [][]cellSpans
	shown []string // the heads of the columns that print wrote
}

// cellSpans is the content of a cell.
type cellSpans []span

func (c cellSpans) width() int {
	n := 0
	for _, s := range c {
		n += printable.Width(s.text)
	}
	return n
}

func text(s string) cellSpans              { return cellSpans{{s, plain}} }
func inStyle(s string, st style) cellSpans { return cellSpans{{s, st}} }
func (g *grid) add(cells ...cellSpans)     { g.rows = append(g.rows, cells) }
func (g *grid) column(head string) *column {
	g.cols = append(g.cols, column{head: head})
	return &g.cols[len(g.cols)-1]
}
func (g *grid) number(head string) *column { c := g.column(head); c.right = true; return c }
func (g *grid) words(head string, n int)   { c := g.column(head); c.flex, c.least = true, n }

// names adds a column of names, which are cut in the middle and stay different from one another.
func (g *grid) names(head string, n int) { g.words(head, n); g.cols[len(g.cols)-1].middle = true }

const gap = "  "

// print writes the table, without columns whose cells are all empty.
func (g *grid) print(p *printer) {
	widths := make([]int, len(g.cols)) // 0: left out
	for i, c := range g.cols {
		for _, row := range g.rows {
			widths[i] = max(widths[i], row[i].width())
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], printable.Width(c.head))
		}
	}
	for i, c := range g.cols {
		if c.middle {
			g.cols[i].least = g.apart(i, c.least, widths[i], p.ellipsis)
		}
	}
	g.fit(widths, p.Width)
	head := make([]cellSpans, len(g.cols))
	named := false
	for i, c := range g.cols {
		if c.heir && widths[i] > 0 && widths[i-1] == 0 {
			c.head = g.cols[i-1].head
			widths[i] = max(widths[i], printable.Width(c.head))
		}
		head[i] = inStyle(c.head, dim)
		if widths[i] > 0 {
			g.shown = append(g.shown, c.head)
		}
		named = named || c.head != "" && widths[i] > 0
	}
	if named {
		g.printRow(p, head, widths)
	}
	for _, row := range g.rows {
		g.printRow(p, row, widths)
	}
}

// apart returns the smallest width, between least and most, at which different cells of a column stay different when
// they are cut in the middle.
func (g *grid) apart(col, least, most int, ellipsis string) int {
	for n := least; n < most; n++ {
		names := map[string]string{}
		same := false
		for _, row := range g.rows {
			for _, s := range row[col] {
				short := cutMiddle(s.text, n, ellipsis)
				if name, is := names[short]; is && name != s.text {
					same = true
				}
				names[short] = s.text
			}
		}
		if !same {
			return n
		}
	}
	return most
}

// cutMiddle shortens s to n terminal columns by replacing its middle with ellipsis.
func cutMiddle(s string, n int, ellipsis string) string {
	if printable.Width(s) <= n {
		return s
	}
	end := max(0, n-printable.Width(ellipsis)) / 2
	tail, used := len(s), 0
	for tail > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:tail])
		if used += printable.RuneWidth(r); used > end {
			break
		}
		tail -= size
	}
	return printable.Cut(s, n-printable.Width(s[tail:]), ellipsis) + s[tail:]
}

// fit reduces the widths until the table fits into room. It omits the columns with the highest drop, all of one number
// together, until the others fit at their minimum widths, and then narrows flexible columns, the widest first.
func (g *grid) fit(widths []int, room int) {
	total := func(cut bool) int {
		n := -len(gap)
		for i, w := range widths {
			c := g.cols[i]
			if cut && c.flex {
				w = min(w, c.least)
			}
			if w > 0 && c.heir && widths[i-1] == 0 {
				w = max(w, printable.Width(g.cols[i-1].head))
			}
			if w > 0 {
				n += w + len(gap)
			}
		}
		return n
	}
	for total(true) > room {
		highest := 0
		for i, w := range widths {
			if w > 0 {
				highest = max(highest, g.cols[i].drop)
			}
		}
		if highest == 0 {
			break // lines are cut
		}
		for i := range widths {
			if g.cols[i].drop == highest {
				widths[i] = 0
			}
		}
	}
	for total(false) > room {
		widest := -1
		for i, w := range widths {
			if c := g.cols[i]; c.flex && w > c.least && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (g *grid) printRow(p *printer, row []cellSpans, widths []int) {
	var line []span
	for i, cell := range row {
		w := widths[i]
		if w == 0 {
			continue
		}
		if len(line) > 0 {
			line = append(line, span{gap, plain})
		}
		if cell.width() > w && g.cols[i].middle && len(cell) == 1 {
			cell = cellSpans{{cutMiddle(cell[0].text, w, p.ellipsis), cell[0].style}}
		}
		if cell.width() > w {
			cell = cutSpans(cell, w, p.ellipsis)
		}
		blanks := span{strings.Repeat(" ", w-cell.width()), plain}
		if g.cols[i].right {
			line = append(append(line, blanks), cell...)
		} else {
			line = append(append(line, cell...), blanks)
		}
	}
	p.line(line...)
}

func cutSpans(cell cellSpans, n int, ellipsis string) cellSpans {
	var out cellSpans
	for _, s := range cell {
		if w := printable.Width(s.text); w < n || w == n && len(out) == len(cell)-1 {
			out, n = append(out, s), n-w
			continue
		}
		return append(out, span{printable.Cut(s.text+" "+ellipsis, n, ellipsis), s.style})
	}
	return out
}
