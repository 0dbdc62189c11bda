package agreement

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Graded is a labelled case with the value that a metric gave it.
type Graded struct {
	Value float64
	Label bool
}

// Scale defines how values become verdicts: a case passes if its value is at least the threshold or, if lower is
// better, at most.
type Scale struct{ LowerIsBetter bool }

// Passes reports whether a value passes.
func (s Scale) Passes(value, threshold float64) bool {
	if s.LowerIsBetter {
		return value <= threshold
	}
	return value >= threshold
}

// At counts the verdicts of a threshold against the labels.
func (s Scale) At(threshold float64, cases []Graded) Confusion {
	var c Confusion
	for _, g := range cases {
		c.Add(g.Label, s.Passes(g.Value, threshold))
	}
	return c
}

// Choose returns the threshold at which a statistic is highest on the cases. All thresholds between two neighboring
// values are equivalent; Choose takes the middle of the gap, or a rounder number near it. Among several gaps with
// the same statistic it takes the widest, then the lowest. The statistic is the one reached on the cases that the
// threshold was chosen on. It is not defined if it is undefined at every threshold.
func (s Scale) Choose(cases []Graded, of Statistic) (threshold float64, best Stat) {
	if len(cases) == 0 {
		return 0, undefined(noCases)
	}
	sorted := slices.Clone(cases)
	sign := 1.0
	if s.LowerIsBetter {
		sign = -1
	}
	for i := range sorted {
		sorted[i].Value *= sign
	}
	slices.SortFunc(sorted, func(a, b Graded) int { return cmp.Compare(a.Value, b.Value) })
	var c Confusion // of a threshold at sorted[i].Value
	for _, g := range sorted {
		c.Add(g.Label, true)
	}
	width := 0.0
	consider := func(t, gap float64) {
		v := of(c)
		if best.Why == "" && !v.Defined {
			best.Why = v.Why
		}
		if v.Defined && (!best.Defined || v.Value > best.Value || v.Value == best.Value && gap > width) {
			threshold, width, best = t, gap, v
		}
	}
	if c.TP == 0 || c.FP == 0 {
		return 0, undefined(oneLabel)
	}
	consider(sorted[0].Value, 0) // everything passes
	for i, g := range sorted {
		if g.Label {
			c.TP, c.FN = c.TP-1, c.FN+1
		} else {
			c.FP, c.TN = c.FP-1, c.TN+1
		}
		switch {
		case i+1 == len(sorted):
			consider(math.Nextafter(g.Value, math.Inf(1)), 0) // nothing does
		case sorted[i+1].Value > g.Value:
			next := sorted[i+1].Value
			consider(roundBetween(g.Value, next), next-g.Value)
		}
	}
	return threshold * sign, best
}

// roundBetween is a number in the middle half of the gap between lo and hi, with as few decimals as
// it takes.
func roundBetween(lo, hi float64) float64 {
	middle, margin := lo+(hi-lo)/2, (hi-lo)/4
	for decimals := range 16 {
		v, err := strconv.ParseFloat(strconv.FormatFloat(middle, 'f', decimals, 64), 64)
		if err == nil && v >= lo+margin && v <= hi-margin && v > lo {
			return v
		}
	}
	if middle > lo {
		return middle
	}
	return hi
}

// CrossValidation is the agreement of a graded metric whose threshold was always chosen on other
// cases than those it is reported on.
type CrossValidation struct {
	Held       Confusion // each case under the threshold that was chosen without its fold: the figures to report
	Fitted     Confusion // under the threshold that was chosen on all cases: too good to be true, by what choosing gains
	Threshold  float64   // chosen on all cases: what to deploy
	Thresholds []float64 // of the folds that have one
	Verdicts   []Vote    // of each case, under the threshold that was chosen without its fold
	Skipped    int       // cases of folds for which the rest did not define a threshold
	Why        string    // the reason if it is missing
}

// CrossValidate chooses a threshold for each fold on all other folds, by a statistic such as
// [Confusion.Kappa]. folds names the fold of every case, from 0: [StratifiedFolds] or [GroupFolds].
func CrossValidate(cases []Graded, folds []int, s Scale, of Statistic) CrossValidation {
	out := CrossValidation{Verdicts: make([]Vote, len(cases))}
	t, best := s.Choose(cases, of)
	if !best.Defined {
		out.Why, out.Skipped = best.Why, len(cases)
		return out
	}
	out.Threshold, out.Fitted = t, s.At(t, cases)
	n := 0
	for _, f := range folds {
		n = max(n, f+1)
	}
	for fold := range n {
		var train []Graded
		var held []int
		for i, f := range folds {
			if f == fold {
				held = append(held, i)
			} else {
				train = append(train, cases[i])
			}
		}
		if len(held) == 0 {
			continue
		}
		t, best := s.Choose(train, of)
		if !best.Defined {
			out.Skipped += len(held)
			out.Why = best.Why
			continue
		}
		out.Thresholds = append(out.Thresholds, t)
		for _, i := range held {
			passes := s.Passes(cases[i].Value, t)
			out.Held.Add(cases[i].Label, passes)
			out.Verdicts[i] = VoteOf(&passes)
		}
	}
	return out
}

// StratifiedFolds deals the cases into k folds at random, those of each label by themselves, so
// that every fold has about the same share of passes. The same cases and seed give the same folds.
func StratifiedFolds(cases []Graded, k int, seed uint64) []int {
	folds := make([]int, len(cases))
	r := rand.New(rand.NewPCG(seed, stream))
	next := 0
	for _, label := range []bool{false, true} {
		var members []int
		for i := range cases {
			if cases[i].Label == label {
				members = append(members, i)
			}
		}
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for _, i := range members {
			folds[i] = next % max(1, k)
			next++
		}
	}
	return folds
}

// GroupFolds makes a fold of every group, such as the cases of one database, so that a threshold is
// reported on groups it has not seen.
func GroupFolds(groups []string) []int {
	names := slices.Clone(groups)
	slices.Sort(names)
	names = slices.Compact(names)
	folds := make([]int, len(groups))
	for i, g := range groups {
		folds[i], _ = slices.BinarySearch(names, g)
	}
	return folds
}
