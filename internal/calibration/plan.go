package calibration

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// scored is one metric to calibrate and where its scores come from: an engine, or what was
// recorded.
type scored struct {
	Metric
	metric *scoring.Metric // nil: recorded
	engine *scoring.Engine
	alone  bool // computed by itself, so that its calls are counted though others ask the same
	named  bool // requested by name: reported even without a verdict
	run    *assessfile.Run
	ifAny  bool // gives the same without a judge where it did not ask: then not reported
	by     *backend
}

// judged are metrics whose score may depend on a judge, by themselves or by those they are made of.
const judged = scoring.FieldJudge | scoring.FieldCase

// backend is a source of replies for judge metrics.
type backend struct {
	name   string                     // of recorded assessments
	model  func(metric string) string // the judge model of a metric; empty: no judge calls
	engine *scoring.Engine
	runs   []*assessfile.Run // what it recorded; none for a judge that is asked
}

// Wanted selects the metrics to calibrate and the judges of judge metrics.
type Wanted struct {
	Metrics []string // names, such as rose or rose@o3; none: all that give a verdict
	Compare []string // keys that are compared

	All         []scoring.Metric      // those that there are
	Engine      scoring.EngineOptions // of every engine; it names no judge
	Assessments string                // a file of recorded assessments; empty: none
	Backends    []string              // whose assessments; none: all

	Judge  judgebackend.Backend
	Judges map[string]scoring.Judge
	Model  func(metric string) string // the model that a metric calls, empty if none; nil: no judge calls
}

// Plan is the metrics that are calibrated, and where the scores of each come from.
type Plan struct {
	plain   *scoring.Engine // without a judge
	metrics []scored
	asks    bool // a judge
}

// Plan decides which metrics are calibrated and which judges answer for them. An unknown name is a usage error.
func (w *Wanted) Plan(ctx context.Context) (*Plan, error) {
	plain, err := w.engine(w.Engine)
	if err != nil {
		return nil, err
	}
	backends, err := w.recorded(ctx)
	if err != nil {
		return nil, err
	}
	if w.Model != nil {
		o := w.Engine
		o.Judge, o.Judges = w.Judge, w.Judges
		e, err := w.engine(o)
		if err != nil {
			return nil, err
		}
		backends = append(backends, backend{model: w.Model, engine: e})
	}
	p := &Plan{plain: plain, asks: w.Model != nil}
	p.choose(w, backends)
	return p, p.checkNames(w, backends)
}

func (w *Wanted) engine(o scoring.EngineOptions) (*scoring.Engine, error) {
	e, err := scoring.NewEngine(w.All, &o)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return e, nil
}

// recorded are the backends whose assessments are given.
func (w *Wanted) recorded(ctx context.Context) ([]backend, error) {
	if w.Assessments == "" {
		if len(w.Backends) > 0 {
			return nil, errcode.Usage("--backend: expected --assessments FILE with it")
		}
		return nil, nil
	}
	f, err := assessfile.Open(ctx, w.Assessments, assessfile.Options{})
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	names := w.Backends
	if len(names) == 0 {
		names = f.Backends()
	}
	var out []backend
	for _, name := range names {
		replies, err := f.Replies(name)
		if err != nil {
			return nil, errcode.AsUsage(err)
		}
		o := w.Engine
		o.Replies = replies
		e, err := w.engine(o)
		if err != nil {
			return nil, err
		}
		b := backend{name: name, engine: e}
		for _, r := range f.Runs() {
			if r.Backend == name {
				b.runs = append(b.runs, r)
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// choose lists the metrics: those that need no judge once, the others for every backend.
func (p *Plan) choose(w *Wanted, backends []backend) {
	config := w.Engine.Config
	add := func(s scored, base string) {
		s.named = slices.Contains(w.Metrics, base) || slices.Contains(w.Metrics, s.Key)
		if len(w.Metrics) == 0 || s.named {
			p.metrics = append(p.metrics, s)
		}
	}
	all := p.plain.Metrics()
	for i := range all {
		m := &all[i]
		about := Metric{Key: m.Name, Scale: agreement.Scale{LowerIsBetter: m.LowerIsBetter}, Threshold: m.Threshold,
			Calls: true}
		if t, ok := config.Thresholds[m.Name]; ok {
			about.Threshold = &t
		}
		if m.Needs&scoring.FieldJudge == 0 {
			add(scored{Metric: about, metric: m, engine: p.plain}, m.Name)
		}
		if (m.Needs|m.Reads)&judged == 0 {
			continue
		}
		for k := range backends {
			b := &backends[k]
			who := b.name
			if b.model != nil {
				if who = b.model(m.Name); who == "" && m.Needs&scoring.FieldJudge != 0 {
					continue
				}
			}
			about.Key = m.Name + "@" + cmp.Or(who, "judges")
			if r := b.run(m.Name); r == nil || r.HasReplies() {
				add(scored{Metric: about, metric: m, engine: b.engine, alone: true, ifAny: m.Needs&scoring.FieldJudge == 0, by: b},
					m.Name)
			}
		}
	}
	for _, b := range backends {
		for _, r := range b.runs {
			m, err := p.plain.Metric(r.Method)
			if err == nil && r.HasReplies() && (m.Needs|m.Reads)&judged != 0 {
				continue // scored from its replies
			}
			about := Metric{Key: r.Method + "@" + b.name, Recorded: true, Calls: r.HasReplies(), Threshold: scoring.At(1)}
			if err == nil {
				about.Scale.LowerIsBetter = m.LowerIsBetter
				if m.Threshold != nil {
					about.Threshold = m.Threshold
				}
			}
			if t, ok := config.Thresholds[r.Method]; ok {
				about.Threshold = &t
			}
			add(scored{Metric: about, run: r}, r.Method)
		}
	}
}

// run returns the replies that the backend recorded under a method.
func (b *backend) run(method string) *assessfile.Run {
	for _, r := range b.runs {
		if r.Method == method {
			return r
		}
	}
	return nil
}

// assessed reports whether the backend recorded a reply about a case: to the metric's own questions,
// where it recorded such for any case.
func (b *backend) assessed(metric, caseID string) bool {
	if own := b.run(metric); own != nil {
		return own.Calls(caseID) > 0
	}
	return len(b.runs) == 0 || slices.ContainsFunc(b.runs, func(r *assessfile.Run) bool { return r.Calls(caseID) > 0 })
}

// checkNames returns an error that lists unknown names from the command line.
func (p *Plan) checkNames(w *Wanted, backends []backend) error {
	var known []string
	for _, s := range p.metrics {
		base, _, _ := strings.Cut(s.Key, "@")
		known = append(known, s.Key, base)
	}
	for _, name := range w.Metrics {
		if slices.Contains(known, name) {
			continue
		}
		base, who, at := strings.Cut(name, "@")
		m, err := p.plain.Metric(base)
		switch {
		case err == nil && m.Needs&scoring.FieldJudge != 0 && len(backends) == 0:
			return errcode.Usage("--metrics: %s is judged; give recorded replies with --assessments, or a judge with --judge",
				base)
		case err == nil && at:
			return errcode.Usage("--metrics: there is nothing of %.60q for %s", who, base)
		case err == nil:
			continue
		}
		for _, b := range backends {
			for _, r := range b.runs {
				known = append(known, r.Method)
			}
		}
		for i := range p.plain.Metrics() {
			known = append(known, p.plain.Metrics()[i].Name)
		}
		slices.Sort(known)
		return errcode.Usage("--metrics: unknown metric %.60q%s", name, scoring.Suggest(base, slices.Compact(known)))
	}
	for _, name := range w.Compare {
		if !slices.ContainsFunc(p.metrics, func(s scored) bool { return s.Key == name }) {
			var keys []string
			for _, s := range p.metrics {
				keys = append(keys, s.Key)
			}
			return errcode.Usage("--compare: there is no metric %.60q%s", name, scoring.Suggest(name, keys))
		}
	}
	return nil
}
