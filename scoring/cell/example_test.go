package cell_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// Values of different types have one order: numbers compare as numbers.
func ExampleOrder() {
	half := scoring.DecimalValue(50, 2)
	fmt.Println(cell.Order(scoring.IntValue(2), half), cell.Order(half, scoring.FloatValue(0.5)))
	// Output:
	// 1 0
}
