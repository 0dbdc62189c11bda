package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
)

// TrendOptions select the batches and metrics of a trend.
type TrendOptions struct {
	CompareOptions
	// Choose reports whether a batch is shown; nil: all are. It does not affect which batch is the baseline of another.
	Choose   func(*Batch) bool
	Last     int         // number of the latest chosen batches that are compared; 0: all
	Gates    []gate.Drop // their metrics are included
	Accepted Accepted
}

// Trend is the course of metrics over the batches of agents, the oldest first.
type Trend struct {
	Batches []Batch  `json:"batches"` // the chosen ones
	Metrics []string `json:"metrics"`
	More    []string `json:"more_metrics,omitempty"` // metrics with scores that are not in Metrics
	Points  []Point  `json:"points"`                 // ordered by batch, metric and tier
	MinDrop float64  `json:"min_drop"`
	Alpha   float64  `json:"alpha"`
	Primary string   `json:"primary,omitempty"` // metric whose p-values are not adjusted
	// Baselines holds the baseline of each batch; null if there is none.
	Baselines []*Baseline `json:"baselines"`
	// Latest are the latest batches of the agents, each with its baseline and the course of the primary metric.
	Latest   []Latest   `json:"latest,omitempty"`
	Notes    []string   `json:"notes,omitempty"`
	last     Comparison // comparison of the latest batch with its baseline
	before   bool
	found    map[int]*Comparison // comparisons with a baseline, by index in Batches
	all      []Batch             // also those that are not chosen, in the order of time
	accepted Accepted
}

// Latest is the latest batch of an agent, with its findings.
type Latest struct {
	Batch    int       `json:"batch"` // index in Batches
	Headline string    `json:"headline,omitempty"`
	Baseline *Baseline `json:"baseline,omitempty"`
	Course   *Course   `json:"course,omitempty"` // of the primary metric
	Findings []Finding `json:"findings,omitempty"`

	said   []string // messages of a gate on declines
	passed bool
}

// Point holds the figures of a metric for one batch, and the change from its baseline.
type Point struct {
	Batch  int     `json:"batch"` // index in Batches
	Metric string  `json:"metric"`
	Tier   string  `json:"tier,omitempty"`
	Now    Figures `json:"figures"`
	// Before is the index of the baseline in Batches; null if there is none, or if it is not chosen.
	Before *int    `json:"before"`
	Change *Change `json:"change,omitempty"`
}

// NewTrend loads the batches one after the other. It keeps only those in memory that a later one is compared with.
func NewTrend(ctx context.Context, src Source, set *Set, o TrendOptions) (*Trend, error) {
	batches, err := src.Batches(ctx)
	if err != nil {
		return nil, err
	}
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	if o.Accepted, err = AcceptedFrom(ctx, src, set, batches, o.Primary); err != nil {
		return nil, err
	}
	held := map[int]*Answers{} // baselines, by index in the list of all batches
	var needed map[int]int     // the last batch that is compared with a batch
	t, err := TrendOf(set, batches, there, o, func(all []Batch, before, i int, co CompareOptions) (*Comparison, error) {
		if needed == nil {
			needed = o.needed(all)
		}
		load := co.Metrics
		if !slices.Contains(load, complexity) {
			load = append(slices.Clone(load), complexity)
		}
		read := func(at int) (*Answers, error) {
			if held[at] != nil {
				return held[at], nil
			}
			a := set.Answers(all[at])
			if needed[at] > i {
				held[at] = a
			}
			return a, src.Load(ctx, all[at], load, a)
		}
		now, err := read(i)
		if err != nil {
			return nil, err
		}
		from := set.Answers(Batch{})
		if before >= 0 {
			if from, err = read(before); err != nil {
				return nil, err
			}
		}
		c := Compare(from, now, co)
		for j := range held {
			if needed[j] <= i {
				delete(held, j)
			}
		}
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	return t, t.Conclude(ctx, src, set, o)
}

// needed returns the index of the last chosen batch that is compared with each baseline.
func (o *TrendOptions) needed(all []Batch) map[int]int {
	out := map[int]int{}
	for j := range all {
		if o.Choose != nil && !o.Choose(&all[j]) {
			continue
		}
		if at, _ := BaselineOf(all, o.Accepted, j); at >= 0 {
			out[at] = j
		}
	}
	return out
}

// Conclude adds the findings about the latest batch of each agent.
func (t *Trend) Conclude(ctx context.Context, src Source, set *Set, o TrendOptions) error {
	o.CompareOptions = o.withDefaults()
	for _, i := range newestOfAgents(t.Batches) {
		l := Latest{Batch: i, Baseline: t.Baselines[i]}
		if c := t.found[i]; c != nil {
			l.Headline, l.Findings = c.Headline(), c.Findings()
		}
		harm, err := HarmOf(ctx, src, set, t.Batches[i], l.Baseline)
		if err != nil {
			return err
		}
		l.Findings = append(l.Findings, harm...)
		h := &History{}
		if t.Primary != "" {
			of := OfAgent(t.all, slices.Index(t.all, t.Batches[i]), HistoryBatches)
			if h, err = NewHistory(ctx, src, set, of, t.Primary); err != nil {
				return err
			}
			if l.Course = h.Course(o.Alpha, o.Seed); l.Course != nil {
				l.Findings = append(l.Findings, l.Course.Findings...)
			}
		}
		l.said, l.passed = h.CheckDecline(l.Course)
		t.Latest = append(t.Latest, l)
	}
	return nil
}

// newestOfAgents returns the index of the latest batch of each agent, the latest first.
func newestOfAgents(batches []Batch) []int {
	var out []int
	seen := map[string]bool{}
	for i := len(batches) - 1; i >= 0; i-- {
		if !seen[batches[i].Agent] {
			seen[batches[i].Agent] = true
			out = append(out, i)
		}
	}
	return out
}

// TrendOf returns the trend of the chosen batches. It calls compare for each of them in the order of time, with the
// list of all batches, the index i of the batch in it, and the index before of its baseline, or -1 if it has none.
// [Trend.Conclude] adds the findings.
func TrendOf(set *Set, batches []Batch, there []string, o TrendOptions,
	compare func(all []Batch, before, i int, o CompareOptions) (*Comparison, error)) (*Trend, error) {
	o.CompareOptions = o.withDefaults()
	t := &Trend{MinDrop: o.MinDrop, Alpha: o.Alpha, found: map[int]*Comparison{}, all: slices.Clone(batches),
		accepted: o.Accepted}
	o.Accepted.Sort(t.all)
	var at []int // indexes of t.Batches in t.all
	place := map[int]int{}
	for i := range t.all {
		if o.Choose == nil || o.Choose(&t.all[i]) {
			place[i] = len(t.Batches)
			t.Batches, at = append(t.Batches, t.all[i]), append(at, i)
		}
	}
	o.CompareOptions, t.More = o.Select(set, there, o.Gates)
	t.Metrics, t.Primary = o.Shown, o.Primary
	t.Baselines = make([]*Baseline, len(t.Batches))
	notes := map[string]bool{}
	for i := range t.Batches {
		before, base := BaselineOf(t.all, o.Accepted, at[i])
		t.Baselines[i] = base
		if o.Last > 0 && i < len(t.Batches)-o.Last {
			continue
		}
		c, err := compare(t.all, before, at[i], o.CompareOptions)
		if err != nil {
			return nil, err
		}
		if t.before = before >= 0; t.before {
			c.Baseline = base
			t.last, t.found[i] = *c, c
		}
		for k := range c.Changes {
			ch := &c.Changes[k]
			p := Point{Batch: i, Metric: ch.Metric, Tier: ch.Tier, Now: ch.To}
			if before >= 0 {
				p.Change = ch
			}
			if shown, is := place[before]; is {
				p.Before = &shown
			}
			if ch.To.Asked > 0 {
				t.Points = append(t.Points, p)
			}
		}
		if before < 0 {
			continue
		}
		for _, n := range c.Notes {
			// reported for each batch
			if !strings.HasPrefix(n, "only the ") && n != c.From.unfinished() && n != c.To.unfinished() {
				notes[n] = true
			}
		}
		if c.OnlyOf[0]+c.OnlyOf[1] > 0 {
			notes["some batches have other cases than their baseline: changes are of the cases that both have"] = true
		}
	}
	t.note(notes)
	return t, nil
}

func (t *Trend) note(notes map[string]bool) {
	undated, evaluated := 0, 0
	for i := range t.Batches {
		switch b := &t.Batches[i]; {
		case b.At.IsZero():
			undated++
		case b.Evaluated:
			evaluated++
		}
	}
	switch n := len(t.Batches); {
	case n == 0:
		t.Notes = append(t.Notes, "there are no scores")
	case n == 1 && t.Baselines[0] == nil:
		t.Notes = append(t.Notes, "there is one batch only: nothing to compare it with")
	}
	if undated > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %s %s no date (agent_runs.ran_at, agent.ran_at, or the date of a run): such batches come first, in the order of their names", undated, printable.Count(len(t.Batches), "batch"), printable.Verb(undated, "has", "have")))
	}
	if evaluated > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("%d of %s %s first evaluation", evaluated, printable.Count(len(t.Batches), "batch"),
				printable.Verb(evaluated, "does not say when it was answered (agent_runs.ran_at, agent.ran_at): its date is that of the",
					"do not say when they were answered (agent_runs.ran_at, agent.ran_at): their date is that of their")))
	}
	for i := range t.Batches {
		if n := t.Batches[i].unfinished(); n != "" {
			t.Notes = append(t.Notes, n)
		}
	}
	x := comparing{notes: notes}
	t.Notes = append(t.Notes, x.said()...)
}

// Newest returns the comparison of the latest batch with its baseline, or nil if it has no baseline.
func (t *Trend) Newest() *Comparison {
	if !t.before {
		return nil
	}
	return &t.last
}

// Check reports whether the latest batch of each agent passes the gates against its baseline, see [Comparison.Check]. A
// batch without a baseline passes if its run is done and no batch of the agent is accepted, see [NoBaseline]. With
// decline, the latest batches also must not show a decline of the primary metric, see [History.CheckDecline]. No gate
// passes without scores.
func (t *Trend) Check(gates []gate.Drop, decline bool) (said []string, reached bool) {
	if len(gates) == 0 && !decline {
		return nil, true
	}
	latest := newestOfAgents(t.Batches)
	if len(latest) == 0 {
		return []string{gate.Line(false, "no scores were found")}, false
	}
	said, reached = t.checkDrops(latest, gates)
	for i := range t.Latest {
		if l := &t.Latest[i]; decline {
			if len(latest) > 1 {
				said = append(said, t.Batches[l.Batch].Name()+":")
			}
			said, reached = append(said, l.said...), reached && l.passed
		}
	}
	return said, reached
}

// checkDrops is Check for gates on the change of the batches latest, by their indexes.
func (t *Trend) checkDrops(latest []int, gates []gate.Drop) (said []string, reached bool) {
	reached = true
	if len(gates) == 0 {
		return nil, true
	}
	for _, i := range latest {
		b := &t.Batches[i]
		says, fault := NoBaseline(t.all, t.accepted, slices.Index(t.all, *b))
		lines, ok := []string{gate.Line(!fault, says)}, !fault
		if c := t.found[i]; c != nil {
			lines, ok = c.Check(gates)
		} else if why := b.unfinished(); why != "" && !fault {
			lines, ok = []string{gate.Line(false, why)}, false
		}
		if len(latest) > 1 {
			said = append(said, b.Name()+":")
		}
		said, reached = append(said, lines...), reached && ok
	}
	return said, reached
}

// ChooseMetrics returns the requested metrics, by default the Headline metrics with scores, and as more the other
// metrics with scores. "all" requests all with scores. Metrics of gates are always chosen.
func ChooseMetrics(there, asked []string, gates []gate.Drop) (chosen, more []string) {
	switch {
	case len(asked) == 1 && asked[0] == "all":
		chosen = slices.Clone(there)
	case len(asked) > 0:
		chosen = slices.Clone(asked)
	default:
		for _, m := range Headline {
			if slices.Contains(there, m) {
				chosen = append(chosen, m)
			}
		}
		if len(chosen) == 0 {
			chosen = slices.Clone(there)
		}
	}
	for _, g := range gates {
		if !slices.Contains(chosen, g.Metric) {
			chosen = append(chosen, g.Metric)
		}
	}
	if len(chosen) > 1 {
		sortMetrics(chosen)
	}
	for _, m := range there {
		if !slices.Contains(chosen, m) {
			more = append(more, m)
		}
	}
	sortMetrics(more)
	return chosen, more
}
