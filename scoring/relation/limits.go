package relation

import (
	"fmt"

	"github.com/badger-eval/badger/internal/printable"
)

var limitKinds = []Kind{
	{
		Name: "tie_unproven", Display: "Possibly other rows chosen among ties", Group: SortingAndCuttingOff,
		Class: Difference, find: func(e *evidence) *found { return tieAtOtherPosition(e, false) },
		Meaning: "Equally many rows of both sides differ, and all that do hold the last value of a column that both results are sorted by, but the queries differ in more than that or are not both known: the answer's rows may not have that value.",
		Example: "('a', 9), ('b', 7); ('a', 9), ('c', 7), of another table",
	},
	{
		Name: "limit_longer", Display: "Top list too long", Group: SortingAndCuttingOff,
		Class: Difference, find: limitLonger,
		Meaning: "The answer has every gold row; gold's query stops at a limit that the answer's does not have, or has higher.", Example: "(9), (8) by LIMIT 2; (9), (8), (7)",
	},
	{
		Name: "limit_shorter", Display: "Top list too short", Group: SortingAndCuttingOff,
		Class: Difference, find: limitShorter,
		Meaning: "Every row of the answer is in gold; the answer's query stops at a limit that gold's does not have, or has higher.", Example: "(9), (8), (7); (9), (8) by LIMIT 2",
	},
	{
		Name: "gold_sort_against_question", Display: "Gold sorted against the question", Group: SortingAndCuttingOff,
		Class: Defensible, WrittenFrom: "splash", find: sortAgainstQuestion,
		Meaning: "Both queries keep the first rows by one and the same measure in the same tables; the question asks for its highest (or lowest), the answer sorts so and gold the other way.", Example: "ORDER BY rank LIMIT 1; ORDER BY rank DESC LIMIT 1, where the question asks for the highest",
	},
	{
		Name: "sort_flipped", Display: "Sorted the wrong way round", Group: SortingAndCuttingOff,
		Class: Difference, find: sortFlipped,
		Meaning: "Both queries keep the first rows by the same order, one ascending, the other descending, and the rows differ.", Example: "ORDER BY x DESC LIMIT 3; ORDER BY x LIMIT 3",
	},
}

func limitLonger(e *evidence) *found {
	m, q := e.rows(), e.queries()
	if m == nil || !q.given() || !q.pred.whole || len(m.onlyGold) > 0 || !q.gold.limited ||
		int(q.gold.limit) != len(m.gold) || q.pred.limited && q.pred.limit <= q.gold.limit {
		return nil
	}
	r := &found{
		text: fmt.Sprintf("Gold stops at %s; the answer has %s and %d more, up to its limit of %d.",
			printable.Count(q.gold.limit, "row"), printable.Verb(q.gold.limit, "it", "them"), len(m.onlyPred), q.pred.limit)}
	if !q.pred.limited {
		r.text = fmt.Sprintf("Gold stops at %s; the answer has %s and %d more, without a limit.",
			printable.Count(q.gold.limit, "row"), printable.Verb(q.gold.limit, "it", "them"), len(m.onlyPred))
	}
	r.proof.OnlyPred = len(m.onlyPred)
	return r
}

func limitShorter(e *evidence) *found {
	m, q := e.rows(), e.queries()
	if m == nil || !q.given() || !q.gold.whole || len(m.onlyPred) > 0 || !q.pred.limited ||
		int(q.pred.limit) != len(m.pred) || q.gold.limited && q.gold.limit <= q.pred.limit {
		return nil
	}
	r := &found{
		text: fmt.Sprintf("The answer stops at %s, all in gold, which has %d more.", printable.Count(q.pred.limit, "row"),
			len(m.onlyGold))}
	r.proof.OnlyGold = len(m.onlyGold)
	return r
}

func sortFlipped(e *evidence) *found {
	q := e.queries()
	if !q.given() || len(q.gold.order) == 0 || len(q.pred.order) == 0 || !q.gold.cutsOff() || !q.pred.cutsOff() {
		return nil
	}
	g, p := q.gold.order[0], q.pred.order[0]
	if g.text != p.text || g.desc == p.desc {
		return nil
	}
	direction := map[bool]string{true: "descending", false: "ascending"}
	end := map[bool]string{true: "highest", false: "lowest"}
	return &found{
		text: fmt.Sprintf("Gold keeps the rows with the %s %s, the answer those with the %s.", end[g.desc], part(g.text),
			end[p.desc]),
		proof: Proof{Gold: part(g.text) + " " + direction[g.desc], Pred: part(p.text) + " " + direction[p.desc]},
	}
}

func sortAgainstQuestion(e *evidence) *found {
	q := e.queries()
	if !q.both() || !q.firsts() || !q.sameTables() || q.gold.order[0].text != q.pred.order[0].text ||
		q.gold.order[0].desc == q.pred.order[0].desc {
		return nil
	}
	high, low := e.asks().Extremes()
	if high == low || high != q.pred.order[0].desc {
		return nil
	}
	way := map[bool]string{true: "highest", false: "lowest"}[high]
	return &found{
		text: fmt.Sprintf("The question asks for the %s; by %s the answer keeps that, gold the other end.", way,
			part(q.gold.order[0].text)),
		proof: Proof{Gold: part(q.gold.order[0].text), Pred: part(q.pred.order[0].text)},
	}
}
