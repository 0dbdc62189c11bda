package metrictest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// Run tests properties that every metric must have:
//
//   - it is documented, its range can be parsed, and it rejects unknown options;
//   - gold compared with itself is perfect or not applicable, if the metric reads both results and has a maximum value;
//   - a change of the result in a declared [Property] does not change the score;
//   - values are in its range, and verdicts agree with its threshold;
//   - the same input gives the same score, byte for byte, also concurrently;
//   - if a case lacks an input, the score is not_applicable, never 0;
//   - unusual results do not cause a panic or an internal error;
//   - only metrics that need a judge call one, and an invalid reply never results in a value.
func Run(t *testing.T, metrics []scoring.Metric, declared ...Properties) {
	for i := range metrics {
		t.Run(metrics[i].Name, func(t *testing.T) {
			s := newSuite(t, metrics[i])
			t.Run("described", s.described)
			t.Run("options", s.options)
			t.Run("gold against itself", s.goldAgainstItself)
			t.Run("missing input", s.missingInput)
			t.Run("hostile results", s.hostileResults)
			t.Run("same score from many goroutines", s.sameScore)
			t.Run("judge", s.judge)
			for _, d := range declared {
				for _, p := range d[metrics[i].Name] {
					t.Run(string(p)+" does not matter", func(t *testing.T) { s.doesNotMatter(t, p) })
				}
			}
		})
	}
	for _, d := range declared {
		for name := range d {
			if !slices.ContainsFunc(metrics, func(m scoring.Metric) bool { return m.Name == name }) {
				t.Errorf("properties are declared for %s, which is not a metric", name)
			}
		}
	}
}

type suite struct {
	m      scoring.Metric
	engine *scoring.Engine
}

func newSuite(t *testing.T, m scoring.Metric) *suite {
	s := &suite{m: m}
	s.engine = s.newEngine(t, nil)
	return s
}

func (s *suite) newEngine(t *testing.T, judge judgebackend.Backend) *scoring.Engine {
	t.Helper()
	e, err := scoring.NewEngine([]scoring.Metric{s.m},
		&scoring.EngineOptions{Judge: judge, Panicked: func(metric string, v any, stack []byte) {
			t.Errorf("%s panicked: %v\n%s", metric, v, stack)
		}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// caseOf returns a case with these results in which no field is missing. It is in the scope of every metric: the
// queries filter, group, aggregate and sort.
func caseOf(gold, pred *scoring.Table) *scoring.Case {
	ms := 100 * time.Millisecond
	sql := "SELECT city, COUNT(*) AS n FROM orders WHERE price > 10 GROUP BY city ORDER BY n"
	return &scoring.Case{
		ID: "case", Question: "How many orders above 10 were there in each city?", Evidence: "An order has one city.",
		Schema: "CREATE TABLE orders (id INT, city TEXT, price DECIMAL(10, 2))", Dialect: "snowflake",
		Golds: []scoring.Query{{SQL: sql, Result: scoring.Result{Table: gold}, Ran: true, Latency: &ms}},
		Pred: scoring.Query{SQL: sql, Result: scoring.Result{Table: pred}, Ran: true, Latency: &ms,
			Chart: json.RawMessage(`{"mark": "bar", "x": "city", "y": "n"}`)},
		Agent: scoring.Agent{
			Name: "agent", Version: "1", Interpretation: "The number of orders above 10 by city.",
			Response:  "There were 3 in Oslo and 2 in Rome.",
			ToolCalls: []scoring.ToolCall{{Name: "run_sql"}},
			Contexts:  json.RawMessage(`[{"id": "a", "text": "There were 3 orders in Oslo and 2 in Rome."}]`),
		},
		Expected: scoring.Expected{Tools: json.RawMessage(`["run_sql"]`), Clarifications: []string{"Which year?"}},
	}
}

func (s *suite) score(t *testing.T, e *scoring.Engine, c *scoring.Case) scoring.Score {
	t.Helper()
	scores, err := e.Score(context.Background(), c, scoring.AllMetrics)
	if err != nil {
		t.Fatal(err)
	}
	return scores[0]
}

var metricName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

func (s *suite) described(t *testing.T) {
	m := &s.m
	if !metricName.MatchString(m.Name) {
		t.Errorf("%q is not in lower case with underscores, as names in SQL are", m.Name)
	}
	if m.Version < 1 || m.Group == "" || m.Score == nil {
		t.Error("version, group or function is missing")
	}
	for what, text := range map[string]string{"summary": m.Summary, "range": m.Range, "formula": m.Formula,
		"source": m.Source, "example": m.Example} {
		if strings.TrimSpace(text) == "" {
			t.Errorf("the %s is empty", what)
		}
	}
	if m.Threshold != nil && m.Within(*m.Threshold) != nil {
		t.Errorf("the threshold %v is outside the range %s", *m.Threshold, m.Range)
	}
}

func (s *suite) options(t *testing.T) {
	if s.m.Options.None() {
		t.Skip("the metric has no options")
	}
	check := func(value string, accepted bool, o *scoring.Option) {
		raw := fmt.Sprintf(`{%q: %s}`, o.Name, value)
		if err := s.m.Options.Check(json.RawMessage(raw)); accepted && err != nil {
			t.Errorf("options %s: %v", raw, err)
		} else if !accepted && (err == nil || !strings.Contains(err.Error(), o.Name)) {
			t.Errorf("options %s: got %v, want an error that names the option", raw, err)
		}
	}
	for i := range s.m.Options.List {
		o := &s.m.Options.List[i]
		if o.Name == "" || o.Type == "" || o.Doc == "" || o.Default == nil && o.Unset == "" {
			t.Errorf("option %q lacks a type, a default or a sentence that describes it", o.Name)
		}
		check("null", true, o)
		if o.Default != nil {
			preset, err := json.Marshal(o.Default)
			if err != nil {
				t.Fatal(err)
			}
			check(string(preset), true, o)
		}
		check(`{"no": {"such": ["value"]}}`, false, o)
		single := func(v any) string { // as the value, or as an element of a list or object
			text, _ := json.Marshal(v)
			switch word, _, _ := strings.Cut(o.Type, " "); word {
			case "list":
				return "[" + string(text) + "]"
			case "object":
				return `{"x": ` + string(text) + "}"
			}
			return string(text)
		}
		for _, c := range o.Choices {
			check(single(c), true, o)
		}
		if len(o.Choices) > 0 {
			check(single("no such choice"), false, o)
		}
		for _, bound := range []struct {
			at   *float64
			step float64 // distance from the bound to an invalid value
		}{{o.Min, -1}, {o.Max, 1}, {o.Above, 0}, {o.Below, 0}} {
			if bound.at != nil {
				check(single(*bound.at+bound.step), false, o)
			}
		}
	}
	for _, none := range []string{"", "null", "{}"} {
		if err := s.m.Options.Check(json.RawMessage(none)); err != nil {
			t.Errorf("options %q: %v", none, err)
		}
	}
	for _, wrong := range []string{`{"no_such_option": 1}`, `[]`, `{`, `"x"`} {
		if err := s.m.Options.Check(json.RawMessage(wrong)); err == nil {
			t.Errorf("options %s are accepted", wrong)
		}
	}
}

const bothResults = scoring.FieldGoldResult | scoring.FieldPredResult

func (s *suite) goldAgainstItself(t *testing.T) {
	least, most := s.m.Bounds()
	if s.m.Needs&bothResults != bothResults || (s.m.Needs|s.m.Reads)&scoring.FieldLatency != 0 ||
		s.m.Needs&scoring.FieldJudge != 0 || math.IsInf(most, 1) {
		t.Skip("the metric does not measure how equal two results are")
	}
	want := most
	if s.m.LowerIsBetter {
		want = least
	}
	rng := rand.New(rand.NewPCG(1, 11))
	var notApplicable scoring.Score
	scored := 0
	for range sample.Count(300, 4) {
		gold, _ := ordinary(rng)
		got := s.score(t, s.engine, caseOf(gold, gold))
		if got.Status == scoring.StatusNotApplicable { // outside the metric's scope, such as the order of a single row
			notApplicable = got
			continue
		}
		scored++
		if got.Status != scoring.StatusOK || got.Value != want || got.Passed != nil && !*got.Passed {
			t.Fatalf("gold against itself is %s %v (%s), want %v and no failing verdict, of %s", got.Status, got.Value,
				got.Reason, want, gold.AppendJSON(nil))
		}
	}
	if scored == 0 {
		t.Errorf("not applicable to any gold result (%s); add the missing input to caseOf in package metrictest",
			notApplicable.Reason)
	}
}

func (s *suite) missingInput(t *testing.T) {
	table := tableOf([]scoring.Column{scoring.IntColumn("n", scoring.Int64, []int64{1, 2}, nil)})
	none := scoring.Result{}
	lose := map[scoring.Field]func(c *scoring.Case){
		scoring.FieldGoldResult:     func(c *scoring.Case) { c.Golds[0].Result = none },
		scoring.FieldPredResult:     func(c *scoring.Case) { c.Pred.Result = none },
		scoring.FieldGoldSQL:        func(c *scoring.Case) { c.Golds[0].SQL = " " },
		scoring.FieldPredSQL:        func(c *scoring.Case) { c.Pred.SQL = "" },
		scoring.FieldEvidence:       func(c *scoring.Case) { c.Evidence = "" },
		scoring.FieldSchema:         func(c *scoring.Case) { c.Schema = "" },
		scoring.FieldQuestion:       func(c *scoring.Case) { c.Question = "" },
		scoring.FieldResponse:       func(c *scoring.Case) { c.Agent.Response = "" },
		scoring.FieldInterpretation: func(c *scoring.Case) { c.Agent.Interpretation = "" },
		scoring.FieldTools:          func(c *scoring.Case) { c.Expected.Tools = nil },
		scoring.FieldLatency:        func(c *scoring.Case) { c.Pred.Latency = nil },
		scoring.FieldExecution:      func(c *scoring.Case) { c.Pred = scoring.Query{} },
		scoring.FieldChart:          func(c *scoring.Case) { c.Pred.Chart = nil },
		scoring.FieldContexts:       func(c *scoring.Case) { c.Agent.Contexts = nil },
	}
	for _, f := range scoring.Fields() {
		if f.Lacks != nil && lose[f.Field] == nil {
			t.Errorf("the suite does not know how a case loses %s", f.Name)
		}
		if f.Lacks == nil || s.m.Needs&f.Field == 0 {
			continue
		}
		c := caseOf(table, table)
		lose[f.Field](c)
		if got := s.score(t, s.engine, c); got.Status != scoring.StatusNotApplicable || got.Reason == "" {
			t.Errorf("a case without %s is %s %v (%q), want not_applicable with a reason", f.Name, got.Status, got.Value,
				got.Reason)
		}
	}
	// If an agent metric needs no field that can be missing, it scores an agent with an empty reply.
	silence := s.m.Group == "agent" && s.m.Needs == 0
	if got := s.score(t, s.engine, &scoring.Case{ID: "empty"}); !silence && got.Status != scoring.StatusNotApplicable {
		t.Errorf("a case that holds nothing is %s %v (%q), want not_applicable", got.Status, got.Value, got.Reason)
	}
	if s.m.Needs&(scoring.FieldGoldResult|scoring.FieldGoldSQL) != 0 {
		c := caseOf(table, table)
		c.Golds = nil
		if got := s.score(t, s.engine, c); got.Status != scoring.StatusNotApplicable {
			t.Errorf("a case without an accepted answer is %s %v, want not_applicable", got.Status, got.Value)
		}
	}
}

func (s *suite) hostileResults(t *testing.T) {
	tables := hostile()
	names := slices.Sorted(maps.Keys(tables))
	for _, g := range names {
		for _, p := range names {
			s.sound(t, caseOf(tables[g], tables[p]), g+" against "+p)
		}
	}
	c := caseOf(tables["one cell"], tables["one cell"])
	c.Golds[0].SQL, c.Pred.SQL = "SELECT ((((", "\x00\xff'; --"
	c.Question, c.Agent.Response, c.Agent.Interpretation = "\x00", "\xff\xfe", strings.Repeat("(", 10000)
	c.Expected.Tools = json.RawMessage(`{"unknown": [1, null]}`)
	s.sound(t, c, "hostile texts")
}

// sound checks that a score is valid: it can be encoded, has a reason, and did not fail because of a bug.
func (s *suite) sound(t *testing.T, c *scoring.Case, what string) {
	t.Helper()
	got := s.score(t, s.engine, c)
	if _, err := json.Marshal(scoring.Row{AnswerID: c.AnswerID(), Score: got}); err != nil {
		t.Errorf("%s: the score cannot be written: %v", what, err)
	}
	if got.Reason == "" {
		t.Errorf("%s: a score without a reason", what)
	}
	if got.Status == scoring.StatusFailed &&
		(got.Code == errcode.Internal || got.Code == errcode.Unknown || got.Code == errcode.OK) {
		t.Errorf("%s: failed because of a bug, or without a code: %v, %s", what, got.Code, got.Reason)
	}
	if got.Status != scoring.StatusOK {
		return
	}
	if math.IsNaN(got.Value) || math.IsInf(got.Value, 0) || !inRange(&s.m, got.Value) {
		t.Errorf("%s: the value %v is not in the range %s", what, got.Value, s.m.Range)
	}
	if len(s.m.Labels) > 0 && !slices.Contains(s.m.Labels, got.Label) {
		t.Errorf("%s: the label %q is none of %v", what, got.Label, s.m.Labels)
	}
	if s.m.Threshold == nil != (got.Passed == nil) {
		t.Errorf("%s: a verdict without a threshold, or the other way round", what)
	}
}

func (s *suite) sameScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 11))
	cases := make([]*scoring.Case, 25)
	for i := range cases {
		cases[i] = caseOf(ordinary(rng))
		s.sound(t, cases[i], "an ordinary case")
	}
	line := func(c *scoring.Case) string {
		scores, err := s.engine.Score(context.Background(), c, scoring.AllMetrics)
		if err != nil {
			return err.Error()
		}
		b, err := json.Marshal(scoring.Row{AnswerID: c.AnswerID(), Score: scores[0]})
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	want := make([]string, len(cases))
	for i, c := range cases {
		want[i] = line(c)
	}
	var wg sync.WaitGroup
	for range sample.Count(8, 2) {
		wg.Go(func() {
			for i, c := range cases {
				if got := line(c); got != want[i] {
					t.Errorf("the same input gave\n%s\nand\n%s", want[i], got)
					return
				}
			}
		})
	}
	wg.Wait()
}

func (s *suite) judge(t *testing.T) {
	asked := 0
	nonsense := judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
		asked++
		return judgebackend.Response{Reply: "certainly! {\"score\": banana", FinishReason: judgebackend.FinishStop}, nil
	})
	e := s.newEngine(t, nonsense)
	rng := rand.New(rand.NewPCG(4, 11))
	for range 20 {
		asked = 0
		c := caseOf(ordinary(rng))
		c.Pred.SQL = "SELECT city FROM orders" // something to judge
		got := s.score(t, e, c)
		switch {
		case asked > 0 && (s.m.Needs|s.m.Reads)&scoring.FieldJudge == 0:
			t.Fatal("the metric asks a judge though it does not say that it needs one")
		case asked > 0 && got.Status == scoring.StatusOK:
			t.Fatalf("the judge replied nonsense and the score is %v", got.Value)
		}
	}
}

// doesNotMatter checks that scores do not change if the agent's result changes in a declared property.
func (s *suite) doesNotMatter(t *testing.T, p Property) {
	if s.m.Needs&scoring.FieldPredResult == 0 {
		t.Fatal("the metric does not look at results")
	}
	moved := map[string]int{}
	for seed := range uint64(sample.Count(1000, 4)) { //nolint:gosec // not negative
		rng := rand.New(rand.NewPCG(seed, 12))
		gold, pred := ordinary(rng)
		before := s.score(t, s.engine, caseOf(gold, pred))
		other := changes[p](rng, pred)
		after := s.score(t, s.engine, caseOf(gold, other))
		if before.Status != after.Status || before.Value != after.Value || before.Label != after.Label {
			t.Fatalf("seed %d: %s %v %s became %s %v %s: gold %s, pred %s, then %s", seed, before.Status, before.Value,
				before.Label, after.Status, after.Value, after.Label,
				gold.AppendJSON(nil), pred.AppendJSON(nil), other.AppendJSON(nil))
		}
		moved[fmt.Sprint(before.Value)]++
	}
	if len(moved) < 2 {
		t.Errorf("all values are %v: nothing was tried", moved)
	}
}

// inRange reports whether v is in the metric's range and, if the range lists values, one of them.
func inRange(m *scoring.Metric, v float64) bool {
	only := m.Values()
	return m.Within(v) == nil && (only == nil || slices.Contains(only, v))
}
