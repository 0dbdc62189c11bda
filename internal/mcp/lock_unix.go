//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// lockFile waits until no other process has locked the file, and locks it. The lock ends with the process.
func lockFile(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR { //nolint:errorlint // it is that value
			return err
		}
	}
}

func unlockFile(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
