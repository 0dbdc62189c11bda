package scoring_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func decodeCase(t testing.TB, text string) *scoring.Case {
	t.Helper()
	c, err := scoring.DecodeCase([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

func TestDecodeCaseReadsEveryMember(t *testing.T) {
	c := decodeCase(t, `{
		"case_id": "c1", "question": "How many?", "evidence": "count ids", "schema_ddl": "CREATE TABLE t(a)", "database": "db", "dialect": "duckdb", "tags": ["x", "y"],
		"gold": {"sql": "SELECT 1", "result": {"columns": ["a"], "rows": [[1]]}, "latency_ms": 12.5},
		"agent": {"name": "bot", "version": "2", "batch_id": "b7", "sql": "SELECT 2", "error": "no such table", "interpretation": "count", "response": "One.",
			"tool_calls": ["search", {"name": "run", "arguments": {"q": 1}}], "latency_ms": 0, "conversation_id": "k", "turn": 3},
		"expected": {"behaviour": "answer", "tools": ["search"], "clarifications": ["which year?"]},
		"human": {"label": true}, "options": {"hybrid_ex": {"tolerance": 0.1}}, "recorded": {"ex": 1}
	}`)
	if c.ID != "c1" || c.Question != "How many?" || c.Evidence != "count ids" || c.Schema != "CREATE TABLE t(a)" || c.Database != "db" || c.Dialect != "duckdb" || strings.Join(c.Tags, ",") != "x,y" {
		t.Errorf("the question: %+v", c)
	}
	if len(c.Golds) != 1 || c.Golds[0].SQL != "SELECT 1" || c.Golds[0].Result.Table.Rows() != 1 || *c.Golds[0].Latency != 12500*time.Microsecond || !c.Golds[0].Ran || c.Golds[0].Error != "" {
		t.Errorf("the gold answer: %+v", c.Golds)
	}
	if p := c.Pred; p.SQL != "SELECT 2" || p.Error != "no such table" || !p.Result.Absent() || !p.Ran || *p.Latency != 0 {
		t.Errorf("the agent's query: %+v", p)
	}
	a := c.Agent
	if a.Name != "bot" || a.Version != "2" || a.BatchID != "b7" || a.Interpretation != "count" || a.Response != "One." || a.ConversationID != "k" || a.Turn != 3 {
		t.Errorf("the agent: %+v", a)
	}
	if len(a.ToolCalls) != 2 || a.ToolCalls[0].Name != "search" || a.ToolCalls[0].Arguments != nil || a.ToolCalls[1].Name != "run" || string(a.ToolCalls[1].Arguments) != `{"q": 1}` {
		t.Errorf("tool calls: %+v", a.ToolCalls)
	}
	if c.Expected.Behaviour != scoring.BehaviourAnswer || string(c.Expected.Tools) != `["search"]` || c.Expected.Clarifications[0] != "which year?" {
		t.Errorf("expected: %+v", c.Expected)
	}
	if c.Human == nil || !*c.Human || string(c.Options["hybrid_ex"]) != `{"tolerance": 0.1}` {
		t.Errorf("label %v, options %s", c.Human, c.Options)
	}
}

// What has the wrong type is named as the file has it.
func TestDecodeCaseTypes(t *testing.T) {
	for line, want := range map[string]string{
		`[]`:                                       "case: the line is a JSON array, expected an object",
		`"x"`:                                      "case: the line is a JSON string, expected an object",
		`{"case_id": "x", "question": 5}`:          "case: question is a JSON number, expected a text",
		`{"case_id": [], "question": "?"}`:         "case: case_id is a JSON array, expected a text",
		`{"case_id": "x", "agent": []}`:            "case: agent is a JSON array, expected an object",
		`{"case_id": "x", "agent": {"sql": {}}}`:   "case: agent.sql is a JSON object, expected a text",
		`{"case_id": "x", "agent": {"turn": 1.5}}`: "case: agent.turn is a JSON number 1.5, expected a whole number",
	} {
		if _, err := scoring.DecodeCase([]byte(line)); err == nil || err.Error() != want || errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestDecodeCaseGold(t *testing.T) {
	for _, tc := range []struct {
		why, gold string
		sqls      string
	}{
		{"one answer", `{"sql":"a"}`, "a"},
		{"several answers", `[{"sql":"a"},{"sql":"b"},{"sql":"c"}]`, "a,b,c"},
		{"an empty list", `[]`, ""},
		{"null is none", `null`, ""},
	} {
		c := decodeCase(t, `{"case_id":"x","gold":`+tc.gold+`}`)
		var sqls []string
		for _, g := range c.Golds {
			sqls = append(sqls, g.SQL)
		}
		if got := strings.Join(sqls, ","); got != tc.sqls {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.sqls)
		}
	}
	if c := decodeCase(t, `{"case_id":"x"}`); len(c.Golds) != 0 || c.Pred.Ran || c.Pred.Latency != nil || c.Human != nil || c.Expected.Tools != nil {
		t.Errorf("what is not given is absent: %+v", c)
	}
	if c := decodeCase(t, `{"case_id":"x","expected":{"tools":null},"human":{"label":null}}`); c.Expected.Tools != nil || c.Human != nil {
		t.Errorf("null is absent: %+v", c)
	}
}

func TestDecodeCaseResults(t *testing.T) {
	inline := `{"columns":["a"],"rows":[[1],[2]]}`
	quoted, _ := json.Marshal(inline)
	for _, tc := range []struct {
		why, result string
		rows        int // -1: no table
		ref         string
		says        string // of the error that stays on the query
	}{
		{"inline", inline, 2, "", ""},
		{"inline as text", string(quoted), 2, "", ""},
		{"a reference", `"file:gold/a.csv"`, -1, "file:gold/a.csv", ""},
		{"null", `null`, -1, "", ""},
		{"empty text", `""`, -1, "", ""},
		{"ragged rows", `{"columns":["a"],"rows":[[1,2]]}`, -1, "", "row 1"},
		{"ragged rows as text", `"{\"columns\":[\"a\"],\"rows\":[[1,2]]}"`, -1, "", "row 1"},
		{"a list", `[1]`, -1, "", "an object"},
		{"a number", `7`, -1, "", "an object"},
		{"other text", `"seven"`, -1, "", "reference"},
		{"a lone surrogate in a cell", `{"columns":["a"],"rows":[["\ud800"]]}`, -1, "", `row 1, column 1 ("a"): the JSON string before byte 34 has a lone surrogate`},
		{"a lone surrogate in the name of a column", `{"columns":["\ud800"],"rows":[[1]]}`, -1, "", "lone surrogate"},
		{"a lone surrogate in the name of a column with a type", `{"columns":[{"name":"\ud800","type":"integer"}],"rows":[[1]]}`, -1, "", "lone surrogate"},
		{"a lone surrogate in text", `"{\"columns\":[\"a\"],\"rows\":[[\"\udfff\"]]}"`, -1, "", "lone surrogate"},
		{"a pair", `{"columns":["a"],"rows":[["\ud83e\udda1"]]}`, 1, "", ""},
		{"bytes that are not UTF-8", "{\"columns\":[\"a\"],\"rows\":[[\"\xe9\"]]}", -1, "", "valid UTF-8"},
		{"columns that are there twice", `{"columns":["a"],"columns":["b"],"rows":[[1]]}`, -1, "", `duplicate member "columns"`},
	} {
		for _, side := range []string{`"gold":{"result":%}`, `"agent":{"result":%}`} {
			c := decodeCase(t, `{"case_id":"x",`+strings.Replace(side, "%", tc.result, 1)+`}`)
			r := c.Pred.Result
			ran := c.Pred.Ran
			if len(c.Golds) > 0 {
				r, ran = c.Golds[0].Result, c.Golds[0].Ran
			}
			rows := -1
			if r.Table != nil {
				rows = r.Table.Rows()
			}
			if rows != tc.rows || r.Ref != tc.ref || (r.Err != nil) != (tc.says != "") || r.Err != nil && !strings.Contains(r.Err.Error(), tc.says) {
				t.Errorf("%s: %d rows, reference %q, error %v", tc.why, rows, r.Ref, r.Err)
			}
			if ran == r.Absent() {
				t.Errorf("%s: a query with a result ran, one without is not known to have: ran %v", tc.why, ran)
			}
		}
	}
}

// Members whose names differ only in letter case are different where names are the user's own.
func TestDecodeCaseKeepsLetterCase(t *testing.T) {
	c := decodeCase(t, `{"case_id":"x","options":{"m":{},"M":{}},"human":{"votes":{"Kim":"pass","kim":"fail"}},"agent":{"tool_calls":[{"name":"t","arguments":{"a":1,"A":2}}]}}`)
	if len(c.Options) != 2 || string(c.Agent.ToolCalls[0].Arguments) != `{"a":1,"A":2}` {
		t.Errorf("%+v", c)
	}
}

func TestDecodeCaseErrors(t *testing.T) {
	for _, tc := range []struct{ why, text, says string }{
		{"no id", `{"question":"q"}`, "case_id is missing"},
		{"an empty id", `{"case_id":""}`, "case_id is empty"},
		{"a behaviour nobody knows", `{"case_id":"c","expected":{"behaviour":"dance"}}`, `expected.behaviour is "dance", expected answer, clarify or refuse`},
		{"not JSON", `{`, "case:"},
		{"something behind", `{"case_id":"c"} {}`, "case:"},
		{"a list", `[]`, "case:"},
		{"a question that is a number", `{"case_id":"c","question":1}`, "question"},
		{"an id that is there twice", `{"case_id":"c","case_id":"d"}`, `duplicate member "case_id"`},
		{"the same in other letters", `{"case_id":"c","Case_ID":"d"}`, `duplicate member "case_id"`},
		{"a query that is there twice", `{"case_id":"c","agent":{"sql":"a","name":"n","sql":"b"}}`, `duplicate member "agent.sql"`},
		{"a result that is there twice", `{"case_id":"c","agent":{"result":null,"result":{"columns":["a"],"rows":[[1]]}}}`, `duplicate member "agent.result"`},
		{"a gold query that is there twice", `{"case_id":"c","gold":[{"sql":"a"},{"sql":"a","SQL":"b"}]}`, `duplicate member "gold.sql"`},
		{"an argument that is there twice", `{"case_id":"c","agent":{"tool_calls":[{"name":"t","arguments":{"a":1,"a":2}}]}}`, `duplicate member "agent.tool_calls.arguments.a"`},
		{"options of one metric that are there twice", `{"case_id":"c","options":{"m":{},"m":{"x":1}}}`, `duplicate member "options.m"`},
		{"a member that is not known, twice", `{"case_id":"c","extra":1,"extra":2}`, `duplicate member "extra"`},
		{"a lone surrogate", `{"case_id":"c","question":"\ud800?"}`, `"question": the JSON string before byte 35 has a lone surrogate`},
		{"a lone surrogate in an id", `{"case_id":"\udfff"}`, `"case_id": the JSON string before byte 19 has a lone surrogate`},
		{"bytes that are not UTF-8", "{\"case_id\":\"c\",\"agent\":{\"sql\":\"SELECT 'caf\xe9'\"}}", `"agent.sql": JSON byte 31: expected valid UTF-8`},
	} {
		_, err := scoring.DecodeCase([]byte(tc.text))
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want it to say %q", tc.why, err, tc.says)
		}
	}
}

// Outside bytes give a case with an id or an error.
func FuzzDecodeCase(f *testing.F) {
	for _, s := range []string{
		`{"case_id":"a","gold":[{"sql":"x","result":{"columns":["a"],"rows":[[1]]}}],"agent":{"tool_calls":["t",{"name":"u"}]}}`,
		`{"case_id":"a","gold":{"result":"table:t"},"agent":{"result":"{\"columns\":[],\"rows\":[[]]}","latency_ms":1e-3},"expected":{"behaviour":"refuse"}}`,
		`{"case_id":"a","gold":null,"agent":null,"expected":null,"human":null,"options":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := scoring.DecodeCase(data)
		if (c == nil) == (err == nil) {
			t.Fatalf("case %v, error %v", c, err)
		}
		if err != nil {
			return
		}
		if c.ID == "" || !json.Valid(data) {
			t.Fatalf("%q became a case", data)
		}
		for _, q := range append(c.Golds, c.Pred) {
			n := 0
			for _, given := range []bool{q.Result.Table != nil, q.Result.Ref != "", q.Result.Err != nil} {
				if given {
					n++
				}
			}
			if n > 1 || q.Latency != nil && *q.Latency < 0 {
				t.Fatalf("%+v", q)
			}
		}
	})
}

func TestScoreJSON(t *testing.T) {
	yes := true
	for _, tc := range []struct {
		why   string
		score scoring.Score
		want  string
	}{
		{
			"a value",
			scoring.Score{Metric: "m", Version: 2, Status: scoring.StatusOK, Value: 0.1, Passed: &yes, Reason: "because", Detail: map[string]int{"n": 1}, Gold: 2, Warnings: []string{"w"}, AssessmentIDs: []string{"a"}},
			`{"case_id":"c","metric":"m","metric_version":2,"status":"ok","value":0.1,"passed":true,"reason":"because","detail":{"n":1},"gold":2,"warnings":["w"],"assessment_ids":["a"]}`,
		},
		{"a value of 0 is written", scoring.OK(0, "r"), `{"case_id":"c","metric":"","metric_version":0,"status":"ok","value":0,"passed":null,"reason":"r"}`},
		{"only an ok score has a value", scoring.Score{Status: scoring.StatusAbstained, Value: 0.5, Label: "l"}, `{"case_id":"c","metric":"","metric_version":0,"status":"abstained","value":null,"label":"l","passed":null,"reason":""}`},
		{"nothing to say", scoring.NotApplicable("no gold"), `{"case_id":"c","metric":"","metric_version":0,"status":"not_applicable","value":null,"passed":null,"reason":"no gold"}`},
		{"undecided", scoring.Abstain("unsure"), `{"case_id":"c","metric":"","metric_version":0,"status":"abstained","value":null,"passed":null,"reason":"unsure"}`},
		{"a failure has its code", scoring.Fail(errcode.New(errcode.NotFound, "gone")), `{"case_id":"c","metric":"","metric_version":0,"status":"failed","value":null,"passed":null,"reason":"gone","code":"not_found"}`},
	} {
		got, err := json.Marshal(scoring.Row{AnswerID: scoring.AnswerID{CaseID: "c"}, Score: tc.score})
		if err != nil || string(got) != tc.want {
			t.Errorf("%s:\ngot  %s %v\nwant %s", tc.why, got, err, tc.want)
		}
	}
	if _, err := json.Marshal(scoring.Row{Score: scoring.OK(math.NaN(), "")}); err == nil {
		t.Error("a value that is no number cannot be written")
	}
}

// Invalid tags do not invalidate a case: only code that reads them fails.
func TestTagsThatCannotBeRead(t *testing.T) {
	for _, tc := range []struct {
		tags string
		want string // the tags; "error": an error explains why they are invalid
	}{
		{`["a", "b"]`, "a,b"}, {`[]`, ""}, {`null`, ""}, {`"sales"`, "error"}, {`{"a": 1}`, "error"}, {`["a", 1]`, "error"}, {`7`, "error"},
	} {
		file, err := scoring.DecodeCase([]byte(`{"case_id": "c1", "tags": ` + tc.tags + `, "gold": {"sql": "SELECT 1"}}`))
		if err != nil {
			t.Errorf("%s in a file: %v", tc.tags, err)
			continue
		}
		cell := func(values map[string]string) scoring.Cells {
			return func(column string) string { return values[column] }
		}
		row, err := scoring.CaseOfRows(cell(map[string]string{"case_id": "c1"}), cell(map[string]string{"tags": tc.tags, "gold_sql": "SELECT 1"}), 1)
		if err != nil {
			t.Errorf("%s in a table: %v", tc.tags, err)
			continue
		}
		for where, c := range map[string]*scoring.Case{"file": file, "table": row} {
			got := strings.Join(c.Tags, ",")
			if c.TagsErr != nil && len(c.Tags) == 0 && strings.Contains(c.TagsErr.Error(), "tags") {
				got = "error"
			}
			if got != tc.want || len(c.Golds) != 1 {
				t.Errorf("%s in a %s: %q, %v, want %s", tc.tags, where, c.Tags, c.TagsErr, tc.want)
			}
		}
	}
}

// A name that no table of scores could hold fails its case, and no other.
func TestNamesWithoutNULBytes(t *testing.T) {
	for _, text := range []string{
		`{"case_id": "a\u0000b"}`, `{"case_id": "a", "agent": {"name": "\u0000"}}`, `{"case_id": "a", "agent": {"version": "1\u0000"}}`, `{"case_id": "a", "agent": {"batch_id": "\u0000b"}}`,
	} {
		if c, err := scoring.DecodeCase([]byte(text)); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "NUL") {
			t.Errorf("%s: %v, %v, want invalid_argument", text, c, err)
		}
		if id, _ := scoring.PeekAnswer([]byte(text)); strings.Contains(id.CaseID+id.Agent+id.Version+id.Batch, "\x00") {
			t.Errorf("%s: known as %+v", text, id)
		}
	}
	if _, err := scoring.DecodeCase([]byte(`{"case_id": "a", "question": "b\u0000"}`)); err != nil {
		t.Errorf("a question may hold one: %v", err)
	}
}

// A trace that was not logged is nil, and one without calls is empty, in case files and in rows of tables.
func TestToolCallsThatWereNotLogged(t *testing.T) {
	for _, x := range []struct {
		calls  string
		n      int
		logged bool
	}{{"null", 0, false}, {"[]", 0, true}, {`[{"role":"user","content":"x"}]`, 0, true}, {`["a"]`, 1, true},
		{`{"type":"tool_use","name":"a","input":{}}`, 1, true}} {
		inFile := decodeCase(t, `{"case_id":"x","agent":{"tool_calls":`+x.calls+`}}`).Agent.ToolCalls
		row := map[string]string{"case_id": "x", "tool_calls": x.calls}
		c, err := scoring.CaseOfRows(func(c string) string { return row[c] }, func(string) string { return "" }, 1)
		if err != nil {
			t.Fatal(err)
		}
		for from, got := range map[string][]scoring.ToolCall{"file": inFile, "table": c.Agent.ToolCalls} {
			if len(got) != x.n || (got != nil) != x.logged {
				t.Errorf("%s, %s: got %#v", x.calls, from, got)
			}
		}
	}
	if c := decodeCase(t, `{"case_id":"x"}`); c.Agent.ToolCalls != nil {
		t.Errorf("absent: got %#v", c.Agent.ToolCalls)
	}
}

// An unknown form is an error of the case, and its message contains no data of the answer.
func TestUnknownToolCalls(t *testing.T) {
	_, err := scoring.DecodeCase([]byte(`{"case_id":"q","agent":{"tool_calls":["a",{"secret":1}]}}`))
	want := `case "q": agent.tool_calls[1]: unknown form of a tool call; expected {"name", "arguments"} or a form of docs/eval/traces.md`
	if err == nil || err.Error() != want || errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("file: got %v", err)
	}
	row := map[string]string{"case_id": "q", "tool_calls": `[{"secret":1}]`}
	_, err = scoring.CaseOfRows(func(c string) string { return row[c] }, func(string) string { return "" }, 1)
	want = `case "q": tool_calls[0]: unknown form of a tool call; expected {"name", "arguments"} or a form of docs/eval/traces.md`
	if err == nil || err.Error() != want || errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("table: got %v", err)
	}
}
