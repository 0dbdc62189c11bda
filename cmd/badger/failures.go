package main

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring/relation"
)

type failuresCommand struct {
	scoresFlags
	chosenBatches
	Label []string `placeholder:"LABEL" help:"Only these labels, such as filters_missing."`
	Cases bool     `help:"List the cases (of each label)."`
	By    string   `placeholder:"GROUP" enum:"tier,version,none" default:"none" help:"Also group the figures (by ${enum}; default ${default})."`
	All   bool     `help:"Include all (labels; default the ten most frequent of each kind)."`
	configuredPrimary
	JSON bool `help:"Print one JSON document."`
	terminalFlags
}

// Run prints the causes of failures with the number of cases of each.
func (c *failuresCommand) Run(ctx context.Context, p process) error {
	src, err := c.open(ctx, "")
	if err != nil {
		return err
	}
	defer src.close()
	if err := c.of(ctx, src); err != nil {
		return err
	}
	there, err := src.Metrics(ctx)
	if err != nil {
		return err
	}
	primary, err := c.read(p, there)
	if err != nil {
		return err
	}
	f, err := analysis.NewFailures(ctx, src, src.set,
		analysis.FailureOptions{Choose: c.choose, Primary: primary,
			GroupOf: func(name string) string { return string(relation.GroupOf(name)) }})
	if err != nil {
		return err
	}
	if err := f.Keep(c.Label); err != nil {
		return errcode.AsUsage(err)
	}
	if c.JSON {
		return writeJSON(p, f)
	}
	return report.RenderFailures(p.stdout, f, report.FailureView{By: c.By, Cases: c.Cases, All: c.All || len(c.Label) > 0},
		c.options(p))
}
