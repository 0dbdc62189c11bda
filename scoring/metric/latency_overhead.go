package metric

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "latency_overhead", Display: "Query time against gold's",
		Version: 2, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsNotApplicable,
		Needs:         scoring.FieldLatency,
		Summary:       "How much longer the agent's query took than the gold query, in percent of the latter; negative if it was faster.",
		Range:         "at least -100",
		Formula:       "100 · (t_agent − t_gold) / t_gold. Not applicable where the gold query took no measurable time.",
		Source:        "BADGER, Table 2, latency overhead",
		Gaming:        "A query that does nothing is fast: SELECT 1 is better than any right answer. Read it on right answers only, as r_ves does. The latencies are taken as given: measure both in one place.",
		Example:       "800 ms against 500 ms of gold is 60; 250 ms is -50.",
		LowerIsBetter: true,
		Score:         latencyOverhead,
	})
}

func latencyOverhead(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	gold, pred := *in.Gold.Latency, *in.Pred.Latency
	switch {
	case gold < 0 || pred < 0:
		return scoring.NotApplicable("a latency is negative"), nil
	case gold == 0:
		return scoring.NotApplicable("the gold query took no measurable time"), nil
	}
	overhead := 100 * (float64(pred) - float64(gold)) / float64(gold)
	s := scoring.OK(overhead, "the agent's query took as long as the gold query")
	times, both := float64(pred)/float64(gold), fmt.Sprintf("(%s, gold %s)", shortDuration(pred), shortDuration(gold))
	switch {
	case times >= 2:
		s.Reason = fmt.Sprintf("the agent's query took %s times as long as the gold query %s", roughly(times), both)
	case pred > gold:
		s.Reason = fmt.Sprintf("the agent's query took %s%% longer than the gold query %s", roughly(overhead), both)
	case pred < gold:
		s.Reason = fmt.Sprintf("the agent's query took %s%% less time than the gold query %s", roughly(-overhead), both)
	}
	return s, nil
}

// roughly formats a number with at most one decimal place below 10 and none from 10.
func roughly(v float64) string {
	if v < 9.95 {
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// shortDuration formats a duration in milliseconds or seconds, such as 30 ms or 3.9 s.
func shortDuration(d time.Duration) string {
	if ms := float64(d) / float64(time.Millisecond); ms < 999.5 {
		return roughly(ms) + " ms"
	}
	return roughly(d.Seconds()) + " s"
}
