package judgebackend_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Judges know nothing of scoring, connectors or warehouses: of this module the package imports
// errcode and nothing else, and no warehouse SDK comes in by a back door.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	const module = "github.com/badger-eval/badger/"
	allowed := map[string]bool{module + "judgebackend": true, module + "internal/errcode": true}
	for _, p := range strings.Fields(string(out)) {
		if strings.HasPrefix(p, module) && !allowed[p] {
			t.Errorf("imports %s", p)
		}
		for _, sdk := range []string{"snowflakedb", "databricks", "duckdb", "cloud.google.com/go/bigquery", "Azure/azure-sdk", "apache/arrow", "google.golang.org/grpc"} {
			if strings.Contains(p, sdk) {
				t.Errorf("reaches %s", p)
			}
		}
	}
}
