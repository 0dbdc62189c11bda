package metric

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func TestKeywordsOfTheSchemaAreOurs(t *testing.T) {
	var schema struct {
		Properties struct {
			Keywords struct {
				Items struct {
					Enum []string `json:"enum"`
				} `json:"items"`
			} `json:"keywords"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(prompt.SQLComponents.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	if got, want := schema.Properties.Keywords.Items.Enum, sqlparts.KeywordList(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// replyOf is a query as a judge would take it apart who writes exactly as the front end does.
func replyOf(c *sqlparts.Components) *componentsReply {
	return &componentsReply{
		IsQuery: true, Select: c.Select, Where: c.Set(sqlparts.ComponentWhere), GroupBy: c.GroupBy, OrderBy: c.OrderBy,
		Having: c.Set(sqlparts.ComponentHaving), Tables: c.Tables, Keywords: c.Keywords,
	}
}

// Components that a judge writes in the normal form are not changed, on real queries of three dialects. Otherwise
// the two sides of a comparison could differ only because different extractors read them.
func TestComponentsByJudgeKeepTheNormalForm(t *testing.T) {
	n, elements, moved := 0, 0, 0
	try := func(sql string, dialect sqlparts.Dialect) {
		script := sqlparts.Parse(sql, dialect)
		if script.Final() == nil || len(script.Notes) > 0 {
			return
		}
		want := sqlparts.Extract(script.Final())
		if len(want.Select) == 0 {
			return // VALUES
		}
		n++
		got, err := replyOf(&want).components(sql, dialect)
		if err != nil {
			t.Errorf("refused: %v\n%s", err, sql)
			return
		}
		for _, set := range sqlparts.ComponentList {
			c, missing, extra := difference(want.Set(set), got.Set(set))
			elements += c.gold
			if moved += c.gold - c.both; c.gold != c.both {
				t.Logf("%s: %q became %q", set, missing, extra)
			}
		}
	}
	for _, c := range recordedCases(t, "rosevec/cases.jsonl") {
		try(c.Golds[0].SQL, sqlparts.DialectOf(c.Dialect))
		try(c.Pred.SQL, sqlparts.DialectOf(c.Dialect))
	}
	f, err := os.Open(referenceData(t, "spider2/gold_sql.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var q struct {
			SQL     string `json:"sql"`
			Dialect string `json:"dialect"`
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		try(q.SQL, sqlparts.DialectOf(q.Dialect))
	}
	t.Logf("%d queries, %d elements, %d moved", n, elements, moved)
	if n < 900 || moved > 0 {
		t.Errorf("%d queries: %d of %d elements moved", n, moved, elements)
	}
}

// Two calls, however many component metrics ask, at temperature 0 (appendix A.1); neither query is
// shown next to the other.
func TestComponentsAreAskedForOnce(t *testing.T) {
	c, err := scoring.DecodeCase([]byte(`{"case_id": "1", "question": "Q-text", "dialect": "duckdb", "gold": {"sql": "SELECT gold FROM t"}, "agent": {"sql": "SELECT pred FROM t"}}`))
	if err != nil {
		t.Fatal(err)
	}
	c.Options = map[string]json.RawMessage{}
	var names []string
	for _, m := range All() {
		if strings.HasPrefix(m.Name, "component_") {
			names = append(names, m.Name)
			c.Options[m.Name] = json.RawMessage(`{"extract": "judge"}`)
		}
	}
	const reply = `{"is_query": true, "select_components": ["%s"], "where_components": [], "group_by_components": [], "order_by_components": [], "having_components": [], "table_components": ["t"], "keywords": []`
	judge := &asked{replies: map[string]string{"sql_components/gold": strings.Replace(reply, "%s", "gold", 1), "sql_components/agent": strings.Replace(reply, "%s", "pred", 1)}}
	stack, err := judgebackend.NewStack(judge, nil)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: stack})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(context.Background(), c, names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		want := 1.0
		switch {
		case strings.HasSuffix(s.Metric, "_select"), s.Metric == "component_exact":
			want = 0
		case !strings.Contains(strings.TrimPrefix(s.Metric, "component_"), "_"):
			want = 6.0 / 7
		}
		if s.Status != scoring.StatusOK || s.Value != want || len(s.AssessmentIDs) != 2 {
			t.Errorf("%s: %s %v %s, assessments %v, want %v", s.Metric, s.Status, s.Value, s.Reason, s.AssessmentIDs, want)
		}
	}
	if len(names) != 32 || len(judge.got) != 2 {
		t.Fatalf("%d calls for %d metrics, want 2 for 32", len(judge.got), len(names))
	}
	for i, own := range []string{"SELECT gold", "SELECT pred"} {
		text := judge.got[i].Messages[1].Content
		if !strings.Contains(text, own) || strings.Count(text, "SELECT") != 1 || strings.Contains(text, "Q-text") {
			t.Errorf("call %d sees more or less than %s", i+1, own)
		}
		if judge.got[i].Temperature != 0 {
			t.Errorf("temperature %v", judge.got[i].Temperature)
		}
	}
}

// Whatever a judge writes becomes sets, each sorted and without repetition, or is refused.
func FuzzComponentsReply(f *testing.F) {
	f.Add("SELECT a FROM t", "a", "b = 'x' and c in subquery", "t")
	f.Add("SELECT a FROM t", "a FROM t WHERE", "); DROP TABLE t", "(SELECT 1")
	f.Add("", "'", "exists(subquery)", "a.b.c AS d, e")
	f.Fuzz(func(t *testing.T, sql, item, condition, table string) {
		r := componentsReply{IsQuery: true, Select: []string{item}, Where: []string{condition}, GroupBy: []string{item}, OrderBy: []string{item}, Having: []string{condition}, Tables: []string{table}}
		c, err := r.components(sql, sqlparts.Generic)
		if err != nil {
			return
		}
		for _, set := range sqlparts.ComponentList {
			elements := c.Set(set)
			if !slices.IsSorted(elements) || len(slices.Compact(slices.Clone(elements))) != len(elements) {
				t.Errorf("%s is no set: %q", set, elements)
			}
		}
		if again, err := r.components(sql, sqlparts.Generic); err != nil || !cmp.Equal(c, again) {
			t.Errorf("the same reply gave %v, %v", again, err)
		}
	})
}
