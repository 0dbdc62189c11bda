package prompt_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The table as a judge sees it.
func ExampleTable() {
	b := scoring.NewBuilder("orders", scoring.Int64, 1)
	b.AppendInt(5310)
	t, err := scoring.NewTable(b.Column())
	fmt.Println(prompt.Table(t), err)
	// Output:
	// | orders |
	// | --- |
	// | 5310 |
	// Shape: 1 rows, 1 columns <nil>
}
