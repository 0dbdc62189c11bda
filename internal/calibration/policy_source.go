package calibration

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
)

// LabelSource is a file or warehouse of labelled cases, and the option that names it.
type LabelSource struct {
	Option, Where string
	Warehouse     bool // Where is the URL of a warehouse
}

// Laws names the pairs of docs/reference/equality.md instead of a file.
const Laws = "laws"

// Line returns the line of the table about the source of the labels: the folder, name and hash of a
// file; of a warehouse only that it is one, because its URL may hold a password. The error of a
// file that cannot be read names the option.
func (l LabelSource) Line(cases int) (string, error) {
	if l.Warehouse || l.Where == Laws {
		return fmt.Sprintf("%s %s, %s", l.Option, l.name(), printable.Count(cases, "case")), nil
	}
	f, err := os.Open(l.Where)
	if err != nil {
		return "", errcode.New(errcode.NotFound, "%s: %w", l.Option, err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", errcode.New(errcode.InvalidArgument, "%s: %w", l.Option, err)
	}
	return fmt.Sprintf("%s %s (%.12x), %s", l.Option, l.name(), hash.Sum(nil), printable.Count(cases, "case")), nil
}

// name is the folder and name of a file.
func (l LabelSource) name() string {
	switch {
	case l.Warehouse:
		return "a warehouse"
	case l.Where == Laws:
		return "the laws of equality"
	}
	name := filepath.Base(l.Where)
	if folder := filepath.Base(filepath.Dir(l.Where)); folder != "." && folder != string(filepath.Separator) {
		name = folder + "/" + name
	}
	return name
}
