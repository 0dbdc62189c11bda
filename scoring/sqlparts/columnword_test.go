package sqlparts

import (
	"os"
	"strings"
	"testing"
)

// Every word that PostgreSQL takes for a column is one wherever an operand may stand: the query is read
// as with any other name. The words are those of pg_get_keywords() of the categories U and C, of
// version 15.
func TestWordsThatPostgresTakesForColumns(t *testing.T) {
	text, err := os.ReadFile("testdata/postgres_words.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(text))
	if len(words) < 300 {
		t.Fatalf("%d words", len(words))
	}
	read := func(sql string, d Dialect) string {
		s := Parse(sql, d)
		if len(s.Statements) != 1 || len(s.Notes) > 0 || s.Statements[0].Query == nil {
			return ""
		}
		return Format(s.Statements[0].Query)
	}
	for _, query := range []string{
		"SELECT ? FROM t", "SELECT t.? FROM t", "SELECT ?, b FROM t", "SELECT a, ? FROM t", "SELECT ? AS x FROM t", "SELECT ? x FROM t", "SELECT a AS ? FROM t", "SELECT DISTINCT ? FROM t", "SELECT (?) FROM t",
		"SELECT ? + 1 FROM t", "SELECT -? FROM t", "SELECT a || ? FROM t", "SELECT ?::text FROM t", "SELECT CAST(? AS text) FROM t", "SELECT NOT ? FROM t", "SELECT CASE WHEN ? THEN ? ELSE ? END FROM t",
		"SELECT max(?) FROM t", "SELECT count(DISTINCT ?) FROM t", "SELECT f(a, ?) FROM t", "SELECT sum(a) OVER (PARTITION BY ? ORDER BY ?) FROM t",
		"SELECT a FROM t WHERE ? = 1", "SELECT a FROM t WHERE b > ?", "SELECT a FROM t WHERE ? IS NULL", "SELECT a FROM t WHERE b = 1 AND ? IN (1, 2)", "SELECT a FROM t WHERE ? BETWEEN 1 AND 2", "SELECT ? FROM t WHERE ? LIKE 'a'",
		"SELECT a FROM t GROUP BY ?", "SELECT a FROM t GROUP BY b, ?", "SELECT a FROM t HAVING ? > 1", "SELECT a FROM t ORDER BY ?", "SELECT a FROM t ORDER BY ? DESC",
		"SELECT a FROM t JOIN u ON t.? = u.?", "SELECT a FROM t JOIN u USING (?)", "SELECT * FROM (SELECT ? FROM t) s", "WITH c(?) AS (SELECT 1) SELECT ? FROM c", "SELECT a FROM s.? x",
	} {
		other := read(strings.ReplaceAll(query, "?", "zzz"), Postgres)
		if other == "" {
			t.Fatalf("%s is not read", query)
		}
		for _, word := range words {
			sql := strings.ReplaceAll(query, "?", word)
			// The canonical spelling has quotes where another dialect would need them.
			if got, want := strings.ReplaceAll(read(sql, Postgres), `"`, ""), strings.ReplaceAll(other, "zzz", word); got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
		}
	}
	// If an operand is missing, the next clause is none.
	for _, sql := range []string{"SELECT FROM t WHERE", "SELECT a FROM t WHERE BETWEEN 1 AND 2", "SELECT a, FROM t GROUP BY"} {
		if got := read(sql, Postgres); strings.Contains(got, "between 1") {
			t.Errorf("%s: %s", sql, got)
		}
	}
	// Dialects that reserve a word have no such column.
	for _, d := range []Dialect{Snowflake, BigQuery, MySQL} {
		if got := read("SELECT by FROM t", d); got != "" {
			t.Errorf("%v: %s", d, got)
		}
	}
}
