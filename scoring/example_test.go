package scoring_test

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

// A table is built column by column. Decimals stay exact.
func ExampleBuilder() {
	price := scoring.NewBuilder("price", scoring.Decimal, 2)
	price.Append(scoring.DecimalValue(1999, 2))
	price.AppendNull()
	table, err := scoring.NewTable(price.Column())
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &table.Columns[0]
	fmt.Println(table.Rows(), c.Name, c.Value(0), c.IsNull(1))
	// Output:
	// 2 price 19.99 true
}

// An engine runs metrics on cases. This one has a custom metric.
func ExampleEngine() {
	short := scoring.Metric{
		Name: "short_answer", Version: 1, Group: "mine", Needs: scoring.FieldPredSQL, Summary: "says whether the query is short",
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			if len(in.Case.Pred.SQL) <= 20 {
				return scoring.OK(1, "at most 20 bytes"), nil
			}
			return scoring.OK(0, "more than 20 bytes"), nil
		},
	}
	engine, err := scoring.NewEngine([]scoring.Metric{short}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, sql := range []string{"SELECT 1", ""} {
		scores, err := engine.Score(context.Background(), &scoring.Case{ID: "c-1", Pred: scoring.Query{SQL: sql}})
		fmt.Println(scores[0].Status, scores[0].Value, scores[0].Reason, err)
	}
	// Output:
	// ok 1 at most 20 bytes <nil>
	// not_applicable 0 no SQL of the agent given <nil>
}
