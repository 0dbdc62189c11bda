//go:build !no_duckdb && !no_postgres

package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// A later turn knows the turns before it, whatever the type of a user's columns, and whether one answer is read or all.
func TestConversations(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		db.run(t, "CREATE SCHEMA badger",
			"CREATE TABLE badger.golden_set (case_id VARCHAR, question VARCHAR, set_version VARCHAR)",
			"INSERT INTO badger.golden_set VALUES ('a', 'Orders in Oslo?', 'v1'), ('b', 'And in Rome?', 'v1'), ('c', 'Sorted?', 'v1'), ('d', 'Alone?', 'v1')",
			"CREATE TABLE badger.agent_runs (case_id VARCHAR, agent_name VARCHAR, batch_id VARCHAR, sql VARCHAR, response VARCHAR, conversation_id BIGINT, turn VARCHAR, earlier_turns VARCHAR)",
			`INSERT INTO badger.agent_runs VALUES
			('c', 'nova', 'mon', NULL, NULL, 7, '3', NULL), ('a', 'nova', 'mon', 'SELECT 3', '3', 7, '1', NULL),
			('b', 'nova', 'mon', NULL, NULL, 7, '2', NULL), ('d', 'nova', 'mon', NULL, NULL, NULL, '2', NULL),
			('a', 'nova', 'tue', 'SELECT 4', '4', 7, '1', NULL), ('b', 'nova', 'tue', NULL, NULL, 7, '2', '[{"question": "Own?"}]')`)
		one := scoring.Turn{Question: "Orders in Oslo?", SQL: "SELECT 3", Response: "3"}
		want := map[string][]scoring.Turn{
			"mon a": nil, "mon b": {one}, "mon c": {one, {Question: "And in Rome?"}}, "mon d": nil,
			"tue a": nil, "tue b": {{Question: "Own?"}},
		}
		for _, f := range []store.Filter{{}, {By: scoring.By{Batch: "mon"}}, {SetVersion: "v1"}} {
			got := map[string][]scoring.Turn{}
			for a, err := range db.Cases(t.Context(), f) {
				if err == nil {
					err = a.Err
				}
				if err != nil {
					t.Fatal(err)
				}
				got[a.Batch+" "+a.CaseID] = a.Case.Agent.Earlier
			}
			expected := map[string][]scoring.Turn{}
			for key, turns := range want {
				if f.Batch == "" || key[:3] == f.Batch {
					expected[key] = turns
				}
			}
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Errorf("%+v: %s", f, diff)
			}
		}
		c, err := db.LabelledCase(t.Context(), scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "nova", Batch: "mon"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want["mon c"], c.Agent.Earlier); diff != "" {
			t.Errorf("one answer: %s", diff)
		}
	})
}

// The views count right turns and right conversations. A turn without an answer is wrong.
func TestViewsOfConversations(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		by := scoring.By{Agent: "nova", Version: "1", Batch: "mon"}
		var rows []scoring.Row
		for _, c := range []struct{ id, conversation, turn string }{
			{"a1", "'k'", "1"}, {"a2", "'k'", "2"}, {"b1", "'l'", "1"}, {"b2", "'l'", "2"}, {"b3", "'l'", "3"}, {"flat", "NULL", "NULL"},
		} {
			db.run(t, "INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id, conversation_id, turn) VALUES ('"+
				c.id+"', 'nova', '1', 'mon', "+c.conversation+", "+c.turn+")")
			right := c.id != "b2"
			s := scoring.OK(map[bool]float64{true: 1}[right], "")
			if c.id == "b3" {
				s = scoring.NotApplicable(scoring.NoAnswer)
			} else {
				s.Passed = &right
			}
			s.Metric, s.Version = "hybrid_ex", 1
			rows = append(rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: c.id, By: by}, Score: s})
		}
		at := time.Date(2025, 1, 13, 0, 0, 0, 0, time.UTC)
		if err := db.WriteRuns(t.Context(), store.Run{RunID: scoring.RunID{ID: "r", By: by}, Started: at, Status: "done"}); err != nil {
			t.Fatal(err)
		}
		if err := db.WriteScores(t.Context(), "r", "h", at, rows); err != nil {
			t.Fatal(err)
		}
		if got, want := db.ask(t, "SELECT turn, answers, judged, passed FROM badger.turns WHERE metric = 'hybrid_ex' ORDER BY turn"),
			"1|2|2|2\n2|2|2|1\n3|1|1|0\n"; got != want {
			t.Errorf("turns:\n%s", got)
		}
		if got, want := db.ask(t, "SELECT conversation_id, turns, passed, all_right, first_wrong_turn FROM badger.conversations ORDER BY conversation_id"),
			"k|2|2|1|\nl|3|1|0|2\n"; got != want {
			t.Errorf("conversations:\n%s", got)
		}
	})
}
