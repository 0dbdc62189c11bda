package relation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// causeKinds are mistakes in the answer's query that explain how its result differs from gold's. Both the queries and
// the results must show them.
var causeKinds = []Kind{
	{
		Name: "null_comparison", Display: "Compares with NULL, which is never true", Group: Filters,
		Class: Difference, find: nullComparison,
		Meaning: "The answer's query keeps rows for which a comparison with NULL, such as x = NULL, is true; no comparison with NULL is, and the answer finds nothing. Gold has no such comparison and finds something.",
		Example: "x IS NOT NULL: ('a'), ('b'); x <> NULL: no rows",
	},
	{
		Name: "not_in_null", Display: "NOT IN a list with NULL", Group: Filters,
		Class: Difference, find: notInNull,
		Meaning: "The answer keeps rows by NOT IN with a list or a subquery that may have NULL, for which NOT IN is never true, and finds nothing. Gold finds something; its query reads the same tables, and its conditions are the same but that they leave NULL out, or that it has NOT EXISTS, EXCEPT or an outer join for NOT IN.",
		Example: "x NOT IN (SELECT y FROM u WHERE y IS NOT NULL): (5); x NOT IN (SELECT y FROM u): (0)",
	},
	{
		Name: "last_day_lost", Display: "Last day of the period left out", Group: Filters,
		Class: Difference, find: lastDayLost,
		Meaning: "The queries restrict one column to the same period, but the answer's ends at a date, which as a time is the start of that day. Gold's includes the day. Tables, groups and aggregates are the same, and the results differ.",
		Example: "YEAR(at) = 2024: (31); at BETWEEN '2024-01-01' AND '2024-12-31': (30)",
	},
	{
		Name: "pairs_twice", Display: "Pairs in both orders", Group: Counting,
		Class: Difference, find: pairsTwice,
		Meaning: "Both queries join a table with itself; gold by < or > of one column, so that each pair occurs once, the answer by <>, so that it occurs in both orders. The answer has pairs in both orders, or twice gold's number.",
		Example: "a.k < b.k: ('x', 'y'); a.k <> b.k: ('x', 'y'), ('y', 'x')",
	},
	{
		Name: "fan_out", Display: "A needless join repeats rows", Group: GroupsAndJoins,
		Class: Difference, find: fanOut,
		Meaning: "The answer also joins a table by a column that is not this table's key, so that it may have several rows for each of gold's. Conditions and groups are the same, and every sum or count that differs is higher than gold's.",
		Example: "SUM(l.x) … l: ('a', 4); SUM(l.x) … l JOIN u ON u.owner_id = l.owner_id: ('a', 8)",
	},
}

// finds reports whether a result has a row with anything but NULL and 0.
func finds(t *scoring.Table) bool { return blankness(t) == blankNo }

// foundNothing reports whether the answer finds nothing where gold finds something, both queries are known in whole,
// and the answer's rows come from one SELECT.
func (e *evidence) foundNothing() bool {
	return !e.queriesOnly && e.queries().both() && e.queries().pred.final != nil && finds(e.gold) && !finds(e.pred)
}

// keepsRows reports whether a condition must be true for every row of the query's result: it is in WHERE or HAVING of
// the final SELECT, or in ON of an inner join of that, and under no OR.
func (q *query) keepsRows(c *condition) bool {
	if !c.Binding {
		return false
	}
	switch in := c.In.(type) {
	case *sqlparts.Select:
		return in == q.final
	case *sqlparts.Source:
		return in.Join == sqlparts.InnerJoin && slices.Contains(q.final.From, in)
	}
	return false
}

var comparisons = wordSet("= <> < <= > >=")

func nullComparison(e *evidence) *found {
	if !e.foundNothing() {
		return nil
	}
	never := func(c condition) bool { return comparisons[c.Operator] && (c.Value == "null" || c.Column == "null") }
	q := e.queries()
	if slices.ContainsFunc(q.gold.conditions, never) {
		return nil
	}
	for _, c := range q.pred.conditions {
		if !never(c) || !q.pred.keepsRows(&c) {
			continue
		}
		r := &found{text: fmt.Sprintf("The answer keeps rows with %s, which is never true, and finds nothing.", part(c.text)),
			proof: Proof{Pred: part(c.text)}}
		at := slices.IndexFunc(q.gold.conditions, func(g condition) bool { return g.Column == c.Column })
		if at >= 0 {
			r.proof.Gold = part(q.gold.conditions[at].text)
		}
		return r
	}
	return nil
}

func notInNull(e *evidence) *found {
	if !e.foundNothing() {
		return nil
	}
	q := e.queries()
	if g, p := q.loneTables(); len(g)+len(p) > 0 {
		return nil
	}
	gold, pred := q.gold.lone(q.pred), q.pred.lone(q.gold)
	if slices.ContainsFunc(gold, unlikeNotIn) || !q.gold.excepts && len(gold)+len(pred) == 0 {
		return nil
	}
	for _, c := range q.pred.conditions {
		in, ok := c.Expr.(*sqlparts.In)
		if !ok || c.Operator != "not in" || !q.pred.keepsRows(&c) || !mayHaveNull(in) {
			continue
		}
		other := func(o condition) bool { return o.text != c.text }
		if slices.ContainsFunc(pred, other) {
			continue
		}
		return &found{
			text:  "The answer keeps rows by NOT IN with a list that contains NULL, which is never true, and finds nothing.",
			proof: Proof{Pred: part(c.text)}}
	}
	return nil
}

// unlikeNotIn reports whether a condition neither leaves NULL out nor keeps rows without a match.
func unlikeNotIn(c condition) bool {
	switch c.Operator {
	case "is not", "is", "not exists", "not in":
		return false
	}
	return true
}

// mayHaveNull reports whether the list of an IN has NULL, or its subquery selects a column that none of its conditions
// is about.
func mayHaveNull(in *sqlparts.In) bool {
	for _, x := range in.List {
		if sqlparts.Normalized(x) == "null" {
			return true
		}
	}
	if in.Query == nil {
		return false
	}
	s, ok := bodyOf(in.Query).(*sqlparts.Select)
	if !ok || len(s.Items) != 1 {
		return false
	}
	column, ok := s.Items[0].Expr.(*sqlparts.Column)
	if !ok {
		return false
	}
	name := strings.ToLower(column.Name.Last().Text)
	return !slices.ContainsFunc(sqlparts.Predicates(in.Query), func(p sqlparts.Predicate) bool {
		return slices.Contains(names(p.Column), name) || slices.Contains(names(p.Value), name)
	})
}

// period is the time from the start of a day to the start of another, to which conditions restrict a column. A zero
// time is not a bound. day is set if the end is a date that the column itself is compared with: as a time, it is the
// start of the day before to.
type period struct {
	column   string
	from, to time.Time
	day      bool
	bound    string // text of the condition that sets to
}

// periodOf returns the period to which a list of conditions restricts their only column. ok is false without an end
// or if a condition is something else.
func periodOf(list []condition) (p period, ok bool) {
	for i := range list {
		one, known := boundsOf(&list[i])
		if !known || i > 0 && one.column != p.column {
			return p, false
		}
		p.column = one.column
		if one.from.After(p.from) {
			p.from = one.from
		}
		if !one.to.IsZero() && (p.to.IsZero() || one.to.Before(p.to)) {
			p.to, p.day, p.bound = one.to, one.day, one.bound
		}
	}
	return p, !p.to.IsZero()
}

// dayForms are the forms of an expression for the date of a time, yearForms for its year, monthForms for its month with
// the year, each as the text before and after the time.
var (
	dayForms  = [][2]string{{"cast(", " as date)"}, {"date(", ")"}, {"date_trunc('day', ", ")"}}
	yearForms = [][2]string{{"year(", ")"}, {"extract(year from ", ")"}, {"date_part('year', ", ")"},
		{"strftime('%Y', ", ")"}, {"strftime(", ", '%Y')"}, {"to_char(", ", 'YYYY')"}}
	monthForms = [][2]string{{"strftime('%Y-%m', ", ")"}, {"strftime(", ", '%Y-%m')"}, {"to_char(", ", 'YYYY-MM')"}}
)

// inside returns the name in one of the forms of an expression; ok is false if the text has none of them.
func inside(text string, forms [][2]string) (of string, ok bool) {
	for _, f := range forms {
		if rest, found := strings.CutPrefix(text, f[0]); found {
			if of, found = strings.CutSuffix(rest, f[1]); found && !strings.ContainsAny(of, "(,") {
				return of, true
			}
		}
	}
	return "", false
}

// boundsOf returns the period to which one condition restricts a column; ok is false if it does something else.
func boundsOf(c *condition) (p period, ok bool) {
	if !c.Binding || c.literal == "" {
		return p, false
	}
	p.bound = c.text
	whole := func(layout string, years, months int) (period, bool) {
		at, err := time.Parse(layout, c.literal)
		p.from, p.to = at, at.AddDate(years, months, 0)
		return p, err == nil && c.Operator == "="
	}
	if p.column, ok = inside(c.Column, yearForms); ok {
		return whole("2006", 1, 0)
	}
	if p.column, ok = inside(c.Column, monthForms); ok {
		return whole("2006-01", 0, 1)
	}
	day := false
	if p.column, day = inside(c.Column, dayForms); !day {
		p.column = c.Column
	}
	if c.Operator == "like" && !day {
		text, open := strings.CutSuffix(c.literal, "%")
		for layout, by := range map[string][2]int{"2006-": {1, 0}, "2006": {1, 0}, "2006-01-": {0, 1}, "2006-01": {0, 1}} {
			if at, err := time.Parse(layout, text); open && err == nil {
				p.from, p.to = at, at.AddDate(by[0], by[1], 0)
				return p, true
			}
		}
		return p, false
	}
	at, err := time.Parse(time.DateOnly, c.literal)
	next := at.AddDate(0, 0, 1)
	if err != nil { // a time: it ends a period in the last minute of a day, and starts one at any other
		at, err = time.Parse(time.DateTime, strings.Replace(bounded(c.literal, len(time.DateTime)), "T", " ", 1))
		next = at.Truncate(24*time.Hour).AddDate(0, 0, 1)
		if last := next.Sub(at) <= time.Minute; err != nil || last == (c.Operator == ">=") {
			return p, false
		}
		day = true
	}
	switch c.Operator {
	case ">=":
		p.from = at
	case "<":
		if p.to = at; next.Sub(at) <= time.Minute {
			p.to = next
		}
	case "<=":
		p.to, p.day = next, !day
	default:
		return p, false
	}
	return p, true
}

func lastDayLost(e *evidence) *found {
	q := e.queries()
	if e.queriesOnly || !q.both() || !q.sameTables() || e.pred.Rows() > e.gold.Rows() ||
		q.gold.divides != q.pred.divides || !slices.Equal(q.gold.groups(), q.pred.groups()) ||
		!slices.Equal(q.gold.aggregates(), q.pred.aggregates()) {
		return nil
	}
	g, known := periodOf(q.gold.lone(q.pred))
	p, also := periodOf(q.pred.lone(q.gold))
	if !known || !also || !p.day || g.day || g.column != p.column || !g.from.Equal(p.from) || !g.to.Equal(p.to) {
		return nil
	}
	return &found{
		text: fmt.Sprintf("The answer's period ends by %s, which as a time is the start of that day; gold includes the day.",
			part(p.bound)),
		proof: Proof{Gold: part(g.bound), Pred: part(p.bound)}}
}

// selfCompared returns the operator of the only condition of a list that compares a column with the same column of
// another use of the table; "" if it is something else.
func (q *query) selfCompared(list []condition) string {
	if len(list) != 1 || !list[0].Binding {
		return ""
	}
	b, ok := list[0].Expr.(*sqlparts.Binary)
	if !ok {
		return ""
	}
	l, left := b.L.(*sqlparts.Column)
	r, right := b.R.(*sqlparts.Column)
	if !left || !right || len(l.Name) < 2 || len(r.Name) < 2 {
		return ""
	}
	x, y := q.originOf(l), q.originOf(r)
	if x.table == "" || x != y || strings.EqualFold(l.Name[len(l.Name)-2].Text, r.Name[len(r.Name)-2].Text) {
		return ""
	}
	return list[0].Operator
}

func pairsTwice(e *evidence) *found {
	q := e.queries()
	if e.queriesOnly || !q.both() {
		return nil
	}
	g, p := q.gold.selfCompared(q.gold.lone(q.pred)), q.pred.selfCompared(q.pred.lone(q.gold))
	if g != "<" && g != ">" || p != "<>" || !e.twofold() && (e.mirrored(goldSide) || !e.mirrored(predSide)) {
		return nil
	}
	return &found{
		text:  fmt.Sprintf("Gold has each pair once (%s), the answer in both orders (%s).", g, p),
		proof: Proof{Gold: g, Pred: p}}
}

// twofold reports whether both results are one row whose numbers that differ are twice gold's in the answer.
func (e *evidence) twofold() bool {
	if e.gold.Rows() != 1 || e.pred.Rows() != 1 {
		return false
	}
	pairs, ok := e.measurePairs()
	for i := range pairs {
		twice, _ := pairs[i].every(func(g, p float64) bool { return p == 2*g })
		ok = ok && twice
	}
	return ok && len(pairs) > 0
}

// mirrored reports whether a result has two rows with the values of two columns exchanged.
func (e *evidence) mirrored(s side) bool {
	t := e.table(s)
	for i := range t.Columns {
		for j := i + 1; j < len(t.Columns) && j < maxMirrored; j++ {
			a, b := e.naturalKeys(s, i), e.naturalKeys(s, j)
			seen := make(map[uint64]bool, len(a))
			for row := range a {
				if a[row] == b[row] {
					continue
				}
				if seen[cell.Mix(b[row], a[row])] {
					return true
				}
				seen[cell.Mix(a[row], b[row])] = true
			}
		}
	}
	return false
}

// maxMirrored is the maximum number of columns that are searched for pairs in both orders.
const maxMirrored = 8

// fanOut returns a finding if the answer joins one more table that repeats the rows that it adds up or counts.
func fanOut(e *evidence) *found {
	q := e.queries()
	if e.queriesOnly || !q.both() || q.gold.final == nil || q.pred.final == nil {
		return nil
	}
	gold, added := q.loneTables()
	if len(gold) > 0 || len(added) != 1 || len(q.gold.lone(q.pred))+len(q.pred.lone(q.gold)) > 0 ||
		!slices.Equal(q.gold.groups(), q.pred.groups()) || !q.pred.joinsMany(added[0]) {
		return nil
	}
	pairs, ok := e.measurePairs()
	if !ok || len(pairs) == 0 {
		return nil
	}
	r := &found{proof: Proof{Pred: added[0]}}
	for i := range pairs {
		m := &pairs[i]
		of, counts := q.gold.added(m.gold, len(e.gold.Columns))
		if _, also := q.pred.added(m.pred, len(e.pred.Columns)); !counts || !also {
			return nil
		}
		higher := 0
		if up, _ := m.every(func(g, p float64) bool {
			if p > g {
				higher++
			}
			return g >= 0 && p >= g
		}); !up || higher == 0 {
			return nil
		}
		r.proof.Gold = of
		r.proof.GoldColumns, r.proof.PredColumns = append(r.proof.GoldColumns, m.gold), append(r.proof.PredColumns, m.pred)
	}
	repeats := "rows"
	if r.proof.Gold != "" {
		repeats = "rows of " + part(r.proof.Gold)
	}
	r.text = fmt.Sprintf("The answer also joins %s, which repeats %s: %s %s higher than gold's.", part(added[0]), repeats,
		named(e.gold, r.proof.GoldColumns), printable.Verb(len(pairs), "is", "are"))
	return r
}

// joinsMany reports whether the final SELECT joins table once, by = or USING of columns that are not its key.
func (q *query) joinsMany(table string) bool {
	sources, uses, keyed, joined := q.sources(), 0, false, false
	for _, s := range sources {
		if s.table != table {
			continue
		}
		uses++
		for _, u := range s.using {
			joined, keyed = true, keyed || ownKey(u.Text, table)
		}
	}
	for _, c := range q.conditions {
		b, ok := c.Expr.(*sqlparts.Binary)
		if !ok || !c.Joins {
			continue
		}
		for _, side := range []sqlparts.Expr{b.L, b.R} {
			column, ok := side.(*sqlparts.Column)
			if ok && q.originOf(column).table == table {
				joined, keyed = true, keyed || ownKey(column.Name.Last().Text, table)
			}
		}
	}
	return uses == 1 && joined && !keyed
}

// added reports whether a column of the result is a sum of a column or a count, neither of distinct values, and returns
// the table whose rows it adds or counts, "" if unknown.
func (q *query) added(column, columns int) (table string, ok bool) {
	call, isCall := q.item(column, columns).(*sqlparts.Call)
	if !isCall || call.Distinct || call.Over != nil {
		return "", false
	}
	switch strings.ToLower(call.Name.Last().Text) {
	case "sum", "count":
	default:
		return "", false
	}
	sqlparts.Walk(call, func(n sqlparts.Node) bool {
		if c, ok := n.(*sqlparts.Column); ok && table == "" {
			table = q.originOf(c).table
		}
		return true
	})
	if sources := q.sources(); table == "" && len(sources) > 0 {
		table = sources[0].table
	}
	return table, true
}
