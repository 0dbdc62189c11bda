package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/question"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// referenceKinds are differences that indicate an error in gold's query rather than in the answer's.
var referenceKinds = []Kind{
	{
		Name: "gold_finds_nothing", Display: "Gold finds nothing", Group: Filters,
		Class: Defensible, WrittenFrom: "splash", find: goldFindsNothing,
		Meaning: "Gold is empty, or one row of NULLs, and the answer is neither; it reads the same tables and holds every column to a value that gold does, so that it is not wider.", Example: "no rows, WHERE e = 'c1'; ('a'), WHERE e = 'cl'",
	},
	{
		Name: "gold_literal_foreign", Display: "Gold filters by a value not in the question", Group: Filters,
		Class: Defensible, find: func(e *evidence) *found { return foreignLiteral(e, goldSide) },
		Meaning: "Gold compares a column with a literal that neither the question nor its evidence has; the answer compares it with one that is in the question.", Example: "id = 'TR000'; id = 'TR346', which the question asks for",
	},
	{
		Name: "gold_vacuous_limit", Display: "Gold's limit has no effect", Group: SortingAndCuttingOff,
		Class: Defensible, find: vacuousLimit,
		Meaning: "Gold orders and limits the one row of an aggregate without GROUP BY, which does nothing; the answer does not.", Example: "SELECT SUM(x) … ORDER BY y LIMIT 1; SELECT SUM(x) … WHERE y = (SELECT MAX(y) …)",
	},
	{
		Name: "gold_vacuous_having", Display: "Gold's group filter has no effect", Group: Filters,
		Class: Defensible, find: vacuousHaving,
		Meaning: "Gold's HAVING asks for a count of at least one, which every group has; the answer's query has no such condition.", Example: "GROUP BY id HAVING COUNT(*) >= 1; a join",
	},
	{
		Name: "gold_ungrouped", Display: "Gold does not group as asked", Group: GroupsAndJoins,
		Class: Defensible, WrittenFrom: "splash", find: ungrouped,
		Meaning: "The question asks for something of each; gold aggregates all rows into one, and the answer groups those of the same tables.", Example: "SELECT AVG(x); SELECT k, AVG(x) GROUP BY k",
	},
	{
		Name: "gold_and_for_or", Display: "Gold has AND where the question says OR", Group: Filters,
		Class: Defensible, WrittenFrom: "splash", find: goldAndForOr,
		Meaning: "The question says or, and not both, shared or common; gold keeps what meets two conditions at once, the answer what meets either.", Example: "… INTERSECT …; x = 'a' OR x = 'b'",
	},
}

// counterLiterals returns pairs of conditions, one of each query, that compare the same expression, by = or a pattern,
// with different literals. Neither condition is in the other query, and the literals do not differ only in case that
// both ignore.
func (q *queries) counterLiterals() (pairs [][2]condition) {
	lone := func(of, other *query) (out []condition) {
		for _, c := range of.conditions {
			q.halt.Check()
			if c.literal == "" || c.Operator != "=" && !strings.HasSuffix(c.Operator, "like") {
				continue
			}
			if !slices.ContainsFunc(other.conditions,
				func(o condition) bool { return o.Column == c.Column && sameLiteral(o, c) }) {
				out = append(out, c)
			}
		}
		return out
	}
	preds := lone(q.pred, q.gold)
	for _, g := range lone(q.gold, q.pred) {
		q.halt.Check()
		for _, p := range preds {
			if sameColumn(g.Column, p.Column) {
				if !sameInAnyCase(g, p) {
					pairs = append(pairs, [2]condition{g, p})
				}
				break
			}
		}
	}
	return pairs
}

// sameColumn reports whether two normalized expressions are the same except for LOWER, UPPER, TRIM and CAST around
// them.
func sameColumn(a, b string) bool { return a == b || bareColumn(a) == bareColumn(b) }

func bareColumn(s string) string {
	for {
		open := strings.IndexByte(s, '(')
		if open < 0 || !strings.HasSuffix(s, ")") {
			return s
		}
		switch s[:open] {
		case "lower", "upper", "trim", "ltrim", "rtrim":
			s = s[open+1 : len(s)-1]
		case "cast", "try_cast":
			inner, _, ok := strings.Cut(s[open+1:len(s)-1], " as ")
			if !ok {
				return s
			}
			s = inner
		default:
			return s
		}
	}
}

func sameLiteral(a, b condition) bool { return a.literal == b.literal }

// foreignLiteral returns a finding if, in a pair of conditions on the same column, side foreign has a string literal
// that is not in the question and the other side one that is; else nil.
func foreignLiteral(e *evidence, foreign side) *found {
	q := e.queries()
	if !q.both() || e.Question == "" {
		return nil
	}
	asked, all := e.asks().Plain(), question.Plain(e.Question+" "+e.Evidence)
	for _, p := range q.counterLiterals() {
		g, a := p[0], p[1]
		mine, other := g, a
		if foreign == predSide {
			mine, other = a, g
		}
		if !mine.str || !other.str || caseOnly(mine, other) || sameForm(mine, other) {
			continue
		}
		m, o := strings.Trim(mine.literal, "%"), strings.Trim(other.literal, "%")
		if question.Contains(all, m) || question.Contains(all, naming.Stem(m)) || !question.Contains(asked, o) ||
			len(question.Plain(m)) <= 3 {
			continue
		}
		r := &found{proof: Proof{Gold: part(g.text), Pred: part(a.text)}}
		if foreign == goldSide {
			r.text = fmt.Sprintf("Gold compares %s with a value that is not in the question, the answer with one that is.",
				part(g.Column))
		} else {
			r.text = fmt.Sprintf("The answer compares %s with a value that is not in the question, gold with one that is.",
				part(g.Column))
		}
		return r
	}
	return nil
}

// goldFindsNothing returns a finding if gold is empty or one row of NULLs while the answer, with conditions on all
// columns that gold has conditions on and the same tables, is not; else nil.
func goldFindsNothing(e *evidence) *found {
	q := e.queries()
	if e.queriesOnly || !q.both() || !isNothing(blankness(e.gold)) || isNothing(blankness(e.pred)) || !q.sameTables() ||
		len(q.gold.filters()) == 0 {
		return nil
	}
	for _, c := range q.gold.conditions {
		q.halt.Check()
		if c.Joins {
			continue
		}
		if !slices.ContainsFunc(q.pred.conditions, func(o condition) bool {
			return unqualified(bareColumn(o.Column)) == unqualified(bareColumn(c.Column))
		}) {
			return nil
		}
	}
	return &found{
		text: "Gold finds nothing; the answer, by conditions on the same columns of the same tables, finds something."}
}

func vacuousLimit(e *evidence) *found {
	q := e.queries()
	if !q.both() || !q.gold.aggregatesAll() || len(q.gold.query.OrderBy) == 0 || q.gold.query.Limit == nil ||
		q.pred.aggregatesAll() && len(q.pred.query.OrderBy) > 0 && q.pred.query.Limit != nil {
		return nil
	}
	return &found{
		text:  "Gold orders and limits the only row of its aggregate, which does nothing: the condition that was meant is missing.",
		proof: Proof{Gold: "ORDER BY " + part(sqlparts.Format(q.gold.query.OrderBy[0]))},
	}
}

func vacuousHaving(e *evidence) *found {
	q := e.queries()
	if !q.both() || !q.gold.grouped() {
		return nil
	}
	vacuous := func(q *query) int {
		return slices.IndexFunc(q.conditions, func(c condition) bool {
			return c.late() && (c.Column == "count(*)" || c.Column == "count(1)") &&
				(c.Operator == ">=" && c.literal == "1" || c.Operator == ">" && c.literal == "0")
		})
	}
	at := vacuous(q.gold)
	if at < 0 || vacuous(q.pred) >= 0 {
		return nil
	}
	return &found{text: "Gold's HAVING asks for at least one row of each group, which every group has.",
		proof: Proof{Gold: part(q.gold.conditions[at].text)}}
}

func ungrouped(e *evidence) *found {
	q := e.queries()
	if !q.both() || !e.asks().AsksEach() || !q.gold.aggregatesAll() || !q.pred.grouped() || !q.sameTables() {
		return nil
	}
	return &found{text: "The question asks for something of each; gold makes one row of all, and the answer groups."}
}

// conjoins reports whether a query contains INTERSECT, and alternates whether it contains OR, an IN list or UNION but
// no INTERSECT.
func (q *query) conjoins() bool   { return q.intersects }
func (q *query) alternates() bool { return !q.intersects && (q.ors > 0 || q.unites) }

func goldAndForOr(e *evidence) *found {
	q := e.queries()
	if !q.both() || !q.gold.conjoins() || !q.pred.alternates() || !e.asks().Either() {
		return nil
	}
	return &found{
		text: "The question says or; gold keeps what meets both conditions (INTERSECT), the answer what meets either."}
}
