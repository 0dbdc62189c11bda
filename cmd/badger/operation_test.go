//go:build !no_duckdb && !windows

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// series are the metrics that an address serves, by name and labels.
func series(t *testing.T, addr string) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %v", resp.Status, err)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(line, ' ')
		if line[0] == '#' || at < 0 {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all[line[:at]] = v
	}
	return all
}

func TestMetrics(t *testing.T) {
	addr := port.Unused(t)
	j := asking(t, correct, "listen: {metrics: '"+addr+"'}\nlimits: {caller: {rows_per_second: 1}}\n")
	j.stop() // a limit of tokens stands under judge, which asking writes
	config, err := os.ReadFile(j.config)
	if err != nil {
		t.Fatal(err)
	}
	config = bytes.Replace(config, []byte("key_env: JUDGE_KEY"), []byte("key_env: JUDGE_KEY, budget: {tokens: 1000000, prices: {'openai:gpt-4o': {in: '2', out: '4'}}}"), 1)
	if err := os.WriteFile(j.config, config, 0o600); err != nil {
		t.Fatal(err)
	}
	j.start()
	wantOnes(t, "judged", 2)(j.snowflake("").Call(t.Context(), questions(1, 2)...))
	first := series(t, addr)
	in, out := first[`badger_judge_tokens_total{direction="in"}`], first[`badger_judge_tokens_total{direction="out"}`]
	if in <= 0 || out <= 0 || first["badger_judge_budget_left_tokens"] != 1_000_000-in-out || first["badger_judge_calls_total"] != 2 {
		t.Errorf("tokens in %v, out %v, left %v, calls %v", in, out, first["badger_judge_budget_left_tokens"], first["badger_judge_calls_total"])
	}
	if want := (2*in + 4*out) / 1e6; first["badger_judge_money_total"] < want*0.999 || first["badger_judge_money_total"] > want*1.001 {
		t.Errorf("money %v, want %v", first["badger_judge_money_total"], want)
	}
	j.restart() // the ledger knows the answers now
	wantOnes(t, "judged before", 2)(j.snowflake("").Call(t.Context(), questions(2, 1)...))
	time.Sleep(time.Second) // the rows of two seconds were sent
	post(t, j.http+"/v1/functions/exact_match_text", []byte(`{"rows":[["select 1","select 1"],["select 1",null],["select 1","select 2"]]}`))
	for path, want := range map[string]int{"/v1/functions/exact_match_text": 429, "/v1/functions/no_such_function": 400} {
		resp, err := http.Post(j.http+path, "application/json", strings.NewReader(`{"rows":[["a","a"],["b","b"],["c","c"]]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, resp.Status, want)
		}
	}
	got := series(t, addr)
	for name, want := range map[string]float64{
		`badger_judge_questions_total`: 2, `badger_judge_ledger_hits_total`: 2, `badger_judge_calls_total`: 0,
		`badger_calls_total{code="ok",function="flex",wire="snowflake"}`:                        1,
		`badger_rows_total{function="flex",wire="snowflake"}`:                                   2,
		`badger_calls_total{code="ok",function="exact_match_text",wire="json"}`:                 1,
		`badger_calls_total{code="resource_exhausted",function="exact_match_text",wire="json"}`: 1,
		`badger_calls_total{code="not_found",function="unknown",wire="json"}`:                   1,
		`badger_nulls_total{function="exact_match_text",wire="json"}`:                           1,
		`badger_batch_seconds_count{function="exact_match_text",wire="json"}`:                   1,
		`badger_batch_seconds_bucket{function="flex",wire="snowflake",le="+Inf"}`:               1,
		`badger_refused_total{caller="",limit="caller rows"}`:                                   1,
		`badger_calls_in_flight`: 0, `badger_memory_bytes`: 1024, // of the two judged rows that are kept for their statement
		`badger_judged_rows_queued`:                      0,
		`badger_build_info{version="` + version() + `"}`: 1,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s: %v (there: %v), want %v", name, v, ok, want)
		}
	}
	resp, err := http.Get("http://" + addr + "/v1/functions")
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the listener of metrics serves %s", resp.Status)
	}
	if resp, err := http.Get(j.http + "/metrics"); err != nil || resp.StatusCode == http.StatusOK {
		t.Errorf("the listener of calls serves metrics: %v", err)
	} else {
		_ = resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

// spansAt is an OTLP receiver.
type spansAt struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*otlp.Span
	raw   []byte
	key   string
}

func receiver(t *testing.T) *spansAt {
	t.Helper()
	s := &spansAt{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var req collector.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(body, &req) != nil || r.URL.Path != "/v1/traces" {
			http.Error(w, "not spans", http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.raw, s.key = append(s.raw, body...), r.Header.Get("X-Key")
		for _, rs := range req.GetResourceSpans() {
			for _, ss := range rs.GetScopeSpans() {
				s.spans = append(s.spans, ss.GetSpans()...)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func attributes(s *otlp.Span) map[string]any {
	all := map[string]any{}
	for _, kv := range s.GetAttributes() {
		switch v := kv.GetValue(); {
		case v.GetArrayValue() != nil:
			all[kv.GetKey()] = v.GetArrayValue().GetValues()[0].GetStringValue()
		case v.GetStringValue() != "":
			all[kv.GetKey()] = v.GetStringValue()
		default:
			all[kv.GetKey()] = v.GetIntValue()
		}
	}
	return all
}

// A call is a span below its caller's, and each call of the judge one below that; none holds data.
func TestTraces(t *testing.T) {
	to := receiver(t)
	headers := filepath.Join(t.TempDir(), "headers")
	if err := os.WriteFile(headers, []byte("# of the collector\nX-Key: sk-of-the-collector\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9") // counts for nothing
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	j := asking(t, correct, "traces: {endpoint: '"+to.URL+"', headers_file: '"+headers+"'}\n")
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	body, err := json.Marshal(map[string]any{"rows": questions(1)})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, j.http+"/v1/functions/flex", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-"+trace+"-"+parent+"-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if code := j.stop(); code != exitDone { // sends what is left
		t.Fatalf("exit code %d", code)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	byName := map[string]*otlp.Span{}
	for _, s := range to.spans {
		byName[s.GetName()] = s
	}
	call, judge := byName["call flex"], byName["chat gpt-4o"]
	if len(to.spans) != 2 || call == nil || judge == nil {
		t.Fatalf("%d spans: %v", len(to.spans), byName)
	}
	hex := func(b []byte) string { return strings.ToLower(strings.TrimSpace(hexOf(b))) }
	if hex(call.GetTraceId()) != trace || hex(call.GetParentSpanId()) != parent || call.GetKind() != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("the call's span is of trace %x below %x, kind %v", call.GetTraceId(), call.GetParentSpanId(), call.GetKind())
	}
	if hex(judge.GetTraceId()) != trace || !bytes.Equal(judge.GetParentSpanId(), call.GetSpanId()) || judge.GetKind() != otlp.Span_SPAN_KIND_CLIENT {
		t.Errorf("the judge's span is of trace %x below %x, kind %v", judge.GetTraceId(), judge.GetParentSpanId(), judge.GetKind())
	}
	a := attributes(judge)
	if a["gen_ai.operation.name"] != "chat" || a["gen_ai.provider.name"] != "openai" || a["gen_ai.request.model"] != "gpt-4o" || a["gen_ai.response.finish_reasons"] != "stop" {
		t.Errorf("the judge's attributes: %v", a)
	}
	if in, _ := a["gen_ai.usage.input_tokens"].(int64); in <= 0 {
		t.Errorf("the judge's tokens: %v", a)
	}
	if out, _ := a["gen_ai.usage.output_tokens"].(int64); out <= 0 {
		t.Errorf("the judge's tokens: %v", a)
	}
	if a := attributes(call); a["badger.function"] != "flex" || a["badger.wire"] != "json" || a["badger.rows"] != int64(1) {
		t.Errorf("the call's attributes: %v", a)
	}
	for _, secret := range []string{"boats", "harbour", "SELECT", testKey, "sk-of"} {
		if bytes.Contains(to.raw, []byte(secret)) {
			t.Errorf("the spans hold %q", secret)
		}
	}
	if to.key != "sk-of-the-collector" {
		t.Errorf("the collector's header: %q", to.key)
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for _, c := range b {
		s.WriteByte(digits[c>>4])
		s.WriteByte(digits[c&15])
	}
	return s.String()
}

// logged is standard error of a server.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until something is in the log, and returns the log.
func (l *logged) await(t *testing.T, what string, times int) string {
	t.Helper()
	for range 2000 {
		if text := l.String(); strings.Count(text, what) >= times {
			return text
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the log has no %q:\n%s", what, l)
	return ""
}

// A signal makes the server read its configuration again: it takes over what it can, says what it
// cannot, and keeps what it has where the new one is wrong.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	write := writer(t, dir)
	one, two := write("one", "ana:the-first-token-of-ana\n"), write("two", "ana:the-other-token-of-ana\n")
	base := "auth: {token_file: " + one + "}\nmetrics: {thresholds: {hybrid_ex: 0.9}}\n"
	config := write("badger.yaml", base)
	log := &logged{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--config", config}, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: log, now: time.Now})
	}()
	defer func() { cancel(); <-ended }()
	url := "http://" + regexp.MustCompile(`HTTP on http://(\S+)`).FindStringSubmatch(log.await(t, `"listener":"HTTP"`, 1))[1]
	ask := func(token, function string) (status int, reply string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/functions/"+function, strings.NewReader(`{"rows":[["{\"columns\":[\"a\"],\"rows\":[[1],[2]]}","{\"columns\":[\"a\"],\"rows\":[[1],[3]]}"]]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	signal := func(text string) {
		t.Helper()
		write("badger.yaml", text)
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	passed := func(token, want string) {
		t.Helper()
		if status, reply := ask(token, "hybrid_ex_json"); status != 200 || !strings.Contains(reply, `"passed":`+want) {
			t.Errorf("%d %s, want passed %s", status, reply, want)
		}
	}
	passed("the-first-token-of-ana", "false")

	signal("auth: {token_file: " + two + "}\nmetrics: {thresholds: {hybrid_ex: 0.1}}\nworkers: 3\nlimits: {calls: 7}\njudges: [" + write("polite.yaml", politeJudge) + "]\n")
	text := log.await(t, "was taken over", 1)
	for _, key := range []string{"workers", "limits.calls"} {
		if !strings.Contains(text, `next start","key":"`+key+`"`) {
			t.Errorf("the log does not say that %s needs a restart:\n%s", key, text)
		}
	}
	if !strings.Contains(text, `"added":["polite"`) {
		t.Errorf("the log does not name the new function:\n%s", text)
	}
	if status, _ := ask("the-first-token-of-ana", "hybrid_ex"); status != 401 {
		t.Errorf("the token that is gone: %d", status)
	}
	passed("the-other-token-of-ana", "true")

	for i, wrong := range []string{"", "\n\n", "metrics: {thresholds: {hybrid_ex: 0.9}}\n", "auth: {token_file: " + two + "}", "metrics: {thresholds: {hybird_ex: 1}}\n", "auth: {token_file: " + filepath.Join(dir, "none") + "}\n", "listne: {}\n", "timeouts: {pigeon: 1s}\n", "judges: [" + filepath.Join(dir, "none.yaml") + "]\n",
		// what takes effect at the next start is refused, too, if no server starts with it
		"auth: {token_file: " + two + "}\nresults: {warehouse: 'nosuch://x'}\n", "auth: {token_file: " + two + "}\nresults: {tables: [a.*.b]}\n",
		"auth: {token_file: " + two + "}\nlisten: {metrics: '0.0.0.0:19999'}\n", "auth: {token_file: " + two + "}\njudge: {backend: 'nosuch:x'}\n"} {
		signal(wrong)
		log.await(t, "stays in force", i+1)
		passed("the-other-token-of-ana", "true")
	}
	signal(base)
	log.await(t, "was taken over", 2)
	passed("the-first-token-of-ana", "false")
	if strings.Contains(log.String(), "token-of-ana") {
		t.Error("a token is in the log")
	}
	http.DefaultClient.CloseIdleConnections()
}

// Promoted judges and the configuration are searched for every so often, too.
func TestReloadByItself(t *testing.T) {
	j := asking(t, correct, "reload: 1s\n")
	text, err := os.ReadFile(j.config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(j.config), "polite.yaml")
	if err := os.WriteFile(path, []byte(politeJudge), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.config, append(text, "judges: ["+path+"]\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		resp, err := http.Get(j.http + "/v1/functions")
		if err != nil {
			t.Fatal(err)
		}
		list, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if strings.Contains(string(list), `"polite_json"`) {
			http.DefaultClient.CloseIdleConnections()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the new judge is not served")
}

// A row whose caller's time is over is finished while the server stops: the judge's answer is in the
// ledger, and the exit code is 0. Health depends on neither judge nor warehouse.
func TestStopStoresParkedRows(t *testing.T) {
	reached, release := make(chan struct{}, 1), make(chan struct{})
	j := asking(t, func(c backendtest.Call) backendtest.Answer {
		reached <- struct{}{}
		<-release
		return correct(c)
	}, "timeouts: {json: 50ms}\nlimits: {stop_grace: 20s}\n")
	ask := func() string {
		body, err := json.Marshal(map[string]any{"rows": questions(1)})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(j.http+"/v1/functions/flex", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Status + " " + string(got)
	}
	if got := ask(); !strings.HasPrefix(got, "503") || !strings.Contains(got, "not scored in time") {
		t.Fatalf("the caller's time is over: %s", got)
	}
	<-reached
	for _, path := range []string{"/healthz", "/readyz"} { // the judge hangs
		resp, err := http.Get(j.http + path)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Errorf("%s while the judge hangs: %s", path, resp.Status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	callers.CloseIdle()
	ended := make(chan int, 1)
	go func() { ended <- j.stop() }()
	select {
	case code := <-ended:
		t.Fatalf("exit code %d while the judge was being asked", code)
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	if code := <-ended; code != exitDone {
		t.Errorf("exit code %d", code)
	}
	j.start()
	if got := ask(); got != `200 OK {"results":[1]}` {
		t.Errorf("after the restart: %s", got)
	}
	j.wantAsked("the answer was stored", 1)
}

const politeJudge = "kind: prompt\nname: polite\nversion: 1\nsummary: Whether the answer is polite.\nneeds: [response]\nprompt: |\n  Is this polite? {{response}}\nschema: {type: object, properties: {polite: {type: boolean}}, required: [polite]}\nresult: {value: \"1 if reply.polite else 0\"}\n"
