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

// LabelSource is a file or warehouse of labelled cases, with the flag that names it.
type LabelSource struct {
	Option, Where string
	Warehouse     bool // Where is the URL of a warehouse
}

// Laws is the value of Where for the pairs of docs/reference/equality.md.
const Laws = "laws"

// Line returns the table's line about a source: folder, name, hash and number of cases of a file; for a warehouse no
// name, because its URL may contain a password. If the file cannot be read, the error names the flag.
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

// name returns the folder and name of a file, or a description of another source.
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
