package relation_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/relation"
)

// Every published query says the same as itself, and any two can be compared.
func TestQueriesOfTheCorpus(t *testing.T) {
	f, err := os.Open(referenceData(t, "spider2/gold_sql.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	last, n := "", 0
	for lines.Scan() {
		var q struct {
			SQL     string `json:"sql"`
			Dialect string `json:"dialect"`
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		n++
		if self := relation.Queries(relation.Input{GoldSQL: q.SQL, PredSQL: q.SQL, Dialect: q.Dialect}); !names(self, "same_query") {
			t.Errorf("query %d does not say the same as itself: %+v", n, self)
		}
		if other := relation.Queries(relation.Input{GoldSQL: last, PredSQL: q.SQL, Dialect: q.Dialect, Question: "How many of each?"}); last != q.SQL && names(other, "same_query") {
			t.Errorf("query %d says the same as the one before it", n)
		}
		last = q.SQL
	}
	if n < 100 {
		t.Errorf("%d queries", n)
	}
}

// Without two queries there is nothing to say of them.
func TestQueriesThatAreNotGiven(t *testing.T) {
	for _, in := range []relation.Input{{}, {GoldSQL: "SELECT 1"}, {PredSQL: "SELECT 1"}, {GoldSQL: "DROP TABLE t", PredSQL: "not SQL at all ((("}, {GoldSQL: "SELECT", PredSQL: ";"}} {
		if found := relation.Queries(in); len(found) > 0 && in.GoldSQL != "SELECT" {
			t.Errorf("%q and %q: %+v", in.GoldSQL, in.PredSQL, found)
		}
	}
}

// Queries that are the same by what the schema says are the same.
func TestSameBySchema(t *testing.T) {
	in := relation.Input{GoldSQL: "SELECT DISTINCT a FROM t", PredSQL: "SELECT a FROM t", Dialect: "duckdb"}
	for schema, want := range map[string]bool{"": false, "CREATE TABLE t (a int)": false, "CREATE TABLE t (a int NOT NULL UNIQUE)": true} {
		if in.Schema = schema; names(relation.Queries(in), "same_query") != want {
			t.Errorf("%q: same_query is %t, want %t", schema, !want, want)
		}
	}
}

// A query that was read in part is not said to lack what may be in the rest; what was read of it is said.
func TestQueriesReadInPart(t *testing.T) {
	const gold = "SELECT k, SUM(a) FROM t JOIN u USING (id) WHERE state = 'open' GROUP BY k"
	for pred, want := range map[string]string{
		"SELECT k, SUM(a) FROM t JOIN u USING (id)":                                                            "condition_missing group_differs",
		"SELECT k, SUM((a FROM t JOIN u USING (id) WHERE state = 'open' GROUP BY k":                            "",
		"SELECT k, SUM(CASE WHEN a > 0 THEN a FROM t JOIN u USING (id) WHERE state = 'open'":                   "",
		"WITH x AS (SELECT k FROM t WHERE state = 'open' GROUP BY k SELECT * FROM x":                           "",
		"SELECT k, SUM(a) FROM t JOIN u USING (id) WHERE state = 'open' GROUP BY k HAVING f( 'a":               "",
		"SELECT k, SUM(a) FROM t JOIN u USING (id) WHERE state = 'shut' AND c 2 > 5 GROUP BY k HAVING f( 'a":   "literals_differ",
		"SELECT k, SUM(a) FROM t JOIN u USING (id) JOIN v USING (id) WHERE state = 'open' AND y = 7 AND (k = ": "condition_added tables_more",
	} {
		found := relation.Queries(relation.Input{GoldSQL: gold, PredSQL: pred, Dialect: "duckdb"})
		var got []string
		for _, r := range found {
			got = append(got, r.Name)
		}
		if said := strings.Join(got, " "); said != want {
			t.Errorf("%s: %q, expected %q", pred, said, want)
		}
	}
}
