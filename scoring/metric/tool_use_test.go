package metric

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// toolScores scores one case with the three tool metrics.
func toolScores(t *testing.T, expected, called, options string) map[string]scoring.Score {
	t.Helper()
	c := &scoring.Case{ID: "c", Expected: scoring.Expected{Tools: json.RawMessage(expected)}, Options: map[string]json.RawMessage{}}
	if err := json.Unmarshal([]byte(called), &c.Agent.ToolCalls); err != nil {
		t.Fatal(err)
	}
	names := []string{"tool_recall", "tool_order", "tool_excess"}
	if options != "" {
		for _, name := range names {
			c.Options[name] = json.RawMessage(options)
		}
	}
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(context.Background(), c, names...)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]scoring.Score{}
	for _, s := range scores {
		byName[s.Metric] = s
	}
	return byName
}

func TestToolMetrics(t *testing.T) {
	const na = -1
	for _, tt := range []struct {
		why, expected, called, options string
		recall, order, excess          float64
	}{
		{"as expected", `["a","b"]`, `["a","b"]`, ``, 1, 1, 1},
		{"other calls in between are excess, no disorder", `["a","b"]`, `["a","x","b"]`, ``, 1, 1, 2.0 / 3},
		{"the order is wrong", `["a","b"]`, `["b","a"]`, ``, 1, 0, 1},
		{"a call is missing", `["a","b"]`, `["a","a"]`, ``, 0, 0, 0.5},
		{"equation 2 speaks of sets, equation 3 of different calls", `["a","a"]`, `["a"]`, ``, 1, 0, 1},
		{"a retrieval repeated is excess", `["a"]`, `["a","a","a","a"]`, ``, 1, 1, 0.25},
		{"nothing is expected", `[]`, `["a"]`, ``, 1, 1, na},
		{"nothing was called", `["a"]`, `[]`, ``, 0, 0, na},
		{"no specification", `null`, `["a"]`, ``, na, na, na},
		{"an optional call may be left out", `["a",{"name":"o","optional":true},"b"]`, `["a","b"]`, ``, 1, 1, 1},
		{"or made, once", `["a",{"name":"o","optional":true},"b"]`, `["a","o","o","b"]`, ``, 1, 1, 0.75},
		{"but hands the order on", `["a",{"name":"o","optional":true},"b"]`, `["b","o","a"]`, ``, 1, 0, 1},
		{"a partial order: a and b before c, either first", `{"tools":["a","b",{"name":"c","after":["a","b"]}]}`, `["b","a","c"]`, ``, 1, 1, 1},
		{"a partial order broken", `{"tools":["a","b",{"name":"c","after":["a","b"]}]}`, `["a","c","b"]`, ``, 1, 0, 1},
		{"the first of equal calls need not be the first expected", `{"tools":[{"id":"1","name":"a"},{"id":"2","name":"a"},{"name":"x","after":["1"]},{"name":"y","after":["2","x"]}]}`, `["a","x","a","y"]`, ``, 1, 1, 1},
		{"nor the other way round", `{"tools":[{"id":"2","name":"a"},{"id":"1","name":"a"},{"name":"x","after":["1"]},{"name":"y","after":["2","x"]}]}`, `["a","x","a","y"]`, ``, 1, 1, 1},
		{"names alone by default", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":{"k":2}}]`, ``, 1, 1, 1},
		{"exact arguments", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":{"k":2}}]`, `{"match":"exact"}`, 0, 0, 0},
		{"numbers by value, members in any order", `[{"name":"a","arguments":{"k":1,"l":[true,null,"x"]}}]`, `[{"name":"a","arguments":{"l":[true,null,"x"],"k":1.0}}]`, `{"match":"exact"}`, 1, 1, 1},
		{"text is not a number", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":{"k":"1"}}]`, `{"match":"exact"}`, 0, 0, 0},
		{"more than expected is not exact", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":{"k":1,"l":2}}]`, `{"match":"exact"}`, 0, 0, 0},
		{"but a superset", `[{"name":"a","arguments":{"k":{"m":1}}}]`, `[{"name":"a","arguments":{"k":{"m":1,"n":3},"l":2}}]`, `{"match":"subset"}`, 1, 1, 1},
		{"unless an expected one is missing", `[{"name":"a","arguments":{"k":1,"l":2}}]`, `[{"name":"a","arguments":{"k":1}}]`, `{"match":"subset"}`, 0, 0, 0},
		{"ignored members do not count on either side", `[{"name":"a","arguments":{"k":1,"at":5}}]`, `[{"name":"a","arguments":{"k":1,"why":"x"}}]`, `{"match":"exact","ignore_keys":["at","why"]}`, 1, 1, 1},
		{"absent arguments may be anything", `["a"]`, `[{"name":"a","arguments":{"k":1}}]`, `{"match":"exact"}`, 1, 1, 1},
		{"an empty object asks for none", `[{"name":"a","arguments":{}}]`, `[{"name":"a","arguments":{"k":1}}]`, `{"match":"exact"}`, 0, 0, 0},
		{"a call without arguments has none", `[{"name":"a","arguments":{}}]`, `["a"]`, `{"match":"exact"}`, 1, 1, 1},
		{"a list is no empty object", `[{"name":"a","arguments":{}}]`, `[{"name":"a","arguments":[1,2,3]}]`, `{"match":"exact"}`, 0, 0, 0},
		{"nor is a number", `[{"name":"a","arguments":{}}]`, `[{"name":"a","arguments":5}]`, `{"match":"subset"}`, 0, 0, 0},
		{"nor is broken text", `[{"name":"a","arguments":{}}]`, `[{"name":"a","arguments":"{\"k\": "}]`, `{"match":"exact"}`, 0, 0, 0},
		{"nor is an object with text behind it", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":"{\"k\": 1}} or so"}]`, `{"match":"exact"}`, 0, 0, 0},
		{"nor is an object with a bracket behind it", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":"{\"k\": 1}]"}]`, `{"match":"exact"}`, 0, 0, 0},
		{"what is not asked for may be malformed", `["a"]`, `[{"name":"a","arguments":"{\"k\": "}]`, `{"match":"exact"}`, 1, 1, 1},
		{"arguments logged as text", `[{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":"{\"k\": 1}"}]`, `{"match":"exact"}`, 1, 1, 1},
		{"ignored tools count on neither side", `["a","think","b"]`, `["think","a","think","b"]`, `{"ignore_tools":["think"]}`, 1, 1, 1},
		{"and leave nothing to be in excess of", `["think"]`, `["think","b"]`, `{"ignore_tools":["think"]}`, 1, 1, na},
		{"a call takes the expected one that says its arguments first", `["a",{"name":"a","arguments":{"k":1}}]`, `[{"name":"a","arguments":{"k":1}},"a"]`, `{"match":"exact"}`, 1, 0, 1},
		{"a call that may be two of the expected leaves the place that another needs", `{"tools":[{"id":"1","name":"a","arguments":{"k":1}},{"id":"2","name":"a","arguments":{"k":1,"l":2}}]}`,
			`[{"name":"a","arguments":{"k":1,"l":2}},{"name":"a","arguments":{"k":1}}]`, `{"match":"subset"}`, 1, 1, 1},
		{"also where it must move twice", `{"tools":[{"id":"1","name":"a","arguments":{"k":1}},{"id":"2","name":"a","arguments":{"k":1,"l":2}},{"id":"3","name":"a","arguments":{"l":2}}]}`,
			`[{"name":"a","arguments":{"k":1,"l":2}},{"name":"a","arguments":{"l":2,"k":1}},{"name":"a","arguments":{"k":1}}]`, `{"match":"subset"}`, 1, 1, 1},
	} {
		scores := toolScores(t, tt.expected, tt.called, tt.options)
		for name, want := range map[string]float64{"tool_recall": tt.recall, "tool_order": tt.order, "tool_excess": tt.excess} {
			s := scores[name]
			switch {
			case want == na:
				if s.Status != scoring.StatusNotApplicable || s.Reason == "" {
					t.Errorf("%s: %s is %s %v (%s), want not applicable", tt.why, name, s.Status, s.Value, s.Reason)
				}
			case s.Status != scoring.StatusOK || math.Abs(s.Value-want) > 1e-12 || s.Reason == "":
				t.Errorf("%s: %s is %s %v (%s), want %v", tt.why, name, s.Status, s.Value, s.Reason, want)
			}
		}
	}
}

func TestToolMetricsFailures(t *testing.T) {
	if s := toolScores(t, `[3]`, `[]`, ``)["tool_recall"]; s.Status != scoring.StatusFailed || !strings.Contains(s.Reason, "expected.tools[0]") {
		t.Errorf("a broken specification: %s %s", s.Status, s.Reason)
	}
	if s := toolScores(t, `[]`, `[]`, `{"match": "fuzzy"}`)["tool_recall"]; s.Status != scoring.StatusFailed || !strings.Contains(s.Reason, "match") {
		t.Errorf("a broken option: %s %s", s.Status, s.Reason)
	}
}

// Forty calls of one tool expected at forty places that differ would be 2^40 states; the answer is
// unsure rather than slow.
func TestToolOrderIsBounded(t *testing.T) {
	var spec, calls []string
	for i := range 40 {
		spec = append(spec, fmt.Sprintf(`{"id":"a%d","name":"a"},{"name":"b%d","after":["a%d"]}`, i, i, i))
		calls = append(calls, `"a"`)
	}
	s := toolScores(t, `{"tools":[`+strings.Join(spec, ",")+`]}`, `[`+strings.Join(calls[:20], ",")+`]`, ``)["tool_order"]
	if s.Status != scoring.StatusAbstained {
		t.Errorf("%s %s, want abstained", s.Status, s.Reason)
	}
}

// inOrder must find what trying every assignment of calls to tools finds.
func TestToolOrderEqualsExhaustiveSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 3000 {
		n := 1 + rng.IntN(5)
		spec := &toolSpec{tools: make([]expectedTool, n)}
		for i := range spec.tools {
			spec.tools[i].name = string(rune('a' + rng.IntN(2)))
			for j := range i {
				if rng.IntN(3) == 0 {
					spec.tools[i].after = append(spec.tools[i].after, j)
				}
			}
		}
		calls := make([]scoring.ToolCall, rng.IntN(7))
		for c := range calls {
			calls[c].Name = string(rune('a' + rng.IntN(3)))
		}
		u := matchTools(spec, calls, toolOptions{Match: "name"})
		got, _, sure := u.inOrder()
		if want := exhaustiveOrder(u); got != want || !sure {
			t.Fatalf("round %d: %+v called %v: %d in order (sure %v), want %d", round, spec.tools, u.calls, got, sure, want)
		}
	}
}

// exhaustiveOrder tries every tool, or none, for every call in turn.
func exhaustiveOrder(u *toolUse) int {
	found := make([]bool, len(u.spec.tools))
	var try func(c, n int) int
	try = func(c, n int) int {
		if c == len(u.calls) {
			return n
		}
		best := try(c+1, n)
		for _, i := range u.fits[c] {
			if !found[i] && !slices.ContainsFunc(u.spec.tools[i].after, func(j int) bool { return !found[j] }) {
				found[i] = true
				best = max(best, try(c+1, n+1))
				found[i] = false
			}
		}
		return best
	}
	return try(0, 0)
}

// The calls in excess are as few as any assignment leaves, and which they are does not depend on the
// order of what is expected.
func TestToolExcessEqualsExhaustiveSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 3000 {
		u := &toolUse{spec: &toolSpec{tools: make([]expectedTool, 1+rng.IntN(5))}, fits: make([][]int, rng.IntN(7))}
		for c := range u.fits {
			for i := range u.spec.tools {
				if rng.IntN(3) == 0 {
					u.fits[c] = append(u.fits[c], i)
				}
			}
		}
		got := u.excess()
		if want := exhaustiveExcess(u, 0, make([]bool, len(u.spec.tools))); len(got) != want {
			t.Fatalf("round %d: fits %v: %v in excess, want %d", round, u.fits, got, want)
		}
		turned := &toolUse{spec: u.spec, fits: make([][]int, len(u.fits))}
		for c, fits := range u.fits {
			for _, i := range slices.Backward(fits) {
				turned.fits[c] = append(turned.fits[c], len(u.spec.tools)-1-i)
			}
		}
		if other := turned.excess(); !slices.Equal(got, other) {
			t.Fatalf("round %d: fits %v: %v in excess, and %v in another order", round, u.fits, got, other)
		}
	}
}

// exhaustiveExcess tries every expected call, or none, for every call in turn.
func exhaustiveExcess(u *toolUse, c int, taken []bool) int {
	if c == len(u.fits) {
		return 0
	}
	best := 1 + exhaustiveExcess(u, c+1, taken)
	for _, i := range u.fits[c] {
		if !taken[i] {
			taken[i] = true
			best = min(best, exhaustiveExcess(u, c+1, taken))
			taken[i] = false
		}
	}
	return best
}

// A thousand equal calls expected, and ten thousand made that none is left for, are quickly matched.
func BenchmarkToolExcess(b *testing.B) {
	u := &toolUse{spec: &toolSpec{tools: make([]expectedTool, maxExpectedTools)}, fits: make([][]int, 10_000)}
	all := make([]int, maxExpectedTools)
	for i := range all {
		all[i] = i
	}
	for c := range u.fits {
		u.fits[c] = all
	}
	b.ReportAllocs()
	for b.Loop() {
		u.excess()
	}
}

func BenchmarkToolOrder(b *testing.B) {
	spec, err := parseToolSpec(json.RawMessage(`["a","b","c","a","b","c","a","b","c","d"]`))
	if err != nil {
		b.Fatal(err)
	}
	calls := make([]scoring.ToolCall, 30)
	for i := range calls {
		calls[i].Name = string(rune('a' + i%4))
	}
	b.ReportAllocs()
	for b.Loop() {
		u := matchTools(spec, calls, toolOptions{Match: "name"})
		u.inOrder()
		u.excess()
		u.missing()
	}
}
