package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Half is the score of a case on one side of a comparison. The zero value means no score.
type Half struct {
	mark    mark
	value   float64
	version int
	config  string
	judge   string
}

// HalfOf returns a score as one side of a pair.
func HalfOf(s *Score) Half {
	return Half{markOf(s), s.Value, s.MetricVersion, s.Config, s.Judge}
}

// Likeness is the result of comparing something on both sides: unknown, equal or different.
type Likeness int8

// The values of Likeness.
const (
	NotKnown Likeness = iota
	Alike
	Differs
)

// Pair is a number of cases with the same two scores.
type Pair struct {
	From, To Half
	Gold     Likeness // of the questions and gold queries on both sides
	Reasons  Likeness // of the Reason of both scores
	Cases    int
	CaseID   string // if Cases is 1 and the id is known
}

// Tally accumulates the pairs of one metric. Their order does not matter.
type Tally struct {
	x      *comparing
	change Change

	from, to               figuring
	diffs, befores, afters []float64
	unlike                 map[Unlike]int
	rated                  int // compared cases with a verdict, or with one verdict and a missing answer
	silent                 int // compared cases with a missing answer on both sides
	passedFrom, passedTo   int
	broken, fixed          int
	transitions            map[[2]Standing]*Transition
	lost                   map[Standing]*Lost
	gone                   int // cases with a value on the side From and none on the side To, though comparable
}

// NewTally returns an empty tally for a metric.
func (s *Set) NewTally(metric string, o CompareOptions) *Tally {
	return (&comparing{CompareOptions: o.withDefaults(), notes: map[string]bool{}}).tally(metric, "", s.figuring(metric))
}

func (x *comparing) tally(metric, tier string, of figuring) *Tally {
	lower := of.lower
	return &Tally{
		x: x, from: of, to: of,
		change: Change{Metric: metric, Tier: tier, LowerIsBetter: lower, Outcome: NotCompared},
		unlike: map[Unlike]int{}, transitions: map[[2]Standing]*Transition{}, lost: map[Standing]*Lost{},
	}
}

// Add adds the cases of a pair.
func (t *Tally) Add(p *Pair) {
	a, b, c := &p.From, &p.To, &t.change
	t.from.add(a.mark, a.value, p.Cases)
	t.to.add(b.mark, b.value, p.Cases)
	t.move(p)
	if a.mark == absent || b.mark == absent {
		t.lose(p)
		return
	}
	c.Shared += p.Cases
	if u, ok := unlikePair(p); ok {
		t.unlike[u] += p.Cases
		return
	}
	v, w, ok := values(a, b, c.LowerIsBetter)
	if !ok {
		t.unlike[Unlike{Why: NoValue}] += p.Cases
		t.lose(p)
		return
	}
	t.x.remark(p)
	for range p.Cases {
		t.befores, t.afters, t.diffs = append(t.befores, v), append(t.afters, w), append(t.diffs, w-v)
	}
	judged := func(m mark) bool { return m.judged() || m.status() == unanswered }
	switch {
	case !a.mark.judged() && !b.mark.judged() && judged(a.mark) && judged(b.mark):
		t.silent += p.Cases
		return
	case !judged(a.mark) || !judged(b.mark):
		t.lose(p)
		return
	}
	t.rated += p.Cases
	if a.mark.passed() {
		t.passedFrom += p.Cases
	}
	if b.mark.passed() {
		t.passedTo += p.Cases
	}
	switch {
	case a.mark.passed() && !b.mark.passed():
		t.broken += p.Cases
		if p.CaseID != "" {
			c.Broken = append(c.Broken, p.CaseID)
		}
	case !a.mark.passed() && b.mark.passed():
		t.fixed += p.Cases
		if p.CaseID != "" {
			c.Fixed = append(c.Fixed, p.CaseID)
		}
	}
}

// lose counts the cases of a pair that have a value on the side From, and on the side To none or no verdict.
func (t *Tally) lose(p *Pair) {
	if p.From.mark.status() != scored || p.To.mark.judged() {
		return
	}
	now := p.To.mark.standing()
	if now != StandScored {
		t.gone += p.Cases
	}
	if !p.From.mark.passed() {
		return
	}
	l := t.lost[now]
	if l == nil {
		l = &Lost{Now: now.String()}
		t.lost[now] = l
	}
	l.Cases += p.Cases
	if p.CaseID != "" {
		l.IDs = append(l.IDs, p.CaseID)
	}
}

// Change returns the change of the metric. Its p-value is not adjusted before [Comparison.Finish].
func (t *Tally) Change() Change {
	c := t.change
	rated := t.from.rated || t.from.f.Judged+t.to.f.Judged > 0
	t.from.rated, t.to.rated = rated, rated
	c.From, c.To = t.from.figures(), t.to.figures()
	c.P90, c.Coverage = difference(c.From.P90, c.To.P90), difference(c.From.Coverage, c.To.Coverage)
	slices.SortFunc(c.Broken, printable.CompareNatural)
	slices.SortFunc(c.Fixed, printable.CompareNatural)
	for u, n := range t.unlike {
		u.Cases = n
		c.Unlike = append(c.Unlike, u)
	}
	slices.SortFunc(c.Unlike, func(a, b Unlike) int {
		return cmp.Or(cmp.Compare(a.Why, b.Why), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for _, now := range slices.Sorted(maps.Keys(t.lost)) {
		slices.SortFunc(t.lost[now].IDs, printable.CompareNatural)
		c.Lost = append(c.Lost, *t.lost[now])
	}
	c.Gone = t.gone
	if len(t.diffs) == 0 || c.From.Scored+c.To.Scored == 0 && !rated {
		return c
	}
	c.Compared = len(t.diffs)
	before, after := sortedMean(t.befores), sortedMean(t.afters)
	c.Before, c.After = &before, &after
	if rated = t.rated > 0 || rated && t.silent > 0; !rated || !t.x.SharesOnly {
		t.x.test(&c, t.diffs)
	} else {
		mean := after - before
		c.Mean = &mean
	}
	// For a metric with verdicts, a case without an answer on both sides passes on neither, as it counts as 0 in the
	// means.
	if rated {
		c.Rated, c.PassedBefore, c.PassedAfter, c.NFixed, c.NBroken = t.rated+t.silent, t.passedFrom, t.passedTo, t.fixed,
			t.broken
		c.testShare()
	}
	return c
}

// Notes returns notes about inputs of the compared scores that were not recorded, sorted.
func (t *Tally) Notes() []string { return t.x.said() }

// Metric returns the metric of the tally.
func (t *Tally) Metric() string { return t.change.Metric }

// Standing is the outcome of a case by one metric.
type Standing int8

// The standings, the best first.
const (
	StandPassed Standing = iota
	StandFailed
	StandScored // a value without a verdict
	StandAbstained
	StandNotApplicable
	StandUnanswered
	StandError
	StandAbsent
)

// standings are the names of the standings in addresses and tables.
var standings = []string{"passed", "failed", "no_verdict", "abstained", "not_applicable", "unanswered", "error",
	"absent"}

// String returns the name: passed, failed, no_verdict, abstained, not_applicable, unanswered, error or absent.
func (s Standing) String() string { return standings[s] }

// Status returns the status of a score with this standing; "" for StandAbsent.
func (s Standing) Status() scoring.Status {
	switch s {
	case StandPassed, StandFailed, StandScored:
		return scoring.StatusOK
	case StandAbstained:
		return scoring.StatusAbstained
	case StandNotApplicable, StandUnanswered:
		return scoring.StatusNotApplicable
	case StandAbsent:
		return ""
	}
	return scoring.StatusFailed
}

// StandingNamed returns the standing with a name; ok is false for an unknown name.
func StandingNamed(name string) (Standing, bool) {
	i := slices.Index(standings, name)
	return Standing(i), i >= 0
}

func (m mark) standing() Standing {
	switch m.status() {
	case absent:
		return StandAbsent
	case abstained:
		return StandAbstained
	case notApplicable:
		return StandNotApplicable
	case unanswered:
		return StandUnanswered
	case scored:
		switch {
		case m.passed():
			return StandPassed
		case m.judged():
			return StandFailed
		}
		return StandScored
	}
	return StandError
}

// Transition counts the cases with one standing on the side From and one on the side To.
type Transition struct {
	From, To    Standing
	Cases       int
	OtherReason int // cases of Cases whose Reason differs
}

func (t *Tally) move(p *Pair) {
	key := [2]Standing{p.From.mark.standing(), p.To.mark.standing()}
	if key[0] == StandAbsent && key[1] == StandAbsent {
		return
	}
	m := t.transitions[key]
	if m == nil {
		m = &Transition{From: key[0], To: key[1]}
		t.transitions[key] = m
	}
	m.Cases += p.Cases
	if p.Reasons == Differs {
		m.OtherReason += p.Cases
	}
}

// Transitions returns the transitions that occur, ordered by From and To. They cover all cases with a score on either
// side.
func (t *Tally) Transitions() []Transition {
	var out []Transition
	for _, m := range t.transitions {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Transition) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return out
}

// unlikePair returns why the scores of a pair are not comparable; ok is false if they are comparable.
func unlikePair(p *Pair) (Unlike, bool) {
	a, b := &p.From, &p.To
	switch {
	case p.Gold == Differs:
		return Unlike{Why: otherGold}, true
	case a.version != b.version:
		return Unlike{Why: otherVersion, From: strconv.Itoa(a.version), To: strconv.Itoa(b.version)}, true
	case a.config != b.config && a.config != "" && b.config != "":
		return Unlike{Why: otherConfig}, true
	case a.judge != b.judge && known(a.judge) && known(b.judge):
		return Unlike{Why: otherJudge, From: a.judge, To: b.judge}, true
	}
	return Unlike{}, false
}
