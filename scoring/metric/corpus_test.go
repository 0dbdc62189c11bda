package metric

import (
	"os"
	"testing"

	"github.com/badger-eval/badger/scoring/metrictest"
)

// TestCorpus runs testdata/*.test, the invariants of all metrics, and the file of versions. See
// testdata/README.md.
func TestCorpus(t *testing.T) {
	corpus := metrictest.ReadCorpus(t, os.DirFS("testdata"))
	for _, m := range All() {
		if m.Name != "counterexample" { // it needs Tools; counterexample_test.go in connectors/duckdb covers it
			corpus.Covers(t, m.Name)
		}
	}
	t.Run("cases", func(t *testing.T) { corpus.Run(t, All()) })
	t.Run("versions", func(t *testing.T) { corpus.Versions(t, All(), "testdata/versions.golden") })
	t.Run("invariants", func(t *testing.T) { metrictest.Run(t, All(), corpus.Properties()) })
}
