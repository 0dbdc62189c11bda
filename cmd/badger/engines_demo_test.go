//go:build !no_duckdb && !no_postgres

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that reads badger's tables gives on every engine what it gives on the embedded one.
func TestEnginesGiveTheSameFigures(t *testing.T) {
	outputs := map[string]map[string]string{}
	judge := filepath.Join("..", "..", "examples", "judges", "response_format", "response_format.star")
	views := []string{
		"SELECT agent_name, agent_version, batch_id, case_id, metric, metric_version, status, value, label, passed, reason, run_status FROM badger.latest_scores ORDER BY 3, 4, 5",
		"SELECT case_id, agent_name, batch_id, passes, agent_version FROM badger.consensus ORDER BY 5, 1",
		"SELECT case_id, tier FROM badger.complexity ORDER BY 1",
		"SELECT agent_version, metric, tier, scored, ROUND(CAST(mean_value * 1000000 AS NUMERIC), 0), unfinished FROM badger.versions_by_metric ORDER BY 1, 2, 3",
		"SELECT metric, labelled, true_pass, false_pass, true_fail, false_fail, CAST(ROUND(CAST(kappa * 1000000 AS NUMERIC), 0) AS BIGINT) FROM badger.agreement ORDER BY 1",
	}
	onAllEngines(t, func(t *testing.T, url string) {
		withDemo(t, url)
		out := map[string]string{}
		outputs[t.Name()] = out
		out["run"], _ = must(t, "run", "--source", url, "--run-id", "r1", "--json", "--quiet")
		out["calibrate"], _ = must(t, "calibrate", "--source", url, "--json", "--resamples", "50")
		out["policy"], _ = must(t, "policy", "--answer", url, "--json")
		out["judge test"], _ = must(t, "judge", "test", judge, "--source", url, "--json")
		out["resumed"], _ = must(t, "run", "--source", url, "--resume", "r1", "--json", "--quiet")
		same(t, "a run that is resumed at its end", out["run"], out["resumed"])
		for i, view := range views {
			out[fmt.Sprint("view ", i)] = ask(t, url, view)
		}
	})
	want := outputs["TestEnginesGiveTheSameFigures/duckdb"]
	for name, got := range outputs {
		for what := range want {
			if strings.Count(want[what], "\n") < 10 {
				t.Errorf("%s has almost no output: %s", what, want[what])
			}
			same(t, name+": "+what, want[what], got[what])
		}
	}
}
