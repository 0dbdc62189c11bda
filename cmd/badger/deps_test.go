package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A build without a connector's link file does not carry its SDK, and without the embedded engine
// it needs no C compiler.
func TestBuildWithoutTheEmbeddedEngine(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "no_duckdb", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	for _, d := range deps {
		if strings.Contains(d, "duckdb") {
			t.Errorf("a build with no_duckdb carries %s", d)
		}
	}
	if len(deps) < 100 {
		t.Errorf("only %d packages: go list did not look at the command", len(deps))
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "-tags", "no_duckdb", ".")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("with no_duckdb: %v\n%s", err, out)
	}
}

// A connector that is left out leaves its driver out.
func TestBuildWithoutAConnector(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	for _, c := range []struct{ tag, driver string }{
		{"no_snowflake", "snowflakedb/gosnowflake"},
		{"no_postgres", "jackc/pgx"},
		{"no_databricks", "databricks/databricks-sql-go"},
	} {
		for tag, want := range map[string]bool{"none": true, c.tag: false} {
			out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tag, ".").Output()
			if err != nil {
				t.Fatalf("go list: %v", err)
			}
			if got := strings.Contains(string(out), c.driver); got != want {
				t.Errorf("with the tag %s the driver %s is there: %v, want %v", tag, c.driver, got, want)
			}
		}
	}
}
