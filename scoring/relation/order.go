package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// orderKinds are examined first if all rows agree and last if they do not, since other differences then explain more.
var orderKinds = []Kind{{
	Name: "reordered", Display: "Rows in another order", Group: SortingAndCuttingOff,
	Class: Difference, find: reordered,
	Meaning: "The question asks for an order, and the rows of the answer come in another. Rows that tie may change places. If both queries sort all rows by different keys, and the rows do not show gold's key, gold's order is required unless the question says that order is irrelevant.",
	Example: "(9), (8) by ORDER BY x DESC, where the question says \"highest first\"; (8), (9)",
}}

// Order is an order of rows that the answer must have, because the question or, without a question, gold's ORDER BY
// asks for it.
type Order struct {
	// the words of the question that ask for the order; empty if the order is from gold's ORDER BY alone
	Phrase string
	By     string // the sort keys of gold's rows; empty if unknown
	Keys   []int  // gold columns of the sort keys: rows with the same values in all of them may change places
	// all of gold's sort keys are columns of its result; if not, ties cannot be detected, and each row must be where it
	// is in gold
	Shown bool

	// Proven: gold's sort keys are the first sort keys of the answer's query too, so that rows in other positions tie
	// and need no comparison.
	Proven bool
	// Lost: gold's rows contradict the first sort key of gold's own query, so they were stored in another order.
	Lost bool

	by      string // the first sort key of the answer's query, if only this query shows that gold's order is not kept
	opposed bool   // both queries sort by the same first key, in opposite directions
	nulls   bool   // gold's query does not fix the position of NULLs, so they may be first or last
}

// AskedOrder returns the order that is part of the answer, or nil if none is. The question must ask for an order;
// without a question, gold's ORDER BY does. It also does if both queries sort, gold by a key that is not shown and the
// answer by another, and the question does not say that order is irrelevant. Gold's ORDER BY defines the order or,
// without gold's query, a column that sorts gold's rows. An ORDER BY for which neither holds is ignored, and so is the
// order of a single row.
func AskedOrder(in Input) *Order {
	e := &evidence{Input: in, gold: in.Gold, pred: in.Pred}
	return e.askedOrder()
}

func (e *evidence) askedOrder() *Order {
	if e.gold.Rows() < 2 {
		return nil
	}
	o := &Order{Phrase: e.asks().Order()}
	if o.Phrase == "" && strings.TrimSpace(e.Question) != "" {
		if o.by = e.sortedOtherwise(); o.by == "" {
			return nil
		}
	}
	if strings.TrimSpace(e.GoldSQL) == "" {
		if o.Phrase == "" {
			return nil
		}
		e.orderOfRows(o)
		return o
	}
	q := e.queries()
	if q.gold == nil || !q.gold.query.Ordered() {
		return nil
	}
	e.orderOfQuery(o)
	if q.pred != nil && len(q.pred.order) > 0 {
		g, p := q.gold.order, q.pred.order
		o.Proven = len(p) >= len(g) && slices.Equal(g, p[:len(g)])
		o.opposed = g[0].text == p[0].text && g[0].desc != p[0].desc
	}
	return o
}

// orderOfQuery sets the fields of o from gold's ORDER BY.
func (e *evidence) orderOfQuery(o *Order) {
	q := e.queries().gold
	var by []string
	items, exact, known := q.query.Order(), true, true
	o.nulls = true
	for k, it := range items {
		x := q.resolved(it.Expr)
		if column := e.columnOf(q, x); column >= 0 {
			o.Keys = append(o.Keys, column)
		} else {
			columns, ok := e.columnsIn(q, x)
			o.Keys = append(o.Keys, columns...)
			exact, known = exact && ok && len(columns) == 0, known && ok // a constant sorts nothing
		}
		o.nulls = o.nulls && it.Nulls == sqlparts.NullsDefault
		by = append(by, q.order[k].text+map[bool]string{true: " descending", false: " ascending"}[it.Desc])
	}
	o.By, o.Shown = parts(by), exact
	if !known {
		o.Keys = positionsOf(len(e.gold.Columns))
	}
	if first := e.columnOf(q, q.resolved(items[0].Expr)); first >= 0 {
		rise, fall := cell.Directions(&e.gold.Columns[first])
		o.Lost = items[0].Desc && rise || !items[0].Desc && fall
	}
}

// columnOf returns the gold column that the sort key x shows, by its expression, position or name; -1 if there is none.
func (e *evidence) columnOf(q *query, x sqlparts.Expr) int {
	text := sqlparts.Normalized(x)
	for i := range e.gold.Columns {
		if item := q.item(i, len(e.gold.Columns)); item != nil && sqlparts.Normalized(item) == text {
			return i
		}
	}
	switch x := x.(type) {
	case *sqlparts.Literal: // a position
		for i := range e.gold.Columns {
			if x.Kind == sqlparts.Number && x.Text == strconv.Itoa(i+1) {
				return i
			}
		}
	case *sqlparts.Column:
		if len(q.items()) == len(e.gold.Columns) {
			return -1 // a column that is not selected
		}
		named := func(c scoring.Column) bool { return strings.EqualFold(c.Name, x.Name.Last().Text) }
		if i := slices.IndexFunc(e.gold.Columns, named); i >= 0 && !slices.ContainsFunc(e.gold.Columns[i+1:], named) {
			return i
		}
	}
	return -1
}

// columnsIn returns the gold columns that a sort key is computed from; ok is false if it also depends on anything else,
// such as an aggregate, a window or a subquery.
func (e *evidence) columnsIn(q *query, x sqlparts.Expr) (columns []int, ok bool) {
	ok = true
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query, *sqlparts.Subquery, *sqlparts.Star:
			ok = false
		case *sqlparts.Column:
			if i := e.columnOf(q, n); i >= 0 {
				columns = append(columns, i)
			} else {
				ok = false
			}
		case *sqlparts.Call:
			ok = ok && n.Over == nil && !sqlparts.IsAggregate(strings.ToLower(n.Name.Last().Text))
		}
		return ok
	})
	return columns, ok
}

// orderOfRows sets the fields of o from gold's rows: the key is the sorted column that the question names (of several,
// the one with the most values), or the only sorted column of numbers or times. If there is none, every row must be
// where it is in gold.
func (e *evidence) orderOfRows(o *Order) {
	var named, measures []int
	for i := range e.gold.Columns {
		c := &e.gold.Columns[i]
		if rise, fall := cell.Directions(c); rise == fall {
			continue
		}
		if e.namesColumn(c.Name) {
			named = append(named, i)
		}
		if measured(c) {
			measures = append(measures, i)
		}
	}
	if len(named) == 0 && len(measures) == 1 {
		named = measures
	}
	if len(named) == 0 {
		o.Keys = positionsOf(len(e.gold.Columns))
		return
	}
	key := slices.MaxFunc(named, func(a, b int) int { return e.distinct(a) - e.distinct(b) })
	_, fall := cell.Directions(&e.gold.Columns[key])
	o.Keys, o.Shown, o.nulls = []int{key}, true, true
	o.By = columnName(e.gold, key) + map[bool]string{true: " descending", false: " ascending"}[fall]
}

// namesColumn reports whether the question mentions a word of a column's name.
func (e *evidence) namesColumn(name string) bool {
	return e.asks().MentionsPart(name)
}

func (e *evidence) distinct(column int) int {
	keys := slices.Clone(e.goldKeys(column))
	slices.Sort(keys)
	return len(slices.Compact(keys))
}

// goldKeys returns the keys of the unconverted cells of a gold column.
func (e *evidence) goldKeys(column int) []uint64 {
	c := &e.gold.Columns[column]
	return cell.AllKeys(c, cell.View{Kind: cell.NaturalKind(c)})
}

func positionsOf(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Sequence is a valid order of gold's rows, with the groups of tied rows.
type Sequence struct {
	Rows []int32 // gold's rows, in order
	Ties []int32 // Ties[i] is the number of the group of tied rows that position i belongs to
}

// Sequences returns the valid orders of gold's rows: the given one and, if the keys have NULLs whose position the query
// does not fix, the one with NULLs at the other end.
func (o *Order) Sequences(gold *scoring.Table) []Sequence {
	e := &evidence{gold: gold}
	keys := make([][]uint64, len(o.Keys))
	nulls := false
	for k, column := range o.Keys {
		keys[k] = e.goldKeys(column)
		nulls = nulls || gold.Columns[column].HasNulls()
	}
	rows := make([]int32, gold.Rows())
	for i := range rows {
		rows[i] = int32(i) //nolint:gosec // rows are bounded far below
	}
	out := []Sequence{{rows, ties(rows, keys)}}
	if !o.nulls || !o.Shown || !nulls {
		return out
	}
	other := slices.Clone(rows)
	for k := range keys {
		group := ties(other, keys[:k])
		for from := 0; from < len(other); {
			to := from + 1
			for to < len(other) && group[to] == group[from] {
				to++
			}
			turnNulls(other[from:to], keys[k])
			from = to
		}
	}
	return append(out, Sequence{other, ties(other, keys)})
}

// ties returns for each position the number of its group; neighboring rows with equal keys in all of keys are in the
// same group.
func ties(rows []int32, keys [][]uint64) []int32 {
	out := make([]int32, len(rows))
	for i := 1; i < len(rows); i++ {
		out[i] = out[i-1]
		if slices.ContainsFunc(keys, func(k []uint64) bool { return k[rows[i]] != k[rows[i-1]] }) {
			out[i]++
		}
	}
	return out
}

// turnNulls moves the rows with a NULL key from the start to the end, or from the end to the start.
func turnNulls(rows []int32, key []uint64) {
	null := func(row int32) bool { return key[row] == cell.NullKey }
	var with, without []int32
	for _, row := range rows {
		if null(row) {
			without = append(without, row)
		} else {
			with = append(with, row)
		}
	}
	if null(rows[0]) {
		copy(rows, append(with, without...))
	} else {
		copy(rows, append(without, with...))
	}
}

// Broken returns a sentence that states the order and that the answer's rows are in another.
func (o *Order) Broken() string {
	var s string
	switch {
	case o.by != "":
		s = fmt.Sprintf("Gold's query sorts its rows by %s, the answer's by %s", o.By, o.by)
	case o.Phrase == "":
		s = "Gold's query sorts its rows by " + o.By
	case o.By == "":
		s = fmt.Sprintf("The question asks for an order (\"%s\")", o.Phrase)
	default:
		s = fmt.Sprintf("The question asks for an order (\"%s\"), which is %s", o.Phrase, o.By)
	}
	s += "; the answer's rows come in another"
	if !o.Shown {
		s += ", and gold's columns do not show all that they are sorted by, so that rows that tie cannot be told"
	}
	return s + "."
}

// CompareOrder returns [AskedOrder], and reports whether the answer's rows are in this order. If the rows of the two
// sides differ, it compares the order of those that both have. kept is false if o is nil.
func CompareOrder(in Input) (o *Order, kept bool) {
	e := &evidence{Input: in, gold: in.Gold, pred: in.Pred}
	if o = e.askedOrder(); o != nil {
		e = newEvidence(in)
		kept = e.keeps(o)
	}
	return o, kept
}

// brokenOrder returns the order that is part of the answer if the answer's rows, or its own row numbers, are in another
// order; else nil.
func (e *evidence) brokenOrder() *Order {
	if e.broken == nil {
		var o *Order
		if !e.queriesOnly {
			o = e.askedOrder()
		}
		if o != nil && e.keeps(o) && !e.numberedOtherwise(o) {
			o = nil
		}
		e.broken = &o
	}
	return *e.broken
}

// keeps reports whether the answer's rows are in the order o. It is true if the answer lacks a sort key's column, or if
// gold's rows are not in gold's own order and the queries do not sort in opposite directions.
func (e *evidence) keeps(o *Order) bool {
	switch {
	case o.Proven || e.pred.Rows() < 2:
		return true
	case o.Lost:
		return !o.opposed
	}
	pairs := make([]int, len(o.Keys))
	for k, column := range o.Keys {
		pairs[k] = slices.IndexFunc(e.a.Columns, func(c scoring.ColumnPair) bool { return c.Gold == column })
		if pairs[k] < 0 && !allNull(&e.gold.Columns[column]) {
			return true // the answer does not show what it should be sorted by
		}
	}
	pairs = slices.DeleteFunc(pairs, func(k int) bool { return k < 0 })
	return slices.ContainsFunc(o.Sequences(e.gold), func(s Sequence) bool {
		if e.counts.Score == 1 && e.gold.Rows() == e.pred.Rows() {
			return cell.SameSequence(e.gold, e.pred, e.a, pairs, s.Rows)
		}
		return e.inStep(pairs, s, nil)
	})
}

// placeWords are words in names of columns that number the rows.
var placeWords = wordSet("rank ranking rk rnk place placing position pos no nr num number n rn row rownum seq sequence order ord ordinal step stop idx index standing leg lap stage round heat turn part chapter episode track item line level tier pick seed finish")

// backwards are words in Order.Phrase with which the first row may have the highest number.
var backwards = wordSet("worst bottom last reverse reversed countdown lowest descending desc")

// numberedOtherwise reports whether the answer has a column that numbers its rows from 1 in another order than o.
func (e *evidence) numberedOtherwise(o *Order) bool {
	if o.Proven || o.Lost || len(e.missing()) > 0 ||
		slices.ContainsFunc(strings.Fields(o.Phrase), func(w string) bool { return backwards[w] }) {
		return false
	}
	for _, j := range e.a.Extra {
		c := &e.pred.Columns[j]
		rows := e.numbered(c)
		if rows == nil ||
			!anyWord(naming.Words(c.Name), placeWords) && !ranks(e.queries().pred.item(j, len(e.pred.Columns))) {
			continue
		}
		if !slices.ContainsFunc(o.Sequences(e.gold), func(s Sequence) bool { return e.inStep(e.allPairs(), s, rows) }) {
			return true
		}
	}
	return false
}

// ranks reports whether an expression is ROW_NUMBER, RANK or DENSE_RANK over a window.
func ranks(x sqlparts.Expr) bool {
	c, ok := x.(*sqlparts.Call)
	if !ok || c.Over == nil {
		return false
	}
	switch strings.ToLower(c.Name.Last().Text) {
	case "row_number", "rank", "dense_rank":
		return true
	}
	return false
}

// numbered returns the answer's rows sorted by the column c if it numbers them from 1, with ties; else nil.
func (e *evidence) numbered(c *scoring.Column) []int {
	if c.Type != scoring.Int64 || c.HasNulls() || c.Len() < 2 {
		return nil
	}
	ints := c.Ints()
	rows := make([]int, len(ints))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(ints[a], ints[b]) })
	for at, row := range rows {
		if ints[row] < 1 || ints[row] > int64(at)+1 || at > 0 && ints[row]-ints[rows[at-1]] > int64(at) {
			return nil
		}
	}
	if ints[rows[len(rows)-1]] == 1 {
		return nil
	}
	return rows
}

// inStep reports whether the rows that both sides have, by their keys in pairs, are in the order s in the answer. It
// ignores keys in several groups of s. rows is the order of the answer's rows; nil is the order of the result.
func (e *evidence) inStep(pairs []int, s Sequence, rows []int) bool {
	gold, pred := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	for _, k := range pairs {
		keys := e.keys(k)
		mixInto(gold, keys.g)
		mixInto(pred, keys.p)
	}
	place := make(map[uint64]int32, len(gold))
	for at, row := range s.Rows {
		was, seen := place[gold[row]]
		switch {
		case !seen:
			place[gold[row]] = s.Ties[at]
		case was != s.Ties[at]:
			place[gold[row]] = -1
		}
	}
	last := int32(-1)
	for i := range pred {
		key := pred[i]
		if rows != nil {
			key = pred[rows[i]]
		}
		if at, ok := place[key]; ok && at >= 0 {
			if at < last {
				return false
			}
			last = at
		}
	}
	return true
}

func reordered(e *evidence) *found {
	o := e.brokenOrder()
	if o == nil {
		return nil
	}
	r := &found{text: o.Broken(), proof: Proof{Gold: o.By}}
	if o.Shown {
		r.proof.GoldColumns = o.Keys
	}
	return r
}
