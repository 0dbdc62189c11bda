package metric

import (
	"math"
	"regexp"
	"slices"
	"strings"

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
}

// Where a figure was found.
const (
	figureCell      = "cell"      // in the named row and column; for a result of one row, in the named column
	figureRow       = "row"       // in the named row; the result does not have the named column, or none is named
	figureColumn    = "column"    // in the named column; the row is not named or not known
	figureElsewhere = "elsewhere" // in another column than the named one, or none is named; the row is not named
	figureScaled    = "scaled"    // in one of these places, in thousands, millions or another scale
	figureAbsent    = "absent"    // not in the cells that it may refer to
	figureUnchecked = "unchecked" // computed from several cells, not one number, or not searched for completely
)

// found lists the places from the least to the most precise.
var found = []string{figureAbsent, figureScaled, figureElsewhere, figureColumn, figureRow, figureCell}

// figureSearch is the search for one figure in a result.
type figureSearch struct {
	number statedNumber
	fall   bool // the claim has a word for a decrease or a loss, so that the cell may be negative
	at     *checkedFigure
	row    rowLabel
	column int // index of the named column; −1 if the result does not have it
	best   int // index in found of the best place so far
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
// returns where each was found. sql is the query that returned t: a value that it filters by applies to every row. If
// t is nil or has no rows, a figure other than zero is absent, and zero is unchecked.
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

// roughIn reports whether a word before the figure in the claim marks it as approximate.
func roughIn(claim, stated string) bool {
	before, _, ok := strings.Cut(claim, stated)
	return ok && rough.MatchString(before)
}

// percentIn reports whether the figure is followed in the claim by a percent sign or word.
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

// columnNamed returns the index of the column with the given name, ignoring case, spaces and punctuation; −1 if there
// is none.
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

// in searches one column for the figure and records a better place than the one found so far. If row and column are
// named, it searches only their cells; if only the row is named, only cells of that row.
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
