//go:build !no_duckdb && !no_postgres

package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

var (
	pruneNow = time.Date(2025, 6, 30, 12, 0, 0, 0, time.UTC)
	cutoff   = pruneNow.Add(-90 * 24 * time.Hour)
	pruneBy  = scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}
)

func scoreOf(id string) scoring.Row {
	return scoring.Row{AnswerID: scoring.AnswerID{CaseID: id, By: pruneBy},
		Score: scoring.Score{Metric: "m", Version: 1, Status: scoring.StatusOK, Value: 1}}
}

func writeRun(t *testing.T, w *store.Store, id, status string, started, scored time.Time, cases ...string) {
	t.Helper()
	err := w.WriteRuns(t.Context(),
		store.Run{RunID: scoring.RunID{ID: id, By: pruneBy}, Started: started, Status: status})
	for _, c := range cases {
		if err == nil {
			err = w.WriteScores(t.Context(), id, "h", scored, []scoring.Row{scoreOf(c)})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

const leftScores = "SELECT eval_run_id, case_id FROM badger.scores ORDER BY eval_run_id, case_id"

// A call that is interrupted at any statement leaves no run with a part of its scores, and the next one completes it.
func TestPruneIsResumed(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		old := cutoff.Add(-time.Hour)
		fill := func() {
			t.Helper()
			for _, run := range []string{"r1", "r2", "r3"} {
				writeRun(t, db.Store, run, "done", old, old, "a", "b")
			}
			writeRun(t, db.Store, "new", "done", pruneNow, pruneNow, "a")
		}
		all, whole := "r1|a\nr1|b\nr2|a\nr2|b\nr3|a\nr3|b\n", 0
		for at := 0; ; at++ {
			fill()
			ctx, cancel := context.WithCancel(t.Context())
			db.after, db.failed = at, cancel
			_, err := db.Prune(ctx, &store.Expiry{Before: cutoff}, "kim", pruneNow)
			db.after = -1
			cancel()
			left := strings.TrimPrefix(db.ask(t, leftScores), "new|a\n")
			if !strings.HasSuffix(all, left) || strings.Count(left, "\n")%2 != 0 {
				t.Fatalf("after %d statements, these scores are left:\n%s", at, left)
			}
			if err == nil {
				break
			}
			whole++
			if _, err := db.Prune(t.Context(), &store.Expiry{Before: cutoff}, "kim", pruneNow); err != nil {
				t.Fatal(err)
			}
			if got := db.ask(t, leftScores); got != "new|a\n" {
				t.Fatalf("after the second call, these are left:\n%s", got)
			}
		}
		if whole != 9 { // three runs: a record, the statement, and the record of its end
			t.Errorf("%d places of interruption, want 9", whole)
		}
		// An interrupted deletion is not recorded as done, and the one that deleted the rows is.
		if got := db.ask(t, "SELECT COUNT(*) FROM badger.deletions WHERE status = 'started'"); got == "0\n" {
			t.Error("no deletion is recorded as interrupted")
		}
		if got := db.ask(t, "SELECT COUNT(DISTINCT digest) FROM badger.deletions"); got != "1\n" {
			t.Errorf("digests of runs with the same scores: %s", got)
		}
	})
}

// A run's scores are deleted once its start and all its scores are older, and not while it may still write.
func TestPruneWholeRuns(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		us := time.Microsecond
		writeRun(t, db.Store, "at the border", "done", cutoff.Add(-us), cutoff, "a")
		writeRun(t, db.Store, "before", "done", cutoff.Add(-us), cutoff.Add(-us), "a")
		writeRun(t, db.Store, "killed", "running", cutoff.Add(-us), cutoff.Add(-us), "a")
		db.run(t, "INSERT INTO badger.scores (eval_run_id, agent_name, agent_version, batch_id, case_id, metric, scored_at) VALUES ('no run', 'x', '', '', 'a', 'm', '2020-01-01T00:00:00+09:00')")
		if _, err := db.Prune(t.Context(), &store.Expiry{Before: cutoff}, "kim", pruneNow); err != nil {
			t.Fatal(err)
		}
		if got := db.ask(t, leftScores); got != "at the border|a\n" {
			t.Errorf("left:\n%s", got)
		}
		// A run that wrote an hour ago, and whose rows are older than an age of minutes.
		writeRun(t, db.Store, "writing", "running", pruneNow.Add(-2*time.Hour), pruneNow.Add(-time.Hour), "a")
		got, err := db.Prune(t.Context(), &store.Expiry{Before: pruneNow}, "kim", pruneNow)
		if err != nil || fmt.Sprint(got) != "[{scores 1 1 of runs that were writing in the last 24 hours} {scores 1 1 }]" {
			t.Errorf("%+v, %v", got, err)
		}
		if got := db.ask(t, leftScores); got != "writing|a\n" {
			t.Errorf("left:\n%s", got)
		}
	})
}

// A run that writes while others' scores are deleted has each of its scores once.
func TestPruneWhileARunWrites(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		writeRun(t, db.Store, "old", "done", cutoff.Add(-time.Hour), cutoff.Add(-time.Hour), "a", "b", "c")
		writeRun(t, db.Store, "now", "running", pruneNow, pruneNow)
		writer := db.ScoreWriter("now", "h")
		for _, err := range writer.Held(t.Context()) {
			t.Fatal(err)
		}
		want := ""
		for i := range 6 {
			id := fmt.Sprint("c", i)
			want += "now|" + id + "\n"
			if err := writer.Write(t.Context(), pruneNow, []scoring.Row{scoreOf(id)}); err != nil {
				t.Fatal(err)
			}
			if i == 2 || i == 4 {
				if _, err := db.Prune(t.Context(), &store.Expiry{Before: cutoff}, "kim", pruneNow); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := writer.Write(t.Context(), pruneNow, []scoring.Row{scoreOf("c0")}); err != nil {
			t.Fatal(err)
		}
		if got := db.ask(t, leftScores); got != want {
			t.Errorf("left:\n%s", got)
		}
	})
}

// Tables and views under badger's names that badger did not create are not changed, and neither is a table below them.
func TestPruneLeavesOwnTables(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		for _, c := range []struct{ name, sql string }{
			{"a view that could be written to", "CREATE TABLE mine AS SELECT * FROM badger.agent_runs; DROP TABLE badger.agent_runs; CREATE VIEW badger.agent_runs AS SELECT * FROM mine"},
			{"a table with a column more", "ALTER TABLE badger.agent_runs ADD COLUMN team VARCHAR"},
			{"a table with another type", "ALTER TABLE badger.agent_runs ALTER COLUMN gold_latency_ms TYPE VARCHAR"},
			{"a table with a comment", "COMMENT ON TABLE badger.agent_runs IS 'of the team'"},
		} {
			t.Run(c.name, func(t *testing.T) {
				db := empty(t)
				if db.dialect.Name == "duckdb" && strings.HasPrefix(c.sql, "COMMENT") {
					t.Skip("badger install marks its tables in PostgreSQL only")
				}
				if err := db.Install(t.Context()); err != nil {
					t.Fatal(err)
				}
				db.run(t, "INSERT INTO badger.agent_runs (case_id, agent_name, ran_at) VALUES ('a', 'atlas', '2020-01-01')")
				for sql := range strings.SplitSeq(c.sql, "; ") {
					if strings.HasPrefix(sql, "DROP TABLE") && db.dialect.Name != "duckdb" {
						sql += " CASCADE" // with badger's views over it
					}
					db.run(t, sql)
				}
				for _, e := range []store.Expiry{{Before: cutoff}, {Case: "a", Labels: true, Golds: true}} {
					got, err := db.Prune(t.Context(), &e, "kim", pruneNow)
					if err != nil || len(got) != 1 || got[0].Table != "agent_runs" || got[0].Kept == "" {
						t.Errorf("%+v: %+v, %v", e, got, err)
					}
				}
				if got := db.ask(t, "SELECT case_id FROM badger.agent_runs"); got != "a\n" {
					t.Errorf("left: %q", got)
				}
			})
		}
	})
}

// Answers with a time and answers without one are deleted by two statements, and recorded as one number.
func TestPruneRecordsAllRows(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		writeRun(t, db.Store, "r", "done", cutoff.Add(-time.Hour), cutoff.Add(-time.Hour), "c", "d", "e")
		by := fmt.Sprintf("'%s', '%s', '%s'", pruneBy.Agent, pruneBy.Version, pruneBy.Batch)
		for id, at := range map[string]string{"a": "'2020-01-01'", "b": "'2020-01-02'", "c": "NULL", "d": "NULL", "e": "NULL"} {
			db.run(t, "INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id, ran_at) VALUES ('"+id+"', "+by+", "+at+")")
		}
		if _, err := db.Prune(t.Context(), &store.Expiry{Before: cutoff}, "kim", pruneNow); err != nil {
			t.Fatal(err)
		}
		if got := db.ask(t, "SELECT row_count, status FROM badger.deletions WHERE table_name = 'agent_runs'"); got != "5|done\n" {
			t.Errorf("recorded: %q, want 5 rows", got)
		}
	})
}

func TestParseAge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90d": 90 * 24 * time.Hour, "12w": 84 * 24 * time.Hour, "36h": 36 * time.Hour, "1h": time.Hour,
		"65535d": 65535 * 24 * time.Hour,
		"":       0, "90": 0, "d": 0, "0d": 0, "-1d": 0, "+1d": 0, "1.5d": 0, "90 d": 0, "90D": 0, "65536d": 0, "1m": 0, "1h30m": 0,
	} {
		got, err := store.ParseAge(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}
