package batch

import (
	"cmp"
	"errors"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// store receives the scored cases, appends their scores to the ledger in batches and reports progress, until all
// workers are done.
func (x *run) store() (Outcome, error) {
	var (
		o       Outcome
		failure error
		pending []*job
		order   = map[int64]*job{} // scored before their turn
		turn    int64
		left    bool // whether a case was taken and not begun
		linger  = time.NewTimer(x.Linger)
		tick    = time.NewTicker(x.ProgressEvery)
	)
	defer linger.Stop()
	defer tick.Stop()

	flush := func() {
		if failure == nil && len(pending) > 0 {
			if failure = x.appendRows(pending); failure != nil {
				x.cut()
			}
		}
		for _, j := range pending {
			x.room.Release(j.weight)
		}
		pending = pending[:0]
	}
	accept := func(j *job) {
		if j.rows == nil || failure != nil {
			left = true
			if j.begun {
				o.Cut++
			}
			x.room.Release(j.weight)
			return
		}
		if pending = append(pending, j); len(pending) == 1 {
			linger.Reset(x.Linger)
		}
		if len(pending) >= x.BatchSize {
			flush()
		}
	}
	for open := true; open; {
		select {
		case j, ok := <-x.results:
			switch {
			case !ok:
				open = false
			case !x.Ordered:
				accept(j)
			default:
				for order[j.seq] = j; order[turn] != nil; turn++ {
					accept(order[turn])
					delete(order, turn)
				}
			}
		case <-linger.C:
			flush()
		case <-x.starved:
		case <-tick.C:
			x.report()
		}
		if len(x.results) == 0 && x.starving() { // what has come meanwhile is stored with the others
			flush()
		}
	}
	for ; len(order) > 0; turn++ { // after a case that was handed out but never scored
		if j := order[turn]; j != nil {
			accept(j)
			delete(order, turn)
		}
	}
	flush()
	x.report()
	o.Progress = x.meter.progress()
	o.Changed, o.Other, o.Lacking, o.Known = x.changed, x.other, x.done.lacking, x.known
	if o.Complete = x.exhausted && !left && failure == nil; o.Complete {
		o.Gone = x.done.gone(&x.seen)
	}
	if failure != nil {
		return o, failure
	}
	return o, x.stopped(&o)
}

// starving reports whether workers are idle while a case waits for room.
func (x *run) starving() bool {
	return x.waiting.Load() && x.inFlight.Load() < int64(x.Concurrency)
}

func (x *run) appendRows(batch []*job) error {
	n := 0
	for _, j := range batch {
		n += len(j.rows)
	}
	rows := make([]scoring.Row, 0, n)
	for _, j := range batch {
		rows = append(rows, j.rows...)
	}
	if n == 0 {
		// all of them are held
	} else if err := x.ledger.Append(x.storing, x.name, rows); err != nil {
		code := errcode.Of(err)
		if x.storing.Err() != nil && errors.Is(err, x.storing.Err()) {
			code = errcode.DeadlineExceeded
		}
		return errcode.New(code, "storing scores: %w; the run can be resumed", err)
	}
	for _, j := range batch {
		if j.c == nil {
			x.meter.unread++
		}
		if len(j.metrics) == 0 {
			x.Skipped(j.c, j.item.AnswerID, *j.spent)
			continue
		}
		x.meter.stored(j.rows)
		if j.changed {
			x.changed++
		}
		if j.other {
			x.other++
		}
		if x.Scored != nil {
			x.Scored(cmp.Or(j.c, j.question), j.rows)
		}
	}
	return nil
}

func (x *run) report() {
	if x.Progress != nil {
		x.Progress(x.meter.progress())
	}
}
