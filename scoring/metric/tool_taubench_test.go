package metric

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// How the tool metrics relate to the reward of tau-bench, which looks at the database after the
// conversation, not at the calls. The counts were computed by an independent program.
func TestToolMetricsAgainstTauBenchReward(t *testing.T) {
	f, err := os.Open(referenceData(t, "taubench/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []*scoring.Case
	var rewards []bool
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Recorded struct {
				Reward float64 `json:"reward"`
			} `json:"recorded"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		cases, rewards = append(cases, c), append(rewards, r.Recorded.Reward == 1)
	}
	type counts struct {
		tp, fp, fn, tn int     // full score against full reward
		sum            float64 // of the values
	}
	// With the tools ignored that change nothing in the database, the metrics see what the reward
	// sees.
	writes := `"ignore_tools": ["get_reservation_details", "search_direct_flight", "search_onestop_flight", "get_user_details", "calculate", "think",
		"transfer_to_human_agents", "list_all_airports"]`
	options := []struct{ name, json string }{
		{"name", `{"match": "name"}`}, {"exact", `{"match": "exact"}`}, {"subset", `{"match": "subset"}`}, {"writes", `{"match": "exact", ` + writes + `}`},
	}
	want := map[string]counts{
		"name tool_recall":   {66, 63, 18, 53, 129},
		"name tool_order":    {63, 50, 21, 66, 113},
		"name tool_excess":   {19, 8, 41, 88, 79.333235},
		"exact tool_recall":  {57, 19, 27, 97, 76},
		"exact tool_order":   {57, 19, 27, 97, 76},
		"exact tool_excess":  {17, 3, 43, 93, 64.899719},
		"subset tool_recall": {58, 19, 26, 97, 77},
		"subset tool_order":  {57, 19, 27, 97, 76},
		"subset tool_excess": {17, 3, 43, 93, 65.066386},
		"writes tool_recall": {83, 34, 1, 82, 117},
		"writes tool_order":  {83, 34, 1, 82, 117},
		"writes tool_excess": {21, 9, 6, 57, 43.216667},
	}
	table := fmt.Sprintf("%-7s %-12s %4s  %8s %8s  %6s %6s\n", "match", "metric", "n", "reward 1", "reward 0", "kappa", "r")
	for _, option := range options {
		match := option.name
		names := []string{"tool_recall", "tool_order", "tool_excess"}
		config := scoring.Config{Options: map[string]json.RawMessage{}}
		for _, name := range names {
			config.Options[name] = json.RawMessage(option.json)
		}
		engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Config: config})
		if err != nil {
			t.Fatal(err)
		}
		values := make([][]float64, len(names))
		rewarded := make([][]bool, len(names))
		for i, c := range cases {
			scores, err := engine.Score(context.Background(), c, names...)
			if err != nil {
				t.Fatal(err)
			}
			for k, s := range scores {
				switch s.Status {
				case scoring.StatusOK:
					values[k], rewarded[k] = append(values[k], s.Value), append(rewarded[k], rewards[i])
				case scoring.StatusNotApplicable:
				default:
					t.Errorf("%s, %s: %s %s", c.ID, s.Metric, s.Status, s.Reason)
				}
			}
		}
		for k, name := range names {
			var got counts
			var means [2]float64
			var n [2]int
			for i, v := range values[k] {
				got.sum += v
				right := 0
				if rewarded[k][i] {
					right = 1
				}
				means[right] += v
				n[right]++
				switch full := v == 1; {
				case full && right == 1:
					got.tp++
				case full:
					got.fp++
				case right == 1:
					got.fn++
				default:
					got.tn++
				}
			}
			means[0], means[1] = means[0]/float64(n[0]), means[1]/float64(n[1])
			table += fmt.Sprintf("%-7s %-12s %4d  %8.3f %8.3f  %6.3f %6.3f\n", match, name, len(values[k]), means[1], means[0],
				kappaOf(got.tp, got.fp, got.fn, got.tn), correlation(values[k], rewarded[k]))
			w := want[match+" "+name]
			if math.Abs(got.sum-w.sum) > 1e-6 {
				t.Errorf("%s, %s: sum %v, want %v", match, name, got.sum, w.sum)
			}
			got.sum = w.sum
			if got != w {
				t.Errorf("%s, %s: %+v, want %+v", match, name, got, w)
			}
		}
	}
	t.Logf("mean score by reward, agreement of full score with reward, correlation:\n%s", table)
}

func kappaOf(tp, fp, fn, tn int) float64 {
	n := float64(tp + fp + fn + tn)
	po := float64(tp+tn) / n
	pe := (float64(tp+fp)*float64(tp+fn) + float64(tn+fn)*float64(tn+fp)) / n / n
	return (po - pe) / (1 - pe)
}

func correlation(x []float64, y []bool) float64 {
	var mx, my float64
	b := make([]float64, len(y))
	for i := range x {
		if y[i] {
			b[i] = 1
		}
		mx += x[i] / float64(len(x))
		my += b[i] / float64(len(x))
	}
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (b[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (b[i] - my) * (b[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}
