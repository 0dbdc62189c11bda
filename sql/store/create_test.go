package store_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/sql/store"
)

func TestDDL(t *testing.T) {
	types := map[driver.Type]string{driver.Text: "T", driver.JSON: "J", driver.BigInt: "I", driver.Double: "D", driver.Boolean: "B", driver.Timestamp: "S"}
	all := strings.Join(store.Create(driver.Dialect{Types: types}), ";\n")
	for _, want := range []string{
		"CREATE SCHEMA IF NOT EXISTS badger", "CREATE TABLE IF NOT EXISTS badger.golden_set (case_id T, ", "gold_result T", "expected_tools J", "turn I", "latency_ms D", "passed B", "scored_at S",
		"badger.agent_runs", "badger.eval_runs", "badger.assessments", "badger.human_labels", "badger.judges", "CREATE OR REPLACE VIEW badger.agreement AS",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
