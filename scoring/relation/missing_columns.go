package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

var droppedKinds = []Kind{
	{
		Name: "dropped_order_key", Display: "Sort key not shown", Group: Columns,
		Class: Presentational, find: droppedOrderKey,
		Meaning: "All other columns agree; the answer leaves out an aggregate by which gold only sorts or filters, or a measure in whose order it shows its own rows, and that the question does not ask for.", Example: "('a', 9) by ORDER BY COUNT(*) LIMIT 1; ('a')",
	},
	{
		Name: "dropped_filter", Display: "Filtered column not shown", Group: Columns,
		Class: Presentational, find: func(e *evidence) *found { return droppedFilter(e, true) },
		Meaning: "All other columns agree; the answer leaves out a column that gold's conditions hold to one value, or in which its query writes one, and which the question names without asking for the column.", Example: "('TR1', '+') where id = 'TR1'; ('+')",
	},
	{
		Name: "dropped_filter_list", Display: "Column with several filter values not shown", Group: Columns,
		Class: Defensible, WrittenFrom: "maple", find: func(e *evidence) *found { return droppedFilter(e, false) },
		Meaning: "All other columns agree; the answer leaves out a column that gold's conditions hold to several values, which the question names, so that it does not show which row belongs to which value.", Example: "('TR1', '+'), ('TR2', '-') where id IN ('TR1', 'TR2'); ('+'), ('-')",
	},
	{
		Name: "dropped_constant", Display: "Column with one value missing", Group: Columns,
		Class: Difference, find: droppedConstant,
		Meaning: "All other columns agree over several rows; the answer leaves out a column that has one value throughout.",
		Example: "('a', 2024), ('b', 2024); ('a'), ('b')",
	},
	{
		Name: "dropped_name_part", Display: "Part of a name missing", Group: Columns,
		Class: Defensible, find: droppedNamePart,
		Meaning: "All other columns agree; of a person's first and last name the answer shows one.",
		Example: "('Ada', 'Lovelace'); ('Lovelace')",
	},
	{
		Name: "dropped_asked", Display: "A column that was asked for is missing", Group: Columns,
		Class: Difference, find: droppedAsked,
		Meaning: "All other columns agree; the answer leaves out a column that the question names.",
		Example: "('a', 'Bonn'), where the question asks for the city; ('a')",
	},
	{
		Name: "dropped_columns", Display: "Column missing", Group: Columns,
		Class: Difference, find: droppedColumns,
		Meaning: "The columns that the answer shows agree; it leaves out others.", Example: "('a', 1); ('a')",
	},
}

// dropped returns the gold columns that the answer lacks if all columns that it has agree with gold's row by row; else
// nil. It is also nil if the answer has such a column negated under an opposite name.
func (e *evidence) dropped() []int {
	if e.queriesOnly || e.gold.Rows() == 0 || e.pred.Rows() == 0 {
		return nil
	}
	missing := e.missing()
	var shown []int
	for k := range e.a.Columns {
		if c := &e.a.Columns[k]; c.Overlap > 0 {
			shown = append(shown, k)
		} else {
			missing = append(missing, c.Gold)
		}
	}
	if len(missing) == 0 || len(shown) == 0 {
		return nil
	}
	if len(missing) > len(e.a.Missing) && len(e.extra()) > 0 || len(shown) < len(e.a.Columns) {
		return nil // another column is in the place of one of them
	}
	m := e.over(shown)
	if !m.sameBag() && !(m.sameSet() && len(m.pred) <= len(m.gold)) {
		return nil
	}
	if negated(e, true) != nil {
		return nil // it exists, the other way round
	}
	slices.Sort(missing)
	return missing
}

func (e *evidence) left(columns []int, why string) *found {
	return &found{
		text:  fmt.Sprintf("All columns that the answer shows agree; it leaves out %s%s.", named(e.gold, columns), why),
		proof: Proof{GoldColumns: columns},
	}
}

// allOf reports whether columns is not empty and holds is true for each element.
func allOf(columns []int, holds func(int) bool) bool {
	return len(columns) > 0 && !slices.ContainsFunc(columns, func(i int) bool { return !holds(i) })
}

func droppedOrderKey(e *evidence) *found {
	d, q := e.dropped(), e.queries().gold
	if q == nil || e.asks().Empty() || len(d) == 0 || e.asksForMore(d) {
		return nil
	}
	if allOf(d, func(i int) bool { return e.serves(q, i) }) {
		return e.left(d, ", by which gold sorts or filters and which the question does not ask for")
	}
	if e.sortedBy(d) {
		return e.left(d, ", by which the answer sorts its rows and which the question does not ask for")
	}
	return nil
}

// asksForMore reports whether the question requests one of the gold columns left, or more things than there are other
// columns.
func (e *evidence) asksForMore(left []int) bool {
	shown := e.allExcept(left)
	return slices.ContainsFunc(left, func(i int) bool { return e.requests(i, shown) }) || e.asks().Things() > len(shown)
}

// allExcept returns all gold columns except the given ones.
func (e *evidence) allExcept(columns []int) []int {
	return slices.DeleteFunc(positionsOf(len(e.gold.Columns)), func(i int) bool { return slices.Contains(columns, i) })
}

// sortedBy reports whether the answer's query sorts and its rows are in the order, ascending or descending, of each of
// the given gold columns. These must be numeric without NULLs, with at least two changes of value.
func (e *evidence) sortedBy(columns []int) bool {
	if q := e.queries().pred; q == nil || len(q.order) == 0 {
		return false
	}
	m := e.over(e.allPairs())
	if m == nil || !m.unique() || !m.sameSet() {
		return false
	}
	partners := m.partners()
	return allOf(columns, func(i int) bool {
		c := &e.gold.Columns[i]
		if !c.Type.Numeric() || c.HasNulls() {
			return false
		}
		shown := make([]scoring.Value, len(partners))
		for row, at := range partners {
			shown[at] = c.Value(row)
		}
		rises, falls := 0, 0
		for k := 1; k < len(shown); k++ {
			switch d := cell.Order(shown[k-1], shown[k]); {
			case d < 0:
				rises++
			case d > 0:
				falls++
			}
		}
		return (rises == 0) != (falls == 0) && rises+falls >= 2
	})
}

// serves reports whether a gold column is an aggregate by which gold's query cuts off its sorted rows or filters after
// grouping.
func (e *evidence) serves(q *query, column int) bool {
	x := q.item(column, len(e.gold.Columns))
	if x == nil || !aggregated(x) {
		return false
	}
	text := sqlparts.Normalized(x)
	if slices.ContainsFunc(q.order, func(o orderKey) bool { return o.text == text }) && q.cutsOff() {
		return true
	}
	return slices.ContainsFunc(q.conditions, func(c condition) bool { return c.late() && strings.Contains(c.text, text) })
}

// droppedFilter returns a finding if gold's conditions restrict all columns that the answer leaves out to literals in
// the question, which does not request these columns; else nil. toOne selects whether each of them holds one value
// only.
func droppedFilter(e *evidence, toOne bool) *found {
	d, q := e.dropped(), e.queries().gold
	if q == nil || e.asks().Empty() ||
		!allOf(d, func(i int) bool { return e.heldTo(q, i) && !e.asks().Requests(e.gold.Columns[i].Name) }) {
		return nil
	}
	if toOne != allOf(d, func(i int) bool {
		keys := e.naturalKeys(goldSide, i)
		return !varies(keys, keys[0])
	}) {
		return nil
	}
	return e.left(d, fmt.Sprintf(", which %s held to what the question names", printable.Verb(len(d), "is", "are")))
}

// heldTo reports whether a gold column is a literal that the question contains, or WHERE restricts it by = or IN to
// such literals.
func (e *evidence) heldTo(q *query, column int) bool {
	x := q.item(column, len(e.gold.Columns))
	if x == nil {
		return false
	}
	asked := e.asks().Plain()
	if l := literalOf(x); l != nil {
		return question.Contains(asked, l.Text)
	}
	name := sqlparts.Normalized(x)
	return slices.ContainsFunc(q.conditions, func(c condition) bool {
		if c.Clause != sqlparts.WhereClause || c.Column != name || c.Operator != "=" && c.Operator != "in" ||
			len(c.Values()) == 0 {
			return false
		}
		return !slices.ContainsFunc(c.Values(), func(x sqlparts.Expr) bool {
			l := literalOf(x)
			return l == nil || !question.Contains(asked, l.Text)
		})
	})
}

func droppedConstant(e *evidence) *found {
	d := e.dropped()
	if e.gold.Rows() < 2 || !allOf(d, func(i int) bool {
		keys := e.naturalKeys(goldSide, i)
		return keys[0] != cell.NullKey && !varies(keys, keys[0])
	}) {
		return nil
	}
	return e.left(d, ", which "+printable.Verb(len(d), "has", "have")+" one value throughout")
}

// partsOfNames are words that name a part of a person's name.
var partsOfNames = map[string]bool{
	"first": true, "last": true, "middle": true, "given": true, "family": true, "forename": true, "forenames": true,
	"surname": true, "firstname": true, "lastname": true, "fname": true, "lname": true,
}

func isNamePart(name string) bool {
	w := naming.Words(name)
	return len(w) > 0 && partsOfNames[w[0]] && (len(w) == 1 || len(w) == 2 && w[1] == "name")
}

func droppedNamePart(e *evidence) *found {
	d := e.dropped()
	if !allOf(d, func(i int) bool { return isNamePart(e.gold.Columns[i].Name) }) {
		return nil
	}
	for k := range e.a.Columns {
		if isNamePart(e.gold.Columns[e.a.Columns[k].Gold].Name) {
			return e.left(d, ", a part of a name of which it shows the other")
		}
	}
	return nil
}

func droppedAsked(e *evidence) *found {
	d := e.dropped()
	if len(d) == 0 || e.asks().Empty() || droppedOrderKey(e) != nil || droppedFilter(e, true) != nil ||
		droppedFilter(e, false) != nil {
		return nil
	}
	shown := e.allExcept(d)
	told := slices.DeleteFunc(slices.Clone(d), func(i int) bool { return !e.requests(i, shown) })
	if len(told) == 0 {
		if e.asks().Things() <= len(shown) {
			return nil
		}
		told = d
	}
	return e.left(told, ", which the question asks for")
}

func droppedColumns(e *evidence) *found {
	d := e.dropped()
	if len(d) == 0 {
		return nil
	}
	return e.left(d, "")
}
