package udf

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/scoring"
)

func TestSignaturesFollowNeeds(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	for _, tc := range []struct{ why, name, want string }{
		{"results, then the optional query for their order, then options and what settles seldom cases", "cell_match",
			"cell_match(gold_result VARCHAR, agent_result VARCHAR [, gold_sql VARCHAR] [, options JSON] [, dialect VARCHAR] [, expected_behaviour VARCHAR] [, sql_error VARCHAR] [, gold_error VARCHAR]) -> DOUBLE"},
		{"the twin takes the same and returns the whole score", "cell_match_json",
			"cell_match_json(gold_result VARCHAR, agent_result VARCHAR [, gold_sql VARCHAR] [, options JSON] [, dialect VARCHAR] [, expected_behaviour VARCHAR] [, sql_error VARCHAR] [, gold_error VARCHAR]) -> JSON"},
		{"a closed list of labels is text", "row_category", "row_category(gold_result VARCHAR, agent_result VARCHAR [, expected_behaviour VARCHAR] [, sql_error VARCHAR] [, gold_error VARCHAR]) -> VARCHAR"},
		{"execution takes the query and its error", "ran", "ran(agent_sql VARCHAR, sql_error VARCHAR [, expected_behaviour VARCHAR] [, agent_ran BOOLEAN]) -> DOUBLE"},
		{"the optional query where it is all there is", "gold_length", "gold_length(gold_sql VARCHAR [, dialect VARCHAR]) -> DOUBLE"},
		{"behaviour, and all by which it shows", "behaved", "behaved(expected_behaviour VARCHAR, response VARCHAR, agent_sql VARCHAR, agent_result VARCHAR [, dialect VARCHAR]) -> DOUBLE"},
		{"tools", "tool_share", "tool_share(expected_tools JSON, tool_calls JSON) -> DOUBLE"},
		{"latency", "slowdown", "slowdown(gold_latency_ms DOUBLE, agent_latency_ms DOUBLE) -> DOUBLE"},
		{"words first, then queries", "judged", "judged(question VARCHAR, interpretation VARCHAR, response VARCHAR, gold_sql VARCHAR, agent_sql VARCHAR [, dialect VARCHAR] [, expected_behaviour VARCHAR]) -> DOUBLE"},
		{"a case as JSON, metrics optional", "score_case", "score_case(case_json JSON [, metrics VARCHAR]) -> JSON"},
		{"no arguments", "badger_version", "badger_version() -> VARCHAR"},
	} {
		f, err := c.Function(tc.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Signature(); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.why, got, tc.want)
		}
	}
}

// What a metric reads where it is given follows as optional arguments, each of which reaches the
// case.
func TestContextIsOptional(t *testing.T) {
	engine, err := scoring.NewEngine([]scoring.Metric{{
		Name: "m", Version: 1, Needs: scoring.FieldPredSQL, Reads: scoring.FieldEvidence | scoring.FieldSchema | scoring.FieldGoldResult | scoring.FieldPredResult | scoring.FieldExecution,
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			n := 0.0
			for i, given := range []bool{
				in.Gold.Result.Table != nil, in.Pred.Result.Table != nil, in.Pred.Error == "boom", in.Case.Evidence == "hint", in.Case.Schema == "ddl",
			} {
				if given {
					n += float64(int(1) << i)
				}
			}
			return scoring.OK(n, "what is given"), nil
		},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Function("m")
	if err != nil {
		t.Fatal(err)
	}
	const want = "m(agent_sql VARCHAR [, gold_result VARCHAR] [, agent_result VARCHAR] [, sql_error VARCHAR] [, evidence VARCHAR] [, schema_ddl VARCHAR] [, dialect VARCHAR] [, expected_behaviour VARCHAR]) -> DOUBLE"
	if got := f.Signature(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	const rows = `{"columns":["a"],"rows":[[1]]}`
	all := []string{"select 1", rows, rows, "boom", "hint", "ddl"}
	for n := range len(all) {
		args := append([]string(nil), all[:n+1]...)
		out, in := callOne(t, c, "m", args...)
		if want := float64(int(1)<<n - 1); len(in.Problems) > 0 || out.Floats[0] != want {
			t.Errorf("%d arguments: %v %+v, want %v", n+1, out.Floats, in.Problems, want)
		}
	}
	for k := 1; k < len(all); k++ { // one alone
		args := []string{"select 1", "\x00", "\x00", "\x00", "\x00", "\x00"}
		args[k] = all[k]
		out, in := callOne(t, c, "m", args...)
		if want := float64(int(1) << (k - 1)); len(in.Problems) > 0 || out.Floats[0] != want {
			t.Errorf("argument %d alone: %v %+v, want %v", k+1, out.Floats, in.Problems, want)
		}
	}
}

// What a metric reads where it is given is an optional argument, once, and one of its own right
// where the metric cannot do without it.
func TestArgumentsThatMayBeLeftOut(t *testing.T) {
	const question, schema, interpretation = scoring.FieldQuestion, scoring.FieldSchema, scoring.FieldInterpretation
	for _, tc := range []struct {
		needs, reads scoring.Field
		want         string
	}{
		{question, schema, "m(question VARCHAR [, schema_ddl VARCHAR]) -> DOUBLE"},
		{question, schema | interpretation, "m(question VARCHAR [, schema_ddl VARCHAR] [, interpretation VARCHAR]) -> DOUBLE"},
		{question, interpretation, "m(question VARCHAR [, interpretation VARCHAR]) -> DOUBLE"},
		{question | interpretation, interpretation, "m(question VARCHAR, interpretation VARCHAR) -> DOUBLE"},
		{0, question | interpretation | schema, "m(question VARCHAR, interpretation VARCHAR [, schema_ddl VARCHAR]) -> DOUBLE"},
		{scoring.FieldJudge, question | schema, "m(question VARCHAR [, schema_ddl VARCHAR]) -> DOUBLE"},
	} {
		needs, want := tc.needs&^scoring.FieldJudge, tc.want
		engine, err := scoring.NewEngine([]scoring.Metric{{
			Name: "m", Version: 1, Needs: needs, Reads: tc.reads,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				return scoring.OK(float64(len(in.Case.Agent.Interpretation)+len(in.Case.Schema)), "their length"), nil
			},
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCatalogue(engine, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Function("m")
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Signature(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if out, in := callOne(t, c, "m", "q", "four"); len(in.Problems) > 0 || out.Floats[0] != 4 {
			t.Errorf("%v %+v, want 4", out.Floats, in.Problems)
		}
	}
}

// What an agent told is judged in the light of what it did, as far as that is given.
func TestWhatTheAgentDidIsOptional(t *testing.T) {
	engine, err := scoring.NewEngine([]scoring.Metric{{
		Name: "m", Version: 1, Needs: scoring.FieldQuestion | scoring.FieldResponse,
		Reads: scoring.FieldBehaviour | scoring.FieldEvidence | scoring.FieldPredSQL | scoring.FieldPredResult | scoring.FieldExecution,
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			n := 0.0
			for i, given := range []bool{
				in.Pred.SQL == "select 1", in.Pred.Result.Table != nil, in.Pred.Error == "boom", in.Case.Evidence == "hint", in.Case.Expected.Behaviour == "refuse",
			} {
				if given {
					n += float64(int(1) << i)
				}
			}
			return scoring.OK(n, "what is given"), nil
		},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Function("m")
	if err != nil {
		t.Fatal(err)
	}
	const want = "m(question VARCHAR, response VARCHAR [, agent_sql VARCHAR] [, agent_result VARCHAR] [, sql_error VARCHAR] [, evidence VARCHAR] [, expected_behaviour VARCHAR] [, dialect VARCHAR]) -> DOUBLE"
	if got := f.Signature(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	all := []string{"q", "r", "select 1", `{"columns":["a"],"rows":[[1]]}`, "boom", "hint", "refuse"}
	for n := 2; n <= len(all); n++ {
		out, in := callOne(t, c, "m", all[:n]...)
		if want := float64(int(1)<<(n-2) - 1); len(in.Problems) > 0 || out.Floats[0] != want {
			t.Errorf("%d arguments: %v %+v, want %v", n, out.Floats, in.Problems, want)
		}
	}
	if _, in := callOne(t, c, "m", "q", "r", "", "", "", "", "sing"); len(in.Problems) != 1 {
		t.Errorf("a behaviour that does not exist: %+v", in.Problems)
	}
}

func TestOnlyJudgesAreVolatile(t *testing.T) {
	for _, f := range newCatalogue(t, CatalogueOptions{}).Functions() {
		want := strings.HasPrefix(f.Name, "judged") || strings.HasPrefix(f.Name, "score_case") || strings.HasPrefix(f.Name, "score_row") || f.Name == "run_settings" || f.Name == "badger_whoami"
		if f.Volatile != want {
			t.Errorf("%s: volatile is %v", f.Name, f.Volatile)
		}
	}
}

func TestDeclarationsAreChecked(t *testing.T) {
	row := func(context.Context, *Batch, int, *Column) error { return nil }
	for _, tc := range []struct {
		why  string
		f    Function
		want string
	}{
		{"a name that a metric has", Function{Name: "cell_match_json", Row: row}, "twice"},
		{"upper case", Function{Name: "Cells", Row: row}, "lower-case"},
		{"no way to call it", Function{Name: "f"}, "either Row or Columns"},
		{"an optional parameter before a required one", Function{Name: "f", Row: row, Params: []Param{{Name: "a", Optional: true}, {Name: "b"}}}, "follows an optional"},
		{"a parameter's name", Function{Name: "f", Row: row, Params: []Param{{Name: "a b"}}}, "parameter 1"},
	} {
		engine, _ := scoring.NewEngine(metrics.All(), nil)
		_, err := NewCatalogue(engine, &CatalogueOptions{Extra: []Function{tc.f}})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want it to say %q", tc.why, err, tc.want)
		}
	}
}

func TestUnknownFunctionOffersTheNearest(t *testing.T) {
	_, err := newCatalogue(t, CatalogueOptions{}).Function("cell_mach")
	if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "cell_match") {
		t.Errorf("got %v", err)
	}
}

// callOne calls a function on one row of texts; "\x00" is NULL.
func callOne(t *testing.T, c *Catalogue, name string, args ...string) (*Column, *Batch) {
	t.Helper()
	f, err := c.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	in := &Batch{Rows: 1, Args: make([]Column, len(args)), Explain: true}
	for k, a := range args {
		in.Args[k].Type = f.Params[k].Type
		if a == "\x00" {
			in.Args[k].AppendNull()
		} else if wrong := in.Args[k].AppendText(a); wrong != "" {
			in.BadArgument(f, k, 0, wrong)
		}
	}
	out, err := c.Call(context.Background(), f, in)
	if err != nil {
		t.Fatal(err)
	}
	return out, in
}

func TestScalarAndEnvelope(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	gold, agent := metrics.TwoResults(1)
	thirteen := `{"columns":["a"],"rows":[` + strings.Repeat("[1],", 12) + `[1]]}`
	for _, tc := range []struct {
		why, name string
		args      []string
		value     any // nil: NULL
		status    string
		code      string
		reason    string
	}{
		{"a value", "cell_match", []string{gold, agent}, 0.75, "ok", "", "3 of 4 cells"},
		{"options", "cell_match", []string{gold, agent, "\x00", `{"factor":0.5}`}, 0.375, "ok", "", "3 of 4"},
		{"unknown options fail the row", "cell_match", []string{gold, agent, "\x00", `{"fctor":0.5}`}, nil, "failed", "invalid_argument", "fctor"},
		{"options that are not JSON", "cell_match", []string{gold, agent, "\x00", `{`}, nil, "failed", "invalid_argument", "options"},
		{"a missing result is not 0", "cell_match", []string{gold, "\x00"}, nil, "not_applicable", "", "no result of the agent"},
		{"an empty result text is a missing one", "cell_match", []string{"", agent}, nil, "not_applicable", "", "no gold result"},
		{"a result that cannot be read names the side", "cell_match", []string{gold, `{"columns":[1]}`}, nil, "failed", "invalid_argument", "result of the agent"},
		{"a reference without anyone to resolve it", "cell_match", []string{gold, "table:t"}, nil, "failed", "failed_precondition", "inline"},
		{"an abstention is not 0", "cell_match", []string{`{"columns":[],"rows":[]}`, agent}, nil, "abstained", "", "nothing to compare"},
		{"a metric that breaks down", "cell_match", []string{thirteen, agent}, nil, "failed", "internal", "this is a bug in badger"},
		{"a label", "row_category", []string{gold, agent}, "equal", "ok", "", "counted"},
		{"a query that ran", "ran", []string{"select 1", "\x00"}, 1.0, "ok", "", "ran"},
		{"a query that failed", "ran", []string{"select", "syntax error"}, 0.0, "ok", "", "failed"},
		{"no query", "ran", []string{"\x00", "\x00"}, nil, "not_applicable", "", "no SQL of the agent"},
		{"a refusal", "behaved", []string{"refuse", "I cannot", "\x00", "\x00"}, 1.0, "ok", "", "I cannot"},
		{"an answer in place of a refusal", "behaved", []string{"refuse", "", "select 1", "\x00"}, 0.0, "ok", "", ""},
		{"a behaviour that is none", "behaved", []string{"shout", "", "", ""}, nil, "failed", "invalid_argument", "argument 1 (expected_behaviour)"},
		{"tools", "tool_share", []string{`["a",{"name":"b"}]`, `[{"name":"a"}]`}, 0.5, "ok", "", ""},
		{"no calls were made", "tool_share", []string{`["a"]`, "\x00"}, 0.0, "ok", "", ""},
		{"tool calls that are no list", "tool_share", []string{`["a"]`, `{"x`}, nil, "failed", "invalid_argument", "argument 2 (tool_calls)"},
		{"expected tools that are no JSON", "tool_share", []string{`[a]`, `[]`}, nil, "failed", "invalid_argument", "argument 1 (expected_tools)"},
		{"latency", "slowdown", []string{"100", "250.5"}, 2.505, "ok", "", ""},
		{"a negative latency", "slowdown", []string{"100", "-1"}, nil, "failed", "invalid_argument", "argument 2 (agent_latency_ms)"},
		{"a latency that is no number", "slowdown", []string{"NaN", "1"}, nil, "failed", "invalid_argument", "argument 1 (gold_latency_ms)"},
		{"a latency that is text", "slowdown", []string{"fast", "1"}, nil, "failed", "invalid_argument", "expected a number"},
		{"no latency", "slowdown", []string{"\x00", "1"}, nil, "not_applicable", "", "no gold latency"},
		{"an error nobody classified stays here", "judged", []string{"q", "i", "nonsense", "s", "s"}, nil, "failed", "unknown", ""},
	} {
		t.Run(tc.why, func(t *testing.T) {
			out, in := callOne(t, c, tc.name, tc.args...)
			var got any
			switch {
			case out.Nulls[0]:
			case out.Type == DOUBLE:
				got = out.Floats[0]
			default:
				got = out.Texts[0]
			}
			if got != tc.value {
				t.Errorf("value %v, want %v", got, tc.value)
			}
			if tc.status != "ok" {
				if len(in.Problems) != 1 || string(in.Problems[0].Status) != tc.status || !strings.Contains(in.Problems[0].Reason, tc.reason) {
					t.Errorf("problems %+v, want %s: …%s…", in.Problems, tc.status, tc.reason)
				}
			} else if len(in.Problems) != 0 {
				t.Errorf("problems %+v of a good row", in.Problems)
			}
			whole, _ := callOne(t, c, tc.name+"_json", tc.args...)
			var env struct {
				Metric  string  `json:"metric"`
				Version int     `json:"metric_version"`
				Status  string  `json:"status"`
				Code    string  `json:"code"`
				Reason  string  `json:"reason"`
				Label   string  `json:"label"`
				Value   float64 `json:"value"`
			}
			if err := json.Unmarshal([]byte(whole.Texts[0]), &env); err != nil || whole.Nulls[0] {
				t.Fatalf("envelope %q: %v", whole.Texts[0], err)
			}
			if env.Metric != tc.name || env.Version == 0 || env.Status != tc.status || env.Code != tc.code || !strings.Contains(env.Reason, tc.reason) {
				t.Errorf("envelope %+v, want %s %s …%s…", env, tc.status, tc.code, tc.reason)
			}
			switch want := tc.value.(type) {
			case float64:
				if env.Value != want {
					t.Errorf("envelope's value %v, want %v", env.Value, want)
				}
			case string:
				if env.Label != want {
					t.Errorf("envelope's label %v, want %v", env.Label, want)
				}
			}
		})
	}
}

func TestGoldSQLReachesTheMetric(t *testing.T) {
	gold, agent := metrics.TwoResults(0)
	for sql, want := range map[string]string{"select 1 order by 1": `"gold_sql":true`, "\x00": `"gold_sql":false`} {
		out, _ := callOne(t, newCatalogue(t, CatalogueOptions{}), "cell_match_json", gold, agent, sql)
		if !strings.Contains(out.Texts[0], want) {
			t.Errorf("gold_sql %q: %s lacks %s", sql, out.Texts[0], want)
		}
	}
}

func TestScoreCase(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	gold, agent := metrics.TwoResults(2)
	one := `{"case_id":"c1","question":"q","gold":{"sql":"s","result":` + gold + `},"agent":{"sql":"s","result":` + agent + `}}`
	for _, tc := range []struct{ why, metrics, want string }{
		{"named metrics, in that order", "row_category, cell_match", `"row_category","metric_version":1,"status":"ok"|"cell_match","metric_version":3,"status":"ok","value":0.5`},
		{"all metrics", "", `"judged"|"not_applicable"`},
		{"an unknown metric", "cell_mach", `"status":"failed"|cell_match|"not_found"`},
	} {
		out, _ := callOne(t, c, "score_case", one, tc.metrics)
		rest := out.Texts[0]
		if !json.Valid([]byte(rest)) || rest[0] != '[' {
			t.Fatalf("%s: not a JSON array: %s", tc.why, rest)
		}
		for part := range strings.SplitSeq(tc.want, "|") {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%s: %s lacks %s", tc.why, out.Texts[0], part)
			}
			rest = after
		}
	}
	if out, _ := callOne(t, c, "score_case", `{"case_id":`); !strings.Contains(out.Texts[0], `"invalid_argument"`) {
		t.Errorf("half a case: %s", out.Texts[0])
	}
}

func TestOneBadRowLeavesTheRest(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{}, echoOrPanic())
	f, _ := c.Function("echo_or_panic")
	const rows = 100
	run := func(poison int) *Column {
		in := NewBatch(f, 1, rows)
		for i := range rows {
			in.Args[0].SetText(i, strings.Repeat("x", i))
		}
		if poison >= 0 {
			in.Args[0].SetText(poison, "panic")
		}
		out, err := c.Call(context.Background(), f, in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	clean := run(-1)
	for _, poison := range []int{0, 37, rows - 1} {
		out := run(poison)
		for i := range rows {
			if i == poison {
				if !strings.Contains(out.Texts[i], `"status":"failed"`) || strings.Contains(out.Texts[i], "secret") {
					t.Errorf("row %d, which panicked: %s", i, out.Texts[i])
				}
			} else if out.Texts[i] != clean.Texts[i] {
				t.Errorf("row %d changed with row %d: %s", i, poison, out.Texts[i])
			}
		}
	}
}

func TestWorkersBoundAllCallsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		slow := Function{Name: "slow", Result: DOUBLE, Waits: true, Row: func(context.Context, *Batch, int, *Column) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
			return nil
		}}
		engine, _ := scoring.NewEngine(nil, nil)
		c, err := NewCatalogue(engine, &CatalogueOptions{Workers: 5, Extra: []Function{slow}})
		if err != nil {
			t.Fatal(err)
		}
		f, _ := c.Function("slow")
		done := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := c.Call(context.Background(), f, NewBatch(f, 0, 40))
				done <- err
			}()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if m := most.Load(); m != 5 {
			t.Errorf("%d rows ran at once, want 5", m)
		}
	})
}

// A small batch must not wait until a large one before it is done: it has the next place that is free.
func TestSmallBatchPassesALargeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		wait := Function{Name: "wait", Result: DOUBLE, Waits: true, Params: []Param{{Name: "kind"}}, Row: func(_ context.Context, in *Batch, i int, _ *Column) error {
			if in.Text(0, i) == "large" {
				<-release
			}
			return nil
		}}
		engine, _ := scoring.NewEngine(nil, nil)
		c, _ := NewCatalogue(engine, &CatalogueOptions{Workers: 2, Extra: []Function{wait}})
		f, _ := c.Function("wait")
		call := func(kind string, rows int) (done chan struct{}) {
			in := NewBatch(f, 1, rows)
			for i := range rows {
				in.Args[0].SetText(i, kind)
			}
			done = make(chan struct{})
			go func() { defer close(done); _, _ = c.Call(context.Background(), f, in) }()
			synctest.Wait() // until all of it that can run waits
			return done
		}
		first := call("large", 1000)
		second := call("small", 1)
		release <- struct{}{} // one row of the large batch
		synctest.Wait()
		select {
		case <-second:
		default:
			t.Error("the small batch waits although a place was free")
		}
		close(release)
		<-first
		<-second
	})
}

// cutOff ends the rows that continue without a caller.
func cutOff(c *Catalogue) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	c.Drain(over, time.Second)
}

// A call whose time is over fails as a whole, unless the deadline allows rows without a score.
func TestLateRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCatalogue(t, CatalogueOptions{})
		defer cutOff(c)
		f, _ := c.Function("judged_json")
		in := NewBatch(f, 5, 200)
		for i := range in.Rows {
			for k := range in.Args {
				in.Args[k].SetText(i, "x")
			}
			if i >= 100 {
				in.Args[2].SetText(i, "wait forever")
			}
		}
		in.Explain = true
		out := columnar.New(JSON, in.Rows)
		err := c.Run(context.Background(), f, in, out, Deadline{After: 100 * time.Millisecond, Key: "timeouts.json"})
		if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "100 of 200 rows") ||
			!strings.Contains(err.Error(), "raise timeouts.json") {
			t.Errorf("%v, expected unavailable with the number of late rows and the setting", err)
		}
		in.Late, in.Problems = 0, nil
		if err := c.Run(context.Background(), f, in, out, Deadline{After: 100 * time.Millisecond, NullRows: true}); err != nil {
			t.Fatal(err)
		}
		if in.Late != 100 {
			t.Errorf("%d late rows are counted, expected 100", in.Late)
		}
		for i, text := range out.Texts {
			want := `"status":"ok"`
			if i >= 100 {
				want = `"code":"deadline_exceeded"`
			}
			if !strings.Contains(text, want) {
				t.Fatalf("row %d: %s lacks %s", i, text, want)
			}
		}
		if len(in.Problems) != 100 || in.Problems[0].Row != 100 || in.Problems[99].Row != 199 {
			t.Errorf("%d problems, not those of rows 100 to 199 in order", len(in.Problems))
		}
	})
}

func TestCancelledCallIsAnError(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	defer cutOff(c)
	f, _ := c.Function("judged")
	in := NewBatch(f, 5, 10)
	for i := range in.Rows {
		for k := range in.Args {
			in.Args[k].SetText(i, "wait forever")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.Call(ctx, f, in); errcode.Of(err) != errcode.Cancelled {
		t.Errorf("got %v, want a cancelled call: scores of rows that were cut off are absent", err)
	}
}

func TestCallChecksItsBatch(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{})
	f, _ := c.Function("slowdown")
	short := NewBatch(f, 2, 3)
	short.Args[1].Resize(2)
	wrong := NewBatch(f, 2, 3)
	wrong.Args[1].Type = VARCHAR
	for why, in := range map[string]*Batch{"too few arguments": NewBatch(f, 1, 3), "a short column": short, "a column of another type": wrong} {
		if _, err := c.Call(context.Background(), f, in); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// A metric that needs the whole case takes it as its one argument beside options: whatever else it needs is in there.
func TestTheWholeCaseHoldsEverythingElse(t *testing.T) {
	engine, err := scoring.NewEngine([]scoring.Metric{{
		Name: "m", Version: 1, Needs: scoring.FieldCase | scoring.FieldResponse | scoring.FieldPredResult, Reads: scoring.FieldGoldSQL | scoring.FieldEvidence,
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			return scoring.OK(float64(in.Pred.Result.Table.Rows()), in.Case.Agent.Response), nil
		},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Function("m")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Signature(), "m(case_json JSON) -> DOUBLE"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	out, in := callOne(t, c, "m", `{"case_id": "c", "agent": {"response": "three", "result": {"columns": ["a"], "rows": [[1], [2], [3]]}}}`)
	if len(in.Problems) > 0 || out.Floats[0] != 3 {
		t.Errorf("%v %+v, want 3", out.Floats, in.Problems)
	}
}

// Every argument of a field can be read from a call, and nothing else can.
func TestEveryFieldsArgumentsAreRead(t *testing.T) {
	for _, p := range metricParams {
		if p.set == nil {
			t.Errorf("nothing reads the argument %s", p.Name)
		}
	}
	if len(metricParams) != len(readers) {
		t.Errorf("%d arguments of fields and %d readers", len(metricParams), len(readers))
	}
}
