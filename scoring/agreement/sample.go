package agreement

import (
	"fmt"
	"math"

	"github.com/badger-eval/badger/internal/printable"
)

// Minimum sample sizes. Statistics of smaller samples are reported with a warning.
const (
	// minCases is the sample size at which a kappa of 0.4 is distinguished from 0 at the 5 % level with a power of 80 %:
	// n = 7.849 / 0.4² (Donner and Eliasziw 1992).
	minCases = 50
	// minPerLabel is the number of cases with a label at which the 95 % Wilson interval of sensitivity or specificity is
	// at most about 0.5 wide.
	minPerLabel = 10
)

// SampleWarnings returns a warning for each group of statistics that the sample is too small for; none if it is large
// enough.
func SampleWarnings(c Confusion) []string {
	var out []string
	switch n := c.N(); {
	case n == 0:
		return []string{noCases}
	case n < minCases:
		out = append(out,
			fmt.Sprintf("%s %s too few to tell: below %d, even a kappa of 0.4 may be chance", printable.Count(n, "case"),
				printable.Verb(n, "is", "are"), minCases))
	}
	few := func(n int, label, what string) {
		if n < minPerLabel {
			out = append(out, fmt.Sprintf("%s labelled %s, fewer than %d: %s is uncertain", printable.Count(n, "case"), label, minPerLabel, what))
		}
	}
	few(c.Passes(), "pass", "sensitivity")
	few(c.Fails(), "fail", "specificity")
	return out
}

// CohenCases returns the number of cases for which the confidence interval of Cohen's kappa has at most the given
// width (above 0, at most 2), if the ratings of all cases are distributed as those in table: n = (2 z s / width)²,
// with z the normal quantile of the level and s² the variance of kappa times n in large samples,
//
//	s² = (A + B - C) / (1 - e)⁴
//	A = Σ pᵢᵢ ((1 - e) - (pᵢ. + p.ᵢ)(1 - o))²
//	B = (1 - o)² Σ pᵢⱼ (p.ᵢ + pⱼ.)², over i ≠ j
//	C = (o e - 2e + o)²
//
// where o is the share of cases on which both raters agree and e the share expected by chance (Fleiss, Cohen and
// Everitt 1969, Large sample standard errors of kappa and weighted kappa). It assumes that cases are drawn
// independently, so it does not apply to a stratified sample whose shares differ from those of the population. If
// the raters never disagree, or the formula gives no variance above 0, the result is undefined.
func CohenCases(table [][]int, width, level float64) Stat {
	kappa := Cohen(table)
	if !kappa.Defined {
		return kappa
	}
	k := len(table)
	n, rows, cols := 0.0, make([]float64, k), make([]float64, k)
	for i := range k {
		for j := range k {
			v := float64(table[i][j])
			n, rows[i], cols[j] = n+v, rows[i]+v, cols[j]+v
		}
	}
	var o, e float64
	for i := range k {
		o += float64(table[i][i]) / n
		e += rows[i] * cols[i] / (n * n)
	}
	if o == 1 {
		return undefined(noDisagreement)
	}
	var a, b float64
	for i := range k {
		for j := range k {
			p := float64(table[i][j]) / n
			if i == j {
				d := (1 - e) - (rows[i]+cols[i])/n*(1-o)
				a += p * d * d
				continue
			}
			d := (cols[i] + rows[j]) / n
			b += p * d * d
		}
	}
	c := o*e - 2*e + o
	variance := (a + (1-o)*(1-o)*b - c*c) / math.Pow(1-e, 4)
	if variance <= 1e-12 {
		return undefined(noVariation)
	}
	z := math.Sqrt2 * math.Erfinv(level)
	return defined(math.Ceil(4*z*z*variance/(width*width) - 1e-9))
}

// PairwiseCases is [CohenCases] for any number of raters: the number of cases for an interval of kappa over all pairs
// of ratings, which is Fleiss' kappa if all cases have the same number of ratings. cases[i][k] is the number of
// raters who chose category k for case i; cases with fewer than two ratings are ignored. The ratings of a case depend
// on each other, so the variance is that between cases,
//
//	s² = Σ ψ² / (n - 1), ψ = ((a/m - o w)(1 - e) - 2 (1 - o) Σ pₖ (mₖ/m - pₖ w)) / (1 - e)²
//
// where a of the case's w m pairs agree, m is the mean number of pairs of a case, mₖ counts its pairs
// with category k as the first, and o, e and pₖ are the shares of pairs that agree, that would by chance,
// and of category k. With as many ratings of every case this is the variance of Gwet (2021,
// Large-Sample Variance of Fleiss Generalized Kappa).
func PairwiseCases(cases [][]int, width, level float64) Stat {
	type sums struct {
		agree, pairs float64
		first        []float64
	}
	var all sums
	var each []sums
	for _, counts := range cases {
		r := 0
		for _, c := range counts {
			r += c
		}
		if r < 2 {
			continue
		}
		one := sums{pairs: float64(r * (r - 1)), first: make([]float64, len(counts))}
		for len(all.first) < len(counts) {
			all.first = append(all.first, 0)
		}
		for k, c := range counts {
			one.agree += float64(c * (c - 1))
			one.first[k] = float64(c * (r - 1))
			all.first[k] += one.first[k]
		}
		all.agree += one.agree
		all.pairs += one.pairs
		each = append(each, one)
	}
	n := float64(len(each))
	if n < 2 {
		return undefined(noCases)
	}
	o, e := all.agree/all.pairs, 0.0
	for _, f := range all.first {
		e += f / all.pairs * f / all.pairs
	}
	switch {
	case e == 1:
		return undefined(noVariation)
	case o == 1:
		return undefined(noDisagreement)
	}
	squares, mean := 0.0, all.pairs/n
	for _, one := range each {
		weight, chance := one.pairs/mean, 0.0
		for k, f := range all.first {
			p, own := f/all.pairs, 0.0
			if k < len(one.first) {
				own = one.first[k]
			}
			chance += p * (own/mean - p*weight)
		}
		psi := ((one.agree/mean-o*weight)*(1-e) - 2*(1-o)*chance) / ((1 - e) * (1 - e))
		squares += psi * psi
	}
	variance := squares / (n - 1)
	if variance <= 1e-12 {
		return undefined(noVariation)
	}
	z := math.Sqrt2 * math.Erfinv(level)
	return defined(math.Ceil(4*z*z*variance/(width*width) - 1e-9))
}
