package printable_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/printable"
)

func ExampleCount() {
	fmt.Println(printable.Count(1, "case"), printable.Verb(1, "differs", "differ"))
	fmt.Println(printable.Count(3, "case"), printable.Verb(3, "differs", "differ"))
	fmt.Println(printable.Count(2, "query"))
	// Output:
	// 1 case differs
	// 3 cases differ
	// 2 queries
}
