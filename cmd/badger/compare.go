package main

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
)

type compareCommand struct {
	scoresFlags
	From      chosen   `empty:"no name" placeholder:"AGENT@VERSION" help:"Baseline: an agent and version, or one of them (default the first of two score files, or the accepted batch before --to, or the version's first). Use '(no name)' for an agent without a name."`
	FromBatch chosen   `empty:"no batch" placeholder:"ID" help:"Batch of the baseline (default the latest)."`
	To        chosen   `empty:"no name" placeholder:"AGENT@VERSION" help:"Agent and version to compare with the baseline (default the second of two score files, or the latest batch)."`
	ToBatch   chosen   `empty:"no batch" placeholder:"ID" help:"Batch of --to (default the latest)."`
	Metrics   []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default the most informative; all for every metric)."`
	By        string   `placeholder:"GROUP" enum:",tier" default:"" help:"Also group the figures (by tier)."`
	Cases     bool     `help:"List the cases (those that pass on one side only)."`
	dropFlags
	JSON bool `help:"Print one JSON document."`
	terminalFlags
}

// Run compares two batches, versions or score files.
func (c *compareCommand) Run(ctx context.Context, p process) error {
	if err := c.check(); err != nil {
		return err
	}
	src, err := c.open(ctx, "")
	if err != nil {
		return err
	}
	defer src.close()
	there, gates, err := c.gates(ctx, src, c.Metrics)
	if err != nil {
		return err
	}
	o := c.tests()
	if o.Primary, err = c.read(p, there); err != nil {
		return err
	}
	o.Metrics, o.ByTier, o.Reasons = c.Metrics, c.By == "tier", c.Cases
	o, more := o.Select(src.set, there, gates)
	batches, err := src.Batches(ctx)
	if err != nil {
		return err
	}
	named := analysis.Named{From: string(c.From), FromBatch: string(c.FromBatch), To: string(c.To),
		ToBatch: string(c.ToBatch), TwoFiles: len(c.Scores) == 2}
	if named.Accepted, err = analysis.AcceptedFrom(ctx, src, src.set, batches, o.Primary); err != nil {
		return err
	}
	named.Accepted.Sort(batches)
	from, to, err := named.Sides(batches)
	if err != nil {
		return err
	}
	result, err := analysis.CompareSides(ctx, src, src.set, from, to, o)
	if err != nil {
		return err
	}
	result.Baseline = named.Baseline(batches, from, to)
	sides := [2][]analysis.Batch{from, to}
	if result.Spending, err = analysis.CompareSpending(ctx, src.Source, src.set, result, sides); err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, result)
	} else {
		err = report.RenderComparison(p.stdout, result, more, c.Cases, c.options(p))
	}
	if err != nil || len(gates) == 0 {
		return err
	}
	said, reached := result.Check(gates)
	return printGates(p.stderr, said, reached)
}
