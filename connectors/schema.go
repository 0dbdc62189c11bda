package connectors

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Schema is the schema that badger's tables live in, in every warehouse.
const Schema = "badger"

// Table is one of badger's tables.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // a row is one for each value of these
}

// Column is a column of a table.
type Column struct {
	Name string
	Type driver.Type
}

// Tables are badger's tables. Results (gold_result, result) are text: an inline result, or a reference such as table:NAME. Further accepted
// answers to a question are golden_set.alternatives, a list of {"sql", "result", "error", "latency_ms"}. A column that is added later goes to the end: installing adds what is missing.
var Tables = []Table{
	{"golden_set", columns("case_id text, question text, evidence text, schema_ddl text, dialect text, gold_sql text, gold_result text, expected_tools json, " +
		"expected_clarifications json, expected_behaviour text, tags json, set_version text, gold_latency_ms double, gold_error text, " +
		"alternatives json, database_name text, metric_options json"), []string{"case_id", "set_version"}},
	{"agent_runs", columns("agent_name text, agent_version text, batch_id text, case_id text, interpretation text, sql text, result text, sql_error text, tool_calls json, " +
		"response text, latency_ms double, gold_latency_ms double, ran_at timestamp, conversation_id text, turn bigint"), []string{"agent_name", "agent_version", "batch_id", "case_id"}},
	{"eval_runs", columns("eval_run_id text, agent_name text, agent_version text, batch_id text, eval_run_date timestamp, mode text, config json, judge text, versions json, " +
		"counts json, tokens json, cost json, status text"), []string{"eval_run_id", "agent_name", "agent_version", "batch_id"}},
	{"scores", columns("eval_run_id text, case_id text, agent_name text, agent_version text, batch_id text, metric text, metric_version bigint, status text, value double, label text, " +
		"passed boolean, reason text, detail json, assessment_ids json, config_hash text, scored_at timestamp, code text"), []string{"eval_run_id", "agent_name", "agent_version", "batch_id", "case_id", "metric"}},
	{"assessments", columns("assessment_id text, kind text, backend text, model text, prompt_version text, request_hash text, reply text, tokens_in bigint, tokens_out bigint, " +
		"latency_ms bigint, created_at timestamp, detail json"), []string{"assessment_id"}},
	{"human_labels", columns("case_id text, agent_name text, batch_id text, annotator text, verdict text, note text, labelled_at timestamp"), []string{"case_id", "agent_name", "batch_id", "annotator"}},
	{"judges", columns("name text, version bigint, kind text, source text, hash text, promoted_at timestamp, promoted_by text"), []string{"name", "version"}},
}

func columns(list string) []Column {
	var out []Column
	for _, c := range strings.Split(list, ", ") {
		name, typ, _ := strings.Cut(c, " ")
		out = append(out, Column{name, driver.Type(typ)})
	}
	return out
}

// TableNamed finds one of badger's tables.
func TableNamed(name string) *Table {
	for i := range Tables {
		if Tables[i].Name == name {
			return &Tables[i]
		}
	}
	return nil
}

// DDL is what makes badger's schema, tables and views in a warehouse of that dialect. All statements can be run again.
func DDL(d driver.Dialect) []string {
	tables, views := statements(d)
	return append(tables, views...)
}

// statements are what installing runs, in order: tables, then, when they have all columns, indexes and views.
func statements(d driver.Dialect) (tables, makeViews []string) {
	tables = []string{"CREATE SCHEMA IF NOT EXISTS " + Schema}
	for i := range Tables {
		tables = append(tables, createTable(d, &Tables[i]))
	}
	if d.KeyIndex != nil {
		for _, t := range Tables {
			makeViews = append(makeViews, d.KeyIndex(Schema, t.Name, t.Key))
		}
	}
	for _, v := range views {
		makeViews = append(makeViews, fmt.Sprintf("CREATE OR REPLACE VIEW %s.%s AS %s", Schema, v.name, v.query))
	}
	return tables, makeViews
}

func createTable(d driver.Dialect, t *Table) string {
	cols := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = c.Name + " " + d.Types[c.Type]
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s (%s)", Schema, t.Name, strings.Join(cols, ", "))
}

// consensus is what most people say of each labelled answer.
const consensus = `SELECT case_id, agent_name, batch_id, CASE WHEN SUM(said) > 0 THEN 1 WHEN SUM(said) < 0 THEN 0 END AS passes
FROM (SELECT case_id, agent_name, batch_id, CASE verdict WHEN 'pass' THEN 1 WHEN 'fail' THEN -1 ELSE 0 END AS said FROM badger.human_labels) v
GROUP BY case_id, agent_name, batch_id`

// views answer the questions people ask of the tables. They keep to SQL that every warehouse reads.
var views = []struct{ name, query string }{
	{"latest_scores", // the scores of the newest run of each version of an agent
		`SELECT s.* FROM badger.scores s JOIN (
  SELECT agent_name, agent_version, batch_id, eval_run_id,
         ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY eval_run_date DESC, eval_run_id DESC) AS newest
  FROM badger.eval_runs) r
ON r.newest = 1 AND r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id`},
	{"consensus", // what most people say of an answer: 1 for pass, 0 for fail, NULL where they are divided
		consensus},
	{"complexity", // the tier of each question, from the newest run that has it
		`SELECT case_id, MAX(label) AS tier FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok' GROUP BY case_id`},
	{"versions_by_metric", // version against version, by metric and complexity tier
		`SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(*) AS scored, AVG(s.value) AS mean_value,
       AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown')`},
	{"agreement", // how often each metric's verdict is the people's
		`SELECT metric, labelled, true_pass, false_pass, true_fail, false_fail, (true_pass + true_fail) * 1.0 / labelled AS accuracy,
       CASE WHEN chance < 1.0 THEN ((true_pass + true_fail) * 1.0 / labelled - chance) / (1.0 - chance) END AS kappa
FROM (SELECT c.*, ((true_pass + false_pass) * 1.0 * (true_pass + false_fail) + (true_fail + false_fail) * 1.0 * (true_fail + false_pass)) / (labelled * 1.0 * labelled) AS chance
  FROM (SELECT s.metric, COUNT(*) AS labelled,
               SUM(CASE WHEN s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS true_pass,
               SUM(CASE WHEN s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS false_pass,
               SUM(CASE WHEN NOT s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS true_fail,
               SUM(CASE WHEN NOT s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS false_fail
    FROM badger.latest_scores s JOIN badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.batch_id = s.batch_id
    WHERE s.passed IS NOT NULL AND l.passes IS NOT NULL GROUP BY s.metric) c) k`},
}
