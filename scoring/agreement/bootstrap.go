package agreement

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Resampling configures a bootstrap. The zero value means 5,000 resamples, a 95 % CI and seed 0.
type Resampling struct {
	Resamples int     // default 5,000 (BADGER, section 6.2)
	Level     float64 // confidence level, between 0 and 1; default 0.95
	Seed      uint64
}

// defaultResamples is the default number of resamples.
const defaultResamples = 5000

func (o Resampling) withDefaults() Resampling {
	if o.Resamples <= 0 {
		o.Resamples = defaultResamples
	}
	if !(o.Level > 0 && o.Level < 1) {
		o.Level = DefaultLevel
	}
	return o
}

// stream is the second seed of the random generators, so that this package does not draw the same numbers as others
// with the same seed.
const stream = 0x6b61707061 // "kappa"

func (o Resampling) source() *rand.Rand { return rand.New(rand.NewPCG(o.Seed, stream)) }

// Bootstrap returns the percentile interval of a statistic under resampling of cases (Efron and Tibshirani 1993,
// chapter 13). Drawing n cases with replacement and counting them is a draw of the four counts from a multinomial
// distribution, which Bootstrap does directly. The time is proportional to the square root of the number of cases.
// Resamples for which the statistic is undefined are omitted. Why states their number if it exceeds one percent; if
// it exceeds half, the interval is undefined.
func Bootstrap(c Confusion, of Statistic, o Resampling) Interval {
	o = o.withDefaults()
	if s := of(c); !s.Defined {
		return Interval{Why: s.Why}
	}
	draw := newMultinomial([]int{c.TP, c.FP, c.TN, c.FN}, o.source())
	values := make([]float64, 0, o.Resamples)
	for range o.Resamples {
		k := draw.next()
		if s := of(Confusion{k[0], k[1], k[2], k[3]}); s.Defined {
			values = append(values, s.Value)
		}
	}
	in := percentile(values, o)
	if in.Defined && c.FP+c.FN == 0 { // replaces a remark about omitted resamples
		in.Why = noDisagreement
	}
	return in
}

// Mean returns the mean of values and its percentile interval under resampling (BADGER, figure 2). Both are undefined
// without values.
func Mean(values []float64, o Resampling) (Stat, Interval) {
	if len(values) == 0 {
		const why = "there are no values"
		return Stat{Why: why}, Interval{Why: why}
	}
	o = o.withDefaults()
	sorted := slices.Sorted(slices.Values(values))
	var distinct []float64
	var weights []int
	sum := 0.0
	for _, v := range sorted {
		sum += v
		if n := len(distinct); n > 0 && distinct[n-1] == v {
			weights[n-1]++
			continue
		}
		distinct, weights = append(distinct, v), append(weights, 1)
	}
	mean := Stat{Value: sum / float64(len(values)), Defined: true}
	if len(distinct) == 1 {
		return mean, Interval{Lo: mean.Value, Hi: mean.Value, Defined: true, Why: "all values are the same"}
	}
	draw := newMultinomial(weights, o.source())
	means := make([]float64, o.Resamples)
	for i := range means {
		for k, n := range draw.next() {
			means[i] += float64(n) * distinct[k]
		}
		means[i] /= float64(len(values))
	}
	return mean, percentile(means, o)
}

// percentile returns the percentile interval of the statistic's values in the resamples; see [Bootstrap]. It sorts
// values.
func percentile(values []float64, o Resampling) Interval {
	lost := o.Resamples - len(values)
	if 2*lost > o.Resamples {
		return Interval{Why: fmt.Sprintf("it is not defined in %d of %d resamples", lost, o.Resamples)}
	}
	slices.Sort(values)
	tail := (1 - o.Level) / 2
	in := Interval{Lo: quantile(values, tail), Hi: quantile(values, 1-tail), Defined: true}
	if 100*lost > o.Resamples {
		in.Why = fmt.Sprintf("%d of %d resamples, in which it is not defined, are left out", lost, o.Resamples)
	}
	return in
}

// quantile returns the q-quantile of sorted values, interpolated linearly between neighbors.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-math.Floor(at))*(sorted[i+1]-sorted[i])
}
