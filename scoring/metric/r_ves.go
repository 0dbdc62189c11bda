package metric

import (
	"context"
	"fmt"
	"math"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "r_ves", Display: "Right and fast (BIRD)",
		Version: 4, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldResult | scoring.FieldPredResult,
		Reads:   scoring.FieldLatency,
		Summary: "The reward of the BIRD benchmark for a right answer that comes fast: reward-based valid efficiency.",
		Range:   "one of 0, 0.25, 0.5, 0.75, 1 and 1.25",
		Formula: "0 if the results do not hold the same set of rows (ex_bird; the option typed_text is the same), whatever the latencies. Not applicable if they do and a latency is missing. Otherwise the reward follows from r = t_gold / " +
			"t_agent: 1.25 if r ≥ 2, 1 if r ≥ 1, 0.75 if r ≥ 0.5, 0.5 if r ≥ 0.25, else 0.25. BIRD runs each query a hundred times and reports the mean of 100 · " +
			"√reward. Here the two given latencies are used as they are, and detail.ves is 100 · √reward.",
		Source:  "BIRD mini-dev, R-VES; bird-bench/mini_dev, evaluation/evaluation_ves.py",
		Gaming:  "What passes ex_bird passes here: repeated rows, and constants, which are the fastest of all. The latencies are taken as given: one of 0 earns 1.25, and a right but slow answer without one drops out of the mean instead of lowering it. Measure both in one place, for every answer.",
		Example: "equal results in 80 ms against 200 ms of gold: r = 2.5, reward 1.25, detail.ves 111.8. In 300 ms: r = 0.67, reward 0.75.",
		Options: rowsDeclared.OptionSet,
		Score:   rVES,
	})
}

func rVES(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	s, err := exBird(ctx, in)
	if err != nil || s.Value != 1 {
		return s, err
	}
	switch {
	case in.Gold.Latency == nil:
		return scoring.NotApplicable("no gold latency given"), nil
	case in.Pred.Latency == nil:
		return scoring.NotApplicable("no latency of the agent given"), nil
	}
	gold, pred := float64(*in.Gold.Latency), float64(*in.Pred.Latency)
	ratio := 1.0 // used if neither took measurable time
	switch {
	case pred > 0:
		ratio = gold / pred
	case gold > 0:
		ratio = math.Inf(1)
	}
	reward := 0.25
	for _, step := range []struct{ from, reward float64 }{{0.25, 0.5}, {0.5, 0.75}, {1, 1}, {2, 1.25}} {
		if ratio >= step.from {
			reward = step.reward
		}
	}
	s = scoring.OK(reward,
		fmt.Sprintf("the results are equal; the gold query took %s times as long as the agent's", printable.Figure(ratio, 3)))
	if math.IsInf(ratio, 1) {
		s.Reason = "the results are equal; the agent's query took no measurable time"
	}
	s.Detail = struct {
		VES float64 `json:"ves"` // 100 · √reward
	}{100 * math.Sqrt(reward)}
	return s, nil
}
