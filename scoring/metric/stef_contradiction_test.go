package metric

import (
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// What the parser reads in the query decides over a reply that calls a filter applied; what may be another spelling
// is a warning.
func TestParsedQueryOverrulesTheJudge(t *testing.T) {
	f := func(lhs, op string, rhs ...string) stefAsked {
		return stefAsked{stefFilter: stefFilter{LHS: lhs, Op: op, RHS: rhs}, Status: "applied", SQLFilters: []int{1}}
	}
	bare := func(q stefAsked) stefAsked { q.SQLFilters = nil; return q }
	for _, tc := range []struct {
		why, sql string
		asked    stefAsked
		status   string
		doubts   int
	}{
		{"no condition", "SELECT sum(spend) FROM t", bare(f("country", "=", "China")), "missing", 0},
		{"no condition, and the column is shown", "SELECT country, sum(spend) FROM t GROUP BY country", bare(f("country", "=", "China")), "missing", 0},
		{"no condition but a CASE", "SELECT sum(CASE WHEN country = 'China' THEN spend END) FROM t", bare(f("country", "=", "China")), "applied", 0},
		{"no condition but the name of a table", "SELECT sum(spend) FROM spend_2023", bare(f("year", "=", "2023")), "applied", 0},
		{"no condition but a view", "SELECT count(*) FROM active_users", bare(f("active", "=", "true")), "applied", 0},
		{"no condition, and nothing is active", "SELECT count(*) FROM users", bare(f("active", "=", "true")), "missing", 0},
		{"a join may be what is asked for", "SELECT count(*) FROM customers c JOIN orders o ON o.cid = c.id", bare(f("customers", "other", "have bought")), "applied", 0},
		{"another number", "SELECT 1 FROM t WHERE year = 2022", f("year", "=", "2023"), "incorrect", 0},
		{"the same number, in another form", "SELECT 1 FROM t WHERE year = 2023.0", f("year", "=", "2023"), "applied", 0},
		{"another year of a date", "SELECT 1 FROM t WHERE EXTRACT(year FROM ordered) = 2022", f("year", "=", "2023"), "incorrect", 0},
		{"a number of another column", "SELECT 1 FROM t WHERE period_id = 45", f("year", "=", "2023"), "applied", 1},
		{"an opposite", "SELECT 1 FROM t WHERE amount > 100", f("amount", "<", "100"), "incorrect", 0},
		{"a border", "SELECT 1 FROM t WHERE amount >= 100", f("amount", ">", "100"), "incorrect", 0},
		{"a border of whole numbers", "SELECT 1 FROM t WHERE amount >= 101", f("amount", ">", "100"), "applied", 0},
		{"a border of fractions", "SELECT 1 FROM t WHERE amount >= 100.5", f("amount", ">", "100.5"), "incorrect", 0},
		{"not equal", "SELECT 1 FROM t WHERE region <> 'EU'", f("region", "=", "EU"), "incorrect", 0},
		{"not in", "SELECT 1 FROM t WHERE region NOT IN ('EU', 'US')", f("region", "in", "EU", "US"), "incorrect", 0},
		{"is null", "SELECT 1 FROM t WHERE closed IS NULL", f("closed", "is not null"), "incorrect", 0},
		{"more numbers", "SELECT 1 FROM t WHERE year IN (2022, 2023)", f("year", "=", "2023"), "incorrect", 0},
		{"a range of the same numbers", "SELECT 1 FROM t WHERE n BETWEEN 1 AND 5", f("n", "between", "1", "5"), "applied", 0},
		{"another range", "SELECT 1 FROM t WHERE n BETWEEN 1 AND 6", f("n", "between", "1", "5"), "incorrect", 0},
		{"a period in two conditions", "SELECT 1 FROM t WHERE year >= 2023 AND year < 2024", f("year", "=", "2023"), "applied", 0},
		{"one side of an OR", "SELECT 1 FROM t WHERE year = 2022 OR region = 'EU'", f("year", "=", "2023"), "applied", 0},
		{"another name", "SELECT 1 FROM t WHERE country = 'Japan'", f("country", "=", "China"), "incorrect", 0},
		{"a name in another language", "SELECT 1 FROM t WHERE city = 'München'", f("city", "=", "Munich"), "applied", 1},
		{"an abbreviation", "SELECT 1 FROM t WHERE country = 'CN'", f("country", "=", "China"), "applied", 1},
		{"a code for a name", "SELECT 1 FROM t WHERE status = 3", f("status", "=", "completed"), "applied", 1},
		{"a word for a word", "SELECT 1 FROM t WHERE status = 'closed'", f("status", "=", "completed"), "applied", 1},
		{"a code in another column", "SELECT 1 FROM t WHERE region = 'EU'", f("country", "=", "China"), "applied", 1},
		{"a pattern", "SELECT 1 FROM t WHERE country ILIKE '%China%'", f("country", "=", "China"), "applied", 0},
		{"the first day of a year", "SELECT 1 FROM t WHERE period = '2023-01-01'", f("year", "=", "2023"), "applied", 0},
	} {
		script := sqlparts.Parse(tc.sql, sqlparts.Generic)
		options := stefOptions{LimitMin: stefLimitMin}
		rules, err := options.rules(sqlparts.Generic)
		if err != nil {
			t.Fatal(err)
		}
		rules.query = queryKey(tc.sql, sqlparts.Generic)
		a, err := alignFilters([]stefAsked{tc.asked}, specOf(script.Final(), rules), rules)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		overruled := tc.status != "applied"
		if got := a.asked[0].Status; got != tc.status || (len(a.overruled) > 0) != overruled || len(a.doubts) != tc.doubts {
			t.Errorf("%s: %s, %v, %v; want %s and %d doubts", tc.why, got, a.overruled, a.doubts, tc.status, tc.doubts)
		}
	}
}
