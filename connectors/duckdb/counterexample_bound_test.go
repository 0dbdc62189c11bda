package duckdb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/counterexample"
)

// The pass over all databases finds a pair at the number of rows from which on it differs, and says that it is
// the same with one row less.
func TestCounterexampleBound(t *testing.T) {
	const ddl = "CREATE TABLE own (id INT PRIMARY KEY); CREATE TABLE t (a INT, b INT REFERENCES own (id))"
	for _, tc := range []struct {
		gold, pred string
		rows       int // from which on they differ
	}{
		{"SELECT a FROM t WHERE a > 5", "SELECT a FROM t WHERE a >= 5", 1},
		{"SELECT count(a) FROM t", "SELECT count(*) FROM t", 1},
		{"SELECT a FROM t", "SELECT DISTINCT a FROM t", 2},
		{"SELECT a, count(*) FROM t GROUP BY a", "SELECT a, 1 FROM t GROUP BY a", 2},
		{"SELECT a FROM t GROUP BY a HAVING count(*) <> 3", "SELECT a FROM t GROUP BY a HAVING count(*) <> 4", 3},
	} {
		for rows := 1; rows <= tc.rows; rows++ {
			o := find(t, counterexample.Problem{Gold: tc.gold, Pred: tc.pred, Dialect: "postgres", Schema: ddl, Tries: 1, Bound: rows, Time: 60_000})
			if o.Why != "" || o.Found != (rows == tc.rows) {
				t.Errorf("%s and %s: found %v with %d rows, want %v: %q", tc.gold, tc.pred, o.Found, rows, rows == tc.rows, o.Why)
			}
			if !o.Found && (o.Bound == nil || o.Bound.Rows != rows) {
				t.Errorf("%s and %s: with %d rows, the pass says %+v", tc.gold, tc.pred, rows, o.Bound)
			}
		}
	}
}

// The domain has the constants, their neighbours where an order is asked for, another value, and NULL if a
// column may have it; constraints hold.
func TestCounterexampleBoundDomain(t *testing.T) {
	const ddl = "CREATE TABLE own (id INT PRIMARY KEY); CREATE TABLE t (a INT, b INT NOT NULL REFERENCES own (id), c VARCHAR(9) NOT NULL)"
	o := find(t, counterexample.Problem{Gold: "SELECT own.id FROM t JOIN own ON t.b = own.id WHERE a > 5 AND c = 'x'", Pred: "SELECT b FROM t WHERE c = 'x' AND a >= 6", Dialect: "postgres", Schema: ddl, Bound: 1, Time: 60_000})
	if o.Found || o.Bound == nil || o.Bound.Rows != 1 {
		t.Fatalf("%q %s %+v", o.Why, o.Sentence, o.Bound)
	}
	want := []string{"own.id {1, 2}", "t.a {5, 4, 6, 7, 8, NULL}", "t.b {1, 2}", "t.c {'x', 'k'}"}
	got := slices.Clone(o.Bound.Domain)
	for i, d := range got {
		name, values, _ := strings.Cut(d, " {")
		list := strings.Split(strings.TrimSuffix(values, "}"), ", ")
		slices.Sort(list)
		got[i] = name + " {" + strings.Join(list, ", ") + "}"
	}
	for i, d := range want {
		name, values, _ := strings.Cut(d, " {")
		list := strings.Split(strings.TrimSuffix(values, "}"), ", ")
		slices.Sort(list)
		want[i] = name + " {" + strings.Join(list, ", ") + "}"
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the domain is %q, want %q", got, want)
	}
	// Without own: 6*2*2 rows of t need a row of own: 1 + 2 databases without t, and for each row of own that a row of t may refer to, those of t.
	if want := 3 + 2*12; o.Bound.Databases != want {
		t.Errorf("%d databases, want %d", o.Bound.Databases, want)
	}
}

// Outside of the fragment, and where there are too many databases, nothing is said of all of them.
func TestCounterexampleBoundFragment(t *testing.T) {
	const ddl = "CREATE TABLE t (a INT, b VARCHAR(9), c INT, d INT, e INT, f INT)"
	for _, query := range []string{
		"SELECT a + 1 FROM t", "SELECT a FROM t WHERE b LIKE 'x%'", "SELECT a FROM t ORDER BY a LIMIT 1", "SELECT upper(b) FROM t", "SELECT a FROM (SELECT a FROM t) s",
		"SELECT a FROM t WHERE a IN (SELECT c FROM t)", "SELECT a FROM t UNION ALL SELECT a FROM t", "SELECT a, b, c, d, e, f FROM t WHERE a > 1 AND c > 2 AND d > 3 AND e > 4 AND f > 5",
		"SELECT sum(a) OVER () FROM t", "SELECT a FROM t WHERE b < 'm'",
	} {
		o := find(t, counterexample.Problem{Gold: query, Pred: query, Dialect: "postgres", Schema: ddl, Time: 60_000})
		if o.Found || o.Bound != nil {
			t.Errorf("%s: %+v", query, o.Bound)
		}
	}
	if o := find(t, counterexample.Problem{Gold: "SELECT a FROM t", Pred: "SELECT t.a FROM t", Dialect: "postgres", Bound: 2, Time: 60_000}); o.Bound != nil {
		t.Errorf("without a schema: %+v", o.Bound)
	}
	if o := find(t, counterexample.Problem{Gold: "SELECT a FROM t", Pred: "SELECT t.a FROM t", Dialect: "postgres", Schema: ddl, Bound: -1, Time: 60_000}); o.Bound != nil {
		t.Errorf("without the pass: %+v", o.Bound)
	}
}
