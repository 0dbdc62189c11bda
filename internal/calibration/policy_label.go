package calibration

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
)

// Placed is a case with its place in the source.
type Placed struct {
	*scoring.Case
	Place string
}

// LabelledCases yields the cases of a source.
func LabelledCases(ctx context.Context, source batch.Source) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		for item, err := range source.Cases(ctx) {
			var cs *scoring.Case
			if err == nil {
				if cs, err = item.Load(ctx); err != nil {
					err = errcode.New(errcode.Of(err), "%s: %w", item.Place, err)
				}
			}
			if !yield(Placed{cs, item.Place}, err) {
				return
			}
		}
	}
}

// PairsOfLaws yields the pairs of results that show the laws of equality, except those that do not apply to the metric
// verdict.
func PairsOfLaws(yield func(Placed, error) bool) {
	for _, law := range cell.Laws() {
		pairs, err := cell.LawPairs(law.Name)
		if err != nil {
			yield(Placed{}, err)
			return
		}
		for _, p := range pairs {
			if (p.Only == "" || p.Only == "verdict") && !yield(Placed{p.Case, "law " + law.Name}, nil) {
				return
			}
		}
	}
}

// PolicyLabelling determines, for labelled cases, the relation that decides each one, and the judge's verdict.
type PolicyLabelling struct {
	Policy  policy.Policy
	Metrics []scoring.Metric      // the built-in ones
	Engine  scoring.EngineOptions // with the reader of results
	Replies scoring.Replies       // recorded judge replies; nil: no judge verdicts
	Judge   string                // the metric that gives the judge's verdict
	All     bool                  // include cases without both results
}

// Label returns the labelled cases with the relation that decides them. It omits cases without a label, and those
// that no relation decides, such as with a failed query of the agent.
func (l *PolicyLabelling) Label(ctx context.Context, cases iter.Seq2[Placed, error]) ([]policy.Labelled, error) {
	options, err := json.Marshal(map[string]any{"policy": l.Policy, "without_judge": "guess"})
	if err != nil {
		return nil, err
	}
	o := l.Engine
	o.Config = scoring.Config{
		Options: map[string]json.RawMessage{"verdict": options, "flex": json.RawMessage(`{"categories": false}`)}}
	evidence, err := scoring.NewEngine(l.Metrics, &o)
	if err != nil {
		return nil, err
	}
	var judge *scoring.Engine
	if l.Replies != nil {
		o.Replies = l.Replies
		if judge, err = scoring.NewEngine(l.Metrics, &o); err != nil {
			return nil, err
		}
	}
	var out []policy.Labelled
	for cs, err := range cases {
		if err != nil {
			return nil, err
		}
		if cs.Human == nil || !l.All && (len(cs.Golds) == 0 || cs.Golds[0].Result.Absent() || cs.Pred.Result.Absent()) {
			continue
		}
		labelled, ok, err := labelledCase(ctx, evidence, judge, l.Judge, cs.Case)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", cs.Place, err)
		}
		if ok {
			out = append(out, labelled)
		}
	}
	return out, nil
}

// labelledCase returns the relation and the judge's verdict of a case; ok is false if no relation decides it. judge
// is nil if there are no replies.
func labelledCase(ctx context.Context, evidence, judge *scoring.Engine, name string,
	cs *scoring.Case) (l policy.Labelled, ok bool, err error) {
	scores, err := evidence.Score(ctx, cs, "verdict")
	if err != nil {
		return l, false, err
	}
	found, ok := metric.DecidingRelation(scores[0])
	if !ok {
		return l, false, nil
	}
	l = policy.Labelled{Relation: found.Name, Class: found.Class, Group: cs.Database, Accepted: *cs.Human}
	if l.Group == "" {
		l.Group = "case " + cs.ID // without group information each case is a separate group
	}
	if judge == nil {
		return l, true, nil
	}
	if scores, err = judge.Score(ctx, cs, name); err != nil {
		return l, false, err
	}
	if s := scores[0]; s.Status == scoring.StatusOK {
		accepts := s.Value == 1
		l.Judge = &accepts
		if s.Usage != nil {
			l.Calls = s.Usage.Calls
		}
		if first, asked := metric.ProverAccepts(s); asked {
			l.First = &first
		}
	}
	return l, true, nil
}
