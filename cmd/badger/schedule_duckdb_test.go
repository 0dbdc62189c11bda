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
	must(t, "install", "--warehouse", "duckdb", "--set", "schedule.since=2025-01-01", "--apply", url)
	must(t, "install", "--warehouse", "duckdb", "--set", "schedule.since=2025-01-01", "--diff", url)
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

// The statements of the nightly script: late answers and answers without a date are scored, what could not be scored is
// in the backlog, and a fact is an alert once.
func TestBacklogInDuckDB(t *testing.T) {
	url := engines[0].empty(t)
	file := strings.TrimPrefix(url, "duckdb:")
	withDemo(t, url)
	install := []string{"install", "--warehouse", "duckdb", "--set", "schedule.since=2025-01-02", "--set", "schedule.metrics=[ex_bird, sql_safety]", "--set", "schedule.cron=0 6 * * *"}
	must(t, append(install, "--apply", url)...)
	execute(t, url, "CREATE TABLE told AS SELECT * FROM badger.agent_runs WHERE agent_version = (SELECT MAX(agent_version) FROM badger.agent_runs) ORDER BY case_id LIMIT 6", "DELETE FROM badger.agent_runs")
	arrive := func(batch, at, condition string) {
		execute(t, url, "INSERT INTO badger.agent_runs SELECT * REPLACE ('"+batch+"' AS batch_id, "+at+" AS ran_at) FROM told WHERE "+condition)
	}
	printed, _ := must(t, append(install, "--print")...)
	w := func(sql string) string {
		t.Helper()
		if !strings.Contains(printed, sql) {
			t.Errorf("the script does not contain %s", sql)
		}
		out, _ := must(t, "sql", "--db", file, "--json", "--write", sql)
		return out
	}
	night := func() {
		t.Helper()
		w("INSERT INTO badger.scores SELECT * FROM badger.evaluate()")
		w("INSERT INTO badger.eval_runs SELECT * FROM badger.evaluated()")
		w("MERGE INTO badger.schedule t USING (SELECT * FROM badger.scheduled()) s ON t.metric = s.metric WHEN MATCHED THEN UPDATE SET since_day = s.since_day WHEN NOT MATCHED THEN INSERT (metric, since_day) VALUES (s.metric, s.since_day) WHEN NOT MATCHED BY SOURCE THEN DELETE")
		w("INSERT INTO badger.run_log SELECT * FROM badger.logged()")
	}
	alerts := func() string {
		t.Helper()
		w("UPDATE badger.alerts SET resolved_at = now() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM badger.open_facts)")
		out := w("INSERT INTO badger.alerts SELECT * FROM badger.new_alerts() RETURNING message")
		return strings.TrimSpace(out[strings.Index(out, `"rows"`):])
	}
	backlog := func(want string) {
		t.Helper()
		if got := ask(t, url, "SELECT batch_id, answers, waiting_since, last_attempt_at IS NOT NULL, last_error FROM badger.backlog ORDER BY 1"); got != want {
			t.Errorf("the backlog is\n%swant\n%s", got, want)
		}
	}
	const first = "case_id = (SELECT MIN(case_id) FROM told)"
	arrive("old", "TIMESTAMPTZ '2025-01-01 23:59:59+00'", "TRUE")
	arrive("n1", "TIMESTAMPTZ '2025-01-02 00:00:01+00'", "NOT "+first)
	backlog("n1 5 2025-01-02 false NULL\n")
	night()
	backlog("")
	arrive("n1", "TIMESTAMPTZ '2025-01-02 00:00:01+00'", first)
	arrive("n2", "TIMESTAMPTZ '2025-02-02 00:00:01+00'", "TRUE")
	arrive("undated", "NULL", "TRUE")
	w("INSERT INTO badger.run_log SELECT * FROM badger.logged('a statement of the nightly evaluation failed')")
	backlog("n1 1 2025-01-02 true a statement of the nightly evaluation failed\nn2 6 2025-02-02 true a statement of the nightly evaluation failed\nundated 6 NULL true a statement of the nightly evaluation failed\n")
	if got := alerts(); strings.Count(got, "answers have no scores") != 3 || strings.Count(got, "the evaluation failed") != 1 {
		t.Errorf("the alerts are %s", got)
	}
	const none = `"rows":[]}`
	if got := alerts(); got != none {
		t.Errorf("the alerts are sent again: %s", got)
	}
	night()
	backlog("")
	if got := alerts(); got != none {
		t.Errorf("after a night that went well the alerts are %s", got)
	}
	if got := ask(t, url, "SELECT batch_id, COUNT(*), COUNT(DISTINCT (case_id, metric)) FROM badger.scores GROUP BY 1 ORDER BY 1"); got != "n1 12 12\nn2 12 12\nundated 12 12\n" {
		t.Errorf("the scores are\n%s", got)
	}
	if got := ask(t, url, "SELECT COUNT(*) FROM badger.alerts WHERE resolved_at IS NULL"); got != "0\n" {
		t.Errorf("%s alerts are open", got)
	}
}
