package server

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/webheaders"
	"github.com/badger-eval/badger/udf"
)

// The gRPC library reads a whole message, and reports its size afterwards. A gate reads the five bytes before a
// message, which hold its length and whether it is compressed, and lets the library read the message after its memory
// is reserved. Until then a caller can send no more than the stream's window, which is reserved when the call starts.

// streamWindow is the flow-control window of a stream: the number of bytes that a caller may send before they are read.
const streamWindow = 64 << 10

// readAhead is the number of bytes read from the connection in one call.
const readAhead = 16 << 10

// receiving is the number of copies of a message in memory while it is received: in frames, and as a whole. The
// memory of the frames is later used for the decoded message.
const receiving = 2

// gate reads the body of one gRPC call's HTTP request and admits its messages one by one.
type gate struct {
	body     io.ReadCloser
	control  *http.ResponseController
	encoding string        // the compression that the caller may use; "": none
	wanted   chan struct{} // RecvMsg wants a message
	admitted chan struct{} // a message is on its way, or its memory is reserved
	refused  chan error    // why a message was rejected
	written  chan struct{} // a message was written
	closed   chan struct{}
	closing  sync.Once

	in   *bufio.Reader // of the body
	head [5]byte
	left int64 // bytes of the current message that are unread
	n    int   // number of messages that were admitted

	// Set before the first message is wanted.
	ctx      context.Context //nolint:containedctx // of the call
	share    *share
	limit    int
	patience time.Duration   // time limit for a message to start, for its memory, and for its arrival
	stopping context.Context //nolint:containedctx // the server's
	single   bool            // the call has only one message

	mu   sync.Mutex
	held int64 // bytes reserved for the current message
	over bool  // nothing may be reserved any more
	gone bool  // the reply can no longer be written
}

type gateKey struct{}

// gated returns a handler that passes requests to the gRPC library with a gate for their bodies.
func (s *Server) gated(to http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		requested(r.Context())
		if r.ProtoMajor < 2 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") { // a browser's
			webheaders.Set(rw.Header())
		}
		g := &gate{body: r.Body, control: http.NewResponseController(rw), wanted: make(chan struct{}, 1),
			admitted: make(chan struct{}, 1), refused: make(chan error, 1), written: make(chan struct{}, 1),
			closed: make(chan struct{})}
		if g.encoding = r.Header.Get("Grpc-Encoding"); g.encoding != "" {
			r.Header.Del("Grpc-Encoding") // the library would answer in it, too
		}
		r = r.WithContext(context.WithValue(r.Context(), gateKey{}, g))
		r.Body = g
		defer g.leave()
		to.ServeHTTP(&flushed{rw, g}, r)
	})
}

// flushed notifies the gate when a message is written: the library flushes once after each.
type flushed struct {
	http.ResponseWriter
	gate *gate
}

// Unwrap is for http.ResponseController.
func (f *flushed) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// Flush implements http.Flusher.
func (f *flushed) Flush() {
	_ = f.gate.control.Flush()
	select {
	case f.gate.written <- struct{}{}:
	default:
	}
}

// open prepares the gate for a call of an authenticated caller, and reserves the memory of the window and the read
// buffer.
func (g *gate) open(ctx context.Context, s *Server, held *share, single bool) error {
	g.ctx, g.share, g.limit, g.patience, g.stopping, g.single = ctx, held, s.limits.Message, s.limits.ReadTime, s.stopping,
		single
	if err := held.Hold(streamWindow + readAhead); err != nil {
		return err
	}
	// Each read of the body is reported to the connection, however short it is.
	g.in = bufio.NewReaderSize(g.body, readAhead)
	return nil
}

// end releases the gate's reservations.
func (g *gate) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	g.share.free(g.held)
	g.held = 0
}

// Close implements io.Closer. The library calls it at the end of the call.
func (g *gate) Close() error {
	g.closing.Do(func() { close(g.closed) })
	return g.body.Close()
}

// Read implements io.Reader. It fills p unless the message ends before, because the library keeps a buffer of fixed
// size for each read.
func (g *gate) Read(p []byte) (int, error) {
	if g.left == 0 {
		if err := g.await(); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(g.in, g.head[:]); err != nil {
			return 0, err
		}
		// the library would answer with another status, so it waits here until the call ends
		if err := g.admit(); err != nil {
			g.refused <- err
			<-g.closed
			return 0, errClosed
		}
		return copy(p, g.head[:]), nil
	}
	n, err := io.ReadFull(g.in, p[:min(int64(len(p)), g.left)])
	g.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

var (
	errCompressed = errcode.New(errcode.Unimplemented,
		"the message is compressed; send it without compression (grpc-encoding: identity)")
	errTwoInOne = errcode.New(errcode.InvalidArgument, "the call takes one message, got a second one")
)

// await waits until RecvMsg wants a message. A call of a single message does not wait after it.
func (g *gate) await() error {
	if g.n > 0 && g.single {
		return nil
	}
	select {
	case <-g.wanted:
		return nil
	case <-g.closed:
		return errClosed
	}
}

// admit waits for the memory of the message that starts, up to nine tenths of the patience, and returns an error if
// it is rejected.
func (g *gate) admit() error {
	if g.n > 0 && g.single {
		return errTwoInOne
	}
	size := int64(binary.BigEndian.Uint32(g.head[1:]))
	switch {
	case g.head[0] != 0:
		return errCompressed
	case size > int64(g.limit):
		return errcode.New(errcode.ResourceExhausted,
			"the message has %d bytes, expected at most %d (limits.message_bytes); send fewer rows at once", size, g.limit)
	}
	g.n++
	g.left = size
	var over time.Time // before the stream is overdue
	for {
		err := g.reserve(receiving*size, g.share.holdLarge)
		now := time.Now()
		if over.IsZero() { // each receives once that a message is on its way, and once more if it had to wait
			over = now.Add(g.patience * 9 / 10)
			g.tell()
		} else if err == nil {
			g.tell()
		}
		if err == nil || now.After(over) || !errors.Is(err, errBusy) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond): // others end their calls meanwhile
		case <-g.closed:
			return errClosed
		case <-g.ctx.Done():
			return g.ctx.Err()
		}
	}
}

// tell informs RecvMsg that the message is on its way.
func (g *gate) tell() {
	select {
	case g.admitted <- struct{}{}:
	case <-g.closed:
	}
}

// errClosed is the error of a gate whose call has ended. It is not reported.
var errClosed = errcode.New(errcode.Cancelled, "the call has ended")

// reserve reserves n bytes for the message with hold.
func (g *gate) reserve(n int64, hold func(int64) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return errClosed
	}
	if err := hold(n); err != nil {
		return err
	}
	g.held += n
	return nil
}

// give releases n bytes of the message's memory, or all if n is negative.
func (g *gate) give(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n < 0 {
		n = g.held
	}
	g.share.free(n)
	g.held -= n
}

// leave records that the request is over.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = true
}

// stop interrupts the writing of a reply whose caller does not read it.
func (g *gate) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		_ = g.control.SetWriteDeadline(time.Now())
	}
}

// gatedStream is a stream whose messages come through a gate, with the context of the call.
type gatedStream struct {
	grpc.ServerStream
	gate  *gate
	ctx   context.Context //nolint:containedctx // for the method Context
	again func() error    // authenticates the caller again
	asked time.Time
}

func (s *gatedStream) Context() context.Context { return s.ctx }

// RecvMsg receives a message. The message's memory is released when the next one is requested. After an error the
// stream cannot be used.
func (s *gatedStream) RecvMsg(m any) error {
	g := s.gate
	g.give(-1)
	select {
	case g.wanted <- struct{}{}:
	default:
	}
	type arrival struct {
		raw rawMessage
		err error
	}
	came := make(chan arrival, 1)
	go func() {
		var a arrival
		a.err = s.ServerStream.RecvMsg(&a.raw)
		came <- a
	}()
	patience := g.patience
	overdue := time.NewTimer(patience)
	defer overdue.Stop()
	stopping := g.stopping.Done()
	for {
		select {
		case a := <-came:
			if a.err != nil {
				return a.err
			}
			if err := s.known(); err != nil {
				return err
			}
			return g.decode(a.raw, m)
		case err := <-g.refused:
			return err
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-g.admitted: // the time starts again for the rest of the message
			overdue.Reset(patience)
		case <-stopping:
			stopping = nil
			patience = min(patience, stoppingPatience)
			overdue.Reset(patience)
		case <-overdue.C:
			if g.stopping.Err() != nil {
				return udf.ErrStopping
			}
			return errcode.New(errcode.DeadlineExceeded, "no message came on the stream for %v", patience)
		}
	}
}

// askAgain is the interval at which the caller of a stream is authenticated again.
const askAgain = time.Second

// known returns an error if the caller may no longer call. It authenticates at most once per askAgain.
func (s *gatedStream) known() error {
	if now := time.Now(); now.Sub(s.asked) >= askAgain {
		s.asked = now
		return s.again()
	}
	return nil
}

// stoppingPatience is how long a stopping server waits for the next message of a stream, so that a message on its way
// still arrives.
const stoppingPatience = time.Second

// SendMsg sends a message and returns when it is written, because the message may share memory that is reused. If the
// caller does not read it within the patience, the stream ends with an error.
func (s *gatedStream) SendMsg(m any) error {
	g := s.gate
	select {
	case <-g.written: // the flush of a header
	default:
	}
	if err := s.ServerStream.SendMsg(m); err != nil {
		return err
	}
	stuck := time.NewTimer(g.patience)
	defer stuck.Stop()
	var err error
	select {
	case <-g.written:
		return nil
	case <-g.closed:
		return errClosed
	case <-s.ctx.Done():
		err = s.ctx.Err()
	case <-stuck.C:
		err = errcode.New(errcode.DeadlineExceeded, "the client did not read the reply within %v", g.patience)
	}
	g.stop()
	select {
	case <-g.written:
	case <-g.closed:
	}
	return err
}
