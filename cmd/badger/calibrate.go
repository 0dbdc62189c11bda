package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

type calibrateCommand struct {
	Cases       string   `placeholder:"FILE" xor:"input" help:"Case file in JSON Lines."`
	Source      string   `placeholder:"URL" xor:"input" help:"Warehouse to read, such as duckdb:FILE."`
	Assessments string   `placeholder:"FILE" help:"Recorded judge replies in JSON Lines, used instead of a judge."`
	Backend     []string `needs:"assessments" placeholder:"A,B" help:"Backends whose recorded replies are used, such as o3 (default all)."`
	Metrics     []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default all that give a verdict; rose@o3 names a judge too)."`
	answerFlags
	Config string `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`

	Judges []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`

	By       []string `placeholder:"GROUP" enum:"tier,dataset,database" help:"Also group the figures (by ${enum})."`
	Common   bool     `help:"Use only cases on which all metrics give a verdict."`
	Compare  []string `placeholder:"A,B" help:"Test whether the first metric agrees better or worse with labels than each of the others."`
	Backbone []string `placeholder:"CURRENT,CANDIDATE" help:"Test whether the candidate judge, such as rose@gemini-2.5-pro, may replace the current one. Exit with 1 if not."`
	CV       bool     `name:"cv" help:"Choose the thresholds of graded metrics by cross-validation."`
	Folds    int      `needs:"cv" least:"2" default:"10" help:"Number of folds of --cv (default ${default})."`
	LeaveOut string   `placeholder:"GROUP" enum:",tier,dataset,database" default:"" help:"Choose thresholds on all groups except the one that they are reported on (tier, dataset or database)."`

	Resamples int    `least:"2" default:"5000" help:"Number of bootstrap resamples (default ${default})."`
	Seed      uint64 `help:"Seed of random choices (default 0)."`
	SVG       string `name:"svg" placeholder:"DIR" help:"Directory for the charts kappa.svg, balance.svg and tiers.svg."`
	HTML      string `name:"html" placeholder:"FILE" help:"Write charts and table as one HTML page."`

	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if M is below V (kappa of a metric, such as rose@o3; repeatable). An undefined kappa also fails."`
	MinCoverage []string `placeholder:"[M=]C" help:"Exit with 1 if a gated metric has values for less than this share of its cases (labeled cases; default 0.8)."`

	Concurrency int  `least:"1" placeholder:"N" help:"Number of cases scored concurrently (default one per processor, or 64 with a judge)."`
	Quiet       bool `short:"q" help:"Print no progress."`
	JSON        bool `help:"Print one JSON document."`
	judgeFlags
	terminalFlags
}

// Run computes the metrics on labelled cases and compares them with the labels.
func (c *calibrateCommand) Run(ctx context.Context, p process) error {
	if c.Cases == "" && c.Source == "" {
		return usage("expected --cases FILE or --source URL")
	}
	if c.Folds < 2 {
		return usage("--folds: expected 2 or more")
	}
	if c.Resamples < 2 {
		return usage("--resamples: expected 2 or more")
	}
	flags := gateFlags{c.FailUnder, c.MinCoverage}
	if _, err := flags.gates(gate.Specs{}, nil, ""); err != nil {
		return err
	}
	for _, f := range c.FailUnder {
		if bounds, err := gate.ParseBounds("--fail-under", []string{f}); err == nil && bounds[0].Value > 1 {
			return usage("--fail-under: %.80s: expected at most 1, the greatest kappa", f)
		}
	}
	study, err := c.study(ctx, p)
	if err != nil {
		return err
	}
	var keys []string
	for _, m := range study.Metrics {
		keys = append(keys, m.Key)
	}
	gates, err := flags.gates(gate.Specs{}, keys, "this calibration")
	if err != nil {
		return err
	}
	o := calibration.Options{
		Resampling: agreement.Resampling{Resamples: c.Resamples, Seed: c.Seed}, Common: c.Common, By: c.By,
		Compare: c.Compare, Backbone: c.Backbone, LeaveOut: c.LeaveOut,
	}
	if c.CV {
		o.Folds = c.Folds
	}
	if (c.SVG != "" || c.HTML != "") && !slices.Contains(o.By, calibration.ByTier) {
		o.By = append(slices.Clone(o.By), calibration.ByTier)
	}
	r, err := study.Report(o)
	if err != nil {
		return errcode.AsUsage(err)
	}
	if err := calibration.Draw(r, c.SVG, c.HTML); err != nil {
		return err
	}
	if c.JSON {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = e.Encode(r)
	} else {
		err = report.RenderCalibration(p.stdout, r, c.options(p))
	}
	if err != nil {
		return err
	}
	said, reached := r.Check(gates)
	if err := printGates(p.stderr, said, reached); err != nil {
		return err
	}
	if r.Backbone != nil && !r.Backbone.Adopt {
		return errGate
	}
	return nil
}

// recordedPanels returns the panels of --judge-panel, whose judges are backends of recorded replies.
func recordedPanels(flags []string) (panels []calibration.Panel, err error) {
	named, err := panelsOf(flags)
	for _, p := range named {
		of := calibration.Panel{Name: p.name}
		of.Open = func(replies func(string) (scoring.Replies, error)) (*scoring.Panel, error) {
			return p.Recorded(p.name, replies)
		}
		for _, m := range p.Members {
			of.Backends = append(of.Backends, m.Backend)
		}
		panels = append(panels, of)
	}
	return panels, err
}

// study scores the labelled cases and returns the scores with the labels.
func (c *calibrateCommand) study(ctx context.Context, p process) (*calibration.Study, error) {
	in, err := openCases(ctx, p, cases.Place{Flag: "--cases", File: c.Cases, URL: c.Source}, c.answerFlags, openToRead)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	bar := newProgressBar(p.stderr, c.Quiet || c.JSON && !isTerminal(p.stderr))
	l := calibration.Labelled{
		Source: in.Source, Concurrency: c.Concurrency, Choosing: c.CV || c.LeaveOut != "", Notes: p.stderr,
		Progress: bar.update, Done: bar.finish,
	}
	if in.Tables != nil {
		if l.Votes, err = in.Tables.Votes(ctx, p.stderr); err != nil {
			return nil, err
		}
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, err
	}
	in.Snapshots.Allow(config.Results.Files)
	wanted := calibration.Wanted{Metrics: c.Metrics, Compare: c.Compare, Assessments: c.Assessments, Backends: c.Backend}
	if c.Assessments != "" { // the judges of the panels are backends of the file
		if wanted.Panels, err = recordedPanels(c.JudgePanel); err != nil {
			return nil, err
		}
		c.JudgePanel = nil
	}
	if config.Judge, err = c.judged(config.Judge); err != nil {
		return nil, err
	}
	wanted.Engine = scoring.EngineOptions{Snapshots: in.Snapshots}
	if wanted.Engine.Config, err = config.Metrics.engineConfig(); err != nil {
		return nil, err
	}
	if wanted.All, err = withJudges(ctx, append(config.Judges, c.Judges...), in.Warehouses()...); err != nil {
		return nil, err
	}
	judged := p.judging()
	judged.Opened = func(error) {} // each failed score has the reason
	judge, err := config.Judge.Open(ctx, judged)
	if err != nil {
		return nil, err
	}
	defer judge.Close() //nolint:errcheck // the ledger holds what it could
	if judge != nil {
		wanted.Judge, wanted.Judges, wanted.Model = judge.Backend(), judge.ByMetric(), judge.ModelOf
		wanted.ByTag, wanted.Engine.NoReply = judge.ByTag(), judging.NoReply(judged.Log)
	}
	if l.Plan, err = wanted.Plan(ctx); err != nil {
		return nil, err
	}
	defer judge.PrintUsage(p.stderr)
	return l.Score(ctx)
}
