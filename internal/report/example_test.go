package report_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/report"
)

func Example() {
	fmt.Println(report.Percent(0.8125), report.Points(0.372), report.Signed(-0.009))
	// Output:
	// 81.2% +37.2 pts -0.009
}
