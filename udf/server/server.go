package server

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/webheaders"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
)

// Options are optional inputs of a server in addition to a catalogue.
type Options struct {
	// GRPC and HTTP configure the callers of each listener. The zero value admits only users of this machine.
	GRPC, HTTP identity.Config
	Env        identity.Env // of both listeners; Changed is ignored
	TLS        TLS
	// AllowPlaintext lets the server listen beyond loopback without TLS, for a proxy in front of it that encrypts. It
	// never does so without authentication. Mode platform needs no AllowPlaintext.
	AllowPlaintext bool

	Limits Limits
	// Timeouts replace, by wire, the time after which a call fails with unavailable, so that its caller repeats it:
	// snowflake 20s (then the caller polls), bigquery 19m30s, databricks 55s, databricks_batch 10m, json 10m, databend
	// 150s, risingwave 4s, flight and grpc 0 (the caller's). 0 means no limit.
	Timeouts map[string]time.Duration
	// NullRows lets calls succeed after their deadline: rows without a score fail with deadline_exceeded, which is
	// NULL in SQL. They are counted, and logged as an error.
	NullRows bool

	// Site serves the paths that no route serves, such as a report; it may be nil. The context of a request has the
	// caller with its roles ([identity.From]). Any authenticated caller may send requests: Site must check roles
	// itself.
	Site  http.Handler
	Ready func(context.Context) error // further condition for readiness; may be nil
	// Missing returns the names of the parts that the server lacks at present, such as results.warehouse. Readiness
	// lists them, but is still reported as ready. It may be nil.
	Missing func() []string
	Logger  *slog.Logger     // one line per call, without values; nil: no log
	Now     func() time.Time // for durations in the log; nil: time.Now
	Hooks   Hooks
	Tracer  trace.Tracer // traces each call as a span; nil: none
	// H2C lets the HTTP listener accept HTTP/2 without TLS in addition to HTTP/1.1, for a platform that encrypts in
	// front of it and sends many concurrent requests on one connection.
	H2C bool
}

// Hooks are called with events for monitoring. Each may be nil, and must return immediately.
type Hooks struct {
	// Refused is called when a call is rejected because of a limit and should be repeated later. limit is calls,
	// bytes, rows or batches, preceded by "caller " if it is the limit of one caller.
	Refused func(caller, limit string)
	// Secrets is called when a file of tokens, authorities, certificates or keys can no longer be read, so that it
	// authenticates no caller, and with a nil error when it can be read again.
	Secrets func(what string, err error)
	// Called is called after each call, except health checks.
	Called func(Call)
	// Served is called with the time from the arrival of a batch until its reply was complete. It is not called after
	// an error.
	Served func(wire, function string, took time.Duration)
}

// Call describes a finished call.
type Call struct {
	Wire, Function string // Function is "unknown" for an unknown name
	Rows, Nulls    int
	Late           int   // rows without a score at the deadline, which are NULL: see Options.NullRows
	In, Out        int64 // bytes
	Code           errcode.Code
}

// Server serves the functions of a catalogue.
type Server struct {
	catalogue *udf.Catalogue
	limits    Limits
	timeouts  atomic.Pointer[map[string]time.Duration]
	lateRows  atomic.Bool // Options.NullRows
	admission *admission
	grpcPort  livePort
	httpPort  livePort
	tracer    trace.Tracer // may be nil
	plaintext bool         // Options.AllowPlaintext
	hooks     Hooks
	site      http.Handler
	isReady   func(context.Context) error
	missing   func() []string // may be nil
	log       *slog.Logger
	now       func() time.Time
	ids       *ids
	batches   batches // whose callers may poll

	base     context.Context //nolint:containedctx // ends when calls in flight are cut off
	cutOff   context.CancelFunc
	stopping context.Context //nolint:containedctx // ends when the server starts to stop
	stopNow  context.CancelFunc
	active   atomic.Int64 // calls that have a slot, including streams
	health   *health.Server
	http     *http.Server
	grpc     *http.Server
}

// New returns a server. Serve may be called once.
func New(c *udf.Catalogue, o *Options) (*Server, error) {
	if o == nil {
		o = &Options{}
	}
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		catalogue: c, limits: limits, admission: newAdmission(limits), plaintext: o.AllowPlaintext, tracer: o.Tracer,
		site: o.Site, isReady: o.Ready, missing: o.Missing, log: o.Logger, now: o.Now, ids: newIDs(),
		batches: batches{all: map[string]*polledBatch{}, of: map[string]int{}}, health: health.NewServer(), hooks: o.Hooks,
	}
	s.batches.account = s.admission
	s.admission.spare = []func(){s.batches.spare, c.KeepIn(s.admission)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := checkTimeouts(o.Timeouts); err != nil {
		return nil, err
	}
	s.timeouts.Store(&o.Timeouts)
	s.lateRows.Store(o.NullRows)
	around := o.Env
	around.Changed = s.secretsChanged
	for _, l := range []struct {
		name string
		who  identity.Config
		into *livePort
	}{{"gRPC", o.GRPC, &s.grpcPort}, {"HTTP", o.HTTP, &s.httpPort}} {
		p, err := newPort(l.name, l.who, o.TLS, around)
		if err != nil {
			return nil, err
		}
		l.into.Store(&p)
	}
	s.base, s.cutOff = context.WithCancel(context.Background())
	s.stopping, s.stopNow = context.WithCancel(context.Background())
	s.http = webheaders.Strict(&http.Server{
		Handler:           s.mux(),
		TLSConfig:         s.httpPort.tlsConfig(),
		BaseContext:       func(net.Listener) context.Context { return s.base },
		ConnContext:       withConnection,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(quietLog{s.log}, "", 0),
	})
	if o.H2C {
		if s.http.TLSConfig != nil {
			return nil, errcode.New(errcode.InvalidArgument,
				"h2c: HTTP/2 without TLS cannot be combined with TLS, which includes HTTP/2")
		}
		s.http.Protocols = new(http.Protocols)
		s.http.Protocols.SetHTTP1(true)
		s.http.Protocols.SetUnencryptedHTTP2(true)
		s.http.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: min(s.limits.Calls, 1<<20)}
	}
	if s.grpc, err = s.newGRPCPort(); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "gRPC: %w", err)
	}
	return s, nil
}

// Timeouts and limits of the connections of both listeners.
const (
	headerTime  = 10 * time.Second // for a request's header, or the start of HTTP/2, to arrive
	idleTime    = 5 * time.Minute  // after which an idle connection is closed
	headerBytes = 64 << 10

	// Databend keeps idle connections by a ping every minute.
	grpcIdleTime = 30 * time.Minute
)

func checkTimeouts(timeouts map[string]time.Duration) error {
	known := map[string]bool{traitsUnary.name: true}
	for _, d := range dialects {
		known[d.wire] = true
	}
	for _, r := range routes {
		if r.wire != nil {
			known[r.wire.traits().name] = true
		}
	}
	for name, d := range timeouts {
		if !known[name] {
			return errcode.New(errcode.InvalidArgument, "timeouts: unknown wire %.40q, expected one of %s", name,
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if d < 0 {
			return errcode.New(errcode.InvalidArgument, "timeouts: %s is %v, expected 0 or more", name, d)
		}
	}
	return nil
}

// quietLog logs messages of net/http about broken connections as their length only.
type quietLog struct{ log *slog.Logger }

func (q quietLog) Write(p []byte) (int, error) {
	q.log.Debug("http", slog.Int("bytes", len(p)))
	return len(p), nil
}

// secretsChanged logs that secrets cannot be read, or can be read again, and calls the hook.
func (s *Server) secretsChanged(what string, err error) {
	if err != nil {
		s.log.Error("secrets cannot be read; they authenticate no caller", slog.String("what", what),
			slog.String("error", err.Error()))
	} else {
		s.log.Info("secrets can be read again", slog.String("what", what))
	}
	if s.hooks.Secrets != nil {
		s.hooks.Secrets(what, err)
	}
}

// Serve serves gRPC and Arrow Flight on the first listener and HTTP on the second until ctx ends, then stops within
// Limits.StopGrace and returns nil. Either listener may be nil. If serving ends for another reason, it returns an
// error. It closes the listeners.
func (s *Server) Serve(ctx context.Context, grpcListener, httpListener net.Listener) error {
	defer s.cutOff()
	defer s.stopNow()
	if err := s.Allow(grpcListener, httpListener); err != nil {
		for _, l := range []net.Listener{grpcListener, httpListener} {
			if l != nil {
				_ = l.Close()
			}
		}
		return err
	}
	ended := make(chan error, 2)
	serving := 0
	serve := func(l net.Listener, live *livePort, f func(net.Listener) error) {
		if l != nil {
			serving++
			p := *live.Load()
			p.addr = l.Addr()
			live.Store(&p)
			s.announce(l, p)
			go func() { ended <- f(l) }()
		}
	}
	on := func(server *http.Server) func(net.Listener) error {
		return func(l net.Listener) error {
			l = newConnections(l, connectionsOf(s.limits.Connections))
			if server.TLSConfig != nil && server.TLSConfig.GetCertificate != nil {
				return server.ServeTLS(l, "", "")
			}
			return server.Serve(l)
		}
	}
	serve(grpcListener, &s.grpcPort, on(s.grpc))
	serve(httpListener, &s.httpPort, on(s.http))
	s.health.SetServingStatus("", grpc_health_v1.HealthCheckResponse_SERVING)
	var err error
	select {
	case <-ctx.Done():
	case err = <-ended:
		serving--
		err = errcode.New(errcode.Unavailable, "serving ended: %w", err)
	}
	s.stop(err == nil)
	for range serving {
		<-ended
	}
	return err
}

// stop stops serving. It first reports not ready. New calls then get Unavailable while those in flight finish, and at
// least for Limits.StopDelay. Shortly before the grace ends, the remaining calls get ErrStopping.
func (s *Server) stop(politely bool) {
	grace := s.limits.StopGrace
	ends := time.Now().Add(grace)
	cut := ends.Add(-min(grace/5, lastWords))
	until := func(t time.Time) (context.Context, context.CancelFunc) {
		return context.WithDeadline(context.Background(), t)
	}
	s.health.Shutdown()
	s.stopNow()
	inGrace, cancel := until(cut)
	defer cancel()
	if politely {
		s.awaitCalls(inGrace, time.Now().Add(s.limits.StopDelay))
	}
	left := s.shutdown(inGrace)
	s.catalogue.Drain(inGrace, lastWords) // rows that wait for judges without a call
	if left != nil {
		s.log.Warn("calls in flight are cut off", slog.Duration("grace", grace), slog.Int64("calls", s.active.Load()))
	}
	s.cutOff()
	last, cancel := until(later(ends, time.Now().Add(min(grace, time.Second))))
	defer cancel()
	_ = s.shutdown(last)
	_ = s.http.Close()
	_ = s.grpc.Close()
}

// shutdown closes the listeners and waits until their calls have ended. The error is that of ctx.
func (s *Server) shutdown(ctx context.Context) error {
	byGRPC := make(chan error, 1)
	go func() { byGRPC <- s.grpc.Shutdown(ctx) }()
	return errors.Join(s.http.Shutdown(ctx), <-byGRPC)
}

// awaitCalls waits until no call is in flight and the given time is reached, or ctx ends.
func (s *Server) awaitCalls(ctx context.Context, earliest time.Time) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.active.Load() > 0 || time.Now().Before(earliest) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// lastWords is the last part of the grace, in which interrupted calls send their errors.
const lastWords = 2 * time.Second

// enter acquires a slot for a call; leave releases it. The error is ErrStopping while the server stops.
func (s *Server) enter(call *share) (leave func(), err error) {
	if s.stopping.Err() != nil {
		return nil, udf.ErrStopping
	}
	if err := call.enter(); err != nil {
		return nil, err
	}
	s.active.Add(1)
	return func() {
		s.active.Add(-1)
		call.leave()
	}, nil
}

// cut returns ErrStopping for the error of a call that the stopping server cancelled, and other errors unchanged.
func (s *Server) cut(err error) error {
	if err != nil && s.base.Err() != nil && (errors.Is(err, context.Canceled) || errcode.Of(err) == errcode.Cancelled) {
		return udf.ErrStopping
	}
	return err
}

// deadline returns the deadline of calls over a wire.
func (s *Server) deadline(t traits) udf.Deadline {
	d := udf.Deadline{After: t.budget, Key: "timeouts." + t.name, NullRows: s.lateRows.Load()}
	if set, ok := (*s.timeouts.Load())[t.name]; ok {
		d.After = set
	}
	return d
}

func (s *Server) readiness(ctx context.Context) error {
	if s.stopping.Err() != nil {
		return udf.ErrStopping
	}
	for _, p := range []*port{s.grpcPort.Load(), s.httpPort.Load()} {
		if err := p.err(); err != nil {
			return err
		}
	}
	if s.isReady == nil {
		return nil
	}
	return s.isReady(ctx)
}
