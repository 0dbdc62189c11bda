package agreement

import (
	"slices"
)

// Pair counts the labeled cases with a verdict of both metrics, by label and verdicts. Resampling them together
// keeps the correlation of the metrics.
type Pair [8]int

// TallyPair counts two metrics' verdicts against labels of the same cases. Cases where one of the
// three is missing are left out.
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

// N is the number of cases.
func (p Pair) N() int {
	n := 0
	for _, k := range p {
		n += k
	}
	return n
}

// Split is each metric's agreement on these cases.
func (p Pair) Split() (a, b Confusion) {
	return Confusion{TP: p[6] + p[7], FN: p[4] + p[5], FP: p[2] + p[3], TN: p[0] + p[1]},
		Confusion{TP: p[5] + p[7], FN: p[4] + p[6], FP: p[1] + p[3], TN: p[0] + p[2]}
}

// Comparison is a statistic of two metrics on the same cases, and how sure it is that they differ.
type Comparison struct {
	N          int
	A, B       Stat
	Difference Stat     // A minus B
	Interval   Interval // of the difference
	P          float64  // two-tailed; 1 if there is nothing to test
}

// Compare tests whether two metrics differ in a statistic: a paired bootstrap, which computes both on the same
// resampled cases. The p-value is double the smaller share of resamples in which the difference is at most 0, or at
// least 0. Both shares count the observed sample, so the p-value is never 0 (Efron and Tibshirani 1993, chapter 16;
// Davison and Hinkley 1997, section 4.2).
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

// Holm adjusts the p-values of tests that are made together, so that the chance of any false alarm
// stays at the level of one (Holm 1979). The order is kept.
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
