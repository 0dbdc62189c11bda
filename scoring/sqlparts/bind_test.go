package sqlparts

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// meaningText is what a name means, as the tests write it: t.a a column of a table or a query, t.* the row of
// a source, =a an alias, (a|b) one of several, a? where the source may have the column.
func meaningText(b *Bound, m *Meaning, name Name) string {
	of := func(s *Source) string {
		switch {
		case s.Alias.Text != "":
			return s.Alias.Text
		case len(s.Table) > 0:
			return s.Table.Last().Text
		}
		return "?"
	}
	column := name[len(name)-1-m.Fields].Text
	out := ""
	switch m.Kind {
	case BaseColumn, QueryColumn:
		if len(m.Among) > 0 {
			var list []string
			for _, s := range m.Among {
				list = append(list, of(s))
			}
			out = "{" + strings.Join(list, ",") + "}." + column
			break
		}
		out = of(m.Source) + "." + column
		if !m.Known {
			out += "?"
		}
	case MergedColumn:
		l, r := meaningText(b, &m.Merged.Left, Name{m.Merged.Name}), meaningText(b, &m.Merged.Right, Name{m.Merged.Name})
		out = "[" + l + " " + r + "]"
	case SelectAlias:
		out = "=" + column
		if m.Item != nil && m.Item.Alias.Text == "" {
			out = "=item"
		}
	case RowOfSource:
		out = of(m.Source) + ".*"
	case LambdaParam:
		out = "param"
	case Variable:
		out = "var"
	case QuotedText:
		out = "text"
	case PartOfDate:
		out = "part"
	}
	if m.Fields > 0 {
		out += " field" + strconv.Itoa(m.Fields)
	}
	return strings.Repeat("^", m.Outer) + out
}

// meaningsOf are the meanings of all names of a script, in the order of the text.
func meaningsOf(b *Bound) string {
	var out []string
	seen := map[*Column]bool{}
	var columns []*Column
	for _, st := range b.Statements {
		Walk(st, func(n Node) bool {
			if c, ok := n.(*Column); ok && !seen[c] {
				seen[c] = true
				columns = append(columns, c)
			}
			return true
		})
	}
	for i := range columns { // stable by place
		for j := i; j > 0 && columns[j].Start < columns[j-1].Start; j-- {
			columns[j], columns[j-1] = columns[j-1], columns[j]
		}
	}
	for _, c := range columns {
		ms, doubt := b.Means(c)
		var list []string
		for i := range ms {
			list = append(list, meaningText(b, &ms[i], c.Name))
		}
		text := strings.Join(list, "|")
		switch {
		case doubt == Ambiguous:
			text = "!" + text
		case doubt == Unsure:
			text = "~" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

const bindTables = "CREATE TABLE t (a int, b int); CREATE TABLE u (a int, c int);"

// TestBind holds the rules of names against what engines do: the rows of DuckDB, PostgreSQL and SQLite were
// seen there. An engine that refuses a query leaves a doubt, or the nearest meaning in doubt.
func TestBind(t *testing.T) {
	for _, c := range []struct {
		dialects string
		sql      string
		want     string
	}{
		// Columns and sources.
		{"duckdb postgres sqlite", "SELECT b, t.b, c FROM t, u", "t.b t.b u.c"},
		{"duckdb postgres sqlite bigquery", "SELECT a FROM t, u", "!t.a|u.a"},
		{"duckdb postgres sqlite", "SELECT x.a FROM t x", "x.a"},
		{"snowflake bigquery", "SELECT p.x, t.b FROM t PIVOT(MAX(b) FOR a IN (1 AS x)) AS p", "t.x? ~t.t? field1 t.b t.a"},
		{"snowflake", "SELECT t.a, count(*) FROM t, u GROUP BY a", "t.a !t.a|u.a"},
		{"bigquery", "SELECT t.a, count(*) FROM t, u GROUP BY a", "t.a =item"},
		{"duckdb postgres sqlite", "SELECT t.a FROM t x", "~"},
		{"duckdb sqlite", "SELECT main.t.a FROM t", "t.a"},
		{"postgres", "SELECT T.A FROM t", "t.A"},
		{"postgres", `SELECT "T".a FROM t`, "~"},
		{"snowflake", `SELECT "T".a, "t".a FROM t`, "t.a ~"},
		{"duckdb sqlite", `SELECT "T".a FROM t`, "t.a"},
		{"postgres", `SELECT "A" FROM t`, "~t.A?"},
		{"duckdb sqlite", `SELECT "A" FROM t`, "t.A"},
		{"sqlite", `SELECT "zz" FROM t`, "text"},
		{"sqlite", "SELECT `zz` FROM t", "~"},
		{"duckdb postgres", `SELECT "zz" FROM t`, "~"},
		{"sqlite", `SELECT "count(a)" FROM (SELECT count(a) FROM t) s`, "~text t.a"},
		{"duckdb postgres", "SELECT q FROM t AS q", "q.*"},
		{"sqlite mysql tsql snowflake", "SELECT q FROM t AS q", "~"},
		{"duckdb postgres sqlite", "SELECT b FROM t AS b", "b.b"},
		{"duckdb postgres", "SELECT y.b, y.q FROM t AS y(b, q)", "y.b y.q"},
		{"duckdb postgres", "SELECT y.a FROM t AS y(b, q)", "~y.a?"},
		{"duckdb", "SELECT b.f FROM t", "t.b field1"},

		// Derived tables, common table expressions, set operations.
		{"duckdb postgres sqlite", "SELECT x FROM (SELECT a AS x FROM t) s", "s.x t.a"},
		{"duckdb postgres sqlite", "SELECT s.b FROM (SELECT * FROM t) s", "s.b"},
		{"duckdb postgres sqlite", "SELECT s.c FROM (SELECT * FROM t) s", "~s.c?"},
		{"duckdb postgres sqlite", "WITH w (k) AS (SELECT a FROM t) SELECT k FROM w", "t.a w.k"},
		{"duckdb postgres bigquery", "WITH t AS (SELECT c FROM u) SELECT c FROM t", "u.c t.c"},
		{"duckdb postgres sqlite", "SELECT a FROM t UNION SELECT c FROM u ORDER BY a", "t.a u.c =item"},
		{"postgres", "SELECT a FROM t UNION SELECT c FROM u ORDER BY c", "t.a u.c ~"},
		{"duckdb postgres sqlite", "WITH RECURSIVE n AS (SELECT a FROM t UNION ALL SELECT a + 1 FROM n) SELECT a FROM n", "t.a n.a n.a"},
		{"sqlite", "WITH n AS (SELECT a FROM t UNION ALL SELECT a + 1 FROM n) SELECT a FROM n", "t.a n.a n.a"},
		{"postgres", `SELECT max FROM (SELECT max(a) FROM t) s`, "s.max t.a"},

		// Correlated and lateral.
		{"duckdb postgres sqlite", "SELECT (SELECT b FROM u) FROM t", "^t.b"},
		{"duckdb postgres sqlite", "SELECT (SELECT a FROM u) FROM t", "u.a"},
		{"duckdb sqlite", "SELECT (SELECT q.b FROM u AS q) FROM t AS q", "^q.b"},
		{"postgres", "SELECT (SELECT q.b FROM u AS q) FROM t AS q", "~^q.b|q.b?"},
		{"duckdb", "SELECT s.x FROM t, (SELECT t.a + 1 AS x) s", "s.x ^t.a"},
		{"postgres sqlite", "SELECT s.x FROM t, (SELECT t.a + 1 AS x) s", "s.x ~"},
		{"postgres", "SELECT s.x FROM t, LATERAL (SELECT t.a + 1 AS x) s", "s.x ^t.a"},
		{"duckdb sqlite", "SELECT count(*) FROM t, u JOIN (SELECT 2 AS k) z ON b = k", "t.b z.k"},
		{"postgres", "SELECT count(*) FROM t, u JOIN (SELECT 2 AS k) z ON b = k", "~ z.k"},
		{"sqlite", "SELECT count(*) FROM t JOIN u ON t.a = k JOIN (SELECT 2 AS k) z ON true", "t.a z.k"},
		{"duckdb postgres", "SELECT count(*) FROM t JOIN u ON t.a = k JOIN (SELECT 2 AS k) z ON true", "t.a ~"},
		{"duckdb postgres", "SELECT 1 FROM t JOIN u ON c = b JOIN (SELECT 1 AS c) z ON true", "u.c t.b"},
		{"sqlite", "SELECT 1 FROM t JOIN u ON c = b JOIN (SELECT 1 AS c) z ON true", "!u.c|z.c t.b"},

		// USING and natural joins.
		{"duckdb postgres sqlite", "SELECT a, t.a, u.a FROM t JOIN u USING (a)", "[t.a u.a] t.a u.a"},
		{"duckdb postgres sqlite", "SELECT a FROM t NATURAL JOIN u", "[t.a u.a]"},
		{"duckdb postgres sqlite", "SELECT a FROM t FULL JOIN u USING (a)", "[t.a u.a]"},
		{"duckdb postgres", "SELECT a FROM t JOIN u USING (a) JOIN u AS v ON true", "![t.a u.a]|v.a"},

		// Aliases: which comes first, and whether they are in view.
		{"duckdb postgres sqlite bigquery", "SELECT b AS a FROM t ORDER BY a", "t.b =a"},
		{"duckdb postgres sqlite", "SELECT -b AS a FROM t ORDER BY a + 0", "t.b t.a"},
		{"bigquery", "SELECT -b AS a FROM t ORDER BY a + 0", "t.b ~=a|t.a"},
		{"duckdb sqlite", "SELECT -b AS z FROM t ORDER BY z + 1", "t.b =z"},
		{"postgres", "SELECT -b AS z FROM t ORDER BY z + 1", "t.b ~=z"},
		{"duckdb postgres", "SELECT t.a FROM t, u ORDER BY a", "t.a =item"},
		{"sqlite", "SELECT t.a FROM t, u ORDER BY a", "t.a !t.a|u.a"},
		{"postgres duckdb", "SELECT b AS x, a AS x FROM t ORDER BY x", "t.b t.a !=x"},
		{"sqlite", "SELECT b AS x, a AS x FROM t ORDER BY x", "t.b t.a =x"},
		{"duckdb postgres sqlite", "SELECT b % 5 AS a FROM t GROUP BY a", "t.b t.a"},
		{"bigquery", "SELECT b % 5 AS a FROM t GROUP BY a", "t.b ~=a|t.a"},
		{"duckdb postgres sqlite", "SELECT b % 5 AS z FROM t GROUP BY z", "t.b =z"},
		{"sqlite", "SELECT b % 5 AS z FROM t GROUP BY z + 1", "t.b =z"},
		{"duckdb postgres", "SELECT b % 5 AS z FROM t GROUP BY z + 1", "t.b ~=z"},
		{"tsql", "SELECT b % 5 AS z FROM t GROUP BY z", "t.b ~=z"},
		{"duckdb sqlite", "SELECT sum(b) AS z FROM t GROUP BY a HAVING z > 8", "t.b t.a =z"},
		{"postgres", "SELECT sum(b) AS z FROM t GROUP BY a HAVING z > 8", "t.b t.a ~=z"},
		{"duckdb sqlite", "SELECT sum(b) AS b FROM t GROUP BY a HAVING b > 8", "t.b t.a t.b"},
		{"duckdb sqlite snowflake", "SELECT b AS z FROM t WHERE z = 5", "t.b =z"},
		{"postgres bigquery", "SELECT b AS z FROM t WHERE z = 5", "t.b ~=z"},
		{"duckdb sqlite postgres snowflake", "SELECT b AS a FROM t WHERE a = 1", "t.b t.a"},
		{"duckdb snowflake redshift databricks", "SELECT b AS z, z + 1 FROM t", "t.b =z"},
		{"sqlite postgres bigquery", "SELECT b AS z, z + 1 FROM t", "t.b ~=z"},
		{"duckdb", "SELECT z + 1, b AS z FROM t", "~ t.b"},
		{"duckdb", "SELECT b AS a, a + 1 FROM t", "t.b t.a"},
		{"duckdb snowflake", "SELECT row_number() OVER (ORDER BY b) AS r FROM t QUALIFY r = 1", "t.b =r"},
		{"postgres", "SELECT DISTINCT ON (a) b AS a FROM t ORDER BY a", "=a t.b =a"},

		// Words and parameters.
		{"duckdb", "SELECT list_transform([1], a -> a + 1), a FROM t", "param t.a"},
		{"snowflake", "SELECT datediff(day, a, b), extract(year FROM a) FROM t", "part t.a t.b part t.a"},
		{"bigquery", "DECLARE x INT64; SELECT a + x FROM t", "t.a var"},
	} {
		for _, name := range strings.Fields(c.dialects) {
			d := DialectOf(name)
			b := Bind(ReadSchema(bindTables, d), Parse(c.sql, d))[0]
			if got := meaningsOf(b); got != c.want {
				t.Errorf("%s: %s\n got  %s\n want %s", name, c.sql, got, c.want)
			}
		}
	}
}

// TestBindWithoutSchema checks what texts alone tell: a name that only one source may have is its, and what
// one query says of a table holds in all of them.
func TestBindWithoutSchema(t *testing.T) {
	for _, c := range []struct {
		sqls string
		want string
	}{
		{"SELECT a FROM t", "t.a?"},
		{"SELECT a FROM t, u", "~{t,u}.a"},
		{"SELECT a, t.a FROM t, u", "t.a t.a"},
		{"SELECT a FROM t, u; SELECT a FROM t", "t.a t.a"},
		{"SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE b = 1)", "~u.b?|^t.b?"},
		{"SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE b = 1) AND t.b = 2", "~u.b?|^t.b t.b"},
		{"SELECT a FROM t JOIN u USING (k)", "~{t,u}.a"},
		{"SELECT k FROM t JOIN u USING (k)", "[t.k u.k]"},
		{"SELECT a FROM x.t, y.t", "~{t,t}.a"},
		{"SELECT x.t.a, y.t.a FROM x.t, y.t", "t.a t.a"},
		{"SELECT a AS z FROM t GROUP BY z", "t.a? ~=z|t.z?"},
		{"SELECT id FROM t AS q JOIN (SELECT * FROM u) s ON true", "~{q,s}.id"},
	} {
		b := Bind(nil, Parse(c.sqls, Postgres))[0]
		if got := meaningsOf(b); strings.ReplaceAll(got, "?", "") != strings.ReplaceAll(c.want, "?", "") {
			t.Errorf("%s\n got  %s\n want %s", c.sqls, got, c.want)
		}
	}
}

// TestBindOutput checks which columns a star makes, and in which order where USING merges some.
func TestBindOutput(t *testing.T) {
	for _, c := range []struct {
		dialects, sql, want string
		whole               bool
	}{
		{"postgres mysql bigquery", "SELECT * FROM (SELECT b, a FROM t) s JOIN (SELECT c, a FROM u) r USING (a)", "a b c", true},
		{"duckdb sqlite", "SELECT * FROM (SELECT b, a FROM t) s JOIN (SELECT c, a FROM u) r USING (a)", "b a c", true},
		{"duckdb sqlite", "SELECT * FROM (SELECT b, a FROM t) s NATURAL JOIN (SELECT c, a FROM u) r", "b a c", true},
		{"snowflake", "SELECT * FROM (SELECT b, a FROM t) s JOIN (SELECT c, a FROM u) r USING (a)", "b a c", false},
		{"postgres", "SELECT t.*, c FROM t, u", "a b c", true},
		{"postgres", "SELECT * FROM v", "*", false},
		{"duckdb", "SELECT * EXCLUDE (a) FROM t", "b", true},
		{"duckdb", "SELECT * RENAME (a AS z) FROM t", "z b", true},
		{"duckdb", "SELECT a FROM t UNION ALL BY NAME SELECT c FROM u", "a", false},
		{"databricks", "SELECT * FROM t LEFT SEMI JOIN u ON t.a = u.a", "a b", true},
	} {
		for _, name := range strings.Fields(c.dialects) {
			d := DialectOf(name)
			b := Bind(ReadSchema(bindTables, d), Parse(c.sql, d))[0]
			columns, whole := b.Output(b.Final())
			var got []string
			for _, o := range columns {
				if o.Star {
					o.Name.Text = "*"
				}
				got = append(got, o.Name.Text)
			}
			if text := strings.Join(got, " "); text != c.want || whole != c.whole {
				t.Errorf("%s: %s\n got  %s, whole %t\n want %s, whole %t", name, c.sql, text, whole, c.want, c.whole)
			}
		}
	}
}

// TestBindReads checks what the names in FROM read.
func TestBindReads(t *testing.T) {
	for _, c := range []struct {
		dialects, sql, want string
	}{
		{"postgres duckdb bigquery", "WITH t AS (SELECT a FROM t) SELECT a FROM t", "table cte"},
		{"postgres sqlite", "WITH RECURSIVE x AS (SELECT a FROM y), y AS (SELECT 7 AS a) SELECT a FROM x", "cte cte"},
		{"duckdb", "WITH RECURSIVE x AS (SELECT a FROM y), y AS (SELECT 7 AS a) SELECT a FROM x", "table cte"},
		{"sqlite", "WITH x AS (SELECT a FROM y), y AS (SELECT 7 AS a) SELECT a FROM x", "cte cte"},
		{"postgres duckdb", "WITH x AS (SELECT a FROM y), y AS (SELECT 7 AS a) SELECT a FROM x", "table cte"},
		{"sqlite snowflake tsql", "WITH x AS (SELECT 1 AS n UNION ALL SELECT n FROM x) SELECT n FROM x", "itself cte"},
		{"postgres mysql bigquery", "WITH x AS (SELECT 1 AS n UNION ALL SELECT n FROM x) SELECT n FROM x", "table cte"},
		{"postgres duckdb sqlite", "WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n FROM x) SELECT n FROM x", "itself cte"},
		{"duckdb", "WITH RECURSIVE t AS (SELECT a FROM t) SELECT a FROM t", "table cte"},
		{"postgres", `WITH "T" AS (SELECT 1 AS a) SELECT a FROM t`, "table"},
		{"duckdb", `WITH "T" AS (SELECT 1 AS a) SELECT a FROM t`, "cte"},
		{"postgres", "WITH t AS (SELECT 1 AS a) SELECT a FROM public.t", "table"},
		{"bigquery", "SELECT 1 FROM t, t.items", "table array"},
		{"postgres", "SELECT 1 FROM t, t.items", "table table"},
	} {
		for _, name := range strings.Fields(c.dialects) {
			d := DialectOf(name)
			b := Bind(ReadSchema(bindTables, d), Parse(c.sql, d))[0]
			var got []string
			Walk(b.Final(), func(n Node) bool {
				if s, ok := n.(*Source); ok {
					r := b.Reads(s)
					switch {
					case r.Array != nil:
						got = append(got, "array")
					case r.Kind == ReadsTable:
						got = append(got, "table")
					case r.Kind == ReadsItself:
						got = append(got, "itself")
					case r.CTE != nil:
						got = append(got, "cte")
					default:
						got = append(got, fmt.Sprint(r.Kind))
					}
				}
				return true
			})
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s: %s\n got  %s\n want %s", name, c.sql, text, c.want)
			}
		}
	}
}

// TestBindTables checks which names mean one table to the scripts of a case, among few tables and among many,
// which are looked up in another way.
func TestBindTables(t *testing.T) {
	for _, many := range []int{0, 3 * manyTables} {
		rest := ""
		for i := range many {
			rest += fmt.Sprintf(", f%d", i)
		}
		for _, c := range []struct {
			schema, gold, pred string
			want               string // the names of the first source's table in both, and whether they are one, and apart
		}{
			{"", "SELECT 1 FROM t", "SELECT 1 FROM T", "t t same"},
			{"", "SELECT 1 FROM s.t", "SELECT 1 FROM t", "s.t s.t same"},
			{"", "SELECT 1 FROM t", "SELECT 1 FROM d.s.t", "d.s.t d.s.t same"},
			{"", "SELECT 1 FROM s.t", "SELECT 1 FROM r.t", "s.t r.t apart"},
			{"", "SELECT 1 FROM t, s.t AS x", "SELECT 1 FROM t", "t t same apart"},
			{"CREATE TABLE t (a int)", "SELECT 1 FROM s.t", "SELECT 1 FROM r.t", "s.t r.t apart"},
			{"CREATE TABLE s.t (a int)", "SELECT 1 FROM s.t", "SELECT 1 FROM r.t", "s.t known r.t apart"},
		} {
			bs := Bind(ReadSchema(c.schema, Postgres), Parse(c.gold+rest, Postgres), Parse(c.pred+rest, Postgres))
			var roots [2]*BoundTable
			var got []string
			for i, b := range bs {
				table := b.Reads(b.Final().Body.(*Select).From[0]).Table
				roots[i] = table.Root()
				var parts []string
				for _, id := range table.Name {
					parts = append(parts, strings.ToLower(id.Text))
				}
				got = append(got, strings.Join(parts, "."))
				if def, several := table.Listed(); def != nil && !several {
					got = append(got, "known")
				}
			}
			if roots[0] == roots[1] {
				got = append(got, "same")
			}
			if roots[0].Apart() != nil {
				got = append(got, "apart")
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s, %s, %s with %d more: %s, want %s", c.schema, c.gold, c.pred, many, text, c.want)
			}
		}
	}
}

// TestBindLearns checks that a query without qualifiers reads what another one says, among few columns and
// among many.
func TestBindLearns(t *testing.T) {
	for _, n := range []int{1, 3 * manyTables} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`t.c%d, t."C%d", u.d%d`, i, i, i))
		}
		bs := Bind(nil, Parse("SELECT "+strings.Join(list, ", ")+" FROM t, u", Postgres), Parse(`SELECT C0, "C0", "c0", d0, e FROM t, u`, Postgres))
		if got, want := meaningsOf(bs[1]), "t.C0 t.C0 t.c0 u.d0 ~{t,u}.e"; got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
