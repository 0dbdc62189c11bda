package databricks_test

import (
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/internal/errcode"
	badgersql "github.com/badger-eval/badger/sql"
)

// Against the Thrift server of Apache Spark, which is not Databricks but reads the same SQL and
// gives the same errors: README.md says how to start one. It sends results column by column, knows
// no parameters and no MERGE.
func TestSpark(t *testing.T) {
	url := os.Getenv("BADGER_SPARK_URL")
	if url == "" {
		t.Skip("BADGER_SPARK_URL is not set: expected databricks://127.0.0.1:PORT?protocol=http&http_path=/cliservice&token_env=NAME")
	}
	c := open(t, url, options)
	defer c.Close() //nolint:errcheck // nothing follows
	t.Run("values", func(t *testing.T) {
		s := start(t)
		s.Files, s.Columns = false, true
		own := open(t, s.URL(), options)
		defer own.Close() //nolint:errcheck // nothing follows
		for _, file := range []string{"booleans", "bytes", "dates", "decimals", "floats", "instants", "integers", "intervals", "lists", "texts", "nulls", "nul_bytes"} {
			query := drivertest.TypeQuery("databricks", file)
			got, err := show(c.Query(ctx, query))
			want, err2 := show(own.Query(ctx, query))
			if err != nil || err2 != nil || got != want {
				t.Errorf("%s: Spark gives\n%s%v\nthe server for tests\n%s%v", file, got, err, want, err2)
			}
		}
	})
	t.Run("errors", func(t *testing.T) {
		for query, want := range map[string]errcode.Code{
			"SELECT 'hunter2' FROM nothing_here": errcode.NotFound, "SELECT no_such_column, 'hunter2'": errcode.InvalidArgument, "SELECT no_such_function('hunter2')": errcode.NotFound, "SELEC 'hunter2'": errcode.InvalidArgument,
			"SELECT CAST('hunter2' AS INT)": errcode.InvalidArgument, "SELECT ?": errcode.InvalidArgument, "SELECT from_json('[hunter2', 'ARRAY<STRING>', map('mode', 'FAILFAST'))": errcode.InvalidArgument,
		} {
			_, err := show(c.Query(ctx, query))
			if c.ErrorCode(err) != want || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v (%v), want %v and no value", query, err, c.ErrorCode(err), want)
			}
		}
	})
	t.Run("the statements that write", func(t *testing.T) {
		const rows = `from_json('[["a","1"],["b",null],["b","3"]]', `
		for _, sql := range []string{
			"DROP TABLE IF EXISTS badger_t", "DROP TABLE IF EXISTS badger_s", "CREATE TABLE badger_t (k STRING, n BIGINT) USING parquet", "CREATE TABLE IF NOT EXISTS badger_s (n BIGINT, r ARRAY<STRING>) COMMENT 'rows'",
			"INSERT INTO badger_s (n, r) SELECT s.n + 10, s.r FROM (" + strings.Replace(databricks.Exploded, "from_json(?, ", rows, 1) + ") AS s",
			databricks.MergeStatement("`badger_t`", nil, "SELECT n, r FROM badger_s"),
		} {
			if err := c.Exec(ctx, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		if got, err := show(c.Query(ctx, "SELECT k, n FROM badger_t ORDER BY k, n")); err != nil || got != "\"k\" STRING: \"a\"|\"b\"|\"b\"\n\"n\" INT64: 1|NULL|3\n" {
			t.Errorf("%s, %v", got, err)
		}
		// Spark reads and analyses MERGE, and then says that its tables do not take it.
		plan, err := show(c.Query(ctx, "EXPLAIN "+databricks.MergeStatement("`badger_t`", []string{"k"}, "SELECT n, r FROM badger_s")))
		if err != nil || !strings.Contains(plan, "MERGE INTO TABLE is not supported") {
			t.Errorf("MERGE: %s, %v", plan, err)
		}
	})
	t.Run("badger's tables and views", func(t *testing.T) {
		tables := badgersql.Create(databricks.Dialect)
		for range 2 {
			for _, sql := range tables {
				if err := c.Exec(ctx, sql); err != nil {
					t.Errorf("%.90s…: %v", sql, err)
				}
			}
		}
		for _, view := range badgersql.Views {
			if _, err := show(c.Query(ctx, "SELECT * FROM badger."+view.Name)); err != nil {
				t.Errorf("%s: %v", view.Name, err)
			}
		}
	})
	t.Run("a large result", func(t *testing.T) {
		r, err := c.Query(ctx, "SELECT id AS i FROM range(100000) ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
		}
		if r.Err() != nil || n != 100_000 {
			t.Errorf("%d rows, %v", n, r.Err())
		}
	})
}
