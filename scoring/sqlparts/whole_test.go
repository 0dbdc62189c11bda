package sqlparts

import "testing"

// A query is whole where all its words are in its tree.
func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		dialect, sql string
		want         bool
	}{
		{"postgres", "SELECT DISTINCT a.b AS c FROM a LEFT OUTER JOIN d USING (e) WHERE x <> ALL (SELECT 1) ORDER BY 1 NULLS LAST", true},
		{"bigquery", "SELECT t.a FROM `my-project.d.t` AS t", true},
		{"bigquery", "SELECT t.a FROM my-project.d.t AS t", true},
		{"bigquery", "FROM t |> WHERE a > 1 |> AGGREGATE COUNT(*) GROUP BY b", true},
		{"postgres", "SELECT a FROM t; SELECT b FROM t", false},
		{"postgres", "EXPLAIN SELECT a FROM t", false},
		{"postgres", "DECLARE c CURSOR FOR SELECT a FROM t", false},
		{"postgres", "SELECT a FROM t FOR SHARE", false},
		{"postgres", "WITH d AS (DELETE FROM t RETURNING a) SELECT a FROM d", false},
		{"tsql", "SELECT a FROM t FOR JSON PATH", false},
		{"tsql", "SELECT a FROM t WITH (NOLOCK)", false},
		{"bigquery", "SELECT 'a' 'b' FROM t", false},
		{"postgres", "SELECT 'a'\n'b' FROM t", true},
		{"sqlite", "SELECT a AS 'b' FROM t", true},
	} {
		q, why := Parse(tt.sql, DialectOf(tt.dialect)).Whole()
		if (q != nil) != tt.want || (why == "") != tt.want {
			t.Errorf("%s: %s: whole %v (%s), want %v", tt.dialect, tt.sql, q != nil, why, tt.want)
		}
	}
}
