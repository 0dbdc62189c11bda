package udf

import (
	"context"
	"net"
	"sync"
	"time"
)

// strangerTime is how long a connection may be open without a request, until one of a known caller
// came on it.
const strangerTime = time.Minute

// connections is a listener that bounds its connections: whoever may connect must not keep others out
// by doing so. Where there are too many, the one that is missed least makes room: one on which no known
// caller has called, else one that is idle, else one of a caller who has most of them; of these the one
// that was used the longest time ago.
type connections struct {
	net.Listener
	most int

	mu   sync.Mutex
	open map[*connection]struct{}
}

// connection is one of them.
type connection struct {
	net.Conn
	of *connections

	// Guarded by of.mu.
	used   time.Time // when the last request came or ended
	known  bool      // a known caller called
	caller string    // the last
	calls  int       // of known callers, in flight
}

// Bounded bounds the connections of a listener.
func Bounded(l net.Listener, most int) net.Listener { return newConnections(l, most) }

func newConnections(l net.Listener, most int) *connections {
	return &connections{Listener: l, most: max(most, 1), open: map[*connection]struct{}{}}
}

// Accept is net.Listener's. Where there is no room it closes the connection that came.
func (l *connections) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: inner, of: l, used: time.Now()}
		l.mu.Lock()
		var out *connection
		if len(l.open) >= l.most {
			if out = l.leastMissed(); out == nil {
				out = c
			}
			delete(l.open, out)
		}
		if out != c {
			l.open[c] = struct{}{}
		}
		l.mu.Unlock()
		if out != nil {
			_ = out.Conn.Close()
		}
		if out != c {
			time.AfterFunc(strangerTime, c.endStranger)
			return c, nil
		}
	}
}

// leastMissed is the connection that makes room, or nil. The caller holds l.mu.
func (l *connections) leastMissed() (out *connection) {
	of := map[string]int{}
	for c := range l.open {
		of[c.caller]++
	}
	rank := func(c *connection) int {
		switch {
		case !c.known:
			return 0
		case c.calls == 0:
			return 1
		case c.caller != "" && of[c.caller] > int(threeQuarters(int64(l.most))):
			return 2
		}
		return 3
	}
	for c := range l.open {
		if r := rank(c); r < 3 && (out == nil || r < rank(out) || r == rank(out) && c.used.Before(out.used)) {
			out = c
		}
	}
	return out
}

// endStranger closes a connection on which nobody calls.
func (c *connection) endStranger() {
	c.of.mu.Lock()
	_, open := c.of.open[c]
	rest := strangerTime - time.Since(c.used)
	known := c.known
	c.of.mu.Unlock()
	switch {
	case !open || known:
	case rest > 0:
		time.AfterFunc(rest, c.endStranger)
	default:
		_ = c.Close()
	}
}

// Close is net.Conn's.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

type connectionKey struct{}

// withConnection is http.Server.ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if c, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	return ctx
}

// requested notes that a request came on the connection of ctx.
func requested(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		c.of.mu.Lock()
		c.used = time.Now()
		c.of.mu.Unlock()
	}
}

// calling notes that a known caller calls on the connection of ctx; the call ends with done.
func calling(ctx context.Context, caller string) (done func()) {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.known, c.caller = true, caller
	c.calls++
	return func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.calls--
		c.used = time.Now()
	}
}

// filesBeside is how many files and connections the process needs beside those of callers.
const filesBeside = 128

// connectionsOf is how many connections each of the two listeners takes: what the limit says, and what
// the process may have open at all.
func connectionsOf(limit int) int {
	if files := openFiles(); files > 0 {
		return max(16, min(limit, (files-filesBeside)/2))
	}
	return limit
}
