package main

import (
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

type explainCommand struct {
	Case   string `required:"" placeholder:"ID" help:"Case to explain."`
	Metric string `placeholder:"M" help:"Metric to explain (default the verdict, else the comparison of results)."`

	DB     string `name:"db" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	RunID  string `name:"run" placeholder:"ID" help:"Run ID (default the latest that scored the case)."`
	Cases  string `placeholder:"FILE" help:"Case file in JSON Lines."`
	Scores string `placeholder:"FILE" help:"Score file that badger run --scores wrote (default: compute the metric now)."`
	answerFlags
	Config string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Mask   []string `placeholder:"COLUMN" help:"Result columns to mask."`

	Gold   int    `least:"1" placeholder:"N" help:"Number of the gold answer to compare with (default the one that the score used)."`
	Show   string `placeholder:"STATES" help:"Cell states whose rows are shown: all, or some of equal, mapped, differs, only_gold, only_agent (default differing and unmatched rows)."`
	Layout string `default:"rows" enum:"rows,cells" help:"Layout of the differences: rows, or cells with the size of each difference (default ${default})."`
	Rows   int    `least:"0" default:"20" help:"Maximum number of differing rows to show (of each kind, or cells; default ${default})."`
	Full   bool   `help:"Print everything (also judge prompts, replies and all relations)."`
	JSON   bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run prints how the score of one case was computed, with the differences between the two results.
func (c *explainCommand) Run(ctx context.Context, p process) error {
	switch {
	case c.DB == "" && c.Cases == "":
		return usage("expected --db URL, --cases FILE or both")
	case c.DB != "" && c.Scores != "":
		return usage("--scores and --db both hold scores; expected one of them")
	case c.RunID != "" && c.DB == "":
		return usage("--run: expected --db URL with it")
	case c.Rows < 1 || c.Rows > 10_000:
		return usage("--rows: %d, expected 1 to 10000", c.Rows)
	}
	show, err := caseview.ParseStates(c.Show)
	if err != nil {
		return usage("--%w", err)
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	mask, err := caseview.NewMask(append(config.Report.Masked, c.Mask...), nil)
	if err != nil {
		return errcode.AsUsage(err)
	}
	in := caseview.Input{Mask: mask}
	if in.Config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	snaps := snapshots{}
	snaps.Allow(config.Results.Files)
	sought := evaluation.Sought{Case: c.Case, RunID: c.RunID, Of: c.answers(), Named: c.named()}
	if c.DB != "" {
		w, err := openWarehouse(ctx, c.DB, readOnly)
		if err != nil {
			return err
		}
		defer w.Close()
		snaps.Warehouse = w
		if in, err = sought.Stored(ctx, w, c.Cases != ""); err != nil {
			return err
		}
		in.Mask = mask
	}
	if c.Cases != "" {
		of := sought.Of
		if in.Case != nil { // whose scores were found
			of = in.Case.AnswerID()
			of.By = of.Exactly()
		}
		file, err := cases.OpenFile("--cases", c.Cases, store.Filter{By: of.By})
		if err != nil {
			return err
		}
		if in.Case, err = sought.InFile(ctx, file, c.Cases); err != nil {
			return err
		}
		in.Unstored = false // the file has what the database lacks
		snaps.Files = file.Snapshots.Files
		switch {
		case c.DB != "":
		case c.Scores != "":
			in.Scores, in.GoldHash, err = evaluation.Scores(ctx, c.Scores, in.Case)
		default:
			in.Scores, err = evaluation.Compute(ctx, standardMetrics(),
				scoring.EngineOptions{Snapshots: file.Snapshots, Config: in.Config}, in.Case, c.Metric)
		}
		if err != nil {
			return err
		}
	}
	in.Snapshots = snaps
	primary := config.Metrics.Primary
	if c.Metric == "" && slices.ContainsFunc(in.Scores, func(s scoring.Score) bool { return s.Metric == primary }) {
		c.Metric = primary
	}
	o := caseview.Options{Metric: c.Metric, Gold: c.Gold,
		Cells: caseview.CellOptions{Show: show, Each: c.Rows, Rows: c.Rows}}
	if c.Layout == "cells" {
		o.Cells.Layout = caseview.List
	}
	v, err := caseview.Build(ctx, in, o)
	if code := errcode.Of(err); code == errcode.InvalidArgument || code == errcode.NotFound {
		return errcode.AsUsage(err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(p, v)
	}
	return report.RenderCase(p.stdout, v, report.ExplainOptions{Options: c.options(p), Full: c.Full})
}
