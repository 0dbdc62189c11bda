package sqlproof

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Chains in which each step reads the one before twice, or joins it by FULL JOIN, are compared in
// time that does not multiply with each step.
func BenchmarkChains(b *testing.B) {
	var full, joined strings.Builder
	full.WriteString("SELECT count(*) FROM (SELECT a FROM t) s0")
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&full, " FULL JOIN (SELECT a FROM t%d) s%d ON s%d.a = s%d.a", i, i, i-1, i)
	}
	joined.WriteString("WITH c0 AS (SELECT a, sum(b) AS b FROM t GROUP BY a)")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&joined, ", c%d AS (SELECT x.a, sum(y.b) AS b FROM c%d x JOIN c%d y ON x.a = y.a GROUP BY x.a)", i, i-1, i-1)
	}
	joined.WriteString(" SELECT a, b FROM c8")
	for name, text := range map[string]string{"full": full.String(), "joined": joined.String()} {
		b.Run(name, func(b *testing.B) {
			gold, pred := sqlparts.Parse(text, sqlparts.DuckDB), sqlparts.Parse(text+" WHERE 1 = 2", sqlparts.DuckDB)
			for b.Loop() {
				if prove(gold, pred, nil) != nil {
					b.Fatal("proven to be the same")
				}
			}
		})
	}
}
