package driver

import (
	"net"
	"strings"
)

// Loopback reports whether a host, without its port, is localhost or a loopback address, so that plain text sent to it
// does not leave this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
