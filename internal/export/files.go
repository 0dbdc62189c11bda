package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
)

// StandardOutput is the path of a target that is printed.
const StandardOutput = "-"

// Target is a file to which a run is written.
type Target struct {
	Flag string // its name in messages: -- and the form, such as --junit
	Path string // [StandardOutput] is standard output; "" is no target
}

// Targets are the files to which a run is written, one of each form. The form html is not written here: pages are
// generated from a database.
type Targets []Target

// Any reports whether there is a target.
func (t Targets) Any() bool {
	return slices.ContainsFunc(t, func(x Target) bool { return x.Path != "" })
}

// Printed reports whether a target is standard output.
func (t Targets) Printed() bool {
	return slices.ContainsFunc(t, func(x Target) bool { return x.Path == StandardOutput })
}

// Check finds two targets of one file, which is a mistake of the user. Printed names what else goes to
// standard output; "" for nothing.
func (t Targets) Check(printed string) error {
	flags := map[string]string{}
	if printed != "" {
		flags[StandardOutput] = printed
	}
	for _, x := range t {
		if x.Path == "" {
			continue
		}
		path := filepath.Clean(x.Path)
		if other := flags[path]; other != "" {
			return errcode.Usage("%s and %s both write to %.80q", other, x.Flag, x.Path)
		}
		flags[path] = x.Flag
	}
	return nil
}

// Surroundings are the inputs of exports in addition to the options of each.
type Surroundings struct {
	Stdout io.Writer
	Notes  io.Writer      // receives the names of the written files
	Mask   *caseview.Mask // nil: nothing is hidden
	Places *Places        // the lines of cases whose answers lack them; nil if unknown
}

// Files are the files that a run is being written to. Nil means no files.
type Files struct {
	Surroundings

	files    []*File
	writers  []Writer
	markdown *File
	sarif    bool   // results of SARIF are written
	metric   string // whose verdict is the outcome of an answer
	unplaced bool   // a result of SARIF has no place
	err      error  // the first one of writing
}

// Err is the first error of writing.
func (e *Files) Err() error { return e.err }

// Any reports whether answers are written.
func (e *Files) Any() bool { return e != nil && len(e.files) > 0 }

// File is a file that gets its name when it is complete. The Writer writes to it.
type File struct {
	io.Writer

	flag, path string
	f          *os.File // nil: standard output
	direct     bool     // not a regular file, such as a pipe
}

const partial = ".partial"

// Create creates the file of a target. One that cannot be written is a usage error.
func Create(x Target, stdout io.Writer) (*File, error) {
	flag, path := x.Flag, x.Path
	if path == StandardOutput {
		return &File{flag: flag, path: path, Writer: stdout}, nil
	}
	out := &File{flag: flag, path: path}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, errcode.Usage("%s: %.80q is a folder, expected the name of a file", flag, path)
		}
		out.direct = true
	}
	name := path
	if !out.direct {
		name += partial
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, errcode.Usage("%s: %w", flag, err)
	}
	out.f, out.Writer = f, f
	return out, nil
}

// Done gives the file its name.
func (x *File) Done() error {
	if x.f == nil {
		return nil
	}
	err := x.f.Close()
	if err == nil && !x.direct {
		err = os.Rename(x.path+partial, x.path)
	}
	x.f = nil
	if err != nil {
		return errcode.New(errcode.ResourceExhausted, "%s: %w", x.flag, err)
	}
	return nil
}

// Drop removes a file that did not become whole.
func (x *File) Drop() {
	if x.f != nil {
		_ = x.f.Close()
		if !x.direct {
			_ = os.Remove(x.path + partial)
		}
	}
}

// Open creates the files, so that one that cannot be written to is known before the work begins.
// Call Drop in the end.
func (t Targets) Open(o Options, around Surroundings) (_ *Files, err error) {
	e := &Files{Surroundings: around, metric: o.Metric}
	defer func() {
		if err != nil {
			e.Drop()
		}
	}()
	for _, x := range t {
		if x.Path == "" || x.Flag == "--html" { // the pages are written at the end, from the database
			continue
		}
		file, err := Create(x, around.Stdout)
		if err != nil {
			return nil, err
		}
		e.files = append(e.files, file)
		e.sarif = e.sarif || x.Flag == "--sarif"
		if x.Flag == "--markdown" { // the summary exists already, and has the other comparisons
			e.markdown = file
			continue
		}
		format, err := FormatNamed(strings.TrimPrefix(x.Flag, "--"))
		if err != nil {
			return nil, err
		}
		w, err := format.New(file, o)
		if err != nil {
			return nil, err
		}
		e.writers = append(e.writers, w)
	}
	return e, nil
}

// Add writes an answer to every file. Finish tells the error.
func (e *Files) Add(a *Answer) {
	a.Withhold(e.Mask)
	if a.Place.File == "" {
		a.Place = e.Places.take(a.AnswerID)
	}
	e.unplaced = e.unplaced || a.Place.File == "" && a.Missed(e.metric)
	for _, w := range e.writers {
		if e.err == nil {
			e.err = w.Add(a)
		}
	}
}

// Finish closes the files and reports their names. Figures are those of the summary in Markdown.
func (e *Files) Finish(f *report.Figures, o MarkdownOptions) error {
	for _, w := range e.writers {
		if err := w.Close(); e.err == nil {
			e.err = err
		}
	}
	e.writers = nil
	if e.err != nil {
		return errcode.New(errcode.ResourceExhausted, "writing the exports: %w", e.err)
	}
	if e.markdown != nil {
		if err := Markdown(e.markdown, f, o); err != nil {
			return errcode.New(errcode.ResourceExhausted, "--markdown: %w", err)
		}
	}
	for _, x := range e.files {
		if err := x.Done(); err != nil {
			return err
		}
		Say(e.Notes, x.path)
	}
	if e.sarif && e.unplaced {
		fmt.Fprintln(e.Notes, "note: results in SARIF name no file and line, and GitHub takes no file that has such results; name the cases' file with --case-file")
	}
	return nil
}

// Drop removes what did not become whole.
func (e *Files) Drop() {
	if e == nil {
		return
	}
	for _, w := range e.writers {
		_ = w.Close() // what it writes goes with the file
	}
	for _, x := range e.files {
		x.Drop()
	}
}

// Say prints the path of the output: a file, or the first page of a folder.
func Say(w io.Writer, path string) {
	if path != StandardOutput {
		fmt.Fprintf(w, "wrote %s\n", path)
	}
}
