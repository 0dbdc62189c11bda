package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// scoreOf adds a score of the metric m.
func scoreOf(s *report.Summary, id, agent, version, batch string, score scoring.Score) {
	score.Metric = "m"
	s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: agent, Version: version, Batch: batch}}})
}

// record adds the scores that a run records of questions without an answer.
func record(s *report.Summary, questions ...string) {
	for _, c := range s.Unanswered(questions) {
		scoreOf(s, c.CaseID, c.Agent, c.Version, c.Batch, scoring.NotApplicable(scoring.NoAnswer))
	}
}

// Every case that was asked is in one count, and the share is of those that the metric applies to.
func TestCoverage(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{})
	for i, score := range []scoring.Score{
		scoring.OK(1, ""), scoring.OK(0, ""), scoring.Abstain("open"), scoring.Fail(fmt.Errorf("down")), scoring.NotApplicable("no gold result given"),
		scoring.NotApplicable(scoring.NoPredResult), scoring.NotApplicable(scoring.NoPredSQL), scoring.NotApplicable("no gold result given"),
	} {
		scoreOf(s, fmt.Sprint("c", i), "a", "1", "b", score)
	}
	record(s, "c0", "c1", "never answered")
	got := s.Figures().Metrics[0].Rates[0].Coverage
	if got.Asked != 9 || got.Scored != 2 || got.Abstained != 1 || got.Failed != 1 || got.NotApplicable != 2 || got.Unanswered != 3 || got.Share == nil || *got.Share != 2.0/7 {
		t.Errorf("%+v, want 9 asked: 2 scored, 1 abstained, 1 failed, 2 not applicable, 3 unanswered, and 2 of 7", got)
	}
	if want := []report.Reason{{Reason: "no gold result given", N: 2}}; !slices.Equal(got.Reasons, want) {
		t.Errorf("reasons %v, want %v", got.Reasons, want)
	}
}

// A metric that applies to no case has no share, and says why; one that applies and has no value has
// the share 0.
func TestWhatDoesNotApply(t *testing.T) {
	na, none := scoring.NotApplicable("no tools are expected"), scoring.NotApplicable(scoring.NoPredSQL)
	for _, tc := range []struct {
		why       string
		scores    []scoring.Score
		appliesTo int
		text      string
	}{
		{"not applicable", []scoring.Score{na, na}, 0, ""},
		{"not applicable, and answers are missing", []scoring.Score{na, none}, 0, ""},
		{"all answers are missing", []scoring.Score{none, none}, 2, "0%"},
		{"all failed", []scoring.Score{scoring.Fail(fmt.Errorf("down"))}, 1, "0%"},
		{"abstained where it applies", []scoring.Score{na, scoring.Abstain("open"), none}, 2, "0%"},
		{"almost all", append(slices.Repeat([]scoring.Score{scoring.OK(1, "")}, 999), none), 1000, "99%"},
	} {
		s := report.NewSummary(report.SummaryOptions{})
		for i, score := range tc.scores {
			scoreOf(s, fmt.Sprint("c", i), "a", "1", "b", score)
		}
		f := s.Figures()
		c := f.Metrics[0].Rates[0].Coverage
		if c.AppliesTo != tc.appliesTo || c.Text() != tc.text || (c.Share == nil) != (tc.text == "") || c.Nowhere() != (tc.appliesTo == 0) {
			t.Errorf("%s: %+v %q, want %d cases, %q", tc.why, c, c.Text(), tc.appliesTo, tc.text)
		}
		var b strings.Builder
		if err := f.Render(&b, report.Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(b.String(), "does not apply to any case: m (no tools are expected)"); told != c.Nowhere() {
			t.Errorf("%s: the terminal says %v\n%s", tc.why, told, b.String())
		}
	}
}

// Batches that share a question are repetitions, each of which was asked all; batches that share
// none are parts of one.
func TestQuestionsOfBatches(t *testing.T) {
	for _, tc := range []struct {
		why               string
		answers           []string // batch and question
		asked, unanswered int
	}{
		{"one batch", []string{"b1 q1", "b1 q2"}, 4, 2},
		{"two nights", []string{"b1 q1", "b1 q2", "b1 q3", "b1 q4", "b2 q1"}, 8, 3},
		{"two parts", []string{"b1 q1", "b1 q2", "b2 q3"}, 4, 1},
	} {
		s := report.NewSummary(report.SummaryOptions{})
		for _, a := range tc.answers {
			scoreOf(s, a[3:], "a", "1", a[:2], scoring.OK(1, ""))
		}
		record(s, "q1", "q2", "q3", "q4")
		if c := s.Figures().Metrics[0].Rates[0].Coverage; c.Asked != tc.asked || c.Unanswered != tc.unanswered || c.Scored != len(tc.answers) {
			t.Errorf("%s: %+v, want %d asked, %d unanswered", tc.why, c, tc.asked, tc.unanswered)
		}
	}
}

// Versions of one agent are compared in turn, agents of one version with each other, and on request
// everything with one.
func TestWhatIsCompared(t *testing.T) {
	for _, tc := range []struct {
		agents  []string
		against string
		want    string
	}{
		{[]string{"a 1.0", "a 1.10", "a 1.9"}, "", "[a 1.0 > a 1.9 a 1.9 > a 1.10]"},
		{[]string{"alpha 2.0", "beta 1.0"}, "", "[]"},
		{[]string{"alpha 1.0", "alpha 2.0", "beta 1.0"}, "", "[alpha 1.0 > alpha 2.0 alpha 1.0 > beta 1.0]"},
		{[]string{"alpha 2.0", "beta 1.0"}, "beta", "[beta 1.0 > alpha 2.0]"},
		{[]string{"alpha 1.0", "alpha 2.0", "beta 1.0"}, "alpha@2.0", "[alpha 2.0 > alpha 1.0 alpha 2.0 > beta 1.0]"},
		{[]string{"alpha 1.0", "alpha 2.0"}, "alpha", "error"},
		{[]string{"alpha 1.0"}, "gamma", "error"},
	} {
		s := report.NewSummary(report.SummaryOptions{})
		for _, a := range tc.agents {
			var name, version string
			_, _ = fmt.Sscan(a, &name, &version)
			scoreOf(s, "q", name, version, "b"+version, scoring.OK(1, ""))
		}
		got := []string{}
		err := s.CompareWith(tc.against)
		for _, c := range s.Figures().Changes {
			got = append(got, fmt.Sprintf("%s %s > %s %s", c.From.Name, c.From.Version, c.To.Name, c.To.Version))
		}
		if said := fmt.Sprint(got); err != nil && tc.want != "error" || err == nil && said != tc.want {
			t.Errorf("%v against %q: %s %v, want %s", tc.agents, tc.against, said, err, tc.want)
		}
	}
}

// Of a question in several batches the last one of each version is compared.
func TestChangesOfTheLastBatch(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{})
	scoreOf(s, "q", "a", "1", "night 9", scoring.OK(0, ""))
	scoreOf(s, "q", "a", "1", "night 10", scoring.OK(0.25, ""))
	scoreOf(s, "q", "a", "2", "night 11", scoring.OK(1, ""))
	c := s.Figures().Changes
	if len(c) != 1 || c[0].Metrics[0].N != 1 || c[0].Metrics[0].Of != 1 || c[0].Metrics[0].Mean != 0.75 {
		t.Errorf("%+v, want one pair, 0.25 to 1", c)
	}
}

// Cases whose tags cannot be read are a part of their own, which names them, and count in all else.
func TestTagsThatCannotBeRead(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{})
	for i, tags := range [][]string{{"sales"}, nil, nil} {
		c := report.Case{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", i), By: scoring.By{Agent: "a", Version: "1"}}, Tags: tags}
		if i == 2 {
			c.TagsErr = fmt.Errorf("tags cannot be read")
		}
		score := scoring.OK(1, "")
		score.Metric = "m"
		s.Add(score, c)
	}
	f := s.Figures()
	if f.Cases != 3 || f.Metrics[0].Rates[0].N != 3 || len(f.Tags) != 1 || f.Tags[0].Name != "sales" || f.Tags[0].First != nil {
		t.Errorf("%+v", f)
	}
	if of := f.UnreadableTags; of == nil || of.Cases != 1 || of.Rates[0].N != 1 || !slices.Equal(of.First, []string{"c2"}) {
		t.Errorf("%+v, want one case, c2, with its score", of)
	}
	var b strings.Builder
	if err := f.Render(&b, report.Options{Width: 120}); err != nil || !strings.Contains(b.String(), "tags that cannot be read: c2") {
		t.Errorf("%v: the terminal does not name c2\n%s", err, b.String())
	}
}

// A question that was asked on three nights is one: in the counts of tags and of reasons, and among the worst answers.
// An answer that is missing did not pass.
func TestQuestionsOfSeveralBatchesAreCountedOnce(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{Metrics: []scoring.Metric{{Name: "hybrid_ex"}}})
	passed, failed := true, false
	for _, night := range []string{"n1", "n2", "n3"} {
		for _, q := range []string{"q1", "q2", "q3", "q4"} {
			score := scoring.OK(1, "")
			score.Passed = &passed
			switch q {
			case "q2":
				score = scoring.OK(0, "wrong on "+night)
				score.Passed = &failed
			case "q3":
				score = scoring.NotApplicable(scoring.NoPred)
			case "q4":
				score = scoring.NotApplicable("the question calls for a refusal")
			}
			score.Metric = "hybrid_ex"
			s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: q, By: scoring.By{Agent: "a", Version: "1", Batch: night}}, Tags: []string{"sales"}})
		}
	}
	f := s.Figures()
	if f.Cases != 4 || f.Answers != 9 || f.Missing != 3 || f.Tags[0].Cases != 4 {
		t.Errorf("%d questions, %d answers, %d missing, %d questions with the tag", f.Cases, f.Answers, f.Missing, f.Tags[0].Cases)
	}
	if p := f.Metrics[0].Rates[0].Passed; p.Passed != 3 || p.Of != 9 || p.Questions != 3 || p.Over() != "9 answers to 3 questions" {
		t.Errorf("%+v, want 3 of 9 answers to 3 questions", p)
	}
	if len(f.Worst) != 1 || f.Worst[0].Batch != "n3" || f.Worst[0].Reason != "wrong on n3" {
		t.Errorf("%+v", f.Worst)
	}
	for _, u := range f.Unscored {
		if u.N != 3 || u.Cases != 1 {
			t.Errorf("%+v, want 3 scores of 1 question", u)
		}
	}
}
