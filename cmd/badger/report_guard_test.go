//go:build !no_duckdb

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/site/sitetest"
)

// started is the command in a process of its own, which serves the report.
type started struct {
	address string // http://127.0.0.1:PORT
	cookie  *http.Cookie
	kill    func() // a server that has ended before, by itself or by others, fails the test
	log     *logged
	ended   chan struct{} // closed when the process has ended
	cmd     *exec.Cmd
}

// fate says whether the server still runs, for a request that fails, and what it wrote.
func (s *started) fate() string {
	select {
	case <-s.ended:
		return fmt.Sprintf("the server has ended (%v) and wrote:\n%s", s.cmd.ProcessState, s.log)
	default:
		return fmt.Sprintf("the server runs and wrote:\n%s", s.log)
	}
}

// startReport starts the command with arguments and waits for the line on standard error that names
// the address, the last on the line that the pattern finds. The server listens by then.
func startReport(t *testing.T, args ...string) *started {
	t.Helper()
	program := filepath.Join(t.TempDir(), "badger") // the name by which a test program is the command
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	s := &started{log: &logged{}, ended: make(chan struct{}), cmd: exec.Command(program, args...)}
	s.cmd.Stderr = s.log
	stdin, err := s.cmd.StdinPipe() // an end of input is not an end of badger view
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.cmd.Wait(); close(s.ended) }()
	s.kill = sync.OnceFunc(func() {
		select {
		case <-s.ended:
			t.Errorf("%v: %s", args, s.fate())
		default:
			_ = s.cmd.Process.Kill()
			<-s.ended
		}
		_ = stdin.Close()
	})
	t.Cleanup(s.kill)
	var m []string
	for m == nil {
		select {
		case <-s.ended:
			t.FailNow() // kill says why
		case <-time.After(5 * time.Millisecond):
			whole := s.log.String()
			m = servedAt.FindStringSubmatch(whole[:strings.LastIndexByte(whole, '\n')+1])
		}
	}
	s.address = m[1] + m[3]
	if m[2] != "" { // the link of badger view, which works once
		res, err := http.Get(m[2])
		if err != nil {
			t.Fatalf("%v\n%s", err, s.fate())
		}
		_ = res.Body.Close()
		if len(res.Cookies()) != 1 {
			t.Fatalf("the link gives %d cookies", len(res.Cookies()))
		}
		s.address, s.cookie = strings.TrimSuffix(m[2][:strings.Index(m[2], "?")], "/"), res.Cookies()[0]
	}
	return s
}

var servedAt = regexp.MustCompile(`the report on (http://[^/]+)|open (http://\S+)()`)

// TestReportIsGuarded asks badger serve and badger view for pages as browsers, other sites and people
// who try things do. Every answer forbids what a page need not, and none says more than it should.
func TestReportIsGuarded(t *testing.T) {
	store := sitetest.Small(t)
	config := filepath.Join(t.TempDir(), "badger.yaml")
	if err := os.WriteFile(config, []byte("results: {warehouse: 'duckdb:"+store+"'}\nreport: {labels: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
	}{
		{"serve", []string{"serve", "--config", config, "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"}},
		{"view", []string{"view", "--db", "duckdb:" + sitetest.Small(t), "--label", "--http", "127.0.0.1:0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := startReport(t, tc.args...)
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			for _, q := range []struct {
				why, method, address, host string
				header                     map[string]string
				want                       int // 0: any
			}{
				{why: "a page that is not there", address: "/nowhere", want: 404},
				{why: "a script in the address", address: "/%3Cscript%3Epwned()%3C/script%3E", want: 404},
				{why: "a path upwards", address: "/assets/..%2f..%2fetc%2fpasswd", want: 404},
				{why: "a header in the address", address: "/x%0d%0aSet-Cookie:%20pwned=1", want: 404},
				{why: "a page under another host name", address: "/", host: "evil.example", want: 403},
				{why: "a page under this name and another port", address: "/", host: "127.0.0.1.evil.example:80", want: 403},
				{why: "a label from another site", method: http.MethodPost, address: "/label", header: map[string]string{"Sec-Fetch-Site": "cross-site"}, want: 403},
				{why: "a label from another origin", method: http.MethodPost, address: "/label", header: map[string]string{"Origin": "https://evil.example"}, want: 403},
				{why: "another method", method: http.MethodDelete, address: "/nowhere"},
				{why: "a method to trace", method: http.MethodTrace, address: "/"},
			} {
				r, err := http.NewRequestWithContext(t.Context(), q.method, s.address+q.address, nil)
				if err != nil {
					t.Fatal(err)
				}
				if s.cookie != nil {
					r.AddCookie(s.cookie)
				}
				r.Host = q.host
				for k, v := range q.header {
					r.Header.Set(k, v)
				}
				res, err := client.Do(r)
				if err != nil {
					t.Errorf("%s: %v", q.why, err)
					continue
				}
				body, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				if q.want != 0 && res.StatusCode != q.want || res.StatusCode < 400 {
					t.Errorf("%s: %d, want %d", q.why, res.StatusCode, q.want)
				}
				if len(res.Cookies()) > 0 || res.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: headers %v", q.why, res.Header)
				}
				for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff"} {
					if got := res.Header.Get(name); !strings.HasPrefix(got, want) || strings.Contains(got, "unsafe") {
						t.Errorf("%s: %s is %q, want %s", q.why, name, got, want)
					}
				}
				for _, secret := range []string{store, "goroutine", ".go:", "<script>pwned", "root:"} {
					if strings.Contains(string(body), secret) {
						t.Errorf("%s: the answer holds %q: %.300s", q.why, secret, body)
					}
				}
			}
		})
	}
}
