//go:build !no_duckdb

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
)

// dbtProject is a copy of the dbt package and its integration project, in which dbt runs.
type dbtProject struct {
	t            *testing.T
	python       string
	folder, file string // the project, and its DuckDB file
}

func newDBTProject(t *testing.T) *dbtProject {
	t.Helper()
	python := os.Getenv("BADGER_DBT_PYTHON")
	if python == "" {
		t.Skip("BADGER_DBT_PYTHON does not name a python3 that has dbt (.ci/dbt.txt)")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "dbt"), os.DirFS("../../sql/dbt")); err != nil {
		t.Fatal(err)
	}
	p := &dbtProject{t, python, filepath.Join(dir, "dbt", "integration"), filepath.Join(dir, "shop.duckdb")}
	if out, ok := p.dbt("deps"); !ok {
		t.Fatalf("dbt deps: %s", out)
	}
	return p
}

// dbt runs a command of dbt, and returns its output and whether it exited with 0.
func (p *dbtProject) dbt(args ...string) (string, bool) {
	p.t.Helper()
	return p.run(append([]string{filepath.Join(filepath.Dir(p.python), "dbt"), "--no-use-colors"}, args...)...)
}

func (p *dbtProject) run(args ...string) (string, bool) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), args[0], args[1:]...)
	cmd.Dir = p.folder
	source, err := filepath.Abs("../../clients/python/src")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BADGER_") { // badger takes them for keys of its configuration
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1", "DBT_SEND_ANONYMOUS_USAGE_STATS=false",
		"DO_NOT_TRACK=1", "DBT_VERSION_CHECK=false", "DBT_SHOP_FILE="+p.file)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// script runs a Python file of testdata/dbt.
func (p *dbtProject) script(name string, args ...string) string {
	p.t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata/dbt", name))
	if err != nil {
		p.t.Fatal(err)
	}
	out, ok := p.run(append([]string{p.python, path}, args...)...)
	if !ok {
		p.t.Fatalf("%s: %s", name, out)
	}
	return strings.TrimSpace(out)
}

func (p *dbtProject) query(sql string) string {
	p.t.Helper()
	return p.script("query.py", p.file, sql)
}

func (p *dbtProject) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// The model scores has the values of badger run on the demonstration. A second build scores nothing, a third one only a new answer.
func TestDBTBuild(t *testing.T) {
	p := newDBTProject(t)
	load := []string{p.file}
	for _, table := range []string{"golden_set", "agent_runs", "scores"} {
		parquet := filepath.Join(filepath.Dir(p.file), table+".parquet")
		must(t, "sql", "--db", demoFile(t), "COPY (SELECT * FROM badger."+table+") TO '"+parquet+"' (FORMAT parquet)")
		load = append(load, table+"="+parquet)
	}
	p.script("load.py", load...)
	if out, ok := p.dbt("build"); !ok {
		t.Fatalf("dbt build: %s", out)
	}
	const same = `SELECT COUNT(*), COUNT(*) FILTER (d.value IS NOT DISTINCT FROM s.value AND d.status = s.status AND d.label IS NOT DISTINCT FROM s.label
  AND d.passed IS NOT DISTINCT FROM s.passed AND d.gold_hash = s.gold_hash AND d.reason IS NOT DISTINCT FROM s.reason)
FROM main.badger_scores d JOIN badger.scores s USING (agent_name, agent_version, batch_id, case_id, metric)`
	if got := p.query(same); got != "[[336, 336]]" { // 112 answers, 3 metrics
		t.Errorf("scores, and those equal to badger run's: %s", got)
	}
	// score is NULL where badger run's score has no value, since the macro had the same arguments.
	const macros = `SELECT COUNT(*), COUNT(score), COUNT(*) FILTER (score > tolerant), COUNT(*) FILTER (json_extract_string(why, '$.status') IS NULL) FROM main.answers`
	if got := p.query(macros); !regexp.MustCompile(`^\[\[112, [1-9]\d*, 0, 0\]\]$`).MatchString(got) {
		t.Errorf("answers, scores, scores above those with a tolerance, scores without a status: %s", got)
	}

	const state = "SELECT COUNT(*), COUNT(DISTINCT eval_run_id), MAX(scored_at), bit_xor(hash(d)) FROM main.badger_scores d"
	before := p.query(state)
	if out, ok := p.dbt("build"); !ok {
		t.Fatalf("second dbt build: %s", out)
	}
	if after := p.query(state); after != before {
		t.Errorf("a second build changed the scores: %s, before %s", after, before)
	}
	p.script("load.py", p.file, "--sql", "INSERT INTO badger.agent_runs SELECT * REPLACE ('wed' AS batch_id) FROM badger.agent_runs WHERE agent_version = '2.0' AND case_id = 'retail-01'")
	if out, ok := p.dbt("build"); !ok {
		t.Fatalf("third dbt build: %s", out)
	}
	if got := p.query("SELECT COUNT(*), COUNT(DISTINCT eval_run_id), COUNT(*) FILTER (batch_id = 'wed') FROM main.badger_scores"); got != "[[339, 2, 3]]" {
		t.Errorf("scores, runs and scores of the new answer: %s, expected 339, 2 and 3", got)
	}
}

// Each generic test passes and fails as its documentation says, on the scores of the demonstration.
func TestDBTGates(t *testing.T) {
	p := newDBTProject(t)
	p.script("load.py", p.file)
	score := func(version, batch, id, metric, value, hash string) string {
		status, reason := "ok", ""
		if value == "NULL" {
			status, reason = "not_applicable", scoring.NoAnswer
		}
		return fmt.Sprintf("('r-%s', 'atlas', '%s', '%s', '%s', '%s', 1, '%s', %s, '%s', 'c', '%s', TIMESTAMP '2025-01-%s')",
			batch, version, batch, id, metric, status, value, reason, hash, batch)
	}
	// hybrid_ex of version 1: 0.75. Version 2 in its newest batch 14: 1, 1, a missing answer, and one whose question was corrected: 0.75 of 4, and of the
	// questions that are the same 2/3, before 1.
	rows := []string{
		score("1", "10", "a", "hybrid_ex", "1", "h"), score("1", "10", "b", "hybrid_ex", "1", "h"), score("1", "10", "c", "hybrid_ex", "1", "h"),
		score("1", "10", "d", "hybrid_ex", "0", "h"),
		score("2", "12", "a", "hybrid_ex", "0", "h"),
		score("2", "14", "a", "hybrid_ex", "1", "h"), score("2", "14", "b", "hybrid_ex", "1", "h"), score("2", "14", "c", "hybrid_ex", "NULL", "h"),
		score("2", "14", "d", "hybrid_ex", "1", "other"),
		score("1", "10", "a", "latency_overhead", "2", "h"), score("2", "14", "a", "latency_overhead", "3", "h"),
		score("2", "14", "a", "ex_bird", "1", "other"), score("1", "10", "a", "ex_bird", "1", "h"),
	}
	p.script("load.py", p.file, "--sql", `CREATE TABLE badger.scores (eval_run_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, case_id VARCHAR,
  metric VARCHAR, metric_version BIGINT, status VARCHAR, value DOUBLE, reason VARCHAR, config_hash VARCHAR, gold_hash VARCHAR, scored_at TIMESTAMP)`,
		"INSERT INTO badger.scores VALUES "+strings.Join(rows, ", "))
	tests := []struct {
		name, test, arguments string
		passes                bool
	}{
		{"reached", "min_score", "metric: hybrid_ex, min: 0.75", true},
		{"below", "min_score", "metric: hybrid_ex, min: 0.751", false},
		{"earlier_batch", "min_score", "metric: hybrid_ex, min: 0.1, batch_id: '12'", false},
		{"earlier_version", "min_score", "metric: hybrid_ex, min: 0.75, agent_version: 1", true},
		{"lower_reached", "min_score", "metric: latency_overhead, min: 3", true},
		{"lower_above", "min_score", "metric: latency_overhead, min: 2.5", false},
		{"no_scores", "min_score", "metric: row_f1, min: 0", false},
		{"no_agent", "min_score", "metric: hybrid_ex, min: 0, agent_name: nobody", false},
		{"coverage", "min_score", "metric: hybrid_ex, min: 0.75, min_coverage: 1", true}, // a missing answer has the value 0
		{"drop", "no_regression", "baseline: atlas@1", false},
		{"drop_allowed", "no_regression", "baseline: atlas@1, max_drop: 0.34", true},
		{"drop_too_large", "no_regression", "baseline: '1', max_drop: 0.33", false},
		{"itself", "no_regression", "baseline: atlas@2", true},
		{"rise", "no_regression", "baseline: atlas@2, baseline_batch: '12'", true},
		{"slower", "no_regression", "baseline: atlas@1, metric: latency_overhead", false},
		{"nothing_comparable", "no_regression", "baseline: atlas@1, metric: ex_bird", false},
		{"no_baseline", "no_regression", "baseline: atlas@9", false},
	}
	var b strings.Builder
	b.WriteString("version: 2\nsources:\n  - name: history\n    schema: badger\n    tables:\n      - name: scores\n        data_tests:\n")
	for _, tc := range tests {
		fmt.Fprintf(&b, "          - badger.badger_%s: {name: %s, arguments: {%s}}\n", tc.test, tc.name, tc.arguments)
	}
	p.write("models/gates.yml", b.String())
	out, ok := p.dbt("test", "--select", "source:history")
	if ok {
		t.Errorf("dbt test exits with 0 although tests fail: %s", out)
	}
	for _, tc := range tests {
		want := "FAIL 1 " + tc.name + " "
		if tc.passes {
			want = "PASS " + tc.name + " "
		}
		if !strings.Contains(out, want) {
			t.Errorf("%s (%s: %s): expected %q", tc.name, tc.test, tc.arguments, want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// The package compiles with the adapter of each warehouse, sqlglot reads what it compiles, and every macro calls a function that badger install creates.
func TestDBTCompiles(t *testing.T) {
	for _, tc := range []struct {
		warehouse, via string
		calls          []string // in the model answers
	}{
		{"snowflake", "spcs", []string{
			"analytics.badger.hybrid_ex(g.gold_result, a.result) AS score",
			`analytics.badger.hybrid_ex(g.gold_result, a.result, PARSE_JSON('{"tolerance": 0.01}'), g.dialect, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS tolerant`,
		}},
		{"bigquery", "cloud-run", []string{
			"`analytics.badger`.hybrid_ex(g.gold_result, a.result) AS score",
			"`analytics.badger`.hybrid_ex_all(g.gold_result, a.result, '{\"tolerance\": 0.01}', g.dialect, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS tolerant",
		}},
		{"databricks", "http", []string{
			"analytics.badger.hybrid_ex(g.gold_result, a.result) AS score",
			`analytics.badger.hybrid_ex(g.gold_result, a.result, options => '{"tolerance": 0.01}', dialect => g.dialect) AS tolerant`,
		}},
		{"postgres", "http", []string{
			"badger.hybrid_ex(g.gold_result, a.result) AS score",
			`badger.hybrid_ex(g.gold_result, a.result, options => '{"tolerance": 0.01}'::json, dialect => g.dialect) AS tolerant`,
		}},
		{"redshift", "lambda", []string{
			"badger.hybrid_ex(g.gold_result, a.result) AS score",
			`badger.hybrid_ex(g.gold_result, a.result, '{"tolerance": 0.01}', g.dialect, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS tolerant`,
		}},
	} {
		t.Run(tc.warehouse, func(t *testing.T) {
			p := newDBTProject(t)
			p.write("models/every.sql", everyMacro(t))
			out, ok := p.dbt("compile", "--target", tc.warehouse, "--full-refresh", "--no-introspect", "--no-populate-cache")
			if !ok {
				t.Fatalf("dbt compile: %s", out)
			}
			compiled := filepath.Join(p.folder, "target/compiled")
			answers, err := os.ReadFile(filepath.Join(compiled, "shop/models/answers.sql"))
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range tc.calls {
				if !strings.Contains(string(answers), call) {
					t.Errorf("expected %s in\n%s", call, answers)
				}
			}
			var calls []string
			if err := json.Unmarshal([]byte(p.script("calls.py", tc.warehouse, filepath.Join(compiled, "badger/models/scores.sql"),
				filepath.Join(compiled, "shop/models/answers.sql"), filepath.Join(compiled, "shop/models/backlog.sql"),
				filepath.Join(compiled, "shop/models/every.sql"))), &calls); err != nil {
				t.Fatal(err)
			}
			installed := installedFunctions(t, tc.warehouse, tc.via)
			if len(calls) < 200 {
				t.Errorf("%d calls are compiled", len(calls))
			}
			for _, call := range calls {
				if !slices.Contains(installed, call) {
					t.Errorf("badger install creates no function for the call %s", call)
				}
			}
		})
	}
}

// everyMacro is a model that calls the macro of each function with the required arguments and with all.
func everyMacro(t *testing.T) string {
	t.Helper()
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for i := range catalogue.Functions() {
		f := &catalogue.Functions()[i]
		if strings.HasSuffix(f.Name, "_submit") || strings.HasSuffix(f.Name, "_fetch") {
			continue
		}
		arguments := make([]string, len(f.Params))
		for k := range f.Params {
			arguments[k] = fmt.Sprintf(`"x.c%d"`, k)
		}
		for _, n := range []int{f.Required(), len(f.Params)} {
			calls = append(calls, fmt.Sprintf("{{ badger.%s(%s) }}", f.Name, strings.Join(arguments[:n], ", ")))
		}
	}
	return "{{ config(materialized='ephemeral') }}\nSELECT " + strings.Join(calls, ",\n  ") + "\nFROM x"
}

// installedFunctions lists the functions that badger install creates, as NAME/ARGUMENTS with each number of arguments with which they can be called.
func installedFunctions(t *testing.T, warehouse, via string) (out []string) {
	t.Helper()
	values := filepath.Join(t.TempDir(), "badger.yaml")
	example, _ := must(t, "install", "--warehouse", warehouse, "--via", via, "--example")
	if err := os.WriteFile(values, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	sql, _ := must(t, "install", "--values", values, "--print")
	for _, at := range regexp.MustCompile(`CREATE OR REPLACE (?:EXTERNAL )?FUNCTION ([^\s(]+)\(`).FindAllStringSubmatchIndex(sql, -1) {
		full := strings.ReplaceAll(sql[at[2]:at[3]], "`", "")
		name := full[strings.LastIndex(full, ".")+1:]
		text := sql[at[1]:]
		depth, arguments, quoted, i := 0, 0, false, 0
		for ; depth >= 0; i++ {
			switch c := text[i]; {
			case c == '\\':
				i++ // what it escapes
			case c == '\'':
				quoted = !quoted
			case quoted:
			case c == '(':
				depth++
			case c == ')':
				depth--
			case c == ',' && depth == 0:
				arguments++
			}
		}
		if strings.TrimSpace(text[:i-1]) != "" {
			arguments++
		}
		defaults := strings.Count(text[:i-1], " DEFAULT NULL")
		for n := arguments - defaults; n <= arguments; n++ {
			out = append(out, fmt.Sprintf("%s/%d", name, n))
		}
	}
	return out
}
