package scoring

import (
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
)

// MetricOf returns the metric of the engine with a name, or an error if there is none.
func (in *Input) MetricOf(name string) (*Metric, error) { return in.run.engine.Metric(name) }

// Asked reports whether the metric is among those that the current call computes for the case, before or after this
// one.
func (in *Input) Asked(metric string) bool {
	return in.run != nil && slices.ContainsFunc(in.run.asked, func(m *Metric) bool { return m.Name == metric })
}

// ScoreOf returns the score of another metric of the engine on this case. It equals the score reported for that
// metric: over all accepted answers, with its own options and threshold. A metric is computed once for a case,
// however many metrics use it. If this call computes it, its judge calls count in the usage of the calling metric. It
// is an error if a metric uses its own score, directly or through others.
func (in *Input) ScoreOf(metric string) (Score, error) {
	r := in.run
	m, err := r.engine.Metric(metric)
	if err != nil {
		return Score{}, err
	}
	for i := range r.scores {
		if r.scores[i].Metric == m.Name {
			return r.scores[i], nil
		}
	}
	if s, ok := r.ahead[m.Name]; ok {
		return s, nil
	}
	if slices.Contains(r.running, m.Name) {
		return Score{}, errcode.New(errcode.InvalidArgument, "metric %s rests on itself", m.Name)
	}
	saved := *in // the other metric uses this input too
	in.options = nil
	s := r.score(m)
	memo := in.memo
	*in = saved
	in.memo = memo
	if s.Usage != nil {
		in.usage.add(*s.Usage)
		if s.Usage.Judge == "" && s.Usage.Panel == nil {
			s.Usage = nil
		} else { // the calls are counted once, but the score keeps its judges
			s.Usage = &Usage{Judge: s.Usage.Judge, Panel: s.Usage.Panel}
		}
	}
	if r.ahead == nil {
		r.ahead = map[string]Score{}
	}
	r.ahead[m.Name] = s
	return s, nil
}

func (u *Usage) add(o Usage) {
	u.Calls += o.Calls
	u.Fresh += o.Fresh
	u.Repaired += o.Repaired
	u.TokensIn, u.TokensOut = u.TokensIn.Plus(o.TokensIn), u.TokensOut.Plus(o.TokensOut)
}
