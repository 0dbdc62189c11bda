package duckdb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/counterexample"
)

const quarterDDL = "CREATE TABLE sale (shop VARCHAR(20), quarter VARCHAR(2), amount INT); CREATE TABLE wide (shop VARCHAR(20), q1 INT, q2 INT)"

// Forms that are read as the queries that they stand for: they equal those, and nothing else.
func TestCounterexampleForms(t *testing.T) {
	for _, tc := range sample.Of([]struct {
		name, dialect, schema string
		query, same, other    string
	}{
		{
			"PIVOT", "bigquery", quarterDDL,
			"SELECT * FROM sale PIVOT(SUM(amount) FOR quarter IN ('Q1', 'Q2'))",
			"SELECT shop, SUM(IF(quarter = 'Q1', amount, NULL)) AS Q1, SUM(IF(quarter = 'Q2', amount, NULL)) AS Q2 FROM sale GROUP BY shop",
			"SELECT shop, SUM(IF(quarter = 'Q1', amount, 0)) AS Q1, SUM(IF(quarter = 'Q2', amount, 0)) AS Q2 FROM sale GROUP BY shop",
		},
		{
			"PIVOT with names", "snowflake", quarterDDL,
			"SELECT p.shop, p.a - p.b FROM sale PIVOT(MAX(amount) FOR quarter IN ('Q1' AS a, 'Q2' AS b)) AS p",
			"SELECT shop, MAX(CASE WHEN quarter = 'Q1' THEN amount END) - MAX(CASE WHEN quarter = 'Q2' THEN amount END) FROM sale GROUP BY shop",
			"SELECT shop, MAX(CASE WHEN quarter = 'Q2' THEN amount END) - MAX(CASE WHEN quarter = 'Q1' THEN amount END) FROM sale GROUP BY shop",
		},
		{
			"UNPIVOT", "bigquery", quarterDDL,
			"SELECT shop, name, amount FROM wide UNPIVOT(amount FOR name IN (q1, q2))",
			"SELECT shop, 'q1', q1 FROM wide WHERE q1 IS NOT NULL UNION ALL SELECT shop, 'q2', q2 FROM wide WHERE q2 IS NOT NULL",
			"SELECT shop, 'q1', q1 FROM wide UNION ALL SELECT shop, 'q2', q2 FROM wide",
		},
		{
			"UNPIVOT INCLUDE NULLS", "bigquery", quarterDDL,
			"SELECT shop, name, amount FROM wide UNPIVOT INCLUDE NULLS (amount FOR name IN (q1, q2))",
			"SELECT shop, 'q1', q1 FROM wide UNION ALL SELECT shop, 'q2', q2 FROM wide",
			"SELECT shop, 'q1', q1 FROM wide WHERE q1 IS NOT NULL UNION ALL SELECT shop, 'q2', q2 FROM wide WHERE q2 IS NOT NULL",
		},
		{
			"DISTINCT ON", "postgres", quarterDDL,
			"SELECT DISTINCT ON (shop) shop, amount FROM sale ORDER BY shop, amount DESC NULLS LAST",
			"SELECT shop, MAX(amount) FROM sale GROUP BY shop",
			"SELECT shop, MIN(amount) FROM sale GROUP BY shop",
		},
		{
			"recursion over a chain", "postgres", "CREATE TABLE staff (id INT PRIMARY KEY, boss INT)",
			"WITH RECURSIVE under AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM staff s JOIN under u ON s.boss = u.id) SELECT count(*) FROM under WHERE id = 1",
			"WITH RECURSIVE under(n) AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM under u, staff s WHERE s.boss = u.n) SELECT count(*) FROM under WHERE n = 1",
			"SELECT count(*) FROM staff s LEFT JOIN staff b ON s.boss = b.id WHERE s.id = 1 AND (s.boss IS NULL OR b.boss IS NULL)",
		},
		{
			"recursion that ends by itself", "sqlite", "CREATE TABLE staff (id INTEGER PRIMARY KEY, boss INTEGER)",
			"WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) + (SELECT count(*) FROM staff) FROM n",
			"SELECT 15 + count(*) FROM staff",
			"SELECT 10 + count(*) FROM staff",
		},
		{
			"recursion without repeated rows", "postgres", "CREATE TABLE link (a INT, b INT)",
			"WITH RECURSIVE r AS (SELECT 1 AS x UNION SELECT l.b FROM link l JOIN r ON l.a = r.x) SELECT count(x) FROM r",
			"WITH RECURSIVE r AS (SELECT 1 AS x UNION SELECT b FROM r, link WHERE a = x) SELECT count(x) FROM r",
			"SELECT 1 + count(DISTINCT b) FROM link WHERE a = 1",
		},
		{
			"a function of the text", "bigquery", quarterDDL,
			"CREATE TEMP FUNCTION growth(now FLOAT64, before FLOAT64) RETURNS FLOAT64 AS ((now - before) / NULLIF(before, 0));\nSELECT shop, growth(q2, q1) FROM wide",
			"SELECT shop, (q2 - q1) / NULLIF(q1, 0) FROM wide",
			"SELECT shop, (q1 - q2) / NULLIF(q2, 0) FROM wide",
		},
		{
			"a key that holds a query", "bigquery", "CREATE TABLE visit (id INT64, user STRING, params ARRAY<STRUCT<key STRING, value INT64>>)",
			"SELECT (SELECT MAX(p.value) FROM UNNEST(params) AS p WHERE p.key = 'k') AS v, count(*) FROM visit GROUP BY v",
			"SELECT v, count(*) FROM (SELECT (SELECT MAX(p.value) FROM UNNEST(params) AS p WHERE p.key = 'k') AS v FROM visit) GROUP BY v",
			"SELECT (SELECT MAX(p.value) FROM UNNEST(params) AS p WHERE p.key = 'j') AS v, count(*) FROM visit GROUP BY v",
		},
		{
			"arrays of structures in the schema", "databricks", "CREATE TABLE visit (id BIGINT, place STRUCT<city: STRING, at: STRUCT<lat: DOUBLE>>)",
			"SELECT id FROM visit WHERE place.city = 'x' AND place.at.lat > 5",
			"SELECT v.id FROM visit v WHERE v.place.at.lat > 5 AND v.place.city = 'x'",
			"SELECT id FROM visit WHERE place.city = 'x' AND place.at.lat >= 5",
		},
		{
			"semi-structured columns of the schema", "snowflake", "CREATE TABLE visit (id NUMBER, body VARIANT, tags ARRAY)",
			"SELECT id, body:user.name::STRING, t.value::STRING FROM visit, LATERAL FLATTEN(input => tags) t WHERE body:age::INT >= 18",
			"SELECT id, body:user:name::STRING, t.value::STRING FROM visit v, LATERAL FLATTEN(v.tags) t WHERE v.body:age::INT > 17",
			"SELECT id, body:user.name::STRING, t.value::STRING FROM visit, LATERAL FLATTEN(input => tags) t WHERE body:age::INT > 18",
		},
		{
			"quantiles", "bigquery", quarterDDL,
			"SELECT APPROX_QUANTILES(amount, 2)[OFFSET(0)], APPROX_QUANTILES(amount, 4)[OFFSET(4)] FROM sale",
			"SELECT MIN(amount), MAX(amount) FROM sale",
			"SELECT MIN(amount), MAX(amount) - 1 FROM sale",
		},
		{
			"a choice of arrays", "snowflake", quarterDDL,
			"SELECT f.value::STRING FROM sale s, LATERAL FLATTEN(input => CASE WHEN s.quarter = 'Q1' THEN ARRAY_CONSTRUCT(s.shop) ELSE ARRAY_CONSTRUCT() END) f",
			"SELECT shop FROM sale WHERE quarter = 'Q1'",
			"SELECT shop FROM sale WHERE quarter <> 'Q1'",
		},
		{
			"an alias hides a column", "bigquery", quarterDDL,
			"SELECT s.quarter AS shop, count(*) FROM sale s GROUP BY shop",
			"SELECT quarter, count(*) FROM sale GROUP BY quarter",
			"SELECT shop, count(*) FROM sale GROUP BY shop",
		},
		{
			"texts of distinct values", "snowflake", quarterDDL,
			"SELECT shop, LISTAGG(DISTINCT quarter, ',') WITHIN GROUP (ORDER BY quarter) FROM sale GROUP BY shop",
			"SELECT shop, LISTAGG(DISTINCT s.quarter, ',') WITHIN GROUP (ORDER BY s.quarter ASC) FROM sale s GROUP BY 1",
			"SELECT shop, LISTAGG(quarter, ',') WITHIN GROUP (ORDER BY quarter) FROM sale GROUP BY shop",
		},
		{
			"GROUPING of several keys", "postgres", quarterDDL,
			"SELECT shop, quarter, GROUPING(shop, quarter) FROM sale GROUP BY ROLLUP (shop, quarter)",
			"SELECT shop, quarter, 2 * GROUPING(shop) + GROUPING(quarter) FROM sale GROUP BY ROLLUP (shop, quarter)",
			"SELECT shop, quarter, GROUPING(shop) + 2 * GROUPING(quarter) FROM sale GROUP BY ROLLUP (shop, quarter)",
		},
	}, 8) {
		t.Run(tc.name, func(t *testing.T) {
			if o := find(t, counterexample.Problem{Gold: tc.query, Pred: tc.same, Dialect: tc.dialect, Schema: tc.schema, Time: 60_000}); o.Why != "" || o.Found {
				t.Errorf("the query that it stands for: %q, %s %v", o.Why, o.Sentence, o.Tables)
			}
			if o := find(t, counterexample.Problem{Gold: tc.query, Pred: tc.other, Dialect: tc.dialect, Schema: tc.schema, Time: 60_000}); !o.Found {
				t.Errorf("another query: no difference is found, %q", o.Why)
			}
		})
	}
}

// What is open to the dialect, or has no end, is refused by name.
func TestCounterexampleFormsRefused(t *testing.T) {
	for _, tc := range []struct{ dialect, query, why string }{
		{"snowflake", "SELECT * FROM sale PIVOT(COUNT(amount) FOR quarter IN ('Q1'))", "0 or NULL"},
		{"bigquery", "SELECT * FROM sale PIVOT(SUM(amount) FOR quarter IN (SELECT 'Q1'))", "PIVOT"},
		{"mysql", "SELECT DISTINCT ON (shop) shop FROM sale", "DISTINCT ON"},
		{"postgres", "WITH RECURSIVE r AS (SELECT amount AS x FROM sale UNION SELECT x + 1 FROM r) SELECT x FROM r", "no end"},
		{"postgres", "WITH RECURSIVE r AS (SELECT amount AS x FROM sale UNION ALL SELECT a.x FROM r a JOIN r b ON a.x = b.x) SELECT x FROM r", "recursive"},
		{"postgres", "WITH RECURSIVE r AS (SELECT amount AS x FROM sale UNION ALL SELECT max(x) FROM r) SELECT x FROM r", "recursive"},
		{"bigquery", "CREATE TEMP FUNCTION f(a STRING) RETURNS STRING LANGUAGE js AS 'return a';\nSELECT f(shop) FROM sale", "not one query"},
	} {
		o := find(t, counterexample.Problem{Gold: "SELECT shop FROM sale", Pred: tc.query, Dialect: tc.dialect, Schema: quarterDDL, Time: 60_000})
		if o.Found || !strings.Contains(o.Why, tc.why) {
			t.Errorf("%s: %q, want %q", tc.query, o.Why, tc.why)
		}
	}
}

// Two queries that say themselves that they return nothing are the same, without a row of any database.
func TestCounterexampleOfNothing(t *testing.T) {
	for _, tc := range []struct {
		gold, pred string
		known      bool
	}{
		{"SELECT shop FROM sale WHERE FALSE", "SELECT shop FROM sale WHERE 1 = 0", true},
		{"SELECT a.shop FROM sale a JOIN (SELECT shop FROM sale WHERE amount = 7 AND amount = 8) b ON a.shop = b.shop", "SELECT shop FROM sale WHERE amount = 3 AND amount IS NULL", true},
		{"SELECT shop FROM sale WHERE amount = 7 AND amount = 07 AND shop = 'a' AND shop = 'b'", "SELECT shop FROM sale WHERE FALSE", false},
		{"SELECT shop FROM sale GROUP BY shop HAVING count(*) > 5000", "SELECT shop FROM sale WHERE FALSE", false},
	} {
		o := find(t, counterexample.Problem{Gold: tc.gold, Pred: tc.pred, Dialect: "postgres", Schema: quarterDDL, Time: 60_000})
		if o.Found || (o.Why == "") != tc.known {
			t.Errorf("%s: found %v, %q", tc.gold, o.Found, o.Why)
		}
	}
	o := find(t, counterexample.Problem{Gold: "SELECT a.shop FROM sale a LEFT JOIN (SELECT shop FROM sale WHERE FALSE) b ON a.shop = b.shop", Pred: "SELECT shop FROM sale WHERE FALSE", Dialect: "postgres", Schema: quarterDDL, Time: 60_000})
	if !o.Found || !slices.ContainsFunc(o.Tables, func(t counterexample.SmallTable) bool { return len(t.Rows) > 0 }) {
		t.Errorf("a left join keeps its rows: %q", o.Why)
	}
}
