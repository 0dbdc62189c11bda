package scoring_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// The hash of an answer changes with each part that scores are computed from, and with no other.
func TestAnswerHash(t *testing.T) {
	hash := func(line string) string {
		c, err := scoring.DecodeCase([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return c.AnswerHash()
	}
	const base = `{"case_id":"q","agent":{"sql":"SELECT 1","response":"One."}}`
	seen := map[string]string{hash(base): base}
	for _, line := range []string{
		`{"case_id":"q","agent":{"sql":"SELECT 2","response":"One."}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"1"}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1One."}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","error":"no"}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","interpretation":"x"}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","result":"file:a.csv"}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","result":{"columns":["n"],"rows":[[1]]}}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","result":{"columns":["n"],"rows":[[2]]}}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","result":{"columns":["n"],"rows":[[null]]}}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","tool_calls":[]}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","tool_calls":["run"]}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","contexts":["a"]}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","chart":{"mark":"bar"}}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","conversation_id":"c","turn":2,"earlier_turns":[{"question":"?"}]}}`,
	} {
		h := hash(line)
		if other, ok := seen[h]; ok || len(h) != 16 {
			t.Errorf("%s has the hash %q of %s", line, h, other)
		}
		seen[h] = line
	}
	for _, line := range []string{
		`{"case_id":"other","question":"?","gold":{"sql":"SELECT 3"},"agent":{"response":"One.","sql":"SELECT 1"}}`,
		`{"case_id":"q","agent":{"name":"n","version":"2","batch_id":"b","sql":"SELECT 1","response":"One.","latency_ms":5,"tokens_in":3,"ran_at":"2025-01-01T00:00:00Z"}}`,
		`{"case_id":"q","agent":{"sql":"SELECT 1","response":"One.","tool_calls":null,"contexts":null}}`,
	} {
		if hash(line) != hash(base) {
			t.Errorf("%s has another hash than %s", line, base)
		}
	}
	if a, b := hash(`{"case_id":"q","agent":{"tool_calls":[{"name":"run","arguments":{"a":1,"b":2.0}}]}}`), hash(`{"case_id":"q","agent":{"tool_calls":[{"arguments":{"b": 2, "a":1},"name":"run"}]}}`); a != b {
		t.Errorf("the spelling of arguments changes the hash")
	}
}
