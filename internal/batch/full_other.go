//go:build !unix

package batch

import (
	"errors"
	"syscall"
)

// full reports whether a write failed for lack of space: ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of Windows.
func full(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
