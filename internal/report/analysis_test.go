package report

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
)

// The caption names the metric whose p-value stands alone.
func TestComparisonNamesThePrimaryMetric(t *testing.T) {
	x := 0.5
	row := analysis.Change{Metric: "ex", Before: &x, After: &x, Mean: &x, Low: &x, High: &x, P: &x, PAdjusted: &x, Outcome: analysis.Chance}
	c := &analysis.Comparison{Primary: "ex", Changes: []analysis.Change{row, row, {Metric: "ex", Tier: "hard", Outcome: analysis.NotCompared}}}
	var b strings.Builder
	if err := RenderComparison(&b, c, nil, false, Options{Width: 400}); err != nil || !strings.Contains(b.String(), "that of ex is not adjusted") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// The table of both sides drops P90 before the other figures, and the pass rate never.
func TestNarrowComparisonKeepsThePassRate(t *testing.T) {
	x := 0.5
	side := analysis.Figures{Asked: 56, Coverage: &x, Mean: &x, P90: &x, PassRate: &x}
	c := &analysis.Comparison{Changes: []analysis.Change{{Metric: "hybrid_ex", From: side, To: side, Outcome: analysis.NotCompared}}}
	for width, heads := range map[int]string{
		100: "metric cases cov. mean P90 passed cases cov. mean P90 passed",
		76:  "metric cases cov. mean passed cases cov. mean passed",
		60:  "metric cases mean passed cases mean passed",
		46:  "metric mean passed mean passed",
	} {
		var b strings.Builder
		if err := RenderComparison(&b, c, nil, false, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		_, below, _ := strings.Cut(b.String(), "All cases of each side\n")
		line, _, _ := strings.Cut(below, "\n")
		if got := strings.Join(strings.Fields(line), " "); got != heads {
			t.Errorf("%d columns: %s, want %s", width, got, heads)
		}
	}
}

// Judges that differ in a part of their names stay different where a table is narrow.
func TestJudgesStayDifferent(t *testing.T) {
	for _, judges := range [][]string{
		{"scores-of-the-nightly-run-o3-2025-04-16", "scores-of-the-nightly-run-o3-2025-12-16"},
		{"scores-of-the-nightly-run-by-o3-2504", "scores-of-the-nightly-run-by-gpt-2504"},
		{"o3-2025-04-16-scores-of-the-nightly-run", "o4-2025-04-16-scores-of-the-nightly-run"},
	} {
		a := &analysis.Audit{EX: "ex_bird", Labelled: 100, Accepted: 50}
		half := 0.5
		for _, by := range judges {
			a.Reasons = append(a.Reasons, analysis.Measured{Reason: "gold_x", By: by, Labelled: 100, Accepted: 50, Precision: &half, Low: &half, High: &half, Recall: &half})
			for _, on := range []string{"gold_x", "amb_q", "either", "all"} {
				a.Discordance = append(a.Discordance, analysis.Discordance{Metric: "verdict", By: by, On: on, N: 100, Differ: 50, Share: &half})
			}
		}
		var b strings.Builder
		if err := RenderAudit(&b, a, 0, Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		of := map[string]int{}
		for line := range strings.Lines(b.String()) {
			if f := strings.Fields(line); len(f) > 4 && (f[0] == "gold_x" || f[0] == "verdict") {
				of[f[0]+" "+f[1]]++
			}
		}
		if len(of) != 4 {
			t.Errorf("%q: rows %v\n%s", judges, of, b.String())
		}
	}
}

// Newly wrong answers are marked in the list of cases, and what is not compared has a reason.
func TestWrongAnswersAreMarked(t *testing.T) {
	three := 3
	reasons := []analysis.WrongReason{{Reason: "no_answer", N: 5, New: 3, Cases: []string{"q1", "q2", "q3", "q7", "q8"}}}
	base := analysis.WrongAnswers{System: "a 1", Batch: "d2", Judged: 9, Wrong: 5, Baseline: "a 1, batch d1", Reasons: reasons}
	gold := base
	gold.NewlyWrong, gold.Compared, gold.Unlike = &three, 7, []analysis.Unlike{{Why: "golden set", Cases: 2}}
	all := base
	all.NewlyWrong, all.Compared = &three, 9
	none := base
	none.Unlike = []analysis.Unlike{{Why: "configuration", Cases: 9}}
	none.Reasons = []analysis.WrongReason{{Reason: "no_answer", N: 5, Cases: reasons[0].Cases}}
	for _, tc := range []struct {
		why   string
		of    analysis.WrongAnswers
		want  []string
		never string
	}{
		{"all compared", all, []string{"a 1, batch d2: 5 of 9 answers wrong by ex, 3 of them newly against a 1, batch d1\n", "No answer, new: q1, q2, q3\n", "No answer, not new: q7, q8\n"}, "compared"},
		{"some compared", gold, []string{"newly against a 1, batch d1 (7 compared)\n", "not compared with a 1, batch d1 on 2 cases: the question or its accepted answer changed\n", "No answer, new: q1, q2, q3\n"}, "zzz"},
		{"not compared", none, []string{"a 1, batch d2: 5 of 9 answers wrong by ex\n", "on 9 cases: the configuration of the metric changed\n", "No answer: q1, q2, q3, q7, q8\n"}, "new"},
	} {
		var b strings.Builder
		f := &analysis.Failures{Primary: "ex", Wrong: []analysis.WrongAnswers{tc.of}}
		if err := RenderFailures(&b, f, FailureView{Cases: true}, Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		for _, want := range tc.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", tc.why, want, b.String())
			}
		}
		if strings.Contains(b.String(), tc.never) {
			t.Errorf("%s: %q in\n%s", tc.why, tc.never, b.String())
		}
	}
}

// The cases that broke are listed by the reason why they are wrong now.
func TestComparedCasesHaveReasons(t *testing.T) {
	c := &analysis.Comparison{Primary: "ex",
		Changes: []analysis.Change{{Metric: "ex", Broken: []string{"q1", "q2", "q3"}, Fixed: []string{"q9"}, Outcome: analysis.Chance}},
		Reasons: &analysis.SideReasons{{"q9": "not_explained"}, {"q1": "no_answer", "q2": "not_explained", "q3": "no_answer"}}}
	var b strings.Builder
	if err := RenderComparison(&b, c, nil, true, Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	want := "  ex, 3 broke: q1, q2, q3\n    No answer: q1, q3\n    No reason recorded (relation not run, or the agent declined): q2\n  ex, 1 fixed: q9\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("want\n%s in\n%s", want, b.String())
	}
}

// A batch with a baseline that it cannot be compared with is not said to have none.
func TestTrendSaysWhyABatchIsNotCompared(t *testing.T) {
	base := &analysis.Baseline{Why: analysis.BaselineFirst, Batches: 1}
	for _, tc := range []struct {
		latest analysis.Latest
		none   bool
	}{{analysis.Latest{}, true}, {analysis.Latest{Baseline: base}, false}, {analysis.Latest{Baseline: base, Headline: "ex cannot be compared."}, false}} {
		var b strings.Builder
		tr := &analysis.Trend{Batches: make([]analysis.Batch, 1), Latest: []analysis.Latest{tc.latest}}
		if err := RenderTrend(&b, tr, 0, Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "It has no baseline"); got != tc.none || strings.Contains(b.String(), "baseline: ") == tc.none ||
			!strings.Contains(b.String(), tc.latest.Headline) {
			t.Errorf("%+v:\n%s", tc.latest, b.String())
		}
	}
}
