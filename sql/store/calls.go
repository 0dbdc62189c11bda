package store

import (
	"context"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Call is a row of calls: a call of the function server that may outlast its connection.
type Call struct {
	ID          string
	ContentHash string // of the request
	Function    string
	Request     string
	Reply       string // empty until it is answered
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
	return all(ctx, w, callsNamed(w.SQL(), ids))
}

// callsNamed returns the statement for the rows of calls with these IDs.
func callsNamed(d driver.Dialect, ids []string) Select[Call] {
	p := &arguments{dialect: d}
	from := " FROM badger.calls WHERE call_id IN (" + p.list(ids) + ")"
	return Select[Call]{
		What: "reading calls",
		Fields: []field[Call]{
			{SQL: "call_id", In: func(c *Call) any { return &c.ID }},
			{SQL: "content_hash", In: func(c *Call) any { return &c.ContentHash }},
			{SQL: "function", In: func(c *Call) any { return &c.Function }},
			{SQL: "request", In: func(c *Call) any { return &c.Request }},
			{SQL: "reply", In: func(c *Call) any { return &c.Reply }},
			{SQL: "expires_ms", Decode: func(c *Call, v scoring.Value) error {
				c.Expires = time.UnixMilli(wholeNumber(v)).UTC()
				return nil
			}},
		},
		From: from, Args: p.args,
	}
}

// AnswerCall sets the reply of a call, unless it has one.
func (w *Store) AnswerCall(ctx context.Context, id, reply string) error {
	d := w.SQL()
	return w.changeCalls(ctx,
		"UPDATE badger.calls SET reply = "+d.Param(1)+" WHERE call_id = "+d.Param(2)+" AND reply IS NULL", reply, id)
}

// TryCalls writes, answers, reads and deletes a test row of calls, to check that the function server can. id must be
// new and needs no escaping.
func (w *Store) TryCalls(ctx context.Context, id string, now time.Time) error {
	err := w.WriteCalls(ctx,
		Call{ID: id, ContentHash: id, Function: "badger_echo", Request: "[]", Expires: now.Add(time.Minute)})
	if err == nil {
		err = w.AnswerCall(ctx, id, "a reply")
	}
	var found []Call
	if err == nil {
		found, err = w.Calls(ctx, id)
	}
	if err == nil && (len(found) != 1 || found[0].Reply != "a reply") {
		err = errcode.New(errcode.DataLoss, "badger.calls: a row that was written and answered cannot be read")
	}
	// Also if ctx has ended.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	gone := w.changeCalls(last, "DELETE FROM badger.calls WHERE call_id = "+w.SQL().Param(1), id)
	if err != nil {
		return err
	}
	return gone
}

// ForgetCalls deletes the calls that expired before a time.
func (w *Store) ForgetCalls(ctx context.Context, before time.Time) error {
	return w.changeCalls(ctx, "DELETE FROM badger.calls WHERE expires_ms < "+w.SQL().Param(1), before.UnixMilli())
}

func (w *Store) changeCalls(ctx context.Context, query string, args ...any) error {
	return w.Use("writing calls", func(conn driver.Conn) error { return conn.Exec(ctx, query, args...) })
}
