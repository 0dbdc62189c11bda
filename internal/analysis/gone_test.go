package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/scoring"
)

// without is a score without a value.
func without(id string, status scoring.Status, reason string) Score {
	return Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: status, Reason: reason, Config: "c", Gold: "g"}
}

// A case that passed and has no value now counts as not passed in both gates, by whatever it has instead.
func TestGatesCountCasesWithoutValue(t *testing.T) {
	none := scoring.UnansweredReasons()[0]
	abstained := func(id string) (Score, bool) { return without(id, scoring.StatusAbstained, "open"), true }
	for _, tc := range []struct {
		why     string
		lost, n int // of n cases that passed, lost have what now returns
		now     func(id string) (Score, bool)
		most    int // of --max-broken
		broken  bool
		counts  string
		drop    float64
		dropped bool
	}{
		{"as many as allowed", 2, 20, abstained, 2, true, "2 of the 20 cases that passed in the baseline broke (c1, c2; 2 abstained), expected at most 2", 0.1, true},
		{"one more", 3, 20, abstained, 2, false, "3 of the 20 cases that passed in the baseline broke (c1, c2, c3; 3 abstained)", 0.1, true},
		{"5 of 20 can be chance (p 2/32)", 5, 20, abstained, 5, true, "c5; 5 abstained), expected at most 5", 0.25, true},
		{"6 of 24 are more than chance (p 2/64)", 6, 24, abstained, 5, false, "c4, c5 and 1 more; 6 abstained)", 0.25, false},
		{"6 of 25 are below a drop of 25 points", 6, 25, abstained, 6, true, "", 0.25, true},
		{"absent", 6, 24, func(string) (Score, bool) { return Score{}, false }, 5, false, "6 not in this batch)", 0.25, false},
		{"failed", 6, 24, func(id string) (Score, bool) { return without(id, scoring.StatusFailed, "x"), true }, 5, false, "6 failed to be scored)", 0.25, false},
		{"not applicable", 6, 24, func(id string) (Score, bool) { return without(id, scoring.StatusNotApplicable, "no gold"), true }, 5, false, "6 not applicable)", 0.25, false},
		{"unanswered, which is compared", 6, 24, func(id string) (Score, bool) { return without(id, scoring.StatusNotApplicable, none), true }, 5, false, "c5 and 1 more), expected at most 5", 0.25, false},
		{"another gold, which is not the same question", 6, 24, func(id string) (Score, bool) {
			s := without(id, scoring.StatusAbstained, "open")
			s.Gold = "h"
			return s, true
		}, 0, true, "not compared: 6 cases: the question or its accepted answer changed", 0.25, true},
		{"all", 7, 7, abstained, 6, false, "7 of the 7 cases that passed in the baseline broke", 1, false},
	} {
		var from, to []Score
		for i, id := range ids(tc.n) {
			from = append(from, verdict(id, true))
			if i >= tc.lost {
				to = append(to, verdict(id, true))
			} else if s, is := tc.now(id); is {
				to = append(to, s)
			}
		}
		c, _ := compareOne(t, from, to, CompareOptions{})
		if said, ok := c.Check([]gate.Drop{{Metric: "ex", Counts: true, Broken: tc.most}}); ok != tc.broken || !strings.Contains(said[0], tc.counts) {
			t.Errorf("%s: %v %q, want %v …%s", tc.why, ok, said, tc.broken, tc.counts)
		}
		if said, ok := c.Check([]gate.Drop{{Metric: "ex", Drop: tc.drop}}); ok != tc.dropped {
			t.Errorf("%s: %v %q", tc.why, ok, said)
		}
	}
}

// What did not pass before cannot break, but a verdict that it lost is part of the denominator.
func TestGatesLeaveWhatDidNotPass(t *testing.T) {
	var from, to []Score
	for i, id := range ids(24) {
		from = append(from, verdict(id, i >= 8))
		if i < 8 {
			to = append(to, without(id, scoring.StatusAbstained, "open"))
		} else {
			to = append(to, verdict(id, true))
		}
	}
	c, ch := compareOne(t, from, to, CompareOptions{})
	said, ok := c.Check([]gate.Drop{{Metric: "ex", Counts: true}, {Metric: "ex", Drop: 0.01}})
	if !ok || !strings.Contains(said[0], "ex: none of the 16 cases that passed in the baseline broke, expected at most 0") || !strings.Contains(said[1], "8 cases with a verdict before have none now") || ch.Gone != 8 || ch.Lost != nil {
		t.Errorf("%v %q %+v", ok, said, ch)
	}
	if h := c.Headline(); !strings.HasSuffix(h, "Not compared: 8 of 24 answers with a value before, which have none now.") {
		t.Errorf("%q", h)
	}
}

// Of a metric without verdicts at least half of the cases must be compared.
func TestDropOfMeanNeedsHalf(t *testing.T) {
	for compared, want := range map[int]bool{9: false, 10: true, 20: true} {
		var from, to []Score
		for i, id := range ids(20) {
			from = append(from, value("latency", id, 2))
			if i < compared {
				to = append(to, value("latency", id, 2))
			}
		}
		c, _ := compareOne(t, from, to, CompareOptions{})
		said, ok := c.Check([]gate.Drop{{Metric: "latency", Drop: 0.1}})
		if ok != want || !want && !strings.Contains(said[0], "too few cases are compared: 9 of 20") {
			t.Errorf("%d: %v %q", compared, ok, said)
		}
	}
}

// Of batches with one date the accepted one is the baseline, whatever its name; without a baseline, an accepted batch
// is a fault that is named.
func TestBaselineOfOneDateAndNone(t *testing.T) {
	night := func(name string, n int) Batch {
		return Batch{By: scoring.By{Agent: "a", Version: "1", Batch: name}, At: day(n)}
	}
	for _, name := range []string{"feature", "pr"} { // before and after main
		list, accepted := []Batch{night(name, 1), night("main", 1)}, accept("a", "1", "main")
		accepted.Sort(list)
		if at, b := BaselineOf(list, accepted, 1); at != 0 || list[0].Batch != "main" || b.Why != BaselineAccepted || !strings.Contains(b.String(), "the same time") {
			t.Errorf("%s: %d %v of %v", name, at, b, list)
		}
	}
	two := accept("a", "1", "x")
	for by, a := range accept("a", "1", "y") { // accepted before x
		a.When = day(8)
		two[by] = a
	}
	list := []Batch{night("a", 1), night("x", 1), night("y", 1)}
	two.Sort(list)
	if got := fmt.Sprint(list[0].Batch, list[1].Batch, list[2].Batch); got != "yxa" {
		t.Errorf("the order of acceptances: %s", got)
	}

	gone := accept("a", "1", "deleted")
	for _, tc := range []struct {
		why      string
		accepted Accepted
		changed  time.Time
		fault    bool
		says     string
	}{
		{"none", nil, day(30), false, "no complete batch precedes it, and none is accepted"},
		{"of another agent", accept("b", "1", "main"), day(30), false, "no complete batch precedes it"},
		{"a later one", accept("a", "1", "main"), day(30), true, "a 1, batch main is accepted, but of a later date (2 Jan 2025 00:00, this batch 1 Jan 2025 00:00); compare them with badger compare --from-batch main --to-batch pr"},
		{"itself, scored before", accept("a", "1", "pr"), day(8), false, "a 1, batch pr is the accepted batch itself, and none precedes it"},
		{"itself, scored again", accept("a", "1", "pr"), day(10), true, "a 1, batch pr was accepted on 9 Jan 2025 00:00 and scored again on 10 Jan 2025 00:00, so"},
		{"itself, when is not known", accept("a", "1", "pr"), time.Time{}, false, "a 1, batch pr is the accepted batch itself, and none precedes it"},
		{"without scores", gone, day(30), true, "a 1, batch deleted is accepted, but its scores are not in this database"},
	} {
		list := []Batch{night("pr", 1), night("main", 2)}
		list[0].Changed = tc.changed
		if why, fault := NoBaseline(list, tc.accepted, 0); fault != tc.fault || !strings.Contains(why, tc.says) {
			t.Errorf("%s: %v %q", tc.why, fault, why)
		}
	}
}

// What was accepted are the scores that a batch had then. A score that is stored later replaces them: the baseline says
// so, and the gates of the batch itself fail, also if an older baseline precedes it.
func TestAcceptedScoresAreReplaced(t *testing.T) {
	const later = 10
	for _, tc := range []struct {
		why       string
		base, own time.Time // when a score of the baseline and of the batch was stored last
		ownToo    bool      // the batch is accepted, too
		again     string    // in the description of the baseline
		reached   bool
	}{
		{"nothing was stored again", day(9), day(9), true, "", true},
		{"the baseline was", day(later), day(9), true, "; scored again on 10 Jan 2025 00:00, after it was accepted", true},
		{"the batch was", day(9), day(later), true, "; a 1, batch n2 was accepted on 9 Jan 2025 00:00 and scored again on 10 Jan 2025 00:00", false},
		{"the batch was, but is not accepted", day(9), day(later), false, "", true},
		{"both were", day(later), day(later), true, "its figures are of the latest scores; a 1, batch n2 was accepted", false},
		{"unknown", time.Time{}, time.Time{}, true, "", true},
	} {
		m := &memory{accepted: accept("a", "1", "n1")}
		if tc.ownToo {
			for by, a := range accept("a", "1", "n2") {
				m.accepted[by] = a
			}
		}
		for n, stored := range []time.Time{tc.base, tc.own} {
			m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: fmt.Sprint("n", n+1)}, At: day(n + 1), Changed: stored},
				verdict("c1", true))
		}
		trend, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		says := trend.Latest[0].Baseline.String()
		if rest, found := strings.CutPrefix(says[strings.Index(says, "checked"):], "checked"); !found || tc.again == "" && rest != "" ||
			!strings.Contains(rest, tc.again) {
			t.Errorf("%s: %q", tc.why, says)
		}
		said, reached := trend.Check([]gate.Drop{{Metric: "ex", Counts: true}}, false)
		if reached != tc.reached || len(said) != 1 ||
			strings.Contains(said[0], "gate failed: a 1, batch n2 was accepted on") == reached {
			t.Errorf("%s: %v %q", tc.why, reached, said)
		}
		named := Named{Accepted: m.accepted}
		from, to, err := named.Sides(m.batches)
		if err != nil {
			t.Fatal(err)
		}
		c, err := CompareSides(t.Context(), m, NewSet(nil), from, to, CompareOptions{Metrics: []string{"ex"}})
		if err != nil {
			t.Fatal(err)
		}
		c.Baseline = named.Baseline(m.batches, from, to)
		if _, same := c.Check([]gate.Drop{{Metric: "ex", Counts: true}}); same != tc.reached || c.Baseline.String() != says {
			t.Errorf("%s: compare: %v %q", tc.why, same, c.Baseline)
		}
	}
}
