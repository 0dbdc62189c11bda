//go:build unix

package submission

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/badger-eval/badger/internal/errcode"
)

// lock claims a directory for this process, until the returned function is called or the process ends.
func lock(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errcode.New(errcode.OfFile(err), "submit.dir: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, errcode.New(errcode.FailedPrecondition,
			"submit.dir: another process uses the directory; end it, or set another directory")
	}
	return func() { _ = f.Close() }, nil
}
