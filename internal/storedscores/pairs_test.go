//go:build !no_duckdb

package storedscores_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// warehouse is an embedded one with badger's tables.
func warehouse(t testing.TB) *connectors.Warehouse {
	t.Helper()
	var mux connectors.Mux
	mux.Register("duckdb", duckdb.Open)
	w, err := mux.Open(t.Context(), "duckdb:", driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// fill writes a run of random scores.
func fill(t testing.TB, w *connectors.Warehouse, run connectors.Run, metrics []string, r *rand.Rand, cases int) {
	t.Helper()
	if err := w.WriteRuns(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	var rows []connectors.ScoreRow
	for i := range cases {
		if r.IntN(8) == 0 {
			continue
		}
		id := scoring.AnswerID{CaseID: fmt.Sprint("c", i), Agent: run.Agent, Version: run.AgentVersion, Batch: run.BatchID}
		for m, name := range metrics {
			if r.IntN(9) == 0 {
				continue
			}
			s := scoring.Score{CaseID: id.CaseID, Metric: name, Version: 1 + r.IntN(9)/8, Status: scoring.StatusOK, Value: float64(r.IntN(4)) / 3, Reason: fmt.Sprint("reason ", r.IntN(3))}
			switch {
			case m == 0:
				s.Value = float64(r.IntN(2))
				s.Passed = at(s.Value == 1)
			case m == 1:
				s.Passed = at(s.Value > 0.5)
			}
			switch r.IntN(12) {
			case 0:
				s.Status, s.Passed = scoring.StatusAbstained, nil
			case 1:
				s.Status, s.Passed = scoring.StatusNotApplicable, nil
			case 2:
				s.Status, s.Passed, s.Reason = scoring.StatusNotApplicable, nil, scoring.NoPred
			case 3:
				s.Status, s.Passed = scoring.StatusFailed, nil
			}
			if r.IntN(3) == 0 {
				s.Usage = &scoring.Usage{Calls: 1}
			}
			row := connectors.ScoreRow{AnswerID: id, Score: s, GoldHash: fmt.Sprint("g", r.IntN(10)/9)}
			if r.IntN(10) == 0 {
				row.GoldHash = ""
			}
			rows = append(rows, row)
		}
	}
	if err := w.WriteScores(t.Context(), run.ID, "hash", run.Started, rows); err != nil {
		t.Fatal(err)
	}
}

func at[T any](v T) *T { return &v }

// A comparison from counts of equal pairs is the comparison of the scores one by one, to the last
// digit, whether a run or the latest scores of a batch are compared. Its transitions add up to the
// cases that either side has a score of.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	w := warehouse(t)
	metrics := []string{"hybrid_ex", "row_f1", "latency_overhead", "own"}
	day := time.Date(2025, 1, 13, 0, 0, 0, 0, time.UTC)
	runs := []connectors.Run{
		{ID: "r1", Agent: "atlas", AgentVersion: "1", BatchID: "b1", Started: day, Judge: "o3-2504", Config: `{"options":{"hybrid_ex":{"tolerance":0.1}}}`, Status: "done"},
		{ID: "r2", Agent: "atlas", AgentVersion: "2", BatchID: "b1", Started: day.AddDate(0, 0, 1), Judge: "o3-2504", Config: `{"options":{}}`, Status: "done"},
		{ID: "r3", Agent: "atlas", AgentVersion: "2", BatchID: "b1", Started: day.AddDate(0, 0, 2), Judge: "other-2024", Config: `{"options":{}}`, Status: "stopped"},
	}
	for _, run := range runs {
		fill(t, w, run, metrics, r, 700)
	}
	from := analysis.Batch{Agent: "atlas", Version: "1", ID: "b1"}
	to := analysis.Batch{Agent: "atlas", Version: "2", ID: "b1", Unfinished: "stopped"}
	o := analysis.CompareOptions{Metrics: metrics, Seed: 5}

	set := analysis.NewSet(metric.All())
	src := storedscores.In(w)
	one, two := set.Answers(from), set.Answers(to)
	for _, a := range []*analysis.Answers{one, two} {
		if err := src.Load(t.Context(), a.Batch, metrics, a); err != nil {
			t.Fatal(err)
		}
	}
	want := analysis.Compare(one, two, o)

	got, err := storedscores.In(w).Compare(t.Context(), analysis.NewSet(metric.All()), storedscores.SideOf(from), storedscores.SideOf(to), from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*want, got.Comparison, cmpopts.IgnoreFields(analysis.Change{}, "Fixed", "Broken", "NFixed", "NBroken")); d != "" {
		t.Errorf("counts of pairs and single scores differ: %s", d)
	}
	for i := range want.Changes {
		c, g := &want.Changes[i], &got.Changes[i]
		if len(c.Fixed) != g.NFixed || len(c.Broken) != g.NBroken || len(c.Fixed) != c.NFixed {
			t.Errorf("%s: %d and %d cases changed their verdict, want %d and %d", c.Metric, g.NFixed, g.NBroken, len(c.Fixed), len(c.Broken))
		}
		if c.Compared < 100 || len(c.Unlike) < 3 {
			t.Errorf("%s: only %d cases are compared, and %v are not: the test shows little", c.Metric, c.Compared, c.Unlike)
		}
		sum, fixed := 0, 0
		for _, m := range got.Transitions[g.Metric] {
			sum += m.Cases
			if m.From == analysis.StandAbsent && m.To == analysis.StandAbsent || m.Cases == 0 || m.OtherReason > m.Cases {
				t.Errorf("%s: %+v", g.Metric, m)
			}
			if m.From == analysis.StandFailed && m.To == analysis.StandPassed {
				fixed = m.Cases
			}
		}
		if all := g.From.Asked + g.To.Asked - g.Shared; sum != all {
			t.Errorf("%s: the transitions add up to %d, there are %d cases", g.Metric, sum, all)
		}
		if g.Metric == "hybrid_ex" && fixed < g.NFixed/2 {
			t.Errorf("%d cases went from failed to passed, %d of those that may be compared", fixed, g.NFixed)
		}
	}

	trend, err := analysis.NewTrend(t.Context(), storedscores.In(w), analysis.NewSet(metric.All()), analysis.TrendOptions{CompareOptions: analysis.CompareOptions{Metrics: metrics}})
	if err != nil {
		t.Fatal(err)
	}
	counted, err := storedscores.In(w).Trend(t.Context(), analysis.NewSet(metric.All()), analysis.TrendOptions{CompareOptions: analysis.CompareOptions{Metrics: metrics}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(trend, counted, cmpopts.IgnoreUnexported(analysis.Trend{}), cmpopts.IgnoreFields(analysis.Change{}, "Fixed", "Broken", "NFixed", "NBroken")); d != "" || len(trend.Points) != 8 {
		t.Errorf("%d points; the trend from counts differs: %s", len(trend.Points), d)
	}

	// of the earlier run of the second version alone
	set = analysis.NewSet(metric.All())
	got, err = storedscores.In(w).Compare(t.Context(), set, storedscores.Side{Run: "r1", Agent: "atlas", Version: "1", Batch: "b1"}, storedscores.Side{Run: "r2", Agent: "atlas", Version: "2", Batch: "b1"}, from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Changes {
		for _, u := range c.Unlike {
			if u.Why == "judge" {
				t.Errorf("%s: both runs have the same judge: %v", c.Metric, u)
			}
		}
	}
}
