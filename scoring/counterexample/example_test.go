package counterexample_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func ExampleReadSchema() {
	s := counterexample.ReadSchema("CREATE TABLE orders (id INT PRIMARY KEY, amount DECIMAL(10,2))", sqlparts.DialectOf("postgres"))
	fmt.Println(s.Table("orders").Column("amount") != nil, s.Table("lines") != nil)
	// Output:
	// true false
}
