package deploy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Manifest is the name of the file that lists the files that badger wrote to a folder, so that no other files are
// overwritten or removed.
const Manifest = ".badger-deploy"

// manifest holds the written files by target.
type manifest map[string]*written

type written struct {
	Badger string            `json:"badger"` // version of badger that wrote the files
	Files  map[string]string `json:"files"`  // SHA-256 of the content, by file name
}

// Executable reports whether a file is a shell script, which is written with permission to execute.
func (f *File) Executable() bool { return strings.HasSuffix(f.Name, ".sh") }

// Changes lists what became of files that badger wrote earlier and that are not written now.
type Changes struct {
	Removed []string // files of earlier values that were removed
	Kept    []string // files of earlier values that stay, because they were changed since
}

// Write writes the files of a target to the folder dir, and removes files that it wrote there for earlier values. If an
// existing file has other content than badger wrote there, or is a symbolic link, nothing is written, and the error,
// with the code FailedPrecondition, names each such file. force replaces these files. A changed file of earlier values
// is always kept. Nothing outside dir is changed.
func Write(dir, target string, files []File, version string, force bool) (c Changes, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // people read what is written
		return c, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return c, err
	}
	defer root.Close()
	all, err := readManifest(root)
	if err != nil {
		return c, err
	}
	was := all[target].files()
	now := &written{version, map[string]string{}}
	var inTheWay []string
	for i := range files {
		f := &files[i]
		now.Files[f.Name] = sum(f.Content)
		why, err := foreign(root, f, was[f.Name])
		switch {
		case err != nil:
			return c, err
		case why != "" && !force:
			inTheWay = append(inTheWay, f.Name+" "+why)
		case why == isLink:
			if err := root.Remove(filepath.FromSlash(f.Name)); err != nil {
				return c, err
			}
		}
	}
	if len(inTheWay) > 0 {
		return c, errcode.New(errcode.FailedPrecondition,
			"nothing is written to %s: %s; move your files to another directory, or replace them with --force", dir,
			strings.Join(inTheWay, ", "))
	}
	for i := range files {
		if err := writeFile(root, &files[i]); err != nil {
			return c, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, wanted := now.Files[name]; wanted {
			continue
		}
		is, err := readRegular(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || sum(is) != was[name]:
			c.Kept = append(c.Kept, name)
			now.Files[name] = was[name]
		default:
			if err := root.Remove(filepath.FromSlash(name)); err != nil {
				return c, err
			}
			c.Removed = append(c.Removed, name)
			for up := path.Dir(name); up != "."; up = path.Dir(up) {
				if root.Remove(filepath.FromSlash(up)) != nil { // others are in it
					break
				}
			}
		}
	}
	all[target] = now
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return c, err
	}
	return c, writeFile(root, &File{Name: Manifest, Content: append(text, '\n')})
}

// Differences returns a line for each of files that is missing, different or not executable in dir, and for each file
// there that was written for earlier values. Files that badger did not write are ignored.
func Differences(dir, target string, files []File) (lines []string, err error) {
	all := manifest{}
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		all, err = readManifest(root)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	wanted := map[string]bool{}
	for i := range files {
		f := &files[i]
		wanted[f.Name] = true
		if root == nil {
			lines = append(lines, "missing    "+f.Name)
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(f.Name))
		var is []byte
		if err == nil {
			is, err = readRegular(root, f.Name)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			lines = append(lines, "missing    "+f.Name)
		case errors.Is(err, errNotRegular):
			lines = append(lines, "different  "+f.Name+", not a regular file")
		case err != nil:
			return nil, err
		case !bytes.Equal(is, f.Content):
			lines = append(lines, "different  "+f.Name+firstDifference(string(is), string(f.Content)))
		case f.Executable() && info.Mode()&0o100 == 0 && runtime.GOOS != "windows":
			lines = append(lines, "different  "+f.Name+", which is not executable")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all[target].files())) {
		if _, err := root.Lstat(filepath.FromSlash(name)); err == nil && !wanted[name] {
			lines = append(lines, "stale      "+name+", of earlier values")
		}
	}
	return lines, nil
}

func (w *written) files() map[string]string {
	if w == nil {
		return nil
	}
	return w.Files
}

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

func readManifest(root *os.Root) (manifest, error) {
	m := manifest{}
	text, err := readRegular(root, Manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &m); err != nil || m == nil {
		return nil, errcode.New(errcode.FailedPrecondition,
			"%s in %s cannot be read; restore it, or remove it and use --force", Manifest, root.Name())
	}
	return m, nil
}

var errNotRegular = errors.New("not a regular file")

// readRegular returns the content of a file. It returns an error if the file is a symbolic link or not a regular file.
func readRegular(root *os.Root, name string) ([]byte, error) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	return root.ReadFile(name)
}

const isLink = "is a symbolic link"

// foreign returns the reason why f may not be overwritten, or "" if it may. was is the SHA-256 of the content that
// badger wrote there, or "" if it did not write the file.
func foreign(root *os.Root, f *File, was string) (string, error) {
	info, err := root.Lstat(filepath.FromSlash(f.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return isLink, nil
	case !info.Mode().IsRegular():
		return "", errcode.New(errcode.FailedPrecondition, "%s is not a regular file", f.Name)
	}
	is, err := readRegular(root, f.Name)
	switch {
	case err != nil:
		return "", err
	case bytes.Equal(is, f.Content), sum(is) == was:
		return "", nil
	case was == "":
		return "was not written by badger", nil
	}
	return "was changed since badger wrote it", nil
}

func writeFile(root *os.Root, f *File) error {
	name := filepath.FromSlash(f.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Executable() {
		mode = 0o755
	}
	if err := root.WriteFile(name, f.Content, mode); err != nil {
		return err
	}
	if !f.Executable() || runtime.GOOS == "windows" {
		return nil
	}
	info, err := root.Stat(name)
	if err != nil || info.Mode()&0o100 != 0 {
		return err
	}
	return root.Chmod(name, mode) // an existing file would keep its mode otherwise
}

// firstDifference returns the number of the first line that differs between two strings, as the end of a message.
func firstDifference(is, want string) string {
	a, b := strings.Split(is, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf(", line %d", i+1)
		}
	}
	return fmt.Sprintf(", line %d", min(len(a), len(b))+1)
}
