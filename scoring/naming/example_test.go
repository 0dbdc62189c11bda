package naming_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/naming"
)

func Example() {
	fmt.Println(naming.Words("totalRevenue_USD"))
	fmt.Println(naming.MonthNumber("feb"), naming.Initials("gmv", "gross merchandise value"))
	// Output:
	// [total revenue usd]
	// 2 true
}
