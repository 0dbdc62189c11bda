//go:build unix

package batch

import (
	"errors"
	"syscall"
)

// full reports whether a write failed for lack of space, by the disk, a quota or the file size limit.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
