package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// Packages of the module that this command is made of, and whom they never import, directly or by way
// of others. A name stands for the packages below it, too. docs/design.md draws the layers and says why.
var neverImports = map[string][]string{
	"internal/errcode":      {"internal", "connectors", "scoring", "sql", "udf", "judgebackend", "deploy"},
	"internal/printable":    {"internal", "connectors", "scoring", "sql", "udf", "judgebackend", "deploy"},
	"scoring":               {"connectors", "sql", "udf", "deploy", "internal/report"},
	"connectors":            {"udf", "deploy", "internal/report", "internal/evaluation", "internal/site"},
	"udf":                   {"connectors", "deploy", "internal/report", "internal/evaluation"},
	"internal/config":       {"connectors/duckdb", "udf", "sql", "deploy", "internal/report", "internal/evaluation", "internal/hosting"},
	"internal/gate":         {"connectors", "scoring", "sql", "udf", "judgebackend", "deploy", "internal/report", "internal/calibration", "internal/analysis"},
	"internal/calibration":  {"connectors", "udf", "sql", "deploy", "internal/report", "internal/evaluation"},
	"internal/judgetrial":   {"connectors", "udf", "sql", "deploy", "internal/report", "internal/evaluation", "internal/casesource"},
	"internal/policytable":  {"connectors", "udf", "sql", "deploy", "internal/report", "internal/evaluation", "internal/casesource"},
	"internal/onecase":      {"udf", "deploy", "internal/report", "internal/export", "internal/evaluation", "internal/site", "connectors/duckdb", "connectors/postgres"},
	"internal/analysis":     {"connectors", "udf", "sql", "deploy", "internal/report"},
	"internal/batch":        {"connectors", "udf", "sql", "deploy", "internal/report", "internal/export"},
	"internal/casesource":   {"udf", "deploy", "internal/report", "internal/export", "internal/evaluation"},
	"internal/execution":    {"udf", "deploy", "internal/report", "internal/export", "internal/evaluation", "internal/casesource"},
	"internal/storedscores": {"udf", "deploy", "internal/report", "internal/export", "internal/evaluation", "internal/site"},
	"internal/report":       {"udf", "deploy", "internal/export", "internal/evaluation", "internal/site"},
	"internal/export":       {"udf", "deploy", "internal/evaluation", "internal/site"},
	"internal/evaluation":   {"udf", "deploy", "internal/site", "internal/hosting", "connectors/duckdb", "connectors/postgres", "connectors/snowflake", "connectors/bigquery", "connectors/databricks"},
	"internal/judging":      {"deploy", "sql/install", "internal/hosting", "internal/site", "connectors/duckdb", "connectors/postgres", "connectors/snowflake", "connectors/bigquery", "connectors/databricks"},
	"internal/hosting":      {"deploy", "internal/report", "internal/evaluation", "internal/site", "connectors/duckdb", "connectors/postgres"},
	"deploy/place":          {"internal/site", "sql/install", "connectors/duckdb", "connectors/postgres", "connectors/snowflake", "connectors/bigquery", "connectors/databricks"},
	"internal/site":         {"deploy", "internal/evaluation", "internal/hosting"},
}

// The command imports the packages and nobody imports the command; among them there is one direction.
func TestDirectionsOfImport(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	const module = "github.com/badger-eval/badger/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports", "../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{} // a key for each package
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours {
			continue
		}
		imports[name] = nil
		for _, i := range p.Imports {
			if i, ours := strings.CutPrefix(i, module); ours {
				if strings.HasPrefix(i, "cmd/") {
					t.Errorf("%s imports the command", name)
				}
				imports[name] = append(imports[name], i)
			}
		}
	}
	if len(imports["cmd/badger"]) < 20 {
		t.Fatalf("the command imports %d packages: go list did not look at it", len(imports["cmd/badger"]))
	}
	var reached func(name string, by map[string]string)
	reached = func(name string, by map[string]string) {
		for _, i := range imports[name] {
			if by[i] == "" {
				by[i] = name
				reached(i, by)
			}
		}
	}
	for name, never := range neverImports {
		if _, there := imports[name]; !there {
			t.Errorf("there is no package %s", name)
		}
		by := map[string]string{}
		reached(name, by)
		for i, importer := range by {
			for _, n := range never {
				if i == n || strings.HasPrefix(i, n+"/") {
					t.Errorf("%s reaches %s, by %s", name, i, importer)
				}
			}
		}
	}
}
