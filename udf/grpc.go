package udf

import (
	"context"
	"runtime/debug"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // callers may compress
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/udfpb"
)

// newGRPC makes the server of one port: Arrow Flight, udfpb.Scoring, health and reflection.
func (s *Server) newGRPC() *grpc.Server {
	opts := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(s.limits.Message),
		grpc.MaxConcurrentStreams(uint32(min(s.limits.Calls, 1<<20))), //nolint:gosec // bounded
		grpc.InitialWindowSize(1 << 20), grpc.InitialConnWindowSize(4 << 20),
		grpc.WriteBufferSize(128 << 10), grpc.ReadBufferSize(128 << 10),
		// Databend pings every 60 s, idle connections included.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		grpc.ChainStreamInterceptor(s.interceptStream),
		grpc.MaxHeaderListSize(64 << 10), // as for HTTP
	}
	if c := s.grpcPort.tlsConfig(); c != nil {
		opts = append(opts, grpc.Creds(credentials.NewTLS(c)))
	}
	g := grpc.NewServer(opts...)
	to := unread{g}
	to.RegisterService(&flight.FlightService_ServiceDesc, &flightServer{s: s})
	udfpb.RegisterScoringServer(to, unary{s: s})
	grpc_health_v1.RegisterHealthServer(to, s.health)
	reflection.Register(to)
	return g
}

// begin finds who calls and starts the entry in the log.
func (s *Server) begin(ctx context.Context) (context.Context, *call, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	c := &call{id: s.ids.next(first(md, "x-request-id")), start: s.now(), wire: traitsUnary.name, query: correlation(first(md, "x-databend-query-id"))}
	ctx = s.traced(ctx, c, grpcCarrier(md))
	ctx, who, err := s.authGRPC(ctx)
	c.caller = who.Name
	if err == nil {
		err = who.Demand(identity.Call)
	}
	if err == nil && s.stopping.Err() != nil {
		err = errStopping
	}
	return context.WithValue(identity.With(ctx, who), callKey{}, c), c, err
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

func public(method string) bool { return strings.HasPrefix(method, "/grpc.health.v1.Health/") }

func (s *Server) interceptStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	if public(info.FullMethod) {
		return next(srv, openStream{stream})
	}
	ctx, c, err := s.begin(stream.Context())
	_ = stream.SetHeader(metadata.Pairs("x-request-id", c.id))
	if err != nil {
		s.finish(ctx, c, err)
		return grpcError(err, codes.ResourceExhausted)
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = s.panicked(ctx, c, info.FullMethod)
		}
	}()
	return next(srv, &boundStream{stream, ctx})
}

// bound ends ctx also where calls in flight are cut off.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.base, cancel)
	return ctx, func() { stop(); cancel() }
}

// panicked is the error of a call that broke down.
func (s *Server) panicked(ctx context.Context, c *call, method string) error {
	LogPanics(s.log)(method, nil, debug.Stack())
	err := errcode.New(errcode.Internal, "the call could not be served; this is a defect of badger")
	s.finish(ctx, c, err)
	return grpcError(err, codes.ResourceExhausted)
}

// boundStream is a stream with a context of ours.
type boundStream struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // the interface asks for it
}

func (b *boundStream) Context() context.Context { return b.ctx }
