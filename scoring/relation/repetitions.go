package relation

import (
	"fmt"
)

var repetitionKinds = []Kind{
	{
		Name: "duplicates", Class: Equivalent, find: func(e *evidence) *found { return repetitions(e, false) },
		Meaning: "The same rows, some of them more or less often.", Example: "(1), (2); (1), (2), (2)",
	},
	{
		Name: "duplicates_extra_columns", Class: Presentational, find: func(e *evidence) *found { return repetitions(e, true) },
		Meaning: "Every gold row is there and no other, some of them more or less often, and the answer shows more columns.", Example: "('a'), ('b'); ('a', 1), ('a', 2), ('b', 1)",
	},
}

// repetitions tells whether gold's columns hold the same set of rows.
func repetitions(e *evidence, extra bool) *found {
	m := e.rows()
	if m == nil || !m.sameSet() || m.sameBag() || extra != (len(e.extra()) > 0) {
		return nil
	}
	r := &found{
		text:  fmt.Sprintf("Both results hold the same %s, not equally often: gold has %d in all, the answer %d.", plural(m.shared, "different row"), len(m.gold), len(m.pred)),
		proof: Proof{OnlyGold: len(m.onlyGold), OnlyPred: len(m.onlyPred)},
	}
	if extra {
		r.text = fmt.Sprintf("Both results hold the same %s in gold's columns, not equally often; the answer also shows %s.", plural(m.shared, "different row"), named(e.pred, e.extra()))
		r.proof.PredColumns = e.extra()
	}
	return r
}
