package docs

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Tables renders one Markdown page of badger's tables and of case files.
func Tables() []byte {
	var b strings.Builder
	b.WriteString(`# Tables and case files

badger reads questions and answers from two tables, golden_set and agent_runs, and what people say of the answers from a third, human_labels. They live in
the schema badger of your warehouse. A run creates the tables that are missing and adds the columns that are missing, so the shortest way to start is
to let it create them and to insert rows. They may also be views over tables of your own: "From your own tables" below shows how.

- Only the columns marked as required must be there. Others that are missing are read as NULL, and a run names them.
- An answer is identified by case_id, agent_name, agent_version and batch_id together. These columns may have any type: they are read as their text. NULL
  is the same as the empty text.
- Two answers with the same identity, and two rows of golden_set with the same case_id and set_version, are an error of that case: it counts once, as failed, and its scores say how many rows there are.
  Further accepted answers belong into golden_set.alternatives.
- A question may be in several versions of the golden set. A run takes each question in the highest version that has it, and prints which versions it
  took. Versions are ordered as Semantic Versioning and PEP 440 order them: digits count as numbers, so that v10 is above v9 and 2024-10 above 2024-9;
  pre-releases are below their release (1.0.dev1, 1.0a1 and 1.0-rc1 below 1.0), post-releases above it. --set-version names the version to take.
- The types are portable: text is VARCHAR, TEXT or STRING, json is JSON, VARIANT or text that holds JSON, double is any number, timestamp any instant.

An inline result is {"columns": [{"name", "type"}], "rows": [[...]]}; columns may also be a list of names. Numbers that JSON would round are written as text.

`)
	for _, input := range []bool{true, false} {
		if input {
			b.WriteString("## Tables that you fill\n\n")
		} else {
			b.WriteString("## From your own tables\n\n" + own + "## Tables that badger fills\n\n")
		}
		for i := range badgersql.Tables {
			if t := &badgersql.Tables[i]; t.Input == input {
				table(&b, t)
			}
		}
	}
	b.WriteString("## Views\n\n| view | what it shows | columns |\n| --- | --- | --- |\n")
	for i := range badgersql.Views {
		v := &badgersql.Views[i]
		fmt.Fprintf(&b, "| `badger.%s` | %s | %s |\n", v.Name, pipes(v.Doc), v.Columns)
	}
	b.WriteString("\n## Case files\n\nA case file holds one case a line, as a JSON object (JSON Lines). A key may also have the name of the column that holds the same (gold_sql for gold.sql, sql for agent.sql, agent_version for agent.version), or be written with points (\"gold.sql\"). Keys that are not known are not read: a run names each once, with the nearest that is known, and run --strict refuses them. --agent, --agent-version and --batch choose from a file as they do from the tables.\n\n" +
		"| key | type | meaning |\n| --- | --- | --- |\n")
	for _, k := range scoring.CaseKeys() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, k.Type, pipes(k.Doc))
	}
	b.WriteString("\nA case with every key (one line in a file):\n\n```json\n" + ExampleCase + "\n```\n")
	return []byte(b.String())
}

func table(b *strings.Builder, t *badgersql.Table) {
	fmt.Fprintf(b, "### %s\n\n%s Key: %s.\n\n| column | type | meaning | example |\n| --- | --- | --- | --- |\n", t.FullName(), t.Doc, strings.Join(t.Key, ", "))
	for _, c := range t.Columns {
		required, example := "", "NULL"
		if c.Required {
			required = " Required."
		}
		if c.Example != "" {
			example = "`" + c.Example + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s%s | %s |\n", c.Name, c.Type, pipes(c.Doc), required, pipes(example))
	}
	if t.Input {
		fmt.Fprintf(b, "\n```sql\n%s;\n```\n", insert(t))
	}
	b.WriteString("\n")
}

// insert is a statement that inserts the table's example row.
func insert(t *badgersql.Table) string {
	var names, values []string
	for _, c := range t.Columns {
		if c.Example == "" {
			continue
		}
		names = append(names, c.Name)
		switch c.Type {
		case driver.BigInt, driver.Double, driver.Boolean:
			values = append(values, c.Example)
		default:
			values = append(values, "'"+strings.ReplaceAll(c.Example, "'", "''")+"'")
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s)\nVALUES (%s)", t.FullName(), strings.Join(names, ", "), strings.Join(values, ",\n  "))
}

func pipes(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// own shows how users' tables become badger's.
const own = `Say that your questions are in shop_questions, the agent's log is in agent_log, and reviews are in review. Then these views are all that a run needs
(in a database where badger has created no tables yet; otherwise use INSERT ... SELECT with the same columns). Leave out the columns that you do not have.

` + "```sql" + `
CREATE SCHEMA IF NOT EXISTS badger;

CREATE VIEW badger.golden_set AS
SELECT nr AS case_id, question, answer_sql AS gold_sql, answer_json AS gold_result, release AS set_version
FROM shop_questions;

CREATE VIEW badger.agent_runs AS
SELECT 'atlas' AS agent_name, model AS agent_version, night AS batch_id, question_nr AS case_id,
       generated_sql AS sql, result_json AS result, failure AS sql_error, answer_text AS response, seconds * 1000 AS latency_ms, logged_at AS ran_at
FROM agent_log;

CREATE VIEW badger.human_labels AS
SELECT question_nr AS case_id, 'atlas' AS agent_name, model AS agent_version, night AS batch_id, reviewer AS annotator,
       CASE WHEN good THEN 'pass' ELSE 'fail' END AS verdict, reviewed_at AS labelled_at
FROM review;
` + "```" + `

result_json is an inline result. An agent that keeps its results as tables writes a reference instead, such as 'table:results.q17'. DuckDB makes inline results
of a query's rows: SELECT json_object('columns', ['region', 'n'], 'rows', json_group_array(json_array(region, n))) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region).
PostgreSQL: SELECT json_build_object('columns', json_build_array('region', 'n'), 'rows', json_agg(json_build_array(region, n))) with the same FROM.

`

// ExampleCase is a case with every key.
const ExampleCase = `{
  "case_id": "orders-01", "question": "How many orders were placed in 2024?", "evidence": "Cancelled orders do not count.",
  "schema_ddl": "CREATE TABLE orders (id INT, placed DATE, status TEXT)", "database": "shop", "dataset": "sales", "dialect": "postgres", "tags": ["sales"],
  "gold": {"sql": "SELECT COUNT(*) AS n FROM orders", "result": {"columns": [{"name": "n", "type": "BIGINT"}], "rows": [[10822]]}, "error": "", "latency_ms": 41.5},
  "agent": {
    "name": "atlas", "version": "2.0", "batch_id": "2025-01-13", "interpretation": "Count the orders of 2024.", "sql": "SELECT COUNT(id) FROM orders",
    "result": "file:results/orders-01.csv", "error": "", "latency_ms": 57, "response": "There were 10,822 orders.",
    "tool_calls": [{"name": "run_sql", "arguments": {"limit": 100}}], "conversation_id": "c9", "turn": 1
  },
  "expected": {"behaviour": "answer", "tools": ["run_sql"], "clarifications": []},
  "human": {"label": true, "votes": {"kim": "pass", "lee": "unsure"}},
  "options": {"hybrid_ex": {"tolerance": 0.001}}
}`
