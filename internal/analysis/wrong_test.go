package analysis

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Each wrong answer counts once, by the relation that explains most. What differs in right answers is no fault.
func TestReasonsOfWrongAnswers(t *testing.T) {
	m := &memory{}
	night := func(version string, n int, answers ...string) { // case, p or f or -, relations
		var scores []Score
		for _, a := range answers {
			f := strings.Fields(a)
			s := verdict(f[0], f[1] == "p")
			if f[1] == "-" {
				s = Score{CaseID: f[0], Metric: "ex", MetricVersion: 1, Status: scoring.StatusNotApplicable, Reason: scoring.NoPred,
					Config: "c", Gold: "g"}
			}
			scores = append(scores, s)
			if len(f) > 2 {
				r := value("relation", f[0], 0)
				for _, label := range f[2:] {
					r.Findings = append(r.Findings, "relation:"+label)
				}
				scores = append(scores, r)
			}
		}
		m.add(Batch{By: scoring.By{Agent: "a", Version: version, Batch: fmt.Sprint("n", n)}, At: day(n)}, scores...)
	}
	night("1", 1, "c1 p rounded", "c2 p", "c3 p", "c4 f superset", "c5 f")
	night("2", 2, "c1 p rounded", "c2 f condition_missing superset", "c3 - ", "c4 f condition_missing", "c5 f")
	f, err := NewFailures(t.Context(), m, NewSet(nil),
		FailureOptions{Primary: "ex", GroupOf: func(r string) string { return "group of " + r }})
	if err != nil || len(f.Wrong) != 2 || f.Primary != "ex" {
		t.Fatalf("%v %+v", err, f)
	}
	if one := f.Wrong[1]; one.Judged != 5 || one.Wrong != 2 || one.NewlyWrong != nil || len(one.Reasons) != 2 {
		t.Errorf("%+v", one)
	}
	two := f.Wrong[0] // the newest version
	if two.Judged != 5 || two.Wrong != 4 || *two.NewlyWrong != 2 || two.Baseline != "a 1, batch n1" {
		t.Errorf("%+v", two)
	}
	var got []string
	for _, r := range two.Reasons {
		got = append(got, fmt.Sprintf("%s (%s) %d %d %s", r.Reason, r.Group, r.N, r.New, strings.Join(r.Cases, " ")))
	}
	if want := "condition_missing (group of condition_missing) 2 1 c2 c4, no_answer () 1 1 c3, not_explained () 1 0 c5"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	for _, l := range f.Labels {
		if want := map[string][2]int{"rounded": {2, 0}, "condition_missing": {2, 2},
			"superset": {2, 2}}[l.Label]; want != [2]int{l.N, l.Wrong} {
			t.Errorf("%s: %d answers, %d wrong, want %v", l.Label, l.N, l.Wrong, want)
		}
	}
}

// An answer is newly wrong only if both scores are comparable; what is not compared is counted by reason.
func TestNewlyWrongIsOfComparedQuestions(t *testing.T) {
	for _, tc := range []struct {
		why      string
		change   func(i int, s *Score)
		newly    int // -1: not compared
		compared int
		unlike   string
	}{
		{"nothing changed", func(int, *Score) {}, 6, 10, "[]"},
		{"other gold of one that broke and one that stayed right", func(i int, s *Score) {
			if i == 0 || i == 9 {
				s.Gold = "h"
			}
		}, 5, 8, "[2 cases: the question or its accepted answer changed]"},
		{"another configuration of all", func(_ int, s *Score) { s.Config = "d" }, -1, 0, "[10 cases: the configuration of the metric changed]"},
		{"another version of all but one", func(i int, s *Score) {
			if i > 0 {
				s.MetricVersion = 2
			}
		}, 1, 1, "[9 cases: metric version 1, then 2]"},
		{"all answers missing", func(_ int, s *Score) {
			s.Status, s.Passed, s.Reason = scoring.StatusNotApplicable, nil, scoring.NoAnswer
		}, 8, 10, "[]"},
	} {
		m := &memory{}
		var before, after []Score
		for i, id := range ids(10) {
			now := verdict(id, i >= 6) // the first 6 are wrong
			tc.change(i, &now)
			before, after = append(before, verdict(id, i != 6 && i != 7)), append(after, now) // 6 and 7 were wrong
		}
		for i, scores := range [][]Score{before, after} {
			m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: fmt.Sprint("n", i)}, At: day(i + 1)}, scores...)
		}
		f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{Primary: "ex"})
		if err != nil || len(f.Wrong) != 1 {
			t.Fatalf("%s: %v, %+v", tc.why, err, f)
		}
		w := f.Wrong[0]
		newly, marked := -1, 0
		if w.NewlyWrong != nil {
			newly = *w.NewlyWrong
		}
		for _, r := range w.Reasons {
			marked += r.New
		}
		if newly != tc.newly || marked != max(0, tc.newly) || w.Compared != tc.compared || fmt.Sprint(w.Unlike) != tc.unlike || w.Batch != "n1" {
			t.Errorf("%s: %d newly wrong (%d marked), %d compared, %v; want %d, %d, %s", tc.why, newly, marked, w.Compared, w.Unlike, tc.newly, tc.compared, tc.unlike)
		}
	}
}

// A batch without any answer is wrong throughout, if the metric is known to give verdicts.
func TestAllAnswersMissing(t *testing.T) {
	missing := func(metric string, n int) (out []Score) {
		for _, id := range ids(n) {
			out = append(out, Score{CaseID: id, Metric: metric, MetricVersion: 1, Status: scoring.StatusNotApplicable, Reason: scoring.NoAnswer})
		}
		return out
	}
	known := []scoring.Metric{{Name: "strict", Threshold: scoring.At(1)}, {Name: "slow", Threshold: scoring.At(9), LowerIsBetter: true}, {Name: "mean"}}
	for _, tc := range []struct {
		metric string
		passed float64 // -1: no pass rate
	}{{"strict", 0}, {"slow", -1}, {"mean", -1}} {
		m := &memory{}
		m.add(Batch{By: scoring.By{Agent: "a", Batch: "n1"}, At: day(1)}, missing(tc.metric, 7)...)
		m.add(Batch{By: scoring.By{Agent: "a", Batch: "n2"}, At: day(2)}, missing(tc.metric, 7)...)
		f, err := NewFailures(t.Context(), m, NewSet(known), FailureOptions{Primary: tc.metric})
		if err != nil {
			t.Fatal(err)
		}
		if rated := tc.passed >= 0; len(f.Wrong) != map[bool]int{true: 1}[rated] || rated &&
			(f.Wrong[0].Wrong != 7 || f.Wrong[0].Judged != 7 || len(f.Wrong[0].Reasons) != 1 || f.Wrong[0].Reasons[0].Reason != ReasonNoAnswer) {
			t.Errorf("%s: %+v", tc.metric, f.Wrong)
		}
		trend, err := NewTrend(t.Context(), m, NewSet(known), TrendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range trend.Points {
			if rate := p.Now.PassRate; (rate == nil) != (tc.passed < 0) || rate != nil && (*rate != tc.passed || p.Now.Of != 7) {
				t.Errorf("%s: %+v", tc.metric, p.Now)
			}
		}
		if c := trend.Newest(); tc.metric == "strict" && c.Headline() != "0% of 7 answers are right by strict, as in the baseline." {
			t.Errorf("%q", c.Headline())
		}
	}
}

// A night without any answer after one with verdicts: all that was right broke.
func TestAllAnswersMissingAfterVerdicts(t *testing.T) {
	var from, to []Score
	for i, id := range ids(9) {
		from = append(from, verdict(id, i < 6))
		to = append(to, Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: scoring.StatusNotApplicable, Reason: scoring.NoPred, Config: "c", Gold: "g"})
	}
	_, ch := compareOne(t, from, to, CompareOptions{})
	if ch.To.PassRate == nil || *ch.To.PassRate != 0 || ch.To.Of != 9 || ch.NBroken != 6 || ch.Rated != 9 {
		t.Errorf("%+v", ch)
	}
}

// Cases that pass on one side only have the reason of the side on which they are wrong.
func TestReasonsOfComparedCases(t *testing.T) {
	m := &memory{}
	night := func(n int, answers ...string) { // case, p or f or -, relation
		var scores []Score
		for _, a := range answers {
			f := strings.Fields(a)
			s := verdict(f[0], f[1] == "p")
			if f[1] == "-" {
				s.Status, s.Passed, s.Reason = scoring.StatusNotApplicable, nil, scoring.NoAnswer
			}
			scores = append(scores, s)
			if len(f) > 2 {
				r := value("relation", f[0], 0)
				r.Findings = []string{"relation:" + f[2]}
				scores = append(scores, r)
			}
		}
		m.add(Batch{By: scoring.By{Agent: "a", Batch: fmt.Sprint("n", n)}, At: day(n)}, scores...)
	}
	night(1, "c1 p", "c2 p same_query", "c3 f superset", "c4 f overlap", "c5 p")
	night(2, "c1 f subset", "c2 -", "c3 p same_query", "c4 f subset", "c5 f")
	for _, asked := range []bool{true, false} {
		c, err := CompareSides(t.Context(), m, NewSet(nil), m.batches[:1], m.batches[1:], CompareOptions{Metrics: []string{"ex"}, Reasons: asked})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Changes) != 1 || (c.Reasons != nil) != asked {
			t.Fatalf("%d metrics, reasons %v", len(c.Changes), c.Reasons)
		}
		if asked && (fmt.Sprint(c.Reasons[0]) != "map[c3:superset]" || fmt.Sprint(c.Reasons[1]) != "map[c1:subset c2:no_answer c5:not_explained]") {
			t.Errorf("%v", *c.Reasons)
		}
	}
}

// Versions are in the order of the dates of their batches, not of their names: the newest first.
func TestFailuresAreInTheOrderOfDates(t *testing.T) {
	m := &memory{}
	for i, v := range []string{"1.10", "1.9", "1.11"} {
		m.add(Batch{By: scoring.By{Agent: "a", Version: v, Batch: v}, At: day(i + 1)}, verdict("c1", false))
	}
	f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{Primary: "ex"})
	if err != nil || len(f.Wrong) != 3 {
		t.Fatalf("%v %+v", err, f)
	}
	for i, v := range []string{"1.11", "1.9", "1.10"} {
		if f.Wrong[i].Of != v {
			t.Errorf("place %d: %s, want %s", i, f.Wrong[i].Of, v)
		}
	}
}

// moving is a source in which the dates of batches are later each time that they are read.
type moving struct {
	*memory
	reads int
}

func (m *moving) Batches(ctx context.Context) ([]Batch, error) {
	m.reads++
	all, err := m.memory.Batches(ctx)
	for i := range all {
		all[i].At = all[i].At.Add(time.Duration(m.reads) * time.Second)
	}
	return all, err
}

// Answers that arrive meanwhile change the date of a batch between two reads.
func TestFailuresWhileDatesMove(t *testing.T) {
	m := &moving{memory: &memory{}}
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "n1"}, At: day(1)}, verdict("c1", true), verdict("c2", true))
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "n2"}, At: day(2)}, verdict("c1", false), verdict("c2", true))
	f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{Primary: "ex"})
	if err != nil || len(f.Wrong) != 1 || f.Wrong[0].NewlyWrong == nil || *f.Wrong[0].NewlyWrong != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// An answer to which the primary metric gives no verdict is neither right nor wrong, and a label selects reasons, too.
func TestLabelsOfAnswersWithoutVerdict(t *testing.T) {
	m := &memory{}
	for i, id := range ids(6) {
		s := verdict(id, i == 0)
		if i > 3 {
			s.Status, s.Passed = scoring.StatusAbstained, nil
		}
		kind := value("relation", id, 0)
		kind.Findings = []string{"relation:" + []string{"overlap", "subset"}[i%2]}
		m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "b"}, At: day(1)}, s, kind)
	}
	f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{Primary: "ex"})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Keep([]string{"overlap"}); err != nil {
		t.Fatal(err)
	}
	if l := f.Labels; len(l) != 1 || l[0].N != 3 || l[0].Right != 1 || l[0].Wrong != 1 {
		t.Errorf("%+v", l)
	}
	if w := f.Wrong; len(w) != 1 || len(w[0].Reasons) != 1 || w[0].Reasons[0].Reason != "overlap" || w[0].Reasons[0].N != 1 {
		t.Errorf("%+v", w)
	}
	if err := f.Keep([]string{"overlap", "subset"}); err == nil {
		t.Error("a removed label is kept")
	}
}
