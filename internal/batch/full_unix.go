//go:build unix

package batch

import (
	"errors"
	"syscall"
)

// full reports whether there was no room for a write.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
