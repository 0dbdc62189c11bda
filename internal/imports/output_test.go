package imports

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// SQL in the output of an agent is that of a member, or a text that is a query in a fence and nothing else.
func TestOutputSQL(t *testing.T) {
	for output, want := range map[string]string{
		`{"sql": "SELECT a FROM t", "answer": "three"}`:                      "SELECT a FROM t",
		`{"query": "weather in Rome"}`:                                       "",
		`{"output": {"sql": "WITH x AS (SELECT 1) TABLE x"}}`:                "WITH x AS (SELECT 1) TABLE x",
		`"{\"sql\": \"SELECT 2\"}"`:                                          "SELECT 2",
		`{"sql": "` + "```sql\\nSELECT 3\\n```" + `"}`:                       "SELECT 3",
		`"` + "```sql\\nSELECT 4\\n```" + `"`:                                "SELECT 4",
		`"` + "```\\nSELECT 5\\n```\\n" + `"`:                                "SELECT 5",
		`"` + "I would not run this:\\n```sql\\nSELECT 6\\n```" + `"`:        "",
		`"` + "```sql\\nSELECT 7\\n```\\nor\\n```sql\\nSELECT 8\\n```" + `"`: "",
		`"` + "```python\\nprint(1)\\n```" + `"`:                             "",
		`"SELECT is a word"`:                                                 "",
		`null`:                                                               "",
		`[1]`:                                                                "",
	} {
		if got := outputSQL(json.RawMessage(output)); got != want {
			t.Errorf("%s: %q, want %q", output, got, want)
		}
	}
}

// The nearest question shares at least half of the words of both.
func TestNearestQuestion(t *testing.T) {
	var q Questions
	q.Add("q1", "How many orders are open?")
	q.Add("q2", "Which customers are new?")
	for question, want := range map[string]string{
		"how many orders are open":  "q1", // 5 of 5 words
		"How many orders, open?":    "q1", // 4 of 5
		"Which new customers?":      "q2", // 3 of 4
		"Which customers paid late": "",   // 2 of 6
		"":                          "",
	} {
		if got, _ := q.nearest(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// A case that a version did not answer is missed by it, also if another version did.
func TestMissedCases(t *testing.T) {
	one, two := scoring.By{Agent: "a", Version: "1"}, scoring.By{Agent: "a", Version: "2"}
	p := Plan{planned: []planned{{id: "q1", by: one}, {id: "q2", by: one}, {id: "q2", by: two}, {by: two}, {id: "x", by: two}},
		asked: []string{"q1", "q2", "q3"}}
	var got []string
	for _, c := range p.Missed() {
		got = append(got, c.Agent.Version+" "+c.ID)
	}
	if want := []string{"1 q3", "2 q1", "2 q3"}; !slices.Equal(got, want) {
		t.Errorf("missed %s, want %s", strings.Join(got, ", "), want)
	}
}

// A question that several cases ask is not one that the golden set lacks.
func TestQuestionsOfSeveralCases(t *testing.T) {
	var q Questions
	for _, c := range [][2]string{{"a", "How many?"}, {"b", "how  many?"}, {"c", "HOW MANY?"}, {"b", "How many?"}, {"d", "How much?"}, {"d", "How much?"}} {
		q.Add(c[0], c[1])
	}
	for _, tc := range []struct{ caseID, question, several, id string }{
		{"", "How MANY?", "a b c", ""},
		{"b", "How many?", "", "b"},
		{"", "How much?", "", "d"},
		{"", "Why?", "", ""},
	} {
		a := Answer{CaseID: tc.caseID, Question: tc.question}
		id, known := q.caseID(&a)
		if got := strings.Join(q.several(&a), " "); got != tc.several || id != tc.id || known != (tc.id != "") {
			t.Errorf("%+v: %q of %q", tc, id, got)
		}
	}
}
