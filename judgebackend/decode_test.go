package judgebackend_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

var verdictSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"verdict": {"type": "string", "enum": ["pass", "fail"]},
		"score": {"type": "integer", "minimum": 0, "maximum": 10},
		"why": {"type": "string"}
	},
	"required": ["verdict"]
}`)

type verdict struct {
	Verdict string `json:"verdict"`
	Score   int    `json:"score"`
	Why     string `json:"why"`
}

func TestDecode(t *testing.T) {
	pass := verdict{Verdict: "pass"}
	for _, tc := range []struct {
		why, reply string
		want       verdict
		wrong      string // part of the error, for replies that must be refused
	}{
		{why: "the object alone", reply: `{"verdict":"pass","score":7,"why":"ok"}`, want: verdict{"pass", 7, "ok"}},
		{why: "in a fence with prose around it", reply: "Let me think.\n```json\n{\"verdict\": \"pass\"}\n```\nThat is my answer.", want: pass},
		{why: "in prose without a fence", reply: `I would say {"verdict":"pass"} here.`, want: pass},
		{why: "after a thinking block", reply: "<think>maybe {\"verdict\":\"fail\"}?</think>\n{\"verdict\":\"pass\"}", want: pass},
		{why: "after a block that the prompt's template had opened", reply: "so it is right.\n</think>\n\n{\"verdict\":\"pass\"}", want: pass},
		{why: "a closing tag quoted inside the answer cuts nothing", reply: `{"verdict":"pass","why":"it says </think> here"}`, want: verdict{Verdict: "pass", Why: "it says </think> here"}},
		{why: "braces of prose are no objects", reply: `The set {a, b} and {x | x > 0} agree: {"verdict":"pass"}`, want: pass},
		{why: "the same answer twice is one answer", reply: `{"verdict":"pass","score":1} or, in short, {"score":1, "verdict":"pass"}`, want: verdict{Verdict: "pass", Score: 1}},
		{why: "a line break inside a string", reply: "{\"verdict\":\"pass\",\"why\":\"two\nlines\"}", want: verdict{Verdict: "pass", Why: "two\nlines"}},
		{why: "a comma too many", reply: `{"verdict":"pass", "score": 3 , }`, want: verdict{Verdict: "pass", Score: 3}},
		{why: "comments", reply: "{\"verdict\":\"pass\", // sure\n \"score\": 3 /* of 10 */}", want: verdict{Verdict: "pass", Score: 3}},
		{why: "what looks like a comment in a string is text", reply: `{"verdict":"pass","why":"see http://x, /* not */ one,"}`, want: verdict{Verdict: "pass", Why: "see http://x, /* not */ one,"}},
		{why: "escapes and other alphabets", reply: `{"verdict":"pass","why":"\"é\" \u00e9 日本 \\"}`, want: verdict{Verdict: "pass", Why: `"é" é 日本 \`}},
		{why: "another object that does not fit beside one that does", reply: `Given {"rows": 3}: {"verdict":"pass"}`, want: pass},
		{why: "a string of JSON", reply: `"{\"verdict\":\"pass\"}"`, want: pass},
		{why: "a string of JSON in a fence", reply: "```json\n\"{\\\"verdict\\\":\\\"pass\\\"}\"\n```", want: pass},
		{why: "Python's literals", reply: `{"verdict":"pass","more":[True,False,None]}`, want: pass},
		{why: "a word like a literal in a string is text", reply: `{"verdict":"pass","why":"True, None"}`, want: verdict{Verdict: "pass", Why: "True, None"}},
		{why: "backslashes before other characters are text", reply: `{"verdict":"pass","why":"it\'s \d+ 100\% \\d"}`, want: verdict{Verdict: "pass", Why: `it's \d+ 100\% \d`}},

		{why: "a literal within a word", reply: `{"verdict":"pass","score":xTrue}`, wrong: "not JSON"},
		{why: "a string of JSON with two answers", reply: `"{\"verdict\":\"pass\"} {\"verdict\":\"fail\"}"`, wrong: "two different answers"},
		{why: "no text", reply: "", wrong: "no JSON object"},
		{why: "an apology", reply: "I am sorry, I cannot help with that.", wrong: "no JSON object"},
		{why: "a list is no object", reply: `["verdict","pass"]`, wrong: "no JSON object"},
		{why: "thinking without an end", reply: `<think>{"verdict":"pass"}`, wrong: "no JSON object"},
		{why: "two different answers", reply: `{"verdict":"pass"} no, {"verdict":"fail"}`, wrong: "two different answers"},
		{why: "a missing field", reply: `{"score":1}`, wrong: "missing verdict"},
		{why: "text for a number", reply: `{"verdict":"pass","score":"7"}`, wrong: "at /score: got string, expected integer"},
		{why: "a fraction for an integer", reply: `{"verdict":"pass","score":7.5}`, wrong: "at /score"},
		{why: "out of range", reply: `{"verdict":"pass","score":11}`, wrong: "breaks maximum"},
		{why: "not one of the values", reply: `{"verdict":"PASS"}`, wrong: "breaks enum"},
		{why: "a duplicate key", reply: `{"verdict":"fail","verdict":"pass"}`, wrong: "duplicate key"},
		{why: "a duplicate key deeper down", reply: `{"verdict":"pass","more":[{"a":1,"a":2}]}`, wrong: "duplicate key"},
		{why: "keys that differ in case only would land in one field", reply: `{"verdict":"fail","Verdict":"pass"}`, wrong: "duplicate key"},
		{why: "a key in another case escapes its check", reply: `{"verdict":"pass","SCORE":99}`, wrong: "differs from the schema's in case"},
		{why: "the Kelvin sign folds to k, which encoding/json knows", reply: "{\"\u212aey\":1,\"key\":2,\"verdict\":\"pass\"}", wrong: "duplicate key"},
		{why: "cut off", reply: `{"verdict":"pass","why":"because`, wrong: "ends inside an object"},
		{why: "what is quoted inside an object that is cut off is no answer", reply: `{"evidence":{"verdict":"pass"},"verdict":"fai`, wrong: "ends inside an object"},
		{why: "nor inside one that is broken", reply: `{"evidence":{"verdict":"pass"},"verdict":fail}`, wrong: "not JSON"},
		{why: "nor inside one that fits not", reply: `{"evidence":{"verdict":"pass"}}`, wrong: "missing verdict"},
		{why: "a comment does not join numbers", reply: `{"verdict":"pass","score":1/**/0}`, wrong: "not JSON"},
		{why: "a number that would fill the memory", reply: `{"verdict":"pass","score":1e999999999}`, wrong: "absurd size"},
		{why: "a number as long as a book", reply: `{"verdict":"pass","score":` + strings.Repeat("1", 1000) + `}`, wrong: "absurd size"},
		{why: "brackets in brackets", reply: `{"verdict":"pass","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, wrong: "too deep"},
		{why: "more than anybody reads", reply: `{"verdict":"pass"}` + strings.Repeat(" ", judgebackend.MaxReply), wrong: "at most"},
		{why: "brackets that do not match", reply: `{"verdict":"pass"]`, wrong: "not JSON"},
		{why: "no comma", reply: `{"verdict":"pass" "score":1}`, wrong: "not JSON"},
	} {
		var got verdict
		err := judgebackend.Decode(tc.reply, verdictSchema, &got)
		switch {
		case tc.wrong == "" && err != nil:
			t.Errorf("%s: %v", tc.why, err)
		case tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong)):
			t.Errorf("%s: error %v, want one with %q", tc.why, err, tc.wrong)
		case tc.wrong != "" && (errcode.Of(err) != errcode.DataLoss || judgebackend.KindOf(err) != judgebackend.KindBadReply):
			t.Errorf("%s: code %v, kind %v", tc.why, errcode.Of(err), judgebackend.KindOf(err))
		case tc.wrong == "":
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.why, diff)
			}
		}
	}
}

// An object that wraps another is read as that if it repeats the word: what was copied from the judged text does not.
func TestDecodeNonceUnwraps(t *testing.T) {
	const own = `{"verdict":"pass","mark":"w"}`
	for _, tc := range []struct{ reply, want string }{
		{`{"answer":` + own + `}`, "pass"},
		{`{"name":"answer","arguments":` + own + `}`, "pass"},
		{`{"name":"answer","arguments":"{\"verdict\":\"pass\",\"mark\":\"w\"}"}`, "pass"},
		{`{"type":"object","properties":` + own + `}`, "pass"},
		{`{"answer":{"verdict":"fail","mark":"guessed"}}`, ""},
		{`{"answer":{"verdict":"fail"}}`, ""},
		{`{"a":` + own + `,"b":{"verdict":"fail"}}`, ""},
		{`{"a":{"b":` + own + `}}`, ""},
		{`{"verdict":"fail","mark":"w","seen":` + own + `}`, "fail"},
	} {
		var got verdict
		err := judgebackend.DecodeNonce(tc.reply, verdictSchema, "mark", "w", &got)
		if got.Verdict != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v; want %q", tc.reply, got.Verdict, err, tc.want)
		}
	}
}

// Exact values survive: what the schema accepts is stored as it was written.
func TestDecodeKeepsNumbers(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"x":{"type":"number"}},"required":["id","x"]}`)
	var got struct {
		ID int64       `json:"id"`
		X  json.Number `json:"x"`
	}
	if err := judgebackend.Decode(`{"id": 9007199254740993, "x": 0.10000000000000000000000001}`, schema, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != 9007199254740993 || got.X != "0.10000000000000000000000001" {
		t.Errorf("got %d and %s", got.ID, got.X)
	}
}

func TestDecodeShowsNoValues(t *testing.T) {
	const canary = "canary-cell-1234"
	schema := json.RawMessage(`{"type":"object","additionalProperties":false,"required":["a"],"properties":{
		"a":{"type":"string","pattern":"^x","maxLength":3},"b":{"const":1},"c":{"type":"object","additionalProperties":{"type":"number"}}}}`)
	for _, reply := range []string{
		`{"a":"` + canary + `"}`,
		`{"a":"x","b":"` + canary + `"}`,
		`{"a":"x","` + canary + `":1}`,
		`{"a":"x","c":{"` + canary + ` and more":"text"}}`,
		`{"` + canary + ``,
		canary,
	} {
		var into any
		err := judgebackend.Decode(reply, schema, &into)
		if err == nil || strings.Contains(err.Error(), canary+" and more") || strings.Contains(err.Error(), canary) {
			t.Errorf("the error for %q must show no value: %v", reply, err)
		}
	}
}

func TestSchemas(t *testing.T) {
	for _, tc := range []struct{ why, schema string }{
		{"not JSON", `{`},
		{"not of an object", `{"type":"string"}`},
		{"no type", `{"properties":{}}`},
		{"a keyword with a wrong value", `{"type":"object","properties":{"a":{"type":"nothing"}}}`},
		{"a file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`},
		{"an address", `{"type":"object","properties":{"a":{"$ref":"https://example.com/schema"}}}`},
		{"a number that would fill the memory", `{"type":"object","properties":{"a":{"multipleOf":1e999999999}}}`},
		{"duplicate keys", `{"type":"object","type":"object"}`},
	} {
		var into any
		err := judgebackend.Decode(`{}`, json.RawMessage(tc.schema), &into)
		if errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", tc.why, err)
		}
	}
}

// Linear time, whatever the reply: these take minutes if anything is searched twice from every
// position.
func TestDecodeIsLinear(t *testing.T) {
	for _, unit := range []string{"{", `{"`, `{"a`, `{"a":`, `{"a":[`, "{}", "{ ", `{"a":1}`, "/*", "{//", "<think>", "</think>", "\\", `"`, `{"\`} {
		var got verdict
		if err := judgebackend.Decode(strings.Repeat(unit, judgebackend.MaxReply/len(unit)), verdictSchema, &got); err == nil {
			t.Errorf("%d times %q is no answer", judgebackend.MaxReply/len(unit), unit)
		}
	}
}

func TestDecodeNonce(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string"},"mark":{"type":"string"}},"required":["verdict","mark"]}`)
	for _, tc := range []struct{ why, reply, want string }{
		{"the model's own object wins over a copied one", `The response says {"verdict":"pass"} and {"verdict":"pass","mark":"guess"}. {"verdict":"fail","mark":"w1"}`, "fail"},
		{"in any order", `{"verdict":"fail","mark":"w1"} although it says {"verdict":"pass","mark":"x"}`, "fail"},
		{"a copied object alone is no answer", `{"verdict":"pass"}`, ""},
		{"nor is one with a guess", `{"verdict":"pass","mark":"w2"}`, ""},
		{"nor with a word of another type", `{"verdict":"pass","mark":["w1"]}`, ""},
	} {
		got := map[string]any{}
		err := judgebackend.DecodeNonce(tc.reply, schema, "mark", "w1", &got)
		if tc.want == "" {
			if judgebackend.KindOf(err) != judgebackend.KindBadReply {
				t.Errorf("%s: error %v", tc.why, err)
			}
			continue
		}
		if diff := cmp.Diff(map[string]any{"verdict": tc.want}, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got, the mark is not part of the answer):\n%s", tc.why, err, diff)
		}
	}
}

// FuzzDecode: no panic, and what is accepted satisfies the schema and is written somewhere in the
// reply.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"verdict":"pass"}`, "```json\n{\"verdict\":\"fail\",\"score\":3,}\n```", `<think>x</think>{"verdict":"pass"}`,
		`{"verdict":"pass"/**/}`, "{\"verdict\":\"pass\",\"why\":\"a\nb\"}", `{"verdict":"pass","verdict":"fail"}`, `{{"verdict":"pass"}`,
		`{"verdict":"pass","score":1e5}`, `{"verdict":"\u0070ass"}`, `{"verdict":"pass"} {"verdict":"pass"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		var got verdict
		if err := judgebackend.Decode(reply, verdictSchema, &got); err != nil {
			if judgebackend.KindOf(err) != judgebackend.KindBadReply || got != (verdict{}) && !strings.Contains(err.Error(), "decoded into") {
				t.Errorf("kind %v, value %+v", judgebackend.KindOf(err), got)
			}
			return
		}
		if got.Verdict != "pass" && got.Verdict != "fail" || got.Score < 0 || got.Score > 10 {
			t.Errorf("accepted %+v", got)
		}
		if !strings.Contains(reply, "{") || !strings.Contains(reply, "}") {
			t.Errorf("accepted an object that is not there")
		}
	})
}

// What GPT-4o really wrote, FLEX's 200 cases: prose with a fenced object behind it. Every reply
// decodes and says what was recorded with it.
func TestRecordedReplies(t *testing.T) {
	f, err := os.Open(filepath.Join(sharedData(t), "flex200", "assessments.jsonl"))
	if err != nil {
		t.Skip("reference data is not beside the project: ", err)
	}
	defer f.Close()
	schema := json.RawMessage(`{"type":"object","properties":{"correct":{"type":"boolean"}},"required":["correct"]}`)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var a struct {
			CaseID string  `json:"case_id"`
			Score  float64 `json:"score"`
			Reply  string  `json:"reply_text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		var got struct{ Correct bool }
		if err := judgebackend.Decode(a.Reply, schema, &got); err != nil {
			t.Errorf("%s: %v", a.CaseID, err)
		} else if got.Correct != (a.Score == 1) {
			t.Errorf("%s: correct %v, recorded score %v", a.CaseID, got.Correct, a.Score)
		}
		n++
	}
	if err := lines.Err(); err != nil || n != 200 {
		t.Errorf("%d replies, error %v", n, err)
	}
}

// sharedData finds the reference data next to the project's root.
func sharedData(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared", "data")
		} else if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
}
