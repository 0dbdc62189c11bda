package relation

import (
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// extentKinds describe how much two results have in common, but not why they differ.
var extentKinds = []Kind{
	{
		Name: "pred_empty", Display: "The answer finds nothing, gold does", Group: Filters,
		Class: Difference, find: predEmpty,
		Meaning: "The answer is empty, or one row of NULLs; gold is neither.", Example: "('a'); no rows",
	},
	{
		Name: "gold_empty", Display: "Gold finds nothing, the answer does", Group: Filters,
		Class: Difference, find: goldEmpty,
		Meaning: "Gold is empty, or one row of NULLs; the answer is neither.", Example: "no rows; ('a')",
	},
	{
		Name: "measures_differ", Display: "Other figures in the same rows", Group: OtherValue,
		Class: Difference, find: measuresDiffer,
		Meaning: "The rows are the same by their other columns, and measures of theirs are not.",
		Example: "('a', 3), ('b', 5); ('a', 3), ('b', 8)",
	},
	{
		Name: "superset", Display: "Too many rows", Group: Filters,
		Class: Difference, find: superset,
		Meaning: "Every gold row is in the answer, which has more.", Example: "(1), (2); (1), (2), (3)",
	},
	{
		Name: "subset", Display: "Rows missing", Group: Filters,
		Class: Difference, find: subset,
		Meaning: "Every row of the answer is in gold, which has more.", Example: "(1), (2), (3); (1), (2)",
	},
	{
		Name: "overlap_high", Display: "Most rows agree", Group: OtherValue,
		Class: Difference, find: func(e *evidence) *found { return overlap(e, 0.8, 1) },
		Meaning: "At least four fifths of the rows of both agree, counted on the longer result.", Example: "nine of ten rows",
	},
	{
		Name: "overlap", Display: "Only some rows agree", Group: OtherValue,
		Class: Difference, find: func(e *evidence) *found { return overlap(e, 0, 0.8) },
		Meaning: "Some rows of both agree, fewer than four fifths of the longer result.", Example: "(1), (2); (2), (3)",
	},
	{
		Name: "value_differs", Display: "Another value", Group: OtherValue,
		Class: Difference, find: valueDiffers,
		Meaning: "Both results are one value, but different ones.", Example: "(5); (7)",
	},
	{
		Name: "cells_differ", Display: "Some cells differ", Group: OtherValue,
		Class: Difference, find: cellsDiffer,
		Meaning: "No row agrees as a whole, but a key that is unique on both sides matches rows, and other columns differ.",
		Example: "('a', 1, 'x'); ('a', 2, 'y')",
	},
	{
		Name: "columns_in_common", Display: "No whole row agrees", Group: OtherValue,
		Class: Difference, find: columnsInCommon,
		Meaning: "No row agrees, but columns have values in common.", Example: "(1, 'x'), (2, 'y'); (2, 'x'), (1, 'z')",
	},
	{
		Name: "disjoint", Display: "No value agrees", Group: OtherValue,
		Class: Difference, find: disjoint,
		Meaning: "The results have nothing in common.", Example: "('a'); ('b'), ('c')",
	},
}

// unexplained is returned if no other relation holds, so that Find always returns one.
var unexplained = Kind{
	Name: "unexplained", Display: "Differs for an unknown reason", Group: OtherValue,
	Class:   Difference,
	find:    func(*evidence) *found { return &found{text: "The results differ for an unknown reason."} },
	Meaning: "None of the others.", Example: "",
}

func isNothing(b blank) bool { return b == blankEmpty || b == blankNull }

func predEmpty(e *evidence) *found {
	g, p := blankness(e.gold), blankness(e.pred)
	if !isNothing(p) || isNothing(g) {
		return nil
	}
	if p == blankNull {
		return &found{
			text: fmt.Sprintf("The answer is one row of NULLs; gold has %s.", printable.Count(e.gold.Rows(), "row"))}
	}
	return &found{text: fmt.Sprintf("The answer is empty; gold has %s.", printable.Count(e.gold.Rows(), "row"))}
}

func goldEmpty(e *evidence) *found {
	g, p := blankness(e.gold), blankness(e.pred)
	if !isNothing(g) || isNothing(p) {
		return nil
	}
	if g == blankNull {
		return &found{
			text: fmt.Sprintf("Gold is one row of NULLs; the answer has %s.", printable.Count(e.pred.Rows(), "row"))}
	}
	return &found{text: fmt.Sprintf("Gold is empty; the answer has %s.", printable.Count(e.pred.Rows(), "row"))}
}

func superset(e *evidence) *found {
	m := e.rows()
	if m == nil || len(m.onlyGold) > 0 || len(m.onlyPred) == 0 {
		return nil
	}
	return &found{text: fmt.Sprintf("Every row of gold is there, and %d more.", len(m.onlyPred)),
		proof: Proof{OnlyPred: len(m.onlyPred), Rows: some(m.onlyPred)}}
}

func subset(e *evidence) *found {
	m := e.rows()
	if m == nil || len(m.onlyPred) > 0 || len(m.onlyGold) == 0 {
		return nil
	}
	return &found{text: fmt.Sprintf("Every row of the answer is in gold, which has %d more.", len(m.onlyGold)),
		proof: Proof{OnlyGold: len(m.onlyGold), Rows: some(m.onlyGold)}}
}

func overlap(e *evidence, least, below float64) *found {
	m := e.rows()
	if m == nil || m.equal == 0 || len(m.onlyGold) == 0 || len(m.onlyPred) == 0 {
		return nil
	}
	share := float64(m.equal) / float64(max(len(m.gold), len(m.pred)))
	if share < least || share >= below {
		return nil
	}
	return &found{
		text: fmt.Sprintf("%s %s; %d only in gold, %d only in the answer.", printable.Count(m.equal, "row"),
			printable.Verb(m.equal, "agrees", "agree"), len(m.onlyGold), len(m.onlyPred)),
		proof: Proof{OnlyGold: len(m.onlyGold), OnlyPred: len(m.onlyPred)},
	}
}

func valueDiffers(e *evidence) *found {
	one := func(s side) bool { return e.table(s).Rows() == 1 && len(e.table(s).Columns) == 1 }
	if !one(goldSide) || !one(predSide) || isNothing(blankness(e.gold)) || isNothing(blankness(e.pred)) {
		return nil
	}
	r := &found{text: "Both results are one value, but different ones."}
	if single(e.gold) != nil && single(e.pred) != nil {
		g, _ := floatOf(e.gold.Columns[0].Value(0))
		p, _ := floatOf(e.pred.Columns[0].Value(0))
		r.text = "Both results are one number, but different ones."
		if f, ok := ratio(g, p); ok {
			r.proof.Factor = f
			r.text = fmt.Sprintf("Both results are one number; gold's is %s times the answer's.", printable.Figure(f, 4))
			if off := math.Abs(f - 1); off < 0.1 { // 1.0002 times would be shown as 1
				r.text = fmt.Sprintf("Both results are one number; they differ by %s %%.", printable.Figure(100*off, 2))
			}
		}
	}
	return r
}

func cellsDiffer(e *evidence) *found {
	if m := e.rows(); m != nil && m.equal > 0 || len(e.a.Index) == 0 || e.gold.Rows() < 2 {
		return nil
	}
	m := e.over(e.a.Index)
	if m == nil || m.equal == 0 {
		return nil
	}
	var differ []int
	for i := range e.gold.Columns {
		if i < len(e.counts.ColumnEqual) && e.counts.ColumnEqual[i] < e.counts.Matched {
			differ = append(differ, i)
		}
	}
	keys := named(e.gold, e.goldColumns(e.a.Index))
	text := fmt.Sprintf("%d of %d rows of gold and %d of the answer are matched by %s", m.equal, len(m.gold), len(m.pred),
		keys)
	if m.equal == len(m.gold) && m.equal == len(m.pred) {
		text = fmt.Sprintf("All %d rows are matched by %s", m.equal, keys)
	}
	return &found{
		text:  text + "; " + e.differing(differ) + ".",
		proof: Proof{OnlyGold: len(m.onlyGold), OnlyPred: len(m.onlyPred), GoldColumns: differ},
	}
}

// differing returns a clause that says which of some columns of gold differ, and which the answer does not have.
func (e *evidence) differing(columns []int) string {
	var differ, missing []int
	for _, i := range columns {
		if slices.ContainsFunc(e.a.Columns[:], func(p scoring.ColumnPair) bool { return p.Gold == i }) {
			differ = append(differ, i)
		} else {
			missing = append(missing, i)
		}
	}
	text := ""
	if len(differ) > 0 {
		text = named(e.gold, differ) + " " + printable.Verb(len(differ), "differs", "differ")
	}
	if len(missing) > 0 {
		if text != "" {
			text += ", and "
		}
		text += "the answer has no " + named(e.gold, missing)
	}
	return text
}

func columnsInCommon(e *evidence) *found {
	if m := e.rows(); m != nil && m.equal > 0 || e.gold.Rows() == 0 || e.pred.Rows() == 0 || cellsDiffer(e) != nil {
		return nil
	}
	var pairs []int
	for k := range e.a.Columns {
		if e.a.Columns[k].Overlap > 0 {
			pairs = append(pairs, k)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return e.aboutPairs(pairs,
		fmt.Sprintf("No row agrees as a whole; %s %s values in common with the answer.", named(e.gold, e.goldColumns(pairs)),
			printable.Verb(len(pairs), "has", "have")))
}

func disjoint(e *evidence) *found {
	if m := e.rows(); m != nil && m.equal > 0 || cellsDiffer(e) != nil || columnsInCommon(e) != nil {
		return nil
	}
	return &found{text: "The results have nothing in common."}
}
