package relation

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

var shapeKinds = []Kind{
	{
		Name: "long_for_wide", Class: Presentational, find: func(e *evidence) *found { return pivoted(e, predSide) },
		Meaning: "The answer has a row for each of the columns that gold has: the names of gold's columns are the values of one of the answer's.", Example: "(k, north, south) = (1, 5, 7); (1, 'north', 5), (1, 'south', 7)",
	},
	{
		Name: "wide_for_long", Class: Presentational, find: func(e *evidence) *found { return pivoted(e, goldSide) },
		Meaning: "The answer has a column for each of the rows that gold has: the names of its columns are the values of one of gold's.", Example: "(1, 'north', 5), (1, 'south', 7); (k, north, south) = (1, 5, 7)",
	},
	{
		Name: "unpivoted", Class: Presentational, find: func(e *evidence) *found { return stacked(e, predSide) },
		Meaning: "The answer holds in one column exactly the values that gold holds in several.", Example: "('x', 'y'); ('x'), ('y')",
	},
	{
		Name: "pivoted", Class: Presentational, find: func(e *evidence) *found { return stacked(e, goldSide) },
		Meaning: "Gold holds in one column exactly the values that the answer holds in several.", Example: "('x'), ('y'); ('x', 'y')",
	},
}

// stacked tells whether the one column of a side holds the same set of values as all columns of the other.
func stacked(e *evidence, one side) *found {
	if e.queriesOnly {
		return nil
	}
	o, t := e.table(one), e.table(!one)
	if len(o.Columns) != 1 || len(t.Columns) < 2 || t.Rows() == 0 || o.Rows() < 2 || o.Rows() < t.Rows() {
		return nil
	}
	kind := cell.NaturalKind(&o.Columns[0])
	b := newBag(o.Rows() + t.Rows()*len(t.Columns))
	for _, k := range e.naturalKeys(one, 0) {
		b.at(k).gold++
	}
	for i := range t.Columns {
		if cell.NaturalKind(&t.Columns[i]) != kind {
			return nil
		}
		for _, k := range e.naturalKeys(!one, i) {
			b.at(k).pred++
		}
	}
	distinct := 0
	for i := range b.slots {
		switch s := &b.slots[i]; {
		case s.key == 0 || s.key == 1: // NULL
		case s.gold == 0 || s.pred == 0:
			return nil
		default:
			distinct++
		}
	}
	if distinct < 2 {
		return nil
	}
	if one == predSide {
		return &found{text: fmt.Sprintf("The answer holds in one column the %d values that gold holds in %d columns.", distinct, len(t.Columns))}
	}
	return &found{text: fmt.Sprintf("The answer holds in %d columns the %d values that gold holds in one.", len(t.Columns), distinct)}
}

// pivoted tells whether the long side is the wide one with a row for each of some columns: its other columns, the name of the column, the value. A value that the wide side shows as NULL or 0
// may have no row.
func pivoted(e *evidence, long side) *found {
	if e.queriesOnly {
		return nil
	}
	l, w := e.table(long), e.table(!long)
	if len(l.Columns) < 2 || len(w.Columns) < 2 || l.Rows() < 2 || w.Rows() == 0 || l.Rows() > w.Rows()*len(w.Columns) {
		return nil
	}
	names := map[uint64]int{} // of the wide side's columns
	for i := range w.Columns {
		names[cell.TextKey(w.Columns[i].Name)] = i
	}
	for category := range l.Columns {
		c := &l.Columns[category]
		if c.Type != scoring.String || c.HasNulls() {
			continue
		}
		headings := map[uint64]bool{}
		ok := true
		keys := e.naturalKeys(long, category)
		for _, k := range keys {
			if _, ok = names[k]; !ok {
				break
			}
			headings[k] = true
		}
		if !ok || len(headings) < 2 {
			continue
		}
		var rest []int // of the wide side
		for i := range w.Columns {
			if !headings[cell.TextKey(w.Columns[i].Name)] {
				rest = append(rest, i)
			}
		}
		if len(rest) != len(l.Columns)-2 {
			continue
		}
		for value := range l.Columns {
			if value == category {
				continue
			}
			if e.turned(long, category, value, headings, rest) {
				return e.pivot(long, category, value, len(headings))
			}
		}
	}
	return nil
}

// turned checks one way of turning the wide side, with its other columns in the order they have on the long side.
func (e *evidence) turned(long side, category, value int, headings map[uint64]bool, rest []int) bool {
	l, w := e.table(long), e.table(!long)
	ids := make([]uint64, l.Rows())
	for i := range l.Columns {
		if i != category && i != value {
			mixInto(ids, e.naturalKeys(long, i))
		}
	}
	wideIDs := make([]uint64, w.Rows())
	for _, i := range rest {
		mixInto(wideIDs, e.naturalKeys(!long, i))
	}
	var got, want cell.Sum
	for r, v := range e.naturalKeys(long, value) {
		if v != cell.NullKey && !isZero(&l.Columns[value], r) {
			got.Add(cell.Mix(cell.Mix(ids[r], e.naturalKeys(long, category)[r]), v))
		}
	}
	n := 0
	for i := range w.Columns {
		heading := cell.TextKey(w.Columns[i].Name)
		if !headings[heading] {
			continue
		}
		for r, v := range e.naturalKeys(!long, i) {
			if v != cell.NullKey && !isZero(&w.Columns[i], r) {
				want.Add(cell.Mix(cell.Mix(wideIDs[r], heading), v))
				n++
			}
		}
	}
	return n >= 2 && got == want
}

func (e *evidence) pivot(long side, category, value, columns int) *found {
	if long == predSide {
		return &found{
			text:  fmt.Sprintf("The answer has a row for each of gold's %d columns that %s names, with its value in %s.", columns, columnName(e.pred, category), columnName(e.pred, value)),
			proof: Proof{PredColumns: []int{category, value}},
		}
	}
	return &found{
		text:  fmt.Sprintf("The answer has a column for each of the %d values of gold's %s, with the values of %s.", columns, columnName(e.gold, category), columnName(e.gold, value)),
		proof: Proof{GoldColumns: []int{category, value}},
	}
}
