package server

import (
	"context"
	"crypto/md5" //nolint:gosec // Content-MD5 is a checksum
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
)

var noDeadline time.Time

// exchange is one HTTP request and its answer.
type exchange struct {
	call
	rw    http.ResponseWriter
	r     *http.Request
	fault func(dst []byte, err error, requestID string) []byte // the body of a fault, as the caller reads it
	share *share                                               // what the call takes of the limits
	begun bool                                                 // the body is being read

	patience time.Duration // for the reply to leave
}

var replies = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// handler serves a route: identify, read, admit, serve, and log.
func (s *Server) handler(rt *route) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		requested(r.Context())
		x := &exchange{rw: rw, r: r, fault: appendFault, patience: s.limits.ReadTime}
		x.id, x.start, x.wire, x.function = s.ids.next(r.Header.Get("X-Request-Id")), s.now(), rt.name(), r.PathValue("function")
		if rt.wire != nil {
			x.fault = rt.wire.fault
		}
		rw.Header().Set("X-Request-Id", x.id)
		if rt.open { // health checks: no token, no log
			if err := rt.serve(s, x); err != nil {
				x.refuse(err)
			}
			return
		}
		x.r = r.WithContext(s.traced(r.Context(), &x.call, httpCarrier(r.Header)))
		err := s.exchange(rt, x)
		if err != nil {
			x.refuse(err)
		}
		s.finish(r.Context(), &x.call, err)
	}
}

func (s *Server) exchange(rt *route, x *exchange) (err error) {
	defer func() {
		if v := recover(); v == http.ErrAbortHandler { //nolint:errorlint // it is that value
			panic(v)
		} else if v != nil {
			LogPanics(s.log)(x.wire, v, debug.Stack())
			err = errcode.New(errcode.Internal, "the request could not be served; this is a defect of badger")
		}
	}()
	who, err := s.authHTTP(x.r)
	if err != nil {
		return err
	}
	x.caller = who.Name
	defer calling(x.r.Context(), who.Name)()
	x.r = x.r.WithContext(identity.With(x.r.Context(), who))
	if rt.path != "" { // the site decides by itself
		if err := who.Demand(identity.Call); err != nil {
			return err
		}
	}
	if rt.method != "" && x.r.Method != rt.method && !(rt.method == http.MethodGet && x.r.Method == http.MethodHead) && !rt.polls(x.r.Method) {
		return errcode.New(errcode.InvalidArgument, "%s takes %s", x.r.URL.Path, rt.method)
	}
	if s.stopping.Err() != nil {
		return udf.ErrStopping
	}
	x.share = s.admission.of(x.caller)
	defer x.share.end()
	if rt.method != http.MethodPost { // else when the body is there
		leave, err := s.enter(x.share)
		if err != nil {
			return err
		}
		defer leave()
	}
	if rt.wire != nil {
		return s.serveBatch(rt.wire, x)
	}
	return rt.serve(s, x)
}

// body reads the request's body, and acquires a slot for the call when the body is complete: a caller that sends
// half of one must not keep others out. leave releases the slot.
func (s *Server) body(x *exchange) (body []byte, leave func(), err error) {
	x.begun = x.r.ContentLength <= s.limits.Body
	if body, err = s.readBody(x.rw, x.r, x.share); err != nil {
		return nil, nil, err
	}
	x.in = int64(len(body))
	leave, err = s.enter(x.share)
	return body, leave, err
}

// serveBatch answers one batch.
func (s *Server) serveBatch(w wire, x *exchange) error {
	if p, ok := w.(pollable); ok {
		if id := p.callID(x.r.Header); id != "" || x.r.Method == http.MethodGet {
			return s.servePolled(w, x, id)
		}
	}
	body, leave, err := s.body(x)
	if err != nil {
		return err
	}
	defer leave()
	buf := replies.Get().(*[]byte) //nolint:forcetypeassert // a pool of one type
	defer replies.Put(buf)
	if *buf, err = s.answer(x.r.Context(), w, x, body, (*buf)[:0]); err != nil {
		*buf = (*buf)[:0]
		return err
	}
	x.reply(http.StatusOK, *buf, w.traits())
	return nil
}

// answer computes the reply to a batch: decode, call, encode. It has nothing to do with the
// connection the batch came on.
func (s *Server) answer(ctx context.Context, w wire, x *exchange, body, dst []byte) ([]byte, error) {
	req, err := s.decoded(w, x, x.function, body)
	if err != nil {
		return dst, err
	}
	defer req.release()
	if err := x.share.rows(ctx, req.batch.Rows, false); err != nil {
		return dst, err
	}
	req.out.Type = req.fn.Result
	req.out.Resize(req.batch.Rows)
	tr := w.traits()
	if err := s.catalogue.Run(withShare(ctx, x.share), req.fn, &req.batch, &req.out, s.budget(tr)); err != nil {
		return dst, s.cut(err)
	}
	x.nulls = req.out.CountNulls()
	n := replyBytes(&req.batch, &req.out)
	if err := x.share.Hold(n); err != nil {
		return dst, err
	}
	return encodeWithin(slices.Grow(dst, int(n)), w, req, tr.reply)
}

// decoded reads a batch. Its request must be released.
func (s *Server) decoded(w wire, x *exchange, function string, body []byte) (*request, error) {
	req := requests.Get().(*request) //nolint:forcetypeassert // a pool of one type
	req.catalogue, req.header, req.name, req.body, req.maxRows = s.catalogue, x.r.Header, function, body, s.limits.Rows
	req.tally = tallyOf(x.share, 0)
	req.scan.Reset(body)
	err := w.decode(req)
	x.query, x.rows = correlation(req.query), req.batch.Rows
	if req.fn != nil {
		x.function = req.fn.Name
	}
	if err != nil {
		req.release()
		return nil, err
	}
	return req, nil
}

// reply sends a body of JSON.
func (x *exchange) reply(status int, body []byte, t traits) {
	h := x.rw.Header()
	h["Content-Type"] = contentJSON
	if len(body) >= t.compress && len(body) > 0 && acceptsGzip(x.r.Header.Get("Accept-Encoding")) && (x.share == nil || x.share.Hold(int64(len(body))) == nil) {
		body = gzipped(body)
		h["Content-Encoding"] = contentGzip
	} else if t.digest {
		sum := md5.Sum(body) //nolint:gosec // a checksum
		h.Set("Content-Md5", base64.StdEncoding.EncodeToString(sum[:]))
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.out = int64(len(body))
	x.rw.WriteHeader(status)
	if len(body) < longReply {
		_, _ = x.rw.Write(body) // an error: the caller went away
		return
	}
	rc := http.NewResponseController(x.rw) // a caller that does not read must not hold the memory
	_ = rc.SetWriteDeadline(time.Now().Add(x.patience))
	_, _ = x.rw.Write(body)
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(noDeadline)
}

const longReply = 64 << 10 // bytes that may not fit into the connection's buffers

var contentJSON, contentGzip = []string{"application/json"}, []string{"gzip"}

// refuse answers with a fault of the whole call.
func (x *exchange) refuse(err error) {
	status := httpStatus(err)
	h := x.rw.Header()
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		after := time.Second
		if o := (*overload)(nil); errors.As(err, &o) {
			after = max(after, o.after)
		}
		h.Set("Retry-After", strconv.Itoa(int((after+time.Second-1)/time.Second)))
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="badger"`)
		if x.r.Header.Get("Sec-Fetch-Dest") != "empty" { // a script of a page: the browser would ask for a password
			h.Add("WWW-Authenticate", `Basic realm="badger"`)
		}
	}
	if x.r.ContentLength != 0 && x.in == 0 {
		h.Set("Connection", "close") // a body that nobody read
		x.drain(err)
	}
	x.reply(status, x.fault(nil, err, x.id), traits{compress: 1 << 30})
}

// drain reads what is left of a body that was refused, and forgets it: many clients read a reply
// only when they have sent everything, and take a connection that is closed before for a broken
// one. It does not wait long, and reads at most maxDrain bytes.
func (x *exchange) drain(refused error) {
	if code := errcode.Of(refused); x.begun && (code == errcode.DeadlineExceeded || code == errcode.Unavailable) {
		return // it did not come in time
	}
	if x.r.ContentLength > maxDrain || !x.begun && x.r.Header.Get("Expect") != "" {
		return // it waits to be told to send, and is told not to
	}
	_ = http.NewResponseController(x.rw).SetReadDeadline(time.Now().Add(min(drainTime, x.patience)))
	_, _ = io.CopyN(io.Discard, x.r.Body, maxDrain)
}

const (
	maxDrain  = 64 << 20 // bytes
	drainTime = 5 * time.Second
)

// pathOf shortens a path for a message.
func pathOf(r *http.Request) string { return strings.ToValidUTF8(cutText(r.URL.Path, 100), "?") }
