package metric

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

// defogQuery holds the inputs of Defog's comparison for one side, other than its result.
type defogQuery struct {
	category string
	question string
	sql      string // empty if it is not known
}

// errRepeatedName corresponds to the ValueError that pandas raises for a table with two columns of the same name.
var errRepeatedName = errors.New("two columns have the same name")

// normalized returns the frame without duplicate rows, with columns sorted by name and rows sorted by their cells. If
// the category or the question asks for an order, rows are instead sorted by the names in the query's first ORDER BY,
// or keep their order without one. Duplicate column names are an error where they are in pandas.
func (f frame) normalized(q defogQuery) (frame, error) {
	f = f.withoutRepeats()
	byName := slices.Clone(f.cols)
	slices.SortStableFunc(byName, func(a, b frameColumn) int { return strings.Compare(a.name, b.name) })
	if !f.uniqueNames() && !slices.EqualFunc(f.cols, byName, func(a, b frameColumn) bool { return a.name == b.name }) {
		return frame{}, errRepeatedName
	}
	f.cols = byName
	if q.category == "order_by" || asksForOrder.MatchString(q.question) {
		names, ascending, ok := firstOrderBy(q.sql)
		if !ok {
			return f.numberNames(), nil
		}
		return f.inQueryOrder(names, ascending)
	}
	if !f.uniqueNames() {
		return frame{}, errRepeatedName
	}
	f, err := f.sortedBy(positions(len(f.cols)), true)
	return f, err
}

var asksForOrder = lazyregexp.New(`(?i)\b(order|sort|arrange)\b`)

// inQueryOrder sorts the rows by the named columns, then by the other columns, all in the same direction, and moves
// the named columns to the end.
func (f frame) inQueryOrder(names []string, ascending bool) (frame, error) {
	if !f.uniqueNames() {
		return frame{}, errRepeatedName
	}
	var by, rest []int
	for _, name := range names {
		if j := f.find(name); j >= 0 {
			by = append(by, j)
		}
	}
	for j := range f.cols {
		if !slices.Contains(by, j) {
			rest = append(rest, j)
		}
	}
	f, err := f.sortedBy(append(slices.Clone(by), rest...), ascending)
	if err != nil {
		return frame{}, err
	}
	cols := make([]frameColumn, 0, len(by)+len(rest))
	for _, j := range append(rest, by...) {
		cols = append(cols, f.cols[j])
	}
	f.cols = cols
	return f.numberNames(), nil
}

var (
	orderByClause = lazyregexp.New(`(?is)ORDER BY.*`)
	orderByTerm   = lazyregexp.New(`(?i)ORDER BY([^\n]*?)(?:[;,)]|\n?\z)`)
)

// firstOrderBy parses the first term after the first ORDER BY of a query as Defog does: its words, without
// qualifiers and without SQL keywords. ok is false if the query has none.
func firstOrderBy(sql string) (names []string, ascending, ok bool) {
	clause := orderByClause.FindString(sql)
	if clause == "" {
		return nil, false, false
	}
	term := orderByTerm.FindStringSubmatch(clause)
	if term == nil {
		return nil, false, true
	}
	descending := false
	for _, word := range strings.Fields(term[1]) {
		word = word[strings.LastIndexByte(word, '.')+1:]
		switch strings.ToLower(word) {
		case "desc":
			descending = true
		case "asc":
			ascending = true
		}
		word = strings.NewReplacer(",", "", "(", "").Replace(word)
		switch strings.ToLower(word) {
		case "desc", "asc", "nulls", "last", "first", "limit":
		default:
			names = append(names, word)
		}
	}
	return names, ascending && !descending, true
}

// defogExact is Defog's compare_df. It reports whether the frames are equal, either unchanged or normalized with
// missing values replaced by -99999.
func defogExact(gold, pred frame, goldQuery, predQuery defogQuery) (bool, error) {
	if equal, ok := valuesEqual(gold, pred); ok && equal {
		return true, nil
	}
	gold, err := gold.normalized(goldQuery)
	if err != nil {
		return false, err
	}
	if pred, err = pred.normalized(predQuery); err != nil {
		return false, err
	}
	if len(gold.rows) != len(pred.rows) || len(gold.cols) != len(pred.cols) {
		return false, nil
	}
	equal, _ := valuesEqual(gold.filled(), pred.filled())
	return equal, nil
}

// filled returns the frame with missing values replaced by -99999.
func (f frame) filled() frame {
	cols := slices.Clone(f.cols)
	for j, c := range cols {
		if !slices.ContainsFunc(c.cells, cellKey.gap) {
			continue
		}
		c.cells = slices.Clone(c.cells)
		for i, k := range c.cells {
			if k.gap() {
				c.cells[i] = intKey(-99999)
			}
		}
		if c.kind == frameTime {
			c.kind = frameObject
		}
		cols[j] = c
	}
	f.cols = cols
	return f
}

// defogSubset is Defog's subset_df. It reports whether gold's columns are among pred's: each gold column is paired
// with the first unused column of pred that is equal to it when both are sorted, and the rows of the paired columns
// must be equal after normalization.
func defogSubset(gold, pred frame, q defogQuery) (bool, error) {
	if gold.empty() {
		return false, nil
	}
	original := pred
	gold, pred = gold.numberNames(), pred.numberNames()
	if !gold.uniqueNames() || !pred.uniqueNames() {
		return false, errRepeatedName
	}
	sortedPred := make([]frame, len(pred.cols))
	matched := make([]int, 0, len(gold.cols))
	for j := range gold.cols {
		g, err := gold.only(j).sortedBy([]int{0}, true)
		if err != nil && len(matched) < len(pred.cols) {
			return false, err
		}
		found := false
		for k := range pred.cols {
			if slices.Contains(matched, k) {
				continue
			}
			if sortedPred[k].cols == nil {
				if sortedPred[k], err = pred.only(k).sortedBy([]int{0}, true); err != nil {
					return false, err
				}
			}
			if found = almostEqual(g, sortedPred[k]); found {
				matched = append(matched, k)
				break
			}
		}
		if !found {
			return false, nil
		}
	}
	chosen := frame{rows: original.rows}
	for j, k := range matched {
		if original.cols[k].name != pred.cols[k].name {
			return false, errRepeatedName // pandas no longer finds the renamed column
		}
		c := original.cols[k]
		c.name = gold.cols[j].name
		chosen.cols = append(chosen.cols, c)
	}
	q.sql = ""
	gold, err := gold.normalized(q)
	if err != nil {
		return false, err
	}
	if chosen, err = chosen.normalized(q); err != nil {
		return false, err
	}
	for j := range gold.cols {
		if !almostEqual(gold.only(j), chosen.only(j)) {
			return false, nil
		}
	}
	return true, nil
}

func (f frame) only(j int) frame { return frame{cols: f.cols[j : j+1], rows: f.rows} }

// almostEqual is pandas' assert_series_equal without a check of dtypes. It reports whether two columns are equal:
// integers and truth values exactly, other numbers within 1e-5 of their size or 1e-8, and missing values with each
// other.
func almostEqual(a, b frame) bool {
	if len(a.rows) != len(b.rows) {
		return false
	}
	ka, kb := a.cols[0].kind, b.cols[0].kind
	exact := ka == frameInt || ka == frameBool || kb == frameInt || kb == frameBool
	for i := range a.rows {
		x, y := a.at(i, 0), b.at(i, 0)
		switch {
		case x.gap() && y.gap():
		case x.gap() || y.gap():
			return false
		case arrayEqual(x, ka, y, kb):
		case exact || !x.number() || !y.number() || x.class == classDecimal || y.class == classDecimal:
			return false
		case math.IsInf(x.float(), 0) || math.IsInf(y.float(), 0):
			return false
		default:
			if u, v := x.float(), y.float(); math.Abs(u-v) > math.Max(1e-5*math.Max(math.Abs(u), math.Abs(v)), 1e-8) {
				return false
			}
		}
	}
	return true
}
