// Package port reserves TCP ports for tests that must know a server's address before the server listens, or that
// need an address without a listener.
//
// Closing a listener and using its port later is a race: until then, the kernel may give the port to another
// listener or to a connection. A reserved port is bound, so that the kernel does not choose it for others. Nothing
// listens on it, so that connections are refused. A server that sets SO_REUSEADDR, as Go, PostgreSQL and
// asyncio do, can listen on it, close, and listen again.
package port

import (
	"net"
	"strconv"
	"testing"
)

// Reserve reserves a port of 127.0.0.1 until release is called.
func Reserve() (port int, release func(), err error) { return reserve() }

// Unused returns an address of 127.0.0.1 without a listener. It is reserved until the test ends.
func Unused(tb testing.TB) string {
	tb.Helper()
	port, release, err := Reserve()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(release)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
