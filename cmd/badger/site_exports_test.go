//go:build !no_duckdb && !no_postgres

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// What the web report gives out of a whole run is what the command writes of it, byte by byte, also of a
// run that is not done and with masked columns.
func TestExportsOfTheWebReport(t *testing.T) {
	db := ownDemo(t, t.TempDir())
	execute(t, db, "UPDATE badger.eval_runs SET status = 'stopped' WHERE eval_run_id = 'demo-atlas-1.0'")
	for _, tc := range []struct {
		run  string
		mask []string
	}{{"demo-atlas-2.0", nil}, {"demo-atlas-1.0", []string{"email"}}} {
		dir := t.TempDir()
		file := func(form string) string { return filepath.Join(dir, form) }
		forms := []string{"csv", "jsonl", "junit", "sarif", "markdown"}
		args := []string{"report", "--db", db, "--run", tc.run, "--quiet"}
		for _, form := range forms {
			args = append(args, "--"+form, file(form))
		}
		for _, c := range tc.mask {
			args = append(args, "--mask", c)
		}
		must(t, args...)
		w, err := openWarehouse(t.Context(), db, readOnly)
		if err != nil {
			t.Fatal(err)
		}
		s, err := site.New(site.Options{Warehouse: w, Version: version(), Metrics: metric.All(), Masked: tc.mask})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := w.Runs(t.Context(), tc.run)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, form := range forms {
			v := store.RunValues(rows[0].RunID)
			v.Set("format", form)
			v.Set("mode", "all")
			r := httptest.NewRequest(http.MethodGet, "/export?"+v.Encode(), nil)
			r = r.WithContext(identity.With(r.Context(), identity.Caller{Name: "kim", Roles: []identity.Role{identity.Read}}))
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			if want := readText(t, file(form)); rec.Code != http.StatusOK || rec.Body.String() != want {
				t.Errorf("%s of %s: %d, %d bytes, the command writes %d%s", form, tc.run, rec.Code, rec.Body.Len(), len(want), firstDifference(rec.Body.String(), want))
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// firstDifference shows where two texts part.
func firstDifference(a, b string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "\n" + a[max(0, i-80):min(len(a), i+80)] + "\n" + b[max(0, i-80):min(len(b), i+80)]
		}
	}
	return ""
}

// Results of SARIF that are read from a database name the lines of the case file where that is told. GitHub
// takes no file with a result that lacks them, so that the command says so.
func TestPlacesOfSARIF(t *testing.T) {
	db := demoDatabase(t)
	dir := t.TempDir()
	t.Chdir(dir)
	out, _ := must(t, "report", "--db", db, "--run", "demo-atlas-2.0", "--sarif", "-")
	var doc struct {
		Runs []struct {
			Results []struct {
				Locations []struct {
					PhysicalLocation *struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
					LogicalLocations []struct{ Name, Kind string }
				}
			}
		}
	}
	read := func(out string) {
		t.Helper()
		doc.Runs = nil
		if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Runs) != 1 || len(doc.Runs[0].Results) == 0 {
			t.Fatalf("%v\n%.300s", err, out)
		}
	}
	read(out)
	var lines []string
	for _, r := range doc.Runs[0].Results {
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation != nil || len(r.Locations[0].LogicalLocations) != 1 || r.Locations[0].LogicalLocations[0].Kind != "case" {
			t.Fatalf("without a file: %+v", r)
		}
		id := r.Locations[0].LogicalLocations[0].Name
		lines = append(lines, `{"case_id": "other-`+id+`"}`, `{"case_id": "`+id+`"}`)
	}
	if err := os.WriteFile("my cases.jsonl", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, log := must(t, "report", "--db", db, "--run", "demo-atlas-2.0", "--sarif", "a.sarif")
	if !strings.Contains(log, "--case-file") {
		t.Errorf("the command does not say that no file is named: %s", log)
	}
	out, log = must(t, "report", "--db", db, "--run", "demo-atlas-2.0", "--sarif", "-", "--case-file", "my cases.jsonl")
	if strings.Contains(log, "--case-file") {
		t.Errorf("all have a place: %s", log)
	}
	read(out)
	for i, r := range doc.Runs[0].Results {
		p := r.Locations[0].PhysicalLocation
		if p == nil || p.Region.StartLine != 2*i+2 {
			t.Fatalf("result %d: %+v, want line %d", i, p, 2*i+2)
		}
		if u, err := url.Parse(p.ArtifactLocation.URI); err != nil || u.IsAbs() || u.Path != "my cases.jsonl" {
			t.Errorf("result %d: %q, %v, want a relative address of the file", i, p.ArtifactLocation.URI, err)
		}
	}
	for _, wrong := range [][]string{{"--case-file", "my cases.jsonl"}, {"--sarif", "-", "--case-file", "none.jsonl"}} {
		if code, _, _ := badger(t, append([]string{"report", "--db", db}, wrong...)...); code != exitUsage {
			t.Errorf("%v: exit code %d, want that of wrong flags", wrong, code)
		}
	}
}

// ownDemo is the URL of a copy of the demonstration's database in a directory, which may be changed.
func ownDemo(t *testing.T, dir string) string {
	t.Helper()
	demo, _, _ := strings.Cut(strings.TrimPrefix(demoDatabase(t), "duckdb:"), "?")
	own := filepath.Join(dir, "own.duckdb")
	if err := os.WriteFile(own, []byte(readText(t, demo)), 0o600); err != nil {
		t.Fatal(err)
	}
	return "duckdb:" + own
}

// A run and a report of it write the same files: cases in one order, the scores and columns of each by
// metric, whatever the order in which metrics were asked for.
func TestRunAndReportWriteTheSame(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	db := ownDemo(t, dir)
	forms := []string{"csv", "jsonl", "junit", "sarif"}
	of := func(what string, args ...string) {
		for _, f := range forms {
			args = append(args, "--"+f, file(what+"."+f))
		}
		must(t, append(args, "--quiet")...)
	}
	of("run", "run", "--source", db, "--run-id", "again", "--metrics", "relation,soft_f1_bird,hybrid_ex,ex_bird,sql_complexity", "--agent-version", "2.0")
	of("report", "report", "--db", db, "--run", "again")
	for _, f := range forms {
		run, report := readText(t, file("run."+f)), readText(t, file("report."+f))
		if run != report {
			t.Errorf("%s differs:%s", f, firstDifference(run, report))
		}
	}
	for line := range strings.Lines(readText(t, file("run.jsonl"))) {
		var a struct{ Scores []struct{ Metric string } }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range a.Scores {
			names = append(names, s.Metric)
		}
		if !slices.IsSorted(names) || len(names) != 5 {
			t.Fatalf("scores in the order %v", names)
		}
	}
}

// Answers that are missing or cannot be read have their question, tags and class in the exports of a run
// as in those of a report, and count among their tags; so have tags that cannot be read.
func TestRunAndReportKnowTheSameQuestions(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	db := ownDemo(t, dir)
	execute(t, db,
		"UPDATE badger.golden_set SET tags = '[5]' WHERE case_id = 'bank-04'",
		"DELETE FROM badger.agent_runs WHERE case_id IN ('bank-02', 'bank-04')",
		"UPDATE badger.agent_runs SET tool_calls = '5' WHERE case_id IN ('bank-03', 'retail-03')")
	forms := []string{"csv", "jsonl", "junit", "sarif", "markdown"}
	of := func(what string, args ...string) string {
		for _, f := range forms {
			args = append(args, "--"+f, file(what+"."+f))
		}
		ends := must
		if what == "run" {
			ends = lossy
		}
		ends(t, append(args, "--quiet", "--agent-version", "2.0")...)
		return what
	}
	of("run", "run", "--source", db, "--run-id", "again", "--metrics", "relation,hybrid_ex,sql_complexity")
	of("report", "report", "--db", db, "--run", "again")
	for _, f := range forms {
		run, report := inOrder(t, f, readText(t, file("run."+f))), inOrder(t, f, readText(t, file("report."+f)))
		if run != report { // a run writes what is missing last
			t.Errorf("%s differs:%s", f, firstDifference(run, report))
		}
	}
	type answer struct {
		CaseID                  string `json:"case_id"`
		Question, Tier, Outcome string
		Tags                    []string
		Torn                    string `json:"unreadable_tags"`
	}
	answers := map[string]answer{}
	for line := range strings.Lines(readText(t, file("run.jsonl"))) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		answers[a.CaseID] = a
	}
	for id, outcome := range map[string]string{"bank-02": "unanswered", "bank-04": "unanswered", "bank-03": "error", "retail-03": "error"} {
		a := answers[id]
		if a.Outcome != outcome || a.Question == "" || a.Tier == "" || (a.Tags == nil) != (id == "bank-04") || (a.Torn == "[5]") != (id == "bank-04") {
			t.Errorf("%s: %+v, want %s with its question, tags and tier", id, a, outcome)
		}
	}
	figures := func(args ...string) string {
		_, out, _ := badger(t, append(args, "--json", "--quiet", "--agent-version", "2.0")...)
		return out
	}
	run, report := figures("run", "--source", db, "--run-id", "once more", "--metrics", "relation,hybrid_ex,sql_complexity"), figures("report", "--db", db, "--run", "once more")
	if run != report {
		t.Errorf("the figures of a run and its report differ:%s", firstDifference(run, report))
	}
	var said struct {
		Tags []struct{ Name string } `json:"tags"`
		Torn struct {
			Cases int
			First []string `json:"first_case_ids"`
		} `json:"unreadable_tags"`
	}
	if err := json.Unmarshal([]byte(run), &said); err != nil || said.Torn.Cases != 1 || !slices.Equal(said.Torn.First, []string{"bank-04"}) {
		t.Errorf("unreadable tags in the figures: %+v, %v", said.Torn, err)
	}
	for _, tag := range said.Tags {
		if strings.Contains(tag.Name, "read") || tag.Name == "" {
			t.Errorf("a tag is called %q", tag.Name)
		}
	}
}

// inOrder is an export with its lines, or the results of SARIF, sorted.
func inOrder(t *testing.T, form, text string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	if form == "sarif" {
		var doc struct {
			Runs []struct{ Results []map[string]any }
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		lines = nil
		for _, r := range doc.Runs[0].Results {
			delete(r, "ruleIndex") // of rules in the order in which they were met
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
