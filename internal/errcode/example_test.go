package errcode_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/errcode"
)

func Example() {
	err := fmt.Errorf("golden set: %w", errcode.New(errcode.NotFound, "no table %s", "golden_set"))
	fmt.Println(err)
	fmt.Println(errcode.Of(err))
	// Output:
	// golden set: no table golden_set
	// not_found
}
