package metrictest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// sameRowCount is a metric that keeps all rules: whether both results have equally many rows.
func sameRowCount() scoring.Metric {
	return scoring.Metric{
		Name: "same_row_count", Version: 1, Group: "execution", Needs: bothResults,
		Summary: "s", Range: "0 or 1", Formula: "f", Source: "s", Example: "e", Threshold: scoring.At(1),
		Options: scoring.OptionSet{Check: func(raw json.RawMessage) error { return scoring.DecodeOptions(raw, &struct{}{}) }},
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			if in.Gold.Result.Table.Rows() == in.Pred.Result.Table.Rows() {
				return scoring.OK(1, "equally many rows"), nil
			}
			return scoring.OK(0, "not equally many rows"), nil
		},
	}
}

var properties = Properties{"same_row_count": {RowOrder, ColumnOrder, ColumnNames}}

func TestRunAcceptsAMetricThatKeepsTheRules(t *testing.T) {
	Run(t, []scoring.Metric{sameRowCount()}, properties)
}

func judged(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	var reply struct{ Score float64 }
	if err := in.Ask(ctx, judgebackend.Request{Purpose: "x", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "?"}}, Schema: json.RawMessage(`{"type":"object"}`)}, &reply); err != nil {
		return scoring.Score{}, err
	}
	return scoring.OK(reply.Score, "the judge said so"), nil
}

// breaches are metrics that each break one rule, and what the suite must say of it.
var breaches = map[string]struct {
	want string
	make func(m *scoring.Metric)
}{
	"name":          {"not in lower case", func(m *scoring.Metric) { m.Name = "SameRows" }},
	"documentation": {"the example is empty", func(m *scoring.Metric) { m.Example = " " }},
	"threshold":     {"is outside the range", func(m *scoring.Metric) { m.Threshold = scoring.At(2) }},
	"options":       {`options {"no_such_option": 1} are accepted`, func(m *scoring.Metric) { m.Options.Check = func(json.RawMessage) error { return nil } }},
	"scope": {"not applicable to any gold result (never)", func(m *scoring.Metric) {
		m.Score = func(context.Context, *scoring.Input) (scoring.Score, error) {
			return scoring.NotApplicable("never"), nil
		}
	}},
	"self": {"gold against itself is ok 0", func(m *scoring.Metric) {
		m.Score = func(context.Context, *scoring.Input) (scoring.Score, error) { return scoring.OK(0, "never"), nil }
	}},
	"range": {"is not in the range", func(m *scoring.Metric) {
		m.Score = func(context.Context, *scoring.Input) (scoring.Score, error) { return scoring.OK(7, "too much"), nil }
	}},
	"missing": {"a case that holds nothing is ok 0", func(m *scoring.Metric) {
		m.Needs = 0
		m.Score = func(context.Context, *scoring.Input) (scoring.Score, error) {
			return scoring.OK(0, "nothing to see"), nil
		}
	}},
	"panic": {"panicked", func(m *scoring.Metric) {
		m.Score = func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			return scoring.OK(1, in.Gold.Result.Table.Columns[0].Name+"x"), nil
		}
	}},
	"uncoded error": {"failed because of a bug", func(m *scoring.Metric) {
		m.Score = func(context.Context, *scoring.Input) (scoring.Score, error) { return scoring.Score{}, errors.New("no") }
	}},
	"order of rows": {"row_order_does_not_matter", func(m *scoring.Metric) {
		m.Score = func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			g, p := in.Gold.Result.Table, in.Pred.Result.Table
			if g.Rows() != p.Rows() || g.Rows() > 0 && len(p.Columns) > 0 && g.Columns[0].Value(0).String() != p.Columns[0].Value(0).String() {
				return scoring.OK(0, "first cells differ"), nil
			}
			return scoring.OK(1, "first cells are equal"), nil
		}
	}},
	"state": {"the same input gave", func(m *scoring.Metric) {
		var calls atomic.Int64
		m.Score = func(context.Context, *scoring.Input) (scoring.Score, error) {
			s := scoring.OK(1, "counted")
			s.Detail = calls.Add(1)
			return s, nil
		}
	}},
	"judge without need": {"though it does not say that it needs one", func(m *scoring.Metric) { m.Score = judged }},
	"nonsense of the judge": {"replied nonsense and the score is", func(m *scoring.Metric) {
		m.Needs |= scoring.FieldJudge
		m.Score = func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			if s, err := judged(ctx, in); err == nil {
				return s, nil
			}
			return scoring.OK(0, "no answer"), nil
		}
	}},
}

const breachVariable = "METRICTEST_BREACH"

// TestBreach runs the suite over one broken metric, for the test below.
func TestBreach(t *testing.T) {
	b, ok := breaches[os.Getenv(breachVariable)]
	if !ok {
		t.Skip("runs a broken metric for TestRunCatchesBreaches")
	}
	m := sameRowCount()
	b.make(&m)
	Run(t, []scoring.Metric{m}, Properties{m.Name: {RowOrder}})
}

// The suite must fail for every broken metric: it runs in a separate process because a failing test fails its
// parent.
func TestRunCatchesBreaches(t *testing.T) {
	for name, b := range breaches {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestBreach$")
			cmd.Env = append(os.Environ(), breachVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), b.want) {
				t.Errorf("error %v, want a failure that says %q:\n%.2000s", err, b.want, out)
			}
		})
	}
}

func TestInRange(t *testing.T) {
	for _, tc := range []struct {
		text    string
		in, out []float64
	}{
		{"0 to 1", []float64{0, 0.5, 1}, []float64{-0.1, 1.1}},
		{"-1 to 1, higher is better", []float64{-1}, []float64{-2}},
		{"0 or 1", []float64{0, 1}, []float64{0.5}},
		{"at least -100", []float64{-100, 1e9}, []float64{-101}},
		{"from 1e-05", []float64{1e-05, 1e9}, []float64{0, -1}},
		{"up to 2.5", []float64{-1e9, 2.5}, []float64{2.6}},
		{"0 to 1e+06", []float64{0, 7, 1e6}, []float64{-0.1, 1e6 + 1}},
		{"-1.5e+07 to -2e-05", []float64{-1.5e7, -2e-5}, []float64{-1.6e7, -1e-5}},
		{"1 complete, 0.5 partial, 0 no_match", []float64{1, 0.5, 0}, []float64{0.75}},
		{"one of 0, 0.5 and 1.25", []float64{0, 0.5, 1.25}, []float64{1}},
		{"1 close to gold, 0 other", []float64{0, 1}, []float64{0.5}},
		{"any number", []float64{-1e300, 0, 1e300}, nil},
	} {
		m := scoring.Metric{Range: tc.text}
		for _, v := range tc.in {
			if !inRange(&m, v) {
				t.Errorf("%v is in %q", v, tc.text)
			}
		}
		for _, v := range tc.out {
			if inRange(&m, v) {
				t.Errorf("%v is not in %q", v, tc.text)
			}
		}
	}
}

func TestCompareVersions(t *testing.T) {
	line := func(metric, version, cases, scores string) versionLine {
		return versionLine{metric, version, cases, scores}
	}
	const old = "a 1 c1 s1\nb 2 c2 s2\n"
	for _, tc := range []struct {
		why          string
		now          []versionLine
		moved, stale []string
	}{
		{"nothing changed", []versionLine{line("a", "1", "c1", "s1"), line("b", "2", "c2", "s2")}, nil, nil},
		{"scores moved, the version did not", []versionLine{line("a", "1", "c1", "s9"), line("b", "2", "c2", "s2")}, []string{"a"}, nil},
		{"scores moved under a new version", []versionLine{line("a", "2", "c1", "s9"), line("b", "2", "c2", "s2")}, nil, []string{"a"}},
		{"cases were added", []versionLine{line("a", "1", "c9", "s9"), line("b", "2", "c2", "s2")}, nil, []string{"a"}},
		{"a metric is new", []versionLine{line("a", "1", "c1", "s1"), line("b", "2", "c2", "s2"), line("c", "1", "c", "s")}, nil, []string{"c"}},
		{"a metric is gone", []versionLine{line("a", "1", "c1", "s1")}, nil, []string{"b"}},
	} {
		text, moved, stale := compareVersions(old, tc.now)
		if !slices.Equal(moved, tc.moved) || !slices.Equal(stale, tc.stale) {
			t.Errorf("%s: moved %v, stale %v; want %v, %v", tc.why, moved, stale, tc.moved, tc.stale)
		}
		if _, moved, stale := compareVersions(text, tc.now); moved != nil || stale != nil {
			t.Errorf("%s: what was written is not what is read: %v, %v", tc.why, moved, stale)
		}
	}
}

func TestExpectationCheck(t *testing.T) {
	half, yes, label := 0.5, true, "near"
	s := scoring.OK(0.5, "r")
	s.Label, s.Passed, s.Detail = "near", &yes, map[string]any{"rows": []int{3, 4}, "key": nil}
	detail := func(path, want string) Expectation {
		return Expectation{Status: scoring.StatusOK, Detail: []DetailExpectation{{Path: strings.Split(path, "."), JSON: []byte(want)}}}
	}
	no, quarter, far := false, 0.25, "far"
	for _, tc := range []struct {
		why   string
		e     Expectation
		holds bool
	}{
		{"all of it", Expectation{Status: scoring.StatusOK, Value: &half, Label: &label, Passed: &yes}, true},
		{"another status", Expectation{Status: scoring.StatusFailed}, false},
		{"another value", Expectation{Status: scoring.StatusOK, Value: &quarter}, false},
		{"a value within reach", Expectation{Status: scoring.StatusOK, Value: &quarter, Within: 0.25}, true},
		{"another label", Expectation{Status: scoring.StatusOK, Label: &far}, false},
		{"another verdict", Expectation{Status: scoring.StatusOK, Passed: &no}, false},
		{"a member of a list", detail("rows.1", "4"), true},
		{"a whole list", detail("rows", "[3, 4]"), true},
		{"another member", detail("rows.0", "4"), false},
		{"beyond the list", detail("rows.2", "4"), false},
		{"a null", detail("key", "null"), true},
		{"a member that is not there is null too", detail("no.such", "null"), true},
		{"but nothing else", detail("no.such", "1"), false},
	} {
		if err := tc.e.check(s); (err == nil) != tc.holds {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
}
