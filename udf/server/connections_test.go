package server

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
	l := newConnections(bufconn.Listen(1), 13)
	add := func(known bool, caller string, calls int) *connection {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		c := &connection{Conn: here, of: l}
		if !l.enter(c) {
			t.Fatal("no room")
		}
		if known {
			done := calling(withConnection(t.Context(), c), caller)
			if calls == 0 {
				done()
			}
		}
		return c
	}
	add(true, "ana", 1)
	gone := add(true, "ana", 1)
	busy := add(true, "bob", 1)
	idle := add(true, "ana", 0)
	older, stranger := add(false, "", 0), add(false, "", 0)
	for range 10 {
		add(true, "bob", 1) // the last of them close the strangers, and the idle one
	}
	_ = gone.Close()
	_ = gone.Close()
	gone.change(func() { t.Error("a connection that is closed is used") })
	l.mu.Lock()
	defer l.mu.Unlock()
	if older.place != nil || stranger.place != nil || idle.place != nil || l.open != 12 {
		t.Fatalf("%d connections are open; those of strangers and idle ones made no room", l.open)
	}
	if out := l.leastMissed(); out != busy {
		t.Errorf("of 13 connections bob has 11: %+v", out)
	}
	busy.leave()
	if out := l.leastMissed(); out == nil || out.caller != "bob" {
		t.Errorf("of 13 connections bob has 10: %+v", out)
	} else {
		out.leave()
	}
	if out := l.leastMissed(); out != nil {
		t.Errorf("of 13 connections bob has 9: %+v", out)
	}
}

// Among strangers, and among connections that are idle, the one that was used the longest time ago makes
// room, however often the others are used.
func TestLeastMissedIsTheOldest(t *testing.T) {
	l := newConnections(bufconn.Listen(1), 3)
	var all [3]*connection
	for i := range all {
		here, _ := net.Pipe()
		all[i] = &connection{Conn: here, of: l}
		l.enter(all[i])
	}
	next := func() *connection {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.leastMissed()
	}
	requested(withConnection(t.Context(), all[0]))
	if next() != all[1] {
		t.Error("of strangers, not the oldest request")
	}
	for _, c := range all {
		calling(withConnection(t.Context(), c), "")()
	}
	requested(withConnection(t.Context(), all[0]))
	if next() != all[1] {
		t.Error("of idle ones, not the oldest request")
	}
}

// A connection on which nobody calls ends, also if it speaks HTTP/2 and keeps quiet.
func TestStrangersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(newCatalogue(t), nil)
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
