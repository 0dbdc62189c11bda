package driverbase

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/badger-eval/badger/internal/errcode"
)

// Within returns an error with the code PermissionDenied if a file is outside the directory dir, after all symbolic
// links are resolved. It accepts a file that does not exist, and every file if dir is "".
func Within(connector, path, dir string) error {
	if dir == "" {
		return nil
	}
	file, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	root, rootErr := filepath.EvalSymlinks(dir)
	if err := errors.Join(err, rootErr); err != nil {
		return errcode.Because(
			err,
			errcode.OfFile(err),
			"%s: the path of database %q cannot be followed",
			connector,
			filepath.Base(path),
		)
	}
	absolute, err := filepath.Abs(file)
	base, baseErr := filepath.Abs(root)
	if err := errors.Join(err, baseErr); err != nil {
		return errcode.Because(err, errcode.Unavailable, "%s: the working directory is not known", connector)
	}
	if rel, err := filepath.Rel(base, absolute); err != nil || !filepath.IsLocal(rel) {
		return errcode.New(
			errcode.PermissionDenied,
			"%s: database %q is a link to a file outside %q; expected a file in it",
			connector,
			filepath.Base(path),
			filepath.Base(base),
		)
	}
	return nil
}
