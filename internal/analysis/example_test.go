package analysis_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/analysis"
)

func ExamplePValue() {
	fmt.Println(analysis.PValue(0.0004), analysis.PValue(0.031))
	// Output:
	// <.001 0.031
}
