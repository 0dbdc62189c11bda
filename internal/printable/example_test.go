package printable_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/printable"
)

func Example() {
	fmt.Println(printable.List([]string{"region", "year", "revenue"}))
	fmt.Println(printable.Width("日本"), printable.Width("Japan"))
	for _, line := range printable.Wrap("a judge sees only what rules cannot decide", 20) {
		fmt.Println(line)
	}
	// Output:
	// region, year, revenue
	// 4 5
	// a judge sees only
	// what rules cannot
	// decide
}
