package bigquery_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Badger's tables in BigQuery: installed twice, cases written and read, scores merged, counted
// once.
func TestWarehouse(t *testing.T) {
	ctx := context.Background()
	ways := map[string][]string{"Storage": nil, "REST": {"storage=off"}}
	for _, name := range sample.Of(slices.Sorted(maps.Keys(ways)), len(ways)) {
		options := ways[name]
		t.Run(name, func(t *testing.T) {
			w := store.New(connectors.New(open(t, start(t), driver.Options{}, options...), bigquery.Dialect))
			defer w.Close() //nolint:errcheck // the test's end
			for range 2 {
				if err := w.Install(ctx); err != nil {
					t.Fatal(err)
				}
			}
			w.Trial(ctx, "trial", func(step store.TrialStep, err error) {
				if err != nil {
					t.Errorf("%s: %v", step, err)
				}
			})
			const n = 1500
			cases := make([]*scoring.Case, n)
			scores := make([]scoring.Row, n)
			for i := range cases {
				id := fmt.Sprintf("case %04d", i)
				cases[i] = &scoring.Case{ID: id, Question: "how many badgers? 🦡", Golds: []scoring.Query{{SQL: "SELECT 1"}}, Agent: scoring.Agent{Name: "a", Version: "1", BatchID: "b"}, Pred: scoring.Query{SQL: "SELECT 1 -- ' \\ \""}}
				scores[i] = scoring.Row{AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Score: scoring.Score{Metric: "m", Version: 1, Status: scoring.StatusOK, Value: 0.1 * float64(i%10), Reason: "because"}}
			}
			for range 2 {
				if err := w.WriteCases(ctx, "v1", cases); err != nil {
					t.Fatal(err)
				}
				if err := w.WriteScores(ctx, "run", "hash", time.Unix(1709251199, 0), scores); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := w.Count(ctx, store.Filter{By: scoring.By{Agent: "a"}}); err != nil || got != n {
				t.Errorf("%d answers, %v, want %d", got, err, n)
			}
			i := 0
			for a, err := range w.Cases(ctx, store.Filter{SetVersion: "v1"}) {
				if err != nil || a.Err != nil {
					t.Fatal(err, a.Err)
				}
				if a.Case.ID != cases[i].ID || a.Case.Question != cases[i].Question || a.Case.Pred.SQL != cases[i].Pred.SQL {
					t.Fatalf("answer %d is %+v", i, a.Case)
				}
				i++
			}
			keys := 0
			for _, err := range w.Scores(ctx, "run") {
				if err != nil {
					t.Fatal(err)
				}
				keys++
			}
			if i != n || keys != n {
				t.Errorf("%d answers and %d scores, want %d", i, keys, n)
			}
		})
	}
}

// A judge that BigQuery hosts is asked through the connection: one statement, one text, the prompt
// as its parameter.
func TestJudgeInTheWarehouse(t *testing.T) {
	s := start(t)
	for _, statement := range []string{
		"CREATE SCHEMA AI",
		`CREATE MACRO AI.GENERATE(prompt, endpoint := '', model_params := NULL, connection_id := '') AS {'result': 'you asked: ' || prompt, 'status': '', 'full_response':
 '{"modelVersion": "' || endpoint || '", "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2}}'}`,
	} {
		if err := s.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, s, driver.Options{})
	defer c.Close() //nolint:errcheck // the test's end
	judge, err := judgebackend.Providers{inwarehouse.BigQueryAI}.Open(t.Context(), "bigqueryai:gemini-2.5-flash", &judgebackend.OpenOptions{Queryer: c, Connection: "p.eu.c"})
	if err != nil {
		t.Fatal(err)
	}
	const prompt = "it's \\ \"so\" 😀\n?"
	got, err := judge.Complete(t.Context(), judgebackend.Request{Purpose: "test", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: prompt}}})
	if err != nil || got.Reply != "you asked: "+prompt || got.TokensIn != 9 || got.Model != "gemini-2.5-flash" {
		t.Errorf("%+v, %v", got, err)
	}
	s.FailJobs(&bq.ErrorProto{Reason: "quotaExceeded", Message: "Quota exceeded: hunter2"})
	if _, err := judge.Complete(t.Context(), judgebackend.Request{Purpose: "test", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: prompt}}}); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("a quota that is used up: %v (%v), want failed_precondition", err, errcode.Of(err))
	}
}
