package report

import (
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring/agreement"
)

const z95 = agreement.Z95

// wilson returns the 95 % score interval of the proportion k/n (Wilson 1927, Journal of the American Statistical
// Association 22).
func wilson(k, n int) (low, high float64) { return wilsonOf(k, n, float64(n)) }

// wilsonOf returns the interval of the proportion k/n with an effective sample size of m.
func wilsonOf(k, n int, m float64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	p := float64(k) / float64(n)
	mid := p + z95*z95/(2*m)
	half := z95 * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m))
	scale := 1 + z95*z95/m
	low, high = (mid-half)/scale, (mid+half)/scale
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return low, high
}

// total returns the sum of values. It sorts values, so that the result does not depend on their order.
func total(values []float64) float64 {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

func mean(values []float64) float64 { return total(values) / float64(len(values)) }

// tally counts the answers to one question, and those that passed.
type tally struct{ passed, of int }

// effective returns the effective sample size of a pass rate, with the answers to a question as one cluster (Korn and
// Graubard 1998, Survey Methodology 24, 193-201). Ten identical answers to each of 50 questions count as 50.
func effective(questions []tally) float64 {
	passed, of := 0, 0
	for _, q := range questions {
		passed, of = passed+q.passed, of+q.of
	}
	n := float64(of)
	if n == 0 {
		return 0
	}
	p, squares := float64(passed)/n, 0.0
	for _, q := range questions {
		d := float64(q.passed) - p*float64(q.of)
		squares += d * d
	}
	if passed == 0 || passed == of || squares == 0 {
		return float64(len(questions))
	}
	return min(n, p*(1-p)*n*n/squares)
}
