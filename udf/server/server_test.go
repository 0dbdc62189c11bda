package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/udfpb"
)

// holding is a function whose rows tell that they began and wait to be let go, or for their
// context.
func holding() (f udf.Function, began chan struct{}, release chan struct{}) {
	began, release = make(chan struct{}, 100), make(chan struct{})
	return udf.Function{Name: "hold", Result: udf.DOUBLE, Waits: true, Row: func(ctx context.Context, _ *udf.Batch, _ int, _ *udf.Column) error {
		began <- struct{}{}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}, began, release
}

type answer struct {
	status int
	reply  string
	err    error
}

func callBoth(t *testing.T, s *running) (httpDone chan answer, grpcDone chan error) {
	t.Helper()
	httpDone, grpcDone = make(chan answer, 1), make(chan error, 1)
	client := udfpb.NewScoringClient(dial(t, s.addr))
	go func() {
		resp, err := http.Post(s.url+"/v1/functions/hold", "application/json", strings.NewReader(`{"rows":[[]]}`))
		a := answer{err: err}
		if err == nil {
			a.status = resp.StatusCode
			b := make([]byte, 1000)
			n, _ := resp.Body.Read(b)
			a.reply = string(b[:n])
			_ = resp.Body.Close()
		}
		httpDone <- a
	}()
	go func() {
		_, err := client.Call(context.Background(), &udfpb.CallRequest{Function: "hold", Rows: 1})
		grpcDone <- err
	}()
	return httpDone, grpcDone
}

// SFC-8: what runs when the server is told to stop finishes and is answered. Readiness
// turns first, and new calls are told to come again.
func TestStopLetsCallsFinish(t *testing.T) {
	f, began, release := holding()
	s := start(t, newCatalogue(t, f), nil)
	httpDone, grpcDone := callBoth(t, s)
	<-began
	<-began
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for s.stopping.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, want := range map[string]int{"/readyz": 503, "/health/ready": 503, "/healthz": 200, "/v1/functions": 503} {
		resp, err := fresh.Get(s.url + path)
		if err != nil {
			t.Fatalf("%s on a new connection: %v", path, err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	resp, err := fresh.Post(s.url+"/v1/functions/hold", "application/json", strings.NewReader(`{"rows":[[]]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a new call: %d", resp.StatusCode)
	}
	_, err = udfpb.NewScoringClient(dial(t, s.addr)).Call(context.Background(), &udfpb.CallRequest{Function: "hold", Rows: 1})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("a new gRPC call: %v", err)
	}
	close(release)
	if a := <-httpDone; a.status != 200 || a.reply != `{"results":[0]}` {
		t.Errorf("HTTP: %+v", a)
	}
	if err := <-grpcDone; err != nil {
		t.Errorf("gRPC: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// After the grace, calls are cut off: their rows have no scores, so that the calls as a whole are
// to be made again.
func TestStopCutsOffAfterTheGrace(t *testing.T) {
	for name, judged := range map[string]bool{"rows": false, "rows that ask a judge": true} {
		t.Run(name, func(t *testing.T) { stopCutsOff(t, judged) })
	}
}

func stopCutsOff(t *testing.T, judged bool) {
	f, began, _ := holding()
	f.Once = judged
	s := start(t, newCatalogue(t, f), &Options{Limits: Limits{StopGrace: 30 * time.Millisecond}})
	httpDone, grpcDone := callBoth(t, s)
	<-began
	for s.active.Load() < 2 { // equal rows that ask a judge begin once
		time.Sleep(time.Millisecond)
	}
	if err := s.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if a := <-httpDone; a.status != 503 || !strings.Contains(a.reply, "unavailable") {
		t.Errorf("HTTP: %+v", a)
	}
	if err := <-grpcDone; status.Code(err) != codes.Unavailable {
		t.Errorf("gRPC: %v", err)
	}
}

func TestLimitsAreChecked(t *testing.T) {
	for why, l := range map[string]Limits{
		"a negative one": {Rows: -1}, "no room for one body": {Body: 100, Message: 100, InFlight: 50}, "no room for one message": {Message: 1 << 30},
		"a delay beyond the grace": {StopDelay: 10 * time.Hour, StopGrace: 10 * time.Second},
	} {
		if _, err := New(newCatalogue(t), &Options{Limits: l}); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v", why, err)
		}
	}
}

func TestServeEndsWithItsListener(t *testing.T) {
	s, err := New(newCatalogue(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	_ = l.Close()
	if err := s.Serve(context.Background(), nil, l); err == nil {
		t.Error("a closed listener was served")
	}
}

func TestServingLeavesNothingBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := start(t, newCatalogue(t), nil)
	post(t, s.url+"/v1/functions/same_text", `{"rows":[["a","b"]]}`)
	conn := dial(t, s.addr)
	if _, err := udfpb.NewScoringClient(conn).ListFunctions(context.Background(), &udfpb.ListFunctionsRequest{}); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	http.DefaultClient.CloseIdleConnections()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before)
}
