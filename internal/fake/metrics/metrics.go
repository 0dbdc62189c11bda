// Package metrics has metrics for the tests of packages that serve metrics: their scores follow from their arguments,
// and the judged one takes as long as a test requests.
package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// All returns metrics that cover each kind of parameters and of outcome.
func All() []scoring.Metric {
	return []scoring.Metric{
		{
			Name: "cell_match", Version: 3, Group: "execution", Summary: "Share of equal cells.", Range: "0 to 1",
			Threshold: scoring.At(1),
			Needs:     scoring.FieldGoldResult | scoring.FieldPredResult, Reads: scoring.FieldGoldSQL,
			Options: scoring.OptionSet{Check: func(raw json.RawMessage) error {
				var o struct{ Factor float64 }
				return scoring.DecodeOptions(raw, &o)
			}},
			Score: cellMatch,
		},
		{
			Name: "row_category", Version: 1, Group: "execution", Summary: "Whether the row counts agree.",
			Labels: []string{"equal", "fewer", "more"},
			Needs:  scoring.FieldGoldResult | scoring.FieldPredResult,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				s := scoring.OK(1, "counted")
				switch g, p := in.Gold.Result.Table.Rows(), in.Pred.Result.Table.Rows(); {
				case p < g:
					s.Label = "fewer"
				case p > g:
					s.Label = "more"
				default:
					s.Label = "equal"
				}
				return s, nil
			},
		},
		{
			Name: "ran", Version: 1, Group: "execution", Summary: "1 if the query ran.", Needs: scoring.FieldExecution,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				if in.Pred.Error != "" {
					return scoring.OK(0, "failed"), nil
				}
				return scoring.OK(1, "ran"), nil
			},
		},
		{
			Name: "tool_share", Version: 1, Group: "agent", Summary: "Calls per expected call.", Needs: scoring.FieldTools,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				var want []scoring.ToolCall
				if err := json.Unmarshal(in.Case.Expected.Tools, &want); err != nil {
					return scoring.Score{}, errcode.New(errcode.InvalidArgument, "expected_tools: expected a list")
				}
				return scoring.OK(float64(len(in.Case.Agent.ToolCalls))/float64(len(want)), ""), nil
			},
		},
		{
			Name: "slowdown", Version: 1, Group: "execution", Summary: "Latency over latency.", Needs: scoring.FieldLatency,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				return scoring.OK(float64(*in.Pred.Latency)/float64(*in.Gold.Latency), ""), nil
			},
		},
		{
			Name: "gold_length", Version: 1, Group: "sql", Summary: "Bytes of the accepted query.", Reads: scoring.FieldGoldSQL,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				return scoring.OK(float64(len(in.Gold.SQL)), ""), nil
			},
		},
		{
			Name: "behaved", Version: 1, Group: "agent", Summary: "1 if a refusal was wanted and there is no query.",
			Reads: scoring.FieldBehaviour | scoring.FieldResponse | scoring.FieldPredSQL,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				if in.Case.Expected.Behaviour == scoring.BehaviourRefuse && in.Pred.SQL == "" && in.Pred.Result.Absent() {
					return scoring.OK(1, in.Case.Agent.Response), nil
				}
				return scoring.OK(0, ""), nil
			},
		},
		{
			Name: "judged", Version: 1, Group: "judge", Summary: "Reads the words; waits for a judge.",
			Needs: scoring.FieldQuestion | scoring.FieldInterpretation | scoring.FieldResponse | scoring.FieldGoldSQL |
				scoring.FieldPredSQL | scoring.FieldJudge,
			Score: judged,
		},
	}
}

func cellMatch(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o := struct{ Factor float64 }{1}
	if err := in.Options(&o); err != nil {
		return scoring.Score{}, err
	}
	g, p := in.Gold.Result.Table, in.Pred.Result.Table
	if g.Rows() == 13 {
		panic("thirteen rows")
	}
	same, all := 0, g.Rows()*len(g.Columns)
	for c := range g.Columns {
		for r := range g.Rows() {
			if c < len(p.Columns) && r < p.Rows() && g.Columns[c].Value(r).String() == p.Columns[c].Value(r).String() {
				same++
			}
		}
	}
	if all == 0 {
		return scoring.Abstain("nothing to compare"), nil
	}
	s := scoring.OK(float64(same)/float64(all)*o.Factor, fmt.Sprintf("%d of %d cells", same, all))
	s.Detail = map[string]any{"gold_sql": in.Gold.SQL != "", "equal": same, "of": all}
	return s, nil
}

// gates are the channels of [Gate] by name.
var gates sync.Map

// Gate lets the metric judged wait if the agent's response is "wait NAME", until open is called.
func Gate(name string) (open func()) {
	gate := make(chan struct{})
	gates.Store(name, gate)
	return func() { close(gate) }
}

// judged returns a score immediately, or waits first if the agent's response is "wait 10ms", "wait forever" or "wait
// NAME" of a [Gate]. It fails if the response is "nonsense".
func judged(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	if d, ok := strings.CutPrefix(in.Case.Agent.Response, "wait "); ok {
		pause, err := time.ParseDuration(d)
		if err != nil {
			pause = time.Hour
		}
		gate, _ := gates.Load(d)
		opened, _ := gate.(chan struct{}) // nil, on which nothing is received, if there is none
		select {
		case <-opened:
		case <-time.After(pause):
		case <-ctx.Done():
			return scoring.Score{}, ctx.Err()
		}
	}
	if in.Case.Agent.Response == "nonsense" {
		return scoring.Score{}, errors.New("secret text of the judge")
	}
	return scoring.OK(0.5, "so-so"), nil
}

// NoReplies is a source of recorded replies that has none.
type NoReplies struct{}

// Reply implements [scoring.Replies].
func (NoReplies) Reply(string, string) (reply, assessmentID string, ok bool) { return "", "", false }

// TwoResults returns a gold result of four cells, and an agent's result whose first wrong cells differ.
func TwoResults(wrong int) (gold, agent string) {
	gold = `{"columns":["region","total"],"rows":[["north",1.50],["south",2]]}`
	agent = gold
	for _, r := range [][2]string{{"north", "NORTH"}, {"1.50", "9"}, {"south", "SOUTH"}, {"2]", "3]"}}[:wrong] {
		agent = strings.Replace(agent, r[0], r[1], 1)
	}
	return gold, agent
}
