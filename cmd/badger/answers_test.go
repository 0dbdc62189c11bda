//go:build !no_duckdb && !no_postgres

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/sample"
)

// Tables as users make them: a few columns, of the types that their own tables have.
const (
	ownGolden = `CREATE TABLE badger.golden_set AS SELECT %s AS case_id, 'How many?' AS question, '{"columns": ["n"], "rows": [[1]]}' AS gold_result, 'v1' AS set_version FROM %s`
	ownRuns   = `CREATE TABLE badger.agent_runs AS SELECT 'a' AS agent_name, '1' AS agent_version, 'b' AS batch_id, %s AS case_id, '{"columns": ["n"], "rows": [[' || %s || ']]}' AS result FROM %s`
)

// Whatever the type of a key is, every answer is scored once, and with its question.
func TestKeysOfEveryType(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		serial := "(SELECT i FROM generate_series(1, 120) g(i)) g"
		for _, tc := range sample.Of([]struct{ why, key string }{
			{"text", "'case ' || i"},
			{"integers", "CAST(i AS INTEGER)"},
			{"big integers", "CAST(i AS BIGINT) * 1000000007 - 60000000000"},
			{"decimals", "CAST(i AS DECIMAL(20,4)) / 8"},
			{"UUIDs", "CAST('00000000-0000-0000-0000-' || LPAD(CAST(i * 77 AS TEXT), 12, '0') AS UUID)"},
			{"mixed case", "CASE WHEN i % 2 = 0 THEN 'Q' ELSE 'q' END || CAST(i + i % 2 AS TEXT)"},
			{"blanks around and within", "CASE i % 4 WHEN 0 THEN ' ' WHEN 1 THEN '  ' ELSE '' END || CAST(i AS TEXT) || CASE i % 3 WHEN 0 THEN ' x ' ELSE '' END"},
			{"dates", "CAST('2024-01-01' AS DATE) + CAST(i AS INTEGER)"},
			{"other letters, quotes", "'é''\"😀' || i"},
		}, 3) {
			t.Run(tc.why, func(t *testing.T) {
				execute(t, url, "DROP SCHEMA IF EXISTS badger CASCADE", "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, tc.key, serial), fmt.Sprintf(ownRuns, tc.key, "CASE WHEN i % 3 = 0 THEN 1 ELSE 2 END", serial))
				keys := "SELECT CAST(case_id AS TEXT) AS id FROM badger.agent_runs"
				if got := ask(t, url, "SELECT COUNT(DISTINCT id) FROM ("+keys+") k"); got != "120\n" {
					t.Fatalf("the test's keys are not distinct: %s", got)
				}
				out, log := must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--json", "--quiet")
				if !strings.Contains(log, "120 answers scored") || !strings.Contains(log, "golden set: version v1 for 120 answers") {
					t.Errorf("the run says\n%s", log)
				}
				if f := figuresOf(t, out); f.Cases != 120 || f.rate("ex_bird").N != 120 || f.rate("ex_bird").Passed.Passed != 40 {
					t.Errorf("figures: %+v, want 40 of 120", f.rate("ex_bird"))
				}
				// Every third answer is right.
				if got := ask(t, url, "SELECT COUNT(*), COUNT(DISTINCT case_id), SUM(value) FROM badger.scores WHERE status = 'ok'"); got != "120 120 40\n" {
					t.Errorf("scores, cases, right: %s", got)
				}
				if got := ask(t, url, "SELECT COUNT(*) FROM ("+keys+") k WHERE id NOT IN (SELECT case_id FROM badger.scores)"); got != "0\n" {
					t.Errorf("answers without a score: %s", got)
				}
			})
		}
	})
}

// A row without a key is reported, and so is each of several: they do not vanish, and do not hide
// others.
func TestRowsWithoutAKey(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", "(SELECT i FROM generate_series(1, 3) g(i)) g"),
			"CREATE TABLE badger.agent_runs (agent_name TEXT, agent_version TEXT, batch_id TEXT, case_id TEXT, result TEXT)")
		right := `'{"columns": ["n"], "rows": [[1]]}'`
		execute(t, url, `INSERT INTO badger.agent_runs VALUES
('a', '1', 'b', 'c1', `+right+`), ('a', '1', 'b', NULL, `+right+`), ('a', '1', 'b', NULL, `+right+`), ('a', '1', 'b', '', `+right+`),
('a', '1', NULL, 'c2', `+right+`), (NULL, NULL, NULL, 'c3', `+right+`), ('a', NULL, NULL, NULL, `+right+`)`)
		_, log := lossy(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--quiet")
		if !strings.Contains(log, "5 answers scored") {
			t.Errorf("the run says\n%s", log)
		}
		if got := ask(t, url, "SELECT status, COUNT(*), COUNT(DISTINCT case_id) FROM badger.scores GROUP BY status ORDER BY status"); got != "failed 2 2\nnot_applicable 6 3\nok 3 3\n" {
			t.Errorf("status, scores, cases:\n%s", got)
		}
		if got := ask(t, url, "SELECT COUNT(*) FROM badger.scores WHERE status = 'failed' AND reason LIKE '%case_id is missing%' OR reason LIKE '%has 3 rows%'"); got != "2\n" {
			t.Errorf("rows that say what is missing: %s\n%s", got, ask(t, url, "SELECT case_id, reason FROM badger.scores WHERE status = 'failed'"))
		}
	})
}

// The answers of several nights, agents and versions to the same questions are all scored, stored,
// shown and resumed, each as its own.
func TestNightsWithSeveralBatches(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		withDemo(t, url)
		ids := strings.Fields(ask(t, url, "SELECT case_id FROM badger.golden_set ORDER BY case_id"))
		others := " WHERE case_id NOT IN ('" + strings.Join(sample.Of(ids, 4), "', '") + "')"
		execute(t, url, "DELETE FROM badger.agent_runs"+others, "DELETE FROM badger.golden_set"+others,
			`INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, result, sql_error, response, latency_ms)
SELECT agent_name, agent_version, 'night 2', case_id, sql, result, sql_error, response, latency_ms FROM badger.agent_runs`,
			`INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, result, sql_error, response, latency_ms)
SELECT 'beta', agent_version, batch_id, case_id, sql, result, sql_error, response, latency_ms FROM badger.agent_runs WHERE batch_id = 'night 2'`)
		rows := strings.TrimSpace(ask(t, url, "SELECT COUNT(*) FROM badger.agent_runs"))
		answers := "SELECT agent_name, agent_version, batch_id, COUNT(*) FROM %s GROUP BY agent_name, agent_version, batch_id ORDER BY agent_name, agent_version, batch_id"
		want := ask(t, url, fmt.Sprintf(answers, "badger.agent_runs"))
		if strings.Count(want, "\n") != 6 { // two versions in a batch each, both again, and both once more as another agent's
			t.Fatalf("the test's batches:\n%s", want)
		}
		whole, log := must(t, "run", "--source", url, "--run-id", "r", "--metrics", "hybrid_ex,ex_bird", "--json", "--quiet")
		if !strings.Contains(log, rows+" answers scored") {
			t.Errorf("%s rows; the run says\n%s", rows, log)
		}
		for _, metric := range []string{"hybrid_ex", "ex_bird"} {
			for _, from := range []string{"badger.scores", "badger.latest_scores"} {
				same(t, metric+" in "+from, want, ask(t, url, fmt.Sprintf(answers, "(SELECT * FROM "+from+" WHERE metric = '"+metric+"') s")))
			}
		}
		if got := ask(t, url, "SELECT COUNT(*) FROM badger.scores WHERE status = 'failed' AND reason LIKE '%rows%'"); got != "0\n" {
			t.Errorf("answers that were taken for duplicates: %s", got)
		}
		// The same answer has the same score in every batch.
		if got := ask(t, url, "SELECT COUNT(*) FROM (SELECT agent_version, case_id FROM badger.scores WHERE metric = 'hybrid_ex' GROUP BY agent_version, case_id HAVING COUNT(*) <> 3 OR MIN(COALESCE(value, -1)) <> MAX(COALESCE(value, -1))) d"); got != "0\n" {
			t.Errorf("%s answers are scored otherwise in another batch", got)
		}
		again, log := must(t, "run", "--source", url, "--resume", "r", "--metrics", "hybrid_ex,ex_bird", "--json", "--quiet")
		if !strings.Contains(log, "0 answers scored, "+rows+" held already") {
			t.Errorf("resumed: %s", log)
		}
		same(t, "the report of the resumed run", whole, again)
		_, log = must(t, "run", "--source", url, "--run-id", "one night", "--metrics", "ex_bird", "--batch", "night 2", "--agent", "beta", "--quiet")
		if n := strings.TrimSpace(ask(t, url, "SELECT COUNT(*) FROM badger.agent_runs WHERE batch_id = 'night 2' AND agent_name = 'beta'")); !strings.Contains(log, n+" answers scored") {
			t.Errorf("one batch of %s: %s", n, log)
		}
	})
}

// Answers to the same question in one batch, of which nobody can say which is meant: none is scored,
// whichever comes first, and they are one case everywhere.
func TestAnswersThatAreThereTwice(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		right, wrong := "(1), (2)", "(2), (1)"
		for why, values := range map[string]string{"the right row first": right, "the wrong row first": wrong} {
			t.Run(why, func(t *testing.T) {
				series := "(SELECT i FROM generate_series(1, 4) g(i)) g"
				execute(t, url, "DROP SCHEMA IF EXISTS badger CASCADE", "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", series),
					fmt.Sprintf(ownRuns, "'c' || i", "v", series+", (VALUES "+values+") r(v)"), // two rows of each
					"DELETE FROM badger.agent_runs WHERE case_id = 'c4' AND result LIKE '%2%'",
					"INSERT INTO badger.agent_runs SELECT agent_name, agent_version, batch_id, '', result FROM badger.agent_runs WHERE case_id = 'c4'",
					"INSERT INTO badger.golden_set SELECT '', question, gold_result, set_version FROM badger.golden_set WHERE case_id = 'c4'")
				junit := filepath.Join(t.TempDir(), "j.xml")
				out, log := lossy(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--quiet", "--json", "--junit", junit)
				if !strings.Contains(log, "5 answers scored") || !strings.Contains(log, "version v1 for 5 answers") {
					t.Errorf("the run says\n%s", log)
				}
				f := figuresOf(t, out)
				if c := f.rate("ex_bird").Coverage; c.Asked != 5 || c.Scored != 1 || c.Failed != 4 || c.Unanswered != 0 {
					t.Errorf("coverage %+v", c)
				}
				if text, err := os.ReadFile(junit); err != nil || strings.Count(string(text), "<testcase ") != 5 {
					t.Errorf("%v; JUnit has\n%s", err, text)
				}
				if got := ask(t, url, "SELECT case_id, status, code FROM badger.scores WHERE case_id LIKE 'c%' ORDER BY case_id"); got != "c1 failed already_exists\nc2 failed already_exists\nc3 failed already_exists\nc4 ok NULL\n" {
					t.Errorf("scores:\n%s", got)
				}
				if got := ask(t, url, "SELECT COUNT(*) FROM badger.scores WHERE reason LIKE 'case \"c_\" of agent a 1, batch b has 2 rows, expected one%'"); got != "3\n" {
					t.Errorf("%s", ask(t, url, "SELECT reason FROM badger.scores"))
				}
				// A label of an answer that nobody can tell counts for none.
				execute(t, url, "INSERT INTO badger.human_labels (case_id, agent_name, agent_version, batch_id, annotator, verdict) VALUES ('c1', 'a', '1', 'b', 'kim', 'pass'), ('c4', 'a', '1', 'b', 'kim', 'pass')")
				if out := calibrate(t, "--source", url, "--metrics", "ex_bird"); out.N != 1 {
					t.Errorf("calibrate counts %d labelled cases, want 1", out.N)
				}
			})
		}
	})
}

// Of several rows of a question none is picked: the case fails and says what to do.
func TestQuestionsThatAreThereTwice(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		series := "(SELECT i FROM generate_series(1, 4) g(i)) g"
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", series), fmt.Sprintf(ownRuns, "'c' || i", "'1'", series),
			`INSERT INTO badger.golden_set SELECT case_id, question, '{"columns": ["n"], "rows": [[2]]}', set_version FROM badger.golden_set WHERE case_id = 'c2'`,
			`INSERT INTO badger.golden_set SELECT case_id, question, gold_result, 'v0' FROM badger.golden_set WHERE case_id = 'c3'`) // in another version is not twice
		lossy(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--quiet")
		if got := ask(t, url, "SELECT case_id, code FROM badger.scores WHERE status <> 'ok'"); got != "c2 already_exists\n" {
			t.Errorf("scores that are not ok: %s", got)
		}
		if got := ask(t, url, "SELECT reason FROM badger.scores WHERE case_id = 'c2'"); !strings.Contains(got, `golden_set has 2 rows of the question in version "v1"`) || !strings.Contains(got, "alternatives") {
			t.Errorf("the reason: %s", got)
		}
	})
}

// The highest version is the one that people take for it, a run may name another, and it says which
// it took.
func TestVersionsOfTheGoldenSet(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE SCHEMA badger", "CREATE TABLE badger.golden_set (case_id TEXT, gold_result TEXT, set_version TEXT)",
			fmt.Sprintf(ownRuns, "'c' || i", "'10'", "(SELECT i FROM generate_series(1, 5) g(i)) g"))
		// Each version accepts its own number; c4 is only in v9, c5 in none.
		for _, v := range []string{"9", "10", "2"} {
			for _, c := range []string{"c1", "c2", "c3", "c4"} {
				if c != "c4" || v == "9" {
					execute(t, url, fmt.Sprintf(`INSERT INTO badger.golden_set VALUES ('%s', '{"columns": ["n"], "rows": [[%s]]}', 'v%[2]s')`, c, v))
				}
			}
		}
		_, log := must(t, "run", "--source", url, "--run-id", "newest", "--metrics", "ex_bird", "--quiet")
		if !strings.Contains(log, "golden set: version v10 for 3 answers, version v9 for 1 answer, no question for 1 answer") {
			t.Errorf("the run says\n%s", log)
		}
		_, log = must(t, "run", "--source", url, "--run-id", "v9", "--metrics", "ex_bird", "--quiet", "--set-version", "v9")
		if !strings.Contains(log, "golden set: version v9 for 4 answers\n") {
			t.Errorf("the run says\n%s", log)
		}
		got := ask(t, url, "SELECT eval_run_id, case_id, status, value FROM badger.scores ORDER BY eval_run_id, case_id")
		want := "newest c1 ok 1\nnewest c2 ok 1\nnewest c3 ok 1\nnewest c4 ok 0\nnewest c5 not_applicable NULL\nv9 c1 ok 0\nv9 c2 ok 0\nv9 c3 ok 0\nv9 c4 ok 0\n"
		same(t, "scores", want, got)
		if got := ask(t, url, "SELECT versions FROM badger.eval_runs WHERE eval_run_id = 'newest'"); !strings.Contains(strings.ReplaceAll(got, " ", ""), `"golden_set":{"v10":3,"v9":1}`) {
			t.Errorf("eval_runs.versions: %s", got)
		}
		fails(t, exitUsage, `no version "v3"; it has v2, v9, v10`, "run", "--source", url, "--set-version", "v3", "--metrics", "ex_bird")
	})
	file := writeFile(t, "cases.jsonl", `{"case_id": "c"}`)
	fails(t, exitUsage, "--set-version: expected --source URL", "run", "--cases", file, "--no-to", "--set-version", "v3")
}

// Case files are chosen from as tables are. A line that cannot be read is nobody's and is reported.
func TestChoosingFromACaseFile(t *testing.T) {
	var b strings.Builder
	for _, agent := range []string{"a", "b"} {
		for _, version := range []string{`"1"`, "2.0"} { // a number is its digits
			for _, batch := range []string{"mon", "tue"} {
				for id := range 2 {
					fmt.Fprintf(&b, `{"case_id": %d, "gold": {"result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"name": %q, "version": %s, "batch_id": %q, "result": {"columns": ["n"], "rows": [[1]]}}}`+"\n", id, agent, version, batch)
				}
			}
		}
	}
	b.WriteString("{broken\n")
	cases := writeFile(t, "cases.jsonl", b.String())
	for _, tc := range []struct {
		flags       []string
		right, fail int
	}{
		{nil, 16, 1}, {[]string{"--agent", "a"}, 8, 1}, {[]string{"--batch", "tue"}, 8, 1}, {[]string{"--agent-version", "2.0"}, 8, 1},
		{[]string{"--agent", "b", "--agent-version", "1", "--batch", "mon"}, 2, 1},
	} {
		out, _ := lossy(t, append([]string{"run", "--cases", cases, "--no-to", "--metrics", "ex_bird", "--json", "--quiet"}, tc.flags...)...)
		right, failed := 0, 0
		for _, r := range figuresOf(t, out).Metrics[0].Rates {
			right, failed = right+r.N, failed+r.Status["failed"]
		}
		if right != tc.right || failed != tc.fail {
			t.Errorf("%v: %d scored, %d failed, want %d and %d", tc.flags, right, failed, tc.right, tc.fail)
		}
	}
}

// What is missing is said by name, and what is not needed is not asked for.
func TestTablesThatLackSomething(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		to := "duckdb:" + t.TempDir() + "/to.duckdb"
		execute(t, url, "CREATE SCHEMA badger", "CREATE TABLE badger.other (a TEXT)")
		fails(t, exitFail, "there is no table or view badger.agent_runs; docs/reference/tables.md", "run", "--source", url, "--to", to)
		execute(t, url, "CREATE TABLE badger.agent_runs (case_nr TEXT, result TEXT)")
		fails(t, exitFail, "badger.agent_runs has no column case_id (text)", "run", "--source", url, "--to", to)
		execute(t, url, "DROP TABLE badger.agent_runs", "CREATE TABLE badger.agent_runs (case_id TEXT, result TEXT)")
		fails(t, exitFail, "there is no table or view badger.golden_set", "run", "--source", url, "--to", to)
		execute(t, url, `INSERT INTO badger.agent_runs VALUES ('c', '{"columns": ["n"], "rows": [[1]]}')`,
			`CREATE TABLE badger.questions AS SELECT 'c' AS id, '{"columns": ["n"], "rows": [[1]]}' AS answer`, "CREATE VIEW badger.golden_set AS SELECT id AS case_id, answer AS gold_result FROM badger.questions")
		out, log := must(t, "run", "--source", url, "--to", to, "--metrics", "ex_bird", "--json", "--quiet")
		if f := figuresOf(t, out); f.rate("ex_bird").N != 1 || !strings.Contains(log, "note: the tables have no columns agent_runs.agent_name") {
			t.Errorf("%+v\n%s", f, log)
		}
		// Scores beside views: the users' tables stay as they are where they cannot be given
		// columns.
		out, _ = must(t, "run", "--source", url, "--metrics", "ex_bird", "--json", "--quiet")
		if f := figuresOf(t, out); f.rate("ex_bird").N != 1 {
			t.Errorf("%+v", f)
		}
	})
}

// The statements of docs/reference/tables.md run as they are printed, and a run finds what they make.
func TestStatementsOfThePage(t *testing.T) {
	page := readFile(t, filepath.Join("..", "..", "docs", "reference", "tables.md"))
	statements := func(part string) []string {
		var out []string
		for i, block := range strings.Split(part, "```") {
			if sql, ok := strings.CutPrefix(block, "sql\n"); ok && i%2 == 1 {
				for _, s := range strings.Split(sql, ";\n") {
					if strings.TrimSpace(s) != "" {
						out = append(out, s)
					}
				}
			}
		}
		return out
	}
	fill, rest, _ := strings.Cut(page, "## From your own tables")
	own, _, _ := strings.Cut(rest, "## Tables that badger fills")
	inserts, views := statements(fill), statements(own)
	if len(inserts) != 3 || len(views) != 4 {
		t.Fatalf("%d inserts, %d statements over own tables", len(inserts), len(views))
	}
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE TABLE shop_questions (nr INTEGER, question TEXT, answer_sql TEXT, answer_json TEXT, release INTEGER)",
			"CREATE TABLE agent_log (model DECIMAL(4, 1), night DATE, question_nr INTEGER, generated_sql TEXT, result_json TEXT, failure TEXT, answer_text TEXT, seconds DECIMAL(9, 3), logged_at TIMESTAMP)",
			"CREATE TABLE review (question_nr INTEGER, model DECIMAL(4, 1), night DATE, reviewer TEXT, good BOOLEAN, reviewed_at TIMESTAMP)",
			`INSERT INTO shop_questions VALUES (17, '?', 'SELECT 1', '{"columns": ["n"], "rows": [[1]]}', 9), (17, '?', 'SELECT 2', '{"columns": ["n"], "rows": [[2]]}', 10)`,
			`INSERT INTO agent_log VALUES (2.0, '2025-01-13', 17, 'SELECT 2', '{"columns": ["n"], "rows": [[2]]}', NULL, 'two', 0.25, '2025-01-13 02:00:00')`,
			"INSERT INTO review VALUES (17, 2.0, '2025-01-13', 'kim', TRUE, '2025-01-14 00:00:00')")
		execute(t, url, views...)
		_, log := must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--batch", "2025-01-13", "--agent-version", "2.0", "--quiet")
		if !strings.Contains(log, "version 10 for 1 answer") {
			t.Errorf("the run says\n%s", log)
		}
		if got := ask(t, url, "SELECT case_id, agent_version, batch_id, value FROM badger.latest_scores"); got != "17 2.0 2025-01-13 1\n" {
			t.Errorf("scores: %s", got)
		}
		if got := ask(t, url, "SELECT labelled, true_pass FROM badger.agreement"); got != "1 1\n" {
			t.Errorf("agreement: %s", got)
		}
		other := engineOf(url).empty(t)
		withTables(t, other)
		execute(t, other, inserts...)
		_, log = must(t, "run", "--source", other, "--run-id", "r", "--metrics", "ex_bird", "--quiet")
		if !strings.Contains(log, "1 answer scored") {
			t.Errorf("the run over the example rows says\n%s", log)
		}
		if got := ask(t, other, "SELECT metric, labelled, true_pass FROM badger.agreement ORDER BY metric"); got != "ex_bird 1 1\n" {
			t.Errorf("agreement of the example rows: %s", got)
		}
	})
}

// figures is what the tests read of a report.
type figures struct {
	Cases   int
	Metrics []struct {
		Metric string
		Rates  []rate
	}
}

type rate struct {
	Agent    string `json:"agent_name"`
	Version  string `json:"agent_version"`
	N        int
	Mean     float64
	Status   map[string]int
	Passed   struct{ Passed, Of int }
	Coverage report.Coverage
}

func figuresOf(t testing.TB, out string) (f figures) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// rate is what a metric says of the only version.
func (f *figures) rate(metric string) rate {
	for _, m := range f.Metrics {
		if m.Metric == metric && len(m.Rates) == 1 {
			return m.Rates[0]
		}
	}
	return rate{}
}
