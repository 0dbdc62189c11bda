package agreement

import (
	"math"
	"math/rand/v2"
)

// multinomial draws from the multinomial distribution with as many draws as the sum of the weights, and probabilities
// proportional to them. This equals counting a sample of as many cases with replacement.
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

// next returns the counts of one draw, which are valid until the next call. It draws each count from the binomial
// distribution of the remaining cases.
func (m *multinomial) next() []int {
	left, weight := m.n, m.n
	for i, w := range m.weights {
		if w == weight { // the last category with a weight gets all remaining cases
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

// binomial returns a draw from the binomial distribution by inversion, starting at the mode. The number of steps is
// proportional to the standard deviation. p must be between 0 and 1 (exclusive), and n at most m.n.
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
	return mode // reached if rounding leaves u at 0 or more after all values
}
