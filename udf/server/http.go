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

// exchange is one HTTP request and its response.
type exchange struct {
	call
	rw    http.ResponseWriter
	r     *http.Request
	fault func(dst []byte, err error, requestID string) []byte // appends the body of a failed response
	share *share                                               // usage of the limits by the call
	begun bool                                                 // reading of the body has started

	patience time.Duration // time limit for sending the response
}

var replies = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// handler returns the HTTP handler of a route. It authenticates the caller, calls the route's serve function, and
// logs the call.
func (s *Server) handler(rt *route) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		requested(r.Context())
		x := &exchange{rw: rw, r: r, fault: appendFault, patience: s.limits.ReadTime}
		x.id, x.start, x.wire, x.function = s.ids.next(r.Header.Get("X-Request-Id")), s.now(), rt.name(),
			r.PathValue("function")
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
			err = errcode.New(errcode.Internal, "the request could not be served; this is a bug in badger")
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
	if !rt.takes(x.r.Method) {
		return errcode.New(errcode.InvalidArgument, "%s takes %s", x.r.URL.Path, rt.method)
	}
	if s.stopping.Err() != nil {
		return udf.ErrStopping
	}
	x.share = s.admission.of(x.caller)
	defer x.share.end()
	if rt.method != http.MethodPost { // else when the body is complete
		leave, err := s.enter(x.share)
		if err != nil {
			return err
		}
		defer leave()
	}
	return rt.serve(s, x)
}

// body reads the request's body, and acquires a slot for the call only when the body is complete: slow senders must
// not block others. leave releases the slot.
func (s *Server) body(x *exchange) (body []byte, leave func(), err error) {
	x.begun = x.r.ContentLength <= s.limits.Body
	if body, err = s.readBody(x.rw, x.r, x.share); err != nil {
		return nil, nil, err
	}
	x.in = int64(len(body))
	leave, err = s.enter(x.share)
	return body, leave, err
}

// serveBatch computes a batch and sends the results as the response.
func (s *Server) serveBatch(w wire, x *exchange) error {
	body, leave, err := s.body(x)
	if err != nil {
		return err
	}
	defer leave()
	req, err := s.accepted(w, x, body)
	if err != nil {
		return err
	}
	defer req.release()
	buf := replies.Get().(*[]byte) //nolint:forcetypeassert // a pool of one type
	defer replies.Put(buf)
	*buf, err = s.answer(withShare(x.r.Context(), x.share), req, s.deadline(w.traits()), (*buf)[:0])
	x.nulls = req.nulls
	if err != nil {
		*buf = (*buf)[:0]
		return s.cut(err)
	}
	x.late = req.batch.Late
	x.reply(http.StatusOK, *buf, w.traits())
	return nil
}

// accepted decodes the batch in body and counts its rows against the caller's rate. The request must be released.
func (s *Server) accepted(w wire, x *exchange, body []byte) (*request, error) {
	req, err := s.decoded(w, x, x.function, body)
	if err != nil {
		return nil, err
	}
	if err := x.share.rows(x.r.Context(), req.batch.Rows, false); err != nil {
		req.release()
		return nil, err
	}
	return req, nil
}

// answer computes a batch and appends the encoded reply to dst. It reserves memory from the share of ctx. It does not
// use the connection of the request, so that it may continue after the connection is closed.
func (s *Server) answer(ctx context.Context, req *request, d udf.Deadline, dst []byte) ([]byte, error) {
	req.out.Type = req.fn.Result
	req.out.Resize(req.batch.Rows)
	if err := s.catalogue.Run(ctx, req.fn, &req.batch, &req.out, d); err != nil {
		return dst, err
	}
	req.nulls = req.out.CountNulls()
	n := replyBytes(&req.batch, &req.out)
	if err := shareFrom(ctx).Hold(n); err != nil {
		return dst, err
	}
	return encodeWithin(slices.Grow(dst, int(n)), req, req.wire.traits().reply)
}

// decoded decodes the batch in body. The request must be released.
func (s *Server) decoded(w wire, x *exchange, function string, body []byte) (*request, error) {
	req := requests.Get().(*request) //nolint:forcetypeassert // a pool of one type
	req.wire, req.catalogue, req.header, req.name, req.body, req.maxRows = w, s.catalogue, x.r.Header, function, body,
		s.limits.Rows
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

// reply sends a JSON response. It compresses the body or adds a digest as t says.
func (x *exchange) reply(status int, body []byte, t traits) {
	h := x.rw.Header()
	h["Content-Type"] = contentJSON
	if len(body) >= t.compress && len(body) > 0 && acceptsGzip(x.r.Header.Get("Accept-Encoding")) &&
		(x.share == nil || x.share.Hold(int64(len(body))) == nil) {
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

// refuse sends the response of a request that failed as a whole.
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
		h.Set("Connection", "close") // the body is unread
		x.drain(err)
	}
	x.reply(status, x.fault(nil, err, x.id), traits{compress: 1 << 30})
}

// drain reads and discards the rest of a rejected body, for at most drainTime and maxDrain bytes. Many clients read a
// response only after they have sent the whole body, and otherwise report a broken connection.
func (x *exchange) drain(refused error) {
	if code := errcode.Of(refused); x.begun && (code == errcode.DeadlineExceeded || code == errcode.Unavailable) {
		return // the body did not arrive in time
	}
	if x.r.ContentLength > maxDrain || !x.begun && x.r.Header.Get("Expect") != "" {
		return // the client waits for 100 Continue before it sends the body
	}
	_ = http.NewResponseController(x.rw).SetReadDeadline(time.Now().Add(min(drainTime, x.patience)))
	_, _ = io.CopyN(io.Discard, x.r.Body, maxDrain)
}

const (
	maxDrain  = 64 << 20 // bytes
	drainTime = 5 * time.Second
)

// pathOf returns the request's path for a message, at most 100 bytes.
func pathOf(r *http.Request) string { return strings.ToValidUTF8(cutText(r.URL.Path, 100), "?") }
