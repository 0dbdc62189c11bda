package storedscores

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/sql/store"
)

// ByRelation is the kind of group of cases by the relation between the two results.
const ByRelation = "relation"

// Labelled is the labelled answers of a batch with their scores.
type Labelled struct {
	calibration.Study
	Metric map[string]string // metric by key of the study
	Run    map[string]string // the run of all scores of a key; "" if there are several
	Unsure int               // number of answers with equally many positive and negative labels
}

// Labelled returns the labelled answers of a batch with the latest score of each metric and judge for them. metrics
// are the known metrics.
func (s *Warehouse) Labelled(ctx context.Context, b analysis.Batch, metrics []scoring.Metric) (*Labelled, error) {
	if err := s.readConfigs(ctx); err != nil {
		return nil, err
	}
	votes, err := s.w.Votes(ctx)
	if err != nil {
		return nil, err
	}
	out := &Labelled{Metric: map[string]string{}, Run: map[string]string{}}
	place := out.addCases(votes, b)
	at := map[string]int{} // of keys among the metrics
	err = s.w.LabelledScores(ctx, b.By, func(r *store.LabelledScore) {
		c, is := place[r.CaseID]
		if !is {
			return
		}
		if r.Status == scoring.StatusOK {
			switch r.Metric {
			case complexityMetric:
				out.Cases[c].Groups[calibration.ByTier] = strings.ReplaceAll(r.Label, "_", " ")
			case "relation":
				out.Cases[c].Groups[ByRelation] = r.Label
			}
		}
		key := keyOf(r, metrics)
		k, is := at[key]
		if !is {
			k = len(out.Metrics)
			at[key] = k
			out.Metrics = append(out.Metrics, s.metricOf(key, r, metrics, len(out.Cases)))
			out.Metric[key], out.Run[key] = r.Metric, r.RunID
		}
		if out.Run[key] != r.RunID {
			out.Run[key] = ""
		}
		out.Metrics[k].Scores[c] = calibration.Score{Status: r.Status, Value: r.Value, Verdict: agreement.VoteOf(r.Passed),
			Calls: r.Calls}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

const complexityMetric = "sql_complexity"

// addCases adds the labelled answers of batch b, ordered by case id, and returns their indexes by case id.
func (l *Labelled) addCases(votes []store.Vote, b analysis.Batch) map[string]int {
	byCase := map[string][]store.Vote{}
	var annotators []string
	for _, v := range votes {
		if !v.Known || v.Agent != b.Agent || v.Version != b.Version || v.Batch != b.Batch {
			continue
		}
		byCase[v.CaseID] = append(byCase[v.CaseID], v)
		if !slices.Contains(annotators, v.Annotator) {
			annotators = append(annotators, v.Annotator)
		}
	}
	ids := make([]string, 0, len(byCase))
	for id := range byCase {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, printable.CompareNatural)
	slices.Sort(annotators)
	place := map[string]int{}
	for _, id := range ids {
		c := calibration.Case{ID: id, Votes: make([]agreement.Vote, len(annotators)), Groups: map[string]string{}}
		for _, v := range byCase[id] {
			if !v.Decides {
				c.Votes[slices.Index(annotators, v.Annotator)] = voteOf(v.Says)
			}
		}
		c.Label = voteOf(balance(byCase[id]))
		if c.Label == agreement.Missing {
			l.Unsure++
		}
		place[id] = len(l.Cases)
		l.Cases = append(l.Cases, c)
	}
	return place
}

// balance returns a positive number if the labels accept the answer, a negative one if they reject it, and 0 for a
// tie. If there are adjudicated labels, only these count.
func balance(votes []store.Vote) int {
	sum, decided, settled := 0, 0, false
	for _, v := range votes {
		if v.Decides {
			decided += v.Says
			settled = true
		} else {
			sum += v.Says
		}
	}
	if settled {
		return decided
	}
	return sum
}

func voteOf(says int) agreement.Vote {
	switch {
	case says > 0:
		return agreement.Pass
	case says < 0:
		return agreement.Fail
	}
	return agreement.Missing
}

// keyOf returns the key of a score: METRIC, or METRIC@JUDGE if the metric may call a judge and the run had one.
func keyOf(r *store.LabelledScore, metrics []scoring.Metric) string {
	i := slices.IndexFunc(metrics, func(m scoring.Metric) bool { return m.Name == r.Metric })
	asks := r.Asked
	if i >= 0 {
		asks = (metrics[i].Needs|metrics[i].Reads)&scoring.FieldJudge != 0
	}
	if !asks || r.Judge == "" || r.Judge == "none" {
		return r.Metric
	}
	return r.Metric + "@" + r.Judge
}

// metricOf returns the metric of a key without scores, with the threshold of the run.
func (s *Warehouse) metricOf(key string, r *store.LabelledScore, metrics []scoring.Metric,
	cases int) calibration.Metric {
	m := calibration.Metric{Key: key, Calls: true, Scores: make([]calibration.Score, cases)}
	for i := range m.Scores {
		m.Scores[i].Status = scoring.StatusNotApplicable
	}
	if i := slices.IndexFunc(metrics, func(m scoring.Metric) bool { return m.Name == r.Metric }); i >= 0 {
		m.Scale.LowerIsBetter, m.Threshold = metrics[i].LowerIsBetter, metrics[i].Threshold
	}
	if c := s.configs[r.RunID]; c != nil {
		if t, ok := c.Thresholds[r.Metric]; ok {
			m.Threshold = &t
		}
	}
	return m
}
