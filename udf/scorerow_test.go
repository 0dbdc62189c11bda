package udf

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/scoring"
)

// Rows become rows of scores, whatever way SQL made JSON of them; each metric has one.
func TestScoreRow(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	gold, agent := metrics.TwoResults(2)
	row := func(run, golden string) string { return `{"run":` + run + `,"golden":` + golden + `,"copies":1}` }
	run := `{"case_id":"c1","sql":"s","latency_ms":3.5,"sql_error":null,"result":` + strconv.Quote(agent) + `}`
	golden := `{"case_id":"c1","gold_sql":"s","tags":["a"],"gold_result":` + strconv.Quote(gold) + `}`
	for _, tc := range []struct{ why, row, metrics, want string }{
		{"named metrics, in that order", row(run, golden), "row_category,cell_match", `"metric":"row_category","metric_version":1,"status":"ok"|"metric":"cell_match","metric_version":3,"status":"ok","value":0.5|"config_hash":"44136fa355b3678a"`},
		{"names in upper case, and a result that is JSON", row(`{"CASE_ID":17,"SQL":"s","RESULT":`+agent+`}`, `{"GOLD_SQL":"s","GOLD_RESULT":`+gold+`}`), "cell_match", `"status":"ok","value":0.5`},
		{"JSON that is text", row(run, strings.Replace(golden, `["a"]`, `"[\"a\"]"`, 1)), "cell_match", `"value":0.5`},
		{"no question", row(run, "null"), "cell_match", `"status":"not_applicable","value":null`},
		{"tags that are none", row(run, strings.Replace(golden, `["a"]`, `{}`, 1)), "cell_match,row_category", `"cell_match"|"ok"|"row_category"|"ok"`},
		{"expected clarifications that are none", row(run, strings.Replace(golden, `"tags":["a"]`, `"expected_clarifications":{}`, 1)), "cell_match,row_category", `"cell_match"|"failed"|expected_clarifications|"invalid_argument"|"row_category"|"failed"`},
		{"a question that is there twice", strings.Replace(row(run, golden), `"copies":1`, `"copies":2`, 1), "cell_match", `"failed"|golden_set has 2 rows|"already_exists"`},
		{"no case_id", row(`{"sql":"s"}`, golden), "cell_match", `"failed"|case_id is missing`},
		{"something else", `[]`, "cell_match", `"cell_match"|"failed"|row_json`},
		{"an unknown metric", row(run, golden), "cell_mach", `[{"metric_version":0,"status":"failed"|cell_match|"not_found"`},
	} {
		out, _ := callOne(t, c, "score_row", tc.row, tc.metrics)
		rest := out.Texts[0]
		var rows []scoring.StoredScore
		if err := json.Unmarshal([]byte(rest), &rows); err != nil || len(rows) != len(strings.Split(tc.metrics, ",")) {
			t.Errorf("%s: %d rows, %v: %s", tc.why, len(rows), err, rest)
		}
		for part := range strings.SplitSeq(tc.want, "|") {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%s: %s lacks %s", tc.why, out.Texts[0], part)
			}
			rest = after
		}
	}
}

// A run is told its metrics and their versions before it begins, and that a metric is unknown.
func TestRunSettings(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	var s struct {
		Metrics  []string
		Versions struct{ Metrics map[string]int }
		Judge    string
		Reason   string
	}
	read := func(metrics string) {
		s.Metrics, s.Versions.Metrics, s.Reason = nil, nil, ""
		out, _ := callOne(t, c, "run_settings", metrics)
		if err := json.Unmarshal([]byte(out.Texts[0]), &s); err != nil {
			t.Fatalf("%v: %s", err, out.Texts[0])
		}
	}
	if read("row_category, cell_match"); strings.Join(s.Metrics, " ") != "row_category cell_match" || s.Versions.Metrics["cell_match"] != 3 || s.Judge != "none" || s.Reason != "" {
		t.Errorf("named metrics: %+v", s)
	}
	if read(""); len(s.Metrics) < 2 || strings.Contains(strings.Join(s.Metrics, " "), "judged") {
		t.Errorf("all metrics, without a judge: %+v", s)
	}
	if read("cell_mach"); !strings.Contains(s.Reason, "cell_match") || s.Metrics != nil {
		t.Errorf("an unknown metric: %+v", s)
	}
}
