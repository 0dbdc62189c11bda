package drivertest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/drivertest"
)

var update = flag.Bool("update", false, "write the tables of values into the connectors' pages")

// What each connector's page says of types is the table that the connector is asked by.
func TestValuesOfThePages(t *testing.T) {
	const end = "\n<!-- end of the values -->\n"
	for name, dir := range map[string]string{"postgres": "postgres", "redshift": "postgres", "duckdb": "duckdb", "snowflake": "snowflake", "bigquery": "bigquery", "databricks": "databricks", "mysql": "mysql", "sqlserver": "sqlserver"} {
		begin := "<!-- values of " + name + " in drivertest/testdata/values.tsv; go test ./connectors/drivertest -update writes them -->\n\n"
		path := filepath.Join("..", dir, "README.md")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(page), begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Errorf("%s has no place for the values: expected\n%s%s", path, begin, end)
			continue
		}
		want := before + begin + drivertest.ValuesTable(name) + end + after
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a page
				t.Fatal(err)
			}
		} else if string(page) != want {
			t.Errorf("%s has other values than testdata/values.tsv: go test ./connectors/drivertest -update writes them", path)
		}
	}
}
