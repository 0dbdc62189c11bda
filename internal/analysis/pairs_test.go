package analysis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
)

func half(status scoring.Status, passed *bool, reason string) analysis.Half {
	s := analysis.Score{Metric: "m", MetricVersion: 1, Status: status, Passed: passed, Reason: reason}
	if passed != nil && *passed {
		s.Value = 1
	}
	return analysis.HalfOf(&s)
}

// Ten cases by hand: what they were, what they are, and whether the reason is another.
func TestTransitions(t *testing.T) {
	pass, fail := true, false
	passed, failed := half(scoring.StatusOK, &pass, ""), half(scoring.StatusOK, &fail, "")
	value := half(scoring.StatusOK, nil, "")
	abstained, broken := half(scoring.StatusAbstained, nil, ""), half(scoring.StatusFailed, nil, "")
	missing, unanswered := half(scoring.StatusNotApplicable, nil, "no gold"), half(scoring.StatusNotApplicable, nil, scoring.NoPred)
	tally := analysis.NewSet(nil).NewTally("m", analysis.CompareOptions{})
	for _, p := range []analysis.Pair{
		{From: passed, To: failed, Reasons: analysis.Differs, Cases: 2},
		{From: failed, To: passed, Reasons: analysis.Differs, Cases: 1},
		{From: failed, To: failed, Reasons: analysis.Alike, Cases: 1},
		{From: failed, To: failed, Reasons: analysis.Differs, Cases: 3},
		{From: passed, To: unanswered, Cases: 1},
		{From: value, To: abstained, Cases: 1},
		{From: broken, To: missing, Cases: 1},
		{From: passed, Cases: 4},
		{To: failed, Cases: 5},
		{Cases: 7}, // neither side has a score
	} {
		p.Gold = analysis.Alike
		tally.Add(&p)
	}
	const (
		toPass, toFail = analysis.StandPassed, analysis.StandFailed
		none           = analysis.StandAbsent
	)
	want := []analysis.Transition{
		{From: analysis.StandPassed, To: toFail, Cases: 2, OtherReason: 2},
		{From: analysis.StandPassed, To: analysis.StandUnanswered, Cases: 1},
		{From: analysis.StandPassed, To: none, Cases: 4},
		{From: analysis.StandFailed, To: toPass, Cases: 1, OtherReason: 1},
		{From: analysis.StandFailed, To: toFail, Cases: 4, OtherReason: 3},
		{From: analysis.StandScored, To: analysis.StandAbstained, Cases: 1},
		{From: analysis.StandError, To: analysis.StandNotApplicable, Cases: 1},
		{From: none, To: toFail, Cases: 5},
	}
	if d := cmp.Diff(want, tally.Transitions()); d != "" {
		t.Error(d)
	}
	c := tally.Change()
	// compared: all but the two without a value on a side; one is unanswered, and counts as 0
	if c.Shared != 10 || c.Compared != 8 || c.NBroken != 3 || c.NFixed != 1 || c.From.Asked != 14 || c.To.Asked != 15 {
		t.Errorf("%+v", c)
	}
	// three pass of eight before, one after
	if *c.Before != 3.0/8 || *c.After != 1.0/8 || *c.Mean != -2.0/8 || *c.Rate != -2.0/8 {
		t.Errorf("before %v, after %v, change %v, rate %v", *c.Before, *c.After, *c.Mean, *c.Rate)
	}
	// Two more that nobody answers are compared: 0 in both means, and no pass in both shares.
	tally.Add(&analysis.Pair{From: unanswered, To: unanswered, Gold: analysis.Alike, Cases: 2})
	if c := tally.Change(); c.Compared != 10 || *c.Before != 3.0/10 || *c.After != 1.0/10 || *c.Mean != -2.0/10 || *c.Rate != -2.0/10 {
		t.Errorf("with two that nobody answers: %d compared, before %v, after %v, change %v, rate %v", c.Compared, *c.Before, *c.After, *c.Mean, *c.Rate)
	}
	// McNemar's exact test of 1 against 3: 2 (1 + 4) / 16
	if d := *c.P - 0.625; d > 1e-12 || d < -1e-12 {
		t.Errorf("p = %v", *c.P)
	}
}
