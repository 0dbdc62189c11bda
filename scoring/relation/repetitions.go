package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

var repetitionKinds = []Kind{
	{
		Name: "duplicates_against_question", Display: "Repeated rows kept or removed against the question", Group: Counting,
		Class: Difference, find: func(e *evidence) *found {
			r := repetitions(e, false, true)
			if r == nil {
				r = repetitions(e, true, true)
			}
			if r == nil || !e.countsAgainst() {
				return nil
			}
			r.text = strings.TrimSuffix(r.text, ".") +
				map[bool]string{true: "; the question asks for every one.",
					false: "; the question asks for each once."}[e.pred.Rows() < e.gold.Rows()]
			return r
		},
		Meaning: "As duplicates: the answer's query drops repetitions, but the question asks for a row for each thing, or gold's does, and the question asks for each once.", Example: "SELECT price for \"the price on each line\": (5), (5); SELECT DISTINCT price: (5)",
	},
	{
		Name: "duplicates", Display: "Repeated rows kept on one side only", Group: Counting,
		Class: Defensible, find: func(e *evidence) *found { return allowed(e, false) },
		Meaning: "The same rows, some of them more or less often: one query drops repetitions, the other does not, and neither shows an aggregate or cuts its rows off.", Example: "SELECT DISTINCT name: ('a'), ('b'); SELECT name: ('a'), ('b'), ('b')",
	},
	{
		Name: "duplicates_extra_columns", Display: "Repeated rows kept on one side only, and more columns", Group: Counting,
		Class: Defensible, find: func(e *evidence) *found { return allowed(e, true) },
		Meaning: "The answer has every gold row and no other, some of them more or less often, as where one query alone drops repetitions, and the answer shows more columns.", Example: "SELECT DISTINCT name: ('a'), ('b'); SELECT name, n: ('a', 1), ('a', 2), ('b', 1)",
	},
	{
		Name: "repeated", Display: "Rows repeated by a join", Group: GroupsAndJoins,
		Class: Difference, find: func(e *evidence) *found {
			if r := repetitions(e, false, false); r != nil {
				return r
			}
			return repetitions(e, true, false)
		},
		Meaning: "The same rows, some of them more or less often, and the queries do not say why: a join may have repeated them, or values that are equal were taken for one.", Example: "(5), (7), (7); (5), (7)",
	},
}

// allowed returns a finding if the results differ only in repeated rows, the queries explain why, and the question does
// not ask otherwise; else nil. extra selects whether the answer has additional columns.
func allowed(e *evidence, extra bool) *found {
	r := repetitions(e, extra, true)
	if r == nil || e.countsAgainst() {
		return nil
	}
	return r
}

// countsAgainst reports whether the answer has fewer rows although the question asks for every row, or has no fewer
// although it asks for each value once and the answer has no additional columns.
func (e *evidence) countsAgainst() bool {
	if e.pred.Rows() < e.gold.Rows() {
		return e.asks().EveryRow()
	}
	return len(e.extra()) == 0 && e.asks().Once()
}

// repetitions returns a finding if both sides hold the same set of rows in gold's columns, but not equally often; else
// nil. extra selects whether the answer has additional columns, explained whether the queries explain the repetitions.
func repetitions(e *evidence, extra, explained bool) *found {
	m := e.rows()
	if m == nil || !m.sameSet() || m.sameBag() || extra != (len(e.extra()) > 0) ||
		explained != (e.queries().repeat(m) && (len(m.gold) < len(m.pred) || e.identifies())) {
		return nil
	}
	r := &found{
		text: fmt.Sprintf("Both results hold the same %s, not equally often: gold has %d in all, the answer %d.",
			printable.Count(m.shared, "different row"), len(m.gold), len(m.pred)),
		proof: Proof{OnlyGold: len(m.onlyGold), OnlyPred: len(m.onlyPred)},
	}
	if extra {
		r.text = fmt.Sprintf("Both results hold the same %s in gold's columns, not equally often; the answer also shows %s.",
			printable.Count(m.shared, "different row"), named(e.pred, e.extra()))
		r.proof.PredColumns = e.extra()
	}
	return r
}

// identifies reports whether gold has a column that is not numeric, or a key, so that equal rows describe the same
// thing.
func (e *evidence) identifies() bool {
	return slices.ContainsFunc(e.gold.Columns, func(c scoring.Column) bool { return !c.Type.Numeric() || keyish(&c) })
}

// repeat reports whether only the query with fewer rows drops duplicates, and neither query aggregates or cuts off its
// rows, so that equal rows describe the same thing.
func (q *queries) repeat(m *matching) bool {
	if !q.both() {
		return false
	}
	fewer, more := q.gold, q.pred
	if len(m.gold) > len(m.pred) {
		fewer, more = more, fewer
	}
	return fewer.dropsRepetitions() && !more.dropsRepetitions() && fewer.lists() && more.lists()
}

// dropsRepetitions reports whether the query returns no duplicate rows: by DISTINCT, by grouping by columns that it
// shows, or by a set operation without ALL.
func (q *query) dropsRepetitions() bool {
	switch body := bodyOf(q.query).(type) {
	case *sqlparts.Select:
		return body.Distinct || q.grouped() && len(without(q.parts.GroupBy, q.parts.Select)) == 0
	case *sqlparts.SetOp:
		return !slices.ContainsFunc(body.Ops, func(o sqlparts.SetOperator) bool { return o.All })
	}
	return false
}

// lists reports whether the query neither cuts off its rows nor has an aggregate in its select list.
func (q *query) lists() bool {
	return !q.cutsOff() &&
		(q.final == nil || !slices.ContainsFunc(q.final.Items, func(it *sqlparts.Item) bool { return aggregated(it.Expr) }))
}
