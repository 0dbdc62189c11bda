package sqltree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// BenchmarkLongQueries compares queries as long as machines write them: time must grow with their
// length.
func BenchmarkLongQueries(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		var where, columns strings.Builder
		for i := range n {
			fmt.Fprintf(&where, " AND c%d > %d", i, i)
			fmt.Fprintf(&columns, ", col_%d", i)
		}
		for name, sql := range map[string]string{"where": "SELECT a FROM t WHERE a = 0" + where.String(), "columns": "SELECT a" + columns.String() + " FROM t"} {
			q := sqlparts.Parse(sql, sqlparts.Generic)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					s := &Schema{}
					trees, _ := treesOf(s, q, q)
					equivalent(trees[0], trees[1], s, Rules{})
				}
			})
		}
	}
}
