package udf

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Options are what a server may be given besides a catalogue.
type Options struct {
	Auth Auth
	TLS  TLS
	// AllowPlaintext lets the server listen beyond loopback without TLS, where something in front
	// of it encrypts. Without authentication it never does.
	AllowPlaintext bool

	Limits Limits
	// Timeouts replace, by wire, the time after which rows that have not begun fail with
	// deadline_exceeded: snowflake 20s (then the caller polls), bigquery 19m30s, databricks 55s, databricks_batch 10m, json
	// 10m, databend 150s, risingwave 4s, grpc 0 (the caller's). 0 is no limit.
	Timeouts map[string]time.Duration

	Site   http.Handler                // serves the paths that are none of the server's, such as a report; may be nil
	Ready  func(context.Context) error // further condition of readiness; may be nil
	Logger *slog.Logger                // one line a call, without values; nil: silent
	Now    func() time.Time            // for durations in the log; nil: time.Now
}

// Server offers a catalogue on the wire.
type Server struct {
	catalogue *Catalogue
	limits    Limits
	timeouts  map[string]time.Duration
	admission *admission
	tokens    *tokens
	tls       *tls.Config
	plaintext bool // allowed beyond loopback
	site      http.Handler
	isReady   func(context.Context) error
	log       *slog.Logger
	now       func() time.Time
	ids       *ids
	batches   batches // that callers poll for

	base     context.Context //nolint:containedctx // ends when calls in flight are cut off
	cutOff   context.CancelFunc
	stopping atomic.Bool
	health   *health.Server
	http     *http.Server
	grpc     *grpc.Server
}

// NewServer makes a server. It serves once.
func NewServer(c *Catalogue, o *Options) (*Server, error) {
	if o == nil {
		o = &Options{}
	}
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		catalogue: c, limits: limits, admission: newAdmission(limits), plaintext: o.AllowPlaintext, timeouts: o.Timeouts,
		site: o.Site, isReady: o.Ready, log: o.Logger, now: o.Now, ids: newIDs(), batches: batches{all: map[string]*polled{}}, health: health.NewServer(),
	}
	if err := s.checkTimeouts(); err != nil {
		return nil, err
	}
	if s.tokens, err = newTokens(o.Auth); err != nil {
		return nil, err
	}
	if s.tls, err = o.TLS.config(); err != nil {
		return nil, err
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.base, s.cutOff = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           s.mux(),
		TLSConfig:         s.tls,
		BaseContext:       func(net.Listener) context.Context { return s.base },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(quietLog{s.log}, "", 0),
	}
	s.grpc = s.newGRPC()
	return s, nil
}

func (s *Server) checkTimeouts() error {
	known := map[string]bool{traitsUnary.name: true}
	for _, d := range dialects {
		known[d.name] = true
	}
	for _, r := range routes {
		if r.wire != nil {
			known[r.wire.traits().name] = true
		}
	}
	for name, d := range s.timeouts {
		if !known[name] || d < 0 {
			return errcode.New(errcode.InvalidArgument, "timeouts: %.40q is no wire, or its time is negative", name)
		}
	}
	return nil
}

// quietLog takes what net/http has to say of broken connections.
type quietLog struct{ log *slog.Logger }

func (q quietLog) Write(p []byte) (int, error) {
	q.log.Debug("http", slog.Int("bytes", len(p)))
	return len(p), nil
}

// authenticates tells whether callers have to prove who they are.
func (s *Server) authenticates() bool {
	return s.tokens != nil || s.tls != nil && s.tls.ClientAuth == tls.RequireAndVerifyClientCert
}

// checkListener refuses to serve others than this machine's users without authentication, or in the
// clear unless that was asked for.
func (s *Server) checkListener(l net.Listener) error {
	if l == nil {
		return nil
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || a.IP.IsLoopback() {
		return nil // also a Unix socket, guarded by its file's mode
	}
	if !s.authenticates() {
		return errcode.New(errcode.FailedPrecondition, "%s is reachable from other machines: configure tokens or client certificates", l.Addr())
	}
	if s.tls == nil && !s.plaintext {
		return errcode.New(errcode.FailedPrecondition, "%s is reachable from other machines: configure TLS, or allow plaintext where something in front encrypts", l.Addr())
	}
	return nil
}

// Serve answers calls on the listeners, either of which may be nil, until ctx ends: gRPC and Arrow
// Flight on the first, HTTP on the second. It then takes no further calls, lets those in flight
// finish for Limits.StopGrace, cuts off the rest, and returns nil. Any other end is an error. It
// closes the listeners.
func (s *Server) Serve(ctx context.Context, grpcListener, httpListener net.Listener) error {
	defer s.cutOff()
	listeners := []net.Listener{grpcListener, httpListener}
	for _, l := range listeners {
		if err := s.checkListener(l); err != nil {
			for _, l := range listeners {
				if l != nil {
					_ = l.Close()
				}
			}
			return err
		}
	}
	ended := make(chan error, len(listeners))
	serving := 0
	serve := func(l net.Listener, f func(net.Listener) error) {
		if l != nil {
			serving++
			go func() { ended <- f(l) }()
		}
	}
	serve(grpcListener, s.grpc.Serve)
	serve(httpListener, func(l net.Listener) error {
		if s.tls != nil {
			return s.http.ServeTLS(l, "", "")
		}
		return s.http.Serve(l)
	})
	s.health.SetServingStatus("", grpc_health_v1.HealthCheckResponse_SERVING)
	var err error
	select {
	case <-ctx.Done():
	case err = <-ended:
		serving--
		err = errcode.New(errcode.Unavailable, "serving ended: %w", err)
	}
	s.stop()
	for range serving {
		<-ended
	}
	return err
}

// stop ends serving in three steps: no new calls, calls in flight for the grace, then none.
func (s *Server) stop() {
	s.stopping.Store(true)
	s.health.Shutdown()
	grace, cancel := context.WithTimeout(context.Background(), s.limits.StopGrace)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(drained)
	}()
	left := s.http.Shutdown(grace)
	select {
	case <-drained:
	case <-grace.Done():
		left = grace.Err()
	}
	s.catalogue.jobs.drain(grace) // what judges are asked, and nobody waits for
	if left != nil {
		s.log.Warn("calls in flight are cut off", slog.Duration("grace", s.limits.StopGrace))
	}
	s.cutOff()
	last, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	_ = s.http.Shutdown(last)
	_ = s.http.Close()
	select {
	case <-drained:
	case <-last.Done():
	}
	s.grpc.Stop()
}

// lastWords is the time that calls have to answer that they were cut off.
const lastWords = 2 * time.Second

// enter takes a place for a call.
func (s *Server) enter() (leave func(), err error) {
	if s.stopping.Load() {
		return nil, errStopping
	}
	return s.admission.enter()
}

// cut says why a call as a whole was cut off: by its caller, or because the server stops.
func (s *Server) cut(err error) error {
	if err != nil && s.base.Err() != nil && (errors.Is(err, context.Canceled) || errcode.Of(err) == errcode.Cancelled) {
		return errStopping
	}
	return err
}

// budget is by when the rows of a call must be done.
func (s *Server) budget(t traits) time.Duration {
	if d, ok := s.timeouts[t.name]; ok {
		return d
	}
	return t.budget
}

// scoreOne scores one case, on one of the catalogue's slots.
func (s *Server) scoreOne(ctx context.Context, data []byte, metrics []string) ([]scoring.Score, error) {
	if d := s.budget(plain{}.traits()); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	select {
	case s.catalogue.slots <- struct{}{}:
		defer func() { <-s.catalogue.slots }()
	case <-ctx.Done():
		return nil, s.cut(ctx.Err())
	}
	scores, err := s.catalogue.ScoreCase(ctx, data, metrics...)
	return scores, s.cut(err)
}

func (s *Server) readiness(ctx context.Context) error {
	if s.stopping.Load() {
		return errStopping
	}
	if s.isReady == nil {
		return nil
	}
	return s.isReady(ctx)
}
