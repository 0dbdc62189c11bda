package udf_test

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

// A catalogue has the functions that warehouses call: one for each metric, and some more.
func ExampleCatalogue() {
	engine, err := scoring.NewEngine([]scoring.Metric{{
		Name: "has_sql", Version: 1, Group: "mine", Needs: scoring.FieldPredSQL, Summary: "is 1",
		Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
			return scoring.OK(1, "there is SQL"), nil
		},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	catalogue, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := catalogue.ScoreCase(context.Background(), []byte(`{"case_id": "c-1", "agent": {"sql": "SELECT 1"}}`), nil, udf.Deadline{})
	fmt.Println(scores[0].Score.Metric, scores[0].Score.Value, err)
	// Output:
	// has_sql 1 <nil>
}
