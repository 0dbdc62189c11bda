package agreement

import (
	"math"
	"math/rand/v2"
	"slices"
)

// McNemar returns the exact two-sided p-value of paired verdicts, where b pairs changed in one direction and c in the
// other: the binomial test of b among b+c with probability one half (McNemar 1947). It is 1 if no pair changed.
func McNemar(b, c int) float64 {
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
	return min(1, 2*p)
}

const (
	// manyPairs is the number of pairs from which the mean difference is treated as normally
	// distributed; resampling more costs seconds.
	manyPairs = 5000
	// fewPairs is the number of pairs up to which all assignments of signs are enumerated.
	fewPairs     = 14
	signFlips    = 20000
	meanResample = 2000
)

// Z95 is the 97.5 % quantile of the normal distribution.
const Z95 = 1.959963984540054

// SignFlip returns the two-sided p-value of the mean of paired differences: the share of assignments of signs for
// which the mean is at least as far from 0 as the observed one (the randomization test of Fisher 1935, The Design of
// Experiments, section 21). Differences of 0 are ignored. For at most 14 differences all assignments are enumerated.
// For at most 5,000, 20,000 random ones are drawn, and the observed one is counted too. For more, the mean is treated
// as normally distributed. Without a difference the p-value is 1.
func SignFlip(diffs []float64, seed uint64) float64 {
	var d []float64
	sum, squares, size := 0.0, 0.0, 0.0
	for _, x := range diffs {
		if x != 0 {
			d = append(d, x)
			sum += x
			squares += x * x
			size += math.Abs(x)
		}
	}
	n := len(d)
	if n == 0 {
		return 1
	}
	slices.Sort(d)                      // so that the result does not depend on the order of the cases
	least := math.Abs(sum) - 1e-12*size // tolerance, since sums in another order differ in the last bits
	if n > manyPairs {
		return math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
	}
	extreme := 0
	if n <= fewPairs {
		for signs := range 1 << n {
			total := 0.0
			for i, x := range d {
				if signs>>i&1 == 1 {
					x = -x
				}
				total += x
			}
			if math.Abs(total) >= least {
				extreme++
			}
		}
		return float64(extreme) / float64(int(1)<<n)
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	for range signFlips {
		total, bits := 0.0, uint64(0)
		for i, x := range d {
			if i&63 == 0 {
				bits = r.Uint64()
			}
			total += math.Float64frombits(math.Float64bits(x) ^ bits<<63) // flips the sign if the bit is set, without a branch
			bits >>= 1
		}
		if math.Abs(total) >= least {
			extreme++
		}
	}
	return float64(extreme+1) / (signFlips + 1)
}

// MeanInterval returns the 95 % interval of the mean of paired differences: the percentiles of 2,000 bootstrap
// resamples (Efron and Tibshirani 1993, chapter 13), or for more than 5,000 pairs the normal interval. It sorts
// diffs, which must not be empty.
func MeanInterval(diffs []float64, seed uint64) (low, high float64) {
	n := len(diffs)
	slices.Sort(diffs)
	m := 0.0
	for _, d := range diffs {
		m += d
	}
	m /= float64(n)
	if n > manyPairs {
		squares := 0.0
		for _, d := range diffs {
			squares += (d - m) * (d - m)
		}
		half := Z95 * math.Sqrt(squares/float64(n-1)/float64(n))
		return m - half, m + half
	}
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	means := make([]float64, meanResample)
	for i := range means {
		sum := 0.0
		for range n {
			sum += diffs[random.IntN(n)]
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	return means[meanResample*25/1000], means[meanResample*975/1000-1]
}

// Quantile returns the q-quantile of sorted values, interpolated between neighbors (definition 7 of Hyndman and Fan
// 1996). sorted must not be empty.
func Quantile(sorted []float64, q float64) float64 { return quantile(sorted, q) }

// PairedShares returns an interval of the difference of two shares on the same cases: fixed cases changed from fail to
// pass, and broken ones from pass to fail. It is the score interval (Tango 1998, Statistics in Medicine 17, 891-908),
// widened to the exact conditional interval, that of Clopper and Pearson for the share of fixed ones among the cases
// that changed (Fagerland, Lydersen and Laake 2014, Statistics in Medicine 33, 2850-2875). It so contains 0 if and only
// if the p-value of [McNemar] is at least 1 - level: the score interval alone is narrower than that test if few cases
// changed. It is within -1 and 1, and has a positive width even if no case changed.
func PairedShares(fixed, broken, cases int, level float64) Interval {
	if cases <= 0 {
		return Interval{Lo: -1, Hi: 1, Why: noCases}
	}
	in, changed := scoreInterval(fixed, broken, cases, level), fixed+broken
	if changed > 0 {
		scale := float64(changed) / float64(cases)
		in.Hi = max(in.Hi, scale*(2*exactUpper(fixed, changed, level)-1))
		in.Lo = min(in.Lo, -scale*(2*exactUpper(broken, changed, level)-1))
	}
	return in
}

// exactUpper returns the upper limit of the interval of a share of k in n (Clopper and Pearson 1934, Biometrika 26,
// 404-413).
func exactUpper(k, n int, level float64) float64 {
	if k == n {
		return 1
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	below := func(p float64) float64 { // probability of at most k
		term := math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		sum := term
		for i := k; i > 0 && term > 1e-17*sum; i-- {
			term *= float64(i) / float64(n-i+1) * (1 - p) / p
			sum += term
		}
		return sum
	}
	lo, hi := float64(k)/float64(n), 1.0
	for range 60 {
		if middle := (lo + hi) / 2; below(middle) > (1-level)/2 {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo
}

func scoreInterval(fixed, broken, cases int, level float64) Interval {
	n, b, c, z := float64(cases), float64(fixed), float64(broken), math.Sqrt2*math.Erfinv(level)
	excess := func(d float64) float64 { // positive if d is inside the interval
		B, C := -b-c+(2*n-b+c)*d, -c*d*(1-d)
		q := (math.Sqrt(max(0, B*B-8*n*C)) - B) / (4 * n) // likeliest share of broken cases if the difference is d
		variance := n * (2*q + d*(1-d))
		return z*math.Sqrt(max(0, variance)) - math.Abs(b-c-n*d)
	}
	found := (b - c) / n
	bound := func(outside float64) float64 {
		if excess(outside) >= 0 {
			return outside
		}
		inside := found
		for range 60 {
			if middle := (inside + outside) / 2; excess(middle) >= 0 {
				inside = middle
			} else {
				outside = middle
			}
		}
		return inside
	}
	return Interval{Lo: bound(-1), Hi: bound(1), Defined: true}
}
