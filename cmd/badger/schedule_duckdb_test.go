//go:build !no_duckdb && !no_postgres

package main

import (
	"strings"
	"testing"
)

// oddities are statements that put what is seldom into the demonstration: versions of the golden set
// whose order is one of numbers, tags and options that cannot be read, a question that is there twice, options,
// further answers, an answer without a question.
var oddities = []string{
	"INSERT INTO badger.golden_set (case_id, question, gold_sql, gold_result, set_version) SELECT case_id, question, 'SELECT 1', NULL, 'demo-0' FROM badger.golden_set",
	`UPDATE badger.golden_set SET set_version = 'demo-01' WHERE case_id LIKE '%1' AND set_version = 'demo-1'`,
	`UPDATE badger.golden_set SET tags = '{"no": "list"}' WHERE case_id = (SELECT MIN(case_id) FROM badger.golden_set) AND set_version LIKE 'demo-%1'`,
	`INSERT INTO badger.golden_set SELECT * FROM badger.golden_set WHERE case_id = (SELECT MAX(case_id) FROM badger.golden_set) AND set_version LIKE 'demo-%1'`,
	`UPDATE badger.golden_set SET metric_options = '{"hybrid_ex": {"tolerance": 0.5}}', alternatives = '[{"sql": "SELECT 2", "result": {"columns": ["a"], "rows": [[2]]}, "latency_ms": 3}]' WHERE case_id LIKE '%3'`,
	`UPDATE badger.golden_set SET metric_options = '["no options"]' WHERE case_id = (SELECT MIN(case_id) FROM badger.golden_set) AND set_version LIKE 'demo-%1'`,
	`INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id, sql, result, latency_ms) SELECT 'unasked', agent_name, agent_version, batch_id, 'SELECT 7', '{"columns": ["a"], "rows": [[7]]}', 0.1 FROM badger.agent_runs GROUP BY 1, 2, 3, 4`,
}

const (
	scoreColumns = "case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail::text, assessment_ids::text, config_hash, code, usage::text"
	runColumns   = "agent_name, agent_version, batch_id, mode, config::text, judge, status"
)

// In DuckDB a statement scores what has no score, and writes what badger run writes.
func TestEvaluateInDuckDB(t *testing.T) {
	url := engines[0].empty(t)
	file := strings.TrimPrefix(url, "duckdb:")
	withDemo(t, url)
	must(t, "install", "--warehouse", "duckdb", "--apply", url)
	must(t, "install", "--warehouse", "duckdb", "--diff", url)
	execute(t, url, oddities...)
	const store = "INSERT INTO badger.scores SELECT * FROM badger.evaluate("
	for _, batch := range strings.Fields(ask(t, url, "SELECT DISTINCT batch_id FROM badger.agent_runs")) {
		must(t, "sql", "--db", file, "--write", store+"batch := '"+batch+"')")
		must(t, "sql", "--db", file, "--write", "INSERT INTO badger.eval_runs SELECT * FROM badger.evaluated()")
	}
	if got, _ := must(t, "sql", "--db", file, "--json", "SELECT COUNT(*) AS n FROM badger.evaluate()"); !strings.Contains(got, "[[0]]") {
		t.Errorf("what has scores is scored again: %s", got)
	}
	if code, _, stderr := badger(t, "sql", "--db", file, "SELECT * FROM badger.evaluate(metrics := 'ex_bard')"); code == exitDone || !strings.Contains(stderr, "ex_bird") {
		t.Errorf("an unknown metric: exit %d, %s", code, stderr)
	}
	if code, _, stderr := badger(t, "run", "--source", url, "--run-id", "r1", "--quiet"); code != exitGate || !strings.Contains(stderr, "4 answers could not be read") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	columns := strings.ReplaceAll(scoreColumns, "detail::text", "json_extract(detail, '$')::text") // which writes escapes in one way
	one := ask(t, url, "SELECT "+columns+" FROM badger.scores WHERE eval_run_id = 'r1' ORDER BY 1, 2, 3, 4, 5")
	same(t, "scores", one, ask(t, url, "SELECT "+columns+" FROM badger.scores WHERE eval_run_id <> 'r1' ORDER BY 1, 2, 3, 4, 5"))
	if n := strings.Count(one, "\n"); n < 5000 {
		t.Errorf("%d scores were compared", n)
	}
	const ofRun = runColumns + ", (versions -> 'metrics')::text, versions ->> 'badger', counts::text, tokens::text"
	same(t, "rows of eval_runs",
		ask(t, url, "SELECT "+ofRun+" FROM badger.eval_runs WHERE eval_run_id = 'r1' ORDER BY 1, 2, 3"),
		ask(t, url, "SELECT "+ofRun+" FROM badger.eval_runs WHERE eval_run_id <> 'r1' ORDER BY 1, 2, 3"))
}
