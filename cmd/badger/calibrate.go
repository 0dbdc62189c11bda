package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

type calibrateCommand struct {
	Cases       string   `placeholder:"FILE" xor:"input" help:"Labelled cases in JSON Lines: human.label, or human.votes of several people."`
	Source      string   `placeholder:"URL" xor:"input" help:"A warehouse with golden_set, agent_runs and human_labels, such as duckdb:FILE."`
	Assessments string   `placeholder:"FILE" help:"Recorded assessments (JSON Lines): judge metrics score from their replies, and verdicts recorded without replies are compared as they are."`
	Backend     []string `placeholder:"A,B" help:"Whose assessments, such as o3; all by default."`
	Metrics     []string `placeholder:"A,B" help:"Metrics to calibrate, such as ex_bird, rose or rose@o3; by default all that give a verdict."`
	answerFlags
	Config string `placeholder:"FILE" help:"Options and thresholds of metrics, in YAML."`

	Judges []string `placeholder:"FILE,…" help:"Judge files to calibrate besides the promoted judges of --source."`

	By       []string `placeholder:"GROUP" enum:"tier,dataset,database" help:"Also agreement by tier, dataset or database."`
	Common   bool     `help:"Only cases on which all metrics give a verdict."`
	Compare  []string `placeholder:"A,B" help:"Test whether the first metric agrees better or worse than each of the others."`
	Backbone []string `placeholder:"CURRENT,CANDIDATE" help:"Whether the candidate, such as rose@gemini-2.5-pro, may take the place of the current judge: kappa, accuracy, MCC and F1 must not be worse, and one must be better. Exit with 1 if it may not."`
	CV       bool     `name:"cv" help:"Choose the thresholds of graded metrics by cross-validation."`
	Folds    int      `default:"10" help:"Folds of --cv."`
	LeaveOut string   `placeholder:"GROUP" enum:",tier,dataset,database" default:"" help:"Choose thresholds on all other tiers, datasets or databases than the one they are reported on."`

	Resamples int    `default:"5000" help:"Resamples of the bootstrap."`
	Seed      uint64 `help:"Seed of the bootstrap and of the folds."`
	SVG       string `name:"svg" placeholder:"DIR" help:"Draw pictures here: kappa.svg, balance.svg, tiers.svg."`
	HTML      string `name:"html" placeholder:"FILE" help:"Write pictures and table as one page."`

	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if kappa of metric M, such as rose@o3, is below V or not defined. May be given several times."`
	MinCoverage []string `placeholder:"[M=]C" help:"Exit with 1 if a gated metric has a verdict on fewer than this share of the labelled cases that it applies to; 0.8 by default."`

	Concurrency int  `placeholder:"N" help:"Cases scored at the same time."`
	Quiet       bool `short:"q" help:"No progress."`
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
		Resampling: agreement.Resampling{Resamples: c.Resamples, Seed: c.Seed}, Common: c.Common, By: c.By, Compare: c.Compare, Backbone: c.Backbone, LeaveOut: c.LeaveOut,
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
	if err := tellGates(p.stderr, said, reached); err != nil {
		return err
	}
	if r.Backbone != nil && !r.Backbone.Adopt {
		return errGate
	}
	return nil
}

// study scores the labelled cases.
func (c *calibrateCommand) study(ctx context.Context, p process) (*calibration.Study, error) {
	in, err := openCases(ctx, p, "--cases", c.Cases, c.Source, c.answerFlags, openToRead)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	bar := newProgressBar(p.stderr, c.Quiet || c.JSON && !isTerminal(p.stderr))
	l := calibration.Labelled{
		Source: in.Source, Concurrency: c.Concurrency, Choosing: c.CV || c.LeaveOut != "", Notes: p.stderr, Progress: bar.update, Done: bar.finish,
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
	if config.Judge, err = c.over(config.Judge); err != nil {
		return nil, err
	}
	wanted := calibration.Wanted{Metrics: c.Metrics, Compare: c.Compare, Assessments: c.Assessments, Backends: c.Backend}
	wanted.Engine = scoring.EngineOptions{Snapshots: in.Snapshots}
	if wanted.Engine.Config, err = config.Metrics.engineConfig(); err != nil {
		return nil, err
	}
	if wanted.All, err = withJudges(ctx, append(config.Judges, c.Judges...), in.Warehouses()...); err != nil {
		return nil, err
	}
	judged := p.judging()
	judged.Opened = func(error) {} // each score that failed says so
	judge, err := config.Judge.Open(ctx, judged)
	if err != nil {
		return nil, err
	}
	defer judge.Close() //nolint:errcheck // the ledger holds what it could
	if judge != nil {
		wanted.Judge, wanted.Judges, wanted.Model = judge.Backend(), judge.ByMetric(), judge.ModelOf
	}
	if l.Plan, err = wanted.Plan(ctx); err != nil {
		return nil, err
	}
	defer judge.Say(p.stderr)
	return l.Score(ctx)
}
