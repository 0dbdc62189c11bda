package report_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// What counts as 0, what is left out, and what a metric owes where less is better.
func TestCheckGates(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	for _, tc := range []struct {
		why     string
		sum     float64
		of      report.Coverage
		lower   bool
		gate    gate.Gate
		reached bool
		said    string
	}{
		{"every case", 8, report.Coverage{Asked: 10, Scored: 10, AppliesTo: 10}, false, gate.Gate{Least: at(0.8)}, true, "gate passed: m is 0.8000 over 10 of 10 cases, expected at least 0.8"},
		{"cases without a value count as 0", 6, report.Coverage{Asked: 10, Scored: 6, Abstained: 2, Failed: 1, Unanswered: 1, AppliesTo: 10}, false, gate.Gate{Least: at(0.7)}, false,
			"gate failed: m is 0.6000 over 10 of 10 cases, expected at least 0.7 (2 abstained and 1 with a scoring error and 1 unanswered count as 0)"},
		{"a share leaves the abstained out", 6, report.Coverage{Asked: 8, Scored: 6, Abstained: 2, AppliesTo: 8}, false, gate.Gate{Least: at(1), Coverage: at(0.75)}, true,
			"gate passed: m is 1.0000 over 6 of 8 cases, expected at least 1; 75.0% of the cases it applies to have a value, expected at least 75% (2 abstained)"},
		{"too small a share", 6, report.Coverage{Asked: 8, Scored: 6, Abstained: 2, AppliesTo: 8}, false, gate.Gate{Coverage: at(0.8)}, false,
			"gate failed: m has too few values: 75.0% of the cases it applies to have a value, expected at least 80%; it is 1.0000 over 6 of 8 cases (2 abstained)"},
		{"not applicable is neither", 3, report.Coverage{Asked: 4, Scored: 3, NotApplicable: 1, AppliesTo: 3, Reasons: []report.Reason{{Reason: "no gold", N: 1}}}, false, gate.Gate{Least: at(1)}, true,
			"gate passed: m is 1.0000 over 3 of 4 cases, expected at least 1 (1 not applicable: no gold)"},
		{"cases without gold are named", 3, report.Coverage{Asked: 7, Scored: 3, NotApplicable: 4, AppliesTo: 3, Reasons: []report.Reason{{Reason: "no gold result given", N: 3}, {Reason: "the question calls for a refusal, not for a result", N: 1}}}, false, gate.Gate{Least: at(1)}, true,
			"gate passed: m is 1.0000 over 3 of 7 cases, expected at least 1 (3 without gold: no gold result given; 1 not applicable: the question calls for a refusal, not for a result)"},
		{"a share counts the cases without gold", 3, report.Coverage{Asked: 7, Scored: 3, NotApplicable: 4, AppliesTo: 3, Reasons: []report.Reason{{Reason: scoring.NoGold, N: 2}, {Reason: scoring.GoldFailed, N: 1}, {Reason: "the question calls for a refusal, not for a result", N: 1}}}, false, gate.Gate{Least: at(1), Coverage: at(0.6)}, false,
			"gate failed: m has too few values: 50.0% of the cases it applies to or that lack gold have a value, expected at least 60%; it is 1.0000 over 3 of 7 cases, expected at least 1, which is reached (3 without gold: neither a gold query nor a gold result given; 1 not applicable: the question calls for a refusal, not for a result)"},
		{"half is enough", 3, report.Coverage{Asked: 6, Scored: 3, NotApplicable: 3, AppliesTo: 3, Reasons: []report.Reason{{Reason: "no gold SQL given", N: 3}}}, false, gate.Gate{Coverage: at(0.5)}, true,
			"gate passed: m is 1.0000 over 3 of 6 cases; 50.0% of the cases it applies to or that lack gold have a value, expected at least 50% (3 without gold: no gold SQL given)"},
		{"less is better", 40, report.Coverage{Asked: 2, Scored: 2, AppliesTo: 2}, true, gate.Gate{Least: at(20)}, true,
			"gate passed: m is 20.0000 over 2 of 2 cases, expected at most 20; 100.0% of the cases it applies to have a value, expected at least 100%"},
		{"less is better, and too much", 42, report.Coverage{Asked: 2, Scored: 2, AppliesTo: 2}, true, gate.Gate{Least: at(20)}, false,
			"gate failed: m is 21.0000 over 2 of 2 cases, expected at most 20; 100.0% of the cases it applies to have a value, expected at least 100%"},
		{"less is better, and 0 is no value for a failure", 10, report.Coverage{Asked: 2, Scored: 1, Failed: 1, AppliesTo: 2}, true, gate.Gate{Least: at(20)}, false,
			"gate failed: m has too few values: 50.0% of the cases it applies to have a value, expected at least 100%; it is 10.0000 over 1 of 2 cases, expected at most 20, which is reached (1 with a scoring error)"},
		{"no score", 0, report.Coverage{Asked: 2, Failed: 2, AppliesTo: 2}, false, gate.Gate{Least: at(0)}, false, "gate failed: m has no score, expected at least 0 (2 with a scoring error)"},
	} {
		tc.gate.Metric = "m"
		f := report.Figures{Metrics: []report.Metric{{Name: "m", LowerIsBetter: tc.lower, Rates: []report.Rate{{Sum: tc.sum, Coverage: tc.of}}}}}
		said, reached := f.Check([]gate.Gate{tc.gate})
		if d := cmp.Diff([]string{tc.said}, said); d != "" || reached != tc.reached {
			t.Errorf("%s: reached %v, want %v; %s", tc.why, reached, tc.reached, d)
		}
	}
}

// A good version does not make up for a bad one, and what has no scores reaches nothing.
func TestEveryVersionReachesTheGate(t *testing.T) {
	all := report.Coverage{Asked: 2, Scored: 2, AppliesTo: 2}
	f := report.Figures{Metrics: []report.Metric{{Name: "m", Rates: []report.Rate{
		{Agent: report.Agent{Name: "nova", Version: "1"}, Sum: 2, Coverage: all}, {Agent: report.Agent{Name: "nova", Version: "2"}, Sum: 0, Coverage: all},
	}}}}
	half := 0.5
	said, reached := f.Check([]gate.Gate{{Metric: "m", Least: &half}, {Metric: "other", Least: &half}})
	want := []string{
		"gate passed: m of nova 1 is 1.0000 over 2 of 2 cases, expected at least 0.5",
		"gate failed: m of nova 2 is 0.0000 over 2 of 2 cases, expected at least 0.5",
		"gate failed: other has no score, expected at least 0.5",
	}
	if d := cmp.Diff(want, said); d != "" || reached {
		t.Errorf("reached %v: %s", reached, d)
	}
}

// The results of gates are lines of messages; the name of the batch before them is not one.
func TestGateLines(t *testing.T) {
	got := report.GateLines("atlas 2 against the baseline atlas 1:\ngate failed: ex passed on 80%\ngate passed: no decline\n")
	want := []report.GateResult{{Passed: false, Text: "gate failed: ex passed on 80%"}, {Passed: true, Text: "gate passed: no decline"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
