package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

var tieKinds = []Kind{
	{
		Name: "tie_one", Display: "Keeps only some of the tied rows", Group: SortingAndCuttingOff,
		Class: Defensible, find: tieOne,
		Meaning: "Gold keeps all rows that tie at the cut, the answer as many of them as its limit allows, and no other row. The question does not ask for all that tie.", Example: "('a', 9), ('b', 9); ('a', 9) by LIMIT 1",
	},
	{
		Name: "tie_all", Display: "Keeps all tied rows", Group: SortingAndCuttingOff,
		Class: Defensible, find: tieAll,
		Meaning: "Gold's limit cuts through rows that tie; the answer keeps all of them, and no other row in addition to gold's.", Example: "('a', 9) by LIMIT 1; ('a', 9), ('b', 9)",
	},
	{
		Name: "tie_other", Display: "Other rows chosen among ties", Group: SortingAndCuttingOff,
		Class: Defensible, find: func(e *evidence) *found { return tieAtOtherPosition(e, true) },
		Meaning: "Equally many rows of both sides differ, all of them at the last value of what both queries sort by first; the queries are the same but for what the answer's sorts by next, and gold's does not say which of the rows that tie it wants.",
		Example: "('a', 9), ('b', 7); ('a', 9), ('c', 7), both by ORDER BY n DESC LIMIT 2",
	},
}

// sorted reports whether a column of numbers or times without NULLs, with two rows at least, never falls or never
// rises.
func sorted(c *scoring.Column) bool {
	if c.Len() < 2 || c.HasNulls() || !c.Type.Numeric() && !c.Type.Temporal() {
		return false
	}
	m := make([]float64, c.Len())
	if c.Type.Numeric() {
		cell.Magnitudes(c, cell.View{Kind: scoring.KindNumber}, m)
	} else {
		for i := range m {
			v := c.Value(i)
			m[i] = float64(v.Int()) + float64(v.Nanos())/1e9 // only to see the direction
		}
	}
	up, down := false, false
	for i := 1; i < len(m); i++ {
		up, down = up || m[i] > m[i-1], down || m[i] < m[i-1]
	}
	return !(up && down)
}

// measured reports whether a column holds numbers or times.
func measured(c *scoring.Column) bool { return c.Type.Numeric() || c.Type.Temporal() }

// tieAtOtherPosition returns a finding if equally many rows of both sides differ, all at the last value of a sorted
// column, and a query has a limit; else nil. proven selects whether the queries prove that the rows tie.
func tieAtOtherPosition(e *evidence, proven bool) *found {
	m := e.rows()
	if m == nil || len(m.onlyGold) == 0 || len(m.onlyGold) != len(m.onlyPred) || len(m.gold) != len(m.pred) {
		return nil
	}
	q := e.queries()
	if q.gold == nil && q.pred == nil || q.gold != nil && !q.gold.cutsOff() || q.pred != nil && !q.pred.cutsOff() {
		return nil // rows that differ at the end of a result may be wrong: it takes a limit to cut through a tie
	}
	if q.sameUpToTies() != proven {
		return nil
	}
	tied := e.tiedIn(m, proven)
	if tied == nil {
		return nil
	}
	text := fmt.Sprintf("%s %s, at the last value of %s: the limit cuts through rows that tie.",
		printable.Count(len(m.onlyGold), "row"), printable.Verb(len(m.onlyGold), "differs", "differ"),
		named(e.gold, e.goldColumns(tied)))
	r := e.aboutPairs(tied, text)
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(m.onlyGold)
	if !proven && e.openTie(tied[0]) {
		r.proof.Facts = []string{openTie}
	}
	return r
}

// openTie is the fact that rows tie at the cut, and that the question does not say which of them to keep.
const openTie = "Both queries read the same rows and sort by the same key first. The question does not say which of equal rows to keep."

// openTie reports whether both queries are the same up to the keys that they sort by after the first one, which the
// pair of columns shows, and the question does not mention ties or a second key.
func (e *evidence) openTie(pair int) bool {
	q, c := e.queries(), &e.a.Columns[pair]
	if strings.TrimSpace(e.Question) == "" || !q.firsts() || !q.both() || !q.gold.limited || !q.pred.limited ||
		q.gold.limit != q.pred.limit || q.gold.order[0] != q.pred.order[0] || !q.gold.readsAs(q.pred) {
		return false
	}
	g, p := q.gold.item(c.Gold, len(e.gold.Columns)), q.pred.item(c.Pred, len(e.pred.Columns))
	if g == nil || p == nil || sqlparts.Normalized(g) != q.gold.order[0].text ||
		sqlparts.Normalized(p) != q.pred.order[0].text {
		return false
	}
	asked := e.asks().Plain()
	later := func(k orderKey) bool {
		return strings.Contains(asked, " by "+strings.Join(naming.Words(unqualified(k.text)), " ")+" ")
	}
	return !breaksTies.MatchString(asked) && !slices.ContainsFunc(q.gold.order[1:], later)
}

// breaksTies matches words of a question that may say which of equal rows come first.
var breaksTies = lazyregexp.New(
	` (?:ties?|tied|tying|tiebreak\w*|draws?|then|second(?:ly|arily)?|equal\w*|same|alphabet\w*|if (?:two|several|some|more)|in case) `)

// tiedIn returns the pairs of columns in which all rows that differ hold the last value of both sides: if proven, those
// of all of gold's sort keys, else one that is sorted on both sides; nil if there are none.
func (e *evidence) tiedIn(m *matching, proven bool) (tied []int) {
	holds := func(k int) bool {
		keys := e.keys(k)
		last := keys.g[len(keys.g)-1]
		return keys.p[len(keys.p)-1] == last && allAre(keys.g, m.onlyGold, last) && allAre(keys.p, m.onlyPred, last)
	}
	s := e.solidPart()
	if !proven {
		at := slices.IndexFunc(s.pairs, func(k int) bool {
			c := &e.a.Columns[k]
			g, p := &e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred]
			return measured(g) && sorted(g) && sorted(p) && holds(k)
		})
		if at < 0 {
			return nil
		}
		return s.pairs[at : at+1]
	}
	q := e.queries()
	for _, key := range q.gold.order {
		at := slices.IndexFunc(s.pairs, func(k int) bool {
			c := &e.a.Columns[k]
			g, p := q.gold.item(c.Gold, len(e.gold.Columns)), q.pred.item(c.Pred, len(e.pred.Columns))
			return g != nil && p != nil && sqlparts.Normalized(g) == key.text && sqlparts.Normalized(p) == key.text && holds(k)
		})
		if at < 0 {
			return nil
		}
		tied = append(tied, s.pairs[at])
	}
	return tied
}

// sameUpToTies reports whether both queries have the same text and limit, apart from additional columns of the answer
// and from its sort keys after gold's. Then they differ only in which of gold's tied rows they keep.
func (q *queries) sameUpToTies() bool {
	if !q.both() || !q.gold.limited || !q.pred.limited || q.gold.limit != q.pred.limit || len(q.gold.order) == 0 ||
		len(q.pred.order) < len(q.gold.order) {
		return false
	}
	other := func(item string) bool { return !slices.Contains(q.pred.parts.Select, item) }
	return slices.Equal(q.gold.order, q.pred.order[:len(q.gold.order)]) && q.gold.readsAs(q.pred) &&
		!slices.ContainsFunc(q.gold.parts.Select, other)
}

// cutsOff reports whether the query has a limit or a window function, such as a rank, and so may keep only some of its
// rows.
func (q *query) cutsOff() bool { return q.limited || q.cut || q.query.Limit != nil || q.windows }

// tieOne returns a finding if gold keeps all rows that tie and the answer, by its limit, only some, unless the question
// asks for all; tieAll the reverse. A column that shows the tie is proof or, without one, that one query keeps all rows
// at an extremum and the other sorts by it with a limit.
func tieOne(e *evidence) *found {
	m := e.rows()
	if m == nil || len(m.onlyPred) > 0 || len(m.onlyGold) == 0 || m.equal == 0 || e.asks().AllThatTie() {
		return nil
	}
	q := e.queries()
	if q.pred == nil || !q.pred.limited || int(q.pred.limit) != len(m.pred) || len(q.pred.order) == 0 ||
		q.gold != nil && q.gold.limited {
		return nil
	}
	k, shown := e.tiedAt(m.onlyGold, goldSide)
	if !shown && !(q.both() && q.gold.seeksExtremumOf(q.pred.order[0])) {
		return nil
	}
	r := &found{
		text: fmt.Sprintf("Gold keeps all %d rows that tie, the answer the first %d of them.", len(m.gold), len(m.pred))}
	if len(m.pred) == 1 {
		r.text = fmt.Sprintf("Gold keeps all %d rows that tie, the answer one of them.", len(m.gold))
	}
	return e.tie(r, m, k, m.onlyGold)
}

func tieAll(e *evidence) *found {
	m := e.rows()
	if m == nil || len(m.onlyGold) > 0 || len(m.onlyPred) == 0 || m.equal == 0 {
		return nil
	}
	q := e.queries()
	if q.gold == nil || !q.gold.limited || int(q.gold.limit) != len(m.gold) || len(q.gold.order) == 0 ||
		q.pred != nil && q.pred.limited {
		return nil
	}
	k, shown := e.tiedAt(m.onlyPred, predSide)
	if !shown && !(q.both() && q.pred.seeksExtremumOf(q.gold.order[0])) {
		return nil
	}
	return e.tie(
		&found{text: fmt.Sprintf("Gold's limit of %d cuts through rows that tie; the answer keeps all %d.", len(m.gold),
			len(m.pred))}, m, k, m.onlyPred)
}

func (e *evidence) tie(r *found, m *matching, pair int, rows []int32) *found {
	if pair >= 0 {
		r.proof.GoldColumns, r.proof.PredColumns = []int{e.a.Columns[pair].Gold}, []int{e.a.Columns[pair].Pred}
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(rows)
	return r
}

// tiedAt returns the first aligned pair of numbers or times in which all the given rows, which only side more has, hold
// the last value of the other side, where the column is sorted.
func (e *evidence) tiedAt(rows []int32, more side) (pair int, ok bool) {
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		cut, all := &e.pred.Columns[c.Pred], &e.gold.Columns[c.Gold]
		keys := e.keys(k)
		here, there := keys.g, keys.p
		if more == predSide {
			cut, all, here, there = all, cut, keys.p, keys.g
		}
		if !measured(cut) || !measured(all) || cut.Len() > 1 && !sorted(cut) {
			continue
		}
		if allAre(here, rows, there[len(there)-1]) {
			return k, true
		}
	}
	return -1, false
}

// seeksExtremumOf reports whether the query may keep all rows that tie at an extremum of the other query's sort key: it
// aggregates too, or has the key's column in MAX, MIN, an equality or its order. It is false if the query has EXCEPT.
func (q *query) seeksExtremumOf(key orderKey) bool {
	if q.excepts || !q.seeksExtremum() {
		return false
	}
	if key.aggregated {
		return slices.ContainsFunc(q.calls,
			func(c call) bool { return sqlparts.IsAggregate(c.name) && c.name != "max" && c.name != "min" })
	}
	column := unqualified(key.text)
	return slices.ContainsFunc(q.calls,
		func(c call) bool { return (c.name == "max" || c.name == "min") && unqualified(c.args) == column }) ||
		slices.ContainsFunc(q.conditions,
			func(c condition) bool { return c.Operator == "=" && unqualified(c.Column) == column }) ||
		slices.ContainsFunc(q.order, func(o orderKey) bool { return unqualified(o.text) == column }) || q.windows
}

// unqualified returns the last part of a qualified name.
func unqualified(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
