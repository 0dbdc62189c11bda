package server

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/udf/udfpb"
)

// Nobody makes the server read a message before it knows who calls: a message of 60 kB inflates to
// 60 MB.
func TestUnknownCallersAreNotRead(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{GRPC: withToken, HTTP: withToken, Limits: Limits{Message: 1 << 20, Body: 1 << 20}})
	conn := dial(t, s.addr)
	tooLong := strings.Repeat("x", 2<<20)
	zipped := grpc.UseCompressor(gzip.Name)
	known := metadata.AppendToOutgoingContext(t.Context(), "x-badger-token", testToken)
	for _, tc := range []struct {
		why  string
		ctx  context.Context //nolint:containedctx // of one case
		want codes.Code
	}{
		{"unknown", t.Context(), codes.Unauthenticated},
		{"known", known, codes.Unimplemented}, // it is compressed
	} {
		if _, err := udfpb.NewScoringClient(conn).Call(tc.ctx, &udfpb.CallRequest{Function: tooLong}, zipped); status.Code(err) != tc.want {
			t.Errorf("%s: %v, want %s", tc.why, status.Code(err), tc.want)
		}
	}
	health, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: tooLong}, zipped)
	if err != nil || health.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v %v", health.GetStatus(), err)
	}
}

// Metadata is read before anybody is known.
func TestLongMetadata(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	long := metadata.AppendToOutgoingContext(t.Context(), "x-long", strings.Repeat("x", 1<<20))
	if _, err := udfpb.NewScoringClient(dial(t, s.addr)).ListFunctions(long, &udfpb.ListFunctionsRequest{}); err == nil {
		t.Error("1 MB of metadata was taken")
	}
}
