package columnar_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/columnar"
)

func ExampleColumn() {
	c := columnar.New(columnar.DOUBLE, 0)
	fmt.Printf("%q\n", c.AppendText("0.25"))
	c.AppendNull()
	fmt.Println(c.Len(), c.Floats[0], c.IsNull(1), c.CountNulls())
	// Output:
	// ""
	// 2 0.25 true 1
}
