//go:build !no_duckdb && !no_postgres

package storedscores_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// inMemory is a warehouse in memory with badger's tables, which are empty.
func inMemory(t *testing.T) *store.Store {
	t.Helper()
	conn, err := duckdb.OpenWith(t.Context(), "", duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// What is found of two runs is remembered while both are done, and found anew when one of them was
// made again or continues.
func TestComparisonsOfRunsThatAreDoneAreRemembered(t *testing.T) {
	w := inMemory(t)
	metrics := []string{"hybrid_ex", "relation"}
	r := rand.New(rand.NewPCG(1, 2))
	run := func(id, version, counts, status string) store.Run {
		return store.Run{RunID: scoring.RunID{ID: id, By: scoring.By{Agent: "atlas", Version: version, Batch: "b"}}, Mode: "both", Config: "{}", Counts: counts, Status: status, Started: time.Unix(1, 0).UTC()}
	}
	fill(t, w, run("r1", "1.0", `{"n": 1}`, "done"), metrics, r, 40)
	fill(t, w, run("r2", "2.0", `{"n": 1}`, "done"), metrics, r, 40)
	from, to := storedscores.Side{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "b"}}}, storedscores.Side{RunID: scoring.RunID{ID: "r2", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b"}}}
	find := func(metrics ...string) (*storedscores.Compared, *analysis.Failures) {
		t.Helper()
		c, err := storedscores.In(w).Compare(t.Context(), analysis.NewSet(metric.All()), from, to, analysis.Batch{}, analysis.Batch{}, analysis.CompareOptions{Metrics: metrics})
		if err != nil {
			t.Fatal(err)
		}
		f, err := storedscores.In(w).Failures(t.Context(), to, metrics)
		if err != nil {
			t.Fatal(err)
		}
		return c, f
	}
	c1, f1 := find(metrics...)
	c2, f2 := find(metrics...)
	if c1 != c2 || f1 != f2 {
		t.Error("the runs are done, and it was found again")
	}
	if other, _ := find("hybrid_ex"); len(c1.Changes) != 2 || len(other.Changes) != 1 {
		t.Errorf("%d changes of two metrics, %d of one", len(c1.Changes), len(other.Changes))
	}
	for _, again := range []store.Run{run("r2", "2.0", `{"n": 2}`, "done"), run("r2", "2.0", `{"n": 2}`, "running")} {
		if err := w.WriteRuns(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if c, f := find(metrics...); c == c1 || f == f1 {
			t.Errorf("%s %s: it was not found again", again.Status, again.Counts)
		}
	}
	c3, f3 := find(metrics...)
	if c4, f4 := find(metrics...); c3 == c4 || f3 == f4 {
		t.Error("a run goes on, and what was found of it is remembered")
	}
}

// A trend is found anew only where a batch has scores of several runs, of which any may be the latest.
func TestTrendsOfRunsThatAreDoneAreRemembered(t *testing.T) {
	w := inMemory(t)
	metrics := []string{"hybrid_ex"}
	r := rand.New(rand.NewPCG(1, 2))
	run := func(id, batch string, at int64) store.Run {
		return store.Run{RunID: scoring.RunID{ID: id, By: scoring.By{Agent: "atlas", Version: "1", Batch: batch}}, Mode: "both", Config: "{}", Counts: `{"n": 1}`, Status: "done", Started: time.Unix(at, 0).UTC()}
	}
	for i, batch := range []string{"a", "b", "c"} {
		fill(t, w, run("r"+batch, batch, int64(i)), metrics, r, 40)
	}
	changes := func() (out []*analysis.Change, asked []int) {
		t.Helper()
		trend, err := storedscores.In(w).Trend(t.Context(), analysis.NewSet(metric.All()), analysis.TrendOptions{CompareOptions: analysis.CompareOptions{Metrics: metrics}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range trend.Points {
			out, asked = append(out, p.Change), append(asked, p.Now.Asked)
		}
		return out, asked
	}
	first, _ := changes()
	if again, _ := changes(); len(first) != 3 || first[0] != nil || again[1] != first[1] || again[2] != first[2] {
		t.Errorf("%v and then %v: the runs are done, and it was found again", first, again)
	}
	fill(t, w, run("again", "b", 9), metrics, r, 60)
	second, asked := changes()
	if second[1] == first[1] || second[2] != first[2] || asked[1] < 50 {
		t.Errorf("batch b was scored again, with %d cases, and its figures are those of before, or those of the batch that is not compared with it were found again", asked[1])
	}
}
