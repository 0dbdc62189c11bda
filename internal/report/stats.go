package report

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	z95         = 1.959963984540054 // 97.5 % quantile of the normal distribution
	significant = 0.05
	resamples   = 2000
	// Beyond this many pairs the mean difference is as good as normal, and resampling costs
	// seconds.
	manyPairs = 5000
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

// mcnemar is the exact two-sided p of b pairs that changed one way and c that changed the other
// (McNemar 1947; the binomial test of b in b+c at one half). Without any change it is 1.
func mcnemar(b, c int) float64 {
	n, k := b+c, min(b, c)
	if 2*k >= n {
		return 1
	}
	all, _ := math.Lgamma(float64(n + 1))
	p := 0.0
	for i := 0; i <= k; i++ {
		x, _ := math.Lgamma(float64(i + 1))
		y, _ := math.Lgamma(float64(n - i + 1))
		p += math.Exp(all - x - y - float64(n)*math.Ln2)
	}
	return math.Min(1, 2*p)
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

// meanInterval is the 95 % interval of the mean of paired differences: the percentiles of a
// bootstrap from a seed, or for many pairs the normal interval. It sorts the differences.
func meanInterval(diffs []float64, seed uint64) (low, high float64) {
	n := len(diffs)
	m := mean(diffs)
	if n > manyPairs {
		squares := 0.0
		for _, d := range diffs {
			squares += (d - m) * (d - m)
		}
		half := z95 * math.Sqrt(squares/float64(n-1)/float64(n))
		return m - half, m + half
	}
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range n {
			sum += diffs[random.IntN(n)]
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000-1]
}
