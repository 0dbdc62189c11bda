package report

import (
	"io"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/relation"
)

// Diff is the comparison of a gold and a predicted result: which columns correspond, and which rows and cells differ.
type Diff struct {
	Gold, Pred *scoring.Table
	Alignment  scoring.Alignment // must fit both tables
	Result     cell.Result       // of cell.Compare; needs Pairs to list rows, unless no rows match
	Rows       int               // maximum number of listed rows of each kind; default 10, negative for none

	Relations []relation.Relation // relations between the results, the best explanation first; may be empty
}

// DiffFigures are the figures of a diff, encoded as one JSON document. Rows and columns are numbered from 1.
type DiffFigures struct {
	Score      float64 `json:"score"`
	Method     string  `json:"method"` // how rows were matched: a method of package cell
	Source     string  `json:"alignment_source"`
	Confidence float64 `json:"alignment_confidence"`

	Gold      Shape    `json:"gold"`
	Pred      Shape    `json:"pred"`
	Matched   int      `json:"matched_rows"`
	Equal     int      `json:"equal_rows"`     // matched rows that agree in every mapped column
	Differing int      `json:"differing_rows"` // the other matched rows
	OnlyGold  int      `json:"only_gold_rows"`
	OnlyPred  int      `json:"only_pred_rows"`
	Why       []string `json:"why,omitempty"` // evidence for the mapping of columns

	Relations []relation.Relation `json:"relations,omitempty"` // the best explanation first

	Columns []DiffColumn  `json:"columns"` // in gold's order
	Extra   []ExtraColumn `json:"extra,omitempty"`

	// The first rows of each kind. Cells are in the order of Columns; in PredRows the cells of the extra columns
	// follow.
	Rows     []DiffRow `json:"differing,omitempty"`
	GoldRows []LoneRow `json:"only_gold,omitempty"`
	PredRows []LoneRow `json:"only_pred,omitempty"`
}

// Shape is the number of rows and columns of a result.
type Shape struct {
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

// DiffColumn is a gold column with the predicted column that it was mapped to, if any.
type DiffColumn struct {
	Gold         string       `json:"gold"`
	GoldPosition int          `json:"gold_position"`
	Pred         string       `json:"pred,omitempty"`
	PredPosition int          `json:"pred_position,omitempty"` // 0: not mapped
	By           string       `json:"by,omitempty"`            // values, name, position or judge
	Key          bool         `json:"key,omitempty"`           // rows were matched on it
	Kind         scoring.Kind `json:"kind,omitempty"`
	Fact         string       `json:"fact,omitempty"`
	Differing    int          `json:"differing_rows"`

	goldRight, predRight bool // align values on the right, as numbers are
}

// ExtraColumn is a predicted column that no gold column was mapped to.
type ExtraColumn struct {
	Pred         string `json:"pred"`
	PredPosition int    `json:"pred_position"`
	Trivial      bool   `json:"trivial,omitempty"` // without information: a row number, a constant, a copy

	right bool
}

// DiffRow is a matched row with cells that differ.
type DiffRow struct {
	Gold  int        `json:"gold_row"`
	Pred  int        `json:"pred_row"`
	Cells []DiffCell `json:"cells"`
}

// DiffCell is a gold cell with the predicted cell that it is compared with. A value is nil if it is NULL or its column
// is missing.
type DiffCell struct {
	Gold  *string `json:"gold"`
	Pred  *string `json:"pred"`
	Equal bool    `json:"equal"`
}

// LoneRow is a row that was not matched with a row of the other side.
type LoneRow struct {
	Row   int       `json:"row"`
	Cells []*string `json:"cells"`
}

// Figures returns the figures of the diff. It compares the matched rows cell by cell.
func (d *Diff) Figures() *DiffFigures {
	a, r := &d.Alignment, d.Result
	if len(a.Columns) == 0 && r.Score == 0 {
		r.Pairs, r.Matched, r.Equal = nil, 0, 0 // no cell was compared, so no row has a partner
	}
	f := &DiffFigures{
		Score: r.Score, Method: r.Method, Source: a.Source, Confidence: a.Confidence, Why: a.Why,
		Gold: Shape{d.Gold.Rows(), len(d.Gold.Columns)}, Pred: Shape{d.Pred.Rows(), len(d.Pred.Columns)},
		Relations: d.Relations, Matched: r.Matched, OnlyGold: d.Gold.Rows() - r.Matched, OnlyPred: d.Pred.Rows() - r.Matched,
	}
	c := caseview.Compare(d.Gold, d.Pred, a, &r)
	f.Differing = c.Differing().Len()
	if r.Pairs == nil && r.Method != cell.MethodRows {
		f.Differing = r.Matched - r.Equal // which ones is not known
	}
	f.Equal = f.Matched - f.Differing
	d.columns(f, c)
	limit := d.Rows
	if limit == 0 {
		limit = 10
	}
	for i := range c.Differing().All() {
		if len(f.Rows) >= limit {
			break
		}
		f.Rows = append(f.Rows, d.row(i, c))
	}
	d.loneRows(f, r.Pairs, limit)
	return f
}

// columns sets the mapping of columns, in gold's order, and the extra columns.
func (d *Diff) columns(f *DiffFigures, compared *caseview.Comparison) {
	a := &d.Alignment
	for i := range d.Gold.Columns {
		c := DiffColumn{Gold: d.Gold.Columns[i].Name, GoldPosition: i + 1, goldRight: d.Gold.Columns[i].Type.Numeric()}
		if k := compared.Pair(i); k >= 0 {
			p := &a.Columns[k]
			pred := &d.Pred.Columns[p.Pred]
			c.Pred, c.PredPosition, c.By, c.Kind, c.Fact, c.Key = pred.Name, p.Pred+1, p.By, p.Kind, p.Fact,
				slices.Contains(a.Index, k)
			c.Differing, c.predRight = compared.Differs(k).Len(), pred.Type.Numeric()
		}
		f.Columns = append(f.Columns, c)
	}
	for _, j := range a.Extra {
		f.Extra = append(f.Extra,
			ExtraColumn{d.Pred.Columns[j].Name, j + 1, slices.Contains(a.Trivial, j), d.Pred.Columns[j].Type.Numeric()})
	}
}

func (d *Diff) row(i int, compared *caseview.Comparison) DiffRow {
	j := compared.Partner(i)
	row := DiffRow{Gold: i + 1, Pred: j + 1, Cells: make([]DiffCell, len(d.Gold.Columns))}
	for c := range d.Gold.Columns {
		cell := DiffCell{Gold: valueText(&d.Gold.Columns[c], i)}
		if k := compared.Pair(c); k >= 0 {
			cell.Pred, cell.Equal = valueText(&d.Pred.Columns[d.Alignment.Columns[k].Pred], j), !compared.Differs(k).Has(i)
		}
		row.Cells[c] = cell
	}
	return row
}

func valueText(c *scoring.Column, i int) *string {
	if c.IsNull(i) {
		return nil
	}
	s := c.Value(i).String()
	return &s
}

// loneRows sets the first unmatched rows of each side, at most limit. If rows match but their pairs are unknown, it
// sets none.
func (d *Diff) loneRows(f *DiffFigures, pairs []int32, limit int) {
	if pairs == nil && f.Matched > 0 {
		return // all rows have one, or it is not known which
	}
	taken := make([]bool, d.Pred.Rows())
	for i := range d.Gold.Rows() {
		if pairs != nil && pairs[i] >= 0 {
			taken[pairs[i]] = true
			continue
		}
		if len(f.GoldRows) < limit {
			row := LoneRow{Row: i + 1}
			for c := range d.Gold.Columns {
				row.Cells = append(row.Cells, valueText(&d.Gold.Columns[c], i))
			}
			f.GoldRows = append(f.GoldRows, row)
		}
	}
	for j := range taken {
		if taken[j] || len(f.PredRows) >= limit {
			continue
		}
		row := LoneRow{Row: j + 1}
		for _, c := range f.Columns {
			if c.PredPosition == 0 {
				row.Cells = append(row.Cells, nil)
			} else {
				row.Cells = append(row.Cells, valueText(&d.Pred.Columns[c.PredPosition-1], j))
			}
		}
		for _, x := range f.Extra {
			row.Cells = append(row.Cells, valueText(&d.Pred.Columns[x.PredPosition-1], j))
		}
		f.PredRows = append(f.PredRows, row)
	}
}

// JSON returns the diff as one JSON document.
func (d *Diff) JSON() ([]byte, error) { return document(d.Figures()) }

// Render writes the diff for a terminal.
func (d *Diff) Render(w io.Writer, o Options) error { return d.Figures().Render(w, o) }

// columnName returns a unique name of a column: its name, with its position if it is empty or not unique.
func columnName(name string, position int, all []string) string {
	same := 0
	for _, n := range all {
		if n == name {
			same++
		}
	}
	switch {
	case name == "":
		return "[" + strconv.Itoa(position) + "]"
	case same > 1:
		return printable.Text(name) + " [" + strconv.Itoa(position) + "]"
	}
	return printable.Text(name)
}
