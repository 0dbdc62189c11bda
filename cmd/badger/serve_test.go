package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	first, stop := servingLine(t, now, args...)
	addrs = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(first, 2)
	if len(addrs) != 2 {
		t.Fatalf("the first line names no two addresses: %q", first)
	}
	return addrs, stop
}

// servingLine is serving with the first line that it printed.
func servingLine(t *testing.T, now func() time.Time, args ...string) (first string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	lines, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		args = append([]string{"serve", "--grpc", "127.0.0.1:0"}, args...)
		if !slices.Contains(args, "--http") {
			args = append(args, "--http", "127.0.0.1:0")
		}
		ended <- run(ctx, args,
			process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, now: now})
		_ = stderr.Close()
	}()
	in := bufio.NewReader(lines)
	first, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	return first, func() int {
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

// writer writes files into a folder and returns their paths.
func writer(t *testing.T, dir string) func(name, text string) string {
	return func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

func TestServeRefusesWhatItShould(t *testing.T) {
	dir := t.TempDir()
	write := writer(t, dir)
	for _, tc := range []struct {
		why  string
		args []string
		says string
		code int
	}{
		{"a misspelt key", []string{"--config", write("a.yaml", "listne: {}\n")}, "listne", exitUsage},
		{"an unknown metric", []string{"--config", write("b.yaml", "metrics: {thresholds: {hybird_ex: 1}}\n")}, "did you mean hybrid_ex", exitUsage},
		{"listening in the open without authentication", []string{"--http", "0.0.0.0:0", "--grpc", "127.0.0.1:0"}, "", exitUsage},
	} {
		var stderr bytes.Buffer
		code := run(context.Background(), append([]string{"serve"}, tc.args...), process{getenv: os.Getenv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, now: time.Now})
		if code != tc.code || !strings.Contains(stderr.String(), tc.says) {
			t.Errorf("%s: exit %d, %q", tc.why, code, stderr.String())
		}
	}
}

// Who may call is chosen for each listener, and --check says it; what would not be safe is refused.
func TestServeChecksWhoMayCall(t *testing.T) {
	dir := t.TempDir()
	write := writer(t, dir)
	tokens := write("tokens", "nightly:a-token-of-some-length\n")
	const open = "listen: {http: '0.0.0.0:8080', grpc: '127.0.0.1:7433'}\n"
	for _, tc := range []struct {
		why, config string
		env         map[string]string
		code        int
		says        []string
	}{
		{"nothing", "", nil, exitDone, []string{"HTTP on 127.0.0.1:7434: local (this machine only"}},
		{"in the open, for anybody", open, nil, exitUsage, []string{"HTTP: 0.0.0.0:8080 is reachable", "configure authentication"}},
		{"in the open, in the clear", open + "auth: {token_file: " + tokens + "}\n", nil, exitUsage, []string{"configure TLS"}},
		{
			"a token where something in front encrypts", strings.Replace(open, "{", "{allow_plaintext: true, ", 1) + "auth: {token_file: " + tokens + "}\n", nil, exitDone,
			[]string{"gRPC on 127.0.0.1:7433: token (1 known)", "HTTP on 0.0.0.0:8080: token (1 known)"},
		},
		{
			"each its own", "auth:\n  grpc: {token_file: " + tokens + "}\n  http: {mode: oidc, issuer: 'https://accounts.google.com', audience: [a], emails: [bq@example.com]}\n  roles: {nightly: [call, read]}\n", nil, exitDone,
			[]string{"gRPC on 127.0.0.1:7433: token (1 known)", "oidc (issuer https://accounts.google.com, audience a, e-mail bq@example.com)"},
		},
		{"a platform elsewhere", open + "auth: {http: {mode: platform, platform: cloud-run}}\n", nil, exitUsage, []string{"K_SERVICE is not set"}},
		{"a platform", open + "auth: {http: {mode: platform, platform: cloud-run}}\n", map[string]string{"K_SERVICE": "badger"}, exitDone, []string{"platform cloud-run"}},
		{"the same and its own", "auth: {token_file: " + tokens + ", http: {mode: local}}\n", nil, exitUsage, []string{"either for both listeners"}},
		{"every page may embed a report that is not there yet", "report: {embed_in: ['*']}\n", nil, exitUsage, []string{`embed_in: invalid origin "*"`}},
		{"a mode that there is not", "auth: {mode: magic}\n", nil, exitUsage, []string{"mode"}},
		{"limits", "limits: {calls: 10, caller: {calls: 2, rows_per_second: 100}, callers: {nightly: {rows_per_second: 5000}}}\n", nil, exitDone, []string{"is sound"}},
		{"limits of no sense", "limits: {memory_bytes: 1}\n", nil, exitUsage, []string{"limits"}},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"serve", "--check", "--config", write("c.yaml", tc.config)}, process{
			getenv: func(name string) string { return tc.env[name] }, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now,
		})
		if code != tc.code || strings.Contains(stdout.String()+stderr.String(), "a-token-of") {
			t.Errorf("%s: exit %d\n%s%s", tc.why, code, &stdout, &stderr)
		}
		for _, says := range tc.says {
			if !strings.Contains(stdout.String()+stderr.String(), says) {
				t.Errorf("%s: want %q in\n%s%s", tc.why, says, &stdout, &stderr)
			}
		}
	}
}

// A server that may not listen does not say that it serves.
func TestServeSaysNothingBeforeItMay(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"serve", "--http", "0.0.0.0:0", "--grpc", "127.0.0.1:0"}, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, now: time.Now})
	if code != exitUsage || strings.Contains(stderr.String(), "serves") || !strings.Contains(stderr.String(), "reachable from other machines") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
}

// What a reference of a request may read: a hole of 50 GB is refused at once, and paths that lead
// out of the allowed directory, in whatever spelling, are too.
func TestServeReferences(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"in/gold.csv": "a\n1\n", "secret.csv": "a\n1\n", "in/hole.csv": "a\n1\n", "badger.yaml": "results: {files: [" + in + "]}\nlimits: {reference_bytes: 1000000}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(in, "hole.csv"), 50<<30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	for link, to := range map[string]string{"out": dir, "out.csv": filepath.Join(dir, "secret.csv"), "loop.csv": "loop.csv"} {
		if err := os.Symlink(to, filepath.Join(in, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	addrs, stop := serving(t, "--config", filepath.Join(dir, "badger.yaml"))
	ask := func(ref string) string {
		row, err := json.Marshal([]string{ref, `{"columns":["a"],"rows":[[1]]}`})
		if err != nil {
			t.Fatal(err)
		}
		return post(t, "http://"+addrs[1]+"/v1/functions/hybrid_ex", []byte(`{"rows":[`+string(row)+`]}`))
	}
	// A scheme is read in any case, and the same files are allowed by it.
	for _, ref := range []string{"file:gold.csv", "FILE:gold.csv"} {
		if got := ask(ref); got != `{"results":[1]}` {
			t.Errorf("the allowed file as %q: %s", ref, got)
		}
	}
	if got := ask("file:hole.csv"); !strings.Contains(got, `"results":[null]`) || !strings.Contains(got, "1000000 bytes") {
		t.Errorf("the hole: %s", got)
	}
	for _, ref := range []string{
		"file:../secret.csv", "file:./../secret.csv", "file:a/../../secret.csv", "file:" + dir + "/secret.csv", "file:" + in + "/../secret.csv", "file:out/secret.csv", "file:out.csv",
		"file:loop.csv", "file:/etc/passwd", "file:///etc/passwd", "file:/dev/zero", "file:/proc/self/environ", "file:", "file:.", "file:..", "file:gold.csv\x00.txt",
		"file:%2e%2e/secret.csv", `file:..\secret.csv`, "FILE:../secret.csv", "File:out.csv", "FILE:/etc/passwd", "file:~/secret.csv", "file:$HOME/secret.csv", "file://localhost/etc/passwd", "http://127.0.0.1/", "table:x", "query:x",
	} {
		if got := ask(ref); !strings.Contains(got, `"results":[null]`) || strings.Contains(got, dir) {
			t.Errorf("%q: %s", ref, got)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if code := stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// serverCertificate makes a certificate of 127.0.0.1 and its key, in PEM form.
func serverCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// With TLS the address that is printed begins with https.
func TestServePrintsHTTPS(t *testing.T) {
	dir := t.TempDir()
	cert, key := serverCertificate(t)
	config := "tls: {cert: " + filepath.Join(dir, "cert.pem") + ", key: " + filepath.Join(dir, "key.pem") + "}\n"
	for name, text := range map[string]string{"cert.pem": cert, "key.pem": key, "badger.yaml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, stop := servingLine(t, time.Now, "--config", filepath.Join(dir, "badger.yaml"))
	if !strings.Contains(first, "HTTP on https://127.0.0.1:") || !strings.Contains(first, "with TLS") {
		t.Errorf("the first line: %q", first)
	}
	if code := stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}
