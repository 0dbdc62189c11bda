package chart_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/chart"
)

func ExampleDecimal() {
	fmt.Println(chart.Decimal(0.8125, 2), chart.Decimal(3, 2))
	// Output:
	// 0.81 3.00
}
