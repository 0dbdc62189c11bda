//go:build !no_duckdb && !no_postgres

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A report of a run that was killed says so in the forms that machines read.
func TestReportOfARunThatIsNotDone(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		two := "(SELECT i FROM generate_series(1, 2) g(i)) g"
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", two), fmt.Sprintf(ownRuns, "'c' || i", "i", two))
		out, _ := must(t, "run", "--source", url, "--run-id", "r", "--metrics", "ex_bird", "--json", "--quiet")
		for _, status := range []string{"done", "running"} {
			var doc struct {
				Status string `json:"run_status"`
			}
			if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Status != status {
				t.Errorf("%v: the status is %q, want %q", err, doc.Status, status)
			}
			execute(t, url, "UPDATE badger.eval_runs SET status = 'running'")
			out, _ = must(t, "report", "--db", url, "--run", "r", "--json", "--quiet")
		}
		if out, _ = must(t, "report", "--db", url, "--run", "r", "--quiet", "--junit", "-"); !strings.Contains(out, `<property name="run_status" value="running"/>`) {
			t.Errorf("%s", out)
		}
	})
}
