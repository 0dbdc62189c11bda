package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
)

// CompareOptions configure a comparison. Zero fields have defaults.
type CompareOptions struct {
	Metrics []string // metrics that are compared, see [Family]; nil: all metrics that either side has
	// Shown are the metrics whose changes are returned; nil: all compared ones. It has no effect on p-values.
	Shown  []string
	ByTier bool // also compare each tier separately
	// MinDrop is the smallest change, in the unit of the metric, that is Degraded or Improved; default 0.
	MinDrop float64
	Alpha   float64 // level of the tests; default 0.05
	// Primary is the metric whose p-value is not adjusted; default: see [scoring.Primary].
	Primary string
	// SharesOnly omits the test and the interval of the mean for metrics with verdicts.
	SharesOnly bool
	Reasons    bool // [CompareSides] also sets Comparison.Reasons
	Seed       uint64
}

// Family returns the metrics to compare so that the p-values of shown do not depend on which metrics are shown: also
// the primary one, the [Headline] metrics, and all of there if one of shown is neither. there are the metrics with
// scores.
func Family(there, shown []string, primary string) []string {
	leads := func(m string) bool { return m == primary || slices.Contains(Headline, m) }
	if slices.ContainsFunc(shown, func(m string) bool { return !leads(m) }) {
		leads = func(string) bool { return true }
	}
	out := slices.Clone(shown)
	for _, m := range there {
		if leads(m) && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Select returns o with the metrics to show and to compare, and the other metrics with scores. there are the metrics
// with scores, o.Metrics those asked for, see [ChooseMetrics]. A declared primary metric is always shown.
func (o CompareOptions) Select(set *Set, there []string, gates []gate.Drop) (_ CompareOptions, more []string) {
	o.Shown, more = ChooseMetrics(there, o.Metrics, gates)
	if slices.Contains(more, o.Primary) {
		more = slices.DeleteFunc(more, func(m string) bool { return m == o.Primary })
		o.Shown = append(o.Shown, o.Primary)
		sortMetrics(o.Shown)
	}
	o.Primary = set.Primary(o.Primary, there)
	o.Metrics = Family(there, o.Shown, o.Primary)
	return o, more
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
	Chance      = "could be chance"
	Small       = "below minimum" // more than chance, but smaller than MinDrop
	Same        = "no change"     // no compared case differs
	NotCompared = "not compared"  // no case is comparable
)

// MoreThanChance is the value of Change.Chance for an adjusted p-value below Alpha. Its opposite is [Chance].
const MoreThanChance = "more than chance"

// Comparison compares two sides on the cases that both have scores of.
type Comparison struct {
	From    Batch   `json:"from"`
	To      Batch   `json:"to"`
	Shared  int     `json:"shared"` // cases with scores on both sides
	OnlyOf  [2]int  `json:"only"`   // cases with scores only on the side From, and only on the side To
	MinDrop float64 `json:"min_drop"`
	Alpha   float64 `json:"alpha"`
	Primary string  `json:"primary,omitempty"` // metric whose p-value is not adjusted
	// Baseline is why From was chosen; nil if the caller chose it.
	Baseline *Baseline `json:"baseline,omitempty"`
	Changes  []Change  `json:"changes"`
	// Reasons are why answers that pass on one side only are wrong on the other; nil unless asked for.
	Reasons *SideReasons `json:"reasons,omitempty"`
	// Spending is what the answers of both sides took; nil if it was not read, or nothing is known.
	Spending *Spending `json:"spending,omitempty"`
	Notes    []string  `json:"notes,omitempty"`

	// Main is the change of the primary metric, also if it is not shown; nil without one.
	Main *Change `json:"-"`
}

// SideReasons holds reasons of wrong answers as in [WrongReason] by case, of the side From and of the side To.
type SideReasons [2]map[string]string

// Change is the change of one metric from one side to the other.
type Change struct {
	Metric        string  `json:"metric"`
	Tier          string  `json:"tier,omitempty"` // "": all cases
	LowerIsBetter bool    `json:"lower_is_better,omitempty"`
	From          Figures `json:"from"` // over all cases of the side
	To            Figures `json:"to"`

	Shared   int `json:"shared"`   // cases with a score on both sides
	Compared int `json:"compared"` // cases of Shared that are comparable and have values
	// Unlike counts the other cases of Shared, by the reason why they are not compared.
	Unlike []Unlike `json:"unlike,omitempty"`

	// Before and After are the means over the compared cases. A missing answer counts as 0.
	Before *float64 `json:"before"`
	After  *float64 `json:"after"`
	Mean   *float64 `json:"mean_change"`
	Low    *float64 `json:"mean_low,omitempty"` // 95 % CI of the change of the mean
	High   *float64 `json:"mean_high,omitempty"`
	MeanP  *float64 `json:"mean_p"` // p-value of the change of the mean
	// P is the p-value of the change of the pass rate if the metric has verdicts, else of the mean. PAdjusted equals
	// P for the primary metric; for other rows it is adjusted for multiple tests (Holm).
	P         *float64 `json:"p"`
	PAdjusted *float64 `json:"p_adjusted"`
	Family    int      `json:"p_family,omitempty"` // number of p-values that P was adjusted among; 1: it was not
	Test      string   `json:"test,omitempty"`     // the test of P: mcnemar_exact or sign_flip

	// compared cases with a verdict or a missing answer: the denominator of the pass rates
	Rated        int      `json:"rated"`
	PassedBefore int      `json:"passed_before"`           // cases of Rated that passed on the side From
	PassedAfter  int      `json:"passed_after"`            // cases of Rated that passed on the side To
	Rate         *float64 `json:"pass_rate_change"`        // of the rated cases; a missing answer does not pass
	RateLow      *float64 `json:"pass_rate_low,omitempty"` // 95 % CI, see [agreement.PairedShares]
	RateHigh     *float64 `json:"pass_rate_high,omitempty"`
	RateP        *float64 `json:"pass_rate_p"` // p-value of McNemar's exact test
	NFixed       int      `json:"-"`           // number of cases that passed only on the side To
	NBroken      int      `json:"-"`
	Fixed        []string `json:"fixed,omitempty"` // their ids; nil if ids are unknown
	Broken       []string `json:"broken,omitempty"`
	// Lost are the cases that passed on the side From and have no value on the side To, by what they have instead. They
	// are not part of Rated, unless an answer is missing, which is counted as broken.
	Lost []Lost `json:"lost,omitempty"`
	// Gone counts the cases with a value on the side From that are not compared because the side To has none.
	Gone     int      `json:"gone,omitempty"`
	P90      *float64 `json:"p90_change"`      // of all cases of each side
	Coverage *float64 `json:"coverage_change"` // of all cases of each side

	Outcome string `json:"outcome"`
	Chance  string `json:"chance,omitempty"` // "more than chance" or "could be chance"; "" if nothing changed
}

// Drop returns by how much the pass rate, or else the mean, became worse: positive is worse, also if lower is better.
func (c *Change) Drop() float64 {
	switch {
	case c.Rate != nil:
		return -*c.Rate
	case c.Mean == nil:
		return 0
	case c.LowerIsBetter:
		return *c.Mean
	}
	return -*c.Mean
}

// Shares returns the pass rates of the rated cases on the sides From and To.
func (c *Change) Shares() (before, after float64) {
	return float64(c.PassedBefore) / float64(c.Rated), float64(c.PassedAfter) / float64(c.Rated)
}

// testShare sets the change of the pass rate and its test, which becomes the test of P.
func (c *Change) testShare() {
	rate, p := float64(c.PassedAfter-c.PassedBefore)/float64(c.Rated), agreement.McNemar(c.NFixed, c.NBroken)
	in := agreement.PairedShares(c.NFixed, c.NBroken, c.Rated, agreement.DefaultLevel)
	c.Rate, c.RateLow, c.RateHigh, c.RateP = &rate, &in.Lo, &in.Hi, &p
	c.P, c.Test = &p, mcnemar
	if c.Outcome = Chance; c.NFixed+c.NBroken == 0 {
		c.Outcome = Same
	}
}

const (
	mcnemar  = "mcnemar_exact"
	signFlip = "sign_flip"
)

// Unlike counts cases that are not compared for one reason, with the differing values on both sides.
type Unlike struct {
	Why   string `json:"why"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Cases int    `json:"cases"`
}

// Reasons why a case is not compared.
const (
	otherVersion = "metric version"
	otherConfig  = "configuration"
	otherJudge   = "judge"
	otherGold    = "golden set"
	NoValue      = "no value"
)

// String describes the reason and the number of cases.
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

// Lost counts cases that passed on the side From and have no value on the side To.
type Lost struct {
	Now   string   `json:"now"` // the name of a [Standing]: absent if the side To has no score of the case
	Cases int      `json:"cases"`
	IDs   []string `json:"ids,omitempty"` // nil if ids are unknown
}

// String describes the cases.
func (l *Lost) String() string {
	what := l.Now
	switch l.Now {
	case standings[StandAbsent]:
		what = "not in this batch"
	case standings[StandError]:
		what = "failed to be scored"
	case standings[StandNotApplicable]:
		what = "not applicable"
	case standings[StandScored]:
		what = "without a verdict"
	}
	return fmt.Sprintf("%d %s", l.Cases, what)
}

// NLost returns the number of cases that passed on the side From and have no value on the side To.
func (c *Change) NLost() (n int) {
	for i := range c.Lost {
		n += c.Lost[i].Cases
	}
	return n
}

// lost lists the lost cases by what they have instead of a value, such as 2 abstained, 1 not in this batch.
func (c *Change) lost() string {
	var parts []string
	for i := range c.Lost {
		parts = append(parts, c.Lost[i].String())
	}
	return strings.Join(parts, ", ")
}

// Compare compares the answers of two sides of the same set. The scores of each side must have been added in the
// order of time.
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
	c.Finish(from.set, x.said(), o)
	return c
}

// NewComparison returns a comparison without cases and changes. The caller adds these and calls Finish.
func NewComparison(from, to Batch, o CompareOptions) Comparison {
	o = o.withDefaults()
	return Comparison{From: from, To: to, MinDrop: o.MinDrop, Alpha: o.Alpha}
}

// Finish sorts the changes, computes adjusted p-values and outcomes, and drops the changes that are not shown. It adds
// notes about batches and cases, and those in made.
func (c *Comparison) Finish(set *Set, made []string, o CompareOptions) {
	x := comparing{CompareOptions: o.withDefaults(), set: set}
	slices.SortStableFunc(c.Changes, func(a, b Change) int { return compareMetrics(a.Metric, b.Metric) })
	c.Primary = x.decide(c.Changes)
	for i := range c.Changes {
		if ch := c.Changes[i]; ch.Metric == c.Primary && ch.Tier == "" {
			c.Main = &ch
		}
	}
	if o.Shown != nil {
		c.Changes = slices.DeleteFunc(c.Changes, func(ch Change) bool { return !slices.Contains(o.Shown, ch.Metric) })
	}
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

// tierNames returns the tiers of the cases, easiest first.
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

// said returns the notes, sorted.
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
	t := x.tally(metric, tier, x.set.figuring(metric))
	for n := range max(from.len(), to.len()) {
		if !chosen(n) {
			continue
		}
		p := x.set.pair(from.at(n), to.at(n))
		p.CaseID = x.set.caseID(n)
		t.Add(&p)
	}
	return t.Change()
}

// pair returns the pair of two scores of a case.
func (s *Set) pair(a, b entry) Pair {
	p := Pair{From: s.half(a), To: s.half(b), Cases: 1}
	if a.gold != 0 && b.gold != 0 {
		if p.Gold = Alike; a.gold != b.gold {
			p.Gold = Differs
		}
	}
	return p
}

// half returns a score as one side of a pair.
func (s *Set) half(e entry) Half {
	if e.mark == absent {
		return Half{}
	}
	m := &s.makings[e.made]
	return Half{e.mark, e.value, m.version, m.config, m.judge}
}

// test sets the change of the mean with its interval, p-value and test.
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
	var p, low, high float64
	switch {
	case binary && up+down == 0:
		c.Test, p = mcnemar, 1
	case binary:
		in := agreement.PairedShares(up, down, len(diffs), agreement.DefaultLevel)
		c.Test, p, low, high = mcnemar, agreement.McNemar(up, down), in.Lo, in.Hi
	default:
		c.Test, p = signFlip, agreement.SignFlip(diffs, x.Seed)
		low, high = agreement.MeanInterval(diffs, x.Seed)
	}
	c.Mean, c.MeanP, c.P, c.Low, c.High = &mean, &p, &p, &low, &high
	c.Outcome = Chance
	if binary && up+down == 0 {
		c.Outcome = Same
	}
}

// decide adjusts p-values and sets the outcomes, and returns the primary metric, whose p-value is not adjusted. The
// other [Headline] metrics over all tiers are one family for the adjustment, so that their p-values do not depend on
// how many further metrics a run has. All remaining metrics are a second family, and the tiers of each metric are one.
func (x *comparing) decide(changes []Change) (primary string) {
	var metrics []string
	for i := range changes {
		metrics = append(metrics, changes[i].Metric)
	}
	primary = x.set.Primary(x.Primary, metrics)
	families := map[string][]*Change{}
	for i := range changes {
		switch c := &changes[i]; {
		case c.P == nil:
		case c.Tier != "":
			families["tiers of "+c.Metric] = append(families["tiers of "+c.Metric], c)
		case c.Metric == primary:
			families[primary] = append(families[primary], c)
		case slices.Contains(Headline, c.Metric):
			families["headline"] = append(families["headline"], c)
		default:
			families["others"] = append(families["others"], c)
		}
	}
	for _, family := range families {
		p := make([]float64, len(family))
		for i, c := range family {
			p[i] = *c.P
		}
		for i, adjusted := range agreement.Holm(p) {
			family[i].Family = len(family)
			x.conclude(family[i], adjusted)
		}
	}
	return primary
}

// conclude sets the outcome of a change with the adjusted p-value p.
func (x *comparing) conclude(c *Change, p float64) {
	c.PAdjusted = &p
	switch {
	case c.Outcome == Same:
		return
	case p >= x.Alpha:
		c.Outcome, c.Chance = Chance, Chance
		return
	}
	c.Chance = MoreThanChance
	switch drop := c.Drop(); {
	case math.Abs(drop)+1e-12 < x.MinDrop:
		c.Outcome = Small
	case drop > 0:
		c.Outcome = Degraded
	default:
		c.Outcome = Improved
	}
}

func known(judge string) bool { return judge != "" && judge != UnknownJudge }

// remark adds notes about inputs of two compared scores that were not recorded: the gold, the configuration, the
// judge or the version of its model.
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
		} else if j != "" && !versioned(j) {
			x.notes[fmt.Sprintf("the judge %s does not name the version of its model: it may have changed in between", j)] = true
		}
	}
}

// versioned reports whether a judge's name has a date or month that identifies the version of its model, such as
// o3-2504 or gpt-4o-2024-08-06. It is true for recorded replies, which do not change.
func versioned(judge string) bool {
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

// values returns the values of a pair; ok is false if one is missing. A missing answer counts as 0, but if lower is
// better it has no value.
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

// Check describes for each gate whether it passes, and reports whether all do and the run of the side To is complete.
// A gate of a drop fails if the drop is at least g.Drop and more than chance by the adjusted p-value, or if it would
// be so if the cases that lost their value did not pass. A gate that counts fails if more than g.Broken cases that
// passed do not pass, for whatever reason. Both fail if the metric has no comparable scores. If the side To is an
// accepted batch that was scored again, nothing is compared and one line says so: an older baseline would hide that the
// accepted scores are gone.
func (c *Comparison) Check(gates []gate.Drop) (said []string, reached bool) {
	if b := c.Baseline; b != nil && b.Replaced != "" && len(gates) > 0 {
		return []string{gate.Line(false, b.Replaced)}, false
	}
	reached = true
	if n := c.To.unfinished(); n != "" && len(gates) > 0 {
		said, reached = append(said, gate.Line(false, n)), false
	}
	for _, g := range gates {
		i := slices.IndexFunc(c.Changes, func(ch Change) bool { return ch.Metric == g.Metric && ch.Tier == "" })
		ok, text := false, g.Metric+" has no scores to compare"
		if i >= 0 {
			ok, text = c.check(&c.Changes[i], g)
		}
		said = append(said, gate.Line(ok, text))
		reached = reached && ok
	}
	return said, reached
}

func (c *Comparison) check(ch *Change, g gate.Drop) (ok bool, text string) {
	switch {
	case g.Counts && (ch.Rate != nil || ch.NLost() > 0):
		ok, text = ch.checkBroken(g)
		return ok, text + ch.unlike()
	case ch.Mean == nil:
		text = ch.notCompared()
		if n := ch.NLost(); n > 0 {
			text += fmt.Sprintf("; %s that passed before %s no value now (%s)", printable.Count(n, "case"),
				printable.Verb(n, "has", "have"), ch.lost())
		}
		return false, text
	case g.Counts:
		return ch.checkBroken(g)
	}
	small := ch.Drop()+1e-9 < g.Drop
	ok = small || *ch.PAdjusted >= c.Alpha
	chance := cmp.Or(ch.Chance, Same) + ", p " + PValue(*ch.PAdjusted)
	if ch.Rate != nil {
		before, after := ch.Shares()
		text = fmt.Sprintf(
			"%s passed on %.1f%%, then on %.1f%% of %s (%s, %s); the gate fails at a drop of %g %s or more, if it is more than chance",
			g.Metric, 100*before, 100*after, printable.Count(ch.Rated, "shared case"), points(*ch.Rate), chance, 100*g.Drop,
			map[bool]string{true: "point", false: "points"}[100*g.Drop == 1])
		if !small && ok && agreement.McNemar(0, ch.NFixed+ch.NBroken) >= c.Alpha {
			text += fmt.Sprintf("; %s can always be chance, and --max-broken %s=N limits the number that broke",
				printable.Count(ch.NFixed+ch.NBroken, "changed case"), g.Metric)
		}
	} else {
		text = fmt.Sprintf(
			"the mean of %s went from %.4f to %.4f on %s (%s); the gate fails at a %s of %g or more, if it is more than chance",
			g.Metric, *ch.Before, *ch.After, printable.Count(ch.Compared, "shared case"), chance,
			ch.worse(), g.Drop)
	}
	enough, why := c.checkGone(ch, g)
	return ok && enough, text + why + ch.unlike()
}

// checkGone reports whether a gate on a drop also passes if the cases that lost their value are counted, with the end
// of the sentence about the gate; "" if none lost it. Of a metric with verdicts they count as not passed. Of others, at
// least half of the cases with a value on the side From must be compared.
func (c *Comparison) checkGone(ch *Change, g gate.Drop) (ok bool, text string) {
	if ch.Gone == 0 {
		return true, ""
	}
	if ch.Rate == nil {
		if of := ch.Compared + ch.Gone; 2*ch.Compared < of {
			return false, fmt.Sprintf("; too few cases are compared: %d of %d, expected at least half, since %d have no value now",
				ch.Compared, of, ch.Gone)
		}
		return true, fmt.Sprintf("; %s with a value before %s none now, and %s not compared",
			printable.Count(ch.Gone, "case"), printable.Verb(ch.Gone, "has", "have"), printable.Verb(ch.Gone, "is", "are"))
	}
	broken, of := ch.NBroken+ch.NLost(), ch.Rated+ch.Gone
	rate, p := float64(ch.NFixed-broken)/float64(of), agreement.McNemar(ch.NFixed, broken)
	ok = -rate+1e-9 < g.Drop || p >= c.Alpha
	text = fmt.Sprintf("; %s with a verdict before %s none now", printable.Count(ch.Gone, "case"),
		printable.Verb(ch.Gone, "has", "have"))
	if n := ch.NLost(); n > 0 {
		text += fmt.Sprintf(", %d of them passed (%s): counted as not passed, the change is %s on %s, p %s", n, ch.lost(),
			points(rate), printable.Count(of, "case"), PValue(p))
	}
	return ok, text
}

// unlike describes the cases whose scores cannot be compared, as the end of a sentence; "" if there are none.
func (c *Change) unlike() string {
	var parts []string
	for _, u := range c.Unlike {
		if u.Why != NoValue {
			parts = append(parts, u.String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; not compared: " + strings.Join(parts, "; ")
}

// maxBrokenNamed is the maximum number of broken cases that a gate names.
const maxBrokenNamed = 5

// checkBroken describes whether the gate on the number of cases that no longer pass is reached, and reports whether it
// is.
func (c *Change) checkBroken(g gate.Drop) (ok bool, text string) {
	lost := c.NLost()
	if c.Rate == nil && lost == 0 {
		return false, fmt.Sprintf("%s has no threshold, so no case passes or breaks", c.Metric)
	}
	n, ids := c.NBroken+lost, slices.Clone(c.Broken)
	for i := range c.Lost {
		ids = append(ids, c.Lost[i].IDs...)
	}
	text = c.Metric + ": none"
	if n > 0 {
		text = fmt.Sprintf("%s: %d", c.Metric, n)
	}
	text += fmt.Sprintf(" of the %s that passed in the baseline broke", printable.Count(c.PassedBefore+lost, "case"))
	named := slices.Clone(ids[:min(len(ids), maxBrokenNamed)])
	if more := n - len(named); len(named) > 0 && more > 0 {
		named[len(named)-1] += fmt.Sprintf(" and %d more", more)
	}
	said := strings.Join(named, ", ")
	if lost > 0 {
		said = strings.TrimPrefix(said+"; "+c.lost(), "; ")
	}
	if said != "" {
		text += " (" + said + ")"
	}
	return n <= g.Broken, fmt.Sprintf("%s, expected at most %d", text, g.Broken)
}

// notCompared describes why the metric cannot be compared.
func (c *Change) notCompared() string {
	text := c.Metric + " cannot be compared"
	for k, u := range c.Unlike {
		text += []string{": ", "; "}[min(k, 1)] + u.String()
	}
	switch {
	case len(c.Unlike) > 0:
	case c.Shared > 0:
		text += ": neither side has a value"
	default:
		text += ": the sides share no case"
	}
	return text
}

// points formats the change of a share in percentage points, such as +3.4 points.
func points(change float64) string {
	points := math.Round(1000*change) / 10
	if points == 0 {
		points = 0 // not -0
	}
	return fmt.Sprintf("%+.1f points", points)
}

// PValue formats a p-value.
func PValue(p float64) string {
	if p < 0.001 {
		return "<.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}
