package batch

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Runner scores the cases of a source into a ledger. Zero fields mean the defaults that are named
// with them.
type Runner struct {
	Engine  *scoring.Engine
	Metrics []string // names; none: all metrics of the engine

	// cases scored at the same time; default 96 where a judge may be asked, else one for each processor
	Concurrency int
	// Cases held at the same time, those waiting for others or to be stored included; default 8×Concurrency + 2×BatchSize
	Window int
	// About how much the cases held may take together, a single larger one excepted; default 256 MiB
	MemoryBytes int64
	// Cases whose scores are stored together; default as many as have 4096 scores, at least 64 and at most 1024
	BatchSize   int
	Linger      time.Duration // how long a score waits at most for others before it is stored; default 500 ms
	CaseLimit   time.Duration // how long a case may take before its scores are failed; default no limit
	Ordered     bool          // store scores in the order of the source
	RetryFailed bool          // score again what failed in an earlier part of the run

	// Stop requests a graceful stop when it is closed: no new case is started, those in flight may finish within
	// SoftLimit (default 30 s), and completed scores are stored. Ending the context of Run is the second, harder
	// way: cases in flight are cancelled immediately and leave no trace.
	Stop      <-chan struct{}
	SoftLimit time.Duration

	// Held is called first, with the scores that the run holds, answer by answer. Skipped is called with every case
	// of the source all of whose scores are held, Scored with every case whose scores were stored, Progress with
	// the progress of the run (about every ProgressEvery, default 200 ms, and at the end). They are called one at a
	// time, and may be nil. If the case could not be read, c is the known part of its question, or nil.
	//
	// If the question or gold of a case differs from that of its held scores, the case is scored anew, and Scored
	// is called after Held. A case all of whose scores are held is only read, and so compared, if Skipped is not
	// nil.
	Held          func(rows []scoring.Row)
	Skipped       func(c *scoring.Case)
	Scored        func(c *scoring.Case, rows []scoring.Row)
	Progress      func(Progress)
	ProgressEvery time.Duration

	// Memory is called with the bytes that the cases held and the results that they name may take together, when the
	// run begins and when that changes: comparing two results takes what it takes. It may be nil.
	Memory func(bytes int64)

	Now func() time.Time // the clock of Progress; default time.Now
}

// Outcome counts the results of a run.
type Outcome struct {
	Progress
	Changed  int64 // cases of Done whose question or gold had changed since their held scores were made
	Cut      int64 // cases that were in flight when the run was cut; they have no scores
	Complete bool  // whether every case of the source has its scores in the ledger
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

// batchScores is how many scores are stored together. A store takes some milliseconds for each batch,
// and a batch is held in memory twice while it is stored.
const batchScores = 4096

func orDefault[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// Run scores what the run does not hold yet and returns when all of it is stored. The error is
// coded Cancelled where the run was stopped before the end, and that of the source or the ledger
// where one of them failed. Whatever the error, the ledger holds all scores of the cases it counts
// as done and none of others.
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

// Selection finds the metrics to run. The error of an unknown name offers the nearest ones.
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
