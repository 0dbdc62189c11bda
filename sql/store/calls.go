package store

import (
	"context"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Call is a row of calls: a call of the function server that lasts longer than a connection.
type Call struct {
	ID          string
	ContentHash string // of what was asked
	Function    string
	Request     string
	Reply       string // empty while there is none
	Expires     time.Time
}

// WriteCalls writes rows of calls. A row replaces the existing row with the same id.
func (w *Store) WriteCalls(ctx context.Context, calls ...Call) error {
	b := newRows("calls")
	defer b.release()
	for i := range calls {
		c := &calls[i]
		b.row(c.ID, c.ContentHash, c.Function, c.Request, optional(c.Reply), c.Expires.UnixMilli())
	}
	return b.merge(ctx, w)
}

// Calls reads the existing rows of the given calls.
func (w *Store) Calls(ctx context.Context, ids ...string) (out []Call, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	query, args := Calls(w.SQL(), ids)
	err = w.Each(ctx, "reading calls", query, args, func(t *scoring.Table, row int) bool {
		r := &record{t: t, row: row}
		out = append(out, Call{
			ID: r.text(0), ContentHash: r.text(1), Function: r.text(2), Request: r.text(3), Reply: r.text(4),
			Expires: time.UnixMilli(t.Columns[5].Value(row).Int()).UTC(),
		})
		return true
	})
	return out, err
}

// AnswerCall writes the reply of a call that has none yet.
func (w *Store) AnswerCall(ctx context.Context, id, reply string) error {
	query, args := AnswerCall(w.SQL(), id, reply)
	return w.Use("writing calls", func(conn driver.Conn) error { return conn.Exec(ctx, query, args...) })
}

// TryCalls writes a row of calls, reads it and deletes it, as the function server does with the calls
// that it answers later. The id must be new and plain.
func (w *Store) TryCalls(ctx context.Context, id string, now time.Time) error {
	err := w.WriteCalls(ctx, Call{ID: id, ContentHash: id, Function: "badger_echo", Request: "[]", Expires: now.Add(time.Minute)})
	if err == nil {
		err = w.AnswerCall(ctx, id, "a reply")
	}
	var found []Call
	if err == nil {
		found, err = w.Calls(ctx, id)
	}
	if err == nil && (len(found) != 1 || found[0].Reply != "a reply") {
		err = errcode.New(errcode.DataLoss, "badger.calls: a row was written and answered, and did not come back")
	}
	// Also when the time is over.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	query, args := ForgetCall(w.SQL(), id)
	gone := w.Use("writing calls", func(conn driver.Conn) error { return conn.Exec(last, query, args...) })
	if err != nil {
		return err
	}
	return gone
}

// ForgetCalls deletes the calls that expired before a time.
func (w *Store) ForgetCalls(ctx context.Context, before time.Time) error {
	query, args := ForgetCalls(w.SQL(), before)
	return w.Use("writing calls", func(conn driver.Conn) error { return conn.Exec(ctx, query, args...) })
}
