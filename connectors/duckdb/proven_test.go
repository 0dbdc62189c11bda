package duckdb_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlproof"
)

// bothHold reports whether a pair is proven, and fails the test where it is refuted as well.
func bothHold(t *testing.T, e counterexample.Engine, name, gold, pred, dialect, ddl string) (proven, searched bool) {
	t.Helper()
	d := sqlparts.DialectOf(dialect)
	proof := proofOf(new(sqlparts.Texts).Bind(ddl, gold, pred, d))
	if proof == nil {
		return false, false
	}
	o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: gold, Pred: pred, Dialect: dialect, Schema: ddl, Tries: 30, Time: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	if o.Found {
		t.Errorf("%s: proven (%s, relies on %v) and refuted (%s) in %s\n%s\n%s\n%s\n%v", name, proof.By, proof.Relies, o.Sentence, dialect, ddl, gold, pred, o.Tables)
	}
	return true, o.Why == ""
}

// No pair of the reference data is both proven and refuted.
func TestProvenIsNotRefuted(t *testing.T) {
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	for _, file := range []string{
		"sqltraps/pairs.jsonl", "equivalence/literature.jsonl", "equivalence/calcite.jsonl", "enterprise/sameresult.jsonl", "enterprise/acme.jsonl", "enterprise/bizanalyst.jsonl",
		"enterprise/ghevents.jsonl", "enterprise/hard.jsonl", "enterprise/mutants.jsonl", "enterprise/spiderdev.jsonl", "traps/cases.jsonl", "traps2/cases.jsonl",
		"found/house/names.jsonl", "found/house/partial.jsonl", "found/house/nest.jsonl", "found/house/sib.jsonl", "found/house/s.jsonl",
	} {
		t.Run(file, func(t *testing.T) {
			proven, searched := 0, 0
			all := pairs(t, file)
			for i, p := range all {
				if left(i, len(all), 24) {
					continue
				}
				a, b := bothHold(t, e, p.CaseID, p.Gold.SQL, p.Agent.SQL, p.Dialect, p.Schema)
				proven, searched = proven+count(a), searched+count(b)
			}
			t.Logf("%d of at most %d pairs are proven; on %d of them a counterexample was searched",
				proven, len(all), searched)
		})
	}
}

// The two proofs know the same dialects: what is a default to one is a default to the other.
func TestProofsAgreeOnDefaults(t *testing.T) {
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	const ddl = "CREATE TABLE t (id INT PRIMARY KEY, g INT NOT NULL, v INT)"
	for _, function := range sample.Of([]string{"FIRST_VALUE(v)", "LAST_VALUE(v)", "SUM(v)", "COUNT(v)"}, 3) {
		for frame, own := range map[string]string{"": "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", " ": "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"} {
			for _, dialect := range []string{"snowflake", "postgres", "duckdb", "bigquery", "databricks", "mysql", "sqlite"} {
				query := func(frame string) string {
					return "SELECT id, " + function + " OVER (PARTITION BY g ORDER BY id " + frame + ") AS x FROM t"
				}
				bothHold(t, e, function, query(frame), query(own), dialect, ddl)
			}
		}
	}
	// and that LAST_VALUE sees the whole partition in Snowflake alone
	for dialect, differ := range map[string]bool{"snowflake": false, "postgres": true, "duckdb": true} {
		o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{
			Gold: "SELECT id, LAST_VALUE(v) OVER (ORDER BY id) AS x FROM t", Pred: "SELECT id, LAST_VALUE(v) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM t",
			Dialect: dialect, Schema: ddl,
		})
		if err != nil || o.Why != "" || o.Found != differ {
			t.Errorf("%s: found %v, %s, %v, want found %v", dialect, o.Found, o.Why, err, differ)
		}
	}
}

// What is no plain query, or has a part that the search does not carry, has no answer.
func TestCounterexamplesOfWholeQueries(t *testing.T) {
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	for _, tc := range []struct{ dialect, gold, pred, ddl, why string }{
		{"postgres", "SELECT a FROM t", "EXPLAIN SELECT a FROM t", "CREATE TABLE t (a INT)", "is not one query"},
		{"mysql", "SELECT a FROM t", "DESCRIBE SELECT a FROM t", "CREATE TABLE t (a INT)", "is not one query"},
		{"postgres", "SELECT a FROM t", "DECLARE c CURSOR FOR SELECT a FROM t", "CREATE TABLE t (a INT)", "is not one query"},
		{"tsql", "SELECT a FROM t", "SELECT a FROM t FOR JSON PATH", "CREATE TABLE t (a INT)", "has words"},
		{"tsql", "SELECT a FROM t", "SELECT a FROM t FOR XML AUTO", "CREATE TABLE t (a INT)", "has words"},
		{"postgres", "SELECT a FROM prod.t", "SELECT a FROM staging.t", "CREATE TABLE t (a INT)", "prod.t and staging.t"},
		{"postgres", "SELECT a FROM t", "SELECT a FROM old.t", "CREATE TABLE now.t (a INT)", "which the schema does not have"},
	} {
		o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: tc.gold, Pred: tc.pred, Dialect: tc.dialect, Schema: tc.ddl})
		if err != nil || !strings.Contains(o.Why, tc.why) {
			t.Errorf("%s / %s: %q, %v, want %q", tc.gold, tc.pred, o.Why, err, tc.why)
		}
	}
	// without a schema, the tables of two schemas are two tables
	o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: "SELECT a FROM prod.t", Pred: "SELECT a FROM staging.t", Dialect: "postgres"})
	if err != nil || !o.Found {
		t.Errorf("two tables: %+v, %v", o, err)
	}
	o, err = counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: "SELECT a FROM prod.t", Pred: "SELECT a FROM t", Dialect: "postgres", Schema: "CREATE TABLE prod.t (a INT)"})
	if err != nil || o.Found || o.Why != "" {
		t.Errorf("one table: %+v, %v", o, err)
	}
}

// author writes pairs of queries on a schema: each part is one of several that are nearly the same, and
// both queries mostly have the same.
type author struct{ *rand.Rand }

func (a author) one(of ...string) string { return of[a.IntN(len(of))] }

// two returns a part of each query.
func (a author) two(of ...string) (gold, pred string) {
	gold = a.one(of...)
	if a.IntN(3) > 0 {
		return gold, gold
	}
	return gold, a.one(of...)
}

func (a author) ddl() string {
	null := a.one("", " NOT NULL")
	key := a.one("", "", " UNIQUE", " PRIMARY KEY")
	more := a.one("", "", "; CREATE UNIQUE INDEX i ON t (a)", "; CREATE UNIQUE INDEX i ON t (a) WHERE b > 0", "; CREATE UNIQUE INDEX i ON t (a); DROP INDEX i", "; CREATE UNIQUE INDEX i ON t (a, b)",
		"; ALTER TABLE t ADD CONSTRAINT c UNIQUE (a)", "; ALTER TABLE t ADD CONSTRAINT c UNIQUE (a); ALTER TABLE t DROP CONSTRAINT c", "; ALTER TABLE t ALTER COLUMN a DROP NOT NULL", "; ALTER TABLE t ALTER COLUMN a SET NOT NULL",
		"; CREATE UNIQUE INDEX i ON other.t (a)", "; ALTER TABLE t ADD COLUMN c INT", "; CREATE UNIQUE INDEX i ON t ((a + b))")
	return "CREATE TABLE u (k INT" + a.one("", " NOT NULL") + a.one("", " UNIQUE", " PRIMARY KEY") + ", w INT); CREATE TABLE t (a INT" + null + key + ", b INT, k INT" + a.one("", " NOT NULL") + a.one("", " REFERENCES u (k)") + ")" + more
}

func (a author) pair() (gold, pred string) {
	from, from2 := a.two("t", "(SELECT a, b, k FROM t) AS t", "(SELECT * FROM t) AS t", "(SELECT DISTINCT a, b, k FROM t) AS t", "(SELECT a, b, k, upper('x') AS y FROM t) AS t", "(SELECT a, b, k, row_number() OVER (ORDER BY b) AS y FROM t) AS t",
		"(SELECT a, max(b) AS b, max(k) AS k FROM t GROUP BY a) AS t")
	join, join2 := a.two("", "", " LEFT JOIN u ON u.k = t.k", " JOIN u ON u.k = t.k", " LEFT JOIN (SELECT DISTINCT k FROM u) AS u ON u.k = t.k", " CROSS JOIN (SELECT count(*) AS n FROM u) AS c")
	where, where2 := a.two("", "", " WHERE t.a IS NOT NULL", " WHERE t.a = t.a", " WHERE t.k IN (SELECT k FROM u)", " WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.k = t.k)", " WHERE NOT t.a <> 1", " WHERE t.a = 1", " WHERE t.a IN (1)",
		" WHERE t.k NOT IN (SELECT k FROM u)", " WHERE NOT EXISTS (SELECT 1 FROM u AS x WHERE x.k = t.k)", " WHERE t.a BETWEEN 1 AND 2", " WHERE t.a >= 1 AND 2 >= t.a")
	items, items2 := a.two("SELECT t.a@", "SELECT DISTINCT t.a@", "SELECT t.a@ GROUP BY t.a", "SELECT count(*)@", "SELECT count(t.a)@", "SELECT count(DISTINCT t.a)@", "SELECT t.a, count(*)@ GROUP BY t.a", "SELECT t.a, count(t.b)@ GROUP BY t.a",
		"SELECT t.a, last_value(t.b) OVER (ORDER BY t.a)@", "SELECT t.a, last_value(t.b) OVER (ORDER BY t.a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)@", "SELECT t.a FROM (SELECT t.a@) AS t", "SELECT max(t.a)@", "SELECT max(DISTINCT t.a)@")
	tail, tail2 := a.two("", "", "", " ORDER BY 1", " ORDER BY 1 LIMIT 2", " ORDER BY 1 DESC")
	query := func(items, from, join, where, tail string) string {
		return strings.Replace(items, "@", " FROM "+from+join+where, 1) + tail
	}
	return query(items, from, join, where, tail), query(items2, from2, join2, where2, tail2)
}

func provenPairs(t *testing.T, e counterexample.Engine, seed, other uint64, n int) (proven, searched int) {
	a := author{rand.New(rand.NewPCG(seed, other))}
	dialects := []string{"postgres", "duckdb", "sqlite", "snowflake", "mysql", "bigquery", "databricks", "redshift"}
	for i := range n {
		ddl := a.ddl()
		gold, pred := a.pair()
		if gold == pred {
			continue
		}
		x, y := bothHold(t, e, fmt.Sprintf("%d, %d, pair %d", seed, other, i), gold, pred, a.one(dialects...), ddl)
		proven, searched = proven+count(x), searched+count(y)
	}
	return proven, searched
}

func TestProvenPairsAreNotRefuted(t *testing.T) {
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	proven, searched := provenPairs(t, e, 35, 3, sample.Count(1200, 24))
	t.Logf("%d pairs are proven, %d of them were searched", proven, searched)
	if proven < sample.Count(40, 24) || searched < sample.Count(30, 24) {
		t.Errorf("%d pairs are proven and %d searched: the test says nothing", proven, searched)
	}
}

// FuzzProvenIsNotRefuted makes schemas and pairs of queries that are nearly the same: none is both proven
// and refuted.
func FuzzProvenIsNotRefuted(f *testing.F) {
	e := duckdb.NewSmallDatabases(1)
	f.Cleanup(func() { e.Close() })
	for seed := range uint64(3) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, seed, other uint64) { provenPairs(t, e, seed, other, 40) })
}

func proofOf(gold, pred *sqlparts.Bound) *sqlproof.Proof { return sqlproof.Same(gold, pred, nil) }
