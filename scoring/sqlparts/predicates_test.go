package sqlparts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// written is a predicate as the table below states it: its clause, its normal form, its constants,
// and what it does.
func (p *Predicate) written() string {
	s := [...]string{"where", "having", "qualify", "on"}[p.Clause] + ": " + strings.Join([]string{p.Column, p.Operator, p.Value}, " | ")
	for _, v := range p.Values() {
		if l := Constant(v); l != nil {
			s += fmt.Sprintf(" [%s]", l.Text)
		}
	}
	if p.Joins {
		return s + " joins"
	}
	if !p.Binding {
		s += " loose"
	}
	return s
}

// Every way to write a condition in every dialect, and its predicates. The expected ones follow from SQL: the
// opposites of comparisons and De Morgan's rules hold in three-valued logic too.
func TestPredicates(t *testing.T) {
	for _, tc := range []struct {
		why     string
		dialect Dialect
		sql     string // what follows SELECT a FROM t; a whole query if it begins with one
		want    []string
	}{
		{"a comparison", Generic, "WHERE x = 5", []string{"where: x | = | 5 [5]"}},
		{"its sides exchanged", Generic, "WHERE 5 < x", []string{"where: x | > | 5 [5]"}},
		{"of two constants the right one is the value", Generic, "WHERE 1 = 2", []string{"where: 1 | = | 2 [2]"}},
		{"a constant before a call", Generic, "WHERE 1 <= count(1)", []string{"where: count(1) | >= | 1 [1]"}},
		{"of two columns the text decides", Generic, "WHERE b > a", []string{"where: a | < | b"}},
		{"a subquery is the value, on the left too", Generic, "WHERE (SELECT max(x) FROM t) = x", []string{"where: x | = | subquery"}},
		{"and before a constant", Generic, "WHERE (SELECT 1) > 5", []string{"where: 5 | < | subquery"}},
		{"negated", Generic, "WHERE NOT x < 5", []string{"where: x | >= | 5 [5]"}},
		{"twice", Generic, "WHERE NOT NOT x < 5", []string{"where: x | < | 5 [5]"}},
		{"the NOT of an AND is an OR", Generic, "WHERE NOT (x = 5 AND y = 6)", []string{"where: x | <> | 5 [5] loose", "where: y | <> | 6 [6] loose"}},
		{"the NOT of an OR is an AND", Generic, "WHERE NOT (x = 5 OR y = 6)", []string{"where: x | <> | 5 [5]", "where: y | <> | 6 [6]"}},
		{"an OR in an AND", Generic, "WHERE x = 5 AND (y = 6 OR z = 7)", []string{"where: x | = | 5 [5]", "where: y | = | 6 [6] loose", "where: z | = | 7 [7] loose"}},
		{"XOR is one condition", Generic, "WHERE x = 5 XOR y = 6", []string{"where: x = 5 xor y = 6 |  | "}},
		{"a sign", Generic, "WHERE x = -5 AND y = +5 AND z = - -5", []string{"where: x | = | -5 [-5]", "where: y | = | +5 [5]", "where: z | = | - -5 [5]"}},
		{"a cast constant", Generic, "WHERE x >= DATE '2024-01-01' AND y = CAST(CAST('1' AS TEXT) AS INT)", []string{"where: x | >= | cast('2024-01-01' as date) [2024-01-01]", "where: y | = | cast(cast('1' as text) as int) [1]"}},
		{"truth and NULL", Generic, "WHERE x = TRUE AND y = NULL", []string{"where: x | = | true [true]", "where: y | = | null [null]"}},
		{"a computed value is no constant", Generic, "WHERE x = 5 + 1", []string{"where: x | = | 5 + 1"}},
		{"NULL", Generic, "WHERE x IS NULL AND y IS NOT NULL", []string{"where: x | is | null [null]", "where: y | is not | null [null]"}},
		{"NOT before IS", Generic, "WHERE NOT x IS NULL AND NOT (y IS NOT NULL)", []string{"where: x | is not | null [null]", "where: y | is | null [null]"}},
		{"NOTNULL", Postgres, "WHERE x NOTNULL", []string{"where: x | is not | null [null]"}},
		{"IS compares", SQLite, "WHERE x IS NOT 5", []string{"where: x | is not | 5 [5]"}},
		{"distinct from", Generic, "WHERE NOT x IS DISTINCT FROM 5 AND 6 IS DISTINCT FROM y", []string{"where: x | is not distinct from | 5 [5]", "where: y | is distinct from | 6 [6]"}},
		{"<=>", MySQL, "WHERE x <=> 5 && y = 1", []string{"where: x | is not distinct from | 5 [5]", "where: y | = | 1 [1]"}},
		{"<=>", Databricks, "WHERE 5 <=> x", []string{"where: x | is not distinct from | 5 [5]"}},
		{"==", SQLite, "WHERE x == 5", []string{"where: x | = | 5 [5]"}},
		{"!<", TSQL, "WHERE x !< 3", []string{"where: x | >= | 3 [3]"}},
		{"a list", Generic, "WHERE x IN (2, 1) AND y NOT IN ('a')", []string{"where: x | in | (1, 2) [2] [1]", "where: y | not in | ('a') [a]"}},
		{"NOT before IN", Generic, "WHERE NOT x IN (1, 2) AND NOT (y NOT IN (3))", []string{"where: x | not in | (1, 2) [1] [2]", "where: y | in | (3) [3]"}},
		{"a query after IN", Generic, "WHERE x IN (SELECT y FROM u WHERE z = 1)", []string{"where: x | in | subquery", "where: z | = | 1 [1]"}},
		{"an array after IN", BigQuery, "WHERE x IN UNNEST([1, 2])", []string{"where: x | in | unnest(array[1, 2])"}},
		{"rows", Generic, "WHERE (x, y) IN ((1, 2))", []string{"where: (x, y) | in | ((1, 2))"}},
		{"bounds", Generic, "WHERE x BETWEEN 1 AND 2 AND NOT y BETWEEN 3 AND 4", []string{"where: x | between | 1 and 2 [1] [2]", "where: y | not between | 3 and 4 [3] [4]"}},
		{"bounds in either order", Postgres, "WHERE x BETWEEN SYMMETRIC 2 AND 1", []string{"where: x | between | symmetric 2 and 1"}},
		{"a pattern", Generic, "WHERE x LIKE 'a%' AND NOT y LIKE 'b%' AND NOT z NOT LIKE 'c%'", []string{"where: x | like | 'a%' [a%]", "where: y | not like | 'b%' [b%]", "where: z | like | 'c%' [c%]"}},
		{"an escaped pattern is not what its text says", Generic, "WHERE x LIKE 'a!%' ESCAPE '!'", []string{"where: x | like | 'a!%' escape '!'"}},
		{"other patterns", SQLite, "WHERE x GLOB 'a*' AND NOT y REGEXP 'b'", []string{"where: x | glob | 'a*' [a*]", "where: y | not regexp | 'b' [b]"}},
		{"SIMILAR TO", Redshift, "WHERE x SIMILAR TO 'a'", []string{"where: x | similar to | 'a' [a]"}},
		{"the opposite of ~ is !~", Postgres, "WHERE NOT x ~ 'a' AND NOT y !~* 'b'", []string{"where: x | !~ | 'a' [a]", "where: y | ~* | 'b' [b]"}},
		{"none of any is all", Snowflake, "WHERE NOT x LIKE ANY ('a%', 'b%')", []string{"where: x | not like all | ('a%', 'b%')"}},
		{"not equal to any is different from all", Generic, "WHERE NOT x = ANY (SELECT y FROM u)", []string{"where: x | <> all | subquery"}},
		{"EXISTS", Generic, "WHERE EXISTS (SELECT 1 FROM u) AND NOT EXISTS (SELECT 1 FROM v)", []string{"where:  | exists | subquery", "where:  | not exists | subquery"}},
		{"a column alone", Generic, "WHERE x AND NOT y", []string{"where: x |  | ", "where: y | not | "}},
		{"another operator", Generic, "WHERE x + 1 OR NOT x & 4", []string{"where: x + 1 |  |  loose", "where: x & 4 | not |  loose"}},
		{"a name in double quotes", Generic, `WHERE x = "abc"`, []string{"where: abc | = | x"}},
		{"a name in double quotes", Postgres, `WHERE x = "abc"`, []string{"where: abc | = | x"}},
		{"a string in double quotes", SQLite, `WHERE x = "abc"`, []string{"where: x | = | 'abc' [abc]"}},
		{"a string in double quotes", MySQL, `WHERE x = "abc"`, []string{"where: x | = | 'abc' [abc]"}},
		{"a string in double quotes", BigQuery, `WHERE x = "abc"`, []string{"where: x | = | 'abc' [abc]"}},
		{"names in backticks", SQLite, "WHERE `x` = `y`", []string{"where: x | = | y"}},
		{"names in brackets", TSQL, "WHERE [x] = [y]", []string{"where: x | = | y"}},
		{"an alias in HAVING", Generic, "SELECT a, count(*) AS n FROM t GROUP BY a HAVING 1 < n", []string{"having: count(*) | > | 1 [1]"}},
		{"an alias and a window in QUALIFY", Snowflake, "SELECT a, rank() OVER w AS r FROM t WINDOW w AS (ORDER BY b) QUALIFY r = 1", []string{"qualify: rank() over (order by b) | = | 1 [1]"}},
		{"HAVING does not join", Generic, "SELECT t.a FROM t, u GROUP BY t.a, t.b HAVING t.b = max(u.c)", []string{"having: b | = | max(c)"}},
		{"columns of one table do not join", Generic, "WHERE t.x = t.y AND x = y AND t.x = y", []string{"where: x | = | y", "where: x | = | y", "where: x | = | y"}},
		{"in WHERE", Generic, "SELECT a FROM t, u WHERE u.k = t.j AND t.x = 1", []string{"where: j | = | k joins", "where: x | = | 1 [1]"}},
		{"without qualifiers", Generic, "SELECT a FROM t, u WHERE j = k", []string{"where: j | = | k joins"}},
		{"of one table of several", Generic, "SELECT a FROM t, u WHERE t.x = t.y", []string{"where: x | = | y"}},
		{"computed", Generic, "SELECT a FROM t, u WHERE lower(t.x) = u.y || 'a'", []string{"where: lower(x) | = | y || 'a' joins"}},
		{"no equality", Generic, "SELECT a FROM t, u WHERE t.x > u.y", []string{"where: x | > | y"}},
		{"one side of an OR", Generic, "SELECT a FROM t, u WHERE t.x = u.y OR t.x = 1", []string{"where: x | = | y loose", "where: x | = | 1 [1] loose"}},
		{"not different is equal", Generic, "SELECT a FROM t, u WHERE NOT t.x <> u.y", []string{"where: x | = | y joins"}},
		{"in ON", Generic, "SELECT a FROM t JOIN u ON t.x = u.y AND t.z > u.z AND u.k = 1 AND t.x = t.y AND t.x = (SELECT max(x) FROM t)", []string{
			"on: x | = | y joins", "on: z | > | z", "on: k | = | 1 [1]", "on: x | = | y", "on: x | = | subquery"}},
		{"NULL matches NULL", Generic, "SELECT a FROM t JOIN u ON t.x IS NOT DISTINCT FROM u.y", []string{"on: x | is not distinct from | y joins"}},
		{"USING", Generic, "SELECT a FROM t JOIN u USING (k, l)", []string{"on: k | = | k joins", "on: l | = | l joins"}},
		{"a subquery joins what is around it", Generic, "WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND l = t.l AND u.m = n)", []string{"where:  | exists | subquery", "where: k | = | k joins", "where: l | = | l joins", "where: m | = | n"}},
		{"a join in brackets reads several", Generic, "SELECT a FROM (t JOIN u ON t.k = u.k) WHERE x = y", []string{"on: k | = | k joins", "where: x | = | y joins"}},
		{"everywhere", Generic, "WITH c AS (SELECT a FROM t WHERE x = 1) SELECT a FROM c WHERE y = 2 UNION SELECT a FROM (SELECT a FROM t WHERE z = 3) AS d", []string{"where: x | = | 1 [1]", "where: y | = | 2 [2]", "where: z | = | 3 [3]"}},
		{"what chooses no rows is none", Generic, "SELECT sum(CASE WHEN x = 1 THEN 1 END), count(*) FILTER (WHERE y = 2) FROM t", nil},
	} {
		sql := tc.sql
		if strings.HasPrefix(sql, "WHERE") {
			sql = "SELECT a FROM t " + sql
		}
		var got []string
		for _, p := range Predicates(Parse(sql, tc.dialect).Final()) {
			got = append(got, p.written())
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(tc.want)); !slices.Equal(got, want) {
			t.Errorf("%s, %s: %s:\n got %q\nwant %q", tc.dialect, tc.why, sql, got, want)
		}
	}
	if got := Predicates(nil); got != nil {
		t.Errorf("no query: %v", got)
	}
}

// The components of a query are its predicates of the final SELECTs, and each predicate says whose
// clause it is in.
func TestPredicatesAreTheComponents(t *testing.T) {
	for _, q := range loadCorpus(t) {
		final := Parse(q.SQL, DialectOf(q.Dialect)).Final()
		Walk(final, func(n Node) bool {
			s, ok := n.(*Select)
			if !ok {
				return true
			}
			var where, having []Condition
			for _, p := range Predicates(s) {
				switch {
				case p.In != s:
				case p.Clause == WhereClause:
					where = append(where, p.Condition)
				default:
					having = append(having, p.Condition)
				}
			}
			c := Extract(&Query{Body: s})
			if got, want := conditionTexts(where), conditionTexts(c.Where); !slices.Equal(got, want) {
				t.Errorf("%s: WHERE has %q, want %q", q.ID, got, want)
			}
			if got, want := conditionTexts(having), conditionTexts(c.Having); !slices.Equal(got, want) {
				t.Errorf("%s: HAVING has %q, want %q", q.ID, got, want)
			}
			return true
		})
	}
}
