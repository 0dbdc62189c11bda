package sqlproof

import (
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// A LEFT JOIN by a key finds at most one row only where the comparison keeps the key's values apart.
func TestKeysUnderOtherEqualities(t *testing.T) {
	const joined, alone = "SELECT o.no FROM o LEFT JOIN p ON p.code = o.ref", "SELECT no FROM o"
	ddl := func(code, ref string) string {
		return "CREATE TABLE o (no int PRIMARY KEY, ref " + ref + "); CREATE TABLE p (code " + code + " NOT NULL UNIQUE, w int)"
	}
	for _, tt := range []struct {
		dialect, code, ref string
		want               bool
	}{
		{"sqlite", "TEXT", "INTEGER", false}, // '7' and '07' are 7
		{"sqlite", "TEXT", "REAL", false},
		{"sqlite", "TEXT", "VARCHAR(9)", true},
		{"sqlite", "INTEGER", "TEXT", true},
		{"sqlite", "TEXT COLLATE NOCASE", "TEXT", false},
		{"sqlite", "TEXT", "TEXT COLLATE RTRIM", false},
		{"mysql", "VARCHAR(9)", "BIGINT", false},
		{"mysql", "BIGINT", "VARCHAR(9)", false}, // as doubles
		{"mysql", "INT", "VARCHAR(9)", true},
		{"duckdb", "VARCHAR", "INTEGER", false},
		{"postgres", "bigint", "double precision", false}, // 2^53 and 2^53 + 1
		{"postgres", "numeric(20,4)", "real", false},
		{"postgres", "bigint", "integer", true},
		{"postgres", "integer", "double precision", true},
		{"postgres", "double precision", "bigint", true},
		{"postgres", "numeric(9,2)", "bigint", true},
		{"postgres", "text", "varchar(30)", true},
		{"postgres", "timestamp", "date", true},
		{"postgres", "uuid", "uuid", true},
		{"snowflake", "INT", "FLOAT", false}, // a number of 38 digits
	} {
		d := sqlparts.DialectOf(tt.dialect)
		schema := sqlparts.ReadSchema(ddl(tt.code, tt.ref), d)
		if p := prove(sqlparts.Parse(joined, d), sqlparts.Parse(alone, d), schema); (p != nil) != tt.want {
			t.Errorf("%s: %s = %s: proven %v, want %v", tt.dialect, tt.code, tt.ref, p != nil, tt.want)
		}
	}
}

// Expressions that look the same and are not: quotes that make one key of a path, a name with a dot, words that are
// values, rows that are NULL in part, and collations of the left side.
func TestLookAlikes(t *testing.T) {
	for _, tt := range []struct {
		dialect, ddl, gold, pred string
		want                     bool
	}{
		{"snowflake", "", `SELECT d:ship.city FROM o`, `SELECT d:"ship.city" FROM o`, false},
		{"snowflake", "", `SELECT d:ship."zip.code" FROM o`, `SELECT d:ship.zip.code FROM o`, false},
		{"snowflake", "", `SELECT d:"ship".city FROM o`, `SELECT d:ship."city" FROM o`, true},
		{"snowflake", "", `SELECT d:"a b" FROM o`, `SELECT x.d:"a b" FROM o AS x`, true},
		{"snowflake", "", `SELECT d:"a""b" FROM o`, `SELECT d:"a"."b" FROM o`, false},
		{"databricks", "", "SELECT d:ship.city FROM o", "SELECT d:`ship.city` FROM o", false},
		{"databricks", "", "SELECT d:`ship`.city FROM o", "SELECT d:ship.city FROM o", true},
		{"bigquery", "", "SELECT d.Ship FROM o", "SELECT d.ship FROM o", false},
		{"bigquery", "", "SELECT d.ship FROM o", "SELECT x.d.ship FROM o AS x", true},

		{"postgres", "", `SELECT a FROM shop.orders`, `SELECT a FROM "shop.orders"`, false},
		{"postgres", "", `SELECT a FROM shop.orders`, `SELECT a FROM "shop"."orders"`, true},

		{"postgres", `CREATE TABLE o ("user" text, n int)`, `SELECT "user" FROM o`, `SELECT user FROM o`, false},
		{"tsql", `CREATE TABLE o ([user] varchar(9), n int)`, `SELECT [user] FROM o`, `SELECT user FROM o`, false},
		{"mysql", "CREATE TABLE o (`user` varchar(9), n int)", "SELECT `user` FROM o", `SELECT user FROM o`, true},

		{"postgres", "", `SELECT a FROM o WHERE (a, b) IS NOT NULL`, `SELECT a FROM o WHERE NOT ((a, b) IS NULL)`, false},
		{"postgres", "", `SELECT a FROM o WHERE ROW(a, b) IS NOT NULL`, `SELECT a FROM o WHERE NOT (ROW(a, b) IS NULL)`, false},
		{"postgres", "", `SELECT a FROM o WHERE (a, b) IS NOT NULL`, `SELECT x.a FROM o AS x WHERE (x.a, x.b) IS NOT NULL`, true},
		{"postgres", "", `SELECT a FROM o WHERE a IS NOT NULL`, `SELECT a FROM o WHERE NOT (a IS NULL)`, true},

		{"sqlite", "CREATE TABLE o (a TEXT, b TEXT COLLATE NOCASE)", "SELECT 1 FROM o WHERE a = b", "SELECT 1 FROM o WHERE b = a", false},
		{"sqlite", "CREATE TABLE o (a TEXT, b TEXT COLLATE NOCASE)", "SELECT 1 FROM o WHERE a < b", "SELECT 1 FROM o WHERE b > a", false},
		{"sqlite", "CREATE TABLE o (a TEXT, b TEXT COLLATE NOCASE)", "SELECT 1 FROM o WHERE b = 'x'", "SELECT 1 FROM o WHERE 'x' = b", true},
		{"sqlite", "CREATE TABLE o (a TEXT, b TEXT)", "SELECT 1 FROM o WHERE a = b", "SELECT 1 FROM o WHERE b = a", true},
		{"sqlite", "CREATE TABLE o (a TEXT, b TEXT COLLATE NOCASE)", "SELECT 1 FROM o WHERE a BETWEEN b AND 'x'", "SELECT 1 FROM o WHERE b <= a AND a <= 'x'", false},
	} {
		d := sqlparts.DialectOf(tt.dialect)
		if p := prove(sqlparts.Parse(tt.gold, d), sqlparts.Parse(tt.pred, d), sqlparts.ReadSchema(tt.ddl, d)); (p != nil) != tt.want {
			t.Errorf("%s: %s and %s: proven %v, want %v", tt.dialect, tt.gold, tt.pred, p != nil, tt.want)
		}
	}
}
