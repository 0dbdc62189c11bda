package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
)

// A build without a connector's link file does not carry its SDK, and without the embedded engine
// it needs no C compiler. Where tests are thorough, it is compiled.
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
	// The command and its tests compile. That takes minutes if the build cache lacks the packages that they import.
	if !sample.Thorough() {
		return
	}
	if out, err := exec.CommandContext(t.Context(), "go", "vet", "-tags", "no_duckdb", ".").CombinedOutput(); err != nil {
		t.Errorf("go vet -tags no_duckdb: %v\n%s", err, out)
	}
}

// A connector that is left out leaves its driver out.
func TestBuildWithoutAConnector(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	listed := func(tags string) string {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tags, ".").Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return string(out)
	}
	whole := listed("none")
	for _, c := range []struct{ tag, driver string }{
		{"no_snowflake", "snowflakedb/gosnowflake"},
		{"no_postgres", "jackc/pgx"},
		{"no_databricks", "databricks/databricks-sql-go"},
	} {
		if !strings.Contains(whole, c.driver) {
			t.Errorf("without a tag the driver %s is missing", c.driver)
		}
		if strings.Contains(listed(c.tag), c.driver) {
			t.Errorf("with the tag %s the driver %s is there", c.tag, c.driver)
		}
	}
}
