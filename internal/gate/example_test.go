package gate_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/gate"
)

func Example() {
	bounds, err := gate.ParseBounds("--fail-under", []string{"hybrid_ex=0.9", "0.5"})
	fmt.Println(bounds, err)
	fmt.Println(gate.Reached(0.1+0.2, 0.3), gate.Reached(0.89, 0.9))

	_, err = gate.ParseBounds("--fail-under", []string{"hybrid_ex=high"})
	fmt.Println(err)
	// Output:
	// [{hybrid_ex 0.9} { 0.5}] <nil>
	// true false
	// --fail-under: expected METRIC=NUMBER, such as hybrid_ex=0.9
}
