package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// The server as the command line starts it: both ports answer, a file reference is only followed
// where it may be, and an interrupt ends it with 0.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gold.csv"), []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, []byte("results:\n  files: ["+dir+"]\nmetrics:\n  thresholds: {hybrid_ex: 0.5}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addrs, stop := serving(t, "--config", config)

	body := []byte(`{"data":[[0,"file:gold.csv","{\"columns\":[\"x\"],\"rows\":[[2],[1]]}"],[1,"file:../secret.csv","{\"columns\":[\"x\"],\"rows\":[[2]]}"],[2,"oops",null]]}`)
	if got := post(t, "http://"+addrs[1]+"/v1/snowflake/hybrid_ex", body); got != `{"data":[[0,1],[1,null],[2,null]]}` {
		t.Errorf("got %s", got)
	}

	conn, err := grpc.NewClient(addrs[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	health, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || health.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v %v", health, err)
	}
	_ = conn.Close()
	http.DefaultClient.CloseIdleConnections()
	if code := stop(); code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
}

// serving starts badger serve on free ports and waits until it listens: the addresses of gRPC and
// HTTP, and what ends it and gives its exit code.
func serving(t *testing.T, args ...string) (addrs []string, stop func() int) {
	t.Helper()
	return servingAt(t, time.Now, args...)
}

// servingAt is serving with another clock.
func servingAt(t *testing.T, now func() time.Time, args ...string) (addrs []string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	lines, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"}, args...),
			process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, now: now})
		_ = stderr.Close()
	}()
	in := bufio.NewReader(lines)
	first, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	addrs = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(first, 2)
	if len(addrs) != 2 {
		t.Fatalf("the first line names no two addresses: %q", first)
	}
	return addrs, func() int {
		cancel()
		return <-ended
	}
}

// post sends a JSON document and returns what came back, which must be a 200.
func post(t *testing.T, url string, body []byte) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s %v", resp.Status, got, err)
	}
	return strings.TrimSpace(string(got))
}

// testKey is the key of judges in tests; testEnv is where they find it.
const testKey = "sk-test-0123456789"

func testEnv(name string) string {
	return map[string]string{"JUDGE_KEY": testKey, "NO_COLOR": "1"}[name]
}

func TestServeRefusesWhatItShould(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tc := range []struct {
		why  string
		args []string
		says string
		code int
	}{
		{"a misspelt key", []string{"--config", write("a.yaml", "listne: {}\n")}, "listne", exitUsage},
		{"an unknown metric", []string{"--config", write("b.yaml", "metrics: {thresholds: {hybird_ex: 1}}\n")}, "did you mean hybrid_ex", exitUsage},
		{"listening in the open without authentication", []string{"--http", "0.0.0.0:0", "--grpc", "127.0.0.1:0"}, "", exitFail},
	} {
		var stderr bytes.Buffer
		code := run(context.Background(), append([]string{"serve"}, tc.args...), process{getenv: os.Getenv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, now: time.Now})
		if code != tc.code || !strings.Contains(stderr.String(), tc.says) {
			t.Errorf("%s: exit %d, %q", tc.why, code, stderr.String())
		}
	}
}
