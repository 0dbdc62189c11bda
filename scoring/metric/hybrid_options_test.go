package metric

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// A column that gold lacks and that lowers the value is named by the sentence.
func TestPenalizedColumnsAreNamed(t *testing.T) {
	text := func(options string) string {
		return `{"case_id": "c", "options": {"hybrid_ex": {` + options + `}}, "gold": {"result": {"columns": ["k", "n"], "rows": [["a", 1], ["b", 2]]}},
			"agent": {"result": {"columns": ["k", "n", "note"], "rows": [["a", 1, "x"], ["b", 2, "y"]]}}}`
	}
	for options, want := range map[string]string{
		`"extra_columns": "penalize"`: `0 of 2 rows agree; gold lacks "note", which counts as a column that differs`,
		`"extra_columns": "ignore"`:   `2 rows of 2 columns agree; 1 extra column`,
	} {
		if s := scoreCase(t, "hybrid_ex", decodeCase(t, text(options))); s.Reason != want {
			t.Errorf("%s: %q, want %q", options, s.Reason, want)
		}
	}
}

// A case's rule for a column that gold lacks is reported. A deployment's rule for one is not, and neither is a rule
// that applies.
func TestRulesOfColumnsThatGoldLacks(t *testing.T) {
	const results = `"gold": {"result": {"columns": ["k", "revenue"], "rows": [["a", 1.5], ["b", 2.5]]}}, "agent": {"result": {"columns": ["k", "revenue"], "rows": [["a", 1.5], ["b", 2.5]]}}`
	rule := func(metric, column string) string {
		return `"options": {"` + metric + `": {"columns": {"` + column + `": "exact"}}}, `
	}
	for _, metric := range []string{"hybrid_ex", "result_match_category"} {
		for column, want := range map[string]string{
			"revenue": "", "revenu": `"revenu", a column that gold does not have; it changes nothing; did you mean revenue?`, "Revenue": `"Revenue", a column that gold does not have`,
		} {
			s := scoreCase(t, metric, decodeCase(t, `{"case_id": "c", `+rule(metric, column)+results+`}`))
			if got := strings.Join(s.Warnings, "\n"); (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s with a rule for %s: warnings %q, want %q", metric, column, got, want)
			}
		}
	}
	e, err := scoring.NewEngine(All(), &scoring.EngineOptions{Config: scoring.Config{Options: map[string]json.RawMessage{"hybrid_ex": json.RawMessage(`{"columns": {"margin": "exact"}}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), decodeCase(t, `{"case_id": "c", `+results+`}`), "hybrid_ex")
	if err != nil || len(scores[0].Warnings) > 0 {
		t.Errorf("a rule of the deployment: %v, %v", scores, err)
	}
}
