package amount_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/amount"
)

func Example() {
	fmt.Println(amount.Of(1, "case"), amount.Verb(1, "differs", "differ"))
	fmt.Println(amount.Of(3, "case"), amount.Verb(3, "differs", "differ"))
	fmt.Println(amount.Of(2, "query"))
	// Output:
	// 1 case differs
	// 3 cases differ
	// 2 queries
}
