//go:build !unix

package batch

import (
	"errors"
	"syscall"
)

// full reports whether there was no room for a write: ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of
// Windows.
func full(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
