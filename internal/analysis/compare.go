package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
)

// CompareOptions say how answers are compared. Zero values mean the defaults.
type CompareOptions struct {
	Metrics []string // nil: all that both sides have
	ByTier  bool     // also each tier by itself
	// MinDrop is the least drop of the mean that counts, in the unit of the metric; default 0.
	MinDrop float64
	Alpha   float64 // level of the tests; default 0.05
	Seed    uint64
}

func (o CompareOptions) withDefaults() CompareOptions {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	return o
}

// Outcomes of a comparison.
const (
	Degraded    = "degraded"
	Improved    = "improved"
	NotShown    = "not shown"     // a change may be chance
	Small       = "below minimum" // the test shows a change, which is below the minimum
	Same        = "no change"     // no case differs
	NotCompared = "not compared"  // no case may be compared
)

// Comparison compares two sides on the cases that they share.
type Comparison struct {
	From    Batch    `json:"from"`
	To      Batch    `json:"to"`
	Shared  int      `json:"shared"` // cases that both sides have scores of
	OnlyOf  [2]int   `json:"only"`   // cases that only from, or only to, has scores of
	MinDrop float64  `json:"min_drop"`
	Alpha   float64  `json:"alpha"`
	Changes []Change `json:"changes"`
	Notes   []string `json:"notes,omitempty"`
}

// Change is how a metric changed from one side to the other.
type Change struct {
	Metric        string  `json:"metric"`
	Tier          string  `json:"tier,omitempty"` // "": all cases
	LowerIsBetter bool    `json:"lower_is_better,omitempty"`
	From          Figures `json:"from"` // over all cases of the side, shared or not
	To            Figures `json:"to"`

	Shared   int `json:"shared"`   // cases that both sides have a score of
	Compared int `json:"compared"` // of them, those that the test is about
	// Unlike says why other cases that both sides have are not compared.
	Unlike []Unlike `json:"unlike,omitempty"`

	// Before and After are the means over the compared cases, where an unanswered case counts as 0.
	Before *float64 `json:"before"`
	After  *float64 `json:"after"`
	Mean   *float64 `json:"mean_change"`
	Low    *float64 `json:"mean_low,omitempty"` // 95 % interval of the change of the mean
	High   *float64 `json:"mean_high,omitempty"`
	// P is of the change of the mean, PAdjusted the same adjusted for all rows of the table (Holm).
	P         *float64 `json:"p"`
	PAdjusted *float64 `json:"p_adjusted"`
	Test      string   `json:"test,omitempty"` // mcnemar_exact or sign_flip

	Rate     *float64 `json:"pass_rate_change"` // of the compared cases; an unanswered one does not pass
	RateP    *float64 `json:"pass_rate_p"`      // McNemar's exact test
	NFixed   int      `json:"-"`                // how many cases pass now and did not
	NBroken  int      `json:"-"`
	Fixed    []string `json:"fixed,omitempty"` // which; nil if the cases are only counted
	Broken   []string `json:"broken,omitempty"`
	P90      *float64 `json:"p90_change"`      // of all cases of each side
	Coverage *float64 `json:"coverage_change"` // likewise

	Outcome string `json:"outcome"`
}

// Drop is how much worse the mean became: above 0 is worse, in both directions of metrics.
func (c *Change) Drop() float64 {
	if c.Mean == nil {
		return 0
	}
	if c.LowerIsBetter {
		return *c.Mean
	}
	return -*c.Mean
}

// Unlike counts cases that are not compared, with the reason and what it was on both sides.
type Unlike struct {
	Why   string `json:"why"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Cases int    `json:"cases"`
}

// Why cases are not compared.
const (
	otherVersion = "metric version"
	otherConfig  = "configuration"
	otherJudge   = "judge"
	otherGold    = "golden set"
	NoValue      = "no value"
)

// String describes the reason.
func (u Unlike) String() string {
	cases := printable.Count(u.Cases, "case")
	switch u.Why {
	case otherGold:
		return cases + ": the question or its accepted answer changed"
	case NoValue:
		return cases + ": abstained, failed or not applicable on a side"
	case otherConfig:
		return cases + ": the configuration of the metric changed"
	}
	return fmt.Sprintf("%s: %s %s, then %s", cases, u.Why, u.From, u.To)
}

// Compare compares two sides of a set. Each side must have been added in the order of time.
func Compare(from, to *Answers, o CompareOptions) *Comparison {
	o = o.withDefaults()
	begun := NewComparison(from.Batch, to.Batch, o)
	c := &begun
	for n := range from.set.cases.Len() {
		switch a, b := from.asked(n), to.asked(n); {
		case a && b:
			c.Shared++
		case a:
			c.OnlyOf[0]++
		case b:
			c.OnlyOf[1]++
		}
	}
	metrics := o.Metrics
	if metrics == nil {
		metrics = metricsOf(from, to)
	}
	tiers := []string{""}
	if o.ByTier {
		tiers = append(tiers, from.set.tierNames()...)
	}
	x := comparing{CompareOptions: o, set: from.set, notes: map[string]bool{}}
	for _, m := range metrics {
		for _, tier := range tiers {
			if ch := x.change(m, tier, from.series[m], to.series[m]); ch.From.Asked+ch.To.Asked > 0 {
				c.Changes = append(c.Changes, ch)
			}
		}
	}
	c.Finish(x.said(), o)
	return c
}

// NewComparison returns a comparison without counts of cases and changes, which are added before Finish.
func NewComparison(from, to Batch, o CompareOptions) Comparison {
	o = o.withDefaults()
	return Comparison{From: from, To: to, MinDrop: o.MinDrop, Alpha: o.Alpha}
}

// Finish sorts the changes for tables, decides what they show, and adds notes: those about the batches and the
// cases, and the given ones about the changes.
func (c *Comparison) Finish(made []string, o CompareOptions) {
	x := comparing{CompareOptions: o.withDefaults()}
	slices.SortStableFunc(c.Changes, func(a, b Change) int { return compareMetrics(a.Metric, b.Metric) })
	x.decide(c.Changes)
	for _, b := range []*Batch{&c.From, &c.To} {
		if n := b.unfinished(); n != "" {
			c.Notes = append(c.Notes, n)
		}
	}
	for _, n := range []struct {
		n    int
		text string
	}{{c.OnlyOf[0], "only the first side has"}, {c.OnlyOf[1], "only the second side has"}} {
		if n.n > 0 {
			c.Notes = append(c.Notes,
				fmt.Sprintf("%s %s; %s not compared", n.text, printable.Count(n.n, "case"),
					printable.Verb(n.n, "it is", "they are")))
		}
	}
	slices.Sort(made)
	c.Notes = append(c.Notes, slices.Compact(made)...)
}

// tierNames are the tiers of the cases, in their order.
func (s *Set) tierNames() []string {
	var out []string
	for n := range s.cases.Len() {
		if t := s.tier(n); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, CompareTiers)
	return out
}

type comparing struct {
	CompareOptions
	set   *Set
	notes map[string]bool
}

// said returns the notes, in a fixed order.
func (x *comparing) said() (out []string) {
	for n := range x.notes {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (x *comparing) change(metric, tier string, from, to *series) Change {
	chosen := all
	if tier != "" {
		chosen = func(n int) bool { return x.set.tier(n) == tier }
	}
	t := x.tally(metric, tier, x.set.lower(metric))
	for n := range max(from.len(), to.len()) {
		if !chosen(n) {
			continue
		}
		p := x.set.pair(from.at(n), to.at(n))
		p.id = x.set.caseID(n)
		t.Add(&p)
	}
	return t.Change()
}

// pair is two scores of a case.
func (s *Set) pair(a, b entry) Pair {
	p := Pair{From: s.half(a), To: s.half(b), Cases: 1}
	if a.gold != 0 && b.gold != 0 {
		if p.Gold = Alike; a.gold != b.gold {
			p.Gold = Differs
		}
	}
	return p
}

// half is a score as one side of a pair.
func (s *Set) half(e entry) Half {
	if e.mark == absent {
		return Half{}
	}
	m := &s.makings[e.made]
	return Half{e.mark, e.value, m.version, m.config, m.judge}
}

// test fills in the change of the mean and how sure it is.
func (x *comparing) test(c *Change, diffs []float64) {
	up, down, binary := 0, 0, true
	mean := sortedMean(diffs)
	for _, d := range diffs {
		switch d {
		case 0:
		case 1:
			up++
		case -1:
			down++
		default:
			binary = false
		}
	}
	p := 0.0
	if binary {
		c.Test, p = "mcnemar_exact", agreement.McNemar(up, down)
	} else {
		c.Test, p = "sign_flip", agreement.SignFlip(diffs, x.Seed)
	}
	low, high := agreement.MeanInterval(diffs, x.Seed)
	c.Mean, c.P, c.Low, c.High = &mean, &p, &low, &high
	c.Outcome = NotShown
	if binary && up+down == 0 {
		c.Outcome = Same
	}
}

// decide adjusts the p-values of all rows together and decides what they show.
func (x *comparing) decide(changes []Change) {
	var at []int
	var p []float64
	for i := range changes {
		if changes[i].P != nil {
			at, p = append(at, i), append(p, *changes[i].P)
		}
	}
	for k, adjusted := range agreement.Holm(p) {
		c := &changes[at[k]]
		c.PAdjusted = &adjusted
		if adjusted >= x.Alpha {
			continue
		}
		if math.Abs(*c.Mean)+1e-12 < x.MinDrop {
			c.Outcome = Small
			continue
		}
		if c.Outcome = Improved; c.Drop() > 0 {
			c.Outcome = Degraded
		}
	}
}

func known(judge string) bool { return judge != "" && judge != UnknownJudge }

// remark notes what is not known of two scores that are compared.
func (x *comparing) remark(p *Pair) {
	if p.Gold == NotKnown {
		x.notes["some scores do not say which question and accepted answer they are of: whether the golden set changed in between is not known, and they are compared as if it had not; badger run records it, so score both sides again to be sure"] = true
	}
	if p.From.config == "" || p.To.config == "" {
		x.notes["the configuration of some scores is not recorded (score files do not have it): whether it changed is not known"] = true
	}
	for _, j := range []string{p.From.judge, p.To.judge} {
		if j == UnknownJudge {
			x.notes["some scores do not record the judge that was asked: whether it changed is not known"] = true
		} else if j != "" && !Versioned(j) {
			x.notes[fmt.Sprintf("the judge %s does not name the version of its model: it may have changed in between", j)] = true
		}
	}
}

// Versioned reports whether the name of a judge says which version of a model it is, by a date or
// month, such as o3-2504 or gpt-4o-2024-08-06. Recorded replies do not change.
func Versioned(judge string) bool {
	if strings.HasPrefix(judge, "recorded:") && !strings.Contains(judge, ", ") {
		return true
	}
	digits := 0
	for _, r := range strings.ReplaceAll(judge, "-", "") {
		if r >= '0' && r <= '9' {
			if digits++; digits >= 4 {
				return true
			}
			continue
		}
		digits = 0
	}
	return false
}

// values returns the values of a pair. A missing answer counts as 0 if the other side has a value. If lower is
// better, it has no value.
func values(a, b *Half, lower bool) (v, w float64, ok bool) {
	as, bs := a.mark.status(), b.mark.status()
	if as == unanswered && bs == unanswered {
		return 0, 0, !lower
	}
	has := func(s mark) bool { return s == scored || s == unanswered && !lower }
	if !has(as) || !has(bs) {
		return 0, 0, false
	}
	if as == scored {
		v = a.value
	}
	if bs == scored {
		w = b.value
	}
	return v, w, true
}

func difference(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := *b - *a
	return &d
}

// Check reports whether a gate passes, and describes why. A drop counts if it is at least that of the gate and the
// test shows it; the p-values are adjusted for the gates, not for other rows. A metric without comparable scores
// fails its gate, and so does a newer side whose run is not complete.
func (c *Comparison) Check(gates []gate.Drop) (said []string, reached bool) {
	reached = true
	if n := c.To.unfinished(); n != "" && len(gates) > 0 {
		said, reached = append(said, gate.Line(false, n)), false
	}
	rows := make([]*Change, len(gates))
	var p []float64
	for i, g := range gates {
		for k := range c.Changes {
			if ch := &c.Changes[k]; ch.Metric == g.Metric && ch.Tier == "" {
				rows[i] = ch
			}
		}
		q := 1.0
		if rows[i] != nil && rows[i].P != nil {
			q = *rows[i].P
		}
		p = append(p, q)
	}
	adjusted := agreement.Holm(p)
	for i, g := range gates {
		ch := rows[i]
		ok, text := false, ""
		switch {
		case ch == nil:
			text = g.Metric + " has no scores to compare"
		case ch.Mean == nil:
			text = g.Metric + " cannot be compared"
			for k, u := range ch.Unlike {
				text += []string{": ", "; "}[min(k, 1)] + u.String()
			}
			if len(ch.Unlike) == 0 {
				text += ": the sides share no case"
			}
		default:
			ok = ch.Drop()+1e-9 < g.Drop || adjusted[i] >= c.Alpha
			text = fmt.Sprintf("%s went from %.4f to %.4f on %s (p = %s), expected no drop of %g or more at p < %g",
				g.Metric, *ch.Before, *ch.After, printable.Count(ch.Compared, "shared case"), PValue(adjusted[i]), g.Drop, c.Alpha)
		}
		said = append(said, gate.Line(ok, text))
		reached = reached && ok
	}
	return said, reached
}

// PValue writes a p-value.
func PValue(p float64) string {
	if p < 0.001 {
		return "<.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}
