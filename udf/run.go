package udf

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

var errOverdue = errcode.New(errcode.DeadlineExceeded, "the call timed out before the row was scored")

// Deadline is the time limit of a call, and what happens to rows that have no score by then.
type Deadline struct {
	After time.Duration // from the start of the call; 0: no limit
	// Key is the setting that the limit comes from, such as timeouts.bigquery, for the error message; it may be
	// empty.
	Key string
	// NullRows lets the call succeed: rows without a score fail with deadline_exceeded, which is NULL in SQL, and count
	// in Batch.Late. Otherwise the call fails as a whole with code unavailable, so that its caller repeats it.
	NullRows bool
}

// late returns the error of a call with n of so many rows without a score in time. goesOn means that these rows
// continue.
func (d Deadline) late(n, of int, goesOn bool) error {
	repeat, allow := "repeat the call", "set a longer deadline"
	if d.Key != "" {
		allow = "raise " + d.Key
	}
	if goesOn {
		repeat = "they continue, and the same call gets their scores later: repeat it"
	}
	return errcode.New(errcode.Unavailable, "%d of %d rows were not scored in time; %s, send fewer rows at once, or %s",
		n, of, repeat, allow)
}

// Run computes fn for all rows of in into out, which has the type of the result and as many rows. A row that has no
// value is NULL, or a JSON text with the reason. After an error, out is invalid: the error is that of ctx,
// [ErrStopping], ResourceExhausted if memory is short, or Unavailable if rows were late and d.NullRows is false.
func (c *Catalogue) Run(ctx context.Context, fn *Function, in *Batch, out *Column, d Deadline) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if fn.Columns != nil {
		err := c.guarded(fn, func() error { fn.Columns(ctx, in, out); return nil })
		for i := range out.Nulls {
			if err != nil {
				fn.fail(in, i, out, err)
			} else if i < len(in.bad) && in.bad[i] != nil {
				fn.fail(in, i, out, in.bad[i])
			} else if in.bad == nil {
				break
			}
		}
		return nil
	}
	d = d.within(ctx)
	counted := tallyOf(ctx)
	textual := fn.Result == VARCHAR || fn.Result == JSON
	if fn.Once {
		if err := counted.Add(jobBytes*int64(in.Rows) + in.bytes()); err != nil {
			return err
		}
		err := c.jobs.run(ctx, fn, in, out, d)
		for i := range in.Rows {
			if textual && counted.Add(int64(len(out.Texts[i]))) != nil {
				fn.fail(in, i, out, errNoRoom)
			}
		}
		slices.SortFunc(in.Problems, func(a, b Problem) int { return cmp.Compare(a.Row, b.Row) })
		return err
	}
	rowCtx := ctx
	if d.After > 0 {
		var cancel context.CancelFunc
		rowCtx, cancel = context.WithTimeout(ctx, d.After)
		defer cancel()
	}
	var late atomic.Int64
	done := c.spread(rowCtx, fn, in.Rows, func(rowCtx context.Context, i int) {
		err := rowCtx.Err()
		switch {
		case i < len(in.bad) && in.bad[i] != nil:
			err = in.bad[i]
		case err == nil:
			var done func()
			if done, err = fn.reading(ctx, in, i); err == nil {
				err = c.guarded(fn, func() error { return fn.Row(rowCtx, in, i, out) })
			}
			done()
		}
		// What is computed when the deadline passes may depend on the clock: a search that stopped has found less.
		if rowCtx.Err() != nil && (i >= len(in.bad) || in.bad[i] == nil) {
			err = errOverdue
			late.Add(1)
		}
		if err == nil && textual && counted.Add(int64(len(out.Texts[i]))) != nil {
			err = errNoRoom
		}
		if err != nil { // guarded too: the envelope is the function's own
			_ = c.guarded(fn, func() error { fn.fail(in, i, out, err); return nil })
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	in.Late = int(late.Load()) + in.Rows - done
	if in.Late > 0 && !d.NullRows {
		return d.late(in.Late, in.Rows, false)
	}
	for i := done; i < in.Rows; i++ {
		fn.fail(in, i, out, errOverdue)
	}
	slices.SortFunc(in.Problems, func(a, b Problem) int { return cmp.Compare(a.Row, b.Row) })
	return nil
}

// within returns d, shortened to the deadline of ctx if that is earlier. A tenth of the remaining time, at most a
// second, is left for the reply.
func (d Deadline) within(ctx context.Context) Deadline {
	at, ok := ctx.Deadline()
	if !ok {
		return d
	}
	left := time.Until(at)
	left -= min(left/10, time.Second)
	if left > 0 && (d.After == 0 || left < d.After) {
		d.After, d.Key = left, ""
	}
	return d
}

// spread calls row for each of n rows concurrently, each on one of the catalogue's slots, and returns how many rows
// were started: n unless ctx ended. A slot is released after a few rows, so that a large batch does not block a small
// one.
func (c *Catalogue) spread(ctx context.Context, fn *Function, n int, row func(ctx context.Context, i int)) int {
	step, width := 1, cap(c.slots)
	if !fn.Waits { // more rows than processors would only take turns
		step, width = 8, min(width, 4*runtime.GOMAXPROCS(0))
	}
	width = min(width, (n+step-1)/step)
	var next atomic.Int64
	work := func() {
		at := &slot{c: c}
		ctx := withPlace(ctx, at)
		for int(next.Load()) < n && at.take(ctx) {
			from := int(next.Add(int64(step))) - step
			for i := from; i < min(from+step, n); i++ {
				row(ctx, i)
			}
			at.leave()
		}
	}
	var wg sync.WaitGroup
	for range width - 1 {
		wg.Go(work)
	}
	if n > 0 {
		work()
	}
	wg.Wait()
	return min(int(next.Load()), n)
}

// fail sets row i of out to NULL, or to a JSON envelope with the reason, and records the problem.
func (f *Function) fail(in *Batch, i int, out *Column, err error) {
	code, reason := PublicError(err)
	in.explain(Problem{Row: i, Status: scoring.StatusFailed, Code: code, Reason: reason})
	if f.Result != JSON {
		out.SetNull(i)
		return
	}
	out.Nulls[i] = false
	if f.Envelope != nil {
		out.SetText(i, f.Envelope(errcode.New(code, "%s", reason)))
		return
	}
	out.SetText(i, string(AppendFailure(nil, code, reason, "")))
}
