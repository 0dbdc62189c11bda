package sqlparts_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

func Example() {
	script := sqlparts.Parse("SELECT region, SUM(amount) FROM orders WHERE status = 'done' GROUP BY region; DROP TABLE t", sqlparts.DialectOf("snowflake"))
	for _, s := range script.Statements {
		fmt.Println(s.Kind)
	}
	parts := sqlparts.Extract(script.Statements[0].Query)
	tier, _ := sqlparts.Complexity(parts)
	fmt.Println(parts.Set("where"), parts.Set("group_by"), tier)
	// Output:
	// query
	// drop
	// [status = 'done'] [region] medium
}
