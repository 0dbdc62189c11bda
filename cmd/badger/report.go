package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

type reportCommand struct {
	DB string `name:"db" required:"" placeholder:"URL" help:"The database that holds the run, such as duckdb:scores.duckdb."`
	ID string `name:"run" placeholder:"ID" help:"The run; the last one by default."`
	chosenBatches
	Against string `placeholder:"RUN" help:"Compare with this run."`
	exportFlags
	Cases  string `default:"failed" enum:"failed,all" help:"Which cases have a page in --html: failed (also those with an error, and those that changed), or all."`
	Config string `placeholder:"FILE" help:"Configuration in YAML, of which report.masked counts."`
	Quiet  bool   `short:"q" help:"No progress."`
	JSON   bool   `help:"Print the figures as one JSON document."`
	terminalFlags
}

// Run reports on a run: to the terminal, or in the forms that flags name.
func (c *reportCommand) Run(ctx context.Context, p process) error {
	printed := ""
	if c.JSON {
		printed = "--json"
	}
	if err := c.targets().Check(printed); err != nil {
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
	of, err := c.choose(ctx, p, w, "--run", c.ID)
	if err != nil {
		return err
	}
	var base connectors.OfRun
	if c.Against != "" {
		if base, err = c.choose(ctx, p, w, "--against", c.Against); err != nil {
			return err
		}
		if base.Run == of.Run {
			return usage("--against: %.80q is the run that is reported on, expected another run", c.Against)
		}
		base = connectors.OfRun{Run: base.Run}
	}
	r := &runReport{process: p, w: w, masked: config.Report.Masked, bar: newProgressBar(p.stderr, c.Quiet || c.printedOn(p))}
	return r.write(ctx, c, of, base)
}

// printedOn tells whether progress would be drawn into what is printed.
func (c *reportCommand) printedOn(p process) bool {
	return c.targets().Printed() && isTerminal(p.stdout)
}

// choose finds the run that a flag names, or the last one.
func (c *reportCommand) choose(ctx context.Context, p process, w *connectors.Warehouse, flag, id string) (of connectors.OfRun, err error) {
	if id == "" {
		last, err := w.LastRun(ctx)
		if err != nil {
			return of, err
		}
		if last == nil {
			return of, errcode.New(errcode.NotFound, "the database holds no runs; badger run --to %s makes one", c.DB)
		}
		id = last.ID
	}
	rows, err := w.Runs(ctx, id)
	if err != nil {
		return of, err
	}
	if len(rows) == 0 {
		latest, err := w.LatestRuns(ctx, 5)
		if err != nil {
			return of, err
		}
		return of, usage("%s: there is no run %s; the latest runs are %s", flag, printable.Short(id), shortList(latest))
	}
	of = connectors.OfRun{Run: id, Agent: string(c.Agent), Version: string(c.Version), Batch: string(c.Batch)}
	var names, unfinished []string
	matched := false
	for _, row := range rows {
		key := scoring.AnswerID{Agent: row.Agent, Version: row.AgentVersion, Batch: row.BatchID}
		names = append(names, strings.TrimSpace(report.Agent{Name: row.Agent, Version: row.AgentVersion}.Shown()+" "+row.BatchID))
		if matches := key.Matches(c.answers()); flag == "--run" && matches || flag != "--run" {
			matched = true
			if row.Status != "done" && !slices.Contains(unfinished, row.Status) {
				unfinished = append(unfinished, row.Status)
			}
		}
	}
	if !matched {
		return of, usage("run %s has no such answers; it has those of %s", printable.Short(id), shortList(names))
	}
	if len(unfinished) > 0 {
		fmt.Fprintf(p.stderr, "note: run %s is %s; the figures are of the scores that it holds\n", printable.Short(id), strings.Join(unfinished, ", "))
	}
	return of, nil
}

// shortList names things from data.
func shortList(names []string) string {
	const most = 10
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, printable.Short(n))
	}
	if more := len(names) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// runReport reads a run once and writes it in every form that is asked for.
type runReport struct {
	process
	w       *connectors.Warehouse
	masked  []string
	bar     *progressBar
	summary *evaluation.Summary
	read    int64 // answers
	begun   time.Time
	shown   time.Time
}

func (r *runReport) write(ctx context.Context, c *reportCommand, of, base connectors.OfRun) error {
	names, err := r.w.MetricsOf(ctx, of)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errcode.New(errcode.NotFound, "run %s holds no scores", printable.Short(of.Run))
	}
	metrics := metricsNamed(names)
	mask, err := c.masking(r.masked)
	if err != nil {
		return err
	}
	r.summary = evaluation.SummaryOf(metrics)
	r.summary.Mask = mask
	if r.summary.Status, err = r.status(ctx, of); err != nil {
		return err
	}
	e, err := c.open(ctx, r.process, exportOptions(r.summary, namesOf(metrics)), mask)
	if err != nil {
		return err
	}
	defer e.Drop()
	defer r.bar.finish()
	r.begun = r.now()
	summed := c.JSON || !c.targets().Any() || c.Markdown != "" // figures take memory for each score, exports for one answer
	against := ""
	if summed {
		if against, err = r.readBase(ctx, of, base); err != nil {
			return err
		}
	}
	if summed || e.Any() { // pages read for themselves
		err = r.each(ctx, of, func(a *export.Answer) error {
			if summed {
				r.sum(a)
			}
			e.Add(a)
			return e.Err()
		})
	}
	if err != nil {
		return err
	}
	r.bar.finish()
	if err := r.summary.Close(against); err != nil {
		return err
	}
	if err := e.Finish(r.summary.Figures, export.MarkdownOptions{Run: of.Run, Report: c.HTML}); err != nil {
		return err
	}
	if c.HTML != "" {
		pages := pagesOf{process: r.process, w: r.w, masked: slices.Concat(r.masked, c.Mask), quiet: c.Quiet, run: of.Run, chosen: func(row *connectors.Run) bool {
			return scoring.AnswerID{Agent: row.Agent, Version: row.AgentVersion, Batch: row.BatchID}.Matches(c.answers())
		}, baseline: base.Run, all: c.Cases == "all"}
		if err := pages.write(ctx, c.HTML); err != nil {
			return err
		}
		r.say(c.HTML)
	}
	switch {
	case c.JSON:
		return r.summary.WriteJSON(r.stdout)
	case c.targets().Any():
		return nil
	}
	return r.summary.Render(r.stdout, c.options(r.process))
}

// status is that of the answers of a run that are reported on: done where all are.
func (r *runReport) status(ctx context.Context, of connectors.OfRun) (status string, err error) {
	rows, err := r.w.Runs(ctx, of.Run)
	for _, row := range rows {
		key := scoring.AnswerID{Agent: row.Agent, Version: row.AgentVersion, Batch: row.BatchID}
		if key.Matches(scoring.AnswerID{Agent: of.Agent, Version: of.Version, Batch: of.Batch}) && (status == "" || status == report.RunDone) {
			status = row.Status
		}
	}
	return status, err
}

// readBase sums up the run that is compared with, and returns the agent version that all others are
// compared with; "" where it has several.
func (r *runReport) readBase(ctx context.Context, of, base connectors.OfRun) (string, error) {
	if base.Run == "" {
		return "", nil
	}
	runs, err := r.w.Runs(ctx, of.Run)
	if err != nil {
		return "", err
	}
	compared := map[report.Agent]bool{}
	for _, row := range runs {
		compared[report.Agent{Name: row.Agent, Version: row.AgentVersion}] = true
	}
	versions := map[report.Agent]bool{}
	err = r.each(ctx, base, func(a *export.Answer) error {
		if compared[report.Agent{Name: a.Agent, Version: a.Version}] { // the same version, scored in another run
			a.Version = strings.TrimSpace(a.Version + " (" + a.RunID + ")")
		}
		versions[report.Agent{Name: a.Agent, Version: a.Version}] = true
		r.sum(a)
		return nil
	})
	if err != nil || len(versions) != 1 {
		return "", err
	}
	for a := range versions {
		return a.Name + "@" + a.Version, nil
	}
	return "", nil
}

// each reads the answers of a run.
func (r *runReport) each(ctx context.Context, of connectors.OfRun, f func(*export.Answer) error) error {
	for s, err := range r.w.ScoredAnswers(ctx, of) {
		if err != nil {
			return err
		}
		if err := f(export.Of(of.Run, s.AnswerID, s.Question, s.Scores)); err != nil {
			return err
		}
		r.read++
		if now := r.now(); now.Sub(r.shown) > 200*time.Millisecond {
			r.shown = now
			r.bar.update(batch.Progress{Done: r.read, Rate: float64(r.read) / max(now.Sub(r.begun).Seconds(), 0.001)})
		}
	}
	return nil
}

func (r *runReport) sum(a *export.Answer) {
	rows := make([]batch.Row, len(a.Scores))
	for i := range a.Scores {
		rows[i] = batch.Row{AnswerID: a.AnswerID, Score: a.Scores[i]}
	}
	r.summary.Add(&scoring.Case{ID: a.CaseID, Question: a.Question, Tags: a.Tags, TagsErr: a.TagsErr}, rows)
}

// metricsNamed are metrics in the order of reports. Judges of users, which are not known here, come
// last and have no more than their names.
func metricsNamed(names []string) []scoring.Metric {
	var out []scoring.Metric
	for _, m := range metric.All() {
		if slices.Contains(names, m.Name) {
			out = append(out, m)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(out, func(m scoring.Metric) bool { return m.Name == name }) {
			out = append(out, scoring.Metric{Name: name})
		}
	}
	return out
}

func namesOf(metrics []scoring.Metric) []string {
	out := make([]string, len(metrics))
	for i := range metrics {
		out[i] = metrics[i].Name
	}
	return out
}
