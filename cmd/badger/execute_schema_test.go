//go:build !no_duckdb && !no_postgres

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const undescribedCases = `{"case_id": "partner", "dialect": "%", "gold": {"sql": "SELECT count(*) AS n FROM client"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(*) AS n FROM client c JOIN district d ON d.id = c.district_id"}}
{"case_id": "grade", "dialect": "%", "gold": {"sql": "SELECT count(*) AS n FROM client"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(grade) AS n FROM client"}}
{"case_id": "name", "dialect": "%", "gold": {"sql": "SELECT count(*) AS n FROM district"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(name) AS n FROM district"}}
{"case_id": "region", "dialect": "%", "gold": {"sql": "SELECT DISTINCT region, country FROM town"}, "agent": {"name": "a", "version": "1", "sql": "SELECT region, max(country) AS country FROM town GROUP BY region"}}
{"case_id": "note", "dialect": "%", "gold": {"sql": "SELECT count(*) AS n FROM town WHERE note <> ''"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(note) AS n FROM town"}}
{"case_id": "stated", "dialect": "%", "schema_ddl": "CREATE TABLE district (id INT, name TEXT)", "gold": {"sql": "SELECT count(*) AS n FROM district"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(name) AS n FROM district"}}
`

// Without a schema tables are inferred. The warehouse tells that district.name is never NULL, and its
// statistics tell that client.grade is, and that client.district_id is not.
func TestRunReadsTheSchema(t *testing.T) {
	type found struct {
		Found     bool     `json:"found"`
		Realistic bool     `json:"realistic"`
		From      string   `json:"schema_from"`
		Breaks    []string `json:"breaks"`
	}
	onEngines(t, func(t *testing.T, url string) {
		statements := []string{
			"CREATE TABLE district (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL)", "INSERT INTO district VALUES (1, 'Jesenik'), (2, 'Tachov')",
			"CREATE TABLE client (id INT PRIMARY KEY, district_id INT REFERENCES district (id), grade VARCHAR(5))",
			"INSERT INTO client VALUES (1, 1, NULL), (2, 2, 'A'), (3, 1, 'B')",
			"CREATE TABLE town (id INT PRIMARY KEY, region VARCHAR(9), country VARCHAR(9), note VARCHAR(9))",
			"INSERT INTO town SELECT i, 'r' || (i % 6), 'c' || (i % 3), CASE WHEN i = 5 THEN '' ELSE 'n' || (i % 40) END FROM generate_series(1, 90) AS s(i)",
		}
		execute(t, url, statements...)
		dir := t.TempDir()
		cases := filepath.Join(dir, "cases.jsonl")
		if err := os.WriteFile(cases, []byte(strings.ReplaceAll(undescribedCases, "%", engineOf(url).name)), 0o600); err != nil {
			t.Fatal(err)
		}
		told, reads := "", reader(t, url)
		run := func(more ...string) map[string]found {
			t.Helper()
			path := filepath.Join(dir, "scores.jsonl")
			code, out, log := badger(t, append([]string{"run", "--cases", cases, "--metrics", "counterexample", "--no-to", "--scores", path, "--quiet", "--execute", reads, "--snapshots", filepath.Join(dir, "kept")}, more...)...)
			if code != exitDone {
				t.Fatalf("exit %d: %s%s", code, out, log)
			}
			told = log
			got := map[string]found{}
			for line := range strings.Lines(readFile(t, path)) {
				var s struct {
					CaseID string `json:"case_id"`
					Reason string `json:"reason"`
					Detail found  `json:"detail"`
				}
				if err := json.Unmarshal([]byte(line), &s); err != nil {
					t.Fatal(err)
				}
				if s.Detail.From == "" {
					t.Errorf("case %s: %s", s.CaseID, s.Reason)
				}
				got[s.CaseID] = s.Detail
			}
			return got
		}
		none, suggested, known := "", " (neither query tests for NULL)", " (the statistics of the warehouse)"
		for _, tc := range []struct {
			flags           []string
			from            string
			partner, grade  string // behind what breaks, empty if it is realistic
			nameIsRefutable bool
		}{
			{nil, "queries", suggested, suggested, true},
			{[]string{"--execute-schema"}, "warehouse", suggested, suggested, false},
			{[]string{"--execute-statistics"}, "warehouse", known, none, false},
			{[]string{"--execute-statistics", "--execute-kept"}, "warehouse", known, none, false},
		} {
			got := run(tc.flags...)
			for id, want := range map[string]string{"partner": tc.partner, "grade": tc.grade} {
				column := map[string]string{"partner": "client.district_id", "grade": "client.grade"}[id]
				g := got[id]
				if !g.Found || g.From != tc.from || g.Realistic != (want == none) || want != none && !slices.Contains(g.Breaks, column+" has no NULL"+want) {
					t.Errorf("%v, case %s: %+v, want a schema from %s, and what breaks to end with %q", tc.flags, id, g, tc.from, want)
				}
			}
			if g := got["name"]; g.Found != tc.nameIsRefutable {
				t.Errorf("%v: count(name) is told from count(*): %v, want %v", tc.flags, g.Found, tc.nameIsRefutable)
			}
			if tc.from == "warehouse" {
				region := slices.Contains(got["region"].Breaks, "every town.region has one country (the statistics of the warehouse)")
				if g := got["region"]; region != (tc.grade == none) || g.Realistic == region {
					t.Errorf("%v: %+v, want a dependency that the statistics show", tc.flags, g)
				}
				if g := got["note"]; !g.Found || g.Realistic != (tc.grade == none) {
					t.Errorf("%v: %+v, want an empty text that is realistic where the statistics show one", tc.flags, g)
				}
				if !strings.Contains(told, "cases that state schema_ddl: 1; of their tables ") {
					t.Errorf("%v: a stated schema is passed over without a word: %s", tc.flags, told)
				}
			}
			if g := got["stated"]; g.From != "case" || !g.Found {
				t.Errorf("%v: a schema that the case states is not used: %+v", tc.flags, g)
			}
		}
	})
}
