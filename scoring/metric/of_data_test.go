package metric

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// A score compared with a gold result that depends on more than the data reports this, and there is no score if the
// result has no information. This depends on gold alone.
func TestGoldIsNoFunctionOfTheData(t *testing.T) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 6, 30, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		why, gold, goldRows, agent, agentRows string
		clock                                 *time.Time
		status                                scoring.Status // of metrics that read the query and the results
		reason, warning                       string
	}{
		{"a window without data", "SELECT count(*) AS n FROM t WHERE d > CURRENT_DATE - 30", "[[0]]", "SELECT count(*) AS n FROM t WHERE FALSE", "[[0]]", nil, scoring.StatusNotApplicable, "reads the clock (line 1, CURRENT_DATE)", ""},
		{"no rows at all", "SELECT a FROM t WHERE d > now()", "[]", "SELECT a FROM t WHERE FALSE", "[]", nil, scoring.StatusNotApplicable, "reads the clock", ""},
		{"only NULL", "SELECT max(a) AS n FROM t WHERE d > now()", "[[null]]", "SELECT 1 AS n", "[[1]]", nil, scoring.StatusNotApplicable, "reads the clock", ""},
		{"a window with data", "SELECT count(*) AS n FROM t WHERE d > CURRENT_DATE - 30", "[[7]]", "SELECT 7 AS n FROM t", "[[7]]", nil, scoring.StatusOK, "", "gold SQL, line 1: CURRENT_DATE reads the clock"},
		{"no data at a pinned clock", "SELECT count(*) AS n FROM t WHERE d > CURRENT_DATE - 30", "[[0]]", "SELECT 0 AS n FROM t", "[[0]]", &at, scoring.StatusOK, "", "the clock of the gold query stood at 2024-06-30T00:00:00Z"},
		{"no clock", "SELECT count(*) AS n FROM t WHERE d > DATE '2030-01-01'", "[[0]]", "SELECT 0 AS n FROM t", "[[0]]", nil, scoring.StatusOK, "", ""},
		{"the agent's clock alone", "SELECT count(*) AS n FROM t WHERE d > DATE '2030-01-01'", "[[0]]", "SELECT count(*) AS n FROM t WHERE d > CURRENT_DATE", "[[0]]", nil, scoring.StatusOK, "", ""},
		{"chance in both", "SELECT a AS n FROM t ORDER BY random() LIMIT 1", "[[3]]", "SELECT a AS n FROM t ORDER BY random() LIMIT 1", "[[3]]", nil, scoring.StatusNotApplicable, "depends on chance (line 1, random())", ""},
		{"chance in the answer alone", "SELECT a AS n FROM t ORDER BY a LIMIT 1", "[[3]]", "SELECT a AS n FROM t ORDER BY random() LIMIT 1", "[[4]]", nil, scoring.StatusOK, "", ""},
		{"chance in the order alone", "SELECT a AS n FROM t ORDER BY random()", "[[3]]", "SELECT a AS n FROM t", "[[3]]", nil, scoring.StatusOK, "", "random() leaves the order of the rows to chance"},
		{"any rows", "SELECT a AS n FROM t LIMIT 1", "[[3]]", "SELECT a AS n FROM t LIMIT 1", "[[3]]", nil, scoring.StatusOK, "", "LIMIT 1 keeps some rows without an ORDER BY"},
		{"a limit that is not reached", "SELECT a AS n FROM t LIMIT 10", "[[3]]", "SELECT a AS n FROM t LIMIT 1", "[[3]]", nil, scoring.StatusOK, "", ""},
		{"who asks", "SELECT count(*) AS n FROM t WHERE o = CURRENT_USER", "[[3]]", "SELECT 3 AS n FROM t", "[[3]]", nil, scoring.StatusOK, "", "depends on the session"},
	} {
		c, err := scoring.DecodeCase(fmt.Appendf(nil, `{"case_id": "1", "question": "Q", "dialect": "postgres", "gold": {"sql": %q, "result": {"columns": ["n"], "rows": %s}}, "agent": {"sql": %q, "result": {"columns": ["n"], "rows": %s}}}`,
			tc.gold, tc.goldRows, tc.agent, tc.agentRows))
		if err != nil {
			t.Fatal(err)
		}
		c.Golds[0].Clock = tc.clock
		scores, err := engine.Score(t.Context(), c, "ex_bird", "hybrid_ex", "relation", "result_match_category", "verdict", "component_f1")
		if err != nil {
			t.Fatal(err)
		}
		for i := range scores {
			s := &scores[i]
			warned := strings.Join(s.Warnings, "\n")
			switch s.Metric {
			case "component_f1", "ex_bird": // compare texts alone, results alone
				if s.Status != scoring.StatusOK || strings.Contains(warned, "clock") || strings.Contains(warned, "chance") {
					t.Errorf("%s: %s is %s, %q, want a score without a word of it", tc.why, s.Metric, s.Status, warned)
				}
				continue
			case "verdict":
				if tc.status == scoring.StatusNotApplicable && s.Status == scoring.StatusOK && s.Reason != "Both queries are proven to be the same." {
					t.Errorf("%s: the verdict is %v, %s", tc.why, s.Value, s.Reason)
				}
				continue
			default:
				if s.Status != tc.status || !strings.Contains(s.Reason, tc.reason) {
					t.Errorf("%s: %s is %s, %q, want %s, %q", tc.why, s.Metric, s.Status, s.Reason, tc.status, tc.reason)
				}
			}
			if tc.warning == "" && strings.Contains(warned, "gold SQL") || !strings.Contains(warned, tc.warning) {
				t.Errorf("%s: %s warns %q, want %q", tc.why, s.Metric, warned, tc.warning)
			}
		}
	}
}
