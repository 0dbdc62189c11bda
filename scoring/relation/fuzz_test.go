package relation_test

import (
	"reflect"
	"testing"

	"github.com/badger-eval/badger/scoring/relation"
)

// Any two texts can be compared, with one answer.
func FuzzQueries(f *testing.F) {
	f.Add("SELECT a FROM t WHERE x BETWEEN 1 AND 2", "SELECT a FROM t JOIN u ON t.id IN (u.id) WHERE NOT (x IN (5) OR y IS NULL)", "sqlite")
	f.Add("SELECT count(*) FROM t GROUP BY a HAVING NOT b BETWEEN SYMMETRIC 2 AND 1", "SELECT a FROM t QUALIFY rank() OVER (ORDER BY b) IN (1)", "snowflake")
	f.Fuzz(func(t *testing.T, gold, pred, dialect string) {
		in := relation.Input{GoldSQL: gold, PredSQL: pred, Dialect: dialect}
		if a, b := relation.Queries(in), relation.Queries(in); !reflect.DeepEqual(a, b) {
			t.Errorf("%+v, and then %+v", a, b)
		}
	})
}
