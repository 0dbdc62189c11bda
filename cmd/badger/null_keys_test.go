//go:build !no_duckdb && !no_postgres

package main

import "testing"

// NULL and the empty text are one name, also in scores that somebody else wrote: what is scored again
// takes their place.
func TestRetryWhereNamesAreNULL(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE SCHEMA badger",
			"CREATE TABLE badger.golden_set (case_id TEXT, gold_result TEXT)", `INSERT INTO badger.golden_set VALUES ('c1', '{"columns": ["n"], "rows": [[5]]}')`,
			"CREATE TABLE badger.agent_runs (case_id TEXT, result TEXT)", `INSERT INTO badger.agent_runs VALUES ('c1', '{"columns": ["n"], "rows": [[5]]}')`)
		must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--quiet")
		for _, table := range []string{"scores", "eval_runs"} {
			execute(t, url, "UPDATE badger."+table+" SET agent_name = NULL, agent_version = NULL, batch_id = NULL")
		}
		execute(t, url, "UPDATE badger.scores SET status = 'failed', value = NULL")
		must(t, "run", "--source", url, "--resume", "r", "--retry-failed", "--metrics", "ex_bird", "--quiet")
		if got := ask(t, url, "SELECT case_id, agent_name, agent_version, batch_id, status FROM badger.scores"); got != "c1    ok\n" {
			t.Errorf("scores:\n%s", got)
		}
		if got := ask(t, url, "SELECT agent_name, agent_version, batch_id, status FROM badger.eval_runs"); got != "   done\n" {
			t.Errorf("runs:\n%s", got)
		}
	})
}
