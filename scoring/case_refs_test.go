package scoring_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestQuestionMembers(t *testing.T) {
	for line, want := range map[string]string{
		`{"case_id":"q","gold":{"sql":"s","result":"file:g"},"agent":{"sql":"a","result":"file:p"}}`: `case_id=q gold={"sql":"s","result":"moved:g"}`,
		`{"case_id":"q","gold":[{"result":"file:g"},{"sql":"t"},{"Result":"file:h"}]}`:               `case_id=q gold=[{"result":"moved:g"},{"sql":"t"},{"Result":"moved:h"}]`,
		`{"case_id":"q","gold_result":"file:g","sql":"a","result":"file:p","agent_name":"n"}`:        `case_id=q gold_result=moved:g`,
		`{"case_id":"q","Gold.Result":"file:g"}`:                                                     `case_id=q Gold.Result=moved:g`,
		`{"case_id":"q","gold_sql":"s","alternatives":"[{\"result\": \"file:g\"}]"}`:                 `case_id=q gold_sql=s alternatives=[{"result":"moved:g"}]`,
		`{"case_id":"q","gold":{"result":{"columns":["file:g"],"rows":[]}},"meta":{"result":"file:g"},"question":"file:g"}`: `case_id=q ` +
			`gold={"result":{"columns":["file:g"],"rows":[]}} meta={"result":"file:g"} question=file:g`,
		`{"case_id":"q","gold":null}`: `case_id=q gold=null`,
	} {
		if _, err := scoring.DecodeCase([]byte(line)); err != nil {
			t.Errorf("%s cannot be read: %v", line, err)
		}
		var got []string
		for _, m := range scoring.QuestionMembers([]byte(line), func(ref string) string { return strings.Replace(ref, "file:", "moved:", 1) }) {
			value := string(m.Value)
			if m.Value[0] == '"' && string(m.Name) != "question" {
				value = strings.Trim(value, `"`)
			}
			got = append(got, string(m.Name)+"="+strings.Trim(value, `"`))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, strings.Join(got, " "), want)
		}
	}
	if m := scoring.QuestionMembers([]byte(`{"case_id":"q","gold":{"result":"file:g"}}`), nil); len(m) != 2 || string(m[1].Value) != `{"result":"file:g"}` {
		t.Errorf("without a function: %s", m)
	}
}
