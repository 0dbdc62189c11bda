package calibration

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Report computes the agreement of every metric with the labels, the highest kappa first. It returns InvalidArgument
// if o.Compare or o.Backbone has too few keys or the key of an unknown metric.
func (s *Study) Report(o Options) (*Report, error) {
	x := &computation{Study: s, Options: o, verdicts: make([][]agreement.Vote, len(s.Metrics)),
		chosen: make([]*choice, len(s.Metrics))}
	for _, c := range s.Cases {
		x.labels = append(x.labels, c.Label)
	}
	for i := range s.Metrics {
		x.decide(i)
	}
	if o.Common {
		x.keepCommon()
	}
	r := &Report{People: people(s.Cases)}
	for _, l := range x.labels {
		if l != agreement.Missing {
			r.N++
		}
		if l == agreement.Pass {
			r.Passes++
		}
	}
	for i := range s.Metrics {
		r.Metrics = append(r.Metrics, x.result(i))
	}
	order := x.rank(r)
	for _, by := range o.By {
		r.Breakdowns = append(r.Breakdowns, x.breakdown(by, order))
	}
	if err := x.compare(r); err != nil {
		return nil, err
	}
	if err := x.backbone(r); err != nil {
		return nil, err
	}
	r.Notes = x.notes(r)
	return r, nil
}

// computation is the state of computing a report.
type computation struct {
	*Study
	Options
	labels   []agreement.Vote
	verdicts [][]agreement.Vote // by metric and case
	chosen   []*choice          // by metric; nil if its own threshold is used
}

// choice is a threshold chosen by cross-validation, and kappa with the metric's own threshold.
type choice struct {
	agreement.CrossValidation
	before agreement.Stat
}

// decide sets the verdicts of metric i: by its own threshold or, for a graded metric with cross-validation, by
// thresholds chosen on other cases.
func (x *computation) decide(i int) {
	m := &x.Metrics[i]
	own := make([]agreement.Vote, len(m.Scores))
	for c, s := range m.Scores {
		own[c] = s.Verdict
	}
	x.verdicts[i] = own
	if !x.crossValidates() || !m.graded() {
		return
	}
	var cases []agreement.Graded
	var at []int
	for c, s := range m.Scores {
		if s.Status == scoring.StatusOK && x.labels[c] != agreement.Missing {
			cases = append(cases, agreement.Graded{Value: s.Value, Label: x.labels[c] == agreement.Pass})
			at = append(at, c)
		}
	}
	var folds []int
	if x.LeaveOut != "" {
		groups := make([]string, len(at))
		for k, c := range at {
			groups[k] = x.Cases[c].Groups[x.LeaveOut]
		}
		folds = agreement.GroupFolds(groups)
	} else {
		folds = agreement.StratifiedFolds(cases, x.Folds, x.Resampling.Seed)
	}
	v := choice{agreement.CrossValidate(cases, folds, m.Scale, agreement.Confusion.Kappa),
		agreement.Tally(x.labels, own).Kappa()}
	x.chosen[i] = &v
	x.verdicts[i] = make([]agreement.Vote, len(m.Scores))
	for k, c := range at {
		x.verdicts[i][c] = v.Verdicts[k]
	}
}

// graded reports whether a threshold should be chosen for a metric: it has more than two values, or two and no
// threshold.
func (m *Metric) graded() bool {
	seen := map[float64]bool{}
	for _, s := range m.Scores {
		if s.Status == scoring.StatusOK {
			seen[s.Value] = true
		}
	}
	return len(seen) > 2 || len(seen) == 2 && m.Threshold == nil
}

// keepCommon removes the labels of cases on which not all metrics have a verdict. It ignores metrics without any
// verdict.
func (x *computation) keepCommon() {
	for _, verdicts := range x.verdicts {
		if !slices.ContainsFunc(verdicts, func(v agreement.Vote) bool { return v != agreement.Missing }) {
			continue
		}
		for c, v := range verdicts {
			if v == agreement.Missing {
				x.labels[c] = agreement.Missing
			}
		}
	}
}

func (x *computation) result(i int) Result {
	m := &x.Metrics[i]
	r := Result{Key: m.Key, Recorded: m.Recorded, Threshold: m.Threshold,
		Confusion: agreement.Tally(x.labels, x.verdicts[i]), Without: map[scoring.Status]int{}}
	if r.Kappa = r.Confusion.LabelKappa(); r.Kappa.Defined {
		r.KappaCI = agreement.Bootstrap(r.Confusion, agreement.Confusion.Kappa, x.Resampling)
	}
	r.Mean, r.MeanCI = x.mean(i, nil)
	calls := 0
	for c, s := range m.Scores {
		switch {
		case x.labels[c] == agreement.Missing:
			continue
		case x.verdicts[i][c] == agreement.Missing:
			r.Without[s.Status]++
		default:
			calls += s.Calls
		}
		r.Of++
	}
	r.Coverage = agreement.Stat{Why: "it applies to no labelled case"}
	if n := r.Of - r.Without[scoring.StatusNotApplicable]; n > 0 {
		r.Coverage = agreement.Stat{Value: float64(r.N()) / float64(n), Defined: true}
	}
	switch {
	case !m.Calls:
		r.Calls = agreement.Stat{Why: "the replies behind the verdicts were not recorded"}
	case r.N() == 0:
		r.Calls = agreement.Stat{Why: "there are no cases"}
	default:
		r.Calls = agreement.Stat{Value: float64(calls) / float64(r.N()), Defined: true}
	}
	if v := x.chosen[i]; v != nil {
		x.noteChoice(&r, v)
	}
	if r.N() == 0 {
		if m.Threshold == nil && x.chosen[i] == nil && r.Without[scoring.StatusOK] > 0 {
			r.Notes = append(r.Notes, "it gives no verdict; cross-validation chooses a threshold")
		} else {
			r.Notes = append(r.Notes, "no labelled case has a verdict")
		}
		return r
	}
	r.Notes = append(r.Notes, agreement.SampleWarnings(r.Confusion)...)
	if r.Kappa.Why != "" {
		r.Notes = append(r.Notes, "kappa: "+r.Kappa.Why)
	}
	if r.KappaCI.Why != "" && r.KappaCI.Why != r.Kappa.Why {
		r.Notes = append(r.Notes, "interval: "+r.KappaCI.Why)
	}
	return r
}

// mean returns the mean of metric i's values for the cases in which in is true, or nothing if NoMeans is set.
func (x *computation) mean(i int, in func(c int) bool) (agreement.Stat, agreement.Interval) {
	if x.NoMeans {
		return agreement.Stat{}, agreement.Interval{}
	}
	return agreement.Mean(x.values(i, in), x.Resampling)
}

// values returns the values of metric i on labelled cases for which in is true; nil means all.
func (x *computation) values(i int, in func(c int) bool) (out []float64) {
	for c, s := range x.Metrics[i].Scores {
		if s.Status == scoring.StatusOK && x.labels[c] != agreement.Missing && (in == nil || in(c)) {
			out = append(out, s.Value)
		}
	}
	return out
}

func (x *computation) noteChoice(r *Result, v *choice) {
	how := printable.Count(x.Folds, "fold")
	if x.LeaveOut != "" {
		how = "leaving out one " + x.LeaveOut
	}
	r.Chosen = &Chosen{How: how, Thresholds: v.Thresholds, Fitted: v.Fitted.Kappa(), Before: v.before}
	if v.Fitted.N() > 0 {
		t := v.Threshold
		r.Threshold = &t
	}
	if v.Skipped > 0 {
		r.Notes = append(r.Notes,
			fmt.Sprintf("%s %s in folds without which no threshold could be chosen: %s", printable.Count(v.Skipped, "case"),
				printable.Verb(v.Skipped, "is", "are"), v.Why))
	}
}

// rank sorts r.Metrics by kappa, highest first, undefined ones last. It returns their indexes in the study.
func (x *computation) rank(r *Report) []int {
	order := make([]int, len(r.Metrics))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &r.Metrics[i], &r.Metrics[j]
		if a.Kappa.Defined != b.Kappa.Defined {
			if a.Kappa.Defined {
				return -1
			}
			return 1
		}
		return cmp.Or(-cmp.Compare(a.Kappa.Value, b.Kappa.Value), cmp.Compare(a.Key, b.Key))
	})
	sorted := make([]Result, len(order))
	for k, i := range order {
		sorted[k] = r.Metrics[i]
	}
	r.Metrics = sorted
	return order
}

// tiers is the order of the groups of ByTier; other groups are sorted by name.
var tiers = []string{"easy", "medium", "hard", "extra hard"}

func (x *computation) breakdown(by string, order []int) Breakdown {
	groups := make([]string, len(x.Cases))
	members := map[string]*Part{}
	var names []string
	for c := range x.Cases {
		g := x.Cases[c].Groups[by]
		if g == "" {
			g = "unknown"
		}
		groups[c] = g
		if x.labels[c] == agreement.Missing {
			continue
		}
		if members[g] == nil {
			members[g] = &Part{Name: g}
			names = append(names, g)
		}
		members[g].N++
		if x.labels[c] == agreement.Pass {
			members[g].Passes++
		}
	}
	place := func(name string) int {
		if i := slices.Index(tiers, name); by == ByTier && i >= 0 {
			return i
		}
		return len(tiers)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
	for _, i := range order {
		tallied := map[string]agreement.Confusion{}
		for _, p := range agreement.TallyBy(x.labels, x.verdicts[i], groups) {
			tallied[p.Name] = p.Confusion
		}
		for _, name := range names {
			c := tallied[name]
			r := Result{Key: x.Metrics[i].Key, Recorded: x.Metrics[i].Recorded, Confusion: c, Kappa: c.LabelKappa()}
			r.Mean, r.MeanCI = x.mean(i, func(c int) bool { return groups[c] == name })
			members[name].Metrics = append(members[name].Metrics, r)
		}
	}
	for _, name := range names {
		var cases []Case
		for c := range x.Cases {
			if groups[c] == name {
				cases = append(cases, x.Cases[c])
			}
		}
		members[name].People = people(cases)
	}
	out := Breakdown{By: by}
	for _, name := range names {
		out.Parts = append(out.Parts, *members[name])
	}
	return out
}

// compare compares the first metric of x.Compare with each of the others.
func (x *computation) compare(r *Report) error {
	if len(x.Compare) == 0 {
		return nil
	}
	var at []int
	for _, key := range x.Compare {
		i := slices.IndexFunc(x.Metrics, func(m Metric) bool { return m.Key == key })
		if i < 0 {
			keys := make([]string, len(x.Metrics))
			for k := range x.Metrics {
				keys[k] = x.Metrics[k].Key
			}
			return errcode.New(errcode.InvalidArgument, "there is no metric %.60q to compare%s", key, scoring.Suggest(key, keys))
		}
		at = append(at, i)
	}
	if len(at) < 2 {
		return errcode.New(errcode.InvalidArgument, "a comparison takes two metrics, such as hybrid_ex,ex_bird")
	}
	var p []float64
	for k, i := range at[1:] {
		c := agreement.Compare(agreement.TallyPair(x.labels, x.verdicts[at[0]], x.verdicts[i]), agreement.Confusion.Kappa,
			x.Resampling)
		r.Comparisons = append(r.Comparisons, Comparison{A: x.Compare[0], B: x.Compare[k+1], Comparison: c})
		p = append(p, c.P)
	}
	for k, adjusted := range agreement.Holm(p) {
		r.Comparisons[k].Holm = adjusted
	}
	return nil
}

// backbone compares the two metrics of x.Backbone by four measures and sets r.Backbone.
func (x *computation) backbone(r *Report) error {
	if len(x.Backbone) == 0 {
		return nil
	}
	if len(x.Backbone) != 2 {
		return errcode.New(errcode.InvalidArgument,
			"a backbone is compared with one candidate, such as rose@o3,rose@gemini-2.5-pro")
	}
	var at [2]int
	for k, key := range x.Backbone {
		if at[k] = slices.IndexFunc(x.Metrics, func(m Metric) bool { return m.Key == key }); at[k] < 0 {
			keys := make([]string, len(x.Metrics))
			for i := range x.Metrics {
				keys[i] = x.Metrics[i].Key
			}
			return errcode.New(errcode.InvalidArgument, "there is no metric %.60q to compare%s", key, scoring.Suggest(key, keys))
		}
	}
	var shared [2][]agreement.Vote
	for c := range x.Cases {
		a, b := x.verdicts[at[0]][c], x.verdicts[at[1]][c]
		if a == agreement.Missing || b == agreement.Missing {
			a, b = agreement.Missing, agreement.Missing
		}
		shared[0], shared[1] = append(shared[0], a), append(shared[1], b)
	}
	current, candidate := agreement.Tally(x.labels, shared[0]), agreement.Tally(x.labels, shared[1])
	b := &Backbone{Current: x.Backbone[0], Candidate: x.Backbone[1], N: current.N()}
	better, worse := 0, 0
	for _, m := range []struct {
		name string
		of   agreement.Statistic
	}{{"kappa", agreement.Confusion.Kappa}, {"accuracy", agreement.Confusion.Accuracy}, {"mcc", agreement.Confusion.MCC},
		{"f1", agreement.Confusion.F1}} {
		measure := BackboneMeasure{m.name, m.of(current), m.of(candidate)}
		b.Measures = append(b.Measures, measure)
		switch {
		case !measure.Current.Defined || !measure.Candidate.Defined:
			b.Why = m.name + " is not defined"
		case measure.Candidate.Value > measure.Current.Value:
			better++
		case measure.Candidate.Value < measure.Current.Value:
			worse++
		}
	}
	switch {
	case b.N == 0:
		b.Why = "there is no case on which both have a verdict"
	case b.Why != "":
	case worse > 0:
		b.Why = fmt.Sprintf("it is worse by %d of the %d measures", worse, len(b.Measures))
	case better == 0:
		b.Why = "it is better by none of the measures"
	default:
		b.Adopt, b.AllBetter = true, better == len(b.Measures)
		b.Why = fmt.Sprintf("it is better by %d of the %d measures and worse by none", better, len(b.Measures))
	}
	r.Backbone = b
	return nil
}

// notes returns the notes about the whole report.
func (x *computation) notes(r *Report) []string {
	labels := agreement.Confusion{TP: r.Passes, TN: r.N - r.Passes}
	out := agreement.SampleWarnings(labels)
	least, most := -1, 0
	for _, m := range r.Metrics {
		if n := m.N(); n > 0 {
			if least < 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
	}
	if slices.ContainsFunc(r.Metrics, func(m Result) bool { return m.Without[scoring.StatusAbstained] > 0 }) {
		out = append(out, "abstained cases have no verdict and are left out, as in the rates of a run; to count them, set metrics.options.verdict.without_judge to guess")
	}
	if least >= 0 && least < most {
		out = append(out,
			fmt.Sprintf("metrics have verdicts on %d to %d cases: compare them on the cases they share", least, most))
	}
	return out
}

// people returns the inter-annotator agreement; nil if no case has two votes.
func people(cases []Case) *People {
	var votes [][]agreement.Vote
	p := &People{}
	for _, c := range cases {
		passes, fails := 0, 0
		for _, v := range c.Votes {
			switch v {
			case agreement.Pass:
				passes++
			case agreement.Fail:
				fails++
			case agreement.Missing:
			}
		}
		p.Annotators = max(p.Annotators, passes+fails)
		if passes+fails > 1 {
			p.Cases++
			if passes == 0 || fails == 0 {
				p.Unanimous++
			}
		}
		votes = append(votes, c.Votes)
	}
	if p.Cases == 0 {
		return nil
	}
	counts, units := agreement.Ballots(votes)
	p.Fleiss, p.Alpha = agreement.Fleiss(counts), agreement.Alpha(units, agreement.LevelNominal)
	return p
}
