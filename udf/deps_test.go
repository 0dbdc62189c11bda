package udf

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/badger-eval/badger/"

// The server knows scoring and no warehouse: what it may import of ours, and what it must not reach
// by any way.
func TestDependencies(t *testing.T) {
	direct := listPackages(t, "{{join .Imports \"\\n\"}}", ".")
	allowed := map[string]bool{"scoring": true, "internal/account": true, "internal/arrowtable": true, "internal/columnar": true, "internal/errcode": true, "internal/jsonscan": true, "udf/identity": true, "udf/udfpb": true}
	for _, p := range direct {
		if ours, ok := strings.CutPrefix(p, module); ok && !allowed[ours] {
			t.Errorf("udf imports %s", p)
		}
	}
	for _, p := range listPackages(t, "{{join .Deps \"\\n\"}}", ".") {
		for _, never := range []string{
			module + "connectors", module + "scoring/metric", module + "cmd", "github.com/duckdb/", "github.com/snowflakedb/", "cloud.google.com/go/bigquery",
			"github.com/databricks/", "github.com/apache/arrow-go/", "database/sql", // model backends come in through scoring
		} {
			if strings.HasPrefix(p, never) {
				t.Errorf("udf reaches %s", p)
			}
		}
	}
	for _, p := range listPackages(t, "{{join .Imports \"\\n\"}}", "./udfpb") {
		if strings.HasPrefix(p, module) {
			t.Errorf("udfpb imports %s", p)
		}
	}
}

func listPackages(t *testing.T, format, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, pkg).Output()
	if err != nil {
		t.Skipf("go list is not to be had here: %v", err)
	}
	return strings.Fields(string(out))
}
