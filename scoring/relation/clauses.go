package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlproof"
)

var clauseKinds = []Kind{
	{
		Name: "same_query", Display: "Same query", Group: SameData,
		Class: Defensible, find: sameQuery,
		Meaning: "The queries are the same text but for spacing, comments and the case of keywords; without results, also queries that are proven to be the same.", Example: "SELECT a FROM t; select a  FROM t",
	},
	{
		Name: "count_distinct", Display: "Repeats counted on one side only", Group: Counting,
		Class: Difference, find: countDistinct,
		Meaning: "One query counts rows or values, the other different values.", Example: "COUNT(DISTINCT x); COUNT(x)",
	},
	{
		Name: "aggregate_differs", Display: "Another aggregate function", Group: Counting,
		Class: Difference, find: aggregateDiffers,
		Meaning: "The queries aggregate by other functions.", Example: "MAX(x); AVG(x)",
	},
	{
		Name: "ratio_for_plain", Display: "A ratio on one side only", Group: Counting,
		Class: Difference, find: ratioForPlain,
		Meaning: "One query divides, the other does not.", Example: "x; 100 * x / y",
	},
	{
		Name: "ratio_differs", Display: "Another ratio (division)", Group: Counting,
		Class: Difference, find: ratioDiffers,
		Meaning: "Both results are one number from a division, and the numbers differ.",
		Example: "SUM(a) / COUNT(*); SUM(a) / COUNT(b)",
	},
	{
		Name: "order_total_for_raw", Display: "Sorted by totals, not single values", Group: SortingAndCuttingOff,
		Class: Defensible, WrittenFrom: "splash", find: func(e *evidence) *found { return orderAggregated(e, predSide) },
		Meaning: "Both queries sort the same tables and keep the first rows; gold sorts by the single values of a column, the answer by an aggregate of them.", Example: "ORDER BY x LIMIT 1; GROUP BY k ORDER BY SUM(x) LIMIT 1",
	},
	{
		Name: "order_raw_for_total", Display: "Sorted by single values, not totals", Group: SortingAndCuttingOff,
		Class: Difference, find: func(e *evidence) *found { return orderAggregated(e, goldSide) },
		Meaning: "Both queries sort and keep the first rows; gold sorts by an aggregate, the answer by single values.",
		Example: "GROUP BY k ORDER BY SUM(x) LIMIT 1; ORDER BY x LIMIT 1",
	},
	{
		Name: "order_differs", Display: "Sorted by something else", Group: SortingAndCuttingOff,
		Class: Difference, find: orderDiffers,
		Meaning: "Both queries keep the first rows, each of another order.",
		Example: "ORDER BY x LIMIT 3; ORDER BY y LIMIT 3",
	},
	{
		Name: "limits_differ", Display: "Another limit (LIMIT)", Group: SortingAndCuttingOff,
		Class: Difference, find: limitsDiffer,
		Meaning: "The queries have different limits.", Example: "LIMIT 3; LIMIT 5",
	},
	{
		Name: "distinct_under_limit", Display: "Repeated rows removed before the limit on one side only", Group: SortingAndCuttingOff,
		Class: Difference, find: distinctUnderLimit,
		Meaning: "Both queries keep the first rows; only one of them drops repetitions first.",
		Example: "SELECT DISTINCT x … LIMIT 3; SELECT x … LIMIT 3",
	},
	{
		Name: "same_order_limit", Display: "Same sort order, but other rows at the top", Group: SortingAndCuttingOff,
		Class: Difference, find: sameOrderLimit,
		Meaning: "Both queries keep as many rows of the same order, and the rows differ: they tie, or are of other groups.",
		Example: "GROUP BY id ORDER BY COUNT(*) LIMIT 3; GROUP BY name ORDER BY COUNT(*) LIMIT 3",
	},
	{
		Name: "group_differs", Display: "Grouped by something else", Group: GroupsAndJoins,
		Class: Difference, find: groupDiffers,
		Meaning: "The queries, or queries inside them, group by other expressions.", Example: "GROUP BY id; GROUP BY name",
	},
	{
		Name: "outer_join", Display: "An outer join on one side only", Group: GroupsAndJoins,
		Class: Difference, find: outerJoin,
		Meaning: "One query has an outer join, the other none.", Example: "a JOIN b; a LEFT JOIN b",
	},
	{
		Name: "tables_fewer", Display: "Reads a table too few", Group: GroupsAndJoins,
		Class: Difference, find: tablesFewer,
		Meaning: "The answer's query leaves out tables that gold reads.", Example: "a JOIN b; a",
	},
	{
		Name: "tables_more", Display: "Reads a table too many", Group: GroupsAndJoins,
		Class: Difference, find: tablesMore,
		Meaning: "The answer's query reads tables in addition to gold's.", Example: "a; a JOIN b",
	},
	{
		Name: "tables_differ", Display: "Reads other tables", Group: GroupsAndJoins,
		Class: Difference, find: tablesDiffer,
		Meaning: "Each query reads a table that the other does not.", Example: "a; b",
	},
	{
		Name: "select_differs", Display: "Selects other columns", Group: Columns,
		Class: Difference, find: selectDiffers,
		Meaning: "The queries are the same but for what they select.", Example: "SELECT a FROM t; SELECT b FROM t",
	},
}

// sameQuery returns a finding if the queries are proven to be equivalent, else nil. If there are results, it requires
// the same SQL text, since results that differ outweigh any other proof.
func sameQuery(e *evidence) *found {
	if q := e.queries(); !q.given() {
		return nil
	}
	p := e.proof()
	switch {
	case p == nil:
		return nil
	case p.By == sqlproof.Text:
		return &found{
			text: "Both queries are the same text: where results differ, they ran on different data or leave something to chance."}
	case e.queriesOnly:
		return &found{text: "The queries are proven to be the same."}
	}
	return nil
}

// counts returns the number of COUNT(DISTINCT …) and approximate distinct counts, and of other COUNT calls, in a query.
func (q *query) counts() (distinct, plain int) {
	for _, c := range q.calls {
		switch {
		case c.name == "count" && c.distinct, strings.HasPrefix(c.name, "approx_count_distinct"):
			distinct++
		case c.name == "count":
			plain++
		}
	}
	return distinct, plain
}

func countDistinct(e *evidence) *found {
	q := e.queries()
	if !q.both() {
		return nil
	}
	gd, gp := q.gold.counts()
	pd, pp := q.pred.counts()
	switch {
	case gd > pd && pp > gp:
		return &found{text: "Gold uses COUNT(DISTINCT …)" + times(gd-pd) + ", the answer COUNT(…)" + times(pp-gp) + "."}
	case pd > gd && gp > pp:
		return &found{text: "The answer uses COUNT(DISTINCT …)" + times(pd-gd) + ", gold COUNT(…)" + times(gp-pp) + "."}
	}
	return nil
}

// times says how often something occurs if that is more than once.
func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" %d times", n)
}

// aggregates returns the sorted, distinct names of the aggregate functions that a query calls, without window
// functions.
func (q *query) aggregates() []string {
	var out []string
	for _, c := range q.calls {
		if sqlparts.IsAggregate(c.name) && !c.over {
			out = append(out, c.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func aggregateDiffers(e *evidence) *found {
	q := e.queries()
	if !q.both() {
		return nil
	}
	g, p := without(q.gold.aggregates(), q.pred.aggregates()), without(q.pred.aggregates(), q.gold.aggregates())
	if len(g) == 0 || len(p) == 0 {
		return nil
	}
	return &found{text: fmt.Sprintf("Gold aggregates by %s, the answer by %s.", parts(g), parts(p)),
		proof: Proof{Gold: parts(g), Pred: parts(p)}}
}

func ratioForPlain(e *evidence) *found {
	q := e.queries()
	if !q.both() || (q.gold.divides > 0) == (q.pred.divides > 0) {
		return nil
	}
	if q.gold.divides > 0 {
		return &found{text: "Gold divides, the answer's query does not."}
	}
	return &found{text: "The answer's query divides, gold does not."}
}

func ratioDiffers(e *evidence) *found {
	q := e.queries()
	if !q.given() || q.gold.divides == 0 || q.pred.divides == 0 || e.queriesOnly || single(e.gold) == nil ||
		single(e.pred) == nil {
		return nil
	}
	g, _ := floatOf(e.gold.Columns[0].Value(0))
	p, _ := floatOf(e.pred.Columns[0].Value(0))
	if g == p {
		return nil
	}
	r := &found{text: "Both divide, and come to different numbers."}
	if f, ok := ratio(g, p); ok {
		r.proof.Factor = f
	}
	return r
}

// firsts reports whether both queries have an ORDER BY and a limit without an offset.
func (q *queries) firsts() bool {
	return q.given() && len(q.gold.order) > 0 && len(q.pred.order) > 0 && q.gold.first() && q.pred.first()
}

// first reports whether a query has a limit without an offset, or with offset 0.
func (q *query) first() bool {
	l := q.query.Limit
	if l == nil || l.Count == nil {
		return false
	}
	n, ok := l.Offset.(*sqlparts.Literal)
	return l.Offset == nil || ok && n.Text == "0"
}

func orderAggregated(e *evidence, has side) *found {
	q := e.queries()
	if !q.firsts() || q.gold.order[0].aggregated == q.pred.order[0].aggregated ||
		q.gold.order[0].aggregated != (has == goldSide) {
		return nil
	}
	if has == predSide && !q.totals() {
		return nil // rows counted are another measure, and sums over other tables other sums
	}
	g, p := part(q.gold.order[0].text), part(q.pred.order[0].text)
	return &found{
		text: fmt.Sprintf("Gold keeps the first rows by %s, the answer by %s: one is a total, the other a single value.", g,
			p), proof: Proof{Gold: g, Pred: p}}
}

// totals reports whether both queries read the same tables, and the answer sorts by an aggregate of the column that
// gold sorts by.
func (q *queries) totals() bool {
	column := unqualified(q.gold.order[0].text)
	return q.sameTables() && slices.ContainsFunc(q.pred.calls, func(c call) bool {
		return sqlparts.IsAggregate(c.name) && unqualified(c.args) == column &&
			strings.Contains(q.pred.order[0].text, c.name+"("+c.args)
	})
}

// sameTables reports whether both queries read the same tables.
func (q *queries) sameTables() bool {
	g, p := q.loneTables()
	return len(g) == 0 && len(p) == 0
}

func orderDiffers(e *evidence) *found {
	q := e.queries()
	if !q.firsts() || q.gold.order[0].text == q.pred.order[0].text ||
		q.gold.order[0].aggregated != q.pred.order[0].aggregated {
		return nil
	}
	g, p := part(q.gold.order[0].text), part(q.pred.order[0].text)
	return &found{text: fmt.Sprintf("Gold keeps the first rows by %s, the answer by %s.", g, p),
		proof: Proof{Gold: g, Pred: p}}
}

func limitsDiffer(e *evidence) *found {
	q := e.queries()
	known := func(q *query) bool { return q.limited || q.query.Limit == nil && !q.cut }
	if !q.both() || !known(q.gold) || !known(q.pred) || q.gold.limited == q.pred.limited && q.gold.limit == q.pred.limit {
		return nil
	}
	say := func(q *query) string {
		if !q.limited {
			return "has no limit"
		}
		return fmt.Sprintf("keeps at most %s", printable.Count(int(q.limit), "row"))
	}
	return &found{text: fmt.Sprintf("Gold %s, the answer %s.", say(q.gold), say(q.pred))}
}

func distinctUnderLimit(e *evidence) *found {
	q := e.queries()
	if !q.both() || q.gold.final == nil || q.pred.final == nil || q.gold.final.Distinct == q.pred.final.Distinct ||
		q.gold.grouped() || q.pred.grouped() || !q.gold.first() || !q.pred.first() {
		return nil
	}
	if q.gold.final.Distinct {
		return &found{text: "Gold has DISTINCT before it keeps the first rows, the answer does not."}
	}
	return &found{text: "The answer has DISTINCT before it keeps the first rows, gold does not."}
}

func sameOrderLimit(e *evidence) *found {
	q := e.queries()
	if !q.firsts() || q.gold.order[0] != q.pred.order[0] || !q.gold.limited || !q.pred.limited ||
		q.gold.limit != q.pred.limit {
		return nil
	}
	return &found{
		text: fmt.Sprintf("Both keep the first %s, sorted first by %s.", printable.Count(int(q.gold.limit), "row"),
			part(q.gold.order[0].text)), proof: Proof{Gold: part(q.gold.order[0].text), Pred: part(q.pred.order[0].text)}}
}

// groups returns the sorted, distinct grouping expressions of a query, including those of nested queries.
func (q *query) groups() []string {
	out := slices.Clone(q.parts.GroupBy)
	for _, s := range q.selects {
		if s.Group == nil || s == q.final {
			continue
		}
		for _, x := range s.Group.Items {
			out = append(out, sqlparts.Normalized(x))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func groupDiffers(e *evidence) *found {
	q := e.queries()
	if !q.both() || slices.Equal(q.gold.groups(), q.pred.groups()) {
		return nil
	}
	g, p := parts(q.gold.groups()), parts(q.pred.groups())
	r := &found{text: fmt.Sprintf("Gold groups by %s, the answer by %s.", g, p), proof: Proof{Gold: g, Pred: p}}
	switch {
	case g == "":
		r.text = fmt.Sprintf("The answer groups by %s, gold does not group.", p)
	case p == "":
		r.text = fmt.Sprintf("Gold groups by %s, the answer does not group.", g)
	}
	return r
}

func outerJoin(e *evidence) *found {
	q := e.queries()
	if !q.both() || q.gold.outer == q.pred.outer {
		return nil
	}
	if g, p := q.loneTables(); q.gold.joinsOuter(g) || q.pred.joinsOuter(p) {
		return nil // the other query does not join these tables at all
	}
	if q.gold.outer {
		return &found{text: "Gold has an outer join, the answer's query none."}
	}
	return &found{text: "The answer's query has an outer join, gold none."}
}

// joinsOuter reports whether the query has outer joins, all of them with sources that read only tables in lone.
func (q *query) joinsOuter(lone []string) bool {
	return q.outer && !q.reversed && !slices.ContainsFunc(q.optional, func(s *sqlparts.Source) bool {
		read := q.tablesOf(s)
		return len(read) == 0 || len(without(read, lone)) > 0
	})
}

// tablesOf returns the names of the tables that a source of the query reads, in lower case, also through common table
// expressions.
func (q *query) tablesOf(s *sqlparts.Source) (names []string) {
	ctes := q.defined()
	var read func(table sqlparts.Name)
	read = func(table sqlparts.Name) {
		name := strings.ToLower(table.Last().Text)
		cte := ctes[name]
		if cte == nil || len(table) > 1 {
			names = append(names, name)
			return
		}
		delete(ctes, name) // read once, even if recursive
		for _, t := range sqlparts.Tables(cte) {
			read(t)
		}
	}
	switch {
	case len(s.Nested) > 0:
		for _, inner := range s.Nested {
			names = append(names, q.tablesOf(inner)...)
		}
	case s.Query != nil:
		for _, t := range sqlparts.Tables(s.Query) {
			read(t)
		}
	case len(s.Table) > 0:
		read(s.Table)
	}
	return names
}

// defined returns the common table expressions of the query by name.
func (q *query) defined() map[string]*sqlparts.Query {
	out := map[string]*sqlparts.Query{}
	sqlparts.Walk(q.query, func(n sqlparts.Node) bool {
		if n, ok := n.(*sqlparts.Query); ok {
			for _, c := range n.With {
				if c.Query != nil {
					out[strings.ToLower(c.Name.Text)] = c.Query
				}
			}
		}
		return true
	})
	return out
}

// loneTables returns the tables that only gold's query reads and those that only the answer's query reads.
func (q *queries) loneTables() (gold, pred []string) {
	return without(q.gold.tables, q.pred.tables), without(q.pred.tables, q.gold.tables)
}

func tablesFewer(e *evidence) *found {
	q := e.queries()
	if !q.given() || !q.pred.whole {
		return nil
	}
	if g, p := q.loneTables(); len(g) > 0 && len(p) == 0 && len(q.pred.tables) > 0 {
		return &found{text: fmt.Sprintf("The answer's query does not read %s.", parts(g)), proof: Proof{Gold: parts(g)}}
	}
	return nil
}

func tablesMore(e *evidence) *found {
	q := e.queries()
	if !q.given() || !q.gold.whole {
		return nil
	}
	if g, p := q.loneTables(); len(g) == 0 && len(p) > 0 && len(q.gold.tables) > 0 {
		return &found{text: fmt.Sprintf("The answer's query also reads %s.", parts(p)), proof: Proof{Pred: parts(p)}}
	}
	return nil
}

func tablesDiffer(e *evidence) *found {
	q := e.queries()
	if !q.both() {
		return nil
	}
	if g, p := q.loneTables(); len(g) > 0 && len(p) > 0 {
		return &found{text: fmt.Sprintf("Gold reads %s, the answer's query %s.", parts(g), parts(p)),
			proof: Proof{Gold: parts(g), Pred: parts(p)}}
	}
	return nil
}

func selectDiffers(e *evidence) *found {
	if !e.queries().both() || !e.sameRest() || slices.Equal(e.queries().gold.parts.Select, e.queries().pred.parts.Select) {
		return nil
	}
	q := e.queries()
	if !q.gold.sameBut(q.pred) {
		return nil
	}
	g, p := parts(without(q.gold.parts.Select, q.pred.parts.Select)),
		parts(without(q.pred.parts.Select, q.gold.parts.Select))
	return &found{text: "The queries are the same but for what they select.", proof: Proof{Gold: g, Pred: p}}
}

// sameBut reports whether two queries have the same normalized text if their select lists are removed. It is false if a
// query is not one plain SELECT.
func (q *query) sameBut(o *query) bool {
	rest := func(q *query) string {
		if q.final == nil || q.query.Body != sqlparts.Body(q.final) {
			return ""
		}
		final, whole := *q.final, *q.query
		final.Items = nil
		whole.Body = &final
		return sqlparts.Format(&whole)
	}
	g := rest(q)
	return g != "" && g == rest(o)
}
