package metric_test

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// All the metrics that a case has what they need for, without a judge.
func ExampleAll() {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &scoring.Case{
		ID: "c-1", Dialect: "snowflake",
		Golds: []scoring.Query{{SQL: "SELECT a FROM t WHERE a > 1"}},
		Pred:  scoring.Query{SQL: "SELECT t.a FROM t WHERE 1 < t.a"},
	}
	scores, err := engine.Score(context.Background(), c, "verdict", "sql_safety")
	for _, s := range scores {
		fmt.Println(s.Metric, s.Status, s.Value)
	}
	fmt.Println(err)
	// Output:
	// verdict ok 1
	// sql_safety ok 1
	// <nil>
}
