package server

import (
	"container/list"
	"context"
	"net"
	"sync"
	"time"
)

// strangerTime is how long a connection may be idle before its first authenticated request.
const strangerTime = time.Minute

// connections is a listener that bounds its connections, so that no client can keep others out by connecting. If
// there are too many, it closes the least important one: one on which no known caller has called, else an idle one,
// else one of the caller with the most connections; among these the one that was unused for the longest time. It
// finds that one without examining the others, since a client that reconnects again and again would keep the server
// busy.
type connections struct {
	net.Listener
	most int

	mu   sync.Mutex
	open int
	of   map[string]int        // connections of known callers, by their names
	in   map[queued]*list.List // connections, the one used the longest time ago first
}

// queued is the key of a queue of connections, in the order of their last use. If there are too
// many, the least recently used one of a queue is closed.
type queued struct {
	known bool
	busy  string // the caller of the calls in flight
	calls bool   // there are some
}

// connection is one of them.
type connection struct {
	net.Conn
	of *connections

	// Guarded by of.mu.
	queue  queued
	place  *list.Element // in the queue; nil: it is closed
	used   time.Time     // when the last request came or ended
	known  bool          // a known caller called
	caller string        // the last
	calls  int           // of known callers, in flight
}

// Bounded bounds the connections of a listener.
func Bounded(l net.Listener, most int) net.Listener { return newConnections(l, most) }

func newConnections(l net.Listener, most int) *connections {
	return &connections{Listener: l, most: max(most, 1), of: map[string]int{}, in: map[queued]*list.List{}}
}

// Accept is net.Listener's. If there is no room it closes the connection that came.
func (l *connections) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: inner, of: l}
		if l.enter(c) {
			time.AfterFunc(strangerTime, c.endStranger)
			return c, nil
		}
		_ = inner.Close()
	}
}

// enter takes a connection, and closes another one if there are too many. It reports whether there is
// room.
func (l *connections) enter(c *connection) bool {
	l.mu.Lock()
	var out *connection
	if l.open >= l.most {
		if out = l.leastMissed(); out == nil {
			l.mu.Unlock()
			return false
		}
		out.leave()
	}
	l.open++
	c.use()
	l.mu.Unlock()
	if out != nil {
		_ = out.Conn.Close()
	}
	return true
}

// leastMissed is the connection that makes room, or nil. The caller holds l.mu.
func (l *connections) leastMissed() *connection {
	for _, q := range []queued{{}, {known: true}} {
		if first := l.in[q]; first != nil {
			return first.Front().Value.(*connection) //nolint:forcetypeassert // nothing else is there
		}
	}
	for caller, n := range l.of {
		busy := l.in[queued{known: true, busy: caller, calls: true}]
		if caller != "" && busy != nil && n > int(threeQuarters(int64(l.most))) {
			return busy.Front().Value.(*connection) //nolint:forcetypeassert // likewise
		}
	}
	return nil
}

// use notes that the connection is used, and puts it into the queue where it belongs. The caller holds
// of.mu.
func (c *connection) use() {
	c.used = time.Now()
	c.unqueue()
	c.queue = queued{known: c.known}
	if c.known && c.calls > 0 {
		c.queue.busy, c.queue.calls = c.caller, true
	}
	in := c.of.in[c.queue]
	if in == nil {
		in = list.New()
		c.of.in[c.queue] = in
	}
	c.place = in.PushBack(c)
}

func (c *connection) unqueue() {
	if c.place == nil {
		return
	}
	in := c.of.in[c.queue]
	in.Remove(c.place)
	c.place = nil
	if in.Len() == 0 {
		delete(c.of.in, c.queue)
	}
}

// leave takes the connection out. The caller holds of.mu.
func (c *connection) leave() {
	if c.place != nil {
		c.unqueue()
		c.of.open--
		c.named(false, "")
	}
}

// named notes who calls on the connection. The caller holds of.mu.
func (c *connection) named(known bool, caller string) {
	if c.known {
		if c.of.of[c.caller]--; c.of.of[c.caller] == 0 {
			delete(c.of.of, c.caller)
		}
	}
	if c.known, c.caller = known, caller; known {
		c.of.of[caller]++
	}
}

// endStranger closes a connection without an authenticated caller.
func (c *connection) endStranger() {
	c.of.mu.Lock()
	open := c.place != nil
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
	c.leave()
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
		c.change(func() {})
	}
}

// calling notes that a known caller calls on the connection of ctx; the call ends with done.
func calling(ctx context.Context, caller string) (done func()) {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.change(func() { c.named(true, caller); c.calls++ })
	return func() { c.change(func() { c.calls-- }) }
}

// change changes what is known of a connection that is open, and notes that it is used.
func (c *connection) change(how func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.place != nil {
		how()
		c.use()
	}
}

// filesBeside is the number of files and connections of the process other than those of callers.
const filesBeside = 128

// connectionsOf returns the maximum number of connections of each of the two listeners: the configured
// limit, or fewer if the process may have fewer files open.
func connectionsOf(limit int) int {
	if files := openFiles(); files > 0 {
		return max(16, min(limit, (files-filesBeside)/2))
	}
	return limit
}
