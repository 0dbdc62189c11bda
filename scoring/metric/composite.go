package metric

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "composite", Display: "Overall score",
		Version: 2, Group: "agent",
		Branch:      scoring.BranchSQL | scoring.BranchAgentic,
		FailedQuery: scoring.FailedIsIgnored("its parts already have their scores for a failed query"),
		Needs:       scoring.FieldCase,
		Summary:     "One figure for a deployment: the weighted mean of the scores of other metrics.",
		Range:       "0 to 1",
		Formula: "Σ w·s / Σ w, over the metrics of the option weights that have a score on the case. Example of weights: {\"weights\": {\"hybrid_ex\": 0.6, " +
			"\"component_f1\": 0.1, \"faithfulness\": 0.3}}. Metrics that are not applicable, abstained or failed are left out, and a warning names them. So the " +
			"other metrics weigh more. With the option missing set to zero, abstained and failed metrics count as 0, and so do metrics that are not applicable " +
			"because the agent gave no response, or no SQL or result where an answer is expected. Metrics must have values from 0 to 1. A custom metric with " +
			"lower_is_better must declare a range [low, high], and counts as low + high − s. Not applicable if no weights are configured or no metric has a score. It passes or fails only if the configuration sets a threshold.",
		Source:  "decided here: weights per deployment",
		Gaming:  "A metric without a score drops out, so that what is not answered raises the rest. With missing set to zero, what failed, abstained or was withheld by the agent counts as 0. It hides what its parts show; read them.",
		Example: "weights hybrid_ex 0.6, component_f1 0.2, tool_recall 0.2; scores 1, 0.5 and not applicable: (0.6 + 0.1) / 0.8 = 0.875.",
		Options: compositeDeclared.OptionSet,
		Score:   composite,
	})
}

type compositeOptions struct {
	Weights map[string]float64 `json:"weights"`
	Missing string             `json:"missing"`
}

var compositeDeclared = scoring.DeclareOptions(compositeOptions{Missing: "skip"}, (*compositeOptions).check,
	scoring.Option{Name: "weights", Above: scoring.At(0), Max: scoring.At(1e6),
		Unset: "none, and the metric is not applicable", Doc: "The weight of each metric, by name."},
	scoring.Option{
		Name: "missing", Choices: []string{"skip", "zero"},
		Doc: "What happens to a metric that has no score on a case: skip, it is left out; zero, it counts as 0 if it abstained or failed, or if it is not applicable because " +
			"the agent gave no response, or no SQL or result where an answer is expected. Otherwise a metric that is not applicable is always left out.",
	},
)

// check returns an error for a weight of an unknown metric, of a metric whose values are not within 0 to 1, or of
// composite itself. An unknown name without a similar one may be a custom metric and is accepted.
func (o *compositeOptions) check() error {
	for _, name := range slices.Sorted(maps.Keys(o.Weights)) {
		if name == "composite" {
			return errcode.New(errcode.InvalidArgument, "option weights.composite: a composite cannot be part of itself")
		}
		m, ok := registered[name]
		switch near := scoring.Suggest(name, slices.Sorted(maps.Keys(registered))); {
		case ok && !withinUnit(&m):
			return errcode.New(errcode.InvalidArgument, "option weights.%s: its values are %s, expected a metric from 0 to 1",
				name, m.Range)
		case !ok && near != "": // a name that is like none may be a custom metric's
			return errcode.New(errcode.InvalidArgument, "option weights: unknown metric %.60q%s", name, near)
		}
	}
	return nil
}

// withinUnit reports whether the range of a metric is within 0 to 1.
func withinUnit(m *scoring.Metric) bool {
	low, high := m.Bounds()
	return low >= 0 && high <= 1
}

// compositePart is the contribution of one metric to a composite.
type compositePart struct {
	Weight float64        `json:"weight"` // as configured
	Share  float64        `json:"share"`  // weight divided by the sum of the weights that count
	Status scoring.Status `json:"status"`
	Value  *float64       `json:"value"`
	// Inverted reports whether lower values are better. Then low + high − value is used, where low and high are the
	// bounds of the metric's range.
	Inverted bool `json:"inverted,omitempty"`
	// Withheld reports whether the metric is not applicable because the agent did not provide its input.
	Withheld bool `json:"withheld,omitempty"`
}

// missing reports whether the option missing applies to the metric: it has no value, and either its score is not "not
// applicable", or the agent withheld its input.
func (p *compositePart) missing() bool {
	return p.Value == nil && (p.Status != scoring.StatusNotApplicable || p.Withheld)
}

// withheld reports whether the metric has no score because the agent did not provide an input: a response, or SQL or
// a result if an answer is expected. It returns false if gold lacks an input of the metric too.
func withheld(in *scoring.Input, m *scoring.Metric) bool {
	if m.Needs&scoring.FieldResponse != 0 && strings.TrimSpace(in.Case.Agent.Response) == "" {
		return true
	}
	if b := in.Case.Expected.Behaviour; b != "" && b != scoring.BehaviourAnswer || in.Pred.Error != "" {
		return false
	}
	noSQL, noResult := strings.TrimSpace(in.Pred.SQL) == "", in.Pred.Result.Absent()
	if !(m.Needs&scoring.FieldPredSQL != 0 && noSQL || m.Needs&scoring.FieldPredResult != 0 && noSQL && noResult) {
		return false
	}
	g := in.Gold
	switch {
	case m.Needs&scoring.FieldGoldSQL != 0 && (g == nil || strings.TrimSpace(g.SQL) == ""):
		return false
	case m.Needs&scoring.FieldGoldResult != 0 && (g == nil || g.Result.Absent()):
		return false
	}
	return true
}

func composite(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := compositeDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	if len(o.Weights) == 0 {
		return scoring.NotApplicable("no weights are configured"), nil
	}
	parts := map[string]*compositePart{}
	var sum, total float64
	var without, assessments []string
	names := slices.Sorted(maps.Keys(o.Weights))
	for _, name := range names {
		s, err := in.ScoreOf(name)
		if err != nil {
			return scoring.Score{}, errcode.New(errcode.Of(err), "option weights: %w", err)
		}
		assessments = append(assessments, s.AssessmentIDs...)
		m, err := in.MetricOf(name)
		if err != nil {
			return scoring.Score{}, err
		}
		if m.LowerIsBetter && !withinUnit(m) {
			return scoring.Score{}, errcode.New(errcode.InvalidArgument, "option weights.%s: lower values of it are better and its range is %q, expected one within 0 and 1, so that it can be inverted", name, m.Range)
		}
		p := &compositePart{Weight: o.Weights[name], Status: s.Status, Inverted: m.LowerIsBetter}
		p.Withheld = s.Status == scoring.StatusNotApplicable && withheld(in, m)
		parts[name] = p
		switch {
		case s.Status == scoring.StatusOK && !(s.Value >= 0 && s.Value <= 1):
			return scoring.Score{}, errcode.New(errcode.InvalidArgument, "option weights.%s: its value is not within 0 and 1",
				name)
		case s.Status == scoring.StatusOK:
			p.Value = &s.Value
			if p.Inverted {
				low, high := m.Bounds()
				sum += p.Weight * (low + high - s.Value)
			} else {
				sum += p.Weight * s.Value
			}
		case o.Missing == "zero" && p.missing():
			without = append(without, name+" ("+string(s.Status)+", counted as 0)")
		default:
			without = append(without, name+" ("+string(s.Status)+")")
			continue
		}
		total += p.Weight
		p.Share = p.Weight
	}
	if total == 0 {
		return scoring.NotApplicable("none of its metrics has a score: " + strings.Join(without, ", ")), nil
	}
	for _, p := range parts {
		p.Share /= total
	}
	s := scoring.OK(min(sum/total, 1),
		fmt.Sprintf("weighted mean of %d of %s", len(names)-len(without), printable.Count(len(names), "metric")))
	s.Detail = struct {
		Parts map[string]*compositePart `json:"parts"`
	}{parts}
	if len(without) > 0 {
		s.Warnings = []string{"without a score: " + strings.Join(without, ", ")}
	}
	slices.Sort(assessments)
	s.AssessmentIDs = slices.Compact(assessments)
	return s, nil
}
