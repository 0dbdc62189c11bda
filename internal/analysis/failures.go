package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Failures counts wrong answers and the labels that judges and rules give to answers, by kind, system and tier.
type Failures struct {
	// Primary is the metric whose verdict decides whether an answer is wrong; "" if no metric has verdicts.
	Primary string `json:"primary,omitempty"`
	// Wrong counts the wrong answers of each system by their reasons, each answer once.
	Wrong   []WrongAnswers `json:"wrong,omitempty"`
	Batches []Batch        `json:"batches"` // the latest chosen batch of each version
	Labels  []FailureLabel `json:"labels"`  // by metric and kind, within a kind those with most wrong answers first
	// LookedAt is the number of answers that a metric scored, with or without labels, by metric.
	LookedAt map[string]int `json:"looked_at"`
	Notes    []string       `json:"notes,omitempty"`
}

// FailureLabel is a label with the number of answers that have it.
type FailureLabel struct {
	Metric string         `json:"metric"`
	Kind   string         `json:"kind"`
	Label  string         `json:"label"`
	N      int            `json:"n"`      // number of answers
	Wrong  int            `json:"wrong"`  // answers of N that the primary metric rejects
	Right  int            `json:"right"`  // answers of N that it passes; it gives the others no verdict
	Cases  int            `json:"cases"`  // number of questions
	Groups []FailureGroup `json:"groups"` // by system and tier
}

// FailureGroup counts the answers with a label for one system and tier.
type FailureGroup struct {
	System string   `json:"system"`
	Agent  string   `json:"agent_name"`
	Of     string   `json:"agent_version"`
	Tier   string   `json:"tier"`
	N      int      `json:"n"`
	Wrong  int      `json:"wrong"`  // answers of N that the primary metric rejects
	Right  int      `json:"right"`  // answers of N that it passes
	Scored int      `json:"scored"` // answers of the system in the tier that the metric scored
	Cases  []string `json:"case_ids"`
}

// FailureOptions select the failures to report.
type FailureOptions struct {
	Choose  func(*Batch) bool
	Metrics []string // a subset of [Evident]; nil: all
	Primary string   // default: see [scoring.Primary]
	// GroupOf returns the group of a relation for reports; nil: no groups.
	GroupOf func(relation string) string
}

// NewFailures counts the wrong answers and labels in the scores of src: those of the latest batch of each version,
// among the batches that o chooses.
func NewFailures(ctx context.Context, src Source, set *Set, o FailureOptions) (*Failures, error) {
	every, err := src.Batches(ctx)
	if err != nil {
		return nil, err
	}
	accepted, err := AcceptedFrom(ctx, src, set, every, o.Primary)
	if err != nil {
		return nil, err
	}
	accepted.Sort(every)
	chosen := slices.DeleteFunc(slices.Clone(every), func(b Batch) bool { return o.Choose != nil && !o.Choose(&b) })
	batches, earlier := latestOfVersions(chosen)
	metrics := o.Metrics
	if metrics == nil {
		metrics = Evident
	}
	f := &Failures{Batches: batches, LookedAt: map[string]int{}}
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	primary := set.Primary(o.Primary, there)
	systems, _, err := loadSystems(ctx, src, set, batches, append(slices.Clone(metrics), complexity, primary))
	if err != nil {
		return nil, err
	}
	place := func(a *Answers) int {
		return slices.IndexFunc(batches, func(b Batch) bool { return b.sameVersion(&a.Batch) })
	}
	slices.SortStableFunc(systems, func(a, b *Answers) int { // the newest version first, by the dates of batches
		return cmp.Or(printable.CompareNatural(a.Agent, b.Agent), cmp.Compare(place(b), place(a)))
	})
	w := wrongs{set: set, primary: primary, groupOf: o.GroupOf, batches: every, accepted: accepted}
	for _, a := range systems {
		one, judged, err := w.of(ctx, src, a, &batches[place(a)])
		if err != nil {
			return nil, err
		}
		if judged {
			f.Primary, f.Wrong = primary, append(f.Wrong, *one)
		}
	}
	if earlier > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("the latest batch of each version is counted; %s %s left out: choose one with --batch",
			printable.Count(earlier, "earlier batch"), printable.Verb(earlier, "is", "are")))
	}
	for _, m := range metrics {
		f.add(set, m, systems)
	}
	if len(f.Labels) == 0 {
		f.Notes = append(f.Notes, f.nothing(metrics))
	}
	return f, nil
}

// latestOfVersions returns the latest batch of each version of a list sorted by time, and the number of the others.
func latestOfVersions(batches []Batch) (latest []Batch, earlier int) {
	for i := range batches {
		if slices.ContainsFunc(batches[i+1:], func(b Batch) bool { return b.sameVersion(&batches[i]) }) {
			earlier++
		} else {
			latest = append(latest, batches[i])
		}
	}
	return latest, earlier
}

// nothing describes why there are no labels: no metric scored answers, or the metrics found nothing.
func (f *Failures) nothing(metrics []string) string {
	var looked []string
	for _, m := range metrics {
		if n := f.LookedAt[m]; n > 0 {
			looked = append(looked, fmt.Sprintf("%s (%s)", m, printable.Count(n, "answer")))
		}
	}
	if len(looked) == 0 {
		return fmt.Sprintf(
			"no metric that gives labels has a score with a value here: labels come from %s",
			strings.Join(metrics, ", "))
	}
	return fmt.Sprintf("%s gave no labels; labels come from %s", strings.Join(looked, ", "),
		strings.Join(metrics, ", "))
}

// loadSystems loads the batches of each system, in the order of time, into one set of answers. repeated means that a
// system has several batches.
func loadSystems(ctx context.Context, src Source, set *Set, batches []Batch,
	metrics []string) (systems []*Answers, repeated bool, err error) {
	at := map[string]*Answers{}
	for _, b := range batches {
		key := b.Agent + "\x00" + b.Version + "\x00" + b.Origin
		if at[key] == nil {
			whole := b
			whole.Batch = ""
			at[key] = set.Answers(whole)
			systems = append(systems, at[key])
		} else {
			repeated = true
		}
		at[key].batches = append(at[key].batches, b.Batch)
		if err := src.Load(ctx, b, metrics, at[key]); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(systems, func(a, b *Answers) int {
		return cmp.Or(printable.CompareNatural(a.Agent, b.Agent), printable.CompareVersions(a.Version, b.Version),
			strings.Compare(a.Origin, b.Origin))
	})
	return systems, repeated, nil
}

// add adds the labels that a metric gives to the answers of the systems.
func (f *Failures) add(set *Set, metric string, systems []*Answers) {
	type group struct {
		system int
		tier   string
	}
	found := map[uint32]map[group][]string{}
	wrong, right := map[uint32]map[group]int{}, map[uint32]map[group]int{}
	looked := map[group]int{}
	for i, a := range systems {
		x := a.series[metric]
		if x == nil {
			continue
		}
		for n, e := range x.entries {
			if e.mark.status() == scored {
				looked[group{i, set.tier(n)}]++
				f.LookedAt[metric]++
			}
		}
		for n, labels := range x.findings {
			g := group{i, set.tier(int(n))}
			for _, l := range labels {
				if found[l] == nil {
					found[l], wrong[l], right[l] = map[group][]string{}, map[group]int{}, map[group]int{}
				}
				if f.Primary != "" {
					switch s := a.series[f.Primary].at(int(n)).mark.standing(); {
					case s.Wrong():
						wrong[l][g]++
					case s.Right():
						right[l][g]++
					}
				}
				found[l][g] = append(found[l][g], set.caseID(int(n)))
			}
		}
	}
	var out []FailureLabel
	for l, groups := range found {
		kind, label, _ := strings.Cut(set.findings.Text(l), ":")
		row := FailureLabel{Metric: metric, Kind: kind, Label: label}
		questions := map[string]bool{}
		order := slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
			return cmp.Or(cmp.Compare(a.system, b.system), CompareTiers(a.tier, b.tier))
		})
		for _, g := range order {
			cases, a := groups[g], systems[g.system]
			slices.SortFunc(cases, printable.CompareNatural)
			row.N += len(cases)
			row.Wrong += wrong[l][g]
			row.Right += right[l][g]
			for _, c := range cases {
				questions[c] = true
			}
			row.Groups = append(row.Groups,
				FailureGroup{System: a.System(), Agent: a.Agent, Of: a.Version, Tier: g.tier, N: len(cases), Wrong: wrong[l][g],
					Right: right[l][g], Scored: looked[g], Cases: cases})
		}
		row.Cases = len(questions)
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b FailureLabel) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), cmp.Compare(b.Wrong, a.Wrong), cmp.Compare(b.N, a.N),
			strings.Compare(a.Label, b.Label))
	})
	f.Labels = append(f.Labels, out...)
}

// Keep removes all labels and reasons but the named ones; without names it removes none. A name that no answer has is a
// NotFound error.
func (f *Failures) Keep(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	var there []string
	for i := range f.Labels {
		there = append(there, f.Labels[i].Label)
	}
	for i := range f.Wrong {
		for _, r := range f.Wrong[i].Reasons {
			there = append(there, r.Reason)
		}
	}
	for _, l := range labels {
		if !slices.Contains(there, l) {
			return errcode.New(errcode.NotFound, "no answer has the label %.60q%s", l, scoring.SuggestOrList(l, there))
		}
	}
	f.Labels = slices.DeleteFunc(f.Labels, func(l FailureLabel) bool { return !slices.Contains(labels, l.Label) })
	for i := range f.Wrong {
		w := &f.Wrong[i]
		w.Reasons = slices.DeleteFunc(w.Reasons, func(r WrongReason) bool { return !slices.Contains(labels, r.Reason) })
	}
	f.Wrong = slices.DeleteFunc(f.Wrong, func(w WrongAnswers) bool { return len(w.Reasons) == 0 })
	return nil
}
