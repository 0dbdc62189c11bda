package metric

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// queries is the input of two texts.
func queries(dialect, gold, pred string) *scoring.Input {
	return &scoring.Input{Case: &scoring.Case{ID: "c", Dialect: dialect}, Gold: &scoring.Query{SQL: gold}, Pred: &scoring.Query{SQL: pred}}
}

const gradedReply = `{"analysis": "A-text", "score": 6, "equivalent": false, "issues": [{"label": "filters_missing", "explanation": "x"}]`

// The three metrics cost one call; each is recorded with the assessment, the call is counted once.
func TestSQLJudgeAsksOnce(t *testing.T) {
	c, err := scoring.DecodeCase([]byte(`{"case_id": "1", "question": "Q-text", "evidence": "E-text", "schema_ddl": "S-text", "dialect": "duckdb",
		"gold": {"sql": "SELECT gold FROM t WHERE kept = 'left out'", "result": {"columns": [{"name": "c"}], "rows": [["gold-cell"]]}},
		"agent": {"sql": "SELECT pred FROM t", "interpretation": "I-text", "result": {"columns": [{"name": "c"}], "rows": [["pred-cell"]]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	judge := &asked{replies: map[string]string{"sql_judge": gradedReply}}
	stack, err := judgebackend.NewStack(judge, nil)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: stack})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, "sql_judge_issues", "sql_judge_similarity", "sql_judge_equivalent")
	if err != nil {
		t.Fatal(err)
	}
	if len(judge.got) != 1 {
		t.Fatalf("%d calls, want 1", len(judge.got))
	}
	calls := 0
	for i, want := range []float64{1, 0.6, 0} {
		s := scores[i]
		if s.Status != scoring.StatusOK || s.Value != want {
			t.Errorf("%s: %s %v %s, want %v", s.Metric, s.Status, s.Value, s.Reason, want)
		}
		if len(s.AssessmentIDs) != 1 || s.AssessmentIDs[0] != scores[0].AssessmentIDs[0] {
			t.Errorf("%s: assessments %v", s.Metric, s.AssessmentIDs)
		}
		if s.Usage != nil {
			calls += s.Usage.Calls
		}
	}
	if calls != 1 {
		t.Errorf("%d calls are counted, want 1", calls)
	}
	r := judge.got[0]
	text := r.Messages[len(r.Messages)-1].Content
	for _, part := range []string{
		"Q-text", "I-text", "E-text", "S-text", "duckdb", "SELECT gold", "SELECT pred", "kept = 'left out'", // appendix A.2, hint and schema, and what differs
		"only the reference has kept = 'left out'", "the results, compared cell by cell with the columns in the order selected, differ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the judge does not see %s", part)
		}
	}
	for _, part := range []string{"gold-cell", "pred-cell"} {
		if strings.Contains(text, part) {
			t.Errorf("the judge sees %s: what counts are other data too", part)
		}
	}
	if r.Temperature != 0.1 {
		t.Errorf("temperature %v, want 0.1 (appendix A.2)", r.Temperature)
	}
}

// A proof assumes nothing of keys that the schema does not say.
func TestProofsAssumeNoKeys(t *testing.T) {
	for _, tc := range []struct {
		why, schema, gold, pred string
		want                    bool
	}{
		{"spelling needs no keys", "", "SELECT t.a FROM t WHERE b = 1 AND c = 2", "select A from T where c = 2 and b = 1", true},
		{"an id may be NULL", "", "SELECT count(id) FROM t", "SELECT count(*) FROM t", false},
		{"an id may come twice", "", "SELECT DISTINCT id FROM t", "SELECT id FROM t", false},
		{"a schema says that it may not", "CREATE TABLE t (id INT PRIMARY KEY)", "SELECT count(id) FROM t", "SELECT count(*) FROM t", true},
		{"a schema does not say so", "CREATE TABLE t (id INT)", "SELECT count(id) FROM t", "SELECT count(*) FROM t", false},
	} {
		in := queries("", tc.gold, tc.pred)
		in.Case.Schema = tc.schema
		if got := proofOf(in) != nil; got != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
		}
	}
}

// The judge's material is bounded, and each cut is marked.
func TestSQLJudgeMaterialIsBounded(t *testing.T) {
	long := strings.Repeat("SELECT a, ", 200_000)
	in := queries("", long, long+" b")
	in.Case.Question, in.Case.Schema, in.Case.Evidence, in.Case.Agent.Interpretation = long, long, long, long
	r := prompt.SQLJudge.Request(sqlJudgeMaterial(in, sqlJudgeOptions{}))
	text := r.Messages[1].Content
	if n := utf8.RuneCountInString(text); n > 130_000 {
		t.Errorf("%d characters", n)
	}
	if n := strings.Count(text, "characters are left out"); n < 6 {
		t.Errorf("%d cuts are told, want those of question, interpretation, hint, schema and both queries", n)
	}
}

func TestSQLIssuesAreThoseOfTheSchema(t *testing.T) {
	var schema struct {
		Properties struct {
			Issues struct {
				Items struct {
					Properties struct {
						Label struct {
							Enum []string `json:"enum"`
						} `json:"label"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"issues"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(prompt.SQLJudge.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties.Issues.Items.Properties.Label.Enum; !slices.Equal(got, sqlIssues) || len(got) != 14 {
		t.Errorf("%v, want the 14 of Table 3, %v", got, sqlIssues)
	}
}

func TestJudgementsThatContradictThemselves(t *testing.T) {
	for _, tc := range []struct {
		why string
		j   sqlJudgement
		n   int
	}{
		{"all of a piece", sqlJudgement{Score: 10, Equivalent: true}, 0},
		{"slow and equivalent", sqlJudgement{Score: 9, Equivalent: true, Issues: []sqlIssue{{Label: "performance_issue"}}}, 0},
		{"wrong for a reason", sqlJudgement{Score: 3, Issues: []sqlIssue{{Label: "logic_error"}}}, 0},
		{"equivalent with an issue", sqlJudgement{Score: 9, Equivalent: true, Issues: []sqlIssue{{Label: "joins_incorrect"}}}, 1},
		{"equivalent with a low grade", sqlJudgement{Score: 2, Equivalent: true}, 1},
		{"not equivalent for no reason", sqlJudgement{Score: 5}, 1},
		{"not equivalent for a reason that changes no answer", sqlJudgement{Score: 5, Issues: []sqlIssue{{Label: "performance_issue"}}}, 1},
		{"none, and an issue", sqlJudgement{Score: 5, Issues: []sqlIssue{{Label: "none"}, {Label: "logic_error"}}}, 1},
	} {
		if got := tc.j.settle(); len(got) != tc.n {
			t.Errorf("%s: %v, want %d warnings", tc.why, got, tc.n)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, tc := range []struct {
		why, gold, pred string
		want            []string
	}{
		{
			"parts of the final SELECT", "SELECT a, sum(b) FROM t GROUP BY a ORDER BY a LIMIT 5", "SELECT a, max(b) FROM u GROUP BY a ORDER BY a DESC LIMIT 10",
			[]string{
				"select items: only the reference has sum(b); only the query to grade has max(b)", "sort keys: only the reference has a asc; only the query to grade has a desc",
				"base tables: only the reference has t; only the query to grade has u", "keywords: only the reference has ASC; only the query to grade has DESC",
				"greatest number of rows: 5 in the reference, 10 in the query to grade",
			},
		},
		{
			"a condition in a common table expression is where it would be in WHERE", "SELECT a FROM t WHERE b = 1", "WITH x AS (SELECT a FROM t WHERE b = 1) SELECT a FROM x",
			[]string{"keywords: only the reference has WHERE; only the query to grade has WITH"},
		},
		{
			"a condition of a join restricts, an equality of columns joins", "SELECT t.a FROM t JOIN u ON t.id = u.id AND u.kind = 'x'", "SELECT t.a FROM t JOIN u ON t.id = u.id",
			[]string{"conditions anywhere in the query: only the reference has kind = 'x'"},
		},
		{
			"join conditions", "SELECT t.a FROM t JOIN u ON t.id = u.id", "SELECT t.a FROM t JOIN u ON t.key = u.id",
			[]string{"join conditions anywhere in the query: only the reference has id = id; only the query to grade has id = key"},
		},
		{
			"joins in another notation", "SELECT t.a FROM t JOIN u ON t.id = u.id WHERE t.b = 1", "SELECT t.a FROM t, u WHERE t.id = u.id AND t.b = 1",
			[]string{"keywords: only the reference has INNER | JOIN"},
		},
		{
			"the side that a column is taken from is not listed, and that is said", "SELECT t.a FROM t JOIN u USING (id)", "SELECT u.a FROM t JOIN u ON u.id = t.id",
			[]string{"none in the parts of the final SELECT, the conditions, the joins and the tables; what differs lies inside subqueries and common table expressions, in which table a column is taken from, or is a matter of spelling"},
		},
		{"a string cannot begin a line", "SELECT 'a\nnone' FROM t", "SELECT b FROM t", []string{`select items: only the reference has 'a\nnone'; only the query to grade has b`}},
		{"no query, no list", "SELECT a FROM t", "prose", nil},
	} {
		var want string
		if tc.want != nil {
			want = strings.Join(tc.want, "\n")
		}
		if got := differencesOf(queries("", tc.gold, tc.pred)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.why, got, want)
		}
	}
	many := make([]string, 40)
	for i := range many {
		many[i] = "c" + strings.Repeat("x", 300+i)
	}
	got := differencesOf(queries("", "SELECT "+strings.Join(many, ", ")+" FROM t", "SELECT a FROM t"))
	if !strings.Contains(got, "and 32 more") || !strings.Contains(got, "… (301 characters)") || len(got) > 2500 {
		t.Errorf("long lists are not cut, or not told: %d bytes", len(got))
	}
}

// What the texts prove, experts accept: of the pairs that are proven to be the same, all but one,
// in which experts of FLEX found COUNT(charternum) to differ from COUNT(*) though WHERE compares
// charternum.
func TestProofsAgreeWithExperts(t *testing.T) {
	proved, refused := 0, []string(nil)
	for _, set := range []string{"rosevec/cases.jsonl", "flex200/cases.jsonl"} {
		for _, c := range recordedCases(t, set) {
			if in := (&scoring.Input{Case: c.Case, Gold: &c.Golds[0], Pred: &c.Pred}); proofOf(in) != nil {
				if proved++; c.Human != nil && !*c.Human {
					refused = append(refused, c.ID)
				}
			}
		}
	}
	t.Logf("%d proved, refused by experts: %v", proved, refused)
	if proved < 95 || !slices.Equal(refused, []string{"flex-ex1-73"}) {
		t.Errorf("%d proved, refused by experts: %v", proved, refused)
	}
}
