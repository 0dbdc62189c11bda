package server

import (
	"context"
	"log"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight/gen/flight"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/udfpb"
)

// newGRPC returns a server of Arrow Flight, udfpb.Scoring, health and reflection.
func (s *Server) newGRPC() *grpc.Server {
	g := grpc.NewServer(
		grpc.MaxRecvMsgSize(s.limits.Message),
		grpc.ForceServerCodecV2(newCodec()),
		grpc.ChainStreamInterceptor(s.interceptStream),
	)
	to := unread{g}
	to.RegisterService(&flight.FlightService_ServiceDesc, &flightServer{s: s})
	udfpb.RegisterScoringServer(to, unary{s: s})
	grpc_health_v1.RegisterHealthServer(to, s.health)
	reflection.Register(to)
	return g
}

// newGRPCPort returns the HTTP server of the gRPC port. It limits idle connections and unread data as net/http does,
// and reads messages through a gate.
func (s *Server) newGRPCPort() (*http.Server, error) {
	port := &http.Server{
		Handler:           s.gated(s.newGRPC()),
		ConnContext:       withConnection,
		TLSConfig:         s.grpcPort.tlsConfig(),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       grpcIdleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(quietLog{s.log}, "", 0),

		DisableGeneralOptionsHandler: true,
		Protocols:                    new(http.Protocols),
	}
	port.Protocols.SetHTTP1(true) // to answer that gRPC needs HTTP/2
	port.Protocols.SetHTTP2(port.TLSConfig != nil)
	port.Protocols.SetUnencryptedHTTP2(port.TLSConfig == nil)
	streams := min(s.limits.Calls, 256)
	// The buffers of streams can be set in no other way.
	return port, http2.ConfigureServer(port, &http2.Server{ //nolint:staticcheck // http.Server has no key for them
		MaxConcurrentStreams:         uint32(streams), //nolint:gosec // small
		MaxUploadBufferPerStream:     streamWindow,
		MaxUploadBufferPerConnection: max(1<<20, int32(streams)*streamWindow), //nolint:gosec // small
		IdleTimeout:                  grpcIdleTime,
		ReadIdleTimeout:              time.Minute, // a connection that is gone is found by a ping
		WriteByteTimeout:             s.limits.ReadTime,
	})
}

// begin authenticates the caller of a gRPC call, and returns the call's context and the data for the log.
func (s *Server) begin(ctx context.Context) (context.Context, *call, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	c := &call{id: s.ids.next(first(md, "x-request-id")), start: s.now(), wire: traitsUnary.name,
		query: correlation(first(md, "x-databend-query-id"))}
	ctx = s.traced(ctx, c, grpcCarrier(md))
	ctx, who, again, err := s.authGRPC(ctx)
	c.again = again
	c.caller = who.Name
	if err == nil {
		err = who.Demand(identity.Call)
	}
	if err == nil && s.stopping.Err() != nil {
		err = udf.ErrStopping
	}
	return context.WithValue(identity.With(ctx, who), callKey{}, c), c, err
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

func public(method string) bool { return strings.HasPrefix(method, "/grpc.health.v1.Health/") }

func (s *Server) interceptStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo,
	next grpc.StreamHandler) (err error) {
	if public(info.FullMethod) {
		return next(srv, openStream{stream})
	}
	ctx, c, err := s.begin(stream.Context())
	_ = stream.SetHeader(metadata.Pairs("x-request-id", c.id))
	if err != nil {
		s.finish(ctx, c, err)
		return grpcError(err, codes.ResourceExhausted)
	}
	defer calling(ctx, c.caller)()
	ctx, cancel := s.bound(ctx)
	defer cancel()
	held := s.admission.of(c.caller)
	defer held.end()
	ctx = withShare(ctx, held)
	defer func() {
		if v := recover(); v != nil {
			err = s.panicked(ctx, c, info.FullMethod)
		}
	}()
	g, _ := ctx.Value(gateKey{}).(*gate)
	defer g.end()
	if err = g.open(ctx, s, held, !info.IsClientStream); err == nil {
		err = next(srv, &gatedStream{ServerStream: stream, gate: g, ctx: ctx, again: c.again, asked: time.Now()})
		if err == nil || errcode.Of(err) == errcode.Unknown { // a status
			return err
		}
	}
	s.finish(ctx, c, err) // the gate's
	return grpcError(err, dialectOf(ctx).busy)
}

// bound returns a context that also ends when the server cuts off the calls in flight.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.base, cancel)
	return ctx, func() { stop(); cancel() }
}

// panicked logs a panic of a call and returns the call's status.
func (s *Server) panicked(ctx context.Context, c *call, method string) error {
	LogPanics(s.log)(method, nil, debug.Stack())
	s.finish(ctx, c, errPanicked)
	return grpcError(errPanicked, codes.ResourceExhausted)
}

var errPanicked = errcode.New(errcode.Internal, "the call could not be served; this is a bug in badger")
