//go:build unix && !no_duckdb

package main

import "syscall"

// limitMemory limits the data segment of this process to bytes and disables core dumps. On Linux the limit counts
// memory from malloc and the Go heap, but not address space that is only reserved.
func limitMemory(bytes uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
