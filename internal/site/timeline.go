package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// moment is a batch of an agent with the latest run that scored it.
type moment struct {
	Of  analysis.Batch
	Run store.Run // its ID is "" if the latest run is not among the recent ones
}

// timeline holds the batches of all agents, sorted by time.
type timeline struct {
	moments  []moment
	daily    map[string]bool // agents whose batches are about a day apart
	accepted *acceptances
}

// acceptances are the batches that can be baselines. Most pages compare nothing, so they are read when a page first
// needs them.
type acceptances struct {
	read func(context.Context) (analysis.Accepted, error)

	mu    sync.Mutex
	there bool
	of    analysis.Accepted
}

func (a *acceptances) get(ctx context.Context) (analysis.Accepted, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.there {
		of, err := a.read(ctx)
		if err != nil {
			return nil, err
		}
		a.of, a.there = of, true
	}
	return a.of, nil
}

// timelines caches the timeline of a warehouse until its recent runs change.
type timelines struct {
	mu   sync.Mutex
	key  string
	last *timeline
}

type sharedKey struct{}

// readOnce is what the parts of a page share, and the pages of a static report.
type readOnce struct {
	mu sync.Mutex
	t  *timeline // nil until it is needed

	reading sync.Mutex
	pages   *store.Pages // nil until it is needed
}

// sharing returns a context in which the timeline, and the columns of the users' tables, are read only once.
func sharing(ctx context.Context) context.Context {
	if ctx.Value(sharedKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, sharedKey{}, &readOnce{})
}

func onceIn(ctx context.Context) *readOnce {
	of, _ := ctx.Value(sharedKey{}).(*readOnce)
	return of
}

// timeline returns the batches that have scores, from the context if it shares them.
func (s *Site) timeline(ctx context.Context) (*timeline, error) {
	of := onceIn(ctx)
	if of == nil {
		return s.readTimeline(ctx)
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.t == nil {
		t, err := s.readTimeline(ctx)
		if err != nil {
			return nil, err
		}
		of.t = t
	}
	t := *of.t
	return &t, nil
}

// readTimeline reads the batches that have scores. They are read again when the recent runs change, and when one that
// is running has written scores.
func (s *Site) readTimeline(ctx context.Context) (*timeline, error) {
	recent, err := s.recentRuns(ctx)
	if err != nil {
		return nil, err
	}
	var key strings.Builder
	for i := range recent {
		fmt.Fprintf(&key, "%#v %s %s\n", recent[i].RunID, recent[i].Status, recent[i].Started)
	}
	src, err := s.scores()
	if err != nil {
		return nil, err
	}
	accepted, err := src.Accepted(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&key, "%v\n", accepted)
	var running []string
	for i := range recent {
		if recent[i].Status == "running" && !slices.Contains(running, recent[i].ID) {
			running = append(running, recent[i].ID)
		}
	}
	if len(running) > 0 {
		written, err := s.o.Warehouse.Written(ctx, running)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&key, "%v\n", written)
	}
	s.times.mu.Lock()
	defer s.times.mu.Unlock()
	if s.times.last == nil || s.times.key != key.String() {
		batches, err := src.Batches(ctx)
		if err != nil {
			return nil, err
		}
		s.times.key, s.times.last = key.String(), s.newTimeline(batches, recent, accepted)
		s.times.last.accepted = &acceptances{read: func(ctx context.Context) (analysis.Accepted, error) {
			return analysis.AcceptedFrom(ctx, src, analysis.NewSet(s.o.Metrics), batches, s.o.Primary)
		}}
	}
	t := *s.times.last
	return &t, nil
}

// newTimeline returns the timeline of batches. recent are runs from new to old. Of several runs of a batch it takes the
// newest of those with the most important primary metric, as a later run may have added other metrics.
func (s *Site) newTimeline(batches []analysis.Batch, recent []store.Run, accepted analysis.Accepted) *timeline {
	t := &timeline{daily: map[string]bool{}}
	accepted.Sort(batches)
	latest := map[scoring.By]store.Run{}
	primary := map[scoring.By]string{}
	for i := range recent {
		r, p := &recent[i], s.primary(recent[i].Metrics())
		if last, there := primary[r.By]; !there || p != last && s.primary([]string{p, last}) == p {
			latest[r.By], primary[r.By] = *r, p
		}
	}
	steps, before := map[string][]time.Duration{}, map[string]time.Time{}
	for _, b := range batches {
		m := moment{Of: b, Run: latest[b.By]}
		m.Run.By = b.By
		t.moments = append(t.moments, m)
		if b.At.IsZero() {
			continue
		}
		if last := before[b.Agent]; !last.IsZero() {
			steps[b.Agent] = append(steps[b.Agent], b.At.Sub(last))
		}
		before[b.Agent] = b.At
	}
	for agent, of := range steps {
		slices.Sort(of)
		middle := of[len(of)/2]
		t.daily[agent] = len(of) >= 2 && middle >= 20*time.Hour && middle <= 28*time.Hour
	}
	return t
}

// ofAgent returns the batches of an agent, the oldest first.
func (t *timeline) ofAgent(agent string) (out []moment) {
	for _, m := range t.moments {
		if m.Of.Agent == agent {
			out = append(out, m)
		}
	}
	return out
}

// at returns the batch that a run scored, with that run, or nil if it has no scores.
func (t *timeline) at(run scoring.RunID) *moment {
	i := slices.IndexFunc(t.moments, func(m moment) bool { return m.Of.By == run.By })
	if i < 0 {
		return nil
	}
	m := t.moments[i]
	m.Run.RunID = run
	return &m
}

// noun returns the word for a batch of an agent: "night" if its batches are about a day apart, else "batch".
func (t *timeline) noun(agent string) string {
	if t.daily[agent] {
		return "night"
	}
	return "batch"
}

// called returns the name of a batch with the word batch before it, or of a night, whose name is its date.
func (t *timeline) called(m *moment) string {
	if t.daily[m.Of.Agent] {
		return t.name(m)
	}
	return "batch " + t.name(m)
}

// day formats the date of a batch: Mon 23 Nov.
func day(at time.Time) string { return at.UTC().Format("Mon 2 Jan") }

// name returns the display name of a batch: its date if batches are daily, else its ID, its version or its run.
func (t *timeline) name(m *moment) string {
	if t.daily[m.Of.Agent] && !m.Of.At.IsZero() {
		return day(m.Of.At)
	}
	return cmp.Or(m.Of.Batch, m.Of.Version, m.Run.ID, analysis.NoName)
}

// weekday returns a short name of batch m for a sentence about m and other: the day of the week if daily batches are
// less than a week apart, else the date or the name.
func (t *timeline) weekday(m, other *moment) string {
	if !t.daily[m.Of.Agent] || m.Of.At.IsZero() {
		return t.name(m)
	}
	if apart := m.Of.At.Sub(other.Of.At).Abs(); apart < 7*24*time.Hour {
		return m.Of.At.UTC().Format("Monday")
	}
	return day(m.Of.At)
}

// newest returns the run of the newest batch with a known run, of any agent, or nil.
func (t *timeline) newest() *scoring.RunID {
	for i := len(t.moments) - 1; i >= 0; i-- {
		if m := &t.moments[i]; m.Run.ID != "" {
			return &m.Run.RunID
		}
	}
	return nil
}

// stepper is the links from the batch of a page to the ones before and after it.
type stepper struct {
	Text, Before, BeforeText, After, AfterText string
}

// stepOf returns the links from page p about a run to the batches before and after it, or nil if the run has no batch
// in the timeline.
func (t *timeline) stepOf(p *page, run scoring.RunID) *stepper {
	of := t.ofAgent(run.Agent)
	at := slices.IndexFunc(of, func(m moment) bool { return m.Of.By == run.By })
	if at < 0 {
		return nil
	}
	out := &stepper{Text: t.name(&of[at])}
	for _, side := range []struct {
		at            int
		address, text *string
	}{{at - 1, &out.Before, &out.BeforeText}, {at + 1, &out.After, &out.AfterText}} {
		if side.at >= 0 && side.at < len(of) && of[side.at].Run.ID != "" {
			*side.address, *side.text = addressOf(p, &of[side.at].Run.RunID), t.name(&of[side.at])
		}
	}
	return out
}
