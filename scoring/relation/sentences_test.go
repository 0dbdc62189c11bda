package relation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// facts are what a query says, read off its tree by other means than the relations use.
type facts struct {
	query              *sqlparts.Query
	sel                *sqlparts.Select
	atoms              map[string]bool // column, operator and value of every comparison, negations carried in
	asked              map[string]bool // columns of conditions
	limit, offset      string
	aggregates, tables map[string]bool
	counts, distincts  int
	divides, outer     bool
	intersects, either bool
	groups             string
}

func factsOf(t *testing.T, sql string) *facts {
	q := sqlparts.Parse(sql, sqlparts.DuckDB).Final()
	if q == nil {
		t.Fatalf("no query: %s", sql)
	}
	f := &facts{query: q, atoms: map[string]bool{}, asked: map[string]bool{}, aggregates: map[string]bool{}, tables: map[string]bool{}}
	f.sel, _ = q.Body.(*sqlparts.Select)
	text := " " + strings.ToLower(sqlparts.Format(q)) + " "
	if _, after, ok := strings.Cut(text, " limit "); ok {
		f.limit = strings.Fields(after)[0]
	}
	if _, after, ok := strings.Cut(text, " offset "); ok {
		f.offset = strings.Fields(after)[0]
	}
	f.outer, f.intersects = strings.Contains(text, " left join "), strings.Contains(text, " intersect ")
	f.either = strings.Contains(text, " or ") || strings.Contains(text, " union ") || strings.Contains(text, " in (")
	f.divides = strings.Contains(text, " / ")
	if _, after, ok := strings.Cut(text, " group by "); ok {
		f.groups, _, _ = strings.Cut(after, " order by ")
		f.groups, _, _ = strings.Cut(f.groups, " limit ")
		f.groups = strings.TrimSpace(f.groups)
	}
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Select:
			f.ask(n.Where, false)
			f.ask(n.Having, false)
		case *sqlparts.Source:
			f.tables[n.Table.Last().Text] = true
		case *sqlparts.Call:
			name := strings.ToLower(n.Name.Last().Text)
			f.aggregates[name] = true
			if name == "count" {
				f.counts++
				if n.Distinct {
					f.distincts++
				}
			}
		}
		return true
	})
	return f
}

func (f *facts) ask(e sqlparts.Expr, negated bool) {
	opposite := map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	switch e := e.(type) {
	case nil:
	case *sqlparts.Logic:
		for _, a := range e.Args {
			f.ask(a, negated)
		}
	case *sqlparts.Unary:
		f.ask(e.X, !negated)
	case *sqlparts.Binary:
		op := string(e.Op)
		if negated {
			op = opposite[op]
		}
		f.atoms[sqlparts.Format(e.L)+op+sqlparts.Format(e.R)] = true
		f.name(e)
	default:
		f.name(e)
	}
}

func (f *facts) name(e sqlparts.Expr) {
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		if c, ok := n.(*sqlparts.Column); ok {
			f.asked[c.Name.Last().Text] = true
		}
		return true
	})
}

// atom reports whether one comparison of a query, and none of the other, has the column and the
// operator.
func (f *facts) has(column, op string) bool {
	for a := range f.atoms {
		if rest, ok := strings.CutPrefix(a, column+op); ok && rest != "" && rest[0] != '=' && rest[0] != '>' {
			return true
		}
	}
	return false
}

func asked(text string) string { // the column of the condition that a sentence quotes
	_, after, _ := strings.Cut(text, "condition ")
	for _, w := range strings.FieldsFunc(after, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if w != "not" {
			return w
		}
	}
	return ""
}

func (f *facts) firstKeys() string {
	if len(f.query.OrderBy) == 0 {
		return ""
	}
	return sqlparts.Normalized(f.query.OrderBy[0].Expr)
}

func (f *facts) first() bool { return f.limit != "" && (f.offset == "" || f.offset == "0") }

// sentences are the claims that each relation of queries makes. A relation that is not listed has
// no sentence to check.
var sentences = map[string]func(g, p *facts, r relation.Relation) bool{
	"condition_missing": func(g, p *facts, r relation.Relation) bool { c := asked(r.Text); return g.asked[c] && !p.asked[c] },
	"condition_added":   func(g, p *facts, r relation.Relation) bool { c := asked(r.Text); return p.asked[c] && !g.asked[c] },
	"boundary": func(g, p *facts, r relation.Relation) bool {
		if strings.HasPrefix(r.Text, "The answer includes") {
			g, p = p, g
		}
		_, after, _ := strings.Cut(r.Text, "bound of ")
		c, _, _ := strings.Cut(after, ",")
		return g.has(c, ">=") && p.has(c, ">") || g.has(c, "<=") && p.has(c, "<")
	},
	"comparison_differs": func(g, p *facts, r relation.Relation) bool {
		var c, a, b string
		_, after, _ := strings.Cut(r.Text, "compare ")
		c, after, _ = strings.Cut(after, " with")
		_, after, _ = strings.Cut(after, "gold by ")
		a, after, _ = strings.Cut(after, ", the answer by ")
		b = strings.TrimSuffix(after, ".")
		return a != b && (g.has(c, a) || strings.Contains(a, "in")) && (p.has(c, b) || strings.Contains(b, "in"))
	},
	"literals_differ": func(g, p *facts, r relation.Relation) bool { return !slices.Equal(keysOf(g.atoms), keysOf(p.atoms)) },
	"or_for_and":      func(g, p *facts, _ relation.Relation) bool { return g.intersects && !p.intersects && p.either },
	"and_for_or":      func(g, p *facts, _ relation.Relation) bool { return p.intersects && !g.intersects && g.either },
	"same_query": func(g, p *facts, r relation.Relation) bool {
		return slices.Equal(keysOf(g.tables), keysOf(p.tables)) && g.limit == p.limit && g.offset == p.offset && g.counts == p.counts
	},
	"count_distinct": func(g, p *facts, r relation.Relation) bool {
		if strings.HasPrefix(r.Text, "Gold uses") {
			return g.distincts > p.distincts && p.counts-p.distincts > g.counts-g.distincts
		}
		return p.distincts > g.distincts && g.counts-g.distincts > p.counts-p.distincts
	},
	"aggregate_differs": func(g, p *facts, r relation.Relation) bool {
		return !slices.Equal(keysOf(g.aggregates), keysOf(p.aggregates))
	},
	"ratio_for_plain": func(g, p *facts, r relation.Relation) bool {
		return g.divides == strings.HasPrefix(r.Text, "Gold divides") && p.divides != g.divides
	},
	"order_differs": func(g, p *facts, _ relation.Relation) bool {
		return g.first() && p.first() && g.firstKeys() != p.firstKeys()
	},
	"limits_differ": func(g, p *facts, r relation.Relation) bool {
		for _, x := range []struct {
			f    *facts
			name string
		}{{g, "Gold "}, {p, "the answer "}} {
			_, says, _ := strings.Cut(r.Text, x.name)
			if none := strings.HasPrefix(says, "has no limit"); none != (x.f.limit == "") || !none && !strings.HasPrefix(says, "keeps at most "+x.f.limit+" row") {
				return false
			}
		}
		return g.limit != p.limit
	},
	"distinct_under_limit": func(g, p *facts, r relation.Relation) bool {
		return g.first() && p.first() && g.sel.Distinct == strings.HasPrefix(r.Text, "Gold has") && p.sel.Distinct != g.sel.Distinct
	},
	"same_order_limit": func(g, p *facts, r relation.Relation) bool {
		return g.first() && p.first() && g.limit == p.limit && strings.Contains(r.Text, "the first "+g.limit+" row") && g.firstKeys() == p.firstKeys()
	},
	"group_differs": func(g, p *facts, r relation.Relation) bool {
		if strings.Contains(r.Text, "gold does not group") && g.groups != "" || strings.Contains(r.Text, "the answer does not group") && p.groups != "" {
			return false
		}
		return g.groups != p.groups
	},
	"outer_join": func(g, p *facts, r relation.Relation) bool {
		return g.outer == strings.HasPrefix(r.Text, "Gold has") && p.outer != g.outer
	},
	"tables_fewer": func(g, p *facts, _ relation.Relation) bool { return len(p.tables) < len(g.tables) },
	"tables_more":  func(g, p *facts, _ relation.Relation) bool { return len(p.tables) > len(g.tables) },
	"tables_differ": func(g, p *facts, _ relation.Relation) bool {
		return !slices.Equal(keysOf(g.tables), keysOf(p.tables))
	},
	"select_differs": func(g, p *facts, _ relation.Relation) bool {
		_, a, ok := strings.Cut(sqlparts.Format(g.query), " from ")
		_, b, ok2 := strings.Cut(sqlparts.Format(p.query), " from ")
		return ok && ok2 && a == b
	},
}

func keysOf(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Every sentence about two queries is true of their trees. Unless tests are thorough, 2,000 pairs are
// enough once each sentence was found.
func TestSentencesAboutQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	condition := func() string {
		c := of("a", "b") + of(" < ", " <= ", " = ", " <> ", " > ") + of("3", "7")
		return of(c, c, c, "NOT ("+c+")", "NOT (NOT "+c+")", "a IN (1, 2)", "b IS NOT NULL", "NOT ("+c+" AND b = 7)", "("+c+" OR a = 7)")
	}
	query := func() string {
		q := "SELECT " + of("", "", "DISTINCT ") + of("a", "b", "COUNT(a)", "COUNT(DISTINCT a)", "MAX(b)", "a / b", "a, b") + " FROM t"
		q += of("", "", " JOIN u ON t.k = u.k", " LEFT JOIN u ON t.k = u.k", ", v")
		if r.IntN(4) > 0 {
			q += " WHERE " + condition() + of("", " AND "+condition())
		}
		q += of("", "", " GROUP BY a", " GROUP BY b")
		if r.IntN(9) == 0 {
			return q + of(" INTERSECT ", " UNION ") + "SELECT a FROM t WHERE " + condition()
		}
		if r.IntN(2) == 0 {
			q += " ORDER BY " + of("a", "b", "a DESC", "b, a")
		}
		return q + of("", " LIMIT 3", " LIMIT 5", " LIMIT 3 OFFSET 1", " LIMIT 3 OFFSET 0", " LIMIT a", " OFFSET 2")
	}
	seen := map[string]int{}
	for i := range 8_000 {
		if i >= sample.Count(8_000, 4) && len(seen) == len(sentences) {
			break
		}
		gold, pred := query(), query()
		if r.IntN(3) == 0 { // near each other
			change := [][2]string{{" a ", " b "}, {"3", "7"}, {" < ", " <= "}, {" > ", " >= "}, {"LEFT ", ""}, {"DISTINCT ", ""}, {"NOT ", ""}, {" = ", " <> "}, {"SELECT a", "SELECT b"}, {"a = ", "7 = "}, {"MAX", "MIN"}}[r.IntN(11)]
			pred = strings.Replace(gold, change[0], change[1], 1)
			if s := sqlparts.Parse(pred, sqlparts.DuckDB); len(s.Notes) > 0 || s.Final() == nil {
				continue
			}
		}
		for _, found := range relation.Queries(relation.Input{GoldSQL: gold, PredSQL: pred, Dialect: "duckdb"}) {
			check := sentences[found.Name]
			if check == nil {
				continue
			}
			seen[found.Name]++
			if !check(factsOf(t, gold), factsOf(t, pred), found) {
				t.Errorf("%s: %s\n  %s\n  %s", found.Name, found.Text, gold, pred)
				if t.Failed() && len(seen) > 60 {
					t.FailNow()
				}
			}
		}
	}
	for name := range sentences {
		if seen[name] == 0 {
			t.Errorf("%s was never found: its sentence was not checked", name)
		}
	}
	t.Log(fmt.Sprint(seen))
}

// A column of gold that the answer lacks is not said to differ.
func TestMissingColumnsDoNotDiffer(t *testing.T) {
	of := func(text string) *scoring.Table {
		table, err := scoring.ParseResult([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	gold := of(`{"columns": ["k", "n", "c"], "rows": [["a", 1, "x"], ["b", 2, "y"], ["d", 3, "z"]]}`)
	for _, tc := range []struct{ pred, want string }{
		{`{"columns": ["k", "n", "c"], "rows": [["a", 7, "u"], ["b", 8, "v"], ["d", 9, "w"]]}`,
			`All 3 rows are matched by "k"; "c" and "n" differ.`},
		{`{"columns": ["k", "n"], "rows": [["a", 7], ["b", 8], ["d", 9]]}`,
			`All 3 rows are matched by "k"; "n" differs, and the answer has no "c".`},
		{`{"columns": ["k", "n"], "rows": [["a", 7], ["b", 8]]}`,
			`2 of 3 rows of gold and 2 of the answer are matched by "k"; "n" differs, and the answer has no "c".`},
	} {
		texts := map[string]string{}
		for _, r := range relation.Find(relation.Input{Gold: gold, Pred: of(tc.pred)}) {
			texts[r.Name] = r.Text
		}
		if texts["cells_differ"] != tc.want {
			t.Errorf("%s: %q, want %q", tc.pred, texts, tc.want)
		}
	}
}
