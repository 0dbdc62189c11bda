package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

type runCommand struct {
	Cases  string `placeholder:"FILE" xor:"input" help:"Cases in JSON Lines, one a line."`
	Source string `placeholder:"URL" xor:"input" help:"A warehouse with golden_set and agent_runs, such as duckdb:FILE."`
	To     string `placeholder:"URL" help:"Where the scores are written: duckdb:FILE. By default the source, or duckdb:scores.duckdb."`
	Scores string `placeholder:"FILE" help:"Also write the scores here, one a line, in the order of the cases."`
	NoTo   bool   `name:"no-to" help:"Write the scores to no database."`

	Metrics []string `placeholder:"A,B" help:"Metrics to compute. default stands for those computed without this flag, all for these and those that are only computed on request (counterexample)."`
	Mode    string   `default:"both" enum:"text2sql_only,agentic_only,both" help:"Which branch to evaluate: text2sql_only, agentic_only or both."`
	answerFlags
	Config string   `placeholder:"FILE" help:"Options and thresholds of metrics, in YAML."`
	Judges []string `placeholder:"FILE,…" help:"Judge files to use besides the promoted judges of --source and --to."`

	Assessments string `placeholder:"FILE" help:"Recorded assessments (JSON Lines): their replies answer in place of the judge."`
	Backend     string `placeholder:"NAME" help:"Whose assessments, where the file holds several backends', such as o3."`

	ID          string `name:"run-id" placeholder:"ID" help:"Name of the run; a new one by default."`
	Resume      string `placeholder:"ID" help:"Go on with this run: what it holds is not scored again."`
	RetryFailed bool   `help:"With --resume, score again what failed."`
	Concurrency int    `placeholder:"N" help:"Cases scored at the same time; one for each processor by default."`
	gateFlags
	FailOnDrop []string `placeholder:"M=V" help:"Exit with 1 if the mean of metric M dropped by V or more since the batch before, in the database that the scores go to, and a paired test shows it at 0.05, or if it cannot be compared. May be given several times."`
	Against    string   `placeholder:"AGENT@VERSION" help:"Compare all others with this version of this agent. By default versions of one agent are compared in turn, and agents of one version with each other."`
	Quiet      bool     `short:"q" help:"No progress."`
	JSON       bool     `help:"Print one JSON document."`
	exportFlags
	executeFlags
	judgeFlags
	terminalFlags
}

// Run evaluates.
func (c *runCommand) Run(ctx context.Context, p process) error {
	if c.Cases == "" && c.Source == "" {
		return usage("expected --cases FILE or --source URL")
	}
	if c.Resume != "" && c.ID != "" && c.ID != c.Resume {
		return usage("--resume and --run-id name two runs")
	}
	if c.NoTo && c.To != "" {
		return usage("--to and --no-to: the scores go to a database or to none, expected one of the two")
	}
	if err := c.checkExports(); err != nil {
		return err
	}
	e := evaluation{
		process: p, run: firstOf(c.Resume, c.ID), mode: c.Mode, concurrency: c.Concurrency, retryFailed: c.RetryFailed, resumed: c.Resume != "", chosen: c.answers(),
		quiet: c.Quiet || c.JSON && !isTerminal(p.stderr),
	}
	if e.run == "" {
		e.run = newRunID(p.now())
	}
	closeAll, err := c.open(ctx, &e)
	if err != nil {
		return err
	}
	defer closeAll()
	if err := c.prepare(ctx, &e); err != nil {
		return err
	}
	defer e.judge.Close()
	defer e.execution.Close()
	defer e.exports.drop()
	outcome, err := e.evaluate(judgebackend.WithPayer(ctx, payer(e.run)))
	if err != nil && errcode.Of(err) != errcode.Cancelled {
		return err
	}
	if err == nil && outcome.Done+outcome.Skipped == 0 {
		return c.noCases()
	}
	if e := e.summary.close(c.Against); e != nil {
		return e
	}
	if e := e.export(ctx, c.HTML); e != nil {
		return e
	}
	if c.HTML != "" {
		pages := pagesOf{process: p, w: e.warehouse, masked: e.masked, quiet: e.quiet, run: e.run, chosen: func(row *connectors.Run) bool {
			return scoring.AnswerID{Agent: row.Agent, Version: row.AgentVersion, Batch: row.BatchID}.Matches(c.answers())
		}}
		if pages.snapshots = e.snapshots; c.readAgain() {
			pages.cases = e.source
		}
		if e := pages.write(context.WithoutCancel(ctx), c.HTML); e != nil {
			return e
		}
		p.say(c.HTML)
	}
	switch {
	case c.JSON:
		if e := e.summary.writeJSON(p.stdout); e != nil {
			return e
		}
	case !c.printed():
		if e := e.summary.render(p.stdout, c.options(p)); e != nil {
			return e
		}
	}
	e.say(outcome)
	if err != nil {
		return errcode.New(errcode.Of(err), "%w; go on with --resume %s", err, e.run)
	}
	if outcome.Done > 0 && outcome.Failed == outcome.Done && !e.summary.anyValue() {
		e.warn()
		return errcode.New(errcode.InvalidArgument, "none of the %s could be scored", amount.Of(outcome.Done, "answer"))
	}
	err = e.gates.check(e.summary.figures, e.stderr)
	if drop := c.checkDrops(ctx, &e); drop != nil && (err == nil || !errors.Is(drop, errGate)) {
		err = drop
	}
	e.warn()
	if outcome.Unread > 0 {
		fmt.Fprintf(e.stderr, "!! %s could not be read: the scores say why, and the exit code is not 0\n", amount.Of(outcome.Unread, "answer"))
		err = cmp.Or(err, errLost)
	}
	return err
}

// readAgain tells whether the cases of the run can be read again, and are not in the database that it is
// stored in. A pipe gives what it holds once.
func (c *runCommand) readAgain() bool {
	if c.Cases == "" {
		return c.To != "" && c.To != c.Source
	}
	info, err := os.Stat(c.Cases)
	return err == nil && info.Mode().IsRegular()
}

// noCases is the error of a run that found nothing to score: a gate over nothing would pass.
func (c *runCommand) noCases() error {
	of := c.named()
	switch {
	case c.Cases != "" && len(of) == 0:
		return errcode.New(errcode.NotFound, "there are no cases: the file %q holds none", filepath.Base(c.Cases))
	case c.Cases != "":
		return errcode.New(errcode.NotFound, "there are no cases: the file %q holds none of %s", filepath.Base(c.Cases), strings.Join(of, ", "))
	case len(of) == 0:
		return errcode.New(errcode.NotFound, "there are no cases: badger.agent_runs holds no answers")
	}
	return errcode.New(errcode.NotFound, "there are no cases: badger.agent_runs holds no answers of %s", strings.Join(of, ", "))
}

// prepare reads the configuration and makes the engine with its judge.
func (c *runCommand) prepare(ctx context.Context, e *evaluation) error {
	config, err := readConfig(c.Config, e.process)
	if err != nil {
		return err
	}
	if config.Judge, err = c.judgeFlags.over(config.Judge); err != nil {
		return err
	}
	config.Judge.AskAgain = config.Judge.AskAgain || c.RetryFailed
	e.snapshots.allow(config)
	if e.config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	for _, r := range e.earlier {
		if what := otherConfiguration(r.Config, toJSON(e.config)); what != "" {
			return usage("--resume: run %.80q was made with another configuration (%s), and a run has one; give the same configuration, or begin a new run", e.run, what)
		}
	}
	e.judge, err = config.Judge.open(ctx, judgeSurroundings{
		process: e.process, scores: e.warehouse, log: slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		opened: func(err error) {
			fmt.Fprintf(e.stderr, "\n%v\nThe judge is not asked for a while; scores that need it fail, and --resume ID --retry-failed scores them again.\n", err)
		},
	})
	if err != nil {
		return err
	}
	if err := e.payEarlier(ctx); err != nil {
		return err
	}
	if c.Concurrency == 0 && config.Judge.Concurrency > 0 {
		e.concurrency = config.Judge.Concurrency + config.Judge.Concurrency/2 // some read and store while others wait for the judge
	}
	recorded, err := openAssessments(ctx, c.Assessments, c.Backend)
	if err != nil {
		return err
	}
	o := scoring.EngineOptions{Counterexamples: smallDatabases, Snapshots: e.snapshots, Judge: e.judge.Backend(), Judges: e.judge.Judges(), Config: e.config}
	if recorded != nil {
		o.Replies = recorded.Replies
		e.recorded, e.cases = recorded, map[string]bool{}
	}
	metrics, err := withJudges(ctx, append(config.Judges, c.Judges...), e.judges...)
	if err != nil {
		return err
	}
	if e.engine, err = scoring.NewEngine(metrics, &o); err != nil {
		return usageError{err}
	}
	if e.metrics, err = chooseMetrics(e.engine, c.Metrics, c.Mode, func(m *scoring.Metric) bool { return e.engine.HasJudge(m.Name) || recorded.answers(m) }); err != nil {
		return err
	}
	if e.recorded != nil {
		e.recorded.metrics = e.metrics
	}
	if e.gates, err = c.gates(config.Gates, e.metrics, "this run"); err != nil {
		return err
	}
	if err := c.dropsAreScored(e.metrics); err != nil {
		return err
	}
	for _, g := range e.gates {
		if m, err := e.engine.Metric(g.metric); err == nil && g.least != nil {
			if err := m.Within(*g.least); err != nil {
				return usage("--fail-under: %s: %w", g.metric, err)
			}
		}
	}
	if e.execution, err = c.executeFlags.open(config.Execute, e.process, e.resumed, c.written(), c.Source); err != nil {
		return err
	}
	e.summary, e.masked = newRunSummary(e.engine, e.metrics), slices.Concat(config.Report.Masked, c.Mask)
	if e.summary.mask, err = c.masking(config.Report.Masked); err != nil {
		return err
	}
	if e.exports, err = c.exportFlags.open(ctx, e.process, exportOptions(e.summary, namesOf(metricsNamed(slices.Sorted(slices.Values(e.metrics))))), e.summary.mask); err != nil {
		return err
	}
	if e.exports.any() && c.Cases != "" && e.exports.places == nil {
		p := placed(e.source, c.Cases)
		e.source, e.exports.places = p, p
	}
	return nil
}

// written is the URL of the database that scores go to; empty for none.
func (c *runCommand) written() string {
	switch {
	case c.NoTo:
		return ""
	case c.Source != "":
		return firstOf(c.To, c.Source)
	}
	return firstOf(c.To, "duckdb:scores.duckdb")
}

// open opens where the cases come from and where the scores go.
func (c *runCommand) open(ctx context.Context, e *evaluation) (_ func(), err error) {
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
	to := c.To
	if c.Cases != "" {
		if e.source, e.snapshots, err = caseFile("--cases: ", c.Cases, c.answerFlags); err != nil {
			return nil, err
		}
		to = firstOf(to, "duckdb:scores.duckdb")
	}
	var source *connectors.Warehouse
	same := c.Source != "" && (to == "" || to == c.Source)
	if c.Source != "" {
		var w *connectors.Warehouse
		if same && !c.NoTo {
			w, err = openStore(ctx, c.Source, true)
		} else {
			w, err = openWarehouse(ctx, c.Source, readOnly)
		}
		if err != nil {
			return nil, err
		}
		closers = append(closers, func() { _ = w.Close() })
		source = w
		e.judges = append(e.judges, w)
		e.snapshots.warehouse = w
		if same {
			e.warehouse = w
		}
	}
	if !same && !c.NoTo {
		if e.warehouse, err = openStore(ctx, to, false); err != nil {
			return nil, err
		}
		closers = append(closers, func() { _ = e.warehouse.Close() })
		if e.snapshots.warehouse == nil {
			e.snapshots.warehouse = e.warehouse
		}
	}
	if c.NoTo {
		e.warehouse = nil
	}
	if e.warehouse != nil {
		if err := e.warehouse.Install(ctx); err != nil {
			return nil, err
		}
		if !same {
			e.judges = append(e.judges, e.warehouse)
		}
	}
	if source != nil {
		if e.source, err = newWarehouseSource(ctx, e.process, source, c.filter()); err != nil {
			return nil, err
		}
	}
	if err := c.checkRun(ctx, e); err != nil {
		return nil, err
	}
	if c.Scores != "" {
		open := batch.CreateScoreFile
		if c.Resume != "" {
			open = batch.OpenScoreFile
		}
		f, err := open(c.Scores)
		if err != nil {
			return nil, err
		}
		e.scoreFile = f
		closers = append(closers, func() { _ = f.Close() })
	}
	return closeAll, nil
}

// otherConfiguration names what differs between two configurations of metrics in JSON, such as
// thresholds.hybrid_ex; "" where nothing does, or the first is not recorded. Warehouses may write
// JSON anew.
func otherConfiguration(was, is string) string {
	var a, b map[string]map[string]any
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil {
		return ""
	}
	for _, part := range slices.Sorted(maps.Keys(merged(a, b))) {
		for _, metric := range slices.Sorted(maps.Keys(merged(a[part], b[part]))) {
			if !reflect.DeepEqual(a[part][metric], b[part][metric]) {
				return part + "." + metric
			}
		}
	}
	return ""
}

// merged has the keys of both maps.
func merged[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, b)
	return out
}

// checkRun makes sure that a run that is resumed is there, and that a new one is new.
func (c *runCommand) checkRun(ctx context.Context, e *evaluation) error {
	if e.warehouse == nil {
		if c.Resume == "" {
			return nil
		}
		if info, err := os.Stat(c.Scores); c.Scores == "" || err != nil || info.Size() == 0 {
			return usage("--resume: nothing holds scores of run %q: with --no-to they are read from the file of --scores, which must be there", c.Resume)
		}
		return nil
	}
	runs, err := e.warehouse.Runs(ctx, e.run)
	if err != nil {
		return err
	}
	there := len(runs) > 0
	for _, err := range e.warehouse.Scores(ctx, e.run) {
		if err != nil {
			return err
		}
		there = true
		break
	}
	switch {
	case c.Resume != "" && !there:
		latest, err := e.warehouse.LatestRuns(ctx, 5)
		if err != nil {
			return err
		}
		if len(latest) == 0 {
			return usage("--resume: there is no run %.80q; the database holds no runs", c.Resume)
		}
		return usage("--resume: there is no run %.80q; the latest runs are %s", c.Resume, strings.Join(latest, ", "))
	case c.Resume == "" && there:
		return usage("--run-id: run %.80q is there already; go on with it by --resume %[1]s, or choose another name", e.run)
	}
	e.earlier = map[connectors.Run]connectors.Run{}
	for _, r := range runs {
		e.earlier[keyOf(r)] = r
	}
	return nil
}

// keyOf is the key of a row of eval_runs.
func keyOf(r connectors.Run) connectors.Run {
	return connectors.Run{ID: r.ID, Agent: r.Agent, AgentVersion: r.AgentVersion, BatchID: r.BatchID}
}

// modes are the branches that each mode evaluates (BADGER, section 3.2); metrics declare theirs.
var modes = map[string]scoring.Branch{
	"text2sql_only": scoring.BranchSQL, "agentic_only": scoring.BranchAgentic, "both": scoring.BranchSQL | scoring.BranchAgentic,
}

// chooseMetrics checks the named metrics, or names those of the mode: of those that need a judge,
// the ones that judged says somebody can answer.
func chooseMetrics(engine *scoring.Engine, named []string, mode string, judged func(*scoring.Metric) bool) ([]string, error) {
	metrics, err := engine.Choose(named, func(m *scoring.Metric) bool {
		return m.Branch&modes[mode] != 0 && (m.Needs&scoring.FieldJudge == 0 || judged(m))
	})
	if err != nil {
		return nil, usageError{err}
	}
	out := make([]string, len(metrics))
	for i, m := range metrics {
		out[i] = m.Name
	}
	return out, nil
}

// evaluation is one run: what it needs, and what comes out.
type evaluation struct {
	process
	run         string
	mode        string
	concurrency int
	retryFailed bool
	resumed     bool             // the run has been begun before
	chosen      scoring.AnswerID // the pattern of the answers to score
	quiet       bool
	config      scoring.Config
	judge       *judging        // nil: nobody is asked
	recorded    *recorded       // recorded assessments that answer; nil: none do
	cases       map[string]bool // that were gone through, where assessments were recorded
	engine      *scoring.Engine
	metrics     []string
	snapshots   snapshots
	source      batch.Source
	execution   *executionAtWork        // nil: no query is run
	warehouse   *connectors.Warehouse   // nil: scores go to no database
	scoreFile   *batch.ScoreFile        // nil: to no file
	judges      []*connectors.Warehouse // that promoted judges are taken from

	summary *runSummary
	exports *exports // nil: none
	masked  []string // columns of results that nothing shows
	gates   gates
	started time.Time
	unread  [][]batch.Row                     // scores of answers of tables that could not be read, whose questions are to be looked up
	begun   map[connectors.Run]bool           // rows of eval_runs that are written
	answers map[connectors.Run]*tally         // by the key of eval_runs
	earlier map[connectors.Run]connectors.Run // the rows of a run that is resumed, by their key
}

// tally is what came of one version's answers.
type tally struct {
	statuses map[scoring.Status]int64
	usage    asked
}

// evaluate runs until the end, or until it is interrupted: the first signal lets the cases in
// flight finish, the second cuts them.
func (e *evaluation) evaluate(ctx context.Context) (batch.Outcome, error) {
	if e.getenv("GOGC") == "" { // a run of 100,000 cases stays within 300 MB, for a sixth more of the processor
		defer debug.SetGCPercent(debug.SetGCPercent(50))
	}
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(e.stderr, "\nstopping: cases in flight may finish; interrupt again to cut them")
		close(stop)
		select {
		case <-signals:
			cut()
		case <-ctx.Done():
		}
	}()
	var ledgers []batch.Ledger
	if e.warehouse != nil {
		ledgers = append(ledgers, warehouseLedger{e.warehouse.ScoreWriter(e.run, e.config.Hash()), e.now, e.begin})
	}
	if e.scoreFile != nil {
		ledgers = append(ledgers, e.scoreFile)
	}
	ledger := batch.Discard
	if len(ledgers) > 0 {
		ledger = batch.Tee(ledgers...)
	}
	e.started, e.begun, e.answers = e.now(), map[connectors.Run]bool{}, map[connectors.Run]*tally{}
	for _, r := range e.earlier {
		if !r.Started.IsZero() && r.Started.Before(e.started) {
			e.started = r.Started
		}
	}
	if e.summary == nil {
		e.summary = newRunSummary(e.engine, e.metrics)
	}
	bar := newProgressBar(e.stderr, e.quiet)
	runner := batch.Runner{
		Engine: e.engine, Metrics: e.metrics, Concurrency: e.concurrency, RetryFailed: e.retryFailed, Ordered: e.scoreFile != nil || e.exports.any(),
		Stop: stop, Now: e.now, Progress: bar.update, Held: e.held, Skipped: e.summary.describe,
	}
	var lost error // of looking up questions
	runner.Scored = func(c *scoring.Case, rows []batch.Row) {
		if _, ok := e.source.(*warehouseSource); c != nil || !ok {
			e.scored(c, rows)
			return
		}
		if e.unread = append(e.unread, rows); len(e.unread) >= lookedUp && lost == nil {
			lost = e.scoredUnread(ctx)
		}
	}
	outcome, err := runner.Run(ctx, e.run, e.execution.source(e.source), ledger)
	if err = cmp.Or(err, lost); err == nil || errcode.Of(err) == errcode.Cancelled {
		err = cmp.Or(err, e.scoredUnread(context.WithoutCancel(ctx)))
	}
	if err == nil {
		err = e.recordMissing(ctx, &runner, ledger)
	}
	bar.finish()
	status := "done"
	switch {
	case errcode.Of(err) == errcode.Cancelled:
		status = "stopped"
	case err != nil:
		status = "failed"
	}
	e.summary.status = status
	if e.warehouse != nil {
		if e := e.record(context.WithoutCancel(ctx), status); e != nil && err == nil {
			err = e
		}
	}
	return outcome, err
}

// recordMissing stores that questions of the golden set have no answer, as a score in every metric but
// those that describe the question: what the run asked is recorded with it, and stays true when the
// golden set changes.
func (e *evaluation) recordMissing(ctx context.Context, r *batch.Runner, ledger batch.Ledger) error {
	s, ok := e.source.(*warehouseSource)
	if !ok {
		return nil // each line of a case file is an answer
	}
	questions, err := s.w.Questions(ctx, s.filter)
	if err != nil {
		return err
	}
	metrics, err := r.Selection()
	if err != nil {
		return err
	}
	for some := range slices.Chunk(e.summary.report.Unanswered(questions), lookedUp) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].ID
		}
		known, err := s.w.WholeQuestions(ctx, s.filter, ids)
		if err != nil {
			return err
		}
		var rows []batch.Row
		for i := range some {
			of := scoring.AnswerID{CaseID: some[i].ID, Agent: some[i].Agent, Version: some[i].Version, Batch: some[i].Batch}
			scores, err := e.engine.ScoreQuestion(ctx, known[of.CaseID], metrics, scoring.NotApplicable(scoring.NoAnswer))
			if err != nil {
				return err
			}
			gold := ""
			if c := known[of.CaseID]; c != nil && e.execution == nil { // an accepted query that is run gives the question a result
				gold = c.GoldHash()
			}
			for k := range scores {
				scores[k].CaseID = of.CaseID
				rows = append(rows, batch.Row{AnswerID: of, Score: scores[k], GoldHash: gold})
			}
		}
		if err := ledger.Append(ctx, e.run, rows); err != nil {
			return err
		}
		for of := range slices.Chunk(rows, len(metrics)) {
			e.unread = append(e.unread, of)
		}
		if err := e.scoredUnread(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lookedUp is how many questions are looked up at once.
const lookedUp = 64

// scoredUnread is [evaluation.scored] of answers that are missing or could not be read: what is known of
// their questions is in the golden set.
func (e *evaluation) scoredUnread(ctx context.Context) error {
	if len(e.unread) == 0 {
		return nil
	}
	s := e.source.(*warehouseSource) //nolint:forcetypeassert // others have no such answers
	ids := make([]string, len(e.unread))
	for i, rows := range e.unread {
		ids[i] = rows[0].CaseID
	}
	questions, err := s.w.QuestionsNamed(ctx, s.filter, ids)
	if err != nil {
		return err
	}
	for _, rows := range e.unread {
		var c *scoring.Case
		if q, there := questions[rows[0].CaseID]; there {
			c = &scoring.Case{
				ID: rows[0].CaseID, Question: q.Text, Dialect: q.Dialect, Tags: q.Tags, TagsErr: q.TagsErr, Golds: []scoring.Query{{SQL: q.Gold}},
				Agent: scoring.Agent{Name: rows[0].Agent, Version: rows[0].Version, BatchID: rows[0].Batch},
			}
		}
		e.scored(c, rows)
	}
	e.unread = nil
	return nil
}

// held is told of scores that the run holds already: figures and gates are of the whole run, as far
// as its answers are chosen. What it holds of others may be a part of them, which a gate must not
// take for the whole.
func (e *evaluation) held(rows []batch.Row) {
	if e.recorded != nil {
		e.cases[rows[0].CaseID] = true
	}
	if !rows[0].Matches(e.chosen) {
		return
	}
	e.summary.add(nil, rows)
	e.count(rows)
}

// scored is told of every case whose scores are stored.
func (e *evaluation) scored(c *scoring.Case, rows []batch.Row) {
	e.summary.add(c, rows)
	e.exportScored(c, rows)
	if e.recorded != nil && len(rows) > 0 {
		e.cases[rows[0].CaseID] = true
		e.recorded.count(rows)
	}
	if c != nil && e.resumed {
		e.summary.describe(c) // some of its scores may have been held
	}
	e.count(rows)
}

func (e *evaluation) count(rows []batch.Row) {
	for i := range rows {
		t := e.tallyOf(&rows[i])
		t.statuses[rows[i].Score.Status]++
		t.usage.add(rows[i].Score.Usage)
	}
}

// key is the key of the row of eval_runs that a score belongs to.
func (e *evaluation) key(r *batch.Row) connectors.Run {
	return connectors.Run{ID: e.run, Agent: r.Agent, AgentVersion: r.Version, BatchID: r.Batch}
}

// tallyOf is the tally of the row of eval_runs that a score belongs to.
func (e *evaluation) tallyOf(r *batch.Row) *tally {
	key := e.key(r)
	t := e.answers[key]
	if t == nil {
		t = &tally{statuses: map[scoring.Status]int64{}}
		e.answers[key] = t
	}
	return t
}

// begin writes the rows of eval_runs before the first scores of their answers, so that the scores
// of a run that is killed are not without one.
func (e *evaluation) begin(ctx context.Context, rows []batch.Row) error {
	var runs []connectors.Run
	for i := range rows {
		key := e.key(&rows[i])
		if e.begun[key] {
			continue
		}
		e.begun[key] = true
		run, ok := e.earlier[key]
		if !ok {
			run = key
			run.Mode, run.Judge, run.Config = e.mode, e.judgeName(), toJSON(e.config)
		}
		run.Started, run.Status = e.started, "running"
		runs = append(runs, run)
	}
	return e.warehouse.WriteRuns(ctx, runs...)
}

// record writes the rows of eval_runs, one for each version of an agent and batch that was
// evaluated.
func (e *evaluation) record(ctx context.Context, status string) error {
	others := map[connectors.Run]bool{} // rows that have scores of metrics that are not part of this call
	if len(e.earlier) > 0 {             // which may hold scores of metrics that are not part of this call
		e.answers = map[connectors.Run]*tally{}
		for r, err := range e.warehouse.Scores(ctx, e.run) {
			if err != nil {
				return err
			}
			row := batch.Row(r)
			e.count([]batch.Row{row})
			if !slices.Contains(e.metrics, row.Score.Metric) {
				others[e.key(&row)] = true
			}
		}
	}
	versions := map[string]any{"badger": version()}
	byMetric, judges := map[string]int{}, map[string]string{}
	for _, name := range e.metrics {
		m, err := e.engine.Metric(name)
		if err != nil {
			return err
		}
		byMetric[name] = m.Version
		if m.Group == custom.Group {
			judges[name] = m.Source
		}
	}
	versions["metrics"] = byMetric
	if len(judges) > 0 {
		versions["judges"] = judges
	}
	if s, ok := e.source.(*warehouseSource); ok {
		versions["golden_set"] = s.answersOf()
	}
	paid := e.judge.paid()
	paid.plus(e.paidEarlier())
	var runs []connectors.Run
	for run, t := range e.answers {
		if !(scoring.AnswerID{Agent: run.Agent, Version: run.AgentVersion, Batch: run.BatchID}).Matches(e.chosen) {
			continue // this call did not go through its answers
		}
		status := status
		if earlier := e.earlier[run]; others[run] && earlier.Status != "done" {
			status = earlier.Status // the other metrics may lack scores
		}
		run.Started, run.Mode, run.Status, run.Judge = e.started, e.mode, status, e.judgeName()
		run.Config, run.Versions, run.Counts = toJSON(e.config), toJSON(versions), toJSON(t.statuses)
		run.Tokens, run.Cost = toJSON(t.usage), toJSON(paid)
		runs = append(runs, run)
	}
	return e.warehouse.WriteRuns(ctx, runs...)
}

// judgeName is who answers: the judge, or what was recorded of one.
func (e *evaluation) judgeName() string {
	switch {
	case e.recorded == nil:
		return e.judge.Name()
	case e.judge == nil:
		return "recorded:" + e.recorded.backend
	}
	return "recorded:" + e.recorded.backend + ", " + e.judge.Name()
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}

// say tells where the scores are.
func (e *evaluation) say(o batch.Outcome) {
	if e.warehouse != nil {
		fmt.Fprintf(e.stderr, "run %s: %s scored", e.run, amount.Of(o.Done, "answer"))
		if o.Skipped > 0 {
			fmt.Fprintf(e.stderr, ", %d held already", o.Skipped)
		}
		fmt.Fprintln(e.stderr, "; the scores are in badger.scores")
	}
	if s, ok := e.source.(*warehouseSource); ok {
		fmt.Fprintf(e.stderr, "golden set: %s\n", s.setVersions())
	}
	if e.execution != nil {
		for _, line := range e.execution.Lines() {
			fmt.Fprintln(e.stderr, line)
		}
	}
	if e.recorded != nil {
		for _, line := range e.recorded.lines(func(id string) bool { return e.cases[id] }) {
			fmt.Fprintln(e.stderr, line)
		}
	}
	e.judge.say(e.stderr)
	if text := e.summary.unversioned(); text != "" {
		fmt.Fprintln(e.stderr, "note:", text)
	}
}

// warn ends a run in which scores failed with a line that stands out.
func (e *evaluation) warn() {
	scores, metrics := 0, 0
	for i := range e.summary.figures.Metrics {
		failed := 0
		for _, r := range e.summary.figures.Metrics[i].Rates {
			failed += r.Coverage.Failed
		}
		if scores += failed; failed > 0 {
			metrics++
		}
	}
	if scores == 0 {
		return
	}
	fmt.Fprintf(e.stderr, "!! %s of %s failed; the scores say why", amount.Of(scores, "score"), amount.Of(metrics, "metric"))
	if e.warehouse != nil {
		fmt.Fprintf(e.stderr, ", and --resume %s --retry-failed scores them again", e.run)
	}
	fmt.Fprintln(e.stderr)
}

// newRunID makes a name that sorts by time and is not met again.
func newRunID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102T150405") + "-" + hex.EncodeToString(b[:])
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
