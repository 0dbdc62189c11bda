package site

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/internal/caseview"
)

// cellTable is the default view of the cells of a case: a sample of rows of each kind, and the columns that differ. A
// column that agrees is shown once. For a column that differs, the values of gold, the earlier answer and the answer,
// and the size of the difference, are next to each other.
type cellTable struct {
	Heads  []cellHead
	Rows   []cellRow
	Beside bool   // there is an earlier answer with a result
	Split  bool   // at least one column shows gold and the answer separately
	Was    string // heading of the earlier answer's cells
	Is     string // heading of the answer's cells

	Total  int
	Folded []caseview.Column // columns of gold without differences that are omitted
	Hidden []caseview.Column // columns with differences that are omitted
	More   []caseview.Column // columns that only the answer has
	Every  string            // address of the table with all rows and columns; "" if none

	Layouts []choice // other views
}

// cellHead is the heading of a column.
type cellHead struct {
	caseview.Column
	Split bool
	Off   bool // some difference in the column has a size, which has a column
	Span  int
	at    int // index of the column in [caseview.Row.Cells]
}

// cellRow is a row of gold with the values of the answers, or a row that only the answer has.
type cellRow struct {
	Number string // number of the gold row; "+" if gold lacks the row
	Cells  []cellSides
	Says   string // result of the row if no column is Split: the same, no such row, a row too many
	Class  string // CSS class of Says
}

// cellSides holds the values of one row in one column.
type cellSides struct {
	*cellHead
	Gold, Was, Is *caseview.Value
	WasClass      string
	IsClass       string
	Size          string // difference of the answer from gold, relative if known
	Once          *caseview.Value
	How           string // why the values count as equal although they are not identical
}

// Maximum numbers of columns and rows in the default view.
const (
	splitShown = 8  // columns that differ
	onceShown  = 6  // columns that agree; twice as many if they are keys
	someRows   = 14 // rows
)

// newCellTable returns the default view of v.Cells, which must not be nil.
func newCellTable(v *caseview.View) *cellTable {
	cells := v.Cells
	t := &cellTable{Beside: v.Before != nil && v.Before.Rows != nil, Total: cells.Total, Was: "before", Is: "answer"}
	t.columns(cells)
	for i := range cells.Page {
		t.Rows = append(t.Rows, t.row(&cells.Page[i]))
	}
	t.spans()
	return t
}

// columns sets t.Heads to the first columns that differ and, before them, the keys, or the first columns that agree if
// no column is a key or if there are few columns. It sets Folded, Hidden and More to the others.
func (t *cellTable) columns(cells *caseview.Cells) {
	wasOff := make([]bool, len(cells.Columns)) // the earlier answer differed
	for i := range cells.Page {
		for c := range cells.Page[i].Cells {
			if was := cells.Page[i].Cells[c].Was; was != nil && *was != caseview.Equal && *was != caseview.Mapped {
				wasOff[c] = true
			}
		}
	}
	split, once := 0, 0
	keys := slices.ContainsFunc(cells.Columns, func(c caseview.Column) bool { return c.Key })
	for i, c := range cells.Columns {
		h := cellHead{Column: c, at: i, Split: c.Agent == 0 || c.Differ > 0 || c.Otherwise > 0 || t.Beside && wasOff[i]}
		switch {
		case c.Gold == 0:
			t.More = append(t.More, c)
		case h.Split && split < splitShown:
			split++
			t.Heads = append(t.Heads, h)
		case h.Split:
			t.Hidden = append(t.Hidden, c)
		case c.Key && once < 2*onceShown || !keys && once < onceShown || keys && len(cells.Columns) <= onceShown:
			once++
			t.Heads = append(t.Heads, h)
		default:
			t.Folded = append(t.Folded, c)
		}
	}
	t.Split = split > 0
	slices.SortStableFunc(t.Heads, func(a, b cellHead) int { // those that agree come first
		switch {
		case a.Split == b.Split:
			return 0
		case b.Split:
			return -1
		}
		return 1
	})
}

func (t *cellTable) row(r *caseview.Row) cellRow {
	out := cellRow{Number: count(r.GoldRow), Says: "the same", Cells: make([]cellSides, len(t.Heads))}
	switch r.Kind {
	case caseview.MissingRow:
		out.Says, out.Class = "no such row", "missing"
	case caseview.ExtraRow:
		out.Number, out.Says, out.Class = "+", "a row too many", "x"
	}
	for i := range t.Heads {
		h := &t.Heads[i]
		c := &r.Cells[h.at]
		s := cellSides{cellHead: h, Gold: c.Gold, Was: c.Before, Is: c.Agent, How: c.How}
		if !h.Split {
			if s.Once = c.Gold; s.Once == nil {
				s.Once = c.Agent
			}
		}
		s.IsClass = classOf(c.State)
		if c.Was != nil {
			s.WasClass = classOf(*c.Was)
		}
		if c.Change != nil && c.State == caseview.Differs {
			s.Size = minus(cmp.Or(c.Change.Relative, c.Change.Absolute))
			h.Off = true
		}
		out.Cells[i] = s
	}
	return out
}

// classOf returns the CSS class of an answer's cell in state s, or "" if it equals gold.
func classOf(s caseview.State) string {
	switch s {
	case caseview.Equal:
	case caseview.Mapped:
		return "near"
	case caseview.Differs, caseview.OnlyAgent:
		return "x"
	case caseview.OnlyGold:
		return "missing"
	}
	return ""
}

// spans sets the number of table columns that each heading spans.
func (t *cellTable) spans() {
	for i := range t.Heads {
		h := &t.Heads[i]
		if h.Span = 1; h.Split {
			h.Span = 2
			if t.Beside {
				h.Span++
			}
			if h.Off {
				h.Span++
			}
		}
	}
}
