package export

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
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

// written matches the start of a file that badger wrote: of each format here, of a report in HTML, and of a score file.
var written = lazyregexp.New(`^(` + strings.Join([]string{
	`eval_run_id,agent_name,agent_version,batch_id,case_id,`,                // CSV
	`\{"eval_run_id":"[^"]*","agent_name":"`,                                // JSON Lines
	`## badger\n`,                                                           // Markdown
	`<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="badger">`, // JUnit
	`\{"\$schema":"[^"]*/sarif-2\.1\.0\.json",`,                             // SARIF
	`<!DOCTYPE html>`,
	`\{"case_id":"[^\n]*"metric":"[^"]*","metric_version":`, // scores
}, "|") + `)`)

// Wrote reports whether the file at path starts as an output of badger does.
func Wrote(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // only read
	start := make([]byte, 4096)
	n, _ := io.ReadFull(f, start) //nolint:errcheck // a short file, too
	return written.MatchString(string(start[:n]))
}
