package webheaders_test

import (
	"bufio"
	"net"
	"net/http"
	"testing"

	"github.com/badger-eval/badger/internal/webheaders"
)

// Responses that net/http makes by itself have the headers as well, and a handler may have its own.
func TestEveryResponse(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/own", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Security-Policy", "default-src 'self'")
		rw.Header().Add("Cache-Control", "private")
	})
	mux.HandleFunc("/below/", func(http.ResponseWriter, *http.Request) {})
	server := webheaders.Strict(&http.Server{Handler: mux}) //nolint:gosec // of a test
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	for _, tc := range []struct {
		ask    string
		status int
		policy string
	}{
		{"GET /own", 200, "default-src 'self'"},
		{"GET /nowhere", 404, "default-src 'none'; frame-ancestors 'none'"},
		{"GET //below//x", 307, "default-src 'none'; frame-ancestors 'none'"},
		{"GET /below", 307, "default-src 'none'; frame-ancestors 'none'"},
		{"OPTIONS *", 400, "default-src 'none'; frame-ancestors 'none'"},
	} {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(tc.ask + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", tc.ask, err)
		}
		_ = conn.Close()
		if resp.StatusCode != tc.status || resp.Header.Get("Content-Security-Policy") != tc.policy || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", tc.ask, resp.StatusCode, resp.Header)
		}
		if resp.Header.Values("Cache-Control")[0] != "no-store" || tc.status != 200 && len(resp.Header.Values("Cache-Control")) != 1 {
			t.Errorf("%s: what another handler added stays: %v", tc.ask, resp.Header.Values("Cache-Control"))
		}
	}
}
