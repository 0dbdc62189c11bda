package batch

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Runner scores the cases of a source into a ledger. Zero fields have the defaults that their comments name.
type Runner struct {
	Engine  *scoring.Engine
	Metrics []string // names of metrics; nil: all metrics of the engine

	// maximum cases scored concurrently; default 96 if a judge may be called, else the number of processors
	Concurrency int
	// Maximum cases in memory, including those that wait to be scored or stored; default 8×Concurrency + 2×BatchSize
	Window int
	// Approximate limit of the cases' memory, except for a single larger case; default 256 MiB
	MemoryBytes int64
	// Cases whose scores are stored together; default the number with 4096 scores, at least 64 and at most 1024
	BatchSize   int
	Linger      time.Duration // maximum time before a score is stored; default 500 ms
	CaseLimit   time.Duration // time limit of a case, after which its scores are failed; default none
	Ordered     bool          // store scores in the order of the source
	RetryFailed bool          // compute failed scores of the run again

	// Stop requests a graceful stop when it is closed: no new case starts, those in flight may finish within
	// SoftLimit (default 30 s), and their scores are stored. If the context of Run ends, cases in flight are
	// cancelled immediately and have no scores.
	Stop      <-chan struct{}
	SoftLimit time.Duration

	// Held is called first, with the stored scores of the run, answer by answer. Skipped is called with each case of
	// the source whose scores are all stored, Scored after the scores of a case were stored, and Progress about every
	// ProgressEvery (default 200 ms) and at the end. Calls are never concurrent; each function may be nil. For a case
	// that could not be read, c is the known part of its question, or nil; Skipped is called with nil.
	//
	// If the question, gold or answer of a case differs from that of its stored scores, the case is re-scored, and
	// Scored is called after Held; also if the case could be read before and cannot be now, or the other way round. A case
	// whose scores are all stored is only read and compared if Skipped is not nil.
	//
	// Missing is called before the source is read, with all stored scores of each answer that was missing, see
	// [scoring.Score.Missing].
	Held          func(rows []scoring.Row)
	Missing       func(rows []scoring.Row)
	Skipped       func(c *scoring.Case, of scoring.AnswerID, spent scoring.Spent)
	Scored        func(c *scoring.Case, rows []scoring.Row)
	Progress      func(Progress)
	ProgressEvery time.Duration

	// Expected reports whether the source should have an answer of the ledger. If there are such answers, and a source
	// that can be read again has none of the ledger's, it is probably that of another run: Run fails with
	// [errcode.FailedPrecondition] before it scores a case. It is called after Missing. It may be nil.
	Expected func(scoring.AnswerID) bool

	// Memory is called with the memory limit in bytes of cases and of the results that they name, when the run starts
	// and when the limit changes. It does not include the memory for comparing two results. It may be nil.
	Memory func(bytes int64)

	Now func() time.Time // the clock of Progress; default time.Now
}

// Outcome is the result of a run.
type Outcome struct {
	Progress
	Changed  int64 // cases of Done whose question or gold differs from that of their earlier scores
	Other    int64 // cases of Done whose answer differs from that of their earlier scores
	Lacking  int64 // stored scores that only some of several ledgers had, so that they were computed again
	Known    int64 // cases of the source that had scores in the ledger
	Cut      int64 // cases in flight that were cancelled; they have no scores
	Complete bool  // whether every case of the source has its scores in the ledger
	// Gone are the answers of the ledger that the source lacks, in a fixed order; nil unless Complete. Their scores stay.
	Gone []scoring.AnswerID
}

func (r Runner) withDefaults(metrics []*scoring.Metric) Runner {
	if r.Concurrency <= 0 {
		r.Concurrency = runtime.GOMAXPROCS(0)
		if slices.ContainsFunc(metrics, r.Engine.AsksJudge) {
			r.Concurrency = 96 // 1.5 times the concurrent judge calls: meanwhile the others read, align and store
		}
	}
	orDefault(&r.BatchSize, min(max(batchScores/len(metrics), 64), 1024))
	orDefault(&r.Window, 8*r.Concurrency+2*r.BatchSize)
	r.Window = max(r.Window, r.Concurrency)
	orDefault(&r.MemoryBytes, 256<<20)
	orDefault(&r.Linger, 500*time.Millisecond)
	orDefault(&r.SoftLimit, 30*time.Second)
	orDefault(&r.ProgressEvery, 200*time.Millisecond)
	if r.Now == nil {
		r.Now = time.Now
	}
	return r
}

// batchScores is the default number of scores that are stored together. Each store takes some milliseconds, and its
// scores are in memory twice meanwhile.
const batchScores = 4096

func orDefault[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// Run computes the scores that the ledger lacks, and returns when they are stored. The error is Cancelled if the run
// was stopped early, or else that of the source or the ledger. In any case, the ledger has all scores of the cases
// counted as done, and no scores of other new cases.
func (r Runner) Run(ctx context.Context, name string, src Source, ledger Ledger) (Outcome, error) {
	metrics, err := r.Selection()
	if err != nil {
		return Outcome{}, err
	}
	done, err := r.readDone(ctx, ledger, name, metrics)
	if err != nil {
		return Outcome{}, errcode.New(errcode.Of(err), "reading the scores of the run so far: %w", err)
	}
	x := newRun(ctx, r.withDefaults(metrics), name, ledger, metrics)
	x.done = done
	defer x.close()
	if c, ok := src.(Counter); ok && r.Progress != nil {
		go x.count(c)
	}
	go x.watchStop()
	go x.read(src)
	go x.take()
	for range x.Concurrency {
		go x.work()
	}
	// An embedded database keeps memory for every thread that calls it: all is stored by one.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return x.store()
}

// Selection returns the metrics to run. The error for an unknown name suggests similar names.
func (r Runner) Selection() ([]*scoring.Metric, error) {
	var out []*scoring.Metric
	for _, name := range r.Metrics {
		m, err := r.Engine.Metric(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	if len(r.Metrics) == 0 {
		all := r.Engine.Metrics()
		for i := range all {
			out = append(out, &all[i])
		}
	}
	if len(out) == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "there is no metric to run")
	}
	return out, nil
}
