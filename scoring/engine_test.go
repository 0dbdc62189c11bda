package scoring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

func engine(t testing.TB, o *scoring.EngineOptions, metrics ...scoring.Metric) *scoring.Engine {
	t.Helper()
	e, err := scoring.NewEngine(metrics, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// constant is a metric that gives a value to every case it is asked about.
func constant(name string, needs scoring.Field, value float64) scoring.Metric {
	return scoring.Metric{Name: name, Version: 3, Needs: needs, Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
		return scoring.OK(value, "asked"), nil
	}}
}

func scoreOne(t testing.TB, e *scoring.Engine, c *scoring.Case) scoring.Score {
	t.Helper()
	scores, err := e.Score(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return scores[0]
}

const oneRow = `{"columns":["a"],"rows":[[1]]}`

// fullCase meets every need.
const fullCase = `{"case_id":"c","question":"q","gold":{"sql":"g","result":` + oneRow + `,"latency_ms":1},
	"agent":{"sql":"p","result":` + oneRow + `,"latency_ms":2,"response":"r","interpretation":"i"},"expected":{"tools":["t"]}}`

func without(t testing.TB, members ...string) *scoring.Case {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal([]byte(fullCase), &c); err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		at := c
		path := strings.Split(m, ".")
		for _, p := range path[:len(path)-1] {
			at = at[p].(map[string]any)
		}
		delete(at, path[len(path)-1])
	}
	text, _ := json.Marshal(c)
	return decodeCase(t, string(text))
}

func TestEngineMeetsNeeds(t *testing.T) {
	for _, tc := range []struct {
		why    string
		need   scoring.Field
		c      *scoring.Case
		reason string // "" if the metric must be asked
	}{
		{"nothing is needed", 0, &scoring.Case{ID: "c"}, ""},
		{"a gold result", scoring.FieldGoldResult, without(t), ""},
		{"no gold at all", scoring.FieldGoldResult, without(t, "gold"), "no gold result given"},
		{"no gold result", scoring.FieldGoldResult, without(t, "gold.result"), "no gold result given"},
		{"a gold query that failed", scoring.FieldGoldResult, decodeCase(t, `{"case_id":"c","gold":{"sql":"x","error":"boom"}}`), "the gold query failed when it ran"},
		{"no result of the agent", scoring.FieldPredResult, without(t, "agent.result"), "no result of the agent given"},
		{"no gold SQL", scoring.FieldGoldSQL, without(t, "gold.sql"), "no gold SQL given"},
		{"blank gold SQL", scoring.FieldGoldSQL, decodeCase(t, `{"case_id":"c","gold":{"sql":" \n"}}`), "no gold SQL given"},
		{"gold SQL", scoring.FieldGoldSQL, without(t), ""},
		{"no SQL of the agent", scoring.FieldPredSQL, without(t, "agent.sql"), "no SQL of the agent given"},
		{"SQL of the agent", scoring.FieldPredSQL, without(t), ""},
		{"no question", scoring.FieldQuestion, without(t, "question"), "no question given"},
		{"a question", scoring.FieldQuestion, without(t), ""},
		{"no response", scoring.FieldResponse, without(t, "agent.response"), "no response of the agent given"},
		{"a response", scoring.FieldResponse, without(t), ""},
		{"no interpretation", scoring.FieldInterpretation, without(t, "agent.interpretation"), "no interpretation of the agent given"},
		{"an interpretation", scoring.FieldInterpretation, without(t), ""},
		{"no tools", scoring.FieldTools, without(t, "expected"), "no expected tools given"},
		{"tools", scoring.FieldTools, without(t), ""},
		{"no gold latency", scoring.FieldLatency, without(t, "gold.latency_ms"), "no gold latency given"},
		{"no gold to have a latency", scoring.FieldLatency, without(t, "gold"), "no gold latency given"},
		{"no latency of the agent", scoring.FieldLatency, without(t, "agent.latency_ms"), "no latency of the agent given"},
		{"latencies", scoring.FieldLatency, without(t), ""},
		{"an execution", scoring.FieldExecution, without(t), ""},
		{"a failed execution is one", scoring.FieldExecution, decodeCase(t, `{"case_id":"c","agent":{"sql":"x","error":"boom"}}`), ""},
		{"no execution", scoring.FieldExecution, without(t, "agent.result"), "the agent's query was not run"},
		{"a blank question", scoring.FieldQuestion, decodeCase(t, `{"case_id":"c","question":" \n"}`), "no question given"},
		{"no evidence", scoring.FieldEvidence, without(t), "no evidence given"},
		{"no schema", scoring.FieldSchema, without(t), "no schema given"},
		{"no judge", scoring.FieldJudge, without(t), "no judge is configured"},
	} {
		e := engine(t, nil, constant("m", tc.need, 0.5))
		s := scoreOne(t, e, tc.c)
		want := scoring.Score{Metric: "m", Version: 3, Status: scoring.StatusOK, Value: 0.5, Reason: "asked"}
		if tc.reason != "" {
			want = scoring.Score{Metric: "m", Version: 3, Status: scoring.StatusNotApplicable, Reason: tc.reason}
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("%s: %+v, want %+v", tc.why, s, want)
		}
	}
}

// A metric that reads results where they are given gets references resolved, and does not score
// what could not be read as if it were not given.
func TestEngineResolvesContext(t *testing.T) {
	c := decodeCase(t, `{"case_id":"c","gold":{"sql":"g","result":"table:gold"},"agent":{"sql":"a","result":"table:pred"}}`)
	m := scoring.Metric{Name: "m", Reads: scoring.FieldGoldResult | scoring.FieldPredResult, Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		return scoring.OK(float64(in.Gold.Result.Table.Rows()+10*in.Pred.Result.Table.Rows()), "rows"), nil
	}}
	rows := snapshots(func(ref string) (*scoring.Table, error) {
		if ref == "table:gold" {
			return scoring.EmptyTable(1), nil
		}
		return scoring.EmptyTable(2), nil
	})
	if s := scoreOne(t, engine(t, &scoring.EngineOptions{Snapshots: rows}, m), c); s.Status != scoring.StatusOK || s.Value != 21 {
		t.Errorf("%+v, want 1 row of gold and 2 of the agent", s)
	}
	if s := scoreOne(t, engine(t, nil, m), c); s.Status != scoring.StatusFailed || s.Code != errcode.FailedPrecondition {
		t.Errorf("a reference that nobody resolves: %+v, want failed", s)
	}
}

// What a metric only reads is never missing; and where it reads accepted answers, it looks at all
// of them.
func TestEngineReads(t *testing.T) {
	m := constant("m", 0, 0.5)
	m.Reads = ^scoring.Field(0)
	if s := scoreOne(t, engine(t, nil, m), &scoring.Case{ID: "c"}); s.Status != scoring.StatusOK {
		t.Errorf("a case that holds nothing: %+v", s)
	}
	two := decodeCase(t, `{"case_id":"c","gold":[{"sql":"a"},{"sql":"bb"}],"agent":{"sql":"x"}}`)
	length := scoring.Metric{Name: "m", Reads: scoring.FieldGoldSQL, Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		return scoring.OK(float64(len(in.Gold.SQL)), "its length"), nil
	}}
	if s := scoreOne(t, engine(t, nil, length), two); s.Value != 2 || s.Gold != 2 {
		t.Errorf("%+v, want the second of two accepted queries", s)
	}
}

// A judge is not asked about further accepted answers once one is matched wholly.
func TestEngineStopsAtTheFirstThatPasses(t *testing.T) {
	looked := 0
	m := scoring.Metric{Name: "m", Needs: scoring.FieldGoldSQL, Reads: scoring.FieldJudge, Threshold: scoring.At(1), Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		looked++
		return scoring.OK(map[string]float64{"a": 0, "b": 1, "c": 1}[in.Gold.SQL], "by name"), nil
	}}
	c := decodeCase(t, `{"case_id":"c","gold":[{"sql":"a"},{"sql":"b"},{"sql":"c"}],"agent":{"sql":"x"}}`)
	if s := scoreOne(t, engine(t, nil, m), c); s.Value != 1 || s.Gold != 2 || looked != 2 {
		t.Errorf("%+v after %d looks, want the second of three and no look at the third", s, looked)
	}
}

func TestEngineJudgesNeedSomeoneToAsk(t *testing.T) {
	for why, o := range map[string]*scoring.EngineOptions{
		"a backend": {Judge: judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
			return judgebackend.Response{}, nil
		})},
		"recorded replies": {Replies: noReplies{}},
	} {
		if s := scoreOne(t, engine(t, o, constant("m", scoring.FieldJudge, 1)), without(t)); s.Status != scoring.StatusOK {
			t.Errorf("%s: %+v", why, s)
		}
	}
}

type noReplies struct{}

func (noReplies) Reply(string, string) (reply, id string, ok bool) { return "", "", false }

func TestEngineFailedQueries(t *testing.T) {
	failed := decodeCase(t, `{"case_id":"c","gold":{"result":`+oneRow+`},"agent":{"sql":"x","error":"boom"},"options":{"m":{"v":7}}}`)
	m := constant("m", scoring.FieldGoldResult|scoring.FieldPredResult, 0.5)
	m.Options.Check = func(json.RawMessage) error { return nil }
	if s := scoreOne(t, engine(t, nil, m), failed); s.Status != scoring.StatusOK || s.Value != 0 || s.Reason != "the agent's query failed when it ran" {
		t.Errorf("a failed query scores 0: %+v", s)
	}
	named := func(name string, needs scoring.Field, f scoring.FailedQuery) scoring.Metric {
		m := constant(name, needs, 0.5)
		m.FailedQuery = f
		return m
	}
	const results = scoring.FieldGoldResult | scoring.FieldPredResult
	for _, tc := range []struct {
		m     scoring.Metric
		want  scoring.Score
		words string
	}{
		{named("zero", scoring.FieldPredSQL, scoring.FailedIsZero), scoring.OK(0, ""), "0"},
		{named("labelled", results, scoring.FailedQuery{Status: scoring.StatusOK, Value: 2, Label: "failed"}), scoring.Score{Status: scoring.StatusOK, Value: 2, Label: "failed"}, "2, failed"},
		{named("describes", scoring.FieldPredSQL, scoring.FailedIsNotApplicable), scoring.NotApplicable(""), "not applicable"},
		{named("tools", 0, scoring.FailedIsIgnored("tools are no query")), scoring.OK(0.5, ""), "scored as usual; tools are no query"},
		{named("own", results, scoring.FailedQuery{Status: scoring.StatusOK, Own: true}), scoring.OK(0.5, ""), "0"},
		{named("lacking", scoring.FieldQuestion, scoring.FailedIsZero), scoring.NotApplicable("no question given"), "0"},
	} {
		s := scoreOne(t, engine(t, nil, tc.m), failed)
		if s.Status != tc.want.Status || s.Value != tc.want.Value || s.Label != tc.want.Label || tc.want.Reason != "" && s.Reason != tc.want.Reason {
			t.Errorf("%s: %+v, want %+v", tc.m.Name, s, tc.want)
		}
		if got := tc.m.FailedQuery.String(); got != tc.words {
			t.Errorf("%s: in words %q, want %q", tc.m.Name, got, tc.words)
		}
	}
	// A gold result that cannot be read comes before the agent's failure, and the agent's failure
	// before its result.
	broken := decodeCase(t, `{"case_id":"c","gold":{"result":[]},"agent":{"sql":"x","error":"boom","result":[]}}`)
	if s := scoreOne(t, engine(t, nil, m), broken); s.Status != scoring.StatusFailed || !strings.HasPrefix(s.Reason, "gold result: ") {
		t.Errorf("an unreadable gold result: %+v", s)
	}
	broken = decodeCase(t, `{"case_id":"c","gold":{"result":`+oneRow+`},"agent":{"result":{"columns":["a"],"rows":[[1,2]]}}}`)
	s := scoreOne(t, engine(t, nil, m), broken)
	if s.Status != scoring.StatusFailed || s.Code != errcode.InvalidArgument || !strings.HasPrefix(s.Reason, "result of the agent: ") || !strings.Contains(s.Reason, "row 1") {
		t.Errorf("an unreadable result of the agent: %+v", s)
	}
}

func TestEngineWhereNoResultIsCalledFor(t *testing.T) {
	for behaviour, reason := range map[string]string{
		"refuse": "the question calls for a refusal, not for a result", "clarify": "the question calls for a clarification, not for a result", "answer": "", "": "",
	} {
		for _, need := range []scoring.Field{scoring.FieldGoldResult, scoring.FieldPredResult} {
			c := without(t)
			c.Expected.Behaviour = behaviour
			if s := scoreOne(t, engine(t, nil, constant("m", need, 1)), c); s.Reason != reason && reason != "" || (s.Status == scoring.StatusNotApplicable) != (reason != "") {
				t.Errorf("%q: %+v", behaviour, s)
			}
		}
		c := without(t)
		c.Expected.Behaviour = behaviour
		if s := scoreOne(t, engine(t, nil, constant("m", scoring.FieldResponse, 1)), c); s.Status != scoring.StatusOK {
			t.Errorf("%q: a metric of the response is asked all the same: %+v", behaviour, s)
		}
	}
}

// bySQL scores a case by the text of the gold query.
func bySQL(scores map[string]scoring.Score, lowerIsBetter bool) scoring.Metric {
	return scoring.Metric{Name: "m", Needs: scoring.FieldGoldSQL, LowerIsBetter: lowerIsBetter, Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		return scores[in.Gold.SQL], nil
	}}
}

func TestEngineTheBestOfSeveralGoldsCounts(t *testing.T) {
	scores := map[string]scoring.Score{
		"low": scoring.OK(0.2, "low"), "high": scoring.OK(0.8, "high"), "high too": scoring.OK(0.8, "high too"), "broken": scoring.Fail(errors.New("x")),
		"unsure": scoring.Abstain("unsure"), "none": scoring.NotApplicable("none"),
	}
	for _, tc := range []struct {
		why    string
		golds  string
		lower  bool
		reason string
		gold   int
	}{
		{"the best is not the first", "low,high,low", false, "high", 2},
		{"the first of equals", "low,high,high too", false, "high", 2},
		{"lower is better", "high,low,high", true, "low", 2},
		{"a value counts more than a failure", "broken,low", false, "low", 2},
		{"a value counts more than no decision", "unsure,low", true, "low", 2},
		{"no decision counts more than a failure", "broken,unsure", false, "unsure", 2},
		{"a failure counts more than what does not apply", "none,broken", false, "x", 2},
		{"the first where none has a value", "unsure,unsure", false, "unsure", 1},
		{"one answer is not named", "low", false, "low", 0},
	} {
		c := &scoring.Case{ID: "c"}
		for g := range strings.SplitSeq(tc.golds, ",") {
			c.Golds = append(c.Golds, scoring.Query{SQL: g})
		}
		if s := scoreOne(t, engine(t, nil, bySQL(scores, tc.lower)), c); s.Reason != tc.reason || s.Gold != tc.gold {
			t.Errorf("%s: gold %d, %q; want gold %d, %q", tc.why, s.Gold, s.Reason, tc.gold, tc.reason)
		}
	}
	// A metric that reads no accepted answer is asked once and names none.
	asked := 0
	m := scoring.Metric{Name: "m", Score: func(context.Context, *scoring.Input) (scoring.Score, error) { asked++; return scoring.OK(1, ""), nil }}
	if s := scoreOne(t, engine(t, nil, m), &scoring.Case{Golds: make([]scoring.Query, 3)}); asked != 1 || s.Gold != 0 {
		t.Errorf("asked %d times, gold %d", asked, s.Gold)
	}
	// The second answer may have what the first lacks.
	c := decodeCase(t, `{"case_id":"c","gold":[{"sql":"x"},{"latency_ms":5}],"agent":{"latency_ms":5}}`)
	if s := scoreOne(t, engine(t, nil, constant("m", scoring.FieldLatency, 1)), c); s.Status != scoring.StatusOK || s.Gold != 2 {
		t.Errorf("a latency of the second answer: %+v", s)
	}
}

func TestEngineThresholds(t *testing.T) {
	yes, no := true, false
	for _, tc := range []struct {
		why       string
		value     float64
		threshold *float64
		lower     bool
		config    map[string]float64
		want      *bool
	}{
		{"at the threshold it passes", 0.5, scoring.At(0.5), false, nil, &yes},
		{"above it too", 0.6, scoring.At(0.5), false, nil, &yes},
		{"below it does not", 0.4, scoring.At(0.5), false, nil, &no},
		{"where lower is better, at it", 0.5, scoring.At(0.5), true, nil, &yes},
		{"where lower is better, above it", 0.6, scoring.At(0.5), true, nil, &no},
		{"where lower is better, below it", 0.4, scoring.At(0.5), true, nil, &yes},
		{"no threshold, no verdict", 0.5, nil, false, nil, nil},
		{"the deployment's comes first", 0.6, scoring.At(0.5), false, map[string]float64{"m": 0.7}, &no},
		{"also where the metric has none", 0.6, nil, false, map[string]float64{"m": 0.6}, &yes},
		{"also one of 0", -1, nil, false, map[string]float64{"m": 0}, &no},
	} {
		m := constant("m", 0, tc.value)
		m.Threshold, m.LowerIsBetter = tc.threshold, tc.lower
		s := scoreOne(t, engine(t, &scoring.EngineOptions{Config: scoring.Config{Thresholds: tc.config}}, m), &scoring.Case{ID: "c"})
		if !reflect.DeepEqual(s.Passed, tc.want) {
			t.Errorf("%s: passed %v, want %v", tc.why, s.Passed, tc.want)
		}
	}
	m := constant("m", scoring.FieldQuestion, 1)
	m.Threshold = scoring.At(0)
	if s := scoreOne(t, engine(t, nil, m), &scoring.Case{}); s.Passed != nil {
		t.Error("without a value there is no verdict")
	}
}

type options struct {
	A int    `json:"a"`
	B int    `json:"b"`
	C string `json:"c"`
}

// withOptions is a metric whose reason is its options.
func withOptions(name string) scoring.Metric {
	return scoring.Metric{
		Name: name,
		Options: scoring.OptionSet{Check: func(raw json.RawMessage) error {
			return scoring.DecodeOptions(raw, &options{})
		}},
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			o := options{A: 1, B: 2, C: "default"}
			if err := in.Options(&o); err != nil {
				return scoring.Score{}, err
			}
			return scoring.OK(1, fmt.Sprintf("%d %d %s", o.A, o.B, o.C)), nil
		},
	}
}

func TestEngineOptions(t *testing.T) {
	for _, tc := range []struct {
		why, config, c, want string
	}{
		{"defaults", "", "", "1 2 default"},
		{"the deployment's", `{"b":5}`, "", "1 5 default"},
		{"the case's", "", `{"c":"x"}`, "1 2 x"},
		{"both, the case's last", `{"a":5,"b":5}`, `{"b":6}`, "5 6 default"},
		{"null is none", `null`, `null`, "1 2 default"},
	} {
		o := scoring.EngineOptions{Config: scoring.Config{Options: map[string]json.RawMessage{}}}
		c := scoring.Case{Options: map[string]json.RawMessage{"other": json.RawMessage(`{"a":9}`)}}
		if tc.config != "" {
			o.Config.Options["m"] = json.RawMessage(tc.config)
		}
		if tc.c != "" {
			c.Options["m"] = json.RawMessage(tc.c)
		}
		scores, err := engine(t, &o, withOptions("m"), withOptions("other")).Score(t.Context(), &c)
		if err != nil || scores[0].Reason != tc.want || scores[1].Reason != "9 2 default" {
			t.Errorf("%s: %+v %v, want %q", tc.why, scores, err, tc.want)
		}
	}
	for _, tc := range []struct{ why, metric, raw, says string }{
		{"an unknown option", "m", `{"d":1}`, `"d"`},
		{"a wrong type", "m", `{"a":"x"}`, "a"},
		{"no object", "m", `[]`, "options"},
		{"a metric without options", "plain", `{}`, `"plain" has none`},
	} {
		metrics := []scoring.Metric{withOptions("m"), constant("plain", 0, 1)}
		_, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Config: scoring.Config{Options: map[string]json.RawMessage{tc.metric: json.RawMessage(tc.raw)}}})
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), tc.metric) {
			t.Errorf("%s in the configuration: %v", tc.why, err)
		}
		c := scoring.Case{Options: map[string]json.RawMessage{tc.metric: json.RawMessage(tc.raw)}}
		scores, err := engine(t, nil, metrics...).Score(t.Context(), &c, tc.metric)
		if err != nil || scores[0].Status != scoring.StatusFailed || scores[0].Code != errcode.InvalidArgument || !strings.Contains(scores[0].Reason, tc.says) {
			t.Errorf("%s in a case: %+v %v", tc.why, scores, err)
		}
	}
}

func TestEngineNames(t *testing.T) {
	metrics := []scoring.Metric{constant("hybrid_ex", 0, 1), constant("ex_bird", 0, 2), constant("latency_overhead", 0, 3)}
	e := engine(t, nil, metrics...)
	scores, err := e.Score(t.Context(), &scoring.Case{}, "ex_bird", "hybrid_ex", "ex_bird")
	if err != nil || len(scores) != 3 || scores[0].Value != 2 || scores[1].Value != 1 || scores[2].Metric != "ex_bird" {
		t.Errorf("scores come in the order asked for: %+v %v", scores, err)
	}
	if all, err := e.Score(t.Context(), &scoring.Case{}); err != nil || len(all) != 3 || all[2].Value != 3 {
		t.Errorf("without names all are asked: %+v %v", all, err)
	}
	if len(e.Metrics()) != 3 {
		t.Errorf("%d metrics", len(e.Metrics()))
	}
	for name, suggestion := range map[string]string{
		"hybrd_ex": "did you mean hybrid_ex?", "ex_brid": "did you mean ex_bird?", "latency": "did you mean latency_overhead?", "zzzzz": "", strings.Repeat("x", 100): "", "": "",
	} {
		_, err := e.Score(t.Context(), &scoring.Case{}, name)
		if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "unknown metric") {
			t.Fatalf("%q: %v", name, err)
		}
		if _, got, _ := strings.Cut(err.Error(), "; "); got != suggestion {
			t.Errorf("%q: suggests %q, want %q", name, got, suggestion)
		}
	}
	if _, err := scoring.NewEngine(append(metrics, constant("ex_bird", 0, 1)), nil); errcode.Of(err) != errcode.AlreadyExists || !strings.Contains(err.Error(), "ex_bird") {
		t.Errorf("a metric twice: %v", err)
	}
	for range 20 { // the same of several errors every time
		_, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Config: scoring.Config{Options: map[string]json.RawMessage{"d": nil, "b": nil, "c": nil}}})
		if err == nil || !strings.Contains(err.Error(), `options: unknown metric "b"`) {
			t.Fatal(err)
		}
		_, err = scoring.NewEngine(metrics, &scoring.EngineOptions{Config: scoring.Config{Thresholds: map[string]float64{"d": 1, "ex_brd": 1, "f": 1}}})
		if err == nil || !strings.Contains(err.Error(), `thresholds: unknown metric "d"`) {
			t.Fatal(err)
		}
	}
	names := []string{"aa1", "aa2", "aa3", "aa4", "aa5"}
	if got := scoring.Suggest("aa", names); got != "; did you mean aa1, aa2, aa3, aa4?" {
		t.Errorf("at most four are offered: %q", got)
	}
	for _, c := range []struct {
		name  string
		known []string
		says  string
	}{
		{"nope", []string{"rose", "verdict"}, "; there are rose, verdict"}, // half of a short name is another name
		{"hybrd", []string{"rose", "hybrid_ex"}, "; did you mean hybrid_ex? there are hybrid_ex, rose"},
		{"r1", nil, ""},
		{"atlsa", []string{"atlas"}, "; did you mean atlas?"},
		{"zzzz", strings.Fields("a b c d e f g h i j k l"), "; there are a, b, c, d, e, f, g, h, i, j and 2 more"},
	} {
		if got := scoring.SuggestOrList(c.name, c.known); got != c.says {
			t.Errorf("%q of %q: %q, want %q", c.name, c.known, got, c.says)
		}
	}
}

func TestEnginePanicsAreScores(t *testing.T) {
	boom := func() { panic("boom") }
	withAll := scoring.Metric{
		Name: "m", Needs: scoring.FieldPredResult, Options: scoring.OptionSet{Check: func(json.RawMessage) error { boom(); return nil }}, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Own: true},
		Score: func(context.Context, *scoring.Input) (scoring.Score, error) { boom(); return scoring.Score{}, nil },
	}
	for why, text := range map[string]string{
		"while it scores":                fullCase,
		"on a failed query":              `{"case_id":"c","agent":{"error":"x"}}`,
		"while options are checked":      strings.TrimSuffix(fullCase, "}") + `,"options":{"m":{}}}`,
		"while a reference is resolved":  `{"case_id":"c","agent":{"result":"table:t"}}`,
		"where nobody is told of it too": fullCase,
	} {
		var told []string
		o := &scoring.EngineOptions{Snapshots: snapshots(func(string) (*scoring.Table, error) { panic("boom") })}
		if why != "where nobody is told of it too" {
			o.Panicked = func(metric string, value any, stack []byte) {
				told = append(told, fmt.Sprint(metric, value, len(stack) > 0))
			}
		}
		scores, err := engine(t, o, withAll, constant("after", 0, 1)).Score(t.Context(), decodeCase(t, text))
		if err != nil || scores[0].Status != scoring.StatusFailed || scores[0].Code != errcode.Internal || scores[0].Metric != "m" || scores[1].Value != 1 {
			t.Errorf("%s: %+v %v", why, scores, err)
		}
		if strings.Contains(scores[0].Reason, "boom") {
			t.Errorf("%s: what was panicked with is not for the score: %q", why, scores[0].Reason)
		}
		if o.Panicked != nil && (len(told) != 1 || told[0] != "mboomtrue") {
			t.Errorf("%s: told %q", why, told)
		}
	}
}

func TestEngineScoresThatAreNone(t *testing.T) {
	for why, s := range map[string]scoring.Score{
		"no status": {}, "an unknown status": {Status: "fine"}, "not a number": scoring.OK(math.NaN(), ""), "infinite": scoring.OK(math.Inf(-1), ""),
	} {
		m := scoring.Metric{Name: "m", Score: func(context.Context, *scoring.Input) (scoring.Score, error) { return s, nil }}
		if got := scoreOne(t, engine(t, nil, m), &scoring.Case{}); got.Status != scoring.StatusFailed || got.Code != errcode.Internal {
			t.Errorf("%s: %+v", why, got)
		}
	}
	m := scoring.Metric{Name: "m", Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
		return scoring.OK(1, ""), errcode.New(errcode.Unavailable, "later")
	}}
	if got := scoreOne(t, engine(t, nil, m), &scoring.Case{ID: "c"}); got.Status != scoring.StatusFailed || got.Code != errcode.Unavailable || got.Reason != "later" {
		t.Errorf("an error is a failed score: %+v", got)
	}
}

func TestEngineStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked []string
	metric := func(name string, act func()) scoring.Metric {
		return scoring.Metric{Name: name, Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
			asked = append(asked, name)
			act()
			return scoring.OK(1, ""), nil
		}}
	}
	e := engine(t, nil, metric("a", func() {}), metric("b", cancel), metric("c", func() {}))
	scores, err := e.Score(ctx, &scoring.Case{})
	if !errors.Is(err, context.Canceled) || scores != nil || strings.Join(asked, "") != "ab" {
		t.Errorf("cut short in b: %v %v, asked %v", scores, err, asked)
	}
	asked = nil
	if scores, err = e.Score(ctx, &scoring.Case{}); !errors.Is(err, context.Canceled) || scores != nil || asked != nil {
		t.Errorf("cancelled before it began: %v %v, asked %v", scores, err, asked)
	}
}

type snapshots func(ref string) (*scoring.Table, error)

func (f snapshots) ReadSnapshot(_ context.Context, ref string) (*scoring.Table, error) { return f(ref) }

func TestEngineResolvesReferencesOnceAndOnlyWhenNeeded(t *testing.T) {
	reads := map[string]int{}
	o := &scoring.EngineOptions{Snapshots: snapshots(func(ref string) (*scoring.Table, error) {
		reads[ref]++
		switch ref {
		case "table:gone":
			return nil, errcode.New(errcode.NotFound, "no table gone")
		case "table:nothing":
			return nil, nil
		}
		return scoring.EmptyTable(len(ref)), nil
	})}
	both := scoring.FieldGoldResult | scoring.FieldPredResult
	rows := func(name string, needs scoring.Field) scoring.Metric {
		return scoring.Metric{Name: name, Needs: needs, Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			return scoring.OK(float64(10*in.Gold.Result.Table.Rows()+in.Pred.Result.Table.Rows()), ""), nil
		}}
	}
	c := decodeCase(t, `{"case_id":"c","gold":[{"result":"table:g"},{"result":"table:gg"}],"agent":{"result":"table:ppp"}}`)
	e := engine(t, o, constant("cheap", scoring.FieldExecution, 1), rows("one", both), rows("two", both))
	scores, err := e.Score(t.Context(), c)
	if err != nil || scores[1].Value != 89 || scores[2].Value != 89 || scores[2].Gold != 2 {
		t.Errorf("%+v %v", scores, err)
	}
	if want := map[string]int{"table:g": 1, "table:gg": 1, "table:ppp": 1}; !reflect.DeepEqual(reads, want) {
		t.Errorf("read %v, want each reference once", reads)
	}
	if c.Pred.Result.Table != nil || c.Golds[0].Result.Table != nil {
		t.Error("the case itself is left as it was")
	}
	clear(reads)
	if _, err := e.Score(t.Context(), c, "cheap"); err != nil || len(reads) != 0 {
		t.Errorf("a metric that needs no result read %v", reads)
	}
	for ref, want := range map[string]struct {
		code errcode.Code
		says string
	}{"table:gone": {errcode.NotFound, "result of the agent: no table gone"}, "table:nothing": {errcode.NotFound, "the reference has no result"}} {
		clear(reads)
		c := decodeCase(t, `{"case_id":"c","gold":{"result":`+oneRow+`},"agent":{"result":"`+ref+`"}}`)
		scores, err := e.Score(t.Context(), c)
		if err != nil || scores[1].Status != scoring.StatusFailed || scores[1].Code != want.code || !strings.Contains(scores[1].Reason, want.says) || scores[2].Reason != scores[1].Reason || reads[ref] != 1 {
			t.Errorf("%s: %+v %v, read %v", ref, scores, err, reads)
		}
	}
	s := scoreOne(t, engine(t, nil, rows("one", both)), c)
	if s.Status != scoring.StatusFailed || s.Code != errcode.FailedPrecondition || !strings.HasPrefix(s.Reason, "gold result: ") {
		t.Errorf("without a reader: %+v", s)
	}
}

func TestMemoIsPerCaseAndAnswer(t *testing.T) {
	type key struct{ n int }
	made := 0
	metric := func(name string, n int) scoring.Metric {
		return scoring.Metric{Name: name, Needs: scoring.FieldGoldSQL, Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			v := scoring.Memo(in, key{n}, func() string { made++; return in.Case.ID + in.Gold.SQL })
			if v != in.Case.ID+in.Gold.SQL {
				t.Errorf("%s got %q on case %s, answer %s", name, v, in.Case.ID, in.Gold.SQL)
			}
			return scoring.OK(1, ""), nil
		}}
	}
	e := engine(t, nil, metric("a", 1), metric("b", 1), metric("c", 2))
	for _, id := range []string{"x", "y"} {
		if _, err := e.Score(t.Context(), &scoring.Case{ID: id, Golds: []scoring.Query{{SQL: "1"}, {SQL: "2"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if made != 8 { // 2 cases, 2 answers, 2 keys
		t.Errorf("made %d times, want 8", made)
	}
}

// One engine serves many goroutines, and every one gets the same scores.
func TestEngineIsTheSameFromManyGoroutines(t *testing.T) {
	var reads atomic.Int64
	o := &scoring.EngineOptions{
		Snapshots: snapshots(func(ref string) (*scoring.Table, error) { reads.Add(1); return scoring.EmptyTable(len(ref)), nil }),
		Config:    scoring.Config{Options: map[string]json.RawMessage{"o": json.RawMessage(`{"a":4}`)}, Thresholds: map[string]float64{"o": 1}},
	}
	e := engine(t, o, withOptions("o"), constant("r", scoring.FieldGoldResult|scoring.FieldPredResult, 0.25), constant("q", scoring.FieldQuestion, 1))
	c := decodeCase(t, `{"case_id":"c","gold":[{"result":"table:a"},{"result":`+oneRow+`}],"agent":{"result":"table:b"},"options":{"o":{"b":3}}}`)
	lines := make([]string, 8)
	var wg sync.WaitGroup
	for g := range lines {
		wg.Go(func() {
			for range 200 {
				scores, err := e.Score(t.Context(), c)
				if err != nil {
					t.Error(err)
					return
				}
				line, _ := json.Marshal(scores)
				if lines[g] != "" && lines[g] != string(line) {
					t.Errorf("%s\nand then %s", lines[g], line)
				}
				lines[g] = string(line)
			}
		})
	}
	wg.Wait()
	for _, l := range lines {
		if l != lines[0] || !strings.Contains(l, "4 3 default") {
			t.Fatalf("%s\n%s", lines[0], l)
		}
	}
	if reads.Load() != 8*200*2 {
		t.Errorf("%d reads", reads.Load())
	}
}

// TestChoose states which metrics a list of names selects.
func TestChoose(t *testing.T) {
	costly := constant("costly", 0, 1)
	costly.OnRequest = true
	e := engine(t, nil, constant("a", 0, 1), costly, constant("b", 0, 1))
	notB := func(m *scoring.Metric) bool { return m.Name != "b" }
	for _, tc := range []struct {
		names  string
		wanted func(*scoring.Metric) bool
		want   string // or the error
	}{
		{"", nil, "a b"},
		{"", notB, "a"},
		{"default", nil, "a b"},
		{"all", nil, "a costly b"},
		{"all", notB, "a costly"},
		{"costly", nil, "costly"},
		{"b", notB, "b"}, // it is named
		{"default,costly", nil, "a b costly"},
		{"b,default", nil, "b a"},
		{"default,b,costly,b", nil, "a b costly"},
		{"a,a", nil, "a a"}, // a score for each name
		{"default,c", nil, `unknown metric "c"; did you mean a, b?`},
	} {
		var names []string
		if tc.names != "" {
			names = strings.Split(tc.names, ",")
		}
		chosen, err := e.Choose(names, tc.wanted)
		var got []string
		for _, m := range chosen {
			got = append(got, m.Name)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%q: %s, want %s", tc.names, text, tc.want)
		}
	}
}
