package server

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"github.com/badger-eval/badger/internal/errcode"
)

// traceparent extracts the parent of a call's span from the request. The attributes of the span are those of the line
// in the log: names and numbers, no data.

var traceparent = propagation.TraceContext{}

// traced starts the span of a call and returns its context. carrier is the request's headers.
func (s *Server) traced(ctx context.Context, c *call, carrier propagation.TextMapCarrier) context.Context {
	if s.tracer == nil {
		return ctx
	}
	ctx, c.span = s.tracer.Start(traceparent.Extract(ctx, carrier), "call", trace.WithSpanKind(trace.SpanKindServer))
	return ctx
}

// endSpan ends the span of a call, if any.
func (s *Server) endSpan(c *call, err error) {
	if c.span == nil {
		return
	}
	function := s.known(c.function)
	if function != "" {
		c.span.SetName("call " + function)
	}
	c.span.SetAttributes(
		attribute.String("badger.function", function), attribute.String("badger.wire", c.wire),
		attribute.String("badger.request_id", c.id),
		attribute.Int("badger.rows", c.rows), attribute.Int("badger.nulls", c.nulls),
		attribute.Int64("badger.bytes_in", c.in), attribute.Int64("badger.bytes_out", c.out),
	)
	if err != nil { // its text may quote data
		code := errcode.Of(err).String()
		c.span.SetAttributes(attribute.String("error.type", code))
		c.span.SetStatus(codes.Error, code)
	}
	c.span.End()
}

func httpCarrier(h http.Header) propagation.TextMapCarrier { return propagation.HeaderCarrier(h) }

// grpcCarrier is gRPC metadata as a carrier of trace headers.
type grpcCarrier metadata.MD

func (g grpcCarrier) Get(key string) string { return first(metadata.MD(g), key) }
func (grpcCarrier) Set(string, string)      {}
func (grpcCarrier) Keys() []string          { return nil }
