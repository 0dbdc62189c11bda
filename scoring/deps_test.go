package scoring_test

import (
	"os/exec"
	"strings"
	"testing"
)

// The core can be used, and reviewed, without any transport, warehouse or Arrow: whatever its
// packages import, directly or not, none of these is among it. Judges may come in (judgebackend),
// and with them net/http, but nothing reaches the wire by itself.
func TestCoreReachesNoTransportAndNoWarehouse(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}", "./...").Output()
	if err != nil {
		t.Skipf("go list does not run here: %v", err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 20 {
		t.Fatalf("go list names only %d packages", len(deps))
	}
	for _, banned := range []string{
		"github.com/apache/arrow", "google.golang.org/grpc", "cloud.google.com/go", "github.com/snowflakedb", "github.com/databricks",
		"github.com/duckdb", "database/sql", "github.com/badger-eval/badger/connectors", "github.com/badger-eval/badger/udf", "github.com/badger-eval/badger/cmd",
		"github.com/badger-eval/badger/internal/arrowtable", "github.com/badger-eval/badger/internal/batch", "github.com/badger-eval/badger/internal/report",
	} {
		for _, d := range deps {
			if d == banned || strings.HasPrefix(d, banned+"/") {
				t.Errorf("scoring reaches %s", d)
			}
		}
	}
}
