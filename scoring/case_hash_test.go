package scoring_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

const hashed = `{"case_id": "q1", "question": "How many?", "evidence": "e", "schema_ddl": "s", "dialect": "duckdb", "tags": ["t"],
 "gold": [{"sql": "SELECT 1", "result": {"columns": ["n"], "rows": [[1], [null]]}}, {"sql": "SELECT 2", "result": "file:a.csv"}],
 "agent": {"name": "a", "version": "1", "sql": "SELECT 3"}, "expected": {"behaviour": "answer", "tools": ["t"], "clarifications": ["c"]},
 "human": {"label": true}, "options": {"hybrid_ex": {"tolerance": 0.1, "a": 1}}}`

// The hash changes with everything that is part of the question, and with nothing else.
func TestGoldHash(t *testing.T) {
	of := func(text string) string {
		c, err := scoring.DecodeCase([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c.GoldHash()
	}
	want := of(hashed)
	if len(want) != 16 {
		t.Errorf("the hash is %q", want)
	}
	for _, tc := range []struct {
		old, now string
		same     bool
	}{
		{`"How many?"`, `"How much?"`, false},
		{`"e"`, `"f"`, false},
		{`"s"`, `"z"`, false},
		{`duckdb`, `postgres`, false},
		{`SELECT 1`, `SELECT 4`, false},
		{`[1], [null]`, `[2], [null]`, false},
		{`[1], [null]`, `[null], [1]`, false},
		{`[1], [null]`, `[1]`, false},
		{`[1], [null]`, `[1], [""]`, false},
		{`["n"]`, `["m"]`, false},
		{`a.csv`, `b.csv`, false},
		{`"behaviour": "answer"`, `"behaviour": "refuse"`, false},
		{`"tools": ["t"]`, `"tools": ["u"]`, false},
		{`"clarifications": ["c"]`, `"clarifications": []`, false},
		{`0.1`, `0.2`, false},
		{`"tolerance": 0.1, "a": 1`, `"a":1,"tolerance":0.1`, true},
		{`"tools": ["t"]`, `"tools": [ "t" ]`, true},
		{`"tags": ["t"]`, `"tags": []`, true},
		{`SELECT 3`, `SELECT 5`, true},
		{`"label": true`, `"label": false`, true},
		{`"version": "1"`, `"version": "2"`, true},
	} {
		text := strings.Replace(hashed, tc.old, tc.now, 1)
		if text == hashed {
			t.Fatalf("%s is not part of the case", tc.old)
		}
		if (of(text) == want) != tc.same {
			t.Errorf("%s for %s: the same is %v, want %v", tc.now, tc.old, !tc.same, tc.same)
		}
	}
}
