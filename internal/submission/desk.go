package submission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
)

// Options are the dependencies of a [Desk].
type Options struct {
	Config
	Work   Work
	NewRun func(now time.Time) string // returns the ID of a new run
	Now    func() time.Time
	Log    *slog.Logger
}

const (
	maxDrafts = 8                // submissions that are not started, of all callers
	maxOver   = 100              // ended submissions that are remembered
	draftAge  = 24 * time.Hour   // a draft is deleted after this time
	grace     = 10 * time.Second // time for a run to stop when the desk closes, before its cases in flight are cancelled
)

// Desk holds the submissions and runs them, one at a time. It is safe for concurrent use.
type Desk struct {
	o       Options
	unlock  func()
	wake    chan struct{}
	closing chan struct{}
	ended   chan struct{}   // closed when the last run has ended
	working context.Context //nolint:containedctx // lives as long as the desk
	cut     context.CancelFunc

	mu  sync.Mutex
	all map[string]*Submission
	// stop asks the run at work to stop, and cutRun cancels its cases in flight. They are nil without such a run.
	stop   func()
	cutRun context.CancelFunc
}

// Open opens the directory of submissions, and starts to run those that are submitted. Submissions that were running or
// waiting when the last process ended are interrupted. It returns FailedPrecondition if another process has the
// directory open.
func Open(o Options) (d *Desk, err error) {
	if o.Config, err = o.WithDefaults(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, errcode.New(errcode.OfFile(err), "submit.dir: %w", err)
	}
	unlock, err := lock(o.Dir)
	if err != nil {
		return nil, err
	}
	d = &Desk{o: o, unlock: unlock, wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{})}
	if d.all, err = d.load(); err != nil {
		unlock()
		return nil, err
	}
	d.working, d.cut = context.WithCancel(context.Background())
	d.mu.Lock()
	d.forget()
	d.mu.Unlock()
	go d.work()
	return d, nil
}

// Close stops the run at work, waits until it has ended, and releases the directory. The run can be resumed later.
func (d *Desk) Close() {
	d.mu.Lock()
	select {
	case <-d.closing:
		d.mu.Unlock()
		return
	default:
	}
	close(d.closing)
	if d.stop != nil {
		d.stop()
	}
	d.mu.Unlock()
	select {
	case <-d.ended:
	case <-time.After(grace):
	}
	d.cut()
	<-d.ended
	d.unlock()
}

// Offer returns what can be chosen for a run.
func (d *Desk) Offer() Offer { return d.o.Work.Offer() }

// Limits returns the limits in force.
func (d *Desk) Limits() Config { return d.o.Config }

// Caller is who submits: only they and callers with the role admin see a submission.
type Caller struct {
	Name  string
	Admin bool
}

func (c Caller) may(s *Submission) bool { return c.Admin || c.Name == s.By }

// List returns the submissions of a caller, the latest first.
func (d *Desk) List(who Caller) (out []Submission) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.all {
		if s.Status != uploading && who.may(s) {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b Submission) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Get returns a submission, and the number of others that run before it if it waits.
func (d *Desk) Get(who Caller, id string) (s Submission, before int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, err := d.find(who, id)
	if err != nil {
		return s, 0, err
	}
	if at.Status == Waiting {
		for _, o := range d.all {
			if o.Status == Running || o.Status == Waiting && o.before(at) {
				before++
			}
		}
	}
	return *at, before, nil
}

// before reports whether a waiting submission runs before another.
func (s *Submission) before(o *Submission) bool {
	return cmp.Or(s.Started.Compare(o.Started), cmp.Compare(s.ID, o.ID)) < 0
}

// find returns a submission. A submission of another caller is not found either.
func (d *Desk) find(who Caller, id string) (*Submission, error) {
	s := d.all[id]
	if s == nil || s.Status == uploading || !who.may(s) {
		return nil, errcode.New(errcode.NotFound, "submission %.50q not found; see the list of submissions", id)
	}
	return s, nil
}

// Upload stores a case file, which may be compressed by gzip, and examines it. name is that of the file, as the browser
// sent it. If the submission id exists already, it is returned unchanged: the form was sent twice.
func (d *Desk) Upload(ctx context.Context, who Caller, id, name string, file io.Reader) (Submission, error) {
	return d.add(ctx, who, &Submission{ID: id, Name: displayName(name)}, func(s *Submission) (err error) {
		s.Bytes, err = d.store(s, file)
		return err
	})
}

// Select submits answers in the tables of the database. See [Desk.Upload] for id.
func (d *Desk) Select(ctx context.Context, who Caller, id string, of Tables) (Submission, error) {
	return d.add(ctx, who, &Submission{ID: id, Tables: &of}, func(*Submission) error { return nil })
}

// add creates a draft: fill stores its cases, which are then examined. After an error nothing of it is left.
func (d *Desk) add(ctx context.Context, who Caller, s *Submission, fill func(*Submission) error) (Submission, error) {
	if err := checkID(s.ID); err != nil {
		return Submission{}, err
	}
	d.mu.Lock()
	d.forget()
	if was := d.all[s.ID]; was != nil {
		defer d.mu.Unlock()
		switch {
		case !who.may(was):
			return Submission{}, errcode.New(errcode.AlreadyExists, "id: the identifier is taken; reload the page and send the form again")
		case was.Status == uploading:
			return Submission{}, errcode.New(errcode.FailedPrecondition, "the same form is being sent already; wait for its page")
		}
		return *was, nil
	}
	drafts := 0
	for _, o := range d.all {
		if o.Status == Draft || o.Status == uploading {
			drafts++
		}
	}
	if drafts >= maxDrafts {
		d.mu.Unlock()
		return Submission{}, errcode.New(errcode.FailedPrecondition,
			"%d submissions are not started yet, and more are not accepted; start or discard one of them", drafts)
	}
	s.Status, s.By, s.Admin, s.Created = uploading, who.Name, who.Admin, d.o.Now()
	d.all[s.ID] = s
	d.mu.Unlock()
	err := d.examine(ctx, s, fill)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		s.Status = Draft
		err = d.save(s)
	}
	if err != nil {
		delete(d.all, s.ID)
		d.remove(s)
		return Submission{}, err
	}
	return *s, nil
}

// examine stores the cases of a new submission and describes them. Nothing else has s.
func (d *Desk) examine(ctx context.Context, s *Submission, fill func(*Submission) error) error {
	if err := d.makeDir(s); err != nil {
		return err
	}
	if err := fill(s); err != nil {
		return err
	}
	source, err := d.o.Work.Cases(ctx, s)
	if err != nil {
		return err
	}
	if s.Understood, err = cases.Examine(ctx, source); err != nil {
		return err
	}
	if s.Understood.Answers == 0 {
		if s.Tables != nil {
			return errcode.New(errcode.InvalidArgument, "the tables have no such answers; check agent, version and batch")
		}
		return errcode.New(errcode.InvalidArgument, "the file has no cases; expected one JSON object a line")
	}
	offer := d.o.Work.Offer()
	s.Choice.Budget = offer.Budget
	return nil
}

// Choose sets the choice of a draft, and estimates the judge calls.
func (d *Desk) Choose(ctx context.Context, who Caller, id string, c Choice) error {
	if err := d.o.Work.Check(c); err != nil {
		return err
	}
	d.mu.Lock()
	s, err := d.find(who, id)
	if err == nil && s.Status != Draft {
		err = errcode.New(errcode.FailedPrecondition, "the run was started already; submit the cases again for another choice")
	}
	if err != nil {
		d.mu.Unlock()
		return err
	}
	s.Choice, s.Estimate = c, nil
	asked := *s
	d.mu.Unlock()
	var estimate *Estimate
	if c.Judge {
		if estimate, err = d.o.Work.Estimate(ctx, &asked); err != nil {
			estimate = &Estimate{Why: err.Error()}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.Status == Draft && slices.Equal(s.Choice.Metrics, c.Metrics) && s.Choice.Judge == c.Judge {
		s.Estimate = estimate
	}
	return d.save(s)
}

// Start puts a draft with a choice into the queue of runs. A submission that waits or runs already is unchanged: the
// form was sent twice.
func (d *Desk) Start(who Caller, id string, c Choice) error {
	if err := d.o.Work.Check(c); err != nil {
		return err
	}
	return d.queue(who, id, Draft, func(s *Submission) error {
		if !s.Understood.Runnable() {
			return errcode.New(errcode.FailedPrecondition, "none of the answers can be read; correct the file and upload it again")
		}
		s.Choice = c
		s.Run = d.o.NewRun(d.o.Now())
		return nil
	})
}

// Resume puts an interrupted submission into the queue of runs. Its scores so far are kept.
func (d *Desk) Resume(who Caller, id string) error {
	return d.queue(who, id, Interrupted, func(*Submission) error { return nil })
}

func (d *Desk) queue(who Caller, id string, from Status, change func(*Submission) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.find(who, id)
	if err != nil {
		return err
	}
	if s.Status == Waiting || s.Status == Running {
		return nil
	}
	if s.Status != from {
		return errcode.New(errcode.FailedPrecondition, "the submission is %s; expected one that is %s", s.Status, from)
	}
	waiting := 0
	for _, o := range d.all {
		if o.Status == Waiting {
			waiting++
		}
	}
	if waiting >= d.o.Waiting {
		return errcode.New(errcode.FailedPrecondition,
			"%d submissions wait for their run, and more are not accepted; start it later", waiting)
	}
	was := *s
	if err = change(s); err == nil {
		s.Status, s.Why, s.Started, s.Ended = Waiting, "", d.o.Now(), time.Time{}
		err = d.save(s)
	}
	if err != nil {
		*s = was
		return err
	}
	select {
	case d.wake <- struct{}{}:
	default:
	}
	return nil
}

// Cancel ends a waiting or running submission, which cannot be resumed. Cases in flight finish; if the submission is
// being cancelled already, they are cancelled, too. One that has ended is unchanged.
func (d *Desk) Cancel(who Caller, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.find(who, id)
	if err != nil {
		return err
	}
	switch s.Status {
	case Draft, Interrupted:
		return errcode.New(errcode.FailedPrecondition, "the submission does not run; discard it instead")
	case Waiting:
		s.Status, s.Ended = Cancelled, d.o.Now()
		d.removeCases(s)
		return d.save(s)
	case Running:
		if s.Stopping {
			d.cutRun()
		}
		s.Stopping = true
		d.stop()
	}
	return nil
}

// Discard deletes a submission with its file. Scores of its run remain in the database. A waiting or running submission
// is an error.
func (d *Desk) Discard(who Caller, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.find(who, id)
	if err != nil {
		return err
	}
	if s.Status == Waiting || s.Status == Running {
		return errcode.New(errcode.FailedPrecondition, "the submission is %s; cancel it first", s.Status)
	}
	delete(d.all, id)
	d.remove(s)
	return nil
}

// forget deletes drafts that are too old, and the oldest of too many ended submissions. The caller holds d.mu.
func (d *Desk) forget() {
	var over []*Submission
	for _, s := range d.all {
		switch {
		case s.Status.Over():
			over = append(over, s)
		case s.Status == Draft && d.o.Now().Sub(s.Created) > draftAge:
			delete(d.all, s.ID)
			d.remove(s)
		}
	}
	slices.SortFunc(over, func(a, b *Submission) int { return b.Ended.Compare(a.Ended) })
	for _, s := range over[min(len(over), maxOver):] {
		delete(d.all, s.ID)
		d.remove(s)
	}
}

// work runs waiting submissions until the desk closes.
func (d *Desk) work() {
	defer close(d.ended)
	for {
		select {
		case <-d.closing:
			return
		case <-d.wake:
		}
		for {
			ctx, s, stop := d.next()
			if s == nil {
				break
			}
			d.run(ctx, s, stop)
		}
	}
}

// next marks the submission whose turn it is as running, and returns the context of its run. It returns nil if none
// waits or the desk closes.
func (d *Desk) next() (ctx context.Context, s *Submission, stop chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.closing:
		return nil, nil, nil
	default:
	}
	for _, o := range d.all {
		if o.Status == Waiting && (s == nil || o.before(s)) {
			s = o
		}
	}
	if s == nil {
		return nil, nil, nil
	}
	s.Status, s.Started, s.Progress = Running, d.o.Now(), batch.Progress{}
	d.logged(d.save(s))
	stop = make(chan struct{})
	d.stop = sync.OnceFunc(func() { close(stop) })
	ctx, d.cutRun = context.WithCancel(d.working)
	return ctx, s, stop
}

// run evaluates a submission and records how it ended.
func (d *Desk) run(ctx context.Context, s *Submission, stop chan struct{}) {
	d.mu.Lock()
	asked := *s
	d.mu.Unlock()
	err := d.evaluate(ctx, &asked, stop, func(p batch.Progress) {
		d.mu.Lock()
		s.Progress = p
		d.mu.Unlock()
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cutRun()
	d.stop, d.cutRun = nil, nil
	s.Ended, s.Status = d.o.Now(), Done
	if err != nil {
		s.Status, s.Why = Failed, err.Error()
		if code := errcode.Of(err); code == errcode.Cancelled || errors.Is(err, context.Canceled) {
			s.Status, s.Why = Interrupted, "the server stopped during the run"
			if s.Stopping {
				s.Status, s.Why = Cancelled, ""
			}
		} else if code == errcode.Unknown {
			d.o.Log.Error("a submitted run failed", slog.String("run", s.Run), slog.String("error", err.Error()))
			s.Why = "an internal error, which the log of the server describes"
		}
	}
	s.Stopping = false
	if s.Status != Interrupted {
		d.removeCases(s)
	}
	d.logged(d.save(s))
}

// evaluate converts a panic to an error, so that one submission cannot end the others.
func (d *Desk) evaluate(ctx context.Context, s *Submission, stop <-chan struct{},
	progress func(batch.Progress)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			d.o.Log.Error("a submitted run panicked", slog.String("run", s.Run), slog.String("panic", fmt.Sprint(v)),
				slog.String("stack", string(debug.Stack())))
			err = errcode.New(errcode.Internal, "the run panicked; this is a bug in badger")
		}
	}()
	return d.o.Work.Evaluate(ctx, s, stop, progress)
}

func (d *Desk) logged(err error) {
	if err != nil {
		d.o.Log.Error("the state of a submission is not stored", slog.String("error", err.Error()))
	}
}
