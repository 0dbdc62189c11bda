package metric

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Queries of semantic layers only read. Functions that ask a model outside of the engine do more; those that the
// engine computes from a built-in model do not.
func TestSemanticLayersAreHarmless(t *testing.T) {
	for _, tc := range []struct {
		dialect sqlparts.Dialect
		sql     string
		danger  string // its label; empty: it only reads
	}{
		{sqlparts.Snowflake, "SELECT * FROM SEMANTIC_VIEW(sales METRICS orders.revenue DIMENSIONS customer.region AS area WHERE customer.region <> 'EU') ORDER BY area", ""},
		{sqlparts.Snowflake, "SELECT region, AGG(revenue) FROM sales GROUP BY region", ""},
		{sqlparts.Databricks, "SELECT region, MEASURE(`Total Revenue`) FROM main.sales.mv GROUP BY ALL", ""},
		{sqlparts.Databricks, "SELECT * FROM AI_FORECAST(TABLE(daily), horizon => '2025-01-01', time_col => 'd', value_col => 'x')", ""},
		{sqlparts.BigQuery, "SELECT * FROM ML.FORECAST(MODEL d.m, STRUCT(30 AS horizon))", ""},
		{sqlparts.BigQuery, "SELECT * FROM ML.EVALUATE(MODEL d.m)", ""},
		{sqlparts.BigQuery, "SELECT * FROM AI.FORECAST(TABLE d.t, data_col => 'x', timestamp_col => 'd')", ""},
		{sqlparts.BigQuery, "SELECT ML.MIN_MAX_SCALER(x) OVER (), ML.DISTANCE(a, b) FROM d.t", ""},
		{sqlparts.BigQuery, "SELECT AI.IF(('is it a fruit: ', name), connection_id => 'us.c') FROM d.t", dangerRuns},
		{sqlparts.BigQuery, "SELECT AI.GENERATE('x').result FROM d.t", dangerRuns},
		{sqlparts.BigQuery, "SELECT * FROM ML.PREDICT(MODEL d.m, (SELECT a FROM d.t))", dangerRuns}, // the model may be remote
		{sqlparts.Snowflake, "SELECT AI_FILTER('is it a fruit: ' || name) FROM t", dangerRuns},
		{sqlparts.Snowflake, "SELECT SNOWFLAKE.CORTEX.SUMMARIZE(a) FROM t", dangerRuns},
		{sqlparts.Databricks, "SELECT ai_mask(a, array('person')) FROM t", dangerRuns},
		{sqlparts.Postgres, "SELECT agg(a) FROM t", dangerUnknown},
		{sqlparts.Snowflake, "SELECT my.agg(a) FROM t", dangerUnknown},
	} {
		r := ReadQuery(tc.sql, tc.dialect)
		got, _, _ := strings.Cut(r.Danger, ":")
		if len(r.Functions) > 0 {
			got = dangerUnknown
		}
		if got != tc.danger || r.Unread != "" {
			t.Errorf("%s: %s\n is %q %v %s, want %q", tc.dialect, tc.sql, r.Danger, r.Functions, r.Unread, tc.danger)
		}
	}
}

// Their results are different.
func TestSemanticLayersAreToldApart(t *testing.T) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		dialect, gold, agent string
		same                 bool
	}{
		{"snowflake", "SELECT * FROM SEMANTIC_VIEW(s METRICS o.revenue DIMENSIONS c.region)", "select * from semantic_view(s metrics o.revenue dimensions c.region)", true},
		{"snowflake", "SELECT * FROM SEMANTIC_VIEW(s METRICS o.revenue DIMENSIONS c.region)", "SELECT * FROM SEMANTIC_VIEW(s METRICS o.profit DIMENSIONS c.region)", false},
		{"snowflake", "SELECT * FROM SEMANTIC_VIEW(s METRICS o.revenue DIMENSIONS c.region)", "SELECT * FROM SEMANTIC_VIEW(s METRICS o.revenue DIMENSIONS c.region WHERE c.region = 'EU')", false},
		{"snowflake", "SELECT r, AGG(revenue) FROM s GROUP BY r", "SELECT r, SUM(revenue) FROM s GROUP BY r", false},
		{"databricks", "SELECT r, MEASURE(revenue) FROM s GROUP BY ALL", "SELECT r, MEASURE(cost) FROM s GROUP BY ALL", false},
		{"databricks", "SELECT r, MEASURE(revenue) FROM s GROUP BY r", "SELECT r, measure(revenue) FROM s GROUP BY r", true},
		{"bigquery", "SELECT * FROM ML.FORECAST(MODEL d.m, STRUCT(30 AS horizon))", "SELECT * FROM ML.FORECAST(MODEL d.n, STRUCT(30 AS horizon))", false},
		{"bigquery", "SELECT * FROM ML.FORECAST(MODEL d.m, STRUCT(30 AS horizon))", "SELECT * FROM ML.FORECAST(MODEL d.m, STRUCT(60 AS horizon))", false},
	} {
		c, err := scoring.DecodeCase(fmt.Appendf(nil, `{"case_id": "1", "dialect": %q, "gold": {"sql": %q}, "agent": {"sql": %q}}`, tc.dialect, tc.gold, tc.agent))
		if err != nil {
			t.Fatal(err)
		}
		scores, err := engine.Score(t.Context(), c, "tree_match")
		if err != nil {
			t.Fatal(err)
		}
		if s := &scores[0]; (s.Value == 1) != tc.same || s.Status != scoring.StatusOK {
			t.Errorf("%s\n%s\ntree_match is %v %s %s, want the same %t", tc.gold, tc.agent, s.Value, s.Status, s.Reason, tc.same)
		}
	}
}
