package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/sql/store"
)

type reportCommand struct {
	DB string `name:"db" required:"" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	ID string `name:"run" placeholder:"ID" help:"Run ID (default the latest)."`
	chosenBatches
	Against string `placeholder:"RUN" help:"Run to compare with, or AGENT@VERSION or a batch, whose latest run is taken."`
	changeGateFlags
	FailOnDecline bool `help:"Exit with 1 if the primary metric declines over the batches: a trend or a change point for the worse is found."`
	primaryFlag
	exportFlags
	Cases  string `needs:"html" default:"failed" enum:"failed,all" help:"Cases that get a page in --html: failed (also errors and changes) or all (default ${default})."`
	Config string `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Quiet  bool   `short:"q" help:"Print no progress."`
	JSON   bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run reports on a run: to the terminal, or to the files that flags name.
func (c *reportCommand) Run(ctx context.Context, p process) error {
	printed := ""
	if c.JSON {
		printed = "--json"
	}
	if err := c.checkTargets(printed); err != nil {
		return err
	}
	gates, err := c.changeGates()
	if err != nil {
		return err
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	w, err := openWarehouse(ctx, c.DB, readOnly)
	if err != nil {
		return err
	}
	defer w.Close()
	of, err := evaluation.Named{ID: c.ID, Flag: "--run", Of: c.answers(), DB: c.DB}.Find(ctx, p.stderr, w)
	if err != nil {
		return err
	}
	var base store.OfRun
	if c.Against != "" {
		if base, err = (evaluation.Named{ID: c.Against, Flag: "--against", Of: c.answers(), DB: c.DB}).Against(ctx,
			p.stderr, w); err != nil {
			return err
		}
		if same, err := sameAnswers(ctx, w, of, base); err != nil || same {
			return cmp.Or(err, usage("--against: %.80q is the run that is reported on, expected another run", c.Against))
		}
	}
	if err := c.gated(ctx, w, of, gates); err != nil {
		return err
	}
	there, err := w.MetricsOf(ctx, of)
	if err != nil {
		return err
	}
	primary, err := c.among(config.Metrics, there, nil)
	if err != nil {
		return err
	}
	drops := evaluation.DropGates{Drops: gates, Decline: c.FailOnDecline, Primary: primary}
	var said strings.Builder
	reached, err := evaluation.Drops(ctx, &said, w, of, drops)
	if err != nil {
		return err
	}
	runs := reported{of, base, primary, report.GateLines(said.String())}
	if err := c.write(ctx, p, w, runs, config.Report.Masked); err != nil {
		return err
	}
	fmt.Fprint(p.stderr, said.String())
	if !reached {
		return errGate
	}
	return nil
}

// sameAnswers reports whether a run and the side that it is compared with have the same answers: both are of one run,
// and all of its answers that are reported on are on the other side, too.
func sameAnswers(ctx context.Context, w *store.Store, of, base store.OfRun) (bool, error) {
	if base.ID != of.ID {
		return false, nil
	}
	rows, err := w.Runs(ctx, of.ID)
	return !slices.ContainsFunc(rows, func(r store.Run) bool { return r.Matches(of.By) && !r.Matches(base.By) }), err
}

// gated returns an error if the run has no scores of a metric of a gate on its change.
func (c *reportCommand) gated(ctx context.Context, w *store.Store, of store.OfRun, gates []gate.Drop) error {
	if len(gates) == 0 {
		return nil
	}
	there, err := w.MetricsOf(ctx, of)
	for _, g := range gates {
		err = cmp.Or(err, checkNames(flagOf(g), []string{g.Metric}, there))
	}
	return err
}

// printedOn reports whether an export is written to standard output and that is a terminal, so that a progress bar
// would disturb it.
func (c *reportCommand) printedOn(p process) bool {
	return c.targets().Printed() && isTerminal(p.stdout)
}

// reported holds the run that a report describes, the run that it is compared with, and the declared primary metric.
type reported struct {
	of, base store.OfRun
	primary  string
	gates    []report.GateResult
}

// write reads the run in one pass and writes it in all requested formats.
func (c *reportCommand) write(ctx context.Context, p process, w *store.Store, runs reported, masked []string) error {
	mask, err := c.masking(masked)
	if err != nil {
		return err
	}
	r, err := evaluation.Open(ctx, w, runs.of, mask, runs.primary)
	if err != nil {
		return err
	}
	e, err := c.open(ctx, p, r.Summary.ExportOptions(r.Metrics, version()), mask)
	if err != nil {
		return err
	}
	defer e.Drop()
	bar := newProgressBar(p.stderr, c.Quiet || c.printedOn(p))
	defer bar.finish()
	r.Now, r.Progress = p.now, bar.update
	against, err := r.Read(ctx, runs.base, c.JSON || !c.targets().Any() || c.Markdown != "", e)
	if err != nil {
		return err
	}
	bar.finish()
	if err := r.Summary.Close(against); err != nil {
		return err
	}
	f := r.Summary.Figures
	f.Gates = runs.gates
	if f.Batches, f.EarlierBatches, err = evaluation.Batches(ctx, w, runs.of, f.Primary); err != nil {
		return err
	}
	if f.Spending, err = evaluation.CompareSpending(ctx, w, runs.of, f.Spending, f.Primary); err != nil {
		return err
	}
	markdown := export.MarkdownOptions{Run: runs.of.ID, Report: c.HTML, Only: evaluation.Only(runs.of.By)}
	if err := e.Finish(r.Summary.Figures, markdown); err != nil {
		return err
	}
	if c.HTML != "" {
		pages := pagesOf{process: p, w: w, masked: slices.Concat(masked, c.Mask), quiet: c.Quiet, run: runs.of.ID,
			of: c.answers(), baseline: runs.base.ID, all: c.Cases == "all", primary: runs.primary}
		if err := pages.write(ctx, c.HTML); err != nil {
			return err
		}
		p.say(c.HTML)
	}
	switch {
	case c.JSON:
		return r.Summary.WriteJSON(p.stdout)
	case c.targets().Any():
		return nil
	}
	return r.Summary.Render(p.stdout, c.options(p))
}
