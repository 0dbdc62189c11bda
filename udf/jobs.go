package udf

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// jobs computes the rows of functions that ask judges (Function.Once). A row is identified by its content: the
// caller, the function, its version, the configuration and the arguments. Equal rows, of one call or of concurrent
// ones, are computed once. A row continues after its caller's deadline, so that a repeated call gets its score, even
// in another batch. The judges' replies are stored in the judge's ledger, which gives the same score after a restart
// or on another replica; the results cached here only save time.
type jobs struct {
	catalogue *Catalogue
	width     int    // jobs that run concurrently
	secret    []byte // keys the hashes, so that only this process can compute them

	mu      sync.Mutex
	all     map[rowKey]*job // waiting, running and finished ones
	queues  []*queue        // calls with rows that have not started; they take turns
	running int
	aside   int              // started rows that gave up their worker while they wait
	cut     bool             // Drain has cancelled the jobs that were left
	quiet   sync.Cond        // signalled when no job runs
	memory  Memory           // for cached results; nil: not counted
	parked  int64            // bytes of jobs that continue without a waiting call
	of      map[string]int64 // the same by the caller that started the job
	kept    int64            // bytes of cached results
	ended   []*job           // finished jobs whose results are cached, the oldest first
}

// rowKey is the HMAC of a row's content with a secret of this process: the content does not suffice to compute a
// row's ticket.
type rowKey [sha256.Size]byte

func (k rowKey) String() string { return hex.EncodeToString(k[:]) }

// job is the computation of one row.
type job struct {
	key    rowKey
	fn     *Function
	caller string          // name of the caller that started it
	in     *Batch          // of one row
	ctx    context.Context //nolint:containedctx // of the row's computation
	cancel context.CancelFunc

	// Guarded by jobs.mu until done is closed.
	waiting int    // number of calls that wait for it
	begun   bool   // it runs or has run
	parked  int64  // bytes reserved in jobs.parked; 0: the job ends if no call waits for it
	release func() // releases what was reserved for its caller; nil: nothing was reserved
	dropped bool
	cut     bool // it was cancelled because the server stops

	done   chan struct{}
	out    Column
	err    error
	failed bool // the error or a score has status failed, so that a repeated call computes the row again
	ended  time.Time
}

// queue holds the rows of one call that have not started.
type queue struct{ jobs []*job }

// Limits of running jobs and of cached results.
const (
	mostParked = 64 << 20         // bytes of rows without a waiting call; one caller may have three quarters
	mostKept   = 32 << 20         // bytes of cached results
	keepFor    = 10 * time.Minute // how long a result is cached, in case the reply was lost
	longestRow = 10 * time.Minute // time limit of a row's computation
)

var errGoesOn = errcode.New(errcode.DeadlineExceeded,
	"the judge has not answered yet: the row continues, and the same call gets its score later")

var errParkedFull = errcode.New(errcode.ResourceExhausted, "too many rows wait for judges; try again later")

func newJobs(c *Catalogue, width int) *jobs {
	s := &jobs{catalogue: c, width: width, secret: make([]byte, sha256.Size), all: map[rowKey]*job{},
		of: map[string]int64{}}
	_, _ = rand.Read(s.secret) // never fails
	s.quiet.L = &s.mu
	return s
}

// keyOf returns the key of row i. It includes the caller, because callers may differ in the references that they may
// read.
func (s *jobs) keyOf(caller string, fn *Function, in *Batch, i int) rowKey {
	h := hmac.New(sha256.New, s.secret)
	var n [8]byte
	text := func(s string) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write(bytesOf(s))
	}
	number := func(v uint64) {
		binary.LittleEndian.PutUint64(n[:], v)
		h.Write(n[:])
	}
	text("badger row 2")
	text(caller)
	text(fn.Name)
	number(uint64(fn.Version)) //nolint:gosec // any bits will do
	text(fn.fingerprint)
	for k := range fn.Params { // a NULL is as good as an argument that was left out
		if in.IsNull(k, i) {
			h.Write([]byte{0})
			continue
		}
		h.Write([]byte{1})
		switch a := &in.Args[k]; a.Type {
		case DOUBLE:
			number(math.Float64bits(a.Floats[i]))
		case BIGINT:
			number(uint64(a.Ints[i])) //nolint:gosec // any bits will do
		case BOOLEAN:
			if a.Bools[i] {
				number(1)
			} else {
				number(0)
			}
		default:
			text(a.Texts[i])
		}
	}
	var key rowKey
	h.Sum(key[:0])
	return key
}

// rowOf returns row i as a separate batch.
func rowOf(fn *Function, in *Batch, i int) *Batch {
	row := &Batch{Rows: 1, Explain: true, Args: make([]Column, len(in.Args))}
	for k := range in.Args {
		from, to := &in.Args[k], &row.Args[k]
		to.Type = fn.Params[k].Type
		to.Resize(1)
		to.CopyRow(0, from, i)
	}
	return row
}

// own copies the batch's strings, which would otherwise keep the memory of the whole request.
func (b *Batch) own() {
	for k := range b.Args {
		for i, t := range b.Args[k].Texts {
			b.Args[k].Texts[i] = strings.Clone(t)
		}
	}
}

// bytes estimates the memory of the batch's arguments.
func (b *Batch) bytes() int64 {
	n := int64(512)
	for k := range b.Args {
		for _, t := range b.Args[k].Texts {
			n += int64(len(t))
		}
	}
	return n
}

// run computes all rows of in into out. Rows without a score at the deadline continue, so that the same call gets
// their scores later. If ctx ends, rows that have started continue, too, because their judge calls cost money.
func (s *jobs) run(ctx context.Context, fn *Function, in *Batch, out *Column, d Deadline) error {
	rows := make([]*job, in.Rows)
	q := &queue{}
	s.mu.Lock()
	for i := range rows {
		if i < len(in.bad) && in.bad[i] != nil {
			continue
		}
		rows[i] = s.join(ctx, fn, in, i, q)
	}
	s.start(q)
	s.mu.Unlock()

	var over <-chan time.Time
	if d.After > 0 {
		t := time.NewTimer(d.After)
		defer t.Stop()
		over = t.C
	}
	late, gone, cut := false, false, false
	for _, j := range rows {
		if j == nil || j.isDone() {
			continue
		}
		select {
		case <-j.done:
			continue
		case <-over:
			late = true
		case <-ctx.Done():
			gone = true
		}
		break
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, j := range rows {
		if j == nil {
			fn.fail(in, i, out, in.bad[i])
			continue
		}
		ended := s.leave(j, late && !gone)
		cut = cut || j.cut
		switch {
		case gone:
		case ended:
			s.tell(j, in, out, i)
		case j.dropped:
			in.Late++
			fn.fail(in, i, out, errOverdue)
		default:
			in.Late++
			fn.fail(in, i, out, errGoesOn)
		}
	}
	switch {
	case gone:
		return ctx.Err()
	case cut: // rows without a score, which the caller would not send again
		return ErrStopping
	case in.Late > 0 && !d.NullRows:
		return d.late(in.Late, in.Rows, true)
	}
	return nil
}

// join returns the job of row i, or appends a new one to q, and counts the call as waiting for it. The caller holds
// s.mu.
func (s *jobs) join(ctx context.Context, fn *Function, in *Batch, i int, q *queue) *job {
	key := s.keyOf(callerName(ctx), fn, in, i)
	j := s.all[key]
	if j != nil && j.isDone() && time.Since(j.ended) > keepFor {
		j = nil
	}
	if j == nil {
		j = &job{key: key, fn: fn, caller: callerName(ctx), in: rowOf(fn, in, i), done: make(chan struct{})}
		j.ctx, j.cancel = context.WithCancel(context.WithoutCancel(ctx))
		s.all[key] = j
		q.jobs = append(q.jobs, j)
	}
	j.waiting++
	return j
}

func (j *job) isDone() bool { return closed(j.done) }

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// start schedules the jobs of q. The caller holds s.mu.
func (s *jobs) start(q *queue) {
	if len(q.jobs) == 0 {
		return
	}
	s.queues = append(s.queues, q)
	for range min(len(q.jobs), s.width-s.running) {
		s.running++
		go s.work()
	}
}

// leave is called when a call stops waiting for a job. With goOn, the job continues if there is room for it. It
// reports whether the job has ended. The caller holds s.mu.
func (s *jobs) leave(j *job, goOn bool) (ended bool) {
	j.waiting--
	if j.isDone() {
		return true
	}
	if goOn {
		s.park(j)
	}
	switch {
	case j.waiting > 0 || j.parked > 0 || j.dropped:
	case !j.begun:
		s.drop(j)
	case !s.park(j): // its judge is paid for, but there is no memory for it
		j.cancel()
	}
	return false
}

// park lets a job continue without a waiting call, and reports false if the limits do not allow that. The caller
// holds s.mu.
func (s *jobs) park(j *job) bool {
	if j.parked > 0 || j.isDone() {
		return true
	}
	n := j.in.bytes() + jobBytes
	if s.parked+n > mostParked || j.caller != "" && s.of[j.caller]+n > mostParked/4*3 || j.dropped {
		return false
	}
	if !j.begun {
		j.in.own()
	}
	if caller := CallerFrom(j.ctx); caller != nil {
		release, err := caller.Reserve(n)
		if err != nil {
			return false
		}
		j.release = release
	}
	j.parked = n
	s.parked += n
	s.of[j.caller] += n
	return true
}

// unpark releases what park reserved for a job. The caller holds s.mu.
func (s *jobs) unpark(j *job) {
	if j.parked == 0 {
		return
	}
	s.parked -= j.parked
	if s.of[j.caller] -= j.parked; s.of[j.caller] == 0 {
		delete(s.of, j.caller)
	}
	j.parked = 0
	if j.release != nil {
		j.release()
		j.release = nil
	}
}

// drop removes a job that has not started. The caller holds s.mu.
func (s *jobs) drop(j *job) {
	j.dropped = true
	j.cancel()
	s.unpark(j)
	if s.all[j.key] == j {
		delete(s.all, j.key)
	}
}

// tell sends the result of a finished job to a call. A failure is reported to the calls that wait for it, or else
// to the first call; later calls compute the row again. The caller holds s.mu.
func (s *jobs) tell(j *job, in *Batch, out *Column, i int) {
	for _, p := range j.in.Problems {
		p.Row = i
		in.explain(p)
	}
	if j.err != nil {
		j.fn.fail(in, i, out, j.err)
	} else {
		out.CopyRow(i, &j.out, 0)
		in.scores = j.in.scores
	}
	if j.failed && s.all[j.key] == j {
		delete(s.all, j.key)
	}
}

// next removes the next job to start from the queues, which take turns. It returns nil if none is left. The caller
// holds s.mu.
func (s *jobs) next() *job {
	for len(s.queues) > 0 {
		q := s.queues[0]
		s.queues = s.queues[1:]
		j := q.jobs[0]
		if q.jobs = q.jobs[1:]; len(q.jobs) > 0 {
			s.queues = append(s.queues, q)
		}
		if !j.dropped {
			return j
		}
	}
	return nil
}

// work computes jobs until the queues are empty.
func (s *jobs) work() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		j := s.next()
		if j == nil {
			if s.running--; s.running == 0 {
				s.quiet.Broadcast()
			}
			return
		}
		j.begun = true
		j.in.own()
		s.mu.Unlock()
		s.compute(j)
		runtime.Gosched()
		s.mu.Lock()
		s.end(j)
	}
}

func (s *jobs) compute(j *job) {
	ctx, cancel := context.WithTimeout(j.ctx, longestRow)
	defer cancel()
	ctx = withPlace(ctx, turn{s})
	j.out.Type = j.fn.Result
	j.out.Resize(1)
	done, err := j.fn.reading(ctx, j.in, 0)
	if j.err = err; err == nil {
		j.err = s.catalogue.guarded(j.fn, func() error { return j.fn.Row(ctx, j.in, 0, &j.out) })
	}
	done()
	if code := errcode.Of(j.err); ctx.Err() != nil && (code == errcode.DeadlineExceeded || code == errcode.Cancelled) {
		j.err = errOverdue
	}
	j.failed = j.err != nil
	for _, p := range j.in.Problems {
		j.failed = j.failed || p.Status == scoring.StatusFailed
	}
}

// end records that a job is done and caches its result if memory allows. The caller holds s.mu.
func (s *jobs) end(j *job) {
	s.unpark(j)
	j.ended = time.Now()
	j.cancel()
	j.in = &Batch{Problems: j.in.Problems, scores: j.in.scores} // the arguments are not asked for again
	close(j.done)
	if j.failed && j.waiting > 0 { // the waiting calls report it
		if s.all[j.key] == j {
			delete(s.all, j.key)
		}
		return
	}
	for len(s.ended) > 0 && (s.kept+j.size() > mostKept || time.Since(s.ended[0].ended) > keepFor) {
		s.forget()
	}
	if s.memory != nil && !s.memory.Take(j.size()) {
		if s.all[j.key] == j {
			delete(s.all, j.key)
		}
		return
	}
	s.ended = append(s.ended, j)
	s.kept += j.size()
}

// forget removes the oldest cached result. The caller holds s.mu.
func (s *jobs) forget() {
	old := s.ended[0]
	s.ended = s.ended[1:]
	s.kept -= old.size()
	if s.memory != nil {
		s.memory.Give(old.size())
	}
	if s.all[old.key] == old {
		delete(s.all, old.key)
	}
}

// spare drops all cached results to free their memory. It does nothing if s.mu is locked.
func (s *jobs) spare() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	for len(s.ended) > 0 {
		s.forget()
	}
}

// size estimates the memory of a cached result in bytes.
func (j *job) size() int64 {
	n := int64(512)
	for _, t := range j.out.Texts {
		n += int64(len(t))
	}
	return n
}

// Memory is the memory that a server has for data that belong to no call, such as results that callers may request
// again.
type Memory interface {
	// Take reserves n bytes and reports whether they were available.
	Take(n int64) bool
	// Give releases n bytes.
	Give(n int64)
}

// KeepIn makes the cached results of judged rows count in m. The returned function drops them; the server calls it
// when it needs the memory.
func (c *Catalogue) KeepIn(m Memory) (spare func()) {
	c.jobs.memory = m
	return c.jobs.spare
}

// Load is the load of a catalogue.
type Load struct {
	RowsRunning int   // rows of functions that ask no judge
	RowsWaiting int64 // rows that wait for a worker
	JudgedRows  int   // rows of functions that ask judges, running
	JudgedQueue int   // rows of functions that ask judges, not started
	ParkedBytes int64 // bytes of judged rows that continue after their callers' deadlines
}

// Load returns the current load.
func (c *Catalogue) Load() Load {
	l := Load{RowsRunning: len(c.slots), RowsWaiting: c.waiting.Load()}
	c.jobs.mu.Lock()
	defer c.jobs.mu.Unlock()
	l.JudgedRows, l.ParkedBytes = c.jobs.running, c.jobs.parked
	for _, q := range c.jobs.queues {
		l.JudgedQueue += len(q.jobs)
	}
	return l
}

// Cut reports whether [Catalogue.Drain] has cancelled rows. A batch that ended later may lack their scores: its reply
// must not be stored.
func (c *Catalogue) Cut() bool {
	s := c.jobs
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cut
}

// Drain drops judged rows that have not started and that no call waits for, and waits for the others until ctx ends. It
// then cancels them, and waits up to lastWords until they have ended.
func (c *Catalogue) Drain(ctx context.Context, lastWords time.Duration) {
	s := c.jobs
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.queues {
		for _, j := range q.jobs {
			if j.waiting == 0 && !j.dropped {
				s.drop(j)
			}
		}
	}
	left, done := false, make(chan struct{})
	defer close(done)
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		s.cut = true
		for _, j := range s.all {
			j.cut = !j.isDone()
			j.cancel()
		}
		s.mu.Unlock()
		select {
		case <-time.After(lastWords):
		case <-done:
		}
		s.mu.Lock()
		left = true
		s.mu.Unlock()
		s.quiet.Broadcast()
	})
	defer stop()
	for s.running+s.aside > 0 && !left {
		s.quiet.Wait()
	}
}
