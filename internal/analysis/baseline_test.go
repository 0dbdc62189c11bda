package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/scoring"
)

// accept is the acceptance of one batch.
func accept(agent, version, batch string) Accepted {
	by := scoring.By{Agent: agent, Version: version, Batch: batch}
	return Accepted{by: {By: by, Who: "kim", When: day(9), Note: "checked"}}
}

func TestBaselineOf(t *testing.T) {
	night := func(agent, version string, n int, unfinished string) Batch {
		return Batch{By: scoring.By{Agent: agent, Version: version, Batch: fmt.Sprint("n", n)}, At: day(n),
			Unfinished: unfinished}
	}
	list := []Batch{
		night("a", "1", 1, "stopped"), night("a", "1", 2, ""), night("b", "1", 2, ""), night("a", "1", 3, ""),
		night("a", "2", 4, ""), night("a", "2", 5, "running"), night("a", "2", 6, ""),
		night("a", "3", 7, ""),
	}
	both := accept("a", "1", "n3")
	for by, a := range accept("a", "2", "n6") {
		both[by] = a
	}
	for _, tc := range []struct {
		of       int
		accepted Accepted
		at       int
		why      string
	}{
		{0, nil, -1, ""},
		{1, nil, -1, ""}, // the one before is not complete
		{2, nil, -1, ""}, // another agent
		{3, nil, 1, BaselineFirst},
		{4, nil, 1, baselineBefore},
		{6, nil, 4, BaselineFirst},
		{7, nil, 4, baselineBefore},
		{6, accept("a", "1", "n3"), 3, BaselineAccepted}, // of another version, too
		{3, accept("a", "1", "n3"), 1, BaselineFirst},    // never itself
		{4, accept("b", "1", "n2"), 1, baselineBefore},   // of another agent
		{4, accept("a", "2", "n6"), 1, baselineBefore},   // later
		{7, both, 6, BaselineAccepted},
		{6, both, 3, BaselineAccepted},
	} {
		at, b := BaselineOf(list, tc.accepted, tc.of)
		if at != tc.at || (b == nil) != (at < 0) || b != nil && (b.Why != tc.why || b.Batch != list[at]) {
			t.Errorf("%s with %v: %d %+v, want %d %s", list[tc.of].Name(), tc.accepted, at, b, tc.at, tc.why)
		}
	}
	_, b := BaselineOf(list, accept("a", "1", "n3"), 6)
	if want := "a 1, batch n3 (Fri 3 Jan 2025, 3 days before), accepted by kim on Thu 9 Jan 2025: checked"; b.String() != want || b.Batches != 3 || *b.Days != 3 {
		t.Errorf("%q %+v, want %q", b, b, want)
	}
	list[1].At = time.Time{}
	if _, b := BaselineOf(list, nil,
		4); b.String() !=
		"a 1, batch n2 (2 batches before), the first complete batch of the version before; no batch has been accepted" ||
		b.Days != nil {
		t.Errorf("%q", b)
	}
}

// A baseline says which acceptances were not used, and why.
func TestBaselineNamesUnusedAcceptances(t *testing.T) {
	night := func(agent, version string, n int) Batch {
		return Batch{By: scoring.By{Agent: agent, Version: version, Batch: fmt.Sprint("n", n)}, At: day(n)}
	}
	list := []Batch{night("a", "1", 1), night("a", "1", 2), night("b", "1", 2), night("a", "1", 3)}
	accepted := func(all ...Accepted) Accepted {
		out := Accepted{}
		for _, one := range all {
			for by, a := range one {
				out[by] = a
			}
		}
		return out
	}
	for _, tc := range []struct {
		why      string
		accepted Accepted
		of       int
		want     string // the end of the text
	}{
		{"none", nil, 1, "; no batch has been accepted"},
		{"another agent's", accept("b", "1", "n2"), 1, "; no batch has been accepted"},
		{"the batch itself", accept("a", "1", "n2"), 1, "; no earlier batch has been accepted"},
		{"a later one", accept("a", "1", "n3"), 1, "; no earlier batch has been accepted"},
		{"an earlier one", accept("a", "1", "n2"), 3, ", accepted by kim on Thu 9 Jan 2025: checked"},
		{"an earlier and a later one", accepted(accept("a", "1", "n1"), accept("a", "1", "n3")), 1, ", accepted by kim on Thu 9 Jan 2025: checked"},
		{"one without scores", accept("a", "1", "n9"), 1, "; no batch has been accepted; accepted, but without scores: a 1, batch n9"},
		{"one with and two without scores", accepted(accept("a", "1", "n1"), accept("a", "1", "n9"), accept("a", "0", "n7")), 1,
			": checked; accepted, but without scores: a 0, batch n7, a 1, batch n9"},
	} {
		if _, b := BaselineOf(list, tc.accepted, tc.of); b == nil || !strings.HasSuffix(b.String(), tc.want) {
			t.Errorf("%s: %v, want …%s", tc.why, b, tc.want)
		}
	}
}

// The date of a batch decides which version is the one before, not its name.
func TestBaselineIsByDate(t *testing.T) {
	list := []Batch{
		{By: scoring.By{Agent: "a", Version: "1.10", Batch: "x"}, At: day(1)},
		{By: scoring.By{Agent: "a", Version: "1.9", Batch: "y"}, At: day(2)},
		{By: scoring.By{Agent: "a", Version: "1.11", Batch: "z"}, At: day(3)},
	}
	for i, want := range []int{-1, 0, 1} {
		if at, _ := BaselineOf(list, nil, i); at != want {
			t.Errorf("the baseline of %s is %d, want %d", list[i].Name(), at, want)
		}
	}
}

// What cannot be compared has a headline with the reason, and a drop below --min-drop is not called real.
func TestHeadlineReasons(t *testing.T) {
	other := func(n int, config string) (out []Score) {
		for i, id := range ids(12) {
			s := verdict(id, i >= n)
			s.Config = config
			out = append(out, s)
		}
		return out
	}
	for _, tc := range []struct {
		why      string
		from, to []Score
		minDrop  float64
		want     string
	}{
		{"another configuration", other(0, "c"), other(9, "d"), 0, "ex cannot be compared: 12 cases: the configuration of the metric changed."},
		{"no shared case", []Score{verdict("x", true)}, other(9, "c"), 0, "ex cannot be compared: the sides share no case."},
		{"a drop", other(0, "c"), other(9, "c"), 0, "25% of 12 answers are right by ex, down from 100%. 9 broke, 0 fixed. The drop is more than chance."},
		{"a drop below the minimum", other(0, "c"), other(9, "c"), 0.76, "25% of 12 answers are right by ex; 100% before. 9 broke, 0 fixed. The drop is more than chance, but below --min-drop."},
		{"a drop of the minimum", other(0, "c"), other(9, "c"), 0.75, "25% of 12 answers are right by ex, down from 100%. 9 broke, 0 fixed. The drop is more than chance."},
	} {
		c, _ := compareOne(t, tc.from, tc.to, CompareOptions{MinDrop: tc.minDrop})
		if got := c.Headline(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

// A filter chooses which batches are shown, and never which batch is the baseline.
func TestTrendFilterKeepsBaselines(t *testing.T) {
	m := &memory{}
	night := func(version string, n, right int) {
		var scores []Score
		for i, id := range ids(16) {
			scores = append(scores, verdict(id, i < right))
		}
		m.add(Batch{By: scoring.By{Agent: "a", Version: version, Batch: fmt.Sprint("n", n)}, At: day(n)}, scores...)
	}
	night("1", 1, 15)
	night("1", 2, 14)
	night("1", 3, 13)
	night("2", 4, 12)
	night("2", 5, 6)
	m.accepted = accept("a", "1", "n2")
	whole, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why    string
		choose func(*Batch) bool
		n      int
		before []string // by point: the index of the baseline, or - if it is not shown
	}{
		{"one batch", func(b *Batch) bool { return b.Batch == "n5" }, 1, []string{"-"}},
		{"one version", func(b *Batch) bool { return b.Version == "2" }, 2, []string{"-", "-"}},
		{"the baseline and the last", func(b *Batch) bool { return b.Batch == "n2" || b.Batch == "n5" }, 2, []string{"-", "0"}},
	} {
		some, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{Choose: tc.choose})
		if err != nil || len(some.Batches) != tc.n {
			t.Fatalf("%s: %v, %d batches", tc.why, err, len(some.Batches))
		}
		c := some.Newest()
		if c == nil || c.From.Batch != "n2" || c.Baseline.Why != BaselineAccepted || c.Changes[0].NBroken != 8 {
			t.Errorf("%s: %+v", tc.why, c)
			continue
		}
		if a, b := some.Latest[0], whole.Latest[0]; a.Headline != b.Headline || len(a.Findings) != len(b.Findings) || len(b.Findings) == 0 {
			t.Errorf("%s: %+v, want as over all batches %+v", tc.why, a, b)
		}
		var before []string
		for _, p := range some.Points {
			if p.Before == nil {
				before = append(before, "-")
			} else {
				before = append(before, fmt.Sprint(*p.Before))
			}
		}
		if strings.Join(before, " ") != strings.Join(tc.before, " ") {
			t.Errorf("%s: baselines %v, want %v", tc.why, before, tc.before)
		}
		// 8 of the 14 broke: p is 2/2^8.
		said, passed := some.Check([]gate.Drop{{Metric: "ex", Drop: .05}}, false)
		if passed || !strings.Contains(said[0], "87.5%, then on 37.5% of 16 shared cases (-50.0 points, more than chance, p 0.008)") {
			t.Errorf("%s: %v %q", tc.why, passed, said)
		}
	}
	one, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{Choose: func(b *Batch) bool { return b.Batch == "n1" }})
	if err != nil || one.Newest() != nil || !strings.Contains(strings.Join(one.Notes, "\n"), "one batch only") {
		t.Errorf("the first batch has no baseline: %v %+v", err, one)
	}
}

// One bad night after flat ones is one finding about the course. A second one is a new level.
func TestOneBadNightIsNoLevel(t *testing.T) {
	for _, tc := range []struct {
		why    string
		nights []int // right answers of 40
		want   string
	}{
		{"flat", []int{34, 33, 34, 33, 34, 33, 34, 33, 34, 33}, ""},
		{"one bad night", []int{34, 33, 34, 33, 34, 33, 34, 33, 34, 12}, "outside_usual_range"},
		// The mean before is 31.1, and the mean step 28/8: 12 is below 31.1 - 2.66*3.5.
		{"two bad nights", []int{34, 33, 34, 33, 34, 33, 34, 33, 12, 12}, "change_point"},
		{"a bad night after a decline", []int{39, 37, 35, 33, 31, 29, 27, 25, 23, 1}, "trend outside_usual_range"},
	} {
		m := &memory{}
		for n, right := range tc.nights {
			var scores []Score
			for i, id := range ids(40) {
				scores = append(scores, verdict(id, i < right))
			}
			m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: fmt.Sprintf("n%02d", n)}, At: day(n + 1)}, scores...)
		}
		h, err := NewHistory(t.Context(), m, NewSet(nil), m.batches, "ex")
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, f := range h.Course(0.05, 0).Findings {
			kinds = append(kinds, f.Kind)
		}
		if got := strings.Join(kinds, " "); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

// decline is 11 nights of 44 questions, on which 2 more answers break each night: from 35 right to 15.
func decline() *memory {
	m := &memory{}
	for n := range 11 {
		var scores []Score
		for i, id := range ids(44) {
			scores = append(scores, verdict(id, i < 35-2*n))
		}
		m.add(Batch{By: scoring.By{Agent: "atlas", Version: "3", Batch: fmt.Sprintf("n%02d", n+1)}, At: day(n + 1)},
			scores...)
	}
	return m
}

// No step of a slow decline is more than chance (2 of 2 broke: p 0.5), but the decline is: of 20 answers that changed
// against the first night all broke, so that McNemar's p is 2/2^20.
func TestSlowDecline(t *testing.T) {
	trend, err := NewTrend(t.Context(), decline(), NewSet(nil), TrendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := trend.Newest()
	if ch := &c.Changes[0]; c.From.Batch != "n01" || c.Baseline.Why != BaselineFirst || ch.NBroken != 20 ||
		ch.NFixed != 0 || !near(*ch.PAdjusted, 2/float64(1<<20), 1e-12) || ch.Outcome != Degraded ||
		ch.Chance != MoreThanChance {
		t.Errorf("%+v: %+v", c.Baseline, ch)
	}
	said, reached := trend.Check([]gate.Drop{{Metric: "ex", Drop: .05}}, false)
	if want := "gate failed: ex passed on 79.5%, then on 34.1% of 44 shared cases (-45.5 points, more than chance, p <.001); the gate fails at a drop of 5 points or more, if it is more than chance"; reached || said[0] != want {
		t.Errorf("%v %q, want %q", reached, said, want)
	}
	l := trend.Latest[0]
	if want := "34% of 44 answers are right by ex, down from 80% in the baseline. 20 broke, 0 fixed. The drop is more than chance."; l.Headline != want || l.Batch != 10 || len(trend.Latest) != 1 {
		t.Errorf("%+v, want %q", l, want)
	}
	var kinds []string
	for _, f := range l.Findings {
		kinds = append(kinds, f.Kind)
		if !f.Worse || f.Text == "" {
			t.Errorf("%+v", f)
		}
	}
	// The mean of the ten nights before is 26 of 44, and each step 2 of 44: usual is 26 -+ 5.32 of 44, and 15 is below.
	if got := strings.Join(kinds, " "); got != "drop trend outside_usual_range" {
		t.Errorf("findings %s", got)
	}
	if u := l.Course.Usual; !near(u.Low, (26-5.32)/44, 1e-9) || !near(u.High, (26+5.32)/44, 1e-9) || u.Batches != 10 {
		t.Errorf("usual range %+v", u)
	}
	if s := l.Course.Trend; !near(s.PerOccasion, -2.0/44, 1e-12) || s.P > 1e-6 {
		t.Errorf("trend %+v", s)
	}

	// With an accepted night 9 only 4 more broke: p is 2/2^4.
	m := decline()
	m.accepted = accept("atlas", "3", "n09")
	if trend, err = NewTrend(t.Context(), m, NewSet(nil), TrendOptions{}); err != nil {
		t.Fatal(err)
	}
	if c := trend.Newest(); c.Baseline.Why != BaselineAccepted || c.Changes[0].Outcome != Chance ||
		!near(*c.Changes[0].P, 2.0/16, 1e-12) {
		t.Errorf("%+v: %+v", c.Baseline, c.Changes[0])
	}
}

// A night without answers counts as wrong, one of other gold answers is not part of the course.
func TestHistory(t *testing.T) {
	m := &memory{}
	for n := range 5 {
		var scores []Score
		for i, id := range ids(10) {
			s := verdict(id, i < 6)
			if n == 3 && i == 0 {
				s = Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: scoring.StatusNotApplicable, Reason: scoring.NoPred,
					Config: "c", Gold: "g"}
			}
			if i == 9 { // expects no result
				s = Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: scoring.StatusNotApplicable, Reason: "no gold",
					Config: "c", Gold: "g"}
			}
			if n == 0 {
				s.Gold = "older"
			}
			scores = append(scores, s)
		}
		m.add(Batch{By: scoring.By{Agent: "a", Batch: fmt.Sprint("n", n)}, At: day(n + 1)}, scores...)
	}
	h, err := NewHistory(t.Context(), m, NewSet(nil), OfAgent(m.batches, 4, 0), "ex")
	if err != nil || len(h.Cases) != 10 || len(h.Batches) != 5 {
		t.Fatalf("%v %+v", err, h)
	}
	for i, want := range map[int]string{0: "passed passed passed unanswered passed",
		5: "passed passed passed passed passed", 6: "failed failed failed failed failed",
		9: "not_applicable not_applicable not_applicable not_applicable not_applicable"} {
		var got []string
		for _, s := range h.Cases[i].Standings {
			got = append(got, s.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", h.Cases[i].CaseID, got, want)
		}
	}
	c := h.Course(.05, 0)
	if c == nil || c.Questions != 9 || len(c.Shares) != 4 || !near(c.Shares[2], 5.0/9, 1e-12) ||
		!near(c.Shares[3], 6.0/9, 1e-12) || len(c.Findings) != 0 {
		t.Errorf("%+v", c)
	}
	if last, err := NewHistory(t.Context(), m, NewSet(nil), OfAgent(m.batches, 4, 2), "ex"); err != nil ||
		len(last.Batches) != 2 || last.Course(.05, 0) != nil {
		t.Errorf("two nights: %v %+v", err, last)
	}
	if none, err := NewHistory(t.Context(), m, NewSet(nil), nil, "ex"); err != nil || none.Course(.05, 0) != nil {
		t.Errorf("no nights: %v %+v", err, none)
	}
}

// A missing answer did not pass, in the share and in the change: 6 of 9 before, 5 of 10 after, of which one is missing.
func TestMissingAnswersAreWrong(t *testing.T) {
	var from, to []Score
	for i, id := range ids(10) {
		from = append(from, verdict(id, i < 6))
		s := verdict(id, i < 6)
		if i == 0 {
			s = Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: scoring.StatusNotApplicable,
				Reason: scoring.NoPredResult, Config: "c", Gold: "g"}
		}
		to = append(to, s)
	}
	_, ch := compareOne(t, from, to, CompareOptions{})
	if ch.To.Of != 10 || ch.To.Judged != 9 || !near(*ch.To.PassRate, .5, 1e-12) || ch.Rated != 10 ||
		ch.PassedBefore != 6 || ch.PassedAfter != 5 || ch.NBroken != 1 || !near(*ch.Rate, -.1, 1e-12) {
		t.Errorf("%+v", ch)
	}
}

// rightOn returns a source of nights of one agent and 40 questions: on each, right of them are right.
func rightOn(versions string, right ...int) *memory {
	m := &memory{}
	for n, r := range right {
		var scores []Score
		for i, id := range ids(40) {
			scores = append(scores, verdict(id, i < r))
		}
		m.add(Batch{By: scoring.By{Agent: "a", Version: versions[n : n+1], Batch: fmt.Sprintf("n%02d", n)}, At: day(n + 1)},
			scores...)
	}
	return m
}

// A first batch of a version that is really worse than its baseline does not become a baseline: the second bad night is
// compared with the last good one, until the bad one is accepted.
func TestBadBatchIsNoBaseline(t *testing.T) {
	drop := []gate.Drop{{Metric: "ex", Drop: .05}}
	for _, tc := range []struct {
		why, versions string
		right         []int
		accepted      Accepted
		base          string
		reached       bool
		text          string // in the line on the baseline
	}{
		{"two bad nights", "1122", []int{32, 32, 18, 18}, nil, "n00", false,
			"a 1, batch n00 (Wed 1 Jan 2025, 3 days before), kept until a batch is accepted: a 2, batch n02 is 35.0 points worse, so it does not become a baseline by itself"},
		{"a drop that could be chance", "1122", []int{32, 32, 31, 18}, nil, "n02", false, "the first complete batch of this version"},
		{"a version after a bad one", "11223", []int{32, 32, 18, 18, 18}, nil, "n00", false, "kept until"},
		{"three bad versions", "1234", []int{32, 18, 18, 18}, nil, "n00", false, "a 3, batch n02 is"},
		{"after the recovery", "11222", []int{32, 32, 18, 32, 31}, nil, "n00", true, "kept until"},
		{"the bad one is accepted", "1122", []int{32, 32, 18, 18}, accept("a", "2", "n02"), "n02", true, "accepted by kim"},
		{"worse than an accepted one", "1122", []int{18, 32, 18, 18}, accept("a", "1", "n01"), "n01", false, "accepted by kim"},
	} {
		m := rightOn(tc.versions, tc.right...)
		m.accepted = tc.accepted
		tr, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		base := tr.Baselines[len(tr.Baselines)-1]
		said, reached := tr.Check(drop, false)
		if base.Batch.Batch != tc.base || reached != tc.reached || !strings.Contains(base.String(), tc.text) {
			t.Errorf("%s: baseline %s, %v %q", tc.why, base, reached, said)
		}
	}
}

// The course of constructed series says what happened, and nothing else.
func TestCourseSaysWhatHappened(t *testing.T) {
	level := func(n, right int) []int { return slices.Repeat([]int{right}, n) }
	for _, tc := range []struct {
		why      string
		versions string // of the nights after the first; "" for one version
		right    []int  // of 40
		want     string // kinds of findings, with - if worse
	}{
		{"flat", "", level(16, 31), ""},
		{"a slow decline", "", []int{36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21}, "-trend -outside_usual_range"},
		{"a slow decline of few nights", "", []int{36, 33, 30, 27, 24, 21}, "-trend"},
		{"a slow rise", "", []int{21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36}, "trend outside_usual_range"},
		{"a cliff", "", append(level(10, 31), 18, 17, 18), "-change_point"},
		{"a cliff with noise", "", []int{31, 33, 30, 32, 31, 33, 30, 32, 18, 17, 19, 18}, "-change_point"},
		{"an early cliff", "", append(level(3, 31), level(10, 18)...), "-change_point"},
		{"a step up", "", append(level(6, 18), level(6, 31)...), "change_point"},
		{"one bad night", "", append(level(14, 31), 18), "-outside_usual_range"},
		{"one bad night of a new version", "v", append(level(14, 31), 18), "-outlier"},
		{"an outlier and the recovery", "", append(level(14, 31), 18, 31), "outlier"},
		{"a slightly lower recovery", "", append(level(14, 31), 18, 30), "outlier"},
		{"an old outlier", "", append(append(level(7, 31), 18), level(8, 31)...), ""},
		{"two bad nights and the recovery", "", append(level(14, 31), 18, 18, 31), ""},
		{"a decline and the recovery", "", []int{36, 34, 32, 30, 28, 26, 24, 22, 20, 36}, "outside_usual_range"},
	} {
		m := rightOn(strings.Repeat("1", len(tc.right)-1)+map[bool]string{true: "1", false: "2"}[tc.versions == ""], tc.right...)
		h, err := NewHistory(t.Context(), m, NewSet(nil), m.batches, "ex")
		if err != nil {
			t.Fatal(err)
		}
		var kinds, texts []string
		for _, f := range h.Course(0.05, 0).Findings {
			kinds, texts = append(kinds, map[bool]string{true: "-"}[f.Worse]+f.Kind), append(texts, f.Text)
		}
		if got := strings.Join(kinds, " "); got != tc.want {
			t.Errorf("%s: %q, want %q: %q", tc.why, got, tc.want, texts)
		}
		if tc.versions != "" && texts[0] != "since Wed 15 Jan 2025 (a 2, batch n14), the first batch of 2, 45% of 40 questions are right; 78% on average before it; one batch is not yet a new level" {
			t.Errorf("%q", texts)
		}
	}
}

// With the previous night accepted each time, no step of a slow decline fails a gate, but the decline does. Each agent is
// decided by its newest night.
func TestDeclineGate(t *testing.T) {
	decline := []int{36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22}
	for _, tc := range []struct {
		right   []int
		passed  bool
		mention string
	}{
		{decline, false, "gate failed: ex declines: the share of right answers falls over the last 15 batches"},
		{append(slices.Repeat([]int{31}, 10), 18, 18, 18), false, "gate failed: ex declines: since Sat 11 Jan 2025"},
		{append(slices.Repeat([]int{31}, 13), 18, 31), true, "gate passed: ex shows no decline over the last 15 batches"},
		{[]int{31, 20}, true, "gate passed: no decline: fewer than three batches can be compared"},
	} {
		m := rightOn(strings.Repeat("1", len(tc.right)), tc.right...)
		m.accepted = accept("a", "1", fmt.Sprintf("n%02d", len(tc.right)-2))
		tr, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if said, passed := tr.Check(nil, true); passed != tc.passed || !strings.HasPrefix(said[0], tc.mention) {
			t.Errorf("%v %q, want %q", passed, said, tc.mention)
		}
	}
	m, other := rightOn("11", 31, 10), rightOn("11", 31, 31)
	for i, b := range other.batches {
		scores := other.scores[b.Name()]
		b.Agent, b.At = "b", day(i+5)
		m.add(b, scores...)
	}
	tr, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if said, reached := tr.Check([]gate.Drop{{Metric: "ex", Drop: .05}}, false); reached || len(said) != 4 || said[2] != "a 1, batch n01:" {
		t.Errorf("%v %q", reached, said)
	}
	if said, reached := tr.Check(nil, true); !reached || len(said) != 4 || said[2] != "a 1, batch n01:" {
		t.Errorf("declines: %v %q", reached, said)
	}
}

// A gate on declines that has nothing to look at fails and says why; one that is not set says nothing.
func TestDeclineGateWithoutScores(t *testing.T) {
	others := rightOn("11", 31, 31)
	last := others.batches[1]
	last.Batch, last.At = "n99", last.At.AddDate(0, 0, 1)
	others.add(last, value("latency", "c1", 1))
	for _, tc := range []struct {
		primary string
		m       *memory
		says    string
	}{
		{"ex", &memory{}, "gate failed: no scores were found"},
		{"", &memory{}, "gate failed: no scores were found"},
		{"ex", others, "gate failed: declines cannot be tested: no answer of the newest batch has a score of ex "},
		{"ex", rightOn("111", 31, 31, 31), "gate passed: ex shows no decline over the last 3 batches"},
	} {
		tr, err := NewTrend(t.Context(), tc.m, NewSet(nil), TrendOptions{CompareOptions: CompareOptions{Primary: tc.primary}})
		if err != nil {
			t.Fatal(err)
		}
		said, passed := tr.Check(nil, true)
		if len(said) != 1 || !strings.HasPrefix(said[0], tc.says) || passed != strings.HasPrefix(tc.says, "gate passed") {
			t.Errorf("%v %q, want %q", passed, said, tc.says)
		}
		if said, passed := tr.Check(nil, false); said != nil || !passed {
			t.Errorf("no gate: %v %q", passed, said)
		}
	}
}
