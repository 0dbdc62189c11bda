package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// RankOptions configure a ranking. Zero fields have defaults.
type RankOptions struct {
	Choose  func(*Batch) bool
	Systems []string // nil: all
	// metric of execution accuracy, with whose ranks others are compared; default ex_bird, or ex_multiset if only
	// that has scores
	EX      string
	Metrics []string // default: flex, rose, verdict and hybrid_ex, if they have scores
	// the truth for errors of EX: labels, or a metric; default: labels, else the first of verdict, rose and flex with
	// scores
	Against   string
	Resamples int // default 1,000
	Seed      uint64
}

// Ranking ranks systems on the cases with scores of all systems (FLEX, section 7; ROSE, section 6).
type Ranking struct {
	EX      string    `json:"ex"`
	Systems []string  `json:"systems"`
	Cases   int       `json:"cases"`  // cases with a score of any system
	Shared  int       `json:"shared"` // cases with scores of all systems
	Metrics []Ranked  `json:"metrics"`
	Against string    `json:"errors_against,omitempty"` // the truth: labels, or a metric
	Errors  []EXError `json:"ex_errors,omitempty"`      // by system and tier
	Notes   []string  `json:"notes,omitempty"`
}

// Ranked is the ranking by one metric.
type Ranked struct {
	Metric string `json:"metric"`
	// Compared is the number of shared cases on which the metric has comparable values for all systems.
	Compared int          `json:"compared"`
	Unlike   []Unlike     `json:"unlike,omitempty"`
	Systems  []SystemRank `json:"systems"`                    // best first; empty if no case is compared
	MeanAbs  *float64     `json:"mean_shift,omitempty"`       // mean of the absolute shifts of ranks
	MaxAbs   *float64     `json:"max_shift,omitempty"`        // largest absolute shift of ranks
	Tau      *float64     `json:"kendall_tau,omitempty"`      // Kendall's tau-b of the order and that by EX
	Gap      *float64     `json:"mean_gap_from_ex,omitempty"` // mean over systems of the metric minus EX
}

// SystemRank is the rank of one system.
type SystemRank struct {
	System string  `json:"system"`
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"` // 95 % bootstrap CI of the mean
	High   float64 `json:"high"`
	// Rank starts at 1; systems with equal means share their average rank. RankLow and RankHigh are the 95 %
	// bootstrap CI.
	Rank     float64 `json:"rank"`
	RankLow  float64 `json:"rank_low"`
	RankHigh float64 `json:"rank_high"`
	// Shift is the rank by EX minus this rank: positive if the system ranks better than by EX.
	Shift     *float64 `json:"shift,omitempty"`
	ShiftLow  *float64 `json:"shift_low,omitempty"`
	ShiftHigh *float64 `json:"shift_high,omitempty"`
}

// EXError counts the errors of execution accuracy on the answers of a system in a tier.
type EXError struct {
	System string `json:"system"` // "": all systems; see [Batch.System] for agents without a name
	Tier   string `json:"tier"`   // "": all tiers
	N      int    `json:"n"`      // answers with a verdict of EX and of the truth
	// FalsePositives are accepted by EX but wrong, FalseNegatives rejected by EX but right.
	FalsePositives int `json:"false_positives"`
	FalseNegatives int `json:"false_negatives"`
}

// rankedByDefault are the default metrics of a ranking, next to EX.
var rankedByDefault = []string{"flex", "rose", "verdict", "hybrid_ex"}

// NewRanking loads the scores of all systems and ranks them. labels are the human verdicts on answers.
func NewRanking(ctx context.Context, src Source, set *Set, labels map[scoring.AnswerID]bool,
	o RankOptions) (*Ranking, error) {
	batches, err := src.Batches(ctx)
	if err != nil {
		return nil, err
	}
	batches = slices.DeleteFunc(batches, func(b Batch) bool { return o.Choose != nil && !o.Choose(&b) })
	Sort(batches)
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	o.EX = ChooseEX(there, o.EX)
	metrics := slices.Clone(o.Metrics)
	if len(metrics) == 0 {
		for _, m := range rankedByDefault {
			if slices.Contains(there, m) {
				metrics = append(metrics, m)
			}
		}
	}
	metrics = slices.DeleteFunc(metrics, func(m string) bool { return m == o.EX })
	metrics = append([]string{o.EX}, metrics...)
	load := append(slices.Clone(metrics), complexity)
	if o.Against != "" && o.Against != AgainstLabels {
		load = append(load, o.Against)
	}
	systems, repeated, err := loadSystems(ctx, src, set, batches, load)
	if err != nil {
		return nil, err
	}
	if o.Systems != nil {
		var names []string
		for _, a := range systems {
			names = append(names, a.System())
		}
		for _, name := range o.Systems {
			if !slices.Contains(names, name) {
				return nil, errcode.New(errcode.InvalidArgument, "there are no scores of the system %.60q; there are %s", name,
					quoted(names))
			}
		}
		systems = slices.DeleteFunc(systems, func(a *Answers) bool { return !slices.Contains(o.Systems, a.System()) })
	}
	return rank(set, systems, repeated, metrics, labels, o)
}

// ChooseEX returns asked unless it is "", else ex_bird, or ex_multiset if only that has scores.
func ChooseEX(there []string, asked string) string {
	switch {
	case asked != "":
		return asked
	case !slices.Contains(there, "ex_bird") && slices.Contains(there, "ex_multiset"):
		return "ex_multiset"
	}
	return "ex_bird"
}

// quoted formats names for a message: the first 8, escaped and each at most 60 characters long.
func quoted(names []string) string {
	var out []string
	for _, n := range names {
		if len(out) == 8 {
			out = append(out, fmt.Sprintf("%d more", len(names)-8))
			break
		}
		q := fmt.Sprintf("%.60q", n)
		out = append(out, q[1:len(q)-1])
	}
	return strings.Join(out, ", ")
}

// AgainstLabels is the value of RankOptions.Against for human labels.
const AgainstLabels = "labels"

func rank(set *Set, systems []*Answers, repeated bool, metrics []string, labels map[scoring.AnswerID]bool,
	o RankOptions) (*Ranking, error) {
	r := &Ranking{EX: o.EX}
	if o.Resamples <= 0 {
		o.Resamples = 1000
	}
	for _, a := range systems {
		r.Systems = append(r.Systems, a.System())
	}
	if len(systems) < 2 {
		return nil, errcode.New(errcode.FailedPrecondition,
			"expected scores of two systems or more (agents, versions, or score files), found %d", len(systems))
	}
	if repeated {
		r.Notes = append(r.Notes,
			"the batches of a system are taken together: if several answer a question, the latest answer is used")
	}
	var shared []int
	for n := range set.cases.Len() {
		some, every := false, true
		for _, a := range systems {
			if a.asked(n) {
				some = true
			} else {
				every = false
			}
		}
		if some {
			r.Cases++
		}
		if some && every {
			shared = append(shared, n)
		}
	}
	r.Shared = len(shared)
	slices.SortFunc(shared, func(a, b int) int { // figures do not depend on the order of the source
		return strings.Compare(set.caseID(a), set.caseID(b))
	})
	switch {
	case r.Shared == 0:
		r.Notes = append(r.Notes,
			fmt.Sprintf("the systems share none of %s: they cannot be ranked", printable.Count(r.Cases, "case")))
	case r.Shared < r.Cases:
		r.Notes = append(r.Notes,
			fmt.Sprintf("the systems have different cases: they are compared on the %d of %d that all have", r.Shared, r.Cases))
	}
	if r.Shared < r.Cases && len(systems) > 2 {
		if name, n := leaveOut(set, systems); n > r.Shared {
			r.Notes = append(r.Notes,
				fmt.Sprintf("without %s the other systems share %s (--systems)", name, printable.Count(n, "case")))
		}
	}
	x := ranker{set: set, systems: systems, shared: shared, notes: comparing{set: set, notes: map[string]bool{}}}
	for _, m := range metrics {
		ranked := x.values(m)
		r.Metrics = append(r.Metrics, ranked)
	}
	x.rank(r, o)
	r.Notes = append(r.Notes, x.notes.said()...)
	x.errors(r, labels, o)
	return r, nil
}

// leaveOut returns the system without which the other systems share the most cases, and the number of these cases.
func leaveOut(set *Set, systems []*Answers) (name string, most int) {
	without := make([]int, len(systems))
	for n := range set.cases.Len() {
		missing, at := 0, 0
		for i, a := range systems {
			if !a.asked(n) {
				missing, at = missing+1, i
			}
		}
		switch missing {
		case 0:
			for i := range without {
				without[i]++
			}
		case 1:
			without[at]++
		}
	}
	for i, n := range without {
		if n > most {
			name, most = systems[i].System(), n
		}
	}
	return name, most
}

type ranker struct {
	set     *Set
	systems []*Answers
	shared  []int
	notes   comparing
	// table holds, for each metric, the values of all systems for the first shared case, then for the second, and so on.
	// All values of a case are NaN if it is not compared.
	table [][]float64
}

// values adds the metric's values for the shared cases to x.table, and returns the counts of cases.
func (x *ranker) values(metric string) Ranked {
	r := Ranked{Metric: metric}
	k := len(x.systems)
	rows := make([]float64, len(x.shared)*k)
	unlike := map[Unlike]int{}
	series := make([]*series, k)
	for i, a := range x.systems {
		series[i] = a.series[metric]
	}
	lower := x.set.lower(metric)
cases:
	for at, n := range x.shared {
		row := rows[at*k : (at+1)*k]
		first := series[0].at(n)
		for i := range row {
			row[i] = math.NaN()
		}
		values := make([]float64, 0, 16)
		for i := range k {
			e := series[i].at(n)
			v := e.value
			switch e.mark.status() {
			case scored:
			case unanswered:
				if lower {
					unlike[Unlike{Why: NoValue}]++
					continue cases
				}
				v = 0
			default:
				unlike[Unlike{Why: NoValue}]++
				continue cases
			}
			p := x.set.pair(first, e)
			if u, ok := unlikePair(&p); ok {
				u.From, u.To = "", ""
				unlike[u]++
				continue cases
			}
			values = append(values, v)
		}
		for i := 1; i < k; i++ {
			p := x.set.pair(first, series[i].at(n))
			x.notes.remark(&p)
		}
		copy(row, values)
		r.Compared++
	}
	x.table = append(x.table, rows)
	for u, n := range unlike {
		u.Cases = n
		r.Unlike = append(r.Unlike, u)
	}
	slices.SortFunc(r.Unlike, func(a, b Unlike) int { return strings.Compare(a.Why, b.Why) })
	return r
}

// rank computes means, ranks and bootstrap CIs. It uses the same resamples of cases for all metrics, because shifts
// compare two metrics on the same cases.
func (x *ranker) rank(r *Ranking, o RankOptions) {
	signs := make([]float64, len(r.Metrics))
	for m := range r.Metrics {
		signs[m] = 1
		if x.set.lower(r.Metrics[m].Metric) {
			signs[m] = -1
		}
	}
	means := x.means(nil)
	ranks := make([][]float64, len(means))
	for m := range means {
		ranks[m] = places(means[m], signs[m])
	}
	draws := append(x.resample(o), means) // so that there is one with a value
	for m := range r.Metrics {
		out := &r.Metrics[m]
		if out.Compared == 0 {
			continue
		}
		drawn := func(of func(d [][]float64) float64) (low, high float64) {
			values := make([]float64, 0, len(draws))
			for _, d := range draws {
				if v := of(d); !math.IsNaN(v) {
					values = append(values, v)
				}
			}
			slices.Sort(values)
			return agreement.Quantile(values, 0.025), agreement.Quantile(values, 0.975)
		}
		drawnRanks := make([][]float64, len(draws))
		exRanks := make([][]float64, len(draws))
		for i, d := range draws {
			drawnRanks[i], exRanks[i] = places(d[m], signs[m]), places(d[0], signs[0])
		}
		for i, a := range x.systems {
			s := SystemRank{System: a.System(), Mean: means[m][i], Rank: ranks[m][i]}
			s.Low, s.High = drawn(func(d [][]float64) float64 { return d[m][i] })
			at := -1
			s.RankLow, s.RankHigh = drawn(func([][]float64) float64 { at++; return drawnRanks[at][i] })
			if m > 0 && r.Metrics[0].Compared > 0 {
				shift := ranks[0][i] - ranks[m][i]
				at = -1
				low, high := drawn(func([][]float64) float64 { at++; return exRanks[at][i] - drawnRanks[at][i] })
				s.Shift, s.ShiftLow, s.ShiftHigh = &shift, &low, &high
			}
			out.Systems = append(out.Systems, s)
		}
		if m > 0 && r.Metrics[0].Compared > 0 {
			out.shifts(means[0], means[m], signs[0], signs[m])
		}
		slices.SortStableFunc(out.Systems, func(a, b SystemRank) int {
			return cmp.Or(cmp.Compare(a.Rank, b.Rank), printable.CompareVersions(a.System, b.System))
		})
	}
}

// shifts sets the summary of the differences between the ranks and those by EX.
func (r *Ranked) shifts(ex, own []float64, exSign, sign float64) {
	sum, most, gap := 0.0, 0.0, 0.0
	for i := range r.Systems {
		d := math.Abs(*r.Systems[i].Shift)
		sum, most = sum+d, max(most, d)
		gap += own[i] - ex[i]
	}
	n := float64(len(r.Systems))
	mean, g := sum/n, gap/n
	r.MeanAbs, r.MaxAbs, r.Gap = &mean, &most, &g
	if tau := kendall(ex, own); !math.IsNaN(tau) {
		tau *= exSign * sign
		r.Tau = &tau
	}
}

// kendall returns Kendall's tau-b of two lists (Kendall 1945); NaN if one list is constant.
func kendall(a, b []float64) float64 {
	concordant, tiesA, tiesB, pairs := 0, 0, 0, 0
	for i := range a {
		for j := range i {
			x, y := cmp.Compare(a[i], a[j]), cmp.Compare(b[i], b[j])
			concordant += x * y
			pairs++
			if x == 0 {
				tiesA++
			}
			if y == 0 {
				tiesB++
			}
		}
	}
	below := math.Sqrt(float64(pairs-tiesA)) * math.Sqrt(float64(pairs-tiesB))
	if below == 0 {
		return math.NaN()
	}
	return float64(concordant) / below
}

// places returns the ranks of means, 1 for the best; equal means share their average rank. The rank of NaN is NaN.
// sign is -1 if lower is better.
func places(means []float64, sign float64) []float64 {
	out := make([]float64, len(means))
	const equal = 1e-12 // sums of the same values may differ in the last bits
	for i := range means {
		if math.IsNaN(means[i]) { // no case was drawn
			out[i] = math.NaN()
			continue
		}
		better, same := 0, 0
		for j := range means {
			switch d := sign * (means[j] - means[i]); {
			case d > equal:
				better++
			case d >= -equal:
				same++
			}
		}
		out[i] = float64(better) + float64(same+1)/2
	}
	return out
}

// means returns the mean of each metric and system over the shared cases, weighted by weights; nil weights are all 1.
func (x *ranker) means(weights []uint16) [][]float64 {
	k := len(x.systems)
	out := make([][]float64, len(x.table))
	for m, rows := range x.table {
		sums, n := make([]float64, k), 0.0
		for at := range x.shared {
			row := rows[at*k : (at+1)*k]
			w := 1.0
			if weights != nil {
				w = float64(weights[at])
			}
			if w == 0 || math.IsNaN(row[0]) {
				continue
			}
			n += w
			for i, v := range row {
				sums[i] += w * v
			}
		}
		for i := range sums {
			sums[i] /= n // NaN where no case was drawn
		}
		out[m] = sums
	}
	return out
}

// patternLimit is the maximum number of shared cases that are resampled; for more, means are drawn from a normal
// distribution.
const patternLimit = 5000

// resample returns bootstrap samples of the means of all metrics and systems: by drawing cases with replacement or,
// for many cases, from the normal distribution of the means, with their covariance.
func (x *ranker) resample(o RankOptions) [][][]float64 {
	random := rand.New(rand.NewPCG(o.Seed, 0x72616e6b)) // "rank"
	if len(x.shared) > patternLimit {
		return x.normal(o, random)
	}
	draws := make([][][]float64, 0, o.Resamples)
	weights := make([]uint16, len(x.shared))
	for range o.Resamples {
		clear(weights)
		for range x.shared {
			weights[random.IntN(len(weights))]++
		}
		draws = append(draws, x.means(weights))
	}
	return draws
}

func (x *ranker) normal(o RankOptions, random *rand.Rand) [][][]float64 {
	k, means := len(x.systems), x.means(nil)
	size := k * len(x.table)
	cov := make([]float64, size*size)
	part := make([]float64, size)
	counts := make([]float64, len(x.table))
	for m, rows := range x.table {
		for at := range x.shared {
			if !math.IsNaN(rows[at*k]) {
				counts[m]++
			}
		}
	}
	for at := range x.shared {
		for m, rows := range x.table {
			for i := range k {
				v := rows[at*k+i]
				part[m*k+i] = 0
				if !math.IsNaN(v) {
					part[m*k+i] = (v - means[m][i]) / counts[m] // the case's share in the error of the mean
				}
			}
		}
		for i, v := range part {
			if v == 0 {
				continue
			}
			row := cov[i*size : i*size+i+1]
			for j := range row {
				row[j] += v * part[j]
			}
		}
	}
	root := cholesky(cov, size)
	draws := make([][][]float64, 0, o.Resamples)
	z := make([]float64, size)
	for range o.Resamples {
		for i := range z {
			z[i] = random.NormFloat64()
		}
		d := make([][]float64, len(x.table))
		for m := range d {
			d[m] = make([]float64, k)
			for i := range k {
				v := means[m][i]
				for j, r := range root[(m*k+i)*size : (m*k+i)*size+m*k+i+1] {
					v += r * z[j]
				}
				d[m][i] = v
			}
		}
		draws = append(draws, d)
	}
	return draws
}

// cholesky returns the lower Cholesky factor of an n×n covariance matrix and reads only its lower triangle. A column
// without residual variance, as for two equal systems, is zero.
func cholesky(a []float64, n int) []float64 {
	root := make([]float64, n*n)
	for j := range n {
		d := a[j*n+j]
		for k := range j {
			d -= root[j*n+k] * root[j*n+k]
		}
		if d <= 1e-12*a[j*n+j] || math.IsNaN(d) {
			continue
		}
		d = math.Sqrt(d)
		root[j*n+j] = d
		for i := j + 1; i < n; i++ {
			s := a[i*n+j]
			for k := range j {
				s -= root[i*n+k] * root[j*n+k]
			}
			root[i*n+j] = s / d
		}
	}
	return root
}

// errors counts the errors of EX against labels or another metric.
func (x *ranker) errors(r *Ranking, labels map[scoring.AnswerID]bool, o RankOptions) {
	against := o.Against
	if against == "" {
		against = AgainstLabels
		if len(labels) == 0 {
			against = ""
			for _, m := range []string{"verdict", "rose", "flex"} {
				if slices.ContainsFunc(x.systems, func(a *Answers) bool { return a.series[m] != nil }) {
					against = m
					break
				}
			}
		}
	}
	if against == "" {
		r.Notes = append(r.Notes,
			"there are no labels, and no scores of verdict, rose or flex: how execution accuracy errs is not known")
		return
	}
	r.Against = against
	if against != AgainstLabels {
		r.Notes = append(r.Notes,
			fmt.Sprintf("errors of %s are counted against the metric %s, not against people", r.EX, against))
	}
	type group struct {
		system int // -1: all
		tier   string
	}
	counts := map[group]*EXError{}
	for i, a := range x.systems {
		ex := a.series[o.EX]
		if ex == nil {
			continue
		}
		for n, e := range ex.entries {
			passes, exPasses, known := false, e.mark.passed(), e.mark.judged()
			if against == AgainstLabels {
				var is bool
				passes, is = labelOf(labels, x.set.caseID(n), a)
				known = known && is
			} else {
				other := a.series[against].at(n).mark
				passes, known = other.passed(), known && other.judged()
			}
			if !known {
				continue
			}
			for _, key := range []group{{i, x.set.tier(n)}, {i, ""}, {-1, x.set.tier(n)}, {-1, ""}} {
				c := counts[key]
				if c == nil {
					c = &EXError{Tier: key.tier}
					if key.system >= 0 {
						c.System = a.System()
					}
					counts[key] = c
				}
				c.N++
				switch {
				case exPasses && !passes:
					c.FalsePositives++
				case !exPasses && passes:
					c.FalseNegatives++
				}
			}
		}
	}
	for _, c := range counts {
		r.Errors = append(r.Errors, *c)
	}
	slices.SortFunc(r.Errors, func(a, b EXError) int {
		whole := func(t string) int {
			if t == "" {
				return 0
			}
			return 1
		}
		return cmp.Or(printable.CompareVersions(a.System, b.System), cmp.Compare(whole(a.Tier), whole(b.Tier)),
			CompareTiers(a.Tier, b.Tier))
	})
	if len(r.Errors) == 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("no answer has both a verdict of %s and one of %s", r.EX, against))
	}
}

// labelOf returns the human verdict on a system's answer to a case, the latest of several batches. Labels without a
// batch, as from case files, are included.
func labelOf(labels map[scoring.AnswerID]bool, id string, a *Answers) (passes, known bool) {
	for _, b := range append([]string{""}, a.batches...) {
		if p, ok := labels[scoring.AnswerID{CaseID: id, By: scoring.By{Agent: a.Agent, Version: a.Version, Batch: b}}]; ok {
			passes, known = p, true // the newest batch comes last
		}
	}
	return passes, known
}
