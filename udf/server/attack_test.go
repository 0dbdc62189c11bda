package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/udfpb"
)

const (
	greedyToken = "the-token-of-the-greedy-one"
	otherToken  = "the-token-of-the-other-one"
)

var twoCallers = identity.Config{Tokens: map[string]string{"greedy": greedyToken, "other": otherToken}}

// halfSent opens a connection and sends so much of a request.
func halfSent(t *testing.T, s *running, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// mustAnswer calls as somebody else, by HTTP and by Flight.
func mustAnswer(t *testing.T, s *running, why string) {
	t.Helper()
	if code, reply, _ := post(t, s.url+"/v1/functions/same_text", `{"rows":[["a","a"]]}`, "Authorization", "Bearer "+otherToken); code != 200 {
		t.Errorf("%s: HTTP: %d %s", why, code, reply)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-badger-token", otherToken)
	if _, _, err := tryExchange(ctx, flight.NewClientFromConn(dial(t, s.addr), nil), "badger_echo", textRecord([]string{"a"})); err != nil {
		t.Errorf("%s: Flight: %v", why, err)
	}
}

// Streams on which nothing comes take no place, and end.
func TestIdleStreams(t *testing.T) {
	t.Parallel()
	s := start(t, newCatalogue(t), &Options{GRPC: twoCallers, HTTP: twoCallers, Limits: Limits{Calls: 4, ReadTime: 2 * time.Second}})
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-badger-token", greedyToken)
	path := &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"badger_echo"}}
	var streams []flight.FlightService_DoExchangeClient
	for range 10 { // connections: HTTP/2 bounds the streams of one
		client := flight.NewClientFromConn(dial(t, s.addr), nil)
		for range 3 {
			stream, err := client.DoExchange(ctx)
			if err == nil {
				err = stream.Send(&flight.FlightData{FlightDescriptor: path})
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := stream.Recv(); err != nil { // the schema: the server waits for a batch
				t.Fatal(err)
			}
			streams = append(streams, stream)
		}
	}
	mustAnswer(t, s, "beside idle streams")
	for i, stream := range streams {
		if _, err := stream.Recv(); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("stream %d: %v, want an end", i, err)
		}
	}
}

// Requests of which half has come take no place, and no memory for what they say is to come.
func TestHalfSentBodies(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{GRPC: twoCallers, HTTP: twoCallers, Limits: Limits{Calls: 4, Body: 10 << 20, Message: 10 << 20, InFlight: 40 << 20}})
	for i := range 300 {
		halfSent(t, s, fmt.Sprintf("POST /v1/functions/same_text HTTP/1.1\r\nHost: x\r\nX-Badger-Token: %s\r\nContent-Length: %d\r\n\r\n{", greedyToken, 10<<20-i))
	}
	mustAnswer(t, s, "beside half-sent bodies")
}

// One caller has places, memory and rows of its own: where they are used up, it is told to come
// again, the log says who hit which limit, and others are served.
func TestLimitsOfACaller(t *testing.T) {
	f, began, release := holding()
	var log lines
	var refused sync.Map
	s := start(t, newCatalogue(t, f), &Options{
		GRPC: twoCallers, HTTP: twoCallers, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Limits: Limits{Calls: 4, Callers: map[string]CallerLimits{"greedy": {Rows: 10}}},
		Hooks:  Hooks{Refused: func(caller, limit string) { refused.Store(caller+"/"+limit, true) }},
	})
	done := make(chan int, 3)
	for range 3 { // three quarters of the places
		go func() {
			code, _, _ := post(t, s.url+"/v1/functions/hold", `{"rows":[[]]}`, "X-Badger-Token", greedyToken)
			done <- code
		}()
		<-began
	}
	code, reply, h := post(t, s.url+"/v1/bigquery/hold", `{"calls":[[]]}`, "X-Badger-Token", greedyToken)
	if code != 429 || h.Get("Retry-After") != "1" || !strings.Contains(reply, "3 calls at once") {
		t.Errorf("a fourth call: %d %s", code, reply)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-badger-token", greedyToken)
	_, err := udfpb.NewScoringClient(dial(t, s.addr)).Call(ctx, &udfpb.CallRequest{Function: "hold", Rows: 1})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a fourth call by gRPC: %v", err)
	}
	mustAnswer(t, s, "beside a caller that has all its places")
	close(release)
	for range 3 {
		if code := <-done; code != 200 {
			t.Errorf("a call with a place: %d", code)
		}
	}

	rows := `{"rows":[` + strings.Repeat(`["a","a"],`, 100) + `["a","a"]]}` // ten seconds' worth, which may pass once
	if code, _, _ := post(t, s.url+"/v1/functions/same_text", rows, "X-Badger-Token", greedyToken); code != 200 {
		t.Errorf("the first batch: %d", code)
	}
	code, reply, h = post(t, s.url+"/v1/functions/same_text", rows, "X-Badger-Token", greedyToken)
	if code != 429 || !strings.Contains(reply, "10 rows a second") || len(h.Get("Retry-After")) != 2 {
		t.Errorf("the second batch: %d %s, Retry-After %s", code, reply, h.Get("Retry-After"))
	}
	mustAnswer(t, s, "beside a caller that has sent too many rows")
	for _, want := range []string{"greedy/caller calls", "greedy/caller rows"} {
		if _, ok := refused.Load(want); !ok {
			t.Errorf("the hook was not told of %s", want)
		}
	}
	for _, want := range []string{`caller=greedy function=hold`, `limit="caller calls"`, `limit="caller rows"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s", want)
		}
	}
}

// Bytes of a caller: bodies beyond them are refused as long as the others are there.
func TestMemoryOfACaller(t *testing.T) {
	a := newAdmission(Limits{Calls: 10, InFlight: 100, Caller: CallerLimits{Calls: 10, InFlight: 60}})
	one, two, other := a.of("greedy"), a.of("greedy"), a.of("other")
	if err := one.Hold(50); err != nil {
		t.Fatal(err)
	}
	if err := two.Hold(20); !errors.Is(err, errBusy) || !strings.Contains(err.Error(), "60 bytes") {
		t.Errorf("beyond the caller's: %v", err)
	}
	if err := other.Hold(50); err != nil {
		t.Errorf("another caller: %v", err)
	}
	if err := two.Hold(10); !errors.Is(err, errBusy) || strings.Contains(err.Error(), "60 bytes") {
		t.Errorf("beyond all: %v", err)
	}
	one.end()
	if err := two.Hold(50); err != nil {
		t.Errorf("after the end of the first: %v", err)
	}
	two.end()
	other.end()
	if !a.bytes.TryAcquire(100) {
		t.Error("something is still held")
	}
	for i := range 5000 { // names that come once must not stay for ever
		a.of(fmt.Sprint(i)).end()
	}
	if len(a.callers) > 1000 {
		t.Errorf("%d callers are remembered", len(a.callers))
	}
}

// A body that is too long gets its answer also where the client reads it only after it has sent
// everything.
func TestTooLongBodyGetsItsAnswer(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{HTTP: twoCallers})
	const n = 11 << 20
	long := strings.Repeat("a", n)
	for why, tc := range map[string]struct{ head, body, want string }{
		"with its length": {fmt.Sprintf("Content-Length: %d\r\nX-Badger-Token: %s\r\n", n, otherToken), long, "HTTP/1.1 400"},
		"in chunks":       {"Transfer-Encoding: chunked\r\nX-Badger-Token: " + otherToken + "\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", n, long), "HTTP/1.1 400"},
		"without a token": {fmt.Sprintf("Content-Length: %d\r\n", n), long, "HTTP/1.1 401"},
	} {
		conn := halfSent(t, s, "POST /v1/functions/same_text HTTP/1.1\r\nHost: x\r\n"+tc.head+"\r\n"+tc.body)
		reply, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.HasPrefix(reply, tc.want) {
			t.Errorf("%s: %q %v", why, reply, err)
		}
	}
	// A client that asks first sends nothing.
	conn := halfSent(t, s, fmt.Sprintf("POST /v1/functions/same_text HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\nX-Badger-Token: %s\r\n\r\n", n, otherToken))
	if reply, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(reply, "HTTP/1.1 400") {
		t.Errorf("asked first: %q %v", reply, err)
	}
}

// A body that is stuck, and a stream on which nothing comes, do not hold up the end.
func TestStuckCallersDoNotDelayTheEnd(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Limits: Limits{StopGrace: time.Hour}})
	conn := halfSent(t, s, "POST /v1/functions/same_text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
	stream, err := flight.NewClientFromConn(dial(t, s.addr), nil).DoExchange(t.Context())
	if err == nil {
		err = stream.Send(&flight.FlightData{FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"badger_echo"}}})
	}
	if err == nil {
		_, err = stream.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
	post(t, s.url+"/v1/functions/same_text", `{"rows":[["a","a"]]}`) // the half-sent one was taken up by now
	if err := s.stop(); err != nil {                                 // an hour, if it waited for them
		t.Error(err)
	}
	if reply, _ := io.ReadAll(conn); !strings.HasPrefix(string(reply), "HTTP/1.1 503") {
		t.Errorf("the stuck body: %q", reply)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.Unavailable {
		t.Errorf("the idle stream: %v", err)
	}
}

// A call that never ends is cut off within the grace, and its caller is told to come again.
func TestStopDelay(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Limits: Limits{StopDelay: 300 * time.Millisecond, StopGrace: time.Hour}})
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	<-s.stopping.Done()
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(s.url + "/readyz")
	if err != nil {
		t.Fatalf("a stopping server without calls in flight must answer for the delay: %v", err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readiness: %d", resp.StatusCode)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// bigReader resolves references to results that take a number of bytes, as file and warehouse
// readers do: counted with the call.
type bigReader struct {
	bytes     int64
	now, most atomic.Int64 // results being read
	wait      bool         // until the context ends
	ended     chan error
}

func (b *bigReader) ReadSnapshot(ctx context.Context, _ string) (*scoring.Table, error) {
	a := account.From(ctx)
	if a == nil {
		return nil, errors.New("a reference is read without an account")
	}
	if b.bytes > a.Limit() {
		return nil, errcode.New(errcode.ResourceExhausted, "too large")
	}
	for range 4 {
		if err := a.Hold(ctx, b.bytes/4); err != nil {
			return nil, err
		}
	}
	now := b.now.Add(1)
	defer b.now.Add(-1)
	for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); most = b.most.Load() {
	}
	if b.wait {
		<-ctx.Done()
		b.ended <- ctx.Err()
		return nil, ctx.Err()
	}
	return scoring.ParseResult([]byte(`{"columns":["a"],"rows":[[1]]}`))
}

func withReader(t *testing.T, r scoring.SnapshotReader) *udf.Catalogue {
	t.Helper()
	engine, err := scoring.NewEngine(metrics.All(), &scoring.EngineOptions{Replies: metrics.NoReplies{}, Snapshots: r})
	if err != nil {
		t.Fatal(err)
	}
	c, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What references read counts with bodies. Rows that would need more than there is take turns: none
// is lost, and never is more held than allowed.
func TestReferencesTakeTurns(t *testing.T) {
	r := &bigReader{bytes: 50 << 20}
	s := start(t, withReader(t, r), &Options{Limits: Limits{InFlight: 160 << 20, Reference: 60 << 20, Caller: CallerLimits{InFlight: 130 << 20}}})
	row := `["file:a","file:b"]`
	code, reply, _ := post(t, s.url+"/v1/functions/cell_match", `{"rows":[`+strings.Repeat(row+",", 15)+row+`]}`)
	if want := `{"results":[` + strings.Repeat("1,", 15) + `1]}`; code != 200 || reply != want {
		t.Errorf("%d %s", code, reply)
	}
	if n := r.most.Load(); n > 2 {
		t.Errorf("%d results at once, room is for 2", n)
	}
	if !s.admission.bytes.TryAcquire(160 << 20) {
		t.Error("memory of references is still reserved")
	}
	s.admission.bytes.Release(160 << 20)

	r.bytes = 61 << 20
	_, reply, _ = post(t, s.url+"/v1/functions/cell_match_json", `{"rows":[`+row+`]}`)
	if !strings.Contains(reply, "resource_exhausted") {
		t.Errorf("a result beyond the limit: %s", reply)
	}
	r.bytes = 100 << 20
	s2 := start(t, withReader(t, r), &Options{Limits: Limits{InFlight: 160 << 20, Reference: 100 << 20, Caller: CallerLimits{InFlight: 130 << 20}}})
	_, reply, _ = post(t, s2.url+"/v1/functions/cell_match_json", `{"rows":[`+row+`]}`)
	if !strings.Contains(reply, "resource_exhausted") || !strings.Contains(reply, "136314880") {
		t.Errorf("two results that do not fit together: %s", reply)
	}
}

// Reading a reference ends when its caller leaves.
func TestReferencesEndWithTheCall(t *testing.T) {
	r := &bigReader{bytes: 4, wait: true, ended: make(chan error, 2)}
	s := start(t, withReader(t, r), nil)
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/functions/cell_match", strings.NewReader(`{"rows":[["file:a",null]]}`))
	go func() {
		for r.now.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("the call was answered")
	}
	if err := <-r.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Roles: functions are for those who may call them, the site learns who asks and decides by itself,
// and sees no header that claims to be somebody.
func TestRolesAndTheSite(t *testing.T) {
	who := twoCallers
	who.Roles = map[string][]string{"other": {"read", "label"}}
	var asked identity.Caller
	var header http.Header
	s := start(t, newCatalogue(t), &Options{GRPC: who, HTTP: who, Site: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked, _ = identity.From(r.Context())
		header = r.Header
	})})
	if code, reply, _ := post(t, s.url+"/v1/functions/same_text", `{"rows":[["a","a"]]}`, "X-Badger-Token", otherToken); code != 403 || !strings.Contains(reply, "role call") {
		t.Errorf("without the role call: %d %s", code, reply)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-badger-token", otherToken)
	if _, err := udfpb.NewScoringClient(dial(t, s.addr)).ListFunctions(ctx, &udfpb.ListFunctionsRequest{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("without the role call, by gRPC: %v", err)
	}
	code, _, _ := post(t, s.url+"/report", "", "X-Badger-Token", otherToken, "Sf-Context-Current-User", "ROOT", "X-Forwarded-Email", "root@example.com", "Accept", "text/html")
	if code != 200 || asked.Name != "other" || !asked.May(identity.Label) || asked.May(identity.Call) {
		t.Errorf("the site: %d, asked by %+v", code, asked)
	}
	if header.Get("Sf-Context-Current-User")+header.Get("X-Forwarded-Email")+header.Get("X-Badger-Token") != "" || header.Get("Accept") == "" {
		t.Errorf("the site sees %v", header)
	}
	if code, _, _ := post(t, s.url+"/report", ""); code != 401 {
		t.Errorf("the site without a token: %d", code)
	}
}

// Each listener has its own callers: a name that the proxy vouches for on one is nothing on the
// other.
func TestEachListenerHasItsMode(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{
		GRPC: twoCallers, HTTP: identity.Config{Mode: identity.Proxy, Peers: []string{"127.0.0.0/8"}, Header: "X-Forwarded-User"},
	})
	const body = `{"rows":[[]]}`
	if code, reply, _ := post(t, s.url+"/v1/functions/badger_whoami", body, "X-Forwarded-User", "ana"); code != 200 || reply != `{"results":["ana"]}` {
		t.Errorf("by the proxy: %d %s", code, reply)
	}
	if code, _, _ := post(t, s.url+"/v1/functions/badger_whoami", body, "X-Badger-Token", otherToken); code != 401 {
		t.Errorf("a token on the proxy's listener: %d", code)
	}
	for want, md := range map[codes.Code]string{codes.OK: "x-badger-token", codes.Unauthenticated: "x-forwarded-user"} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), md, otherToken)
		_, err := udfpb.NewScoringClient(dial(t, s.addr)).Call(ctx, &udfpb.CallRequest{Function: "badger_whoami", Rows: 1})
		if status.Code(err) != want {
			t.Errorf("gRPC with %s: %v", md, err)
		}
	}
}

// A foreign certificate, none at all, and old TLS are refused on both ports, whatever was asked for.
func TestForeignCertificatesAndOldTLS(t *testing.T) {
	ours, foreign := newPKI(t), newPKI(t)
	who := identity.Config{ClientCAFile: ours.ca}
	s := start(t, newCatalogue(t), &Options{TLS: TLS{CertFile: ours.cert, KeyFile: ours.key}, GRPC: who, HTTP: who})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ours.caPEM)
	url := strings.Replace(s.url, "http://", "https://", 1) + "/healthz"
	for _, tc := range []struct {
		why string
		tls *tls.Config
		ok  bool
	}{
		{"ours", &tls.Config{Certificates: []tls.Certificate{ours.client}}, true},
		{"none", &tls.Config{}, false},
		{"foreign", &tls.Config{Certificates: []tls.Certificate{foreign.client}}, false},
		{"ours by TLS 1.1", &tls.Config{Certificates: []tls.Certificate{ours.client}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, false},
		{"ours by TLS 1.2", &tls.Config{Certificates: []tls.Certificate{ours.client}, MaxVersion: tls.VersionTLS12}, true},
	} {
		tc.tls.RootCAs = roots
		resp, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: tc.tls, DisableKeepAlives: true}}).Get(url)
		if (err == nil) != tc.ok {
			t.Errorf("%s, HTTP: %v", tc.why, err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		conn := dial(t, s.addr, grpc.WithTransportCredentials(credentials.NewTLS(tc.tls.Clone())))
		if _, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); (err == nil) != tc.ok {
			t.Errorf("%s, gRPC: %v", tc.why, err)
		}
	}
}

// While the server's certificate or the authorities of its callers cannot be read, nobody connects,
// readiness says so, and the log and the hook tell it.
func TestCertificatesThatAreGone(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	var log lines
	told := make(chan string, 10)
	who := identity.Config{ClientCAFile: p.ca}
	s := start(t, newCatalogue(t), &Options{
		TLS: TLS{CertFile: p.cert, KeyFile: p.key}, HTTP: who, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Hooks: Hooks{Secrets: func(what string, err error) { told <- fmt.Sprint(what, err == nil) }},
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.caPEM)
	get := func(keepAlive *http.Client) error {
		c := keepAlive
		if c == nil {
			c = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{p.client}}, DisableKeepAlives: true}}
		}
		resp, err := c.Get(strings.Replace(s.url, "http://", "https://", 1) + "/v1/functions")
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil
	}
	open := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{p.client}}}}
	if err := errors.Join(get(open), get(nil)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		file, what string
	}{{p.ca, "client authorities"}, {p.cert, "TLS certificate"}} {
		text, err := os.ReadFile(tc.file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(tc.file, 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		if get(nil) == nil {
			t.Errorf("%s empty: a connection was made", tc.what)
		}
		if tc.file == p.ca && get(open) == nil {
			t.Error("the connection from before goes on, though its authority is gone")
		}
		if s.readiness(t.Context()) == nil {
			t.Errorf("%s empty: ready", tc.what)
		}
		if got := <-told; got != tc.what+"false" {
			t.Errorf("told %s", got)
		}
		if err := os.WriteFile(tc.file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		if err := get(nil); err != nil {
			t.Errorf("%s again: %v", tc.what, err)
		}
		<-told
		if !strings.Contains(log.String(), tc.what) {
			t.Errorf("the log lacks %s", tc.what)
		}
	}
}
