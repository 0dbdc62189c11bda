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
	corpus.Covers(t, "ex_bird", "ex_multiset", "ex_permuted", "soft_f1_bird", "match_spider2", "match_defog", "row_f1", "syntactic_accuracy", "latency_overhead")
	t.Run("cases", func(t *testing.T) { corpus.Run(t, All()) })
	t.Run("versions", func(t *testing.T) { corpus.Versions(t, All(), "testdata/versions.golden") })
	t.Run("invariants", func(t *testing.T) { metrictest.Run(t, All(), corpus.Properties()) })
}
