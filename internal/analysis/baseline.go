package analysis

import (
	"fmt"
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
}

// Accepted holds the acceptances by batch.
type Accepted map[scoring.By]Acceptance

// Reasons why a batch is the baseline of another.
const (
	BaselineAccepted = "accepted"               // the agent's last accepted batch before the other
	BaselineFirst    = "first_of_version"       // no batch is accepted: the first complete batch of the version
	baselineBefore   = "first_of_other_version" // it is the first complete batch of the version before
)

// Baseline is the batch that another batch is compared with, and why.
type Baseline struct {
	Batch    Batch       `json:"batch"`
	Why      string      `json:"why"`
	Accepted *Acceptance `json:"accepted,omitempty"`
	Batches  int         `json:"batches"` // distance in batches of the agent; 1: it is the one before
	// AcceptedLater reports that no batch before the other is accepted, but the other itself or a later one is.
	AcceptedLater bool `json:"accepted_later,omitempty"`
	// WithoutScores are the agent's accepted batches that have no scores, so that they cannot be a baseline.
	WithoutScores []Acceptance `json:"accepted_without_scores,omitempty"`
	// Age is the time from the baseline to the other; 0 if one of them has no date.
	Age time.Duration `json:"-"`
	// Days is Age in whole days; null if unknown.
	Days *int `json:"days"`
}

// BaselineOf returns the baseline of batch i of a list of all batches, sorted by time, and its index: the last accepted
// batch of the agent before i. If there is none, it is the first complete batch of the version before i, or else of the
// version before. The index is -1 if there is no such batch. Which batch is before another, and which version, is
// decided by the dates of batches, never by the names of versions.
func BaselineOf(batches []Batch, accepted Accepted, i int) (at int, b *Baseline) {
	if at, b = baselineOf(batches, accepted, i); b != nil && len(accepted) > 0 {
		b.accept(batches, accepted, i)
	}
	return at, b
}

// accept sets AcceptedLater and WithoutScores of the baseline of batch i.
func (b *Baseline) accept(batches []Batch, accepted Accepted, i int) {
	found := map[scoring.By]bool{}
	for j := range batches {
		if _, is := accepted[batches[j].By]; is && batches[j].Agent == batches[i].Agent {
			found[batches[j].By] = true
			b.AcceptedLater = b.AcceptedLater || j >= i && b.Why != BaselineAccepted
		}
	}
	for by, a := range accepted {
		if by.Agent == batches[i].Agent && !found[by] {
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
		return "no earlier batch is accepted"
	}
	return "no batch is accepted"
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
		if a, is := accepted[batches[j].By]; is && batches[j].Agent == of.Agent {
			return j, baseline(batches, j, i, BaselineAccepted, &a)
		}
	}
	if j := firstComplete(batches[:i], of); j >= 0 {
		return j, baseline(batches, j, i, BaselineFirst, nil)
	}
	for k := i - 1; k >= 0; k-- {
		if other := &batches[k]; other.Agent == of.Agent && !other.sameVersion(of) {
			if j := firstComplete(batches[:i], other); j >= 0 {
				return j, baseline(batches, j, i, baselineBefore, nil)
			}
		}
	}
	return -1, nil
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
	case baselineBefore:
		text += ", the first complete batch of the version before; " + b.Unaccepted()
	default:
		text += ", the first complete batch of this version; " + b.Unaccepted()
	}
	if lost := b.NotScored(); lost != "" {
		text += "; " + lost
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
	if ch.Rate == nil {
		text := fmt.Sprintf("The mean of %s is %.3f on %s; %.3f before.", ch.Metric, *ch.After,
			printable.Count(ch.Compared, "question"), *ch.Before)
		return text + " " + ch.isReal()
	}
	before, after := ch.Shares()
	is := printable.Verb(ch.Rated, "answer is", "answers are")
	text := fmt.Sprintf("%s of %d %s right by %s", WholePercent(after), ch.Rated, is, ch.Metric)
	switch ch.Outcome {
	case Degraded:
		text += ", down from " + WholePercent(before) + "."
	case Improved:
		text += ", up from " + WholePercent(before) + "."
	case Same:
		return text + ", as before."
	default:
		text += "; " + WholePercent(before) + " before."
	}
	return fmt.Sprintf("%s %d broke, %d fixed. %s", text, ch.NBroken, ch.NFixed, ch.isReal())
}

// isReal returns the sentence about whether the change could be chance.
func (c *Change) isReal() string {
	word := "change"
	switch drop := c.Drop(); {
	case drop > 0:
		word = "drop"
	case drop < 0:
		word = "rise"
	}
	switch {
	case c.Outcome == Small:
		return "The " + word + " is more than chance, but below --min-drop."
	case c.Chance == MoreThanChance:
		return "The " + word + " is real."
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
	change := fmt.Sprintf("%.3f", ch.Drop())
	if ch.Rate != nil {
		change = fmt.Sprintf("%.1f points", 100*ch.Drop())
	}
	return []Finding{
		{foundDrop, true, ch.PAdjusted,
			fmt.Sprintf("%s is %s worse than the baseline, %s: the drop is real", ch.Metric, change, c.Baseline.Batch.Name())}}
}
