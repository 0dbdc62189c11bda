package metric

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// scoreSQL scores one pair of queries with one metric.
func scoreSQL(t testing.TB, metric, dialect, goldSQL, predSQL string) scoring.Score {
	t.Helper()
	return scoreCase(t, metric, &scoring.Case{ID: "c", Dialect: dialect, Golds: []scoring.Query{{SQL: goldSQL}}, Pred: scoring.Query{SQL: predSQL}})
}

var everyMetric = sync.OnceValues(func() (*scoring.Engine, error) { return scoring.NewEngine(All(), nil) })

func scoreCase(t testing.TB, metric string, c *scoring.Case) scoring.Score {
	t.Helper()
	engine, err := everyMetric()
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(context.Background(), c, metric)
	if err != nil {
		t.Fatal(err)
	}
	return scores[0]
}

func TestComponentMeasures(t *testing.T) {
	for _, tt := range []struct {
		why, gold, pred             string
		component                   string
		recall, precision, f1, same float64
	}{
		{"equal in another form", "SELECT T1.a, Count(*) FROM s.t AS T1 GROUP BY 1", "select t.a, count( * ) from t group by t.a", "select", 1, 1, 1, 1},
		{"a position is what it stands for", "SELECT a, count(*) FROM t GROUP BY 1", "SELECT a, count(*) FROM t GROUP BY a", "group_by", 1, 1, 1, 1},
		{"recall is over the gold set: one of two found", "SELECT a, b FROM t", "SELECT a FROM t", "select", 0.5, 1, 2.0 / 3, 0},
		{"precision is over the agent's set: one of two is right", "SELECT a FROM t", "SELECT a, b FROM t", "select", 1, 0.5, 2.0 / 3, 0},
		{"nothing in common", "SELECT a FROM t", "SELECT b FROM t", "select", 0, 0, 0, 0},
		{"neither has any", "SELECT a FROM t", "SELECT b FROM t", "having", 1, 1, 1, 1},
		{"nothing to recall, but something made up", "SELECT a FROM t", "SELECT a FROM t WHERE a > 1", "where", 1, 0, 0, 0},
		{"nothing made up, but all missing", "SELECT a FROM t WHERE a > 1", "SELECT a FROM t", "where", 0, 1, 0, 0},
		{"tables of a CTE are seen through", "SELECT a FROM t", "WITH x AS (SELECT a FROM t) SELECT a FROM x", "tables", 1, 1, 1, 1},
		{"but WITH is a keyword", "SELECT a FROM t", "WITH x AS (SELECT a FROM t) SELECT a FROM x", "keywords", 1, 0, 0, 0},
	} {
		for measure, want := range map[string]float64{"recall": tt.recall, "precision": tt.precision, "f1": tt.f1, "exact": tt.same} {
			s := scoreSQL(t, "component_"+measure+"_"+tt.component, "", tt.gold, tt.pred)
			if s.Status != scoring.StatusOK || math.Abs(s.Value-want) > 1e-12 {
				t.Errorf("%s: %s of %s is %s %v, want %v", tt.why, measure, tt.component, s.Status, s.Value, want)
			}
			if (s.Passed != nil) != (measure == "exact") {
				t.Errorf("%s: only exact gives a verdict, %s has %v", tt.why, measure, s.Passed)
			}
		}
	}
}

func TestComponentMeans(t *testing.T) {
	// They differ in one of two select items and nothing else.
	g, p := "SELECT a, b FROM t WHERE x = 1", "SELECT a, c FROM t WHERE x = 1"
	for metric, want := range map[string]float64{"component_recall": 6.5 / 7, "component_precision": 6.5 / 7, "component_f1": 6.5 / 7, "component_exact": 0} {
		if s := scoreSQL(t, metric, "", g, p); math.Abs(s.Value-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", metric, s.Value, want)
		}
	}
	detail := func(metric string) string {
		line, err := scoring.Row{Score: scoreSQL(t, metric, "", g, p)}.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	if d := detail("component_recall"); !strings.Contains(d, `"stated":0.875`) { // select 0.5; where, tables and keywords 1
		t.Errorf("the mean over stated kinds is not 0.875: %s", d)
	}
	if d := detail("component_exact"); !strings.Contains(d, `"stated":0.75`) || !strings.Contains(d, "the queries differ in select") {
		t.Errorf("three of four stated kinds are the same: %s", d)
	}
}

func TestComponentsOfTextsThatAreNoQuery(t *testing.T) {
	if s := scoreSQL(t, "component_f1", "", "SELECT 1", "I cannot answer that."); s.Status != scoring.StatusOK || s.Value != 0 || !strings.Contains(s.Reason, "no query") {
		t.Errorf("prose for an answer: %s %v %v", s.Status, s.Value, s.Warnings)
	}
	if s := scoreSQL(t, "component_f1", "", "GRANT ALL ON t TO u", "SELECT 1"); s.Status != scoring.StatusNotApplicable {
		t.Errorf("a gold query that is none: %s", s.Status)
	}
	s := scoreSQL(t, "component_f1", "", "SELECT a FROM t", "SELECT a FROM t WHERE\n\n ?? ( ]] a")
	if s.Status != scoring.StatusOK {
		t.Errorf("a broken answer: %s %s", s.Status, s.Reason)
	}
	for _, w := range s.Warnings {
		if strings.Contains(w, "??") {
			t.Errorf("warning %q quotes the SQL", w)
		}
	}
	if len(s.Warnings) == 0 {
		t.Error("a broken answer gives no warning")
	}
}

func TestSQLComplexity(t *testing.T) {
	for _, tt := range []struct{ why, gold, pred, label, reason string }{
		{"one item, one condition", "SELECT count(*) FROM t WHERE a = 1", "", "easy", "no complex part; the tier is by the sizes of the clauses"},
		{"an order makes it medium", "SELECT a FROM t ORDER BY a", "", "medium", ""},
		{"so does a join", "SELECT count(*) FROM t JOIN u ON t.a = u.a", "", "medium", ""},
		{"a group with few parts passes both gates and fires nothing", "SELECT a, count(*) FROM t GROUP BY a", "", "medium", "no complex part; the tier is by the sizes of the clauses"},
		{"a group with three items is hard", "SELECT a, b, count(*) FROM t GROUP BY a, b", "", "hard", "no complex part; the tier is by the sizes of the clauses"},
		{"one signal: hard", "SELECT a FROM t WHERE b IN (SELECT b FROM u)", "", "hard", "a subquery in WHERE"},
		{"two signals: extra hard", "WITH x AS (SELECT a FROM t) SELECT a, b, c, d FROM x GROUP BY a, b, c, d", "", "extra_hard", "WITH"},
		{"the agent's query is not the question's", "", "SELECT 1", "", "no gold SQL given"},
		{"the gold query where both are given", "SELECT 1", "SELECT a FROM t WHERE b IN (SELECT b FROM u) UNION SELECT 1", "easy", ""},
	} {
		c := &scoring.Case{ID: "c", Pred: scoring.Query{SQL: tt.pred}}
		if tt.gold != "" {
			c.Golds = []scoring.Query{{SQL: tt.gold}}
		}
		s := scoreCase(t, "sql_complexity", c)
		if s.Label != tt.label || !strings.Contains(s.Reason, tt.reason) {
			t.Errorf("%s: %s (%s), want %s", tt.why, s.Label, s.Reason, tt.label)
		}
	}
	if s := scoreCase(t, "sql_complexity", &scoring.Case{ID: "c"}); s.Status != scoring.StatusNotApplicable {
		t.Errorf("without any query: %s", s.Status)
	}
}

// A query has all of its components, whatever they are.
func TestComponentsOfRealQueriesAgainstThemselves(t *testing.T) {
	for _, c := range recordedCases(t, "rosevec/cases.jsonl") {
		sets := sqlparts.Extract(sqlparts.Parse(c.Golds[0].SQL, sqlparts.SQLite).Final())
		for _, k := range sqlparts.ComponentList {
			if n, missing, extra := difference(sets.Set(k), sets.Set(k)); n.exact() != 1 || n.f1() != 1 || missing != nil || extra != nil {
				t.Errorf("%s: %s of the gold query differ from themselves", c.ID, k)
			}
		}
	}
}

func BenchmarkComponents(b *testing.B) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	c := &scoring.Case{
		ID: "c", Golds: []scoring.Query{{SQL: "SELECT T1.full_name FROM superhero AS T1 INNER JOIN hero_attribute AS T2 ON T1.id = T2.hero_id INNER JOIN attribute AS T3 ON T2.attribute_id = T3.id WHERE T3.attribute_name = 'Strength' AND T2.attribute_value = (SELECT MAX(T4.attribute_value) FROM hero_attribute AS T4 INNER JOIN attribute AS T5 ON T4.attribute_id = T5.id WHERE T5.attribute_name = 'Strength')"}},
		Pred: scoring.Query{SQL: "SELECT superhero.full_name FROM superhero JOIN hero_attribute ON superhero.id = hero_attribute.hero_id WHERE attribute_name = 'Strength' ORDER BY 1 LIMIT 3"},
	}
	var names []string
	for _, m := range All() {
		if strings.HasPrefix(m.Name, "component_") {
			names = append(names, m.Name)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Score(context.Background(), c, names...); err != nil {
			b.Fatal(err)
		}
	}
}
