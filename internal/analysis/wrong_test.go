package analysis

import (
	"fmt"
	"strings"
	"testing"

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
	if one := f.Wrong[0]; one.Judged != 5 || one.Wrong != 2 || one.NewlyWrong != nil || len(one.Reasons) != 2 {
		t.Errorf("%+v", one)
	}
	two := f.Wrong[1]
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
