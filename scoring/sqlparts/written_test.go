package sqlparts

import (
	"slices"
	"strings"
	"testing"
)

func TestUnwrap(t *testing.T) {
	const q = "SELECT a FROM t WHERE b = 1"
	for _, c := range []struct{ text, sql, around string }{
		// as it stands
		{q, q, ""},
		{"  " + q + ";\n", "  " + q + ";\n", ""},
		{"WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x", ""},
		{"SELECT '```sql' AS fence", "SELECT '```sql' AS fence", ""},
		{"SELECT 'Here is the SQL: SELECT 1'", "SELECT 'Here is the SQL: SELECT 1'", ""},
		{"SELECT a::int FROM t WHERE c < 2", "SELECT a::int FROM t WHERE c < 2", ""},
		{"-- the answer: all\n" + q, "-- the answer: all\n" + q, ""},
		{"DROP TABLE t", "DROP TABLE t", ""},
		{"", "", ""},

		// fences
		{"```sql\n" + q + "\n```", q, "a Markdown fence"},
		{"```SQL\n" + q + ";\n```\n", q + ";", "a Markdown fence"},
		{"```\n" + q + "\n```", q, "a Markdown fence"},
		{"~~~postgresql\n" + q + "\n~~~", q, "a Markdown fence"},
		{"````sql\n" + q + "\n````", q, "a Markdown fence"},
		{"```sql " + q + "```", q, "a Markdown fence"},
		{"```" + q + "```", q, "a Markdown fence"},
		{"```sql\n" + q, q, "a Markdown fence"},
		{"Here you go!\n\n```sql\n" + q + "\n```\n\nIt counts open orders.", q, "a Markdown fence with words around it"},
		{"```bash\npsql -c x\n```\nand\n```sql\n" + q + "\n```", q, "a Markdown fence with words around it"},
		{"```sql\n" + q + "\n```\nAgain:\n```sql\n" + q + "\n```", q, "a Markdown fence with words around it"},
		{"```sql\nDROP TABLE t\n```", "DROP TABLE t", "a Markdown fence"},

		// other wrappings
		{"`" + q + "`", q, "backticks"},
		{"`SELECT a FROM `p.d.t``", "SELECT a FROM `p.d.t`", "backticks"},
		{`{"sql": "` + q + `"}`, q, "JSON (sql)"},
		{`{"reasoning": "a: b", "SQL": "` + q + `", "n": 3}`, q, "JSON (SQL)"},
		{"```json\n{\"query\": \"" + q + "\"}\n```", q, "a Markdown fence, JSON (query)"},
		{`"` + q + `"`, q, "a JSON string"},
		{"<think>SELECT 2? No.</think>\n" + q, q, "<think>"},
		{"I should count: SELECT 2\n</think>\n\n```sql\n" + q + "\n```", q, "<think>, a Markdown fence"},
		{"<sql>" + q + "</sql>", q, "<sql>"},
		{"<answer>\n```sql\n" + q + "\n```\n</answer>", q, "<answer>, a Markdown fence"},
		{"Here is the SQL: " + q, q, "words before it"},
		{"Sure! Here is the query you asked for:\n\n" + q + ";", q + ";", "words before it"},
		{"SQLQuery: " + q, q, "words before it"},
		{"sql\n" + q, q, "a label"},

		// words, and what is not clear
		{"I cannot answer this question: there is no such column.", "", ""},
		{"```text\nno SQL here\n```", "", ""},
		{"```sql\nI do not know.\n```", "", ""},
		{`{"sql": "` + q + `", "query": "SELECT 2"}`, "", ""},
		{`{"answer": 12}`, "", ""},
		{"```sql\n" + q + "\n```\nor\n```sql\nSELECT 2 FROM u\n```", "", ""},
		{"DELETE FROM t WHERE a = 1;\n```sql\n" + q + "\n```", "", ""},
		{"```sql\n" + q + "\n```\nDROP TABLE t;", "", ""},
		{"DROP TABLE u; done: " + q, "", ""},
		{"<think>" + q, "", ""},
	} {
		want := c.sql
		if want == "" {
			want = c.text
		}
		for d := Generic; d <= TSQL; d++ {
			if strings.Contains(c.text, "p.d.t") && d != BigQuery && d != MySQL && d != Databricks || strings.Contains(c.text, "::") && d == SQLite {
				continue
			}
			got, around := Unwrap(c.text, d)
			if got != want || strings.Join(around, ", ") != c.around {
				t.Errorf("%s: %q\n got %q, %q\nwant %q, %q", d, c.text, got, around, want, c.around)
			}
		}
	}
}

func TestTemplates(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT {{ x }} FROM t", []string{"{{ x }}"}},
		{"SELECT * FROM {{ ref('orders') }} WHERE a > ${n}", []string{"{{ ref('orders') }}", "${n}"}},
		{"SELECT * FROM ${db}.t", []string{"${db}"}},
		{"SELECT 1 {% if x %} WHERE a {% endif %}", []string{"{% if x %}", "{% endif %}"}},
		{"SELECT a FROM t WHERE u = '{{ user }}'", []string{"{{ user }}"}},
		{"SELECT a FROM t WHERE u = '${user}'", []string{"${user}"}},
		{`SELECT a FROM "{{ t }}"`, []string{"{{ t }}"}},
		{"SELECT 1 -- {{ x }}", []string{"{{ x }}"}},
		{"SELECT '{{1,2},{3,4}}'::int[]", []string{}},
		{"SELECT a FROM t WHERE a ~ '^x${2}' OR a LIKE '%{{%'", []string{}},
		{"SELECT {'a': {'b': 1}}", []string{}},
		{"SELECT '{\"a\": {\"b\": 1}}'", []string{}},
		{"SELECT $1, :x, ?", []string{}},
		{"SELECT {{{{{{", []string{}},
	} {
		got := []string{}
		for _, at := range Parse(c.sql, Postgres).Templates() {
			got = append(got, c.sql[at.Start:at.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.sql, got, c.want)
		}
	}
}
