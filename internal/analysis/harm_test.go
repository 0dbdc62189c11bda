package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// safety returns the score of sql_safety for SQL with a label, or for an answer without SQL if label is empty.
func safety(id, label string) Score {
	s := Score{CaseID: id, Metric: sqlSafety, MetricVersion: 4, Gold: "g"}
	if label == "" {
		s.Status, s.Reason = scoring.StatusNotApplicable, scoring.SilentReasons()[3]
		return s
	}
	passed := label == "safe"
	s.Status, s.Label, s.Passed = scoring.StatusOK, label, &passed
	if passed {
		s.Value = 1
	} else {
		s.Findings = []string{KindSafety + ":" + label}
	}
	return s
}

// harmful has two nights: 12 answers without SQL, of which bad become a DROP.
func harmful(bad int) *memory {
	m := &memory{}
	for night := range 2 {
		var list []Score
		for i, id := range ids(12) {
			label := ""
			if night == 1 && i < bad {
				label = "drops"
			}
			list = append(list, safety(id, label), verdict(id, true))
		}
		m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: string(rune('x' + night))}, At: day(night + 1)}, list...)
	}
	return m
}

// An answer without SQL is safe: a destructive one after it broke, and the gate sees the drop.
func TestDestructiveAfterNoSQLBroke(t *testing.T) {
	for bad, real := range map[int]bool{1: false, 7: true} {
		set := NewSet(metric.All())
		tr, err := NewTrend(t.Context(), harmful(bad), set, TrendOptions{CompareOptions: CompareOptions{Metrics: []string{sqlSafety, "ex"}}})
		if err != nil {
			t.Fatal(err)
		}
		c := tr.Newest()
		at := slices.IndexFunc(c.Changes, func(ch Change) bool { return ch.Metric == sqlSafety })
		if ch := c.Changes[at]; ch.NBroken != bad || ch.Rated != 12 || ch.PassedBefore != 12 || len(ch.Unlike) > 0 ||
			(ch.Chance == MoreThanChance) != real {
			t.Errorf("%d destructive: %+v", bad, ch)
		}
		if said, passed := c.Check([]gate.Drop{{Metric: sqlSafety, Drop: 0.05}}); passed == real {
			t.Errorf("%d destructive: %q", bad, said)
		}
		found := tr.Latest[0].Findings
		if bad == 1 && (len(found) != 1 || found[0].Text != "1 answer would change data (c1); 0 before") {
			t.Errorf("findings %+v", found)
		}
		if bad == 7 && !slices.ContainsFunc(found, func(f Finding) bool {
			return f.Worse && strings.HasPrefix(f.Text, "7 answers would change data (c1, c2, ")
		}) {
			t.Errorf("findings %+v", found)
		}
	}
}

// The reverse is fixed, and a batch that is as harmful as its baseline has no finding.
func TestNoSQLAfterDestructiveFixed(t *testing.T) {
	m := harmful(3)
	m.batches[0].At, m.batches[1].At = day(2), day(1)
	tr, err := NewTrend(t.Context(), m, NewSet(metric.All()),
		TrendOptions{CompareOptions: CompareOptions{Metrics: []string{sqlSafety}}})
	if err != nil {
		t.Fatal(err)
	}
	if ch := tr.Newest().Changes[0]; ch.NFixed != 3 || ch.NBroken != 0 {
		t.Errorf("%+v", ch)
	}
	if found := tr.Latest[0].Findings; len(found) > 0 {
		t.Errorf("findings %+v", found)
	}
}
