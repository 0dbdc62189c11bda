package metric

import (
	"math"
	"regexp"
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

	rows []int32 // that its label names; nil if it names none
}

// If a figure was found.
const (
	figureCell      = "cell"      // in the row and the column that are named
	figureRow       = "row"       // in the row that is named; no column of the result is
	figureColumn    = "column"    // in the column that is named; no row is
	figureElsewhere = "elsewhere" // in another column; no row is named
	figureScaled    = "scaled"    // in one of these places, in thousands, millions or another scale
	figureAbsent    = "absent"    // nowhere it could be, or the row that is named does not exist
	figureUnchecked = "unchecked" // it is worked out from several cells, or cannot be read as one number
)

// found orders the places from the least to the most precise.
var found = []string{figureAbsent, figureScaled, figureElsewhere, figureColumn, figureRow, figureCell}

// figureSearch is the look-up of one figure.
type figureSearch struct {
	number statedNumber
	fall   bool // the claim speaks of a fall, so that the cell may be negative
	at     *checkedFigure
	row    rowLabel
	column int // the one that is named; −1: none that the result has
	best   int // place in found
}

// rowLabel is the name of a figure's row: one value, or several with a separator such as a comma.
type rowLabel struct {
	text  string
	parts []string
	named bool    // it picks out rows
	rows  []int32 // the rows with this label, in order; empty if there are none
}

// maxLabelled bounds the rows that a label may name: one that is in more names none.
const maxLabelled = 10_000

// maxTexts bounds the number of strings that figures are searched for in.
const maxTexts = 1_000_000

// lookUp looks up the figures of claims in a result, which is read once however many there are: all
// of it, also what a judge was not shown. Sql is the query that it is the result of: what its filters
// name holds for every row. A result without rows, and none, holds no figure but zero.
func lookUp(t *scoring.Table, sql string, claims []claim) [][]checkedFigure {
	out := make([][]checkedFigure, len(claims))
	empty := t == nil || t.Rows() == 0
	var searches []*figureSearch
	for i, c := range claims {
		out[i] = make([]checkedFigure, len(c.Figures))
		for k, f := range c.Figures {
			out[i][k] = checkedFigure{figure: f, Found: figureUnchecked}
			n, ok := parseStated(f.Stated)
			switch {
			case !ok:
			case empty && !n.isZero():
				out[i][k].Found = figureAbsent
			case !empty && !f.Computed:
				if roughIn(c.Claim, f.Stated) {
					n, _ = parseStated("about " + f.Stated)
				}
				n.percent = n.percent || percentIn(c.Claim, f.Stated)
				searches = append(searches, &figureSearch{
					number: n, fall: falls.MatchString(c.Claim), at: &out[i][k], row: newRowLabel(f.Row),
					column: columnNamed(t, f.Column),
				})
			}
		}
	}
	if len(searches) == 0 {
		return out
	}
	findRows(t, sql, searches)
	values := make([]float64, t.Rows())
	var texts []int
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
		cell.Magnitudes(c, view, values)
		for _, s := range searches {
			s.in(k, len(values), func(i int) (plain, scaled bool) {
				if len(s.number.exact) > 0 && !math.IsNaN(values[i]) && (c.Type == scoring.Int64 || c.Type == scoring.Decimal) {
					return s.number.matchesExactly(c.Value(i).String(), s.fall)
				}
				if len(s.number.exact) > 0 && !c.Type.Numeric() {
					for _, comma := range []bool{false, true} {
						if v, _, ok := cell.ParseNumber(c.Value(i).String(), comma); ok {
							p, sc := s.number.matchesExactly(v.String(), s.fall)
							plain, scaled = plain || p, scaled || sc
						}
					}
					return plain, scaled
				}
				return s.number.matches(values[i], s.fall)
			})
		}
	}
	left := maxTexts
	for _, k := range texts { // a string may contain a number, such as the year in a date
		for _, s := range searches {
			if s.best > 0 {
				continue
			}
			s.in(k, t.Rows(), func(i int) (plain, scaled bool) {
				if left--; left < 0 {
					return false, false
				}
				return s.number.standsIn(t.Columns[k].Value(i).String()), false
			})
		}
	}
	for _, s := range searches {
		if s.row.named {
			s.at.rows = s.row.rows
		}
		if s.at.Found = found[s.best]; s.best == 0 && left < 0 {
			s.at.Found = figureUnchecked
		}
	}
	return out
}

// roughIn reports whether a claim calls a figure approximate.
func roughIn(claim, stated string) bool {
	before, _, ok := strings.Cut(claim, stated)
	return ok && rough.MatchString(before)
}

// percentIn reports whether a claim has a percent sign or word after a figure.
func percentIn(claim, stated string) bool {
	for rest := claim; stated != ""; {
		before, after, ok := strings.Cut(rest, stated)
		if !ok {
			return false
		}
		// The figure is not a part of a longer number, such as 2.5 in 12.5.
		if !digitAt.MatchString(before) && percentBehind.MatchString(after) {
			return true
		}
		rest = after
	}
	return false
}

var (
	digitAt       = regexp.MustCompile(`[0-9][.,]?$`)
	percentBehind = regexp.MustCompile(`^\s*(%|(?i:percent|percentage|per cent|pct|pp)\b)`)
)

// columnNamed returns the column with the given name, ignoring case, spaces and punctuation; −1 if there is none.
func columnNamed(t *scoring.Table, name string) int {
	if name = nameKey(name); name == "" {
		return -1
	}
	return slices.IndexFunc(t.Columns, func(c scoring.Column) bool { return nameKey(c.Name) == name })
}

// labelSeparators match the separators of values that together name a row.
var labelSeparators = regexp.MustCompile(`\s*[,;|/]\s*|\s+[-–—:&]\s+|:\s+|\s+and\s+`)

func newRowLabel(text string) rowLabel {
	text = strings.TrimSpace(text)
	return rowLabel{text: text, parts: labelSeparators.Split(text, -1)}
}

// findRows finds the rows that the labels of searches name: those that hold the whole label, or else
// all of its parts. A part that no row holds names none, unless the query filters by it, so that it
// holds for every row.
func findRows(t *scoring.Table, sql string, searches []*figureSearch) {
	if t.Rows() == 1 && !slices.ContainsFunc(t.Columns, func(c scoring.Column) bool { return !c.Type.Numeric() }) {
		return // one row of numbers: nothing in it could name it
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

// resolve takes the rows of the label, or of its parts.
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

// filteredBy reports whether a query in lower case contains a value as a string.
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

// in looks for the figure in one column: where row and column are named, in these cells alone; where
// one of them is, in it first.
func (s *figureSearch) in(column, rows int, matches func(row int) (plain, scaled bool)) {
	var where string
	switch {
	case s.row.named && s.column >= 0 && column != s.column:
		return
	case s.row.named && s.column >= 0, !s.row.named && rows == 1 && column == s.column:
		where = figureCell
	case s.row.named:
		where = figureRow
	case column == s.column:
		where = figureColumn
	default:
		where = figureElsewhere
	}
	place := slices.Index(found, where)
	if place <= s.best {
		return
	}
	try := func(i int) {
		switch plain, scaled := matches(i); {
		case plain:
			s.best = max(s.best, place)
		case scaled:
			s.best = max(s.best, slices.Index(found, figureScaled))
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
