package snowflake_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Badger's own tables: installed twice, answers written and read, scores written twice, results
// resolved by reference.
func TestWarehouse(t *testing.T) {
	s := fakesnowflake.New(t)
	s.Keep(anID, numbered(30))
	urls := map[string]string{"our own server": urlOf(s)}
	options, err := fakesnow()
	if err != nil {
		t.Fatal(err)
	}
	if options != "" {
		urls["fakesnow"] = fmt.Sprintf("snowflake://tester@fake/DB%d/PUBLIC?%s", databases.Add(1), options)
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			w := store.New(connectors.New(open(t, url, driver.Options{}).Conn, snowflake.Dialect))
			defer w.Close()
			for range 2 {
				if err := w.Install(ctx); err != nil {
					t.Fatal(err)
				}
			}
			latency := 1500 * time.Microsecond
			want := &scoring.Case{
				ID: "full", Question: "How many? 😀", Tags: []string{"x", "y"},
				Golds: []scoring.Query{
					{SQL: "SELECT 1", Ran: true, Latency: &latency, Result: scoring.ParseResultText([]byte(`{"columns":[{"name":"n","type":"DECIMAL"}],"rows":[["12345678901234567890.12"]]}`))},
					{SQL: "SELECT 2", Ran: true, Result: scoring.Result{Ref: "query:" + anID}},
				},
				Pred:     scoring.Query{SQL: "SELECT 'a'", Error: "it failed", Ran: true},
				Agent:    scoring.Agent{Name: "atlas", Version: "2.0", BatchID: "b1", Turn: 4, ToolCalls: []scoring.ToolCall{{Name: "run_sql", Arguments: json.RawMessage(`{"q":"SELECT 1"}`)}}},
				Expected: scoring.Expected{Behaviour: "answer", Clarifications: []string{"which year?"}},
			}
			for range 2 {
				if err := w.WriteCases(ctx, "2024-06", []*scoring.Case{want}); err != nil {
					t.Fatal(err)
				}
			}
			n := 0
			for a, err := range w.Cases(ctx, store.Filter{By: scoring.By{Agent: "atlas"}}) {
				if err != nil || a.Err != nil {
					t.Fatal(err, a.Err)
				}
				n++
				got := a.Case
				if got.Question != want.Question || len(got.Golds) != 2 || got.Golds[0].Result.Table.Columns[0].Value(0).String() != "12345678901234567890.12" || got.Golds[1].Result.Ref != "query:"+anID ||
					got.Golds[0].Latency == nil || *got.Golds[0].Latency != latency || got.Pred.Error != "it failed" || got.Agent.Turn != 4 || len(got.Agent.ToolCalls) != 1 || len(got.Expected.Clarifications) != 1 {
					t.Errorf("got %+v\nwant %+v", got, want)
				}
			}
			if n != 1 {
				t.Errorf("%d answers, want one", n)
			}
			passed := true
			score := scoring.Score{Metric: "hybrid_ex", Version: 3, Status: scoring.StatusOK, Value: 0.1, Passed: &passed, Reason: "all \"rows\" agree\nwithin\ttolerance", Detail: map[string]any{"n": 1}}
			for range 2 {
				if err := w.WriteScores(ctx, "run-1", "hash", time.Unix(1_700_000_000, 0), []scoring.Row{{Score: score, AnswerID: scoring.AnswerID{CaseID: "full", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b1"}}}}); err != nil {
					t.Fatal(err)
				}
			}
			keys := 0
			for k, err := range w.Scores(ctx, "run-1") {
				if err != nil || k.Score.Metric != "hybrid_ex" || k.Score.Version != 3 || k.Score.Status != scoring.StatusOK || k.AnswerID != (scoring.AnswerID{CaseID: "full", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b1"}}) {
					t.Errorf("%+v, %v", k, err)
				}
				keys++
			}
			if keys != 1 {
				t.Errorf("%d scores, want one", keys)
			}
			scores, err := w.Query(ctx, "SELECT value, passed, reason FROM badger.scores")
			if err != nil || scores.Rows() != 1 || scores.Columns[0].Value(0).String() != "0.1" || scores.Columns[1].Value(0).String() != "true" || scores.Columns[2].Value(0).Text() != score.Reason {
				t.Errorf("%v, %v", scores, err)
			}
			if name == "fakesnow" {
				return // it keeps no results by id
			}
			if kept, err := w.ReadSnapshot(ctx, "query:"+anID); err != nil || kept.Rows() != 30 {
				t.Errorf("a result by its id: %v, %v", kept, err)
			}
		})
	}
}
