package counterexample

import (
	"context"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Outcomes of pairs that need no engine: two queries that are translated to the same text return the same on
// every database; those of another text may differ on some; a query that is refused has no outcome.
const (
	same  = "same"
	other = "other"
)

const pairsDDL = `CREATE TABLE t (k INT PRIMARY KEY, a INT, b INT NOT NULL, s VARCHAR(20), f FLOAT,
 d DATE, ts TIMESTAMP, o BOOLEAN);
CREATE TABLE u (k INT PRIMARY KEY, a INT, s VARCHAR(20))`

// Two spellings of a dialect are translated to the same text; queries that differ by one step are not.
func TestPairsByDialect(t *testing.T) {
	for _, tc := range []struct{ why, dialects, gold, pred, want string }{
		// operators that dialects write in several ways
		{"two signs of inequality", "sqlite postgres mysql snowflake bigquery tsql",
			"SELECT k FROM t WHERE a <> 1",
			"SELECT k FROM t WHERE a != 1", same},
		{"equality is none of them", "sqlite postgres mysql snowflake bigquery tsql",
			"SELECT k FROM t WHERE a <> 1",
			"SELECT k FROM t WHERE a = 1", other},
		{"SQLite's double sign", "sqlite", "SELECT k FROM t WHERE a == 1", "SELECT k FROM t WHERE a = 1", same},
		{"NULL is equal to NULL", "mysql",
			"SELECT k FROM t WHERE a <=> 1",
			"SELECT k FROM t WHERE a IS NOT DISTINCT FROM 1", same},
		{"NULL is not equal to NULL", "mysql",
			"SELECT k FROM t WHERE a <=> b",
			"SELECT k FROM t WHERE a = b", other},
		{"IS compares in SQLite", "sqlite",
			"SELECT k FROM t WHERE a IS 1",
			"SELECT k FROM t WHERE a IS NOT DISTINCT FROM 1", same},
		{"modulo", "mysql postgres snowflake duckdb", "SELECT a % 3 FROM t", "SELECT mod(a, 3) FROM t", same},
		{"modulo of another number", "mysql postgres snowflake duckdb",
			"SELECT a % 3 FROM t",
			"SELECT mod(a, 4) FROM t", other},
		{"joined texts", "postgres snowflake duckdb sqlite",
			"SELECT s || 'x' FROM t",
			"SELECT s || 'y' FROM t", other},
		{"a range of either order", "postgres",
			"SELECT k FROM t WHERE a BETWEEN SYMMETRIC 3 AND 1",
			"SELECT k FROM t", "BETWEEN SYMMETRIC"},
		// casts
		{"two ways to cast", "postgres snowflake duckdb databricks",
			"SELECT k FROM t WHERE s::INT = 1",
			"SELECT k FROM t WHERE CAST(s AS INT) = 1", same},
		{"two names of a type", "postgres duckdb",
			"SELECT CAST(s AS INT) FROM t",
			"SELECT CAST(s AS INTEGER) FROM t", same},
		{"two types", "postgres duckdb",
			"SELECT CAST(a AS VARCHAR) FROM t",
			"SELECT CAST(a AS DOUBLE PRECISION) FROM t", other},
		// functions that are one
		{"the first that is not NULL", "mysql sqlite snowflake bigquery duckdb",
			"SELECT IFNULL(a, 0) FROM t",
			"SELECT COALESCE(a, 0) FROM t", same},
		{"the first of two, in another order", "mysql sqlite snowflake bigquery duckdb",
			"SELECT IFNULL(a, b) FROM t",
			"SELECT COALESCE(b, a) FROM t", other},
		{"NVL", "snowflake", "SELECT NVL(a, 0) FROM t", "SELECT COALESCE(a, 0) FROM t", same},
		{"a choice of two", "sqlite tsql",
			"SELECT IIF(a > 1, 1, 0) FROM t WHERE b > 0",
			"SELECT CASE WHEN a > 1 THEN 1 ELSE 0 END FROM t WHERE b > 0", same},
		{"Snowflake's choice of two", "snowflake",
			"SELECT IFF(a > 1, 1, 0) FROM t",
			"SELECT CASE WHEN a > 1 THEN 1 ELSE 0 END FROM t", same},
		{"a choice that Snowflake does not have", "snowflake",
			"SELECT IIF(a > 1, 1, 0) FROM t",
			"SELECT a FROM t", "the function IIF"},
		{"the other choice", "sqlite tsql",
			"SELECT IIF(a > 1, 1, 0) FROM t",
			"SELECT CASE WHEN a > 1 THEN 0 ELSE 1 END FROM t", other},
		{"a case with its operand", "postgres sqlite mysql snowflake",
			"SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END FROM t",
			"SELECT CASE WHEN a = 1 THEN 'x' ELSE 'y' END FROM t", same},
		{"letters", "mysql postgres sqlite snowflake bigquery",
			"SELECT UPPER(s) FROM t",
			"SELECT LOWER(s) FROM t", other},
		{"power", "postgres snowflake bigquery", "SELECT POW(a, 2) FROM t", "SELECT POWER(a, 2) FROM t", same},
		{"length", "snowflake databricks", "SELECT LEN(s) FROM t", "SELECT LENGTH(s) FROM t", same},
		{"parts of a text", "snowflake bigquery duckdb",
			"SELECT SUBSTR(s, 2, 1) FROM t",
			"SELECT SUBSTRING(s, 2, 1) FROM t", same},
		{"another part of a text", "snowflake bigquery duckdb",
			"SELECT SUBSTR(s, 2, 1) FROM t",
			"SELECT SUBSTRING(s, 1, 2) FROM t", other},
		// dates
		{"a part of a date", "postgres snowflake bigquery mysql",
			"SELECT EXTRACT(YEAR FROM d) FROM t",
			"SELECT EXTRACT(MONTH FROM d) FROM t", other},
		{"the year", "snowflake mysql databricks",
			"SELECT YEAR(d) FROM t",
			"SELECT EXTRACT(YEAR FROM d) FROM t", same},
		// joins
		{"a comma", "postgres sqlite mysql snowflake",
			"SELECT t.k FROM t, u WHERE t.k = u.k",
			"SELECT t.k FROM t CROSS JOIN u WHERE t.k = u.k", same},
		{"INNER is said by JOIN", "postgres sqlite mysql snowflake",
			"SELECT t.k FROM t JOIN u ON t.k = u.k",
			"SELECT t.k FROM t INNER JOIN u ON t.k = u.k", same},
		{"OUTER is said by LEFT", "postgres sqlite mysql snowflake",
			"SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
			"SELECT t.k FROM t LEFT OUTER JOIN u ON t.k = u.k", same},
		{"LEFT is not INNER", "postgres sqlite mysql snowflake",
			"SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
			"SELECT t.k FROM t JOIN u ON t.k = u.k", other},
		{"LEFT is not RIGHT", "postgres sqlite mysql snowflake",
			"SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
			"SELECT t.k FROM t RIGHT JOIN u ON t.k = u.k", other},
		// rows
		{"LIMIT and FETCH", "postgres snowflake",
			"SELECT k FROM t ORDER BY k LIMIT 3",
			"SELECT k FROM t ORDER BY k FETCH FIRST 3 ROWS ONLY", same},
		{"LIMIT and TOP", "tsql",
			"SELECT TOP 3 k FROM t ORDER BY k",
			"SELECT TOP 4 k FROM t ORDER BY k", other},
		{"MySQL's offset before a comma", "mysql sqlite",
			"SELECT k FROM t ORDER BY k LIMIT 2, 3",
			"SELECT k FROM t ORDER BY k LIMIT 3 OFFSET 2", same},
		{"the comma's numbers are in order", "mysql sqlite",
			"SELECT k FROM t ORDER BY k LIMIT 2, 3",
			"SELECT k FROM t ORDER BY k LIMIT 2 OFFSET 3", other},
		{"ALL is said by SELECT", "postgres mysql snowflake", "SELECT ALL a FROM t", "SELECT a FROM t", same},
		{"DISTINCT is not", "postgres mysql snowflake", "SELECT DISTINCT a FROM t", "SELECT a FROM t", other},
		{"a position in ORDER BY", "postgres sqlite mysql snowflake",
			"SELECT a, k FROM t ORDER BY 2 LIMIT 1",
			"SELECT a, k FROM t ORDER BY k LIMIT 1", same},
		{"another position", "postgres sqlite mysql snowflake",
			"SELECT a, k FROM t ORDER BY 2 LIMIT 1",
			"SELECT a, k FROM t ORDER BY a LIMIT 1", other},
		{"ASC is said by ORDER BY", "postgres sqlite mysql snowflake",
			"SELECT k FROM t ORDER BY k ASC LIMIT 1",
			"SELECT k FROM t ORDER BY k LIMIT 1", same},
		{"DESC is not", "postgres sqlite mysql snowflake",
			"SELECT k FROM t ORDER BY k DESC LIMIT 1",
			"SELECT k FROM t ORDER BY k LIMIT 1", other},
		// where a dialect puts NULL
		{"NULL comes last", "postgres duckdb snowflake",
			"SELECT a FROM t ORDER BY a LIMIT 1",
			"SELECT a FROM t ORDER BY a NULLS LAST LIMIT 1", same},
		{"NULL comes first from above", "postgres snowflake",
			"SELECT a FROM t ORDER BY a DESC LIMIT 1",
			"SELECT a FROM t ORDER BY a DESC NULLS FIRST LIMIT 1", same},
		{"DuckDB's comes last from above too", "duckdb",
			"SELECT a FROM t ORDER BY a DESC LIMIT 1",
			"SELECT a FROM t ORDER BY a DESC NULLS LAST LIMIT 1", same},
		{"NULL comes first", "sqlite bigquery databricks",
			"SELECT a FROM t ORDER BY a LIMIT 1",
			"SELECT a FROM t ORDER BY a NULLS FIRST LIMIT 1", same},
		{"NULL does not come last", "sqlite bigquery databricks",
			"SELECT a FROM t ORDER BY a LIMIT 1",
			"SELECT a FROM t ORDER BY a NULLS LAST LIMIT 1", other},
		// groups
		{"a position in GROUP BY", "postgres mysql snowflake bigquery",
			"SELECT a, count(*) FROM t GROUP BY 1",
			"SELECT a, count(*) FROM t GROUP BY a", same},
		{"all keys", "snowflake duckdb databricks",
			"SELECT a, count(*) FROM t GROUP BY ALL",
			"SELECT a, count(*) FROM t GROUP BY a", same},
		{"a count of rows that hold", "snowflake",
			"SELECT COUNT_IF(a > 1) FROM t",
			"SELECT COUNT_IF(a >= 1) FROM t", other},
		{"rows and values", "postgres sqlite mysql snowflake",
			"SELECT count(*) FROM t",
			"SELECT count(a) FROM t", other},
		// names
		{"letters of names", "postgres snowflake mysql sqlite", "SELECT T.A FROM t", "SELECT t.a FROM T", same},
		{"an alias of a table", "postgres sqlite mysql snowflake",
			"SELECT x.a FROM t AS x",
			"SELECT a FROM t", same},
		{"quotes that MySQL has", "mysql", "SELECT `a` FROM `t`", "SELECT a FROM t", same},
		{"brackets that T-SQL has", "tsql", "SELECT [a] FROM [t]", "SELECT a FROM t", same},
		{"a query in WITH", "postgres sqlite mysql snowflake bigquery",
			"WITH x AS (SELECT a FROM t) SELECT a FROM x",
			"WITH y AS (SELECT a AS z FROM t) SELECT q.z FROM y AS q", same},
		{"another query in WITH", "postgres sqlite mysql snowflake bigquery",
			"WITH x AS (SELECT a FROM t) SELECT a FROM x",
			"WITH x AS (SELECT b AS a FROM t) SELECT a FROM x", other},
		{"a star", "postgres sqlite mysql snowflake", "SELECT * FROM u", "SELECT k, a, s FROM u", same},
		{"a star in another order", "postgres sqlite mysql snowflake",
			"SELECT * FROM u",
			"SELECT a, k, s FROM u", other},
		// texts
		{"ILIKE is LIKE of lower letters", "postgres snowflake duckdb",
			"SELECT k FROM t WHERE s ILIKE 'x%'",
			"SELECT k FROM t WHERE s LIKE 'x%'", other},
		{"a quote in a text", "postgres sqlite snowflake",
			"SELECT k FROM t WHERE s = 'it''s'",
			"SELECT k FROM t WHERE s = 'its'", other},
		{"an escape that MySQL and BigQuery read", "mysql bigquery",
			`SELECT k FROM t WHERE s = 'it\'s'`,
			`SELECT k FROM t WHERE s = "it's"`, same},
		{"a backslash that Postgres keeps", "postgres",
			`SELECT k FROM t WHERE s = 'a\\b'`,
			`SELECT k FROM t WHERE s = E'a\\\\b'`, same},
		// comments and blanks
		{"comments", "postgres sqlite mysql snowflake bigquery",
			"SELECT a -- first\nFROM t /* the table */",
			"SELECT  a\n\tFROM t", same},
		{"MySQL's other comment", "mysql", "SELECT a # first\nFROM t", "SELECT a FROM t", same},
	} {
		for _, d := range strings.Fields(tc.dialects) {
			gold, why := translatedAs(t, tc.gold, d, pairsDDL)
			pred, whyPred := translatedAs(t, tc.pred, d, pairsDDL)
			got := other
			switch {
			case why+whyPred != "":
				got = why + whyPred
			case strip(gold) == strip(pred):
				got = same
			}
			if got != tc.want && (tc.want == same || tc.want == other || !strings.Contains(got, tc.want)) {
				t.Errorf("%s in %s: %s, want %s\n  %s\n  %s", tc.why, d, got, tc.want, gold[0], pred[0])
			}
		}
	}
}

// query parses a text that is one query.
func query(t *testing.T, text string) *sqlparts.Query {
	t.Helper()
	q, why := sqlparts.Parse(text, sqlparts.Postgres).Whole()
	if q == nil {
		t.Fatalf("%s: %s", text, why)
	}
	return q
}

// A query that no database gives a row is told from one that some database gives one.
func TestQueriesThatAreEmptyByTheirText(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT a FROM t WHERE FALSE":                                            true,
		"SELECT a FROM t WHERE NULL":                                             true,
		"SELECT a FROM t WHERE TRUE":                                             false,
		"SELECT a FROM t WHERE 1 = 0":                                            true,
		"SELECT a FROM t WHERE 01 = 1":                                           false, // the same number
		"SELECT a FROM t WHERE 1 = 1.0":                                          false, // no whole number is written
		"SELECT a FROM t WHERE a = 1 AND a = 2":                                  true,
		"SELECT a FROM t WHERE a = 1 AND a = 1":                                  false,
		"SELECT a FROM t WHERE a = 1 AND b = 2":                                  false,
		"SELECT a FROM t WHERE a = 1 OR a = 2":                                   false,
		"SELECT a FROM t WHERE 1 = 0 OR a = 2":                                   false,
		"SELECT a FROM t WHERE 1 = 0 OR FALSE":                                   true,
		"SELECT a FROM t WHERE a = 1 AND (1 = 0 OR FALSE)":                       true,
		"SELECT a FROM t WHERE a = 1 AND a IS NULL":                              true,
		"SELECT a FROM t WHERE a = 1 AND a IS NOT NULL":                          false,
		"SELECT a FROM t WHERE a = 1 AND b IS NULL":                              false,
		"SELECT a FROM t WHERE a > 1 AND a < 1":                                  false, // is not examined
		"SELECT count(*) FROM t WHERE FALSE":                                     false, // is a row
		"SELECT count(*) FROM t WHERE FALSE GROUP BY a":                          true,
		"SELECT count(*) FROM t WHERE FALSE GROUP BY GROUPING SETS ((a), ())":    false, // the whole is a row
		"SELECT 1 FROM t WHERE FALSE HAVING TRUE":                                false,
		"SELECT t.a FROM t JOIN u ON FALSE":                                      true,
		"SELECT t.a FROM t LEFT JOIN u ON FALSE":                                 false,
		"SELECT t.a FROM t RIGHT JOIN (SELECT a FROM u WHERE FALSE) x ON TRUE":   true,
		"SELECT t.a FROM t LEFT JOIN (SELECT a FROM u WHERE FALSE) x ON TRUE":    false,
		"SELECT t.a FROM t, (SELECT a FROM u WHERE FALSE) x":                     true,
		"SELECT x.a FROM (SELECT a FROM u WHERE FALSE) x FULL JOIN t ON TRUE":    false,
		"SELECT a FROM t WHERE FALSE UNION ALL SELECT a FROM u":                  false,
		"SELECT a FROM t WHERE FALSE UNION ALL SELECT a FROM u WHERE FALSE":      true,
		"SELECT a FROM t INTERSECT SELECT a FROM u WHERE FALSE":                  true,
		"SELECT a FROM t EXCEPT SELECT a FROM u WHERE FALSE":                     false,
		"SELECT a FROM t WHERE FALSE EXCEPT SELECT a FROM u":                     true,
		"SELECT a FROM (SELECT a FROM t WHERE FALSE) x":                          true,
		"(SELECT a FROM t WHERE FALSE)":                                          true,
		"SELECT a FROM t WHERE a = 1 AND EXISTS (SELECT 1 FROM u WHERE 1 = 0)":   false, // is not examined
		"SELECT a FROM t WHERE FALSE AND a = (SELECT max(a) FROM u WHERE a = 1)": true,
	} {
		if got := empty(query(t, text)); got != want {
			t.Errorf("%s is empty: %v, want %v", text, got, want)
		}
	}
}

// All databases of a size are tried for queries whose result depends only on how values compare.
func TestQueriesWhoseDatabasesAreEnumerated(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT a FROM t":     true,
		"SELECT * FROM t":     true,
		"SELECT -1 FROM t":    true,
		"SELECT -a FROM t":    false,
		"SELECT a + 1 FROM t": false,
		"SELECT count(*), sum(a), avg(a), min(a), max(a) FROM t":      true,
		"SELECT count(DISTINCT a) FROM t":                             true,
		"SELECT stddev(a) FROM t":                                     false,
		"SELECT max(min(a)) FROM t":                                   false,
		"SELECT sum(a) FILTER (WHERE b = 1) FROM t":                   false,
		"SELECT sum(a) OVER (ORDER BY b) FROM t":                      false,
		"SELECT a FROM t WHERE a = 1 AND (b < 2 OR NOT b > 3)":        true,
		"SELECT a FROM t WHERE a BETWEEN 1 AND 2":                     true,
		"SELECT a FROM t WHERE a IN (1, 2)":                           true,
		"SELECT a FROM t WHERE a IN (SELECT a FROM u)":                false,
		"SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)":              false,
		"SELECT a FROM t WHERE a IS NULL":                             true,
		"SELECT a FROM t WHERE a IS DISTINCT FROM b":                  true,
		"SELECT a FROM t WHERE s LIKE 'x%'":                           false,
		"SELECT a FROM t WHERE a = b + 1":                             false,
		"SELECT a FROM t WHERE a = ANY (ARRAY[1])":                    false,
		"SELECT t.a FROM t JOIN u ON t.a = u.a":                       true,
		"SELECT t.a FROM t JOIN u ON t.a = u.a + 1":                   false,
		"SELECT t.a FROM t JOIN (u JOIN v ON u.a = v.a) ON t.a = u.a": true,
		"SELECT x.a FROM (SELECT a FROM t) x":                         false,
		"WITH x AS (SELECT a FROM t) SELECT a FROM x":                 false,
		"SELECT a FROM t UNION SELECT a FROM u":                       false,
		"SELECT a FROM t LIMIT 1":                                     false,
		"SELECT a FROM t ORDER BY b":                                  true,
		"SELECT a FROM t ORDER BY b + 1":                              false,
		"SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1":    true,
		"SELECT count(*) FROM t GROUP BY a + 1":                       false,
		"SELECT DISTINCT a FROM t":                                    true,
		"SELECT DISTINCT ON (a) a FROM t":                             false,
		"SELECT 1":                                                    false, // has no databases
	} {
		if got := bounded(query(t, text)); got != want {
			t.Errorf("%s is enumerated: %v, want %v", text, got, want)
		}
	}
}

// A check holds unless it is false; what cannot be judged is said to be.
func TestChecksOfRows(t *testing.T) {
	null, at := Value{}, func(n int64) Value { return intValue(n) }
	for _, tc := range []struct {
		check string
		a, b  Value
		want  string // holds, breaks or unknown
	}{
		{"a > b", at(2), at(1), "holds"}, {"a > b", at(1), at(1), "breaks"}, {"a > b", null, at(1), "holds"},
		{"a >= b", at(1), at(1), "holds"}, {"a <> b", at(1), at(1), "breaks"},
		{"a <= 3", at(4), null, "breaks"},
		{"a > 0 AND b > 0", at(1), null, "holds"}, {"a > 0 AND b > 0", at(0), null, "breaks"},
		{"a > 0 OR b > 0", at(0), null, "holds"}, {"a > 0 OR b > 0", at(0), at(0), "breaks"},
		{"NOT a > 0", at(1), null, "breaks"}, {"NOT a > 0", null, null, "holds"},
		{"a IN (1, 2)", at(2), null, "holds"}, {"a IN (1, 2)", at(3), null, "breaks"},
		{"a IN (1, NULL)", at(3), null, "holds"},
		{"a NOT IN (1, 2)", at(2), null, "breaks"}, {"a NOT IN (1, NULL)", at(3), null, "holds"},
		{"a BETWEEN 1 AND 3", at(3), null, "holds"}, {"a BETWEEN 1 AND 3", at(4), null, "breaks"},
		{"a NOT BETWEEN 1 AND b", at(2), at(3), "breaks"},
		{"a IS NULL", null, null, "holds"}, {"a IS NULL", at(0), null, "breaks"},
		{"a IS NOT NULL", null, null, "breaks"},
		{"a > -1", at(0), null, "holds"}, {"a > -1", at(-1), null, "breaks"},
		{"a > 0.5", at(0), null, "breaks"},
		{"a + b > 1", at(0), at(0), "unknown"}, {"a BETWEEN SYMMETRIC 3 AND 1", at(9), null, "unknown"},
		{"a IN (SELECT 1)", at(9), null, "unknown"},
		{"abs(a) > 1", at(0), null, "unknown"}, {"a > 'x'", at(0), null, "unknown"},
		{"a > 0 AND abs(b) > 1", at(1), at(0), "unknown"},
	} {
		s := ReadSchema("CREATE TABLE t (a INT, b INT, CHECK ("+tc.check+"))", sqlparts.Postgres)
		for i, c := range s.Tables[0].Columns {
			c.at = i
		}
		check, got := s.Tables[0].Checks[0], "holds"
		if _, ok := understood(check, s.Tables[0]); !ok {
			got = "unknown"
		} else if broken(check, s.Tables[0], []Value{tc.a, tc.b}) {
			got = "breaks"
		}
		if got != tc.want {
			t.Errorf("%s of %v, %v: %s, want %s", tc.check, tc.a, tc.b, got, tc.want)
		}
	}
}

// Texts that some collation takes for one are folded to one, and no others are.
func TestTextsThatCollationsTakeForOne(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		one  bool
	}{
		{"a", "A", true}, {"a", "a ", true}, {"a", " a", false}, {"é", "e", true}, {"É", "e", true},
		{"ß", "ss", true}, {"ß", "s", false},
		{"a", "b", false}, {"", " ", true}, {"a", "", false}, {"ﬁ", "fi", true}, {"1", "１", true},
		{"o", "0", false}, {"e\u0301", "é", true},
	} {
		if got := folded(tc.a) == folded(tc.b); got != tc.one {
			t.Errorf("%q and %q are one: %v, want %v", tc.a, tc.b, got, tc.one)
		}
		d := &Database{Tables: []Rows{{Rows: [][]Value{{textValue(tc.a), intValue(1)}, {textValue(tc.b), {}}}}}}
		if got, want := d.collides(), tc.one && tc.a != tc.b; got != want {
			t.Errorf("a database with %q and %q collides: %v, want %v", tc.a, tc.b, got, want)
		}
	}
}

// A script of BigQuery's may declare constants and functions of expressions before its query; anything
// else is not one query.
func TestDeclarationsBeforeAQuery(t *testing.T) {
	for _, tc := range []struct {
		before string
		one    bool
	}{
		{"DECLARE x INT64 DEFAULT 3;", true}, {"DECLARE x STRING;", true},
		{"DECLARE x INT64 DEFAULT -3;", true}, {"DECLARE x DATE DEFAULT DATE '2024-01-01';", true},
		{"DECLARE x INT64 DEFAULT 3; SET x = 4;", true}, {"SET x = 4;", false},
		{"DECLARE x INT64 DEFAULT (SELECT max(a) FROM t);", false},
		{"DECLARE x INT64 DEFAULT rand();", false}, {"DECLARE x, y INT64;", false},
		{"CREATE TEMP FUNCTION f(v INT64) AS (v + 1);", true},
		{"CREATE TEMP FUNCTION f(v INT64) RETURNS INT64 AS (v + 1);", true},
		{"CREATE TEMP FUNCTION f(v ANY TYPE) AS (v);", true},
		{"CREATE TEMP FUNCTION f() AS (1);", true},
		{"CREATE TEMP FUNCTION f(v ARRAY<INT64>) AS (v);", false},
		{"CREATE FUNCTION f(v INT64) AS (v + 1);", false},
		{"CREATE TEMP FUNCTION f(v INT64) RETURNS BYTES AS (v);", false},
		{"CREATE TEMP TABLE x AS SELECT 1;", false}, {"SELECT 1;", false},
	} {
		q, _, why := plainQuery(sqlparts.Parse(tc.before+" SELECT a FROM t", sqlparts.BigQuery))
		if (q != nil) != tc.one || tc.one == (why != "") {
			t.Errorf("%s is before one query: %v (%s), want %v", tc.before, q != nil, why, tc.one)
		}
	}
	other := sqlparts.Parse("DECLARE x INT64 DEFAULT 3; SELECT a FROM t", sqlparts.Postgres)
	if q, _, _ := plainQuery(other); q != nil {
		t.Error("a script of another dialect is taken for one query")
	}
}

// scripted is an engine that returns rows by what a query says and how many rows were loaded.
type scripted struct {
	rows func(sql string, loaded int) [][]Value
	n    int
}

func (e *scripted) Open(context.Context, []string) (Session, error) { return e, nil }
func (e *scripted) Close()                                          {}

func (e *scripted) Load(_ context.Context, inserts []string) error {
	e.n = 0
	for _, s := range inserts {
		e.n += strings.Count(s, "(") - strings.Count(s, "(c")
	}
	return nil
}

func (e *scripted) Query(_ context.Context, sql string) ([][]Value, error) {
	return e.rows(sql, e.n), nil
}

// A pair is refuted on a database on which both queries are settled and differ, and on no other.
func TestSearchesOfAScriptedEngine(t *testing.T) {
	one, two := [][]Value{{intValue(1)}}, [][]Value{{intValue(2)}}
	gold := func(sql string) bool { return strings.Contains(sql, "111") }
	for _, tc := range []struct {
		why   string
		rows  func(sql string, loaded int) [][]Value
		found bool
	}{
		{"both return the same", func(string, int) [][]Value { return one }, false},
		{"they always differ", func(sql string, _ int) [][]Value {
			if gold(sql) {
				return one
			}
			return two
		}, true},
		{"one returns a row more", func(sql string, _ int) [][]Value {
			if gold(sql) {
				return append(one[:1:1], one...)
			}
			return one
		}, true},
		{"they differ on a database of many rows", func(sql string, loaded int) [][]Value {
			if gold(sql) && loaded > 2 {
				return two
			}
			return one
		}, true},
		{"they would differ on one that is never made", func(sql string, loaded int) [][]Value {
			if gold(sql) && loaded > 1_000_000 {
				return two
			}
			return one
		}, false},
	} {
		p := &Problem{
			Gold: "SELECT a FROM t WHERE a <> 111", Pred: "SELECT a FROM t WHERE a <> 222",
			Dialect: "postgres", Schema: "CREATE TABLE t (a INT)",
		}
		first, err := Find(t.Context(), &scripted{rows: tc.rows}, p)
		if err != nil || first.Found != tc.found {
			t.Errorf("%s: found %v (%s), %v, want %v", tc.why, first.Found, first.Why, err, tc.found)
			continue
		}
		again, err := Find(t.Context(), &scripted{rows: tc.rows}, p)
		if err != nil || again.Found != first.Found || again.Tries != first.Tries || again.Sentence != first.Sentence {
			t.Errorf("%s: a second search has another outcome: %+v, %v", tc.why, again, err)
		}
		if first.Found == (first.Sentence == "") {
			t.Errorf("%s: the sentence is %q", tc.why, first.Sentence)
		}
	}
}
