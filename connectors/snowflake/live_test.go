package snowflake_test

import (
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
)

// The suite against a live account:
// BADGER_SNOWFLAKE_URL=snowflake://USER@ACCOUNT/DATABASE?warehouse=W&… Each test makes a schema of
// its own in that database and drops it. A few credits of the smallest warehouse are used.
func TestLive(t *testing.T) {
	raw := os.Getenv("BADGER_SNOWFLAKE_URL")
	if raw == "" {
		t.Skip("BADGER_SNOWFLAKE_URL is not set: expected snowflake://USER@ACCOUNT/DATABASE?warehouse=W and how to sign in")
	}
	fresh := func(t *testing.T) string {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal("BADGER_SNOWFLAKE_URL is no URL")
		}
		database, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
		if database == "" {
			t.Fatal("BADGER_SNOWFLAKE_URL names no database")
		}
		schema := "BADGER_TEST_" + rand.Text()
		admin := open(t, raw, driver.Options{})
		if err := admin.Exec(ctx, "CREATE SCHEMA "+database+"."+schema); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := admin.Exec(ctx, "DROP SCHEMA "+database+"."+schema+" CASCADE"); err != nil {
				t.Errorf("the schema %s stays: %v", schema, err)
			}
			admin.Close()
		})
		u.Path = "/" + database + "/" + schema
		return u.String()
	}
	h := harness(fresh)
	h.Slow = "SELECT SEQ8() AS i, RANDSTR(20, RANDOM()) AS s FROM TABLE(GENERATOR(ROWCOUNT => 30000000))"
	drivertest.Run(t, h)

	t.Run("a result by its id, and a table as it was", func(t *testing.T) {
		c := open(t, fresh(t), driver.Options{})
		defer c.Close()
		mustExec(t, c.Conn, "CREATE TABLE t AS SELECT 1 AS a")
		if _, err := show(c.Query(ctx, "SELECT a + 41 AS a FROM t")); err != nil {
			t.Fatal(err)
		}
		id, err := c.QueryText(ctx, "SELECT query_id FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY_BY_USER(RESULT_LIMIT => 100)) WHERE query_text = 'SELECT a + 41 AS a FROM t' ORDER BY start_time DESC LIMIT 1")
		if err != nil {
			t.Fatal(err)
		}
		mustExec(t, c.Conn, "UPDATE t SET a = 2")
		for ref, want := range map[string]string{"query:" + id: "42", "table:t": "2", "table:t@before:" + id: "1", "table:t@" + id: "1"} {
			parsed, err := driver.ParseRef(ref)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := show(c.ReadSnapshot(ctx, parsed)); err != nil || !strings.HasSuffix(got, ": "+want+"\n") {
				t.Errorf("%s: %s, %v, want %s", ref, got, err, want)
			}
		}
	})
	t.Run("values", func(t *testing.T) {
		c := open(t, fresh(t), driver.Options{})
		defer c.Close()
		drivertest.TestValues(t, "snowflake", c, nil)
	})
}
