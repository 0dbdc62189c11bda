package align

import (
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// sureFrom is the confidence from which an alignment found by the evidence is not doubted: every
// column has at least about 60 % of its values on the other side, or differs in its form alone.
const sureFrom = 0.75

// Uncertainties lists the reasons why the columns of two results may correspond in another way than the evidence shows,
// one clause each. A judge can be asked about them. The list is empty if the evidence is sure of every column.
// Uncertainties does not examine whether the results agree under the alignment; if they do, no judge call is needed.
func Uncertainties(a *scoring.Alignment) []string {
	var doubts []string
	if n := len(a.Missing); n > 0 {
		if m := len(a.Extra); m > 0 {
			doubts = append(doubts,
				fmt.Sprintf("gold columns without a counterpart: %d, while predicted columns are left: %d", n, m))
		} else {
			doubts = append(doubts, fmt.Sprintf("gold columns without a counterpart: %d", n))
		}
	}
	if a.Confidence < sureFrom {
		doubts = append(doubts, fmt.Sprintf("the confidence is %.2f, below %.2f", a.Confidence, sureFrom))
	}
	return doubts
}

// Open reports whether any proposal could be accepted that pairs, reads or indexes columns in another way than the
// evidence does: whether some other pair of columns has values in common, some values agree in another unit or
// under a larger tolerance (up to most), or columns that the evidence does not use as an index could be one. If
// none could, no judge call is needed. Open may return true if no proposal would find more, and does so for results
// with very many columns without examining them.
func Open(gold, pred *scoring.Table, evidence *scoring.Alignment, o Options, most float64) bool {
	if len(gold.Columns)*len(pred.Columns) > manyPairs {
		return true
	}
	o.Tolerance = max(o.Tolerance, most)
	j := &judged{aligner: newAligner(gold, pred, nil, nil, o), evidence: evidence}
	for g := range j.gold {
		own := j.counterpart(g)
		for q := range j.pred {
			if j.openPair(g, q, own) {
				return true
			}
		}
	}
	return j.openIndex()
}

// openPair reports whether a proposal of this pair could be taken and would compare it in another way
// than the evidence does.
func (j *judged) openPair(g, q int, own *scoring.ColumnPair) bool {
	c, d := &j.gold[g], &j.pred[q]
	least := 0.0 // of agreement, that it would have to pass
	switch other := j.counterpartOf(q, g); {
	case own != nil && own.Pred == q:
		if least = own.Overlap; least == 1 {
			return false
		}
	case proven(own) || proven(other):
		least = math.Nextafter(1, 0)
	}
	if j.fit(c, d).agreement > least {
		return true
	}
	readings := j.readings(c, d)
	for _, scale := range knownScales {
		if f, why := j.scaled(c, d, readings, scale); why == "" && f.agreement > least {
			return true
		}
	}
	return false
}

// openIndex reports whether rows could be joined on columns other than those of the evidence. Joining on additional
// columns finds no more. Neither does joining on any column instead of matching rows by all their cells: a column
// that is equal in all rows is no longer counted, and rows in which it is not lose their partners.
func (j *judged) openIndex() bool {
	pairs, index := j.evidence.Columns, j.evidence.Index
	if len(index) == 0 {
		return false
	}
	var keys []int
	for k := range pairs {
		if c := &pairs[k]; c.Exact() && c.Scale == 0 && j.known(c) {
			keys = append(keys, k)
		}
	}
	return len(keys) > 1 && slices.ContainsFunc(index, func(k int) bool { return j.unique(pairs, without(keys, k)) })
}
