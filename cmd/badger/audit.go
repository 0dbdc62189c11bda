package main

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

type auditCommand struct {
	labelledScores
	EX   string `name:"ex" placeholder:"METRIC" help:"Execution accuracy; by default ex_bird, else ex_multiset."`
	Top  int    `default:"20" placeholder:"N" help:"List the N most suspect questions; 0: all."`
	JSON bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run lists suspect questions and measures the reasons.
func (c *auditCommand) Run(ctx context.Context, p process) error {
	src, err := c.open(ctx, c.CaseFile)
	if err != nil {
		return err
	}
	defer src.close()
	there, err := src.there(ctx, "--ex", c.EX)
	if err != nil {
		return err
	}
	ex := analysis.ChooseEX(there, c.EX)
	in := analysis.AuditInput{EX: ex, Evidence: src.Evidence(ctx, append([]string{ex}, analysis.AuditMetrics...), c.answers())}
	if in.Labels, err = src.Labels(ctx); err != nil {
		return err
	}
	in.Digests = func(cases []string) (map[scoring.AnswerID]string, error) { return src.Digests(ctx, cases) }
	a, err := analysis.NewAudit(in)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(p, a)
	}
	return report.RenderAudit(p.stdout, a, c.Top, c.options(p))
}
