package sqlproof

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// DISTINCT is dropped only where the DDL certainly says that no two rows share the value. Each text is
// one kind of statement, on both sides of its border.
func TestProofsOfKeys(t *testing.T) {
	for _, tt := range []struct {
		dialects, why, ddl string
		want               bool
	}{
		{"postgres snowflake mysql sqlite duckdb tsql generic", "a key of a column", "CREATE TABLE t (v int NOT NULL UNIQUE, w int)", true},
		{"postgres snowflake mysql duckdb generic", "a primary key", "CREATE TABLE t (v int, w int, PRIMARY KEY (v))", true},
		{"postgres duckdb sqlite", "an index", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t (v)", true},
		{"postgres duckdb sqlite", "nothing", "CREATE TABLE t (v int NOT NULL, w int)", false},

		// indexes
		{"postgres sqlite tsql", "an index of some rows", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t (v) WHERE w > 0", false},
		{"postgres", "an index of the parent alone", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON ONLY t (v)", false},
		{"postgres", "an index of a method", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t USING btree (v) INCLUDE (w)", true},
		{"postgres sqlite", "an index of an expression", "CREATE TABLE t (v text NOT NULL, w int); CREATE UNIQUE INDEX i ON t (upper(v))", false},
		{"postgres sqlite", "an index of a column and an expression", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t (v, (w + 1))", false},
		{"postgres", "a column called as the function", "CREATE TABLE t (v int NOT NULL, upper text NOT NULL); CREATE UNIQUE INDEX i ON t (upper(v::text))", false},
		{"mysql", "an index of a prefix", "CREATE TABLE t (v varchar(80) NOT NULL, w int, UNIQUE KEY k (v(8)))", false},
		{"mysql", "a named key", "CREATE TABLE t (v varchar(80) NOT NULL, w int, UNIQUE KEY k (v))", true},
		{"postgres", "an index of another schema's table", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON old.t (v)", false},
		{"postgres", "an index of this schema's table", "CREATE TABLE now.t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON now.t (v)", true},
		{"postgres", "a table of another schema with the key", "CREATE TABLE now.t (v int NOT NULL, w int); CREATE TABLE old.t (v int NOT NULL UNIQUE, w int)", false},
		{"sqlite postgres", "an index that was there before", "CREATE TABLE t (v int NOT NULL, w int); CREATE INDEX i ON t (w); CREATE UNIQUE INDEX IF NOT EXISTS i ON t (v)", false},

		// what is dropped
		{"postgres sqlite duckdb", "an index that is dropped", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t (v); DROP INDEX i", false},
		{"postgres sqlite duckdb", "another index that is dropped", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t (v); CREATE INDEX j ON t (w); DROP INDEX j", true},
		{"postgres", "a constraint that is dropped", "CREATE TABLE t (v int NOT NULL CONSTRAINT once UNIQUE, w int); ALTER TABLE t DROP CONSTRAINT once", false},
		{"postgres", "a constraint that may be dropped", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); ALTER TABLE t DROP CONSTRAINT t_v_key", false},
		{"postgres", "another constraint that is dropped", "CREATE TABLE t (v int NOT NULL CONSTRAINT once UNIQUE, w int, CONSTRAINT pos CHECK (w > 0)); ALTER TABLE t DROP CONSTRAINT pos", true},
		{"mysql", "a primary key that is dropped", "CREATE TABLE t (v int NOT NULL, w int, PRIMARY KEY (v)); ALTER TABLE t DROP PRIMARY KEY", false},
		{"mysql", "a key that is dropped", "CREATE TABLE t (v int NOT NULL, w int, UNIQUE KEY k (v)); ALTER TABLE t DROP INDEX k, ADD KEY k (w)", false},
		{"postgres", "NOT NULL that is dropped", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); ALTER TABLE t ALTER COLUMN v DROP NOT NULL", false},
		{"postgres", "a table that is made anew", "CREATE TABLE t (v int UNIQUE); DROP TABLE t; CREATE TABLE t (v int NOT NULL, w int)", false},
		{"postgres", "a table that is made anew with a key", "CREATE TABLE t (v int); DROP TABLE IF EXISTS t; CREATE TABLE t (v int NOT NULL PRIMARY KEY, w int)", true},
		{"postgres", "two definitions", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE TABLE t (v int NOT NULL, w int)", false},
		{"snowflake", "a definition that is replaced", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE OR REPLACE TABLE t (v int NOT NULL, w int)", false},
		{"postgres", "a column that is dropped", "CREATE TABLE t (v int NOT NULL, w int, x int, UNIQUE (v, x)); ALTER TABLE t DROP COLUMN x", false},
		{"postgres duckdb", "a column that is added", "CREATE TABLE t (v int NOT NULL UNIQUE); ALTER TABLE t ADD COLUMN w int NOT NULL", true},
		{"mysql", "a column that is changed", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); ALTER TABLE t CHANGE w v2 int", false},
		{"postgres", "columns that change names", "CREATE TABLE t (v int NOT NULL UNIQUE, w int NOT NULL); ALTER TABLE t RENAME COLUMN v TO x; ALTER TABLE t RENAME COLUMN w TO v", false},
		{"postgres", "a transaction that is undone", "CREATE TABLE t (v int NOT NULL, w int); BEGIN; CREATE UNIQUE INDEX i ON t (v); ROLLBACK", false},
		{"postgres", "a block of code", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); DO $$ BEGIN EXECUTE 'ALTER TABLE t DROP CONSTRAINT t_v_key'; END $$", false},
		{"tsql", "a condition", "CREATE TABLE t (v int NOT NULL, w int); IF 1 = 0 CREATE UNIQUE INDEX i ON t (v)", false},
		{"tsql", "an index that is disabled", "CREATE TABLE t (v int NOT NULL, w int); CREATE UNIQUE INDEX i ON t (v); ALTER INDEX i ON t DISABLE", false},
		{"mysql", "the body of a routine", "CREATE TABLE t (v int NOT NULL, w int); CREATE PROCEDURE p() BEGIN DECLARE n int; CREATE UNIQUE INDEX i ON t (v); END", false},
		{"postgres", "rows of a table that inherits", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE TABLE u (x int) INHERITS (t)", false},

		{"postgres", "a key that comes after the one that inherits", "CREATE TABLE t (v int NOT NULL, w int); CREATE TABLE u (x int) INHERITS (t); CREATE UNIQUE INDEX i ON t (v)", false},
		{"postgres", "a constraint that comes after it", "CREATE TABLE t (v int NOT NULL, w int); CREATE TABLE u (x int) INHERITS (t); ALTER TABLE ONLY t ADD CONSTRAINT once UNIQUE (v)", false},
		{"postgres", "one of several parents", "CREATE TABLE p (x int); CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE TABLE u (y int) INHERITS (p, t)", false},
		{"postgres", "another parent", "CREATE TABLE p (v int UNIQUE); CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE TABLE u (y int) INHERITS (p)", true},
		{"snowflake duckdb", "a table that is made anew of a query", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE OR REPLACE TABLE t AS SELECT 4 AS v, 1 AS w UNION ALL SELECT 4, 2", false},
		{"snowflake databricks", "a copy of another table", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE OR REPLACE TABLE t CLONE old", false},
		{"snowflake", "a table like another", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE OR REPLACE TABLE t LIKE old", false},
		{"snowflake duckdb", "a view in its place", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE OR REPLACE VIEW t AS SELECT v, w FROM old", false},
		{"postgres duckdb", "a table that is there already", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS v", true},
		{"snowflake", "a table that comes back", "CREATE TABLE t (v int NOT NULL UNIQUE, w int); UNDROP TABLE t", false},
		{"postgres", "a schema with its tables", "CREATE SCHEMA s CREATE TABLE t (v int NOT NULL UNIQUE); CREATE TABLE t (v int NOT NULL)", false},
		{"postgres", "a schema without tables", "CREATE SCHEMA IF NOT EXISTS s AUTHORIZATION x; CREATE TABLE t (v int NOT NULL UNIQUE)", true},

		// words of the dialect
		{"mysql snowflake databricks bigquery", "a backslash in a comment", `CREATE TABLE t (v int NOT NULL COMMENT 'the shop\'s unique mark', w int)`, false},
		{"mysql snowflake databricks", "a key in a comment", `CREATE TABLE t (v int NOT NULL COMMENT 'x\'', w int COMMENT ', UNIQUE (v), x int')`, false},
		{"mysql bigquery", "a comment to the end of the line", "CREATE TABLE t (v int NOT NULL # unique in a shop\n, w int)", false},
		{"postgres duckdb", "a comment in a comment", "CREATE TABLE t (v int NOT NULL /* once /* it was */ UNIQUE */, w int)", false},
		{"postgres duckdb", "a comment that a carriage return ends", "CREATE TABLE t (v int NOT NULL, w int -- x\r, UNIQUE (v)\n)", true},
		{"mysql sqlite", "a comment that it does not end", "CREATE TABLE t (v int NOT NULL, w int -- x\r, UNIQUE (v)\n)", false},
		{"postgres duckdb", "a string in dollars", "CREATE TABLE t (v text NOT NULL DEFAULT $q$ UNIQUE, $q$, w int)", false},
		{"generic", "a comment that may end elsewhere", "CREATE TABLE t (v int NOT NULL UNIQUE, /* /* */ w int /* */)", false},
		{"postgres", "a name of another case", `CREATE TABLE t ("V" int NOT NULL UNIQUE, v int NOT NULL)`, false},
		{"snowflake", "a name of another case", `CREATE TABLE t ("v" int NOT NULL UNIQUE, v int NOT NULL)`, false},
		{"snowflake", "the same name", `CREATE TABLE t ("V" int NOT NULL UNIQUE, w int)`, true},
		{"bigquery", "a type of several", "CREATE TABLE t (s STRUCT<v INT64, x STRING>, v INT64 NOT NULL)", false},
	} {
		for dialect := range strings.FieldsSeq(tt.dialects) {
			d := sqlparts.DialectOf(dialect)
			p := prove(sqlparts.Parse("SELECT DISTINCT v FROM t", d), sqlparts.Parse("SELECT v FROM t", d), sqlparts.ReadSchema(tt.ddl, d))
			if (p != nil) != tt.want {
				t.Errorf("%s: %s: proven %v, want %v: %s", dialect, tt.why, p != nil, tt.want, tt.ddl)
			}
		}
	}
}

// What else proofs take from DDL: NOT NULL, foreign keys, the columns of tables, and which table a name
// means.
func TestProofsOfSchemas(t *testing.T) {
	const counts, joined = "SELECT count(v) FROM t", "SELECT t.w FROM t JOIN u ON t.k = u.k"
	for _, tt := range []struct {
		dialect, why, ddl, gold, pred string
		want                          bool
	}{
		{"postgres", "a column that is never NULL", "CREATE TABLE t (v int NOT NULL)", counts, "SELECT count(*) FROM t", true},
		{"postgres", "and that may be after all", "CREATE TABLE t (v int NOT NULL); ALTER TABLE t ALTER v DROP NOT NULL", counts, "SELECT count(*) FROM t", false},
		{"postgres", "a column that comes not to be NULL", "CREATE TABLE t (v int); ALTER TABLE t ALTER COLUMN v SET NOT NULL", counts, "SELECT count(*) FROM t", true},
		{"mysql", "a column of another definition", "CREATE TABLE t (v int NOT NULL); ALTER TABLE t MODIFY v int NULL", counts, "SELECT count(*) FROM t", false},
		{"sqlite", "the name of the row", "CREATE TABLE t (v INTEGER PRIMARY KEY)", counts, "SELECT count(*) FROM t", true},
		{"sqlite", "another key", "CREATE TABLE t (v INT PRIMARY KEY)", counts, "SELECT count(*) FROM t", false},
		{"sqlite", "the name of the row downwards", "CREATE TABLE t (v INTEGER PRIMARY KEY DESC)", counts, "SELECT count(*) FROM t", false},
		{"sqlite", "a key without the name of the row", "CREATE TABLE t (v TEXT PRIMARY KEY) WITHOUT ROWID", counts, "SELECT count(*) FROM t", true},
		{"postgres", "a column that another definition has", "CREATE TABLE t (v int NOT NULL); CREATE TABLE t (v int)", counts, "SELECT count(*) FROM t", false},

		{"postgres", "a foreign key", "CREATE TABLE u (k int PRIMARY KEY); CREATE TABLE t (w int, k int NOT NULL REFERENCES u)", joined, "SELECT w FROM t", true},
		{"postgres", "one of two columns", "CREATE TABLE u (k int PRIMARY KEY, l int, UNIQUE (k, l)); CREATE TABLE t (w int, k int NOT NULL, l int, FOREIGN KEY (k, l) REFERENCES u (k, l))", joined, "SELECT w FROM t", false},
		{"postgres", "one that old rows may lack", "CREATE TABLE u (k int PRIMARY KEY); CREATE TABLE t (w int, k int NOT NULL); ALTER TABLE t ADD FOREIGN KEY (k) REFERENCES u (k) NOT VALID", joined, "SELECT w FROM t", false},
		{"postgres", "one that is dropped", "CREATE TABLE u (k int PRIMARY KEY); CREATE TABLE t (w int, k int NOT NULL CONSTRAINT f REFERENCES u); ALTER TABLE t DROP CONSTRAINT f", joined, "SELECT w FROM t", false},

		{"postgres", "a column that is added", "CREATE TABLE t (w int); CREATE TABLE u (k int); ALTER TABLE u ADD COLUMN w int", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w = 1)", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.w = 1)", false},
		{"postgres", "a column of the outer query", "CREATE TABLE t (w int); CREATE TABLE u (k int)", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w = 1)", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.w = 1)", true},
		{"postgres", "a table that may have more columns", "CREATE TABLE t (w int); CREATE TABLE u (LIKE x, k int)", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w = 1)", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.w = 1)", false},

		{"postgres", "the table of another schema", "CREATE TABLE now.t (v int NOT NULL UNIQUE)", "SELECT DISTINCT v FROM old.t", "SELECT v FROM old.t", false},
		{"postgres", "the table of the schema", "CREATE TABLE now.t (v int NOT NULL UNIQUE)", "SELECT DISTINCT v FROM now.t", "SELECT v FROM now.t", true},
		{"bigquery", "a name in one pair of quotes", "CREATE TABLE `p.d.t` (v INT64 NOT NULL, PRIMARY KEY (v) NOT ENFORCED)", "SELECT DISTINCT v FROM `p.d.t`", "SELECT v FROM `p.d.t`", true},
		{"bigquery", "the table of another data set", "CREATE TABLE `p.d.t` (v INT64 NOT NULL, PRIMARY KEY (v) NOT ENFORCED)", "SELECT DISTINCT v FROM `p.e.t`", "SELECT v FROM `p.e.t`", false},
		{"postgres", "a table without its schema", "CREATE TABLE t (v int NOT NULL UNIQUE)", "SELECT DISTINCT v FROM now.t", "SELECT v FROM now.t", true},
		{"postgres", "one of two schemas", "CREATE TABLE t (v int NOT NULL UNIQUE)", "SELECT DISTINCT v FROM now.t WHERE EXISTS (SELECT 1 FROM old.t AS o WHERE o.v = 3)", "SELECT v FROM now.t WHERE EXISTS (SELECT 1 FROM old.t AS o WHERE o.v = 3)", false},
	} {
		d := sqlparts.DialectOf(tt.dialect)
		if p := prove(sqlparts.Parse(tt.gold, d), sqlparts.Parse(tt.pred, d), sqlparts.ReadSchema(tt.ddl, d)); (p != nil) != tt.want {
			t.Errorf("%s: %s: proven %v, want %v: %s", tt.dialect, tt.why, p != nil, tt.want, tt.ddl)
		}
	}
}
