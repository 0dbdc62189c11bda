package export

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
)

// StandardOutput is the path of a target that is written to standard output.
const StandardOutput = "-"

// Target is a file to which a run is exported in one format.
type Target struct {
	Flag string // the flag that names it: -- and the format, such as --junit
	Path string // [StandardOutput] or a file; "": the target is unused
}

// Targets are the files to which a run is exported, one for each format. [Targets.Open] skips --html: pages are
// generated from a database.
type Targets []Target

// Any reports whether any target has a path.
func (t Targets) Any() bool {
	return slices.ContainsFunc(t, func(x Target) bool { return x.Path != "" })
}

// Printed reports whether a target is standard output.
func (t Targets) Printed() bool {
	return slices.ContainsFunc(t, func(x Target) bool { return x.Path == StandardOutput })
}

// Check returns a usage error if two targets are standard output. printed names what else is written to it;
// "": nothing.
func (t Targets) Check(printed string) error {
	for _, x := range t {
		switch {
		case x.Path != StandardOutput:
		case printed != "":
			return errcode.Usage("%s and %s both write to %.80q", printed, x.Flag, x.Path)
		default:
			printed = x.Flag
		}
	}
	return nil
}

// Surroundings are the inputs that all exports of a run share.
type Surroundings struct {
	Stdout io.Writer
	Notes  io.Writer      // receives the names of the written files
	Mask   *caseview.Mask // nil: nothing is hidden
	Places *Places        // lines of the cases, for answers without a place; nil if unknown
}

// Files are the files to which a run is being exported. A nil *Files has no files.
type Files struct {
	Surroundings

	files    []*File
	writers  []Writer
	markdown *File
	sarif    bool   // a target has the format SARIF
	metric   string // metric whose verdict is the outcome of an answer
	unplaced bool   // an answer that SARIF reports has no place
	err      error  // the first error of writing
}

// Err returns the first error of writing, or nil.
func (e *Files) Err() error { return e.err }

// Any reports whether there are open files.
func (e *Files) Any() bool { return e != nil && len(e.files) > 0 }

// File is an output file. A regular file is written under a temporary name and renamed when it is complete.
type File struct {
	io.Writer

	flag, path string
	f          *os.File // nil: standard output
	direct     bool     // not a regular file, such as a pipe
}

const partial = ".partial"

// Create creates the file of a target. It returns a usage error if the file cannot be created.
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

// Done closes the file and renames it to its final name. For standard output it does nothing.
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

// Drop closes and removes the file, unless it was completed by Done.
func (x *File) Drop() {
	if x.f != nil {
		_ = x.f.Close()
		if !x.direct {
			_ = os.Remove(x.path + partial)
		}
	}
}

// Open creates the files of all targets, so that an error occurs before the work begins. The caller must call Drop at
// the end.
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

// Add writes an answer to every file, masked and with its place. Finish returns the first error.
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

// Finish completes the files and prints their names to Notes. f and o are the content of the Markdown summary.
func (e *Files) Finish(f *report.Figures, o MarkdownOptions) error {
	for _, w := range e.writers {
		if j, is := w.(*junit); is {
			j.gates = f.Gates
		}
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

// Drop removes the files that were not completed.
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

// Say prints that path was written, unless it is standard output.
func Say(w io.Writer, path string) {
	if path != StandardOutput {
		fmt.Fprintf(w, "wrote %s\n", path)
	}
}
