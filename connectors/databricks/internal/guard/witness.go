package guard

import (
	"context"
	"errors"
	"math"
	"net/url"
	"sync"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/thrift"
	"github.com/badger-eval/badger/internal/errcode"
)

// witness records the service's responses for one statement. It is nil for calls without a statement.
type witness struct {
	g     *guard
	abort context.Context //nolint:containedctx // the caller's context, which the driver ignores

	mu        sync.Mutex
	outcome   error         // the error if the statement failed
	err       error         // the error if the last call failed
	handle    thrift.Struct // handle of the statement while it is open at the service
	cancelled bool
	meta      thrift.Struct // metadata of the result
	lz4       bool          // batches and files are compressed

	begun bool        // a page has arrived
	more  bool        // another page follows
	next  int64       // index of the first row of the next page
	seek  bool        // the service's position may differ, since links were renewed
	parts []announced // batches and files that the driver has not returned yet
	links map[string]workspace.Link
}

// announced is a batch or a file that the service has announced.
type announced struct {
	rows   int64
	batch  bool // a batch, which has no schema; the driver adds one
	packed bool
}

type witnessKey struct{}

// witnessed returns a context whose calls are recorded by the new witness w. The caller's context is ctx.
func (g *guard) witnessed(ctx context.Context) (context.Context, *witness) {
	w := &witness{g: g, abort: ctx, links: map[string]workspace.Link{}}
	return context.WithValue(ctx, witnessKey{}, w), w
}

func witnessOf(ctx context.Context) *witness {
	w, _ := ctx.Value(witnessKey{}).(*witness)
	return w
}

// bound returns a context that ends when ctx or the caller's context of the witness ends.
func (w *witness) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(w.abort, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

func (w *witness) failed(err error) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// failure returns the error for a step in which the driver failed with err: the context's or the service's error, if
// there is one.
func (w *witness) failure(what string, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.abort.Err() != nil:
		return w.abort.Err()
	case w.outcome != nil:
		return w.outcome
	case w.err != nil:
		return w.err
	}
	return errcode.Because(err, errcode.Unavailable, "databricks: %s: the driver cannot read what the service answers",
		what)
}

// description returns the metadata of the result.
func (w *witness) description() (thrift.Struct, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return nil, w.err
	case w.meta == nil:
		return nil, workspace.Broken("the service does not describe it")
	}
	meta := w.meta
	w.meta = thrift.Struct{} // the metadata's bytes keep a whole response in memory
	return meta, nil
}

// forget records that the statement is closed at the service.
func (w *witness) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handle = nil
}

// end cancels and closes the statement if it is open, and reports whether the session no longer exists.
func (w *witness) end(ctx context.Context) (lost bool) {
	w.mu.Lock()
	handle, cancel := w.handle, w.abort.Err() != nil && !w.cancelled && !w.begun
	var said *ServerError
	lost = errors.As(w.err, &said) && said.NoSession()
	for address := range w.links {
		w.g.announced.Delete(address)
	}
	w.mu.Unlock()
	if handle != nil && cancel {
		_, _ = w.g.send(ctx, cancelOperation, thrift.Struct{1: handle})
	}
	if handle != nil {
		_, _ = w.g.send(ctx, closeOperation, thrift.Struct{1: handle})
	}
	return lost
}

// take records a response, and reports whether it modified the response.
func (w *witness) take(a thrift.Message) (changed bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = nil
	resp := a.Fields.Struct(0)
	switch a.Name {
	case execute:
		direct := resp.Struct(1281)
		if direct.Struct(4) == nil { // the statement is still open
			w.handle = resp.Struct(2)
		}
		if status := direct.Struct(1); status != nil {
			_, w.outcome = ended(status)
		}
		w.described(direct.Struct(2))
		if page := direct.Struct(3); page != nil {
			return w.page(page)
		}
	case operationStatus:
		_, w.outcome = ended(resp)
	case resultMetadata:
		w.described(resp)
	case fetchResults:
		w.described(resp.Struct(1281))
		return w.page(resp)
	case cancelOperation:
		w.cancelled = true
	}
	return false, nil
}

func (w *witness) described(meta thrift.Struct) {
	if w.meta == nil && meta != nil {
		w.meta, w.lz4 = meta, meta.Bool(1282)
	}
}

// page records a page that starts where the last one ended; others are ignored, as the driver requests them again.
// Links are marked as valid indefinitely, since the guard renews them.
func (w *witness) page(page thrift.Struct) (changed bool, err error) {
	set := page.Struct(3)
	batches, links := set.Structs(1281), set.Structs(1282)
	if len(batches)+len(links) > 0 && set.Int(1) != w.next {
		return false, nil
	}
	w.begun, w.more, w.seek = true, page.Bool(2), false
	for _, b := range batches {
		w.announce(announced{rows: b.Int(2), batch: true, packed: w.lz4})
	}
	for _, l := range links {
		to := linkOf(l)
		if u, err := url.Parse(to.URL); err == nil {
			w.links[u.String()] = to
			w.g.announced.Store(u.String(), w)
		}
		w.announce(announced{rows: to.Rows, packed: w.lz4})
		l[2] = int64(math.MaxInt64)
	}
	if len(set.List(2))+len(set.List(3))+len(set.Bytes(4)) > 0 {
		return false, errcode.Unread(
			"databricks: the service sends a result that is not Arrow; expected the http_path of a Databricks SQL warehouse")
	}
	return len(links) > 0, nil
}

func (w *witness) announce(a announced) {
	w.parts = append(w.parts, a)
	w.next += a.rows
}

// part returns the announcement of the next batch or file.
func (w *witness) part() (announced, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.parts) == 0 {
		return announced{}, workspace.Broken("the driver returns rows that the service did not announce")
	}
	next := w.parts[0]
	w.parts = w.parts[1:]
	return next, nil
}

// complete returns an error if the driver ended a result too early.
func (w *witness) complete() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.abort.Err() != nil:
		return w.abort.Err()
	case w.err != nil:
		return w.err
	case !w.begun || w.more || len(w.parts) > 0:
		return workspace.Broken("the driver ends it early")
	}
	return nil
}

// place returns the index of the first row of the next page, and whether the request must contain it.
func (w *witness) place() (row int64, tell bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next, w.seek
}

// link returns the link with a URL and removes it, as each file is read once.
func (w *witness) link(address string) (l workspace.Link, ok bool) {
	if w == nil {
		return l, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l, ok = w.links[address]
	delete(w.links, address)
	w.g.announced.Delete(address)
	return l, ok
}

// renew requests new links, starting with the one that has expired.
func (w *witness) renew(ctx context.Context, expired workspace.Link) ([]workspace.Link, error) {
	w.mu.Lock()
	handle := w.handle
	w.seek = true
	w.mu.Unlock()
	page, err := w.g.send(ctx, fetchResults,
		thrift.Struct{1: handle, 2: int32(0), 3: w.g.config.PageRows, 1282: expired.Start})
	if err != nil {
		return nil, err
	}
	var out []workspace.Link
	for _, l := range page.Struct(3).Structs(1282) {
		out = append(out, linkOf(l))
	}
	return out, nil
}
