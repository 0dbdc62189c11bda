package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Format is a form in which a run can be written. Each has a file of its own, format_NAME.go, which registers
// it: no other file changes with a new one.
type Format struct {
	Name string // as flags and addresses call it, such as junit
	File string // a name for the file
	Type string // its media type

	open func(w io.Writer, o Options) (Writer, error)
}

var formats []Format // sorted by name

// register adds a format. It panics on a name that is taken.
func register(f Format) struct{} {
	at, taken := slices.BinarySearchFunc(formats, f, func(a, b Format) int { return cmp.Compare(a.Name, b.Name) })
	if taken {
		panic(fmt.Sprintf("export: there are two formats %q", f.Name))
	}
	formats = slices.Insert(formats, at, f)
	return struct{}{}
}

// Formats returns all formats, sorted by name.
func Formats() []Format { return slices.Clone(formats) }

// FormatNamed returns a format. The error is InvalidArgument if there is none of that name.
func FormatNamed(name string) (Format, error) {
	names := make([]string, len(formats))
	for i, f := range formats {
		if names[i] = f.Name; f.Name == name {
			return f, nil
		}
	}
	last := len(names) - 1
	return Format{}, errcode.New(errcode.InvalidArgument, "format: %.40q, expected %s or %s", name,
		strings.Join(names[:last], ", "), names[last])
}

// New writes a run in the format. Markdown takes memory for each score, the others for one answer.
func (f Format) New(w io.Writer, o Options) (Writer, error) { return f.open(w, o) }
