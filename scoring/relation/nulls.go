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
)

var nullKinds = []Kind{
	{
		Name: "null_as_zero", Display: "Zero on one side, NULL on the other", Group: ShownOtherwise,
		Class: Presentational, find: nullAsZero,
		Meaning: "All rows agree but that NULLs of one side are 0 on the other, in counts or sums by their names or queries: there was nothing to add up, unless gold's query shows the stored column. The question does not say that values are missing.", Example: "(k, total) = ('a', NULL); ('a', 0)",
	},
	{
		Name: "null_labelled", Display: "A word in place of NULL", Group: ShownOtherwise,
		Class: Presentational, find: nullLabelled,
		Meaning: "All rows agree but that the NULLs of a column are one and the same text on the other side, a word for what is missing, which does not occur there otherwise and which its query writes; where the queries are not known, the answer has it.", Example: "(NULL, 3); ('unknown', 3)",
	},
	{
		Name: "blank_rows", Display: "Rows without any value kept or dropped", Group: Filters,
		Class: Defensible, WrittenFrom: "maple", find: blankRows,
		Meaning: "Every row of one side is on the other, whose other rows are NULL in every column of gold, and carry no information; one query alone leaves NULLs out, by IS NOT NULL or an inner join. The other rows occur equally often, or one query alone drops repetitions.", Example: "('Ada'), ('Bob'); ('Ada'), ('Bob'), (NULL)",
	},
	{
		Name: "null_rows_kept", Display: "Rows without a value kept", Group: Filters,
		Class: Defensible, find: func(e *evidence) *found { return nullRows(e, predSide) },
		Meaning: "The answer has every gold row; each other row of it has NULL in one and the same column, where gold never has one.", Example: "('a', 1); ('a', 1), (NULL, 4)",
	},
	{
		Name: "null_rows_dropped", Display: "Rows without a value dropped", Group: Filters,
		Class: Difference, find: func(e *evidence) *found { return nullRows(e, goldSide) },
		Meaning: "Every row of the answer is in gold; each other gold row has NULL in one and the same column, where the answer never has one.", Example: "('a', 1), (NULL, 4); ('a', 1)",
	},
}

// replacedNulls matches rows by all pairs after it replaces the NULLs of the side that has more of them by the key that
// function key returns for the pair. pairs are the pairs with replaced NULLs; m is nil if there are none.
func (e *evidence) replacedNulls(
	key func(pair int, null, c *scoring.Column, keys []uint64) (uint64, bool)) (m *matching, pairs []int) {
	if e.queriesOnly || e.gold.Rows() == 0 || e.gold.Rows() != e.pred.Rows() || len(e.missing()) > 0 {
		return nil, nil
	}
	given := map[int]pairKeys{}
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		g, p := &e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred]
		nulls := e.nulls(k)
		if nulls.gold == nulls.pred {
			continue
		}
		switch keys := e.keys(k); {
		case nulls.gold > nulls.pred:
			if to, ok := key(k, g, p, keys.p); ok && onlyNulls(g, keys.g) && count(keys.g, to) < count(keys.p, to) {
				given[k] = pairKeys{replaced(keys.g, to), replaced(keys.p, to)}
				pairs = append(pairs, k)
			}
		default:
			if to, ok := key(k, p, g, keys.g); ok && onlyNulls(p, keys.p) && count(keys.p, to) < count(keys.g, to) {
				given[k] = pairKeys{replaced(keys.g, to), replaced(keys.p, to)}
				pairs = append(pairs, k)
			}
		}
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	gold, pred := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	for k := range e.a.Columns {
		keys, ok := given[k]
		if !ok {
			keys = e.keys(k)
		}
		mixInto(gold, keys.g)
		mixInto(pred, keys.p)
	}
	return match(gold, pred), pairs
}

// pairNulls is the number of NULL or NaN cells in each column of an aligned pair, after conversion.
type pairNulls struct{ gold, pred int }

func (e *evidence) nulls(pair int) pairNulls {
	if n, ok := e.pairNulls[pair]; ok {
		return n
	}
	var n pairNulls
	if c := &e.a.Columns[pair]; c.GoldFormat != "" || c.PredFormat != "" || !hasNone(&e.gold.Columns[c.Gold]) ||
		!hasNone(&e.pred.Columns[c.Pred]) {
		keys := e.keys(pair)
		n = pairNulls{count(keys.g, cell.NullKey), count(keys.p, cell.NullKey)}
	}
	if e.pairNulls == nil {
		e.pairNulls = map[int]pairNulls{}
	}
	e.pairNulls[pair] = n
	return n
}

// hasNone reports whether a column has no NULL and no NaN, if its type allows checking this without keys; false for
// other types.
func hasNone(c *scoring.Column) bool {
	switch c.Type {
	case scoring.Float64:
		return !c.HasNulls() && !slices.ContainsFunc(c.Floats(), func(f float64) bool { return f != f })
	case scoring.Int64, scoring.Bool, scoring.Date, scoring.String:
		return !c.HasNulls()
	}
	return false
}

func count(keys []uint64, key uint64) int {
	n := 0
	for _, k := range keys {
		if k == key {
			n++
		}
	}
	return n
}

func replaced(keys []uint64, null uint64) []uint64 {
	out := make([]uint64, len(keys))
	for i, k := range keys {
		if out[i] = k; k == cell.NullKey {
			out[i] = null
		}
	}
	return out
}

var zeroKey = func() uint64 {
	b := scoring.NewBuilder("", scoring.Int64, 1)
	b.AppendInt(0)
	c := b.Column()
	return cell.AllKeys(&c, cell.View{Kind: scoring.KindNumber})[0]
}()

func nullAsZero(e *evidence) *found {
	if e.asks().Blank() {
		return nil
	}
	m, pairs := e.replacedNulls(func(pair int, _, c *scoring.Column, _ []uint64) (uint64, bool) {
		return zeroKey, c.Type.Numeric() && e.pairAdds(pair) && !e.stored(pair)
	})
	if m == nil || !m.sameBag() {
		return nil
	}
	return e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree, but in %s the NULLs of one side are 0 on the other.",
			named(e.gold, e.goldColumns(pairs))))
}

// stored reports whether gold's query shows a stored column of a table for a pair, so that a NULL is recorded and not a
// sum over no rows.
func (e *evidence) stored(pair int) bool {
	it := e.goldItem(e.a.Columns[pair].Gold)
	return it != nil && it.Stored
}

func nullLabelled(e *evidence) *found {
	m, pairs := e.replacedNulls(e.label)
	if m == nil || !m.sameBag() {
		return nil
	}
	return e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree, but in %s the NULLs of one side are a text on the other.",
			named(e.gold, e.goldColumns(pairs))))
}

// labels are words for a missing value in a report.
var labels = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"", "-", "--", "—", "?", "n/a", "n.a.", "none", "null", "nil", "unknown", "missing", "undefined", "unspecified",
		"unassigned", "unavailable", "blank", "empty",
		"not set", "not available", "not applicable", "not given", "not known", "not specified", "not assigned",
		"not recorded", "no value", "no data", "no name", "no entry",
	} {
		m[w] = true
	}
	return m
}()

// totals are words for the total row of a ROLLUP or CUBE, in which NULL means all.
var totals = map[string]bool{"total": true, "all": true, "grand total": true, "totals": true, "overall": true,
	"sum": true}

// isLabel reports whether s, ignoring case, brackets and spaces around it, means that a value is missing: n/a, (not
// set), or No region in a column region. name holds the words of the column's name.
func isLabel(s string, name []string) bool {
	if len(s) > 40 {
		return false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if n := len(s); n > 2 &&
		(s[0] == '(' && s[n-1] == ')' || s[0] == '[' && s[n-1] == ']' || s[0] == '<' && s[n-1] == '>') {
		s = strings.TrimSpace(s[1 : n-1])
	}
	if labels[s] {
		return true
	}
	first, rest, more := strings.Cut(s, " ")
	return more && (first == "no" || first == "without" || first == "unknown" || first == "missing") &&
		slices.Contains(name, rest)
}

// label returns the key of the only string in the column c that means a missing value. ok is false if there is none or
// several, or if a value consists of signs only, such as +.
func (e *evidence) label(pair int, null, c *scoring.Column, keys []uint64) (uint64, bool) {
	if c.Type != scoring.String {
		return 0, false
	}
	name := append(naming.Words(c.Name), naming.Words(null.Name)...)
	rollup := slices.ContainsFunc([]string{"rollup", "cube", "grouping sets"},
		func(w string) bool { return question.Contains(question.Plain(e.GoldSQL), w) })
	var key uint64
	for i, k := range keys {
		if k == key || k == cell.NullKey {
			continue
		}
		if !isLabel(c.Text(i), name) && !(rollup && totals[strings.ToLower(c.Text(i))]) {
			if letters(c.Text(i)) == "" {
				return 0, false
			}
			continue
		}
		if key != 0 || !e.labels(pair, c, c.Text(i)) {
			return 0, false
		}
		key = k
	}
	return key, key != 0
}

// labels reports whether a string replaces NULL and is not stored data: the query of its side contains it as a literal
// or, if that query is unknown, it is the answer's.
func (e *evidence) labels(pair int, c *scoring.Column, text string) bool {
	inGold := c == &e.gold.Columns[e.a.Columns[pair].Gold]
	sql := e.PredSQL
	if inGold {
		sql = e.GoldSQL
	}
	if strings.TrimSpace(sql) == "" {
		return !inGold
	}
	return strings.Contains(strings.ToLower(sql), "'"+strings.ToLower(text)+"'")
}

// blankRows returns a finding if the sides differ in rows that are NULL in every aligned column, and only one query
// drops NULLs; else nil. Other rows may differ in repetitions if only one query drops duplicates.
func blankRows(e *evidence) *found {
	m := e.rows()
	if m == nil || m.equal == 0 || (len(m.newGold) > 0) == (len(m.newPred) > 0) {
		return nil
	}
	rows, s := m.newPred, predSide
	if len(m.newGold) > 0 {
		rows, s = m.newGold, goldSide
	}
	for k := range e.a.Columns {
		if !nullAt(&e.table(s).Columns[e.columnOfPair(s, k)], rows) {
			return nil
		}
	}
	q := e.queries()
	if fewer, more := q.gold,
		q.pred; !q.both() || s == predSide && !fewer.leavesNullsOut(more) || s == goldSide && !more.leavesNullsOut(fewer) {
		return nil
	}
	if len(m.onlyGold)+len(m.onlyPred) > len(rows) && !e.queries().repeat(m) {
		return nil
	}
	r := &found{
		text: fmt.Sprintf("Both results hold the same rows; besides, the answer has %s of NULLs.",
			printable.Count(len(rows), "row"))}
	if s == goldSide {
		r.text = fmt.Sprintf("Both results hold the same rows; besides, gold has %s of NULLs.",
			printable.Count(len(rows), "row"))
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(rows)
	return r
}

// leavesNullsOut reports whether q drops NULLs that other keeps: only q has IS NOT NULL, or only other has an outer
// join.
func (q *query) leavesNullsOut(other *query) bool {
	drops := func(q *query) bool {
		return slices.ContainsFunc(q.conditions,
			func(c condition) bool { return c.Operator == "is not" && c.Value == "null" })
	}
	return drops(q) && !drops(other) || other.outer && !q.outer
}

// nullRows returns a finding if all additional rows of side more are NULL in a column in which the other side has no
// NULL, else nil.
func nullRows(e *evidence, more side) *found {
	m := e.rows()
	if m == nil || len(e.a.Columns) == 0 {
		return nil
	}
	rows, none := m.onlyPred, m.onlyGold
	if more == goldSide {
		rows, none = none, rows
	}
	if len(rows) == 0 || len(none) > 0 || m.equal == 0 || e.totalRow(more) >= 0 || blankRows(e) != nil {
		return nil
	}
	at := -1 // of several such columns, the first by name
	for k := range e.a.Columns {
		keys := e.keys(k)
		there := keys.g
		if more == goldSide {
			there = keys.p
		}
		column := &e.pred.Columns[e.a.Columns[k].Pred]
		if more == goldSide {
			column = &e.gold.Columns[e.a.Columns[k].Gold]
		}
		if nullAt(column, rows) && count(there, cell.NullKey) == 0 &&
			(at < 0 || e.gold.Columns[e.a.Columns[k].Gold].Name < e.gold.Columns[e.a.Columns[at].Gold].Name) {
			at = k
		}
	}
	if at < 0 {
		return nil
	}
	column := columnName(e.gold, e.a.Columns[at].Gold)
	r := e.aboutPairs([]int{at},
		fmt.Sprintf("Every row of gold is there; %s more %s NULL in %s.", printable.Count(len(rows), "row"),
			printable.Verb(len(rows), "has", "have"), column))
	if more == goldSide {
		r.text = fmt.Sprintf("Every row of the answer is in gold; the %s that it lacks %s NULL in %s.",
			printable.Count(len(rows), "row"), printable.Verb(len(rows), "has", "have"), column)
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(rows)
	return r
}

func allAre(keys []uint64, rows []int32, key uint64) bool {
	for _, i := range rows {
		if keys[i] != key {
			return false
		}
	}
	return true
}
