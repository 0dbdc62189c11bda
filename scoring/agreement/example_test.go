package agreement_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/agreement"
)

// Two raters agree on 90 of 100 answers, and each passes half of them.
func ExampleConfusion() {
	c := agreement.Confusion{TP: 45, FN: 5, FP: 5, TN: 45}
	fmt.Printf("%.2f %.2f\n", c.Accuracy().Value, c.Kappa().Value)
	fmt.Println(agreement.LandisKoch(c.Kappa().Value))
	// Output:
	// 0.90 0.80
	// substantial
}

// Holm's correction multiplies the smallest p by the number of tests.
func ExampleHolm() {
	fmt.Println(agreement.Holm([]float64{0.01, 0.04, 0.03}))
	// Output:
	// [0.03 0.06 0.06]
}
