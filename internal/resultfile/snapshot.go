package resultfile

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Snapshots reads results that cases refer to by file:PATH. It implements [scoring.SnapshotReader].
type Snapshots struct{ Options }

var _ scoring.SnapshotReader = (*Snapshots)(nil)

// ReadSnapshot returns the result in the file that ref, file:PATH, names.
func (s *Snapshots) ReadSnapshot(ctx context.Context, ref string) (*scoring.Table, error) {
	path, ok := PathIn(ref)
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "expected a reference file:PATH")
	}
	return Read(ctx, path, &s.Options)
}

// File returns the file that ref names, without roots; "" for references of other kinds.
func (s *Snapshots) File(ref string) string {
	path, ok := PathIn(ref)
	if !ok || path == "" {
		return ""
	}
	return s.place(path)
}

// PathIn returns the path in a reference file:PATH; ok is false for references of other kinds. The kind is read in any
// letter case, as those of warehouses are.
func PathIn(ref string) (path string, ok bool) {
	const kind = "file:"
	if len(ref) < len(kind) || !strings.EqualFold(ref[:len(kind)], kind) {
		return "", false
	}
	return ref[len(kind):], true
}

// Reference returns the reference to the file at path for a case file in the folder dir, to which a relative reference
// is relative. An absolute path outside of dir remains absolute.
func Reference(path, dir string) string {
	path = plain(path)
	in, err1 := filepath.Abs(plain(cmp.Or(dir, ".")))
	whole, err2 := filepath.Abs(path)
	if err1 == nil && err2 == nil {
		near, err := filepath.Rel(in, whole)
		switch {
		case err != nil || filepath.IsAbs(path) && strings.HasPrefix(near, ".."):
		case differ(filepath.Join(in, near), in+string(filepath.Separator)+near):
			path = whole // dir is a link, from which .. leads elsewhere
		default:
			path = near
		}
	}
	return "file:" + filepath.ToSlash(path)
}

// differ reports whether two names mean different files. At least one of the files exists, or they do not differ.
func differ(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return (errX == nil) != (errY == nil) || errX == nil && !os.SameFile(x, y)
}

// Moved returns the reference that means in a case file in the folder to what ref means in one in the folder from.
// References of other kinds than file:PATH, and those with an absolute path, are unchanged.
func Moved(ref, from, to string) string {
	path, ok := PathIn(ref)
	if !ok || path == "" || filepath.IsAbs(path) || !differ(cmp.Or(from, "."), cmp.Or(to, ".")) {
		return ref
	}
	return Reference(under(cmp.Or(from, "."), path), to)
}

// under returns the name of the file at path in the folder dir.
func under(dir, path string) string { return plain(dir + string(filepath.Separator) + path) }

// plain returns the shortest name of a file: a folder and .. after it are left out, unless the folder is a link, from
// which .. leads elsewhere; then all links are replaced.
func plain(path string) string {
	clean := filepath.Clean(path)
	if !strings.Contains(path, "..") || !differ(clean, path) {
		return clean
	}
	folder, name := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return filepath.Join(real, name)
	}
	return path
}
