package server

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// SFE-6: bodies are inflated as their header says, raw deflate included.
func TestRequestEncodings(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	body := []byte(`{"data":[[0,"a","a"],[1,"a","b"]]}`)
	pack := func(w func(io.Writer) io.WriteCloser) string {
		var b bytes.Buffer
		z := w(&b)
		_, _ = z.Write(body)
		_ = z.Close()
		return b.String()
	}
	for _, tc := range []struct{ why, encoding, body string }{
		{"none", "", string(body)},
		{"identity", "identity", string(body)},
		{"gzip", "gzip", pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })},
		{"gzip in capitals", "GZIP", pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })},
		{"deflate in zlib", "deflate", pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })},
		{"deflate, raw", "deflate", pack(func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 9); return z })},
	} {
		for range 2 { // the second time with a reader from the pool
			status, reply, _ := post(t, s.url+"/v1/snowflake/same_text", tc.body, "Content-Encoding", tc.encoding)
			if status != 200 || reply != `{"data":[[0,1],[1,0]]}` {
				t.Errorf("%s: %d %s", tc.why, status, reply)
			}
		}
	}
}

// SFE-7, SFE-8: replies are gzip for callers that accept it, else plain with their digest.
func TestReplyEncodings(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	long := `{"rows":[` + strings.Repeat(`["some text"],`, 500) + `["x"]]}`
	for _, tc := range []struct {
		why, path, body, accept string
		gzip                    bool
	}{
		{"Snowflake accepts", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, "gzip", true},
		{"among others", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, "deflate, gzip;q=0.5", true},
		{"everything", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, "*", true},
		{"refused", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, "gzip;q=0, identity", false},
		{"deflate alone", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, "deflate", false},
		{"not asked", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, "", false},
		{"others: long replies", "/v1/functions/badger_echo", long, "gzip", true},
		{"others: short ones go plain", "/v1/functions/badger_echo", `{"rows":[["a"]]}`, "gzip", false},
	} {
		req, _ := http.NewRequest(http.MethodPost, s.url+tc.path, strings.NewReader(tc.body))
		if tc.accept != "" {
			req.Header.Set("Accept-Encoding", tc.accept)
		}
		resp, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		plainBody := raw
		if packed := resp.Header.Get("Content-Encoding") == "gzip"; packed != tc.gzip {
			t.Errorf("%s: gzip is %v", tc.why, packed)
		} else if packed {
			z, err := gzip.NewReader(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			plainBody, _ = io.ReadAll(z)
		}
		if resp.StatusCode != http.StatusOK || !json.Valid(plainBody) {
			t.Errorf("%s: %d %.100s", tc.why, resp.StatusCode, plainBody)
		}
		if digest := resp.Header.Get("Content-Md5"); digest != "" {
			if sum := md5.Sum(raw); digest != base64.StdEncoding.EncodeToString(sum[:]) {
				t.Errorf("%s: Content-MD5 is not that of the body", tc.why)
			}
		} else if !tc.gzip && strings.Contains(tc.path, "snowflake") {
			t.Errorf("%s: no Content-MD5", tc.why)
		}
	}
}

// G-3: one result for each row, in order, whatever the size of the batch.
func TestOrderAndCount(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	for _, rows := range []int{0, 1, 2, 1000, 10_000} { // BQ-1
		var body strings.Builder
		for i := range rows {
			if i > 0 {
				body.WriteByte(',')
			}
			fmt.Fprintf(&body, `["%d","{}"]`, i)
		}
		status, reply, _ := post(t, s.url+"/v1/bigquery/show", `{"calls":[`+body.String()+`]}`)
		var got struct {
			Replies [][]*string `json:"replies"`
		}
		if err := json.Unmarshal([]byte(reply), &got); status != 200 || err != nil || len(got.Replies) != rows || got.Replies == nil {
			t.Fatalf("%d rows: status %d, %d replies, %v", rows, status, len(got.Replies), err)
		}
		for i, r := range got.Replies {
			if *r[0] != fmt.Sprint(i) {
				t.Fatalf("%d rows: row %d answers for row %s", rows, i, *r[0])
			}
		}
	}
}

// BQ-8: messages stay below 1 KB and whole characters.
func TestBigQueryMessageIsShort(t *testing.T) {
	for _, r := range []string{"é", "日", "😀", "x\""} {
		b := bigquery{}.fault(nil, errcode.New(errcode.InvalidArgument, "%s", strings.Repeat(r, 2000)), "id")
		var m struct{ ErrorMessage string }
		if err := json.Unmarshal(b, &m); err != nil || len(m.ErrorMessage) >= 1024 || !utf8.ValidString(m.ErrorMessage) || strings.Contains(m.ErrorMessage, "\ufffd") || !strings.Contains(m.ErrorMessage, "request id") {
			t.Errorf("%q: %d bytes, %v", r, len(m.ErrorMessage), err)
		}
	}
}

// G-11, SFE-16, BQ-10: details go first where a reply is too long; rows never do.
func TestLongReplies(t *testing.T) {
	c := newCatalogue(t, udf.Function{Name: "long", Result: udf.JSON, Params: []udf.Param{{Name: "n", Type: udf.BIGINT}}, Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
		out.SetText(i, fmt.Sprintf(`{"status":"ok","value":%d,"detail":{"x":"%s"},"reason":"r"}`, i, strings.Repeat("y", int(in.Args[0].Ints[i]))))
		return nil
	}})
	req := func(n ...string) *request {
		r := &request{wire: snowflake{}, catalogue: c, maxRows: 100, name: "long"}
		rows := make([]string, len(n))
		for i := range n {
			rows[i] = "[" + fmt.Sprint(i) + "," + n[i] + "]"
		}
		r.scan.Reset([]byte(`{"data":[` + strings.Join(rows, ",") + `]}`))
		if err := (snowflake{}).decode(r); err != nil {
			t.Fatal(err)
		}
		r.out.Type = udf.JSON
		r.out.Resize(len(n))
		if err := c.Run(context.Background(), r.fn, &r.batch, &r.out, udf.Deadline{}); err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole, err := encodeWithin(nil, req("10", "5000", "20"), 6000)
	if err != nil || strings.Contains(string(whole), "truncated") {
		t.Errorf("a reply that fits was changed: %v", err)
	}
	cut, err := encodeWithin([]byte("before"), req("10", "5000", "20"), 1000)
	want := `before{"data":[[0,{"status":"ok","value":0,"detail":{"x":"yyyyyyyyyy"},"reason":"r"}],[1,{"status":"ok","value":1,"reason":"r","truncated":true}],[2,{"status":"ok","value":2,"detail":{"x":"yyyyyyyyyyyyyyyyyyyy"},"reason":"r"}]]}`
	if err != nil || string(cut) != want {
		t.Errorf("got  %s (%v)\nwant %s", cut, err, want)
	}
	if _, err := encodeWithin(nil, req("10", "10", "10"), 50); errcode.Of(err) != errcode.ResourceExhausted || httpStatus(err) != 400 {
		t.Errorf("a reply that is too long without details: %v", err)
	}
	if got := withoutDetail(`[{"detail":1,"a":[1,2]},{"a\n":"\"","detail":{"detail":2}},3,[]]`); got != `[{"a":[1,2],"truncated":true},{"a\n":"\"","truncated":true},3,[]]` {
		t.Errorf("array of envelopes: %s", got)
	}
}

// G-12, SFE-13: more calls than there are places are asked to come again, and do no work.
func TestOverload(t *testing.T) {
	var mu sync.Mutex
	began := 0
	hold := make(chan struct{})
	c := newCatalogue(t, udf.Function{Name: "hold", Result: udf.DOUBLE, Waits: true, Row: func(context.Context, *udf.Batch, int, *udf.Column) error {
		mu.Lock()
		began++
		mu.Unlock()
		<-hold
		return nil
	}})
	s := start(t, c, &Options{Limits: Limits{Calls: 2, Caller: CallerLimits{Calls: 2}}})
	done := make(chan int, 2)
	for range 2 {
		go func() {
			status, _, _ := post(t, s.url+"/v1/functions/hold", `{"rows":[[]]}`)
			done <- status
		}()
	}
	busy := func() bool { mu.Lock(); defer mu.Unlock(); return began == 2 }
	for !busy() {
		time.Sleep(time.Millisecond)
	}
	for _, wire := range []string{"snowflake", "bigquery", "databricks", "functions"} {
		status, reply, h := post(t, s.url+"/v1/"+wire+"/hold", `{"rows":[[]],"data":[[0]],"calls":[[]]}`)
		if status != 429 || h.Get("Retry-After") == "" || !strings.Contains(reply, "try again") {
			t.Errorf("%s: %d, Retry-After %q, %s", wire, status, h.Get("Retry-After"), reply)
		}
	}
	resp, err := http.Get(s.url + "/healthz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("a busy server must be seen alive: %v", err)
	}
	close(hold)
	for range 2 {
		if status := <-done; status != 200 {
			t.Errorf("a call that had a place got %d", status)
		}
	}
	if status, _, _ := post(t, s.url+"/v1/functions/hold", `{"rows":[[]]}`); status != 200 {
		t.Errorf("after the overload: %d", status)
	}
	if began != 3 {
		t.Errorf("%d rows began, want 3", began)
	}
}

// Bodies beyond the memory for them are asked to come again; what was reserved is returned.
func TestMemoryOfBodiesIsBounded(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Limits: Limits{Body: 1 << 20, Message: 1 << 18, InFlight: 1 << 20}})
	if !s.admission.bytes.TryAcquire(1<<20 - 20_000) {
		t.Fatal("no memory")
	}
	big := `{"rows":[["` + strings.Repeat("a", 50_000) + `","b"]]}`
	if status, _, _ := post(t, s.url+"/v1/functions/same_text", big); status != 429 {
		t.Errorf("with no memory left: %d", status)
	}
	if status, _, _ := post(t, s.url+"/v1/functions/same_text", `{"rows":[["a","b"]]}`); status != 200 {
		t.Errorf("a small body: %d", status)
	}
	s.admission.bytes.Release(1<<20 - 20_000)
	for range 300 { // would run out if any were kept
		if status, _, _ := post(t, s.url+"/v1/functions/same_text", big); status != 200 {
			t.Fatalf("with memory: %d", status)
		}
	}
}

// A body that does not arrive is given up, and answered with no status that is sent again.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	s := start(t, newCatalogue(t), &Options{Limits: Limits{ReadTime: time.Second}})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/functions/same_text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
	reply, _ := io.ReadAll(conn)
	if !strings.HasPrefix(string(reply), "HTTP/1.1 400") || !strings.Contains(string(reply), "did not arrive in time") {
		t.Errorf("got %s", reply)
	}
	// A call that takes longer than bodies may is not disturbed.
	status, reply2, _ := post(t, s.url+"/v1/functions/judged", `{"rows":[["q","i","wait 1200ms","s","s"]]}`)
	if status != 200 || reply2 != `{"results":[0.5]}` {
		t.Errorf("a slow row: %d %s", status, reply2)
	}
}

// BQ-14, SFE-20: when the time of a call is over, it fails with a status that its warehouse retries. If late rows may be
// NULL, they say so in a reply that is whole, and are counted as an error.
func TestTimeouts(t *testing.T) {
	late := func(null bool) (status int, reply, log string, calls []Call) {
		synctest.Test(t, func(t *testing.T) {
			var lines strings.Builder
			s, err := New(newCatalogue(t), &Options{
				Timeouts: map[string]time.Duration{"bigquery": 50 * time.Millisecond}, NullRows: null,
				Logger: slog.New(slog.NewTextHandler(&lines, nil)),
				Hooks:  Hooks{Called: func(c Call) { calls = append(calls, c) }},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer cutOff(s.catalogue)
			status, reply = serve(s, "/v1/bigquery/judged_json", []byte(`{"calls":[["q","i","wait forever","s","s"],["q","i","r","s","s"]]}`))
			log = lines.String()
		})
		return status, reply, log, calls
	}
	status, reply, _, _ := late(false)
	if status != 503 || !strings.Contains(reply, "1 of 2 rows were not scored in time") || !strings.Contains(reply, "raise timeouts.bigquery") {
		t.Errorf("%d %s", status, reply)
	}
	status, reply, log, calls := late(true)
	if status != 200 || strings.Count(reply, `"deadline_exceeded"`) != 1 || strings.Count(reply, `"value":0.5`) != 1 {
		t.Errorf("late rows are NULL: %d %s", status, reply)
	}
	if !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "late=1") || len(calls) != 1 || calls[0].Late != 1 {
		t.Errorf("late rows are NULL: log %s, calls %+v; expected an error and one late row", log, calls)
	}
	if _, err := New(newCatalogue(t), &Options{Timeouts: map[string]time.Duration{"bigquerry": 1}}); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a timeout of no wire: %v", err)
	}
}

// G-13: a caller that goes away stops its rows.
func TestDisconnectStopsRows(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	c := newCatalogue(t, udf.Function{Name: "watch", Result: udf.DOUBLE, Waits: true, Row: func(ctx context.Context, _ *udf.Batch, i int, _ *udf.Column) error {
		close(started)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}})
	s := start(t, c, nil)
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/functions/watch", strings.NewReader(`{"rows":[[]]}`))
	go func() { <-started; cancel() }()
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("the request was answered")
	}
	<-ended
}

// lines collects log lines.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }
func (l *lines) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// G-14: the log has ids and counts, and no value of any argument or result, at any level, on any
// path.
func TestLogHoldsNoValues(t *testing.T) {
	var log lines
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := start(t, catalogueWith(t, udf.CatalogueOptions{Panicked: LogPanics(logger), Extra: []udf.Function{sameText(), show()}}), &Options{Logger: logger})
	const canary = "CANARY7731"
	for _, tc := range []struct{ path, body string }{
		{"/v1/snowflake/same_text", `{"data":[[0,"CANARY7731","CANARY7731"]]}`},
		{"/v1/snowflake/same_text", `{"data":[[0,"CANARY7731","CANARY7731",]]}`},
		{"/v1/snowflake/same_text", `{"data":[[0,"CANARY7731"]]}`},
		{"/v1/functions/show", `{"rows":[["panic","CANARY7731"]]}`},
		{"/v1/functions/slowdown", `{"rows":[["CANARY7731",1]]}`},
		{"/v1/functions/cell_match", `{"rows":[["CANARY7731","CANARY7731"],["{\"columns\":[\"CANARY7731\"],\"rows\":[[CANARY7731]]}",""]]}`},
		{"/v1/functions/judged_json", `{"rows":[["CANARY7731","i","nonsense","s","s"]]}`},
		{"/v1/bigquery/show", `{"userDefinedContext":{"x":"CANARY7731"},"sessionUser":"CANARY7731","calls":[["CANARY7731","x",CANARY7731]]}`},
		{"/v1/databricks/show", `{"text":"CANARY7731","num":"CANARY7731"}`},
		{"/v1/score", `{"case_id":"CANARY7731","question":"CANARY7731","expected":{"behaviour":"CANARY7731"}}`},
		{"/v1/functions/score_case", `{"rows":[["{\"case_id\":\"CANARY7731\"","CANARY7731"]]}`},
	} {
		post(t, s.url+tc.path, tc.body, "X-Request-Id", "req-1", "sf-external-function-current-query-id", "01c0aaaa")
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	if strings.Contains(text, canary) || strings.Contains(text, "secret") {
		t.Errorf("the log holds a value:\n%s", text)
	}
	for _, want := range []string{`"request_id":"req-1"`, `"query_id":"01c0aaaa"`, `"function":"same_text"`, `"wire":"bigquery"`, `"rows":1`, `"code":"invalid_argument"`, `"in":"show","stack":`} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s:\n%s", want, text)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	seen := map[string]bool{}
	for _, tc := range []struct{ given, want string }{
		{"abc-123", "abc-123"}, {"", ""}, {"two words", ""}, {strings.Repeat("a", 65), ""}, {"é", ""},
	} {
		_, reply, h := post(t, s.url+"/v1/functions/nope", `{}`, "X-Request-Id", tc.given)
		id := h.Get("X-Request-Id")
		if tc.want != "" && id != tc.want || tc.want == "" && (id == tc.given || id == "") || seen[id] || !strings.Contains(reply, `"request_id":"`+id+`"`) {
			t.Errorf("given %q: id %q in %s", tc.given, id, reply)
		}
		seen[id] = true
	}
}

func TestListFunctions(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	resp, err := http.Get(s.url + "/v1/functions")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Functions []struct {
			Name, Signature, Result, Metric string
			Params                          []struct {
				Name, Type string
				Optional   bool
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Functions {
		if f.Name == "cell_match" {
			if f.Result != "DOUBLE" || f.Metric != "cell_match" || len(f.Params) != 8 || f.Params[3].Name != "options" || f.Params[3].Type != "JSON" || !f.Params[3].Optional {
				t.Errorf("cell_match: %+v", f)
			}
			return
		}
	}
	t.Error("cell_match is not listed")
}

func TestReadiness(t *testing.T) {
	ready := errcode.New(errcode.FailedPrecondition, "warming up")
	var mu sync.Mutex
	s := start(t, newCatalogue(t), &Options{Ready: func(context.Context) error { mu.Lock(); defer mu.Unlock(); return ready }})
	check := func(path string, want int) {
		t.Helper()
		resp, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	check("/readyz", 503) // SFC-4
	check("/healthz", 200)
	mu.Lock()
	ready = nil
	mu.Unlock()
	check("/readyz", 200)
	check("/health/ready", 200)
}

func TestSiteServesOtherPaths(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Site: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "report of "+r.URL.Path) })})
	resp, err := http.Get(s.url + "/runs/7")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(b) != "report of /runs/7" {
		t.Errorf("got %s", b)
	}
	if status, _, _ := post(t, s.url+"/v1/functions/nope", "{}"); status != 400 {
		t.Errorf("functions beside a site: %d", status)
	}
}

// A path with a doubled slash or dots is answered like any unknown path, and not redirected before the caller is known.
func TestUncleanPathsAreNotRedirected(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{Site: http.NotFoundHandler()})
	for _, path := range []string{"/v1//functions/same_text", "/v1/x/../functions/same_text", "/api//v1/functions/same_text",
		"/v1/functions/./same_text", "//v1/snowflake/same_text"} {
		status, reply, h := post(t, s.url+path, `{"rows":[["a","a"]]}`)
		if status != 400 || !strings.Contains(reply, `"not_found"`) || h.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %s", path, status, reply)
		}
	}
	if status, reply, _ := post(t, s.url+"/v1/functions/same_text", `{"rows":[["a","a"]]}`); status != 200 {
		t.Errorf("a clean path: %d %s", status, reply)
	}
}

// What is missing is in the body of readiness, which stays 200.
func TestReadinessNamesWhatIsMissing(t *testing.T) {
	var missing atomic.Pointer[[]string]
	s := start(t, newCatalogue(t), &Options{Missing: func() []string { return *missing.Load() }})
	for want, names := range map[string][]string{
		`{"status":"ready"}`: nil,
		`{"status":"degraded","missing":["results.warehouse"]}`:                  {"results.warehouse"},
		`{"status":"degraded","missing":["results.warehouse","judge.key_file"]}`: {"results.warehouse", "judge.key_file"},
	} {
		missing.Store(&names)
		for path, want := range map[string]string{"/readyz": want, "/health/ready": want, "/healthz": `{"status":"ok"}`} {
			if status, got := get(t, s.url+path); status != http.StatusOK || got != want {
				t.Errorf("%s: %d %s, want %s", path, status, got, want)
			}
		}
	}
}
