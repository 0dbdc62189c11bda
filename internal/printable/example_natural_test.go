package printable_test

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
)

func ExampleCompareNatural() {
	names := []string{"atlas 10", "atlas 9", "atlas 2"}
	slices.SortFunc(names, printable.CompareNatural)
	fmt.Println(names)

	versions := []string{"1.0", "1.0-rc2", "0.9", "1.0-rc10"}
	slices.SortFunc(versions, printable.CompareVersions)
	fmt.Println(versions)
	// Output:
	// [atlas 2 atlas 9 atlas 10]
	// [0.9 1.0-rc2 1.0-rc10 1.0]
}
