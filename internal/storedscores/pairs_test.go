//go:build !no_duckdb && !no_postgres

package storedscores_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// onEngines calls f with an empty installation in DuckDB or in PostgreSQL, which the seed draws by the name of the test, and
// in DuckDB if this machine has no PostgreSQL; where tests are thorough, in both.
func onEngines(t *testing.T, f func(t *testing.T, w *store.Store)) {
	t.Helper()
	installed := func(t *testing.T, conn driver.Conn, d driver.Dialect, err error) *store.Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		w := store.New(connectors.New(conn, d))
		t.Cleanup(func() { _ = w.Close() })
		if err := w.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		return w
	}
	var server *fakepostgres.Server
	var missing error
	inPostgres := sample.Thorough() || sample.One(t.Name(), 2) == 1
	if inPostgres {
		if server, missing = fakepostgres.Start(nil); missing == nil {
			t.Cleanup(server.Remove)
		}
	}
	if sample.Thorough() || !inPostgres || missing != nil {
		t.Run("duckdb", func(t *testing.T) {
			conn, err := duckdb.OpenWith(t.Context(), "", duckdb.Options{})
			f(t, installed(t, conn, duckdb.Dialect, err))
		})
	}
	if !inPostgres {
		return
	}
	t.Run("postgres", func(t *testing.T) {
		if missing != nil {
			t.Skipf("there is no PostgreSQL server to test with: %v", missing)
		}
		conn, d, err := postgres.Open(context.WithoutCancel(t.Context()), server.URL("postgres", server.Port), driver.Options{})
		f(t, installed(t, conn, d, err))
	})
}

// fill writes a run of random scores.
func fill(t testing.TB, w *store.Store, run store.Run, metrics []string, r *rand.Rand, cases int) {
	t.Helper()
	if err := w.WriteRuns(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	var rows []scoring.Row
	for i := range cases {
		if r.IntN(8) == 0 {
			continue
		}
		id := scoring.AnswerID{CaseID: fmt.Sprint("c", i), By: run.By}
		for m, name := range metrics {
			if r.IntN(9) == 0 {
				continue
			}
			s := scoring.Score{Metric: name, Version: 1 + r.IntN(9)/8, Status: scoring.StatusOK, Value: float64(r.IntN(4)) / 3, Reason: fmt.Sprint("reason ", r.IntN(3))}
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
			row := scoring.Row{AnswerID: id, Score: s, GoldHash: fmt.Sprint("g", r.IntN(10)/9)}
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
func TestCompare(t *testing.T) { onEngines(t, compares) }

func compares(t *testing.T, w *store.Store) {
	r := rand.New(rand.NewPCG(3, 4))
	metrics := []string{"hybrid_ex", "row_f1", "latency_overhead", "own"}
	day := time.Date(2025, 1, 13, 0, 0, 0, 0, time.UTC)
	runs := []store.Run{
		{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "atlas", Version: "1", Batch: "b1"}}, Started: day, Judge: "o3-2504", Config: `{"options":{"hybrid_ex":{"tolerance":0.1}}}`, Status: "done"},
		{RunID: scoring.RunID{ID: "r2", By: scoring.By{Agent: "atlas", Version: "2", Batch: "b1"}}, Started: day.AddDate(0, 0, 1), Judge: "o3-2504", Config: `{"options":{}}`, Status: "done"},
		{RunID: scoring.RunID{ID: "r3", By: scoring.By{Agent: "atlas", Version: "2", Batch: "b1"}}, Started: day.AddDate(0, 0, 2), Judge: "other-2024", Config: `{"options":{}}`, Status: "stopped"},
	}
	for _, run := range runs {
		fill(t, w, run, metrics, r, 700)
	}
	from := analysis.Batch{By: scoring.By{Agent: "atlas", Version: "1", Batch: "b1"}}
	to := analysis.Batch{By: scoring.By{Agent: "atlas", Version: "2", Batch: "b1"}, Unfinished: "stopped"}
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
	if d := cmp.Diff(*want, got.Comparison, cmpopts.IgnoreFields(analysis.Change{}, "Fixed", "Broken", "NFixed", "NBroken"), cmpopts.IgnoreFields(analysis.Lost{}, "IDs")); d != "" {
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
	if d := cmp.Diff(trend, counted, cmpopts.IgnoreUnexported(analysis.Trend{}, analysis.Latest{}), cmpopts.IgnoreFields(analysis.Change{}, "Fixed", "Broken", "NFixed", "NBroken"), cmpopts.IgnoreFields(analysis.Lost{}, "IDs")); d != "" || len(trend.Points) != 8 {
		t.Errorf("%d points; the trend from counts differs: %s", len(trend.Points), d)
	}

	statements(t, w, runs)

	// of the earlier run of the second version alone
	set = analysis.NewSet(metric.All())
	got, err = storedscores.In(w).Compare(t.Context(), set, storedscores.Side{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "atlas", Version: "1", Batch: "b1"}}}, storedscores.Side{RunID: scoring.RunID{ID: "r2", By: scoring.By{Agent: "atlas", Version: "2", Batch: "b1"}}}, from, to, o)
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

// statements runs the other statements that pages rest on, and compares what they count.
func statements(t *testing.T, w *store.Store, runs []store.Run) {
	t.Helper()
	from := storedscores.Side{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "atlas", Version: "1", Batch: "b1"}}}.Latest("hybrid_ex")
	to := storedscores.Side{RunID: scoring.RunID{ID: "r2", By: scoring.By{Agent: "atlas", Version: "2", Batch: "b1"}}}.Latest("hybrid_ex")
	all := func(f store.PairFilter) int {
		t.Helper()
		f.Limit = 50
		list, n, err := w.CasePairs(t.Context(), from, to, f)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != min(n, 50) {
			t.Errorf("%d cases are listed of %d", len(list), n)
		}
		return n
	}
	least := 0.5
	n := all(store.PairFilter{})
	worse, better := all(store.PairFilter{Worse: true}), all(store.PairFilter{Better: true})
	if n < 500 || worse < 20 || better < 20 || all(store.PairFilter{Worse: true, Least: &least}) != worse {
		t.Errorf("of %d pairs %d are worse and %d better; hybrid_ex is 0 or 1 here", n, worse, better)
	}
	if got := all(store.PairFilter{Better: true, LowerIsBetter: true}); got != worse {
		t.Errorf("where less is better %d are better, want %d", got, worse)
	}
	standings := 0
	for s := analysis.StandPassed; s <= analysis.StandAbsent; s++ {
		standings += all(store.PairFilter{Was: []string{s.String()}})
	}
	if standings != n {
		t.Errorf("by standing there are %d pairs, want %d", standings, n)
	}
	for _, f := range []store.PairFilter{{Status: true}, {Reasons: true}, {Comparable: true}} {
		if got := all(f); got == 0 || got == n {
			t.Errorf("%+v: %d of %d", f, got, n)
		}
	}
	// the answers: of the first version two batches, of the second an answer that is another
	for _, q := range []string{
		"INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, result) VALUES ('atlas', '1', 'b1', 'c1', 'SELECT 1', '1'), ('atlas', '1', 'b2', 'c1', 'SELECT 1', '1'), ('atlas', '1', 'b3', 'c1', 'SELECT 2', '2'), ('atlas', '2', 'b1', 'c1', 'SELECT 1', '3'), ('atlas', '1', 'b1', 'c2', 'SELECT 1', '1'), ('atlas', '2', 'b1', 'c2', 'SELECT 1', '1')",
		"INSERT INTO badger.human_labels (case_id, agent_name, agent_version, batch_id, annotator, verdict, labelled_at) VALUES ('c1', 'atlas', '1', 'b1', 'kim', 'pass', '2025-01-14 08:00:00'), ('c2', 'atlas', '1', 'b1', 'kim', 'fail', '2025-01-15 08:00:00')",
		"INSERT INTO badger.assessments (assessment_id, kind, backend, model, prompt_version, tokens_in, tokens_out, latency_ms, payer) VALUES ('a', 'rose', 'openai', 'o3', 'rose-1', 10, 2, 100, 'run:r1'), ('b', 'rose', 'openai', 'o3', 'rose-1', 30, NULL, 300, 'run:r1'), ('c', 'flex', 'openai', 'o3', 'flex-1', 1, 1, NULL, 'run:r2')",
	} {
		if err := w.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []store.PairFilter{{Answers: true}, {Scores: true}} {
		if list, _, err := w.CasePairs(t.Context(), from, to, store.PairFilter{Answers: f.Answers, Scores: f.Scores, Limit: 9}); err != nil || len(list) != 1 || list[0].CaseID != map[bool]string{true: "c1", false: "c2"}[f.Answers] {
			t.Errorf("%+v: %v %v", f, list, err)
		}
	}
	if got, err := w.AnsweredBy(t.Context(), "atlas", "1", []string{"c1", "c9"}); err != nil || len(got) != 2 || got[0].Times != 2 || got[0].SQL != "SELECT 1" || got[1].Times != 1 {
		t.Errorf("answers: %+v %v", got, err)
	}
	if got, err := w.Labellers(t.Context(), scoring.By{Agent: "atlas", Version: "1", Batch: "b1"}); err != nil || len(got) != 1 || got[0].Answers != 2 || got[0].Since.Day() != 14 || got[0].Last.Day() != 15 {
		t.Errorf("labellers: %+v %v", got, err)
	}
	study, err := storedscores.In(w).Labelled(t.Context(), analysis.Batch{By: scoring.By{Agent: "atlas", Version: "1", Batch: "b1"}}, metric.All())
	if err != nil || len(study.Cases) != 2 || len(study.Metrics) == 0 {
		t.Errorf("labelled: %+v %v", study, err)
	}
	if got, err := w.Asked(t.Context(), "run:r1"); err != nil || len(got) != 1 || got[0].Replies != 2 || got[0].TokensIn != 40 || got[0].TokensOut != 2 || got[0].Uncounted != 1 || *got[0].Latency != 200 {
		t.Errorf("asked: %+v %v", got, err)
	}
	judged, err := w.Judged(t.Context(), runs[0].RunID)
	if err != nil || len(judged) != 4 {
		t.Fatalf("judged: %+v %v", judged, err)
	}
	for _, j := range judged {
		if j.Asked == 0 || j.Calls != j.Asked || j.Evident == 0 || j.Evident+j.Asked > j.Scores {
			t.Errorf("judged: %+v, want one call for each score that was asked for", j)
		}
	}
}
