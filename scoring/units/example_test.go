package units_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/units"
)

// Two columns whose names state units are equal once one is converted.
func ExampleCompare() {
	r, conversion := units.Compare(units.InName("distance_km", nil), units.InName("distance_m", nil))
	fmt.Println(r == units.Converted, conversion.Factors[0].RatString())
	r, _ = units.Compare(units.InName("price_usd", nil), units.InName("price_eur", nil))
	fmt.Println(r == units.Other)
	// Output:
	// true 1000
	// true
}
