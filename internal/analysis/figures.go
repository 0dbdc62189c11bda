package analysis

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Figures summarize the scores of a metric. Shares are fractions; undefined figures are null.
type Figures struct {
	Asked         int `json:"asked"` // number of cases, the sum of the following counts
	Scored        int `json:"scored"`
	Abstained     int `json:"abstained"`
	NotApplicable int `json:"not_applicable"`
	Failed        int `json:"failed"`
	Unanswered    int `json:"unanswered"` // without an answer of the agent

	Coverage *float64 `json:"coverage"` // Scored, divided by the number of cases that the metric applies to
	// Mean is the mean of the values and, unless lower is better, of 0 for each missing answer.
	Mean *float64 `json:"mean"`
	// P90 is the 90th percentile of the values by nearest rank (STEF, Table 4), also if lower is better: for a
	// latency it is the slow tail.
	P90    *float64 `json:"p90"`
	Passed int      `json:"passed"`
	Judged int      `json:"judged"` // scores with a verdict
	// Of is the denominator of the pass rate: scores with a verdict and, unless lower is better, missing answers. It is
	// 0 for a metric without verdicts.
	Of       int      `json:"of"`
	PassRate *float64 `json:"pass_rate"`
	PassLow  *float64 `json:"pass_low,omitempty"` // 95 % Wilson interval
	PassHigh *float64 `json:"pass_high,omitempty"`
}

// figuring accumulates scores for Figures.
type figuring struct {
	f      Figures
	values []float64
	lower  bool // lower is better
	rated  bool // the metric gives verdicts, even if none of these scores has one
}

// add adds a number of cases with the same score.
func (g *figuring) add(m mark, value float64, cases int) {
	if m == absent {
		return
	}
	f := &g.f
	f.Asked += cases
	switch m.status() {
	case scored:
		f.Scored += cases
		for range cases {
			g.values = append(g.values, value)
		}
		if m.judged() {
			f.Judged += cases
		}
		if m.passed() {
			f.Passed += cases
		}
	case abstained:
		f.Abstained += cases
	case notApplicable:
		f.NotApplicable += cases
	case unanswered:
		f.Unanswered += cases
	default:
		f.Failed += cases
	}
}

// figures adds the cases for which chosen is true to g, and returns its figures.
func (x *series) figures(g figuring, chosen func(n int) bool) Figures {
	for n := range x.len() {
		if chosen(n) {
			e := x.at(n)
			g.add(e.mark, e.value, 1)
		}
	}
	return g.figures()
}

func (g *figuring) figures() Figures {
	f := g.f
	if n := scoring.Applies(f.Asked, f.NotApplicable, f.Unanswered); n > 0 {
		f.Coverage = ratio(f.Scored, n)
	}
	if len(g.values) > 0 {
		counted := len(g.values)
		if !g.lower { // a missing answer counts as 0
			counted += f.Unanswered
		}
		mean, p90 := sortedSum(g.values)/float64(counted), g.values[(9*len(g.values)+9)/10-1] // nearest rank
		f.Mean, f.P90 = &mean, &p90
	}
	if f.Judged > 0 || g.rated {
		if f.Of = f.Judged; !g.lower {
			f.Of += f.Unanswered
		}
	}
	if f.Of > 0 {
		f.PassRate = ratio(f.Passed, f.Of)
		in := agreement.Wilson(f.Passed, f.Of, agreement.DefaultLevel)
		f.PassLow, f.PassHigh = &in.Lo, &in.Hi
	}
	return f
}

// sortedMean sorts values and returns their mean, which so does not depend on the order of cases, not even in the
// last bits.
func sortedMean(values []float64) float64 { return sortedSum(values) / float64(len(values)) }

// sortedSum sorts values and returns their sum.
func sortedSum(values []float64) (sum float64) {
	slices.Sort(values)
	for _, v := range values {
		sum += v
	}
	return sum
}

func ratio(part, whole int) *float64 {
	r := float64(part) / float64(whole)
	return &r
}

func all(int) bool { return true }
