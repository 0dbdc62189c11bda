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

// scored is one metric to calibrate, with the source of its scores: an engine, or recorded values.
type scored struct {
	Metric
	metric *scoring.Metric // nil: values are recorded
	engine *scoring.Engine
	alone  bool // computed separately, so that its judge calls are counted even if another metric makes the same
	named  bool // requested by name: reported even without a verdict
	run    *assessfile.Run
	ifAny  bool // if no case called the judge, it is the same as without a judge and not reported
	by     *backend
}

// judged are the fields that metrics need or read if their score may depend on a judge.
const judged = scoring.FieldJudge | scoring.FieldCase

// backend is a source of judge replies: recorded ones or a live judge.
type backend struct {
	name   string                     // of recorded replies
	model  func(metric string) string // returns the judge model of a metric, "" if none; nil: recorded replies
	engine *scoring.Engine
	runs   []*assessfile.Run // recorded replies by method; nil for a live judge and for a panel
	panel  []*backend        // the members of a panel of recorded replies
}

// Wanted selects the metrics to calibrate, and the judges of judge metrics.
type Wanted struct {
	Metrics []string // names, such as rose or rose@o3; nil: all with a verdict
	Compare []string // keys of metrics to compare

	All         []scoring.Metric      // all available metrics
	Engine      scoring.EngineOptions // options of every engine, without a judge
	Assessments string                // file of recorded replies; "": none
	Backends    []string              // backends of Assessments to use; nil: all
	Panels      []Panel               // panels of backends of Assessments; each counts as one judge

	Judge  judgebackend.Backend
	Judges map[string]scoring.Judge
	ByTag  []scoring.TagJudge
	Model  func(metric string) string // returns the model that a metric calls, "" if none; nil: no judge calls
}

// Panel is a panel of backends of recorded replies.
type Panel struct {
	Name     string
	Backends []string // of the members
	// opens the panel with the recorded replies of each backend
	Open func(replies func(backend string) (scoring.Replies, error)) (*scoring.Panel, error)
}

// Plan is the list of metrics to calibrate, with the source of each one's scores.
type Plan struct {
	plain   *scoring.Engine // without a judge
	metrics []scored
	asks    bool // a judge is called
}

// Plan returns the metrics to calibrate with their judges. An unknown name is a usage error.
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
		o.Judge, o.Judges, o.ByTag = w.Judge, w.Judges, w.ByTag
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

// recorded returns the backends of the file of recorded replies.
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
	for _, p := range w.Panels {
		b, err := w.panel(f, p)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// panel returns a panel of backends of the file as one backend.
func (w *Wanted) panel(f *assessfile.File, p Panel) (b backend, err error) {
	b.name = p.Name
	if slices.Contains(f.Backends(), p.Name) {
		return b, errcode.Usage("--judge-panel: the file has a backend called %.60q; name the panel otherwise", p.Name)
	}
	judge, err := p.Open(func(name string) (scoring.Replies, error) { return f.Replies(name) })
	if err != nil {
		return b, err
	}
	o := w.Engine
	o.Judge = judge
	if b.engine, err = w.engine(o); err != nil {
		return b, err
	}
	for _, name := range p.Backends {
		member := &backend{name: name}
		for _, r := range f.Runs() {
			if r.Backend == name {
				member.runs = append(member.runs, r)
			}
		}
		b.panel = append(b.panel, member)
	}
	return b, nil
}

// choose adds the metrics to the plan: those without a judge once, the others once for each backend.
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
			if b.panel != nil && !slices.ContainsFunc(b.panel, func(of *backend) bool { return of.replies(m) }) {
				continue
			}
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

// replies reports whether replies to a question of the metric were recorded, or may be if it does not always ask.
func (b *backend) replies(m *scoring.Metric) bool {
	r := b.run(m.Name)
	return r != nil && r.HasReplies() || r == nil && m.Needs&scoring.FieldJudge == 0
}

// run returns the recorded replies for a method, or nil.
func (b *backend) run(method string) *assessfile.Run {
	for _, r := range b.runs {
		if r.Method == method {
			return r
		}
	}
	return nil
}

// assessed reports whether a reply was recorded for a case: for the metric itself if the file has its method, else
// for any method. It is true for a live judge.
func (b *backend) assessed(metric, caseID string) bool {
	for _, of := range b.panel {
		if !of.assessed(metric, caseID) {
			return false
		}
	}
	if own := b.run(metric); own != nil {
		return own.Calls(caseID) > 0
	}
	return len(b.runs) == 0 || slices.ContainsFunc(b.runs, func(r *assessfile.Run) bool { return r.Calls(caseID) > 0 })
}

// checkNames returns a usage error if a requested metric is unknown.
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
