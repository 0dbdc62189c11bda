package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/udfpb"
)

// Rows that wait for memory leave their workers to others, judged or not.
func TestRowsThatWaitForMemoryHoldUpNobody(t *testing.T) {
	const limit = 1 << 20
	for _, once := range []bool{false, true} {
		began := make(chan struct{}, 100)
		greedy := udf.Function{Name: "greedy", Params: []udf.Param{{Name: "n"}}, Result: udf.DOUBLE, Waits: true, Once: once, Row: func(ctx context.Context, _ *udf.Batch, _ int, out *udf.Column) (err error) {
			udf.CallerFrom(ctx).Read(ctx, func(ctx context.Context) {
				began <- struct{}{}
				if err = account.From(ctx).Hold(ctx, limit/2); err == nil {
					out.SetFloat(0, 1)
				}
			})
			return err
		}}
		quick := udf.Function{Name: "quick", Params: []udf.Param{{Name: "n"}}, Result: udf.DOUBLE, Waits: true, Once: once, Row: func(context.Context, *udf.Batch, int, *udf.Column) error { return nil }}
		s := start(t, catalogueWith(t, udf.CatalogueOptions{Workers: 2, Extra: []udf.Function{greedy, quick}}), &Options{Limits: Limits{Body: 1000, Message: 1000, InFlight: limit}})
		if err := s.admission.alone.Acquire(t.Context(), 1); err != nil { // somebody has its turn
			t.Fatal(err)
		}
		other := s.admission.of("other")
		if err := other.Hold(limit * 5 / 8); err != nil {
			t.Fatal(err)
		}
		const waiting = 6
		var wg sync.WaitGroup
		for i := range waiting {
			wg.Go(func() {
				post(t, s.url+"/v1/functions/greedy", `{"rows":[["`+strings.Repeat("x", i)+`"]]}`)
			})
		}
		for i := range waiting { // two workers, and yet all get as far as to wait
			select {
			case <-began:
			case <-time.After(20 * time.Second):
				t.Fatalf("once %v: only %d of %d rows began", once, i, waiting)
			}
		}
		if _, got, _ := post(t, s.url+"/v1/functions/quick", `{"rows":[["a"],["b"]]}`); got != `{"results":[0,0]}` {
			t.Errorf("once %v: %s", once, got)
		}
		other.end()
		s.admission.alone.Release(1)
		wg.Wait()
		for _, spare := range s.admission.spare { // results that are kept
			spare()
		}
		if l := s.Load(); l.Bytes != 0 || l.RowsRunning != 0 || l.RowsWaiting != 0 || l.JudgedRows != 0 {
			t.Errorf("once %v: afterwards %+v", once, l)
		}
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}
}

// POST /v1/score and ScoreCase are as the other wires: what a judge is asked continues when the
// caller's time is over.
func TestScoreCaseGoesOn(t *testing.T) {
	t.Parallel()
	s := start(t, newCatalogue(t), &Options{Timeouts: map[string]time.Duration{"json": 60 * time.Millisecond}})
	caseOf := func(wait string) string {
		b, err := json.Marshal(map[string]any{
			"case_id": "c", "question": "how many?", "gold": map[string]any{"sql": "select 1"},
			"agent": map[string]any{"name": "a", "version": "1", "sql": "select 2", "interpretation": "as asked", "response": wait},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	ask := func(body string) (int, string) {
		resp, err := http.Post(s.url+"/v1/score?metrics=judged", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	quiet := func() { // no time limit: it takes what it takes
		for s.Load().JudgedRows > 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
	open := metrics.Gate("http") // the judge has no reply before the call has ended
	body := caseOf("wait http")
	if code, got := ask(body); code != 503 || !strings.Contains(got, "they continue") {
		t.Fatalf("within 60 ms: %d %s", code, got)
	}
	if s.Load().JudgedRows != 1 || s.Load().ParkedBytes == 0 {
		t.Errorf("nothing goes on: %+v", s.Load())
	}
	open()
	quiet()
	code, got := ask(body)
	for code == 503 { // a busy machine may need more than 60 ms to write the reply
		code, got = ask(body)
	}
	if code != 200 || !strings.Contains(got, `"value":0.5`) {
		t.Errorf("again: %d %s", code, got)
	}

	open = metrics.Gate("grpc")
	client := udfpb.NewScoringClient(dial(t, s.addr))
	score := func(ctx context.Context) (*udfpb.ScoreCaseResponse, error) {
		return client.ScoreCase(ctx, &udfpb.ScoreCaseRequest{CaseJson: caseOf("wait grpc"), Metrics: []string{"judged"}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the server replies a tenth earlier
	defer cancel()
	if _, err := score(ctx); status.Code(err) != codes.Unavailable {
		t.Errorf("gRPC within a second: %v", err)
	}
	open()
	quiet()
	resp, err := score(t.Context())
	if err != nil || len(resp.GetScores()) != 1 || resp.GetScores()[0].GetValue() != 0.5 || resp.GetScores()[0].GetMetric() != "judged" {
		t.Errorf("gRPC again: %v %v", resp, err)
	}
	if code, got := ask(`{"case_id":`); code != 400 || !strings.Contains(got, "invalid_argument") {
		t.Errorf("no case: %d %s", code, got)
	}
}

// HTTP/2 without TLS is there where it is configured, beside HTTP/1.1.
func TestH2C(t *testing.T) {
	for _, on := range []bool{true, false} {
		s := start(t, newCatalogue(t), &Options{H2C: on})
		for proto, want := range map[int]bool{1: true, 2: on} {
			transport := &http.Transport{Protocols: new(http.Protocols)}
			transport.Protocols.SetHTTP1(proto == 1)
			transport.Protocols.SetUnencryptedHTTP2(proto == 2)
			resp, err := (&http.Client{Transport: transport}).Post(s.url+"/v1/functions/same_text", "application/json", strings.NewReader(`{"rows":[["a","a"]]}`))
			if (err == nil) != want {
				t.Errorf("h2c %v, HTTP/%d: %v", on, proto, err)
			}
			if err != nil {
				continue
			}
			b, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			transport.CloseIdleConnections()
			if resp.ProtoMajor != proto || string(b) != `{"results":[1]}` {
				t.Errorf("h2c %v: %s %s", on, resp.Proto, b)
			}
		}
	}
}

// The line in the log of a Flight call and of a gRPC call has their bytes.
func TestFlightCallsLogTheirBytes(t *testing.T) {
	var log bytes.Buffer
	s := start(t, newCatalogue(t), &Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	text := strings.Repeat("x", 5000)
	exchangeAll(t, t.Context(), flight.NewClientFromConn(dial(t, s.addr), nil), "same_text", textRecord([]string{text, "a"}, []string{text, "b"}))
	if _, err := udfpb.NewScoringClient(dial(t, s.addr)).Call(t.Context(), &udfpb.CallRequest{Function: "same_text", Arguments: []*udfpb.Column{
		{Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: []string{text}}}}, {Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: []string{text}}}},
	}}); err != nil {
		t.Fatal(err)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(log.String()) {
		var l struct {
			Msg, Wire string
			In        int `json:"bytes_in"`
			Out       int `json:"bytes_out"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Msg != "call" {
			continue
		}
		lines++
		if l.In < 2*len(text) || l.In > 3*len(text) || l.Out < 8 || l.Out > 2000 {
			t.Errorf("%s: %d bytes in, %d out", l.Wire, l.In, l.Out)
		}
	}
	if lines != 2 {
		t.Errorf("%d lines", lines)
	}
}

// A renewed catalogue answers with new functions; rows on their way end as they began, and an equal
// row under another configuration is another row.
func TestRenewedCatalogue(t *testing.T) {
	began, release := make(chan string, 10), make(chan struct{})
	of := func(name string, value float64) udf.Function {
		return udf.Function{Name: "slow", Params: []udf.Param{{Name: "q"}}, Result: udf.DOUBLE, Waits: true, Once: true, Row: func(_ context.Context, _ *udf.Batch, i int, out *udf.Column) error {
			began <- name
			if name == "old" {
				<-release
			}
			out.SetFloat(i, value)
			return nil
		}}
	}
	engine, err := scoring.NewEngine(metrics.All(), &scoring.EngineOptions{Replies: metrics.NoReplies{}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Fingerprint: "old", Extra: []udf.Function{of("old", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, c, nil)
	ask := func() string { _, got, _ := post(t, s.url+"/v1/functions/slow", `{"rows":[["a"]]}`); return got }
	first := make(chan string)
	go func() { first <- ask() }()
	<-began
	few, err := scoring.NewEngine(metrics.All()[:2], nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Renew(few, &udf.CatalogueOptions{Fingerprint: "new", Extra: []udf.Function{of("new", 2), of("new", 2)}}); errcode.Of(err) != errcode.AlreadyExists {
		t.Errorf("a function that is declared twice: %v", err)
	}
	if _, err := c.Function("judged"); err != nil {
		t.Errorf("after a wrong configuration: %v", err)
	}
	if err := c.Renew(few, &udf.CatalogueOptions{Fingerprint: "new", Extra: []udf.Function{of("new", 2)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Function("judged"); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a function that is gone: %v", err)
	}
	if got := ask(); got != `{"results":[2]}` {
		t.Errorf("the new function: %s", got)
	}
	close(release)
	if got := <-first; got != `{"results":[1]}` {
		t.Errorf("the row that was on its way: %s", got)
	}
}

// Limits of callers and timeouts can be renewed; what would need another listener is refused, and
// then nothing changes.
func TestRenewedOptions(t *testing.T) {
	pki := newPKI(t)
	s := start(t, newCatalogue(t), tokenOptions())
	ask := func(token string) int {
		req, err := http.NewRequest(http.MethodPost, s.url+"/v1/functions/same_text", strings.NewReader(`{"rows":[["a","a"],["b","b"],["c","c"],["d","d"]]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	renewed := func(change func(o *Options)) error {
		o := tokenOptions()
		change(o)
		return s.Renew(o)
	}
	for why, tc := range map[string]struct {
		change func(o *Options)
		code   errcode.Code
	}{
		"TLS":                  {func(o *Options) { o.TLS = TLS{CertFile: pki.cert, KeyFile: pki.key} }, errcode.FailedPrecondition},
		"a certificate of air": {func(o *Options) { o.TLS = TLS{CertFile: "none", KeyFile: "none"} }, errcode.InvalidArgument},
		"a wire that is none":  {func(o *Options) { o.Timeouts = map[string]time.Duration{"pigeon": 1} }, errcode.InvalidArgument},
		"a limit of no sense":  {func(o *Options) { o.Limits.Caller.Calls = -1 }, errcode.InvalidArgument},
		"a short token":        {func(o *Options) { o.HTTP.Tokens = map[string]string{"a": "short"} }, errcode.InvalidArgument},
	} {
		if err := renewed(tc.change); errcode.Of(err) != tc.code {
			t.Errorf("%s: %v, want %v", why, err, tc.code)
		}
		if code := ask(testToken); code != 200 {
			t.Errorf("after %s: %d", why, code)
		}
	}
	if err := renewed(func(o *Options) {
		o.HTTP.Tokens = map[string]string{"nightly": "another-token-of-nightly"}
		o.Limits.Caller.Rows = 1
	}); err != nil {
		t.Fatal(err)
	}
	if code := ask(testToken); code != 401 {
		t.Errorf("the token that is gone: %d", code)
	}
	if code := ask("another-token-of-nightly"); code != 200 {
		t.Errorf("the new token: %d", code)
	}
	if code := ask("another-token-of-nightly"); code != 429 {
		t.Errorf("the new limit: %d", code)
	}
}
