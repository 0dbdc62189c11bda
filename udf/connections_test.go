package udf

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"
)

// strangers opens connections that say a little or nothing.
func strangers(t *testing.T, addr string, n int, say string) (all []net.Conn) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, say) // it may be closed already
		all = append(all, c)
	}
	return all
}

// Connections of nobody make room for those of callers, on both listeners, and a caller keeps its own.
func TestStrangersMakeRoom(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{GRPC: twoCallers, HTTP: twoCallers, Limits: Limits{Connections: 20}})
	http1 := strings.TrimPrefix(s.url, "http://")
	mine, err := net.Dial("tcp", http1)
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	replies := bufio.NewReader(mine)
	call := func(why string) {
		t.Helper()
		body := `{"rows":[["a","a"]]}`
		fmt.Fprintf(mine, "POST /v1/functions/same_text HTTP/1.1\r\nHost: x\r\nX-Badger-Token: %s\r\nContent-Length: %d\r\n\r\n%s", otherToken, len(body), body)
		resp, err := http.ReadResponse(replies, nil)
		if err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", why, resp.StatusCode)
		}
	}
	call("before")
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for i := range 3 {
		strangers(t, s.addr, 50, preface)
		strangers(t, http1, 50, []string{"", "POST /v1/functions/same_text HTTP/1.1\r\nHost: x\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"}[i])
		mustAnswer(t, s, "beside connections of nobody")
		call("on a connection of its own")
	}
}

// Who is missed least: strangers before callers, idle ones before busy ones, and of those only the ones
// of a caller who has most.
func TestLeastMissed(t *testing.T) {
	l := newConnections(bufconn.Listen(1), 8)
	begun := time.Now()
	add := func(age int, known bool, caller string, calls int) *connection {
		c := &connection{of: l, used: begun.Add(-time.Duration(age) * time.Second), known: known, caller: caller, calls: calls}
		l.open[c] = struct{}{}
		return c
	}
	stranger, older := add(1, false, "", 0), add(2, false, "", 0)
	idle := add(50, true, "ana", 0)
	var busy []*connection
	for i := range 7 {
		busy = append(busy, add(100+i, true, "bob", 1))
	}
	add(1000, true, "ana", 1)
	for i, want := range []*connection{older, stranger, idle, busy[6]} {
		out := l.leastMissed()
		if out != want {
			t.Fatalf("%d: %+v", i, out)
		}
		delete(l.open, out)
	}
	if out := l.leastMissed(); out != nil {
		t.Errorf("in the end: %+v", out)
	}
}

// A connection on which nobody calls ends, also if it speaks HTTP/2 and keeps quiet.
func TestStrangersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewServer(newCatalogue(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		inner := bufconn.Listen(1 << 16)
		done := make(chan struct{})
		go func() { _ = s.grpc.Serve(newConnections(inner, 10)); close(done) }()
		c, err := inner.Dial()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		begun := time.Now()
		_, _ = io.Copy(io.Discard, c)
		if took := time.Since(begun); took > strangerTime+time.Second {
			t.Errorf("it was open for %v", took)
		}
		_ = s.grpc.Close()
		<-done
	})
}
