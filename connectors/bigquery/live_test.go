package bigquery_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
)

// The suite against a project of Google's: BADGER_BIGQUERY_PROJECT, with options of the URL in
// BADGER_BIGQUERY_OPTIONS.
func TestLive(t *testing.T) {
	project := os.Getenv("BADGER_BIGQUERY_PROJECT")
	if project == "" {
		t.Skip("BADGER_BIGQUERY_PROJECT is not set to a project that tests may make datasets in")
	}
	options := os.Getenv("BADGER_BIGQUERY_OPTIONS")
	n := 0
	openAt := func(t *testing.T, o driver.Options, more string) driver.Conn {
		t.Helper()
		n++
		dataset := fmt.Sprintf("badger_test_%d_%d", time.Now().UnixNano(), n)
		url := func(path string) string {
			return "bigquery://" + project + path + "?" + strings.Trim(options+"&"+more, "&")
		}
		owner, _, err := bigquery.Open(context.Background(), url(""), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := owner.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+dataset+" CASCADE"); err != nil {
				t.Errorf("dataset %s is left behind: %v", dataset, err)
			}
			owner.Close() //nolint:errcheck // the test's end
		})
		if err := owner.Exec(context.Background(), "CREATE SCHEMA "+dataset+" OPTIONS (default_table_expiration_days = 1)"); err != nil {
			t.Fatal(err)
		}
		if o.ReadOnly {
			if err := owner.Exec(context.Background(), "CREATE TABLE "+dataset+".present AS SELECT 1 AS a"); err != nil {
				t.Fatal(err)
			}
		}
		c, _, err := bigquery.Open(context.Background(), url("/"+dataset), o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// Other schemas than the dataset would be those of the project.
	live := map[string]string{"CREATE SCHEMA s": "", "CREATE TABLE s.t AS SELECT 1 AS a": "", "table:s.t": ""}
	for text, own := range spelled {
		live[text] = own
	}
	for name, more := range map[string]string{"Storage": "storage=on", "REST": "storage=off"} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, drivertest.Harness{
				Name: "bigquery", Dialect: bigquery.Dialect, Features: bigquery.Features, Spelled: live, Skip: gaps,
				Open: func(t *testing.T, mem memory.Allocator) driver.Conn { return openAt(t, driver.Options{Mem: mem}, more) },
				OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
					return openAt(t, driver.Options{Mem: mem, ReadOnly: true}, more)
				},
				Slow: "SELECT a * 1000000 + b AS i, SQRT(a * b) AS r FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS a, UNNEST(GENERATE_ARRAY(1, 10000)) AS b",
			})
			c := openAt(t, driver.Options{}, more)
			defer c.Close() //nolint:errcheck // the test's end
			drivertest.TestValues(t, "bigquery", c, nil)
		})
	}
}
