package agreement

import (
	"math"
	"math/rand/v2"
)

// Repeated holds counts of right answers to the same questions on several occasions, in the order of time.
type Repeated struct {
	Right     []int // by occasion: the number of questions with a right answer
	Questions int
	// RightOn[k] is the number of questions that were answered right on exactly k occasions.
	RightOn []int
}

// NewRepeated returns counts of no questions on a number of occasions.
func NewRepeated(occasions int) *Repeated {
	return &Repeated{Right: make([]int, occasions), RightOn: make([]int, occasions+1)}
}

// Add adds a question. right[i] reports whether its answer was right on occasion i.
func (r *Repeated) Add(right []bool) {
	n := 0
	for i, is := range right {
		if is {
			r.Right[i]++
			n++
		}
	}
	r.RightOn[n]++
	r.Questions++
}

// Share returns the share of right answers on an occasion.
func (r *Repeated) Share(occasion int) float64 {
	return float64(r.Right[occasion]) / float64(r.Questions)
}

// spread returns the sum over all questions of k(n-k), where k is the number of occasions on which the question was
// answered right and n that of all occasions.
func (r *Repeated) spread() float64 {
	sum, n := 0.0, len(r.Right)
	for k, questions := range r.RightOn {
		sum += float64(questions) * float64(k) * float64(n-k)
	}
	return sum
}

// Slope is a linear trend of shares over occasions.
type Slope struct {
	PerOccasion float64 `json:"per_occasion"` // change of the share from one occasion to the next, by least squares
	Z           float64 `json:"z"`
	P           float64 `json:"p"` // two-sided
}

// Trend tests whether the share of right answers increases or decreases over at least three occasions, by the
// extended Mantel-Haenszel test of linear trend with the questions as strata (Mantel 1963, Journal of the American
// Statistical Association 58, 690-700). Without a trend the answers to a question are exchangeable between occasions,
// so that the difficulty of questions needs no model. P is 1 if there are fewer occasions or no question changed.
func (r *Repeated) Trend() Slope {
	n := len(r.Right)
	middle, squares, sum := float64(n-1)/2, 0.0, 0.0
	for t, right := range r.Right {
		d := float64(t) - middle
		squares += d * d
		sum += d * float64(right)
	}
	s := Slope{P: 1}
	if n < 3 || r.Questions == 0 {
		return s
	}
	s.PerOccasion = sum / squares / float64(r.Questions)
	if variance := r.spread() * squares / float64(n) / float64(n-1); variance > 0 {
		s.Z = sum / math.Sqrt(variance)
		s.P = math.Erfc(math.Abs(s.Z) / math.Sqrt2)
	}
	return s
}

// Step is a lasting change of the share of right answers: from occasion At on, its mean differs from the mean of all
// occasions before.
type Step struct {
	At     int     `json:"at"`     // the first occasion of the new level, from 0
	Before float64 `json:"before"` // mean share of right answers before At
	After  float64 `json:"after"`
	P      float64 `json:"p"`
}

const (
	stepDraws = 1999
	// manySteps is the maximum number of outcomes that are permuted one by one. Beyond it the counts are drawn from a
	// normal distribution.
	manySteps = 20_000
)

// ChangePoint returns the split of the occasions with the largest standardized difference of right answers before and
// after it. P is the share of random orders of each question's outcomes in which the largest difference of any split
// is at least as large, so that it accounts for the choice of the split (a permutation test of the maximum, as in
// Hawkins 1977, Journal of the American Statistical Association 72, 180-186). At is 0 and P is 1 if there are fewer
// than three occasions or no question changed.
func (r *Repeated) ChangePoint(seed uint64) Step {
	n, spread := len(r.Right), r.spread()
	if n < 3 || spread == 0 {
		return Step{P: 1}
	}
	counts := make([]float64, n)
	for i, right := range r.Right {
		counts[i] = float64(right)
	}
	at, largest := furthestSplit(counts)
	s := Step{At: at, Before: levelOf(counts[:at], r.Questions), After: levelOf(counts[at:], r.Questions)}
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	draw := r.drawer(random)
	extreme := 1
	for range stepDraws {
		draw(counts)
		if _, most := furthestSplit(counts); most >= largest*(1-1e-9) {
			extreme++
		}
	}
	s.P = float64(extreme) / (stepDraws + 1)
	return s
}

// drawer returns a function that sets counts to the deviations or numbers of right answers by occasion when the
// outcomes of each question are put in random order.
func (r *Repeated) drawer(random *rand.Rand) func(counts []float64) {
	n, changed := len(r.Right), 0
	for k := 1; k < n; k++ {
		changed += r.RightOn[k]
	}
	if changed*n > manySteps {
		deviation := math.Sqrt(r.spread() / float64(n) / float64(n-1))
		return func(counts []float64) {
			for i := range counts {
				counts[i] = deviation * random.NormFloat64()
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return func(counts []float64) {
		clear(counts)
		for k := 1; k < n; k++ {
			for range r.RightOn[k] {
				for i := range k { // select k occasions at random
					j := i + random.IntN(n-i)
					order[i], order[j] = order[j], order[i]
					counts[order[i]]++
				}
			}
		}
	}
}

// furthestSplit returns the split of occasions whose counts before it differ most from the mean, in units of the
// standard deviation, up to a factor that is the same for all splits.
func furthestSplit(counts []float64) (at int, most float64) {
	n, mean := float64(len(counts)), 0.0
	for _, c := range counts {
		mean += c / n
	}
	sum := 0.0
	for k := 1; k < len(counts); k++ {
		sum += counts[k-1] - mean
		if d := math.Abs(sum) / math.Sqrt(float64(k)*(n-float64(k))); d > most*(1+1e-9) {
			at, most = k, d
		}
	}
	return max(at, 1), most
}

func levelOf(counts []float64, questions int) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += c
	}
	return sum / float64(len(counts)) / float64(questions)
}

// UsualRange returns the range of an individuals chart: the mean of values in the order of time, plus and minus 2.66
// times the mean absolute difference of consecutive values (Shewhart 1931; 2.66 is 3 / 1.128, NIST/SEMATECH
// e-Handbook of Statistical Methods, 6.3.2.2). It is undefined for fewer than eight values.
func UsualRange(values []float64) Interval {
	const least = 8
	if len(values) < least {
		return Interval{Why: "there are fewer than eight values"}
	}
	mean, step := 0.0, 0.0
	for i, v := range values {
		mean += v / float64(len(values))
		if i > 0 {
			step += math.Abs(v-values[i-1]) / float64(len(values)-1)
		}
	}
	return Interval{Lo: mean - 2.66*step, Hi: mean + 2.66*step, Defined: true}
}
