package udf

import (
	"strings"
	"testing"
)

// A long argument is charged by what it becomes when it is read: a few bytes of JSON for each object, or
// a word, may stand for many. Results and cases are counted while they are read.
func TestLongTextsAreCharged(t *testing.T) {
	const n = 100_000
	for _, tc := range []struct {
		param       Param
		text        string
		least, most int64
	}{
		{Param{Name: "agent_sql", Type: VARCHAR}, strings.Repeat("a ", n), 100 * 2 * n, 150 * 2 * n},
		{Param{Name: "schema_ddl", Type: VARCHAR}, strings.Repeat("a ", n), 100 * 2 * n, 150 * 2 * n},
		{Param{Name: "question", Type: VARCHAR}, strings.Repeat("a ", n), 50 * 2 * n, 100 * 2 * n},
		{Param{Name: "options", Type: JSON}, `[` + strings.Repeat(`{},`, n) + `{}]`, 500 * n, 700 * n},
		{Param{Name: "tool_calls", Type: JSON}, `[` + strings.Repeat(`1,`, n) + `1]`, 64 * n, 100 * n},
		{Param{Name: "options", Type: JSON}, `"` + strings.Repeat(`a`, n) + `"`, n, 5 * n},
		{Param{Name: "row_json", Type: JSON}, `{"run":{` + strings.Repeat(`"a":1,`, n) + `"a":1}}`, 64 * n, 120 * n},
		{Param{Name: "gold_result", Type: VARCHAR}, strings.Repeat("a", n), 0, 0},
		{Param{Name: "case_json", Type: JSON}, strings.Repeat("{},", n), 0, 0},
	} {
		if got := tc.param.expansion(tc.text); got < tc.least || got > tc.most {
			t.Errorf("%s of %d bytes: %d, want from %d to %d", tc.param.Name, len(tc.text), got, tc.least, tc.most)
		}
	}
}
