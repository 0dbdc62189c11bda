package metric

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// agreement counts verdicts against recorded ones.
type agreement struct{ both, neither, onlyRecorded, onlyOurs int }

func (a agreement) share() float64 {
	return float64(a.both+a.neither) / float64(a.both+a.neither+a.onlyRecorded+a.onlyOurs)
}

// recordedAgreement scores the cases of ROSE-VEC whose ids have the prefix and compares the
// verdicts with the recorded ones.
func recordedAgreement(t *testing.T, metric, verdict, prefix string) (a agreement, ids []string) {
	t.Helper()
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range recordedCases(t, "rosevec/cases.jsonl") {
		if !strings.HasPrefix(c.ID, prefix) {
			continue
		}
		scores, err := engine.Score(t.Context(), c.Case, metric)
		if err != nil {
			t.Fatal(err)
		}
		if scores[0].Status != scoring.StatusOK {
			t.Errorf("%s: %s %s", c.ID, scores[0].Status, scores[0].Reason)
		}
		switch got, want := scores[0].Value == 1, c.recorded[verdict]; {
		case got && want:
			a.both++
		case !got && !want:
			a.neither++
		case want:
			a.onlyRecorded++
			ids = append(ids, c.ID)
		default:
			a.onlyOurs++
			ids = append(ids, c.ID)
		}
	}
	return a, ids
}

// The worked examples of the documentation hold.
func TestExamplesOfSQLMetrics(t *testing.T) {
	for _, tt := range []struct {
		metric, gold, pred string
		want               float64
	}{
		{"tree_match", "SELECT T1.a FROM t AS T1 JOIN u ON u.id = T1.id WHERE x BETWEEN 1 AND 2", "SELECT a FROM u INNER JOIN t ON t.id = u.id WHERE x <= 2 AND x >= 1", 1},
		{"exact_match_spider", "SELECT name, age FROM singer WHERE age > 20", "SELECT T1.age, T1.name FROM singer AS T1 WHERE T1.age > 30", 1},
		{"exact_match_text", "SELECT a  FROM t;", "SELECT a FROM t", 1},
		{"exact_match_text", "SELECT a FROM t", "select a from t", 0},
		{"clause_recall", "SELECT a FROM t WHERE b = 1 ORDER BY a", "SELECT a FROM t ORDER BY a LIMIT 1", 0.75},
		{"component_recall_select", "SELECT region, sum(amount) FROM t", "SELECT region, count(*) FROM t", 0.5},
		{"component_recall", "SELECT a, b FROM t", "SELECT a, c FROM t", 6.5 / 7},
		{"sql_complexity", "SELECT count(*) FROM t", "", 1},
		{"sql_complexity", "WITH x AS (SELECT 1) SELECT a, b, c, d FROM x", "", 4},
	} {
		if s := scoreSQL(t, tt.metric, "", tt.gold, tt.pred); math.Abs(s.Value-tt.want) > 1e-12 {
			t.Errorf("%s of %q and %q is %v, want %v", tt.metric, tt.gold, tt.pred, s.Value, tt.want)
		}
	}
}

// What ROSE-VEC records as exact match is equality of the texts (its EM compares them after
// trimming), in all 397 cases.
func TestExactMatchTextEqualsRecorded(t *testing.T) {
	if a, ids := recordedAgreement(t, "exact_match_text", "em", ""); len(ids) > 0 || a.both != 2 {
		t.Errorf("%+v, differs on %v", a, ids)
	}
}

// On the BIRD part ROSE-VEC ran the published program of ETM. Its verdicts on the Spider part are
// another matter: they are equality of the texts up to case, quotes and spacing, since they refuse
// pairs that differ in nothing but aliases or the order of the select list, which that program
// ignores.
func TestTreeMatchAgainstRecorded(t *testing.T) {
	a, ids := recordedAgreement(t, "tree_match", "etm", "bird-")
	t.Logf("BIRD: %+v, %.2f%% agree, differs on %v", a, 100*a.share(), ids)
	if a.share() < 0.99 {
		t.Errorf("BIRD: %v agree", a.share())
	}
	a, ids = recordedAgreement(t, "tree_match", "etm", "spider-")
	t.Logf("Spider: %+v, %.2f%% agree, differs on %v", a, 100*a.share(), ids)
	if a.onlyRecorded > 0 {
		t.Errorf("Spider: %d recorded matches are missed: %v", a.onlyRecorded, ids)
	}
	// Each of the others is the same query but for aliases, the order of the select list, of joins,
	// and case.
	want := []string{
		"spider-43-0", "spider-313-16", "spider-438-23", "spider-780-57", "spider-816-60", "spider-1742-151", "spider-1939-177", "spider-1940-178", "spider-1688-204", "spider-1735-211",
		"spider-1741-212", "spider-305-221", "spider-2112-229", "spider-1396-236", "spider-1749-246", "spider-429-255",
	}
	slices.Sort(want)
	slices.Sort(ids)
	if !slices.Equal(ids, want) {
		t.Errorf("Spider: differs on %v, want %v", ids, want)
	}
}

func TestExactMatchSpider(t *testing.T) {
	for _, tt := range []struct {
		why, gold, pred string
		want            float64
	}{
		{"values do not count", "SELECT a FROM t WHERE b > 20", "SELECT a FROM t WHERE b > 30", 1},
		{"operators do", "SELECT a FROM t WHERE b > 20", "SELECT a FROM t WHERE b >= 20", 0},
		{"nor does DISTINCT", "SELECT DISTINCT a FROM t", "SELECT a FROM t", 1},
		{"nor DISTINCT in an aggregate", "SELECT count(DISTINCT a) FROM t", "SELECT count(a) FROM t", 1},
		{"the select list is a set", "SELECT a, b FROM t", "SELECT b, a FROM t", 1},
		{"aggregates count", "SELECT max(a) FROM t", "SELECT min(a) FROM t", 0},
		{"so are the conditions", "SELECT a FROM t WHERE b = 1 AND c = 2", "SELECT a FROM t WHERE c = 1 AND b = 2", 1},
		{"AND or OR counts", "SELECT a FROM t WHERE b = 1 AND c = 2", "SELECT a FROM t WHERE b = 1 OR c = 2", 0},
		{"aliases are resolved", "SELECT T1.a FROM t AS T1 JOIN u AS T2 ON T1.id = T2.id", "SELECT t.a FROM u JOIN t ON u.id = t.id", 1},
		{"a foreign key is what it refers to", "SELECT T1.id FROM t AS T1 JOIN u AS T2 ON T1.id = T2.t_id", "SELECT T2.t_id FROM t AS T1 JOIN u AS T2 ON T1.id = T2.t_id", 1},
		{"join conditions do not count", "SELECT t.a FROM t JOIN u ON t.x = u.x", "SELECT t.a FROM t JOIN u ON t.y = u.y", 1},
		{"tables do", "SELECT a FROM t", "SELECT a FROM u", 0},
		{"the number of LIMIT does not", "SELECT a FROM t ORDER BY a LIMIT 1", "SELECT a FROM t ORDER BY a LIMIT 5", 1},
		{"its presence does", "SELECT a FROM t ORDER BY a LIMIT 1", "SELECT a FROM t ORDER BY a", 0},
		{"direction does", "SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC", 0},
		{"the order of sort keys does", "SELECT a FROM t ORDER BY a, b", "SELECT a FROM t ORDER BY b, a", 0},
		{"groups are columns by name", "SELECT a FROM t GROUP BY a HAVING count(*) > 1", "SELECT a FROM t GROUP BY a HAVING count(*) > 2", 1},
		{"set operations are compared inside", "SELECT a FROM t WHERE b = 1 UNION SELECT a FROM u WHERE c = 1", "SELECT a FROM t WHERE b = 2 UNION SELECT a FROM u WHERE c = 3", 1},
		{"and are not the same", "SELECT a FROM t UNION SELECT a FROM u", "SELECT a FROM t INTERSECT SELECT a FROM u", 0},
		{"a subquery must be written the same way", "SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE d = 1 AND e = 2)", "SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE e = 1 AND d = 2)", 0},
		{"but for its values", "SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE d = 1)", "SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE d = 2)", 1},
		{"beyond Spider's grammar too", "SELECT count(*) AS n FROM t LEFT JOIN u ON t.a = u.a WHERE t.b IS NULL", "SELECT count(*) FROM t LEFT JOIN u ON t.a = u.a WHERE t.b IS NULL", 1},
	} {
		if s := scoreSQL(t, "exact_match_spider", "sqlite", tt.gold, tt.pred); s.Status != scoring.StatusOK || s.Value != tt.want {
			t.Errorf("%s: %s %v (%s), want %v", tt.why, s.Status, s.Value, s.Reason, tt.want)
		}
	}
}

func TestExactMatchSpiderStrict(t *testing.T) {
	for _, tt := range []struct{ why, beyond string }{
		{"an alias of a column", "SELECT a AS x FROM t"},
		{"another join", "SELECT t.a FROM t INNER JOIN u ON t.a = u.a"},
		{"a comma", "SELECT t.a FROM t, u"},
		{"a table alias without AS", "SELECT x.a FROM t x"},
		{"IS NULL", "SELECT a FROM t WHERE a IS NULL"},
		{"a list", "SELECT a FROM t WHERE a IN (1, 2)"},
		{"brackets around OR", "SELECT a FROM t WHERE (a = 1 OR b = 2) AND c = 3"},
		{"a function", "SELECT lower(a) FROM t"},
		{"two operators", "SELECT a + b + c FROM t"},
		{"a quoted name", "SELECT `a` FROM t"},
		{"a window", "SELECT sum(a) OVER (ORDER BY b) FROM t"},
		{"WITH", "WITH x AS (SELECT a FROM t) SELECT a FROM x"},
		{"CASE", "SELECT CASE WHEN a = 1 THEN 2 ELSE 3 END FROM t"},
	} {
		c := &scoring.Case{ID: "c", Dialect: "sqlite", Golds: []scoring.Query{{SQL: tt.beyond}}, Pred: scoring.Query{SQL: tt.beyond}, Options: map[string]json.RawMessage{"exact_match_spider": json.RawMessage(`{"strict": true}`)}}
		if s := scoreCase(t, "exact_match_spider", c); s.Status != scoring.StatusNotApplicable {
			t.Errorf("%s in the gold query: %s %v", tt.why, s.Status, s.Value)
		}
		c.Golds[0].SQL = "SELECT a FROM t"
		if s := scoreCase(t, "exact_match_spider", c); s.Status != scoring.StatusOK || s.Value != 0 || !strings.Contains(s.Reason, "grammar") {
			t.Errorf("%s in the answer: %s %v (%s)", tt.why, s.Status, s.Value, s.Reason)
		}
	}
	c := &scoring.Case{ID: "c", Schema: "CREATE TABLE t (a int)", Golds: []scoring.Query{{SQL: "SELECT a FROM t"}}, Pred: scoring.Query{SQL: "SELECT b FROM t"}, Options: map[string]json.RawMessage{"exact_match_spider": json.RawMessage(`{"strict": true}`)}}
	if s := scoreCase(t, "exact_match_spider", c); s.Value != 0 || !strings.Contains(s.Reason, "does not have") {
		t.Errorf("a column that is not there: %v (%s)", s.Value, s.Reason)
	}
	c.Pred.SQL = "SELECT t.a FROM t WHERE a LIKE '%x is null%' AND a BETWEEN 1 AND 2 AND a NOT IN (SELECT max(a) FROM t) ORDER BY count(*) DESC LIMIT 3"
	c.Golds[0].SQL = c.Pred.SQL
	if s := scoreCase(t, "exact_match_spider", c); s.Status != scoring.StatusOK || s.Value != 1 {
		t.Errorf("a query within the grammar: %s %v (%s)", s.Status, s.Value, s.Reason)
	}
}

func TestClauseSimilarity(t *testing.T) {
	same := scoreSQL(t, "clause_similarity", "", "SELECT b, a FROM t WHERE x BETWEEN 1 AND 2", "select T.a, T.b from t as T where x >= 1 and x <= 2")
	if same.Value != 1 {
		t.Errorf("equal queries: %v", same.Value)
	}
	near := scoreSQL(t, "clause_similarity", "", "SELECT a, b FROM t WHERE x = 1 ORDER BY a", "SELECT a, b FROM t WHERE x = 2 ORDER BY a")
	far := scoreSQL(t, "clause_similarity", "", "SELECT a, b FROM t WHERE x = 1 ORDER BY a", "SELECT count(*) FROM u")
	if !(0 < far.Value && far.Value < near.Value && near.Value < 1) {
		t.Errorf("near %v, far %v", near.Value, far.Value)
	}
	// gold: SELECT, FROM, WHERE, ORDER BY; the agent has SELECT, FROM.
	for metric, want := range map[string]float64{"clause_recall": 0.5, "clause_precision": 1} {
		if s := scoreSQL(t, metric, "", "SELECT a, b FROM t WHERE x = 1 ORDER BY a", "SELECT count(*) FROM u"); s.Value != want {
			t.Errorf("%s is %v, want %v", metric, s.Value, want)
		}
	}
	c := &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: "SELECT a FROM t WHERE x = 1 ORDER BY a"}}, Pred: scoring.Query{SQL: "SELECT a FROM t"}, Options: map[string]json.RawMessage{"clause_similarity": json.RawMessage(`{"tree_weight": 0}`)}}
	if s := scoreCase(t, "clause_similarity", c); s.Value != 0.5 {
		t.Errorf("clauses alone: %v, want 0.5", s.Value)
	}
	c.Options["clause_similarity"] = json.RawMessage(`{"tree_weight": 2}`)
	if s := scoreCase(t, "clause_similarity", c); s.Status != scoring.StatusFailed {
		t.Errorf("a weight of 2: %s", s.Status)
	}
}

func TestSchemaLinkF1(t *testing.T) {
	for _, tt := range []struct {
		why, gold, pred string
		want            float64
	}{
		{"the same identifiers in another form", "SELECT T1.a FROM s.t AS T1 WHERE T1.b = 1", "SELECT B, A FROM t GROUP BY a, b", 1},
		{"gold t, t.a, t.b; the agent t, t.a, u, u.c", "SELECT a FROM t WHERE b = 1", "SELECT t.a FROM t JOIN u ON u.c = t.a", 4.0 / 7},
		{"a column of the table that the other query says has it", "SELECT t.a FROM t JOIN u ON t.id = u.id", "SELECT a FROM t JOIN u ON t.id = u.id", 1},
		{"nothing in common", "SELECT a FROM t", "SELECT b FROM u", 0},
		{"subqueries and common table expressions count", "WITH x AS (SELECT a FROM t) SELECT a FROM x WHERE a IN (SELECT b FROM u)", "SELECT t.a FROM t JOIN u ON t.a = u.b", 1},
	} {
		if s := scoreSQL(t, "schema_link_f1", "", tt.gold, tt.pred); math.Abs(s.Value-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.why, s.Value, tt.want)
		}
	}
}

func TestRVES(t *testing.T) {
	one, two := &scoring.Table{}, &scoring.Table{}
	for i, table := range []*scoring.Table{one, two} {
		b := scoring.NewBuilder("n", scoring.Int64, 1)
		b.Append(scoring.IntValue(int64(i)))
		made, err := scoring.NewTable(b.Column())
		if err != nil {
			t.Fatal(err)
		}
		*table = *made
	}
	ms := func(n float64) *time.Duration {
		d := time.Duration(n * float64(time.Millisecond))
		return &d
	}
	for _, tt := range []struct {
		why        string
		gold, pred float64
		result     *scoring.Table
		value      float64
	}{
		{"at least twice as fast", 200, 100, one, 1.25},
		{"faster", 199, 100, one, 1},
		{"as fast", 100, 100, one, 1},
		{"up to half as fast", 50, 100, one, 0.75},
		{"up to a quarter as fast", 25, 100, one, 0.5},
		{"slower still", 24, 100, one, 0.25},
		{"nothing measurable on either side", 0, 0, one, 1},
		{"nothing measurable for the agent", 100, 0, one, 1.25},
		{"a wrong result earns nothing", 200, 100, two, 0},
	} {
		c := &scoring.Case{
			ID: "c", Golds: []scoring.Query{{Result: scoring.Result{Table: one}, Latency: ms(tt.gold), Ran: true}},
			Pred: scoring.Query{Result: scoring.Result{Table: tt.result}, Latency: ms(tt.pred), Ran: true},
		}
		if s := scoreCase(t, "r_ves", c); s.Status != scoring.StatusOK || s.Value != tt.value {
			t.Errorf("%s: %s %v, want %v", tt.why, s.Status, s.Value, tt.value)
		}
	}
}

// What the tree metrics say of a real query and itself.
func TestSQLMetricsOfRealQueriesAgainstThemselves(t *testing.T) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range recordedCases(t, "rosevec/cases.jsonl") {
		for _, sql := range []string{c.Golds[0].SQL, c.Pred.SQL} {
			self := &scoring.Case{ID: c.ID, Dialect: c.Dialect, Golds: []scoring.Query{{SQL: sql}}, Pred: scoring.Query{SQL: sql}}
			scores, err := engine.Score(t.Context(), self, "exact_match_spider", "exact_match_text", "tree_match", "clause_similarity", "schema_link_f1", "clause_recall", "clause_precision", "component_exact", "component_f1")
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scores {
				if s.Status == scoring.StatusOK && s.Value != 1 && !strings.Contains(s.Reason, "no query") {
					t.Errorf("%s: %s of a query and itself is %v (%s)", c.ID, s.Metric, s.Value, s.Reason)
				}
			}
		}
	}
}

func BenchmarkSQLMetrics(b *testing.B) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	c := &scoring.Case{
		ID: "c", Dialect: "sqlite",
		Golds: []scoring.Query{{SQL: "SELECT T1.full_name FROM superhero AS T1 INNER JOIN hero_attribute AS T2 ON T1.id = T2.hero_id INNER JOIN attribute AS T3 ON T2.attribute_id = T3.id WHERE T3.attribute_name = 'Strength' AND T2.attribute_value = (SELECT MAX(T4.attribute_value) FROM hero_attribute AS T4 INNER JOIN attribute AS T5 ON T4.attribute_id = T5.id WHERE T5.attribute_name = 'Strength')"}},
		Pred:  scoring.Query{SQL: "SELECT superhero.full_name FROM superhero INNER JOIN hero_attribute ON superhero.id = hero_attribute.hero_id INNER JOIN attribute ON hero_attribute.attribute_id = attribute.id WHERE attribute.attribute_name = 'Strength' AND hero_attribute.attribute_value = (SELECT MAX(attribute_value) FROM hero_attribute)"},
	}
	for _, name := range []string{"exact_match_spider", "exact_match_text", "tree_match", "clause_similarity", "schema_link_f1", "clause_recall", "component_f1", "sql_complexity", "sql_safety"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engine.Score(b.Context(), c, name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
