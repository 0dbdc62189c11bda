package driver_test

import (
	"fmt"

	"github.com/badger-eval/badger/connectors/driver"
)

func ExampleParseRef() {
	ref, err := driver.ParseRef("table:sales.results@2026-01-31")
	fmt.Println(ref.Kind, ref.Name, ref.At, err)
	// Output:
	// table sales.results 2026-01-31 <nil>
}

// A caller of a server may read what the configuration names, and nothing else.
func ExampleAllowed() {
	allowed, err := driver.ParseAllowed([]string{"sales.*"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"table:sales.orders", "table:staff.salaries"} {
		ref, _ := driver.ParseRef(text)
		fmt.Println(text, allowed.Allows(ref))
	}
	// Output:
	// table:sales.orders true
	// table:staff.salaries false
}
