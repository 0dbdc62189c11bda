package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// stefAggregation is one aggregate (func, col, distinct) of a question or a query (STEF, equations
// 2 and 6).
type stefAggregation struct {
	Function string `json:"function"`
	Column   string `json:"column"`
	Distinct bool   `json:"distinct"`
}

// querySpec is the specification of a query (STEF, equations 5 to 10), extracted by the front end, with the results
// of the normalization rules.
type querySpec struct {
	Projections  []string          `json:"projections"`
	Aggregations []stefAggregation `json:"aggregations"`
	// filters from anywhere in the query, without ignored ones; the judge refers to them by number, from 1
	Filters []stefFilter `json:"filters"`
	Ignored []stefFilter `json:"ignored,omitempty"`
	GroupBy []string     `json:"group_by"`
	OrderBy []string     `json:"order_by"`
	Limit   *int64       `json:"limit"`

	GroupByRequired bool     `json:"group_by_required"` // rule 1, equation 15
	GroupByBenign   []string `json:"group_by_benign"`   // rule 2, equation 16
	OrderDefault    bool     `json:"order_by_default"`  // rule 3, equation 17, unless the question asks for an order
	// rule 4, equation 18; it counts only if the question asks for no number of rows
	LimitSafe bool `json:"limit_is_safety_default"`

	binds   []bool // by filter: every row of the result satisfies it
	decided []bool // by filter: binds, and it compares with constants, so that an equal filter is proof
	benign  []bool // by filter: it is a benign filter of the application
}

// specOf returns the specification of a query. A LIMIT of at least rules.limitMin rows is a safety default.
func specOf(q *sqlparts.Query, rules *stefRules) *querySpec {
	c := sqlparts.Extract(q)
	s := &querySpec{
		Projections: nonNil(c.Select), Aggregations: []stefAggregation{}, Filters: []stefFilter{}, GroupBy: nonNil(c.GroupBy),
		OrderBy: nonNil(c.OrderBy), GroupByBenign: []string{},
	}
	binding := bindingConditions(q)
	for _, condition := range conditionsOf(q) {
		f, literal := sqlFilter(&condition)
		n := f.normal(rules.names)
		if rules.ignored[n.LHS] {
			s.Ignored = append(s.Ignored, f)
			continue
		}
		s.Filters = append(s.Filters, f)
		binds := binding[condition.String()]
		s.binds = append(s.binds, binds)
		s.decided = append(s.decided, literal && binds)
		s.benign = append(s.benign, literal && slices.ContainsFunc(rules.benign, n.equal))
	}
	if n, ok := q.RowLimit(); ok {
		s.Limit = &n
		s.LimitSafe = n >= rules.limitMin
	}
	selects := finalSelects(q)
	s.GroupByRequired = len(selects) > 0
	aggregated := map[string]bool{}
	for i, sel := range selects {
		s.GroupByRequired = s.GroupByRequired && groupRequired(sel)
		for _, it := range sel.Items {
			if aggregates := aggregatesIn(it.Expr); len(aggregates) > 0 {
				aggregated[sqlparts.Normalized(it.Expr)] = true
				s.addAggregates(aggregates, aggregated)
			}
		}
		if sel.Having != nil {
			s.addAggregates(aggregatesIn(sel.Having), aggregated)
		}
		benign := benignGroups(sel)
		if i == 0 {
			s.GroupByBenign = benign
		}
		// For a set operation: grouping that is benign in every arm.
		s.GroupByBenign = slices.DeleteFunc(s.GroupByBenign, func(g string) bool { return !slices.Contains(benign, g) })
	}
	s.OrderDefault = len(s.OrderBy) > 0
	for _, key := range s.OrderBy {
		expr, descending := strings.CutSuffix(key, " desc")
		expr = strings.TrimSuffix(expr, " asc")
		s.OrderDefault = s.OrderDefault && (descending && aggregated[expr] || !descending && slices.Contains(s.GroupBy, expr))
	}
	return s
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (s *querySpec) addAggregates(calls []*sqlparts.Call, seen map[string]bool) {
	for _, c := range calls {
		seen[sqlparts.Normalized(c)] = true
		a := stefAggregation{Function: strings.ToLower(c.Name.Last().Text), Distinct: c.Distinct}
		var args []string
		for _, x := range c.Args {
			args = append(args, sqlparts.Normalized(x))
		}
		if a.Column = strings.Join(args, ", "); !slices.Contains(s.Aggregations, a) {
			s.Aggregations = append(s.Aggregations, a)
		}
	}
}

// finalSelects returns the SELECTs that produce the rows of a query: one, or the operands of a set operation.
func finalSelects(q *sqlparts.Query) []*sqlparts.Select {
	switch b := q.Body.(type) {
	case *sqlparts.Select:
		return []*sqlparts.Select{b}
	case *sqlparts.Query:
		return finalSelects(b)
	case *sqlparts.SetOp:
		var out []*sqlparts.Select
		for _, t := range b.Terms {
			out = append(out, finalSelects(t)...)
		}
		return out
	}
	return nil
}

// aggregatesIn returns the aggregate calls in an expression, except for window functions and those in subqueries.
func aggregatesIn(e sqlparts.Expr) []*sqlparts.Call {
	var out []*sqlparts.Call
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query:
			return false
		case *sqlparts.Call:
			if n.Over == nil && len(n.Name) == 1 && sqlparts.IsAggregate(n.Name[0].Text) {
				out = append(out, n)
				return false
			}
		}
		return true
	})
	return out
}

// groupsOf returns the grouping expressions of one SELECT in normal form.
func groupsOf(s *sqlparts.Select) []string {
	own := *s
	own.From = nil
	return sqlparts.Extract(&sqlparts.Query{Body: &own}).GroupBy
}

// groupRequired implements rule 1, equation 15. It reports whether the select list has aggregates and other
// expressions with columns, and the SELECT groups by all of the latter.
func groupRequired(s *sqlparts.Select) bool {
	groups := groupsOf(s)
	with, without := 0, 0
	for _, it := range s.Items {
		switch _, star := it.Expr.(*sqlparts.Star); {
		case len(aggregatesIn(it.Expr)) > 0:
			with++
		case star || hasColumn(it.Expr):
			if without++; !slices.Contains(groups, sqlparts.Normalized(it.Expr)) {
				return false
			}
		}
	}
	return with > 0 && without > 0
}

func hasColumn(e sqlparts.Expr) bool {
	found := false
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		_, column := n.(*sqlparts.Column)
		found = found || column
		return !found
	})
	return found
}

// benignGroups implements rule 2, equation 16. It returns the grouping columns that WHERE restricts to one constant
// by =, LIKE or ILIKE, in a condition that all rows satisfy, not in one side of an OR.
func benignGroups(s *sqlparts.Select) []string {
	held := map[string]bool{}
	for _, p := range sqlparts.Predicates(s) {
		if p.In == s && p.Clause == sqlparts.WhereClause && p.Binding &&
			(p.Operator == "=" || p.Operator == "like" || p.Operator == "ilike") {
			if _, literal := sqlFilter(&p); literal {
				held[p.Column] = true
			}
		}
	}
	return slices.DeleteFunc(nonNil(groupsOf(s)), func(g string) bool { return !held[g] })
}

// stefFiltersShown is the maximum number of filters shown to a judge.
const stefFiltersShown = 100

// facts returns a description of the specification for a judge.
func (s *querySpec) facts(complete bool) string {
	var out []string
	line := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	line("select list: %s", listed(s.Projections))
	if len(s.Aggregations) > 0 {
		var texts []string
		for _, a := range s.Aggregations {
			texts = append(texts, a.Function+"("+strings.Repeat("distinct ", map[bool]int{true: 1}[a.Distinct])+a.Column+")")
		}
		line("aggregates: %s", listed(texts))
	}
	if len(s.Filters) == 0 {
		line("filters: none")
	}
	for i, f := range s.Filters[:min(len(s.Filters), stefFiltersShown)] {
		note := ""
		if s.benign[i] {
			note = " (a benign default of the application)"
		}
		if !s.binds[i] {
			note += " (does not restrict all rows by itself, as one side of an OR does not)"
		}
		line("filter %d: %s%s", i+1, listed([]string{f.String()}), note)
	}
	if len(s.Filters) > stefFiltersShown {
		line("(%d more filters are left out)", len(s.Filters)-stefFiltersShown)
	}
	for _, f := range s.Ignored {
		line("out of account: %s", listed([]string{f.String()}))
	}
	if len(s.GroupBy) > 0 {
		why := ""
		if s.GroupByRequired {
			why = "; the select list requires it"
		}
		if len(s.GroupByBenign) > 0 {
			why += "; held to one value: " + listed(s.GroupByBenign)
		}
		line("grouped by: %s%s", listed(s.GroupBy), why)
	}
	if len(s.OrderBy) > 0 {
		why := "no usual default"
		if s.OrderDefault {
			why = "a harmless default unless the question asks for another order"
		}
		line("sorted by: %s; %s", listed(s.OrderBy), why)
	}
	if s.Limit != nil {
		why := "does the question ask for a number of rows?"
		if s.LimitSafe {
			why = "a harmless safety limit unless the question asks for a number of rows"
		}
		line("at most %d rows; %s", *s.Limit, why)
	}
	if !complete {
		line("(a part of the SQL could not be read; what stands there is missing here)")
	}
	return strings.Join(out, "\n")
}

// String returns the filter in one line.
func (f stefFilter) String() string {
	s := f.LHS + " " + f.Op
	switch {
	case len(f.RHS) == 1:
		s += " " + f.RHS[0]
	case len(f.RHS) > 1:
		s += " (" + strings.Join(f.RHS, ", ") + ")"
	}
	return s
}
