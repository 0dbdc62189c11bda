package scoring_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// A case reads the same under the names of the tables' columns, flattened, in American spelling, and
// nested.
func TestCaseKeysHaveOtherNames(t *testing.T) {
	for _, tc := range []struct{ why, nested, other string }{
		{"columns of the golden set", `{"case_id":"q7","database":"shop","gold":{"sql":"SELECT 7","result":{"columns":["n"],"rows":[[7]]},"latency_ms":12},"expected":{"behaviour":"answer","tools":["run"],"clarifications":["which year?"]}}`,
			`{"case_id":"q7","database_name":"shop","gold_sql":"SELECT 7","gold_result":{"columns":["n"],"rows":[[7]]},"gold_latency_ms":12,"expected_behaviour":"answer","expected_tools":["run"],"expected_clarifications":["which year?"]}`},
		{"columns of the answers", `{"case_id":"q7","agent":{"name":"nova","version":"3","batch_id":"wed","sql":"SELECT 8","error":"timeout","response":"eight","turn":2,"conversation_id":"k","interpretation":"i","tool_calls":["run"]}}`,
			`{"case_id":"q7","agent_name":"nova","agent_version":"3","batch_id":"wed","sql":"SELECT 8","sql_error":"timeout","response":"eight","turn":2,"conversation_id":"k","interpretation":"i","tool_calls":["run"]}`},
		{"JSON in text, as columns hold it", `{"case_id":"q7","gold":[{"sql":"A"},{"sql":"B"}],"agent":{"result":{"columns":["n"],"rows":[[8]]},"tool_calls":[{"name":"run"}]},"options":{"m":{"x":1}}}`,
			`{"case_id":"q7","gold_sql":"A","alternatives":"[{\"sql\":\"B\"}]","result":"{\"columns\":[\"n\"],\"rows\":[[8]]}","tool_calls":"[{\"name\":\"run\"}]","metric_options":"{\"m\":{\"x\":1}}"}`},
		{"points", `{"case_id":"q7","gold":{"sql":"A"},"agent":{"sql":"B","name":"nova"}}`, `{"case_id":"q7","gold.sql":"A","agent.sql":"B","agent.name":"nova"}`},
		{"arguments of SQL functions", `{"case_id":"q7","agent":{"sql":"B","result":"table:t","latency_ms":3}}`, `{"case_id":"q7","agent_sql":"B","agent_result":"table:t","agent_latency_ms":3}`},
		{"beside what is nested", `{"case_id":"q7","gold":{"sql":"A","result":"table:t"}}`, `{"case_id":"q7","gold":{"sql":"A"},"gold_result":"table:t"}`},
		{"NULL of a column", `{"case_id":"q7","gold":{"sql":"A"}}`, `{"case_id":"q7","gold_sql":"A","gold_result":null,"gold_error":null,"sql":null}`},
		{"the time of an answer", `{"case_id":"q7","agent":{"ran_at":"2025-01-13T02:00:00.25+01:00"}}`, `{"case_id":"q7","ran_at":"2025-01-13 01:00:00.25"}`},
		{"the time with the agent's name", `{"case_id":"q7","agent":{"ran_at":"2025-01-13"}}`, `{"case_id":"q7","agent_ran_at":"2025-01-13T00:00:00Z"}`},
		{"in any letter case", `{"case_id":"q7","gold":{"sql":"A"}}`, `{"Case_ID":"q7","GOLD_SQL":"A"}`},
		{"American, nested", `{"case_id":"q7","expected":{"behaviour":"refuse"}}`, `{"case_id":"q7","expected":{"behavior":"refuse"}}`},
		{"American, a column", `{"case_id":"q7","expected":{"behaviour":"clarify","tools":["t"]}}`, `{"case_id":"q7","expected":{"tools":["t"]},"expected_behavior":"clarify"}`},
	} {
		want, got := decodeCase(t, tc.nested), decodeCase(t, tc.other)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(scoring.Table{}, scoring.Column{})); d != "" || got.GoldHash() != want.GoldHash() {
			t.Errorf("%s: %s", tc.why, d)
		}
		a, at := scoring.PeekAnswer([]byte(tc.nested))
		if b, when := scoring.PeekAnswer([]byte(tc.other)); a != b || !at.Equal(when) || !at.Equal(want.Agent.RanAt) {
			t.Errorf("%s: of %v at %v, want %v at %v", tc.why, b, when, a, want.Agent.RanAt)
		}
		if len(got.UnreadKeys) > 0 {
			t.Errorf("%s: not read: %q", tc.why, got.UnreadKeys)
		}
	}
}

// Each column that users fill, and each argument of SQL functions, is a key of a case or another name
// of one, but for what a case file has no place for.
func TestColumnsAreKeysOfCases(t *testing.T) {
	noPlace := map[string]bool{"set_version": true, "ran_at": true, "case_json": true}
	var names []string
	for _, table := range []string{"golden_set", "agent_runs"} {
		for _, c := range store.TableNamed(table).Columns {
			names = append(names, c.Name)
		}
	}
	for _, f := range scoring.Fields() {
		for _, a := range f.Args {
			names = append(names, a.Name)
		}
	}
	for _, name := range names {
		if name == "case_id" || noPlace[name] {
			continue
		}
		c := decodeCase(t, `{"case_id":"q","`+name+`":null}`)
		if len(c.UnreadKeys) > 0 {
			t.Errorf("%s is not read", name)
		}
	}
}

// A member under both of its names, and one that belongs to no one answer of a list, are errors.
func TestOtherNamesContradict(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`{"case_id":"q","gold":{"sql":"A"},"gold_sql":"B"}`, `"gold_sql" and "gold.sql" are both there`},
		{`{"case_id":"q","gold_sql":"A","gold.sql":"B"}`, `"gold_sql" and "gold.sql" are both there`},
		{`{"case_id":"q","gold":[{"sql":"A"}],"gold_result":"table:t"}`, `"gold" is a list`},
		{`{"case_id":"q","expected":{"behaviour":"refuse","behavior":"answer"}}`, `"expected.behavior" and "expected.behaviour" are both there`},
		{`{"case_id":"q","expected":{"behavior":"refuses"}}`, `expected.behaviour is "refuses", expected answer, clarify or refuse`},
		{`{"case_id":"q","alternatives":{"sql":"A"}}`, `alternatives: expected a list`},
		{`{"case_id":"q","turn":"soon"}`, `agent.turn is a JSON string, expected a whole number`},
	} {
		if _, err := scoring.DecodeCase([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.text, err, tc.want)
		}
	}
}

// A key that nothing reads is reported with the most similar known key. Members that metrics and tools define
// themselves are not checked.
func TestUnreadKeys(t *testing.T) {
	for _, tc := range []struct {
		text string
		want map[string]string
	}{
		{`{"case_id":"q","gold":{"resutl":"table:t"}}`, map[string]string{"gold.resutl": "; did you mean gold.result?"}},
		{`{"case_id":"q","gold":[{"sql":"A"},{"sqll":"B"}]}`, map[string]string{"gold.sqll": "; did you mean gold.sql?"}},
		{`{"case_id":"q","qestion":"why?","agent":{"respons":"so"}}`, map[string]string{"qestion": "; did you mean question?", "agent.respons": "; did you mean agent.response?"}},
		{`{"case_id":"q","gold_slq":"A"}`, map[string]string{"gold_slq": "; did you mean gold.sql?"}},
		{`{"case_id":"q","human":{"lable":"pass"}}`, map[string]string{"human.lable": "; did you mean human.label?"}},
		{`{"case_id":"q","expected":{"behavor":"refuse"}}`, map[string]string{"expected.behavor": "; did you mean expected.behaviour?"}},
		{`{"case_id":"q","predicted_sql":"A"}`, map[string]string{"predicted_sql": "; did you mean agent.sql?"}},
		{`{"case_id":"q","alternatives":[{"sgl":"A"}],"gold_sql":"B"}`, map[string]string{"gold.sgl": "; did you mean gold.sql?"}},
		{`{"case_id":"q","model":"m","agent":{"model":"m"}}`, map[string]string{"model": "", "agent.model": ""}}, // a model is neither a name nor a version
		{`{"case_id":"q","colour_of_the_moon":1}`, map[string]string{"colour_of_the_moon": ""}},
		{`{"case_id":"q","options":{"m":{"any":1}},"human":{"votes":{"kim":"pass"}},"agent":{"tool_calls":[{"name":"t","arguments":{"any":1},"id":"7"}]},"expected":{"tools":[{"name":"t","any":1}]}}`, nil},
	} {
		var got map[string]string
		for _, key := range decodeCase(t, tc.text).UnreadKeys {
			if got == nil {
				got = map[string]string{}
			}
			got[key] = scoring.SuggestKey(key)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: %s", tc.text, d)
		}
	}
}

// JSON that other programs write is answered with what to change, and the line is not repeated.
func TestDecodeCaseSaysWhatIsNoJSON(t *testing.T) {
	for text, says := range map[string]string{
		`{'case_id': 's3cret'}`:                 "unexpected '\\'' at byte 2; JSON has double quotes only",
		`{"case_id": "s3cret",}`:                "at byte 22; JSON allows no comma before a closing bracket",
		`{"case_id": "s3cret", "strict": True`:  "unexpected 'T' at byte 33; JSON writes true, false and null",
		`{"case_id": "s3cret"},`:                "unexpected ',' at byte 22; expected one object a line, without a comma after it",
		`{"case_id": "s3cret" "gold": {}}`:      `is a comma missing before it`,
		`{"case_id": "s3cret"`:                  "the line ends within the object",
		`{"case_id": "s3cret"} // a note`:       "JSON has no comments",
		`{"case_id": "a"}{"case_id": "s3cret"}`: "expected one object a line",
	} {
		_, err := scoring.DecodeCase([]byte(text))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
