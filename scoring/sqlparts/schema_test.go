package sqlparts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// summary is a schema in short: table(column! key?) where ! is certainly not NULL, ? is not certain.
func summary(s *Schema) string {
	var out []string
	for _, t := range s.Tables {
		var parts []string
		for _, c := range t.Columns {
			mark := ""
			if c.NotNull {
				mark = "?"
			}
			if c.NotNull && c.Sure {
				mark = "!"
			}
			parts = append(parts, c.Name.Text+mark)
		}
		for _, k := range t.Keys {
			names := make([]string, len(k.Columns))
			for i, c := range k.Columns {
				names[i] = c.Name.Text
			}
			mark := ""
			if !k.Sure {
				mark = "?"
			}
			parts = append(parts, "{"+strings.Join(names, " ")+"}"+mark)
		}
		for _, f := range t.Foreign {
			mark := ""
			if !f.Sure {
				mark = "?"
			}
			parts = append(parts, f.Columns[0].Name.Text+">"+f.To.Name.Last().Text+mark)
		}
		doubt := ""
		if t.Doubt != "" {
			doubt = "?"
		}
		out = append(out, t.Name.Last().Text+doubt+"("+strings.Join(parts, " ")+")")
	}
	return strings.Join(out, " ")
}

func TestReadSchemaFacts(t *testing.T) {
	for _, tt := range []struct{ dialect, ddl, want string }{
		{"postgres", "CREATE TABLE a (x int PRIMARY KEY, y text NOT NULL, z int UNIQUE)", "a(x! y! z {x} {z})"},
		{"postgres", "CREATE TABLE a (x int, y int, PRIMARY KEY (x, y)); CREATE TABLE b (x int REFERENCES a, y int, FOREIGN KEY (x, y) REFERENCES a)", "a(x! y! {x y}) b(x y x>a)"},
		{"postgres", "create table a (x int default (1 + f(2)) not null, y int check (y in (1, 2)) unique)", "a(x! y {y})"},
		{"postgres", "CREATE TABLE a (x int); CREATE UNIQUE INDEX i ON a (x) WHERE x > 1", "a(x {x}?)"},
		{"postgres", "CREATE TABLE a (x int); CREATE TABLE s.a (x int UNIQUE)", "a?(x) a?(x {x})"},
		{"postgres", "CREATE TABLE r.a (x int); CREATE TABLE s.a (x int UNIQUE)", "a(x) a(x {x})"},
		{"postgres", "CREATE TABLE a (x int UNIQUE); ALTER TABLE a DROP CONSTRAINT a_x_key", "a(x {x}?)"},
		{"postgres", "CREATE TABLE a (x int CONSTRAINT c PRIMARY KEY); ALTER TABLE a DROP CONSTRAINT c", "a(x?)"},
		{"postgres", "CREATE TABLE a (x int); ALTER TABLE a RENAME TO b; ALTER TABLE b RENAME COLUMN x TO y; ALTER TABLE b ADD UNIQUE (y)", "b(y {y})"},
		{"postgres", "CREATE TABLE a (x int, y int); ALTER TABLE a DROP COLUMN x, ADD COLUMN z int NOT NULL", "a(y z!)"},
		{"mysql", "CREATE TABLE `a` (`x` int NOT NULL AUTO_INCREMENT, `key` varchar(9), PRIMARY KEY (`x`), UNIQUE KEY `k` (`key`)) ENGINE=InnoDB", "a(x! key {x} {key})"},
		{"mysql", "CREATE TABLE a (x int); ALTER TABLE a MODIFY x int NOT NULL", "a(x)"},
		{"sqlite", "CREATE TABLE a (x INTEGER PRIMARY KEY); CREATE TABLE b (x INT PRIMARY KEY); CREATE TABLE c (x TEXT PRIMARY KEY) WITHOUT ROWID", "a(x! {x}) b(x? {x}) c(x! {x})"},
		{"bigquery", "CREATE TABLE `p.d.a` (x INT64 NOT NULL, s STRUCT<x INT64, y ARRAY<STRING>>, t ARRAY<STRUCT<a INT64>>)", "a(x! s t)"},
		{"snowflake", "CREATE OR REPLACE TRANSIENT TABLE a (x NUMBER(38,0) NOT NULL UNIQUE) CLUSTER BY (x) COMMENT = 'x'", "a(x! {x})"},
		{"databricks", "CREATE TABLE a (x BIGINT NOT NULL COMMENT 'it\\'s', CONSTRAINT k PRIMARY KEY (x)) USING delta", "a(x! {x})"},
		{"tsql", "CREATE TABLE [dbo].[a] ([x] INT NOT NULL, CONSTRAINT [k] PRIMARY KEY CLUSTERED ([x] ASC))\nGO\nCREATE TABLE [dbo].[b] ([x] INT)", "a(x! {x}) b(x)"},
		{"tsql", "CREATE TABLE a (x INT) CREATE UNIQUE INDEX i ON a (x) CREATE TABLE b (y INT)", "a(x {x}) b(y)"},
		{"postgres", "CREATE TABLE a AS SELECT 1 AS x; CREATE TABLE b (x int)", "b(x)"},
		{"postgres", "The tables:\nCREATE TABLE a (x int);\n/* 3 rows */\n1, 2, drop it", "a(x)"},
		{"postgres", "INSERT INTO a VALUES ('CREATE TABLE b (x int)'); -- CREATE TABLE c (x int)\nCREATE TABLE d (x int)", "d(x)"},
		{"postgres", "CREATE TABLE a (x", "a(x)"},
		{"postgres", "", ""},
	} {
		if got := summary(ReadSchema(tt.ddl, DialectOf(tt.dialect))); got != tt.want {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.dialect, tt.ddl, got, tt.want)
		}
	}
}

// What may have changed any table makes nothing certain.
func TestReadSchemaDoubts(t *testing.T) {
	const table = "CREATE TABLE a (x int UNIQUE);"
	for rest, doubt := range map[string]bool{
		"": false, "SELECT 1": false, "INSERT INTO a VALUES (1)": false, "CREATE VIEW v AS SELECT x FROM a": false, "GRANT SELECT ON a TO r": false, "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$": false,
		"BEGIN; COMMIT": false, "BEGIN; ROLLBACK": true, "DO $$ BEGIN END $$": true, "CALL p()": true, "DROP SCHEMA s": true, "ALTER INDEX i RENAME TO j": true,
		"CREATE PROCEDURE p() BEGIN SELECT 1; END": true,
	} {
		if s := ReadSchema(table+rest, Postgres); (s.Doubt != "") != doubt {
			t.Errorf("%q: %q", rest, s.Doubt)
		}
	}
}

func FuzzReadSchema(f *testing.F) {
	for _, ddl := range []string{
		"CREATE TABLE a (x int PRIMARY KEY, CONSTRAINT c UNIQUE (x), FOREIGN KEY (x) REFERENCES a (x)); ALTER TABLE a DROP CONSTRAINT c, ADD (y int, z int), RENAME COLUMN x TO w", "CREATE TABLE (", "ALTER TABLE a ADD", "DROP TABLE a, b",
		"CREATE UNIQUE INDEX ON a (lower(x)) WHERE", "CREATE TABLE a (s STRUCT<x ARRAY<", "CREATE TABLE a (LIKE b) INHERITS (c); DROP INDEX", "ALTER TABLE a ALTER", "CREATE TABLE a (UNIQUE, CHECK (", "RENAME TABLE a TO b", "ALTER TABLE a RENAME",
	} {
		for d := Generic; d <= TSQL; d++ {
			f.Add("CREATE TABLE a (x int, y int);"+ddl, uint8(d))
		}
	}
	f.Fuzz(func(t *testing.T, ddl string, dialect uint8) {
		d := Dialect(dialect % uint8(TSQL+1))
		s := ReadSchema(ddl, d)
		for _, table := range s.Tables {
			for _, k := range table.Keys {
				if slices.ContainsFunc(k.Columns, func(c *ColumnDef) bool { return !slices.Contains(table.Columns, c) }) {
					t.Errorf("%s: %q: a key of a column that the table does not have", d, ddl)
				}
			}
		}
		if again := ReadSchema(ddl, d); summary(again) != summary(s) {
			t.Errorf("%s: %q: read differently the second time", d, ddl)
		}
		readings(ddl, d)
	})
}

// A schema of many tables is read in time that grows with its text.
func TestReadSchemaIsLinear(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "CREATE TABLE t%d (a int NOT NULL, b int); CREATE UNIQUE INDEX i%d ON t%d (a);\n", i, i, i)
	}
	if s := ReadSchema(b.String(), Postgres); len(s.Tables) != 20_000 || !s.Tables[19_999].Keys[0].Sure {
		t.Errorf("%d tables", len(s.Tables))
	}
}

// Two identifiers are alike where folding makes one of both.
func TestFoldAlike(t *testing.T) {
	texts := []string{"abc", "ABC", "Abc"}
	for d := Generic; d <= TSQL; d++ {
		for _, a := range texts {
			for _, b := range texts {
				for i := range 8 {
					x, y, table := Ident{Text: a, Quoted: i&1 > 0}, Ident{Text: b, Quoted: i&2 > 0}, i&4 > 0
					if got, want := d.foldAlike(x, y, table), d.Fold(x, table) == d.Fold(y, table); got != want {
						t.Errorf("%s: %v and %v, table %t: %t, want %t", d, x, y, table, got, want)
					}
				}
			}
		}
	}
}
