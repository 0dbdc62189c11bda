package relation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/printable"
)

var conditionKinds = []Kind{
	{
		Name: "filter_missing", Display: "Filter missing, so too many rows", Group: Filters,
		Class: Difference, find: func(e *evidence) *found { return oneFilter(e, goldSide) },
		Meaning: "Every gold row is in the answer, which has more; the conditions of the queries are the same but for one, or the bounds of one column, which only gold has.", Example: "WHERE a = 1 AND b = 2; WHERE a = 1",
	},
	{
		Name: "filter_added", Display: "One filter too many, so rows missing", Group: Filters,
		Class: Difference, find: func(e *evidence) *found { return oneFilter(e, predSide) },
		Meaning: "Every row of the answer is in gold, which has more; the conditions of the queries are the same but for one, or the bounds of one column, which only the answer has.", Example: "WHERE a = 1; WHERE a = 1 AND b = 2",
	},
	{
		Name: "literal_case", Display: "Other capitals in a filter's text", Group: Filters,
		Class: Difference, find: literalCase,
		Meaning: "The queries compare with literals that differ in upper and lower case alone, or one of them folds the case first.", Example: "x = 'aminer'; x = 'Aminer'",
	},
	{
		Name: "literal_form", Display: "Text written differently in a filter", Group: Filters,
		Class: Difference, find: literalForm,
		Meaning: "The queries compare with literals that are written otherwise: the same letters and digits but for blanks and signs, another type, or one inside the other.", Example: "t LIKE '1:54%'; t = '0:01:54'",
	},
	{
		Name: "literal_foreign", Display: "Filters by a value not in the question", Group: Filters,
		Class: Difference, find: func(e *evidence) *found { return foreignLiteral(e, predSide) },
		Meaning: "The answer compares a column with a literal that neither the question nor its evidence has; gold compares it with one that is in the question.", Example: "x = 'Japan'; x = 'Nippon'",
	},
	{
		Name: "literals_differ", Display: "Another value in a filter", Group: Filters,
		Class: Difference, find: literalsDiffer,
		Meaning: "The queries compare the same column with other literals.", Example: "year = 2023; year = 2024",
	},
	{
		Name: "boundary", Display: "Off by one at a boundary", Group: Filters,
		Class: Difference, find: boundary,
		Meaning: "The queries compare the same column with the same value, one of them the value itself included.",
		Example: "x > 5; x >= 5",
	},
	{
		Name: "comparison_differs", Display: "Other comparison in a filter", Group: Filters,
		Class: Difference, find: comparisonDiffers,
		Meaning: "The queries compare the same column with the same value by another operator.", Example: "x < 5; x > 5",
	},
	{
		Name: "or_for_and", Display: "OR instead of AND", Group: Filters,
		Class: Difference, find: orForAnd,
		Meaning: "Gold keeps what meets two conditions at once (INTERSECT), the answer what meets either.",
		Example: "… INTERSECT …; x IN ('a', 'b')",
	},
	{
		Name: "and_for_or", Display: "AND instead of OR", Group: Filters,
		Class: Difference, find: andForOr,
		Meaning: "The answer keeps what meets two conditions at once (INTERSECT), gold what meets either.",
		Example: "x IN ('a', 'b'); … INTERSECT …",
	},
	{
		Name: "condition_missing", Display: "Filter missing", Group: Filters,
		Class: Difference, find: func(e *evidence) *found { return loneCondition(e, goldSide) },
		Meaning: "Gold restricts a column to a literal that the answer's query does not mention.",
		Example: "WHERE a = 1 AND b = 2; WHERE a = 1",
	},
	{
		Name: "condition_added", Display: "One filter too many", Group: Filters,
		Class: Difference, find: func(e *evidence) *found { return loneCondition(e, predSide) },
		Meaning: "The answer's query restricts a column to a literal that gold does not mention.",
		Example: "WHERE a = 1; WHERE a = 1 AND b = 2",
	},
}

// filters returns the distinct conditions of a query that do not join tables, sorted by their normalized text.
func (q *query) filters() []condition {
	var out []condition
	for _, c := range q.conditions {
		if !c.Joins {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b condition) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(out, func(a, b condition) bool { return a.text == b.text })
}

// lone returns the filters of q that other does not have.
func (q *query) lone(other *query) []condition {
	has := textsOf(other.filters())
	return slices.DeleteFunc(q.filters(), func(c condition) bool { return has[c.text] })
}

func textsOf(list []condition) map[string]bool {
	texts := make(map[string]bool, len(list))
	for _, c := range list {
		texts[c.text] = true
	}
	return texts
}

// oneCondition returns the text of a list that is one condition, or an upper and a lower bound of the same column; ""
// for any other list.
func oneCondition(list []condition) string {
	bound := func(c condition) string { return strings.TrimSuffix(c.Operator, "=") } // < or >
	switch {
	case len(list) == 1:
		return list[0].text
	case len(list) == 2 && list[0].Column == list[1].Column && bound(list[0]) == "<" && bound(list[1]) == ">":
		return list[0].text + " and " + list[1].text
	}
	return ""
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	var out []string
	in := make(map[string]bool, len(b))
	for _, x := range b {
		in[x] = true
	}
	for _, x := range a {
		if !in[x] {
			out = append(out, x)
		}
	}
	return out
}

// oneFilter returns a finding if the conditions of the queries differ only in one, which only the query of side has
// contains, and only the other side has additional rows; else nil.
func oneFilter(e *evidence, has side) *found {
	m, q := e.rows(), e.queries()
	if m == nil || !q.both() {
		return nil
	}
	onlyGold, onlyPred := q.gold.lone(q.pred), q.pred.lone(q.gold)
	gold, pred := oneCondition(onlyGold), oneCondition(onlyPred)
	if has == goldSide {
		if gold == "" || len(onlyPred) > 0 || len(m.onlyGold) > 0 || len(m.onlyPred) == 0 {
			return nil
		}
		return &found{
			text: fmt.Sprintf("Every row of gold is there, and %s more; only gold has the condition %s.",
				printable.Count(len(m.onlyPred), "row"), part(gold)),
			proof: Proof{OnlyPred: len(m.onlyPred), Gold: part(gold), Rows: some(m.onlyPred)},
		}
	}
	if pred == "" || len(onlyGold) > 0 || len(m.onlyPred) > 0 || len(m.onlyGold) == 0 {
		return nil
	}
	return &found{
		text: fmt.Sprintf("Every row of the answer is in gold, which has %s more; only the answer has the condition %s.",
			printable.Count(len(m.onlyGold), "row"), part(pred)),
		proof: Proof{OnlyGold: len(m.onlyGold), Pred: part(pred), Rows: some(m.onlyGold)},
	}
}

// literalPair returns the first pair of conditions, one of each query, that compare the same column with different
// literals and for which holds returns true; nil if there is none.
func (e *evidence) literalPair(holds func(g, p condition) bool) *[2]condition {
	q := e.queries()
	if !q.given() {
		return nil
	}
	for _, pair := range q.counterLiterals() {
		if holds(pair[0], pair[1]) {
			return &pair
		}
	}
	return nil
}

func aboutConditions(p *[2]condition, text string) *found {
	if p == nil {
		return nil
	}
	return &found{text: text, proof: Proof{Gold: part(p[0].text), Pred: part(p[1].text)}}
}

func caseOnly(g, p condition) bool { return g.str && p.str && strings.EqualFold(g.literal, p.literal) }

// anyCase reports whether a condition ignores case: it uses ILIKE, or LOWER or UPPER on the column with a literal in
// that case.
func (c *condition) anyCase() bool {
	switch {
	case strings.HasSuffix(c.Operator, "ilike"):
		return true
	case strings.Contains(c.Column, "lower("):
		return c.literal == strings.ToLower(c.literal)
	case strings.Contains(c.Column, "upper("):
		return c.literal == strings.ToUpper(c.literal)
	}
	return false
}

// sameInAnyCase reports whether two conditions are the same and both ignore case, even if each does so in another way,
// such as ILIKE and LOWER.
func sameInAnyCase(a, b condition) bool {
	plain := func(c condition) string { return strings.TrimPrefix(c.Operator, "i") }
	return caseOnly(a, b) && a.anyCase() && b.anyCase() && (plain(a) == plain(b) || !strings.ContainsAny(a.literal, "%_"))
}

func literalCase(e *evidence) *found {
	p := e.literalPair(caseOnly)
	if p == nil {
		return nil
	}
	switch g, a := p[0], p[1]; {
	case g.Column != a.Column:
		return aboutConditions(p,
			fmt.Sprintf("The queries compare with the same letters, gold %s, the answer %s.", part(g.Column), part(a.Column)))
	case g.Operator != a.Operator:
		return aboutConditions(p,
			fmt.Sprintf("The queries compare %s with the same letters, gold by %s, the answer by %s.", part(g.Column),
				g.Operator, a.Operator))
	}
	return aboutConditions(p, "The queries compare with literals that differ in upper and lower case alone.")
}

// sameForm reports whether two literals differ only in how they are written: the same letters and digits, or those of
// one (two at least) are contained in the other's. It is false if only their case differs.
func sameForm(g, p condition) bool {
	if caseOnly(g, p) {
		return false
	}
	a, b := letters(g.literal), letters(p.literal)
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 2 && strings.Contains(b, a)
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func literalForm(e *evidence) *found {
	return aboutConditions(e.literalPair(sameForm),
		"The queries compare with literals that are the same but for the way they are written.")
}

func literalsDiffer(e *evidence) *found {
	p := e.literalPair(func(g, p condition) bool { return !caseOnly(g, p) && !sameForm(g, p) })
	if p == nil {
		return nil
	}
	return aboutConditions(p, fmt.Sprintf("The queries compare %s with different values.", part(p[0].Column)))
}

// operators returns the first pair of conditions, one of each query only, that compare the same column with the same
// value and for whose operators holds returns true; nil if there is none.
func (q *queries) operators(holds func(g, p string) bool) *[2]condition {
	if !q.given() {
		return nil
	}
	inGold, inPred := textsOf(q.gold.conditions), textsOf(q.pred.conditions)
	for _, g := range q.gold.conditions {
		q.halt.Check()
		if g.literal == "" || inPred[g.text] {
			continue
		}
		for _, p := range q.pred.conditions {
			if p.Column == g.Column && p.Value == g.Value && holds(g.Operator, p.Operator) && !inGold[p.text] {
				return &[2]condition{g, p}
			}
		}
	}
	return nil
}

// closed maps a strict comparison operator to the one that includes the bound.
var closed = map[string]string{"<": "<=", ">": ">="}

func boundary(e *evidence) *found {
	p := e.queries().operators(func(g, p string) bool { return closed[g] == p || closed[p] == g })
	if p == nil {
		return nil
	}
	if len(p[0].Operator) > 1 {
		return aboutConditions(p, fmt.Sprintf("Gold includes the bound of %s, the answer does not.", part(p[0].Column)))
	}
	return aboutConditions(p, fmt.Sprintf("The answer includes the bound of %s, gold does not.", part(p[0].Column)))
}

func comparisonDiffers(e *evidence) *found {
	p := e.queries().operators(func(g, p string) bool { return g != p && closed[g] != p && closed[p] != g })
	if p == nil {
		return nil
	}
	return aboutConditions(p,
		fmt.Sprintf("The queries compare %s with the same value, gold by %s, the answer by %s.", part(p[0].Column),
			p[0].Operator, p[1].Operator))
}

func orForAnd(e *evidence) *found {
	if q := e.queries(); !q.given() || !q.gold.conjoins() || !q.pred.alternates() {
		return nil
	}
	return &found{text: "Gold combines by INTERSECT what meets both conditions, the answer has OR, a list or UNION."}
}

func andForOr(e *evidence) *found {
	if q := e.queries(); !q.given() || !q.pred.conjoins() || !q.gold.alternates() {
		return nil
	}
	return &found{text: "Gold has OR, a list or UNION, the answer combines by INTERSECT what meets both conditions."}
}

// loneCondition returns a finding for the first condition of side has with a literal that is in no condition of the
// other query, on a column that this query does not test; nil if there is none. A column that gold tests only in a CASE
// or FILTER counts as untested if gold divides.
func loneCondition(e *evidence, has side) *found {
	q := e.queries()
	if !q.given() {
		return nil
	}
	of, other := q.gold, q.pred
	if has == predSide {
		of, other = other, of
	}
	if !other.whole {
		return nil
	}
	for _, c := range of.conditions {
		if c.literal == "" || len(letters(c.literal)) == 0 || !strings.ContainsFunc(c.Column, unicode.IsLetter) ||
			other.holds(c) {
			continue
		}
		tests := other.tests(c)
		switch {
		case has == predSide && tests && other.divides > 0: // a share of all rows is not one of those that are left
			return &found{
				text: fmt.Sprintf(
					"The answer's query has the condition %s; gold tests that column in a part of its ratio alone and keeps the rows.", part(c.text)), proof: Proof{Pred: part(c.text)}}
		case tests:
		case has == predSide:
			return &found{
				text: fmt.Sprintf("The answer's query has the condition %s; no condition of gold is on that column.",
					part(c.text)),
				proof: Proof{Pred: part(c.text)}}
		default:
			return &found{
				text: fmt.Sprintf("Gold has the condition %s; no condition of the answer's query is on that column.",
					part(c.text)),
				proof: Proof{Gold: part(c.text)}}
		}
	}
	return nil
}

// holds reports whether a condition of the query tests a column that c names, or contains the string literal of c,
// ignoring case and punctuation.
func (q *query) holds(c condition) bool {
	for _, name := range names(c.Column) {
		if q.asked[name] {
			return true
		}
	}
	return slices.ContainsFunc(q.conditions, func(o condition) bool {
		return sameColumn(o.Column, c.Column) || c.str && strings.Contains(letters(o.text), letters(c.literal))
	})
}

// tests reports whether an expression of the query other than its conditions, such as CASE WHEN or FILTER of an
// aggregate, tests a column that c names.
func (q *query) tests(c condition) bool {
	return slices.ContainsFunc(names(c.Column), func(name string) bool { return q.tested[name] })
}

// names splits the normalized text of an expression into words that may be names of columns.
func names(s string) []string {
	return strings.FieldsFunc(s,
		func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
