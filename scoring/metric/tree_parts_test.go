package metric

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// tree_match is 1 where only the way of writing differs, and 0 if a part does that the final query
// does not show or that a class of types or a rule might hide.
func TestTreeMatchKeepsEveryPart(t *testing.T) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dialect, gold, pred string
		want                float64
	}{
		{"bigquery", "DECLARE x INT64 DEFAULT 1; SELECT a FROM t WHERE b > x", "declare x int64 default 1; SELECT a FROM t WHERE x < b", 1},
		{"bigquery", "DECLARE x INT64 DEFAULT 1; SELECT a FROM t WHERE b > x", "DECLARE x INT64 DEFAULT 2; SELECT a FROM t WHERE b > x", 0},
		{"bigquery", "DECLARE x INT64; SET x = 1; SELECT a FROM t WHERE b > x", "DECLARE x INT64; SET x = 2; SELECT a FROM t WHERE b > x", 0},
		{"snowflake", "SET x = 'p'; SELECT a FROM t WHERE b = $x", "SET x = 'q'; SELECT a FROM t WHERE b = $x", 0},
		{"postgres", "CREATE TEMP TABLE w AS SELECT a FROM t WHERE b = 1 AND c = 2; SELECT a FROM w", "CREATE TEMP TABLE w AS SELECT a FROM t WHERE 2 = c AND 1 = b; SELECT a FROM w", 1},
		{"postgres", "CREATE TEMP TABLE w AS SELECT a FROM t WHERE b = 1; SELECT a FROM w", "CREATE TEMP TABLE w AS SELECT a FROM t WHERE b = 2; SELECT a FROM w", 0},
		{"postgres", "CREATE TEMP TABLE w (a int); INSERT INTO w VALUES (1); SELECT a FROM w", "CREATE TEMP TABLE w (a int); INSERT INTO w VALUES (2); SELECT a FROM w", 0},
		{"postgres", "CREATE TEMP TABLE w (a int, b int); INSERT INTO w (a, b) SELECT 1, 2; SELECT a FROM w", "CREATE TEMP TABLE w (a int, b int); INSERT INTO w (b, a) SELECT 1, 2; SELECT a FROM w", 0},
		{"postgres", "CREATE TEMP TABLE w AS SELECT a FROM t; UPDATE w SET a = 1; SELECT a FROM w", "CREATE TEMP TABLE w AS SELECT a FROM t; UPDATE w SET a = 2; SELECT a FROM w", 0},
		{"bigquery", "SELECT ANY_VALUE(a HAVING MAX b) FROM t", "SELECT any_value(a HAVING MAX b) FROM t", 1},
		{"bigquery", "SELECT ANY_VALUE(a HAVING MAX b) FROM t", "SELECT ANY_VALUE(a HAVING MIN b) FROM t", 0},
		{"postgres", "SELECT a FROM t ORDER BY b NULLS FIRST LIMIT 3", "SELECT a FROM t ORDER BY b LIMIT 3", 0},
		{"postgres", "SELECT a FROM (SELECT a FROM t ORDER BY b NULLS FIRST LIMIT 3) x", "SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 3) x", 0},
		{"duckdb", "WITH x AS (SELECT a FROM t ORDER BY b DESC NULLS FIRST LIMIT 3) SELECT a FROM x", "WITH x AS (SELECT a FROM t ORDER BY b DESC NULLS LAST LIMIT 3) SELECT a FROM x", 0},
		{"postgres", "SELECT CAST(a AS CHAR(3)) FROM t", "SELECT CAST(a AS VARCHAR(3)) FROM t", 0},
		{"tsql", "SELECT CAST(a AS NCHAR(3)) FROM t", "SELECT CAST(a AS NVARCHAR(3)) FROM t", 0},
		{"postgres", "SELECT a::character(3) FROM t", "SELECT CAST(a AS CHAR(3)) FROM t", 1},
		{"postgres", "SELECT a::character varying(3) FROM t", "SELECT CAST(a AS VARCHAR(3)) FROM t", 1},
		{"snowflake", "SELECT a::CHAR(3) FROM t", "SELECT CAST(a AS VARCHAR(3)) FROM t", 1},
	} {
		scores, err := engine.Score(t.Context(), &scoring.Case{ID: "c", Dialect: tt.dialect, Golds: []scoring.Query{{SQL: tt.gold}}, Pred: scoring.Query{SQL: tt.pred}}, "tree_match")
		if err != nil {
			t.Fatal(err)
		}
		if scores[0].Status != scoring.StatusOK || scores[0].Value != tt.want {
			t.Errorf("%s and %s: %s %v, want %v", tt.gold, tt.pred, scores[0].Status, scores[0].Value, tt.want)
		}
	}
}
