package align_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
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

// Columns correspond by what they hold, whatever they are called and in whatever order they stand.
func ExampleAlign() {
	text, number := scoring.StringValue, scoring.IntValue
	gold := exampleTable([]string{"region", "orders"}, []scoring.Value{text("north"), number(5310)}, []scoring.Value{text("south"), number(4890)})
	pred := exampleTable([]string{"n", "Region"}, []scoring.Value{number(4890), text("south")}, []scoring.Value{number(5310), text("north")})
	a := align.Align(gold, pred, align.Options{})
	for _, pair := range a.Columns {
		fmt.Println(gold.Columns[pair.Gold].Name, "=", pred.Columns[pair.Pred].Name)
	}
	// Output:
	// region = Region
	// orders = n
}
