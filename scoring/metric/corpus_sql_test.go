package metric

import (
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/metrictest"
)

// Every metric that looks at SQL text or tool calls alone has cases.
func TestCorpusCoversSQLAndTools(t *testing.T) {
	names := []string{"r_ves", "refusal"}
	for _, m := range All() {
		if m.Group == "sql" || strings.HasPrefix(m.Name, "tool_") {
			names = append(names, m.Name)
		}
	}
	metrictest.ReadCorpus(t, os.DirFS("testdata")).Covers(t, names...)
}
