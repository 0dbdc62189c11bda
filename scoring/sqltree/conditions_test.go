package sqltree

import (
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlparts/sqlpartstest"
)

// One condition has one normal form, however it is written.
func TestWaysToWriteACondition(t *testing.T) {
	for seed := range uint64(2000) {
		ways := sqlpartstest.Conditions(seed, 4)
		for _, way := range ways[1:] {
			a, b := build(t, ReadSchema("", sqlparts.SQLite), sqlparts.SQLite, "SELECT k FROM t WHERE "+ways[0], "SELECT k FROM t WHERE "+way)
			if !equivalent(a, b, ReadSchema("", sqlparts.SQLite), Rules{}) {
				t.Errorf("seed %d: %s\n%s\n%s\n%s", seed, ways[0], way, a, b)
			}
		}
	}
}

func TestOpposites(t *testing.T) {
	for _, tc := range []struct {
		a, b  string
		equal bool
	}{
		{"NOT a LIKE ANY ('x%', 'y')", "a NOT LIKE ALL ('x%', 'y')", true},
		{"NOT a LIKE ANY ('x%', 'y')", "a NOT LIKE ANY ('x%', 'y')", false},
		{"NOT a = ANY (SELECT b FROM u)", "a <> ALL (SELECT b FROM u)", true},
		{"NOT a < ALL (SELECT b FROM u)", "a >= ANY (SELECT b FROM u)", true},
		{"NOT a BETWEEN SYMMETRIC 5 AND 1", "a NOT BETWEEN SYMMETRIC 5 AND 1", true},
		{"NOT a IS DISTINCT FROM b", "a IS NOT DISTINCT FROM b", true},
		{"NOT a SIMILAR TO 'x'", "a NOT SIMILAR TO 'x'", true},
		{"NOT a ~ 'x'", "a !~ 'x'", true},
		{"NOT a LIKE 'x!%' ESCAPE '!'", "a NOT LIKE 'x!%' ESCAPE '!'", true},
		{"a NOT LIKE 'x%'", "substr(a, 1, 1) <> 'x'", true},
		{"a NOT LIKE 'x%'", "a LIKE 'x%'", false},
		{"NOT a", "a", false},
	} {
		a, b := build(t, ReadSchema("", sqlparts.SQLite), sqlparts.Postgres, "SELECT k FROM t WHERE "+tc.a, "SELECT k FROM t WHERE "+tc.b)
		if equivalent(a, b, ReadSchema("", sqlparts.SQLite), Rules{}) != tc.equal {
			t.Errorf("%s and %s are the same: %v\n%s\n%s", tc.a, tc.b, !tc.equal, a, b)
		}
	}
}
