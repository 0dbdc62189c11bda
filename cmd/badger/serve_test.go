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

// The server as the command line starts it: both ports answer, a file reference is only followed where it may be, and an interrupt ends it with 0.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gold.csv"), []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, []byte("results:\n  files: ["+dir+"]\nmetrics:\n  thresholds: {hybrid_ex: 0.5}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	lines, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--config", config, "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"},
			process{getenv: os.Getenv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, now: time.Now})
		_ = stderr.Close()
	}()
	in := bufio.NewReader(lines)
	first, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	addrs := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(first, 2)
	if len(addrs) != 2 {
		t.Fatalf("the first line names no two addresses: %q", first)
	}

	body := []byte(`{"data":[[0,"file:gold.csv","{\"columns\":[\"x\"],\"rows\":[[2],[1]]}"],[1,"file:../secret.csv","{\"columns\":[\"x\"],\"rows\":[[2]]}"],[2,"oops",null]]}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addrs[1]+"/v1/snowflake/hybrid_ex", bytes.NewReader(body))
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
	if err != nil || resp.StatusCode != http.StatusOK || strings.TrimSpace(string(got)) != `{"data":[[0,1],[1,null],[2,null]]}` {
		t.Errorf("%s %s %v", resp.Status, got, err)
	}

	conn, err := grpc.NewClient(addrs[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	health, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil || health.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v %v", health, err)
	}
	_ = conn.Close()
	http.DefaultClient.CloseIdleConnections()
	stop()
	if code := <-ended; code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
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
