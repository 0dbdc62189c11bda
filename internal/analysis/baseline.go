package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Acceptance is the acceptance of a batch as a baseline: by whom, when and why.
type Acceptance struct {
	scoring.By
	Who  string    `json:"accepted_by"`
	When time.Time `json:"accepted_at,omitzero"`
	Note string    `json:"note,omitempty"`

	worse string // not "": the batch is not accepted, and is worse than its own baseline by this much
}

// Accepted holds the acceptances by batch, and the batches that [AcceptedFrom] found worse than their baseline.
type Accepted map[scoring.By]Acceptance

// of returns the acceptance of a batch.
func (a Accepted) of(by scoring.By) (Acceptance, bool) {
	one, is := a[by]
	return one, is && one.worse == ""
}

// judge returns a with the first complete batches of versions that are worse than their own baseline, by the primary
// metric and more than chance. Such a batch becomes a baseline only if it is accepted. batches are all batches, sorted
// by time.
func (a Accepted) judge(ctx context.Context, src Source, set *Set, batches []Batch, primary string) (Accepted, error) {
	out := maps.Clone(a)
	if out == nil {
		out = Accepted{}
	}
	if primary == "" {
		return out, nil
	}
	for i := range batches {
		b := &batches[i]
		later := func(o Batch) bool { return o.Agent == b.Agent }
		if _, is := a.of(b.By); is || b.Unfinished != "" || firstComplete(batches, b) != i ||
			!slices.ContainsFunc(batches[i+1:], later) { // nothing is compared with it
			continue
		}
		_, base := BaselineOf(batches, out, i)
		if base == nil {
			continue
		}
		c, err := base.Compare(ctx, src, set, *b, primary)
		if err != nil {
			return nil, err
		}
		if c.Main != nil && c.Main.Outcome == Degraded {
			out[b.By] = Acceptance{By: b.By, worse: c.Main.dropped()}
		}
	}
	return out, nil
}

// AcceptedFrom returns the acceptances of src, and the first complete batches of versions that are worse
// than their own baseline by the declared primary metric, or the default one. batches are all batches, in any order.
func AcceptedFrom(ctx context.Context, src Source, set *Set, batches []Batch, declared string) (Accepted, error) {
	a, err := src.Accepted(ctx)
	if err != nil {
		return nil, err
	}
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	batches = slices.Clone(batches)
	a.Sort(batches)
	return a.judge(ctx, src, set, batches, set.Primary(declared, there))
}

// comparer is a source that compares two batches faster than by loading them.
type comparer interface {
	CompareBatches(ctx context.Context, set *Set, from, to Batch, o CompareOptions) (*Comparison, error)
}

// Compare compares a batch with its baseline by the primary metric.
func (b *Baseline) Compare(ctx context.Context, src Source, set *Set, to Batch,
	primary string) (c *Comparison, err error) {
	o := CompareOptions{Metrics: []string{primary}, Primary: primary}
	if fast, is := src.(comparer); is {
		c, err = fast.CompareBatches(ctx, set, b.Batch, to, o)
	} else {
		c, err = CompareSides(ctx, src, set, []Batch{b.Batch}, []Batch{to}, o)
	}
	if err != nil {
		return nil, err
	}
	c.Baseline = b
	return c, nil
}

// dropped formats the size of a drop, such as 36.4 points.
func (c *Change) dropped() string {
	if c.Rate != nil {
		return fmt.Sprintf("%.1f points", 100*c.Drop())
	}
	return fmt.Sprintf("%.3f", c.Drop())
}

// Reasons why a batch is the baseline of another.
const (
	BaselineAccepted = "accepted"               // the agent's last accepted batch before the other
	BaselineFirst    = "first_of_version"       // no batch is accepted: the first complete batch of the version
	baselineBefore   = "first_of_other_version" // it is the first complete batch of the version before
	// BaselineKept means the baseline of the first complete batch of the version, which is worse and not accepted.
	BaselineKept = "kept"
)

// Baseline is the batch that another batch is compared with, and why.
type Baseline struct {
	Batch    Batch       `json:"batch"`
	Why      string      `json:"why"`
	Accepted *Acceptance `json:"accepted,omitempty"`
	Batches  int         `json:"batches"` // distance in batches of the agent; 1: it is the one before
	// ScoredAgain is when a score of the accepted baseline was stored last, if that was after its acceptance: the figures
	// are then not those that were accepted.
	ScoredAgain *time.Time `json:"scored_again_at,omitempty"`
	// Replaced says that the other batch is accepted itself and was scored again after that; "" if it was not. Gates
	// then fail, see [Accepted.Replaced].
	Replaced string `json:"replaced,omitempty"`
	// AcceptedLater reports that no batch before the other is accepted, but the other itself or a later one is.
	AcceptedLater bool `json:"accepted_later,omitempty"`
	// Passed is the first complete batch of the version, or of the version before, that is not the baseline because it is
	// worse than this one, and not accepted; nil if there is none.
	Passed *Batch `json:"passed_over,omitempty"`
	// WorseBy describes by how much Passed is worse, such as 36.4 points.
	WorseBy string `json:"passed_over_worse_by,omitempty"`
	// WithoutScores are the agent's accepted batches that have no scores, so that they cannot be a baseline.
	WithoutScores []Acceptance `json:"accepted_without_scores,omitempty"`
	// Age is the time from the baseline to the other; 0 if one of them has no date.
	Age time.Duration `json:"-"`
	// Days is Age in whole days; null if unknown.
	Days *int `json:"days"`
}

// BaselineOf returns the baseline of batch i of a list of all batches, sorted by time, and its index: the last accepted
// batch of the agent before i. If there is none, it is the first complete batch of the version before i, or else of the
// version before; if that one is worse than its own baseline, see [AcceptedFrom], it is the baseline of that one. The
// index is -1 if there is no such batch, see [NoBaseline]. Which batch is before another, and which version, is
// decided by the dates of batches, never by the names of versions. batches are sorted by [Accepted.Sort].
func BaselineOf(batches []Batch, accepted Accepted, i int) (at int, b *Baseline) {
	if at, b = baselineOf(batches, accepted, i); b != nil && len(accepted) > 0 {
		b.accept(batches, accepted, i)
	}
	return at, b
}

// NoBaseline describes in a sentence why batch i of a list of all batches, sorted by [Accepted.Sort], has no baseline.
// fault reports whether a batch of the agent is accepted all the same, so that a gate on the change has nothing to rest
// on although there is a baseline. That the batch itself was accepted is a fault only if it was replaced.
func NoBaseline(batches []Batch, accepted Accepted, i int) (says string, fault bool) {
	of := &batches[i]
	if says, yes := accepted.Replaced(of); yes {
		return says, true
	}
	none := of.called() + " has no baseline: "
	var later *Batch
	for j := range batches {
		b := &batches[j]
		_, is := accepted.of(b.By)
		switch {
		case !is || b.Agent != of.Agent:
		case j == i:
			return of.called() + " is the accepted batch itself, and none precedes it, so nothing is compared", false
		default:
			later = b
		}
	}
	if later != nil {
		return none + fmt.Sprintf("%s is accepted, but of a later date (%s, this batch %s); compare them with "+
			"badger compare --from-batch %s --to-batch %s, or accept an earlier batch", later.Name(), timeOf(later), timeOf(of),
			printable.Shell(cmp.Or(later.Batch, "''")), printable.Shell(cmp.Or(of.Batch, "''"))), true
	}
	for by, a := range accepted {
		if a.worse == "" && by.Agent == of.Agent {
			return none + fmt.Sprintf("%s is accepted, but its scores are not in this database; score it again, accept another batch, "+
				"or withdraw it with badger accept --withdraw", a.name()), true
		}
	}
	return none + "no complete batch precedes it, and none is accepted", false
}

// Replaced reports whether a batch was accepted and scored again after that, and then describes it in a sentence. What
// was accepted are the scores that the batch had at that time: a score that is stored later replaces them, whether a
// new run or a resumed one stores it.
func (a Accepted) Replaced(b *Batch) (says string, yes bool) {
	one, is := a.of(b.By)
	if !is || !b.Changed.After(one.When) {
		return "", false
	}
	return fmt.Sprintf("%s was accepted on %s and scored again on %s, so the scores that were accepted are "+
		"replaced; give changed answers another batch (--batch of badger import, agent.batch_id of a case file), or accept "+
		"this batch again", b.called(), minute(one.When), minute(b.Changed)), true
}

// called returns the batch's name as the subject of a sentence.
func (b *Batch) called() string {
	name := b.Name()
	if rest, ok := strings.CutPrefix(name, NoName); ok {
		return "the agent without a name" + rest
	}
	return name
}

// minute formats a time for messages.
func minute(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04") }

// timeOf formats the time of a batch.
func timeOf(b *Batch) string {
	if b.At.IsZero() {
		return "without a date"
	}
	return minute(b.At)
}

// accept sets AcceptedLater, WithoutScores, ScoredAgain and Replaced of the baseline of batch i.
func (b *Baseline) accept(batches []Batch, accepted Accepted, i int) {
	if _, yes := accepted.Replaced(&b.Batch); yes {
		b.ScoredAgain = &b.Batch.Changed
	}
	b.Replaced, _ = accepted.Replaced(&batches[i])
	found := map[scoring.By]bool{}
	for j := range batches {
		if _, is := accepted.of(batches[j].By); is && batches[j].Agent == batches[i].Agent {
			found[batches[j].By] = true
			b.AcceptedLater = b.AcceptedLater || j >= i && b.Why != BaselineAccepted
		}
	}
	for by, a := range accepted {
		if a.worse == "" && by.Agent == batches[i].Agent && !found[by] {
			b.WithoutScores = append(b.WithoutScores, a)
		}
	}
	slices.SortFunc(b.WithoutScores, func(x, y Acceptance) int { return strings.Compare(x.name(), y.name()) })
}

// name returns the name of the accepted batch.
func (a *Acceptance) name() string { return (&Batch{By: a.By}).Name() }

// Unaccepted describes why no accepted batch is the baseline; "" if one is.
func (b *Baseline) Unaccepted() string {
	switch {
	case b.Why == BaselineAccepted:
		return ""
	case b.AcceptedLater:
		return "no earlier batch has been accepted"
	}
	return "no batch has been accepted"
}

// Again says that the accepted baseline was scored again after its acceptance; "" if it was not.
func (b *Baseline) Again() string {
	if b.ScoredAgain == nil {
		return ""
	}
	return "scored again on " + minute(*b.ScoredAgain) + ", after it was accepted: its figures are of the latest scores"
}

// NotScored names the accepted batches of the agent that have no scores; "" if there are none.
func (b *Baseline) NotScored() string {
	if len(b.WithoutScores) == 0 {
		return ""
	}
	names := make([]string, len(b.WithoutScores))
	for i := range b.WithoutScores {
		names[i] = b.WithoutScores[i].name()
	}
	return "accepted, but without scores: " + printable.List(names)
}

func baselineOf(batches []Batch, accepted Accepted, i int) (at int, b *Baseline) {
	of := &batches[i]
	for j := i - 1; j >= 0; j-- {
		if a, is := accepted.of(batches[j].By); is && batches[j].Agent == of.Agent {
			return j, baseline(batches, j, i, BaselineAccepted, &a)
		}
	}
	if j := firstComplete(batches[:i], of); j >= 0 {
		return first(batches, accepted, j, i, BaselineFirst)
	}
	for k := i - 1; k >= 0; k-- {
		if other := &batches[k]; other.Agent == of.Agent && !other.sameVersion(of) {
			if j := firstComplete(batches[:i], other); j >= 0 {
				return first(batches, accepted, j, i, baselineBefore)
			}
		}
	}
	return -1, nil
}

// first returns batch j, the first complete one of a version, as the baseline of batch i, or else the baseline of j if
// j is worse than that.
func first(batches []Batch, accepted Accepted, j, i int, why string) (int, *Baseline) {
	worse := accepted[batches[j].By].worse
	at, kept := -1, (*Baseline)(nil)
	if worse != "" {
		at, kept = baselineOf(batches, accepted, j)
	}
	if kept == nil {
		return j, baseline(batches, j, i, why, nil)
	}
	b := baseline(batches, at, i, BaselineKept, kept.Accepted)
	b.Passed, b.WorseBy = &batches[j], worse
	return at, b
}

// firstComplete returns the index of the first complete batch of the same version as of, or -1.
func firstComplete(batches []Batch, of *Batch) int {
	for j := range batches {
		if batches[j].sameVersion(of) && batches[j].Unfinished == "" {
			return j
		}
	}
	return -1
}

func baseline(batches []Batch, at, i int, why string, a *Acceptance) *Baseline {
	b := &Baseline{Batch: batches[at], Why: why, Accepted: a}
	for j := at + 1; j <= i; j++ {
		if batches[j].Agent == batches[i].Agent {
			b.Batches++
		}
	}
	if from, to := batches[at].At, batches[i].At; !from.IsZero() && !to.IsZero() {
		b.Age = to.Sub(from)
		days := int(b.Age.Hours()) / 24
		b.Days = &days
	}
	return b
}

// String describes the baseline: its name, its age and why it was chosen.
func (b *Baseline) String() string {
	text := b.Batch.Name()
	if b.Days != nil && *b.Days > 0 {
		text += fmt.Sprintf(" (%s, %s before)", Day(b.Batch.At), printable.Count(*b.Days, "day"))
	} else if b.Days != nil && b.Age == 0 {
		text += fmt.Sprintf(" (%s, the same time)", Day(b.Batch.At))
	} else {
		text += fmt.Sprintf(" (%s before)", printable.Count(b.Batches, "batch"))
	}
	switch b.Why {
	case BaselineAccepted:
		if text += ", accepted"; b.Accepted.Who != "" {
			text += " by " + b.Accepted.Who
		}
		if !b.Accepted.When.IsZero() {
			text += " on " + Day(b.Accepted.When)
		}
		if b.Accepted.Note != "" {
			text += ": " + b.Accepted.Note
		}
	case BaselineKept:
		text += fmt.Sprintf(", kept until a batch is accepted: %s is %s worse, so it does not become a baseline by itself",
			b.Passed.Name(), b.WorseBy)
	case baselineBefore:
		text += ", the first complete batch of the version before; " + b.Unaccepted()
	default:
		text += ", the first complete batch of this version; " + b.Unaccepted()
	}
	for _, more := range []string{b.Again(), b.NotScored(), b.Replaced} {
		if more != "" {
			text += "; " + more
		}
	}
	return text
}

// Day formats a date for reports, such as Mon 23 Nov 2026.
func Day(t time.Time) string { return t.UTC().Format("Mon 2 Jan 2006") }

// Headline describes in a sentence how the primary metric changed, or why it cannot be compared; "" if neither side has
// scores of it.
func (c *Comparison) Headline() string {
	ch := c.Main
	if ch == nil {
		return ""
	}
	if ch.Mean == nil {
		return ch.notCompared() + "."
	}
	return c.headline() + ch.valueless()
}

// valueless is the sentence about the cases that lost their value, and so are not compared; "" if there are none.
func (c *Change) valueless() string {
	if c.Gone == 0 {
		return ""
	}
	text := fmt.Sprintf(" Not compared: %d of %s with a value before, which %s none now", c.Gone,
		printable.Count(c.Compared+c.Gone, "answer"), printable.Verb(c.Gone, "has", "have"))
	if n := c.NLost(); n > 0 {
		text += fmt.Sprintf("; %d of them passed (%s)", n, c.lost())
	}
	return text + "."
}

func (c *Comparison) headline() string {
	ch := c.Main
	if ch.Rate == nil {
		text := fmt.Sprintf("The mean of %s is %.3f on %s; %.3f %s.", ch.Metric, *ch.After,
			printable.Count(ch.Compared, "question"), *ch.Before, c.then("before"))
		return text + " " + ch.isReal()
	}
	before, after := ch.Shares()
	is := printable.Verb(ch.Rated, "answer is", "answers are")
	text := fmt.Sprintf("%s of %d %s right by %s", WholePercent(after), ch.Rated, is, ch.Metric)
	switch ch.Outcome {
	case Degraded:
		text += ", down from " + strings.TrimRight(WholePercent(before)+" "+c.then(""), " ") + "."
	case Improved:
		text += ", up from " + strings.TrimRight(WholePercent(before)+" "+c.then(""), " ") + "."
	case Same:
		return text + ", as " + c.then("before") + "."
	default:
		text += "; " + WholePercent(before) + " " + c.then("before") + "."
	}
	return fmt.Sprintf("%s %d broke, %d fixed. %s", text, ch.NBroken, ch.NFixed, ch.isReal())
}

// then names the side that the sentence compares with: the baseline, or otherwise if there is none.
func (c *Comparison) then(otherwise string) string {
	if c.Baseline != nil {
		return "in the baseline"
	}
	return otherwise
}

// worse names a change for the worse: the mean of a metric rises if lower is better.
func (c *Change) worse() string {
	if c.Rate == nil && c.LowerIsBetter {
		return "rise"
	}
	return "drop"
}

// isReal returns the sentence about whether the change could be chance.
func (c *Change) isReal() string {
	word := "change"
	switch drop := c.Drop(); {
	case drop > 0:
		word = c.worse()
	case drop < 0:
		word = map[string]string{"drop": "rise", "rise": "drop"}[c.worse()]
	}
	switch {
	case c.Outcome == Small:
		return "The " + word + " is more than chance, but below --min-drop."
	case c.Chance == MoreThanChance:
		return "The " + word + " is more than chance."
	case c.Chance == Chance:
		return "The " + word + " could be chance."
	}
	return "No answer changed."
}

// Findings returns a finding if the primary metric is significantly worse than the baseline, or else nil.
func (c *Comparison) Findings() []Finding {
	ch := c.Main
	if ch == nil || ch.Outcome != Degraded || c.Baseline == nil {
		return nil
	}
	return []Finding{
		{foundDrop, true, ch.PAdjusted,
			fmt.Sprintf("%s is %s worse than the baseline, %s: the %s is more than chance", ch.Metric, ch.dropped(),
				c.Baseline.Batch.Name(), ch.worse())}}
}
