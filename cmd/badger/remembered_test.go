//go:build !no_duckdb && !no_postgres

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/sample"
)

// Labels are of the version they name. Of the demonstration's labels every one is right by
// construction, so the same labels must agree with themselves whatever other versions answered in
// the batch.
func TestLabelsAreOfOneVersion(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		result := func(n string) string { return `'{"columns": ["n"], "rows": [[` + n + `]]}'` }
		execute(t, url, "CREATE SCHEMA badger",
			fmt.Sprintf(ownGolden, "'c' || i", "(SELECT i FROM generate_series(1, 4) g(i)) g"),
			"CREATE TABLE badger.agent_runs (agent_name TEXT, agent_version TEXT, batch_id TEXT, case_id TEXT, result TEXT)",
			"CREATE TABLE badger.human_labels (case_id TEXT, agent_name TEXT, agent_version TEXT, batch_id TEXT, annotator TEXT, verdict TEXT)")
		// Version 1 is right on c1 and c2, version 2 on c3 and c4, in one batch; people agree. NULL
		// and spellings of the verdict are as they come.
		for c, right := range map[string]string{"c1": "1", "c2": "1", "c3": "2", "c4": "2"} {
			for _, v := range []string{"1", "2"} {
				answer, verdict := "7", map[string]string{"c1": "fail", "c2": "0", "c3": "Incorrect", "c4": " NO"}[c]
				if v == right {
					answer, verdict = "1", map[string]string{"c1": "PASS", "c2": "1", "c3": "true", "c4": "Yes "}[c]
				}
				batch := map[bool]string{true: "NULL", false: "'b'"}[c == "c1"]
				execute(t, url, fmt.Sprintf("INSERT INTO badger.agent_runs VALUES ('a', '%s', %s, '%s', %s)", v, batch, c, result(answer)),
					fmt.Sprintf("INSERT INTO badger.human_labels VALUES ('%s', 'a', '%s', %s, 'kim', '%s')", c, v, batch, verdict))
			}
		}
		must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--quiet")
		const agreement = "SELECT labelled, true_pass, false_pass, true_fail, false_fail, kappa FROM badger.agreement WHERE metric = 'ex_bird'"
		if got := strings.Fields(ask(t, url, agreement)); strings.Join(got[:5], " ") != "8 4 0 4 0" || !strings.HasPrefix(got[5], "1") {
			t.Errorf("the view: %v, want 8 labels, all agreeing, kappa 1", got)
		}
		out := calibrate(t, "--source", url, "--metrics", "ex_bird")
		if m := out.Metrics["ex_bird"]; out.N != 8 || m.Confusion.TP != 4 || m.Confusion.TN != 4 || m.Confusion.FP+m.Confusion.FN != 0 {
			t.Errorf("calibrate: %d cases, %+v", out.N, m.Confusion)
		}
		// Policies are made from the same labels: the relation "same" is right for those who
		// passed, and for nobody else.
		policies, _ := must(t, "policy", "--answer", url, "--json")
		if !strings.Contains(policies, `"cases": 8`) {
			t.Errorf("policy counts other cases: %.400s", policies[strings.Index(policies, "held_out"):])
		}
		// A label that names no version could be of either: it counts for none, and is told of.
		execute(t, url, "UPDATE badger.human_labels SET agent_version = NULL WHERE case_id = 'c4'", "DELETE FROM badger.agent_runs WHERE case_id = 'c3' AND agent_version = '1'",
			"DELETE FROM badger.human_labels WHERE case_id = 'c3' AND agent_version = '1'", "UPDATE badger.human_labels SET agent_version = NULL WHERE case_id = 'c3'")
		_, log := must(t, "calibrate", "--source", url, "--metrics", "ex_bird")
		if !strings.Contains(log, "2 rows of human_labels") {
			t.Errorf("calibrate says\n%s", log)
		}
		if got := ask(t, url, "SELECT case_id, agent_version, passes FROM badger.consensus ORDER BY 1, 2"); got != "c1 1 1\nc1 2 0\nc2 1 1\nc2 2 0\nc3 2 1\n" {
			t.Errorf("consensus:\n%s", got)
		}
	})
}

// The latest score of each answer and metric counts, and says what became of its run.
func TestLatestScoresOfSeveralRuns(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		series := "(SELECT i FROM generate_series(1, 6) g(i)) g"
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", series), fmt.Sprintf(ownRuns, "'c' || i", "CAST(i % 2 AS TEXT)", series))
		must(t, "run", "--source", url, "--run-id", "whole", "--metrics", "ex_bird,row_f1", "--quiet")
		must(t, "run", "--source", url, "--run-id", "one metric", "--metrics", "row_f1", "--quiet")
		latest := "SELECT metric, eval_run_id, run_status, COUNT(*) FROM badger.latest_scores GROUP BY metric, eval_run_id, run_status ORDER BY metric, eval_run_id"
		if got := ask(t, url, latest); got != "ex_bird whole done 6\nrow_f1 one metric done 6\n" {
			t.Errorf("after a run of one metric:\n%s", got)
		}
		// A run that ended early holds two cases.
		execute(t, url, `INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status)
SELECT 'cut', agent_name, agent_version, batch_id, eval_run_date, 'stopped' FROM badger.eval_runs WHERE eval_run_id = 'whole'`,
			`INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, passed, scored_at)
SELECT 'cut', case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, passed, scored_at + INTERVAL '1 hour' FROM badger.scores
WHERE eval_run_id = 'whole' AND metric = 'ex_bird' AND case_id IN ('c1', 'c2')`)
		if got := ask(t, url, latest); got != "ex_bird cut stopped 2\nex_bird whole done 4\nrow_f1 one metric done 6\n" {
			t.Errorf("after a run that was stopped:\n%s", got)
		}
		if got := ask(t, url, "SELECT metric, scored, unfinished FROM badger.versions_by_metric ORDER BY metric"); got != "ex_bird 6 2\nrow_f1 6 0\n" {
			t.Errorf("version against version:\n%s", got)
		}
	})
}

// The tier of a question is the newest one, not the last in the alphabet.
func TestComplexityIsTheNewest(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		withTables(t, url)
		for i, label := range []string{"medium", "extra_hard", "easy"} { // by time
			execute(t, url, fmt.Sprintf(`INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, value, label, scored_at)
VALUES ('r%d', 'c', 'a', '%[1]d', 'b', 'sql_complexity', 'ok', 1, '%s', TIMESTAMP '2025-01-0%d 00:00:00')`, i, label, i+1))
		}
		if got := ask(t, url, "SELECT tier FROM badger.complexity"); got != "easy\n" {
			t.Errorf("tier: %s", got)
		}
	})
}

// However often a run is interrupted, and whatever it writes to, it ends with the same report, the
// same counts and the same scores.
func TestResumedRunsEndAlike(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		withDemo(t, url)
		dir := t.TempDir()
		common := []string{"run", "--source", url, "--metrics", "hybrid_ex,ex_bird,sql_complexity,verdict", "--json", "--quiet"}
		with := func(more ...string) []string { return append(append([]string{}, common...), more...) }
		whole, _ := must(t, with("--run-id", "whole", "--scores", filepath.Join(dir, "whole.jsonl"))...)
		const counts = "SELECT agent_version, status, CAST(counts AS TEXT) FROM badger.eval_runs WHERE eval_run_id = '%s' ORDER BY agent_version"
		must(t, with("--run-id", "cut")...)
		// What an interruption leaves: some cases whole, one in part, and no file of scores, which
		// is asked for only now.
		execute(t, url, "DELETE FROM badger.scores WHERE eval_run_id = 'cut' AND case_id > 'm'", "DELETE FROM badger.scores WHERE eval_run_id = 'cut' AND case_id = 'bank-03' AND metric = 'hybrid_ex'",
			"UPDATE badger.eval_runs SET status = 'running', counts = NULL WHERE eval_run_id = 'cut'")
		file := filepath.Join(dir, "cut.jsonl")
		half, _ := must(t, with("--resume", "cut", "--scores", file)...)
		same(t, "the report after a resumption that adds a file", whole, half)
		text := strings.SplitAfter(readFile(t, file), "\n")
		if err := os.WriteFile(file, []byte(strings.Join(text[:len(text)/3], "")+`{"case_id":"to`), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, again := range []string{"one", "two"} {
			out, _ := must(t, with("--resume", "cut", "--scores", file)...)
			same(t, "the report after resumption "+again, whole, out)
		}
		same(t, "counts", ask(t, url, fmt.Sprintf(counts, "whole")), ask(t, url, fmt.Sprintf(counts, "cut")))
		if got := ask(t, url, "SELECT COUNT(*) - COUNT(DISTINCT agent_version || case_id || metric) FROM badger.scores WHERE eval_run_id = 'cut'"); got != "0\n" {
			t.Errorf("%s scores are there twice", got)
		}
		if a, b := len(strings.Split(readFile(t, filepath.Join(dir, "whole.jsonl")), "\n")), len(strings.Split(readFile(t, file), "\n")); a != b {
			t.Errorf("the file has %d lines, want %d", b, a)
		}
		// From the file alone.
		out, _ := must(t, with("--resume", "cut", "--no-to", "--scores", file)...)
		same(t, "the report from the file", withoutBatches(t, whole), withoutBatches(t, out))

		fails(t, exitUsage, `--resume: there is no run "cutt"; the latest runs are `, with("--resume", "cutt")...)
		fails(t, exitUsage, `--run-id: run "cut" already exists; continue it with --resume cut`, with("--run-id", "cut")...)
		fails(t, exitUsage, "--resume: no scores of run", with("--resume", "cut", "--no-to", "--scores", filepath.Join(dir, "none.jsonl"))...)
		if got := ask(t, url, "SELECT COUNT(DISTINCT eval_run_id) FROM badger.eval_runs"); got != "2\n" {
			t.Errorf("%s runs are there, want 2: what was mistyped must not begin one", got)
		}
	})
}

// withoutBatches is a report without the newest batches and their baselines, which only a database has.
func withoutBatches(t *testing.T, report string) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(report), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "batches")
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What was made from another gold is scored again, in the database and in the file.
func TestResumingAfterAGoldHasChanged(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		withDemo(t, url)
		dir := t.TempDir()
		common := []string{"run", "--source", url, "--metrics", "ex_bird,row_f1,sql_complexity", "--json", "--quiet"}
		with := func(more ...string) []string { return append(append([]string{}, common...), more...) }
		file, alone := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "alone.jsonl")
		before, _ := must(t, with("--run-id", "r", "--scores", file)...)
		must(t, with("--no-to", "--scores", alone)...)
		execute(t, url, `UPDATE badger.golden_set SET gold_result = '{"columns": ["n"], "rows": [[-1]]}', alternatives = NULL WHERE case_id = 'bank-03'`)
		want, _ := must(t, with("--run-id", "new")...)
		if before == want {
			t.Fatal("the change of the gold is not seen in the figures")
		}
		answers := strings.TrimSpace(ask(t, url, "SELECT COUNT(*) FROM badger.agent_runs WHERE case_id = 'bank-03'"))
		for _, args := range [][]string{{"--resume", "r", "--scores", file}, {"--resume", "r", "--no-to", "--scores", alone}} {
			out, log := must(t, with(args...)...)
			if slices.Contains(args, "--no-to") { // a file has no baselines
				want, out = withoutBatches(t, want), withoutBatches(t, out)
			}
			same(t, strings.Join(args, " "), want, out)
			if told := "note: " + answers + " answers re-scored, because the question or its gold has changed"; !strings.Contains(log, told) {
				t.Errorf("%q: want %q in\n%s", args, told, log)
			}
			again, log := must(t, with(args...)...)
			if slices.Contains(args, "--no-to") {
				again = withoutBatches(t, again)
			}
			same(t, "once more", want, again)
			if strings.Contains(log, "scored again") {
				t.Errorf("%q once more:\n%s", args, log)
			}
		}
		const counts = "SELECT agent_version, status, CAST(counts AS TEXT) FROM badger.eval_runs WHERE eval_run_id = '%s' ORDER BY agent_version"
		same(t, "counts", ask(t, url, fmt.Sprintf(counts, "new")), ask(t, url, fmt.Sprintf(counts, "r")))
	})
}

// The tables that the first release made, with rows in them.
var released = []string{
	"CREATE SCHEMA badger",
	`CREATE TABLE badger.golden_set (case_id TEXT, question TEXT, evidence TEXT, schema_ddl TEXT, dialect TEXT, gold_sql TEXT, gold_result TEXT, expected_tools JSON, expected_clarifications JSON,
expected_behaviour TEXT, tags JSON, set_version TEXT, gold_latency_ms DOUBLE PRECISION, gold_error TEXT, alternatives JSON, database_name TEXT, metric_options JSON)`,
	`CREATE TABLE badger.agent_runs (agent_name TEXT, agent_version TEXT, batch_id TEXT, case_id TEXT, interpretation TEXT, sql TEXT, result TEXT, sql_error TEXT, tool_calls JSON, response TEXT,
latency_ms DOUBLE PRECISION, gold_latency_ms DOUBLE PRECISION, ran_at TIMESTAMPTZ, conversation_id TEXT, turn BIGINT)`,
	`CREATE TABLE badger.eval_runs (eval_run_id TEXT, agent_name TEXT, agent_version TEXT, batch_id TEXT, eval_run_date TIMESTAMPTZ, mode TEXT, config JSON, judge TEXT, versions JSON, counts JSON, tokens JSON,
cost JSON, status TEXT)`,
	`CREATE TABLE badger.scores (eval_run_id TEXT, case_id TEXT, agent_name TEXT, agent_version TEXT, batch_id TEXT, metric TEXT, metric_version BIGINT, status TEXT, value DOUBLE PRECISION, label TEXT,
passed BOOLEAN, reason TEXT, detail JSON, assessment_ids JSON, config_hash TEXT, scored_at TIMESTAMPTZ, code TEXT)`,
	`CREATE TABLE badger.human_labels (case_id TEXT, agent_name TEXT, batch_id TEXT, annotator TEXT, verdict TEXT, note TEXT, labelled_at TIMESTAMPTZ)`,
	"CREATE VIEW badger.consensus AS SELECT case_id, agent_name, batch_id, 1 AS passes FROM badger.human_labels",
	"CREATE VIEW badger.latest_scores AS SELECT * FROM badger.scores",
	"CREATE VIEW badger.complexity AS SELECT case_id, MAX(label) AS tier FROM badger.latest_scores GROUP BY case_id",
	`INSERT INTO badger.golden_set (case_id, gold_result, set_version) VALUES ('c1', '{"columns": ["n"], "rows": [[1]]}', '1'), ('c2', '{"columns": ["n"], "rows": [[2]]}', '1')`,
	`INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, result) VALUES ('a', '1', 'mon', 'c1', '{"columns": ["n"], "rows": [[1]]}'),
('a', '1', 'mon', 'c2', '{"columns": ["n"], "rows": [[1]]}'), ('a', '2', 'tue', 'c1', '{"columns": ["n"], "rows": [[1]]}')`,
	`INSERT INTO badger.human_labels VALUES ('c1', 'a', 'mon', 'kim', 'pass', NULL, TIMESTAMPTZ '2025-01-01 00:00:00Z'), ('c2', 'a', 'mon', 'kim', 'fail', NULL, NULL), ('c1', 'a', 'tue', 'kim', 'pass', NULL, NULL)`,
	`INSERT INTO badger.eval_runs VALUES ('old', 'a', '1', 'mon', TIMESTAMPTZ '2025-01-01 00:00:00Z', 'both', '{}', 'none', '{}', '{"ok": 1}', '{"calls": 0, "in": 0, "out": 0}', '{}', 'stopped')`,
	`INSERT INTO badger.scores VALUES ('old', 'c1', 'a', '1', 'mon', 'ex_bird', 3, 'ok', 1, NULL, true, 'equal', NULL, NULL, 'h', TIMESTAMPTZ '2025-01-01 00:00:01Z', NULL)`,
}

func TestTablesOfTheFirstRelease(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, released...)
		if strings.HasPrefix(url, "postgres") { // with the indexes that it made
			for table, key := range map[string]string{
				"golden_set": "case_id, set_version", "agent_runs": "agent_name, agent_version, batch_id, case_id", "human_labels": "case_id, agent_name, batch_id, annotator",
				"scores": "eval_run_id, agent_name, agent_version, batch_id, case_id, metric", "eval_runs": "eval_run_id, agent_name, agent_version, batch_id",
			} {
				execute(t, url, fmt.Sprintf("CREATE UNIQUE INDEX %s_key ON badger.%[1]s (%s)", table, key))
			}
		}
		// Read as they are, without writing.
		if out := calibrate(t, "--source", url, "--metrics", "ex_bird"); out.N != 3 || out.Metrics["ex_bird"].Confusion.TP != 2 || out.Metrics["ex_bird"].Confusion.TN != 1 {
			t.Errorf("calibrate: %d labelled cases, %+v, want 3: each label's batch has one version", out.N, out.Metrics["ex_bird"].Confusion)
		}
		// The old run continues.
		_, log := must(t, "run", "--source", url, "--resume", "old", "--metrics", "ex_bird", "--quiet")
		if !strings.Contains(log, "2 answers scored, 1 held already") {
			t.Errorf("resumed: %s", log)
		}
		if got := ask(t, url, "SELECT agent_version, batch_id, case_id, passed, reason = 'equal', run_status FROM badger.latest_scores ORDER BY 1, 3"); got != "1 mon c1 true true done\n1 mon c2 false false done\n2 tue c1 true false done\n2 tue c2 NULL false done\n" {
			t.Errorf("latest scores:\n%s", got)
		}
		if got := ask(t, url, "SELECT labelled, true_pass, true_fail FROM badger.agreement WHERE metric = 'ex_bird'"); got != "3 2 1\n" {
			t.Errorf("agreement: %s", got)
		}
		// The same annotator may now label another version in the same batch.
		execute(t, url, `INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, result) VALUES ('a', '2', 'mon', 'c1', '{"columns": ["n"], "rows": [[7]]}')`,
			"UPDATE badger.human_labels SET agent_version = '1' WHERE batch_id = 'mon'",
			"INSERT INTO badger.human_labels (case_id, agent_name, agent_version, batch_id, annotator, verdict) VALUES ('c1', 'a', '2', 'mon', 'kim', 'fail')")
		must(t, "run", "--source", url, "--run-id", "new", "--metrics", "ex_bird", "--quiet")
		if got := ask(t, url, "SELECT labelled, true_pass, true_fail FROM badger.agreement WHERE metric = 'ex_bird'"); got != "4 2 2\n" {
			t.Errorf("agreement: %s", got)
		}
	})
}

// A judge that was retired is switched on by a version above that, and until then no promotion says
// that it is on.
func TestPromotingAfterRetiring(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "SELECT 1") // a database that exists
		judge := filepath.Join("..", "..", "examples", "judges", "response_format", "response_format.star")
		promote := func(file string) []string { return []string{"judge", "promote", file, "--untested", "--to", url} }
		must(t, promote(judge)...)
		must(t, "judge", "retire", "response_format", "--from", url)
		fails(t, exitUsage, `judge "response_format" was retired by version 2; increase the version above it`, promote(judge)...)
		must(t, promote(writeFile(t, "response_format.star", strings.Replace(readFile(t, judge), "version = 1", "version = 3", 1)))...)
		if got := ask(t, url, "SELECT version, kind FROM badger.judges ORDER BY version"); got != "1 starlark\n2 retired\n3 starlark\n" {
			t.Errorf("judges:\n%s", got)
		}
	})
}

// Going on with a part of a run does not make all of it done, and what the run holds of other
// answers is not in the report or a gate.
func TestResumingAPart(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		series := "(SELECT i FROM generate_series(1, 6) g(i)) g"
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", series), fmt.Sprintf(ownRuns, "'c' || i", "'1'", series),
			// Version 2 is right on c1 and c2 alone.
			`INSERT INTO badger.agent_runs SELECT agent_name, '2', batch_id, case_id, CASE WHEN case_id IN ('c1', 'c2') THEN result ELSE '{"columns": ["n"], "rows": [[7]]}' END FROM badger.agent_runs`)
		must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird,row_f1", "--quiet")
		// What a kill leaves: all of version 1's ex_bird, and two cases of version 2, both right.
		execute(t, url, "DELETE FROM badger.scores WHERE case_id > 'c2' AND (agent_version = '2' OR metric = 'row_f1')", "UPDATE badger.eval_runs SET status = 'running'")
		out, log := must(t, "run", "--source", url, "--resume", "r", "--metrics", "ex_bird", "--agent-version", "1", "--fail-under", "ex_bird=1", "--json", "--quiet")
		if f := figuresOf(t, out); f.Cases != 6 || f.rate("ex_bird").N != 6 || !strings.Contains(log, "gate passed: ex_bird is 1.0000 over 6 of 6 cases") {
			t.Errorf("version 1 alone: %d cases, %+v\n%s", f.Cases, f.rate("ex_bird"), log)
		}
		status := func() string {
			return ask(t, url, "SELECT agent_version, status FROM badger.eval_runs ORDER BY agent_version")
		}
		if got := status(); got != "1 running\n2 running\n" {
			t.Errorf("one version and metric was completed:\n%s", got)
		}
		must(t, "run", "--source", url, "--resume", "r", "--metrics", "ex_bird,row_f1", "--agent-version", "1", "--quiet")
		if got := status(); got != "1 done\n2 running\n" {
			t.Errorf("one version was completed:\n%s", got)
		}
		code, _, log := badger(t, "run", "--source", url, "--resume", "r", "--metrics", "ex_bird,row_f1", "--fail-under", "ex_bird=0.6", "--quiet")
		for _, want := range []string{"gate passed: ex_bird of a 1 is 1.0000 over 6 of 6 cases", "gate failed: ex_bird of a 2 is 0.3333 over 6 of 6 cases"} { // together 0.6667
			if code != exitGate || !strings.Contains(log, want) {
				t.Errorf("exit %d, want %q in\n%s", code, want, log)
			}
		}
		if got := status(); got != "1 done\n2 done\n" {
			t.Errorf("all was completed:\n%s", got)
		}
	})
}

// Labels that came from a spreadsheet end with a carriage return or a tab.
func TestLabelsWithWhiteSpace(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		series := "(SELECT i FROM generate_series(1, 4) g(i)) g"
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", series), fmt.Sprintf(ownRuns, "'c' || i", "CASE WHEN i < 3 THEN '1' ELSE '7' END", series),
			`CREATE TABLE badger.human_labels AS SELECT case_id, agent_name, batch_id, 'kim' AS annotator, CASE case_id WHEN 'c1' THEN 'PASS' || CHR(13) WHEN 'c2' THEN CHR(9) || ' yes'
WHEN 'c3' THEN 'no' || CHR(13) || CHR(10) ELSE ' Fail ' END AS verdict FROM badger.agent_runs`)
		must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--quiet")
		if got := ask(t, url, "SELECT labelled, true_pass, true_fail FROM badger.agreement WHERE metric = 'ex_bird'"); got != "4 2 2\n" {
			t.Errorf("agreement: %s", got)
		}
		if out := calibrate(t, "--source", url, "--metrics", "ex_bird"); out.N != 4 {
			t.Errorf("calibrate: %d labelled cases, want 4", out.N)
		}
	})
}

// A flag that is given and empty chooses the answers without such a name; one that is not given chooses
// all of them.
func TestEmptyChoice(t *testing.T) {
	line := func(id, agent, version, batch string) string {
		return fmt.Sprintf(`{"case_id": %q, "gold": {"sql": "SELECT 1"}, "agent": {"name": %q, "version": %q, "batch_id": %q, "sql": "SELECT 1"}}`+"\n", id, agent, version, batch)
	}
	cases := writeFile(t, "cases.jsonl", line("c1", "", "1", "mon")+line("c1", "atlas", "1", "mon")+line("c2", "atlas", "", "mon")+line("c3", "atlas", "1", "")+line("c4", "", "", ""))
	db := "duckdb:" + filepath.Join(t.TempDir(), "scores.duckdb")
	must(t, "run", "--cases", cases, "--to", db, "--run-id", "r", "--metrics", "exact_match_text", "--quiet")
	for _, tc := range sample.Of([]struct {
		flags []string
		want  string // answers
	}{
		{nil, "5"}, {[]string{"--agent", ""}, "2"}, {[]string{"--agent", "", "--agent-version", "1"}, "1"}, {[]string{"--agent-version", ""}, "2"}, {[]string{"--batch", ""}, "2"}, {[]string{"--agent", "atlas"}, "3"},
	}, 3) {
		for _, command := range [][]string{{"run", "--cases", cases, "--no-to", "--metrics", "exact_match_text", "--json"}, {"report", "--db", db, "--json"}} {
			out, _ := must(t, append(command, tc.flags...)...)
			var f report.Figures
			if err := json.Unmarshal([]byte(out), &f); err != nil {
				t.Fatal(err)
			}
			if got := strconv.Itoa(f.Scores); got != tc.want {
				t.Errorf("%s %q: %s answers, want %s", command[0], tc.flags, got, tc.want)
			}
		}
	}
	out, _ := must(t, "explain", "--case", "c1", "--db", db, "--cases", cases, "--agent", "", "--metric", "exact_match_text", "--json")
	if !strings.Contains(out, `"agent_name": ""`) || !strings.Contains(out, `"agent_version": "1"`) {
		t.Errorf("explain --agent '' shows another answer: %.300s", out)
	}
	for _, side := range []string{"", "(no name)"} { // of two versions of the agent without a name only one is of the batch
		out, _ = must(t, "compare", "--db", db, "--from", side, "--from-batch", "mon", "--to", "atlas@1", "--to-batch", "mon", "--metrics", "exact_match_text", "--json")
		var c analysis.Comparison
		if err := json.Unmarshal([]byte(out), &c); err != nil {
			t.Fatal(err)
		}
		if c.From.Agent != "" || c.From.Version != "1" || c.To.Agent != "atlas" {
			t.Errorf("--from %q compares %+v with %+v", side, c.From, c.To)
		}
		fails(t, exitUsage, "names 2 agents and versions", "compare", "--db", db, "--from", side, "--to", "atlas@1", "--metrics", "exact_match_text")
	}
	fails(t, exitFail, `no cases of agent "nobody" in the file "`, "run", "--cases", cases, "--no-to", "--metrics", "exact_match_text", "--agent", "nobody")
	fails(t, exitUsage, "--to and --no-to", "run", "--cases", cases, "--no-to", "--to", db)
	fails(t, exitUsage, "has no answer to the case c4 by agent (no name); give", "explain", "--case", "c4", "--db", db, "--agent", "")
	twice := writeFile(t, "twice.jsonl", line("c1", "", "", "")+line("c2", "", "", "")+line("c1", "", "", ""))
	fails(t, exitUsage, "(twice.jsonl:1, twice.jsonl:3), expected one", "explain", "--case", "c1", "--cases", twice)
	out, _ = must(t, "trend", "--db", db, "--metrics", "exact_match_text", "--agent", "", "--width", "120")
	if !strings.Contains(out, "2 batches") {
		t.Errorf("trend --agent '': %s", out)
	}
	if out, _ = must(t, "trend", "--db", db, "--metrics", "exact_match_text", "--width", "120"); strings.Count(out, "(no name)") < 2 || strings.Count(out, "(no version)") < 2 {
		t.Errorf("trend shows names that are missing as %s", out)
	}
	out, _ = must(t, "report", "--db", db, "--junit", "-")
	if !strings.Contains(out, `<testsuite name="(no name) 1 mon"`) || !strings.Contains(out, `<testsuite name="(no name)"`) {
		t.Errorf("the suites of JUnit: %s", out)
	}
	fails(t, exitUsage, "--set-version: the value is empty", "run", "--source", db, "--no-to", "--set-version", "")
}
