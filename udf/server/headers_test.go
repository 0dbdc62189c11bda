package server

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Whatever answers on a port, our routes, our faults or net/http itself, its response has the headers
// that keep a browser from making anything else of it.
func TestHeadersOfEveryResponse(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{GRPC: twoCallers, HTTP: twoCallers, Site: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/elsewhere", http.StatusSeeOther)
	})})
	port := strings.TrimPrefix(s.url, "http://")
	known := "X-Badger-Token: " + otherToken + "\r\n"
	for _, tc := range []struct{ addr, ask, head, want string }{
		{port, "GET /healthz", "", "200"},
		{port, "GET /a//b", "", "307"},
		{port, "GET /v1/functions/../x", "", "401"},
		{port, "POST //evil.example", known, "307"},
		{port, "GET /", "", "401"},
		{port, "GET /runs", known, "303"},
		{port, "GET /v1/functions", known, "200"},
		{port, "TRACE /v1/functions", known, "400"},
		{port, "OPTIONS *", "", "400"},
		{s.addr, "GET /", "", "405"},
		{s.addr, "POST /a//b", "", "415"},
		{s.addr, "OPTIONS *", "", "405"},
	} {
		conn, err := net.Dial("tcp", tc.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(tc.ask + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + tc.head + "\r\n"))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		_ = conn.Close()
		if err != nil {
			t.Fatalf("%s: %v", tc.ask, err)
		}
		if !strings.HasPrefix(resp.Status, tc.want) || resp.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s, want status %s and the headers: %s %v", tc.ask, tc.want, resp.Status, resp.Header)
		}
	}
}
