package server

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/udfpb"
)

func TestGoldenUnary(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	client := udfpb.NewScoringClient(dial(t, s.addr))
	files, err := os.ReadDir("testdata/grpc")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, f := range files {
		a, err := txtar.ParseFile(filepath.Join("testdata", "grpc", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(a.Files); i += 2 {
			var got, want proto.Message
			var err error
			request := func(m proto.Message) {
				if err := protojson.Unmarshal(a.Files[i].Data, m); err != nil {
					t.Fatalf("%s, part %d: %v", f.Name(), i, err)
				}
			}
			switch a.Files[i].Name {
			case "Call":
				var req udfpb.CallRequest
				request(&req)
				got, err = client.Call(context.Background(), &req)
				want = &udfpb.CallResponse{}
			case "ScoreCase":
				var req udfpb.ScoreCaseRequest
				request(&req)
				got, err = client.ScoreCase(context.Background(), &req)
				want = &udfpb.ScoreCaseResponse{}
			default:
				t.Fatalf("unknown method %s", a.Files[i].Name)
			}
			answer := a.Files[i+1]
			if status.Code(err).String() != answer.Name {
				t.Errorf("%s, part %d: %v, want %s", f.Name(), i, err, answer.Name)
				continue
			}
			if err != nil {
				if want := strings.TrimSpace(string(answer.Data)); status.Convert(err).Message() != want {
					t.Errorf("%s, part %d:\n got %s\nwant %s", f.Name(), i, status.Convert(err).Message(), want)
				}
				continue
			}
			if err := protojson.Unmarshal(answer.Data, want); err != nil {
				t.Fatalf("%s, part %d: %v", f.Name(), i+1, err)
			}
			if d := cmp.Diff(want, got, protocmp.Transform()); d != "" {
				t.Errorf("%s, part %d: (-want +got)\n%s", f.Name(), i, d)
			}
		}
	}
}

func TestListFunctionsUnary(t *testing.T) {
	c := newCatalogue(t)
	s := start(t, c, nil)
	resp, err := udfpb.NewScoringClient(dial(t, s.addr)).ListFunctions(context.Background(), &udfpb.ListFunctionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.GetFunctions()) != len(c.Functions()) {
		t.Fatalf("%d functions, want %d", len(resp.GetFunctions()), len(c.Functions()))
	}
	for i, f := range resp.GetFunctions() {
		want := c.Functions()[i]
		if f.GetName() != want.Name || f.GetSignature() != want.Signature() || "TYPE_"+want.Result.String() != f.GetResult().String() || len(f.GetParameters()) != len(want.Params) {
			t.Errorf("%s: %v", want.Name, f)
		}
		for k, p := range f.GetParameters() {
			if p.GetName() != want.Params[k].Name || "TYPE_"+want.Params[k].Type.String() != p.GetType().String() || p.GetOptional() != want.Params[k].Optional {
				t.Errorf("%s: parameter %v", want.Name, p)
			}
		}
	}
}

func TestHealthAndReflection(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	conn := dial(t, s.addr)
	h, err := grpc_health_v1.NewHealthClient(conn).Check(context.Background(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || h.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v %v", h, err)
	}
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r *grpc_reflection_v1.ServerReflectionRequest) *grpc_reflection_v1.ServerReflectionResponse {
		t.Helper()
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
		resp, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	services := map[string]bool{}
	for _, svc := range ask(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{}}).GetListServicesResponse().GetService() {
		services[svc.GetName()] = true
	}
	for _, want := range []string{"badger.v1.Scoring", "arrow.flight.protocol.FlightService", "grpc.health.v1.Health"} {
		if !services[want] {
			t.Errorf("%s is not listed: %v", want, services)
		}
	}
	file := ask(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "badger.v1.Scoring.Call"}})
	if len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Error("the file of badger.v1.Scoring.Call is not there")
	}
	_ = stream.CloseSend()
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// Calls that break down end as calls that failed; the connection lives.
func TestUnaryPanicIsInternal(t *testing.T) {
	broken := udf.Function{ // also where its failure is written
		Name: "broken", Result: udf.JSON, Columns: func(context.Context, *udf.Batch, *udf.Column) { panic("secret") }, Envelope: func(error) string { panic("secret") },
	}
	s := start(t, newCatalogue(t, broken), nil)
	conn := dial(t, s.addr)
	_, err := udfpb.NewScoringClient(conn).Call(context.Background(), &udfpb.CallRequest{Function: "broken", Rows: 1})
	if status.Code(err) != codes.Internal || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	status, reply, _ := post(t, s.url+"/v1/functions/broken", `{"rows":[[]]}`)
	if status != 400 || !strings.Contains(reply, `"internal"`) || strings.Contains(reply, "secret") {
		t.Errorf("HTTP: %d %s", status, reply)
	}
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Error(err)
	}
	if !s.admission.calls.TryAcquire(int64(s.limits.Calls)) {
		t.Error("a call that broke down still has its place")
	}
	s.admission.calls.Release(int64(s.limits.Calls))
}
