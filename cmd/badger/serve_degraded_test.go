//go:build !no_duckdb && !no_postgres && !windows

package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/badger-eval/badger/internal/fake/port"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// degradedServer is a server whose log can be read.
type degradedServer struct {
	t          *testing.T
	log        *logged
	grpc, http string
	ended      func() int // waits for the end and gives the exit code
	stop       func() int // ends it before
}

func degraded(t *testing.T, config string) *degradedServer {
	t.Helper()
	s := &degradedServer{t: t, log: &logged{}}
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--config", config},
			process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: s.log, now: time.Now})
	}()
	s.ended = sync.OnceValue(func() int { return <-code })
	s.stop = func() int {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		return s.ended()
	}
	t.Cleanup(func() { s.stop() })
	first := s.until("Arrow Flight and gRPC on")
	s.grpc = regexp.MustCompile(`gRPC on ([^\s,]+)`).FindStringSubmatch(first)[1]
	s.http = regexp.MustCompile(`HTTP on (http://\S+?)[,\s]`).FindStringSubmatch(first)[1]
	return s
}

// until waits until something is in the log, and returns the log.
func (s *degradedServer) until(what string) string {
	for {
		if text := s.log.String(); strings.Contains(text, what) {
			return text
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// get is the status and the body of a path.
func (s *degradedServer) get(path string, header ...string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.http+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(b))
}

// call is the reply of a function to one row.
func (s *degradedServer) call(function string, row ...string) string {
	s.t.Helper()
	b, err := json.Marshal(map[string]any{"rows": [][]string{row}})
	if err != nil {
		s.t.Fatal(err)
	}
	return post(s.t, s.http+"/v1/functions/"+function, b)
}

// ready checks the probes.
func (s *degradedServer) ready(want string) {
	s.t.Helper()
	for path, want := range map[string]string{"/readyz": want, "/health/ready": want, "/healthz": `{"status":"ok"}`, "/health/live": `{"status":"ok"}`} {
		if status, got := s.get(path); status != http.StatusOK || got != want {
			s.t.Errorf("%s: %d %s, want %s", path, status, got, want)
		}
	}
	conn, err := grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	health, err := grpc_health_v1.NewHealthClient(conn).Check(s.t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || health.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		s.t.Errorf("gRPC health: %v %v", health, err)
	}
}

// forward lets an address lead to another one from now on.
func forward(t *testing.T, from, to string) {
	t.Helper()
	l, err := net.Listen("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				_ = a.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
}

const oneRow = `{"columns":["n"],"rows":[[1]]}`

// A server whose warehouse is away serves what needs none, fails the rows that need it, asks no
// judge without its ledger, and takes everything over when the warehouse comes, without a restart.
func TestServeWithoutItsWarehouse(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		write := writer(t, dir)
		withTables(t, url)
		execute(t, url, "CREATE SCHEMA gold", "CREATE TABLE gold.one AS SELECT 1 AS n")
		if code, _, stderr := badger(t, "judge", "promote", write("polite.yaml", politeJudge), "--untested", "--to", url); code != exitDone {
			t.Fatal(stderr)
		}
		away, come := awayFrom(t, url)
		judge := backendtest.NewEndpoint(t, correct)
		metrics := port.Unused(t)
		config := write("badger.yaml", "results: {warehouse: '"+away+"'}\nlisten: {metrics: '"+metrics+"'}\n"+
			"judge: {backend: 'openai:gpt-4o', base_url: '"+judge.URL()+"', key_env: JUDGE_KEY}\nmetrics: {options: {flex: {categories: false}}}\n")
		const gauge = `badger_part_missing{part="results.warehouse"}`
		question := []string{"How many?", "SELECT 1", "SELECT count(*) FROM t"}

		s := degraded(t, config)
		s.ready(`{"status":"degraded","missing":["results.warehouse"]}`)
		if v := series(t, metrics)[gauge]; v != 1 {
			t.Errorf("the gauge is %v", v)
		}
		if got := s.call("hybrid_ex", oneRow, oneRow); got != `{"results":[1]}` {
			t.Errorf("inline results: %s", got)
		}
		for _, tc := range []struct {
			function string
			row      []string
			says     string
		}{
			{"hybrid_ex_json", []string{"table:gold.one", oneRow}, "results.warehouse cannot be reached"},
			{"hybrid_ex_json", []string{"query:01b0", oneRow}, "results.warehouse cannot be reached"},
			{"flex_json", question, "the ledger cannot be read"},
			{"flex_fetch", []string{strings.Repeat("a", 64)}, "cannot be read; retry later"},
		} {
			if got := s.call(tc.function, tc.row...); !strings.Contains(got, `"unavailable"`) || !strings.Contains(got, tc.says) || strings.Contains(got, "127.0.0.1") || strings.Contains(got, dir) {
				t.Errorf("%s: %s", tc.function, got)
			}
		}
		if status, got := s.get("/v1/snowflake/flex_json", "sf-external-function-query-batch-id", "an unknown batch"); status != http.StatusServiceUnavailable {
			t.Errorf("a batch that may be in the call store: %d %s", status, got)
		}
		if _, functions := s.get("/v1/functions"); strings.Contains(functions, `"polite"`) {
			t.Error("a promoted judge is there without its warehouse")
		}
		if n := len(judge.Calls()); n != 0 {
			t.Errorf("the judge was asked %d times without its ledger", n)
		}

		come()
		s.until("there now")
		s.ready(`{"status":"ready"}`)
		if v := series(t, metrics)[gauge]; v != 0 {
			t.Errorf("the gauge is %v", v)
		}
		if got := s.call("hybrid_ex", "table:gold.one", oneRow); got != `{"results":[1]}` {
			t.Errorf("a reference: %s", got)
		}
		if got := s.call("flex", question...); got != `{"results":[1]}` || len(judge.Calls()) != 1 {
			t.Errorf("a judged row: %s after %d calls", got, len(judge.Calls()))
		}
		if _, functions := s.get("/v1/functions"); !strings.Contains(functions, `"polite"`) {
			t.Error("the promoted judge is not there")
		}
		if status, got := s.get("/v1/snowflake/flex_json", "sf-external-function-query-batch-id", "an unknown batch"); status == http.StatusServiceUnavailable {
			t.Errorf("the call store does not answer: %d %s", status, got)
		}
		text := s.log.String()
		for what, want := range map[string]int{`"msg":"missing`: 1, `"msg":"there now`: 1} {
			if n := strings.Count(text, what); n != want {
				t.Errorf("%s: %d lines, want %d:\n%s", what, n, want, text)
			}
		}
		if code := s.stop(); code != exitDone {
			t.Errorf("exit code %d", code)
		}

		s = degraded(t, config) // the ledger was written to
		s.ready(`{"status":"ready"}`)
		if got := s.call("flex", question...); got != `{"results":[1]}` || len(judge.Calls()) != 1 {
			t.Errorf("the same row after a restart: %s after %d calls", got, len(judge.Calls()))
		}
		if code := s.stop(); code != exitDone || strings.Contains(s.log.String(), "missing") {
			t.Errorf("exit code %d:\n%s", code, s.log)
		}
	})
}

// awayFrom is another URL of a database, under which it can be reached only after come was called.
func awayFrom(t *testing.T, url string) (away string, come func()) {
	t.Helper()
	if path, ok := strings.CutPrefix(url, "duckdb:"); ok {
		mount := filepath.Join(t.TempDir(), "mount")
		return "duckdb:" + filepath.Join(mount, filepath.Base(path)), func() {
			if err := os.Rename(filepath.Dir(path), mount); err != nil {
				t.Fatal(err)
			}
		}
	}
	addr := port.Unused(t)
	at := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(url)
	return strings.Replace(url, at, addr, 1), func() { forward(t, addr, at) }
}

// A server that is told to end while it still tries to reach its warehouse ends and leaves nothing
// behind, also where the warehouse takes the connection and says nothing.
func TestServeEndsWithoutItsWarehouse(t *testing.T) {
	for why, addr := range map[string]string{"refused": port.Unused(t), "hanging": func() string { a, _ := hanging(t); return a }()} {
		t.Run(why, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			s := degraded(t, writer(t, t.TempDir())("badger.yaml", "results: {warehouse: 'postgres://u@"+addr+"/d?sslmode=disable'}\n"))
			if status, got := s.get("/readyz"); status != http.StatusOK || !strings.Contains(got, "degraded") {
				t.Errorf("%d %s", status, got)
			}
			http.DefaultClient.CloseIdleConnections()
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := s.ended(); code != exitDone {
				t.Errorf("exit code %d", code)
			}
			goleak.VerifyNone(t, before)
		})
	}
}

// A server that is told to end before it listens ends.
func TestServeEndsWhileItWaits(t *testing.T) {
	addr, calls := hanging(t)
	config := writer(t, t.TempDir())("badger.yaml", "results: {warehouse: 'postgres://u@"+addr+"/d?sslmode=disable'}\n")
	before := goleak.IgnoreCurrent()
	code := make(chan int, 1)
	log := &logged{}
	go func() {
		code <- run(t.Context(), []string{"serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--config", config},
			process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: log, now: time.Now})
	}()
	for calls.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := <-code; code != exitDone || strings.Contains(log.String(), "serves") {
		t.Errorf("exit code %d:\n%s", code, log)
	}
	goleak.VerifyNone(t, before)
}

// --check connects to nothing; what is wrong as such is refused with and without it.
func TestServeChecksTheWarehouseByItsURL(t *testing.T) {
	addr, calls := hanging(t)
	dir := t.TempDir()
	write := writer(t, dir)
	for _, tc := range []struct {
		why, config string
		code        int
		says        string
	}{
		{"PostgreSQL", "results: {warehouse: 'postgres://u@" + addr + "/d'}\n", exitDone, "results.warehouse is not connected to"},
		{"Snowflake", "results: {warehouse: 'snowflake://u@acct/db/s?warehouse=w&private_key_file=/none'}\n", exitDone, "results.warehouse is not connected to"},
		{"BigQuery", "results: {warehouse: 'bigquery://project/dataset?credentials=metadata'}\n", exitDone, "results.warehouse is not connected to"},
		{"DuckDB", "results: {warehouse: 'duckdb:" + dir + "/none/w.duckdb'}\n", exitDone, "results.warehouse is not connected to"},
		{
			"the judge's warehouse", "judge: {backend: 'cortex:m', ledger: none, warehouse: 'snowflake://u@acct/db/s?warehouse=w&private_key_file=/none'}\n", exitDone,
			"judge.warehouse is not connected to",
		},
		{"a key file", "judge: {backend: 'openai:m', base_url: 'http://" + addr + "/v1', key_file: " + dir + "/none}\n", exitDone, "judge.key_file: the file does not exist"},
		{"an unknown scheme", "results: {warehouse: 'oracle://u@h/d'}\n", exitUsage, "results.warehouse: expected a URL that begins with one of"},
		{"a path", "results: {warehouse: 'w.duckdb'}\n", exitUsage, "results.warehouse: expected a URL"},
		{"a password", "results: {warehouse: 'postgres://u:secret@" + addr + "/d'}\n", exitUsage, "results.warehouse: postgres: a URL appears in logs"},
		{"no project", "results: {warehouse: 'bigquery://'}\n", exitUsage, "results.warehouse: bigquery"},
		{"no credentials", "results: {warehouse: 'bigquery://project/dataset'}\n", exitUsage, "results.warehouse: bigquery: no credentials are named"},
		{"no account", "results: {warehouse: 'snowflake://'}\n", exitUsage, "results.warehouse: snowflake"},
		{"no path", "results: {warehouse: 'databricks://'}\n", exitUsage, "results.warehouse: databricks"},
		{"a judge in a warehouse without models", "results: {warehouse: 'postgres://u@" + addr + "/d'}\njudge: {backend: 'cortex:m'}\n", exitUsage, "needs a connection"},
		{"the judge's warehouse of an unknown scheme", "judge: {backend: 'cortex:m', warehouse: 'oracle://u@h/d'}\n", exitUsage, "judge.warehouse: expected a URL"},
	} {
		config := write("badger.yaml", tc.config)
		code, stdout, stderr := badger(t, "serve", "--check", "--config", config)
		if code != tc.code || !strings.Contains(stdout+stderr, tc.says) || strings.Contains(stdout+stderr, "u:secret") {
			t.Errorf("%s, --check: exit %d\n%s%s", tc.why, code, stdout, stderr)
		}
		if tc.code == exitUsage {
			if code, _, stderr := badger(t, "serve", "--config", config); code != tc.code || !strings.Contains(stderr, tc.says) {
				t.Errorf("%s: exit %d\n%s", tc.why, code, stderr)
			}
		}
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("--check made a database")
	}
}

// A judge whose key comes later is asked from then on.
func TestServeWithoutTheJudgesKey(t *testing.T) {
	dir := t.TempDir()
	write := writer(t, dir)
	judge := backendtest.NewEndpoint(t, correct)
	config := write("badger.yaml", "judge: {backend: 'openai:gpt-4o', base_url: '"+judge.URL()+"', key_file: '"+filepath.Join(dir, "key")+"'}\nmetrics: {options: {flex: {categories: false}}}\n")
	s := degraded(t, config)
	s.ready(`{"status":"degraded","missing":["judge.key_file"]}`)
	question := []string{"How many?", "SELECT 1", "SELECT count(*) FROM t"}
	if got := s.call("flex_json", question...); !strings.Contains(got, `"unavailable"`) || !strings.Contains(got, "the key is not available yet") || strings.Contains(got, dir) {
		t.Errorf("without the key: %s", got)
	}
	if got := s.call("hybrid_ex", oneRow, oneRow); got != `{"results":[1]}` {
		t.Errorf("without a judge: %s", got)
	}
	write("key", testKey+"\n")
	s.until("there now")
	s.ready(`{"status":"ready"}`)
	if got := s.call("flex", question...); got != `{"results":[1]}` {
		t.Errorf("with the key: %s", got)
	}
	if code := s.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// hanging is a server on loopback that takes connections and never answers; calls counts them.
func hanging(t *testing.T) (addr string, calls *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	calls = &atomic.Int64{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var open []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			calls.Add(1)
			open = append(open, c)
		}
		for _, c := range open {
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-ended })
	return l.Addr().String(), calls
}
