package policy_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

// A policy says of each relation between two results whether it makes an answer right.
func ExampleDefault() {
	table := policy.Default()
	for _, name := range []string{"extra_columns", "duplicates", "other_column"} {
		fmt.Println(name, table.Row(policy.Answer, relation.Relation{Name: name}).Passes)
	}
	// Output:
	// extra_columns true
	// duplicates true
	// other_column false
}
