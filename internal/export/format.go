package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Format is a format in which a run can be exported. Each is registered in a separate file, format_NAME.go.
type Format struct {
	Name string // name in flags and addresses, such as junit
	File string // default file name
	Type string // media type

	open func(w io.Writer, o Options) (Writer, error)
}

var formats []Format // sorted by name

// register adds a format. It panics if the name is taken.
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

// FormatNamed returns the format with a name. It returns InvalidArgument if the name is unknown.
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

// New returns a Writer of the format to w. Markdown needs memory for each score, other formats for one answer.
func (f Format) New(w io.Writer, o Options) (Writer, error) { return f.open(w, o) }
