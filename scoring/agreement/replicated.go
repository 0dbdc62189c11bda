package agreement

import "math"

// Replicated counts the verdicts on one case: those of earlier occasions and those of now.
type Replicated struct {
	Earlier, EarlierPassed int
	Now, NowPassed         int
}

// comparable reports whether there are verdicts on both sides.
func (r Replicated) comparable() bool { return r.Earlier > 0 && r.Now > 0 }

// Change returns the share that passes now minus the share that passed earlier.
func (r Replicated) Change() float64 {
	return float64(r.NowPassed)/float64(r.Now) - float64(r.EarlierPassed)/float64(r.Earlier)
}

// Opposed returns twice the number of verdicts of now that differ from the majority of the earlier ones. If the earlier
// ones are divided evenly, each verdict counts one half.
func (r Replicated) Opposed() int {
	switch {
	case 2*r.EarlierPassed > r.Earlier:
		return 2 * (r.Now - r.NowPassed)
	case 2*r.EarlierPassed < r.Earlier:
		return 2 * r.NowPassed
	}
	return r.Now
}

// possible calls f with each number of verdicts of now that can pass, given the numbers of verdicts and of all that
// pass, and with its probability if all orders of the verdicts are equally likely (a hypergeometric distribution).
func (r Replicated) possible(f func(x Replicated, probability float64)) {
	all, passed := r.Earlier+r.Now, r.EarlierPassed+r.NowPassed
	ways := logChoose(all, r.Now)
	for x := max(0, r.Now-(all-passed)); x <= min(r.Now, passed); x++ {
		p := math.Exp(logChoose(passed, x) + logChoose(all-passed, r.Now-x) - ways)
		f(Replicated{r.Earlier, passed - x, r.Now, x}, p)
	}
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// sumOf returns the distribution of the sum of a number of each case, by value from 0, if the verdicts on each case are
// exchangeable between occasions.
func sumOf(cases []Replicated, number func(Replicated) int) []float64 {
	sum := []float64{1}
	for _, c := range cases {
		if !c.comparable() {
			continue
		}
		var of []float64
		c.possible(func(x Replicated, p float64) {
			for n := number(x); len(of) <= n; {
				of = append(of, 0)
			}
			of[number(x)] += p
		})
		next := make([]float64, len(sum)+len(of)-1)
		for j, q := range of {
			if q == 0 {
				continue
			}
			for i, p := range sum {
				next[i+j] += p * q
			}
		}
		sum = next
	}
	return sum
}

func tail(p []float64) (sum float64) {
	for _, x := range p {
		sum += x
	}
	return min(1, sum)
}

// ShiftTest returns the two-sided p-value of a change of the share of verdicts that pass, up or down: the exact
// conditional test of stratified 2 x 2 tables, with the cases as strata (Mantel and Haenszel 1959, Journal of the
// National Cancer Institute 22, 719-748; its exact distribution: Mehta, Patel and Gray 1985, Journal of the American
// Statistical Association 80, 969-973). Without a change, the verdicts on a case are exchangeable between occasions,
// whatever the noise of a case. With one verdict on each side it is [McNemar]. It is 1 if no verdict differs.
func ShiftTest(cases []Replicated) float64 {
	passed := 0
	for _, c := range cases {
		if c.comparable() {
			passed += c.NowPassed
		}
	}
	of := sumOf(cases, func(r Replicated) int { return r.NowPassed })
	return min(1, 2*min(tail(of[:passed+1]), tail(of[passed:])))
}

// Unsteady is a comparison of how often the verdicts of now differ from the majority of the earlier ones.
type Unsteady struct {
	Verdicts int     // verdicts of now
	Differ   float64 // those that differ; one half each if the earlier verdicts are divided evenly
	Expected float64 // number that would differ if the verdicts only varied as they do from one occasion to another
	P        float64 // one-sided
}

// UnsteadyTest tests whether the verdicts of now differ from the usual ones more often than earlier verdicts differed
// among themselves, in either direction. P is exact, from all orders of the verdicts on each case: a permutation test
// (Fisher 1935, The Design of Experiments, section 21). It is 1 if each case has only one verdict on each side, as the
// variation from one occasion to another is not known then.
func UnsteadyTest(cases []Replicated) Unsteady {
	var out Unsteady
	found := 0
	for _, c := range cases {
		if !c.comparable() {
			continue
		}
		out.Verdicts += c.Now
		found += c.Opposed()
		c.possible(func(x Replicated, p float64) { out.Expected += p * float64(x.Opposed()) / 2 })
	}
	out.Differ = float64(found) / 2
	out.P = tail(sumOf(cases, Replicated.Opposed)[found:])
	return out
}

// ShiftInterval returns an interval of the mean of [Replicated.Change] over the cases, in -1 to 1. With one verdict on
// each side it is that of [PairedShares]. Otherwise it is a bootstrap over cases, widened to the score interval without
// a change if it is narrower than that on a side, and to 0 if the p-value of [ShiftTest] is at least 1 - level.
func ShiftInterval(cases []Replicated, level float64, seed uint64) Interval {
	var changes []float64
	fixed, broken, single := 0, 0, true
	for _, c := range cases {
		if !c.comparable() {
			continue
		}
		single = single && c.Earlier == 1 && c.Now == 1
		change := c.Change()
		changes = append(changes, change)
		switch {
		case change > 0:
			fixed++
		case change < 0:
			broken++
		}
	}
	if len(changes) == 0 || single || fixed+broken == 0 {
		return PairedShares(fixed, broken, len(changes), level)
	}
	mean := 0.0
	for _, d := range changes {
		mean += d / float64(len(changes))
	}
	lo, hi := MeanInterval(changes, seed)
	least := PairedShares(0, 0, len(changes), level).Hi // what so few cases leave open at least
	lo, hi = min(lo, mean-least), max(hi, mean+least)
	if ShiftTest(cases) >= 1-level {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	return Interval{Lo: max(-1, lo), Hi: min(1, hi), Defined: true}
}

// AfterLooks returns a p-value that is adjusted for the number of times that data were tested, this time included:
// p times look (look + 1), at most 1. The probability of any false positive is then at most the level, over any number
// of looks and whatever their dependence: Alpha-Spending (Foster and Stine 2008, Journal of the Royal Statistical
// Society B 70, 429-444; Tian and Ramdas 2021, Statistical Methods in Medical Research 30, 976-993) with the
// sequence 1 / (k (k + 1)), which sums to 1.
func AfterLooks(p float64, look int) float64 {
	k := float64(max(1, look))
	return min(1, p*k*(k+1))
}
