package relation

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

var shapeKinds = []Kind{
	{
		Name: "long_for_wide", Display: "Rows in place of columns", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return pivoted(e, predSide) },
		Meaning: "The answer has a row for each of several columns of gold: a column of it says which, another holds the values, rounded perhaps, and what else gold shows is the same. Labels that both sides have carry the same values.", Example: "(k, north, south) = (1, 5, 7); (1, 'north', 5), (1, 'south', 7)",
	},
	{
		Name: "wide_for_long", Display: "Columns in place of rows", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return pivoted(e, goldSide) },
		Meaning: "The answer has a column for each of several rows of gold: a column of gold says which, another holds the values, rounded perhaps, and what else gold shows is the same. Labels that both sides have carry the same values.", Example: "(1, 'north', 5), (1, 'south', 7); (k, north, south) = (1, 5, 7)",
	},
	{
		Name: "unpivoted", Display: "Several columns shown as one", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return stacked(e, predSide) },
		Meaning: "The answer has in one column exactly the values that gold has in several, whose names show that they are of one kind (atom1, atom2).", Example: "(atom1, atom2) = ('x', 'y'); ('x'), ('y')",
	},
	{
		Name: "pivoted", Display: "One column shown as several", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return stacked(e, goldSide) },
		Meaning: "Gold has in one column exactly the values that the answer has in several, whose names show that they are of one kind (atom1, atom2), or in one row of strings.", Example: "('x'), ('y'); ('x', 'y')",
	},
}

// stacked returns a finding if the only column of side one holds the same set of values as all columns of the other
// side together; else nil. The names of those must not differ in meaning, since a list of 4 and 7 does not show which
// is the number of men. One answer row of strings is exempt.
func stacked(e *evidence, one side) *found {
	if e.queriesOnly {
		return nil
	}
	o, t := e.table(one), e.table(!one)
	if len(o.Columns) != 1 || len(t.Columns) < 2 || t.Rows() == 0 || o.Rows() < 2 {
		return nil
	}
	kind := cell.NaturalKind(&o.Columns[0])
	if !(ofOneKind(t) || one == goldSide && t.Rows() == 1 && kind == scoring.KindText) {
		return nil
	}
	b := newMultiset(o.Rows() + t.Rows()*len(t.Columns))
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
	if distinct < 2 || o.Rows() < t.Rows() && o.Rows() > distinct { // a shorter list is one of different values
		return nil
	}
	for i := range t.Columns {
		if match(e.naturalKeys(one, 0), e.naturalKeys(!one, i)).sameBag() {
			return nil // one of the columns, and the others left out
		}
	}
	if one == predSide {
		return &found{
			text: fmt.Sprintf("The answer holds in one column the %d values that gold holds in %d columns.", distinct,
				len(t.Columns))}
	}
	return &found{
		text: fmt.Sprintf("The answer holds in %d columns the %d values that gold holds in one.", len(t.Columns), distinct)}
}

// ofOneKind reports whether the names of all columns differ only in digits, or all have at most one letter: city1_code
// and city2_code, a and b.
func ofOneKind(t *scoring.Table) bool {
	kind := func(name string) string {
		w := strings.Join(naming.Words(strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return ' '
			}
			return r
		}, name)), " ")
		if len(w) <= 1 {
			return ""
		}
		return w
	}
	for i := range t.Columns {
		if kind(t.Columns[i].Name) != kind(t.Columns[0].Name) {
			return false
		}
	}
	return true
}
