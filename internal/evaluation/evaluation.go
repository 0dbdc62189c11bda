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

// Judge is the judge of a run, as far as a run reports its name and costs.
type Judge interface {
	// Name is the name of the judge in scores and runs, such as openai:gpt-4o.
	Name() string
	// Paid returns the cost of the judge calls so far.
	Paid() Cost
	// PaidBefore counts earlier calls of a payer against the budget: those in the ledger, and the recorded cost.
	PaidBefore(ctx context.Context, payer string, recorded Cost) error
	// PrintUsage writes a line about the judge calls and their cost.
	PrintUsage(w io.Writer)
}

// Run is one run: its inputs and results. Call [Run.Begin] if the run may exist already, then [Run.Evaluate].
type Run struct {
	ID          string
	Mode        string           // a key of [modes]
	Version     string           // of the program
	Concurrency int              // cases scored concurrently; 0: the default of [batch.Runner]
	RetryFailed bool             // compute failed scores of the run again
	Resumed     bool             // the run exists and is continued
	Chosen      scoring.AnswerID // the pattern of the answers to score
	Config      scoring.Config
	Judge       Judge     // nil: no judge calls
	Recorded    *Recorded // recorded replies that replace judge calls; nil: none
	Engine      *scoring.Engine
	Metrics     []string
	Source      batch.Source
	Execution   *execution.AtWork // nil: no query is run
	Warehouse   *store.Store      // where scores are stored; nil: in no database
	ScoreFile   *batch.ScoreFile  // file of scores; nil: none
	Exports     *export.Files     // nil: none
	Summary     *Summary          // nil: Evaluate creates one

	Now      func() time.Time
	Notes    io.Writer            // receives messages for the user
	Progress func(batch.Progress) // may be nil
	Memory   func(bytes int64)    // see [batch.Runner]; may be nil
	Stop     <-chan struct{}      // when closed, cases in flight finish and no other starts; nil: never

	cases     map[string]bool // scored cases by id, if Recorded is set
	started   time.Time
	selection Selection      // of the whole run; Chosen may be a part of it
	had       map[string]int // metrics of a resumed run, with their versions

	beginning sync.Mutex
	unread    [][]scoring.Row             // scores of unreadable answers whose questions must be looked up
	begun     map[scoring.RunID]bool      // rows of eval_runs that were written; guarded by beginning
	answers   map[scoring.RunID]*tally    // by the key of eval_runs
	answered  map[scoring.RunID]time.Time // time of the last answer; guarded by beginning
	strange   map[string]int64            // number of answers with options of an unknown metric, by its name
	unstored  int                         // answers of a file with a known cost, tokens or latency
	unreads   map[string]*unread          // ignored members of cases, by [scoring.Case.Unusual]
	earlier   map[scoring.RunID]store.Run // rows of eval_runs of a resumed run, by their key
	absent    map[scoring.AnswerID]uint64 // of a resumed run: missing answers, and a sum of hashes of their scores
	removed   map[scoring.By]int64        // number of answers whose scores were removed, since the input lacks them
}

// tally counts the scores of one version's answers in a batch.
type tally struct {
	statuses map[scoring.Status]int64
	usage    asked
}

// Evaluate computes the scores that the run lacks, until all are computed, Stop is closed or ctx ends. In the last
// two cases the error is [errcode.Cancelled], and the run can be resumed.
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
	e.answered = map[scoring.RunID]time.Time{}
	for _, r := range e.earlier {
		if !r.Started.IsZero() && r.Started.Before(e.started) {
			e.started = r.Started
		}
	}
	if e.Summary == nil {
		e.Summary = NewSummary(e.Engine, e.Metrics, "")
	}
	runner := batch.Runner{
		Engine: e.Engine, Metrics: e.Metrics, Concurrency: e.Concurrency, RetryFailed: e.RetryFailed,
		Ordered: e.ScoreFile != nil || e.Exports.Any(),
		Stop:    e.Stop, Memory: e.Memory, Now: e.Now, Progress: e.Progress, Held: e.held, Missing: e.heldMissing,
		Expected: e.expected,
		Skipped: func(c *scoring.Case, of scoring.AnswerID, spent scoring.Spent) {
			if c != nil {
				e.Summary.Describe(of, questionOf(c))
			}
			e.Summary.report.Took(of, spent)
		},
	}
	var lost error // of looking up questions
	runner.Scored = func(c *scoring.Case, rows []scoring.Row) {
		e.lookAtUnread(c)
		_, ok := e.Source.(*cases.Warehouse)
		if !ok && len(rows) > 0 && rows[0].Spent != nil && !rows[0].Spent.Unknown() {
			e.unstored++
		}
		if c != nil || !ok {
			e.scored(questionOf(c), rows)
			return
		}
		if e.unread = append(e.unread, rows); len(e.unread) >= lookedUp && lost == nil {
			lost = e.scoredUnread(ctx)
		}
	}
	outcome, err := runner.Run(ctx, e.ID, begins{e.Execution.Of(e.Source), e}, ledger)
	if err = cmp.Or(err, lost); err == nil || errcode.Of(err) == errcode.Cancelled {
		err = cmp.Or(err, e.scoredUnread(context.WithoutCancel(ctx)))
	}
	if err == nil {
		err = e.removeGone(ctx, ledger, &outcome)
	}
	if err == nil {
		err = e.recordMissing(ctx, &runner, ledger)
	}
	if err == nil || errcode.Of(err) == errcode.Cancelled {
		err = cmp.Or(err, e.arrange(context.WithoutCancel(ctx), &runner))
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
		if e := e.Summary.date(context.WithoutCancel(ctx), e.Warehouse); e != nil && err == nil {
			err = e
		}
	} else {
		e.Summary.dateByAnswers(e.answered)
	}
	return outcome, err
}

// held adds scores that the run had before to the summary, if their answer matches e.Chosen. The figures and gates
// are about the whole run; of other answers only some scores might be held.
func (e *Run) held(rows []scoring.Row) {
	if e.Recorded != nil {
		e.cases[rows[0].CaseID] = true
	}
	if !rows[0].Matches(e.Chosen) {
		return
	}
	e.Summary.Add(Asked{}, rows)
	for i := range rows { // those of a score file know more than those of a database
		e.date(e.key(&rows[i]), rows[i].RanAt)
	}
	e.Summary.took(rows)
	e.count(rows)
}

// scored is called after the scores of an answer are stored. q is its question, zero if unknown.
func (e *Run) scored(q Asked, rows []scoring.Row) {
	if len(rows) == 0 {
		return
	}
	delete(e.absent, rows[0].AnswerID) // it may have been missing before
	e.Summary.Add(q, rows)
	e.Summary.took(rows)
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

// maxStrange is the maximum number of unknown metrics that are listed, and of kinds of ignored members.
const maxStrange = 100

// unread is a member of cases that is ignored.
type unread struct {
	answers int64
	first   string // case_id of the first answer
	says    []string
}

// lookAtUnread counts what is ignored in a case: an invalid cost, number of tokens or latency, unknown keys, dialects
// and types, and options of unknown metrics, such as a misspelled name.
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
			u = &unread{says: c.Unread(), first: c.ID}
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
