package metric

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// A case without an answer is unanswered, also where latencies are missing.
func TestRVESUnanswered(t *testing.T) {
	c, err := scoring.DecodeCase([]byte(`{"case_id": "c", "gold": {"sql": "SELECT 1", "result": {"columns": [{"name": "n"}], "rows": [[1]]}, "latency_ms": 5}, "agent": {"response": "no"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := scoreCase(t, "r_ves", c); s.Status != scoring.StatusNotApplicable || !s.Unanswered() {
		t.Errorf("%s: %s, want unanswered", s.Status, s.Reason)
	}
}
