package site

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// howTested returns sentences about the tests of a comparison: which test, of how many questions, its p-value, how the
// p-values of the other metrics are adjusted, the kinds of intervals, and which scores are not among the figures. It
// returns nil if primary was not compared.
func howTested(c *analysis.Comparison, primary string) (out []string) {
	i := slices.IndexFunc(c.Changes, func(ch analysis.Change) bool { return ch.Metric == primary && ch.Tier == "" })
	if i < 0 || c.Changes[i].P == nil {
		return nil
	}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	ch, name := &c.Changes[i], metric.DisplayName(primary)
	if ch.RateP != nil {
		add("%s is tested on the %s that both sides have a verdict on; a missing answer counts as wrong.", name,
			things(ch.Rated, "question"))
		add("McNemar's exact test of %s broken against %s fixed: p %s, two-sided.", count(ch.NBroken), count(ch.NFixed),
			analysis.PValue(*ch.RateP))
		add("The 95 %% interval of a share is Wilson's; that of its change is Tango's for pairs, widened to agree with the test.")
	} else {
		add("%s is tested on the %s that both sides have a value of; a missing answer counts as 0.", name,
			things(ch.Compared, "question"))
		add("Sign-flip test of the change of the mean: p %s, two-sided.", analysis.PValue(*ch.P))
	}
	add("The 95 %% interval of the change of a mean is the bootstrap's, or for more than 5,000 questions the normal one.")
	if primary == c.Primary {
		add("p of %s is not adjusted.", name)
	}
	family, shown, below := 0, 0, 0
	for k := range c.Changes {
		o := &c.Changes[k]
		if o.Metric == c.Primary || o.PAdjusted == nil {
			continue
		}
		family, shown = max(family, o.Family), shown+1
		if *o.PAdjusted < c.Alpha {
			below++
		}
	}
	if shown > 0 && family > 0 {
		add("Those of the others are adjusted among %s (Holm); of the %s here, %s %s below %s.", things(family, "metric"),
			count(shown), count(below), printable.Verb(below, "is", "are"), strconv.FormatFloat(c.Alpha, 'g', -1, 64))
	}
	var outside []string
	for _, left := range []struct {
		n    int
		what string
	}{{ch.To.Abstained, "undecided"}, {ch.To.NotApplicable, "where no result is expected"}, {ch.To.Failed, "failed"}} {
		if left.n > 0 {
			outside = append(outside, count(left.n)+" "+left.what)
		}
	}
	if len(outside) > 0 {
		add("Scores of %s that are not among these figures: %s.", name, strings.Join(outside, ", "))
	}
	return out
}

// moved is a batch that moved the share of right answers.
type moved struct {
	Name, Class string
	Text        string
	Address     string // address of the questions that changed
}

// movesShown is the maximum number of steps that movesOf compares.
const movesShown = 4

// movesOf returns the largest steps between neighboring nights, the newest first, with the numbers of questions that
// broke and were fixed. Steps within the usual change of a version are omitted, except for the largest one, and steps
// from or to nights without all answers.
func (s *Site) movesOf(ctx context.Context, nights []night, ranges []usual, primary string) (out []moved, err error) {
	var steps []int
	step := func(i int) float64 { return *nights[i].Share - *nights[i-1].Share }
	for i := 1; i < len(nights); i++ {
		if a, b := &nights[i-1], &nights[i]; a.Share != nil && b.Share != nil && !a.Part && !b.Part && step(i) != 0 {
			steps = append(steps, i)
		}
	}
	slices.SortStableFunc(steps, func(i, j int) int {
		switch a, b := math.Abs(step(i)), math.Abs(step(j)); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return j - i
	})
	notable := func(i int) bool { return nights[i].Outside != 0 || nights[i].Of.Version != nights[i-1].Of.Version }
	within := func(i int) bool { // the night is within the usual range of its version
		return slices.ContainsFunc(ranges, func(u usual) bool { return u.Limits && u.From <= i && i < u.To })
	}
	if len(steps) > 1 {
		steps = append(steps[:1], slices.DeleteFunc(steps[1:], func(i int) bool { return within(i) && !notable(i) })...)
	}
	steps = steps[:min(len(steps), movesShown)]
	slices.SortFunc(steps, func(i, j int) int { return j - i })
	src, set := storedscores.In(s.o.Warehouse), analysis.NewSet(s.o.Metrics)
	for _, i := range steps {
		from, to := &nights[i-1], &nights[i]
		c, err := src.Compare(ctx, set, sideOf(from.Run.RunID), sideOf(to.Run.RunID), from.Of, to.Of,
			analysis.CompareOptions{Metrics: []string{primary}, Primary: primary})
		if err != nil {
			return nil, err
		}
		m := moved{Name: to.Name, Class: "down",
			Address: compareAddress(sides{From: from.Run.RunID, To: []scoring.RunID{to.Run.RunID}})}
		if to.Of.Version != "" && to.Of.Version != to.Name {
			m.Name += ", " + to.Of.Version
		}
		m.Name += ": " + points(step(i)) + " points"
		if step(i) > 0 {
			m.Class = "up"
		}
		if ch := changeIn(c, primary); ch != nil && ch.Rated > 0 {
			m.Text = fmt.Sprintf("%s broke, %s fixed of %s that both have.", count(ch.NBroken), count(ch.NFixed),
				things(ch.Rated, "question"))
			if chance := upper(ch.Chance); chance != "" {
				m.Text += " " + chance + "."
			}
			if ch.Chance != analysis.MoreThanChance {
				m.Class = ""
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// keyName returns the display name of a metric's key on the page Agreement, with the judge that it may name.
func keyName(key string) string {
	name, judge, there := strings.Cut(key, "@")
	if name = metric.DisplayName(name); there {
		name += ", judge " + judge
	}
	return name
}
