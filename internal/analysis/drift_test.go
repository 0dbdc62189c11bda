package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
)

// night is a judge's verdicts on one day: verdict returns that on a case, and served the model that gave it.
type night struct {
	verdict func(c int) bool
	served  analysis.Served
	hash    string
}

var firstNight = time.Date(2025, 1, 1, 2, 0, 0, 0, time.UTC)

// askings returns the replies of a judge to cases on consecutive days. label returns the label of a case.
func askings(cases int, label func(c int) *bool, nights ...night) (out []analysis.SentinelReply) {
	for n, of := range nights {
		for c := range cases {
			passed := of.verdict(c)
			r := analysis.SentinelReply{Asking: fmt.Sprint("a", n), At: firstNight.AddDate(0, 0, n), Metric: "verdict",
				Judge: "openai:m", Prompt: "rose-1", Question: fmt.Sprint(c, of.hash), Passed: &passed,
				Served: []analysis.Served{of.served}}
			r.AnswerID = scoring.AnswerID{CaseID: fmt.Sprint("c", c)}
			if label != nil {
				r.Label = label(c)
			}
			out = append(out, r)
		}
	}
	return out
}

func even(c int) bool { return c%2 == 0 }

func repeat(n int, of night) (out []night) {
	for range n {
		out = append(out, of)
	}
	return out
}

func driftOf(t *testing.T, replies []analysis.SentinelReply) *analysis.JudgeDrift {
	t.Helper()
	d := analysis.NewDrift(replies, time.Time{}, 0.05)
	if len(d.Judges) != 1 {
		t.Fatalf("%d judges, want 1", len(d.Judges))
	}
	return &d.Judges[0]
}

func TestNewDrift_SteadyJudgeHasNotChanged(t *testing.T) {
	t.Parallel()
	j := driftOf(t, askings(20, nil, repeat(5, night{verdict: even})...))
	if j.Outcome != analysis.NoChangeShown || j.Look != 4 || j.Earlier != 4 || j.Cases != 20 || len(j.Findings) != 0 ||
		j.PassRate.Change != 0 || j.PassRate.CI[0] >= 0 || j.PassRate.CI[1] <= 0 {
		t.Errorf("%+v", j)
	}
}

func TestNewDrift_FirstAskingIsNotCompared(t *testing.T) {
	t.Parallel()
	j := driftOf(t, askings(20, nil, night{verdict: even}))
	if j.Outcome != analysis.FirstAsking || j.Look != 0 || j.PassRate != nil || j.New != 20 || len(j.Past) != 0 {
		t.Errorf("%+v", j)
	}
	// Another prompt, or a changed case, is another question: its verdicts are not compared with those on the first.
	j = driftOf(t, askings(20, nil, night{verdict: even}, night{verdict: func(int) bool { return true }, hash: "new"}))
	if j.Outcome != analysis.FirstAsking || j.Cases != 0 || j.New != 20 {
		t.Errorf("%+v", j)
	}
}

// With one earlier asking, the test is McNemar's: 8 cases that all changed to pass have p = 2/256, and the first look
// doubles it. Whether the judge contradicts itself cannot be tested, so that it is the only test: 0.015625.
func TestNewDrift_AgainstOneAsking(t *testing.T) {
	t.Parallel()
	lenient := func(c int) bool { return even(c) || c < 16 }
	j := driftOf(t, askings(40, nil, night{verdict: even}, night{verdict: lenient}))
	if got := j.PassRate; got.P != 2.0/256 || got.Adjusted != 0.015625 || j.Self != nil || j.Outcome != analysis.Changed {
		t.Errorf("%+v, want p 0.0078, adjusted 0.015625", got)
	}
	if len(j.ToPass) != 8 || len(j.ToFail) != 0 || j.ToPass[0] != "c1" {
		t.Errorf("cases that flipped: %v and %v", j.ToPass, j.ToFail)
	}
	if !strings.HasPrefix(j.Findings[0], "It is more lenient: it passes 70% of the cases, before 50%") {
		t.Errorf("%q", j.Findings)
	}
	// 6 of them could be chance: 2/64, times 2.
	six := func(c int) bool { return even(c) || c < 12 }
	if j = driftOf(t, askings(40, nil, night{verdict: even}, night{verdict: six})); j.Outcome != analysis.NoChangeShown {
		t.Errorf("6 flips: %s, p %v", j.Outcome, j.PassRate.Adjusted)
	}
}

// A change that lasts is found each night, because its nights are not compared with. After it was accepted, it is the
// reference.
func TestNewDrift_LastingChangeStaysFound(t *testing.T) {
	t.Parallel()
	flipped := func(c int) bool { return even(c) && c >= 12 }
	replies := askings(40, nil, append(repeat(10, night{verdict: even}), repeat(8, night{verdict: flipped})...)...)
	j := driftOf(t, replies)
	if j.Outcome != analysis.Changed || j.Earlier != 10 || len(j.ToFail) != 6 {
		t.Errorf("%s against %d askings, flips %v", j.Outcome, j.Earlier, j.ToFail)
	}
	found := 0
	for i, p := range j.Past {
		if p.Outcome == analysis.Changed {
			found++
		} else if i >= 9 {
			t.Errorf("look %d: %s", i+1, p.Outcome)
		}
	}
	if len(j.Past) != 17 || found != 8 {
		t.Errorf("%d of %d looks found the change, want 8 of 17", found, len(j.Past))
	}
	d := analysis.NewDrift(replies, firstNight.AddDate(0, 0, 10), 0.05)
	if j := d.Judges[0]; j.Outcome != analysis.NoChangeShown || j.Look != 7 || len(d.Changed()) != 0 {
		t.Errorf("since the change was accepted: %s, look %d", j.Outcome, j.Look)
	}
}

// As many cases get stricter as get more lenient: the share that passes is the same, the verdicts are not.
func TestNewDrift_FlipsBothWays(t *testing.T) {
	t.Parallel()
	both := func(c int) bool { return even(c) != (c < 6) }
	j := driftOf(t, askings(40, nil, append(repeat(9, night{verdict: even}), night{verdict: both})...))
	if j.Outcome != analysis.Changed || j.PassRate.P != 1 || j.Self.Differ != 6 || len(j.Findings) != 1 ||
		!strings.Contains(j.Findings[0], "contradicts itself: 6 of 40 verdicts") {
		t.Errorf("%+v\n%q", j.Self, j.Findings)
	}
}

// Labels show in which direction a judge changed: here all flips are away from the labels.
func TestNewDrift_AccuracyFalls(t *testing.T) {
	t.Parallel()
	label := func(c int) *bool { is := even(c); return &is }
	both := func(c int) bool { return even(c) != (c < 8) }
	j := driftOf(t, askings(40, label, append(repeat(9, night{verdict: even}), night{verdict: both})...))
	if c := j.Correct; c == nil || c.Before != 1 || c.Now != 0.8 || c.CI[1] >= 0 || j.Labeled != 40 ||
		!strings.Contains(strings.Join(j.Findings, "\n"), "agrees less often with the labels: on 80% of 40 labelled cases, before on 100%") {
		t.Errorf("%+v\n%q", j.Correct, j.Findings)
	}
}

// A new name or fingerprint of the model is a finding without any change of a verdict, once.
func TestNewDrift_ServedModelChanges(t *testing.T) {
	t.Parallel()
	a, b := analysis.Served{Model: "m-0501", Fingerprint: "fp_1"}, analysis.Served{Model: "m-0501", Fingerprint: "fp_2"}
	old, other := night{verdict: even, served: a}, night{verdict: even, served: b}
	j := driftOf(t, askings(4, nil, old, old, other))
	if j.Outcome != analysis.Changed || len(j.NewServed) != 1 || j.NewServed[0] != b ||
		!strings.Contains(j.Findings[0], "another model: m-0501 (fp_2)") {
		t.Errorf("%+v", j)
	}
	if j = driftOf(t, askings(4, nil, old, old, other, old, other)); j.Outcome != analysis.NoChangeShown ||
		j.Past[1].Outcome != analysis.Changed {
		t.Errorf("a fingerprint that was met before: %+v", j)
	}
}

// A reply without a verdict is counted and compared with nothing.
func TestNewDrift_SilentReplies(t *testing.T) {
	t.Parallel()
	replies := askings(4, nil, night{verdict: even}, night{verdict: even})
	replies[5].Passed, replies[6].Passed = nil, nil
	if j := driftOf(t, replies); j.Silent != 2 || j.Cases != 2 || j.Lost != 2 || j.Outcome != analysis.Changed ||
		!strings.Contains(j.Findings[0], "no verdict on 2 cases that it judged before") {
		t.Errorf("%+v; want 2 without a verdict and 2 compared", j)
	}
	replies[4].Passed = nil // fewer verdicts than lost ones
	if j := driftOf(t, replies); j.Outcome != analysis.Unmeasured || j.Lost != 3 {
		t.Errorf("%s, lost %d; want not measured, 3", j.Outcome, j.Lost)
	}
	replies = askings(4, nil, night{verdict: even})
	for i := range replies {
		replies[i].Passed, replies[i].Code = nil, "RESOURCE_EXHAUSTED"
	}
	if j := driftOf(t, replies); j.Outcome != analysis.Unmeasured || j.Verdicts() != "no verdict on any case: RESOURCE_EXHAUSTED" {
		t.Errorf("%s, %s", j.Outcome, j.Verdicts())
	}
}

// The asking that is reported is the latest, whatever the times say. Without one, askings of the future are left out.
func TestLatestAsking(t *testing.T) {
	t.Parallel()
	all := askings(4, nil, repeat(3, night{verdict: even})...)
	kept, later := analysis.LatestAsking(all, "a1", firstNight.AddDate(0, 0, 1))
	if j := driftOf(t, kept); j.Asking != "a1" || j.Earlier != 2 || later != 1 {
		t.Errorf("%s against %d, %d later; want a1 against 2, 1 later", j.Asking, j.Earlier, later)
	}
	kept, later = analysis.LatestAsking(all, "", firstNight.AddDate(0, 0, 1))
	if j := driftOf(t, kept); j.Asking != "a1" || j.Earlier != 1 || later != 1 {
		t.Errorf("%s against %d, %d later; want a1 against 1, 1 later", j.Asking, j.Earlier, later)
	}
	if kept, _ = analysis.LatestAsking(all, "other", firstNight); len(kept) != 0 {
		t.Errorf("%d replies of judges that the asking did not ask", len(kept))
	}
}

// A judge with noise at a temperature above 0, asked every night for a month: the probability that any night shows a
// change is at most 5 %. A judge that becomes stricter is found.
func TestNewDrift_Simulated(t *testing.T) {
	t.Parallel()
	const seeds, nights, cases = 60, 20, 30
	alarms := func(from int, move float64) (found int) {
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 11))
			chance := make([]float64, cases)
			for c := range chance { // most verdicts are firm, some are not
				chance[c] = []float64{0.02, 0.98, 0.98, 0.7}[c%4]
			}
			var of []night
			for n := range nights {
				of = append(of, night{verdict: func(c int) bool {
					p := chance[c]
					if n >= from {
						p = max(0, p-move)
					}
					return r.Float64() < p
				}})
			}
			for _, p := range driftOf(t, askings(cases, nil, of...)).Past {
				if p.Outcome == analysis.Changed {
					found++
					break
				}
			}
		}
		return found
	}
	if n := alarms(nights, 0); n > 7 { // 5 % of 60 is 3, and three standard deviations
		t.Errorf("a judge that did not change is found in %d of %d months", n, seeds)
	}
	if n := alarms(12, 0.5); n < seeds*9/10 {
		t.Errorf("a judge that got stricter is found in %d of %d months", n, seeds)
	}
}
