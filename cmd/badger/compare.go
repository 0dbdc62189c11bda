package main

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
)

type compareCommand struct {
	scoresFlags
	From      chosen   `placeholder:"AGENT@VERSION" help:"The side that is compared with: an agent and version, or one of both where that is only one; '' or '(no name)' for an agent without a name. By default the batch before that of --to."`
	FromBatch chosen   `placeholder:"ID" help:"Only this batch of it."`
	To        chosen   `placeholder:"AGENT@VERSION" help:"The other side; the newest batch by default."`
	ToBatch   chosen   `placeholder:"ID" help:"Only this batch of it."`
	Metrics   []string `placeholder:"A,B" help:"Metrics to compare, or all. By default those that say most."`
	By        string   `placeholder:"GROUP" enum:",tier" default:"" help:"Also by tier."`
	Cases     bool     `help:"List the cases that pass on one side only."`
	dropFlags
	JSON bool `help:"Print one JSON document."`
	terminalFlags
}

// Run compares two sides.
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
	o.ByTier = c.By == "tier"
	var more []string
	o.Metrics, more = analysis.ChooseMetrics(there, c.Metrics, gates)
	batches, err := src.Batches(ctx)
	if err != nil {
		return err
	}
	analysis.Sort(batches)
	named := analysis.Named{From: string(c.From), FromBatch: string(c.FromBatch), To: string(c.To), ToBatch: string(c.ToBatch)}
	if len(c.Scores) == 2 {
		named.FromOrigin, named.ToOrigin = storedscores.OriginOf(c.Scores, 0), storedscores.OriginOf(c.Scores, 1)
	}
	from, to, err := named.Sides(batches)
	if err != nil {
		return err
	}
	result, err := analysis.CompareSides(ctx, src, src.set, from, to, o)
	if err != nil {
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
	return tellGates(p.stderr, said, reached)
}
