package batch

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// run is one call of Run: one goroutine reads the source, one chooses the cases to score, several score them, and the
// caller's goroutine stores the scores.
type run struct {
	Runner
	name    string
	ledger  Ledger
	metrics []*scoring.Metric
	done    doneSet // scores in the ledger

	// taking is cancelled to start no more cases, working to cancel the cases in flight, storing, some time later, to
	// stop storing.
	taking, working, storing context.Context //nolint:containedctx // live for one call
	stopTaking, cut, end     context.CancelFunc

	room     *semaphore.Weighted // limits the bytes and the number of cases in memory
	reading  *account.Pool       // memory of results that references name
	items    chan sourced
	jobs     chan *job
	results  chan *job
	busy     sync.WaitGroup // jobs started but not scored
	inFlight atomic.Int64   // the number of such jobs
	starved  chan struct{}  // signals that a case waits for room
	waiting  atomic.Bool    // true while a case waits for room

	sourceDone chan struct{}
	sourceErr  error      // set before results is closed
	seen       identities // of the source; complete when exhausted is set
	known      int64      // set before results is closed: items whose answers the ledger had
	exhausted  bool       // set before results is closed: the source was read to its end
	cases      int64      // set before results is closed: the number of items read

	meter   meter
	changed int64 // number of stored cases with Outcome.Changed
	other   int64 // number of stored cases with Outcome.Other
}

// Limits of memory for results that references name: of all together, and of one table. A few bytes of a file that an
// agent wrote may represent billions.
const (
	readingBytes = 512 << 20
	resultBytes  = 128 << 20

	memoryStep = 64 << 20 // Runner.Memory is called when the memory crosses a multiple of this
)

// job is the scoring of one case.
type job struct {
	item    Item
	seq     int64 // index among the jobs
	weight  int64 // amount acquired from room
	metrics []*scoring.Metric

	begun    bool
	c        *scoring.Case
	question *scoring.Case // the known part of a case that cannot be read, or nil
	spent    *scoring.Spent
	changed  bool          // question or gold differs from that of the stored scores
	other    bool          // the answer differs from that of the stored scores
	rows     []scoring.Row // nil: cancelled, or not started
}

func newRun(ctx context.Context, r Runner, name string, ledger Ledger, metrics []*scoring.Metric) *run {
	x := &run{
		Runner: r, name: name, ledger: ledger, metrics: metrics,
		room: semaphore.NewWeighted(r.MemoryBytes), reading: account.NewPool(readingBytes, resultBytes),
		items: make(chan sourced), sourceDone: make(chan struct{}), jobs: make(chan *job, r.Concurrency),
		results: make(chan *job, r.Window), // all that are held: workers do not wait while a batch is stored
		starved: make(chan struct{}, 1), seen: newIdentities(), meter: meter{now: r.Now, start: r.Now()},
	}
	if r.Memory != nil {
		told := int64(0)
		x.reading.Taken = func(bytes int64) {
			steps := (max(bytes, readingBytes) + memoryStep - 1) / memoryStep
			if steps != told {
				told = steps
				r.Memory(r.MemoryBytes + steps*memoryStep)
			}
		}
		x.reading.Taken(0)
	}
	x.storing, x.end = context.WithCancel(context.WithoutCancel(ctx))
	x.working, x.cut = context.WithCancel(ctx)
	x.taking, x.stopTaking = context.WithCancel(x.working)
	return x
}

// close cancels the goroutines and waits up to a second for the one that reads the source.
func (x *run) close() {
	x.cut()
	select {
	case <-x.sourceDone:
	case <-time.After(time.Second): // it does not listen
	}
	x.end()
}

// count counts the cases while the first ones are scored. It ignores errors of the source: reading it returns them,
// too.
func (x *run) count(c Counter) {
	if n, err := c.Count(x.taking); err == nil {
		x.meter.total.Store(n)
	}
}

// watchStop cancels the contexts when Stop is closed or ctx ends, after SoftLimit where that applies.
func (x *run) watchStop() {
	select {
	case <-x.Stop: // a nil channel never is
		x.stopTaking()
		select {
		case <-time.After(x.SoftLimit):
			x.cut()
		case <-x.working.Done():
		}
	case <-x.working.Done():
	}
	select { // what was scored is still stored, but a ledger that hangs must not keep the run for ever
	case <-time.After(x.SoftLimit):
		x.end()
	case <-x.storing.Done():
	}
}

// read sends the items of the source, until the source ends or x.taking is cancelled.
func (x *run) read(src Source) {
	defer close(x.sourceDone)
	defer close(x.items)
	copies, err := FindCopies(x.taking, src)
	if err == nil && copies != nil { // it can be read again
		err = x.checkSource(x.taking, src)
	}
	if err != nil {
		select {
		case x.items <- sourced{err: err}:
		case <-x.taking.Done():
		}
		return
	}
	for _, c := range copies {
		x.meter.surplus.Add(int64(c.Items - 1))
	}
	for item, err := range distinct(x.taking, src, copies, &x.seen) {
		select {
		case x.items <- sourced{item, err}:
		case <-x.taking.Done():
			return
		}
	}
}

// checkSource returns an error if the ledger has answers that Expected names and the source has none of the ledger's.
// It reads the source up to the first one.
func (x *run) checkSource(ctx context.Context, src Source) error {
	n := 0
	for a := range x.done.answers {
		if x.Expected != nil && x.Expected(a) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	for item, err := range src.Cases(ctx) {
		if _, is := x.done.answers[item.AnswerID]; is || err != nil {
			return err
		}
	}
	return ForeignSource(n, x.name)
}

// ForeignSource returns the error for a source that has none of the n answers that the run scored before.
func ForeignSource(n int, run string) error {
	return errcode.New(errcode.FailedPrecondition, "the input has none of the %s that run %s scored before, so it is "+
		"probably another one; no score was removed. Resume the run with its own input, or start a new run",
		printable.Count(n, "answer"), printable.Short(run))
}

// sourced is an item or an error of a source.
type sourced struct {
	Item
	err error
}

// take skips cases whose scores are stored and passes the others to the workers, until the source or the run ends.
func (x *run) take() {
	defer func() {
		close(x.jobs)
		x.busy.Wait()
		close(x.results)
	}()
	for seq := int64(0); ; {
		var next sourced
		open := false
		select {
		case next, open = <-x.items:
		case <-x.taking.Done():
		}
		if !open || x.taking.Err() != nil {
			x.exhausted = x.taking.Err() == nil
			return
		}
		if next.err != nil {
			x.sourceErr = next.err
			return
		}
		x.cases++
		if _, is := x.done.answers[next.AnswerID]; is {
			x.known++
		}
		j := &job{item: next.Item, seq: seq, metrics: x.done.missing(next.AnswerID, x.metrics)}
		if len(j.metrics) == 0 {
			x.meter.skipped.Add(1)
			if x.Skipped == nil {
				continue
			}
		}
		seq++
		if !x.reserve(j) {
			return
		}
		x.busy.Add(1)
		x.inFlight.Add(1)
		select {
		case x.jobs <- j:
		case <-x.taking.Done():
			x.inFlight.Add(-1)
			x.busy.Done()
			return
		}
	}
}

// reserve waits for room for a case, and reports false if the run stops. Each case takes at least MemoryBytes/Window,
// so that room limits both the bytes and the number of cases.
func (x *run) reserve(j *job) bool {
	j.weight = min(max(j.item.Bytes, x.MemoryBytes/int64(x.Window)), x.MemoryBytes)
	if x.room.TryAcquire(j.weight) {
		return true
	}
	x.waiting.Store(true)
	defer x.waiting.Store(false)
	select {
	case x.starved <- struct{}{}:
	default:
	}
	return x.room.Acquire(x.taking, j.weight) == nil
}

func (x *run) work() {
	for j := range x.jobs {
		x.score(j)
		x.inFlight.Add(-1)
		x.results <- j
		x.busy.Done()
	}
}

func (x *run) score(j *job) {
	ctx := x.working
	if x.taking.Err() != nil {
		return
	}
	j.begun = true
	if x.CaseLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.CaseLimit)
		defer cancel()
	}
	ctx, read := x.reading.With(ctx)
	defer read()
	c, err := load(ctx, &j.item)
	var scores []scoring.Score
	gold, answer := "", ""
	if err == nil {
		j.c, gold = c, c.GoldHash()
		if c.Pred.Result.Err == nil { // of a result that was not read, nothing is known
			answer = c.AnswerHash()
		}
		from := x.done.from[j.item.AnswerID]
		j.changed = readable(c.Golds) && from.gold.differs(gold)
		j.other = from.answer.differs(answer) || x.done.unread[j.item.AnswerID]
	} else if _, scored := x.done.from[j.item.AnswerID]; scored && ofInput(err) {
		j.other = true
	}
	if j.changed || j.other {
		if len(j.metrics) == 0 {
			x.meter.skipped.Add(-1)
		}
		j.metrics = x.metrics
	}
	if err == nil && len(j.metrics) > 0 {
		scores, err = x.Engine.ScoreMetrics(ctx, c, j.metrics)
	}
	if err != nil {
		switch {
		case x.working.Err() != nil:
			return // cut
		case ctx.Err() != nil:
			err = errcode.New(errcode.DeadlineExceeded, "the case took longer than %v", x.CaseLimit)
		}
		if j.c == nil {
			j.question = known(x.working, &j.item)
		}
		if scores, err = x.Engine.ScoreQuestion(x.working, j.question, j.metrics, scoring.Fail(err)); err != nil {
			return // cut
		}
	}
	j.rows = make([]scoring.Row, len(scores))
	for i := range scores {
		s := storable(scores[i])
		s.Metric, s.Version = j.metrics[i].Name, j.metrics[i].Version
		j.rows[i] = scoring.Row{AnswerID: j.item.AnswerID, Score: s, GoldHash: gold, AnswerHash: answer,
			RanAt: j.item.RanAt}
	}
	spent := j.item.Spent
	if j.c != nil {
		spent = j.c.Spent()
	}
	if j.spent = &spent; len(j.rows) > 0 {
		j.rows[0].Spent = j.spent
	}
}

// ofInput reports whether an error of reading a case is about the case itself, such as malformed JSON or several rows
// of one answer. Another error, such as of an unreachable warehouse, says nothing about the case.
func ofInput(err error) bool {
	c := errcode.Of(err)
	return c == errcode.InvalidArgument || c == errcode.AlreadyExists || c == errcode.DataLoss
}

// readable reports whether the results of all gold queries could be read. Otherwise, such as with an unreachable
// warehouse, a difference is not a reason to replace scores.
func readable(golds []scoring.Query) bool {
	return !slices.ContainsFunc(golds, func(g scoring.Query) bool { return g.Result.Err != nil })
}

// load reads the case. It converts a panic to an error, because cases are untrusted.
func load(ctx context.Context, item *Item) (c *scoring.Case, err error) {
	defer func() {
		if recover() != nil {
			c, err = nil, errcode.New(errcode.Internal, "%s: reading the case panicked; this is a bug in badger", item.Place)
		}
	}()
	if c, err = item.Load(ctx); c == nil && err == nil {
		err = errcode.New(errcode.NotFound, "%s: there is no case", item.Place)
	}
	return c, err
}

// known returns the known part of a case that cannot be read, or nil.
func known(ctx context.Context, item *Item) (c *scoring.Case) {
	defer func() {
		if recover() != nil {
			c = nil
		}
	}()
	if item.Question == nil {
		return nil
	}
	return item.Question(ctx)
}

// storable returns s with its evidence encoded as JSON, so that the evidence itself need not stay in memory. If it
// cannot be encoded, it returns a failed score.
func storable(s scoring.Score) scoring.Score {
	if s.Detail == nil {
		return s
	}
	detail, err := json.Marshal(s.Detail)
	if err != nil {
		return scoring.Fail(
			errcode.New(errcode.Internal, "the evidence of the score cannot be written as JSON; this is a bug in badger"))
	}
	s.Detail = json.RawMessage(detail)
	return s
}

// stopped returns the error of a run that was not completed, or nil.
func (x *run) stopped(o *Outcome) error {
	switch {
	case x.sourceErr != nil:
		return errcode.New(errcode.Of(x.sourceErr), "reading cases: %w", x.sourceErr)
	case o.Complete && o.Done+o.Skipped != x.cases:
		return errcode.New(errcode.Internal, "%d cases were read, and %d of them have scores; this is a bug in badger",
			x.cases, o.Done+o.Skipped)
	case o.Complete:
		return nil
	case o.Cut > 0:
		return errcode.New(errcode.Cancelled, "interrupted: %s %s scored, %d in flight %s cancelled",
			printable.Count(o.Done, "answer"), printable.Verb(o.Done, "is", "are"), o.Cut, printable.Verb(o.Cut, "was", "were"))
	}
	return errcode.New(errcode.Cancelled, "interrupted: %s %s scored", printable.Count(o.Done, "answer"),
		printable.Verb(o.Done, "is", "are"))
}
