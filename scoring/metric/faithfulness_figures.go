package metric

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// figure is a number that a claim quotes, as the judge reads it.
type figure struct {
	Stated   string `json:"stated"`
	Row      string `json:"row"`    // a value that names the row
	Column   string `json:"column"` // name of the column
	Computed bool   `json:"computed"`
}

// checkedFigure is a figure with where the result holds it.
type checkedFigure struct {
	figure
	Found string `json:"found"`
}

// Where a figure was found.
const (
	figureCell      = "cell"      // in the row and the column that are named
	figureRow       = "row"       // in the row that is named, in another column
	figureColumn    = "column"    // in the column that is named; no row is, or there is no such row
	figureElsewhere = "elsewhere" // in another column; no row is named, or there is no such row
	figureScaled    = "scaled"    // in one of these places, in thousands, millions or the like
	figureAbsent    = "absent"    // nowhere it could be
	figureUnchecked = "unchecked" // it is worked out from several cells, cannot be read as one number, or there are no numbers to look it up in
)

// found orders the places from the least to the most precise.
var found = []string{figureAbsent, figureScaled, figureElsewhere, figureColumn, figureRow, figureCell}

// figureSearch is the look-up of one figure.
type figureSearch struct {
	number   statedNumber
	at       *checkedFigure
	label    uint64  // of its row; cell.NullKey without one
	rows     []int32 // those that hold the label, in order
	column   string
	best     int // place in found
	searched bool
}

// maxLabelled bounds the rows that a label may name: one that stands in more names none.
const maxLabelled = 10_000

// lookUp looks up the figures of claims in a result, which is read once however many there are: all
// of it, also what a judge was not shown.
func lookUp(t *scoring.Table, claims []claim) [][]checkedFigure {
	out := make([][]checkedFigure, len(claims))
	var searches []*figureSearch
	for i, c := range claims {
		out[i] = make([]checkedFigure, len(c.Figures))
		for k, f := range c.Figures {
			out[i][k] = checkedFigure{f, figureUnchecked}
			if n, ok := parseStated(f.Stated); ok && !f.Computed {
				s := &figureSearch{number: n, at: &out[i][k], column: strings.TrimSpace(f.Column)}
				if label := strings.TrimSpace(f.Row); label != "" {
					s.label = cell.TextKey(label)
				}
				searches = append(searches, s)
			}
		}
	}
	if t == nil || t.Rows() == 0 || len(searches) == 0 {
		return out
	}
	findLabels(t, searches)
	values := make([]float64, t.Rows())
	for k := range t.Columns {
		c := &t.Columns[k]
		view := cell.View{Kind: scoring.KindNumber}
		if !c.Type.Numeric() {
			format, ok := cell.NumberFormat(c)
			if !ok {
				continue
			}
			view.Format = format
		}
		cell.Magnitudes(c, view, values)
		for _, s := range searches {
			s.in(values, strings.EqualFold(c.Name, s.column))
		}
	}
	for _, s := range searches {
		if s.searched {
			s.at.Found = found[s.best]
		}
	}
	return out
}

// findLabels finds the rows that hold the labels of searches.
func findLabels(t *scoring.Table, searches []*figureSearch) {
	byLabel := map[uint64][]*figureSearch{}
	for _, s := range searches {
		if s.label != cell.NullKey {
			byLabel[s.label] = append(byLabel[s.label], s)
		}
	}
	if len(byLabel) == 0 {
		return
	}
	keys := make([]uint64, t.Rows())
	for k := range t.Columns {
		cell.Keys(&t.Columns[k], cell.View{Kind: scoring.KindText}, 0, keys)
		for i, key := range keys {
			for _, s := range byLabel[key] {
				if len(s.rows) <= maxLabelled {
					s.rows = append(s.rows, int32(i)) //nolint:gosec // rows are bounded far below
				}
			}
		}
	}
	for _, s := range searches {
		if len(s.rows) > maxLabelled {
			s.rows = nil
		}
		slices.Sort(s.rows)
		s.rows = slices.Compact(s.rows)
	}
}

// in looks for the figure among the values of one column, in the rows that are named, or in all.
func (s *figureSearch) in(values []float64, named bool) {
	s.searched = true
	place := slices.Index(found, figureElsewhere)
	switch {
	case len(s.rows) > 0 && named, s.label == cell.NullKey && len(values) == 1 && named:
		place = slices.Index(found, figureCell)
	case len(s.rows) > 0:
		place = slices.Index(found, figureRow)
	case named:
		place = slices.Index(found, figureColumn)
	}
	if place <= s.best {
		return
	}
	try := func(v float64) {
		switch plain, scaled := s.number.matches(v); {
		case plain:
			s.best = max(s.best, place)
		case scaled:
			s.best = max(s.best, slices.Index(found, figureScaled))
		}
	}
	if len(s.rows) > 0 {
		for _, i := range s.rows {
			try(values[i])
		}
		return
	}
	for _, v := range values {
		if try(v); s.best >= place {
			return
		}
	}
}
