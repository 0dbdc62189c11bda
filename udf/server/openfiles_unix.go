//go:build unix

package server

import (
	"math"
	"syscall"
)

// openFiles is how many files the process may have open; 0: not known.
func openFiles() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), math.MaxInt32)) //nolint:gosec,unconvert // signed on some systems
}
