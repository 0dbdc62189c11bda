package main

import (
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

type auditCommand struct {
	labelledScores
	Source string `placeholder:"URL" help:"Warehouse to read, such as duckdb:FILE (instead of --cases; only the golden set is read)."`

	EX   string `name:"ex" placeholder:"METRIC" help:"Metric of execution accuracy (default ex_bird, else ex_multiset)."`
	Top  int    `least:"0" default:"20" placeholder:"N" help:"Number of most suspect questions to list (default ${default}; 0 lists all)."`
	JSON bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run lists the gold queries whose results do not depend on the data alone and, if there are scores, suspect questions.
// It computes the precision of each reason for suspicion against human labels.
func (c *auditCommand) Run(ctx context.Context, p process) error {
	golds, err := c.golds(ctx, p)
	if err != nil {
		return err
	}
	a := &analysis.Audit{Reasons: []analysis.Measured{}, Suspects: []analysis.Suspect{}}
	switch {
	case c.DB != "" || len(c.Scores) > 0:
		if a, err = c.audit(ctx); err != nil {
			return err
		}
	case golds == nil:
		return usage(
			"expected --db URL or --scores FILE; or --cases FILE or --source URL, to check the gold queries before a run")
	}
	a.Golds = golds
	if c.JSON {
		return writeJSON(p, a)
	}
	return report.RenderAudit(p.stdout, a, c.Top, c.options(p))
}

// golds checks the gold queries of the cases in --cases or --source. It returns nil if neither flag is set.
func (c *auditCommand) golds(ctx context.Context, p process) (*analysis.Golds, error) {
	if c.CaseFile == "" && c.Source == "" {
		return nil, nil //nolint:nilnil // nothing is asked
	}
	if c.CaseFile != "" && c.Source != "" {
		return nil, usage("--cases and --source: expected one of the two")
	}
	in, err := openCases(ctx, p, cases.Place{Flag: "--cases", File: c.CaseFile, URL: c.Source}, answerFlags{}, openToRead)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	golds := analysis.NewGolds()
	for item, err := range in.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		c, err := item.Load(ctx)
		if err != nil {
			golds.Unread(item.Place, err)
			continue
		}
		golds.Add(c)
	}
	golds.Sort()
	return golds, nil
}

// audit returns the audit of the questions that have scores, without the checks of gold queries.
func (c *auditCommand) audit(ctx context.Context) (*analysis.Audit, error) {
	src, err := c.open(ctx, c.CaseFile)
	if err != nil {
		return nil, err
	}
	defer src.close()
	if err := c.of(ctx, src); err != nil {
		return nil, err
	}
	there, err := src.there(ctx, "--ex", c.EX)
	if err != nil {
		return nil, err
	}
	ex := analysis.ChooseEX(there, c.EX)
	in := analysis.AuditInput{EX: ex,
		Evidence: src.Evidence(ctx, append([]string{ex}, analysis.AuditMetrics...), c.answers())}
	if in.Labels, err = src.Labels(ctx); err != nil {
		return nil, err
	}
	if c.answers() != (scoring.AnswerID{}) {
		in.Others = src.Evidence(ctx, []string{ex}, scoring.AnswerID{})
	}
	in.Digests = func(cases []string) (map[scoring.AnswerID]analysis.Digest, error) { return src.Digests(ctx, cases) }
	a, err := analysis.NewAudit(in)
	if err == nil {
		a.Saturated, err = c.saturated(ctx, src)
	}
	return a, err
}

// saturated returns the cases that pass in the latest chosen batch of each version, by the primary metric.
func (c *auditCommand) saturated(ctx context.Context, src *openScores) (*analysis.Saturation, error) {
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	batches, err := src.Batches(ctx)
	if err != nil {
		return nil, err
	}
	batches = slices.DeleteFunc(batches, func(b analysis.Batch) bool { return !c.choose(&b) })
	analysis.Sort(batches)
	v, err := analysis.NewVersions(ctx, src, src.set, batches, src.set.Primary("", there))
	if err != nil {
		return nil, err
	}
	return v.Saturation(), nil
}
