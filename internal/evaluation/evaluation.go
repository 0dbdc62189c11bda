// Package evaluation is one run over cases: it resumes a run, scores the remaining cases, stores scores and rows of
// eval_runs, collects the data for reports and gates, and prints the outcome.
//
// It does not depend on connectors or judge backends: the caller that creates a [Run] provides both.
package evaluation

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Judge answers the questions of judge metrics.
type Judge interface {
	// Name is who that is, as scores and runs record it, such as openai:gpt-4o.
	Name() string
	// Paid returns the cost of the answers so far.
	Paid() Cost
	// PaidBefore tells the budget what a payer has paid before: what the ledger knows, and what was
	// recorded elsewhere.
	PaidBefore(ctx context.Context, payer string, recorded Cost) error
	// PrintUsage writes a line about the judge calls and their cost.
	PrintUsage(w io.Writer)
}

// Run is one run: what it needs, and what comes out. [Run.Begin] comes first where the run may be there
// already, then [Run.Evaluate].
type Run struct {
	ID          string
	Mode        string           // of [modes]
	Version     string           // of the program
	Concurrency int              // cases at the same time; 0: one for each processor
	RetryFailed bool             // score again what failed
	Resumed     bool             // the run has been begun before
	Chosen      scoring.AnswerID // the pattern of the answers to score
	Config      scoring.Config
	Judge       Judge     // nil: no judge calls
	Recorded    *Recorded // recorded assessments that answer; nil: none do
	Engine      *scoring.Engine
	Metrics     []string
	Source      batch.Source
	Execution   *execution.AtWork // nil: no query is run
	Warehouse   *store.Store      // nil: scores go to no database
	ScoreFile   *batch.ScoreFile  // nil: to no file
	Exports     *export.Files     // nil: none
	Summary     *Summary          // nil: one is made

	Now      func() time.Time
	Notes    io.Writer            // receives messages for the user
	Progress func(batch.Progress) // may be nil
	Memory   func(bytes int64)    // see [batch.Runner]; may be nil
	Stop     <-chan struct{}      // closed to let cases in flight finish and begin no other; nil: never

	cases   map[string]bool // that were gone through, where assessments were recorded
	started time.Time

	beginning sync.Mutex
	unread    [][]scoring.Row             // scores of unreadable answers of tables, whose questions must be looked up
	begun     map[scoring.RunID]bool      // rows of eval_runs that are written; guarded by beginning
	answers   map[scoring.RunID]*tally    // by the key of eval_runs
	strange   map[string]int64            // answers whose case has options of a metric that is not known, by its name
	unreads   map[string]*unread          // what cases say and nothing reads, by its text
	earlier   map[scoring.RunID]store.Run // the rows of a run that is resumed, by their key
}

// tally holds the outcome of one version's answers.
type tally struct {
	statuses map[scoring.Status]int64
	usage    asked
}

// Evaluate scores what the run does not hold, until the end, until it is stopped, or until ctx ends.
// Both of the latter are errors with the code [errcode.Cancelled]; the run can be resumed then.
func (e *Run) Evaluate(ctx context.Context) (batch.Outcome, error) {
	var ledgers []batch.Ledger
	if e.Warehouse != nil {
		ledgers = append(ledgers, warehouseLedger{e.Warehouse.ScoreWriter(e.ID, e.Config.Hash()), e.Now, e.begin, e.key})
	}
	if e.ScoreFile != nil {
		ledgers = append(ledgers, e.ScoreFile)
	}
	ledger := batch.Discard
	if len(ledgers) > 0 {
		ledger = batch.Tee(ledgers...)
	}
	e.cases = map[string]bool{}
	if e.Recorded != nil {
		e.Recorded.metrics = e.Metrics
	}
	e.started, e.begun, e.answers = e.Now(), map[scoring.RunID]bool{}, map[scoring.RunID]*tally{}
	for _, r := range e.earlier {
		if !r.Started.IsZero() && r.Started.Before(e.started) {
			e.started = r.Started
		}
	}
	if e.Summary == nil {
		e.Summary = NewSummary(e.Engine, e.Metrics)
	}
	runner := batch.Runner{
		Engine: e.Engine, Metrics: e.Metrics, Concurrency: e.Concurrency, RetryFailed: e.RetryFailed,
		Ordered: e.ScoreFile != nil || e.Exports.Any(),
		Stop:    e.Stop, Memory: e.Memory, Now: e.Now, Progress: e.Progress, Held: e.held,
		Skipped: func(c *scoring.Case) { e.Summary.Describe(c.AnswerID(), questionOf(c)) },
	}
	var lost error // of looking up questions
	runner.Scored = func(c *scoring.Case, rows []scoring.Row) {
		e.lookAtUnread(c)
		if _, ok := e.Source.(*cases.Warehouse); c != nil || !ok {
			e.scored(questionOf(c), rows)
			return
		}
		if e.unread = append(e.unread, rows); len(e.unread) >= lookedUp && lost == nil {
			lost = e.scoredUnread(ctx)
		}
	}
	source := e.Execution.Of(e.Source)
	if e.Warehouse != nil {
		source = begins{source, e}
	}
	outcome, err := runner.Run(ctx, e.ID, source, ledger)
	if err = cmp.Or(err, lost); err == nil || errcode.Of(err) == errcode.Cancelled {
		err = cmp.Or(err, e.scoredUnread(context.WithoutCancel(ctx)))
	}
	if err == nil {
		err = e.recordMissing(ctx, &runner, ledger)
	}
	status := "done"
	switch {
	case errcode.Of(err) == errcode.Cancelled:
		status = "stopped"
	case err != nil:
		status = "failed"
	}
	e.Summary.Status = status
	if e.Warehouse != nil {
		if e := e.record(context.WithoutCancel(ctx), status); e != nil && err == nil {
			err = e
		}
	}
	return outcome, err
}

// held is called with scores that the run holds already: figures and gates are of the whole run, as far as its
// answers are chosen. The held scores of other answers may be a part of them, which a gate must not take for the
// whole.
func (e *Run) held(rows []scoring.Row) {
	if e.Recorded != nil {
		e.cases[rows[0].CaseID] = true
	}
	if !rows[0].Matches(e.Chosen) {
		return
	}
	e.Summary.Add(store.Question{}, rows)
	e.count(rows)
}

// scored is called with every answer whose scores are stored, and with its question if it is known.
func (e *Run) scored(q store.Question, rows []scoring.Row) {
	if len(rows) == 0 {
		return
	}
	e.Summary.Add(q, rows)
	e.exportScored(q, rows)
	if e.Recorded != nil {
		e.cases[rows[0].CaseID] = true
		e.Recorded.count(rows)
	}
	if e.Resumed {
		e.Summary.Describe(rows[0].AnswerID, q) // some of its scores may have been held
	}
	e.count(rows)
}

// maxStrange bounds the number of unknown metrics that are named.
const maxStrange = 100

// unread is something that cases say and that is not read.
type unread struct {
	answers int64
	says    []string
}

// lookAtUnread counts what of a case is not read: unknown keys, dialects and types, and options of a
// metric that is not known, such as those of a misspelt name.
func (e *Run) lookAtUnread(c *scoring.Case) {
	if c == nil {
		return
	}
	if of := c.Unusual(); of != "" {
		u := e.unreads[of]
		if u == nil && len(e.unreads) < maxStrange {
			if e.unreads == nil {
				e.unreads = map[string]*unread{}
			}
			u = &unread{says: c.Unread()}
			e.unreads[of] = u
		}
		if u != nil {
			u.answers++
		}
	}
	for name := range c.Options {
		if _, err := e.Engine.Metric(name); err == nil {
			continue
		}
		if e.strange == nil {
			e.strange = map[string]int64{}
		}
		if _, there := e.strange[name]; there || len(e.strange) < maxStrange {
			e.strange[name]++
		}
	}
}

func (e *Run) count(rows []scoring.Row) {
	for i := range rows {
		t := e.tallyOf(&rows[i])
		t.statuses[rows[i].Score.Status]++
		t.usage.add(rows[i].Score.Usage)
	}
}
