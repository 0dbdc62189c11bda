//go:build !unix

package port

import "net"

// reserve returns a port that was free a moment ago: here, two sockets cannot share a port safely.
func reserve() (port int, release func(), err error) {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, nil, err
	}
	return l.Addr().(*net.TCPAddr).Port, func() {}, l.Close()
}
