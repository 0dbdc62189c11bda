package align

import (
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// sureFrom is the confidence from which an alignment is not doubted. Each column then has at least about 60 % of its
// values on the other side, or differs only in form.
const sureFrom = 0.75

// Uncertainties returns the reasons why the columns of two results may correspond in another way than the alignment
// shows, one clause each, for a judge. It is empty if the alignment is certain. It ignores whether the results agree
// under the alignment; if they do, no judge call is needed.
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

// Open reports whether a proposal could change the alignment: whether some other pair of columns has values in common,
// some values agree under another scale or a tolerance of up to most, or other columns could be the index. If not, no
// judge call is needed. It may be true although no proposal would change anything, and is true for results with very
// many columns.
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

// openPair reports whether a proposal of this pair could be accepted and would pair the columns or compare them in
// another way than the evidence does.
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

// openIndex reports whether rows could be joined by columns without some column of the evidence's index. It is false if
// the evidence has no index: compared with matching rows by all their cells, joining finds no more. Neither do
// additional columns.
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
