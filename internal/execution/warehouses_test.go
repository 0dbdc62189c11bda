//go:build !no_duckdb && !no_snowflake && !no_bigquery && !no_databricks

package execution_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/sql/store"
)

// The warehouses in the cloud, as their test servers stand for them: queries run, and what writes is
// refused before it is sent, and by the connection too.
func TestWarehousesOnlyRead(t *testing.T) {
	t.Setenv("BADGER_TEST_PASSWORD", "swordfish")
	for name, open := range map[string]func(t *testing.T) *store.Store{
		"snowflake": func(t *testing.T) *store.Store {
			s := fakesnowflake.New(t)
			c, d, err := snowflake.Open(t.Context(), "snowflake://tester@acme/DEMO/PUBLIC?warehouse=W&password_env=BADGER_TEST_PASSWORD&retries=2&"+s.Options(), driver.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			return store.New(connectors.New(c, d))
		},
		"bigquery": func(t *testing.T) *store.Store {
			c, d, err := bigquery.Open(t.Context(), fakebigquery.Start(t).URL(), driver.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			return store.New(connectors.New(c, d))
		},
		"databricks": func(t *testing.T) *store.Store {
			c, d, err := databricks.Open(t.Context(), fakedatabricks.New(t).URL(), driver.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			return store.New(connectors.New(c, d))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner := open(t)
			defer inner.Close()
			w := &counted{Warehouse: inner}
			e := executor(w)
			c := caseOf("SELECT 1 AS n UNION ALL SELECT 2", "SELECT count(*) AS n FROM (SELECT 1 AS x) t")
			if err := e.Fill(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if g, p := c.Golds[0].Result, c.Pred.Result; g.Table == nil || g.Table.Rows() != 2 || p.Table == nil || p.Table.Columns[0].Value(0).String() != "1" {
				t.Errorf("gold %v %s, agent %v %s", g.Err, c.Golds[0].Error, p.Err, c.Pred.Error)
			}
			sent := len(w.queries)
			for _, sql := range []string{"DELETE FROM t WHERE TRUE", "DROP TABLE t", "CREATE TABLE u AS SELECT 1", "SELECT 1; DROP TABLE t", "CALL p()", "MERGE INTO t USING u ON TRUE WHEN MATCHED THEN DELETE", "EXECUTE IMMEDIATE 'DROP TABLE t'"} {
				c := caseOf("SELECT 1 AS n UNION ALL SELECT 2", sql)
				if err := e.Fill(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if c.Pred.Error == "" || !strings.Contains(c.Pred.Error, "was not run") {
					t.Errorf("%q: %q %v", sql, c.Pred.Error, c.Pred.Result.Err)
				}
				if _, err := inner.QueryWithin(t.Context(), 10, 1<<20, sql); err == nil {
					t.Errorf("%q: the connection runs it", sql)
				}
			}
			if len(w.queries) != sent {
				t.Errorf("sent: %q", w.queries[sent:])
			}
		})
	}
}
