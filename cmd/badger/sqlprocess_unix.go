//go:build unix && !no_duckdb

package main

import "syscall"

// limitMemory bounds what this process may take. On Linux the limit of data counts what malloc and
// this program's own memory take, and no address space that is only reserved.
func limitMemory(bytes uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
