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

// connections is a listener with a maximum number of connections. If there are too many, it closes one: the least
// recently used without an authenticated caller, else the least recently used idle one, else one of a caller that has
// more than three quarters. The queues find it in constant time, since a client that reconnects again and again must
// not keep the server busy.
type connections struct {
	net.Listener
	most int

	mu   sync.Mutex
	open int
	of   map[string]int        // number of connections of authenticated callers, by name
	in   map[queued]*list.List // queues of connections, the least recently used first
}

// queued is the key of a queue of connections, which are in the order of their last use.
type queued struct {
	known bool
	busy  string // the caller of the calls in flight; empty without authentication
	calls bool   // calls are in flight
}

// connection is a connection of connections.
type connection struct {
	net.Conn
	of *connections

	// Guarded by of.mu.
	queue  queued
	place  *list.Element // in the queue; nil if the connection is closed
	used   time.Time     // when the last request started or ended
	known  bool          // an authenticated caller has called
	caller string        // the last authenticated caller
	calls  int           // calls of authenticated callers, in flight
}

// Bounded returns a listener that keeps at most so many connections of l open.
func Bounded(l net.Listener, most int) net.Listener { return newConnections(l, most) }

func newConnections(l net.Listener, most int) *connections {
	return &connections{Listener: l, most: max(most, 1), of: map[string]int{}, in: map[queued]*list.List{}}
}

// Accept implements net.Listener. If no connection may be closed to make room, it closes the new one and waits for
// the next.
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

// enter adds a connection, and closes another one if there are too many. It reports false if none may be closed.
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

// leastMissed returns the connection to close when there are too many, or nil. The caller holds l.mu.
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

// use records that the connection is used now, and moves it to the end of its queue. The caller holds of.mu.
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

// leave removes the connection from its queue and from the counts. The caller holds of.mu.
func (c *connection) leave() {
	if c.place != nil {
		c.unqueue()
		c.of.open--
		c.named(false, "")
	}
}

// named records the caller of the connection; known means that it is authenticated. The caller holds of.mu.
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

// endStranger closes a connection on which no authenticated caller has called, when it has been idle for
// strangerTime.
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

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.leave()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

type connectionKey struct{}

// withConnection is an http.Server.ConnContext: it stores the connection in the context of its requests.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if c, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	return ctx
}

// requested records that a request came on the connection of ctx.
func requested(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		c.change(func() {})
	}
}

// calling records a call of an authenticated caller on the connection of ctx; done ends it.
func calling(ctx context.Context, caller string) (done func()) {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.change(func() { c.named(true, caller); c.calls++ })
	return func() { c.change(func() { c.calls-- }) }
}

// change calls how and then use, with of.mu locked, if the connection is open.
func (c *connection) change(how func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.place != nil {
		how()
		c.use()
	}
}

// filesBeside is the number of open files reserved for other uses than callers' connections.
const filesBeside = 128

// connectionsOf returns the maximum number of connections of each of the two listeners: limit, or fewer if the limit
// of open files of the process requires it, but at least 16.
func connectionsOf(limit int) int {
	if files := openFiles(); files > 0 {
		return max(16, min(limit, (files-filesBeside)/2))
	}
	return limit
}
