//go:build !no_duckdb && !no_postgres

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A question without an answer is counted alike by the run, by reports of it, in its exports and by
// the view, and stays so when the golden set changes; an answer that comes later takes its place.
func TestQuestionsWithoutAnAnswer(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		three := "(SELECT i FROM generate_series(1, 3) g(i)) g"
		execute(t, url, "CREATE SCHEMA badger", fmt.Sprintf(ownGolden, "'c' || i", "(SELECT i FROM generate_series(1, 5) g(i)) g"), fmt.Sprintf(ownRuns, "'c' || i", "i", three))
		dir := t.TempDir()
		metrics := []string{"ex_bird", "relation"}
		coverage := func(what, out string, asked, scored, unanswered int) {
			t.Helper()
			f := figuresOf(t, out)
			for _, m := range metrics {
				if c := f.rate(m).Coverage; c.Asked != asked || c.Scored != scored || c.Unanswered != unanswered {
					t.Errorf("%s, %s: %+v, want %d asked, %d scored, %d unanswered", what, m, c, asked, scored, unanswered)
				}
			}
		}
		view := func(want string) {
			t.Helper()
			got := ask(t, url, "SELECT asked, scored, unanswered FROM badger.coverage ORDER BY metric")
			if want = strings.Repeat(want+"\n", 2); got != want {
				t.Errorf("the view says\n%swant\n%s", got, want)
			}
		}
		forms := func(of string) []string {
			var flags []string
			for _, f := range []string{"junit", "csv", "jsonl", "sarif"} {
				flags = append(flags, "--"+f, filepath.Join(dir, of+"."+f))
			}
			return flags
		}
		of := []string{"--source", url, "--metrics", strings.Join(metrics, ","), "--json", "--quiet"}
		out, log := must(t, append(append([]string{"run", "--run-id", "r"}, of...), forms("run")...)...)
		coverage("run", out, 5, 3, 2)
		if !strings.Contains(log, "3 answers scored") {
			t.Errorf("the run says\n%s", log)
		}
		view("5 3 2")
		execute(t, url, "INSERT INTO badger.golden_set (case_id, question, gold_result, set_version) SELECT 'later', question, gold_result, set_version FROM badger.golden_set WHERE case_id = 'c1'")
		report, _ := must(t, append([]string{"report", "--db", url, "--run", "r", "--json", "--quiet"}, forms("report")...)...)
		coverage("report", report, 5, 3, 2)
		view("5 3 2")
		for _, f := range []string{"junit", "csv", "jsonl", "sarif"} {
			a, errA := os.ReadFile(filepath.Join(dir, "run."+f))
			b, errB := os.ReadFile(filepath.Join(dir, "report."+f))
			if want := map[string]int{"junit": 5, "csv": 6, "jsonl": 5, "sarif": 0}[f]; want > 0 && (count(f, a) != want || count(f, b) != want) || errA != nil || errB != nil {
				t.Errorf("%s: %d of the run, %d of the report, want %d (%v, %v)", f, count(f, a), count(f, b), want, errA, errB)
			}
			for _, text := range [][]byte{a, b} {
				if !strings.Contains(string(text), "the agent gave no answer") {
					t.Errorf("%s does not say that there is no answer:\n%s", f, text)
				}
			}
		}
		if out, _ := must(t, "explain", "--db", url, "--run", "r", "--case", "c5"); !strings.Contains(out, "the agent gave no answer") {
			t.Errorf("explain says\n%s", out)
		}
		execute(t, url, "DELETE FROM badger.golden_set WHERE case_id = 'later'", "INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, result) SELECT agent_name, agent_version, batch_id, 'c4', result FROM badger.agent_runs WHERE case_id = 'c1'")
		out, _ = must(t, append([]string{"run", "--resume", "r"}, of...)...)
		coverage("resumed", out, 5, 4, 1)
		view("5 4 1")
	})
}

// count is how many answers, or scores, an export holds.
func count(form string, text []byte) int {
	if form == "junit" {
		return strings.Count(string(text), "<testcase ")
	}
	return strings.Count(string(text), "\n")
}
