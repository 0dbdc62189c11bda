package scoring

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
)

func constantMetric(name string, calls *int, value float64) Metric {
	return Metric{Name: name, Version: 3, Threshold: At(0.5), Options: OptionSet{Check: func(json.RawMessage) error { return nil }}, Score: func(_ context.Context, in *Input) (Score, error) {
		*calls++
		var o struct {
			Plus float64 `json:"plus"`
		}
		if err := in.Options(&o); err != nil {
			return Score{}, err
		}
		return OK(value+o.Plus, "constant"), nil
	}}
}

func restsOn(name string, others ...string) Metric {
	return Metric{Name: name, Version: 1, Options: OptionSet{Check: func(json.RawMessage) error { return nil }}, Score: func(_ context.Context, in *Input) (Score, error) {
		sum := 0.0
		for _, o := range others {
			s, err := in.ScoreOf(o)
			if err != nil {
				return Score{}, err
			}
			sum += s.Value
		}
		var o struct {
			Times float64 `json:"times"`
		}
		if err := in.Options(&o); err != nil {
			return Score{}, err
		}
		return OK(sum*o.Times, "sum"), nil
	}}
}

func TestScoreOf(t *testing.T) {
	for _, order := range [][]string{{"sum", "a", "b"}, {"a", "b", "sum"}, {"b", "sum", "a"}} {
		calls := 0
		e, err := NewEngine([]Metric{constantMetric("a", &calls, 0.25), constantMetric("b", &calls, 0.5), restsOn("sum", "a", "b")}, &EngineOptions{Config: Config{Options: map[string]json.RawMessage{
			"a": json.RawMessage(`{"plus": 1}`), "sum": json.RawMessage(`{"times": 2}`),
		}}})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := e.Score(context.Background(), &Case{ID: "c"}, order...)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			want := map[string]float64{"a": 1.25, "b": 0.5, "sum": 3.5}[s.Metric]
			if s.Status != StatusOK || s.Value != want || (s.Metric != "sum") != (s.Passed != nil) {
				t.Errorf("%v: %s is %s %v (%s), want %v", order, s.Metric, s.Status, s.Value, s.Reason, want)
			}
		}
		if calls != 2 {
			t.Errorf("%v: %d metrics were computed, want each once", order, calls)
		}
	}
}

func TestScoreOfErrors(t *testing.T) {
	e, err := NewEngine([]Metric{restsOn("x", "y"), restsOn("y", "x"), restsOn("z", "nowhere")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(context.Background(), &Case{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	if y := scores[1]; y.Status != StatusFailed || !strings.Contains(y.Reason, "metric x rests on itself") {
		t.Errorf("y, which x rests on and which rests on x: %s %s", y.Status, y.Reason)
	}
	if scores[2].Code != errcode.NotFound {
		t.Errorf("unknown metric: %v", scores[2].Code)
	}
}
