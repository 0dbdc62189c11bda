package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

var day1 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// items yields cases as a case file does.
func items(cases ...string) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for i, text := range cases {
			place := fmt.Sprintf("cases.jsonl:%d", i+1)
			item := batch.Item{Place: place, Load: func(context.Context) (*scoring.Case, error) {
				return scoring.DecodeCase([]byte(text))
			}}
			if c, err := scoring.DecodeCase([]byte(text)); err == nil {
				item = batch.ItemOf(c, place)
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// golden returns a case with a question of its own and a gold result.
func goldenCase(id, gold string) string {
	return fmt.Sprintf(`{"case_id":%q,"question":"How many boats of kind %s?","gold":{"sql":"SELECT n FROM boats","result":%s}}`, id, id, gold)
}

func table(rows string) string { return `{"columns":[{"name":"n"}],"rows":` + rows + `}` }

func open(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Ledger == "" {
		o.Ledger = t.TempDir()
	}
	if o.Now == nil {
		o.Now = (&clock{day1}).now
	}
	o.Metrics = metric.All()
	s, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask calls a tool and returns its reply as a client sees it.
func ask(t testing.TB, s *Server, name, arguments string) string {
	t.Helper()
	return askAs(t.Context(), t, s, name, arguments)
}

func askAs(ctx context.Context, t testing.TB, s *Server, name, arguments string) string {
	t.Helper()
	for i := range tools {
		if tools[i].name != name {
			continue
		}
		r := s.serve(ctx, &tools[i], json.RawMessage(arguments))
		text := r.Content[0].(*sdk.TextContent).Text
		if r.IsError {
			return "error: " + text
		}
		if string(r.StructuredContent.(json.RawMessage)) != text {
			t.Errorf("%s: text and structure differ", name)
		}
		return text
	}
	t.Fatalf("no tool %s", name)
	return ""
}

func check(t testing.TB, s *Server, id, result string) string {
	t.Helper()
	return ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":%q,"sql":"SELECT n FROM boats","result":%s}`, id, result))
}

func TestCheckAnswer(t *testing.T) {
	ordered := `{"case_id":"o","question":"List the boats, the longest first","gold":{"sql":"SELECT name FROM boats ORDER BY length DESC","result":{"columns":[{"name":"name"}],"rows":[["Ida"],["Ada"],["Eva"]]}}}`
	s := open(t, Options{Config: Config{Verdicts: 9}, Golden: items(goldenCase("a", table("[[42]]")), goldenCase("b", table("[]")),
		`{"case_id":"none","question":"Who?"}`, `{"case_id":"refuse","question":"Drop the boats","gold":{},"expected":{"behaviour":"refuse"}}`, ordered)})
	reply := func(id string, o Outcome, left int) string {
		return fmt.Sprintf(`{"case_id":%q,"verdict":%q,"reason":%q,"left":%d}`, id, o.Verdict, o.Reason, left)
	}
	for _, tc := range []struct{ why, arguments, want string }{
		{"right", `{"case_id":"a","sql":"SELECT n FROM boats","result":` + table("[[42]]") + `}`, reply("a", accepted, 8)},
		{"the same again", `{"case_id":"a","sql":" SELECT n FROM boats\n","result":` + table("[ [42] ]") + `}`, reply("a", accepted, 8)},
		{"by its question", `{"question":"  how many BOATS of kind a? ","sql":"SELECT n FROM boats","result":` + table("[[42]]") + `}`, reply("a", accepted, 8)},
		{"wrong", `{"case_id":"a","sql":"SELECT n FROM boats","result":` + table("[[43]]") + `}`, reply("a", otherData, 7)},
		{"blanks around the ID", `{"case_id":" a\n","sql":"SELECT n FROM boats","result":` + table("[[44]]") + `}`, reply("a", otherData, 6)},
		{"more rows", `{"case_id":"a","result":` + table("[[42],[43]]") + `}`, reply("a", otherData, 5)},
		{"no rows", `{"case_id":"a","result":` + table("[]") + `}`, reply("a", otherData, 4)},
		{"no gold", `{"case_id":"none","result":` + table("[[1]]") + `}`, reply("none", notDecided, 8)},
		{"a refusal", `{"case_id":"refuse","response":"I cannot do that: I am not allowed to delete data."}`, reply("refuse", accepted, 8)},
		{"ordered", `{"case_id":"o","sql":"SELECT name FROM boats ORDER BY length DESC","result":{"columns":[{"name":"name"}],"rows":[["Ida"],["Ada"],["Eva"]]}}`, reply("o", accepted, 8)},
		{"in another order", `{"case_id":"o","sql":"SELECT name FROM boats ORDER BY length","result":{"columns":[{"name":"name"}],"rows":[["Eva"],["Ada"],["Ida"]]}}`, reply("o", otherOrder, 7)},

		{"unknown case", `{"case_id":"z","result":{}}`, `error: case_id: unknown case z`},
		{"unknown question", `{"question":"What?","result":{}}`, `error: question: no case asks this question`},
		{"no case", `{"result":{}}`, `error: expected case_id, or question with the text of a question`},
		{"two cases", `{"case_id":"a","question":"x"}`, `error: case_id and question: expected one of the two`},
		{"no answer", `{"case_id":"a","sql":" "}`, `error: expected result, sql or response`},
		{"no result", `{"case_id":"a","sql":"SELECT 1"}`, `error: result: expected the result of the query; this server runs no queries (execute.url in its configuration)`},
		{"a reference", `{"case_id":"a","result":"file:gold.csv"}`, `error: result: references are not allowed here; send the columns and rows of the result`},
		{"an unknown member", `{"case_id":"a","reslut":{}}`, `error: arguments: unknown field "reslut"`},
		{"a number for a text", `{"case_id":7}`, `error: case_id: number, expected string`},
		{"no object", `[]`, `error: `},
		{"rows that are none", `{"case_id":"a","result":{"rows":7}}`, `error: result: `},
	} {
		if got := ask(t, s, "check_answer", tc.arguments); got != tc.want && (!strings.HasSuffix(tc.want, ": ") || !strings.HasPrefix(got, tc.want)) {
			t.Errorf("%s: %s\nwant %s", tc.why, got, tc.want)
		}
	}
}

// The digits of a number are compared as they are written.
func TestDigitsAreKept(t *testing.T) {
	s := open(t, Options{Golden: items(goldenCase("a", table(`[[9007199254740993],[9007199254740995]]`)))})
	for result, want := range map[string]string{`[[9007199254740993],[9007199254740995]]`: "accepted", `[[9007199254740992],[9007199254740995]]`: "other_data"} {
		if got := check(t, s, "a", table(result)); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", result, got, want)
		}
	}
}

// Cases that ask the same share a limit: another ID does not make it new.
func TestSameQuestionSharesTheLimit(t *testing.T) {
	twin := func(id, question string) string {
		return fmt.Sprintf(`{"case_id":%q,"question":%q,"gold":{"sql":"SELECT n FROM boats","result":%s}}`, id, question, table("[[42]]"))
	}
	s := open(t, Options{Golden: items(twin("a", "How many boats?"), twin("b", "how  many\tBOATS?"), twin("c", "How ｍany boats?"), twin("d", "How many ships?"))})
	for i, id := range []string{"a", "b", "c"} {
		if got, want := check(t, s, id, table(fmt.Sprintf("[[%d]]", i))), fmt.Sprintf(`"left":%d}`, 2-i); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if got, want := check(t, s, "b", table("[[42]]")), `{"case_id":"b","verdict":"none","reason":"limit_reached","left":0}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := check(t, s, "d", table("[[42]]")); !strings.Contains(got, `"accepted","left":2`) {
		t.Errorf("another question: %s", got)
	}
	if got := ask(t, s, "check_answer", `{"question":"HOW many boats?","result":{}}`); !strings.HasPrefix(got, "error: question: 3 cases ask this question, expected case_id of one of them: a, b, c") {
		t.Error(got)
	}
}

// An answer that was counted has the same verdict after a restart, a day later, and for no further count.
func TestSameAnswerAgain(t *testing.T) {
	at, dir := &clock{day1}, t.TempDir()
	golds := items(goldenCase("a", table("[[42]]")))
	s := open(t, Options{Config: Config{Ledger: dir}, Golden: golds, Now: at.now})
	first := check(t, s, "a", table("[[41]]"))
	for _, n := range []string{"1", "2"} {
		check(t, s, "a", table("[["+n+"]]"))
	}
	again := strings.Replace(first, `"left":2`, `"left":0`, 1)
	if got := check(t, s, "a", table("[[41]]")); got != again {
		t.Errorf("%s, want %s", got, again)
	}
	s.Close()
	s = open(t, Options{Config: Config{Ledger: dir}, Golden: golds, Now: at.now})
	if got := check(t, s, "a", table("[[42]]")); !strings.Contains(got, "limit_reached") {
		t.Errorf("after a restart: %s", got)
	}
	at.at = at.at.Add(24 * time.Hour)
	again = strings.Replace(first, `"left":2`, `"left":3`, 1)
	if got := check(t, s, "a", table("[[41]]")); got != again {
		t.Errorf("a day later: %s, want %s", got, again)
	}
	// another gold answer is another comparison
	s.Close()
	s = open(t, Options{Config: Config{Ledger: dir}, Golden: items(goldenCase("a", table("[[41]]"))), Now: at.now})
	if got := check(t, s, "a", table("[[41]]")); !strings.Contains(got, `"accepted","left":2`) {
		t.Errorf("another gold: %s", got)
	}
}

// An answer that lists guesses is not accepted, and its reply is that of any other wrong answer.
func TestListsOfGuesses(t *testing.T) {
	top := `{"case_id":"top","question":"Which boat is longest?","gold":{"sql":"SELECT name FROM boats ORDER BY length DESC LIMIT 1","result":{"columns":[{"name":"name"}],"rows":[["Ida"]]}}}`
	var columns, cells, rows, tied []string
	for i := range 60 {
		columns, cells = append(columns, fmt.Sprintf(`{"name":"n%d"}`, i)), append(cells, fmt.Sprint(i))
		rows, tied = append(rows, fmt.Sprintf("[%d]", i)), append(tied, fmt.Sprintf(`["B%d",9]`, i))
	}
	columns[42] = `{"name":"n"}`
	tied[30] = `["Ida",9]`
	texts := `[["` + strings.Join(cells, ", ") + `"]]`
	s := open(t, Options{Config: Config{Verdicts: 50}, Golden: items(goldenCase("a", table("[[42]]")), top)})
	for _, tc := range []struct{ why, arguments string }{
		{"columns", `{"case_id":"a","result":{"columns":[` + strings.Join(columns, ",") + `],"rows":[[` + strings.Join(cells, ",") + `]]}}`},
		{"five columns", `{"case_id":"a","result":{"columns":[` + strings.Join(columns[40:45], ",") + `],"rows":[[40,41,42,43,44]]}}`},
		{"rows", `{"case_id":"a","result":` + table("["+strings.Join(rows, ",")+"]") + `}`},
		{"rows and a query", `{"case_id":"a","sql":"SELECT n FROM boats","result":` + table("["+strings.Join(rows, ",")+"]") + `}`},
		{"a text", `{"case_id":"a","result":` + table(texts) + `}`},
		{"a list", `{"case_id":"a","result":` + table(`[[[`+strings.Join(cells, ",")+`]]]`) + `}`},
		{"ties", `{"case_id":"top","sql":"SELECT name, length FROM boats ORDER BY length DESC LIMIT 1","result":{"columns":[{"name":"name"},{"name":"length"}],"rows":[` + strings.Join(tied, ",") + `]}}`},
	} {
		if got := ask(t, s, "check_answer", tc.arguments); !strings.Contains(got, `"verdict":"fail","reason":"other_data"`) {
			t.Errorf("%s: %s", tc.why, got)
		}
	}
	if got := ask(t, s, "check_answer", `{"case_id":"a","sql":"SELECT kind, n FROM boats","result":{"columns":[{"name":"kind"},{"name":"n"}],"rows":[["x",42]]}}`); !strings.Contains(got, "accepted") {
		t.Errorf("a column more: %s", got)
	}
}

// runs are stored scores and answers: each text has the answers of a version, p for the gold answer, f for a wrong one of
// its own, - for none, to the cases c1, c2 and so on.
func runs(t testing.TB, o Options, versions ...string) Options {
	t.Helper()
	var lines strings.Builder
	for v, verdicts := range versions {
		for i, verdict := range verdicts {
			score := fmt.Sprintf(`"status":"ok","value":%d,"passed":%t`, strings.Index("fp", string(verdict)), verdict == 'p')
			if verdict == '-' {
				score = `"status":"not_applicable","reason":"the agent gave no answer"`
			}
			fmt.Fprintf(&lines, `{"case_id":"c%d","metric":"verdict","metric_version":14,"agent_name":"nova","agent_version":"%d","batch_id":"mon",%s}`+"\n", i+1, v+1, score)
		}
	}
	file := filepath.Join(t.TempDir(), "scores.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Set = analysis.NewSet(metric.All())
	var err error
	if o.Scores, err = storedscores.InFiles(o.Set, "--scores", []string{file}, nil); err != nil {
		t.Fatal(err)
	}
	o.AnswersOf = func(_ context.Context, by scoring.By) iter.Seq2[batch.Item, error] {
		v, _ := strconv.Atoi(by.Version)
		return answersTo(t, o.Golden, by, versions[v-1])
	}
	o.Stored = func(_ context.Context, sought *evaluation.Sought) (caseview.Input, error) {
		for item := range o.Golden {
			c, err := item.Load(t.Context())
			if err != nil && sought.Case == "broken" {
				return caseview.Input{}, errcode.New(errcode.InvalidArgument, "gold_result: 424242 is not JSON")
			}
			if err == nil && c.ID == sought.Case {
				c.Agent = scoring.Agent{Name: "nova", Version: "1", BatchID: "mon", Response: "There are \u202e24\x1b[2J."}
				c.Pred = scoring.Query{SQL: "SELECT COUNT(*) FROM boats", Result: scoring.ParseResultText([]byte(table("[[-1000]]")))}
				passed := false
				return caseview.Input{Case: c, RunID: "r1", Mask: o.Mask, Scores: []scoring.Score{{Metric: "verdict",
					Status: scoring.StatusOK, Passed: &passed, Reason: "gold has " + c.Golds[0].SQL, Detail: json.RawMessage(`{"gold":` + fmt.Sprintf("%q", c.Golds[0].SQL) + `}`)}}}, nil
			}
		}
		return caseview.Input{}, errcode.Usage("run has no scores of %s; choose one with --agent-version", sought.Case)
	}
	return o
}

// answersTo yields the answers of a version to the cases of a golden set, see runs.
func answersTo(t testing.TB, golden iter.Seq2[batch.Item, error], by scoring.By, verdicts string) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item := range golden {
			c, err := item.Load(t.Context())
			if err != nil {
				continue
			}
			n, err := strconv.Atoi(strings.TrimPrefix(c.ID, "c"))
			if err != nil || n > len(verdicts) {
				continue
			}
			c.Agent = scoring.Agent{Name: by.Agent, Version: by.Version, BatchID: by.Batch}
			switch verdicts[n-1] {
			case 'p':
				c.Pred = scoring.Query{SQL: "SELECT n FROM boats", Result: c.Golds[0].Result}
			case 'f':
				c.Pred = scoring.Query{SQL: "SELECT n FROM ships", Result: scoring.ParseResultText([]byte(table("[[-100" + by.Version + "]]")))}
			}
			if !yield(batch.ItemOf(c, ""), nil) {
				return
			}
		}
	}
}

func manyCases(n int, gold func(i int) string) (out []string) {
	for i := range n {
		out = append(out, goldenCase(fmt.Sprintf("c%d", i+1), gold(i)))
	}
	return out
}

func TestStoredRuns(t *testing.T) {
	golds := manyCases(45, func(i int) string { return table(fmt.Sprintf("[[%d]]", i)) })
	golds = append(golds, `{"case_id":"new","question":"And \u202enow?"}`, `{"case_id":"broken","gold":[`)
	s := open(t, runs(t, Options{Config: Config{Verdicts: 9}, Golden: items(golds...), Answered: func(context.Context) (map[string]int64, error) {
		return map[string]int64{"c1": 4, "unasked": 2}, nil
	}}, strings.Repeat("p", 45), strings.Repeat("f", 12)+strings.Repeat("p", 12)+"-"+strings.Repeat("f", 20)))
	for _, tc := range []struct{ tool, arguments, want string }{
		{"compare_runs", `{"from":"nova@1","to":"nova@2"}`, `{"from":{"agent":"nova","version":"1","batch":"mon"},"to":{"agent":"nova","version":"2","batch":"mon"},"metric":"verdict","outcome":"worse","from_passes_percent":100,"to_passes_percent":30}`},
		{"compare_runs", `{"from":"nova@3"}`, `error: from: no scores of "nova@3"; there are nova@1 batch mon, nova@2 batch mon`},
		{"failing_cases", `{"agent":"nova@2","limit":2}`, `{"agent":"nova","version":"2","batch":"mon","metric":"verdict","cases":[` +
			`{"case_id":"c1","verdict":"fail","reason":"other_data","left":7,"untrusted":{"question":"How many boats of kind c1?"}},` +
			`{"case_id":"c2","verdict":"fail","reason":"other_data","left":7,"untrusted":{"question":"How many boats of kind c2?"}}],"looked_at":2,"withheld":0,"next":"c2"}`},
		{"failing_cases", `{"agent":"nova@2","after":"c24","limit":1}`, `{"agent":"nova","version":"2","batch":"mon","metric":"verdict","cases":[` +
			`{"case_id":"c25","verdict":"fail","reason":"no_answer","left":7,"untrusted":{"question":"How many boats of kind c25?"}}],"looked_at":1,"withheld":0,"next":"c25"}`},
		{"failing_cases", `{"limit":101}`, `error: limit: 101, expected 1 to 100`},
		{"golden_gaps", `{"kind":"no_gold"}`, `{"no_gold":[{"case_id":"new","answers":1,"untrusted":{"question":"And \u202enow?"}},{"case_id":"unasked","answers":2,"untrusted":{"question":""}}],"saturated":[],"versions":0,"looked_at":0,"withheld":0,"next":""}`},
		{"golden_gaps", `{"kind":"saturated","after":"c10","limit":4}`, `{"no_gold":[],"saturated":["c13","c14"],"versions":2,"looked_at":4,"withheld":0,"next":"c14"}`},
		{"golden_gaps", `{"kind":"suspect"}`, `error: kind: suspect tells of accepted answers, which mcp.show_gold does not permit`},
		{"golden_gaps", `{"kind":"other"}`, `error: kind: expected no_gold, saturated or suspect`},
		{"explain_case", `{"case_id":"c3"}`, `{"case_id":"c3","run":"r1","agent":"nova","version":"1","batch":"mon","metric":"verdict","verdict":"fail","reason":"other_data","left":6,` +
			`"untrusted":{"question":"How many boats of kind c3?","sql":"SELECT COUNT(*) FROM boats","error":"","response":"There are \u202e24\u001b[2J."}}`},
		{"explain_case", `{"case_id":"broken"}`, `error: the case cannot be read; the log of the server contains the reason`},
		{"explain_case", `{"case_id":"zz"}`, `error: run has no scores of zz; choose one with version`},
	} {
		if got := ask(t, s, tc.tool, tc.arguments); got != tc.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", tc.tool, tc.arguments, got, tc.want)
		}
	}
	alone := open(t, Options{Golden: items(golds...)})
	for _, tool := range []string{"compare_runs", "failing_cases"} {
		if got := ask(t, alone, tool, ""); got != "error: stored runs are not available: badger mcp was started without --db" {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

// Verdicts of stored answers count like those of new ones, in whichever tool they are seen, and once.
func TestStoredVerdictsCount(t *testing.T) {
	golds := manyCases(3, func(int) string { return table("[[42]]") })
	s := open(t, runs(t, Options{Config: Config{Verdicts: 2}, Golden: items(golds...)}, "fpf", "fff"))
	left := func(want int) {
		t.Helper()
		got := check(t, s, "c1", table("[[42]]")) // costs once
		if !strings.HasSuffix(got, fmt.Sprintf(`"left":%d}`, want)) {
			t.Errorf("%s, want %d left", got, want)
		}
	}
	left(1)
	ask(t, s, "failing_cases", `{"agent":"nova@2"}`)
	left(0)
	ask(t, s, "failing_cases", `{"agent":"nova@2"}`)
	left(0)
	if got := ask(t, s, "failing_cases", `{"agent":"nova@1"}`); strings.Contains(got, `"c1"`) || !strings.Contains(got, `"withheld":1`) {
		t.Errorf("c1 is shown beyond its limit: %s", got)
	}
	if got := ask(t, s, "explain_case", `{"case_id":"c1"}`); !strings.Contains(got, `"verdict":"none","reason":"limit_reached","left":0`) {
		t.Errorf("c1 is explained beyond its limit: %s", got)
	}
	if got := ask(t, s, "golden_gaps", `{"kind":"saturated"}`); !strings.Contains(got, `"withheld":3`) {
		t.Errorf("more than the limit: %s", got)
	}
	// a comparison of few cases would be a verdict
	if got := ask(t, s, "compare_runs", `{"from":"nova@1","to":"nova@2"}`); !strings.Contains(got, `"outcome":"not_compared","from_passes_percent":null,"to_passes_percent":null`) {
		t.Error(got)
	}
}

// With show_gold, and not without, replies have gold.
func TestShowGold(t *testing.T) {
	golds := items(`{"case_id":"c1","question":"How many?","gold":{"sql":"SELECT secret_sum FROM boats","result":` + table("[[424242]]") + `}}`)
	for _, show := range []bool{false, true} {
		s := open(t, runs(t, Options{Config: Config{ShowGold: show}, Golden: golds}, "f"))
		for tool, arguments := range map[string]string{"check_answer": `{"case_id":"c1","result":` + table("[[1]]") + `}`, "explain_case": `{"case_id":"c1"}`} {
			got := ask(t, s, tool, arguments)
			if strings.Contains(got, "secret_sum") != show || strings.Contains(got, "424242") != show {
				t.Errorf("show_gold %t, %s: %s", show, tool, got)
			}
		}
	}
}

// What is wrong with gold answers is listed with show_gold: scores of another gold, and a gold query in the passages of an
// answer.
func TestSuspectGold(t *testing.T) {
	answer := func(id, passage string) string {
		return fmt.Sprintf(`{"case_id":%q,"question":"%s?","gold":{"sql":"SELECT name,  RANDOM() FROM boats","result":%s},"agent":{"contexts":[{"id":"1","text":%q}]}}`, id, id, table("[[1]]"), passage)
	}
	golds := items(answer("c1", "See: select NAME, random()\nfrom boats;"), answer("c2", "SELECT name FROM boats"), answer("c3", ""))
	o := Options{Config: Config{ShowGold: true}, Golden: golds, Answers: golds}
	hash := ""
	for item := range golds {
		if c, err := item.Load(t.Context()); err == nil && c.ID == "c1" {
			hash = c.GoldHash()
		}
	}
	o = runs(t, o, "fff")
	file := filepath.Join(t.TempDir(), "scores.jsonl")
	line := `{"case_id":%q,"metric":"verdict","metric_version":14,"agent_name":"nova","agent_version":"1","status":"ok","value":0,"passed":false,"gold_hash":%q}` + "\n"
	if err := os.WriteFile(file, []byte(fmt.Sprintf(line+line+line, "c1", hash, "c2", "other", "c3", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.Scores, err = storedscores.InFiles(o.Set, "--scores", []string{file}, nil); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Stale, Leaked []string
		Depends       []struct {
			Part string `json:"part"`
		}
	}
	text := ask(t, open(t, o), "golden_gaps", `{"kind":"suspect"}`)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if fmt.Sprint(got.Stale, got.Leaked) != "[c2] [c1]" || len(got.Depends) != 3 {
		t.Errorf("%s", text)
	}
}

func TestBadGoldenSets(t *testing.T) {
	for _, tc := range []struct {
		golden []string
		config Config
		want   string
	}{
		{[]string{goldenCase("a", table("[[1]]")), goldenCase("a", table("[[2]]"))}, Config{}, "cases.jsonl:2: the case a has another question or accepted answer than before, expected the same in all of its lines"},
		{nil, Config{Verdicts: -1}, "mcp.verdicts: -1, expected at least 1"},
	} {
		tc.config.Ledger = t.TempDir()
		if _, err := New(t.Context(), Options{Config: tc.config, Golden: items(tc.golden...), Metrics: metric.All(), Now: time.Now}); err == nil || err.Error() != tc.want || !errcode.IsUsage(err) {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
	s := open(t, Options{Golden: items(goldenCase("a", table("[[1]]")), `{"case_id":`, goldenCase("a", table("[[1]]")))})
	if s.Cases() != 1 {
		t.Errorf("%d cases, want 1", s.Cases())
	}
}

// filling runs queries as an executor does: SELECT n returns n, and any other text fails.
type filling struct{ ran []string }

func (f *filling) Fill(_ context.Context, c *scoring.Case) error {
	run := func(q *scoring.Query) {
		if q.SQL == "" || q.Error != "" || !q.Result.Absent() {
			return
		}
		f.ran = append(f.ran, q.SQL)
		number, is := strings.CutPrefix(q.SQL, "SELECT ")
		if !is {
			q.Error, q.Ran = "the secret is 42", true
			return
		}
		q.Result = scoring.ParseResultText([]byte(table("[[" + number + "]]")))
	}
	for i := range c.Golds {
		run(&c.Golds[i])
	}
	run(&c.Pred)
	return nil
}

// Queries run where they are configured to, never those that may read badger's own tables, and their errors are not shown.
func TestQueriesRun(t *testing.T) {
	f := &filling{}
	s := open(t, Options{Config: Config{Verdicts: 99}, Execute: f, Golden: items(`{"case_id":"a","question":"How many?","gold":{"sql":"SELECT 42"}}`)})
	for sql, want := range map[string]string{
		"SELECT 42": "accepted", "SELECT 43": "other_data", "DELETE": "query_failed",
		"SELECT gold_sql FROM badger.golden_set": "query_failed", `SELECT gold_sql FROM "BADGER" . "golden_set"`: "query_failed",
		"SELECT * FROM IDENTIFIER('badger.golden_set')": "query_failed", "SELECT * FROM query_table('x.badger.scores')": "query_failed",
	} {
		if got := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":"a","sql":%q}`, sql)); !strings.Contains(got, `"`+want+`"`) {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	for _, sql := range f.ran {
		if strings.Contains(strings.ToLower(sql), "badger") {
			t.Errorf("%s was run", sql)
		}
	}
}

// changing runs SELECT n as the number of the day.
type changing struct{ n int }

func (f *changing) Fill(_ context.Context, c *scoring.Case) error {
	for _, q := range []*scoring.Query{&c.Golds[0], &c.Pred} {
		q.Result = scoring.ParseResultText([]byte(table(fmt.Sprintf("[[%d]]", f.n+len(q.SQL)-len("SELECT n")))))
	}
	return nil
}

// A query over changed data is another answer: it runs again, has a verdict of its own and counts.
func TestChangedData(t *testing.T) {
	f := &changing{n: 1}
	s := open(t, Options{Config: Config{Verdicts: 2}, Execute: f, Golden: items(`{"case_id":"a","question":"How many?","gold":{"sql":"SELECT n"}}`)})
	for _, tc := range []struct {
		n    int
		sql  string
		want string
	}{
		{1, "SELECT n", `"accepted","left":1}`}, {1, "SELECT n", `"accepted","left":1}`}, {2, "SELECT n", `"accepted","left":0}`},
		{1, "SELECT n", `"accepted","left":0}`}, {3, "SELECT n", `"limit_reached","left":0}`}, {1, "SELECT nn", `"limit_reached","left":0}`},
	} {
		f.n = tc.n
		if got := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":"a","sql":%q}`, tc.sql)); !strings.HasSuffix(got, tc.want) {
			t.Errorf("%d, %s: %s, want %s", tc.n, tc.sql, got, tc.want)
		}
	}
}

// Which queries may read badger's tables, as text. The search path may resolve the names of badger's tables, where the
// role can read them.
func TestQueriesThatReadGold(t *testing.T) {
	for _, tc := range []struct {
		dialect, sql      string
		hidden, reachable bool // whether it is rejected if the role cannot read badger's tables, and if it can
	}{
		{"duckdb", "SELECT COUNT(*) FROM badgers", false, false},
		{"duckdb", "SELECT x.y AS scores_of FROM x", false, false},
		{"duckdb", "SELECT gold_sql FROM badger.golden_set", true, true},
		{"duckdb", "FROM golden_set", true, true},
		{"duckdb", `SELECT * FROM copy.main."GOLDEN_SET"`, true, true},
		{"duckdb", "SELECT /* badger */ 1", true, true},
		{"duckdb", "SELECT * FROM pragma_storage_info('x')", true, true},
		{"duckdb", "TABLE scores", false, true},
		{"duckdb", "SELECT 1 IN scores", false, true},
		{"duckdb", `WITH a AS (SELECT * FROM "Human_Labels") SELECT * FROM a`, false, true},
		{"duckdb", "SELECT (SELECT MAX(value) FROM latest_scores)", false, true},
		{"duckdb", "PIVOT scores ON metric", false, true},
		{"duckdb", "SELECT * FROM sports.scores", false, false},
		{"databricks", "SELECT * FROM scores VERSION AS OF 1", false, true},
		{"databricks", "SELECT statement_text FROM system.query.history", true, true},
		{"bigquery", "SELECT * FROM `p.badger.scores`", true, true},
		{"bigquery", "SELECT * FROM `p.d.gold\\x65n_set`", true, true},
		{"bigquery", "SELECT query FROM `region-eu`.INFORMATION_SCHEMA.JOBS_BY_PROJECT", true, true},
		{"bigquery", "SELECT * FROM jobs", false, false},
		{"snowflake", "SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID())) WHERE n < 100", true, true},
		{"snowflake", "SELECT query_text FROM TABLE(information_schema.query_history_by_user())", true, true},
		{"postgres", "SELECT query FROM pg_stat_statements", true, true},
		{"postgres", `SELECT most_common_vals FROM pg_catalog."pg_stats"`, true, true},
		{"redshift", "SELECT query_text FROM sys_query_history", true, true},
		{"mysql", "SELECT * FROM `scores`", false, true},
		{"sqlite", "SELECT * FROM [scores]", false, true},
	} {
		for _, reachable := range []bool{false, true} {
			s := open(t, Options{Golden: items(), Exposed: func(context.Context, string) (bool, error) { return reachable, nil }})
			got, err := s.readsOwn(t.Context(), &scoring.Case{Dialect: tc.dialect, Pred: scoring.Query{SQL: tc.sql}})
			if want := map[bool]bool{false: tc.hidden, true: tc.reachable}[reachable]; got != want || err != nil {
				t.Errorf("%s, the role can read: %t: rejected: %t, %v, want %t", tc.sql, reachable, got, err, want)
			}
		}
	}
}

// An answer in a stored run has the verdict of check_answer, whatever the scores of its run say, and counts as the same
// answer, in whichever run and tool it is seen.
func TestStoredAnswersAreJudged(t *testing.T) {
	gold := table("[[42]]")
	answers := map[string]string{
		"1": `{"columns":[{"name":"a"},{"name":"b"},{"name":"n"}],"rows":[[40,41,42]]}`, // that badger run would accept
		"2": gold,
		"3": gold,
	}
	o := runs(t, Options{Golden: items(goldenCase("c1", gold))}, "p", "f", "p")
	o.AnswersOf = func(_ context.Context, by scoring.By) iter.Seq2[batch.Item, error] {
		c := &scoring.Case{ID: "c1", Agent: scoring.Agent{Name: by.Agent, Version: by.Version, BatchID: by.Batch},
			Pred: scoring.Query{SQL: "SELECT n FROM boats", Result: scoring.ParseResultText([]byte(answers[by.Version]))}}
		return func(yield func(batch.Item, error) bool) { yield(batch.ItemOf(c, ""), nil) }
	}
	s := open(t, o)
	for _, tc := range []struct{ tool, arguments, want string }{
		{"failing_cases", `{"agent":"nova@1"}`, `"verdict":"fail","reason":"other_data","left":2,`},
		{"failing_cases", `{"agent":"nova@2"}`, `"cases":[],"looked_at":1,"withheld":0`},
		{"failing_cases", `{"agent":"nova@3"}`, `"cases":[],"looked_at":1,"withheld":0`},
		{"check_answer", `{"case_id":"c1","sql":"SELECT n FROM boats","result":` + gold + `}`, `"accepted","left":1}`},
		{"check_answer", `{"case_id":"c1","sql":"SELECT n FROM boats","result":` + answers["1"] + `}`, `"other_data","left":1}`},
	} {
		if got := ask(t, s, tc.tool, tc.arguments); !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: %s\nwant %s", tc.tool, tc.arguments, got, tc.want)
		}
	}
	// what will be refused is not compared: its time would tell of gold
	if _, err := s.ledger.Take(s.user, "check_answer", []Request{{Topic: s.golden.byID["c1"].topic, Answer: "another"}}); err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]Outcome{gold: accepted, table("[[7]]"): limitReached} {
		c := &scoring.Case{ID: "c1", Pred: scoring.Query{SQL: "SELECT n FROM boats", Result: scoring.ParseResultText([]byte(answer))}}
		if j, err := s.judge(t.Context(), "c1", c, s.within(&call{caller: s.user})); j.Outcome != want || err != nil {
			t.Errorf("%s at the limit: %v, %v, want %v", answer, j.Outcome, err, want)
		}
	}
	o.Ledger = ""
	o.AnswersOf = func(context.Context, scoring.By) iter.Seq2[batch.Item, error] { return items() }
	s = open(t, o)
	const want = "error: the answers of nova 3, batch mon are neither in the case file nor in the database; start badger mcp with --cases FILE, the file that was scored"
	if got := ask(t, s, "failing_cases", `{}`); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Arguments mean the same to every reader.
func TestArgumentsAreStrict(t *testing.T) {
	s := open(t, Options{Golden: items(goldenCase("a", table("[[42]]")), goldenCase("A", table("[[43]]")), `{"case_id":"é","gold":{"result":`+table("[[1]]")+`}}`, `{"case_id":"e\u0301","gold":{"result":`+table("[[2]]")+`}}`)})
	right := `"result":` + table("[[42]]")
	for arguments, want := range map[string]string{
		`{"Case_ID":"a",` + right + `}`:                        `error: arguments: unknown field "Case_ID"`,
		`{"case_id":"a","caſe_id":"A",` + right + `}`:          `error: arguments: unknown field "caſe_id"`,
		`{"case_id":"a","case_id":"A",` + right + `}`:          `error: arguments: `,
		`{"case_id":"a","\u0063ase_id":"A",` + right + `}`:     `error: arguments: `,
		`{"case_id":"a","result":{"columns":[],"columns":[]}}`: `error: arguments: `,
		`{"case_id":"\ud800",` + right + `}`:                   `error: arguments: `,
		"{\"case_id\":\"a\xff\"," + right + `}`:                `error: arguments: `,
		`{"case_id":"a",` + right + `} {}`:                     `error: arguments: `,
		`{"case_id":"Á",` + right + `}`:                        `error: case_id: unknown case Á`,
		"{\"case_id\":\"a\",\"result\":\"\\u001f\\u008b\\b\"}": `error: result: `,
	} {
		if got := ask(t, s, "check_answer", arguments); !strings.HasPrefix(got, want) || strings.Contains(got, "left") {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
	// a case without a question is another one only if people can tell its ID from another
	for i, id := range []string{"é", "e\u0301", "é"} {
		if got, want := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":%q,"result":%s}`, id, table(fmt.Sprintf("[[%d]]", 90+i)))), fmt.Sprintf(`"left":%d}`, 2-i); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// reading is what callers may refer to.
type reading map[string]string

func (r reading) ReadSnapshot(_ context.Context, ref string) (*scoring.Table, error) {
	if text, is := r[ref]; is {
		return scoring.ParseResult([]byte(text))
	}
	return nil, errcode.New(errcode.PermissionDenied, "this table is none that the caller may read")
}

// A caller refers to what it may read, and not to the file of the gold answer, which the server reads by another way.
func TestReferences(t *testing.T) {
	s := open(t, Options{Golden: items(`{"case_id":"a","question":"How many?","gold":{"sql":"SELECT 42","result":"file:gold.json"}}`),
		Snapshots: reading{"file:gold.json": table("[[42]]")}, Readable: reading{"table:s.mine": table("[[42]]")}})
	for ref, want := range map[string]string{"table:s.mine": `"accepted","left":2}`, "file:gold.json": "error: result: this table is none that the caller may read"} {
		if got := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":"a","sql":"SELECT n FROM t","result":%q}`, ref)); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
	}
}
