package agreement

import (
	"math"
	"math/rand/v2"
)

// multinomial draws counts that add up to the sum of weights, in their proportions: what resampling
// as many cases with replacement gives.
type multinomial struct {
	weights []int
	n       int
	r       *rand.Rand
	counts  []int
	logFact []float64 // log of i!
}

func newMultinomial(weights []int, r *rand.Rand) *multinomial {
	m := &multinomial{weights: weights, r: r, counts: make([]int, len(weights))}
	for _, w := range weights {
		m.n += w
	}
	m.logFact = make([]float64, m.n+1)
	for i := 2; i <= m.n; i++ {
		m.logFact[i] = m.logFact[i-1] + math.Log(float64(i))
	}
	return m
}

// next draws; the counts are valid until the next draw. Each category is a binomial draw from the cases left.
func (m *multinomial) next() []int {
	left, weight := m.n, m.n
	for i, w := range m.weights {
		if w == weight { // the last one with any weight takes the rest
			m.counts[i], left, weight = left, 0, 0
			continue
		}
		k := 0
		if w > 0 && left > 0 {
			k = m.binomial(left, float64(w)/float64(weight))
		}
		m.counts[i] = k
		left -= k
		weight -= w
	}
	return m.counts
}

// binomial draws from the binomial distribution by inversion from the mode outwards, which takes
// about as many steps as the distribution has standard deviations' width. 0 < p < 1, and n is at
// most m.n.
func (m *multinomial) binomial(n int, p float64) int {
	odds := p / (1 - p)
	mode := min(int(float64(n+1)*p), n)
	most := math.Exp(
		m.logFact[n] - m.logFact[mode] - m.logFact[n-mode] + float64(mode)*math.Log(p) + float64(n-mode)*math.Log1p(-p))
	u := m.r.Float64() - most
	lo, hi, pLo, pHi := mode, mode, most, most
	for u >= 0 && (lo > 0 || hi < n) {
		if hi < n {
			pHi *= float64(n-hi) / float64(hi+1) * odds
			hi++
			if u -= pHi; u < 0 {
				return hi
			}
		}
		if lo > 0 {
			pLo *= float64(lo) / (float64(n-lo+1) * odds)
			lo--
			if u -= pLo; u < 0 {
				return lo
			}
		}
	}
	return mode // also where rounding has left a rest of u beyond both ends
}
