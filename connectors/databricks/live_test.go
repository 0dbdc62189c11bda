package databricks_test

import (
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
)

// The suite against a live workspace: BADGER_DATABRICKS_URL=databricks://HOST/CATALOG?http_path=…&…
// Each test makes a schema of its own in that catalog and drops it. A few minutes of the smallest
// warehouse are used.
func TestLive(t *testing.T) {
	raw := os.Getenv("BADGER_DATABRICKS_URL")
	if raw == "" {
		t.Skip("BADGER_DATABRICKS_URL is not set: expected databricks://HOST/CATALOG?http_path=/sql/1.0/warehouses/ID and how to sign in")
	}
	fresh := func(t *testing.T) string {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal("BADGER_DATABRICKS_URL is no URL")
		}
		catalog, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
		if catalog == "" {
			t.Fatal("BADGER_DATABRICKS_URL names no catalog")
		}
		name := "`" + catalog + "`.badger_test_" + strings.ToLower(rand.Text())
		admin := open(t, raw, driver.Options{})
		if err := admin.Exec(ctx, "CREATE SCHEMA "+name); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := admin.Exec(ctx, "DROP SCHEMA "+name+" CASCADE"); err != nil {
				t.Errorf("the schema %s stays: %v", name, err)
			}
			admin.Close() //nolint:errcheck // the schema counts
		})
		u.Path = "/" + catalog + "/" + name[strings.LastIndexByte(name, '.')+1:]
		q := u.Query()
		q.Set("conf.TIMEZONE", "UTC")
		u.RawQuery = q.Encode()
		return u.String()
	}
	h := harness(fresh)
	h.Slow = "SELECT a.id AS i, sqrt(a.id * b.id) AS r FROM range(1000000000) AS a CROSS JOIN range(1000000) AS b"
	h.Spelled = map[string]string{ // Unity Catalog takes neither points nor blanks in names
		`CREATE TABLE "odd . ""name" AS SELECT 2 AS a`: "", `table:"odd . ""name"`: "",
	}
	drivertest.Run(t, h)

	t.Run("a table as it was", func(t *testing.T) {
		c := open(t, fresh(t), options)
		defer c.Close() //nolint:errcheck // nothing follows
		for _, sql := range []string{"CREATE TABLE t AS SELECT 1 AS a", "UPDATE t SET a = 2"} {
			if err := c.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		for ref, want := range map[string]string{"table:t": "2", "table:t@0": "1", "table:t@1": "2"} {
			if got, err := snapshot(c, ref); err != nil || !strings.HasSuffix(got, ": "+want+"\n") {
				t.Errorf("%s: %s, %v, want %s", ref, got, err, want)
			}
		}
	})
	t.Run("results by statement id", func(t *testing.T) {
		c := open(t, fresh(t), options)
		defer c.Close() //nolint:errcheck // nothing follows
		for _, file := range []string{"booleans", "bytes", "decimals", "floats", "integers", "intervals", "texts", "timestamps", "nulls"} {
			query := drivertest.TypeQuery("databricks", file)
			want, err := show(c.Query(ctx, query))
			if err != nil {
				t.Fatal(err)
			}
			for _, how := range [][2]string{{"JSON_ARRAY", "INLINE"}, {"JSON_ARRAY", "EXTERNAL_LINKS"}, {"ARROW_STREAM", "EXTERNAL_LINKS"}} {
				id, err := databricks.Submit(ctx, c, query, how[0], how[1])
				if err != nil {
					t.Fatal(err)
				}
				if got, err := snapshot(c, "query:"+id); err != nil || got != want {
					t.Errorf("%s as %s: %s%v, want %s", file, how, got, err, want)
				}
			}
		}
	})
	t.Run("values", func(t *testing.T) {
		c := open(t, fresh(t), options)
		defer c.Close() //nolint:errcheck // nothing follows
		drivertest.TestValues(t, "databricks", c, nil)
	})
}
