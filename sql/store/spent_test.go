//go:build !no_duckdb && !no_postgres

package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// spentText lists what answers took: case, cost, tokens in, tokens out, latency; - is unknown.
func spentText(answers map[string]scoring.Spent) string {
	var out []string
	for id, s := range answers {
		text := id
		if text += " -"; s.CostUSD != nil {
			text = id + " " + s.CostUSD.String()
		}
		for _, n := range []*int64{s.TokensIn, s.TokensOut} {
			if n == nil {
				text += " -"
			} else {
				text += fmt.Sprint(" ", *n)
			}
		}
		if s.Latency != nil {
			text += " " + s.Latency.String()
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// Cost and tokens are written exactly, read exactly, and counted by the view. Unknown values are NULL and not 0.
func TestSpentRoundTrip(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		by := scoring.By{Agent: "nova", Version: "1", Batch: "mon"}
		var cases []*scoring.Case
		var rows []scoring.Row
		for _, line := range []struct {
			id, agent string
			right     bool
		}{
			{"a", `"cost_usd": 123456.789012345678, "tokens_in": 9007199254, "tokens_out": 0, "latency_ms": 10`, true},
			{"b", `"cost_usd": 0.000000000001, "tokens_in": 1`, false},
			{"c", `"cost_usd": 0`, true},
			{"d", `"latency_ms": 30`, true}, // its cost is unknown
		} {
			c, err := scoring.DecodeCase([]byte(fmt.Sprintf(
				`{"case_id": %q, "agent": {"name": "nova", "version": "1", "batch_id": "mon", "sql": "SELECT 1", %s}}`, line.id, line.agent)))
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, c)
			s := scoring.OK(1, "")
			s.Metric, s.Version, s.Passed = "hybrid_ex", 1, &line.right
			none := scoring.OK(1, "")
			none.Metric, none.Version = "component_f1", 1 // no verdicts
			rows = append(rows, scoring.Row{AnswerID: c.AnswerID(), Score: s}, scoring.Row{AnswerID: c.AnswerID(), Score: none})
		}
		if err := db.WriteCases(t.Context(), "v1", cases); err != nil {
			t.Fatal(err)
		}
		want := "a 123456.789012345678 9007199254 0 10ms; b 0.000000000001 1 -; c 0.00 - -; d - - - 30ms"
		got, unreadable, err := db.Spent(t.Context(), by)
		if err != nil || unreadable.Answers != 0 || spentText(got) != want {
			t.Errorf("%s, %v unreadable, %v; want\n%s", spentText(got), unreadable, err, want)
		}
		read := map[string]scoring.Spent{}
		for a, err := range db.Cases(t.Context(), store.Filter{}) {
			if err != nil || a.Err != nil {
				t.Fatal(err, a.Err)
			}
			read[a.CaseID] = a.Case.Spent()
		}
		if spentText(read) != want {
			t.Errorf("as cases: %s", spentText(read))
		}
		if none, _, err := db.Spent(t.Context(), scoring.By{Agent: "nova", Version: "1"}); err != nil || none != nil {
			t.Errorf("of another batch: %v, %v", none, err)
		}
		at := time.Date(2025, 1, 13, 0, 0, 0, 0, time.UTC)
		if err := db.WriteRuns(t.Context(), store.Run{RunID: scoring.RunID{ID: "r", By: by}, Started: at, Status: "done"}); err != nil {
			t.Fatal(err)
		}
		if err := db.WriteScores(t.Context(), "r", "h", at, rows); err != nil {
			t.Fatal(err)
		}
		// 123456.789012345679 dollars are known, for the right answers a and c.
		line := db.ask(t, "SELECT metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms FROM badger.cost_by_version")
		if line != "hybrid_ex|1|4|3|3|2|123456.789012345679|2|9007199255|1|0|2|20\n" {
			t.Errorf("the view: %s", line)
		}
		if each := db.ask(t, "SELECT ROUND(cost_per_right, 6) FROM badger.cost_by_version"); !strings.HasPrefix(each, "61728.394506") {
			t.Errorf("a right answer costs %s", each)
		}
		// Values that no answer can have are unknown, in the view as in [store.Store.Spent]; those at the limits are known.
		const law = "UPDATE badger.agent_runs SET cost_usd = %s, tokens_in = %s, tokens_out = %s, latency_ms = %s WHERE case_id = '%s'"
		db.run(t, fmt.Sprintf(law, "-0.5", "-1", "1000000000001", "-3", "a"),
			fmt.Sprintf(law, "1000000", "1000000000000", "0", "1000000000000", "b"),
			fmt.Sprintf(law, "1000001", "NULL", "-7", "CAST('NaN' AS DOUBLE PRECISION)", "c"),
			fmt.Sprintf(law, "0", "NULL", "NULL", "CAST('Infinity' AS DOUBLE PRECISION)", "d"))
		got, unreadable, err = db.Spent(t.Context(), by)
		if want := "a - - -; b 1000000.00 1000000000000 0 277777h46m40s; c - - -; d 0.00 - -"; err != nil || unreadable.Answers != 3 || spentText(got) != want {
			t.Errorf("%s, %v unreadable, %v; want\n%s", spentText(got), unreadable, err, want)
		}
		line = db.ask(t, "SELECT with_cost, right_with_cost, cost_usd, with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms FROM badger.cost_by_version")
		if line != "2|1|1000000.000000000000|1|1000000000000|1|0|1|1000000000000\n" {
			t.Errorf("the view: %s", line)
		}
	})
}

// Tables of users may hold these columns as another type, or not at all. A value that cannot be read is unknown, and the
// answer is a valid case.
func TestSpentOfUsersTables(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		db.run(t, "CREATE SCHEMA badger", "CREATE TABLE badger.golden_set (case_id VARCHAR, set_version VARCHAR)",
			"CREATE TABLE badger.agent_runs (case_id VARCHAR, agent_name VARCHAR, cost_usd VARCHAR, tokens_in DOUBLE PRECISION, tokens_out VARCHAR)",
			"INSERT INTO badger.agent_runs VALUES ('a', 'nova', '2.1e-3', 120, '7'), ('b', 'nova', '-1', 3, NULL), ('c', 'nova', NULL, 1.5, NULL), ('d', NULL, '1', 1, '1')")
		nova := scoring.By{Agent: "nova"}
		got, unreadable, err := db.Spent(t.Context(), nova)
		if want := "a 0.0021 120 7; b - 3 -; c - - -"; err != nil || unreadable.Answers != 2 || !strings.HasPrefix(unreadable.First, `case "b": cost_usd cannot be read`) || spentText(got) != want {
			t.Errorf("%s, %v unreadable, %v; want %s and 2", spentText(got), unreadable, err, want)
		}
		invalid := map[string]string{}
		for a, err := range db.Cases(t.Context(), store.Filter{By: nova}) {
			if err != nil {
				t.Fatal(err)
			}
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			if len(a.Case.Invalid) > 0 {
				invalid[a.CaseID] = strings.Join(a.Case.Invalid, "; ")
			}
		}
		if len(invalid) != 2 || !strings.Contains(invalid["b"], "cost_usd cannot be read, and counts as unknown: expected US dollars") || !strings.Contains(invalid["c"], "tokens_in cannot be read") {
			t.Errorf("invalid answers: %v", invalid)
		}
		db.run(t, "DROP TABLE badger.agent_runs", "CREATE TABLE badger.agent_runs (case_id VARCHAR, agent_name VARCHAR)",
			"INSERT INTO badger.agent_runs VALUES ('a', 'nova')")
		if got, unreadable, err = db.Spent(t.Context(), nova); err != nil || unreadable.Answers != 0 || spentText(got) != "a - - -" {
			t.Errorf("without the columns: %s, %v, %v", spentText(got), unreadable, err)
		}
		db.run(t, "DROP TABLE badger.agent_runs")
		if got, _, err = db.Spent(t.Context(), nova); err != nil || got != nil {
			t.Errorf("without the table: %v, %v", got, err)
		}
	})
}
