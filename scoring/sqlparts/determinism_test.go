package sqlparts

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// on lists the dependences of a query other than the data, each as "kind: part".
func on(s *Script, schema *Schema) []string {
	out := []string{}
	for _, d := range s.Dependences(schema) {
		text := string(d.On) + ": " + d.What
		if d.Rows {
			text += " (order)"
		}
		out = append(out, text)
	}
	return out
}

func TestDependences(t *testing.T) {
	const all = "snowflake bigquery databricks redshift postgres duckdb sqlite mysql tsql generic"
	for _, c := range []struct {
		dialects, sql string
		want          []string
	}{
		// the clock
		{"snowflake bigquery databricks redshift postgres duckdb mysql tsql sqlite generic", "SELECT count(*) FROM orders WHERE d >= CURRENT_DATE", []string{"clock: CURRENT_DATE"}},
		{"snowflake bigquery databricks redshift postgres duckdb mysql tsql sqlite generic", "SELECT count(*) FROM orders WHERE d >= current_timestamp", []string{"clock: current_timestamp"}},
		{"snowflake bigquery databricks", "SELECT CURRENT_DATE() AS today", []string{"clock: CURRENT_DATE()"}},
		{"bigquery", "SELECT CURRENT_DATE('Asia/Tokyo')", []string{"clock: CURRENT_DATE('Asia/Tokyo')"}},
		{"bigquery", "SELECT CURRENT_DATETIME(), CURRENT_TIME()", []string{"clock: CURRENT_DATETIME()", "clock: CURRENT_TIME()"}},
		{"postgres redshift duckdb databricks mysql snowflake generic", "SELECT now()", []string{"clock: now()"}},
		{"postgres", "SELECT pg_catalog.now(), \"now\"()", []string{"clock: pg_catalog.now()", `clock: "now"()`}},
		{all, "SELECT shop.now() FROM t", []string{}},
		{all, "SELECT t.now, now FROM t", []string{}},
		{"postgres duckdb snowflake redshift", `SELECT "current_date" FROM t`, []string{}},
		{all, "SELECT 'CURRENT_DATE', a -- now()\nFROM t /* SYSDATE */", []string{}},
		{all, "SELECT d AS now FROM t ORDER BY now", []string{}},
		{"tsql redshift databricks snowflake generic", "SELECT GETDATE()", []string{"clock: GETDATE()"}},
		{"tsql", "SELECT SYSDATETIME(), SYSUTCDATETIME(), SYSDATETIMEOFFSET(), GETUTCDATE()", []string{"clock: SYSDATETIME()", "clock: SYSUTCDATETIME()", "clock: SYSDATETIMEOFFSET()", "clock: GETUTCDATE()"}},
		{"redshift generic", "SELECT sysdate", []string{"clock: sysdate"}},
		{"snowflake postgres duckdb mysql sqlite", "SELECT sysdate FROM t", []string{}},
		{"snowflake mysql", "SELECT SYSDATE()", []string{"clock: SYSDATE()"}},
		{"mysql", "SELECT NOW(3), CURDATE(), CURTIME(), UTC_DATE, UTC_TIMESTAMP()", []string{"clock: NOW(3)", "clock: CURDATE()", "clock: CURTIME()", "clock: UTC_DATE", "clock: UTC_TIMESTAMP()"}},
		{"mysql databricks", "SELECT UNIX_TIMESTAMP()", []string{"clock: UNIX_TIMESTAMP()"}},
		{"mysql databricks", "SELECT UNIX_TIMESTAMP(d) FROM t", []string{}},
		{"generic snowflake", "SELECT utc_date FROM t", []string{}},
		{"duckdb", "SELECT today(), get_current_timestamp(), current_localtimestamp()", []string{"clock: today()", "clock: get_current_timestamp()", "clock: current_localtimestamp()"}},
		{"postgres duckdb", "SELECT age(d), age(d, e) FROM t", []string{"clock: age(d)"}},
		{"postgres", "SELECT 'now'::timestamp, DATE 'yesterday', CAST('today' AS date), 'now'::text", []string{"clock: 'now'::timestamp", "clock: DATE 'yesterday'", "clock: CAST('today' AS date)"}},
		{"duckdb", "SELECT 'now'::text", []string{}},
		{"sqlite", "SELECT date('now', '-30 days'), strftime('%Y', 'now'), julianday('NOW'), datetime()", []string{"clock: date('now', '-30 days')", "clock: strftime('%Y', 'now')", "clock: julianday('NOW')", "clock: datetime()"}},
		{"sqlite", "SELECT date(d), strftime('%Y', d), time('12:00') FROM t", []string{}},
		{"sqlite", "SELECT strftime('%s'), unixepoch('subsec')", []string{"clock: strftime('%s')", "clock: unixepoch('subsec')"}},
		{"generic", "SELECT date('now')", []string{"clock: date('now')"}},
		{"generic mysql bigquery", "SELECT date(d) FROM t", []string{}},
		{"bigquery", "DECLARE d DATE DEFAULT CURRENT_DATE();\nSELECT * FROM t WHERE day = d", []string{"clock: CURRENT_DATE"}},
		{all, "WITH u AS (SELECT max(day) AS m FROM t) SELECT count(*) FROM t, u WHERE t.day = u.m", []string{}},
		{"postgres", "WITH unread AS (SELECT now() AS n) SELECT count(*) FROM t", []string{}},

		// chance
		{"duckdb postgres sqlite snowflake", "SELECT id FROM t ORDER BY random() LIMIT 3", []string{"chance: random()"}},
		{"duckdb postgres", "SELECT id FROM t ORDER BY random()", []string{"chance: random() (order)"}},
		{"postgres", "SELECT id FROM t ORDER BY a, md5(id || random()::text)", []string{"chance: random() (order)"}},
		{"sqlite", "SELECT id FROM t ORDER BY abs(random()) % 10 LIMIT 2", []string{"chance: random()"}},
		{"postgres", "(SELECT id FROM t ORDER BY random()) LIMIT 3", []string{"chance: random()"}},
		{"mysql bigquery databricks", "SELECT * FROM t WHERE rand() < 0.1", []string{"chance: rand()"}},
		{"tsql", "SELECT rand(5), newid()", []string{"chance: newid()"}},
		{"tsql", "SELECT TOP 3 a FROM t ORDER BY NEWID()", []string{"chance: NEWID()"}},
		{"snowflake", "SELECT uniform(1, 10, random()), uniform(1, 10, 7)", []string{"chance: random()"}},
		{"snowflake", "SELECT uuid_string(), uuid_string('ns', 'name')", []string{"chance: uuid_string()"}},
		{"snowflake", "SELECT a FROM t SAMPLE (10 ROWS)", []string{"chance: SAMPLE (10 ROWS)"}},
		{"postgres bigquery databricks", "SELECT count(*) FROM t TABLESAMPLE SYSTEM (1 PERCENT)", []string{"chance: TABLESAMPLE SYSTEM (1 PERCENT)"}},
		{"databricks snowflake", "SELECT count(*) FROM t TABLESAMPLE (100 PERCENT)", []string{}},
		{"databricks snowflake", "SELECT count(*) FROM t TABLESAMPLE (100 ROWS)", []string{"chance: TABLESAMPLE (100 ROWS)"}},
		{"duckdb", "SELECT * FROM t USING SAMPLE 10%", []string{"chance: USING SAMPLE 10%"}},
		{all, "SELECT sample, random, uuid FROM t", []string{}},
		{"postgres duckdb", "SELECT nextval('s')", []string{"chance: nextval('s')"}},
		{"snowflake", "SELECT s.nextval FROM t", []string{"chance: s.nextval"}},
		{"tsql", "SELECT NEXT VALUE FOR s", []string{"chance: NEXT VALUE FOR"}},
		{"bigquery", "SELECT FARM_FINGERPRINT(id) FROM t WHERE MOD(ABS(FARM_FINGERPRINT(id)), 10) = 0", []string{}},
		{"bigquery", "SELECT AI.GENERATE('x'), AI.SIMILARITY(a, b) FROM t", []string{"model: AI.GENERATE('x')"}},
		{"snowflake", "SELECT AI_COMPLETE('m', p), SNOWFLAKE.CORTEX.SENTIMENT(p) FROM t", []string{"model: AI_COMPLETE('m', p)", "model: SNOWFLAKE.CORTEX.SENTIMENT(p)"}},
		{"databricks", "SELECT ai_classify(a, ARRAY('x', 'y')) FROM t", []string{"model: ai_classify(a, ARRAY('x', 'y'))"}},

		// the session
		{"postgres snowflake databricks tsql mysql redshift duckdb", "SELECT * FROM t WHERE owner = CURRENT_USER", []string{"session: CURRENT_USER"}},
		{"sqlite bigquery", "SELECT current_user FROM t", []string{}},
		{"postgres redshift tsql", "SELECT a FROM t WHERE owner = user", []string{"session: user"}},
		{"sqlite bigquery snowflake mysql", "SELECT user FROM t", []string{}},
		{"mysql tsql", "SELECT @@version", []string{"session: @@version"}},
		{"snowflake", "SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))", []string{"session: RESULT_SCAN(LAST_QUERY_ID())", "session: LAST_QUERY_ID()"}},
		{"sqlite", "SELECT datetime(d, 'localtime'), datetime(d, '+1 day') FROM t", []string{"session: 'localtime'"}},
		{"sqlite", "SELECT strftime(\"%Y\", \"now\"), date('now', 'localtime')", []string{`clock: strftime("%Y", "now")`, "clock: date('now', 'localtime')", "session: 'localtime'"}},
		{"postgres", "SELECT count(*) FROM t TABLESAMPLE BERNOULLI (10) REPEATABLE (4)", []string{"order: TABLESAMPLE BERNOULLI (10) REPEATABLE (4)"}},
		{"duckdb postgres snowflake", "SELECT mode(a) FROM t", []string{"ties: mode(a)"}},
		{"duckdb", "SELECT user FROM t", []string{}},

		// earlier states
		{"snowflake", "SELECT a FROM t AT (TIMESTAMP => '2024-01-01'::TIMESTAMP)", []string{"history: AT (TIMESTAMP => '2024-01-01'::TIMESTAMP)"}},
		{"snowflake", "SELECT a FROM t AT (OFFSET => -60)", []string{"clock: AT (OFFSET => -60)"}},
		{"databricks", "SELECT a FROM t VERSION AS OF 3", []string{"history: 3"}},
		{"bigquery", "SELECT a FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01'", []string{"history: TIMESTAMP '2024-01-01'"}},
		{"tsql", "SELECT a FROM t FOR SYSTEM_TIME AS OF '2024-01-01'", []string{}},
		{"databricks", "SELECT a FROM table_changes('t', 1)", []string{"history: table_changes('t', 1)"}},
		{"bigquery", "SELECT a FROM APPENDS(TABLE d.t, NULL, NULL)", []string{"history: APPENDS(TABLE d.t, NULL, NULL)"}},
		{"bigquery", "SELECT changes FROM d.t", []string{}},
		{"bigquery", "SELECT a FROM CHANGES(TABLE d.t, NULL, NULL)", []string{"history: CHANGES(TABLE d.t, NULL, NULL)"}},
		{"postgres", "SELECT a FROM appends(1)", []string{}},

		// order and ties
		{"postgres", "SELECT a FROM t LIMIT 3", []string{"order: LIMIT 3"}},
		{"tsql", "SELECT TOP 3 a FROM t", []string{"order: TOP 3"}},
		{"postgres", "SELECT a FROM t LIMIT 0", []string{}},
		{"postgres", "SELECT count(*) FROM t LIMIT 1", []string{}},
		{"postgres", "SELECT a, b FROM t ORDER BY a LIMIT 3", []string{"ties: LIMIT 3"}},
		{"postgres", "SELECT a, b FROM t ORDER BY a, b LIMIT 3", []string{}},
		{"postgres", "SELECT a, b AS c FROM t ORDER BY 2, 1 LIMIT 3", []string{}},
		{"postgres", "SELECT a, b FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES", []string{}},
		{"postgres", "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n DESC LIMIT 1", []string{"ties: LIMIT 1"}},
		{"postgres", "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n DESC, a LIMIT 1", []string{}},
		{"postgres", "SELECT max(x), a FROM t GROUP BY a, b ORDER BY a LIMIT 1", []string{"ties: LIMIT 1"}},
		{"postgres", "SELECT 1 WHERE EXISTS (SELECT 1 FROM t LIMIT 1)", []string{}},
		{"postgres", "SELECT row_number() OVER (ORDER BY a), rank() OVER (ORDER BY a), sum(b) OVER (ORDER BY a) FROM t", []string{"ties: row_number() OVER (ORDER BY a)"}},
		{"postgres", "SELECT sum(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t", []string{"ties: sum(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURREN…"}},
		{"postgres", "SELECT sum(b) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t", []string{}},
		{"postgres", "SELECT first_value(a) OVER (PARTITION BY p ORDER BY a) FROM t", []string{}},
		{"postgres", "SELECT row_number() OVER (PARTITION BY p) FROM t", []string{"order: row_number() OVER (PARTITION BY p)"}},
		{"tsql", "SELECT row_number() OVER (ORDER BY (SELECT NULL)) FROM t", []string{"order: row_number() OVER (ORDER BY (SELECT NULL))"}},
		{"snowflake", "SELECT row_number() OVER (ORDER BY seq4()) FROM TABLE(GENERATOR(ROWCOUNT => 5))", []string{}},
		{"snowflake", "SELECT row_number() OVER (ORDER BY NULL) FROM TABLE(GENERATOR(ROWCOUNT => 5))", []string{}},
		{"postgres", "SELECT json_object_agg(k, v) FROM t", []string{"order: json_object_agg(k, v)"}},
		{"postgres", "SELECT json_object_agg(k, v ORDER BY k, v) FROM t", []string{}},
		{"postgres", "SELECT json_object_agg(k, v ORDER BY k) FROM t", []string{"ties: json_object_agg(k, v ORDER BY k)"}},
		{"postgres", "SELECT string_agg(s || n, ',' ORDER BY s) FROM t", []string{"ties: string_agg(s || n, ',' ORDER BY s)"}},
		{"mysql", "SELECT JSON_OBJECTAGG(k, v) FROM t", []string{"order: JSON_OBJECTAGG(k, v)"}},
		{"bigquery", "SELECT * FROM ML.PREDICT(MODEL d.m, (SELECT a FROM d.t))", []string{"model: ML.PREDICT(MODEL d.m, (SELECT a FROM d.t))"}},
		{"bigquery", "SELECT * FROM ML.FORECAST(MODEL d.m, STRUCT(3 AS horizon))", []string{"model: ML.FORECAST(MODEL d.m, STRUCT(3 AS horizon))"}},
		{"bigquery", "SELECT ML.BUCKETIZE(a, [1, 2]) FROM t", []string{}},
		{"postgres", "SELECT string_agg(DISTINCT s, ',' ORDER BY s) FROM t", []string{}},
		{"snowflake", "SELECT LISTAGG(s, ',') WITHIN GROUP (ORDER BY s) FROM t", []string{}},
		{"tsql", "SELECT STRING_AGG(s, ',') WITHIN GROUP (ORDER BY s) FROM t", []string{}},
		{"postgres", "SELECT string_agg(upper(s), ',' ORDER BY upper(s)) FROM t", []string{}},
		{"postgres", "SELECT string_agg(s || '-' || n, ',' ORDER BY s, n) FROM t", []string{}},
		{"postgres", "SELECT string_agg(s::text, ',' ORDER BY s) FROM t", []string{}},
		{"postgres", "SELECT g, string_agg(a, ',') FROM t GROUP BY g", []string{"order: string_agg(a, ',')"}},
		{"postgres", "SELECT g, string_agg(a, ',' ORDER BY a) FROM t GROUP BY g", []string{}},
		{"postgres", "SELECT g, string_agg(a, ',' ORDER BY b) FROM t GROUP BY g", []string{"ties: string_agg(a, ',' ORDER BY b)"}},
		{"snowflake", "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY a) FROM t", []string{}},
		{"bigquery", "SELECT ARRAY_LENGTH(ARRAY_AGG(a)), ARRAY_AGG(a) FROM t", []string{"order: ARRAY_AGG(a)"}},
		{"bigquery", "WITH x AS (SELECT g, ARRAY_AGG(a) AS l FROM t GROUP BY g) SELECT g, e FROM x, UNNEST(l) AS e", []string{}},
		{"bigquery", "WITH x AS (SELECT g, ARRAY_AGG(a) AS l FROM t GROUP BY g) SELECT g, l[OFFSET(0)] FROM x", []string{"order: ARRAY_AGG(a)"}},
		{"bigquery", "SELECT g, ANY_VALUE(a), ANY_VALUE(g) FROM t GROUP BY g", []string{"order: ANY_VALUE(a)"}},
		{"bigquery", "SELECT ANY_VALUE(a HAVING MAX b) FROM t", []string{"ties: ANY_VALUE(a HAVING MAX b)"}},
		{"bigquery", "WITH c AS (SELECT k, count(*) AS n FROM u GROUP BY k) SELECT t.k, ANY_VALUE(c.n) FROM t JOIN c ON t.k = c.k GROUP BY t.k", []string{}},
		{"postgres", "SELECT DISTINCT ON (g) g, a FROM t ORDER BY g, a", []string{}},
		{"postgres", "SELECT DISTINCT ON (g) g, a FROM t ORDER BY g", []string{"ties: g"}},
		{"postgres", "SELECT DISTINCT ON (g) g, a FROM t", []string{"order: g"}},
	} {
		for dialect := range strings.FieldsSeq(c.dialects) {
			s := Parse(c.sql, DialectOf(dialect))
			got := on(s, nil)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %s\n got %q\nwant %q", dialect, c.sql, got, c.want)
			}
		}
	}
}

// A key of the schema tells rows apart, also by way of a join.
func TestDependencesWithASchema(t *testing.T) {
	const ddl = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE u (t_id INT REFERENCES t (id), n INT NOT NULL, UNIQUE (t_id, n)); CREATE TABLE v (k INT UNIQUE)"
	schema := ReadSchema(ddl, Postgres)
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT a FROM t ORDER BY a, id LIMIT 3", []string{}},
		{"SELECT b FROM t ORDER BY a LIMIT 3", []string{"ties: LIMIT 3"}},
		{"SELECT a FROM t WHERE id = 4 LIMIT 1", []string{}},
		{"SELECT a FROM t WHERE b = 4 LIMIT 1", []string{"order: LIMIT 1"}},
		{"SELECT a, n FROM t JOIN u ON u.t_id = t.id ORDER BY b, t.id LIMIT 3", []string{"ties: LIMIT 3"}},
		{"SELECT u.n FROM u JOIN t ON u.t_id = t.id ORDER BY u.t_id LIMIT 3", []string{"ties: LIMIT 3"}},
		{"SELECT t.a FROM v LEFT JOIN t ON v.k = t.id ORDER BY t.id LIMIT 3", []string{"ties: LIMIT 3"}},
		{"SELECT k FROM v LIMIT 3", []string{"order: LIMIT 3"}},
		{"SELECT t.b, ROW_NUMBER() OVER (PARTITION BY t.a ORDER BY t.id) FROM t", []string{}},
		{"SELECT a, id FROM (SELECT a, id FROM t) x ORDER BY id LIMIT 2", []string{}},
		{"SELECT y.a, z.c FROM t y JOIN (SELECT a, count(*) AS c FROM t GROUP BY a) z ON z.a = y.a ORDER BY y.id LIMIT 2", []string{}},
	} {
		if got := on(Parse(c.sql, Postgres), schema); !slices.Equal(got, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.sql, got, c.want)
		}
	}
}

// The golds of Spider 2.0 that read the clock are two; none depends on chance, the session or an
// earlier state. They were found by reading them.
func TestDependencesOfSpider2(t *testing.T) {
	f, err := os.Open("../../../shared/data/spider2/gold_sql.jsonl")
	if err != nil {
		t.Skip("the golds of Spider 2.0 are not there: ", err)
	}
	defer f.Close()
	found := map[DependsOn][]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c struct {
			ID           string `json:"instance_id"`
			Dialect, SQL string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for _, d := range Parse(c.SQL, DialectOf(c.Dialect)).Dependences(nil) {
			if !slices.Contains(found[d.On], c.ID) {
				found[d.On] = append(found[d.On], c.ID)
			}
		}
	}
	if want := []string{"sf_bq219", "sf_bq294"}; !slices.Equal(found[OnClock], want) {
		t.Errorf("clock: %q, want %q", found[OnClock], want)
	}
	if n := len(found[OnChance]) + len(found[OnSession]) + len(found[OnHistory]); n > 0 {
		t.Errorf("chance %q, session %q, history %q, want none", found[OnChance], found[OnSession], found[OnHistory])
	}
	t.Logf("order %d, ties %d of 256", len(found[OnOrder]), len(found[OnTies]))
}

// A column that is neither grouped by nor aggregated comes from any row of its group, unless a key, a
// condition or the row of MAX says which.
func TestDependencesOfBareColumns(t *testing.T) {
	const shop = `CREATE TABLE shop (no INTEGER NOT NULL PRIMARY KEY, town TEXT, name TEXT, rent INT); CREATE TABLE sale (id INTEGER NOT NULL PRIMARY KEY, shop INT, price INT, rent INT)`
	for _, c := range []struct {
		dialects, sql string
		want          []string
	}{
		{"sqlite mysql", "SELECT town, name FROM shop GROUP BY town", []string{"ties: name"}},
		{"sqlite mysql", "SELECT town, name, count(*) FROM shop GROUP BY town, name", []string{}},
		{"sqlite mysql", "SELECT no, name, count(*) FROM shop GROUP BY no", []string{}},
		{"sqlite mysql", "SELECT s.name, count(*) FROM sale AS a JOIN shop AS s ON a.shop = s.no GROUP BY s.no", []string{}},
		{"sqlite mysql", "SELECT name, count(*) FROM sale AS a JOIN shop AS s ON a.shop = s.no GROUP BY a.shop", []string{}},
		{"sqlite mysql", "SELECT name, price FROM sale AS a JOIN shop AS s ON a.shop = s.no GROUP BY a.shop", []string{"ties: price"}},
		{"sqlite mysql", "SELECT town, count(*) FROM shop WHERE town = 'Oslo'", []string{}},
		{"sqlite mysql", "SELECT name, count(*) FROM shop", []string{"ties: name"}},
		{"sqlite", "SELECT name, max(rent) FROM shop GROUP BY town", []string{"ties: name"}},
		{"sqlite", "SELECT name, max(no) FROM shop GROUP BY town", []string{}},
		{"mysql", "SELECT name, max(no) FROM shop GROUP BY town", []string{"ties: name"}},
		{"sqlite", "SELECT name, max(no), min(no) FROM shop GROUP BY town", []string{"ties: name"}},
		{"sqlite", "SELECT upper(town), count(*) FROM shop GROUP BY town", []string{}},
		{"sqlite", `SELECT "total", count(*) FROM shop`, []string{}},
		{"postgres duckdb", "SELECT town, count(*) FROM shop GROUP BY town", []string{}},
		{"sqlite", "SELECT name, rank() OVER (ORDER BY no) FROM shop", []string{}},
	} {
		for dialect := range strings.FieldsSeq(c.dialects) {
			d := DialectOf(dialect)
			if got := on(Parse(c.sql, d), ReadSchema(shop, d)); !slices.Equal(got, c.want) {
				t.Errorf("%s: %s\n got %q\nwant %q", dialect, c.sql, got, c.want)
			}
		}
	}
}

// It is irrelevant which rows a limit keeps if they are only counted, variables belong to the session, and a
// comparison with a column of dates converts a word to a time.
func TestDependencesBesides(t *testing.T) {
	const visits = "CREATE TABLE visit (day date, seen timestamp, word text)"
	for _, c := range []struct {
		dialect, sql string
		want         []string
	}{
		{"postgres", "SELECT count(*) FROM (SELECT word FROM visit LIMIT 7) AS v", []string{}},
		{"postgres", "SELECT count(1) AS n FROM (SELECT word FROM visit ORDER BY day LIMIT 7) AS v", []string{}},
		{"postgres", "SELECT count(word) FROM (SELECT word FROM visit LIMIT 7) AS v", []string{"order: LIMIT 7"}},
		{"postgres", "SELECT count(*) FROM (SELECT word FROM visit LIMIT 7) AS v WHERE word = 'a'", []string{"order: LIMIT 7"}},
		{"postgres", "SELECT count(*) FROM visit WHERE day = 'yesterday'", []string{"clock: 'yesterday'"}},
		{"postgres", "SELECT count(*) FROM visit AS v WHERE v.seen BETWEEN 'yesterday' AND '2024-01-01'", []string{"clock: 'yesterday'"}},
		{"postgres", "SELECT count(*) FROM visit WHERE day IN ('2024-01-01', 'today')", []string{"clock: 'today'"}},
		{"postgres", "SELECT count(*) FROM visit WHERE word = 'today'", []string{}},
		{"duckdb", "SELECT count(*) FROM visit WHERE day = 'today'", []string{}},
		{"mysql", "SELECT @rate * 2", []string{"session: @rate"}},
		{"snowflake", "SELECT $rate * 2", []string{"session: $rate"}},
		{"snowflake", "SELECT $1 FROM (VALUES (1))", []string{}},
		{"bigquery", "SELECT @rate * 2", []string{}},
	} {
		d := DialectOf(c.dialect)
		if got := on(Parse(c.sql, d), ReadSchema(visits, d)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s\n got %q\nwant %q", c.dialect, c.sql, got, c.want)
		}
	}
}
