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
	Choose func(*Batch) bool // nil: all batches
	Gates  []gate.Drop       // their metrics are read, too
}

// Trend is how metrics went over the batches of agents, the oldest first.
type Trend struct {
	Batches []Batch    `json:"batches"`
	Metrics []string   `json:"metrics"`
	More    []string   `json:"more_metrics,omitempty"` // that have scores and were not asked for
	Points  []Point    `json:"points"`                 // by batch, metric and tier
	MinDrop float64    `json:"min_drop"`
	Alpha   float64    `json:"alpha"`
	Notes   []string   `json:"notes,omitempty"`
	last    Comparison // the newest batch with the one before it
	before  bool
}

// Point holds the figures of a metric for one batch, and the change from the previous batch.
type Point struct {
	Batch  int     `json:"batch"` // its place in batches, from 0
	Metric string  `json:"metric"`
	Tier   string  `json:"tier,omitempty"`
	Now    Figures `json:"figures"`
	// Before is the place of the batch that it is compared with: the one before of the same version,
	// or for the first of a version the last of another version; null if there is none.
	Before *int    `json:"before"`
	Change *Change `json:"change,omitempty"`
}

// NewTrend reads the batches one after the other; at most one batch of each version is held.
func NewTrend(ctx context.Context, src Source, set *Set, o TrendOptions) (*Trend, error) {
	batches, err := src.Batches(ctx)
	if err != nil {
		return nil, err
	}
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	held := map[int]*Answers{} // the last batch of each version
	return TrendOf(batches, there, o, func(batches []Batch, before, i int, o CompareOptions) (*Comparison, error) {
		load := o.Metrics
		if !slices.Contains(load, complexity) {
			load = append(slices.Clone(load), complexity)
		}
		now := set.Answers(batches[i])
		if err := src.Load(ctx, batches[i], load, now); err != nil {
			return nil, err
		}
		from := set.Answers(Batch{})
		if before >= 0 {
			from = held[before]
		}
		c := Compare(from, now, o)
		for j := range held { // nothing will be compared with these
			if batches[j].sameVersion(&batches[i]) {
				delete(held, j)
			}
		}
		held[i] = now
		return c, nil
	})
}

// TrendOf makes a trend of batches. compare compares batch i with an earlier one, or with no scores
// where before is below 0; it is called for each batch in the order of time, and may return nil to
// leave the batch out.
func TrendOf(batches []Batch, there []string, o TrendOptions,
	compare func(batches []Batch, before, i int, o CompareOptions) (*Comparison, error)) (*Trend, error) {
	o.CompareOptions = o.withDefaults()
	t := &Trend{MinDrop: o.MinDrop, Alpha: o.Alpha}
	for _, b := range batches {
		if o.Choose == nil || o.Choose(&b) {
			t.Batches = append(t.Batches, b)
		}
	}
	Sort(t.Batches)
	t.Metrics, t.More = ChooseMetrics(there, o.Metrics, o.Gates)
	o.Metrics = t.Metrics
	notes := map[string]bool{}
	for i := range t.Batches {
		before := Before(t.Batches, i)
		c, err := compare(t.Batches, before, i, o.CompareOptions)
		if err != nil {
			return nil, err
		}
		if c == nil { // it was left out
			continue
		}
		if t.before = before >= 0; t.before {
			t.last = *c
		}
		for k := range c.Changes {
			ch := &c.Changes[k]
			p := Point{Batch: i, Metric: ch.Metric, Tier: ch.Tier, Now: ch.To}
			if before >= 0 {
				p.Before, p.Change = &before, ch
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
			notes["some batches have other cases than the one before: changes are of the cases that both have"] = true
		}
	}
	t.note(notes)
	return t, nil
}

// Before is the place of the batch that batch i of a sorted list is compared with: the one before of
// the same version, or for the first of a version the last of another version of the agent; -1 if
// there is none.
func Before(batches []Batch, i int) int {
	other := -1
	for j := i - 1; j >= 0; j-- {
		switch b := &batches[j]; {
		case b.sameVersion(&batches[i]):
			return j
		case other < 0 && b.Agent == batches[i].Agent:
			other = j
		}
	}
	return other
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
	case n == 1:
		t.Notes = append(t.Notes, "there is one batch only: nothing to compare it with")
	}
	if undated > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %s %s no date (agent_runs.ran_at, or the date of a run): such batches come first, in the order of their names", undated, printable.Count(len(t.Batches), "batch"), printable.Verb(undated, "has", "have")))
	}
	if evaluated > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("%d of %s %s first evaluation", evaluated, printable.Count(len(t.Batches), "batch"),
				printable.Verb(evaluated, "does not say when it was answered (agent_runs.ran_at): its date is that of the",
					"do not say when they were answered (agent_runs.ran_at): their date is that of their")))
	}
	for i := range t.Batches {
		if n := t.Batches[i].unfinished(); n != "" {
			t.Notes = append(t.Notes, n)
		}
	}
	x := comparing{notes: notes}
	t.Notes = append(t.Notes, x.said()...)
}

// Latest is the comparison of the newest batch with the one before it, or nil.
func (t *Trend) Latest() *Comparison {
	if !t.before {
		return nil
	}
	return &t.last
}

// Check reports whether the newest batch reaches the gates next to the one before it, see
// [Comparison.Check]. A batch that has none before it reaches them if its run is done.
func (t *Trend) Check(gates []gate.Drop) (said []string, reached bool) {
	if latest := t.Latest(); latest != nil {
		return latest.Check(gates)
	}
	if n := len(t.Batches); n > 0 {
		if why := t.Batches[n-1].unfinished(); why != "" {
			return []string{gate.Line(false, why)}, false
		}
	}
	return []string{gate.Line(true, "there is no batch before the newest one to compare it with")}, true
}

// ChooseMetrics returns the requested metrics, by default the headline metrics that have scores; more are the
// others that have scores. "all" requests all. Metrics of gates are included.
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
		SortMetrics(chosen)
	}
	for _, m := range there {
		if !slices.Contains(chosen, m) {
			more = append(more, m)
		}
	}
	SortMetrics(more)
	return chosen, more
}
