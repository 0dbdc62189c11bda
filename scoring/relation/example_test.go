package relation_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
)

func exampleTable(names []string, rows ...[]scoring.Value) *scoring.Table {
	var columns []scoring.Column
	for i, name := range names {
		b := scoring.NewBuilder(name, rows[0][i].Type, len(rows))
		for _, row := range rows {
			b.Append(row[i])
		}
		columns = append(columns, b.Column())
	}
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	return t
}

// The answer holds the same as gold, and also the total.
func ExampleFind() {
	text, number := scoring.StringValue, scoring.IntValue
	gold := exampleTable([]string{"region", "orders"}, []scoring.Value{text("north"), number(5310)}, []scoring.Value{text("south"), number(4890)})
	pred := exampleTable([]string{"region", "orders"}, []scoring.Value{text("north"), number(5310)}, []scoring.Value{text("south"), number(4890)}, []scoring.Value{text("Total"), number(10200)})
	for _, r := range relation.Find(relation.Input{Gold: gold, Pred: pred}) {
		fmt.Println(r.Name, r.Class)
	}
	// Output:
	// total_row difference
	// superset difference
}
