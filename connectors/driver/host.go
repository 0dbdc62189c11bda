package driver

import (
	"net"
	"strings"
)

// Loopback reports whether a host, without its port, is this machine: what is sent there in plain
// text does not leave it.
func Loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
