package relation

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

var nothingKinds = []Kind{
	{
		Name: "null_row_for_empty", Display: "A row of NULLs on one side, no rows on the other", Group: SameData,
		Class: Equivalent, find: nullRowForEmpty,
		Meaning: "One result is empty, the other one row of NULLs, as an aggregate over no rows gives: both say that there is nothing.", Example: "no rows; (NULL)",
	},
	{
		Name: "zero_for_nothing", Display: "Zero on one side, no rows on the other", Group: ShownOtherwise,
		Class: Defensible, find: zeroForNothing,
		Meaning: "One result is empty or one row of NULLs, the other one row of zeros, in as many columns, all of them counts or sums by their names or queries.", Example: "(total): no rows; (total) = (0)",
	},
}

// blank classifies a result by whether it is empty or holds only NULLs and zeros.
type blank int

const (
	blankNo    blank = iota
	blankEmpty       // no rows
	blankNull        // one row of NULLs
	blankZero        // one row of zeros, with or without NULLs
)

func blankness(t *scoring.Table) blank {
	switch {
	case t.Rows() == 0:
		return blankEmpty
	case t.Rows() > 1 || len(t.Columns) == 0:
		return blankNo
	}
	zeros := 0
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case c.IsNull(0):
		case isZero(c, 0):
			zeros++
		default:
			return blankNo
		}
	}
	if zeros > 0 {
		return blankZero
	}
	return blankNull
}

// isZero reports whether a cell is the number 0.
func isZero(c *scoring.Column, i int) bool {
	if c.IsNull(i) {
		return false
	}
	switch v := c.Value(i); v.Type {
	case scoring.Int64:
		return v.Int() == 0
	case scoring.Float64:
		return v.Float() == 0
	case scoring.Decimal:
		u, wide, _ := v.Decimal()
		return wide == nil && u == 0 || wide != nil && wide.Sign() == 0
	}
	return false
}

func nullRowForEmpty(e *evidence) *found {
	if e.queriesOnly {
		return nil
	}
	switch g, p := blankness(e.gold), blankness(e.pred); {
	case g == blankEmpty && p == blankNull:
		return &found{text: "Gold is empty, the answer is one row of NULLs: both say that there is nothing."}
	case g == blankNull && p == blankEmpty:
		return &found{text: "Gold is one row of NULLs, the answer is empty: both say that there is nothing."}
	}
	return nil
}

func zeroForNothing(e *evidence) *found {
	if e.queriesOnly {
		return nil
	}
	words := map[blank]string{blankEmpty: "empty", blankNull: "one row of NULLs", blankZero: "one row of zeros"}
	g, p := blankness(e.gold), blankness(e.pred)
	if g == blankNo || p == blankNo || (g == blankZero) == (p == blankZero) || len(e.gold.Columns) != len(e.pred.Columns) {
		return nil
	}
	for i := range e.gold.Columns { // a count of nothing is 0, an average of nothing is not
		if !e.adds(goldSide, i) && !e.adds(predSide, i) {
			return nil
		}
	}
	return &found{text: fmt.Sprintf("Gold is %s, the answer is %s: both found nothing.", words[g], words[p])}
}
