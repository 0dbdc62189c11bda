package evaluation

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Options of an unknown metric are reported: nothing reads them.
func TestOptionsOfUnknownMetrics(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why   string
		names []string // of metrics, a case each; empty: a case without options
		want  string
	}{
		{"known ones and none", []string{"ex_bird", ""}, ""},
		{"a misspelt one", []string{"ex_brd", "ex_brd", "ex_bird"}, "note: options of 2 answers were not read: unknown metric \"ex_brd\"; did you mean ex_bird?\n"},
		{"many", []string{"zzz1", "zzz2", "zzz3", "zzz4", "zzz5"}, "note: options of 1 answer were not read: unknown metric \"zzz1\"\nnote: options of 1 answer were not read: unknown metric \"zzz2\"\n" +
			"note: options of 1 answer were not read: unknown metric \"zzz3\"\nnote: nor were those of 2 more unknown metrics\n"},
	} {
		var notes bytes.Buffer
		e := &Run{Engine: engine, Notes: &notes, Summary: NewSummary(engine, nil, "")}
		e.lookAtUnread(nil)
		for _, name := range tc.names {
			c := &scoring.Case{}
			if name != "" {
				c.Options = map[string]json.RawMessage{name: json.RawMessage("{}")}
			}
			e.lookAtUnread(c)
		}
		if e.PrintSummary(batch.Outcome{}); notes.String() != tc.want {
			t.Errorf("%s:\n%swant\n%s", tc.why, &notes, tc.want)
		}
	}
}

// Unread keys of cases are reported once a run, the most frequent first.
func TestUnreadIsTold(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const generic = "and its SQL is read as that of any dialect (generic)"
	for _, tc := range []struct {
		why   string
		cases []string
		want  string
	}{
		{"all is read", []string{`{"case_id":"a","dialect":"PostgreSQL 16","gold_sql":"SELECT 1"}`}, ""},
		{"a misspelt key", []string{`{"case_id":"a","gold":{"reslut":"table:t"}}`, `{"case_id":"b","gold":{"reslut":"table:t"}}`}, "note: 2 answers, first case a: the key \"gold.reslut\" is not known and not read; did you mean gold.result?\n"},
		{"a misspelt dialect, and a key that more have", []string{`{"case_id":"a","dialect":"snowflak","n":1}`, `{"case_id":"b","n":1}`},
			"note: 2 answers, first case a: the key \"n\" is not known and not read\nnote: 1 answer, case a: the dialect \"snowflak\" is not known, " + generic + "; did you mean snowflake?\n"},
		{"costs that are none", []string{`{"case_id":"c10","agent":{"cost_usd":-1}}`, `{"case_id":"c9","agent":{"cost_usd":"free"},"n":1}`, `{"case_id":"c8","agent":{"cost_usd":1}}`},
			"note: 2 answers, first case c9: agent.cost_usd cannot be read, and counts as unknown: expected US dollars from 0 to 1000000, such as 0.0021\n" +
				"note: 1 answer, case c9: the key \"n\" is not known and not read\n"},
		{"a dialect that is none of badger's", []string{`{"case_id":"a","dialect":"oracle"}`},
			"note: 1 answer, case a: the dialect \"oracle\" is not known, " + generic + "; known are bigquery, databricks, duckdb, mysql, postgres, redshift, snowflake, sqlite, tsql, generic\n"},
	} {
		var notes bytes.Buffer
		e := &Run{Engine: engine, Notes: &notes, Summary: NewSummary(engine, nil, "")}
		for _, text := range tc.cases {
			c, err := scoring.DecodeCase([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			e.lookAtUnread(c)
		}
		if e.PrintSummary(batch.Outcome{}); notes.String() != tc.want {
			t.Errorf("%s:\n%swant\n%s", tc.why, &notes, tc.want)
		}
	}
}

// The cost of answers of a file is not in the database, which is reported.
func TestPrintSummary_Unstored(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{0: false, 2: true} {
		var notes bytes.Buffer
		e := &Run{ID: "r", Warehouse: &store.Store{}, unstored: n, Notes: &notes, Summary: NewSummary(engine, nil, "")}
		e.PrintSummary(batch.Outcome{})
		if got := strings.Contains(notes.String(), "note: the cost, tokens or latency of 2 answers is in this output"); got != want {
			t.Errorf("%d answers: %s", n, &notes)
		}
	}
}
