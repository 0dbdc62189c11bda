package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

type judgeTestCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"Judge file."`
	Cases  string `placeholder:"FILE" xor:"input" required:"" help:"Case file in JSON Lines."`
	Source string `placeholder:"URL" xor:"input" required:"" help:"Warehouse to read, such as duckdb:FILE."`
	answerFlags
	Limit  int    `least:"1" placeholder:"N" help:"Use only the first N cases."`
	Config string `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`

	Assessments string   `placeholder:"FILE" help:"Recorded judge replies in JSON Lines, used instead of a judge."`
	Backend     string   `needs:"assessments" placeholder:"NAME" help:"Backend whose recorded replies are used, such as o3."`
	FailUnder   []string `placeholder:"F=V" help:"Exit with 1 if F is below V (accuracy or kappa of the test; repeatable)."`
	Print       bool     `help:"Print the output (of the script, on standard error). It may contain data."`
	All         bool     `help:"Include all (cases; default the first 50)."`
	JSON        bool     `help:"Print one JSON document."`
	judgeFlags
}

// Run scores the cases with the judge, and prints the scores and their agreement with human labels.
func (c *judgeTestCommand) Run(ctx context.Context, p process) error {
	gates, err := gate.Read(gate.Specs{}, gate.Specs{FailUnder: c.FailUnder}, calibration.JudgeFigures(),
		"a trial: expected accuracy=V or kappa=V")
	if err != nil {
		return err
	}
	trial, err := c.trial(ctx, p)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, trial.JSON())
	} else {
		err = trial.Render(p.stdout, c.All)
	}
	if err != nil {
		return err
	}
	said, reached := trial.Check(gates)
	return printGates(p.stderr, said, reached)
}

// trial scores the cases with the judge and returns the scores and their agreement with human labels.
func (c *judgeTestCommand) trial(ctx context.Context, p process) (*calibration.JudgeTrial, error) {
	var print func(string)
	if c.Print {
		print = func(msg string) { fmt.Fprintln(p.stderr, "print:", printable.Lines(msg)) }
	}
	j, err := loadJudge(ctx, c.File, print)
	if err != nil {
		return nil, err
	}
	trial := calibration.NewJudgeTrial(j)
	in, err := openCases(ctx, p, cases.Place{Flag: "--cases", File: c.Cases, URL: c.Source}, c.answerFlags, openToRead)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	source := in.Source
	if c.Limit > 0 {
		source = cases.First(source, c.Limit)
	}
	engine, closeJudge, err := c.engine(ctx, p, j, in.Snapshots)
	if err != nil {
		return nil, err
	}
	defer closeJudge()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	bar := newProgressBar(p.stderr, c.JSON)
	outcome, err := batch.Runner{
		Engine: engine, Metrics: []string{j.Name}, Ordered: true, Now: p.now, Progress: bar.update, Memory: p.boundMemory,
		Scored: trial.Add,
	}.Run(ctx, "judge test", source, batch.Discard)
	bar.finish()
	if err != nil {
		return nil, err
	}
	if outcome.Done == 0 {
		return nil, errcode.New(errcode.NotFound, "there are no cases")
	}
	trial.Sum()
	return trial, nil
}

// engine returns an engine with the standard metrics and judge j. Prompts are answered by the configured model or by
// recorded replies. The second result closes the model.
func (c *judgeTestCommand) engine(ctx context.Context, p process, j *custom.Judge,
	snaps snapshots) (*scoring.Engine, func(), error) {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, nil, err
	}
	if config.Judge, err = c.judged(config.Judge); err != nil {
		return nil, nil, err
	}
	snaps.Allow(config.Results.Files)
	o := scoring.EngineOptions{Snapshots: snaps}
	if o.Config, err = config.Metrics.engineConfig(); err != nil {
		return nil, nil, err
	}
	recorded, err := evaluation.OpenRecorded(ctx, c.Assessments, c.Backend)
	if err != nil {
		return nil, nil, err
	}
	if recorded != nil {
		o.Replies = recorded.Replies
	}
	if j.Asks() && recorded == nil && !config.Judge.Asked() {
		return nil, nil, usage("%s asks a model: name one with --judge, or recorded replies with --assessments", j.Name)
	}
	metrics, err := withJudges(ctx, config.Judges)
	if err != nil {
		return nil, nil, err
	}
	metrics = slices.DeleteFunc(metrics,
		func(m scoring.Metric) bool { return m.Name == j.Name && m.Group == custom.Group })
	if err := nameFree(ctx, j.Name); err != nil {
		return nil, nil, err
	}
	judge, err := config.Judge.Open(ctx, p.judging())
	if err != nil {
		return nil, nil, err
	}
	o.Judge, o.Judges, o.ByTag = judge.Backend(), judge.ByMetric(), judge.ByTag()
	o.NoReply = judging.NoReply(p.judging().Log)
	engine, err := scoring.NewEngine(append(metrics, j.Metric()), &o)
	if err != nil {
		_ = judge.Close()
		return nil, nil, errcode.AsUsage(err)
	}
	return engine, func() { _ = judge.Close() }, nil
}
