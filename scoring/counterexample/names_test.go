package counterexample

import (
	"regexp"
	"strings"
	"testing"
)

const namesDDL = `CREATE TABLE t (k INT PRIMARY KEY, a INT, b INT); CREATE TABLE u (k INT PRIMARY KEY, b INT, c INT)`

// aliasNumber is the number of an alias of the engine's.
var aliasNumber = regexp.MustCompile(`\b[rw][0-9]+`)

// translatedAs translates a query, with the aliases of the engine numbered as they come.
func translatedAs(t *testing.T, query, dialect, schema string) (sql [2]string, why string) {
	t.Helper()
	s, out := prepare(&Problem{Gold: query, Pred: query, Dialect: dialect, Schema: schema}, false)
	if s == nil {
		return sql, out.Why
	}
	for i := range sql {
		numbers := map[string]string{}
		sql[i] = aliasNumber.ReplaceAllStringFunc(s.gold.sql[i], func(name string) string {
			if numbers[name] == "" {
				numbers[name] = name[:1] + strings.Repeat("'", len(numbers)+1)
			}
			return numbers[name]
		})
	}
	return sql, ""
}

// A name is translated as what its dialect takes it for: the same query with the whole name.
func TestNamesAreCarriedAsTheirDialectTakesThem(t *testing.T) {
	for _, tc := range []struct{ dialects, query, whole, schema string }{
		// the columns that USING makes
		{"postgres duckdb sqlite", "SELECT k FROM t JOIN u USING (k)", "SELECT t.k FROM t JOIN u ON t.k = u.k", namesDDL},
		{"postgres duckdb snowflake", "SELECT k FROM t RIGHT JOIN u USING (k)", "SELECT u.k FROM t RIGHT JOIN u ON t.k = u.k", namesDDL},
		{"postgres duckdb snowflake", "SELECT k FROM t FULL JOIN u USING (k)", "SELECT coalesce(t.k, u.k) FROM t FULL JOIN u ON t.k = u.k", namesDDL},
		{"duckdb sqlite", "SELECT * FROM (SELECT a, k FROM t) x JOIN u USING (k)", "SELECT x.a, x.k, u.b, u.c FROM (SELECT a, k FROM t) x JOIN u ON x.k = u.k", namesDDL},
		{"postgres bigquery mysql", "SELECT * FROM (SELECT a, k FROM t) x JOIN u USING (k)", "SELECT x.k, x.a, u.b, u.c FROM (SELECT a, k FROM t) x JOIN u ON x.k = u.k", namesDDL},
		{"postgres duckdb", "SELECT x.* FROM t x JOIN u USING (k)", "SELECT x.k, x.a, x.b FROM t x JOIN u ON x.k = u.k", namesDDL},
		{"postgres duckdb", "SELECT c FROM t NATURAL JOIN u", "SELECT u.c FROM t JOIN u ON t.k = u.k AND t.b = u.b", namesDDL},
		// an alias or a column
		{"postgres duckdb", "SELECT -a AS b FROM t GROUP BY b, a", "SELECT -t.a FROM t GROUP BY t.b, t.a", namesDDL},
		{"postgres duckdb bigquery", "SELECT -a AS b FROM t ORDER BY b", "SELECT -t.a AS z FROM t ORDER BY z", namesDDL},
		{"postgres", "SELECT -a AS b FROM t ORDER BY b + 1", "SELECT -t.a FROM t ORDER BY t.b + 1", namesDDL},
		{"bigquery", "SELECT t.k, count(*) FROM t JOIN u ON t.k = u.k GROUP BY k", "SELECT t.k, count(*) FROM t JOIN u ON t.k = u.k GROUP BY t.k", namesDDL},
		{"snowflake duckdb", "SELECT a + 1 AS z FROM t WHERE z > 3", "SELECT t.a + 1 FROM t WHERE t.a + 1 > 3", namesDDL},
		{"duckdb bigquery", "SELECT b, sum(a) AS a FROM t GROUP BY b HAVING sum(a) > 3", "SELECT t.b, sum(t.a) FROM t GROUP BY t.b HAVING sum(t.a) > 3", namesDDL},
		// queries inside of others
		{"duckdb bigquery postgres", "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.b)", "SELECT y.a FROM t AS y WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.k = y.b)", ""},
		{"duckdb", "SELECT x.n FROM t, (SELECT max(c) AS n FROM u WHERE u.k = t.k) x", "SELECT x.n FROM t, LATERAL (SELECT max(c) AS n FROM u WHERE u.k = t.k) x", namesDDL},
		{"postgres", "WITH t AS (SELECT a FROM t) SELECT a FROM t", "WITH x AS (SELECT a FROM t) SELECT a FROM x", namesDDL},
		{"snowflake", `SELECT d."x" FROM (SELECT a AS "X", b AS "x" FROM t) d`, "SELECT d.y FROM (SELECT a AS z, b AS y FROM t) d", namesDDL},
		// what a pivot makes, by its own alias
		{"snowflake bigquery", "SELECT p.x FROM (SELECT k, a, b FROM t) PIVOT(MAX(b) FOR a IN (1 AS x)) AS p", "SELECT x FROM (SELECT k, a, b FROM t) PIVOT(MAX(b) FOR a IN (1 AS x))", namesDDL},
		// a column of USING that no schema gives to a table: the one that it names
		{"duckdb", "SELECT s.n FROM region JOIN shops USING (region_id) JOIN sales s USING (shop_id)", "SELECT s.n FROM region JOIN shops ON region.region_id = shops.region_id JOIN sales s ON shops.shop_id = s.shop_id", ""},
	} {
		for _, d := range strings.Fields(tc.dialects) {
			got, why := translatedAs(t, tc.query, d, tc.schema)
			want, other := translatedAs(t, tc.whole, d, tc.schema)
			if why != "" || other != "" {
				t.Errorf("%s in %s: %s, %s", tc.query, d, why, other)
			} else if strip(got) != strip(want) {
				t.Errorf("%s in %s:\n got %s\nwant %s", tc.query, d, got[0], want[0])
			}
		}
	}
}

// strip leaves out what writes the same condition in two ways.
func strip(sql [2]string) string {
	text := strings.NewReplacer("LATERAL ", "", " AND ", " ", "(", "", ")", "").Replace(strings.Join(sql[:], "\n"))
	return text
}

// A name that an engine rejects, or whose meaning is unknown, does not justify a refutation.
func TestNamesThatAreRefused(t *testing.T) {
	for _, tc := range []struct{ dialects, query, schema, why string }{
		{"postgres sqlite duckdb", "SELECT k FROM t JOIN u ON t.k = u.k", namesDDL, "several columns"},
		{"postgres snowflake", "SELECT t.k, count(*) FROM t JOIN u ON t.k = u.k GROUP BY k", namesDDL, "several columns"},
		{"postgres mysql bigquery", "SELECT a + 1 AS z FROM t WHERE z > 3", namesDDL, "no table of the schema has"},
		{"postgres", `SELECT "A" FROM t`, namesDDL, "no table of the schema has"},
		{"postgres", "SELECT x.n FROM t, (SELECT max(c) AS n FROM u WHERE u.k = t.k) x", namesDDL, "no table of the schema has"},
		{"postgres sqlite", "SELECT t.c FROM t JOIN u ON t.k = u.k", namesDDL, "no table of the schema has"},
		{"postgres", "SELECT t FROM t", namesDDL, "no table of the schema has"},
		{"postgres", "SELECT a FROM t NATURAL JOIN u", "", "natural join"},
		{"postgres", "SELECT c FROM t JOIN u USING (a)", namesDDL, "USING"},
		{"postgres", "SELECT a FROM x.t JOIN y.t AS z ON true", "CREATE TABLE t (a INT)", "which schema"},
	} {
		for _, d := range strings.Fields(tc.dialects) {
			if sql, why := translatedAs(t, tc.query, d, tc.schema); !strings.Contains(why, tc.why) {
				t.Errorf("%s in %s: %q, want %q (%s)", tc.query, d, why, tc.why, sql[0])
			}
		}
	}
}
