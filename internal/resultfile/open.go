package resultfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// open opens the file at path. It returns an error if the file is outside of the roots of the options.
func (o *Options) open(path string) (*os.File, error) {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return nil, errcode.New(errcode.InvalidArgument, "expected a path")
	}
	if len(o.Roots) > 0 {
		return o.openInRoots(path)
	}
	path = o.place(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, openError(err)
	}
	if info.IsDir() {
		return nil, errcode.New(errcode.InvalidArgument, "a directory, expected a file")
	}
	f, err := os.Open(path) //nolint:gosec // without roots, any file may be read
	if err != nil {
		return nil, openError(err)
	}
	return f, nil
}

// place returns the file that path means without roots.
func (o *Options) place(path string) string {
	if !filepath.IsAbs(path) && o.Dir != "" {
		path = under(o.Dir, path)
	}
	return path
}

// openInRoots opens the file in the first of the roots that has it. Otherwise it returns the first error other than
// PermissionDenied, or PermissionDenied if there is none.
func (o *Options) openInRoots(path string) (*os.File, error) {
	var worst error
	for _, dir := range o.Roots {
		f, err := openInRoot(dir, path)
		if err == nil {
			return f, nil
		}
		if worst == nil || errcode.Of(worst) == errcode.PermissionDenied {
			worst = err
		}
	}
	return nil, worst
}

// openInRoot opens a regular file inside dir. Paths and symbolic links that lead out of dir are PermissionDenied.
func openInRoot(dir, path string) (*os.File, error) {
	if filepath.IsAbs(path) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, openError(err)
		}
		rel, err := filepath.Rel(abs, path)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, outside()
		}
		path = rel
	}
	if !filepath.IsLocal(path) {
		return nil, outside()
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errcode.New(errcode.FailedPrecondition, "a directory that files may be read from cannot be opened")
	}
	defer root.Close() //nolint:errcheck // only read from
	info, err := root.Stat(path)
	if err != nil {
		return nil, rootError(err)
	}
	if !info.Mode().IsRegular() { // a pipe could block for ever, a device never end
		return nil, errcode.New(errcode.InvalidArgument, "not a regular file")
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, rootError(err)
	}
	return f, nil
}

func outside() error {
	return errcode.New(errcode.PermissionDenied, "outside of the directories that files may be read from")
}

func rootError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return openError(err)
	}
	return outside()
}

func openError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errcode.New(errcode.NotFound, "no such file")
	case errors.Is(err, fs.ErrPermission):
		return errcode.New(errcode.PermissionDenied, "permission denied")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // without the path
	}
	return errcode.New(errcode.Unavailable, "cannot be opened: %w", err)
}
