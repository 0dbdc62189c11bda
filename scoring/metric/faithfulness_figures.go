package metric

import (
	"math/big"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// figure is a number that a claim quotes, as the judge describes it.
type figure struct {
	Stated   string `json:"stated"`
	Row      string `json:"row"`    // a value, or several, that identify the row of the result
	Column   string `json:"column"` // name of the column
	Computed bool   `json:"computed"`
}

// checkedFigure is a figure and the place in the result where it was found.
type checkedFigure struct {
	figure
	Found string `json:"found"`

	rows []int32 // indexes of the rows that its label identifies; nil if it identifies none
	sure bool    // it is computed, and the claim can state nothing else
}

// Where a figure was found.
const (
	figureCell      = "cell"      // in the named row and column; for a result of one row, in the named column
	figureRow       = "row"       // in the named row; the result does not have the named column, or none is named
	figureColumn    = "column"    // in the named column; the row is not named or not known
	figureElsewhere = "elsewhere" // in another column than the named one, or none is named; the row is not named
	figureScaled    = "scaled"    // in one of these places, in a unit that the column, the query or a text states
	figureComputed  = "computed"  // a total, a count or a share of one column that is equal to it
	figureMisscaled = "misscaled" // in the cells that it may refer to only if it is wrong by a thousand or a million
	figureAbsent    = "absent"    // not in the cells that it may refer to
	figureUnchecked = "unchecked" // computed otherwise, not one number, of an unclear sign, or not searched completely
)

// found lists the places from the least to the most precise.
var found = []string{figureAbsent, figureScaled, figureElsewhere, figureColumn, figureRow, figureCell}

// figureSearch is the search for one figure in a result.
type figureSearch struct {
	number  statedNumber
	claim   *claim
	units   []*big.Rat // what one of a cell's unit is worth by the claim
	fall    bool       // the claim has a word for a decrease or a loss, so that the cell may be negative
	at      *checkedFigure
	row     rowLabel
	column  int  // index of the named column; −1 if the result does not have it
	best    int  // index in found of the best place so far
	open    bool // equal in size to a cell, with a sign or a unit that is not clear
	scale   bool // equal to a cell in another scale, which nothing states
	strings bool // some strings were not searched
}

// unitWorth holds what one of a number's unit is worth, for numbers in thousands, millions and so on.
type unitWorth struct {
	columns [][]*big.Rat // by the name of each column
	texts   []*big.Rat   // by the query and the question
}

// rowLabel is the text by which a figure names its row: one value, or several with a separator such as a comma.
type rowLabel struct {
	text  string
	parts []string
	named bool    // the label restricts the search to rows, even if rows is empty
	rows  []int32 // indexes of the rows with this label, ascending; empty if none have it
}

// maxLabelled is the maximum number of rows that a label may identify; a label that more rows have is ignored.
const maxLabelled = 10_000

// maxTexts is the maximum number of strings that are searched for figures.
const maxTexts = 1_000_000

// lookUp searches the whole result t, also the parts that the judge was not shown, for the figures of all claims, and
// returns where each was found. sql is the query that returned t: a value that it filters by applies to every row. The
// notes are the question and what is known about it. If t is nil or has no rows, a figure other than zero is absent,
// and zero is unchecked.
func lookUp(t *scoring.Table, sql, notes string, claims []claim) [][]checkedFigure {
	out := make([][]checkedFigure, len(claims))
	empty := t == nil || t.Rows() == 0
	var searches []*figureSearch
	for i := range claims {
		c := &claims[i]
		out[i] = make([]checkedFigure, len(c.Figures))
		for k, f := range c.Figures {
			out[i][k] = checkedFigure{figure: f, Found: figureUnchecked}
			n, ok := parseFigure(c.Claim, f.Stated)
			switch {
			case !ok:
			case empty:
				if !n.isZero() && !n.isUpper() {
					out[i][k].Found = figureAbsent
				}
			default:
				searches = append(searches, &figureSearch{
					number: n, claim: c, units: inverses(unitsOfText(c.Claim)), fall: falls.MatchString(c.Claim),
					at: &out[i][k], row: newRowLabel(f.Row), column: columnNamed(t, f.Column),
				})
			}
		}
	}
	if len(searches) == 0 {
		return out
	}
	findRows(t, sql, searches)
	units := unitWorth{columns: make([][]*big.Rat, len(t.Columns)), texts: unitsOfQuery(sql)}
	for _, f := range unitsOfText(notes) { // of the cells, or of the figures that are asked for
		units.texts = append(units.texts, f, new(big.Rat).Inv(f))
	}
	for k := range t.Columns {
		units.columns[k] = unitsOfName(t.Columns[k].Name)
	}
	numbers, texts := searchNumbers(t, searches, &units)
	searchTexts(t, searches, texts)
	sums := newColumnSums(t, sql, &units, numbers)
	for _, s := range searches {
		if s.row.named {
			s.at.rows = s.row.rows
		}
		s.at.Found = s.outcome(sums)
	}
	return out
}

// of returns what one of column k's unit may be worth in the claim of a search.
func (w *unitWorth) of(k int, s *figureSearch) []*big.Rat {
	return slices.Concat(w.columns[k], w.texts, s.units)
}

// inverses returns what one of a cell's unit is worth in a text that gives figures in these units.
func inverses(units []*big.Rat) (out []*big.Rat) {
	for _, f := range units {
		out = append(out, new(big.Rat).Inv(f))
	}
	return out
}

// searchNumbers searches the columns of numbers, also those that are strings, and returns them with their views, and
// the other columns.
func searchNumbers(t *scoring.Table, searches []*figureSearch,
	units *unitWorth) (numbers map[int]cell.View, texts []int) {
	numbers = map[int]cell.View{}
	values := make([]float64, t.Rows())
	for k := range t.Columns {
		c := &t.Columns[k]
		view := cell.View{Kind: scoring.KindNumber}
		if !c.Type.Numeric() {
			format, ok := cell.NumberFormat(c)
			if !ok {
				texts = append(texts, k)
				continue
			}
			view.Format = format
		}
		numbers[k] = view
		cell.Magnitudes(c, view, values)
		for _, s := range searches {
			if place, searched := s.place(k, len(values)); searched && place > s.best {
				s.number.prepare(units.of(k, s))
				s.in(place, len(values), func(i int) cellMatch {
					return s.number.matches(values[i], func() []*big.Rat { return exactValues(cell.Read(c, view, i)) }, s.fall)
				})
			}
		}
	}
	return numbers, texts
}

// searchTexts searches columns of strings, which may contain a number, such as the year in a date.
func searchTexts(t *scoring.Table, searches []*figureSearch, columns []int) {
	left := maxTexts
	for _, k := range columns {
		for _, s := range searches {
			place, searched := s.place(k, t.Rows())
			if s.best > 0 || !searched {
				continue
			}
			s.in(place, t.Rows(), func(i int) cellMatch {
				if left--; left < 0 {
					s.strings = true
				} else if s.number.isIn(t.Columns[k].Value(i).String()) {
					return matchPlain
				}
				return matchNone
			})
		}
	}
}

// outcome returns where the figure was found, after the cells were searched.
func (s *figureSearch) outcome(sums *columnSums) string {
	if s.best > 0 && !s.at.Computed {
		return found[s.best]
	}
	computed, against := sums.check(s)
	switch {
	case computed:
		return figureComputed
	case s.at.Computed && against && s.best == 0 && !s.open:
		return figureAbsent
	case s.at.Computed:
		return figureUnchecked
	case s.open, s.strings:
		return figureUnchecked
	case s.scale:
		return figureMisscaled
	}
	return figureAbsent
}

// columnNamed returns the index of the column with the given name, ignoring case, spaces and punctuation; −1 if there
// is none.
func columnNamed(t *scoring.Table, name string) int {
	if name = nameKey(name); name == "" {
		return -1
	}
	return slices.IndexFunc(t.Columns, func(c scoring.Column) bool { return nameKey(c.Name) == name })
}

// labelSeparators match the separators of values that together name a row.
var labelSeparators = lazyregexp.New(`\s*[,;|/]\s*|\s+[-–—:&]\s+|:\s+|\s+and\s+`)

func newRowLabel(text string) rowLabel {
	text = strings.TrimSpace(text)
	return rowLabel{text: text, parts: labelSeparators.Split(text, -1)}
}

// findRows sets the rows that the labels of the searches identify: those that contain the whole label as a value, or
// else all of its parts. A part that no row contains is ignored if the query filters by it; otherwise the label
// identifies no row. A label is ignored if the result is one row of numbers.
func findRows(t *scoring.Table, sql string, searches []*figureSearch) {
	if t.Rows() == 1 && !slices.ContainsFunc(t.Columns, func(c scoring.Column) bool { return !c.Type.Numeric() }) {
		return // one row of numbers contains no value that could be a label
	}
	rows := map[uint64][]int32{}
	for _, s := range searches {
		if s.row.text == "" {
			continue
		}
		rows[cell.TextKey(s.row.text)] = nil
		for _, part := range s.row.parts {
			rows[cell.TextKey(part)] = nil
		}
	}
	if len(rows) == 0 {
		return
	}
	keys := make([]uint64, t.Rows())
	for k := range t.Columns {
		cell.Keys(&t.Columns[k], cell.View{Kind: scoring.KindText}, 0, keys)
		for i, key := range keys {
			if held, wanted := rows[key]; wanted {
				rows[key] = append(held, int32(i)) //nolint:gosec // rows are bounded far below
			}
		}
	}
	for key, held := range rows {
		slices.Sort(held)
		rows[key] = slices.Compact(held)
	}
	sql = strings.ToLower(sql)
	for _, s := range searches {
		if s.row.text != "" {
			s.row.resolve(rows, sql)
		}
	}
}

// resolve sets the rows of the label, or of all its parts, from the rows by the keys of their values.
func (l *rowLabel) resolve(rows map[uint64][]int32, sql string) {
	if l.rows = rows[cell.TextKey(l.text)]; len(l.rows) > 0 {
		l.named = len(l.rows) <= maxLabelled
		return
	}
	for _, part := range l.parts {
		switch held := rows[cell.TextKey(part)]; {
		case part == "" || len(held) == 0 && filteredBy(sql, part):
		case l.named:
			l.rows = common(l.rows, held)
		default:
			l.named, l.rows = true, held
		}
	}
	l.named = l.named && len(l.rows) <= maxLabelled
}

// filteredBy reports whether sql, in lower case, contains the value in quotes.
func filteredBy(sql, value string) bool {
	value = strings.ToLower(value)
	return strings.Contains(sql, "'"+value+"'") || strings.Contains(sql, `"`+value+`"`)
}

// common returns the intersection of two ascending lists.
func common(a, b []int32) (out []int32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// place returns the index in found of a figure that is found in a column. searched is false if the column cannot hold
// it: if row and column are named, only their cells can; if only the row is named, only cells of that row.
func (s *figureSearch) place(column, rows int) (place int, searched bool) {
	where := figureElsewhere
	switch {
	case s.row.named && s.column >= 0 && column != s.column:
		return 0, false
	case s.row.named && s.column >= 0, !s.row.named && rows == 1 && column == s.column:
		where = figureCell
	case s.row.named:
		where = figureRow
	case column == s.column:
		where = figureColumn
	}
	return slices.Index(found, where), true
}

// in searches one column for the figure and records a better place than the one found so far.
func (s *figureSearch) in(place, rows int, matches func(row int) cellMatch) {
	if place <= s.best {
		return
	}
	try := func(i int) {
		switch matches(i) {
		case matchPlain:
			s.best = max(s.best, place)
		case matchScaled:
			s.best = max(s.best, slices.Index(found, figureScaled))
		case matchOpen:
			s.open = true
		case matchScale:
			s.scale = true
		}
	}
	if s.row.named {
		for _, i := range s.row.rows {
			try(int(i))
		}
		return
	}
	for i := range rows {
		if try(i); s.best >= place {
			return
		}
	}
}
