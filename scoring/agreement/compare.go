package agreement

import (
	"slices"
)

// Pair holds the numbers of labeled cases with a verdict of both metrics, by label and the two verdicts. Resampling
// these counts preserves the correlation of the metrics.
type Pair [8]int

// TallyPair returns the counts for the labels of the cases and the verdicts a and b of two metrics. Cases in which
// one of the three is missing are omitted.
func TallyPair(labels, a, b []Vote) Pair {
	var p Pair
	for i, label := range labels {
		if label != Missing && a[i] != Missing && b[i] != Missing {
			p[bit(label, 4)|bit(a[i], 2)|bit(b[i], 1)]++
		}
	}
	return p
}

func bit(v Vote, worth int) int {
	if v == Pass {
		return worth
	}
	return 0
}

// N returns the number of cases.
func (p Pair) N() int {
	n := 0
	for _, k := range p {
		n += k
	}
	return n
}

// Split returns the agreement of each metric with the labels.
func (p Pair) Split() (a, b Confusion) {
	return Confusion{TP: p[6] + p[7], FN: p[4] + p[5], FP: p[2] + p[3], TN: p[0] + p[1]},
		Confusion{TP: p[5] + p[7], FN: p[4] + p[6], FP: p[1] + p[3], TN: p[0] + p[2]}
}

// Comparison holds a statistic of two metrics on the same cases, and a test of whether it differs.
type Comparison struct {
	N          int
	A, B       Stat
	Difference Stat     // A minus B
	Interval   Interval // of the difference
	P          float64  // two-tailed; 1 if there is nothing to test
}

// Compare tests whether two metrics differ in a statistic by a paired bootstrap, which computes both on the same
// resampled cases. The p-value is double the smaller of two shares of resamples: those in which the difference is at
// most 0, and at least 0. Both shares count the observed sample, so the p-value is never 0 (Efron and Tibshirani
// 1993, chapter 16; Davison and Hinkley 1997, section 4.2).
func Compare(p Pair, of Statistic, o Resampling) Comparison {
	o = o.withDefaults()
	a, b := p.Split()
	out := Comparison{N: p.N(), A: of(a), B: of(b), P: 1}
	for _, s := range []Stat{out.A, out.B} {
		if !s.Defined {
			out.Difference, out.Interval = s, Interval{Why: s.Why}
			return out
		}
	}
	out.Difference = defined(out.A.Value - out.B.Value)
	draw := newMultinomial(p[:], o.source())
	values := make([]float64, 0, o.Resamples)
	below, above := 0, 0
	for range o.Resamples {
		x, y := Pair(draw.next()).Split()
		s, t := of(x), of(y)
		if !s.Defined || !t.Defined {
			continue
		}
		d := s.Value - t.Value
		values = append(values, d)
		if d <= 0 {
			below++
		}
		if d >= 0 {
			above++
		}
	}
	if out.Interval = percentile(values, o); out.Interval.Defined {
		out.P = min(1, 2*float64(min(below, above)+1)/float64(len(values)+1))
	}
	return out
}

// Holm returns the p-values of several tests, adjusted so that the probability of any false positive is at most that
// of a single test (Holm 1979). They are in the order of p.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}
