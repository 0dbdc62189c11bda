package postgres_test

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is between the connector and the server and breaks connections where a test says so.
type proxy struct {
	listener net.Listener
	server   string
	mu       sync.Mutex
	conns    []net.Conn
	refuse   atomic.Bool

	// saw is told each piece of bytes before it continues; false cuts the connection instead.
	saw atomic.Pointer[func(toServer bool, piece []byte) bool]
}

func newProxy(t *testing.T, port int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: fmt.Sprintf("127.0.0.1:%d", port)}
	t.Cleanup(func() { l.Close(); p.cut() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			if p.refuse.Load() {
				client.Close()
				continue
			}
			server, err := net.Dial("tcp", p.server)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, server)
			p.mu.Unlock()
			go p.pass(client, server, true)
			go p.pass(server, client, false)
		}
	}()
	return p
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

// on sets what is asked of each piece.
func (p *proxy) on(f func(toServer bool, piece []byte) bool) { p.saw.Store(&f) }

// cut ends all connections, as a network does.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		if t, ok := c.(*net.TCPConn); ok {
			t.SetLinger(0)
		}
		c.Close()
	}
	p.conns = nil
}

func (p *proxy) pass(from, to net.Conn, toServer bool) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if saw := p.saw.Load(); saw != nil && !(*saw)(toServer, buf[:n]) {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
