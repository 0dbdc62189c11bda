package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

type runCommand struct {
	Cases  string `placeholder:"FILE" xor:"input" help:"Case file in JSON Lines."`
	Source string `placeholder:"URL" xor:"input" help:"Warehouse to read, such as duckdb:FILE."`
	To     string `placeholder:"URL" help:"Warehouse to write to, such as duckdb:FILE (default the source, or duckdb:scores.duckdb)."`
	Scores string `placeholder:"FILE" help:"File to write the scores to, one a line, in the order of the cases."`
	NoTo   bool   `name:"no-to" help:"Write the scores to no database."`

	Metrics []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default the set named default; all adds those on request, such as counterexample)."`
	Mode    string   `default:"both" enum:"text2sql_only,agentic_only,both" help:"Branches to evaluate: text2sql_only, agentic_only or both (default ${default})."`
	answerFlags
	Strict bool     `help:"Reject unknown keys, dialects, types and metrics in cases."`
	Config string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Judges []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`

	Assessments string `placeholder:"FILE" help:"Recorded judge replies in JSON Lines, used instead of a judge."`
	Backend     string `needs:"assessments" placeholder:"NAME" help:"Backend whose recorded replies are used, such as o3."`

	ID          string `name:"run-id" placeholder:"ID" help:"ID of the new run (default a generated one)."`
	Resume      string `placeholder:"ID" help:"Resume this run. Existing scores are kept, unless the question, its gold or the answer differs now."`
	RetryFailed bool   `needs:"resume" help:"With --resume, score failed cases a second time."`
	Concurrency int    `least:"1" placeholder:"N" help:"Number of cases scored concurrently (default one per processor, or more with a judge)."`
	gateFlags
	changeGateFlags
	FailOnDecline bool `help:"Exit with 1 if the primary metric declines over the batches: a trend or a change point for the worse is found."`
	sentinelFlags
	primaryFlag
	Against string `placeholder:"AGENT@VERSION" help:"Version that all others are compared with (default the version before, and agents of one version with each other)."`
	Quiet   bool   `short:"q" help:"Print no progress."`
	JSON    bool   `help:"Print one JSON document."`
	exportFlags
	executeFlags
	judgeFlags
	terminalFlags
}

// Run scores cases, stores the scores and prints a summary.
func (c *runCommand) Run(ctx context.Context, p process) error {
	if err := c.check(); err != nil {
		return err
	}
	e := runAtWork{process: p, quiet: c.Quiet || c.JSON && !isTerminal(p.stderr), Run: evaluation.Run{
		ID: cmp.Or(c.Resume, c.ID, evaluation.NewID(p.now())), Mode: c.Mode, Version: version(), Concurrency: c.Concurrency,
		RetryFailed: c.RetryFailed, Resumed: c.Resume != "",
		Now: p.now, Notes: p.stderr,
	}}
	closeAll, err := c.open(ctx, &e)
	if err != nil {
		return err
	}
	defer closeAll()
	if err := c.prepare(ctx, &e); err != nil {
		return err
	}
	defer e.judge.Close()
	defer e.closeTraces(ctx)
	defer e.Execution.Close()
	defer e.Exports.Drop()
	working, stop, ended := interruptible(ctx, p.stderr)
	e.Stop = stop
	bar := newProgressBar(p.stderr, e.quiet)
	e.Progress, e.Memory = bar.update, p.boundMemory
	outcome, err := e.Evaluate(judgebackend.WithPayer(working, evaluation.Payer(e.ID)))
	bar.finish()
	ended()
	if err != nil && errcode.Of(err) != errcode.Cancelled {
		return err
	}
	if err == nil && outcome.Done+outcome.Skipped == 0 {
		return c.noCases(ctx)
	}
	if e := e.Summary.Close(c.Against); e != nil {
		return e
	}
	if err == nil {
		e.sentinelErr = c.sentinels(judgebackend.WithPayer(ctx, evaluation.Payer(e.ID)), &e)
	}
	if e := e.CompareBatches(context.WithoutCancel(ctx)); e != nil {
		return e
	}
	said, reached, gateErr := c.gatesOf(ctx, &e)
	e.Summary.Figures.Gates = report.GateLines(said)
	if e := e.Export(ctx, c.HTML); e != nil {
		return e
	}
	if c.HTML != "" {
		pages := pagesOf{process: p, w: e.Warehouse, masked: e.masked, quiet: e.quiet, run: e.ID, of: c.answers(),
			primary: e.Summary.Declared(), since: e.since}
		if pages.snapshots = e.snapshots; c.readAgain() {
			pages.cases = e.Source
		}
		if e := pages.write(context.WithoutCancel(ctx), c.HTML); e != nil {
			return e
		}
		p.say(c.HTML)
	}
	if e := c.print(p, e.Summary); e != nil {
		return e
	}
	e.PrintSummary(outcome)
	if err != nil {
		if said != "" {
			fmt.Fprintln(e.stderr, "gates not decided: the run has not ended")
		}
		return errcode.New(errcode.Of(err), "%w; resume with --resume %s", err, printable.Shell(e.ID))
	}
	fmt.Fprint(e.stderr, said)
	if err := e.noneRead(outcome); err != nil {
		e.Warn()
		return err
	}
	if err = gateErr; err == nil && !reached {
		err = errGate
	}
	e.Warn()
	if err == nil && outcome.Skipped == 0 {
		for _, tag := range e.Engine.UnseenTags() {
			fmt.Fprintf(e.stderr, "! judge.by_tag: no case of this run has the tag %s\n", printable.Short(tag))
		}
	}
	if outcome.Unread > 0 {
		fmt.Fprintf(e.stderr, "!! %s could not be read: the reasons of their scores say why, and the exit code is not 0\n",
			printable.Count(outcome.Unread, "answer"))
		err = cmp.Or(err, errLost)
	}
	if e.Execution != nil && e.Execution.NoneRan() {
		fmt.Fprintln(e.stderr, "!! no query ran, so metrics of results have no value: is --execute the right URL, and the "+
			"database of the cases right?")
		err = cmp.Or(err, errLost)
	}
	err = cmp.Or(err, e.sendEvaluations(ctx))
	if err == nil {
		err = e.noValue(outcome)
	}
	return err
}

// noneRead returns an error if scores failed and none has a value, or none that needs a result. Otherwise a run whose
// results cannot be read, such as with references to missing files, would succeed by its metrics of SQL text.
func (e *runAtWork) noneRead(outcome batch.Outcome) error {
	all := printable.Count(outcome.Done+outcome.Skipped, "answer")
	switch {
	case outcome.Failed > 0 && !e.Summary.AnyScored():
		return errcode.New(errcode.InvalidArgument, "none of the %s could be scored", all)
	case (e.Execution == nil || !e.Execution.NoneRan()) && e.Summary.NoResultRead(e.Engine.Metrics()):
		return errcode.New(errcode.InvalidArgument, "no result of the %s could be read, so metrics of results have no value; "+
			"the reasons of their scores say why", all)
	}
	return nil
}

// noValue returns an error if no score of the run has a value although none failed, or if no gold query ran. A run
// without a gate would otherwise succeed although nothing was measured.
func (e *runAtWork) noValue(outcome batch.Outcome) error {
	switch {
	case e.Execution != nil && e.Execution.NoGoldRan():
		return errcode.New(errcode.InvalidArgument, "no gold query ran, so metrics of results have no value: expected --execute "+
			"with the database that the gold queries were written for, and in its dialect")
	case e.Summary.AnyScored():
		return nil
	}
	hint := ""
	if e.Execution == nil {
		hint = "; if the cases have queries and no results, --execute URL runs the queries"
	}
	return errcode.New(errcode.InvalidArgument, "no score of the %s has a value; the summary says why%s",
		printable.Count(outcome.Done+outcome.Skipped, "answer"), hint)
}

// check returns a usage error if flags exclude each other.
func (c *runCommand) check() error {
	switch {
	case c.Cases == "" && c.Source == "":
		return usage("expected --cases FILE or --source URL")
	case isWarehouse(c.Cases):
		return usage("--cases: expected a file, found a URL; write --source %s", printable.Shell(c.Cases))
	case strings.HasSuffix(c.Source, ".jsonl") && !strings.Contains(c.Source, ":"):
		return usage("--source: expected a URL such as duckdb:FILE, found a file; write --cases %s", printable.Shell(c.Source))
	case c.Resume != "" && c.ID != "" && c.ID != c.Resume:
		return usage("--resume and --run-id: different runs; expected one of the flags")
	case c.To == "none":
		return usage("--to none: expected a URL such as duckdb:scores.duckdb; --no-to keeps no scores in a database")
	case c.NoTo && c.To != "":
		return usage("--to and --no-to: expected one of the flags")
	case c.Since != "" && c.Sentinels == "" && !c.FailOnDrift && c.Config == "":
		return usage("--since has no effect without --sentinels FILE or --fail-on-drift")
	case c.NoTo && (c.Sentinels != "" || c.FailOnDrift):
		return usage("--sentinels, --fail-on-drift: verdicts are compared in the database that the scores go to; leave --no-to out")
	}
	return c.checkExports()
}

// print prints the summary, unless an export goes to standard output.
func (c *runCommand) print(p process, s *evaluation.Summary) error {
	switch {
	case c.JSON:
		return s.WriteJSON(p.stdout)
	case c.targets().Printed():
		return nil
	}
	if err := s.Render(p.stdout, c.options(p)); err != nil || s.Figures.Sentinels == nil {
		return err
	}
	fmt.Fprintln(p.stdout)
	return report.RenderDrift(p.stdout, s.Figures.Sentinels, c.options(p))
}

// readAgain reports whether the report's pages should read the cases from their source a second time: from a regular
// file, or from a database other than that of the scores. A pipe can be read only once.
func (c *runCommand) readAgain() bool {
	if c.Cases == "" {
		return c.To != "" && c.To != c.Source
	}
	info, err := os.Stat(c.Cases)
	return err == nil && info.Mode().IsRegular()
}

// noCases returns the error for a run without cases. It is an error because a gate over no cases would pass.
func (c *runCommand) noCases(ctx context.Context) error {
	of := c.named()
	switch {
	case c.Cases != "" && len(of) == 0:
		return errcode.New(errcode.NotFound, "no cases in the file %q", c.Cases)
	case c.Cases != "":
		return errcode.New(errcode.NotFound, "no cases of %[2]s in the file %[1]q%[3]s", c.Cases, strings.Join(of, ", "),
			c.answersInFile(ctx))
	case len(of) == 0:
		return errcode.New(errcode.NotFound, "there are no cases: badger.agent_runs holds no answers")
	}
	return errcode.New(errcode.NotFound, "there are no cases: badger.agent_runs holds no answers of %s",
		strings.Join(of, ", "))
}

// answersInFile returns the end of an error about answers that the case file lacks: the names of those that it has.
func (c *runCommand) answersInFile(ctx context.Context) string {
	if !c.readAgain() {
		return ""
	}
	file, err := cases.OpenFile("--cases", c.Cases, store.Filter{})
	if err != nil {
		return ""
	}
	var there []string
	for item, err := range file.Source.Cases(ctx) {
		if name := item.AnswerID.Of(); err == nil && name != "" && !slices.Contains(there, name) {
			there = append(there, name)
		}
	}
	if len(there) == 0 {
		return "; its answers have no names"
	}
	return "; it has those of " + printable.List(there)
}

// asks reports whether the metric with a name asks the judge.
func (e *runAtWork) asks(name string) bool {
	m, err := e.Engine.Metric(name)
	return err == nil && e.Engine.AsksJudge(m)
}

// prepare reads the configuration, and creates the engine and its judge.
func (c *runCommand) prepare(ctx context.Context, e *runAtWork) error {
	config, err := readConfig(c.Config, e.process)
	if err != nil {
		return err
	}
	with := c.judged
	if e.submitted != nil {
		with = c.judgeFlags.over // its budget is for the judge that the server may have
	}
	if config.Judge, err = with(config.Judge); err != nil {
		return err
	}
	config.Judge.AskAgain = config.Judge.AskAgain || c.RetryFailed
	e.snapshots.Allow(config.Results.Files)
	var snapshots scoring.SnapshotReader = e.snapshots
	if e.submitted != nil {
		if snapshots, err = e.restrict(&config); err != nil {
			return err
		}
	}
	if e.Config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	if err := e.SameConfiguration(); err != nil {
		return err
	}
	judged := e.judging()
	judged.Scores, judged.Missed = e.Warehouse, e.missed
	if err := e.openTelemetry(ctx, config.Traces); err != nil {
		return err
	}
	judged.Tracer = e.traces.Tracer()
	judged.Opened = func(err error) {
		fmt.Fprintf(e.stderr, "\n%v\nThe judge is not asked for a while; scores that need it fail, and --resume ID --retry-failed scores them again.\n", err)
	}
	metrics, err := withJudges(ctx, append(config.Judges, c.Judges...), e.judges...)
	if err = cmp.Or(err, c.judgesMetrics(metrics)); err != nil {
		return err
	}
	e.judge, err = config.Judge.Open(ctx, judged)
	if err != nil {
		return err
	}
	if e.judge != nil {
		e.Judge = e.judge
	}
	if err := e.PayEarlier(ctx); err != nil {
		return err
	}
	if c.Concurrency == 0 && config.Judge.Concurrency > 0 {
		// some read and store while others wait for the judge
		e.Concurrency = config.Judge.Concurrency + config.Judge.Concurrency/2
	}
	recorded, err := evaluation.OpenRecorded(ctx, c.Assessments, c.Backend)
	if err != nil {
		return err
	}
	o := scoring.EngineOptions{Snapshots: snapshots, Judge: e.judge.Backend(), Judges: e.judge.ByMetric(),
		ByTag: e.judge.ByTag(), NoReply: judging.NoReply(judged.Log),
		Config: e.Config}
	if recorded != nil {
		o.Replies = recorded.Replies
		e.Recorded = recorded
	}
	if e.Engine, err = scoring.NewEngine(metrics, &o); err != nil {
		return errcode.AsUsage(err)
	}
	if c.Strict {
		e.Source = cases.Strict(e.Source, e.Engine.Strict)
	}
	if e.Metrics, err = evaluation.ChooseMetrics(e.Engine, c.Metrics, c.Mode,
		func(m *scoring.Metric) bool { return e.Engine.HasJudge(m.Name) || recorded.Answers(m) }); err != nil {
		return err
	}
	if err := e.SameMetrics(); err != nil {
		return err
	}
	if c.Judge != "" && config.Judge.Asked() && !slices.ContainsFunc(e.Metrics, e.asks) {
		fmt.Fprintln(e.stderr, "note: none of the metrics asks the judge; --metrics verdict does")
	}
	if e.sentinel, err = c.sentinelFlags.prepare(e, &config, metrics); err != nil {
		return err
	}
	if e.gates, err = c.gates(config.Gates, e.Metrics, "this run"); err != nil {
		return err
	}
	if err := c.dropsAreScored(e.Metrics); err != nil {
		return err
	}
	for _, g := range e.gates {
		if m, err := e.Engine.Metric(g.Metric); err == nil && g.Least != nil {
			if err := m.Within(*g.Least); err != nil {
				return usage("--fail-under: %s: %w", g.Metric, err)
			}
		}
	}
	if e.Execution, err = c.executeFlags.open(config.Execute, e.process, e.Resumed, c.written(), c.Source); err != nil {
		return err
	}
	primary, err := c.among(config.Metrics, e.Metrics, metrics)
	if err != nil {
		return err
	}
	e.Summary, e.masked = evaluation.NewSummary(e.Engine, e.Metrics, primary), slices.Concat(config.Report.Masked, c.Mask)
	if e.Summary.Mask, err = c.masking(config.Report.Masked); err != nil {
		return err
	}
	if e.Exports, err = c.exportFlags.open(ctx, e.process,
		e.Summary.ExportOptions(evaluation.MetricsNamed(slices.Sorted(slices.Values(e.Metrics))), version()),
		e.Summary.Mask); err != nil {
		return err
	}
	if e.Exports.Any() && c.Cases != "" && e.Exports.Places == nil {
		p := export.Placed(e.Source, c.Cases)
		e.Source, e.Exports.Places = p, p
	}
	return nil
}

// written returns the URL of the database that the scores are written to, or "" with --no-to.
func (c *runCommand) written() string {
	switch {
	case c.NoTo:
		return ""
	case c.Source != "":
		return cmp.Or(c.To, c.Source)
	}
	return cmp.Or(c.To, "duckdb:scores.duckdb")
}

// open opens the source of the cases and the database for the scores. The returned function closes both.
func (c *runCommand) open(ctx context.Context, e *runAtWork) (_ func(), err error) {
	var closers []func()
	closeAll := func() {
		for _, f := range slices.Backward(closers) {
			f()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	to := c.written()
	one := to != "" && to == c.Source // the database of the cases takes the scores, too
	into := func(w *store.Store) error {
		e.Warehouse = w
		if err := e.Begin(ctx, c.Scores); err != nil {
			return err
		}
		if e.ScoreFile != nil {
			closers = append(closers, func() { _ = e.ScoreFile.Close() })
		}
		return c.selected(e)
	}
	written := func() error {
		w, err := c.openWritten(ctx, to)
		if err != nil {
			return err
		}
		if w != nil {
			closers = append(closers, func() { _ = w.Close() })
		}
		return into(w)
	}
	if e.Resumed && !one { // the run says which cases to open
		if err := written(); err != nil {
			return nil, err
		}
	}
	in, err := openCases(ctx, e.process, cases.Place{Flag: "--cases", File: c.Cases, URL: c.Source}, c.answerFlags,
		func(ctx context.Context, url string) (*store.Store, error) {
			if !one {
				return openToRead(ctx, url)
			}
			w, err := openStore(ctx, url, true)
			return installed(ctx, w, err)
		})
	if err != nil {
		return nil, err
	}
	closers = append(closers, in.Close)
	e.Source, e.snapshots, e.judges = in.Source, in.Snapshots, in.Warehouses()
	switch {
	case one:
		if err := into(in.Tables.Tables); err != nil {
			return nil, err
		}
		in.Tables.Filter = c.filter()
		return closeAll, nil
	case !e.Resumed:
		if err := written(); err != nil {
			return nil, err
		}
	}
	if e.Warehouse != nil {
		e.judges = append(e.judges, e.Warehouse)
		if e.snapshots.Warehouse == nil {
			e.snapshots.Warehouse = e.Warehouse
		}
	}
	return closeAll, nil
}

// files returns the database that the scores are written to, which is in the current folder by default.
func (c *runCommand) files() []string { return []string{c.written()} }

// openWritten opens the database at to, which the scores are written to, and creates it for a new run; nil if there is
// none.
func (c *runCommand) openWritten(ctx context.Context, to string) (*store.Store, error) {
	if to == "" {
		return nil, nil //nolint:nilnil // --no-to
	}
	w, err := openStore(ctx, to, c.Resume != "")
	if w, err = installed(ctx, w, err); err != nil && c.Resume != "" && errcode.Of(err) == errcode.NotFound {
		return w, errcode.New(errcode.NotFound, "--resume: %w; expected the database of the run in --to", err)
	}
	if err != nil && c.To != "" {
		hint := ""
		if errcode.Of(err) == errcode.DataLoss { // such as a file of CSV
			hint = "; --scores FILE writes scores to a file"
		}
		err = errcode.New(errcode.Of(err), "--to: %w%s", err, hint)
	}
	return w, err
}

// selected sets which answers the run scores: those of the flags, or those of the run that is resumed.
func (c *runCommand) selected(e *runAtWork) (err error) {
	given := evaluation.Selection{By: c.answers().By, SetVersion: string(c.SetVersion)}
	if e.Resumed {
		if given, err = e.Resume(given, c.Metrics); err != nil {
			return err
		}
		c.Metrics = e.ResumedMetrics(c.Metrics)
	} else {
		e.Select(given)
	}
	c.Agent, c.Version, c.Batch = chosen(given.Agent), chosen(given.Version), chosen(given.Batch)
	c.SetVersion, e.Chosen = setVersion(given.SetVersion), c.answers()
	return nil
}

// runAtWork is a run with the resources that the command opened for it.
type runAtWork struct {
	evaluation.Run
	process
	quiet     bool
	snapshots snapshots
	judge     *judging.Judges // nil: no judge calls
	judges    []*store.Store  // warehouses whose promoted judges are used
	masked    []string        // result columns to mask
	gates     []gate.Gate

	submitted *submission.Submission // the submission that the run is of; nil: none
	missed    missedCall             // not nil: the run only estimates, see [judging.Env]
	sentinel  *sentinelWork          // nil: the judges are not asked about sentinel cases
	// sentinelErr says why the judges were not compared. It does not lose the report of the run.
	sentinelErr error
	since       time.Time // earlier verdicts on sentinel cases are ignored; zero: none

	evaluations *telemetry.Evaluations // the collector that scores are sent to; nil: none
	traces      *telemetry.Traces      // spans of judge calls; nil: none
}

// interruptible returns a context that the second interrupt cancels. The first one closes stop, so that cases in
// progress can finish. The caller must call ended after its work.
func interruptible(ctx context.Context, notes io.Writer) (_ context.Context, stop <-chan struct{}, ended func()) {
	ctx, cut := context.WithCancel(ctx)
	stopped := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(notes, "\nstopping: cases in flight may finish; interrupt again to cut them")
		close(stopped)
		select {
		case <-signals:
			cut()
		case <-ctx.Done():
		}
	}()
	return ctx, stopped, func() { signal.Stop(signals); cut() }
}

// gatesOf returns the messages about the gates of the run, one a line, and reports whether it passes all of them.
func (c *runCommand) gatesOf(ctx context.Context, e *runAtWork) (said string, reached bool, err error) {
	lines, reached := e.Summary.Figures.Check(e.gates)
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintln(&b, printable.Text(l))
	}
	gates, err := c.changeGates()
	if err != nil {
		return b.String(), reached, err
	}
	all, err := e.Drops(ctx, &b, gates, c.FailOnDecline)
	lines, unchanged := c.driftFlags.passes(e.Summary.Figures.Sentinels)
	for _, l := range lines {
		fmt.Fprintln(&b, printable.Text(l))
	}
	if e.sentinelErr != nil {
		fmt.Fprintf(&b, "warning: the judges were not compared on the sentinel cases: %s\n", printable.Text(e.sentinelErr.Error()))
		unchanged = false
	}
	return b.String(), reached && all && unchanged, err
}

// checkExports returns a usage error if an export needs a database but --no-to is set, or if two outputs go to the same
// file.
func (c *runCommand) checkExports() error {
	if c.targets().Any() && c.Resume != "" && c.NoTo {
		return usage("exports with --resume: expected a database with the whole run; remove --no-to")
	}
	if c.HTML != "" && c.NoTo {
		return usage("--html: expected a database, which the pages are written from; remove --no-to")
	}
	printed := ""
	if c.JSON {
		printed = "--json"
	}
	return c.checkTargets(printed)
}
