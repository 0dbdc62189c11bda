package report

import (
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring/agreement"
)

const (
	z95         = agreement.Z95
	significant = 0.05
)

// wilson is the 95 % score interval of a proportion of k in n (Wilson 1927, Journal of the American
// Statistical Association 22).
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	p, m := float64(k)/float64(n), float64(n)
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

// total sums in ascending order, so that it does not depend on the order of the values, which it
// sorts.
func total(values []float64) float64 {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

func mean(values []float64) float64 { return total(values) / float64(len(values)) }
