package agreement

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Graded is a labeled case with the metric's value.
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

// At returns the counts of the cases by their labels and their verdicts at a threshold.
func (s Scale) At(threshold float64, cases []Graded) Confusion {
	var c Confusion
	for _, g := range cases {
		c.Add(g.Label, s.Passes(g.Value, threshold))
	}
	return c
}

// Choose returns the threshold at which a statistic of the cases is highest, and that value. All thresholds in the
// gap between two neighboring values are equivalent: Choose returns the middle, or a rounder number near it. Among
// several gaps with the same statistic it takes the widest, then the lowest (the highest if lower values are better).
// best is undefined if the labels are all the same, or if the statistic is undefined at every threshold.
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
	var c Confusion // counts at the threshold sorted[i].Value
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
			consider(math.Nextafter(g.Value, math.Inf(1)), 0) // no case passes
		case sorted[i+1].Value > g.Value:
			next := sorted[i+1].Value
			consider(roundBetween(g.Value, next), next-g.Value)
		}
	}
	return threshold * sign, best
}

// roundBetween returns a number in the middle half of the gap between lo and hi with as few decimal digits as
// possible. The result is above lo.
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

// CrossValidation is the agreement of a graded metric whose threshold was chosen on other cases than those on which
// the agreement is measured.
type CrossValidation struct {
	Held       Confusion // each case at the threshold chosen without its fold: the counts to report
	Fitted     Confusion // all cases at the threshold chosen on them; its agreement is biased upwards
	Threshold  float64   // the threshold chosen on all cases: the one to deploy
	Thresholds []float64 // thresholds of the folds that have one
	Verdicts   []Vote    // verdict on each case at the threshold chosen without its fold
	Skipped    int       // number of cases in folds without a threshold
	Why        string    // the reason if no threshold is defined
}

// CrossValidate chooses a threshold for each fold on the cases of all other folds, by a statistic such as
// [Confusion.Kappa]. folds[i] is the fold of case i, from 0, as from [StratifiedFolds] or [GroupFolds].
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

// StratifiedFolds returns a random assignment of the cases to k folds, in which every fold has about the same share
// of cases labeled pass. The same cases and seed give the same folds.
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

// GroupFolds returns folds in which each group of cases, such as those of one database, is one fold, so that a
// threshold is evaluated on groups that it was not chosen on.
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
