package main

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
)

type rankCommand struct {
	labelledScores
	EX        string   `name:"ex" placeholder:"METRIC" help:"Metric of execution accuracy (default ex_bird, else ex_multiset)."`
	Metrics   []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default flex, rose, verdict and hybrid_ex; --ex is added)."`
	Against   string   `placeholder:"METRIC" help:"Metric that decides which scores of --ex are errors, or labels (default labels, else verdict, rose or flex)."`
	Systems   []string `placeholder:"A,B" help:"Rank only these systems, by their names in the table."`
	Resamples int      `least:"2" default:"1000" help:"Number of bootstrap resamples (default ${default})."`
	Seed      uint64   `help:"Seed of random choices (default 0)."`
	JSON      bool     `help:"Print one JSON document."`
	terminalFlags
}

// Run ranks agents, versions or score files by metrics.
func (c *rankCommand) Run(ctx context.Context, p process) error {
	if c.Resamples < 2 {
		return usage("--resamples: expected 2 or more")
	}
	src, err := c.open(ctx, c.CaseFile)
	if err != nil {
		return err
	}
	defer src.close()
	if err := c.of(ctx, src); err != nil {
		return err
	}
	there, err := src.there(ctx, "--ex", c.EX)
	if err != nil {
		return err
	}
	if err := checkNames("--metrics", c.Metrics, there); err != nil {
		return err
	}
	if c.Against != analysis.AgainstLabels {
		if err := checkNames("--against", []string{c.Against}, there); err != nil {
			return err
		}
	}
	labels, err := src.Labels(ctx)
	if err != nil {
		return err
	}
	r, err := analysis.NewRanking(ctx, src, src.set, labels, analysis.RankOptions{
		Choose: c.choose, Systems: c.Systems, EX: c.EX, Metrics: c.Metrics, Against: c.Against, Resamples: c.Resamples,
		Seed: c.Seed,
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(p, r)
	}
	return report.RenderRanking(p.stdout, r, c.options(p))
}
