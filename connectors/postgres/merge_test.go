package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// otherRuns fills the table of scores with those of other runs.
const otherRuns = `INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, reason, detail, config_hash, scored_at)
SELECT '20260901T22191' || (i / 1000000), 'case-' || lpad((i / 64 %% 15625)::text, 8, '0'), 'atlas', '1', 'b', 'metric ' || (i %% 64), 1, 'ok', 0.5, 'all rows agree', ('{"rows": ' || i || '}')::json, 'h', now()
FROM generate_series(0, %d - 1) AS t(i)`

// batchOf are scores of a run, of so many cases from this one on, of 64 metrics each.
func batchOf(cases, from int) []scoring.Row {
	rows := make([]scoring.Row, cases*64)
	for i := range rows {
		id := fmt.Sprintf("case-%08d", from+i/64)
		rows[i].AnswerID = scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "atlas", Version: "1", Batch: "b"}}
		rows[i].Score = scoring.Score{Metric: fmt.Sprint("metric ", i%64), Version: 1, Status: scoring.StatusOK, Value: float64(i) / 7, Reason: "all rows and columns agree within the tolerance"}
	}
	return rows
}

// Scores that are in the table are found by the index of their key, not by reading the table: the
// server counts how often it did either. If there is no index it reads the table, so that the
// count tells them apart.
func TestMergeOfScoresReadsNoTable(t *testing.T) {
	ctx := context.Background()
	s := running(t)
	for name, indexed := range map[string]bool{"with the index": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			database := s.database(t)
			c := s.open(t, database, driver.Options{})
			w := store.New(connectors.New(c, postgres.Dialect))
			defer w.Close()
			if err := w.Install(ctx); err != nil {
				t.Fatal(err)
			}
			mustExec(t, c, fmt.Sprintf(otherRuns, 5000))
			if !indexed {
				mustExec(t, c, "DROP INDEX badger.scores_key")
			}
			const flush = "SELECT pg_stat_force_next_flush()"
			if err := c.Exec(ctx, flush); err != nil {
				t.Skipf("the server does not count at once, as PostgreSQL does from version 15 on: %v", err)
			}
			scans := func() (table, index, written int64) {
				mustExec(t, c, flush)
				got, err := w.Query(ctx, "SELECT seq_scan, COALESCE(idx_scan, 0), n_tup_ins + n_tup_upd FROM pg_stat_user_tables WHERE schemaname = 'badger' AND relname = 'scores'")
				if err != nil {
					t.Fatal(err)
				}
				return got.Columns[0].Value(0).Int(), got.Columns[1].Value(0).Int(), got.Columns[2].Value(0).Int()
			}
			tableBefore, indexBefore, writtenBefore := scans()
			const batches, each = 2, 128 // the second replaces the first
			for range batches {
				if err := w.WriteScores(ctx, "20260901T221919", "h", time.Unix(0, 0), batchOf(each/64, 0)); err != nil {
					t.Fatal(err)
				}
			}
			table, index, written := scans()
			table, index, written = table-tableBefore, index-indexBefore, written-writtenBefore
			if written != batches*each {
				t.Fatalf("the server counts %d rows written, want %d", written, batches*each)
			}
			if indexed && (table != 0 || index < batches*each) || !indexed && table == 0 {
				t.Errorf("%d scans of the table, %d searches of its index", table, index)
			}
		})
	}
}
