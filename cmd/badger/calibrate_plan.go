package main

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// scored is one metric to calibrate and where its scores come from: an engine, or what was
// recorded.
type scored struct {
	calibration.Metric
	metric *scoring.Metric // nil: recorded
	engine *scoring.Engine
	alone  bool // computed by itself, so that its calls are counted though others ask the same
	named  bool // asked for by name: reported also where it has no verdict
	run    *assessfile.Run
	ifAny  bool // gives the same without a judge where it did not ask: then not reported
	by     *backend
}

// judged are metrics whose score may depend on a judge, by themselves or by those they are made of.
const judged = scoring.FieldJudge | scoring.FieldCase

// backend is somebody who answers for judge metrics.
type backend struct {
	name   string                     // of recorded assessments
	model  func(metric string) string // of a judge that is asked, who may differ from metric to metric; empty: nobody
	engine *scoring.Engine
	runs   []*assessfile.Run // what it recorded; none for a judge that is asked
}

// plan decides which metrics are calibrated and by whom they are answered. The judge, if there is
// one, is closed by the function returned.
func (c *calibrateCommand) plan(ctx context.Context, l *labelled, config configuration) (func(), error) {
	var err error
	if config.Judge, err = c.over(config.Judge); err != nil {
		return nil, err
	}
	engineConfig, err := config.Metrics.engineConfig()
	if err != nil {
		return nil, err
	}
	metrics, err := withJudges(ctx, append(config.Judges, c.Judges...), l.warehouse)
	if err != nil {
		return nil, err
	}
	engine := func(o scoring.EngineOptions) (*scoring.Engine, error) {
		o.Snapshots, o.Config = l.snapshots, engineConfig
		e, err := scoring.NewEngine(metrics, &o)
		if err != nil {
			return nil, errcode.AsUsage(err)
		}
		return e, nil
	}
	if l.plain, err = engine(scoring.EngineOptions{Counterexamples: smallDatabases}); err != nil {
		return nil, err
	}
	backends, err := c.recordedBackends(ctx, engine)
	if err != nil {
		return nil, err
	}
	judge, err := config.Judge.open(ctx, judgeSurroundings{
		process: l.process, log: slog.New(slog.NewTextHandler(l.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), opened: func(error) {},
	})
	if err != nil {
		return nil, err
	}
	closeJudge := func() {
		judge.Say(l.stderr)
		_ = judge.Close()
	}
	if judge != nil {
		e, err := engine(scoring.EngineOptions{Counterexamples: smallDatabases, Judge: judge.Backend(), Judges: judge.Judges()})
		if err != nil {
			_ = judge.Close()
			return nil, err
		}
		backends = append(backends, backend{model: judge.modelOf, engine: e})
		if l.concurrency == 0 {
			l.concurrency = 64
		}
	}
	l.choose(c, backends, engineConfig)
	if err := l.checkNames(c, backends); err != nil {
		_ = judge.Close()
		return nil, err
	}
	return closeJudge, nil
}

// recordedBackends are those whose assessments are given.
func (c *calibrateCommand) recordedBackends(ctx context.Context, engine func(scoring.EngineOptions) (*scoring.Engine, error)) ([]backend, error) {
	if c.Assessments == "" {
		if len(c.Backend) > 0 {
			return nil, usage("--backend: expected --assessments FILE with it")
		}
		return nil, nil
	}
	f, err := assessfile.Open(ctx, c.Assessments, assessfile.Options{})
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	names := c.Backend
	if len(names) == 0 {
		names = f.Backends()
	}
	var out []backend
	for _, name := range names {
		replies, err := f.Replies(name)
		if err != nil {
			return nil, errcode.AsUsage(err)
		}
		e, err := engine(scoring.EngineOptions{Counterexamples: smallDatabases, Replies: replies})
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
func (l *labelled) choose(c *calibrateCommand, backends []backend, config scoring.Config) {
	add := func(s scored, base string) {
		s.named = slices.Contains(c.Metrics, base) || slices.Contains(c.Metrics, s.Key)
		if len(c.Metrics) == 0 || s.named {
			l.metrics = append(l.metrics, s)
		}
	}
	all := l.plain.Metrics()
	for i := range all {
		m := &all[i]
		about := calibration.Metric{Key: m.Name, Scale: agreement.Scale{LowerIsBetter: m.LowerIsBetter}, Threshold: m.Threshold, Calls: true}
		if t, ok := config.Thresholds[m.Name]; ok {
			about.Threshold = &t
		}
		if m.Needs&scoring.FieldJudge == 0 {
			add(scored{Metric: about, metric: m, engine: l.plain}, m.Name)
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
				add(scored{Metric: about, metric: m, engine: b.engine, alone: true, ifAny: m.Needs&scoring.FieldJudge == 0, by: b}, m.Name)
			}
		}
	}
	for _, b := range backends {
		for _, r := range b.runs {
			m, err := l.plain.Metric(r.Method)
			if err == nil && r.HasReplies() && (m.Needs|m.Reads)&judged != 0 {
				continue // scored from its replies
			}
			about := calibration.Metric{Key: r.Method + "@" + b.name, Recorded: true, Calls: r.HasReplies(), Threshold: scoring.At(1)}
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

// run is what the backend recorded under a method.
func (b *backend) run(method string) *assessfile.Run {
	for _, r := range b.runs {
		if r.Method == method {
			return r
		}
	}
	return nil
}

// assessed tells whether the backend recorded a reply about a case: to the metric's own questions,
// where it recorded such for any case.
func (b *backend) assessed(metric, caseID string) bool {
	if own := b.run(metric); own != nil {
		return own.Calls(caseID) > 0
	}
	return len(b.runs) == 0 || slices.ContainsFunc(b.runs, func(r *assessfile.Run) bool { return r.Calls(caseID) > 0 })
}

// checkNames tells which of the names on the command line stand for nothing.
func (l *labelled) checkNames(c *calibrateCommand, backends []backend) error {
	var known []string
	for _, s := range l.metrics {
		base, _, _ := strings.Cut(s.Key, "@")
		known = append(known, s.Key, base)
	}
	for _, name := range c.Metrics {
		if slices.Contains(known, name) {
			continue
		}
		base, who, at := strings.Cut(name, "@")
		m, err := l.plain.Metric(base)
		switch {
		case err == nil && m.Needs&scoring.FieldJudge != 0 && len(backends) == 0:
			return usage("--metrics: %s is judged; give recorded replies with --assessments, or a judge with --judge", base)
		case err == nil && at:
			return usage("--metrics: there is nothing of %.60q for %s", who, base)
		case err == nil:
			continue
		}
		for _, b := range backends {
			for _, r := range b.runs {
				known = append(known, r.Method)
			}
		}
		for i := range l.plain.Metrics() {
			known = append(known, l.plain.Metrics()[i].Name)
		}
		slices.Sort(known)
		return usage("--metrics: unknown metric %.60q%s", name, scoring.Suggest(base, slices.Compact(known)))
	}
	for _, name := range c.Compare {
		if !slices.ContainsFunc(l.metrics, func(s scored) bool { return s.Key == name }) {
			var keys []string
			for _, s := range l.metrics {
				keys = append(keys, s.Key)
			}
			return usage("--compare: there is no metric %.60q%s", name, scoring.Suggest(name, keys))
		}
	}
	return nil
}
