package caseview_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func joined(parts []caseview.SQLPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func TestLayout(t *testing.T) {
	for name, c := range map[string]struct {
		dialect   sqlparts.Dialect
		sql, want string
	}{
		"clauses": {sqlparts.Generic, "select a, count(*) as n from t where x = 1 group by a having count(*) > 1 order by n desc limit 5", `select a, count(*) as n
from t
where x = 1
group by a
having count(*) > 1
order by n desc
limit 5`},
		"a long list": {sqlparts.Generic, "SELECT customer_identifier, customer_name, SUM(order_total) AS total_of_all_orders, COUNT(DISTINCT order_id) AS orders FROM t", `SELECT customer_identifier,
  customer_name,
  SUM(order_total) AS total_of_all_orders,
  COUNT(DISTINCT order_id) AS orders
FROM t`},
		"long conditions": {sqlparts.Generic, "SELECT 1 FROM t WHERE placed_at BETWEEN DATE '2024-01-01' AND DATE '2024-12-31' AND (status = 'open' OR status = 'late') OR CASE WHEN a AND b THEN c END", `SELECT 1
FROM t
WHERE placed_at BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'
  AND (status = 'open' OR status = 'late')
  OR CASE WHEN a AND b THEN c END`},
		"queries in queries": {sqlparts.Generic, "WITH r AS (SELECT * FROM o), s AS (SELECT 1) SELECT * FROM r LEFT OUTER JOIN s ON r.a = s.a WHERE x IN (SELECT y FROM (SELECT 2 AS y) q) UNION ALL SELECT 3", `WITH r AS (
  SELECT *
  FROM o
), s AS (
  SELECT 1
)
SELECT *
FROM r
LEFT OUTER JOIN s ON r.a = s.a
WHERE x IN (
  SELECT y
  FROM (
    SELECT 2 AS y
  ) q
)
UNION ALL
SELECT 3`},
		"words that begin no clause": {sqlparts.Generic, "SELECT left(a, 2), extract(year FROM d), row_number() OVER (PARTITION BY a ORDER BY b), t.order, a IS DISTINCT FROM b FROM t", `SELECT left(a, 2),
  extract(year FROM d),
  row_number() OVER (PARTITION BY a ORDER BY b),
  t.order,
  a IS DISTINCT FROM b
FROM t`},
		"comments and literals": {sqlparts.Generic, "SELECT  'a   b\n c' , \"x  y\" -- why  two\n FROM /* a   b */ t", "SELECT 'a   b\n c', \"x  y\" -- why  two\nFROM /* a   b */ t"},
		"several statements":    {sqlparts.Generic, "select 1;select 2;", "select 1;\nselect 2;"},
		"empty":                 {sqlparts.Generic, "", ""},
		"no query":              {sqlparts.Generic, "not ( a query", "not (a query"},
	} {
		if diff := cmp.Diff(c.want, joined(caseview.Layout(c.sql, c.dialect))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// marked shows marks in brackets.
func marked(parts []caseview.SQLPart) string {
	var b strings.Builder
	for _, p := range parts {
		if p.In != "" {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestCompareQueries(t *testing.T) {
	for name, c := range map[string]struct {
		gold, agent, wantGold, wantAgent string
		same                             bool
	}{
		"same but for spelling": {"select A from t -- x", "SELECT a\nFROM \"t\";", "select A from t -- x", `SELECT a FROM "t";`, true},
		"a condition":           {"select a from t where b = 1 and c = 2", "select a from t where c = 2", "select a from t where [b] [=] [1] [and] c = 2", "select a from t where c = 2", false},
		"a literal":             {"select 'X'", "select 'x'", "select ['X']", "select ['x']", false},
		"a number":              {"select 1", "select 1.0", "select [1]", "select [1.0]", false},
		"a name and a text":     {"select x", "select 'x'", "select [x]", "select ['x']", false},
		"a function":            {"select sum(a) from t", "select avg(a) from t", "select [sum](a) from t", "select [avg](a) from t", false},
	} {
		q := caseview.CompareQueries(c.gold, c.agent, sqlparts.Generic)
		if got := marked(q.Gold); got != c.wantGold {
			t.Errorf("%s: gold %s, want %s", name, got, c.wantGold)
		}
		if got := marked(q.Agent); got != c.wantAgent {
			t.Errorf("%s: agent %s, want %s", name, got, c.wantAgent)
		}
		if q.Same != c.same || !q.Compared || q.RawGold != c.gold || q.RawAgent != c.agent {
			t.Errorf("%s: %+v", name, q)
		}
	}
	if q := caseview.CompareQueries("select 1", "", sqlparts.Generic); q.Compared || q.Same {
		t.Errorf("without a query: %+v", q)
	}
	long := "select " + strings.Repeat("a, ", 3000) + "b"
	if q := caseview.CompareQueries(long, "with x as (select 1) "+strings.ReplaceAll(long, "a", "c"), sqlparts.Generic); q.Compared || q.Same || strings.Contains(marked(q.Gold), "[") {
		t.Errorf("too long to compare, and yet compared")
	}
}

// FuzzLayout holds for any two texts in any dialect: nothing panics; laid out, a text is the same
// tokens; the tokens that are marked with neither side are as many in both.
func FuzzLayout(f *testing.F) {
	for _, s := range []string{
		"select a, b from t where x = 'y' -- z", "with r as (select 1) select * from r", "select 1;;select $$a b$$", "a.b . c", "select '", "/* a", "-- a", "{{ a }} {% b %}",
		"select a-- b\n-1", "select a /* b */ /* c */ from t", "select x from t |> where y", "((select 1) union (select 2))", "select 0x1f, 1e5, .5, 1..2", "from t # c\n select 1", "select a: b : c",
		"\x00\xff select", "select\u00a0a", "case when a then b end)", "select * from [a b]]c]", "select a from t left join u using (x) cross join v", "select `a`, \"b\"\"c\", e'\\n'", "--\n--\n", "case0x # ",
	} {
		f.Add(s, "select 1", uint8(0))
	}
	f.Fuzz(func(t *testing.T, a, b string, d uint8) {
		dialect := sqlparts.Dialect(d % uint8(sqlparts.TSQL+1))
		parts := caseview.Layout(a, dialect)
		before, after := sqlparts.Tokens(a, dialect), sqlparts.Tokens(joined(parts), dialect)
		if len(before) != len(after) {
			t.Fatalf("%s: %q has %d tokens, laid out as %q %d", dialect, a, len(before), joined(parts), len(after))
		}
		for i := range before {
			if before[i].Kind != after[i].Kind || before[i].Value != after[i].Value {
				t.Fatalf("%s: %q: token %d is %+v, laid out %+v", dialect, a, i, before[i], after[i])
			}
		}
		for i, p := range parts {
			if p.Kind == caseview.SQLSpace && strings.Trim(p.Text, " \t\r\n\f\v") != "" && i > 0 && !strings.Contains(a, p.Text) {
				t.Fatalf("%s: %q: white space %q", dialect, a, p.Text)
			}
		}
		q := caseview.CompareQueries(a, b, dialect)
		unmarked := func(parts []caseview.SQLPart) (n int) {
			for _, p := range parts {
				if p.In == "" && p.Kind != caseview.SQLSpace && p.Kind != caseview.SQLComment && p.Text != ";" {
					n++
				}
			}
			return n
		}
		if q.Compared && unmarked(q.Gold) != unmarked(q.Agent) {
			t.Fatalf("%s: %d tokens of %q are in both, %d of %q", dialect, unmarked(q.Gold), a, unmarked(q.Agent), b)
		}
	})
}
