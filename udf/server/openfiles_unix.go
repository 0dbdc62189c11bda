//go:build unix

package server

import (
	"math"
	"syscall"
)

// openFiles returns the maximum number of open files of the process, or 0 if it is unknown.
func openFiles() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), math.MaxInt32)) //nolint:gosec,unconvert // signed on some systems
}
